#include "property/PowerBruteForce.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace picket::testing {

namespace {

// Relations.

constexpr unsigned MostEvents = 32;

struct Relation {
  unsigned Size;
  std::array<uint32_t, MostEvents> Rows{}; // bit k of row j: j is related to k

  explicit Relation(unsigned Size) : Size(Size) {}
  bool has(unsigned A, unsigned B) const { return Rows[A] >> B & 1; }
  void add(unsigned A, unsigned B) { Rows[A] |= 1u << B; }

  friend Relation operator|(Relation A, const Relation &B) {
    for (unsigned K = 0; K < A.Size; ++K)
      A.Rows[K] |= B.Rows[K];
    return A;
  }
  friend Relation operator&(Relation A, const Relation &B) {
    for (unsigned K = 0; K < A.Size; ++K)
      A.Rows[K] &= B.Rows[K];
    return A;
  }
  /// A ; B
  friend Relation operator*(const Relation &A, const Relation &B) {
    Relation Result(A.Size);
    for (unsigned K = 0; K < A.Size; ++K)
      for (unsigned Through = 0; Through < A.Size; ++Through)
        if (A.has(K, Through))
          Result.Rows[K] |= B.Rows[Through];
    return Result;
  }
  friend bool operator==(const Relation &, const Relation &) = default;

  Relation inverse() const {
    Relation Result(Size);
    for (unsigned A = 0; A < Size; ++A)
      for (unsigned B = 0; B < Size; ++B)
        if (has(A, B))
          Result.add(B, A);
    return Result;
  }
  Relation transitive() const {
    Relation Result = *this;
    for (unsigned K = 0; K < Size; ++K)
      for (unsigned A = 0; A < Size; ++A)
        if (Result.has(A, K))
          Result.Rows[A] |= Result.Rows[K];
    return Result;
  }
  Relation reflexiveTransitive() const {
    Relation Result = transitive();
    for (unsigned K = 0; K < Size; ++K)
      Result.add(K, K);
    return Result;
  }
  bool isIrreflexive() const {
    for (unsigned K = 0; K < Size; ++K)
      if (has(K, K))
        return false;
    return true;
  }
  bool isAcyclic() const { return transitive().isIrreflexive(); }
  bool isEmpty() const {
    return std::all_of(Rows.begin(), Rows.begin() + Size, [](uint32_t Row) { return Row == 0; });
  }
};

// The paths of a thread.

/// A number that may depend on a load (by its number among the events of the path).
struct Term {
  int Load = -1;
  int Constant = 0;
};

struct Event {
  bool IsWrite = false;
  unsigned Location = 0;
  Term Stored;
  uint32_t Address = 0, Data = 0, Control = 0, ControlISync = 0; // loads of the path, as bits
  unsigned Syncs = 0, LwSyncs = 0, Eieios = 0;                   // how many stand before it
  int Reserved = -1;                                             // the load-reserve of a store-conditional
};

struct Path {
  struct Condition {
    Term Left;
    int Right;
    bool Equal;
  };
  std::vector<Event> Events;
  std::vector<Condition> Conditions;
  std::array<Term, PowerProgram::Registers> Registers;
};

class PathFinder {
public:
  explicit PathFinder(const std::vector<PowerInstruction> &Code) : Code(Code) {}
  std::vector<Path> find() {
    follow({}, 0);
    return std::move(Found);
  }

private:
  using I = PowerInstruction;
  struct State {
    Path P;
    uint32_t Control = 0, ControlISync = 0;
    unsigned Syncs = 0, LwSyncs = 0, Eieios = 0;
    int Reserved = -1;
  };

  static uint32_t loadsOf(const Term &T) { return T.Load < 0 ? 0 : 1u << T.Load; }

  static Event access(const State &S, const PowerInstruction &Given) {
    Event E;
    E.Location = Given.Location;
    if (Given.AddressFrom >= 0)
      E.Address = loadsOf(S.P.Registers[static_cast<size_t>(Given.AddressFrom)]);
    E.Control = S.Control;
    E.ControlISync = S.ControlISync;
    E.Syncs = S.Syncs;
    E.LwSyncs = S.LwSyncs;
    E.Eieios = S.Eieios;
    return E;
  }

