// Calls, returns and pending operations of threads that run ahead of their loads. A part of SpeculativeInterpreter.h.
#pragma once

#include "machine/SpeculativeInterpreter.h"

#include <cstring>

namespace picket {

template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::call(ThreadId T, const Instruction &I) {
  if (I.Op == Opcode::CallIndirect) {
    if (!needs(T, I.A))
      return false;
    Graph.noteBranch(T, loadsOf(read(T, I.A)));
  }
  std::vector<uint32_t> ArgumentNodes;
  ArgumentNodes.reserve(static_cast<size_t>(I.C));
  for (int32_t K = 0; K < I.C; ++K)
    ArgumentNodes.push_back(read(T, Prog.Arguments[static_cast<size_t>(I.B + K)]).Node);
  runInstruction(T);
  const Thread &Caller = Parts.Threads[T];
  if (Caller.State.Status != ThreadStatus::Ready)
    return true;
  const Function &Callee = Prog.Functions[Caller.Frames[Caller.State.Depth - 1].Function];
  for (uint32_t K = 0; K < Callee.NumSlots; ++K)
    setNode(nodes(T)[K], K < Callee.NumParameters && K < ArgumentNodes.size() ? ArgumentNodes[K] : 0);
  return true;
}

/// What a thread runs after its last frame returned, or is left, begins with registers of its own.
template <typename EventSet, typename Events> void SpeculativeInterpreter<EventSet, Events>::enterFrame(ThreadId Id) {
  const Thread &T = Parts.Threads[Id];
  if (T.State.Status != ThreadStatus::Ready || T.State.Depth != 1 || T.State.Pending.Kind != OperationKind::None)
    return;
  for (uint32_t K = 0; K < Prog.Functions[T.Frames[0].Function].NumSlots; ++K)
    setNode(nodes(Id)[K], 0);
}

template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::doReturn(ThreadId T, const Instruction &I) {
  const ThreadState &S = stateOf(T);
  const uint32_t Result[2] = {I.Flags >= 1 ? read(T, I.A).Node : 0, I.Flags == 2 ? read(T, I.A + 1).Node : 0};
  const uint32_t Depth = S.Depth;
  const uint32_t CallPc = Parts.Threads[T].Frames[Depth - 1].CallPc;
  if (Depth == 1 && Result[0] && !needs(T, I.A)) // somebody may join and ask for the result
    return false;
  runInstruction(T);
  if (S.Pending.Kind == OperationKind::End)
    endLocals(T);
  if (Depth == 1)
    enterFrame(T);
  if (S.Depth + 1 == Depth && S.Depth > 0) {
    const Instruction &Call = Prog.Code[CallPc];
    if (Call.Dst >= 0 && I.Flags >= 1) {
      setNode(nodes(T)[Call.Dst], Result[0]);
      if (I.Flags == 2)
        setNode(nodes(T)[Call.Dst + 1], Result[1]);
    }
  }
  return true;
}

/// Whether it depends on the arguments of a builtin if the thread goes on after it, as after `if (!c) return`.
constexpr bool branchesOn(Builtin B) { return B == Builtin::VerifierAssume || B == Builtin::VerifierAssert; }

constexpr bool endsProcess(Builtin B) {
  return B == Builtin::Exit || B == Builtin::QuickExit || B == Builtin::ImmediateExit;
}

/// The first argument of a library function that may come late: those after it may, too. A call of others waits for all.
constexpr int32_t firstLateArgument(Builtin B) {
  switch (B) {
  case Builtin::Malloc:
  case Builtin::Calloc: return 0;
  case Builtin::AlignedAlloc:
  case Builtin::Realloc: // of no block
  case Builtin::FormatLength: return 1;
  default: return std::numeric_limits<int32_t>::max();
  }
}

/// Goes on after a call some of whose arguments are made from loads; the result depends on these. False: some of the
/// arguments have to be known first, or none is made from loads.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::callLate(ThreadId T, const Instruction &I) {
  const auto Which = static_cast<Builtin>(I.Imm);
  LateCall Call;
  Node Result;
  bool IsLate = false;
  for (int32_t K = 0; K < I.C; ++K) {
    Call.Arguments.push_back(read(T, Prog.Arguments[static_cast<size_t>(I.B + K)]));
    if (Call.Arguments.back().Node && K < firstLateArgument(Which))
      return false;
    IsLate |= Call.Arguments.back().Node != 0;
    Result.Loads |= loadsOf(Call.Arguments.back());
  }
  if (!IsLate || (Which == Builtin::Realloc && Call.Arguments[0].Bits))
    return false;
  ThreadState &S = stateOf(T);
  Call.Thread = T;
  Call.Pc = Call.AllocatedAt = S.Pc;
  Call.EventsBefore = Graph.numEvents(T);
  if (Which != Builtin::FormatLength) {
    Interpreter Run(Parts, T);
    Call.Slot = Run.reserveBlock(I, 0);
    if (Parts.Bugs.checks(BugKind::Leak))
      Call.AllocatedAt = Run.pcInText();
  }
  Result.Kind = Node::Called;
  Result.Call = static_cast<uint32_t>(Calls.size());
  Call.Node = Values.add(Result);
  Calls.push_back(std::move(Call));
  setResult(T, I, Calls.back().Node);
  ++S.Pc;
  return true;
}

