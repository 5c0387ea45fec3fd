// What a thread does between its steps, where nobody can notice when: it puts stores into its buffer, passes fences,
// creates and joins threads, and accesses what only it touches.
#include "memory/Configuration.h"

namespace picket {

/// Whether a fence keeps later stores behind earlier ones under PSO.
static bool isStoreBarrier(FenceKind Kind) { return Kind != FenceKind::Acquire && Kind != FenceKind::ISync; }

/// What a fence would do to store buffers under TSO and PSO, as StepNote::Effect bits.
uint32_t Configuration::effectOnBuffers(const Operation &Op) {
  constexpr uint32_t Drains = StepNote::DrainsTso | StepNote::DrainsPso;
  if (Op.Kind == OperationKind::Drain)
    return Drains;
  if (Op.Fence != FenceKind::Full)
    return isStoreBarrier(Op.Fence) * StepNote::StoreBarrier;
  return !Op.isFenceOfAccess() || drainsPso(Op.Ordering) ? Drains : Drains & ~StepNote::DrainsPso;
}

void Configuration::runQuietlySlow(ThreadId T) {
  // A thread may go round a loop of its own for ever. The machine cuts such loops; where it does so late, or never, reads
  // take steps after a while.
  constexpr uint32_t MaxQuietBeforeRead = 2'000, LateBound = 1'000;
  const bool CutsSoon = !TheMachine.comparesStates() && TheMachine.unroll() < LateBound;
  constexpr uint32_t MaxHeldBack = 4'096; // stores, where loops have no bound
  const uint32_t MaxQuiet = TheMachine.comparesStates() ? 100'000 : 10'000'000;
  constexpr uint32_t MaxFences = 100'000; // that are written down
  uint32_t Quiet = 0, Fences = 0;
  // Without a bound so do fences and stores. Nothing is lost by waiting where the buffer is empty.
  auto TakesStep = [&] { return TheMachine.comparesStates() && ++Quiet > MaxQuietBeforeRead && bufferEmpty(T); };
  // A thread that reads its own and stores for ever does so step by step, too, before it holds back very much.
  constexpr uint32_t MaxHeldBackBeforeRead = 64;
  auto HeldBack = [&] { return StoreBuffers[T] ? StoreBuffers[T]->tail() - StoreBuffers[T]->head() : 0; };
  auto HoldsMany = [&] { return TheMachine.comparesStates() && HeldBack() >= MaxHeldBackBeforeRead; };
  UndoLog &Undo = TheMachine.undo();
  for (;;) {
    if (!TheMachine.created().empty())
      noteCreated();
    if (TheMachine.isFinished(T))
      return ended(T);
    if (TheMachine.status(T) != ThreadStatus::Ready)
      return;
    const OperationKind Kind = TheMachine.pending(T).Kind;
    if (Buffers != Buffering::None && MustDrain[T]) {
      if (!StoreBuffers[T]->empty())
        return;
      Undo.save(MustDrain[T]);
      MustDrain[T] = 0;
      noteOnce({StepNote::Drained, T, 0});
      if (Listener)
        Listener->fenced(T, nullptr);
    }
    switch (Kind) {
    case OperationKind::Join: {
      auto Target = static_cast<ThreadId>(TheMachine.pending(T).Where);
      if (!TheMachine.isFinished(Target) || !bufferEmpty(Target) || !bufferEmpty(T))
        return;
      if (Buffers != Buffering::None)
        Notes.push_back({StepNote::Drained, T, 0});
      Notes.push_back({StepNote::Joined, T, Target});
      if (Listener)
        Listener->joined(T, Target);
      TheMachine.completeJoin(T);
      break;
    }
    case OperationKind::Fence:
    case OperationKind::Drain: {
      const Operation Op = TheMachine.pending(T);
      if (TakesStep())
        return;
      countQuiet();
      if (Buffers == Buffering::None) {
        if (uint32_t Effect = effectOnBuffers(Op))
          noteOnce({StepNote::Fenced, T, Effect});
        TheMachine.resume(T, 0, 0, Op.Kind == OperationKind::Drain);
        break;
      }
      const bool SaysFull = Op.Kind == OperationKind::Drain || Op.Fence == FenceKind::Full;
      const bool Full = SaysFull && (!Op.isFenceOfAccess() || drainsAll(Op));
      if (Full && !StoreBuffers[T]->empty())
        return;
      if (Listener && ++Fences > MaxFences)
        throw MachineStop{MachineStop::Limit, TheMachine.pc(T), T,
                          "thread '" + TheMachine.threadName(T) + "' goes round a loop of its own forever"};
      if (Listener && Full == SaysFull)
        Listener->fenced(T, &Op);
      if (Full)
        noteOnce({StepNote::Drained, T, 0});
      else if (!SaysFull && Buffers == Buffering::PerLocation && isStoreBarrier(Op.Fence))
        StoreBuffers[T]->barrier(Undo);
      TheMachine.resume(T, 0, 0, Op.Kind == OperationKind::Drain);
      break;
    }
    case OperationKind::Load: {
      // What nobody else writes can be read at any time: the thread's own last store, or what was there from the start.
      const Operation &Op = TheMachine.pending(T);
      if (!TheMachine.quietAccesses() || (++Quiet > MaxQuietBeforeRead && !CutsSoon) || HoldsMany())
        return;
      if (!isKnownOwn(T) || !isAlive(Op.Where))
        return;
      countQuiet();
      if (noteRead(T, Op))
        return;
      uint64_t Low, High;
      readFor(T, Op, Low, High, false);
      TheMachine.resume(T, Low, High, false);
      break;
    }
    case OperationKind::Store: {
      const Operation &Op = TheMachine.pending(T);
      if (TheMachine.quietAccesses() && isKnownOwn(T) && isAlive(Op.Where)) {
        if (TakesStep())
          return;
        if (++Quiet > MaxQuiet)
          throw MachineStop{MachineStop::Limit, TheMachine.pc(T), T,
                            "thread '" + TheMachine.threadName(T) +
                                "' stores without end and does nothing that others could see"};
        countQuiet();
        writeBytes(Op.Where, Op.Width, Op.Value, Op.Value2);
        orderOthers(T, Op.Ordering);
        TheMachine.resume(T, 0, 0, true);
        break;
      }
      if (Buffers == Buffering::None)
        return;
      if (TheMachine.comparesStates() && HeldBack() >= MaxHeldBack)
        throw MachineStop{MachineStop::Limit, TheMachine.pc(T), T,
                          "thread '" + TheMachine.threadName(T) + "' stores without end and reads nothing"};
      countQuiet();
      if (TheMachine.quietAccesses())
        TheMachine.sharing().noteBuffered(Op.Where, Op.Width);
      bufferStore(T, Operation(Op));
      break;
    }
    default: return;
    }
  }
}

/// Whether, as far as `Known` tells, the pending access of T is of what only T ever touches (or a load, writes).
bool Configuration::isOwn(ThreadId T, Sharing &Known) {
  const Operation &Op = TheMachine.pending(T);
  return (Op.Kind == OperationKind::Load && !Op.MaySpin && Known.readsOnlyOwn(Op.Where, Op.Width, T)) ||
         (Op.Kind == OperationKind::Store && Known.writesOnlyOwn(Op.Where, Op.Width, T));
}

/// The same, as far as is known here; the answer is remembered.
bool Configuration::isKnownOwn(ThreadId T) {
  using Visibility = Machine::Visibility;
  if (const Visibility Known = TheMachine.visibility(T); Known != Visibility::Unknown)
    return Known == Visibility::Own;
  const bool Own = isOwn(T, TheMachine.sharing());
  const bool Waits = TheMachine.pending(T).Kind == OperationKind::Load || Buffers == Buffering::None;
  if (Own || Waits) // with buffers, other stores enter them without a step
    TheMachine.noteVisibility(T, Own ? Visibility::Own : Visibility::TakesStep);
  return Own;
}

bool Configuration::isQuiet(ThreadId T, Sharing &Known) {
  return isOwn(T, Known) && isAlive(TheMachine.pending(T).Where);
}

/// A quiet store of this order: nobody sees when it happens, but it keeps the thread's other stores in order.
void Configuration::orderOthers(ThreadId T, Order O) {
  if (O < Order::Release)
    return;
  if (Buffers == Buffering::None) {
    constexpr uint32_t Barrier = StepNote::StoreBarrier;
    noteOnce({StepNote::Fenced, T, O == Order::SeqCst ? Barrier | StepNote::DrainsTso | StepNote::DrainsPso : Barrier});
    return;
  }
  if (Buffers == Buffering::PerLocation)
    StoreBuffers[T]->barrier(TheMachine.undo());
  if (O == Order::SeqCst) {
    TheMachine.undo().save(MustDrain[T]);
    MustDrain[T] = 1;
  }
}

void Configuration::runJoiners(ThreadId Target) {
  for (ThreadId T = 0; T < TheMachine.numThreads(); ++T)
    if (TheMachine.pending(T).Kind == OperationKind::Join && TheMachine.pending(T).Where == Target &&
        TheMachine.exists(T) && TheMachine.status(T) == ThreadStatus::Ready)
      runQuietly(T);
}

void Configuration::bufferStore(ThreadId T, const Operation &Op) {
  UndoLog &Undo = TheMachine.undo();
  StoreBuffer &Buffer = *StoreBuffers[T];
  if (Buffers == Buffering::PerLocation && Op.Ordering >= Order::Release)
    Buffer.barrier(Undo);
  StoreBuffer::Entry E{Op.Where,
                       Op.Value,
                       Op.Value2,
                       Op.Width,
                       false,
                       0,
                       TheMachine.operations(T),
                       TheMachine.pc(T),
                       updateProcess(T, Op.Where, Op.Width)};
  Notes.push_back({StepNote::Stored, T, Buffer.tail()});
  if (Listener)
    Listener->stored(T, Buffer.tail());
  auto &Queue = Processes[E.Process]->Queue;
  Undo.save(Queue);
  if (Queue.Front.Count++ == 0)
    Queue.Front.First = Buffer.tail();
  else
    Buffer.link(Queue.Last, Buffer.tail(), Undo);
  Queue.Last = Buffer.tail();
  assert(Queue.Front.First <= Queue.Last);
  Buffer.push(E, Undo);
  if (Op.Ordering == Order::SeqCst) {
    Undo.save(MustDrain[T]);
    MustDrain[T] = 1;
  }
  TheMachine.resume(T, 0, 0, true);
}

} // namespace picket
