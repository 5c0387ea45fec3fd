// The graph of a program's states and the steps between them, and the search for livelocks in it: ways to go on for
// ever without progress. Threads that go round loops are no bug by themselves; servers do. They make progress if they
// leave a loop that can be left, or complete a round of one that cannot.
#pragma once

#include "memory/Configuration.h"

#include <optional>

namespace picket {

class StateGraph {
public:
  void clear();
  /// A state. `Enabled`: the processes that could take a step there; `Counts`: it is one of the program, and not of a
  /// question about it.
  void addState(uint32_t State, const std::vector<ProcessId> &Enabled, bool Counts);
  /// A step of the configuration, which has just been taken.
  void addStep(uint32_t From, uint32_t To, ProcessId Process, const Configuration &C);
  /// Adds what another has seen of the same graph: states have the same numbers there.
  void add(const StateGraph &Other);
  uint64_t bytesWithGrowth() const;

  struct Livelock {
    ThreadId Thread;            // it never leaves this loop
    uint32_t Loop;              // index into Program::Loops
    bool Alone;                 // nobody else does anything
    std::vector<ProcessId> Way; // from the first state to the cycle and once round
  };
  /// A cycle that is fairly scheduled (every process that could go on again and again does) without progress; or all
  /// states that are left to the program, if one of the threads gets nowhere in them.
  /// None, too, if there is no time left: `Stop` is asked now and then. `Suspected`: threads go round and get nowhere,
  /// but others would have to take steps, which the graph may not have.
  std::optional<Livelock> findLivelock(const std::function<bool()> &Stop, bool &Suspected) const;

private:
  struct Step {
    uint32_t From, To;
    ProcessId Process;
    uint32_t Effects; // index into EffectSets
  };
  /// What a step did to a loop that a thread is in.
  struct LoopEffect {
    enum Kind : uint8_t {
      WentRound,      // a loop that can be left
      WentRoundFully, // one that cannot: that is what it is for
      Left,           // and is in no other that can be left
      LeftForOuter    // a loop in a loop
    } What;
    ThreadId Thread;
    uint32_t Loop;
    auto operator<=>(const LoopEffect &) const = default;
  };
  struct Search;

  uint32_t numberOf(const std::vector<LoopEffect> &All);

  std::vector<Step> Steps;
  std::vector<uint64_t> Enabled; // per state: processes, as bits
  std::vector<bool> Counting;    // per state
  std::vector<ThreadId> Threads; // per process
  std::vector<std::vector<LoopEffect>> EffectSets{{}};
  std::map<std::vector<LoopEffect>, uint32_t> EffectSetIds{{{}, 0}};
  bool Circles = false, TooManyProcesses = false;
};

} // namespace picket
