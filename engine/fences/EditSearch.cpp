#include "fences/EditSearch.h"

#include "fences/FencePlacement.h"
#include "fences/TextDiff.h"

#include <algorithm>
#include <cstring>

namespace picket {

const char *nameOf(EditOutcome What, const char *IfFound) {
  switch (What) {
  case EditOutcome::Found: return IfFound;
  case EditOutcome::NothingToDo: return "nothing-to-do";
  case EditOutcome::Refused: return "refused";
  case EditOutcome::GaveUp: return "gave-up";
  case EditOutcome::CannotBeChecked: return "cannot-be-checked";
  }
  return "?";
}

std::optional<EditOutcome> editOutcomeNamed(std::string_view Name, const char *IfFound) {
  for (EditOutcome What : {EditOutcome::Found, EditOutcome::NothingToDo, EditOutcome::Refused, EditOutcome::GaveUp,
                           EditOutcome::CannotBeChecked})
    if (Name == nameOf(What, IfFound))
      return What;
  return std::nullopt;
}

/// The same instructions on the same objects at the same places: only what they were compiled for may differ.
static bool isSameCode(const Program &A, const Program &B) {
  auto Bytes = [](const auto &V, const auto &W) {
    static_assert(std::has_unique_object_representations_v<typename std::decay_t<decltype(V)>::value_type>);
    return V.size() == W.size() && (V.empty() || std::memcmp(V.data(), W.data(), V.size() * sizeof(V[0])) == 0);
  };
  auto Each = [](const auto &V, const auto &W, auto Same) {
    return std::equal(V.begin(), V.end(), W.begin(), W.end(), Same);
  };
  return Bytes(A.Code, B.Code) && Bytes(A.CodeLocations, B.CodeLocations) && Bytes(A.Locations, B.Locations) &&
         A.Constants == B.Constants && A.Arguments == B.Arguments && A.Messages == B.Messages &&
         A.Constructors == B.Constructors && A.Files == B.Files && A.UserFile == B.UserFile &&
         A.FunctionNames == B.FunctionNames && A.NumSites == B.NumSites && A.Main == B.Main &&
         A.ExitFunctions == B.ExitFunctions && A.QuickExitFunctions == B.QuickExitFunctions &&
         A.ArgvGlobal == B.ArgvGlobal && A.ErrnoGlobal == B.ErrnoGlobal && A.Arm.Updates == B.Arm.Updates &&
         A.Arm.HasLdapr == B.Arm.HasLdapr && A.FailsForNoReason == B.FailsForNoReason &&
         Each(
             A.SwitchTables, B.SwitchTables,
             [](const SwitchTable &X, const SwitchTable &Y) { return X.Default == Y.Default && X.Cases == Y.Cases; }) &&
         Each(A.Functions, B.Functions,
              [](const Function &X, const Function &Y) {
                return X.Name == Y.Name && X.Entry == Y.Entry && X.NumSlots == Y.NumSlots &&
                       X.NumParameters == Y.NumParameters && X.Defined == Y.Defined && X.Variadic == Y.Variadic &&
                       X.FedSlot == Y.FedSlot && X.Message == Y.Message && X.Location == Y.Location;
              }) &&
         Each(A.Globals, B.Globals,
              [](const Global &X, const Global &Y) {
                return X.Name == Y.Name && X.Size == Y.Size && X.Location == Y.Location && X.Constant == Y.Constant &&
                       X.ThreadLocal == Y.ThreadLocal && X.Initial == Y.Initial;
              }) &&
         Each(A.Loops, B.Loops, [](const Loop &X, const Loop &Y) {
           return X.Location == Y.Location && X.HasExit == Y.HasExit && X.Outer == Y.Outer;
         });
}

CheckedPrograms programsOf(TargetPrograms &Programs, const CheckOptions &Options) {
  CheckedPrograms Result;
  for (const Architecture Target : targetsOf(Options)) {
    const CompileResult &Compiled = Programs.get(Target);
    const std::optional<Note> Why = whyNotRun(Compiled, Target);
    std::vector<MemoryModel> Models;
    for (const MemoryModel M : Options.Models)
      if (targetOf(M, Options.Targets) == Target)
        Models.push_back(M);
    if (Why || !Compiled.Compiled) {
      for (const MemoryModel M : Models) {
        ModelReport &Left = Result.Left.emplace_back();
        Left.Which = M;
        Left.Target = Target;
        Left.Result = Verdict::Unsupported;
        Left.Reason = Why ? Why->Message : "";
        Left.ReasonLocation = Why ? Why->Where : SourceLocation();
        Left.Skipped = true;
      }
      continue;
    }
    const Program &Code = *Compiled.Compiled;
    auto Known = std::find_if(Result.All.begin(), Result.All.end(),
                              [&](const CheckedProgram &P) { return P.Code == &Code || isSameCode(*P.Code, Code); });
    if (Known == Result.All.end()) {
      Known = Result.All.insert(Known, CheckedProgram{&Code, Code.For, Options});
      Known->Check.Models.clear();
    }
    Known->Check.Models.insert(Known->Check.Models.end(), Models.begin(), Models.end());
  }
  for (CheckedProgram &P : Result.All)
    P.Check.Partly = Result.All.size() + Result.Left.size() > 1;
  return Result;
}

RoundChecker EditSearch::checker(const CheckOptions &Check, Thoroughness How) const {
  return Options.Aim ? Options.Aim(Check, How) : bugChecker(Text.File, Check, How, Cancel);
}

double EditSearch::secondsLeft() const {
  const double Passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  return Options.TimeoutSeconds > 0 ? std::max(0.001, Options.TimeoutSeconds - Passed) : 0;
}

bool EditSearch::isOver() const { return isCancelled() || (Options.TimeoutSeconds > 0 && secondsLeft() <= 0.001); }

void EditSearch::addLeft(RoundReport &Round) const {
  Round.Models.insert(Round.Models.end(), Programs.Left.begin(), Programs.Left.end());
  auto Place = [&](const ModelReport &M) {
    return std::find(Options.Check.Models.begin(), Options.Check.Models.end(), M.Which);
  };
  std::stable_sort(Round.Models.begin(), Round.Models.end(),
                   [&](const ModelReport &A, const ModelReport &B) { return Place(A) < Place(B); });
}

RoundReport EditSearch::prove(const std::vector<TextEdit> &Edits, Thoroughness How) {
  keepTexts(Text, Edits);
  return checkEdited(Edits, How);
}

RoundReport EditSearch::checkEdited(const std::vector<TextEdit> &Edits, Thoroughness How) const {
  CompileRequest Edited = Text;
  for (auto &[File, NewText] : editedTexts(Text, Edits))
    Edited.Unsaved[File] = NewText;
  TargetPrograms Compiled(Edited);
  const CheckedPrograms Now = programsOf(Compiled, Options.Check);
  RoundReport All;
  if (Now.Left.size() > Programs.Left.size()) {
    All.What = RoundReport::Result::GaveUp;
    All.Reason = "the edited text does not compile";
    return All;
  }
  for (const CheckedProgram &P : Now.All) {
    RoundReport Round = checker(P.Check, How)(*P.Code, secondsLeft());
    if (Round.What != RoundReport::Result::Passed)
      return Round;
    std::move(Round.Models.begin(), Round.Models.end(), std::back_inserter(All.Models));
  }
  addLeft(All);
  return All;
}

/// Whether two programs write different texts at one place.
static bool differ(const std::vector<PlacedChange> &Parts) {
  for (const PlacedChange &A : Parts)
    for (const PlacedChange &B : Parts)
      for (const TextEdit &E : A.Edits)
        for (const TextEdit &F : B.Edits)
          if (E.File == F.File && E.Begin == F.Begin && E.End == F.End && E.Text != F.Text)
            return true;
  return false;
}

std::vector<PlacedChange> EditSearch::place(const std::vector<ChangesPerProgram> &Alternatives, bool OwnFences) const {
  if (Programs.All.size() == 1) {
    std::vector<std::vector<SourceChange>> Only;
    Only.reserve(Alternatives.size());
    for (const ChangesPerProgram &Changes : Alternatives)
      Only.push_back(Changes.front());
    CompileRequest Read = Text;
    Read.For = Programs.All.front().For;
    return placeAlternatives(Read, Only, {OwnFences ? FenceStyle::OfFile : FenceStyle::Standard, SharedMacros});
  }
  std::vector<std::vector<PlacedChange>> Parts(Alternatives.size());
  for (size_t P = 0; P < Programs.All.size(); ++P) {
    std::vector<std::vector<SourceChange>> Mine;
    std::vector<size_t> Of;
    for (size_t K = 0; K < Alternatives.size(); ++K)
      if (!Alternatives[K][P].empty()) {
        Mine.push_back(Alternatives[K][P]);
        Of.push_back(K);
      }
    if (Mine.empty())
      continue;
    CompileRequest Read = Text;
    Read.For = Programs.All[P].For;
    std::vector<PlacedChange> Placed =
        placeAlternatives(Read, Mine, {OwnFences ? FenceStyle::Portable : FenceStyle::Standard, SharedMacros});
    for (size_t K = 0; K < Of.size(); ++K)
      Parts[Of[K]].push_back(std::move(Placed[K]));
  }
  // Where the file's own words mean a fence for one architecture only, they are used for none.
  if (OwnFences && std::any_of(Parts.begin(), Parts.end(), differ))
    return place(Alternatives, /*OwnFences=*/false);
  std::vector<PlacedChange> Result;
  Result.reserve(Parts.size());
  for (std::vector<PlacedChange> &Some : Parts)
    Result.push_back(together(std::move(Some)));
  return Result;
}

} // namespace picket
