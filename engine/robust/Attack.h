// The oracle of lazy TSO reachability: looks for a computation that shows that the program, with the delays that are
// known, is not robust (figure 5 of the paper): one thread, the attacker, delays a store past a load, and from the load
// there is a chain of events in happens-before order, of the other threads, to that store reaching memory.
//
// The program with known delays is R: its threads hold delayed stores back by themselves, so that its SC computations
// are those in which stores are delayed as is known, and its TSO computations are all of the original program's. R puts
// a fence behind every store that it could have held back longer, so that nothing is found twice. Hence an attack
// begins with a load that the known delays do not let pass, and from then on no fence of R is in its way. A search for
// all attackers at once goes through three phases:
//   0  no attack yet: SC computations of R
//   1  the attacker runs on and nothing of its buffer reaches memory (W1, W2); the others as before
//   2  the attacker has executed the load. Others take only steps that happen after it (W3, W5), until one of them
//      accesses what the first delayed store writes: then flush happens after load, and the circle is closed.
#pragma once

#include "robust/Delays.h"

namespace picket {

/// The accesses that make a computation a witness, as instructions.
struct AttackPlaces {
  uint32_t Store = 0;    // the first that is delayed
  uint32_t Load = 0;     // the last past which it is
  uint32_t Observer = 0; // another thread's access of what it stores, before it gets there
};

class AttackRules : public DelayRules {
public:
  using DelayRules::DelayRules;

  void addChoices(ProcessId P, std::vector<Choice> &Into) override;
  void before(const Choice &Taken) override;
  bool after(const Choice &Taken) override;
  void save(std::string &Into) const override;
  void restore(std::string_view From) override;
  void describe(std::string &Into) const override;
  ThreadId ownBuffer() const override { return S.Phase == 0 ? StateKey::NoThread : S.Attacker; }
  bool mayReduce() const override { return S.Phase < 2; }
  bool looksAtEnds() const override { return S.Phase == 0; }
  bool sawEverything() const override { return Found.empty() && !reachedBound(); }

  /// Hears of each witness, when its last access has been made.
  std::function<void(const AttackPlaces &)> OnWitness;
  static constexpr uint32_t MostThreads = 64; // programs with more are none of its business

  /// The delays of all witnesses so far that were not allowed.
  const std::set<Delay> &found() const { return Found; }
  uint32_t witnesses() const { return Witnesses; }

private:
  enum : uint8_t { Plain, RunOn, Stop }; // how an attacker's load is meant

  struct Span {
    Address Where;
    uint32_t Size;
    uint32_t Write;
    auto operator<=>(const Span &) const = default;
    bool meets(Address Other, uint32_t OtherSize) const { return Where < Other + OtherSize && Other < Where + Size; }
  };
  struct HeldByte {
    Address Where;
    uint64_t Value;
  };
  struct State {
    uint32_t Phase = 0;
    ThreadId Attacker = StateKey::NoThread;
    Span First = {};    // what the first delayed store writes
    uint64_t After = 0; // threads that have taken a step after the load, as bits
    uint32_t NumSpans = 0, NumPassed = 0, NumHeld = 0, NumHeldPcs = 0;
    AttackPlaces At;
  };

  void hold(const StoreBuffer::Entry &E);
  bool attackGoesOn() const;
  bool beginChain();
  bool extendChain(ThreadId T);

  State S;
  std::vector<Span> Spans;   // phase 2: accesses that happen after the load, sorted
  std::vector<Delay> Passed; // by the attack, and not allowed
  // Of the attacker's buffer, which can be long: the newest value of each byte, and the stores, both sorted.
  std::vector<HeldByte> Held;
  std::vector<uint32_t> HeldPcs;
  std::set<Delay> Found;
  uint32_t Witnesses = 0;
};

} // namespace picket
