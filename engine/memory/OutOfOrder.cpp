#include "memory/OutOfOrder.h"

#include "machine/Arithmetic.h"
#include "machine/Interpreter.h"
#include "machine/Messages.h"
#include "program/Operands.h"

#include <sys/mman.h>

namespace picket {

// Values.

template <unsigned Words> uint64_t *OutOfOrder<Words>::registers(ThreadId T) {
  Machine::Thread &Thread = *M.Threads[T];
  return Thread.Registers + (Thread.S.Depth ? Thread.Frames[Thread.S.Depth - 1].Base : 0);
}

template <unsigned Words> uint32_t *OutOfOrder<Words>::tags(ThreadId T) {
  return Tags[T].get() + (registers(T) - M.Threads[T]->Registers);
}

constexpr size_t TagBytes = Machine::MaxRegisters * sizeof(uint32_t);

template <unsigned Words> typename OutOfOrder<Words>::TagTable OutOfOrder<Words>::makeTags() {
  void *Space = mmap(nullptr, TagBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Space == MAP_FAILED)
    throw std::bad_alloc();
  return TagTable(static_cast<uint32_t *>(Space));
}

template <unsigned Words> void OutOfOrder<Words>::UnmapTags::operator()(uint32_t *Tags) const {
  munmap(Tags, TagBytes);
}

template <unsigned Words> void OutOfOrder<Words>::setTag(uint32_t &Tag, uint32_t Node) {
  if (Tag == Node)
    return;
  M.undo().save(Tag);
  Tag = Node;
}

template <unsigned Words> void OutOfOrder<Words>::tagResult(ThreadId T, const Instruction &I, uint32_t Node) {
  if (I.Dst < 0)
    return;
  for (unsigned K = 0; K < shapeOf(I).Dst; ++K)
    setTag(tags(T)[I.Dst + static_cast<int>(K)], Node);
}

template <unsigned Words> typename OutOfOrder<Words>::Value OutOfOrder<Words>::read(ThreadId T, Operand O) {
  if (O < 0)
    return {P.Constants[static_cast<size_t>(~O)], 0};
  return {registers(T)[O], tags(T)[O]};
}

template <unsigned Words> uint32_t OutOfOrder<Words>::newNode(const Node &N) {
  Nodes.push_back(N);
  return static_cast<uint32_t>(Nodes.size() - 1);
}

template <unsigned Words> uint32_t OutOfOrder<Words>::knownNode(uint64_t Bits, const Set &Loads) {
  Node N;
  N.Known = true;
  N.Bits = Bits;
  N.Loads = Loads;
  return newNode(N);
}

template <unsigned Words> uint32_t OutOfOrder<Words>::resultNode(EventId From, uint8_t Kind) {
  Node N;
  N.Kind = static_cast<decltype(N.Kind)>(Kind);
  N.From = From;
  N.Loads.insert(From);
  return newNode(N);
}

static uint64_t evaluate(const Instruction &I, uint64_t A, uint64_t B, uint64_t C) {
  switch (I.Op) {
  case Opcode::Move: return A;
  case Opcode::CountOnes:
  case Opcode::LeadingZeros:
  case Opcode::TrailingZeros:
  case Opcode::ByteSwap: return evaluateBits(I.Op, A, I.Width);
  case Opcode::Truncate: return lowBits(A, I.Width);
  case Opcode::SignExtend: return lowBits(static_cast<uint64_t>(signedValue(A, I.Width)), static_cast<unsigned>(I.C));
  case Opcode::Select: return A ? B : C;
  case Opcode::AddScaled: return A + static_cast<uint64_t>(signedValue(B, I.Width)) * static_cast<uint64_t>(I.Imm);
  default: return static_cast<uint64_t>(evaluateWide(I.Op, A, B, I.Width));
  }
}

/// Instructions that can become nodes. The others wait for their operands: few programs have them between shared
/// accesses.
static bool canWait(Opcode Op) {
  switch (Op) {
  case Opcode::Move:
  case Opcode::CountOnes:
  case Opcode::LeadingZeros:
  case Opcode::TrailingZeros:
  case Opcode::ByteSwap:
  case Opcode::Truncate:
  case Opcode::SignExtend:
  case Opcode::Select:
  case Opcode::AddScaled: return true;
  case Opcode::UDiv: // they can fail: but see dividesSafely
  case Opcode::SDiv:
  case Opcode::URem:
  case Opcode::SRem: return false;
  default: return Op >= Opcode::Add && Op <= Opcode::SLe;
  }
}

static bool divides(Opcode Op) {
  return Op == Opcode::UDiv || Op == Opcode::SDiv || Op == Opcode::URem || Op == Opcode::SRem;
}

/// A division by a constant that is neither 0 nor -1 cannot fail.
static bool dividesSafely(const Program &P, const Instruction &I) {
  if (!divides(I.Op) || I.Width > 64 || I.B >= 0)
    return false;
  const uint64_t Divisor = P.Constants[static_cast<size_t>(~I.B)];
  return Divisor != 0 && signedValue(Divisor, I.Width) != -1;
}

template <unsigned Words> bool OutOfOrder<Words>::resolve(const Value &V, uint64_t &Bits) {
  if (!V.Node) {
    Bits = V.Bits;
    return true;
  }
  Node &N = Nodes[V.Node];
  if (!N.Known) {
    uint64_t A = 0, B = 0, C = 0;
    if (N.Kind != Node::Pure) {
      if (!G.Committed.contains(N.From))
        return false;
      const Access &From = Accesses[N.From];
      A = G[N.From].Value;
      if (N.Kind == Node::Success) {
        resolve(From.Expected, B);
        A = A == lowBits(B, From.Op.Width * 8u);
      } else if (N.Kind == Node::Returned) {
        A = static_cast<uint32_t>(From.Result.Value);
      }
    } else {
      if (!resolve(N.A, A) || !resolve(N.B, B) || !resolve(N.C, C))
        return false;
      A = evaluate(P.Code[N.Pc], A, B, C);
    }
    M.undo().save(N.Known);
    M.undo().save(N.Bits);
    N.Known = true;
    N.Bits = A;
  }
  Bits = N.Bits;
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::known(ThreadId T, Operand O) {
  if (O < 0 || !tags(T)[O])
    return true;
  if (!resolve(read(T, O), registers(T)[O])) {
    Flows[T].StalledOn = tags(T)[O];
    return false;
  }
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::needs(ThreadId T, Operand O) {
  if (!known(T, O))
    return false;
  Flows[T].Fetch |= loadsOf(read(T, O));
  return true;
}

// Fetching.

template <unsigned Words> void OutOfOrder<Words>::begin(ThreadId T, ThreadId Parent) {
  while (Flows.size() <= T) {
    Flows.emplace_back();
    Tags.push_back(makeTags());
    Fetched.emplace_back();
  }
  M.undo().save(Flows[T]);
  Flow &F = Flows[T];
  F = Flow();
  F.Started = true;
  if (T == Parent)
    return;
  const Flow &Creator = Flows[Parent];
  F.Sync = Creator.Sync | Creator.Events;
  F.Fetch = Creator.Fetch;
}

template <unsigned Words> void OutOfOrder<Words>::noteCreated() {
  for (auto [Parent, Child] : M.created()) {
    note({GraphNotes::Deed::Create, Parent, 0, FenceKind::Full, Child, M.createdFrom(Child)});
    begin(Child, Parent);
  }
  M.clearCreated();
}

template <unsigned Words> bool OutOfOrder<Words>::canGoOn(ThreadId T) {
  if (!M.exists(T) || M.status(T) != ThreadStatus::Ready)
    return false;
  const Flow &F = Flows[T];
  if (F.Waiting != NoEvent)
    return G.Committed.contains(F.Waiting);
  if (M.pending(T).Kind == OperationKind::Join)
    return M.isFinished(static_cast<ThreadId>(M.pending(T).Where));
  uint64_t Bits;
  return !F.StalledOn || resolve({0, F.StalledOn}, Bits);
}

template <unsigned Words> void OutOfOrder<Words>::fetch() {
  if (Flows.empty()) {
    begin(0, 0);
    noteCreated();
  }
  for (bool Again = true; Again;) {
    Again = false;
    for (ThreadId T = 0; T < M.numThreads(); ++T) {
      if (!canGoOn(T))
        continue;
      M.newStep();
      M.save(T);
      M.undo().save(Flows[T]);
      Flows[T].StalledOn = 0;
      uint64_t Steps = 0;
      while (step(T)) {
        if (++Steps > M.Options.MaxLocalSteps)
          M.limit(T, M.pc(T), "a loop runs for more than " + std::to_string(M.Options.MaxLocalSteps) + " steps");
        if (Steps % 65'536 == 0 && Look)
          Look();
      }
      Again = true; // others may wait for its end
    }
  }
}

template <unsigned Words> bool OutOfOrder<Words>::step(ThreadId T) {
  Machine::State &S = M.Threads[T]->S;
  if (S.Status != ThreadStatus::Ready)
    return false;
  return S.Pending.Kind != OperationKind::None ? operate(T) : stepWith(T, P.Code[S.Pc]);
}

/// One instruction by the ordinary interpreter, and what it stops for.
template <unsigned Words> bool OutOfOrder<Words>::runInstruction(ThreadId T) {
  Interpreter(M, T).step();
  noteCreated();
  return true; // step sees whether it goes on
}

template <unsigned Words> bool OutOfOrder<Words>::stepWith(ThreadId T, const Instruction &I) {
  Machine::State &S = M.Threads[T]->S;
  Flow &F = Flows[T];
  switch (I.Op) {
  case Opcode::Fence:
    note({GraphNotes::Deed::Fence, T, 0, static_cast<FenceKind>(I.C), 0, {}});
    fence(F, static_cast<FenceKind>(I.C));
    ++S.Pc;
    return true;
  case Opcode::CondJump:
  case Opcode::Switch:
    if (!needs(T, I.A))
      return false;
    F.Control |= loadsOf(read(T, I.A));
    return runInstruction(T);
  case Opcode::Load:
  case Opcode::Store:
  case Opcode::Rmw:
  case Opcode::CmpXchg:
  case Opcode::LoadReserve: return access(T, I);
  case Opcode::StoreConditional: return storeConditional(T, I);
  case Opcode::Call:
  case Opcode::CallIndirect: return call(T, I);
  case Opcode::CallBuiltin: return builtin(T, I);
  case Opcode::Return: return doReturn(T, I);
  case Opcode::SpinBack: {
    // Whether the iteration changed anything is known when its updates are done.
    EventId Open = NoEvent;
    F.Updates.forEach([&](EventId E) {
      if (!G.Committed.contains(E))
        Open = E;
    });
    F.Fetch |= F.Updates;
    F.Waiting = Open;
    return Open == NoEvent && runInstruction(T);
  }
  case Opcode::CopyWritten: ++S.Pc; return true; // which bytes were ever written is not looked at here
  case Opcode::LoopInit: ++F.LoopsEntered; return runInstruction(T);
  case Opcode::Jump:
  case Opcode::LoopBack:
  case Opcode::SpinHead:
  case Opcode::Unreachable:
  case Opcode::Unsupported: return runInstruction(T);
  default: return pure(T, I);
  }
}

/// Computes in registers.
template <unsigned Words> bool OutOfOrder<Words>::pure(ThreadId T, const Instruction &I) {
  OperandShape Shape = shapeOf(I);
  Set Loads;
  bool Tagged = false, Waiting = false;
  auto Look = [&](Operand O, unsigned Slots) {
    for (unsigned K = 0; K < Slots && O >= 0; ++K) {
      Value V = read(T, O + static_cast<int>(K));
      uint64_t Bits;
      Tagged |= V.Node != 0;
      Waiting |= !resolve(V, Bits);
      Loads |= loadsOf(V);
    }
  };
  Look(I.A, Shape.A);
  Look(I.B, Shape.B);
  Look(I.C, Shape.C);
  const bool MayWait = canWait(I.Op) || dividesSafely(P, I);
  if (Waiting && MayWait) {
    Node N;
    N.Pc = M.pc(T);
    N.A = read(T, I.A);
    if (Shape.B)
      N.B = read(T, I.B);
    if (Shape.C)
      N.C = read(T, I.C);
    N.Loads = Loads;
    tagResult(T, I, newNode(N));
    ++M.Threads[T]->S.Pc;
    return true;
  }
  auto Settle = [&](Operand O, unsigned Slots) {
    for (unsigned K = 0; K < Slots && O >= 0; ++K)
      // Also where it is known by now: what comes behind must not depend on when this was fetched.
      if (!(MayWait ? known(T, O + static_cast<int>(K)) : needs(T, O + static_cast<int>(K))))
        return false;
    return true;
  };
  if (Tagged && !(Settle(I.A, Shape.A) && Settle(I.B, Shape.B) && Settle(I.C, Shape.C)))
    return false;
  runInstruction(T);
  if (M.status(T) == ThreadStatus::Ready)
    for (unsigned K = 0; K < Shape.Dst && I.Dst >= 0; ++K) {
      int32_t Slot = I.Dst + static_cast<int>(K);
      setTag(tags(T)[Slot], Tagged ? knownNode(registers(T)[Slot], Loads) : 0);
    }
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::call(ThreadId T, const Instruction &I) {
  if (I.Op == Opcode::CallIndirect) {
    if (!needs(T, I.A))
      return false;
    Flows[T].Control |= loadsOf(read(T, I.A));
  }
  std::vector<uint32_t> ArgumentTags;
  for (int32_t K = 0; K < I.C; ++K)
    ArgumentTags.push_back(read(T, P.Arguments[static_cast<size_t>(I.B + K)]).Node);
  runInstruction(T);
  if (M.status(T) != ThreadStatus::Ready)
    return true;
  Machine::Thread &Thread = *M.Threads[T];
  const Function &Callee = P.Functions[Thread.Frames[Thread.S.Depth - 1].Function];
  for (uint32_t K = 0; K < Callee.NumSlots; ++K)
    setTag(tags(T)[K], K < Callee.NumParameters && K < ArgumentTags.size() ? ArgumentTags[K] : 0);
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::doReturn(ThreadId T, const Instruction &I) {
  Machine::State &S = M.Threads[T]->S;
  uint32_t Result[2] = {I.Flags >= 1 ? read(T, I.A).Node : 0, I.Flags == 2 ? read(T, I.A + 1).Node : 0};
  uint32_t Depth = S.Depth;
  uint32_t CallPc = M.Threads[T]->Frames[Depth - 1].CallPc;
  if (Depth == 1) { // somebody may join and ask for the result
    if (Result[0] && !needs(T, I.A))
      return false;
  }
  runInstruction(T);
  if (S.Pending.Kind == OperationKind::End)
    endLocals(T);
  if (S.Depth + 1 == Depth && S.Depth > 0) {
    const Instruction &Call = P.Code[CallPc];
    if (Call.Dst >= 0 && I.Flags >= 1) {
      setTag(tags(T)[Call.Dst], Result[0]);
      if (I.Flags == 2)
        setTag(tags(T)[Call.Dst + 1], Result[1]);
    }
  }
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::builtin(ThreadId T, const Instruction &I) {
  for (int32_t K = 0; K < I.C; ++K)
    if (!needs(T, P.Arguments[static_cast<size_t>(I.B + K)]))
      return false;
  if (static_cast<Builtin>(I.Imm) == Builtin::AtomicBegin && !M.alone())
    M.unsupported(T, M.pc(T), "an atomic section under an axiomatic memory model");
  uint32_t Pc = M.pc(T);
  runInstruction(T);
  if (M.status(T) == ThreadStatus::Ready && M.pc(T) == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], 0);
  return true;
}

// Visible operations.

template <unsigned Words> bool OutOfOrder<Words>::operate(ThreadId T) {
  Machine::State &S = M.Threads[T]->S;
  Flow &F = Flows[T];
  const Operation Op = S.Pending;
  const Instruction &I = P.Code[S.Pc];
  Interpreter Run(M, T);
  switch (Op.Kind) {
  case OperationKind::Yield: Run.complete(0, 0, false); return true;
  case OperationKind::Load:
  case OperationKind::Store:
  case OperationKind::Rmw:
  case OperationKind::CmpXchg:
    if (I.Op == Opcode::CallBuiltin) { // the result of a builtin
      EventId E = addEvent(T, Op, true);
      Accesses[E].Where = {Op.Where, 0};
      Accesses[E].Data = {Op.Value, 0};
      completeBuiltin(T, I, 0, 0);
      return true;
    }
    fetchAccess(T, I, Op);
    return true;
  case OperationKind::Sync:
    if (F.Waiting == NoEvent) {
      fetchSync(T, I, Op);
      return F.Waiting == NoEvent;
    }
    if (!G.Committed.contains(F.Waiting))
      return false;
    {
      SyncResult Result = Accesses[F.Waiting].Result;
      F.Fetch.insert(F.Waiting);
      F.Waiting = NoEvent;
      completeBuiltin(T, I, static_cast<uint64_t>(Result.Value), static_cast<uint64_t>(Result.Errno));
    }
    return true;
  case OperationKind::Join: return join(T);
  case OperationKind::Free: endBlock(T, I); return true;
  case OperationKind::End: endLocals(T); return true;
  default: M.unsupported(T, S.Pc, "this operation under an axiomatic memory model");
  }
}

template <unsigned Words> bool OutOfOrder<Words>::join(ThreadId T) {
  auto Target = static_cast<ThreadId>(M.pending(T).Where);
  if (!M.isFinished(Target))
    return false;
  note({GraphNotes::Deed::Join, T, 0, FenceKind::Full, Target, {}});
  Flow &F = Flows[T];
  const Flow &Joined = Flows[Target];
  F.Sync |= F.Events | Joined.Sync | Joined.Events;
  F.Fetch |= Joined.Fetch;
  completeBuiltin(T, P.Code[M.pc(T)], 0, 0);
  return true;
}

/// Goes on with a builtin whose pending operation is done.
template <unsigned Words>
void OutOfOrder<Words>::completeBuiltin(ThreadId T, const Instruction &I, uint64_t Value, uint64_t Errno) {
  uint32_t Pc = M.pc(T);
  Interpreter(M, T).complete(Value, Errno, true);
  noteCreated();
  if (M.status(T) == ThreadStatus::Ready && M.pc(T) == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], 0);
}

// The end of memory. What only one thread has ever touched ends at once. Else the end is a write to every place in it
// that is accessed: reading it, or writing behind it, is a use of memory that has ended.

constexpr uint32_t LifeOffset = 0xfffffff0; // beyond every object: a place that only ends are written to

template <unsigned Words> void OutOfOrder<Words>::addEnds(ThreadId T, Address Where) {
  const Object &O = *M.Mem.find(Where);
  Ending.Ended.insert(O.Site);
  std::set<std::pair<uint32_t, uint32_t>> Parts = Ending.Accessed[O.Site];
  Parts.insert({LifeOffset, 1});
  for (auto [Offset, Size] : Parts) {
    if (Offset != LifeOffset && uint64_t(Offset) + Size > O.Size)
      continue;
    Operation Op;
    Op.Kind = OperationKind::Store;
    Op.Width = static_cast<uint8_t>(Size);
    EventId E = addEvent(T, Op, true);
    G[E].Ends = true;
    Accesses[E].Where = {addressOf(slotOf(Where), Offset), 0};
  }
}

template <unsigned Words> void OutOfOrder<Words>::endLocals(ThreadId T) {
  for (const Machine::Access &Local : M.pendingEnds(T))
    addEnds(T, Local.Where);
  Interpreter(M, T).completeEnd();
}

template <unsigned Words> void OutOfOrder<Words>::endBlock(ThreadId T, const Instruction &I) {
  Machine::State &S = M.Threads[T]->S;
  Address Where = S.Pending.Where;
  const Object &O = *M.Mem.find(Where);
  uint32_t Pc = S.Pc;
  if (static_cast<Builtin>(I.Imm) == Builtin::Realloc) {
    copyBlock(T, I, Where);
  } else if (M.Shared.isShared(O.Site)) {
    S.Pending = Operation();
    ++S.Operations;
    ++S.Effects;
    addEnds(T, Where);
    ++S.Pc;
  } else {
    Interpreter(M, T).completeFree();
  }
  if (S.Status == ThreadStatus::Ready && S.Pc == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], 0);
}

/// realloc: reads what is known to be in the old block and writes it to the new one.
template <unsigned Words> void OutOfOrder<Words>::copyBlock(ThreadId T, const Instruction &I, Address Old) {
  Machine::State &S = M.Threads[T]->S;
  Interpreter Run(M, T);
  Run.enterFrame();
  S.Pending = Operation();
  ++S.Operations;
  uint32_t Pc = S.Pc;
  const uint32_t OldSite = M.Mem.find(Old)->Site;
  if (!Run.allocateHeap(I, Run.argument(I, 1)))
    return;
  Address New = registers(T)[I.Dst];
  uint32_t Size = std::min(M.Mem.find(New)->Size, M.Mem.find(Old)->Size);
  std::memcpy(M.Mem.bytes(New), M.Mem.bytes(Old), Size);
  S.Pc = Pc; // the events are the call's
  for (auto [Offset, Width] : Ending.Accessed[OldSite]) {
    if (uint64_t(Offset) + Width > Size)
      continue;
    Operation Op;
    Op.Kind = OperationKind::Load;
    Op.Width = static_cast<uint8_t>(Width);
    EventId Read = addEvent(T, Op, false);
    Accesses[Read].Where = {Old + Offset, 0};
    Op.Kind = OperationKind::Store;
    EventId Write = addEvent(T, Op, true);
    Accesses[Write].Where = {New + Offset, 0};
    Accesses[Write].Data = {0, resultNode(Read, Node::Result)};
    G[Write].Data.insert(Read);
  }
  Ending.Ended.insert(OldSite); // what else turns out to be in it must be copied too
  if (M.Shared.isShared(OldSite))
    addEnds(T, Old);
  else
    M.Mem.end(*M.Mem.find(Old), Lifetime::Freed, Pc);
  S.Pc = Pc + 1;
}

template <unsigned Words> void OutOfOrder<Words>::failEnded(EventId E, EventId End) {
  const auto &Place = G.Places[G[E].Place];
  Object &O = M.Mem.at(slotOf(Place.Where));
  if (G[E].Ends)
    return fail(E, BugKind::DoubleFree,
                "free of a heap block that was freed already (line " + std::to_string(P.placeOf(G[End].Pc).Line) + ")");
  M.Mem.end(O, O.Kind == ObjectKind::Heap ? Lifetime::Freed : Lifetime::Left, G[End].Pc);
  auto [Kind, Message] = describeBadAccess(M, Place.Where, Place.Width, G[E].IsWrite);
  fail(E, Kind, std::move(Message));
}

template <unsigned Words> void OutOfOrder<Words>::goRound(ThreadId T) {
  M.newStep();
  M.save(T);
  M.Threads[T]->S.Status = ThreadStatus::Ready;
  Interpreter(M, T).leaveLoop();
}

static Operation operationOf(const Instruction &I) {
  Operation Op;
  switch (I.Op) {
  case Opcode::Store:
  case Opcode::StoreConditional: Op.Kind = OperationKind::Store; break;
  case Opcode::Rmw:
    Op.Kind = OperationKind::Rmw;
    Op.Rmw = static_cast<RmwOp>(I.C);
    break;
  case Opcode::CmpXchg:
    Op.Kind = OperationKind::CmpXchg;
    Op.FailureOrdering = static_cast<Order>(I.Imm);
    break;
  default: Op.Kind = OperationKind::Load; break;
  }
  Op.Width = I.Width;
  Op.Ordering = static_cast<Order>(I.Flags & OrderMask);
  Op.MaySpin = (I.Flags & InSpinCandidate) != 0;
  return Op;
}

/// An access by an instruction of the program.
template <unsigned Words> bool OutOfOrder<Words>::access(ThreadId T, const Instruction &I) {
  Machine::State &S = M.Threads[T]->S;
  if (!known(T, I.A) || I.Op == Opcode::LoadReserve) { // it may be anywhere
    Flows[T].StalledOn = 0;
    fetchAccess(T, I, operationOf(I));
    return true;
  }
  Set AddressLoads = loadsOf(read(T, I.A));
  runInstruction(T); // stops in front of the access, if anybody else can be there
  if (S.Status == ThreadStatus::Ready && S.Pending.Kind == OperationKind::None) {
    // It was a constant, or the thread is alone.
    Flows[T].AddressBefore |= AddressLoads;
    for (unsigned K = 0; K < shapeOf(I).Dst; ++K) {
      int32_t Slot = I.Dst + static_cast<int>(K);
      setTag(tags(T)[Slot], AddressLoads.empty() ? 0 : knownNode(registers(T)[Slot], AddressLoads));
    }
  }
  return true;
}

/// In the axioms a store-conditional that fails is no event. So how it turns out is chosen when it is fetched: to fail
/// needs no operands and orders nothing; one that is to succeed is a write that must then be possible.
template <unsigned Words> bool OutOfOrder<Words>::storeConditional(ThreadId T, const Instruction &I) {
  Machine::State &S = M.Threads[T]->S;
  Flow &F = Flows[T];
  bool Succeeds = false;
  if (F.Waiting != NoEvent) {
    Succeeds = Accesses[F.Waiting].Succeeds;
    F.Fetch.insert(F.Waiting);
    F.Waiting = NoEvent;
  } else if (F.Reserved != NoEvent) {
    EventId Decided = addEvent(T, operationOf(I), true);
    Event &E = G[Decided];
    E.Decides = true;
    E.Before = F.Fetch;
    for (Set *None : {&E.Control, &E.ControlISync, &E.AddressBefore, &E.Sync, &E.LwSync, &E.Eieio})
      None->clear();
    F.Waiting = Decided;
    return false;
  }
  if (Succeeds) {
    fetchAccess(T, I, operationOf(I));
  } else {
    ++S.Operations;
    ++S.Pc;
  }
  F.Reserved = NoEvent;
  registers(T)[I.Dst] = Succeeds;
  setTag(tags(T)[I.Dst], 0);
  return true;
}

template <unsigned Words> void OutOfOrder<Words>::note(GraphNotes::Deed What) {
  if (!Notes)
    return;
  What.Before = Flows[What.Thread].NumEvents;
  if (What.Stack.empty())
    What.Stack = M.callStack(What.Thread);
  Notes->Deeds.push_back(std::move(What));
}

template <unsigned Words> EventId OutOfOrder<Words>::addEvent(ThreadId T, const Operation &Op, bool IsWrite) {
  if (G.size() >= Set::Capacity)
    throw GraphFull();
  Flow &F = Flows[T];
  Event E;
  E.Thread = T;
  E.Index = F.NumEvents++;
  E.Pc = M.pc(T);
  E.Operation = M.operations(T);
  E.IsWrite = IsWrite;
  E.Before = F.Events;
  E.Control = F.Control;
  E.ControlISync = F.ControlISync;
  E.AddressBefore = F.AddressBefore;
  E.Fetch = F.Fetch;
  E.Sync = F.Sync;
  E.LwSync = F.LwSync;
  E.Eieio = F.Eieio;
  EventId Id = G.add(E);
  F.Events.insert(Id);
  Fetched[T].push_back(Id);
  if (Notes)
    Notes->Stacks.push_back(M.callStack(T));
  Access &A = Accesses.emplace_back();
  A.Op = Op;
  A.Waits = Op.Kind == OperationKind::Sync ? isBlocking(Op.Sync) : Op.MaySpin;
  return Id;
}

/// Puts the access at which a thread stands into the graph and goes on behind it.
template <unsigned Words> void OutOfOrder<Words>::fetchAccess(ThreadId T, const Instruction &I, Operation Op) {
  Machine::State &S = M.Threads[T]->S;
  Flow &F = Flows[T];
  if (Op.Width > 8)
    M.unsupported(T, S.Pc, "a 16-byte access that other threads see, under an axiomatic memory model");
  bool HasOffset = I.Op != Opcode::Rmw && I.Op != Opcode::CmpXchg;
  Value Where = read(T, I.A);
  Set AddressLoads = loadsOf(Where);
  bool Updates = Op.Kind == OperationKind::Rmw || Op.Kind == OperationKind::CmpXchg;
  fencesBefore(F, Op);
  EventId Read = NoEvent, Write = NoEvent;
  if (Op.Kind != OperationKind::Store)
    Read = addEvent(T, Op, false);
  if (Op.Kind != OperationKind::Load)
    Write = addEvent(T, Op, true);
  for (EventId E : {Read, Write}) {
    if (E == NoEvent)
      continue;
    Accesses[E].Where = Where;
    Accesses[E].Offset = HasOffset ? I.Imm : 0;
    G[E].Address = AddressLoads;
    G[E].OfUpdate = Updates;
    G[E].Locked =
        Updates && (Model == AxiomaticModel::TSO || Op.Ordering == Order::NotAtomic || Op.Ordering >= Order::Release);
  }
  if (Write != NoEvent) {
    Value Data = read(T, I.Op == Opcode::CmpXchg ? I.C : I.B);
    Accesses[Write].Data = Data;
    G[Write].Data = loadsOf(Data);
    if (Updates) {
      Accesses[Read].Data = Data;
      F.Updates.insert(Read);
      if (Op.Kind == OperationKind::CmpXchg) {
        Accesses[Read].Expected = Accesses[Write].Expected = read(T, I.B);
        G[Write].Control.insert(Read);
        G[Write].Control |= loadsOf(Accesses[Read].Expected);
      } else if (Op.Rmw != RmwOp::Xchg) {
        G[Write].Data.insert(Read);
      }
    }
    if (I.Op == Opcode::StoreConditional) {
      G[Write].Conditional = true;
      G[Write].Reserved = F.Reserved;
    }
  }
  if (I.Op == Opcode::LoadReserve)
    F.Reserved = Read;
  F.AddressBefore |= AddressLoads;
  fencesBehind(F, Op, Read);

  // Behind it, as Interpreter::complete does.
  Interpreter Run(M, T);
  Run.enterFrame();
  S.Pending = Operation();
  ++S.Operations;
  S.Effects += Write != NoEvent && !Op.MaySpin; // of an update in a spin loop it is seen later (noteUpdate)
  auto Tag = [&](int32_t Slot, uint8_t Kind, EventId From) {
    registers(T)[Slot] = 0;
    setTag(tags(T)[Slot], resultNode(From, Kind));
  };
  if (Read != NoEvent) {
    Tag(I.Dst, Node::Result, Read);
    if (Op.Kind == OperationKind::CmpXchg)
      Tag(I.Dst + 1, Node::Success, Read);
    // Whether the address is known already depends on the run; whether the loop is bounded must not.
    Run.noteFed(I, Where.Node ? 0 : Op.Where);
  }
  ++S.Pc;
}

template <unsigned Words> void OutOfOrder<Words>::fetchSync(ThreadId T, const Instruction &I, const Operation &Op) {
  Flow &F = Flows[T];
  Set AddressLoads;
  for (int32_t K = 0; K < I.C; ++K)
    AddressLoads |= loadsOf(read(T, P.Arguments[static_cast<size_t>(I.B + K)]));
  fencesBefore(F, Op);
  EventId Read = addEvent(T, Op, false), Write = addEvent(T, Op, true);
  for (EventId E : {Read, Write}) {
    Accesses[E].Where = {Op.Where, 0};
    G[E].Address = AddressLoads;
    G[E].OfUpdate = G[E].Locked = true;
  }
  G[Write].Data.insert(Read);
  F.AddressBefore |= AddressLoads;
  fencesBehind(F, Op, Read);
  if (Op.Sync != SyncOp::MutexUnlock && Op.Sync != SyncOp::SpinUnlock) {
    F.Waiting = Read;
    return;
  }
  uint32_t Pc = M.pc(T);
  completeBuiltin(T, I, 0, 0);
  if (M.pc(T) == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], resultNode(Read, Node::Returned));
}

// Fences.

template <unsigned Words> void OutOfOrder<Words>::fence(Flow &F, FenceKind Kind) {
  bool Light = Model == AxiomaticModel::Power;
  switch (Kind) {
  case FenceKind::Full: F.Sync |= F.Events; break;
  case FenceKind::StoreStore: F.Eieio |= F.Events; break;
  case FenceKind::Acquire:
    if (Light)
      F.LwSync |= F.Events;
    break;
  case FenceKind::Release:
  case FenceKind::AcqRel:
  case FenceKind::LwSync: (Light ? F.LwSync : F.Eieio) |= F.Events; break;
  case FenceKind::ISync: F.ControlISync |= F.Control; break;
  }
}

static bool isLock(SyncOp Op) {
  switch (Op) {
  case SyncOp::MutexLock:
  case SyncOp::MutexTryLock:
  case SyncOp::MutexTimedLock:
  case SyncOp::SpinLock:
  case SyncOp::SpinTryLock:
  case SyncOp::RwReadLock:
  case SyncOp::RwTryReadLock:
  case SyncOp::RwWriteLock:
  case SyncOp::RwTryWriteLock: return true;
  default: return false;
  }
}

/// The fences that stand in front of an operation of a certain order. Locks acquire, other synchronisation releases
/// too.
template <unsigned Words> void OutOfOrder<Words>::fencesBefore(Flow &F, const Operation &Op) {
  if (Op.Kind == OperationKind::Sync) {
    if (!isLock(Op.Sync))
      fence(F, FenceKind::Release);
  } else if (Op.Kind != OperationKind::Load && (Op.Ordering == Order::Release || Op.Ordering == Order::AcqRel)) {
    fence(F, FenceKind::Release);
  } else if (Op.Ordering == Order::SeqCst) {
    if (Model == AxiomaticModel::Power)
      fence(F, FenceKind::Full);
    else if (Op.Kind != OperationKind::Load)
      fence(F, FenceKind::Release);
  }
}

template <unsigned Words> void OutOfOrder<Words>::fencesBehind(Flow &F, const Operation &Op, EventId Read) {
  bool Unlocks = Op.Kind == OperationKind::Sync && (Op.Sync == SyncOp::MutexUnlock || Op.Sync == SyncOp::SpinUnlock);
  if (Model != AxiomaticModel::Power) {
    if (Op.Kind == OperationKind::Store && Op.Ordering == Order::SeqCst)
      fence(F, FenceKind::Full);
    return;
  }
  bool Acquires = Op.Kind == OperationKind::Sync
                      ? !Unlocks
                      : Op.Ordering == Order::Acquire || Op.Ordering == Order::AcqRel || Op.Ordering == Order::SeqCst;
  if (Read != NoEvent && Acquires) {
    F.Control.insert(Read);
    F.ControlISync.insert(Read);
  }
}

// What the explorer asks.

template <unsigned Words> uint64_t OutOfOrder<Words>::internBytes(const uint8_t *From, uint32_t Size) {
  Bytes Key{};
  std::memcpy(Key.data(), From, Size);
  auto [Found, New] = StateIds.try_emplace(Key, States.size());
  if (New)
    States.push_back(Key);
  return Found->second;
}

template <unsigned Words> PlaceId OutOfOrder<Words>::placeFor(EventId E, Address Where, uint32_t Width) {
  auto Found = Places.lower_bound(Where);
  if (Found == Places.end() || Found->first != Where) {
    bool Overlaps = Found != Places.end() && Found->first < Where + Width;
    if (Found != Places.begin()) {
      auto Before = std::prev(Found);
      Overlaps |= Before->first + G.Places[Before->second].Width > Where;
    }
    if (!Overlaps) {
      auto &New = G.Places.emplace_back();
      New.Where = Where;
      New.Width = Width;
      Found = Places.emplace_hint(Found, Where, static_cast<PlaceId>(G.Places.size() - 1));
      return Found->second;
    }
  } else if (G.Places[Found->second].Width == Width) {
    return Found->second;
  }
  M.unsupported(G[E].Thread, G[E].Pc, "accesses of different sizes that overlap, under an axiomatic memory model");
}

template <unsigned Words> void OutOfOrder<Words>::fail(EventId E, BugKind Kind, std::string Message) {
  ThreadId T = G[E].Thread;
  M.newStep();
  M.save(T);
  M.undo().save(Flows[T]);
  M.Bugs.push_back({Kind, T, G[E].Pc, std::move(Message)});
  M.Threads[T]->S.Status = ThreadStatus::Failed;
  Flows[T].FailedAt = G[E].Index;
}

template <unsigned Words> bool OutOfOrder<Words>::locate(EventId E) {
  Event &Found = G[E];
  if (Found.Place != NoPlace || Found.Decides)
    return true;
  const Access &A = Accesses[E];
  Address Where;
  if (!resolve(A.Where, Where))
    return false;
  Where += static_cast<uint64_t>(A.Offset);
  // A store-conditional cannot succeed elsewhere than at its reservation.
  if (Found.Conditional && (!locate(Found.Reserved) || G.Places[G[Found.Reserved].Place].Where != Where))
    return false;
  ThreadId T = Found.Thread;
  bool IsSync = A.Op.Kind == OperationKind::Sync, Writes = A.Op.Kind != OperationKind::Load;
  uint32_t Width = IsSync ? sizeOf(A.Op.Sync) : A.Op.Width;
  bool IsLife = Found.Ends && offsetOf(Where) == LifeOffset;
  Object *O = M.Mem.find(Where);
  if (!IsLife && (!O || !Memory::inBounds(*O, Where, Width) || (Writes && O->Kind == ObjectKind::Constant))) {
    auto [Kind, Message] = describeBadAccess(M, Where, Width, Writes);
    fail(E, Kind, std::move(Message));
    return false;
  }
  if (!Found.Ends && O->Kind != ObjectKind::Constant && Writes)
    M.Shared.noteWrite(Where, Width, T);
  if (!Found.Ends && (O->Kind == ObjectKind::Heap || O->Kind == ObjectKind::Stack)) {
    if ((O->Owner != T || A.Where.Node) && !M.Shared.isShared(O->Site))
      M.Shared.markShared(O->Site);
    if (Ending.Accessed[O->Site].insert({offsetOf(Where), Width}).second)
      Ending.Changed |= Ending.Ended.count(O->Site) != 0;
  }
  PlaceId Id = placeFor(E, Where, Width);
  auto &Place = G.Places[Id];
  if (Place.Coherence.empty() && Place.Reads.empty() && !IsLife)
    Place.Initial = IsSync ? internBytes(M.Mem.bytes(Where), Width) : Memory::readWord(M.Mem.bytes(Where), Width);
  M.undo().save(Found.Place);
  Found.Place = Id;
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::hasOperands(EventId E) {
  uint64_t Bits;
  const Access &A = Accesses[E];
  return (A.Op.Kind == OperationKind::Load || resolve(A.Data, Bits)) && resolve(A.Expected, Bits);
}

template <unsigned Words> uint64_t OutOfOrder<Words>::valueOf(EventId Write) {
  uint64_t Bits = 0;
  resolve(Accesses[Write].Data, Bits);
  return lowBits(Bits, Accesses[Write].Op.Width * 8u);
}

template <unsigned Words> typename OutOfOrder<Words>::Update OutOfOrder<Words>::update(EventId Read, uint64_t Old) {
  const Access &A = Accesses[Read];
  Update Done;
  uint64_t Operand = 0, Expected = 0;
  switch (A.Op.Kind) {
  case OperationKind::Rmw:
    resolve(A.Data, Operand);
    Done.Value = applyRmw(A.Op.Rmw, Old, Operand, A.Op.Width);
    return Done;
  case OperationKind::CmpXchg:
    resolve(A.Data, Operand);
    resolve(A.Expected, Expected);
    Done.Does = lowBits(Expected, A.Op.Width * 8u) == Old ? Update::Writes : Update::Leaves;
    Done.Value = lowBits(Operand, A.Op.Width * 8u);
    return Done;
  default: break;
  }
  Bytes State = States[Old];
  Done.Result = apply(A.Op.Sync, State.data(), G[Read].Thread, A.Op.Value);
  switch (Done.Result.Outcome) {
  case SyncResult::Blocked: Done.Does = Update::Waits; break;
  case SyncResult::Misuse: Done.Does = Update::Fails; break;
  case SyncResult::Done:
    Done.Value = internBytes(State.data(), sizeOf(A.Op.Sync));
    Done.Does = Done.Value == Old ? Update::Leaves : Update::Writes;
    break;
  }
  return Done;
}

template <unsigned Words> void OutOfOrder<Words>::noteUpdate(EventId Read, const Update &Done) {
  ThreadId T = G[Read].Thread;
  if (Done.Does == Update::Fails) {
    if (std::string_view(Done.Result.BugKind) == "unsupported")
      M.unsupported(T, G[Read].Pc, Done.Result.Phrase);
    fail(Read, bugKindOf(Done.Result), Done.Result.Phrase);
    Flows[T].FailedAt = G[Read].Index + 2;
    return;
  }
  Access &A = Accesses[Read];
  M.undo().save(A.Result);
  A.Result = Done.Result;
  if (A.Op.MaySpin && Done.Does == Update::Writes && Done.Value != G[Read].Value) {
    M.undo().save(M.Threads[T]->S.Effects);
    ++M.Threads[T]->S.Effects;
  }
}

template <unsigned Words> void OutOfOrder<Words>::noteOutcome(EventId Decided, bool Succeeds) {
  M.undo().save(Accesses[Decided].Succeeds);
  Accesses[Decided].Succeeds = Succeeds;
}

template <unsigned Words> void OutOfOrder<Words>::undoTo(const Mark &To) {
  M.undo().undoTo(To.Undo);
  M.dropBugs(To.Bugs);
  M.clearCreated();
  for (size_t E = Accesses.size(); E-- > To.Events;)
    Fetched[G[static_cast<EventId>(E)].Thread].pop_back();
  Accesses.resize(To.Events);
  G.Events.resize(To.Events);
  Nodes.resize(To.Nodes);
  if (Notes) {
    Notes->Stacks.resize(To.Events);
    Notes->Deeds.resize(To.Deeds);
  }
}

template <unsigned Words> uint64_t OutOfOrder<Words>::finalSlot(ThreadId T, uint32_t Slot) {
  uint64_t Bits = 0;
  resolve({M.Threads[T]->Registers[Slot], Tags[T][Slot]}, Bits);
  return Bits;
}

template <unsigned Words> uint64_t OutOfOrder<Words>::finalValue(Address Where, unsigned Width) {
  auto Found = Places.find(Where);
  if (Found != Places.end() && !G.Places[Found->second].Coherence.empty())
    return G[G.Places[Found->second].Coherence.back()].Value;
  return Memory::readWord(M.Mem.bytes(Where), Width);
}

template class OutOfOrder<1>;
template class OutOfOrder<4>;
template class OutOfOrder<16>;

} // namespace picket
