// Writes an execution of the store-buffer models down while a configuration runs it again.
#pragma once

#include "memory/Configuration.h"
#include "trace/Recording.h"

#include <map>
#include <optional>

namespace picket {

/// Turns steps of a configuration into events. The configuration must stand at its start.
class Recorder : private StepListener {
public:
  explicit Recorder(Configuration &C);

  /// Begins anew: the configuration goes back to its start, and every access is a step from now on.
  void begin();
  /// Lets P take its step and writes it down, with all that happens along.
  void step(ProcessId P);
  const std::vector<TraceEvent> &events() const { return Events; }
  /// The store behind an entry of T's buffer.
  uint32_t storeOf(ThreadId T, uint32_t Entry) const { return Entries[T][Entry]; }

  /// Ends the recording with a bug of the machine, or without one. Stores that are still in a buffer reach memory now,
  /// oldest first. Leaves names and places to be read by people in everything.
  Recording finish(const BugReport *Bug);

private:
  struct VariableKey {
    Address Where;
    uint32_t Size;
    auto operator<=>(const VariableKey &) const = default;
  };
  /// What is known of an object when it is first seen; it may be gone at the end.
  struct SeenObject {
    ObjectKind Kind;
    uint32_t Site, Owner, Size, AllocatedAt;
  };
  struct NamedObject {
    std::string Name, Suffix, Description;
    const SourceNames::Object *Source;
    const SeenObject *Seen;
  };

  void stored(ThreadId T, uint32_t Entry) override;
  void fenced(ThreadId T, const Operation *Fence) override;
  void joined(ThreadId T, ThreadId Ended) override;
  void created(ThreadId Parent, ThreadId Child) override;

  TraceEvent &add(EventKind Kind, ThreadId T, const std::vector<uint32_t> &Stack);
  TraceAccess access(Address Where, uint32_t Size, bool Write, uint64_t Low, uint64_t High);
  uint32_t variable(Address Where, uint32_t Size);
  void seeObject(Address A);
  void stepUpdate(ProcessId P);
  void stepThread(ThreadId T, ProcessId P);
  std::vector<TraceAccess> accessesOfSection(ProcessId P);
  void readMemory(const TraceVariable &V, uint64_t &Low, uint64_t &High);
  void land(uint32_t Store);
  void addBlocked(const BugReport &Bug);
  void nameEverything(Recording &R);
  std::map<uint32_t, NamedObject> nameObjects(const Recording &R) const;
  void nameAccesses(const std::map<uint32_t, NamedObject> &Named);
  void namePlaces();
  void nameShared(Recording &R);

  Configuration &C;
  Machine &M;
  const Program &P;
  bool Trying = false;                   // what happens will be taken back
  std::vector<TraceAccess> FailedAccess; // of the thread that failed: what it did not get done
  std::vector<TraceEvent> Events;
  std::vector<std::vector<uint32_t>> Stacks;  // per event
  std::vector<std::vector<uint32_t>> Entries; // per thread: the store event behind each buffer entry
  std::vector<uint32_t> LastStore;            // per thread
  std::vector<TraceVariable> Variables;
  std::map<VariableKey, uint32_t> VariableIds;
  std::vector<uint32_t> Types;            // per variable
  std::map<uint32_t, SeenObject> Objects; // by slot
};

/// Runs the execution that an exploration found (the processes of its steps, in order) up to the given bug, or (null)
/// to its end, and writes it down. `C` is the exploration's configuration, unwound to its start. Empty if it does not
/// happen again, which would be a mistake of Picket's own.
std::optional<Recording> record(Configuration &C, const std::vector<ProcessId> &Schedule, const BugReport *Bug);

/// A site (see Sharing) by name, and all that are shared.
SharedThing nameOfSite(const Program &P, uint32_t Site);
std::vector<SharedThing> sharedThings(const Program &P, const Sharing &Known);

/// The threads of a machine as a recording names them.
std::vector<TraceThread> threadsOf(const Machine &M);

} // namespace picket
