// Relations between a few events, as bit matrices; and POWER's axioms over them, as in the paper.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace picket::testing {

struct EventRelation {
  static constexpr unsigned Most = 64;
  unsigned Size = 0;
  std::array<uint64_t, Most> Rows{}; // bit k of row j: j is related to k

  explicit EventRelation(unsigned Size) : Size(Size) {}
  bool has(unsigned A, unsigned B) const { return Rows[A] >> B & 1; }
  void add(unsigned A, unsigned B) { Rows[A] |= uint64_t(1) << B; }
  void remove(unsigned A, unsigned B) { Rows[A] &= ~(uint64_t(1) << B); }

  friend EventRelation operator|(EventRelation A, const EventRelation &B) {
    for (unsigned K = 0; K < A.Size; ++K)
      A.Rows[K] |= B.Rows[K];
    return A;
  }
  friend EventRelation operator&(EventRelation A, const EventRelation &B) {
    for (unsigned K = 0; K < A.Size; ++K)
      A.Rows[K] &= B.Rows[K];
    return A;
  }
  /// A ; B
  friend EventRelation operator*(const EventRelation &A, const EventRelation &B) {
    EventRelation Result(A.Size);
    for (unsigned K = 0; K < A.Size; ++K)
      for (unsigned Through = 0; Through < A.Size; ++Through)
        if (A.has(K, Through))
          Result.Rows[K] |= B.Rows[Through];
    return Result;
  }
  friend EventRelation operator-(EventRelation A, const EventRelation &B) {
    for (unsigned K = 0; K < A.Size; ++K)
      A.Rows[K] &= ~B.Rows[K];
    return A;
  }
  friend bool operator==(const EventRelation &, const EventRelation &) = default;

  EventRelation inverse() const {
    EventRelation Result(Size);
    for (unsigned A = 0; A < Size; ++A)
      for (unsigned B = 0; B < Size; ++B)
        if (has(A, B))
          Result.add(B, A);
    return Result;
  }
  EventRelation transitive() const {
    EventRelation Result = *this;
    for (unsigned K = 0; K < Size; ++K)
      for (unsigned A = 0; A < Size; ++A)
        if (Result.has(A, K))
          Result.Rows[A] |= Result.Rows[K];
    return Result;
  }
  EventRelation reflexiveTransitive() const {
    EventRelation Result = transitive();
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
    return std::all_of(Rows.begin(), Rows.begin() + Size, [](uint64_t Row) { return Row == 0; });
  }
};

/// What is known of an execution without reads-from and coherence.
struct StaticRelations {
  explicit StaticRelations(unsigned Size)
      : Po(Size), Same(Size), Addr(Size), Data(Size), Ctrl(Size), CtrlISync(Size), Ffence(Size), Lwfence(Size),
        External(Size), WW(Size), RR(Size), RW(Size), Rmw(Size), Section(Size), Expected(Size) {}
  EventRelation Po, Same, Addr, Data, Ctrl, CtrlISync, Ffence, Lwfence, External, WW, RR, RW, Rmw;
  EventRelation Section;  // both are in the same atomic section
  EventRelation Expected; // ARM64: from what a CAS expects to its read; the read itself, if a CAS has it
};

/// SC per location: acyclic(po-loc | com). Atomicity: empty(rmw & (fre ; coe)). Both are about one location at a time.
inline bool keepsLocations(const StaticRelations &R, const EventRelation &Rf, const EventRelation &Co) {
  const EventRelation Fr = Rf.inverse() * Co;
  return ((R.Po & R.Same) | Rf | Co | Fr).isAcyclic() && (R.Rmw & ((Fr & R.External) * (Co & R.External))).isEmpty();
}

/// What docs/power.md says of atomic sections. Each relation is lifted as by Chong, Sorensen and Wickerson:
/// stronglift(r) = t? ; (r - t) ; t?. Ihb: what happens before within a thread.
inline bool keepsSections(const StaticRelations &R, const EventRelation &Rf, const EventRelation &Co,
                          const EventRelation &Ihb) {
  using Relation = EventRelation;
  const unsigned Size = Rf.Size;
  Relation Same = R.Section, InSection(Size), ToWriting(Size);
  for (unsigned K = 0; K < Size; ++K) {
    if (Same.has(K, K))
      InSection.add(K, K);
    Same.add(K, K);
  }
  for (unsigned A = 0; A < Size; ++A)
    for (unsigned B = 0; B < Size; ++B)
      for (unsigned W = 0; W < Size; ++W)
        if (R.Section.has(B, W) && R.WW.has(W, W))
          ToWriting.add(A, B);
  auto Lift = [&](const Relation &Of) { return Same * (Of - R.Section) * Same; };
  const Relation Fr = Rf.inverse() * Co, Com = Lift(Co | Rf | Fr), Rfe = Lift(Rf & R.External), Inner = Lift(Ihb);
  const Relation Overwrites = Lift((Fr | Co) & R.External).reflexiveTransitive();
  const Relation Then = (Rfe | Overwrites * Inner).reflexiveTransitive() * Overwrites;
  const Relation BetweenSections = InSection * ((Then | Then * Rfe) - R.Section) * InSection; // weaklift(thb)
  const Relation Order = Inner | Rfe | BetweenSections;
  if (!Com.isAcyclic() || !Order.isAcyclic())
    return false;
  const Relation OrderStar = Order.reflexiveTransitive();
  const Relation Fences = Lift(R.Ffence | R.Lwfence), Base = (Fences | Rfe * Fences) * OrderStar;
  const Relation Strong = Com.reflexiveTransitive() * Base.reflexiveTransitive() * Lift(R.Ffence) * OrderStar;
  const Relation Prop = (Base & (Same * R.WW * Same)) | Strong | (Rfe & ToWriting) | InSection * Rfe * OrderStar;
  return (Lift(Fr & R.External) * Prop * OrderStar).isIrreflexive() && (Lift(Co) | Prop).isAcyclic();
}

/// The other axioms.
inline bool isAllowedByPower(const StaticRelations &R, const EventRelation &Rf, const EventRelation &Co) {
  using Relation = EventRelation;
  const unsigned Size = Rf.Size;
  const Relation &Ext = R.External, PoLoc = R.Po & R.Same;
  const Relation Fr = Rf.inverse() * Co, Com = Co | Rf | Fr;
  const Relation Rfe = Rf & Ext, Fre = Fr & Ext, Coe = Co & Ext, Rfi = Rf & R.Po;

  const Relation Dp = R.Addr | R.Data, Rdw = PoLoc & (Fre * Rfe), Detour = PoLoc & (Coe * Rfe);
  const Relation II0 = Dp | Rdw | Rfi, CI0 = R.CtrlISync | Detour, IC0(Size), CC0 = Dp | PoLoc | R.Ctrl | R.Addr * R.Po;
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
  const Relation Ppo = (II & R.RR) | (IC & R.RW);

  const Relation Fences = R.Ffence | R.Lwfence, Hb = Ppo | Fences | Rfe;
  if (!Hb.isAcyclic()) // no thin air
    return false;
  if (!R.Section.isEmpty() && !keepsSections(R, Rf, Co, Ppo | Fences))
    return false;
  const Relation HbStar = Hb.reflexiveTransitive(), PropBase = (Fences | Rfe * Fences) * HbStar;
  const Relation Prop =
      (PropBase & R.WW) | Com.reflexiveTransitive() * PropBase.reflexiveTransitive() * R.Ffence * HbStar;
  return (Fre * Prop * HbStar).isIrreflexive() // observation
         && (Co | Prop).isAcyclic();           // propagation
}

} // namespace picket::testing
