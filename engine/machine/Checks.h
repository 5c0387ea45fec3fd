// Which kinds of bugs are looked for. They are chosen in groups, by one table that the command line, the settings, the
// reports and the documentation read.
#pragma once

#include "machine/Bug.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace picket {

enum class CheckGroup : uint8_t {
  Assertion,
  Abort,
  Memory,
  Deadlock,
  Hang,
  Misuse,
  Division,
  Unreachable,
  Leak,
  Uninitialised,
  Overflow,
  Race
};

struct CheckGroupInfo {
  CheckGroup Group;
  const char *Name;    // "memory"
  const char *Meaning; // a phrase: "null, out-of-bounds, ... accesses"
  bool ByDefault;
};
/// In the order in which they are told.
extern const std::array<CheckGroupInfo, 12> CheckGroups;

const char *nameOf(CheckGroup Group);

struct BugKindInfo {
  BugKind Kind;
  const char *Name; // "use-after-free"
  CheckGroup Group;
  const char *Sentence; // "Memory is accessed after it was freed."
};
/// One for each kind, in the order of the enum.
extern const std::array<BugKindInfo, 22> BugKinds;

std::optional<BugKind> bugKindNamed(std::string_view Name);

/// A set of groups. A bug of another group is not reported: an execution ends where it cannot go on, and is counted as
/// one that ended in an error which is not checked.
class Checks {
public:
  Checks(); // the default
  static Checks none() { return Checks(0); }
  static Checks all();
  static Checks only(BugKind Kind) { return Checks(1u << static_cast<unsigned>(groupOf(Kind))); }

  bool has(CheckGroup Group) const { return Bits >> static_cast<unsigned>(Group) & 1; }
  bool has(BugKind Kind) const { return has(groupOf(Kind)); }
  void set(CheckGroup Group, bool On) {
    const uint32_t Bit = 1u << static_cast<unsigned>(Group);
    Bits = On ? Bits | Bit : Bits & ~Bit;
  }
  bool operator==(const Checks &) const = default;

  /// The names of those that are on, or of those that are on by default and are off here.
  std::vector<std::string> names() const;
  std::vector<std::string> namesLeftOut() const;

  static CheckGroup groupOf(BugKind Kind) { return BugKinds[static_cast<size_t>(Kind)].Group; }

private:
  explicit Checks(uint32_t Bits) : Bits(Bits) {}
  uint32_t Bits;
};

/// What somebody chose: names of groups, one after the other. A name means this group too, one with '-' or "no-" in
/// front not this group; "default", "all" and "none" stand for sets. A list that begins by leaving something out starts
/// from the default. Returns what is wrong, or nothing.
std::string parseChecks(const std::vector<std::string> &Names, Checks &Into);

} // namespace picket
