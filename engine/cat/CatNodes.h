// A memory model as a list of operations on sets and relations of events: what is left of its text when all names are
// resolved and all functions are called. Each operation stands behind its operands.
#pragma once

#include "cat/CatSyntax.h"

#include <map>
#include <tuple>

namespace picket::cat {

enum class Operator : uint8_t {
  Base, // of an execution: see BaseName
  None, // empty
  All,  // every event, every pair
  Union,
  Inter,
  Difference,
  Complement,
  Sequence,
  Plus,
  Star,
  Optional,
  Inverse,
  Product,
  Identity,
  Domain,
  Range,
  Variable, // of a recursive definition, while it is evaluated
  Fixpoint  // a result of it
};

/// How the value on the events that are there changes when more are committed.
enum class Growth : uint8_t {
  Fixed,   // not at all
  Grows,   // by more pairs
  Shrinks, // by fewer
  Changes
};

using NodeId = uint32_t;
constexpr NodeId NoNode = ~0u;

struct Node {
  Operator Op = Operator::None;
  bool IsRelation = false;
  Growth Changes = Growth::Fixed;
  NodeId A = NoNode, B = NoNode; // operands; of a Fixpoint: its definition, by number, and the result's number in that
  uint32_t Base = 0;
  // Variables it is made of, by the nesting of their definitions: where it grows with them, and where it shrinks.
  uint32_t With = 0, Against = 0;
};

/// let rec: the values of the bodies are those of the variables, starting with nothing.
struct RecursiveNodes {
  std::vector<NodeId> Variables, Bodies;
  NodeId First = 0, Last = 0; // the operations between that are made of the variables are evaluated again and again
  unsigned Nesting = 0;
};

struct Check {
  std::string Name; // may be empty
  CheckKind Kind = CheckKind::Acyclic;
  bool Negated = false;
  bool Undefined = false; // undefined_unless: without it the whole program means nothing
  NodeId Of = NoNode;
  Place Where;

  /// Whether a graph that fails it fails it for good, whatever more is committed.
  bool isMonotonic(const std::vector<Node> &Nodes) const {
    const Growth G = Nodes[Of].Changes;
    return G == Growth::Fixed || G == (Negated ? Growth::Shrinks : Growth::Grows);
  }
};

/// The operations, each there once.
class NodeTable {
public:
  /// More than that is refused.
  static constexpr size_t Most = 5'000;

  std::vector<Node> Nodes;
  std::vector<RecursiveNodes> Definitions;

  NodeId base(uint32_t Base, bool IsRelation, Growth G);
  NodeId constant(Operator Op, bool IsRelation);
  NodeId unary(Operator Op, NodeId A);
  NodeId binary(Operator Op, NodeId A, NodeId B);
  NodeId variable(bool IsRelation, unsigned Nesting);
  NodeId fixpoint(uint32_t Definition, uint32_t Number);
  bool isFull() const { return Nodes.size() > Most; }

private:
  NodeId add(Node N);
  using Key = std::tuple<Operator, bool, NodeId, NodeId, uint32_t>;
  std::map<Key, NodeId> Known;
};

} // namespace picket::cat
