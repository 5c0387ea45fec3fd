// Values that are known or wait for loads, and instructions that make others of them. A part of OutOfOrder.cpp: not for
// others to include.
#pragma once

#include "machine/Arithmetic.h"
#include "machine/Interpreter.h"
#include "memory/OutOfOrder.h"
#include "program/Operands.h"

#include <sys/mman.h>

namespace picket {

template <unsigned Words> uint64_t *OutOfOrder<Words>::registers(ThreadId T) {
  Thread &Thread = Parts.Threads[T];
  return Thread.Registers + (Thread.State.Depth ? Thread.Frames[Thread.State.Depth - 1].Base : 0);
}

template <unsigned Words> uint32_t *OutOfOrder<Words>::tags(ThreadId T) {
  return Tags[T].get() + (registers(T) - Parts.Threads[T].Registers);
}

constexpr size_t TagBytes = Thread::MaxRegisters * sizeof(uint32_t);

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

inline uint64_t evaluate(const Instruction &I, uint64_t A, uint64_t B, uint64_t C) {
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
  case Opcode::UDiv:
  case Opcode::SDiv:
  case Opcode::URem:
  case Opcode::SRem:
    if (lowBits(B, I.Width) == 0)
      return 0; // a bug (failDivisions), behind which nothing counts
    [[fallthrough]];
  default:
    if (I.Op >= Opcode::FAdd && I.Op <= Opcode::FTrunc)
      return evaluateFloating(I, A, B);
    return static_cast<uint64_t>(evaluateWide(I.Op, A, B, I.Width));
  }
}

/// Instructions that can become nodes. The others, of more than 64 bits, wait for their operands: few programs have them
/// between shared accesses.
inline bool canWait(Opcode Op) {
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
  default: return (Op >= Opcode::Add && Op <= Opcode::SLe) || (Op >= Opcode::FAdd && Op <= Opcode::FTrunc);
  }
}

inline bool divides(Opcode Op) {
  return Op == Opcode::UDiv || Op == Opcode::SDiv || Op == Opcode::URem || Op == Opcode::SRem;
}

/// Instructions on more than 64 bits.
inline bool isWideOpcode(Opcode Op) {
  return Op == Opcode::WideMove || Op == Opcode::ToWide || Op == Opcode::WideSelect || Op == Opcode::WideBinary;
}
/// They can become nodes, one for each half of the result; but for divisions.
inline bool canWaitWide(const Instruction &I) {
  return isWideOpcode(I.Op) && !(I.Op == Opcode::WideBinary && divides(static_cast<Opcode>(I.Flags)));
}
inline uint64_t evaluateHalf(const Instruction &I, bool Upper, uint64_t A, uint64_t B, uint64_t C, uint64_t D) {
  auto Half = [&](Wide V) { return static_cast<uint64_t>(Upper ? V >> 64 : V); };
  switch (I.Op) {
  case Opcode::WideMove: return A;
  case Opcode::WideSelect: return A ? B : C;
  case Opcode::ToWide: {
    const Wide V = I.Flags ? static_cast<Wide>(static_cast<SignedWide>(signedValue(A, I.Width))) : A;
    return Half(lowBitsWide(V, static_cast<unsigned>(I.C)));
  }
  default: return Half(evaluateWide(static_cast<Opcode>(I.Flags), makeWide(A, C), makeWide(B, D), I.Width));
  }
}

