// The oracle of lazy reachability: searches for a computation that shows that the program, with the delays that are
// known, is not robust (figure 5 of the paper): one thread, the attacker, delays a store past a later access, and from
// that there is a chain of events in happens-before order, of the other threads, to that store reaching memory.
//
// The program with known delays is R: its threads hold delayed stores back by themselves, so that its SC computations
// are those in which stores are delayed as is known, and its TSO (PSO) computations are all of the original program's.
// R puts a fence behind every store that it could have held back longer, so that nothing is found twice. Hence an
// attack begins with an access that the known delays do not let pass, and from then on no fence of R is in its way. A
// search for all attackers together goes through three phases:
//   0  no attack yet: SC computations of R
//   1  the attacker runs on, its late stores stay in the buffer (W1, W2); the others as before
//   2  the attacker has executed the access. Others take only steps that happen after it (W3, W5), until one of them
//      accesses what the first late store writes: then that happens after the access, and the circle is closed.
//
// Under TSO all stores from the first late one on are late, and the accesses past which they are delayed are loads.
// Under PSO only those are late that have to reach memory after the first: stores to the same location, and those
// behind a store-store barrier. The attacker's other stores go on as R says, and one that reaches memory overtakes the
// late ones as a load does. docs/robustness.md has the argument why one thread with one such set of late stores is
// enough.
//
// AttackRules is large because it answers for each phase what StateWalk asks its rules, and takes each answer back.
#pragma once

#include "robust/Delays.h"

#include <unordered_map>

namespace picket {

/// The accesses that make a computation a witness, as instructions.
struct AttackPlaces {
  uint32_t Store = 0;    // the first that is delayed
  uint32_t Access = 0;   // the last past which it is: a load, under PSO also a store
  uint32_t Observer = 0; // another thread's access of what it stores, before it gets there
};

class AttackRules : public DelayRules {
public:
  /// C must have started.
  AttackRules(Configuration &C, const Delays &Allowed) : DelayRules(C, Allowed) { noteStores(); }

  void addChoices(ProcessId P, std::vector<Choice> &Into) override;
  void arrange(std::vector<Choice> &Choices, size_t First) const override;
  void before(const Choice &Taken) override;
  bool after(const Choice &Taken) override;
  void save(std::string &Into) const override;
  void restore(std::string_view From) override;
  void describe(std::string &Into) const override;
  ThreadId ownBuffer() const override { return Current.Phase == 0 ? StateKey::NoThread : Current.Attacker; }
  bool mayReduce() const override { return Current.Phase < 2; }
  bool looksAtEnds() const override { return Current.Phase == 0; }
  bool sawEverything() const override { return found().empty() && !reachedBound(); }
  void add(const StepRules &Other) override;

  /// Hears of each witness, when its last access has been made.
  std::function<void(const AttackPlaces &)> OnWitness;
  static constexpr uint32_t MostThreads = 64; // programs with more threads are not searched

  /// The delays of all witnesses so far that were not allowed.
  std::set<Delay> found() const;
  uint32_t witnesses() const { return Witnesses; }

private:
  enum : uint8_t { Plain, RunOn, Stop }; // how an attacker's access is meant

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
  /// A store in the attacker's buffer that is not late (PSO).
  struct Timely {
    uint32_t Entry;
    uint32_t MayPassLate; // the delays let it overtake the late stores that are older
  };
  struct State {
    uint32_t Phase = 0;
    ThreadId Attacker = StateKey::NoThread;
    Span First = {};    // what the first delayed store writes
    uint64_t After = 0; // threads that have taken a step after the access, as bits
    uint32_t FirstEntry = 0;
    uint32_t NumSpans = 0, NumPassed = 0, NumHeld = 0, NumHeldPcs = 0, NumOnTime = 0;
    AttackPlaces At;
  };

  void addAttack(ProcessId P, std::vector<Choice> &Into);
  void addOfAttacker(ProcessId P, std::vector<Choice> &Into);
  bool planAttack(ProcessId P, uint32_t &First, std::vector<Timely> &Others) const;
  void addStore(uint32_t Entry);
  void hold(const StoreBuffer::Entry &E);
  bool isHeld(Address Where, uint32_t Size) const;
  void notePassed(const Choice &Taken, uint32_t Pc);
  bool isAnyOrder() const { return Config.buffering() == Buffering::PerLocation; }
  const Timely *findTimely(uint32_t Entry) const;
  bool mayPassTimely(uint32_t Entry, uint32_t Pc) const;
  bool attackGoesOn() const;
  bool isAfter(ThreadId T) const { return T < MostThreads && (Current.After >> T & 1); }
  bool meetsChain(const Span &New) const;
  bool beginChain();
  bool extendChain(ThreadId T);
  void findWaitingObservers();
  void noteStores();
  void describeOnTime(std::string &Into) const;

  State Current;
  std::vector<Span> Spans;   // phase 2: accesses that happen after the attacker's last, sorted
  std::vector<Delay> Passed; // by the attack, and not allowed
  // Of the attacker's late stores, which can be many: the newest value of each byte, and the instructions, both sorted.
  std::vector<HeldByte> Held;
  std::vector<uint32_t> HeldPcs;
  std::vector<Timely> OnTime; // the others in its buffer
  std::set<Delay> Found;
  uint32_t Witnesses = 0;
  // PSO: what a late store writes was accessed only by a thread that waits in a loop, and goes on waiting.
  std::set<std::pair<Span, std::vector<Delay>>> Waiting; // with the first late store
  /// Per byte: a store of it, as thread and operation, and whether there are others.
  struct Writer {
    ThreadId Thread;
    uint32_t Operation;
    bool IsOnly;
  };
  std::unordered_map<Address, Writer> Writers;
};

} // namespace picket
