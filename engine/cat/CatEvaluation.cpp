#include "cat/CatEvaluation.h"

#include <algorithm>
#include <bit>

namespace picket::cat {

namespace {

template <typename Visitor> void forEachIn(const uint64_t *Row, uint32_t Words, Visitor Visit) {
  for (uint32_t K = 0; K < Words; ++K)
    for (uint64_t Left = Row[K]; Left; Left &= Left - 1)
      Visit(K * 64 + static_cast<uint32_t>(std::countr_zero(Left)));
}

void addRow(uint64_t *Into, const uint64_t *From, uint32_t Words) {
  for (uint32_t K = 0; K < Words; ++K)
    Into[K] |= From[K];
}

void fill(uint64_t *Row, uint32_t Count) {
  for (uint32_t E = 0; E < Count; E += 64)
    Row[E / 64] = Count - E >= 64 ? ~0ull : (1ull << (Count - E)) - 1;
}

bool anyOnDiagonal(const Bits &R) {
  for (uint32_t E = 0; E < R.Count; ++E)
    if (R.has(E, E))
      return true;
  return false;
}

/// Whether a relation has a cycle: events without successors are taken away until none is left.
bool hasCycle(const Bits &R) {
  std::vector<uint64_t> Left(R.Words);
  fill(Left.data(), R.Count);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (uint32_t E = 0; E < R.Count; ++E) {
      if (!(Left[E / 64] >> E % 64 & 1))
        continue;
      bool Leads = false;
      for (uint32_t K = 0; K < R.Words; ++K)
        Leads |= (R.row(E)[K] & Left[K]) != 0;
      if (!Leads) {
        Left[E / 64] &= ~(1ull << E % 64);
        Changed = true;
      }
    }
  }
  for (uint64_t Word : Left)
    if (Word)
      return true;
  return false;
}

} // namespace

Evaluation::Evaluation(const CompiledModel &Model, const std::vector<NodeId> &Wanted)
    : Model(Model), IsFirst(Model.Nodes.size()), Inner(Model.Definitions.size()), Values(Model.Nodes.size()),
      Results(Model.Definitions.size()) {
  std::vector<bool> Needed(Model.Nodes.size());
  std::vector<NodeId> Left = Wanted;
  while (!Left.empty()) {
    const NodeId Id = Left.back();
    Left.pop_back();
    if (Id == NoNode || Needed[Id])
      continue;
    Needed[Id] = true;
    const Node &N = Model.Nodes[Id];
    if (N.Op == Operator::Fixpoint) {
      for (NodeId Body : Model.Definitions[N.A].Bodies)
        Left.push_back(Body);
    } else {
      Left.push_back(N.A);
      Left.push_back(N.B);
    }
  }
  std::vector<bool> Begun(Model.Definitions.size());
  for (NodeId Id = 0; Id < Model.Nodes.size(); ++Id) {
    if (!Needed[Id])
      continue;
    const Node &N = Model.Nodes[Id];
    if (N.Op == Operator::Fixpoint && !Begun[N.A])
      Begun[N.A] = IsFirst[Id] = true;
    const uint32_t MadeOf = N.With | N.Against;
    if (!MadeOf) {
      Order.push_back(Id);
      continue;
    }
    // Of definitions in each other, the innermost one evaluates it.
    uint32_t Innermost = ~0u;
    for (uint32_t D = 0; D < Model.Definitions.size(); ++D) {
      const RecursiveNodes &R = Model.Definitions[D];
      if (Id >= R.First && Id < R.Last && (MadeOf >> R.Nesting & 1) &&
          (Innermost == ~0u || R.Nesting > Model.Definitions[Innermost].Nesting))
        Innermost = D;
    }
    Inner[Innermost].push_back(Id);
  }
}

void Evaluation::evaluate(const EventTable &Events) {
  for (NodeId Id : Order)
    compute(Id, Events);
}

/// From nothing, until nothing more is added.
void Evaluation::iterate(uint32_t Definition, const EventTable &Events) {
  const RecursiveNodes &D = Model.Definitions[Definition];
  for (NodeId V : D.Variables)
    Values[V].reset(Events.Count, Model.Nodes[V].IsRelation);
  for (bool Grows = true; Grows;) {
    Grows = false;
    for (NodeId Id : Inner[Definition])
      if (Model.Nodes[Id].Op != Operator::Variable)
        compute(Id, Events);
    for (size_t K = 0; K < D.Bodies.size(); ++K)
      if (!(Values[D.Variables[K]] == Values[D.Bodies[K]])) {
        Values[D.Variables[K]] = Values[D.Bodies[K]];
        Grows = true;
      }
  }
  Results[Definition].resize(D.Bodies.size());
  for (size_t K = 0; K < D.Bodies.size(); ++K)
    Results[Definition][K] = Values[D.Variables[K]];
}