  void load(State &S, const PowerInstruction &Given) {
    S.P.Events.push_back(access(S, Given));
    const int Number = static_cast<int>(S.P.Events.size()) - 1;
    S.P.Registers[Given.Register] = {Number, 0};
    if (Given.What == I::LoadReserve)
      S.Reserved = Number;
  }

  void store(State &S, const PowerInstruction &Given) {
    Event E = access(S, Given);
    E.IsWrite = true;
    E.Stored.Constant = Given.Value;
    if (Given.From >= 0) {
      const Term &From = S.P.Registers[static_cast<size_t>(Given.From)];
      E.Data = loadsOf(From);
      if (!Given.Fake)
        E.Stored.Load = From.Load;
    }
    if (Given.What == I::StoreConditional)
      E.Reserved = S.Reserved;
    S.P.Events.push_back(E);
  }

  void follow(State S, size_t At) {
    for (; At < Code.size(); ++At) {
      const PowerInstruction &Given = Code[At];
      switch (Given.What) {
      case I::Load:
      case I::LoadReserve: load(S, Given); break;
      case I::Store: store(S, Given); break;
      case I::StoreConditional: return followConditional(S, At);
      case I::Branch: {
        const Term Left = S.P.Registers[static_cast<size_t>(Given.From)];
        S.Control |= loadsOf(Left);
        if (Given.Fake)
          break;
        State Skips = S;
        Skips.P.Conditions.push_back({Left, Given.Value, false});
        follow(std::move(Skips), At + 1 + Given.Skip);
        S.P.Conditions.push_back({Left, Given.Value, true});
        break;
      }
      case I::Sync: ++S.Syncs; break;
      case I::LwSync: ++S.LwSyncs; break;
      case I::Eieio: ++S.Eieios; break;
      case I::ISync: S.ControlISync |= S.Control; break;
      }
    }
    Found.push_back(std::move(S.P));
  }

  /// It may always fail. It can succeed only if the reservation before it is of the same location.
  void followConditional(const State &S, size_t At) {
    State Fails = S;
    Fails.Reserved = -1;
    follow(std::move(Fails), At + 1 + Code[At].Skip);
    if (S.Reserved < 0 || S.P.Events[static_cast<size_t>(S.Reserved)].Location != Code[At].Location)
      return;
    State Succeeds = S;
    store(Succeeds, Code[At]);
    Succeeds.Reserved = -1;
    follow(std::move(Succeeds), At + 1);
  }

  const std::vector<PowerInstruction> &Code;
  std::vector<Path> Found;
};

// Candidates: a path of each thread, reads-from and coherence.

constexpr unsigned Locations = 3;

class Candidates {
public:
  Candidates(const std::vector<const Path *> &Paths, BruteModel Model, uint64_t &Left,
             std::map<PowerExecution, unsigned> &Found)
      : Paths(Paths), Model(Model), Left(Left), Found(Found), Size(Locations), Rf(0), Co(0) {
    for (const Path *P : Paths) {
      First.push_back(Size);
      Size += static_cast<unsigned>(P->Events.size());
    }
    if (Size > MostEvents)
      throw std::length_error("too many events");
    Rf = Co = Relation(Size);
  }

  /// False if there are too many.
  bool enumerate() {
    makeStatic();
    for (unsigned L = 0; L < Locations; ++L)
      if (!enumerate(L))
        return false;
    return combine(0);
  }

private:
  /// Of one location.
  struct Choice {
    std::vector<std::pair<unsigned, unsigned>> Sources; // write, read
    std::vector<unsigned> Order;
  };

  // Events 0, 1, 2 are the initial writes, which belong to no thread.
  void makeStatic();
  bool enumerate(unsigned Location);
  bool assign(unsigned Location, Choice &C, const std::vector<unsigned> &Reads);
  void apply(const Choice &C);
  void take(const Choice &C);
  bool combine(unsigned Location);
  bool findValues();
  bool meetsConditions() const;
  int valueOf(unsigned Thread, const Term &T) const {
    return T.Constant + (T.Load < 0 ? 0 : Values[First[Thread] + static_cast<unsigned>(T.Load)]);
  }
  bool isAllowed() const { return Model == BruteModel::Rmo ? isAllowedByRmo() : isAllowedByPower(); }
  bool isAllowedByPower() const;
  bool isAllowedByRmo() const;
  void keep();

