#include "robust/Witness.h"

#include "trace/Recorder.h"

#include <algorithm>

namespace picket {

namespace {

class WitnessRun {
public:
  WitnessRun(const RobustnessAlarm &Alarm, Configuration &C) : Alarm(Alarm), Config(C), Mach(C.machine()) {}

  bool run() {
    for (const MonitoredAccess &A : Alarm.Past)
      if (!perform(A))
        return false;
    if (!observe())
      return false;
    goOn();
    return true;
  }
  std::vector<ProcessId> Schedule;

private:
  static constexpr ThreadId Nobody = ~0u;

  ThreadId threadOf(const MonitoredAccess &A) const {
    for (ThreadId T = 0; T < Mach.numThreads(); ++T)
      if (Mach.exists(T) && Mach.pathOf(T) == A.Thread)
        return T;
    return Nobody;
  }

  void step(ProcessId P) {
    Config.step(P);
    Schedule.push_back(P);
  }

  /// Lets an entry of T's buffer reach memory, after those that have to come first.
  void land(ThreadId T, uint32_t Entry) {
    while (!Config.bufferEntry(T, Entry).Landed) {
      ProcessId P = Config.bufferEntry(T, Entry).Process;
      if (Config.nextEntry(P) == Entry && Config.isEnabled(P))
        return step(P);
      if (Config.nextEntry(P) < Entry) {
        land(T, Config.nextEntry(P));
        continue;
      }
      const StoreBuffer::Entry Mine = Config.bufferEntry(T, Entry);
      uint32_t First = Config.buffer(T).head();
      if (Config.buffering() == Buffering::PerLocation && First >= Mine.WaitFor) // an older one that overlaps
        while (Config.bufferEntry(T, First).Landed || !Config.bufferEntry(T, First).overlaps(Mine.Where, Mine.Width))
          ++First;
      land(T, First);
    }
  }

  bool landOldest(ThreadId T) {
    if (Config.bufferEmpty(T))
      return false;
    land(T, Config.buffer(T).head());
    return true;
  }

  /// Whether an entry must not land before the delayed one does. An observer of several locations may see others that
  /// were stored after that.
  bool isHeldBack(ThreadId T, const StoreBuffer::Entry &E) const {
    if (T != Delaying || E.Operation < Alarm.Delayed.Operation)
      return false;
    const uint32_t Delayed = entryOf(T, Alarm.Delayed.Operation);
    return Config.buffering() != Buffering::PerLocation || Delayed == Config.buffer(T).tail() ||
           E.overlaps(Config.bufferEntry(T, Delayed).Where, Config.bufferEntry(T, Delayed).Width);
  }

  /// What others have stored there in this order of events so far is to be seen now.
  void landOfOthers(ThreadId T, Address Where, uint64_t Size) {
    for (ThreadId Other = 0; Other < Mach.numThreads(); ++Other) {
      if (Other == T || !Mach.exists(Other) || Config.bufferEmpty(Other))
        continue;
      const uint32_t Tail = Config.buffer(Other).tail();
      for (uint32_t K = Config.buffer(Other).head(); K < Tail; ++K) {
        const StoreBuffer::Entry &E = Config.bufferEntry(Other, K);
        bool Before = Other < Done.size() && E.Operation < Done[Other] && !isHeldBack(Other, E);
        if (Before && !E.Landed && E.Where < Where + Size && Where < E.Where + E.Width)
          land(Other, K);
      }
    }
  }

  void landOfOthers(ThreadId T) {
    const Operation Op = Mach.pending(T);
    switch (Op.Kind) {
    case OperationKind::Load:
    case OperationKind::Rmw:
    case OperationKind::CmpXchg: return landOfOthers(T, Op.Where, Op.Width);
    case OperationKind::Sync: return landOfOthers(T, Op.Where, sizeOf(Op.Sync));
    case OperationKind::Free: return landOfOthers(T, Op.Where, Mach.memory().find(Op.Where)->Size);
    case OperationKind::End:
      for (const Machine::Access &A : Mach.pendingEnds(T))
        landOfOthers(T, A.Where, A.Size);
      return;
    case OperationKind::Atomic: return landOfOthers(T, 0, ~0ull); // it may access anything
    default: return;
    }
  }

  /// The entry of T's buffer that the operation stored and that has not landed; the buffer's tail if there is none.
  uint32_t entryOf(ThreadId T, uint32_t Operation) const {
    const StoreBuffer &Buffer = Config.buffer(T);
    uint32_t K = Buffer.head();
    while (K < Buffer.tail() && (Buffer.at(K).Landed || Buffer.at(K).Operation != Operation))
      ++K;
    return K;
  }

