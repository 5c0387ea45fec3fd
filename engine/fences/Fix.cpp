#include "fences/Fix.h"

#include "fences/FencePlacement.h"
#include "fences/TextDiff.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <filesystem>

namespace picket {

/// "line 9", "lock.h line 4"
static std::string lineText(const SourceLocation &At, const std::string &Checked) {
  auto Absolute = [](const std::string &File) {
    std::error_code Ignored;
    return std::filesystem::absolute(File, Ignored).lexically_normal();
  };
  const std::string Line = "line " + std::to_string(At.Line);
  const bool Same = Checked.empty() || At.File.empty() || At.File == Checked || Absolute(At.File) == Absolute(Checked);
  return Same ? Line : At.File.substr(At.File.rfind('/') + 1) + " " + Line;
}

namespace {

/// Which kinds of changes an alternative may use.
struct Wanted {
  bool Fences, Orders;
  bool Settled = false;
};

class Fixing : EditSearch {
public:
  Fixing(const CompileRequest &Text, const Program &Compiled, const FixOptions &Options,
         const std::atomic<bool> *Cancel)
      : EditSearch(Text, Options, Cancel), Repairs(Compiled, noticingChecker(), repairOptions(Options), Cancel) {}

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
    std::stable_sort(Report.Fixes.begin(), Report.Fixes.end(),
                     [](const Fix &A, const Fix &B) { return A.Cost < B.Cost; });
    if (!Report.Fixes.empty())
      Report.Fixes.front().CheapestWanted = Options.Cheapest;
    Report.Rounds = Repairs.rounds();
    Report.Skipped = std::move(Skipped);
    Report.Texts = std::move(Text.Unsaved);
    return Report;
  }

private:
  /// Notices models that are skipped.
  RoundChecker noticingChecker() {
    return [this, Check = checker(Options.Cheapest ? Thoroughness::All : Thoroughness::Cycle)](const Program &Edited,
                                                                                               double Seconds) {
      RoundReport Round = Check(Edited, Seconds);
      if (const ModelReport *M = skippedOf(Round.Models))
        Skipped = *M;
      return Round;
    };
  }

  static RepairOptions repairOptions(const FixOptions &Options) {
    RepairOptions Result;
    Result.TimeoutSeconds = Options.TimeoutSeconds;
    Result.Costs = Options.Costs;
    Result.Assembly = Options.Check.Models.size() == 1 && infoOf(Options.Check.Models.front()).Fences.ISync;
    Result.MaxRounds = Options.Cheapest ? 512 : 64;
    Result.ShareOfSearch = Options.Cheapest ? 0.6 : 1;
    return Result;
  }

