// Loads, stores and read-modify-writes that threads come to: they are fetched as events, and the thread goes on. A part
// of SpeculativeInterpreter.h.
#pragma once

#include "machine/SpeculativeInterpreter.h"
#include "program/Operands.h"

namespace picket {

/// The access that an instruction is, but for where it is and its values.
inline Operation operationOf(const Instruction &I) {
  switch (I.Op) {
  case Opcode::Store:
  case Opcode::StoreConditional: return accessOf(OperationKind::Store, I);
  case Opcode::Rmw: return accessOf(OperationKind::Rmw, I);
  case Opcode::CmpXchg: return accessOf(OperationKind::CmpXchg, I);
  default: return accessOf(OperationKind::Load, I);
  }
}

/// An access by an instruction of the program.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::access(ThreadId T, const Instruction &I) {
  if (!isKnown(T, I.A) || I.Op == Opcode::LoadReserve) { // it may be anywhere
    Fetching[T].StalledOn = 0;
    return fetchAccess(T, I, operationOf(I));
  }
  const EventSet AddressLoads = loadsOf(read(T, I.A));
  runInstruction(T); // stops in front of the access, if anybody else can be there
  if (stateOf(T).Status == ThreadStatus::Ready && stateOf(T).Pending.Kind == OperationKind::None) {
    // It was a constant, or the thread is alone.
    Graph.noteAddress(T, AddressLoads);
    for (unsigned K = 0; K < shapeOf(I).Dst; ++K) {
      const int32_t Slot = I.Dst + static_cast<int>(K);
      setNode(nodes(T)[Slot], AddressLoads.empty() ? 0 : Values.addKnown(registers(T)[Slot], AddressLoads));
    }
  }
  return true;
}

/// Fetches the access at which a thread stands and goes on behind it. In order it waits for what it reads: false.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::fetchAccess(ThreadId T, const Instruction &I, const Operation &Op) {
  ThreadState &S = stateOf(T);
  const bool IsWide = Op.Width > 8, Compares = Op.Kind == OperationKind::CmpXchg;
  LateAccess A;
  A.Op = Op;
  A.Where = read(T, I.A);
  if (Op.Kind != OperationKind::Load) {
    const Operand Data = Compares ? I.C : I.B;
    A.Data = read(T, Data);
    if (IsWide)
      A.Data2 = readUpper(T, Data);
  }
  if (Compares) {
    A.Expected = read(T, I.B);
    if (IsWide)
      A.Expected2 = readUpper(T, I.B);
  }
  if ((I.Op == Opcode::Load || I.Op == Opcode::Store) && Op.Width > 1 && fetchPieces(T, I, A))
    return !Fetching[T].Whole;
  if (Compares && I.Flags & MayFail && !Parts.Options.InOrder) { // whether it had another reason is seen in the end
    A.Op.Fails = Parts.Failures.failsNow(Parts.Threads[T]);
    if (!A.Op.Fails)
      Parts.Failures.noteNone(Parts.Threads[T]);
    ++S.Arrivals;
    S.Failures += A.Op.Fails;
  }
  const AccessEvents New = Graph.fetchAccess(T, I, A);
  if (Parts.Options.InOrder && New.Read != NoEvent) {
    Fetching[T].Waiting = New.Read;
    return false;
  }
  Interpreter Run(Parts, T);
  Run.enterFrame();
  if (New.Read != NoEvent) {
    auto Set = [&](int32_t Slot, uint32_t Node) {
      registers(T)[Slot] = 0;
      setNode(nodes(T)[Slot], Node);
    };
    Set(I.Dst, Values.addResult(New.Read, IsWide ? ResultPart::Low : ResultPart::Whole));
    if (IsWide)
      Set(I.Dst + 1, Values.addResult(New.Read, ResultPart::High));
    if (Compares)
      Set(I.Dst + 1 + IsWide, Values.addSuccess(New.Read, A.Expected, A.Expected2));
    // Whether the address is known already depends on the run; whether the loop is bounded must not.
    Run.noteFed(I, A.Where.Node ? 0 : Op.Where);
  }
  Run.passOperation(New.Write != NoEvent && !Op.MaySpin); // of an update in a spin loop it is seen when it is committed
  return true;
}

/// In order: goes on after an access whose read is committed.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::finishAccess(ThreadId T, const Operation &Op) {
  ThreadFetching &F = Fetching[T];
  uint64_t Low = 0, High = 0;
  if (F.Whole) {
    if (!resolve({0, F.Whole}, Low))
      return false;
  } else {
    if (!Graph.isCommitted(F.Waiting))
      return false;
    const bool IsWide = Op.Width > 8;
    Low = Graph.resultOf(F.Waiting, IsWide ? ResultPart::Low : ResultPart::Whole, 0, 0);
    High = IsWide ? Graph.resultOf(F.Waiting, ResultPart::High, 0, 0) : 0;
  }
  F.Waiting = NoEvent;
  F.Whole = 0;
  Interpreter(Parts, T).complete(Low, High, Op.Kind != OperationKind::Load && !Op.MaySpin);
  return true;
}

/// An access that is not aligned is one for each of its aligned pieces. False: it is aligned.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::fetchPieces(ThreadId T, const Instruction &I, const LateAccess &A) {
  std::vector<AccessPiece> Pieces;
  if (!Graph.fetchPieces(T, I, A, Pieces))
    return false;
  const bool Stores = A.Op.Kind == OperationKind::Store;
  uint32_t Whole = 0;
  for (const AccessPiece &P : Pieces) {
    if (Stores)
      break;
    const uint32_t Part = Values.addResult(P.Event, ResultPart::Whole);
    Whole = Whole ? Values.addJoined(Whole, Part, P.Shift) : Part;
  }
  if (Parts.Options.InOrder && !Stores) {
    Fetching[T].StalledOn = Fetching[T].Whole = Whole;
    return true;
  }
  Interpreter Run(Parts, T);
  Run.enterFrame();
  if (!Stores) {
    registers(T)[I.Dst] = 0;
    setNode(nodes(T)[I.Dst], Whole);
    Run.noteFed(I, A.Where.Node ? 0 : A.Op.Where);
  }
  Run.passOperation(Stores && !A.Op.MaySpin);
  return true;
}

/// In the axioms a store-conditional that fails is no event. So how it turns out is chosen when it is fetched: to fail
/// needs no operands and orders nothing; one that is to succeed is a write that must then be possible.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::storeConditional(ThreadId T, const Instruction &I) {
  EventId &Waiting = Fetching[T].Waiting;
  bool Succeeds = false;
  if (Waiting != NoEvent) {
    Succeeds = Graph.succeeds(Waiting);
    Graph.noteNeeded(T, Waiting);
    Waiting = NoEvent;
  } else {
    Waiting = Graph.fetchConditional(T, I);
    if (Waiting != NoEvent)
      return false;
  }
  if (Succeeds)
    fetchAccess(T, I, operationOf(I)); // a write, which is not waited for
  else
    Interpreter(Parts, T).passOperation(/*Changed=*/false);
  Graph.endReservation(T);
  registers(T)[I.Dst] = Succeeds;
  setNode(nodes(T)[I.Dst], 0);
  return true;
}

} // namespace picket
