// Values that registers do not hold yet: those of loads that are not committed, and what instructions made of them. A
// node knows such a value once everything it was made from is known.
#pragma once

#include "machine/EventId.h"
#include "machine/LateEvaluation.h"
#include "machine/UndoLog.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <vector>

namespace picket {

/// A value: bits, or bits that a node knows.
struct LateValue {
  uint64_t Bits = 0;
  uint32_t Node = 0; // 0: none
};

/// Which part of what an event returned.
enum class ResultPart : uint8_t {
  Whole,
  Low, // halves of 16 bytes
  High,
  Success, // of a compare-and-swap
  Returned // by an operation on a synchronisation object
};

/// EventSet: a set of events, by their numbers.
template <typename EventSet> class LateValues {
public:
  struct Node {
    // Result: of an event; Pure: of an instruction that computes; Joined: A, and B shifted by C; Called: of a call that
    // is made late.
    enum : uint8_t { Result, Pure, Joined, Called } Kind = Pure;
    ResultPart Part = ResultPart::Whole; // Result
    bool Known = false;
    bool Upper = false;     // Pure: the upper half of a result of more than 64 bits
    EventId From = NoEvent; // Result
    uint32_t Pc = 0;        // Pure: the instruction
    uint32_t Call = 0;      // Called: which
    uint64_t Bits = 0;
    // Operands. Of a WideBinary, C and D are the upper halves of A and B; of the success of a compare-and-swap, A and B
    // are the halves of what it expected.
    LateValue A, B, C, D;
    EventSet Loads; // that it was made from
  };

  LateValues(const Program &Prog, UndoLog &Undo) : Prog(Prog), Undo(Undo) {}

  uint32_t size() const { return static_cast<uint32_t>(Nodes.size()); }
  /// The nodes behind the first so many are no more.
  void drop(size_t Keep) {
    assert(Keep > 0 && Keep <= Nodes.size());
    Nodes.resize(Keep);
  }
  size_t bytes() const { return Nodes.size() * sizeof(Node); }
  const Node &operator[](uint32_t N) const { return Nodes[N]; }

  uint32_t add(const Node &N) {
    assert(std::max({N.A.Node, N.B.Node, N.C.Node, N.D.Node}) < Nodes.size() &&
           "operands come before what is made of them");
    Nodes.push_back(N);
    return static_cast<uint32_t>(Nodes.size() - 1);
  }
  /// A value that is known, and made from loads.
  uint32_t addKnown(uint64_t Bits, const EventSet &Loads) {
    Node N;
    N.Known = true;
    N.Bits = Bits;
    N.Loads = Loads;
    return add(N);
  }
  uint32_t addResult(EventId From, ResultPart Part) {
    Node N;
    N.Kind = Node::Result;
    N.Part = Part;
    N.From = From;
    N.Loads.insert(From);
    return add(N);
  }
  /// Whether a compare-and-swap finds what it expects.
  uint32_t addSuccess(EventId From, LateValue Expected, LateValue Expected2) {
    Node N;
    N.Kind = Node::Result;
    N.Part = ResultPart::Success;
    N.From = From;
    N.A = Expected;
    N.B = Expected2;
    N.Loads.insert(From);
    N.Loads |= loadsOf(Expected) | loadsOf(Expected2);
    return add(N);
  }
  /// A value of which B is the part from bit Shift on, and A the rest.
  uint32_t addJoined(uint32_t A, uint32_t B, uint32_t Shift) {
    Node N;
    N.Kind = Node::Joined;
    N.A = {0, A};
    N.B = {0, B};
    N.C = {Shift, 0};
    N.Loads = loadsOf(N.A) | loadsOf(N.B);
    return add(N);
  }

  /// The loads that a value is made from.
  EventSet loadsOf(const LateValue &V) const { return V.Node ? Nodes[V.Node].Loads : EventSet(); }

  /// Whether a value is known; its bits. What is found out is remembered. Source knows what events and late calls
  /// returned: see SpeculativeInterpreter.
  template <typename Source> bool resolve(const LateValue &V, uint64_t &Bits, Source &From);

private:
  template <typename Source> bool resolveNode(uint32_t Of, Source &From);

  const Program &Prog;
  UndoLog &Undo;
  std::deque<Node> Nodes{1}; // 0: no node. What is saved by address stays where it is
};

template <typename EventSet>
template <typename Source>
bool LateValues<EventSet>::resolve(const LateValue &V, uint64_t &Bits, Source &From) {
  if (!V.Node) {
    Bits = V.Bits;
    return true;
  }
  if (!Nodes[V.Node].Known && !resolveNode(V.Node, From))
    return false;
  Bits = Nodes[V.Node].Bits;
  return true;
}

/// A value may be made from as many others as the program took steps, so those wait in a list and not on the stack.
template <typename EventSet>
template <typename Source>
bool LateValues<EventSet>::resolveNode(uint32_t Of, Source &From) {
  static thread_local std::vector<uint32_t> Pending; // kept for its memory
  Pending.assign(1, Of);
  auto Knows = [&](const LateValue &V) {
    if (V.Node && !Nodes[V.Node].Known)
      Pending.push_back(V.Node);
    return !V.Node || Nodes[V.Node].Known;
  };
  auto BitsOf = [&](const LateValue &V) { return V.Node ? Nodes[V.Node].Bits : V.Bits; };
  while (!Pending.empty()) {
    Node &N = Nodes[Pending.back()];
    uint64_t Found = 0;
    if (N.Known) {
      Pending.pop_back();
      continue;
    }
    switch (N.Kind) {
    case Node::Result:
      if (!From.isCommitted(N.From))
        return false;
      if (!Knows(N.A) || !Knows(N.B))
        continue;
      Found = From.resultOf(N.From, N.Part, BitsOf(N.A), BitsOf(N.B));
      break;
    case Node::Joined:
      if (!Knows(N.A) || !Knows(N.B))
        continue;
      Found = BitsOf(N.A) | BitsOf(N.B) << N.C.Bits;
      break;
    case Node::Called: {
      const std::vector<LateValue> &Arguments = From.argumentsOf(N.Call);
      if (!std::all_of(Arguments.begin(), Arguments.end(), Knows))
        continue;
      Found = From.makeCall(N.Call);
      break;
    }
    case Node::Pure: {
      if (!Knows(N.A) || !Knows(N.B) || !Knows(N.C) || !Knows(N.D))
        continue;
      const Instruction &I = Prog.Code[N.Pc];
      Found = isWideOpcode(I.Op) ? evaluateHalf(I, N.Upper, BitsOf(N.A), BitsOf(N.B), BitsOf(N.C), BitsOf(N.D))
                                 : evaluate(I, BitsOf(N.A), BitsOf(N.B), BitsOf(N.C));
      break;
    }
    }
    Pending.pop_back();
    Undo.save(N.Known);
    Undo.save(N.Bits);
    N.Known = true;
    N.Bits = Found;
  }
  return true;
}

} // namespace picket
