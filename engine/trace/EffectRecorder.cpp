#include "trace/EffectRecorder.h"

#include "trace/Recorder.h"
#include "trace/RecordingNames.h"

#include <algorithm>

namespace picket {

namespace {

/// Finds the steps of a configuration that shows every access by which operations take effect in a given order.
class EffectRun : private StepListener {
public:
  EffectRun(Configuration &C, const std::vector<std::vector<uint32_t>> &Paths, const BugReport &Wanted)
      : Config(C), Mach(C.machine()), Paths(Paths), Wanted(Wanted) {}

  /// Stops at the bug that is wanted. Without it, the first one at the end; null: there is none.
  const BugReport *run(const std::vector<GraphEffect> &Effects) {
    Config.startOver(this);
    for (const GraphEffect &E : Effects)
      if (find() || !happens(E))
        break;
    for (bool Again = true; Again && !find();) { // what is left has no effect, or waits for nothing
      Again = false;
      for (ThreadId T = 0; T < Mach.numThreads() && !Again; ++T)
        Again = Mach.exists(T) && (landUncounted(T) || goOn(T, ~0u));
    }
    return result();
  }

  /// The bug, once the steps were taken.
  const BugReport *result() {
    if (std::vector<ProcessId> Enabled; Mach.bugs().empty()) {
      Config.enabled(Enabled);
      if (!Enabled.empty()) // it did not come to an end
        return nullptr;
      Config.ending();
    }
    const BugReport *Found = find();
    return Found || Mach.bugs().empty() ? Found : &Mach.bugs().front();
  }

  const std::vector<ProcessId> &steps() const { return Steps; }

private:
  static constexpr uint32_t Uncounted = ~0u;

  const BugReport *find() const {
    for (const BugReport &B : Mach.bugs())
      if (B.Kind == Wanted.Kind && B.Pc == Wanted.Pc && Mach.pathOf(B.Thread) == Paths[Wanted.Thread])
        return &B;
    return nullptr;
  }

  // Graphs do not have what main accesses before there are other threads.
  bool counts(OperationKind Kind) const {
    switch (Kind) {
    case OperationKind::Load:
    case OperationKind::Store:
    case OperationKind::Rmw:
    case OperationKind::CmpXchg: return OthersExist;
    case OperationKind::Sync:
    case OperationKind::Free:
    case OperationKind::End: return true;
    default: return false;
    }
  }

  struct ThreadState {
    uint32_t Next = 0;             // operation
    std::vector<uint32_t> Entries; // of the buffer: the operation that stored it
  };
  ThreadState &of(ThreadId T) {
    if (T >= Threads.size())
      Threads.resize(T + 1);
    return Threads[T];
  }

  void stored(ThreadId T, uint32_t Entry) override {
    if (Trying)
      return;
    std::vector<uint32_t> &Entries = of(T).Entries;
    Entries.resize(std::max<size_t>(Entries.size(), Entry + 1), Uncounted);
    Entries[Entry] = OthersExist ? of(T).Next++ : Uncounted;
  }
  void fenced(ThreadId, const Operation *) override {}
  void joined(ThreadId, ThreadId) override {}
  void created(ThreadId, ThreadId) override { OthersExist |= !Trying; }

  void step(ProcessId P) {
    Steps.push_back(P);
    Config.step(P);
  }

  bool isEnabled(ProcessId P) { // may run an atomic section for a try
    Trying = true;
    const bool Is = Config.isEnabled(P);
    Trying = false;
    return Is;
  }

  bool landUncounted(ThreadId T) {
    const std::vector<ProcessId> Updates = Config.updatesOf(T);
    for (ProcessId P : Updates)
      if (Config.isEnabled(P) && of(T).Entries[Config.nextEntry(P)] == Uncounted) {
        step(P);
        return true;
      }
    return false;
  }

