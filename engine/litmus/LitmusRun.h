// Runs a litmus test under a memory model: every execution, and what its condition says about their final states.
#pragma once

#include "base/Verdict.h"
#include "litmus/LitmusTest.h"
#include "memory/Axioms.h"

#include <atomic>
#include <memory>

namespace picket {

struct LitmusOptions {
  unsigned Unroll = 8;       // iterations of a loop that does not end by itself
  double TimeoutSeconds = 0; // 0: none
  bool Graphs = false; // explore execution graphs under all models, not only where nothing else can: a second opinion
  /// Explore under these axioms instead of those of the model. They must fit the architecture of the test.
  std::shared_ptr<const GraphModel> Axioms;
  uint64_t MaxMemoryBytes = 4ull << 30;
  const std::atomic<bool> *Cancel = nullptr;
};

struct LitmusResult {
  MemoryModel Which = MemoryModel::SC;
  std::string Model;              // the title of a model that is not in the table
  std::vector<std::string> Flags; // with which it marks executions of the test
  /// Verified: every execution was seen. Bounded: up to the loop bound. Otherwise, and where no execution came to its
  /// end, the numbers mean nothing, and Reason says why.
  Verdict Coverage = Verdict::Verified;
  std::string Reason;

  bool Holds = false;                     // the condition, quantifier included
  uint64_t Satisfying = 0, Others = 0;    // complete executions by what is behind the quantifier
  std::map<LitmusState, uint64_t> States; // of complete executions, with their number
  uint64_t Executions = 0, Blocked = 0, Cut = 0;
  double Seconds = 0;

  bool answered() const { return (Coverage == Verdict::Verified || Coverage == Verdict::Bounded) && Executions > 0; }
};

LitmusResult runLitmus(const LitmusTest &Test, MemoryModel Which, const LitmusOptions &Options = {});

/// The default models of a test: that of its architecture, and SC.
std::vector<MemoryModel> modelsFor(LitmusArchitecture A);

} // namespace picket
