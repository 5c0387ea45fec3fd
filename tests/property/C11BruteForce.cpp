#include "property/C11BruteForce.h"

#include "property/Relation.h"
#include "property/WeakAxioms.h"

#include <stdexcept>

namespace picket::testing {

namespace {

using S = C11Statement;
using Loads = uint64_t; // events of a path, as bits

/// A number made from what events of the same path read: a sum, of which one part may be a constant.
struct Term {
  int Constant = 0;
  std::vector<unsigned> Parts; // loads
  Loads From = 0;              // all that it depends on
};

Term operator+(Term A, const Term &B) {
  A.Constant += B.Constant;
  A.Parts.insert(A.Parts.end(), B.Parts.begin(), B.Parts.end());
  A.From |= B.From;
  return A;
}

struct Event {
  bool IsWrite = false;
  bool Ends = false;
  unsigned Location = 0;
  Term Stored;
  Loads Address = 0, Data = 0, Control = 0, ControlISync = 0;
  unsigned Syncs = 0, LwSyncs = 0; // how many stand before it
  int Read = -1;                   // the read of the update whose write it is
  unsigned Section = 0;            // index of its atomic section in the path, from 1; 0: none
  bool Awaits = false;             // a read that was repeated until it had a certain value
  AccessMode Mode = AccessMode::Plain;
  bool Compares = false; // the read of a CAS
  Loads Expected = 0;    // of such a read
};

struct Condition {
  Term Left, Right;
  bool Equal;
};

struct Path {
  std::vector<Event> Events;
  std::vector<FenceIn> Fences; // Thread is not filled in
  std::vector<Condition> Conditions;
  bool Waits = false; // at its end, for a location to hold a value
  unsigned WaitsFor = 0;
  int Value = 0;
};

// The paths of a thread.

/// A statement, or a part of one with a body.
struct Operation {
  enum Kind : uint8_t { Plain, TakeLock, TryLock, Unlock, Enter, Leave, If } What;
  const S *Of;
  size_t Skip; // how many operations are left out if it fails
};

void flatten(const std::vector<S> &Body, std::vector<Operation> &Into) {
  for (const S &Given : Body) {
    const size_t At = Into.size();
    const bool HasLock = Given.What == S::Locked || Given.What == S::TryLocked;
    Into.push_back({Given.What == S::Locked      ? Operation::TakeLock
                    : Given.What == S::TryLocked ? Operation::TryLock
                    : Given.What == S::If        ? Operation::If
                    : Given.What == S::Section   ? Operation::Enter
                                                 : Operation::Plain,
                    &Given, 0});
    flatten(Given.Body, Into);
    if (HasLock)
      Into.push_back({Operation::Unlock, &Given, 0});
    if (Given.What == S::Section)
      Into.push_back({Operation::Leave, &Given, 0});
    Into[At].Skip = Into.size() - At - 1;
  }
}

class PathFinder {
public:
  PathFinder(const std::vector<S> &Body, int Thread, C11Rules Rules)
      : Owner(Thread + 1), ByFences(Rules == C11Rules::Power), Arm(Rules == C11Rules::Armv8),
        ArmExclusive(Rules == C11Rules::Armv8Exclusive) {
    flatten(Body, Code);
  }
  std::vector<Path> find() {
    follow({}, 0);
    return std::move(Found);
  }

private:
  struct State {
    Path P;
    std::array<Term, C11Program::Registers> Registers;
    Loads Control = 0, ControlISync = 0;
    unsigned Syncs = 0, LwSyncs = 0;
    unsigned Sections = 0;
    bool InSection = false;
  };

  static Term registerOf(const State &From, int Number) {
    return Number < 0 ? Term() : From.Registers[static_cast<size_t>(Number)];
  }
  static Term constant(int Value) { return {Value, {}, 0}; }
  static Term valueOf(unsigned Read) { return {0, {Read}, Loads(1) << Read}; }

