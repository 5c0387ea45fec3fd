// Draft: a recording under construction, with events, their call stacks, and the memory they access. finish() adds
// names, values as in the source and source locations, when everything that needs a name is known.
#pragma once

#include "machine/Machine.h"
#include "program/SourceNames.h"
#include "trace/Recording.h"

#include <map>

namespace picket {

class Draft {
public:
  explicit Draft(Machine &M) : Mach(M), Prog(M.program()) {}

  std::vector<TraceEvent> Events;
  std::vector<std::vector<uint32_t>> Stacks; // per event
  std::vector<TraceVariable> Variables;

  void clear();
  TraceEvent &add(EventKind Kind, ThreadId T, const std::vector<uint32_t> &Stack);
  TraceAccess access(Address Where, uint32_t Size, bool Write, uint64_t Low, uint64_t High);
  /// To be asked before the access happens: what is in memory now is the variable's initial value.
  uint32_t variable(Address Where, uint32_t Size);
  void readMemory(const TraceVariable &V, uint64_t &Low, uint64_t &High);

  /// Ends the story with a bug of the machine. Failed: what its thread was about to access.
  TraceEvent &addBug(const BugReport &Bug, std::vector<TraceAccess> Failed);
  /// Gives everything its name. The draft is empty afterwards.
  Recording finish(MemoryModel Model);

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

  void seeObject(Address A);
  void addBlocked(const BugReport &Bug);
  void nameEverything(const Recording &R);
  std::map<uint32_t, NamedObject> nameObjects(const Recording &R) const;
  void nameAccesses(const std::map<uint32_t, NamedObject> &Named);
  void namePlaces();

  Machine &Mach;
  const Program &Prog;
  std::map<VariableKey, uint32_t> VariableIds;
  std::vector<uint32_t> Types;            // per variable
  std::map<uint32_t, SeenObject> Objects; // by slot
  Recording Result;                       // the bug
};

/// A site (see Sharing) by name, and all that are shared.
SharedThing nameOfSite(const Program &P, uint32_t Site);
std::vector<SharedThing> sharedThings(const Program &P, const Sharing &Known);
/// Marks the sites that have the names.
void markShared(const Program &P, const std::vector<SharedThing> &Things, Sharing &Known);

/// The threads of a machine as a recording names them.
std::vector<TraceThread> threadsOf(const Machine &M);

} // namespace picket
