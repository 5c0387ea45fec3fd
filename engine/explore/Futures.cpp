#include "explore/Futures.h"

#include <utility>

namespace picket {

Futures::Place Futures::placeOf(const Machine &M, ThreadId T) {
  std::vector<uint32_t> Where;
  M.states().describeProgramPoint(T, Where);
  return place(std::move(Where), T);
}

Futures::Place Futures::place(std::vector<uint32_t> Where, ThreadId T) {
  auto [Found, IsNew] = Places.try_emplace(std::move(Where), static_cast<Place>(Spots.size()));
  if (IsNew)
    Spots.push_back({T, {}, {}, {}});
  if (T >= Movers) { // ways that were known before have to be followed for it as well
    Movers = T + 1;
    for (Place P = 0; P < Spots.size(); ++P)
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

uint32_t Futures::way(Place From, Place To, uint64_t Joined, bool &IsNew) {
  const auto [Found, Added] = Known.try_emplace({From, To, Joined}, static_cast<uint32_t>(Ways.size()));
  IsNew = Added;
  if (IsNew) {
    Ways.push_back({From, To, Joined, {}});
    Spots[From].WaysOut.push_back(Found->second);
    Spots[To].WaysIn.push_back(Found->second);
  }
  return Found->second;
}

void Futures::add(const Futures &Other) {
  std::vector<Place> Here(Other.Spots.size());
  for (const auto &[Where, Theirs] : Other.Places)
    Here[Theirs] = place(Where, Other.Spots[Theirs].Thread);
  std::vector<uint64_t> CellOf(Other.Cells.size());
  for (const auto &[Which, Theirs] : Other.Cells)
    CellOf[Theirs] = Which;
  for (const Way &W : Other.Ways) {
    bool More;
    const uint32_t Mine = way(Here[W.From], Here[W.To], W.Joined, More);
    auto AddTo = [&](NumberSet Touched::*Kind) {
      (W.Accesses.*Kind).forEach([&](uint32_t Cell) {
        const uint32_t Number = cell(static_cast<uint32_t>(CellOf[Cell] >> 32), static_cast<uint32_t>(CellOf[Cell]));
        More |= (Ways[Mine].Accesses.*Kind).add(Number);
      });
    };
    AddTo(&Touched::Reads);
    AddTo(&Touched::Writes);
    if (More)
      spread(Here[W.From]);
  }
  Counted = false;
}

void Futures::learn(Place From, Place To, const std::vector<Machine::Access> &Accesses, uint64_t Joined) {
  bool More;
  const uint32_t Index = way(From, To, Joined, More);
  for (const Machine::Access &A : Accesses) {
    auto Add = [&](uint32_t Cell) {
      More |= (A.Write ? Ways[Index].Accesses.Writes : Ways[Index].Accesses.Reads).add(Cell);
    };
    forEachCell(A, Add);
    Add(cell(slotOf(A.Where), Any));
  }
  if (!More)
    return;
  Counted = false;
  spread(From);
}

/// Adds what lies behind a way to what lies in front of it. True if that is more than before.
bool Futures::follow(const Way &W, ThreadId Mover) {
  if ((W.Joined >> Mover & 1) || Spots[W.To].Thread == Mover)
    return false;
  Touched &Before = future(W.From, Mover);
  bool More = Before.addAll(W.Accesses);
  if (W.From != W.To)
    More |= Before.addAll(future(W.To, Mover));
  return More;
}

void Futures::spread(Place From) {
  for (ThreadId Mover = 0; Mover < Movers; ++Mover) {
    if (Spots[From].Thread == Mover)
      continue;
    std::vector<Place> Work = {From};
    while (!Work.empty()) {
      Place At = Work.back();
      Work.pop_back();
      bool More = false;
      for (uint32_t Out : Spots[At].WaysOut)
        More |= follow(Ways[Out], Mover);
      if (!More)
        continue;
      Grown = true;
      for (uint32_t In : Spots[At].WaysIn)
        Work.push_back(Ways[In].From);
    }
  }
}

uint64_t Futures::bytes() {
  if (std::exchange(Counted, true))
    return Bytes;
  constexpr uint64_t PerNode = 64; // of a map, besides what is in it
  Bytes = Cells.size() * (PerNode + sizeof(uint64_t)) + Spots.capacity() * sizeof(Spot) +
          Ways.capacity() * sizeof(Way) + Known.size() * (PerNode + sizeof(Way));
  for (const auto &[Where, Spot] : Places)
    Bytes += PerNode + Where.capacity() * sizeof(uint32_t);
  for (const Spot &S : Spots) {
    Bytes += (S.WaysIn.capacity() + S.WaysOut.capacity()) * sizeof(uint32_t) + S.Future.capacity() * sizeof(Touched);
    for (const Touched &T : S.Future)
      Bytes += T.bytes();
  }
  for (const Way &W : Ways)
    Bytes += W.Accesses.bytes();
  return Bytes;
}

bool Futures::mayConflict(Place Other, const Machine::Access &With, ThreadId Mover) {
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
