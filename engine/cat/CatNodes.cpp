#include "cat/CatNodes.h"

#include <utility>

namespace picket::cat {

namespace {

Growth flipped(Growth G) { return G == Growth::Grows ? Growth::Shrinks : G == Growth::Shrinks ? Growth::Grows : G; }

Growth combined(Growth A, Growth B) {
  if (A == Growth::Fixed || A == B)
    return B;
  return B == Growth::Fixed ? A : Growth::Changes;
}

/// Of something that has to find events: with more events there is more to find.
Growth found(Growth G) { return G == Growth::Fixed || G == Growth::Grows ? Growth::Grows : Growth::Changes; }

} // namespace

NodeId NodeTable::add(Node N) {
  const Key K{N.Op, N.IsRelation, N.A, N.B, N.Base};
  if (auto At = Known.find(K); At != Known.end())
    return At->second;
  const auto Id = static_cast<NodeId>(Nodes.size());
  Nodes.push_back(N);
  if (N.Op != Operator::Variable)
    Known.emplace(K, Id);
  return Id;
}

NodeId NodeTable::base(uint32_t Base, bool IsRelation, Growth G) {
  Node N;
  N.Op = Operator::Base;
  N.IsRelation = IsRelation;
  N.Changes = G;
  N.Base = Base;
  return add(N);
}

NodeId NodeTable::constant(Operator Op, bool IsRelation) {
  Node N;
  N.Op = Op;
  N.IsRelation = IsRelation;
  return add(N);
}

NodeId NodeTable::unary(Operator Op, NodeId A) {
  Node N;
  N.Op = Op;
  N.A = A;
  const Node &Of = Nodes[A];
  N.IsRelation = Op == Operator::Complement ? Of.IsRelation : Op != Operator::Domain && Op != Operator::Range;
  N.With = Of.With;
  N.Against = Of.Against;
  switch (Op) {
  case Operator::Complement:
    N.Changes = flipped(Of.Changes);
    std::swap(N.With, N.Against);
    break;
  case Operator::Plus:
  case Operator::Star:
  case Operator::Domain:
  case Operator::Range: N.Changes = found(Of.Changes); break;
  default: N.Changes = Of.Changes;
  }
  return add(N);
}

NodeId NodeTable::binary(Operator Op, NodeId A, NodeId B) {
  const Node &Left = Nodes[A], &Right = Nodes[B];
  Node N;
  N.Op = Op;
  N.A = A;
  N.B = B;
  N.IsRelation = Op == Operator::Product || Left.IsRelation;
  N.With = Left.With | Right.With;
  N.Against = Left.Against | Right.Against;
  N.Changes = combined(Left.Changes, Right.Changes);
  if (Op == Operator::Difference) {
    N.Changes = combined(Left.Changes, flipped(Right.Changes));
    N.With = Left.With | Right.Against;
    N.Against = Left.Against | Right.With;
  } else if (Op == Operator::Sequence && Left.Op != Operator::Identity && Right.Op != Operator::Identity) {
    N.Changes = found(N.Changes); // [S] has nothing to find
  }
  return add(N);
}

NodeId NodeTable::variable(bool IsRelation, unsigned Nesting) {
  Node N;
  N.Op = Operator::Variable;
  N.IsRelation = IsRelation;
  N.Changes = Growth::Grows;
  N.Base = static_cast<uint32_t>(Nodes.size());
  N.With = 1u << Nesting;
  return add(N);
}

NodeId NodeTable::fixpoint(uint32_t Definition, uint32_t Number) {
  const RecursiveNodes &D = Definitions[Definition];
  Node N;
  N.Op = Operator::Fixpoint;
  N.A = Definition;
  N.B = Number;
  N.IsRelation = Nodes[D.Bodies[Number]].IsRelation;
  N.Changes = Growth::Grows;
  for (NodeId Body : D.Bodies) {
    if (Nodes[Body].Changes == Growth::Shrinks || Nodes[Body].Changes == Growth::Changes)
      N.Changes = Growth::Changes;
    N.With |= Nodes[Body].With;
    N.Against |= Nodes[Body].Against;
  }
  N.With &= ~(1u << D.Nesting);
  N.Against &= ~(1u << D.Nesting);
  return add(N);
}

} // namespace picket::cat
