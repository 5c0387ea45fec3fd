#include "machine/ThreadPoints.h"

#include <algorithm>
#include <stdexcept>

namespace picket {

namespace {

constexpr uint64_t MaxPointBytes = 32 << 20;
constexpr size_t ChunkLines = 1024;
constexpr uint32_t MaxNext = 64;   // points that follow one: a thread that counts what others do has many
constexpr uint32_t MaxSize = 1024; // registers, frames, variables: of a thread that is deep in calls
// What hardly ever comes again is not worth remembering: after so many points, each must have been followed, on average.
constexpr uint64_t MadeOnTrial = 1024;

} // namespace

void ThreadPoints::leavePoint(Thread &T) {
  const auto &At = *static_cast<const ThreadPoint *>(T.Now);
  const bool Here = T.Held == &At;
  T.Held = nullptr;
  Undo.save(T.Now); // going back to the point, nobody needs what State and the rest were
  Undo.save(T.Held);
  T.Now = &T.State;
  T.SavedInStep = Threads.step();
  if (!Here) {
    T.State = At;
    std::copy_n(At.registers(), At.NumRegisters, T.Registers);
    std::copy_n(At.frames(), At.NumFrames, T.Frames);
    std::copy_n(At.stackSlots(), At.NumStackSlots, T.StackSlots);
  }
  T.State.SavedDepth = 0;
}

/// Whether T, which has been run, is at this point.
bool ThreadPoints::isAt(const Thread &T, const ThreadPoint &At) const {
  const ThreadState &S = T.State;
  return S.Status == At.Status && S.Stage == At.Stage && S.Phase == At.Phase && S.InAtomic == At.InAtomic &&
         S.Pc == At.Pc && S.Depth == At.Depth && S.Allocations == At.Allocations && S.Children == At.Children &&
         S.StackObjects == At.StackObjects && S.StackBytes == At.StackBytes && S.Operations == At.Operations &&
         S.Effects == At.Effects && S.Reads == At.Reads && S.Arrivals == At.Arrivals && S.Failures == At.Failures &&
         S.LoopIndex == At.LoopIndex && S.Result == At.Result && S.Scratch == At.Scratch && S.Trail == At.Trail &&
         S.TrailWeight == At.TrailWeight && S.NotedDepth == At.NotedDepth && S.Pending == At.Pending &&
         Threads.numRegisters(T, S, T.Frames) == At.NumRegisters &&
         std::equal(At.registers(), At.registers() + At.NumRegisters, T.Registers) &&
         std::equal(At.frames(), At.frames() + At.NumFrames, T.Frames) &&
         std::equal(At.stackSlots(), At.stackSlots() + At.NumStackSlots, T.StackSlots);
}

/// Whether the operation names memory by its address.
static bool accesses(const Operation &Op) {
  switch (Op.Kind) {
  case OperationKind::Load:
  case OperationKind::Store:
  case OperationKind::Rmw:
  case OperationKind::CmpXchg:
  case OperationKind::Sync:
  case OperationKind::Free: return true;
  default: return false;
  }
}

/// A first point is always come to by running.
ThreadPoint *ThreadPoints::make(Thread &T, const ThreadOutcome &Came, uint64_t Version, bool IsRoot) {
  const uint32_t Registers = Threads.numRegisters(T, T.State, T.Frames);
  const size_t Writes = Effects.DoesMore || IsRoot ? 0 : Effects.Writes.size();
  const size_t Needed = sizeof(ThreadPoint) + Registers * sizeof(uint64_t) + Writes * sizeof(OwnWrite) +
                        T.State.Depth * sizeof(StackFrame) + T.State.StackObjects * sizeof(uint32_t);
  const size_t Lines = (Needed + sizeof(CacheLine) - 1) / sizeof(CacheLine);
  if (std::max({Registers, T.State.Depth, T.State.StackObjects}) > MaxSize || Bytes > MaxPointBytes)
    return nullptr;
  Thread::Reuse &Reuse = T.reuseAt(T.State);
  if (Reuse.Made >= MadeOnTrial && Reuse.Followed < Reuse.Made)
    return nullptr;
  ++Reuse.Made;
  if (ChunkLeft < Lines) {
    Chunks.push_back(std::make_unique_for_overwrite<CacheLine[]>(ChunkLines));
    ChunkLeft = ChunkLines;
    Bytes += ChunkLines * sizeof(CacheLine);
  }
  assert(Lines <= ChunkLeft);
  auto *New = new (Chunks.back().get() + (ChunkLines - ChunkLeft)) ThreadPoint(T.State);
  ChunkLeft -= Lines;
  New->Version = Version;
  New->Came = Came;
  if (accesses(T.State.Pending)) {
    const Object &O = Mem.at(slotOf(T.State.Pending.Where));
    New->OfOthers = O.Owner != T.Id && O.Kind != ObjectKind::Global;
    New->Kind = O.Kind;
    New->Site = O.Site;
    New->Size = O.Size;
  }
  New->MustRun = Effects.DoesMore || IsRoot || Options.Points == MachineOptions::Points::Distrusted;
  New->NumRegisters = static_cast<uint16_t>(Registers);
  New->NumFrames = static_cast<uint16_t>(T.State.Depth);
  New->NumStackSlots = static_cast<uint16_t>(T.State.StackObjects);
  New->NumWrites = static_cast<uint16_t>(Writes);
  std::copy_n(T.Registers, Registers, New->registers());
  std::copy_n(Effects.Writes.data(), Writes, New->writes());
  std::copy_n(T.Frames, T.State.Depth, New->frames());
  std::copy_n(T.StackSlots, T.State.StackObjects, New->stackSlots());
  return New;
}

void ThreadPoints::remember(Thread &T, ThreadPoint &From, const ThreadOutcome &Came, uint64_t Version) {
  if (Version != Shared.version())
    return; // nobody would find it
  ThreadPoint *Here = findNext(From, Came);
  if (Here && !isAt(T, *Here)) {
    if (Options.Points == MachineOptions::Points::Distrusted)
      throw std::logic_error("a thread went another way with the same outcomes");
    return;
  }
  if (!Here && From.NumNext < MaxNext) {
    Here = make(T, Came, Version, /*IsRoot=*/false);
    if (!Here)
      return;
    Here->Sibling = From.Next;
    From.Next = Here;
    ++From.NumNext;
  }
  if (!Here)
    return;
  T.Now = Here; // leave has saved where it was
  T.Held = Here;
}

void ThreadPoints::rememberRoot(Thread &T, uint64_t Argument) {
  if (!areUsed() || T.State.Status == ThreadStatus::Failed || T.State.InAtomic)
    return;
  ThreadPoint *Here = T.Roots;
  // What the argument has led to in the thread's own memory is not compared.
  while (Here && !(Here->Came.Value == Argument && isAt(T, *Here)))
    Here = Here->Sibling;
  if (!Here) {
    Here = make(T, {Argument, 0, false}, 0, /*IsRoot=*/true);
    if (!Here)
      return;
    Here->Sibling = T.Roots;
    T.Roots = Here;
  }
  T.Now = Here;
  T.Held = Here;
}

} // namespace picket
