// Reads the initial state of a litmus test: the part in braces before the code.
#pragma once

#include "litmus/LitmusInstructions.h"
#include "litmus/LitmusText.h"

namespace picket {

class LitmusInitialState {
public:
  LitmusInitialState(LitmusArchitecture Architecture, RegisterName ToRegister)
      : Architecture(Architecture), ToRegister(ToRegister) {}

  /// From '{' to '}'.
  void read(LitmusCursor &Text);
  /// Gives locations and registers their values, once it is known how many threads there are.
  void apply(LitmusLocations &Locations, std::vector<LitmusThread> &Threads) const;

private:
  /// What is written in front of a name.
  struct Type {
    uint8_t Size = 0; // 4 or 8; 0: nothing is written
    bool Pointer = false;
  };
  struct Entry {
    uint32_t Line;
    std::optional<uint32_t> Thread; // none: a location
    std::string Name;
    Type Declared;
    int64_t Number = 0;
    std::string Target; // not empty: the address of this location
  };

  void readEntry(LitmusCursor &Text);
  void readValue(LitmusCursor &Text, Entry E, std::string_view Name);
  void setLocation(const Entry &E, LitmusLocations &Locations) const;
  void setRegister(const Entry &E, LitmusLocations &Locations, LitmusThread &Thread) const;
  /// Their instructions name the number of bytes that they access; those of the others access words.
  bool hasWideAccesses() const {
    return Architecture == LitmusArchitecture::AArch64 || Architecture == LitmusArchitecture::X86_64;
  }

  const LitmusArchitecture Architecture;
  const RegisterName ToRegister;
  std::vector<Entry> Entries;
};

} // namespace picket
