// A memory model that is given as text, ready to be explored.
#pragma once

#include "cat/CatCompiler.h"
#include "memory/Axioms.h"

#include <atomic>
#include <deque>
#include <memory>

namespace picket::cat {

/// How executions are explored.
///
/// A text that defines `commit-before` says that its model meets the conditions of docs/how-to-add-a-memory-model.md with
/// that order. Checks that are monotonic are then made at every commit, the others at the end of a run.
///
/// For any other text every candidate is explored, in an order of commits that has dependencies only, and all checks are
/// made at its end. That is slower, and right for every text.
class Model {
public:
  explicit Model(CompiledModel Given);

  const CompiledModel &compiled() const { return Compiled; }
  bool isStepwise() const { return Compiled.CommitBefore != NoNode; }
  /// Checks, by number, that can be made of a part of an execution; all of them.
  const std::vector<const Check *> &monotonicChecks() const { return Monotonic; }
  const std::vector<const Check *> &allChecks() const { return All; }
  bool hasOthers() const { return Monotonic.size() < All.size(); }

  /// Notes that an execution was marked by a flag.
  void raise(size_t Flag) const { Raised[Flag] = true; }
  /// The names of the flags that marked an execution since the model was read.
  std::vector<std::string> raisedFlags() const;
  /// Whether one of them says that the program means nothing.
  bool isUndefined() const;

private:
  CompiledModel Compiled;
  std::vector<const Check *> Monotonic, All;
  mutable std::deque<std::atomic<bool>> Raised; // per flag; from all workers
};

struct Reading {
  std::shared_ptr<const Model> Found;
  // Without a model: why.
  std::string Problem; // a sentence with the file, line and column
  Place Where;
};

/// Any text gets an answer. `File` is only a name.
Reading readModel(std::string_view Text, const std::string &File, std::optional<Architecture> Events,
                  const IncludeReader &Read = {});

/// The model whose mapping of C11's orders and fences is used for an architecture.
MemoryModel ordersOf(Architecture A);
/// What the graph explorer needs. `MainOnlyStarts`: the first thread is none of the text's, as in litmus tests, where it
/// starts the others and does nothing else.
GraphModel graphModelOf(const std::shared_ptr<const Model> &M, bool MainOnlyStarts = false);

} // namespace picket::cat