  static unsigned add(State &To, bool IsWrite, unsigned Location, Loads Address) {
    Event &E = To.P.Events.emplace_back();
    E.IsWrite = IsWrite;
    E.Location = Location;
    E.Address = Address;
    E.Control = To.Control;
    E.ControlISync = To.ControlISync;
    E.Syncs = To.Syncs;
    E.LwSyncs = To.LwSyncs;
    E.Section = To.InSection ? To.Sections : 0;
    return static_cast<unsigned>(To.P.Events.size()) - 1;
  }
  /// The write of an update.
  static Event &addWrite(State &To, unsigned Read, const Term &Stored) {
    const unsigned Write = add(To, true, To.P.Events[Read].Location, To.P.Events[Read].Address);
    Event &E = To.P.Events[Write];
    E.Read = static_cast<int>(Read);
    E.Stored = Stored;
    E.Data = Stored.From;
    return E;
  }
  void acquire(State &By, unsigned Read) const {
    if (!ByFences)
      return;
    By.Control |= Loads(1) << Read;
    By.ControlISync |= Loads(1) << Read;
  }
  static bool acquires(S::Order How) { return How == S::Acquire || How == S::AcqRel || How == S::SeqCst; }
  static bool releases(S::Order How) { return How == S::Release || How == S::AcqRel || How == S::SeqCst; }
  static AccessMode modeOfRead(S::Order How) {
    return How == S::NotAtomic ? AccessMode::Plain
           : How == S::SeqCst  ? AccessMode::SeqCst
           : acquires(How)     ? AccessMode::Acquire
                               : AccessMode::Relaxed;
  }
  static AccessMode modeOfWrite(S::Order How) {
    return How == S::NotAtomic ? AccessMode::Plain
           : How == S::SeqCst  ? AccessMode::SeqCst
           : releases(How)     ? AccessMode::Release
                               : AccessMode::Relaxed;
  }
  void fenceBefore(State &By, const S &Given) const {
    if (!ByFences)
      return;
    const bool Writes = Given.What != S::Load && Given.What != S::Await;
    By.Syncs += Given.How == S::SeqCst;
    By.LwSyncs += Writes && (Given.How == S::Release || Given.How == S::AcqRel);
  }

  void waits(const State &Here, unsigned Location, int Value) {
    Found.push_back(Here.P);
    Found.back().Waits = true;
    Found.back().WaitsFor = Location;
    Found.back().Value = Value;
  }

  void follow(State Now, size_t At) {
    for (; At < Code.size(); ++At) {
      const S &Given = *Code[At].Of;
      switch (Code[At].What) {
      case Operation::Plain: return statement(std::move(Now), At);
      case Operation::TakeLock: {
        waits(Now, C11Program::Lock, 0);
        takeLock(Now);
        break;
      }
      case Operation::TryLock: {
        State Fails = Now;
        const unsigned Read = add(Fails, false, C11Program::Lock, 0);
        To(Fails, Read).Mode = AccessMode::Acquire;
        Fails.P.Conditions.push_back({valueOf(Read), constant(0), false});
        acquire(Fails, Read);
        follow(std::move(Fails), At + 1 + Code[At].Skip);
        takeLock(Now);
        break;
      }
      case Operation::Unlock: {
        ++Now.LwSyncs;
        const unsigned Read = add(Now, false, C11Program::Lock, 0);
        To(Now, Read).Mode = AccessMode::Relaxed;
        Now.P.Conditions.push_back({valueOf(Read), constant(Owner), true});
        Event &Write = addWrite(Now, Read, constant(0));
        Write.Data |= Loads(1) << Read;
        Write.Mode = AccessMode::Release;
        break;
      }
      case Operation::Enter:
        ++Now.Syncs;
        ++Now.Sections;
        Now.InSection = true;
        break;
      case Operation::Leave:
        ++Now.Syncs;
        Now.InSection = false;
        break;
      case Operation::If: {
        const Term Left = registerOf(Now, Given.From);
        Now.Control |= Left.From;
        State Skips = Now;
        Skips.P.Conditions.push_back({Left, constant(Given.Value), false});
        follow(std::move(Skips), At + 1 + Code[At].Skip);
        Now.P.Conditions.push_back({Left, constant(Given.Value), true});
        break;
      }
      }
    }
    Found.push_back(std::move(Now.P));
  }

  void takeLock(State &Now) {
    const unsigned Read = add(Now, false, C11Program::Lock, 0);
    To(Now, Read).Mode = AccessMode::Acquire;
    Now.P.Conditions.push_back({valueOf(Read), constant(0), true});
    Event &Write = addWrite(Now, Read, constant(Owner));
    Write.Data |= Loads(1) << Read;
    Write.Mode = AccessMode::Relaxed;
    acquire(Now, Read);
  }

