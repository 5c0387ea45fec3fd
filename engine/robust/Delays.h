// Delays: which stores may be delayed past which later accesses of their thread. With no delays a program runs as under
// SC, with all delays as under TSO or PSO; sets in between give the program of lazy reachability ("Lazy TSO
// Reachability", section 3), extended by the delays that were found so far.
#pragma once

#include "explore/StateWalk.h"

#include <set>

namespace picket {

/// A store that may still be in its thread's buffer when a later access of the thread is executed: a load, or, under
/// PSO, a read-modify-write or a store that reaches memory. Both are instructions.
struct Delay {
  uint32_t Store, Access;
  auto operator<=>(const Delay &) const = default;
};

struct Delays {
  std::set<Delay> Known;
  uint32_t MostBuffered = 4; // stores that may be delayed at a time
};

/// Lets stores be delayed only as the delays say: a thread empties its buffer before it goes on to any other access,
/// and lets stores reach memory in order.
class DelayRules : public StepRules {
public:
  DelayRules(Configuration &C, const Delays &Allowed) : Config(C), Allowed(Allowed) {}

  void addChoices(ProcessId P, std::vector<Choice> &Into) override {
    if (Config.isUpdate(P) ? mayLand(P) : mayPass(Config.threadOf(P)) == Pass::Yes)
      Into.push_back({P});
  }
  /// What SC does not do comes first: the other states are known.
  void arrange(std::vector<Choice> &Choices, size_t First) const override;
  /// Other delays may lead elsewhere.
  bool sawEverything() const override { return false; }
  void add(const StepRules &Other) override { ReachedBound |= static_cast<const DelayRules &>(Other).ReachedBound; }
  /// A step was not taken only because more stores would have been delayed at a time than there may be.
  bool reachedBound() const { return ReachedBound; }

protected:
  enum class Pass : uint8_t { Yes, No, TooMany };
  /// Whether the pending operation of T, which is possible, may happen while T has stores in its buffer.
  Pass mayPass(ThreadId T);
  /// Whether the store that the update process P would land may overtake the older ones that are in the buffer.
  bool mayLand(ProcessId P) const;
  bool isAllowed(const StoreBuffer::Entry &Store, uint32_t Pc) const { return Allowed.Known.count({Store.Pc, Pc}) > 0; }
  /// A step would have delayed too many stores.
  void noteBound() { ReachedBound = true; }

  Configuration &Config;
  const Delays &Allowed;

private:
  bool ReachedBound = false;
};

} // namespace picket