  const Event &event(unsigned E) const { return Paths[ThreadOf[E]]->Events[E - First[ThreadOf[E]]]; }

  const std::vector<const Path *> &Paths;
  const BruteModel Model;
  uint64_t &Left;
  std::map<PowerExecution, unsigned> &Found;
  std::vector<unsigned> First; // per thread
  unsigned Size;
  std::array<unsigned, MostEvents> ThreadOf{}, LocationOf{};
  std::array<bool, MostEvents> IsWrite{};
  Relation Rf, Co;
  std::vector<std::vector<Choice>> Choices; // per location, those with SC per location and atomicity
  std::vector<const Choice *> Chosen;
  std::array<int, MostEvents> Values{};

  // What does not depend on reads-from and coherence.
  std::vector<Relation> Static;
  enum { Po, Same, Addr, Data, Ctrl, CtrlISync, Ffence, Lwfence, External, WW, RR, RW, Rmw, NumStatic };
  const Relation &operator[](unsigned Which) const { return Static[Which]; }
};

void Candidates::makeStatic() {
  Static.assign(NumStatic, Relation(Size));
  constexpr unsigned Nobody = ~0u;
  for (unsigned L = 0; L < Locations; ++L) {
    ThreadOf[L] = Nobody;
    LocationOf[L] = L;
    IsWrite[L] = true;
  }
  for (unsigned T = 0; T < Paths.size(); ++T)
    for (unsigned K = 0; K < Paths[T]->Events.size(); ++K) {
      const unsigned E = First[T] + K;
      const Event &Given = Paths[T]->Events[K];
      ThreadOf[E] = T;
      LocationOf[E] = Given.Location;
      IsWrite[E] = Given.IsWrite;
      if (Given.Reserved >= 0)
        Static[Rmw].add(First[T] + static_cast<unsigned>(Given.Reserved), E);
      for (unsigned Earlier = 0; Earlier < K; ++Earlier) {
        const unsigned A = First[T] + Earlier;
        const Event &Before = Paths[T]->Events[Earlier];
        auto Add = [&](unsigned Which, bool If) {
          if (If)
            Static[Which].add(A, E);
        };
        Add(Po, true);
        Add(Addr, Given.Address >> Earlier & 1);
        Add(Data, Given.Data >> Earlier & 1);
        Add(Ctrl, Given.Control >> Earlier & 1);
        Add(CtrlISync, Given.ControlISync >> Earlier & 1);
        Add(Ffence, Before.Syncs < Given.Syncs);
        Add(Lwfence, Before.LwSyncs < Given.LwSyncs && !(Before.IsWrite && !Given.IsWrite));
        Add(Lwfence, Before.Eieios < Given.Eieios && Before.IsWrite && Given.IsWrite);
      }
    }
  for (unsigned A = 0; A < Size; ++A)
    for (unsigned B = 0; B < Size; ++B) {
      if (LocationOf[A] == LocationOf[B])
        Static[Same].add(A, B);
      if (ThreadOf[A] != ThreadOf[B] || ThreadOf[A] == Nobody)
        Static[External].add(A, B);
      if (IsWrite[A] && IsWrite[B])
        Static[WW].add(A, B);
      if (!IsWrite[A])
        Static[IsWrite[B] ? RW : RR].add(A, B);
    }
}

bool Candidates::enumerate(unsigned Location) {
  std::vector<unsigned> Reads;
  Choice C;
  for (unsigned E = Locations; E < Size; ++E)
    if (LocationOf[E] == Location)
      (IsWrite[E] ? C.Order : Reads).push_back(E);
  Choices.emplace_back();
  do {
    C.Sources.clear();
    if (!assign(Location, C, Reads))
      return false;
  } while (std::next_permutation(C.Order.begin(), C.Order.end()));
  return true;
}

bool Candidates::assign(unsigned Location, Choice &C, const std::vector<unsigned> &Reads) {
  if (C.Sources.size() < Reads.size()) {
    for (size_t K = 0; K <= C.Order.size(); ++K) {
      C.Sources.push_back({K ? C.Order[K - 1] : Location, Reads[C.Sources.size()]});
      if (!assign(Location, C, Reads))
        return false;
      C.Sources.pop_back();
    }
    return true;
  }
  if (Left == 0)
    return false;
  --Left;
  apply(C);
  const Relation Fr = Rf.inverse() * Co, &Ext = (*this)[External];
  // SC per location: acyclic(po-loc | com). Atomicity: empty(rmw & (fre ; coe)). Both are about one location at a time.
  if ((((*this)[Po] & (*this)[Same]) | Rf | Co | Fr).isAcyclic() &&
      ((*this)[Rmw] & ((Fr & Ext) * (Co & Ext))).isEmpty())
    Choices.back().push_back(C);
  take(C);
  return true;
}

void Candidates::apply(const Choice &C) {
  for (auto [Write, Read] : C.Sources)
    Rf.add(Write, Read);
  for (size_t K = 0; K < C.Order.size(); ++K) {
    Co.add(LocationOf[C.Order[K]], C.Order[K]);
    for (size_t Later = K + 1; Later < C.Order.size(); ++Later)
      Co.add(C.Order[K], C.Order[Later]);
  }
}

void Candidates::take(const Choice &C) {
  for (auto [Write, Read] : C.Sources)
    Rf.Rows[Write] &= ~(1u << Read);
  for (unsigned Write : C.Order) {
    Co.Rows[Write] = 0;
    Co.Rows[LocationOf[Write]] = 0;
  }
}

bool Candidates::combine(unsigned Location) {
  if (Location < Locations) {
    for (const Choice &C : Choices[Location]) {
      apply(C);
      Chosen.push_back(&C);
      const bool Enough = combine(Location + 1);
      Chosen.pop_back();
      take(C);
      if (!Enough)
        return false;
    }
    return true;
  }
  if (Left == 0)
    return false;
  --Left;
  if (findValues() && meetsConditions() && isAllowed())
    keep();
  return true;
}

/// False if values depend on themselves.
bool Candidates::findValues() {
  uint32_t Known = (1u << Locations) - 1;
  for (bool Grows = true; Grows;) {
    Grows = false;
    for (unsigned E = Locations; E < Size; ++E) {
      if (Known >> E & 1)
        continue;
      const Event &Given = event(E);
      if (Given.IsWrite) {
        if (Given.Stored.Load >= 0 && !(Known >> (First[ThreadOf[E]] + static_cast<unsigned>(Given.Stored.Load)) & 1))
          continue;
        Values[E] = valueOf(ThreadOf[E], Given.Stored);
      } else {
        unsigned Source = 0;
        while (!Rf.has(Source, E))
          ++Source;
        if (!(Known >> Source & 1))
          continue;
        Values[E] = Values[Source];
      }
      Known |= 1u << E;
      Grows = true;
    }
  }
  return Known == (Size == 32 ? ~0u : (1u << Size) - 1);
}

bool Candidates::meetsConditions() const {
  for (unsigned T = 0; T < Paths.size(); ++T)
    for (const Path::Condition &C : Paths[T]->Conditions)
      if ((valueOf(T, C.Left) == C.Right) != C.Equal)
        return false;
  return true;
}

/// The axioms that are left, word by word.
bool Candidates::isAllowedByPower() const {
  const auto &R = *this;
  const Relation &Ext = R[External], PoLoc = R[Po] & R[Same];
  const Relation Fr = Rf.inverse() * Co, Com = Co | Rf | Fr;
  const Relation Rfe = Rf & Ext, Fre = Fr & Ext, Coe = Co & Ext, Rfi = Rf & R[Po];

  const Relation Dp = R[Addr] | R[Data], Rdw = PoLoc & (Fre * Rfe), Detour = PoLoc & (Coe * Rfe);
  const Relation II0 = Dp | Rdw | Rfi, CI0 = R[CtrlISync] | Detour, IC0(Size),
                 CC0 = Dp | PoLoc | R[Ctrl] | R[Addr] * R[Po];
  Relation II = II0, IC = IC0, CI = CI0, CC = CC0;
  for (;;) {
    Relation NewII = II0 | CI | IC * CI | II * II, NewIC = IC0 | II | CC | IC * CC | II * IC;
    Relation NewCI = CI0 | CI * II | CC * CI, NewCC = CC0 | CI | CI * IC | CC * CC;
    if (NewII == II && NewIC == IC && NewCI == CI && NewCC == CC)
      break;
    II = NewII;
    IC = NewIC;
    CI = NewCI;
    CC = NewCC;
  }
  const Relation Ppo = (II & R[RR]) | (IC & R[RW]);

  const Relation Fences = R[Ffence] | R[Lwfence], Hb = Ppo | Fences | Rfe;
  if (!Hb.isAcyclic()) // no thin air
    return false;
  const Relation HbStar = Hb.reflexiveTransitive(), PropBase = (Fences | Rfe * Fences) * HbStar;
  const Relation Prop =
      (PropBase & R[WW]) | Com.reflexiveTransitive() * PropBase.reflexiveTransitive() * R[Ffence] * HbStar;
  return (Fre * Prop * HbStar).isIrreflexive() // observation
         && (Co | Prop).isAcyclic();           // propagation
}

/// What an access depends on, through its thread's own stores too, happens before it; fences order; and with
/// communication, where what a thread reads of its own is left out, that has no cycle.
bool Candidates::isAllowedByRmo() const {
  const auto &R = *this;
  const Relation ToWrite = R[RW] | R[WW], Fr = Rf.inverse() * Co;
  const Relation Needed =
      R[Addr] | R[CtrlISync] | (Rf & R[Po]) | ((R[Data] | R[Ctrl] | (R[Po] & R[Same]) | R[Addr] * R[Po]) & ToWrite);
  const Relation Preserved = Needed.transitive() & (R[RR] | R[RW]);
  return (Preserved | R[Ffence] | R[Lwfence] | (Rf & R[External]) | Co | Fr).isAcyclic();
}

void Candidates::keep() {
  PowerExecution X;
  for (unsigned T = 0; T < Paths.size(); ++T) {
    std::vector<PowerAccess> &Accesses = X.Threads.emplace_back();
    for (unsigned K = 0; K < Paths[T]->Events.size(); ++K) {
      const unsigned E = First[T] + K;
      Accesses.push_back({IsWrite[E], LocationOf[E], Values[E], -1, -1, 0});
    }
    std::vector<int> &Registers = X.Registers.emplace_back();
    for (const Term &Register : Paths[T]->Registers)
      Registers.push_back(valueOf(T, Register));
  }
  auto Access = [&](unsigned E) -> PowerAccess & { return X.Threads[ThreadOf[E]][E - First[ThreadOf[E]]]; };
  for (const Choice *C : Chosen) {
    for (auto [Write, Read] : C->Sources)
      if (Write >= Locations) {
        Access(Read).SourceThread = static_cast<int>(ThreadOf[Write]);
        Access(Read).SourceIndex = static_cast<int>(Write - First[ThreadOf[Write]]);
      }
    for (unsigned K = 0; K < C->Order.size(); ++K)
      Access(C->Order[K]).Position = K + 1;
  }
  ++Found[X];
}

} // namespace

std::optional<std::map<PowerExecution, unsigned>> bruteForce(const PowerProgram &P, uint64_t MostCandidates,
                                                             BruteModel Model) {
  std::vector<std::vector<Path>> Paths;
  for (const auto &Code : P.Threads)
    Paths.push_back(PathFinder(Code).find());
  std::map<PowerExecution, unsigned> Found;
  std::vector<size_t> At(Paths.size(), 0);
  for (;;) {
    std::vector<const Path *> Chosen;
    for (size_t T = 0; T < Paths.size(); ++T)
      Chosen.push_back(&Paths[T][At[T]]);
    if (!Candidates(Chosen, Model, MostCandidates, Found).enumerate())
      return std::nullopt;
    size_t T = 0;
    while (T < At.size() && ++At[T] == Paths[T].size())
      At[T++] = 0;
    if (T == At.size())
      return Found;
  }
}

} // namespace picket::testing