  void statement(State Now, size_t At) {
    const S &Given = *Code[At].Of;
    if (Given.What == S::Fence) {
      Now.Syncs += Given.How == S::SeqCst;
      Now.LwSyncs += Given.How != S::SeqCst && Given.How != S::Relaxed;
      if (Given.How != S::Relaxed)
        Now.P.Fences.push_back({0, static_cast<unsigned>(Now.P.Events.size()), acquires(Given.How), releases(Given.How),
                                Given.How == S::SeqCst});
      return follow(std::move(Now), At + 1);
    }
    if (Given.What == S::Free) {
      To(Now, add(Now, true, C11Program::Block, 0)).Ends = true;
      return follow(std::move(Now), At + 1);
    }
    if (Given.AddressFrom < 0)
      return access(std::move(Now), At, Given.Location, 0);
    const Term Index = registerOf(Now, Given.AddressFrom);
    State Other = Now;
    Other.P.Conditions.push_back({Index, constant(0), false});
    access(std::move(Other), At, Given.Location ^ 1u, Index.From);
    Now.P.Conditions.push_back({Index, constant(0), true});
    access(std::move(Now), At, Given.Location, Index.From);
  }
  static Event &To(State &Now, unsigned E) { return Now.P.Events[E]; }

  void access(State Now, size_t At, unsigned Location, Loads Address) {
    const S &Given = *Code[At].Of;
    fenceBefore(Now, Given);
    const Term Operand = registerOf(Now, Given.From) + constant(Given.Value);
    if (Given.What == S::Await)
      waits(Now, Location, Given.Value);
    if (Given.What == S::Store) {
      Event &Write = To(Now, add(Now, true, Location, Address));
      Write.Stored = Operand;
      Write.Data = Operand.From;
      Write.Mode = modeOfWrite(Given.How);
      return follow(std::move(Now), At + 1);
    }
    const Term Expected = registerOf(Now, Given.ExpectedFrom) + constant(Given.Expected);
    const unsigned Read = add(Now, false, Location, Address);
    To(Now, Read).Mode = modeOfRead(Given.How);
    if (Arm && Given.How == S::Acquire && (Given.What == S::Load || Given.What == S::Await))
      To(Now, Read).Mode = AccessMode::AcquirePC;
    Term &Into = Now.Registers[Given.Register];
    switch (Given.What) {
    case S::Await:
      To(Now, Read).Awaits = true;
      Now.P.Conditions.push_back({valueOf(Read), constant(Given.Value), true});
      Now.Control |= Loads(1) << Read;
      break;
    case S::CompareSwap: return compareSwap(std::move(Now), At, Read, Expected, Operand);
    case S::FetchAdd:
      addWrite(Now, Read, valueOf(Read) + Operand).Mode = modeOfWrite(Given.How);
      Into = valueOf(Read);
      break;
    case S::Exchange:
      addWrite(Now, Read, Operand).Mode = modeOfWrite(Given.How);
      Into = valueOf(Read);
      break;
    default: Into = valueOf(Read);
    }
    if (acquires(Given.How))
      acquire(Now, Read);
    follow(std::move(Now), At + 1);
  }

  /// A processor that has a load and a store for it branches in between. ARM64: its write needs its read, whatever it
  /// writes.
  void compareSwap(State Now, size_t At, unsigned Read, const Term &Expected, const Term &New) {
    const S &Given = *Code[At].Of;
    const Loads Compared = Expected.From | Loads(1) << Read;
    if (Arm) {
      To(Now, Read).Compares = true;
      To(Now, Read).Expected = Expected.From;
    }
    for (bool Succeeds : {false, true}) {
      State Next = Now;
      Next.P.Conditions.push_back({valueOf(Read), Expected, Succeeds});
      if (Succeeds) {
        Event &Write = addWrite(Next, Read, New);
        Write.Control |= Arm ? Expected.From : Compared;
        if (Arm || ArmExclusive)
          Write.Data |= Loads(1) << Read;
        Write.Mode = modeOfWrite(Given.How);
      } else if (!ByFences && !Arm && !ArmExclusive) {
        To(Next, Read).Mode = AccessMode::Relaxed; // the order of failing
      }
      Next.Registers[Given.Register] = {Succeeds, {}, Compared};
      if (!Arm)
        Next.Control |= Compared;
      if (acquires(Given.How))
        acquire(Next, Read);
      follow(std::move(Next), At + 1);
    }
  }

