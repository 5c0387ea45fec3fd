#include "explore/Rsmc.h"

#include "explore/RsmcWorker.h"

namespace picket {

namespace {

/// A worker besides the first, with all it needs.
template <typename Worker> struct Helper {
  Helper(const RsmcContext &Context, const Sharing &Known, const EndingMemory &Ending, unsigned Number)
      : Shared(Known), Memory(Ending), Explores(Context, Shared, Memory, Number, nullptr, Result) {}
  void run() { Explores.run(); }

  Sharing Shared;
  EndingMemory Memory;
  ExplorationResult Result;
  Worker Explores;
  std::thread Thread;
};

class Rsmc {
public:
  Rsmc(const Program &P, const GraphModel &Model, const ExplorationOptions &Given, GraphObserver &Observer)
      : Prog(P), Model(Model), Options(Given), Observer(Observer),
        Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size())), Names(P), Spare(Given.Spare) {
    Options.Machine.Speculative = true;
    Options.Machine.StopAtFences = false;
    Options.Machine.InOrder = Model.axioms<1>()->isInOrder();
    if (Spare)
      Options.Machine.Names = &Names;
  }

  ExplorationResult run() {
    if (fits())
      return Result;
    // Loops that nobody feeds run to their end, if they have one. Here they are too long, which store buffers may not
    // mind.
    if (Options.OnePer != Equivalence::ReadsFrom) {
      Options.Machine.BoundEveryLoop = true;
      if (fits())
        return Result;
    }
    // More than there is room for even so.
    Result.Ended = ExplorationResult::End::Limit;
    Result.NotAsGraph = Result.Reason =
        "an execution has more than " + std::to_string(MostAccesses) + " shared accesses";
    return Result;
  }

private:
  bool fits() {
    if (Options.OnePer == Equivalence::ReadsFrom)
      return fitsSmall<ReadsFromWalk>();
    return (!Options.Machine.LargeGraphs && fitsSmall<GraphWalk>()) || exploreWith<RsmcWorker<0, GraphWalk>>();
  }

  template <template <unsigned> class Base> bool fitsSmall() {
    return exploreWith<RsmcWorker<1, Base>>() || exploreWith<RsmcWorker<4, Base>>() ||
           exploreWith<RsmcWorker<16, Base>>();
  }

  /// Of reads-from relations: coherence is searched for with sets of a fixed size.
  static constexpr EventId MostAccesses = EventSet<16>::Capacity;

  /// Explores with sets of a certain size. False if they turn out to be too small.
  template <typename Worker> bool exploreWith() {
    for (;;) {
      const RsmcOutcome Outcome = exploreOnce<Worker>();
      if (Outcome == RsmcOutcome::Done)
        return true;
      Observer.restarted();
      if (Outcome == RsmcOutcome::TooSmall)
        return false;
    }
  }

  template <typename Worker> RsmcOutcome exploreOnce();

  const Program &Prog;
  const GraphModel &Model;
  ExplorationOptions Options;
  GraphObserver &Observer;
  Sharing Shared;
  EndingMemory Memory;
  Identities Names;
  SpareCores *Spare;
  ExplorationResult Result;
};

template <typename Worker> RsmcOutcome Rsmc::exploreOnce() {
  Result = ExplorationResult();
  RsmcTeam Team;
  const RsmcContext Context{Prog, Model, Options, Observer, Team};
  Helpers<Helper<Worker>> Others(Spare);
  std::function<void()> RecruitWorkers;
  if (Spare)
    RecruitWorkers = [&] {
      Others.add(Team, Team.Bytes + Team.FrameBytes, Options.MaxMemoryBytes,
                 [&](unsigned Number) { return std::make_unique<Helper<Worker>>(Context, Shared, Memory, Number); });
    };
  Worker First(Context, Shared, Memory, 0, RecruitWorkers, Result);
  Others.runWith(Team, First);
  RsmcOutcome Outcome = First.outcome();
  bool Diverged = First.replayDiverged();
  for (const std::unique_ptr<Helper<Worker>> &H : Others) {
    addResult(Result, H->Result);
    Outcome = std::max(Outcome, H->Explores.outcome());
    Diverged |= H->Explores.replayDiverged();
    Shared.add(H->Shared);
    Memory.add(H->Memory);
  }
  // What each took to be private, or to be all of something that ends, may not be so in view of what others saw.
  if (!Others.empty() && (Shared.changed() || Memory.Changed))
    Outcome = RsmcOutcome::Restart;
  if (Diverged && Outcome != RsmcOutcome::Restart) { // alone it cannot be
    Spare = nullptr;
    Outcome = RsmcOutcome::Restart;
  }
  if (Outcome == RsmcOutcome::Restart) {
    Shared.takeChanged();
    Memory.Changed = false;
  }
  return Outcome;
}

} // namespace

ExplorationResult exploreGraphs(const Program &P, const GraphModel &Model, const ExplorationOptions &Options,
                                GraphObserver &Observer) {
  return Rsmc(P, Model, Options, Observer).run();
}

} // namespace picket
