// C11 programs under POWER, from the axioms of Alglave, Maranget and Tautschnig ("Herding Cats") and the table "How C
// maps to POWER" of docs/power.md; under ARMv8 and under C11 itself, from docs/models.md; and from nothing else: all
// paths, reads-from and coherence relations, with relations as matrices. Shares no code with the engine.
#pragma once

#include "property/C11Program.h"

#include <compare>
#include <map>
#include <optional>

namespace picket::testing {

struct C11Access {
  bool IsWrite = false;
  unsigned Location = 0;
  int Value = 0;                           // of a lock always 0
  int SourceThread = -1, SourceIndex = -1; // reads: the access read from; -1: the initial value
  unsigned Position = 0;                   // writes: place in coherence, from 1
  auto operator<=>(const C11Access &) const = default;
};

/// Per thread its accesses in program order. The end of the block, which is last there, is none; an update that fails
/// is a read.
using C11Execution = std::vector<std::vector<C11Access>>;

struct C11Executions {
  std::map<C11Execution, unsigned> Complete; // without bugs, and how often they were found
  bool UsesFreed = false;                    // some execution accesses the block behind its end
  bool Races = false;                        // C11: in some execution two accesses are a data race
  bool Hangs = false;                        // in some execution threads wait for ever
};

enum class C11Rules : uint8_t {
  Power,
  Armv8,          // on any processor
  Armv8Exclusive, // of armv8-a: with store-exclusives, without LDAPR
  C11
};

/// Nothing if there are too many candidates.
std::optional<C11Executions> bruteForce(const C11Program &P, uint64_t MostCandidates, C11Rules Rules = C11Rules::Power);

} // namespace picket::testing
