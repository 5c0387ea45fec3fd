// Records an execution of the store-buffer models while a configuration runs it again.
#pragma once

#include "memory/Configuration.h"
#include "trace/Draft.h"

#include <map>
#include <optional>

namespace picket {

/// Turns steps of a configuration into events. The configuration must stand at its start.
class Recorder : private StepListener {
public:
  explicit Recorder(Configuration &C);
  ~Recorder() override;
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// Begins anew: the configuration goes back to its start, and every access is a step from now on.
  void begin();
  /// Lets P take its step and records it, with everything that happens in it.
  void step(ProcessId P);
  const std::vector<TraceEvent> &events() const { return Into.Events; }
  /// The store that made an entry of T's buffer.
  uint32_t storeOf(ThreadId T, uint32_t Entry) const { return Entries[T][Entry]; }

  /// Ends the recording with a bug of the machine, or without one. Stores that are still in a buffer reach memory now,
  /// oldest first. Adds names and source locations for people.
  Recording finish(const BugReport *Bug);

private:
  void stored(ThreadId T, uint32_t Entry) override;
  void fenced(ThreadId T, const Operation *Fence) override;
  void joined(ThreadId T, ThreadId Ended) override;
  void created(ThreadId Parent, ThreadId Child) override;

  TraceEvent &add(EventKind Kind, ThreadId T, const std::vector<uint32_t> &Stack);
  void stepUpdate(ProcessId P);
  void stepThread(ThreadId T, ProcessId P);
  std::vector<TraceAccess> accessesOfSection(ProcessId P);
  void land(uint32_t Store);
  void addChoicesOfStart(ThreadId T, uint32_t HadChildren);

  struct StartChoice {
    ThreadId Thread;
    uint32_t Children; // that it had created by then
    int64_t Value;
    std::vector<uint32_t> Stack;
  };

  Configuration &Config;
  Machine &Mach;
  Draft Into;
  std::vector<StartChoice> AtStart; // while it begins
  std::map<ThreadId, uint32_t> Children;
  bool Starting = false;
  bool Trying = false;                                    // the current step will be undone
  std::vector<TraceAccess> FailedAccess;                  // of the thread that failed: the access that it could not do
  std::vector<std::pair<size_t, uint32_t>> LandedTooLate; // (which bug, how many events there were) of updates
  std::vector<std::vector<uint32_t>> Entries;             // per thread: the store event of each buffer entry
  std::vector<uint32_t> LastStore;                        // per thread
};

/// Runs the execution that an exploration found (the processes of its steps, in order) up to the given bug, or (null)
/// to its end, and records it. `C` is the exploration's configuration, unwound to its start. Empty if it does not
/// happen again, which would be a bug in Picket.
std::optional<Recording> record(Configuration &C, const std::vector<ProcessId> &Schedule, const BugReport *Bug);

} // namespace picket
