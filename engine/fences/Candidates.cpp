#include "fences/Candidates.h"

#include "program/Operands.h"

#include <algorithm>
#include <deque>

namespace picket {

namespace {

bool reads(Opcode Op) { return Op != Opcode::Store; }
bool writes(Opcode Op) { return Op != Opcode::Load; }
bool isUpdate(Opcode Op) { return Op == Opcode::Rmw || Op == Opcode::CmpXchg; }

bool strongerFence(FenceKind A, FenceKind B) {
  return A == FenceKind::Full || A == B ||
         (A == FenceKind::AcqRel && (B == FenceKind::Acquire || B == FenceKind::Release));
}

} // namespace

bool Candidate::covers(const Candidate &Other) const {
  if (IsFence != Other.IsFence)
    return false;
  return IsFence ? Next == Other.Next && strongerFence(Fence, Other.Fence)
                 : Where == Other.Where && atLeast(To, Other.To);
}

void Candidate::addTo(ProgramEdit &Edit) const {
  for (const ProgramPoint &At : Where)
    if (IsFence)
      Edit.Fences.push_back({At, Fence});
    else
      Edit.Orders.push_back({At.Pc, To});
}

Candidates::Candidates(const Program &Compiled, const RepairCosts &Costs, bool Assembly, const EditScope &Scope)
    : Compiled(Compiled), Costs(Costs), Assembly(Assembly), Ranks(Compiled, Scope), Spins(inSpinLoops(Compiled)),
      Predecessors(Compiled.Code.size()) {
  for (uint32_t Pc = 0; Pc < Compiled.Code.size(); ++Pc)
    forEachSuccessor(Compiled, Pc, [&](uint32_t To) { ++Predecessors[To]; });
  for (const Function &F : Compiled.Functions)
    if (F.Defined)
      Entries.push_back(F.Entry);
  std::sort(Entries.begin(), Entries.end());
  findCopies();
}

uint32_t Candidates::functionOf(uint32_t Pc) const {
  return static_cast<uint32_t>(std::upper_bound(Entries.begin(), Entries.end(), Pc) - Entries.begin());
}

/// An inlined function is there several times. What is done to its text is done to all of them: instructions belong
/// together that have the same place, opcode, and position among those of their copy.
void Candidates::findCopies() {
  using Text = std::tuple<Opcode, uint32_t, uint32_t, uint32_t, uint32_t>;
  std::map<std::tuple<uint32_t, uint32_t, Text>, uint32_t> Counts;
  std::map<std::pair<Text, uint32_t>, uint32_t> Groups;
  CopyOf.resize(Compiled.Code.size());
  for (uint32_t Pc = 0; Pc < Compiled.Code.size(); ++Pc) {
    const uint32_t At = Compiled.CodeLocations[Pc];
    const ProgramLocation &L = Compiled.Locations[At];
    auto Next = static_cast<uint32_t>(Copies.size());
    if (At != 0 && L.Line != 0) {
      const Text T{Compiled.Code[Pc].Op, L.File, L.Line, L.Column, L.Function};
      const uint32_t Position = Counts[{functionOf(Pc), L.InlinedAt, T}]++;
      Next = Groups.try_emplace({T, Position}, Next).first->second;
    }
    if (Next == Copies.size())
      Copies.emplace_back();
    Copies[Next].push_back(Pc);
    CopyOf[Pc] = Next;
  }
}

/// What a function that only wraps an access says holds for all its callers: it is not for one of them to change.
bool Candidates::isEditable(uint32_t Location) const {
  const ProgramLocation &L = Compiled.Locations[Location];
  if (L.Line == 0 || Ranks[L.File] == FileRank::Never)
    return false;
  for (uint32_t At = Location; At != 0 && Compiled.Locations[At].Wrapper != NoWrapper;
       At = Compiled.Locations[At].InlinedAt)
    if (Compiled.Locations[At].Wrapper == WrapperOfMany)
      return false;
  return true;
}

SourceLocation Candidates::locationOf(uint32_t Location) const {
  const ProgramLocation &L = Compiled.Locations[Location];
  return {Compiled.Files[L.File], L.Line, L.Column};
}

SourceLocation Candidates::textOf(uint32_t Pc) const {
  const uint32_t At = Compiled.CodeLocations[Pc];
  return isEditable(At) ? locationOf(At) : SourceLocation();
}

/// The locations of an instruction, from the function it is compiled into to the one it was written in.
std::vector<uint32_t> Candidates::chainOf(uint32_t Pc) const {
  std::vector<uint32_t> Chain;
  for (uint32_t At = Compiled.CodeLocations[Pc]; At != 0; At = Compiled.Locations[At].InlinedAt)
    Chain.push_back(At);
  std::reverse(Chain.begin(), Chain.end());
  return Chain;
}

/// Whether two copies of an instruction are copies of the same calls too, as many as there are innermost levels.
bool Candidates::sameCalls(uint32_t A, uint32_t B, uint32_t Levels) const {
  uint32_t AtA = Compiled.CodeLocations[A], AtB = Compiled.CodeLocations[B];
  for (; Levels > 1; --Levels) {
    AtA = Compiled.Locations[AtA].InlinedAt;
    AtB = Compiled.Locations[AtB].InlinedAt;
    if (AtA != AtB && (AtA == 0 || AtB == 0 || locationOf(AtA) != locationOf(AtB)))
      return false;
  }
  return true;
}

Candidates::View Candidates::view(const DelayPath::CallStack &Stack) const {
  View V;
  for (uint32_t Frame = 0; Frame < Stack.size(); ++Frame) {
    const std::vector<uint32_t> Chain = chainOf(Stack[Frame]);
    V.Whole = false;
    for (uint32_t Depth = 0; Depth < Chain.size(); ++Depth) {
      if (isEditable(Chain[Depth])) {
        V.Levels.push_back({Chain[Depth], Stack[Frame], Frame, Depth});
        V.Whole = true;
        V.Wrappers = 0;
      } else {
        V.Whole = V.Whole && Compiled.Locations[Chain[Depth]].Wrapper != NoWrapper;
        ++V.Wrappers;
      }
    }
  }
  return V;
}

/// A shortest way within a function, without its ends. Empty if there is none, or nothing lies between.
std::vector<uint32_t> Candidates::wayBetween(uint32_t From, uint32_t To) const {
  std::map<uint32_t, uint32_t> Came;
  std::deque<uint32_t> Queue;
  auto Visit = [&](uint32_t Pc, uint32_t By) {
    if (Came.try_emplace(Pc, By).second)
      Queue.push_back(Pc);
  };
  forEachSuccessor(Compiled, From, [&](uint32_t Next) { Visit(Next, From); });
  while (!Queue.empty() && !Came.contains(To)) {
    const uint32_t Pc = Queue.front();
    Queue.pop_front();
    forEachSuccessor(Compiled, Pc, [&](uint32_t Next) { Visit(Next, Pc); });
  }
  std::vector<uint32_t> Way;
  if (!Came.contains(To))
    return Way;
  for (uint32_t Pc = Came[To]; Pc != From; Pc = Came[Pc])
    Way.push_back(Pc);
  std::reverse(Way.begin(), Way.end());
  return Way;
}

/// Walks along code that nobody else can notice and that is reached in no other way.
uint32_t Candidates::nextThatMatters(ProgramPoint Where) const {
  auto IsQuiet = [](Opcode Op) { return Op < Opcode::Jump || Op == Opcode::AddScaled; };
  uint32_t Pc = Where.Pc + Where.Behind;
  while (IsQuiet(Compiled.Code[Pc].Op) && Pc + 1 < Compiled.Code.size() && Predecessors[Pc + 1] == 1)
    ++Pc;
  return Pc;
}

bool Candidates::onEveryWay(uint32_t From, uint32_t To, uint32_t Through) const {
  std::map<uint32_t, bool> Seen{{Through, true}};
  std::vector<uint32_t> Left = {From};
  while (!Left.empty()) {
    const uint32_t Pc = Left.back();
    Left.pop_back();
    bool Arrived = false;
    forEachSuccessor(Compiled, Pc, [&](uint32_t Next) {
      if (Next == To && Next != Through)
        Arrived = true;
      if (Seen.try_emplace(Next, true).second)
        Left.push_back(Next);
    });
    if (Arrived)
      return false;
  }
  return true;
}

/// Places in the function that both accesses (or the calls in which they happen) are made from: behind the one call, in
/// front of the other, and where ways between them meet. A call may have been inlined; then its first and last
/// instruction stand for it.
void Candidates::addPlacesInFrame(const View &A, const View &B, uint32_t Common, std::vector<FencePoint> &Found) {
  const Level &First = A.Levels[Common], &Last = B.Levels[Common];
  std::vector<uint32_t> Way = wayBetween(First.Pc, Last.Pc);
  Way.push_back(Last.Pc);
  const SourceLocation Earlier = locationOf(First.Location), Later = locationOf(Last.Location);
  const uint32_t Own = First.Depth;
  const bool Elsewhere = Common == 0 && (A.Levels.size() > 1 || B.Levels.size() > 1);
  auto LocationOf = [&](uint32_t Pc) {
    const std::vector<uint32_t> Chain = chainOf(Pc);
    return Chain.size() > Own ? Chain[Own] : 0;
  };
  auto Add = [&](ProgramPoint Where, const SourceLocation &Behind, const SourceLocation &Front, bool NearLater,
                 uint32_t Penalty) {
    const uint32_t At = LocationOf(Where.Pc);
    if (isEditable(At) && (Where.Behind || onEveryWay(First.Pc, Last.Pc, Where.Pc)))
      Found.push_back({Where,
                       static_cast<uint32_t>(chainOf(Where.Pc).size()) - Own,
                       {FenceKind::Full, Behind, Front, NearLater},
                       Penalty,
                       Compiled.Locations[At].File,
                       Elsewhere});
  };
  if (!A.Whole || A.Levels.size() > Common + 1) {
    auto Left = std::find_if(Way.begin(), Way.end(), [&](uint32_t Pc) { return LocationOf(Pc) != First.Location; });
    if (isCall(Compiled.Code[First.Pc].Op) && chainOf(First.Pc).back() == First.Location)
      Add({First.Pc, true}, Earlier, Later, false, 1);
    else if (Left != Way.end())
      Add({*Left, false}, Earlier, Later, false, 1);
  }
  if (!B.Whole || B.Levels.size() > Common + 1) {
    auto Entered = std::find_if(Way.rbegin(), Way.rend(), [&](uint32_t Pc) { return LocationOf(Pc) != Last.Location; });
    Add({Entered == Way.rend() ? Way.front() : *(Entered - 1), false}, Earlier, Later, true, 2);
  }
  for (uint32_t Pc : Way)
    if (Predecessors[Pc] > 1 && Pc != Last.Pc && textOf(Pc).Line != 0)
      Add({Pc, false}, Earlier, textOf(Pc), true, 4);
}

std::vector<Candidates::FencePoint> Candidates::placesBetween(const DelayPath::CallStack &Earlier,
                                                              const DelayPath::CallStack &Later) {
  auto [Place, IsNew] = Known.try_emplace({Earlier, Later});
  std::vector<FencePoint> &Found = Place->second;
  if (!IsNew)
    return Found;
  const View A = view(Earlier), B = view(Later);
  uint32_t Common = 0;
  while (Common + 1 < A.Levels.size() && Common + 1 < B.Levels.size() &&
         A.Levels[Common].Location == B.Levels[Common].Location)
    ++Common;
  const bool Together = !A.Levels.empty() && !B.Levels.empty() && A.Levels[Common].Frame == B.Levels[Common].Frame &&
                        functionOf(A.Levels[Common].Pc) == functionOf(B.Levels[Common].Pc);
  if (A.Whole && goesOn(Compiled.Code[Earlier.back()].Op)) {
    const bool Shallow = Together && A.Levels.size() == Common + 1;
    Found.push_back({{Earlier.back(), true},
                     1 + A.Wrappers,
                     {FenceKind::Full, locationOf(A.Levels.back().Location),
                      Shallow ? locationOf(B.Levels[Common].Location) : SourceLocation(), false},
                     Shallow ? 0u : 3u,
                     Compiled.Locations[A.Levels.back().Location].File});
  }
  if (B.Whole) {
    const bool Shallow = Together && B.Levels.size() == Common + 1;
    Found.push_back({{Later.back(), false},
                     1 + B.Wrappers,
                     {FenceKind::Full, Shallow ? locationOf(A.Levels[Common].Location) : SourceLocation(),
                      locationOf(B.Levels.back().Location), true},
                     Shallow ? 2u : 3u,
                     Compiled.Locations[B.Levels.back().Location].File});
  }
  if (Together)
    addPlacesInFrame(A, B, Common, Found);
  return Found;
}

uint32_t Candidates::intern(Candidate C) {
  // The same code can be several texts: behind an access in a function, or behind the inlined call of it.
  SourceLocation Text;
  if (const auto *New = std::get_if<InsertFence>(&C.Change))
    Text = New->NearLater ? New->Later : New->Earlier;
  auto [Known, IsNew] =
      Numbers.try_emplace({C.IsFence, C.Fence, C.To, C.Where, Text.File, Text.Line, Text.Column}, size());
  if (IsNew)
    All.push_back(std::move(C));
  else // another model is in question, too
    All[Known->second].Cost = std::max(All[Known->second].Cost, C.Cost);
  return Known->second;
}

void Candidates::addFences(const Violation &V, const DelayPath &Path, uint32_t Gap, std::vector<uint32_t> &Found) {
  const Opcode Before = Compiled.Code[Path.Accesses[Gap].back()].Op,
               After = Compiled.Code[Path.Accesses[Gap + 1].back()].Op;
  // Under POWER both are lwsync; the one that says what it is for reads better: behind a load acquire, but not where an
  // earlier store is to be seen before a later one.
  const bool Tells = After == Opcode::Store && std::any_of(Path.Accesses.begin(), Path.Accesses.begin() + Gap,
                                                           [&](const DelayPath::CallStack &S) {
                                                             return Compiled.Code[S.back()].Op == Opcode::Store;
                                                           });
  // In C11 a release fence orders later stores only, an acquire fence earlier loads only. No other one is proposed, even
  // if the machine knows no difference.
  const bool IsLight = infoOf(V.Under).Fences.Lightweight;
  const bool CanRelease = !IsLight || writes(Compiled.Code[Path.Accesses.back().back()].Op);
  const bool CanAcquire = IsLight && reads(Compiled.Code[Path.Accesses.front().back()].Op);
  const bool Acquires = CanAcquire && (!CanRelease || (reads(Before) && !writes(Before) && !Tells));
  // The fence belongs beside the atomic access that others synchronise with: between plain ones it would order only those
  // of them that this execution shows.
  auto IsAtomic = [&](const DelayPath::CallStack &S) {
    return (Compiled.Code[S.back()].Flags & OrderMask) != static_cast<uint8_t>(Order::NotAtomic);
  };
  auto At = [&](size_t Index) { return Path.Accesses.begin() + static_cast<ptrdiff_t>(Index); };
  const bool TooEarly = !IsAtomic(Path.Accesses[Gap + 1]) && std::any_of(At(Gap + 2), Path.Accesses.end(), IsAtomic);
  const bool TooLate = !IsAtomic(Path.Accesses[Gap]) && std::any_of(Path.Accesses.begin(), At(Gap), IsAtomic);
  for (const FencePoint &At : placesBetween(Path.Accesses[Gap], Path.Accesses[Gap + 1])) {
    auto Add = [&](FenceKind Kind, uint32_t Cost) {
      Candidate C;
      C.Fence = Kind;
      for (uint32_t Pc : copiesOf(At.Where.Pc))
        if (sameCalls(Pc, At.Where.Pc, At.Levels))
          C.Where.push_back({Pc, At.Where.Behind});
      for (const ProgramPoint &Where : C.Where)
        C.Next.push_back(nextThatMatters(Where));
      std::sort(C.Next.begin(), C.Next.end());
      InsertFence Text = At.Text;
      Text.Kind = Kind;
      C.Change = Text;
      // A release fence belongs in front of the store that tells others, not behind what is told.
      const bool BeforeStore =
          Kind == FenceKind::Release && At.Text.NearLater && At.Penalty <= 2 && After == Opcode::Store;
      C.Cost = Cost * CostUnit + (BeforeStore ? 0 : At.Penalty + 1) + (Spins[At.Where.Pc] ? 5 : 0) +
               (Kind == FenceKind::Release && Acquires ? 10 : 0) + (At.Elsewhere ? 100 : 0) +
               ((Kind == FenceKind::Release && TooEarly) || (Kind == FenceKind::Acquire && TooLate) ? 20 : 0) +
               (Ranks[At.File] == FileRank::Test ? TestCost : 0);
      Found.push_back(intern(std::move(C)));
    };
    Add(FenceKind::Full, Costs.FullFence);
    if (Gap >= Path.LightUpTo)
      continue;
    if (CanRelease) // ARM64 has no barrier of its own for it
      Add(FenceKind::Release, V.Under == MemoryModel::Armv8 ? Costs.SeqCst : Costs.LightFence);
    if (Acquires)
      Add(FenceKind::Acquire, Costs.LightFence);
    if (Assembly && infoOf(V.Under).Fences.ISync && Path.Controls && reads(Before))
      Add(FenceKind::ISync, Costs.ISync);
  }
}

void Candidates::addOrder(uint32_t Pc, Order To, MemoryModel Under, std::vector<uint32_t> &Found) {
  const auto From = static_cast<Order>(Compiled.Code[Pc].Flags & OrderMask);
  To = joined(From, To);
  if (To == From)
    return;
  uint32_t At = Compiled.CodeLocations[Pc], Levels = 1;
  for (; At != 0 && !isEditable(At) && Compiled.Locations[At].Wrapper != NoWrapper; ++Levels)
    At = Compiled.Locations[At].InlinedAt;
  if (!isEditable(At))
    return;
  Candidate C;
  C.IsFence = false;
  C.To = To;
  for (uint32_t Copy : copiesOf(Pc))
    if (sameCalls(Copy, Pc, Levels))
      C.Where.push_back({Copy, false});
  C.Change =
      ChangeOrder{locationOf(Compiled.CodeLocations[Pc]), From, To, Levels > 1 ? locationOf(At) : SourceLocation()};
  // On ARM64 STLR and LDAR are seq_cst, too.
  const bool IsDear = To == Order::SeqCst && Under != MemoryModel::Armv8;
  C.Cost = (IsDear ? Costs.SeqCst : Costs.ReleaseAcquire) * CostUnit + (To == Order::AcqRel) +
           2 * (To == Order::SeqCst) + (Ranks[Compiled.Locations[At].File] == FileRank::Test ? TestCost : 0);
  Found.push_back(intern(std::move(C)));
}

/// Both accesses of a data race become atomic. What else is at the same places of the text does so too: the read and the
/// write of `x++`.
void Candidates::addAtomic(const Violation &V, std::vector<uint32_t> &Found) {
  constexpr unsigned Widest = 8;
  bool InTest = false;
  Candidate C;
  C.IsFence = false;
  C.To = Order::Relaxed;
  for (const DelayPath::CallStack &Access : V.Race) {
    const Instruction &I = Compiled.Code[Access.back()];
    const bool IsAccess = I.Op == Opcode::Load || I.Op == Opcode::Store || isUpdate(I.Op);
    const SourceLocation Text = textOf(Access.back());
    if (!IsAccess || I.Width > Widest || Text.Line == 0)
      return;
    if ((I.Flags & OrderMask) != static_cast<uint8_t>(Order::NotAtomic))
      continue;
    InTest |= Ranks[Compiled.Locations[Compiled.CodeLocations[Access.back()]].File] == FileRank::Test;
    const ChangeOrder Change{Text, Order::NotAtomic, Order::Relaxed};
    if (std::find(C.Atomic.begin(), C.Atomic.end(), Change) == C.Atomic.end())
      C.Atomic.push_back(Change);
    for (uint32_t Pc = 0; Pc < Compiled.Code.size(); ++Pc)
      if (const Instruction &Other = Compiled.Code[Pc]; (Other.Op == Opcode::Load || Other.Op == Opcode::Store) &&
                                                        (Other.Flags & OrderMask) == 0 && textOf(Pc) == Text)
        C.Where.push_back({Pc, false});
  }
  if (C.Atomic.empty())
    return;
  std::sort(C.Where.begin(), C.Where.end());
  C.Where.erase(std::unique(C.Where.begin(), C.Where.end()), C.Where.end());
  C.Change = C.Atomic.front();
  C.Cost = Costs.AtomicAccess * C.Atomic.size() * CostUnit + (InTest ? TestCost : 0);
  Found.push_back(intern(std::move(C)));
}

void Candidates::addOrders(const Violation &V, const DelayPath &Path, uint32_t Index, std::vector<uint32_t> &Found) {
  const uint32_t Pc = Path.Accesses[Index].back();
  const Instruction &I = Compiled.Code[Pc];
  const bool IsAccess = I.Op == Opcode::Load || I.Op == Opcode::Store || isUpdate(I.Op);
  if (!IsAccess || (I.Flags & OrderMask) == static_cast<uint8_t>(Order::NotAtomic))
    return;
  const bool HasEarlier = Index > 0, HasLater = Index + 1 < Path.Accesses.size();
  if (infoOf(V.Under).Fences.Lightweight) {
    if (writes(I.Op) && HasEarlier)
      addOrder(Pc, Order::Release, V.Under, Found);
    if (reads(I.Op) && HasLater)
      addOrder(Pc, Order::Acquire, V.Under, Found);
    if (isUpdate(I.Op) && HasEarlier && HasLater)
      addOrder(Pc, Order::AcqRel, V.Under, Found);
    addOrder(Pc, Order::SeqCst, V.Under, Found);
    return;
  }
  const bool Light = HasEarlier && Index <= Path.LightUpTo && writes(I.Op);
  if (Light)
    addOrder(Pc, Order::Release, V.Under, Found);
  if (I.Op == Opcode::Store && (HasLater || Light))
    addOrder(Pc, Order::SeqCst, V.Under, Found);
}

std::vector<uint32_t> Candidates::against(const Violation &V) {
  std::vector<uint32_t> Found;
  for (const DelayPath &Path : V.Delays)
    for (uint32_t K = 0; K < Path.Accesses.size(); ++K) {
      if (K + 1 < Path.Accesses.size())
        addFences(V, Path, K, Found);
      addOrders(V, Path, K, Found);
    }
  if (V.Race.size() == 2)
    addAtomic(V, Found);
  std::sort(Found.begin(), Found.end());
  Found.erase(std::unique(Found.begin(), Found.end()), Found.end());
  return Found;
}

} // namespace picket
