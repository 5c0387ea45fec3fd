#include "machine/Checks.h"

namespace picket {

const std::array<CheckGroupInfo, 12> CheckGroups = {{
    {CheckGroup::Assertion, "assertion", "assertions that fail, error functions that are reached", true},
    {CheckGroup::Abort, "abort", "calls of abort", true},
    {CheckGroup::Memory, "memory",
     "null, out-of-bounds, use-after-free and other invalid accesses, misuse of free and of alignments, stack overflows",
     true},
    {CheckGroup::Deadlock, "deadlock", "threads that wait for each other forever", true},
    {CheckGroup::Hang, "hang", "loops that never end", true},
    {CheckGroup::Misuse, "misuse", "locks, condition variables, barriers and threads used in ways that are undefined",
     true},
    {CheckGroup::Division, "division", "integer divisions by zero", true},
    {CheckGroup::Unreachable, "unreachable", "code that is declared unreachable and reached", true},
    {CheckGroup::Leak, "leak", "heap blocks that are never freed and that nothing points to when the process ends",
     false},
    {CheckGroup::Uninitialised, "uninitialised", "reads of uninitialised memory", false},
    {CheckGroup::Overflow, "overflow", "signed integers that overflow, shifts that are too wide", false},
    {CheckGroup::Race, "race",
     "under C11: data races (accesses of the same memory that nothing orders, one of them not atomic)", true},
}};

const std::array<BugKindInfo, 22> BugKinds = {{
    {BugKind::Assertion, "assertion", CheckGroup::Assertion, "An assertion fails."},
    {BugKind::Abort, "abort", CheckGroup::Abort, "The program aborts."},
    {BugKind::Deadlock, "deadlock", CheckGroup::Deadlock, "Threads wait for each other and none can go on."},
    {BugKind::Hang, "hang", CheckGroup::Hang, "A loop waits for something that never comes."},
    {BugKind::NullAccess, "null-access", CheckGroup::Memory, "A null pointer is used to access memory."},
    {BugKind::InvalidAccess, "invalid-access", CheckGroup::Memory, "Memory is accessed through an invalid pointer."},
    {BugKind::OutOfBounds, "out-of-bounds", CheckGroup::Memory, "An access goes beyond the bounds of its object."},
    {BugKind::UseAfterFree, "use-after-free", CheckGroup::Memory, "Memory is accessed after it was freed."},
    {BugKind::DoubleFree, "double-free", CheckGroup::Memory, "Memory is freed twice."},
    {BugKind::InvalidFree, "invalid-free", CheckGroup::Memory, "A pointer is freed that no allocation returned."},
    {BugKind::DivisionByZero, "division-by-zero", CheckGroup::Division, "A number is divided by zero."},
    {BugKind::UnlockNotHeld, "unlock-not-held", CheckGroup::Misuse,
     "A lock is released by a thread that does not hold it."},
    {BugKind::DestroyedObject, "destroyed-object", CheckGroup::Misuse, "A destroyed synchronisation object is used."},
    {BugKind::BadSynchronisation, "bad-synchronisation", CheckGroup::Misuse, "A synchronisation object is misused."},
    {BugKind::StackOverflow, "stack-overflow", CheckGroup::Memory, "The stack overflows."},
    {BugKind::Unreachable, "unreachable", CheckGroup::Unreachable, "Code that is declared unreachable is reached."},
    {BugKind::InitialisedInUse, "initialised-in-use", CheckGroup::Misuse,
     "A synchronisation object is initialised again while it is in use."},
    {BugKind::InvalidAlignment, "invalid-alignment", CheckGroup::Memory,
     "Memory is allocated with an alignment that is not a power of two."},
    {BugKind::Leak, "leak", CheckGroup::Leak, "Memory is never freed, and nothing points to it any more."},
    {BugKind::Uninitialised, "uninitialised", CheckGroup::Uninitialised, "Uninitialised memory is read."},
    {BugKind::Overflow, "overflow", CheckGroup::Overflow, "A signed integer overflows, or a shift is too wide."},
    {BugKind::DataRace, "data-race", CheckGroup::Race,
     "Two threads access the same memory, nothing orders the accesses, and one of them is a plain one."},
}};

const char *nameOf(BugKind Kind) { return BugKinds[static_cast<size_t>(Kind)].Name; }

const char *nameOf(CheckGroup Group) { return CheckGroups[static_cast<size_t>(Group)].Name; }

std::optional<BugKind> bugKindNamed(std::string_view Name) {
  for (const BugKindInfo &K : BugKinds)
    if (Name == K.Name)
      return K.Kind;
  return std::nullopt;
}

Checks::Checks() : Bits(0) {
  for (const CheckGroupInfo &G : CheckGroups)
    set(G.Group, G.ByDefault);
}

Checks Checks::all() {
  Checks All(0);
  for (const CheckGroupInfo &G : CheckGroups)
    All.set(G.Group, true);
  return All;
}

std::vector<std::string> Checks::names() const {
  std::vector<std::string> Names;
  for (const CheckGroupInfo &G : CheckGroups)
    if (has(G.Group))
      Names.push_back(G.Name);
  return Names;
}

std::vector<std::string> Checks::namesLeftOut() const {
  std::vector<std::string> Names;
  for (const CheckGroupInfo &G : CheckGroups)
    if (G.ByDefault && !has(G.Group))
      Names.push_back(G.Name);
  return Names;
}

static std::string knownNames() {
  std::string All;
  for (const CheckGroupInfo &G : CheckGroups)
    All += std::string(G.Name) + ", ";
  return All + "default, all, none";
}

std::string parseChecks(const std::vector<std::string> &Names, Checks &Into) {
  Checks Chosen = Checks::none();
  bool First = true;
  for (std::string_view Name : Names) {
    while (!Name.empty() && Name.front() == ' ')
      Name.remove_prefix(1);
    while (!Name.empty() && Name.back() == ' ')
      Name.remove_suffix(1);
    bool On = true;
    for (std::string_view Not : {"no-", "-"})
      if (On && Name.substr(0, Not.size()) == Not) {
        Name.remove_prefix(Not.size());
        On = false;
      }
    if (First && !On)
      Chosen = Checks();
    First = false;
    if (On && Name == "default") {
      for (const CheckGroupInfo &G : CheckGroups)
        if (G.ByDefault)
          Chosen.set(G.Group, true);
      continue;
    }
    if (On && (Name == "all" || Name == "none")) {
      Chosen = Name == "all" ? Checks::all() : Checks::none();
      continue;
    }
    const CheckGroupInfo *Known = nullptr;
    for (const CheckGroupInfo &G : CheckGroups)
      if (Name == G.Name)
        Known = &G;
    if (!Known)
      return "'" + std::string(Name) + "' is no kind of bug (" + knownNames() + ")";
    Chosen.set(Known->Group, On);
  }
  if (First)
    return "no kind of bug is named (" + knownNames() + ")";
  Into = Chosen;
  return "";
}

} // namespace picket
