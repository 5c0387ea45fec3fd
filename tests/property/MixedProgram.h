// Small random programs of POWER instructions whose accesses have different sizes and overlap; and POWER, and ARM64 with
// barriers in place of POWER's, for them from their definitions (docs/power.md, docs/models.md): all reads-from and coherence relations, byte by byte, filtered by the axioms with
// relations as matrices. Shares no code with the engine.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace picket::testing {

struct MixedInstruction {
  enum Kind : uint8_t { Load, Store, Update, Reserve, Conditional, Branch, Sync, LwSync, Eieio, ISync };
  Kind What = Load;
  uint8_t Location = 0, Offset = 0, Size = 4; // Update, Reserve, Conditional: all four bytes
  uint8_t Register = 0;                       // loads and updates: where the value goes
  int8_t AddressFrom = -1;                    // a register that goes into the address without changing it
  int8_t From = -1;                           // stores: a register that is stored; branches: the one that is compared
  uint32_t Value = 0;                         // stores: what is added to that; updates: what is added
  bool isAccess() const { return What <= Conditional; }
};

struct MixedProgram {
  static constexpr unsigned Registers = 4, Locations = 2;
  std::vector<std::vector<MixedInstruction>> Threads;
  /// As a PPC litmus test, with a load in place of each update.
  std::string text() const;
  /// As C, with four bytes for each: an access of a whole location is an atomic one of 16 bytes.
  std::string wideText() const;
};

/// What happened to one byte in an access. Accesses of a thread are numbered; one that is not aligned is several.
struct MixedByte {
  unsigned Thread = 0, Access = 0, Location = 0, Byte = 0;
  bool IsWrite = false;
  unsigned Value = 0;
  int SourceThread = -1, SourceAccess = -1; // reads; -1: the initial value
  unsigned Position = 0;                    // writes: place in coherence, from 1
  auto operator<=>(const MixedByte &) const = default;
};
using MixedExecution = std::vector<MixedByte>; // sorted

struct MixedPalette {
  bool Updates = false, Reservations = false, Unaligned = false;
  bool Operands = false; // of updates: registers are added, too. Not in a litmus test
  unsigned Locations = 2, Accesses = 7;
};
MixedProgram makeMixedProgram(std::mt19937 &Random, const MixedPalette &From);
std::vector<MixedProgram> shrinks(const MixedProgram &P);

enum class MixedRules : uint8_t {
  Power,
  Armv8 // eieio is DMB ST, isync is ISB, sync and lwsync are DMB SY
};

/// Every execution that the axioms allow, with the number of times it was found. Nothing if there are too many
/// candidates.
std::optional<std::map<MixedExecution, unsigned>> bruteForce(const MixedProgram &P, uint64_t MostCandidates,
                                                             MixedRules Rules);

} // namespace picket::testing
