#include "machine/Points.h"

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

Machine::Standing Machine::standing(const Thread &T) const {
  if (T.Now == &T.S)
    return {T.S, T.Registers, T.Frames, T.StackSlots};
  const Point &At = *static_cast<const Point *>(T.Now);
  return {At, At.registers(), At.frames(), At.stackSlots()};
}

uint32_t Machine::numRegisters(const Thread &T, const State &S, const Frame *Frames) const {
  const uint32_t Base = S.Depth ? Frames[S.Depth - 1].Base : 0;
  return Base + P.Functions[S.Depth ? Frames[S.Depth - 1].Function : T.Start].NumSlots;
}

void Machine::runOn(Thread &T, const Outcome &Came) {
  run(T, Came, [&](Interpreter &I) { return I.complete(Came.Value, Came.Value2, Came.Changed); });
}

/// Makes T ready to be run, or changed otherwise: its state is in S, and it is at no point.
void Machine::takeUp(Thread &T) {
  if (T.Now == &T.S)
    return save(T);
  const Point &At = *static_cast<const Point *>(T.Now);
  const bool Here = T.Held == &At;
  T.Held = nullptr;
  Undo.save(T.Now); // going back to the point, nobody needs what S and the rest were
  Undo.save(T.Held);
  T.Now = &T.S;
  T.SavedInStep = Step;
  if (!Here) {
    T.S = At;
    std::copy_n(At.registers(), At.NumRegisters, T.Registers);
    std::copy_n(At.frames(), At.NumFrames, T.Frames);
    std::copy_n(At.stackSlots(), At.NumStackSlots, T.StackSlots);
  }
  T.S.SavedDepth = 0;
}

/// Whether T, which has been run, is at this point.
bool Machine::isAt(const Thread &T, const Point &At) const {
  const State &S = T.S;
  return S.Status == At.Status && S.Stage == At.Stage && S.Phase == At.Phase && S.InAtomic == At.InAtomic &&
         S.Pc == At.Pc && S.Depth == At.Depth && S.Allocations == At.Allocations && S.Children == At.Children &&
         S.StackObjects == At.StackObjects && S.StackBytes == At.StackBytes && S.Operations == At.Operations &&
         S.Effects == At.Effects && S.Reads == At.Reads && S.Arrivals == At.Arrivals && S.Failures == At.Failures &&
         S.LoopIndex == At.LoopIndex && S.Result == At.Result && S.Scratch == At.Scratch && S.Trail == At.Trail &&
         S.TrailWeight == At.TrailWeight && S.NotedDepth == At.NotedDepth && S.Pending == At.Pending &&
         numRegisters(T, S, T.Frames) == At.NumRegisters &&
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
Machine::Point *Machine::makePoint(Thread &T, const Outcome &Came, uint64_t Version, bool IsRoot) {
  const uint32_t Registers = numRegisters(T, T.S, T.Frames);
  const size_t Writes = DoesMore || IsRoot ? 0 : OwnWrites.size();
  const size_t Bytes = sizeof(Point) + Registers * sizeof(uint64_t) + Writes * sizeof(OwnWrite) +
                       T.S.Depth * sizeof(Frame) + T.S.StackObjects * sizeof(uint32_t);
  const size_t Lines = (Bytes + sizeof(CacheLine) - 1) / sizeof(CacheLine);
  if (std::max({Registers, T.S.Depth, T.S.StackObjects}) > MaxSize || PointBytes > MaxPointBytes)
    return nullptr;
  Thread::Reuse &Reuse = T.reuseAt(T.S);
  if (Reuse.Made >= MadeOnTrial && Reuse.Followed < Reuse.Made)
    return nullptr;
  ++Reuse.Made;
  if (ChunkLeft < Lines) {
    PointChunks.push_back(std::make_unique_for_overwrite<CacheLine[]>(ChunkLines));
    ChunkLeft = ChunkLines;
    PointBytes += ChunkLines * sizeof(CacheLine);
  }
  auto *New = new (PointChunks.back().get() + (ChunkLines - ChunkLeft)) Point(T.S);
  ChunkLeft -= Lines;
  New->Version = Version;
  New->Came = Came;
  if (accesses(T.S.Pending)) {
    const Object &O = Mem.at(slotOf(T.S.Pending.Where));
    New->OfOthers = O.Owner != T.Id && O.Kind != ObjectKind::Global;
    New->Kind = O.Kind;
    New->Site = O.Site;
    New->Size = O.Size;
  }
  New->MustRun = DoesMore || IsRoot || Options.Points == MachineOptions::Points::Distrusted;
  New->NumRegisters = static_cast<uint16_t>(Registers);
  New->NumFrames = static_cast<uint16_t>(T.S.Depth);
  New->NumStackSlots = static_cast<uint16_t>(T.S.StackObjects);
  New->NumWrites = static_cast<uint16_t>(Writes);
  std::copy_n(T.Registers, Registers, New->registers());
  std::copy_n(OwnWrites.data(), Writes, New->writes());
  std::copy_n(T.Frames, T.S.Depth, New->frames());
  std::copy_n(T.StackSlots, T.S.StackObjects, New->stackSlots());
  return New;
}

/// T has been run from a point with this outcome: it is at the next one now.
void Machine::remember(Thread &T, Point &From, const Outcome &Came, uint64_t Version) {
  if (Version != Shared.version())
    return; // nobody would find it
  Point *Here = findNext(From, Came);
  if (Here && !isAt(T, *Here)) {
    if (Options.Points == MachineOptions::Points::Distrusted)
      throw std::logic_error("a thread went another way with the same outcomes");
    return;
  }
  if (!Here && From.NumNext < MaxNext) {
    Here = makePoint(T, Came, Version, /*IsRoot=*/false);
    if (!Here)
      return;
    Here->Sibling = From.Next;
    From.Next = Here;
    ++From.NumNext;
  }
  if (!Here)
    return;
  T.Now = Here; // takeUp has saved where it was
  T.Held = Here;
}

/// T has come into being, or the program has started, and got this far.
void Machine::rememberRoot(Thread &T, uint64_t Argument) {
  if (!usesPoints() || T.S.Status == ThreadStatus::Failed || T.S.InAtomic)
    return;
  Point *Here = T.Roots;
  // What the argument has led to in the thread's own memory is not compared.
  while (Here && !(Here->Came.Value == Argument && isAt(T, *Here)))
    Here = Here->Sibling;
  if (!Here) {
    Here = makePoint(T, {Argument, 0, false}, 0, /*IsRoot=*/true);
    if (!Here)
      return;
    Here->Sibling = T.Roots;
    T.Roots = Here;
  }
  T.Now = Here;
  T.Held = Here;
}

} // namespace picket
