#include "fences/Fix.h"

#include "fences/FencePlacement.h"
#include "fences/TextDiff.h"

#include <algorithm>
#include <chrono>
#include <deque>

namespace picket {

namespace {

/// Which kinds of changes an alternative may use.
struct Wanted {
  bool Fences, Orders;
  bool Settled = false;
};

/// What is done for each of the programs, and together.
struct JointRepair {
  std::vector<Repair> PerProgram;                 // without changes where that one passes as it is
  std::vector<std::vector<SourceChange>> Changes; // of each
  bool Minimal = true, Cheapest = false;

  /// Each once, in the order of the programs.
  std::vector<SourceChange> all() const {
    std::vector<SourceChange> All;
    for (const std::vector<SourceChange> &Some : Changes)
      for (const SourceChange &Change : Some)
        if (std::find(All.begin(), All.end(), Change) == All.end())
          All.push_back(Change);
    return All;
  }
};

/// An access is there once in the text: it has the order that all programs need.
void joinOrders(std::vector<std::vector<SourceChange>> &Changes) {
  std::vector<ChangeOrder *> Orders;
  for (std::vector<SourceChange> &Some : Changes)
    for (SourceChange &Change : Some)
      if (auto *Other = std::get_if<ChangeOrder>(&Change))
        Orders.push_back(Other);
  for (ChangeOrder *A : Orders)
    for (ChangeOrder *B : Orders)
      if (A->Access == B->Access && A->Call == B->Call)
        A->To = B->To = joined(A->To, B->To);
}

class Fixing : EditSearch {
public:
  /// `SharedMacros`: as in EditStyle.
  Fixing(const CompileRequest &Text, const CheckedPrograms &Programs, const FixOptions &Options,
         const std::atomic<bool> *Cancel, bool SharedMacros)
      : EditSearch(Text, Programs, Options, Cancel) {
    this->SharedMacros = SharedMacros;
    for (const CheckedProgram &P : Programs.All)
      Repairs.emplace_back(*P.Code, noticingChecker(P.Check), repairOptions(Options), Cancel);
  }

  /// Whether more could be written if macros were changed for all their uses.
  bool refusedSharedMacro() const { return RefusedSharedMacro; }
  using EditSearch::secondsLeft;

  FixReport run() {
    FixReport Report;
    std::vector<Wanted> Left = {{true, true}, {true, false}, {false, true}};
    Left.resize(std::clamp(Options.MaxAlternatives, 1u, 3u), {true, true});
    // A change that cannot be written is not used again, so that this ends.
    while (std::any_of(Left.begin(), Left.end(), [](const Wanted &W) { return !W.Settled; }))
      if (!round(Left, Report))
        break;
    if (!Report.Fixes.empty())
      Report.What = EditOutcome::Found;
    std::stable_sort(Report.Fixes.begin(), Report.Fixes.end(), [](const Fix &A, const Fix &B) {
      return std::pair(A.ChangesTest, A.Cost) < std::pair(B.ChangesTest, B.Cost);
    });
    if (!Report.Fixes.empty() && !Report.Fixes.front().ChangesTest)
      std::erase_if(Report.Fixes, [](const Fix &F) { return F.ChangesTest; });
    if (!Report.Fixes.empty())
      Report.Fixes.front().CheapestWanted = Options.Cheapest;
    for (const Repairer &R : Repairs)
      Report.Rounds += R.rounds();
    addSkipped(Skipped, Programs.Left);
    Report.Skipped = std::move(Skipped);
    Report.Texts = std::move(Text.Unsaved);
    return Report;
  }

private:
  Thoroughness thoroughness() const { return Options.Cheapest ? Thoroughness::All : Thoroughness::Cycle; }

  void notice(const RoundReport &Round) { addSkipped(Skipped, Round.Models); }

  /// Notices models that are skipped.
  RoundChecker noticingChecker(const CheckOptions &Check) {
    return [this, Check = checker(Check, thoroughness())](const Program &Edited, double Seconds) {
      RoundReport Round = Check(Edited, Seconds);
      notice(Round);
      return Round;
    };
  }

