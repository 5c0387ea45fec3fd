// The axioms of ARMv8 and of C11 (docs/models.md) over relations as matrices, as in the papers.
#pragma once

#include "property/Relation.h"

#include <vector>

namespace picket::testing {

enum class AccessMode : uint8_t {
  Plain,
  Relaxed,
  AcquirePC, // ARM64: LDAPR
  Acquire,
  Release,
  SeqCst
};

/// A fence of a thread. Its events are numbered in program order.
struct FenceIn {
  unsigned Thread; // its first event
  unsigned Behind; // the first event that comes after it, or one more than the last
  bool Acquires, Releases, SeqCst;
};

inline bool isAcquire(AccessMode M) { return M == AccessMode::Acquire || M == AccessMode::SeqCst; }
inline bool isRelease(AccessMode M) { return M == AccessMode::Release || M == AccessMode::SeqCst; }

/// The relations of ARMv8 within threads.
class Armv8Relations {
  using Relation = EventRelation;

public:
  Armv8Relations(const StaticRelations &R, const std::vector<AccessMode> &Modes, const std::vector<FenceIn> &Fences)
      : R(R), Size(R.Po.Size), Data(R.Data - R.Rmw), Lws(Size), ToWrite(Size), Bob(Size), Lrs(Size),
        AcquiringLrs(Size) {
    const Relation PoLoc = R.Po & R.Same;
    for (unsigned A = 0; A < Size; ++A)
      for (unsigned B = 0; B < Size; ++B) {
        if (!R.Po.has(A, B))
          continue;
        if (isWrite(B))
          ToWrite.add(A, B);
        if (PoLoc.has(A, B) && isWrite(B))
          Lws.add(A, B);
        bool Between = false;
        for (unsigned C = 0; C < Size; ++C)
          Between |= PoLoc.has(A, C) && PoLoc.has(C, B) && isWrite(C);
        if (PoLoc.has(A, B) && isWrite(A) && !isWrite(B) && !Between) {
          Lrs.add(A, B);
          if (isAcquire(Modes[B]) || Modes[B] == AccessMode::AcquirePC)
            AcquiringLrs.add(A, B);
        }
        const bool AcquireA = !isWrite(A) && (isAcquire(Modes[A]) || Modes[A] == AccessMode::AcquirePC);
        const bool ReleaseA = isWrite(A) && isRelease(Modes[A]), ReleaseB = isWrite(B) && isRelease(Modes[B]);
        if (AcquireA || ReleaseB || (ReleaseA && !isWrite(B) && isAcquire(Modes[B])))
          Bob.add(A, B);
        for (const FenceIn &F : Fences)
          if (F.Thread <= A && A < F.Behind && F.Behind <= B && (F.Releases || !isWrite(A)))
            Bob.add(A, B);
      }
  }

  /// The CAS instructions that write, by their reads.
  std::vector<unsigned> swaps() const {
    std::vector<unsigned> Found;
    for (unsigned E = 0; E < Size; ++E)
      if (R.Expected.has(E, E) && R.Rmw.Rows[E])
        Found.push_back(E);
    return Found;
  }

  /// What ob has within threads, if the results of these CAS instructions come from the values that they expect.
  Relation order(uint64_t FromExpected) const {
    const Relation Addr = real(R.Addr, FromExpected), RealData = real(Data, FromExpected);
    const Relation Flow = R.Addr | Data | R.Ctrl | R.Addr * R.Po | Addr | RealData | real(R.Ctrl, FromExpected) |
                          Addr * R.Po; // dob and pob
    // What an update writes, if it is not an exchange, is not read before the update has read.
    const Relation Local = (Addr | RealData | (R.Data & R.Rmw)) * Lrs;
    const Relation Lob = Lws | (Flow & ToWrite) | Addr | RealData | Local | R.Rmw | R.Rmw * AcquiringLrs | Bob;
    return Lob | (pick() * Lob.transitive() & ToWrite);
  }

private:
  bool isWrite(unsigned E) const { return R.WW.has(E, E); }

  Relation real(const Relation &Given, uint64_t FromExpected) const {
    Relation Real = Given;
    for (unsigned E = Size; E-- > 0;) { // expected values come from earlier loads
      if (!(FromExpected >> E & 1))
        continue;
      for (unsigned Load = 0; Load < E; ++Load)
        if (R.Expected.has(Load, E))
          Real.Rows[Load] |= Real.Rows[E];
      Real.Rows[E] = 0;
    }
    return Real;
  }

  /// Loads that flow into an access, also by comparisons and through the thread's own writes.
  Relation pick() const {
    Relation Into = R.Addr | Data | (R.Ctrl & ToWrite), OfWrite = R.Addr | Data;
    for (unsigned A = 0; A < Size; ++A)
      for (unsigned B = 0; B < Size; ++B) {
        if (A != B && R.Expected.has(A, B))
          Into.add(A, B);
        if (R.Ctrl.has(A, B) && isUpdate(B))
          OfWrite.add(A, B);
      }
    const Relation Expected = Into & R.Expected;
    return (Expected | R.Addr | Data | OfWrite * Lrs).reflexiveTransitive() * Into;
  }
  bool isUpdate(unsigned Write) const {
    for (unsigned Read = 0; Read < Size; ++Read)
      if (R.Rmw.has(Read, Write))
        return true;
    return false;
  }

  const StaticRelations &R;
  unsigned Size;
  Relation Data, Lws, ToWrite, Bob, Lrs, AcquiringLrs;
};

/// acyclic(ob). The read and the write of an update are not related by dependencies.
inline bool isAllowedByArmv8(const StaticRelations &R, const EventRelation &Rf, const EventRelation &Co,
                             const std::vector<AccessMode> &Modes, const std::vector<FenceIn> &Fences) {
  const EventRelation Obs = (Rf | Rf.inverse() * Co | Co) & R.External;
  const Armv8Relations Threads(R, Modes, Fences);
  const std::vector<unsigned> Swaps = Threads.swaps();
  for (unsigned Choice = 0; Choice < 1u << Swaps.size(); ++Choice) {
    uint64_t FromExpected = 0;
    for (size_t K = 0; K < Swaps.size(); ++K)
      FromExpected |= uint64_t(Choice >> K & 1) << Swaps[K];
    if ((Obs | Threads.order(FromExpected)).isAcyclic())
      return true;
  }
  return false;
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
