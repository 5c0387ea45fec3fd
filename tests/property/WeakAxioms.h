// The axioms of ARMv8 and of C11 (docs/models.md) over relations as matrices, as in the papers.
#pragma once

#include "property/Relation.h"

#include <vector>

namespace picket::testing {

enum class AccessMode : uint8_t { Plain, Relaxed, Acquire, Release, SeqCst };

/// A fence of a thread. Its events are numbered in program order.
struct FenceIn {
  unsigned Thread; // its first event
  unsigned Behind; // the first event that comes after it, or one more than the last
  bool Acquires, Releases, SeqCst;
};

inline bool isAcquire(AccessMode M) { return M == AccessMode::Acquire || M == AccessMode::SeqCst; }
inline bool isRelease(AccessMode M) { return M == AccessMode::Release || M == AccessMode::SeqCst; }

/// acyclic(ob). The read and the write of an update are not related by dependencies.
inline bool isAllowedByArmv8(const StaticRelations &R, const EventRelation &Rf, const EventRelation &Co,
                             const std::vector<AccessMode> &Modes, const std::vector<FenceIn> &Fences) {
  using Relation = EventRelation;
  const unsigned Size = Rf.Size;
  auto IsWrite = [&](unsigned E) { return R.WW.has(E, E); };
  const Relation Fr = Rf.inverse() * Co, PoLoc = R.Po & R.Same;
  const Relation Obs = (Rf | Fr | Co) & R.External;
  const Relation Data = R.Data - R.Rmw, Dependency = R.Addr | Data;
  Relation Lws(Size), ToWrite(Size), ToRead(Size), Bob(Size), Lrs(Size), AcquiringLrs(Size);
  for (unsigned A = 0; A < Size; ++A)
    for (unsigned B = 0; B < Size; ++B) {
      if (!R.Po.has(A, B))
        continue;
      (IsWrite(B) ? ToWrite : ToRead).add(A, B);
      if (PoLoc.has(A, B) && IsWrite(B))
        Lws.add(A, B);
      bool Between = false;
      for (unsigned C = 0; C < Size; ++C)
        Between |= PoLoc.has(A, C) && PoLoc.has(C, B) && IsWrite(C);
      if (PoLoc.has(A, B) && IsWrite(A) && !IsWrite(B) && !Between) {
        Lrs.add(A, B);
        if (isAcquire(Modes[B]))
          AcquiringLrs.add(A, B);
      }
      const bool AcquireA = !IsWrite(A) && isAcquire(Modes[A]), ReleaseA = IsWrite(A) && isRelease(Modes[A]);
      const bool AcquireB = !IsWrite(B) && isAcquire(Modes[B]), ReleaseB = IsWrite(B) && isRelease(Modes[B]);
      if (AcquireA || ReleaseB || (ReleaseA && AcquireB))
        Bob.add(A, B);
      for (const FenceIn &F : Fences)
        if (F.Thread <= A && A < F.Behind && F.Behind <= B && (F.Releases || !IsWrite(A)))
          Bob.add(A, B);
    }
  const Relation Dob = Dependency | (R.Ctrl & ToWrite) | (R.Addr * R.Po & ToWrite) | Dependency * Lrs;
  const Relation Aob = R.Rmw | R.Rmw * AcquiringLrs;
  return (Obs | Lws | Dob | Aob | Bob).isAcyclic();
}

/// What RC11 is made of, over the accesses and, behind them, the fences.
struct C11Relations {
  C11Relations(const StaticRelations &Given, const EventRelation &GivenRf, const std::vector<AccessMode> &Modes,
               const std::vector<FenceIn> &Fences)
      : Accesses(GivenRf.Size), Size(Accesses + static_cast<unsigned>(Fences.size())), Rf(wider(GivenRf)),
        Rmw(wider(Given.Rmw)), Sb(wider(Given.Po)), Id(Size), Sc(Size), ScFence(Size), Hb(Size) {
    EventRelation RlxRead(Size), RlxWrite(Size), F(Size), Rel(Size), Acq(Size);
    for (unsigned K = 0; K < Fences.size(); ++K) {
      const FenceIn &Here = Fences[K];
      const unsigned E = Accesses + K;
      F.add(E, E);
      if (Here.Releases)
        Rel.add(E, E);
      if (Here.Acquires)
        Acq.add(E, E);
      if (Here.SeqCst) {
        Sc.add(E, E);
        ScFence.add(E, E);
      }
      for (unsigned A = Here.Thread; A < Accesses; ++A) {
        if (A != Here.Thread && !Given.Po.has(Here.Thread, A))
          continue;
        A < Here.Behind ? Sb.add(A, E) : Sb.add(E, A);
      }
      for (unsigned Other = 0; Other < K; ++Other)
        if (Fences[Other].Thread == Here.Thread) // in program order
          Sb.add(Accesses + Other, E);
    }
    for (unsigned E = 0; E < Size; ++E)
      Id.add(E, E);
    for (unsigned E = 0; E < Accesses; ++E) {
      const bool IsWrite = Given.WW.has(E, E);
      if (Modes[E] != AccessMode::Plain) {
        (IsWrite ? RlxWrite : RlxRead).add(E, E);
      }
      if (IsWrite && isRelease(Modes[E]))
        Rel.add(E, E);
      if (!IsWrite && isAcquire(Modes[E]))
        Acq.add(E, E);
      if (Modes[E] == AccessMode::SeqCst)
        Sc.add(E, E);
    }
    // With the release sequences of C++20.
    const EventRelation Rs = RlxWrite * (Rf * Rmw).reflexiveTransitive();
    const EventRelation Sw = Rel * (Id | F * Sb) * Rs * Rf * RlxRead * (Id | Sb * F) * Acq;
    Hb = (Sb | Sw).transitive();
  }

  EventRelation wider(const EventRelation &Of) const {
    EventRelation Result(Size);
    std::copy_n(Of.Rows.begin(), Accesses, Result.Rows.begin());
    return Result;
  }

  unsigned Accesses, Size;
  EventRelation Rf, Rmw, Sb, Id, Sc, ScFence, Hb;
};

inline EventRelation happensBeforeInC11(const StaticRelations &Given, const EventRelation &Rf,
                                        const std::vector<AccessMode> &Modes, const std::vector<FenceIn> &Fences) {
  return C11Relations(Given, Rf, Modes, Fences).Hb;
}

inline bool isAllowedByC11(const StaticRelations &Given, const EventRelation &GivenRf, const EventRelation &GivenCo,
                           const std::vector<AccessMode> &Modes, const std::vector<FenceIn> &Fences) {
  using Relation = EventRelation;
  const C11Relations Of(Given, GivenRf, Modes, Fences);
  const auto &[Accesses, Size, Rf, Rmw, Sb, Id, Sc, ScFence, Hb] = Of;
  const Relation Mo = Of.wider(GivenCo), Same = Of.wider(Given.Same);
  const Relation Rb = Rf.inverse() * Mo;
  const Relation Eco = (Rf | Mo | Rb).transitive();
  if (!(Hb | Hb * Eco).isIrreflexive() || !(Rmw & (Rb * Mo)).isEmpty() || !(Sb | Rf).isAcyclic())
    return false;
  const Relation Different = Sb - Same;
  const Relation Scb = Sb | Different * Hb * Different | (Hb & Same) | Mo | Rb;
  const Relation PscBase = (Sc | ScFence * (Id | Hb)) * Scb * (Sc | (Id | Hb) * ScFence);
  const Relation PscFence = ScFence * (Hb | Hb * Eco * Hb) * ScFence;
  return (PscBase | PscFence).isAcyclic();
}

} // namespace picket::testing