  /// Brings T in front of its operation, or behind it if that is a store, which waits in the buffer then.
  bool reach(ThreadId T, uint32_t Operation) {
    for (;;) {
      if (Mach.operations(T) > Operation)
        return true;
      if (Mach.status(T) != ThreadStatus::Ready)
        return false;
      switch (Mach.pending(T).Kind) {
      case OperationKind::Fence:
      case OperationKind::Drain:
        if (!landOldest(T))
          return false;
        break;
      case OperationKind::Join:
        if (!landOldest(static_cast<ThreadId>(Mach.pending(T).Where)) && !landOldest(T))
          return false;
        break;
      case OperationKind::Yield:
        if (!Config.isEnabled(Config.processOf(T)))
          return false;
        step(Config.processOf(T));
        break;
      default:
        if (Mach.operations(T) == Operation && Mach.pending(T).Kind != OperationKind::Store)
          return true;
        if (!landOldest(T)) // something that takes no step stands behind a sequentially consistent store
          return false;
      }
    }
  }

  /// Lets T do its pending operation, once its buffer allows it.
  bool act(ThreadId T) {
    const ProcessId P = Config.processOf(T);
    while (!Config.isEnabled(P)) {
      if (Config.bufferEmpty(T))
        return false;
      // Under PSO a read-modify-write may wait only for its own location, and for what is in front of a barrier.
      const StoreBuffer &Buffer = Config.buffer(T);
      const Operation &Op = Mach.pending(T);
      uint32_t Wanted = Buffer.head();
      if (Config.buffering() == Buffering::PerLocation && Wanted >= Buffer.barrier() && !Config.drainsBefore(Op))
        for (uint32_t K = Wanted; K < Buffer.tail(); ++K)
          if (!Buffer.at(K).Landed && Buffer.at(K).overlaps(Op.Where, Op.Width)) {
            Wanted = K;
            break;
          }
      land(T, Wanted);
    }
    step(P);
    return true;
  }

  bool perform(const MonitoredAccess &A) {
    const ThreadId T = threadOf(A);
    if (T == Nobody || !reach(T, A.Operation))
      return false;
    if (Mach.operations(T) > A.Operation) { // a store
      if (uint32_t Entry = entryOf(T, A.Operation); Entry < Config.buffer(T).tail())
        landOfOthers(T, Config.bufferEntry(T, Entry).Where, Config.bufferEntry(T, Entry).Width);
    } else {
      landOfOthers(T);
      if (!act(T))
        return false;
    }
    if (Done.size() <= T)
      Done.resize(T + 1);
    Done[T] = A.Operation + 1;
    return true;
  }

  bool observe() {
    const ThreadId T = threadOf(Alarm.Observer);
    if (T == Nobody || !reach(T, Alarm.Observer.Operation))
      return false;
    // Whatever else was stored there has landed, except that an access that may wait needs an older value.
    Delaying = threadOf(Alarm.Delayed);
    if (Mach.operations(T) == Alarm.Observer.Operation) {
      if (!Mach.pending(T).MaySpin)
        landOfOthers(T);
      return act(T);
    }
    uint32_t Entry = entryOf(T, Alarm.Observer.Operation);
    if (Entry == Config.buffer(T).tail())
      return false;
    landOfOthers(T, Config.bufferEntry(T, Entry).Where, Config.bufferEntry(T, Entry).Width);
    land(T, Entry);
    return true;
  }

  void goOn() {
    std::vector<ProcessId> Enabled;
    while (Mach.bugs().empty()) {
      Config.enabled(Enabled);
      if (Enabled.empty())
        return;
      step(Enabled.front());
    }
  }

  const RobustnessAlarm &Alarm;
  Configuration &Config;
  Machine &Mach;
  ThreadId Delaying = Nobody; // its store is to be delayed from now on
  std::vector<uint32_t> Done; // per thread: its operations up to here are part of the order
};

} // namespace

std::optional<std::vector<ProcessId>> scheduleOf(const RobustnessAlarm &Alarm, Configuration &C) {
  WitnessRun Run(Alarm, C);
  if (!Run.run())
    return std::nullopt;
  return std::move(Run.Schedule);
}

std::optional<Recording> findWitness(const Program &P, const MachineOptions &Machine, const Sharing &Known,
                                     MemoryModel Model, const RobustnessAlarm &Alarm) {
  Sharing Shared = Known;
  try {
    Configuration C(P, Shared, Machine, Model);
    C.start();
    std::optional<std::vector<ProcessId>> Schedule = scheduleOf(Alarm, C);
    if (!Schedule)
      return std::nullopt;
    C.startOver(nullptr);
    return record(C, *Schedule, nullptr);
  } catch (const MachineStop &) { // behind the point that matters, something is not modelled
    return std::nullopt;
  }
}

} // namespace picket