  static RepairOptions repairOptions(const FixOptions &Options) {
    RepairOptions Result;
    Result.TimeoutSeconds = Options.TimeoutSeconds;
    Result.Costs = Options.Costs;
    Result.Scope = Options.Scope;
    Result.Scope.PreferLibrary &= !Options.Cheapest;
    Result.Assembly = Options.Check.Models.size() == 1 && infoOf(Options.Check.Models.front()).Fences.ISync;
    Result.MaxRounds = Options.Cheapest ? 512 : 64;
    Result.ShareOfSearch = Options.Cheapest ? 0.6 : 1;
    return Result;
  }

  /// Repairs each of the programs. A repair of one that needs none is no change.
  RepairResult::Outcome find(const Wanted &W, JointRepair &Joint, RepairResult &Last) {
    using From = RepairResult::Outcome;
    size_t Repaired = 0;
    for (Repairer &R : Repairs) {
      Last = R.find(W.Fences, W.Orders);
      Joint.PerProgram.emplace_back();
      Joint.Changes.emplace_back();
      if (Last.What == From::NothingToDo)
        continue;
      if (Last.What != From::Repaired || !Last.Found)
        return Last.What;
      ++Repaired;
      Repair &Mine = *Last.Found;
      Joint.Minimal &= Mine.Minimal;
      Joint.Cheapest = Mine.Cheapest;
      Joint.Changes.back() = Mine.Changes;
      Joint.PerProgram.back() = std::move(Mine);
    }
    // What is cheapest for one program is so for all if the others need nothing.
    Joint.Cheapest &= Repaired == 1;
    joinOrders(Joint.Changes);
    return Repaired ? From::Repaired : From::NothingToDo;
  }

  /// Finds a repair for each alternative that has none, and writes them all into the text. False: nothing is left to
  /// be found.
  bool round(std::vector<Wanted> &Left, FixReport &Report) {
    std::vector<std::pair<Wanted *, JointRepair>> Found;
    std::vector<ChangesPerProgram> ToPlace;
    for (Wanted &W : Left) {
      if (W.Settled)
        continue;
      JointRepair Joint;
      RepairResult Last;
      if (find(W, Joint, Last) != RepairResult::Outcome::Repaired) {
        W.Settled = true;
        if (&W == &Left.front()) {
          explain(Last, Report);
          return false; // what cannot be done with everything cannot be done with less
        }
        continue;
      }
      ToPlace.push_back(Joint.Changes);
      for (size_t P = 0; P < Joint.Changes.size(); ++P) // to know which one is refused
        for (const SourceChange &Change : Joint.Changes[P]) {
          ToPlace.emplace_back(Joint.Changes.size());
          ToPlace.back()[P] = {Change};
        }
      Found.emplace_back(&W, std::move(Joint));
    }
    if (Found.empty())
      return false;
    const std::vector<PlacedChange> Placed = place(ToPlace);
    size_t Next = 0;
    for (auto &[W, Joint] : Found) {
      W->Settled = tryOn(Joint, &Placed[Next], Report);
      ++Next;
      for (const std::vector<SourceChange> &Changes : Joint.Changes)
        Next += Changes.size();
    }
    return true;
  }

  void explain(const RepairResult &Result, FixReport &Report) const {
    using From = RepairResult::Outcome;
    Report.What = Result.What == From::NothingToDo ? EditOutcome::NothingToDo
                  : Result.What == From::Refused   ? EditOutcome::Refused
                                                   : EditOutcome::GaveUp;
    // If a repair was known and could not be written, that is the reason.
    Report.Reason = Result.What == From::Refused && !Refusal.empty() ? Refusal : Result.Reason;
    Report.Shown = Result.Shown;
    Report.ShownUnder = Result.ShownUnder;
  }