  /// Finds a repair for each alternative that has none, and writes them all into the text. False: nothing is left to
  /// be found.
  bool round(std::vector<Wanted> &Left, FixReport &Report) {
    std::vector<std::pair<Wanted *, Repair>> Found;
    std::vector<std::vector<SourceChange>> ToPlace;
    for (Wanted &W : Left) {
      if (W.Settled)
        continue;
      RepairResult Result = Repairs.find(W.Fences, W.Orders);
      if (Result.What != RepairResult::Outcome::Repaired) {
        W.Settled = true;
        if (&W == &Left.front()) {
          explain(Result, Report);
          return false; // what cannot be done with everything cannot be done with less
        }
        continue;
      }
      ToPlace.push_back(Result.Found->Changes);
      for (const SourceChange &Change : Result.Found->Changes) // to know which one is refused
        ToPlace.push_back({Change});
      Found.emplace_back(&W, std::move(*Result.Found));
    }
    if (Found.empty())
      return false;
    const std::vector<PlacedChange> Placed = placeAlternatives(Text, ToPlace);
    size_t Next = 0;
    for (auto &[W, R] : Found) {
      W->Settled = tryOn(R, &Placed[Next], Report);
      Next += 1 + R.Changes.size();
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
  bool tryOn(const Repair &R, const PlacedChange *Whole, FixReport &Report) {
    if (!Whole->placed()) {
      refuse(Whole->Refusal, Whole->RefusedAt);
      bool Known = false;
      for (size_t K = 0; K < R.Changes.size(); ++K)
        if (!Whole[K + 1].placed()) {
          Repairs.forbid(R.Changes[K]);
          Known = true;
        }
      if (!Known)
        forbidAll(R);
      return false;
    }
    Fix F;
    F.Changes = R.Changes;
    F.Edits = Whole->Edits;
    F.Cost = R.Cost;
    F.Minimal = R.Minimal;
    F.Cheapest = R.Cheapest && Options.Cheapest;
    if (!prove(F)) {
      forbidAll(R);
      return false;
    }
    leaveOut(F);
    auto Known = std::find_if(Report.Fixes.begin(), Report.Fixes.end(),
                              [&](const Fix &Other) { return Other.Changes == F.Changes; });
    if (Known == Report.Fixes.end())
      Report.Fixes.push_back(std::move(F));
    else
      Known->Cheapest |= F.Cheapest;
    return true;
  }

  /// The text can do more than was asked for: an order in the body of a macro is one for all its uses. So whether all
  /// changes are needed is asked of the text as well.
  void leaveOut(Fix &F) {
    for (size_t K = F.Changes.size(); K-- > 0 && F.Changes.size() > 1;) {
      Fix Less = F;
      Less.Changes.erase(Less.Changes.begin() + static_cast<ptrdiff_t>(K));
      if (isOver()) {
        F.Minimal = false;
        return;
      }
      PlacedChange Placed = placeChanges(Text, Less.Changes);
      if (!Placed.placed())
        continue;
      Less.Edits = std::move(Placed.Edits);
      Less.Cost -= std::min(Less.Cost, costOf(F.Changes[K]) * CostUnit);
      RoundReport Round = checkEdited(Text, Less.Edits, noticingChecker(), secondsLeft());
      F.Minimal &= Round.What != RoundReport::Result::GaveUp;
      if (Round.What != RoundReport::Result::Passed)
        continue;
      Less.Models = std::move(Round.Models);
      Less.Cheapest = false; // not asked of the text
      F = std::move(Less);
    }
  }

  uint32_t costOf(const SourceChange &Change) const {
    if (const auto *New = std::get_if<InsertFence>(&Change))
      return New->Kind == FenceKind::Full    ? Options.Costs.FullFence
             : New->Kind == FenceKind::ISync ? Options.Costs.ISync
                                             : Options.Costs.LightFence;
    return std::get<ChangeOrder>(Change).To == Order::SeqCst ? Options.Costs.SeqCst : Options.Costs.ReleaseAcquire;
  }

  void forbidAll(const Repair &R) {
    for (uint32_t K : R.Chosen)
      Repairs.forbid(K);
  }

  void refuse(const std::string &Sentence, const SourceLocation &At) {
    if (Refusal.empty())
      Refusal = "the repair cannot be written" + (At.Line ? " at " + lineText(At, Text.File) : "") + ": " + Sentence;
  }

  bool prove(Fix &F) {
    RoundReport Round = EditSearch::prove(F.Edits, noticingChecker());
    if (Round.What == RoundReport::Result::Passed) {
      F.Models = std::move(Round.Models);
      return true;
    }
    refuse(Round.What == RoundReport::Result::GaveUp ? Round.Reason : "the edited text was checked and did not pass",
           {});
    return false;
  }

  std::optional<ModelReport> Skipped; // a model that could not check some edited program
  Repairer Repairs;
  std::string Refusal; // the first
};

std::string nameOfFence(FenceKind Kind) {
  const std::string Name = fenceText(Kind);
  return (std::string("ail").find(Name[0]) != std::string::npos ? "an " : "a ") + Name;
}

std::string counted(size_t N, const char *Noun) { return std::to_string(N) + " " + Noun + (N == 1 ? "" : "s"); }

} // namespace

bool Fix::isBounded() const {
  return std::any_of(Models.begin(), Models.end(), [](const ModelReport &M) { return M.Result == Verdict::Bounded; });
}

FixReport findFixes(const CompileRequest &Given, const FixOptions &Options, const std::atomic<bool> *Cancel) {
  return searchEdits<FixReport>(Given, Options, [&](const CompileRequest &Text, const Program &Compiled) {
    return Fixing(Text, Compiled, Options, Cancel).run();
  });
}

std::vector<MemoryModel> modelsChecked(const std::vector<ModelReport> &Models) {
  std::vector<MemoryModel> Which;
  for (const ModelReport &M : Models)
    if (!M.Skipped)
      Which.push_back(M.Which);
  return Which;
}

const ModelReport *skippedOf(const std::vector<ModelReport> &Models) {
  auto At = std::find_if(Models.begin(), Models.end(), [](const ModelReport &M) { return M.Skipped; });
  return At == Models.end() ? nullptr : &*At;
}

std::string coverageOf(const std::vector<ModelReport> &Models, unsigned Unroll) {
  const bool Bounded =
      std::any_of(Models.begin(), Models.end(), [](const ModelReport &M) { return M.Result == Verdict::Bounded; });
  return "verified " + (Bounded ? "up to " + counted(Unroll, "iteration") + " " : "") + "for " +
         titlesOf(modelsChecked(Models));
}

std::string titleOf(const Fix &F, unsigned Unroll) {
  size_t Fences = 0, Orders = 0, Removed = 0;
  for (const SourceChange &Change : F.Changes) {
    Fences += std::holds_alternative<InsertFence>(Change);
    Orders += std::holds_alternative<ChangeOrder>(Change);
    Removed += std::holds_alternative<RemoveFence>(Change);
  }
  std::vector<std::string> Parts;
  if (Fences)
    Parts.push_back("add " + counted(Fences, "fence"));
  if (Orders)
    Parts.push_back("change " + counted(Orders, "memory order"));
  if (Removed)
    Parts.push_back("remove " + counted(Removed, "fence"));
  std::string Title;
  for (size_t K = 0; K < Parts.size(); ++K)
    Title += (K == 0 ? "" : K + 1 == Parts.size() ? " and " : ", ") + Parts[K];
  Title[0] = static_cast<char>(std::toupper(Title[0]));
  std::string Proved = coverageOf(F.Models, Unroll);
  if (F.Cheapest)
    Proved += ", cheapest";
  else if (F.Minimal)
    Proved += ", minimal";
  if (F.CheapestWanted && !F.Cheapest)
    Proved += ", not proved to be cheapest";
  return Title + " (" + Proved + ")";
}

std::string describe(const SourceChange &Change, const std::string &Checked) {
  auto Line = [&](const SourceLocation &At) { return lineText(At, Checked); };
  if (const auto *New = std::get_if<InsertFence>(&Change)) {
    const bool Front = New->NearLater;
    return nameOfFence(New->Kind) + (Front ? " before " : " after ") + Line(Front ? New->Later : New->Earlier);
  }
  if (const auto *Other = std::get_if<ChangeOrder>(&Change))
    return "the memory order at " + Line(Other->Access) + ": " + nameOf(Other->From) + " becomes " + nameOf(Other->To);
  return "no fence at " + Line(std::get<RemoveFence>(Change).Fence);
}

} // namespace picket