/// A value may be made from as many others as the program took steps, so those wait in a list and not on the stack.
template <unsigned Words> bool OutOfOrder<Words>::resolve(const Value &V, uint64_t &Bits) {
  if (!V.Node) {
    Bits = V.Bits;
    return true;
  }
  if (!Nodes[V.Node].Known) {
    static thread_local std::vector<uint32_t> Pending; // kept for its memory
    Pending.assign(1, V.Node);
    auto Knows = [&](const Value &Of) {
      if (Of.Node && !Nodes[Of.Node].Known)
        Pending.push_back(Of.Node);
      return !Of.Node || Nodes[Of.Node].Known;
    };
    auto BitsOf = [&](const Value &Of) { return Of.Node ? Nodes[Of.Node].Bits : Of.Bits; };
    while (!Pending.empty()) {
      Node &N = Nodes[Pending.back()];
      uint64_t Found = 0;
      if (N.Known) {
        Pending.pop_back();
        continue;
      }
      if (N.Kind == Node::Joined) {
        if (!Knows(N.A) || !Knows(N.B))
          continue;
        Found = BitsOf(N.A) | BitsOf(N.B) << N.C.Bits;
      } else if (N.Kind == Node::Called) {
        const LateCall &Call = Calls[N.Call];
        if (!std::all_of(Call.Arguments.begin(), Call.Arguments.end(), Knows))
          continue;
        Found = makeCall(Call);
      } else if (N.Kind != Node::Pure) {
        if (!G.Committed.contains(N.From))
          return false;
        const Access &From = Accesses[N.From];
        Found = G[N.From].Value;
        if (N.Kind == Node::Success) {
          if (!Knows(From.Expected) || !Knows(From.Expected2))
            continue;
          Found = isValue(From.Op, Found, BitsOf(From.Expected), BitsOf(From.Expected2)) && !From.Op.Fails;
        } else if (N.Kind == Node::Low || N.Kind == Node::High) {
          Found = Memory::readWord(stateOf(Found) + (N.Kind == Node::High ? 8 : 0), 8);
        } else if (N.Kind == Node::Returned) {
          Found = static_cast<uint32_t>(From.Result.Value);
        }
      } else {
        if (!Knows(N.A) || !Knows(N.B) || !Knows(N.C) || !Knows(N.D))
          continue;
        const Instruction &I = P.Code[N.Pc];
        Found = isWideOpcode(I.Op) ? evaluateHalf(I, N.Upper, BitsOf(N.A), BitsOf(N.B), BitsOf(N.C), BitsOf(N.D))
                                   : evaluate(I, BitsOf(N.A), BitsOf(N.B), BitsOf(N.C));
      }
      Pending.pop_back();
      M.undo().save(N.Known);
      M.undo().save(N.Bits);
      N.Known = true;
      N.Bits = Found;
    }
  }
  Bits = Nodes[V.Node].Bits;
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

/// Makes nodes for the halves of a result of more than 64 bits.
template <unsigned Words> void OutOfOrder<Words>::waitWide(ThreadId T, const Instruction &I, const Set &Loads) {
  uint32_t Halves[2] = {};
  for (bool Upper : {false, true}) {
    auto Read = [&](Operand O) { return Upper ? readUpper(T, O) : read(T, O); };
    Node N;
    N.Pc = M.pc(T);
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
    Halves[Upper] = newNode(N);
  }
  for (unsigned K = 0; K < shapeOf(I).Dst; ++K) // comparisons have one
    setTag(tags(T)[I.Dst + static_cast<int>(K)], Halves[K]);
  ++Parts.Threads[T].State.Pc;
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
  const bool MayWait = canWait(I.Op) || canWaitWide(I);
  if (Waiting && divides(I.Op)) { // the least number divided by -1 is looked for by a FailIf in front of it
    const Value Divisor = read(T, I.B);
    uint64_t Bits = 0;
    if (!resolve(Divisor, Bits)) {
      Divisions.push_back({T, M.pc(T), Flows[T].NumEvents, Divisor});
    } else if (lowBits(Bits, I.Width) == 0) { // a bug, whatever is divided
      known(T, I.B);
      return runInstruction(T);
    }
  }
  if (Waiting && canWaitWide(I)) {
    waitWide(T, I, Loads);
    return true;
  }
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
    ++Parts.Threads[T].State.Pc;
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

} // namespace picket