  /// Whole[0] is the repair as a whole, behind it are its changes one by one. False if something has to be done without
  /// what cannot be written.
  bool tryOn(const JointRepair &Joint, const PlacedChange *Whole, FixReport &Report) {
    if (!Whole->placed()) {
      RefusedSharedMacro |= Whole->SharedMacro;
      refuse(Whole->Refusal, Whole->RefusedAt);
      bool Known = false;
      const PlacedChange *Single = Whole;
      for (size_t P = 0; P < Joint.Changes.size(); ++P)
        for (size_t K = 0; K < Joint.Changes[P].size(); ++K)
          if (!(++Single)->placed()) {
            // As the program knows it: orders were joined.
            Repairs[P].forbid(Joint.PerProgram[P].Changes[K]);
            Known = true;
          }
      if (!Known)
        forbidAll(Joint);
      return false;
    }
    Fix F;
    F.Changes = Joint.all();
    F.Edits = Whole->Edits;
    F.Cost = costOf(Joint);
    F.Minimal = Joint.Minimal;
    F.Cheapest = Joint.Cheapest && Options.Cheapest;
    if (!prove(F)) {
      // A macro of the file that is a fence for one model may be none for another.
      PlacedChange Standard = isOver() ? PlacedChange() : place({Joint.Changes}, /*OwnFences=*/false).front();
      if (Standard.Edits.empty() || !Standard.placed() || isSame(Standard.Edits, F.Edits)) {
        forbidAll(Joint);
        return false;
      }
      F.Edits = std::move(Standard.Edits);
      OwnFences = false;
      if (!prove(F)) {
        OwnFences = true;
        forbidAll(Joint);
        return false;
      }
    }
    leaveOut(F, Joint.Changes);
    OwnFences = true;
    F.ChangesTest = changesTest(F.Edits);
    auto Known = std::find_if(Report.Fixes.begin(), Report.Fixes.end(),
                              [&](const Fix &Other) { return Other.Changes == F.Changes; });
    if (Known == Report.Fixes.end())
      Report.Fixes.push_back(std::move(F));
    else
      Known->Cheapest |= F.Cheapest;
    return true;
  }

  /// The text can do more than was asked for: an order in the body of a macro is one for all its uses, and a fence that
  /// one program needs is one in the others. So whether all changes are needed is asked of the text as well.
  void leaveOut(Fix &F, ChangesPerProgram Changes) {
    for (size_t K = F.Changes.size(); K-- > 0 && F.Changes.size() > 1;) {
      Fix Less = F;
      Less.Changes.erase(Less.Changes.begin() + static_cast<ptrdiff_t>(K));
      if (isOver()) {
        F.Minimal = false;
        return;
      }
      ChangesPerProgram Rest = Changes;
      for (std::vector<SourceChange> &Some : Rest)
        std::erase(Some, F.Changes[K]);
      PlacedChange Placed = place({Rest}, OwnFences).front();
      if (!Placed.placed())
        continue;
      Less.Edits = std::move(Placed.Edits);
      Less.Cost -= std::min(Less.Cost, costOf(F.Changes[K]) * CostUnit);
      RoundReport Round = checkEdited(Less.Edits, thoroughness());
      notice(Round);
      F.Minimal &= Round.What != RoundReport::Result::GaveUp;
      if (Round.What != RoundReport::Result::Passed)
        continue;
      Less.Models = std::move(Round.Models);
      Less.Cheapest = false; // not asked of the text
      F = std::move(Less);
      Changes = std::move(Rest);
    }
  }

  bool changesTest(const std::vector<TextEdit> &Edits) const {
    const FileRanks &Files = Repairs.front().candidates().files();
    const std::vector<std::string> &Names = Programs.All.front().Code->Files;
    return std::any_of(Edits.begin(), Edits.end(), [&](const TextEdit &E) {
      const auto At = std::find(Names.begin(), Names.end(), E.File);
      return At != Names.end() && Files[static_cast<uint32_t>(At - Names.begin())] == FileRank::Test;
    });
  }

  uint32_t costOf(const SourceChange &Change) const {
    if (const auto *New = std::get_if<InsertFence>(&Change))
      return New->Kind == FenceKind::Full    ? Options.Costs.FullFence
             : New->Kind == FenceKind::ISync ? Options.Costs.ISync
                                             : Options.Costs.LightFence;
    if (std::get<ChangeOrder>(Change).From == Order::NotAtomic)
      return Options.Costs.AtomicAccess;
    return std::get<ChangeOrder>(Change).To == Order::SeqCst ? Options.Costs.SeqCst : Options.Costs.ReleaseAcquire;
  }

  /// What several programs need is paid for once.
  uint64_t costOf(const JointRepair &Joint) const {
    uint64_t Cost = 0;
    if (Joint.PerProgram.size() == 1)
      return Joint.PerProgram.front().Cost;
    for (const SourceChange &Change : Joint.all())
      Cost += costOf(Change) * CostUnit;
    return Cost;
  }