/// All arguments are known.
template <typename EventSet, typename Events>
uint64_t SpeculativeInterpreter<EventSet, Events>::makeCall(uint32_t Which) {
  const LateCall &Call = Calls[Which];
  std::vector<uint64_t> Arguments;
  for (const LateValue &Argument : Call.Arguments) {
    assert(!Argument.Node || Values[Argument.Node].Known);
    Arguments.push_back(Argument.Node ? Values[Argument.Node].Bits : Argument.Bits);
  }
  Interpreter Run(Parts, Call.Thread);
  const auto Called = static_cast<Builtin>(Prog.Code[Call.Pc].Imm);
  if (Called == Builtin::FormatLength)
    return Run.lengthOfOutput(Call.Pc, Arguments);
  uint64_t Size = Arguments.back();
  if (Called == Builtin::Calloc && __builtin_mul_overflow(Arguments[0], Arguments[1], &Size))
    return 0;
  Run.makeBlock(Call.Slot, Call.Pc, Call.AllocatedAt, Size,
                Called == Builtin::Calloc ? Content::Zeros : Content::Nothing);
  return addressOf(Call.Slot);
}

/// Blocks are there as soon as their size is known, also those that nobody uses.
template <typename EventSet, typename Events> void SpeculativeInterpreter<EventSet, Events>::makeLateCalls() {
  for (const LateCall &Call : Calls) {
    uint64_t Result;
    if (!Values[Call.Node].Known && Graph.failedAt(Call.Thread) > Call.EventsBefore)
      resolve({0, Call.Node}, Result);
  }
}

template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::builtin(ThreadId Id, const Instruction &I) {
  const auto Which = static_cast<Builtin>(I.Imm);
  if (firstLateArgument(Which) < I.C && callLate(Id, I))
    return true;
  for (int32_t K = 0; K < I.C && Which != Builtin::Ignore; ++K)
    if (!needs(Id, Prog.Arguments[static_cast<size_t>(I.B + K)]))
      return false;
  const Thread &T = Parts.Threads[Id];
  if (endsProcess(Which) && Parts.Bugs.checks(BugKind::Leak)) // what its registers hold is kept
    for (uint32_t K = 0, Count = Parts.Threads.numRegisters(T, T.State, T.Frames); K < Count; ++K)
      if (!isKnown(Id, static_cast<Operand>(K) - static_cast<Operand>(registers(Id) - T.Registers)))
        return false;
  if (Which == Builtin::AtomicEnd || endsProcess(Which))
    Graph.leaveSection(Id);
  if (branchesOn(Which))
    for (int32_t K = 0; K < I.C; ++K)
      Graph.noteBranch(Id, loadsOf(read(Id, Prog.Arguments[static_cast<size_t>(I.B + K)])));
  const uint32_t CallPc = T.State.Pc;
  runInstruction(Id);
  if (endsProcess(Which) || Which == Builtin::ThreadExit)
    enterFrame(Id);
  else
    clearResult(Id, I, CallPc);
  return true;
}

/// The result of a builtin that is over is in its register.
template <typename EventSet, typename Events>
void SpeculativeInterpreter<EventSet, Events>::clearResult(ThreadId T, const Instruction &I, uint32_t CallPc) {
  if (stateOf(T).Status == ThreadStatus::Ready && stateOf(T).Pc == CallPc + 1 && I.Dst >= 0)
    setNode(nodes(T)[I.Dst], 0);
}

/// Goes on with a builtin whose pending operation is done.
template <typename EventSet, typename Events>
void SpeculativeInterpreter<EventSet, Events>::completeBuiltin(ThreadId T, const Instruction &I, uint64_t Value,
                                                               uint64_t Errno) {
  const uint32_t CallPc = stateOf(T).Pc;
  Interpreter(Parts, T).complete(Value, Errno, true);
  noteCreated();
  clearResult(T, I, CallPc);
}

/// Does the pending operation of a thread, or waits with it.
template <typename EventSet, typename Events> bool SpeculativeInterpreter<EventSet, Events>::operate(ThreadId T) {
  const ThreadState &S = stateOf(T);
  const Operation Op = S.Pending;
  const Instruction &I = Prog.Code[S.Pc];
  switch (Op.Kind) {
  case OperationKind::Yield: Interpreter(Parts, T).complete(0, 0, false); return true;
  case OperationKind::Fence:
    Graph.noteFence(T, Op.Fence);
    Interpreter(Parts, T).complete(0, 0, false);
    return true;
  case OperationKind::Load:
  case OperationKind::Store:
  case OperationKind::Rmw:
  case OperationKind::CmpXchg:
    if (I.Op == Opcode::CallBuiltin) {
      Graph.fetchResult(T, Op);
      completeBuiltin(T, I, 0, 0);
      return true;
    }
    if (Fetching[T].Waiting != NoEvent || Fetching[T].Whole)
      return finishAccess(T, Op);
    return fetchAccess(T, I, Op);
  case OperationKind::Sync: return synchronise(T, I, Op);
  case OperationKind::Join: return join(T);
  case OperationKind::Atomic:
    Graph.enterSection(T);
    completeBuiltin(T, I, 0, 0);
    return true;
  case OperationKind::Free: endBlock(T, I); return true;
  case OperationKind::End:
    endLocals(T);
    if (I.Op != Opcode::ScopeLeave)
      enterFrame(T);
    return true;
  default: Graph.refuse(T, "this operation");
  }
}

