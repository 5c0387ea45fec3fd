// Registers that hold values or wait for them, and instructions that make others of them. A part of
// SpeculativeInterpreter.h.
#pragma once

#include "machine/SpeculativeInterpreter.h"
#include "program/Operands.h"

namespace picket {

template <typename EventSet, typename Events>
uint64_t *SpeculativeInterpreter<EventSet, Events>::registers(ThreadId Id) {
  const Thread &T = Parts.Threads[Id];
  return T.Registers + (T.State.Depth ? T.Frames[T.State.Depth - 1].Base : 0);
}

/// Those of the registers of the innermost frame.
template <typename EventSet, typename Events> uint32_t *SpeculativeInterpreter<EventSet, Events>::nodes(ThreadId T) {
  return Nodes[T].get() + (registers(T) - Parts.Threads[T].Registers);
}

template <typename EventSet, typename Events>
void SpeculativeInterpreter<EventSet, Events>::setNode(uint32_t &Of, uint32_t Node) {
  if (Of == Node)
    return;
  Parts.Undo.save(Of);
  Of = Node;
}

template <typename EventSet, typename Events>
void SpeculativeInterpreter<EventSet, Events>::setResult(ThreadId T, const Instruction &I, uint32_t Node) {
  if (I.Dst < 0)
    return;
  for (unsigned K = 0; K < shapeOf(I).Dst; ++K)
    setNode(nodes(T)[I.Dst + static_cast<int>(K)], Node);
}

template <typename EventSet, typename Events>
LateValue SpeculativeInterpreter<EventSet, Events>::read(ThreadId T, Operand O) {
  if (O < 0)
    return {Prog.Constants[static_cast<size_t>(~O)], 0};
  return {registers(T)[O], nodes(T)[O]};
}

/// The second of the slots, or constants, of a wide operand.
template <typename EventSet, typename Events>
LateValue SpeculativeInterpreter<EventSet, Events>::readUpper(ThreadId T, Operand O) {
  return O < 0 ? LateValue{Prog.Constants[static_cast<size_t>(~O) + 1], 0} : read(T, O + 1);
}

/// Whether the value of a register is known; its bits are then in the register. If not, the thread stalls on it.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::isKnown(ThreadId T, Operand O) {
  if (O < 0 || !nodes(T)[O])
    return true;
  if (!resolve(read(T, O), registers(T)[O])) {
    Fetching[T].StalledOn = nodes(T)[O];
    return false;
  }
  return true;
}

/// The same for what has to be known before anything behind it can be fetched.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::needs(ThreadId T, Operand O) {
  if (!isKnown(T, O))
    return false;
  Graph.noteNeeded(T, loadsOf(read(T, O)));
  return true;
}

/// Makes nodes for the halves of a result of more than 64 bits.
template <typename EventSet, typename Events>
void SpeculativeInterpreter<EventSet, Events>::computeWideLater(ThreadId T, const Instruction &I,
                                                                const EventSet &Loads) {
  uint32_t Halves[2] = {};
  for (bool Upper : {false, true}) {
    auto Read = [&](Operand O) { return Upper ? readUpper(T, O) : read(T, O); };
    Node N;
    N.Pc = stateOf(T).Pc;
    N.Upper = Upper;
    N.Loads = Loads;
    switch (I.Op) {
    case Opcode::WideMove: N.A = Read(I.A); break;
    case Opcode::ToWide: N.A = read(T, I.A); break;
    case Opcode::WideSelect:
      N.A = read(T, I.A);
      N.B = Read(I.B);
      N.C = Read(I.C);
      break;
    default:
      N.A = read(T, I.A);
      N.B = read(T, I.B);
      N.C = readUpper(T, I.A);
      N.D = readUpper(T, I.B);
    }
    Halves[Upper] = Values.add(N);
  }
  for (unsigned K = 0; K < shapeOf(I).Dst; ++K) // comparisons have one
    setNode(nodes(T)[I.Dst + static_cast<int>(K)], Halves[K]);
  ++stateOf(T).Pc;
}

/// An instruction that computes in registers: now, or later as a node.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::compute(ThreadId T, const Instruction &I) {
  const OperandShape Shape = shapeOf(I);
  EventSet Loads;
  bool HasNodes = false, Waits = false;
  auto Look = [&](Operand O, unsigned Slots) {
    for (unsigned K = 0; K < Slots && O >= 0; ++K) {
      const LateValue V = read(T, O + static_cast<int>(K));
      uint64_t Bits;
      HasNodes |= V.Node != 0;
      Waits |= !resolve(V, Bits);
      Loads |= loadsOf(V);
    }
  };
  Look(I.A, Shape.A);
  Look(I.B, Shape.B);
  Look(I.C, Shape.C);
  const bool MayWait = canWait(I);
  if (Waits && divides(I.Op)) { // the least number divided by -1 is looked for by a FailIf in front of it
    const LateValue Divisor = read(T, I.B);
    uint64_t Bits = 0;
    if (!resolve(Divisor, Bits)) {
      Divisions.push_back({T, stateOf(T).Pc, Graph.numEvents(T), Divisor});
    } else if (lowBits(Bits, I.Width) == 0) { // a bug, whatever is divided
      isKnown(T, I.B);
      return runInstruction(T);
    }
  }
  if (Waits && MayWait && isWideOpcode(I.Op)) {
    computeWideLater(T, I, Loads);
    return true;
  }
  if (Waits && MayWait) {
    Node N;
    N.Pc = stateOf(T).Pc;
    N.A = read(T, I.A);
    if (Shape.B)
      N.B = read(T, I.B);
    if (Shape.C)
      N.C = read(T, I.C);
    N.Loads = Loads;
    setResult(T, I, Values.add(N));
    ++stateOf(T).Pc;
    return true;
  }
  auto AreKnown = [&](Operand O, unsigned Slots) {
    for (unsigned K = 0; K < Slots && O >= 0; ++K)
      // Also where it is known by now: what comes behind must not depend on when this was fetched.
      if (!(MayWait ? isKnown(T, O + static_cast<int>(K)) : needs(T, O + static_cast<int>(K))))
        return false;
    return true;
  };
  if (HasNodes && !(AreKnown(I.A, Shape.A) && AreKnown(I.B, Shape.B) && AreKnown(I.C, Shape.C)))
    return false;
  runInstruction(T);
  if (stateOf(T).Status == ThreadStatus::Ready)
    for (unsigned K = 0; K < Shape.Dst && I.Dst >= 0; ++K) {
      const int32_t Slot = I.Dst + static_cast<int>(K);
      setNode(nodes(T)[Slot], HasNodes ? Values.addKnown(registers(T)[Slot], Loads) : 0);
    }
  return true;
}

} // namespace picket
