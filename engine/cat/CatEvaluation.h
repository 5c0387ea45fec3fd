// Evaluates a compiled model on the events of an execution.
#pragma once

#include "cat/CatCompiler.h"

namespace picket::cat {

/// What some checks need of a model, in the order in which it is evaluated. Not for use by several threads at a time.
class Evaluation {
public:
  /// The nodes whose values will be asked for.
  Evaluation(const CompiledModel &Model, const std::vector<NodeId> &Wanted);

  /// Makes the values for these events, which must stay until the values have been asked for.
  void evaluate(const EventTable &Events);
  const Bits &valueOf(NodeId Id) const { return Values[Id]; }
  bool holds(const Check &C) const;

private:
  void compute(NodeId Id, const EventTable &Events);
  void iterate(uint32_t Definition, const EventTable &Events);
  void plus(Bits &Of) const;

  const CompiledModel &Model;
  std::vector<NodeId> Order;              // without what is evaluated again and again
  std::vector<bool> IsFirst;              // per node: the first result of its recursive definition
  std::vector<std::vector<NodeId>> Inner; // that, per recursive definition
  std::vector<Bits> Values;               // per node; of others than the wanted ones, and their operands, nothing
  std::vector<std::vector<Bits>> Results; // of each recursive definition
};

} // namespace picket::cat
