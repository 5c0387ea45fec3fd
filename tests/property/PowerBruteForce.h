// A second implementation of POWER, only from the definition: all reads-from and coherence relations of a small
// program, filtered by the axioms of Alglave, Maranget and Tautschnig ("Herding Cats") with relations as matrices.
// Shares no code with the engine.
#pragma once

#include "property/PowerProgram.h"

#include <compare>
#include <map>
#include <optional>

namespace picket::testing {

struct PowerAccess {
  bool IsWrite = false;
  unsigned Location = 0;
  int Value = 0;
  int SourceThread = -1, SourceIndex = -1; // reads: the access read from; -1: the initial value
  unsigned Position = 0;                   // writes: place in coherence, from 1
  auto operator<=>(const PowerAccess &) const = default;
};

/// Reads-from, coherence and what is in the registers in the end. A store-conditional that fails is no access.
struct PowerExecution {
  std::vector<std::vector<PowerAccess>> Threads;
  std::vector<std::vector<int>> Registers;
  auto operator<=>(const PowerExecution &) const = default;
};

/// Rmo: dependencies and fences order accesses, and all threads see writes in one order (RmoAxioms.h).
enum class BruteModel : uint8_t { Power, Rmo };

/// Every execution that the axioms allow, with the number of times it was found. Nothing if there are too many
/// candidates.
std::optional<std::map<PowerExecution, unsigned>> bruteForce(const PowerProgram &P, uint64_t MostCandidates,
                                                             BruteModel Model = BruteModel::Power);

} // namespace picket::testing