  const int Owner;
  const bool ByFences;          // orders are fences around accesses
  const bool Arm, ArmExclusive; // which of the two
  std::vector<Operation> Code;
  std::vector<Path> Found;
};

// Candidates: a path of each thread, reads-from and coherence.

constexpr unsigned Locations = C11Program::Locations;

class Candidates {
public:
  Candidates(const std::vector<const Path *> &Paths, uint64_t &Left, C11Executions &Found, C11Rules Rules)
      : Paths(Paths), Left(Left), Found(Found), Rules(Rules), Size(Locations), Rf(Size), Co(Size), Relations(Size) {
    for (const Path *P : Paths) {
      First.push_back(Size);
      Size += static_cast<unsigned>(P->Events.size());
      SomeWait |= P->Waits;
    }
    if (Size > EventRelation::Most)
      throw std::length_error("too many events");
    Rf = Co = EventRelation(Size);
    Relations = StaticRelations(Size);
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

  void makeStatic();
  bool enumerate(unsigned Location);
  bool assign(unsigned Location, Choice &C, const std::vector<unsigned> &Reads);
  void apply(const Choice &C);
  void take(const Choice &C);
  bool combine(unsigned Location);
  bool findValues();
  bool meetsConditions() const;
  int valueOf(unsigned Thread, const Term &T) const {
    int Sum = T.Constant;
    for (unsigned Read : T.Parts)
      Sum += Values[First[Thread] + Read];
    return Sum;
  }
  void keep();
  bool isAllowed() const {
    switch (Rules) {
    case C11Rules::Power: return isAllowedByPower(Relations, Rf, Co);
    case C11Rules::Armv8:
    case C11Rules::Armv8Exclusive: return isAllowedByArmv8(Relations, Rf, Co, Modes, Fences);
    case C11Rules::C11: return isAllowedByC11(Relations, Rf, Co, Modes, Fences);
    case C11Rules::Sequential:
      return (Relations.Po | Rf | Co | Rf.inverse() * Co).isAcyclic() &&
             (Relations.Rmw & ((Rf.inverse() * Co & Relations.External) * (Co & Relations.External))).isEmpty();
    }
    return false;
  }
  bool usesFreed() const;
  bool races(const EventRelation &Hb) const;
  bool racesWhileWaiting(const EventRelation &Hb) const;
  enum class Waiting { Goes, Stays, UsesFreed };
  Waiting waiting(const Path &P) const;

  const Event &event(unsigned E) const { return Paths[ThreadOf[E]]->Events[E - First[ThreadOf[E]]]; }
  bool ends(unsigned E) const { return E >= Locations && event(E).Ends; }

  const std::vector<const Path *> &Paths;
  uint64_t &Left;
  C11Executions &Found;
  const C11Rules Rules;
  std::vector<AccessMode> Modes; // per event
  std::vector<FenceIn> Fences;
  std::vector<unsigned> First; // per thread
  unsigned Size;
  bool SomeWait = false;
  std::array<unsigned, EventRelation::Most> ThreadOf{}, LocationOf{};
  std::array<bool, EventRelation::Most> IsWrite{};
  EventRelation Rf, Co;
  StaticRelations Relations;
  std::vector<std::vector<Choice>> Choices; // per location, those with SC per location and atomicity
  std::vector<const Choice *> Chosen;
  std::array<int, EventRelation::Most> Values{};
};

/// Events 0 to Locations - 1 are the initial writes, which belong to no thread.
void Candidates::makeStatic() {
  constexpr unsigned Nobody = ~0u;
  for (unsigned L = 0; L < Locations; ++L) {
    ThreadOf[L] = Nobody;
    LocationOf[L] = L;
    IsWrite[L] = true;
  }
  Modes.assign(Size, AccessMode::Plain);
  for (unsigned T = 0; T < Paths.size(); ++T)
    for (FenceIn F : Paths[T]->Fences) {
      F.Behind += First[T]; // the events of its thread below that
      F.Thread = First[T];
      Fences.push_back(F);
    }
  for (unsigned T = 0; T < Paths.size(); ++T)
    for (unsigned K = 0; K < Paths[T]->Events.size(); ++K) {
      const unsigned E = First[T] + K;
      const Event &Given = Paths[T]->Events[K];
      Modes[E] = Given.Mode;
      ThreadOf[E] = T;
      LocationOf[E] = Given.Location;
      IsWrite[E] = Given.IsWrite;
      for (unsigned Other = 0; Other < Paths[T]->Events.size() && Given.Section; ++Other)
        if (Paths[T]->Events[Other].Section == Given.Section)
          Relations.Section.add(E, First[T] + Other);
      if (Given.Compares)
        Relations.Expected.add(E, E);
      if (Given.Read >= 0)
        Relations.Rmw.add(First[T] + static_cast<unsigned>(Given.Read), E);
      for (unsigned Earlier = 0; Earlier < K; ++Earlier) {
        const unsigned A = First[T] + Earlier;
        const Event &Before = Paths[T]->Events[Earlier];
        auto Add = [&](EventRelation &To, bool If) {
          if (If)
            To.add(A, E);
        };
        Add(Relations.Po, true);
        Add(Relations.Addr, Given.Address >> Earlier & 1);
        Add(Relations.Data, Given.Data >> Earlier & 1);
        Add(Relations.Expected, Given.Expected >> Earlier & 1);
        Add(Relations.Ctrl, Given.Control >> Earlier & 1);
        Add(Relations.CtrlISync, Given.ControlISync >> Earlier & 1);
        Add(Relations.Ffence, Before.Syncs < Given.Syncs);
        Add(Relations.Lwfence, Before.LwSyncs < Given.LwSyncs && !(Before.IsWrite && !Given.IsWrite));
      }
    }
  for (unsigned A = 0; A < Size; ++A)
    for (unsigned B = 0; B < Size; ++B) {
      if (LocationOf[A] == LocationOf[B])
        Relations.Same.add(A, B);
      if (ThreadOf[A] != ThreadOf[B] || ThreadOf[A] == Nobody)
        Relations.External.add(A, B);
      if (IsWrite[A] && IsWrite[B])
        Relations.WW.add(A, B);
      if (!IsWrite[A])
        (IsWrite[B] ? Relations.RW : Relations.RR).add(A, B);
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
  if (keepsLocations(Relations, Rf, Co))
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
    Rf.remove(Write, Read);
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
  std::array<bool, EventRelation::Most> Known{};
  std::fill_n(Known.begin(), Locations, true);
  unsigned NumKnown = Locations;
  for (bool Grows = true; Grows;) {
    Grows = false;
    for (unsigned E = Locations; E < Size; ++E) {
      if (Known[E])
        continue;
      const Event &Given = event(E);
      if (Given.IsWrite) {
        const unsigned Base = First[ThreadOf[E]];
        if (std::any_of(Given.Stored.Parts.begin(), Given.Stored.Parts.end(),
                        [&](unsigned Read) { return !Known[Base + Read]; }))
          continue;
        Values[E] = valueOf(ThreadOf[E], Given.Stored);
      } else {
        unsigned Source = 0;
        while (!Rf.has(Source, E))
          ++Source;
        if (!Known[Source])
          continue;
        Values[E] = Values[Source];
      }
      Known[E] = true;
      ++NumKnown;
      Grows = true;
    }
  }
  return NumKnown == Size;
}

bool Candidates::meetsConditions() const {
  for (unsigned T = 0; T < Paths.size(); ++T)
    for (const Condition &C : Paths[T]->Conditions)
      if ((valueOf(T, C.Left) == valueOf(T, C.Right)) != C.Equal)
        return false;
  return true;
}

bool Candidates::usesFreed() const {
  for (unsigned E = Locations; E < Size; ++E)
    if (ends(E) && (Rf.Rows[E] || Co.Rows[E]))
      return true;
  return false;
}

/// Accesses of different threads, one of which writes and one of which is plain, in neither order of happens-before.
bool Candidates::races(const EventRelation &Hb) const {
  for (unsigned A = Locations; A < Size; ++A)
    for (unsigned B = Locations; B < A; ++B)
      if (ThreadOf[A] != ThreadOf[B] && LocationOf[A] == LocationOf[B] && (IsWrite[A] || IsWrite[B]) && !ends(A) &&
          !ends(B) && (Modes[A] == AccessMode::Plain || Modes[B] == AccessMode::Plain) && !Hb.has(A, B) &&
          !Hb.has(B, A))
        return true;
  return false;
}

/// A thread that waits reads the location again and again: at first nothing has synchronised with it but what came before
/// its wait. Whether such a read is in a data race.
bool Candidates::racesWhileWaiting(const EventRelation &Hb) const {
  // Whether a plain write of another thread to a location does not happen before an event, Wait, of a thread.
  auto Races = [&](unsigned Write, unsigned Thread, unsigned Wait, unsigned Location) {
    if (!IsWrite[Write] || Modes[Write] != AccessMode::Plain || ends(Write) || ThreadOf[Write] == Thread ||
        LocationOf[Write] != Location)
      return false;
    for (unsigned Earlier = First[Thread]; Earlier < Wait; ++Earlier)
      if (Hb.has(Write, Earlier))
        return false;
    for (unsigned K = 0; K < Fences.size(); ++K)
      if (Fences[K].Thread == First[Thread] && Fences[K].Behind <= Wait && Hb.has(Write, Size + K))
        return false;
    return true;
  };
  for (unsigned Write = Locations; Write < Size; ++Write) {
    for (unsigned Read = Locations; Read < Size; ++Read)
      if (event(Read).Awaits && !Hb.has(Read, Write) && Races(Write, ThreadOf[Read], Read, LocationOf[Read]))
        return true;
    for (unsigned T = 0; T < Paths.size(); ++T)
      if (Paths[T]->Waits &&
          Races(Write, T, First[T] + static_cast<unsigned>(Paths[T]->Events.size()), Paths[T]->WaitsFor))
        return true;
  }
  return false;
}

/// What becomes of a thread that waits for a location to hold a value, if nobody writes any more.
Candidates::Waiting Candidates::waiting(const Path &P) const {
  const std::vector<unsigned> &Order = Chosen[P.WaitsFor]->Order;
  const unsigned Last = Order.empty() ? P.WaitsFor : Order.back();
  if (ends(Last))
    return Waiting::UsesFreed;
  return Values[Last] == P.Value ? Waiting::Goes : Waiting::Stays;
}

void Candidates::keep() {
  if (Rules == C11Rules::C11 || Rules == C11Rules::Sequential) {
    const EventRelation Hb = happensBeforeInC11(Relations, Rf, Modes, Fences);
    if (races(Hb)) {
      Found.Races = true;
      return;
    }
    Found.Races |= racesWhileWaiting(Hb); // in an execution that goes on to read something else
  }
  if (usesFreed()) {
    Found.UsesFreed = true;
    return;
  }
  if (SomeWait) {
    bool AllStay = true;
    for (const Path *P : Paths) {
      const Waiting How = P->Waits ? waiting(*P) : Waiting::Stays;
      Found.UsesFreed |= How == Waiting::UsesFreed;
      AllStay &= How == Waiting::Stays;
    }
    Found.Hangs |= AllStay;
    return;
  }
  C11Execution X;
  for (unsigned T = 0; T < Paths.size(); ++T) {
    std::vector<C11Access> &Accesses = X.emplace_back();
    for (unsigned K = 0; K < Paths[T]->Events.size(); ++K) {
      const unsigned E = First[T] + K;
      const bool HasValue = LocationOf[E] != C11Program::Lock;
      if (!ends(E))
        Accesses.push_back({IsWrite[E], LocationOf[E], HasValue ? Values[E] : 0, -1, -1, 0});
    }
  }
  auto IndexOf = [&](unsigned E) {
    unsigned Index = 0;
    for (unsigned Earlier = First[ThreadOf[E]]; Earlier < E; ++Earlier)
      Index += !ends(Earlier);
    return Index;
  };
  auto Access = [&](unsigned E) -> C11Access & { return X[ThreadOf[E]][IndexOf(E)]; };
  for (const Choice *C : Chosen) {
    for (auto [Write, Read] : C->Sources)
      if (Write >= Locations) {
        Access(Read).SourceThread = static_cast<int>(ThreadOf[Write]);
        Access(Read).SourceIndex = static_cast<int>(IndexOf(Write));
      }
    for (unsigned K = 0; K < C->Order.size(); ++K)
      if (!ends(C->Order[K]))
        Access(C->Order[K]).Position = K + 1;
  }
  ++Found.Complete[X];
}

} // namespace

std::optional<C11Executions> bruteForce(const C11Program &P, uint64_t MostCandidates, C11Rules Rules) {
  std::vector<std::vector<Path>> Paths;
  for (const auto &Body : P.Threads)
    Paths.push_back(PathFinder(Body, static_cast<int>(Paths.size()), Rules).find());
  C11Executions Found;
  std::vector<size_t> At(Paths.size(), 0);
  for (;;) {
    std::vector<const Path *> Chosen;
    for (size_t T = 0; T < Paths.size(); ++T)
      Chosen.push_back(&Paths[T][At[T]]);
    if (!Candidates(Chosen, MostCandidates, Found, Rules).enumerate())
      return std::nullopt;
    size_t T = 0;
    while (T < At.size() && ++At[T] == Paths[T].size())
      At[T++] = 0;
    if (T == At.size())
      return Found;
  }
}

} // namespace picket::testing
