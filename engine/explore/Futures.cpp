#include "explore/Futures.h"

#include <utility>

namespace picket {

Futures::ProgramPoint Futures::pointOf(const Machine &M, ThreadId T) {
  std::vector<uint32_t> Where;
  M.states().describeProgramPoint(T, Where);
  return point(std::move(Where), T);
}

Futures::ProgramPoint Futures::point(std::vector<uint32_t> Where, ThreadId T) {
  auto [Found, IsNew] = PointOf.try_emplace(std::move(Where), static_cast<ProgramPoint>(Points.size()));
  if (IsNew)
    Points.push_back({T, {}, {}, {}});
  if (T >= Movers) { // edges that were known before have to be followed for it as well
    Movers = T + 1;
    for (ProgramPoint P = 0; P < Points.size(); ++P)
      spread(P);
  }
  return Found->second;
}

uint32_t Futures::cell(uint32_t Slot, uint32_t Part) {
  return Cells.try_emplace(static_cast<uint64_t>(Slot) << 32 | Part, static_cast<uint32_t>(Cells.size())).first->second;
}

template <typename F> void Futures::forEachCell(const Machine::Access &A, F Do) {
  const uint32_t Slot = slotOf(A.Where), First = offsetOf(A.Where) / PartBytes;
  const uint32_t Last = A.Size ? (offsetOf(A.Where) + A.Size - 1) / PartBytes : First;
  if (Last - First >= MostParts)
    return Do(cell(Slot, WholeObject));
  for (uint32_t Part = First; Part <= Last; ++Part)
    Do(cell(Slot, Part));
}

uint32_t Futures::edge(ProgramPoint From, ProgramPoint To, uint64_t Joined, bool &IsNew) {
  const auto [Found, Added] = Known.try_emplace({From, To, Joined}, static_cast<uint32_t>(Edges.size()));
  IsNew = Added;
  if (IsNew) {
    Edges.push_back({From, To, Joined, {}});
    Points[From].EdgesOut.push_back(Found->second);
    Points[To].EdgesIn.push_back(Found->second);
  }
  return Found->second;
}

void Futures::add(const Futures &Other) {
  std::vector<ProgramPoint> Here(Other.Points.size());
  for (const auto &[Where, Theirs] : Other.PointOf)
    Here[Theirs] = point(Where, Other.Points[Theirs].Thread);
  std::vector<uint64_t> CellOf(Other.Cells.size());
  for (const auto &[Which, Theirs] : Other.Cells)
    CellOf[Theirs] = Which;
  for (const Edge &W : Other.Edges) {
    bool More;
    const uint32_t Mine = edge(Here[W.From], Here[W.To], W.Joined, More);
    auto AddTo = [&](NumberSet Touched::*Kind) {
      (W.Accesses.*Kind).forEach([&](uint32_t Cell) {
        const uint32_t Number = cell(static_cast<uint32_t>(CellOf[Cell] >> 32), static_cast<uint32_t>(CellOf[Cell]));
        More |= (Edges[Mine].Accesses.*Kind).add(Number);
      });
    };
    AddTo(&Touched::Reads);
    AddTo(&Touched::Writes);
    if (More)
      spread(Here[W.From]);
  }
  Counted = false;
}

void Futures::learn(ProgramPoint From, ProgramPoint To, const std::vector<Machine::Access> &Accesses, uint64_t Joined) {
  bool More;
  const uint32_t Index = edge(From, To, Joined, More);
  for (const Machine::Access &A : Accesses) {
    auto Add = [&](uint32_t Cell) {
      More |= (A.Write ? Edges[Index].Accesses.Writes : Edges[Index].Accesses.Reads).add(Cell);
    };
    forEachCell(A, Add);
    Add(cell(slotOf(A.Where), Any));
  }
  if (!More)
    return;
  Counted = false;
  spread(From);
}

/// Adds what lies behind an edge to what lies in front of it. True if that is more than before.
bool Futures::follow(const Edge &W, ThreadId Mover) {
  if ((W.Joined >> Mover & 1) || Points[W.To].Thread == Mover)
    return false;
  Touched &Before = future(W.From, Mover);
  bool More = Before.addAll(W.Accesses);
  if (W.From != W.To)
    More |= Before.addAll(future(W.To, Mover));
  return More;
}

void Futures::spread(ProgramPoint From) {
  for (ThreadId Mover = 0; Mover < Movers; ++Mover) {
    if (Points[From].Thread == Mover)
      continue;
    std::vector<ProgramPoint> Work = {From};
    while (!Work.empty()) {
      ProgramPoint At = Work.back();
      Work.pop_back();
      bool More = false;
      for (uint32_t Out : Points[At].EdgesOut)
        More |= follow(Edges[Out], Mover);
      if (!More)
        continue;
      Grown = true;
      for (uint32_t In : Points[At].EdgesIn)
        Work.push_back(Edges[In].From);
    }
  }
}

uint64_t Futures::bytes() {
  if (std::exchange(Counted, true))
    return Bytes;
  constexpr uint64_t PerNode = 64; // of a map, besides what is in it
  Bytes = Cells.size() * (PerNode + sizeof(uint64_t)) + Points.capacity() * sizeof(PointState) +
          Edges.capacity() * sizeof(Edge) + Known.size() * (PerNode + sizeof(Edge));
  for (const auto &[Where, Point] : PointOf)
    Bytes += PerNode + Where.capacity() * sizeof(uint32_t);
  for (const PointState &S : Points) {
    Bytes += (S.EdgesIn.capacity() + S.EdgesOut.capacity()) * sizeof(uint32_t) + S.Future.capacity() * sizeof(Touched);
    for (const Touched &T : S.Future)
      Bytes += T.bytes();
  }
  for (const Edge &W : Edges)
    Bytes += W.Accesses.bytes();
  return Bytes;
}

bool Futures::mayConflict(ProgramPoint Other, const Machine::Access &With, ThreadId Mover) {
  const Touched &Future = future(Other, Mover);
  auto Meets = [&](uint32_t Cell) { return Future.Writes.has(Cell) || (With.Write && Future.Reads.has(Cell)); };
  const uint32_t Slot = slotOf(With.Where);
  if (Meets(cell(Slot, WholeObject)))
    return true;
  bool Found = false;
  forEachCell(With, [&](uint32_t Cell) { Found |= Meets(Cell == cell(Slot, WholeObject) ? cell(Slot, Any) : Cell); });
  return Found;
}

} // namespace picket