  static bool isSame(const std::vector<TextEdit> &A, const std::vector<TextEdit> &B) {
    return std::equal(A.begin(), A.end(), B.begin(), B.end(), [](const TextEdit &X, const TextEdit &Y) {
      return X.File == Y.File && X.Begin == Y.Begin && X.End == Y.End && X.Text == Y.Text;
    });
  }

  /// The text as a whole is not what the program was. A fence can stand somewhere else than it was meant to (behind the
  /// condition of a loop, on one of the ways from there), whereas an order is written where its access is. So others are
  /// looked for instead of the fences, and instead of the orders only if there are no fences.
  void forbidAll(const JointRepair &Joint) {
    auto IsFence = [&](size_t P, uint32_t K) { return Repairs[P].candidates()[K].IsFence; };
    bool AnyFence = false;
    for (size_t P = 0; P < Joint.PerProgram.size(); ++P)
      for (uint32_t K : Joint.PerProgram[P].Chosen)
        AnyFence |= IsFence(P, K);
    for (size_t P = 0; P < Joint.PerProgram.size(); ++P)
      for (uint32_t K : Joint.PerProgram[P].Chosen)
        if (!AnyFence || IsFence(P, K))
          Repairs[P].forbid(K);
  }

  void refuse(const std::string &Sentence, const SourceLocation &At) {
    if (Refusal.empty())
      Refusal = "the repair cannot be written" + (At.Line ? " at " + lineText(At, Text.File) : "") + ": " + Sentence;
  }

  bool prove(Fix &F) {
    RoundReport Round = EditSearch::prove(F.Edits, thoroughness());
    notice(Round);
    if (Round.What == RoundReport::Result::Passed) {
      F.Models = std::move(Round.Models);
      return true;
    }
    refuse(Round.What == RoundReport::Result::GaveUp ? Round.Reason : "the edited text was checked and did not pass",
           {});
    return false;
  }

  std::vector<ModelReport> Skipped; // models that could not check some edited program
  std::deque<Repairer> Repairs;     // of each program
  std::string Refusal;              // the first
  bool RefusedSharedMacro = false;
  bool OwnFences = true; // fences are written in the words of the file
};

} // namespace

bool Fix::isBounded() const {
  return std::any_of(Models.begin(), Models.end(), [](const ModelReport &M) { return M.Result == Verdict::Bounded; });
}

static FixReport findFixesForAll(const CompileRequest &Given, const FixOptions &Options,
                                 const std::atomic<bool> *Cancel) {
  return searchEdits<FixReport>(Given, Options, [&](const CompileRequest &Text, const CheckedPrograms &Programs) {
    Fixing Strict(Text, Programs, Options, Cancel, /*SharedMacros=*/Options.Cheapest || !Options.Scope.PreferLibrary);
    FixReport Report = Strict.run();
    if (Report.What != EditOutcome::Refused || !Strict.refusedSharedMacro())
      return Report;
    FixOptions Rest = Options;
    Rest.TimeoutSeconds = Strict.secondsLeft();
    return Fixing(Text, Programs, Rest, Cancel, /*SharedMacros=*/true).run();
  });
}

FixReport findFixes(const CompileRequest &Given, const FixOptions &Options, const std::atomic<bool> *Cancel) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point Start = Clock::now();
  FixReport Report = findFixesForAll(Given, Options, Cancel);
  // What C11 does not allow can be fine on every machine. Where nobody asked for C11, the others are fixed without it.
  const std::vector<MemoryModel> &Models = Options.Check.Models;
  if (Report.What != EditOutcome::Refused || Options.Check.ModelsNamed || Models.size() < 2 ||
      std::find(Models.begin(), Models.end(), MemoryModel::C11) == Models.end())
    return Report;
  FixOptions Rest = Options;
  Rest.Check.Partly = true;
  std::erase(Rest.Check.Models, MemoryModel::C11);
  if (Options.TimeoutSeconds > 0)
    Rest.TimeoutSeconds =
        std::max(Options.TimeoutSeconds - std::chrono::duration<double>(Clock::now() - Start).count(), 1e-3);
  FixReport Others = findFixesForAll(Given, Rest, Cancel);
  if (Others.What != EditOutcome::Found)
    return Report;
  ModelReport C11;
  C11.Which = MemoryModel::C11;
  C11.Result = Verdict::Violation;
  C11.Skipped = true;
  C11.Reason = Report.Reason;
  addSkipped(Others.Skipped, {C11});
  return Others;
}

} // namespace picket