void Evaluation::plus(Bits &Of) const {
  for (uint32_t Through = 0; Through < Of.Count; ++Through)
    for (uint32_t E = 0; E < Of.Count; ++E)
      if (Of.has(E, Through))
        addRow(Of.row(E), Of.row(Through), Of.Words);
}

void Evaluation::compute(NodeId Id, const EventTable &Events) {
  const Node &N = Model.Nodes[Id];
  Bits &Value = Values[Id];
  const uint32_t Count = Events.Count;
  switch (N.Op) {
  case Operator::Base: Value = Events.Of[N.Base]; return;
  case Operator::Fixpoint:
    if (IsFirst[Id])
      iterate(N.A, Events);
    Value = Results[N.A][N.B];
    return;
  case Operator::Variable: return;
  case Operator::Complement:
  case Operator::Union:
  case Operator::Inter:
  case Operator::Difference:
  case Operator::Plus:
  case Operator::Star:
  case Operator::Optional: Value = Values[N.A]; break;
  default: Value.reset(Count, N.IsRelation);
  }
  const uint32_t Words = Value.Words;
  auto AddIdentity = [&] {
    for (uint32_t E = 0; E < Count; ++E)
      Value.add(E, E);
  };
  switch (N.Op) {
  case Operator::All:
    for (uint32_t E = 0; E < (N.IsRelation ? Count : std::min(Count, 1u)); ++E)
      fill(Value.row(E), Count);
    break;
  case Operator::Union:
    for (size_t K = 0; K < Value.Data.size(); ++K)
      Value.Data[K] |= Values[N.B].Data[K];
    break;
  case Operator::Inter:
    for (size_t K = 0; K < Value.Data.size(); ++K)
      Value.Data[K] &= Values[N.B].Data[K];
    break;
  case Operator::Difference:
    for (size_t K = 0; K < Value.Data.size(); ++K)
      Value.Data[K] &= ~Values[N.B].Data[K];
    break;
  case Operator::Complement: {
    std::vector<uint64_t> All(Words);
    if (Words)
      fill(All.data(), Count);
    for (size_t K = 0; K < Value.Data.size(); ++K)
      Value.Data[K] = ~Value.Data[K] & All[K % Words];
    break;
  }
  case Operator::Sequence:
    for (uint32_t E = 0; E < Count; ++E)
      forEachIn(Values[N.A].row(E), Words,
                [&](uint32_t Through) { addRow(Value.row(E), Values[N.B].row(Through), Words); });
    break;
  case Operator::Plus: plus(Value); break;
  case Operator::Star:
    plus(Value);
    AddIdentity();
    break;
  case Operator::Optional: AddIdentity(); break;
  case Operator::Inverse:
    for (uint32_t E = 0; E < Count; ++E)
      forEachIn(Values[N.A].row(E), Words, [&](uint32_t To) { Value.add(To, E); });
    break;
  case Operator::Product:
    forEachIn(Values[N.A].Data.data(), Words,
              [&](uint32_t E) { addRow(Value.row(E), Values[N.B].Data.data(), Words); });
    break;
  case Operator::Identity: forEachIn(Values[N.A].Data.data(), Words, [&](uint32_t E) { Value.add(E, E); }); break;
  case Operator::Domain:
    for (uint32_t E = 0; E < Count; ++E)
      for (uint32_t K = 0; K < Words; ++K)
        if (Values[N.A].row(E)[K]) {
          Value.add(E);
          break;
        }
    break;
  case Operator::Range:
    for (uint32_t E = 0; E < Count; ++E)
      addRow(Value.Data.data(), Values[N.A].row(E), Words);
    break;
  default: break;
  }
}

bool Evaluation::holds(const Check &C) const {
  const Bits &Of = Values[C.Of];
  bool Holds = true;
  switch (C.Kind) {
  case CheckKind::Acyclic: Holds = !hasCycle(Of); break;
  case CheckKind::Irreflexive: Holds = !anyOnDiagonal(Of); break;
  case CheckKind::Empty:
    for (uint64_t Word : Of.Data)
      Holds &= Word == 0;
    break;
  }
  return Holds != C.Negated;
}

} // namespace picket::cat