/// An unlock changes nothing for its thread. All else waits until it is known what it returns; in order, an unlock too.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::synchronise(ThreadId T, const Instruction &I, const Operation &Op) {
  EventId &Waiting = Fetching[T].Waiting;
  if (Waiting == NoEvent) {
    EventSet AddressLoads;
    for (int32_t K = 0; K < I.C; ++K)
      AddressLoads |= loadsOf(read(T, Prog.Arguments[static_cast<size_t>(I.B + K)]));
    const EventId Read = Graph.fetchSync(T, Op, AddressLoads);
    if (!isUnlock(Op.Sync) || Parts.Options.InOrder) {
      Waiting = Read;
      return false;
    }
    const uint32_t CallPc = stateOf(T).Pc;
    completeBuiltin(T, I, 0, 0);
    if (stateOf(T).Pc == CallPc + 1 && I.Dst >= 0)
      setNode(nodes(T)[I.Dst], Values.addResult(Read, ResultPart::Returned));
    return true;
  }
  if (!Graph.isCommitted(Waiting))
    return false;
  const SyncResult Result = Graph.syncResultOf(Waiting);
  Graph.noteNeeded(T, Waiting);
  Waiting = NoEvent;
  completeBuiltin(T, I, static_cast<uint64_t>(Result.Value), static_cast<uint64_t>(Result.Errno));
  return true;
}

template <typename EventSet, typename Events> bool SpeculativeInterpreter<EventSet, Events>::join(ThreadId T) {
  const auto Target = static_cast<ThreadId>(stateOf(T).Pending.Where);
  if (!TheMachine.isFinished(Target)) {
    Graph.refuseToWaitInSection(T);
    return false;
  }
  Graph.noteJoin(T, Target);
  completeBuiltin(T, Prog.Code[stateOf(T).Pc], 0, 0);
  return true;
}

template <typename EventSet, typename Events> void SpeculativeInterpreter<EventSet, Events>::endLocals(ThreadId T) {
  TheMachine.save(T);
  uint32_t Ordinal = 0;
  for (const AccessedBytes &Local : TheMachine.pendingEnds(T))
    Graph.fetchEnd(T, Local.Where, Ordinal++);
  Interpreter(Parts, T).completeEnd();
}

template <typename EventSet, typename Events>
void SpeculativeInterpreter<EventSet, Events>::endBlock(ThreadId T, const Instruction &I) {
  const ThreadState &S = stateOf(T);
  const Address Where = S.Pending.Where;
  const Object &O = *Parts.Mem.find(Where);
  const uint32_t CallPc = S.Pc;
  const bool IsShared = Parts.Shared.isShared(O.Site);
  Interpreter Run(Parts, T);
  if (IsShared)
    Graph.drain(T);
  const bool HasEnded = !IsShared && O.Life != Lifetime::Alive; // as completeFree finds
  if (!HasEnded && static_cast<Builtin>(I.Imm) == Builtin::Realloc) {
    moveBlock(T, I, Where);
  } else if (IsShared) {
    Graph.fetchEnd(T, Where, 0);
    Run.passOperation(/*Changed=*/true);
  } else {
    Run.completeFree();
  }
  if (IsShared)
    Graph.drain(T);
  clearResult(T, I, CallPc);
}

/// realloc: a new block with what is in the old one, which ends.
template <typename EventSet, typename Events>
void SpeculativeInterpreter<EventSet, Events>::moveBlock(ThreadId T, const Instruction &I, Address Old) {
  ThreadState &S = stateOf(T);
  Memory &Mem = Parts.Mem;
  Interpreter Run(Parts, T);
  Run.enterFrame();
  const Address New = addressOf(Run.newBlock(I, Run.argument(I, 1), Content::Nothing));
  Object &From = *Mem.find(Old);
  const uint32_t Size = std::min(Mem.find(New)->Size, From.Size);
  Mem.copyWritten(New, Old, Size);
  std::memcpy(Mem.bytes(New), Mem.bytes(Old), Size);
  Graph.fetchCopies(T, Old, New, Size);
  Graph.noteEnded(From.Site); // what else turns out to be in it must be copied too
  if (Parts.Shared.isShared(From.Site))
    Graph.fetchEnd(T, Old, 0);
  else
    Mem.end(From, Lifetime::Freed, S.Pc);
  S.Pending = Operation();
  ++S.Operations;
  Run.finishBuiltin(I, New);
}

} // namespace picket