  /// Lets T take its step if it comes before a certain operation. False if it does not, or cannot.
  bool goOn(ThreadId T, uint32_t Operation) {
    if (Mach.status(T) != ThreadStatus::Ready || !isEnabled(Config.processOf(T)))
      return false;
    if (counts(Mach.pending(T).Kind)) {
      if (Operation == Uncounted || of(T).Next >= Operation)
        return false;
      ++of(T).Next;
    }
    step(Config.processOf(T));
    return true;
  }

  std::optional<ThreadId> threadOf(uint32_t Index) const {
    for (ThreadId T = 0; T < Mach.numThreads(); ++T)
      if (Mach.exists(T) && Mach.pathOf(T) == Paths[Index])
        return T;
    return std::nullopt;
  }

  /// Lets an operation take effect. What the thread does in front of it took effect before, or has none.
  bool happens(const GraphEffect &E) {
    std::optional<ThreadId> T = threadOf(E.Thread);
    for (bool Again = !T; Again && !T; T = threadOf(E.Thread))
      Again = landUncounted(0) || goOn(0, ~0u);
    if (!T)
      return false;
    const bool Lands = E.Stores && Config.buffering() != Buffering::None;
    for (;;) {
      if (find())
        return true;
      if (Lands)
        for (ProcessId P : std::vector<ProcessId>(Config.updatesOf(*T)))
          if (Config.isEnabled(P) && of(*T).Entries[Config.nextEntry(P)] == E.Number) {
            step(P);
            return true;
          }
      if (!Lands && of(*T).Next == E.Number && Mach.status(*T) == ThreadStatus::Ready && counts(Mach.pending(*T).Kind))
        return goOn(*T, E.Number + 1);
      if (!landUncounted(*T) && !goOn(*T, ~0u))
        return false;
    }
  }

  Configuration &Config;
  Machine &Mach;
  const std::vector<std::vector<uint32_t>> &Paths;
  const BugReport &Wanted;
  std::vector<ThreadState> Threads;
  std::vector<ProcessId> Steps;
  bool OthersExist = false, Trying = false;
};

/// Without those that no configuration shows: threads access in them what is their own.
std::vector<GraphEffect> shown(std::vector<GraphEffect> Effects, const Sharing &Known) {
  std::erase_if(Effects, [&](const GraphEffect &E) { return !Known.isShared(E.Site); });
  const std::vector<GraphEffect> All = Effects;
  for (GraphEffect &E : Effects)
    E.Number = static_cast<uint32_t>(std::count_if(All.begin(), All.end(), [&](const GraphEffect &Other) {
      return Other.Thread == E.Thread && Other.Number < E.Number;
    }));
  return Effects;
}

} // namespace

std::optional<Recording> recordEffects(const Program &P, const MachineOptions &Options, MemoryModel Model,
                                       const Sharing &Explored, const std::vector<std::vector<uint32_t>> &Threads,
                                       const std::vector<GraphEffect> &Effects, const BugReport &Wanted,
                                       const std::function<bool(Machine &, const BugReport &)> &OnBug, bool &Found) {
  Found = false;
  try {
    // A replay knows what is shared from the recording, and no more. So this begins with as much, until nothing is
    // added.
    for (std::vector<SharedThing> Things = sharedThings(P, Explored);;) {
      Sharing Known(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
      markShared(P, Things, Known);
      do { // the more is shared, the more is shown
        Known.takeChanged();
        Configuration C(P, Known, Options, Model);
        C.start();
        EffectRun Run(C, Threads, Wanted);
        const BugReport *Bug = Run.run(shown(Effects, Known));
        if (Known.changed())
          continue;
        Found = Bug != nullptr;
        if (!Found)
          return std::nullopt;
        Recorder Into(C);
        Into.begin();
        for (ProcessId Step : Run.steps())
          Into.step(Step);
        Bug = Run.result();
        if (!Known.changed() && sharedThings(P, Known) == Things)
          return OnBug(C.machine(), *Bug) ? std::optional(Into.finish(Bug)) : std::nullopt;
      } while (Known.changed());
      Things = sharedThings(P, Known);
    }
  } catch (const MachineStop &) { // a limit: there is nothing to show
    return std::nullopt;
  }
}

} // namespace picket
