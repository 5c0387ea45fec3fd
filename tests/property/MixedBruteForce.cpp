#include "property/MixedProgram.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace picket::testing {

namespace {

constexpr unsigned MostEvents = 32, Bytes = 4;

struct Matrix {
  std::array<uint32_t, MostEvents> Rows{};

  bool has(unsigned A, unsigned B) const { return Rows[A] >> B & 1; }
  void add(unsigned A, unsigned B) { Rows[A] |= 1u << B; }
  Matrix &operator|=(const Matrix &Other) {
    for (unsigned K = 0; K < MostEvents; ++K)
      Rows[K] |= Other.Rows[K];
    return *this;
  }
  friend Matrix operator|(Matrix A, const Matrix &B) { return A |= B; }
  friend Matrix operator&(Matrix A, const Matrix &B) {
    for (unsigned K = 0; K < MostEvents; ++K)
      A.Rows[K] &= B.Rows[K];
    return A;
  }
  friend Matrix operator*(const Matrix &A, const Matrix &B) { // A ; B
    Matrix Result;
    for (unsigned K = 0; K < MostEvents; ++K)
      for (unsigned Through = 0; Through < MostEvents; ++Through)
        if (A.has(K, Through))
          Result.Rows[K] |= B.Rows[Through];
    return Result;
  }
  friend bool operator==(const Matrix &, const Matrix &) = default;
  Matrix inverse() const {
    Matrix Result;
    for (unsigned A = 0; A < MostEvents; ++A)
      for (unsigned B = 0; B < MostEvents; ++B)
        if (has(A, B))
          Result.add(B, A);
    return Result;
  }
  Matrix plus() const {
    Matrix Result = *this;
    for (unsigned K = 0; K < MostEvents; ++K)
      for (unsigned A = 0; A < MostEvents; ++A)
        if (Result.has(A, K))
          Result.Rows[A] |= Result.Rows[K];
    return Result;
  }
  Matrix star() const {
    Matrix Result = plus();
    for (unsigned K = 0; K < MostEvents; ++K)
      Result.add(K, K);
    return Result;
  }
  bool isIrreflexive() const {
    for (unsigned K = 0; K < MostEvents; ++K)
      if (has(K, K))
        return false;
    return true;
  }
  bool isAcyclic() const { return plus().isIrreflexive(); }
  bool isEmpty() const { return *this == Matrix(); }
};

/// An aligned access. Its bytes are a mask within its location.
struct Event {
  unsigned Thread = ~0u, Instruction = 0, Access = 0; // ~0: an initial write
  unsigned Location = 0, Offset = 0, Size = Bytes;
  bool IsWrite = false;
  unsigned Shift = 0;                                            // of the instruction's value, in bytes
  uint32_t Address = 0, Data = 0, Control = 0, ControlISync = 0; // events
  unsigned Syncs = 0, LwSyncs = 0, Eieios = 0;
  int ReadOf = -1; // of an update, or a reservation
  bool covers(unsigned L, unsigned Byte) const { return Location == L && Byte >= Offset && Byte < Offset + Size; }
};

class Candidates {
public:
  Candidates(const MixedProgram &Source, uint32_t Succeeding, uint64_t &Left, std::map<MixedExecution, unsigned> &Found,
             MixedRules Rules)
      : Source(Source), Left(Left), Found(Found), Rules(Rules) {
    for (unsigned L = 0; L < MixedProgram::Locations; ++L)
      Events.push_back({.Location = L, .IsWrite = true});
    unsigned Conditional = 0;
    for (unsigned T = 0; T < Source.Threads.size(); ++T)
      addThread(T, Succeeding, Conditional);
    if (Events.size() > MostEvents)
      throw std::length_error("too many events");
    Size = static_cast<unsigned>(Events.size());
  }

  /// Whether every conditional that is to succeed has a reservation.
  bool isPossible() const { return Possible; }

  /// False if there are too many.
  bool enumerate() {
    makeStatic();
    for (unsigned L = 0; L < MixedProgram::Locations; ++L)
      for (unsigned From = 0; From < Bytes;) {
        unsigned To = From + 1;
        while (To < Bytes && sameAccesses(L, From, To))
          ++To;
        Cells.push_back({L, From, To});
        From = To;
      }
    for (const Cell &C : Cells)
      if (!enumerate(C))
        return false;
    Co.resize(Cells.size());
    Rf.resize(Cells.size());
    return combine(0);
  }

private:
  struct Cell { // bytes that the same accesses touch
    unsigned Location, From, To;
  };
  struct Choice {
    std::vector<std::pair<unsigned, unsigned>> Sources; // write, read
    std::vector<unsigned> Order;
  };

  void addThread(unsigned T, uint32_t Succeeding, unsigned &Conditional);
  void makeStatic();
  bool sameAccesses(unsigned L, unsigned A, unsigned B) const {
    return std::all_of(Events.begin() + MixedProgram::Locations, Events.end(),
                       [&](const Event &E) { return E.covers(L, A) == E.covers(L, B); });
  }
  static void relate(unsigned Location, const Choice &C, Matrix &Rf, Matrix &Co) {
    for (auto [Write, Read] : C.Sources)
      Rf.add(Write, Read);
    for (size_t K = 0; K < C.Order.size(); ++K) {
      Co.add(Location, C.Order[K]);
      for (size_t Later = K + 1; Later < C.Order.size(); ++Later)
        Co.add(C.Order[K], C.Order[Later]);
    }
  }
  bool enumerate(const Cell &C);
  bool assign(const Cell &C, Choice &Made, const std::vector<unsigned> &Reads);
  bool combine(size_t At);
  bool findValues();
  bool isAllowed() const { return Rules == MixedRules::Power ? isAllowedByPower() : isAllowedByArmv8(); }
  bool isAllowedByPower() const;
  bool isAllowedByArmv8() const;
  Matrix localReadSuccessors() const;
  void keep();

  const MixedProgram &Source;
  uint64_t &Left;
  std::map<MixedExecution, unsigned> &Found;
  const MixedRules Rules;
  bool Possible = true;
  std::vector<Event> Events;
  unsigned Size = 0;
  std::vector<Cell> Cells;
  std::vector<std::vector<Choice>> Choices; // per cell
  std::vector<const Choice *> Chosen;
  std::vector<Matrix> Co, Rf; // per cell
  std::vector<uint32_t> Values;
  Matrix Po, PoLoc, Addr, Data, Ctrl, CtrlISync, Ffence, Lwfence, External, WW, RR, RW, Rmw;
  Matrix Stores; // writes with an eieio between them: DMB ST
};

void Candidates::addThread(unsigned T, uint32_t Succeeding, unsigned &Conditional) {
  using I = MixedInstruction;
  uint32_t Control = 0, ControlISync = 0, Addresses = 0;
  unsigned Syncs = 0, LwSyncs = 0, Eieios = 0, Access = 0;
  std::array<uint32_t, MixedProgram::Registers> Loads{}; // the events that a register was loaded by
  int Reserved = -1;
  for (unsigned K = 0; K < Source.Threads[T].size(); ++K) {
    const I &Given = Source.Threads[T][K];
    auto LoadsOf = [&](int8_t Register) { return Register < 0 ? 0 : Loads[static_cast<size_t>(Register)]; };
    switch (Given.What) {
    case I::Sync: ++Syncs; continue;
    case I::LwSync: ++LwSyncs; continue;
    case I::Eieio: ++Eieios; continue;
    case I::ISync: ControlISync |= Control | (Rules == MixedRules::Armv8 ? Addresses : 0); continue;
    case I::Branch: Control |= LoadsOf(Given.From); continue;
    default: break;
    }
    uint32_t Made = 0;
    auto Add = [&](bool IsWrite, unsigned Offset, unsigned Size, unsigned Shift) -> Event & {
      Made |= 1u << Events.size();
      Events.push_back({T, K, Access++, Given.Location, Offset, Size, IsWrite, Shift, LoadsOf(Given.AddressFrom),
                        IsWrite ? LoadsOf(Given.From) : 0, Control, ControlISync, Syncs, LwSyncs, Eieios, -1});
      return Events.back();
    };
    const int Next = static_cast<int>(Events.size());
    switch (Given.What) {
    case I::Update: {
      Add(false, 0, Bytes, 0);
      Event &Write = Add(true, 0, Bytes, 0);
      Write.ReadOf = Next;
      Write.Data |= 1u << Next;
      Made = 1u << Next;
      break;
    }
    case I::Reserve:
      Add(false, 0, Bytes, 0);
      Reserved = Next;
      break;
    case I::Conditional:
      if (Succeeding >> Conditional++ & 1) {
        Possible &= Reserved >= 0 && Events[static_cast<size_t>(Reserved)].Location == Given.Location;
        Add(true, 0, Bytes, 0).ReadOf = Reserved;
      }
      Reserved = -1;
      break;
    default: {
      // Accesses that are not aligned fall into pieces that are.
      for (unsigned From = 0; From < Given.Size;) {
        unsigned Piece = Given.Size;
        while ((Given.Offset + From) % Piece || From + Piece > Given.Size)
          Piece /= 2;
        Add(Given.What == I::Store, Given.Offset + From, Piece, From);
        From += Piece;
      }
    }
    }
    Addresses |= LoadsOf(Given.AddressFrom);
    if (Given.What == I::Load || Given.What == I::Update || Given.What == I::Reserve)
      Loads[Given.Register] = Made;
  }
}

void Candidates::makeStatic() {
  for (unsigned B = 0; B < Size; ++B)
    for (unsigned A = 0; A < Size; ++A) {
      const Event &X = Events[A], &Y = Events[B];
      auto Add = [&](Matrix &To, bool If) {
        if (If)
          To.add(A, B);
      };
      Add(External, X.Thread != Y.Thread || X.Thread == ~0u);
      Add(WW, X.IsWrite && Y.IsWrite);
      Add(RR, !X.IsWrite && !Y.IsWrite);
      Add(RW, !X.IsWrite && Y.IsWrite);
      if (X.Thread != Y.Thread || X.Thread == ~0u)
        continue;
      const bool InOrder = X.Instruction < Y.Instruction || (Y.ReadOf == static_cast<int>(A));
      const bool Overlap = X.Location == Y.Location && X.Offset < Y.Offset + Y.Size && Y.Offset < X.Offset + X.Size;
      Add(Po, InOrder);
      Add(PoLoc, InOrder && Overlap);
      Add(Addr, Y.Address >> A & 1);
      Add(Data, Y.Data >> A & 1);
      Add(Ctrl, Y.Control >> A & 1);
      Add(CtrlISync, Y.ControlISync >> A & 1);
      Add(Ffence, InOrder && X.Syncs < Y.Syncs);
      Add(Lwfence, InOrder && X.LwSyncs < Y.LwSyncs && !(X.IsWrite && !Y.IsWrite));
      Add(Stores, InOrder && X.Eieios < Y.Eieios && X.IsWrite && Y.IsWrite);
      Add(Rmw, Y.ReadOf == static_cast<int>(A));
    }
}

bool Candidates::enumerate(const Cell &C) {
  std::vector<unsigned> Reads;
  Choice Made;
  for (unsigned E = MixedProgram::Locations; E < Size; ++E)
    if (Events[E].covers(C.Location, C.From))
      (Events[E].IsWrite ? Made.Order : Reads).push_back(E);
  Choices.emplace_back();
  do {
    Made.Sources.clear();
    if (!assign(C, Made, Reads))
      return false;
  } while (std::next_permutation(Made.Order.begin(), Made.Order.end()));
  return true;
}

bool Candidates::assign(const Cell &C, Choice &Made, const std::vector<unsigned> &Reads) {
  if (Made.Sources.size() < Reads.size()) {
    for (size_t K = 0; K <= Made.Order.size(); ++K) {
      Made.Sources.push_back({K ? Made.Order[K - 1] : C.Location, Reads[Made.Sources.size()]});
      if (!assign(C, Made, Reads))
        return false;
      Made.Sources.pop_back();
    }
    return true;
  }
  if (Left == 0)
    return false;
  --Left;
  Matrix RfHere, CoHere, Here;
  relate(C.Location, Made, RfHere, CoHere);
  for (unsigned A = 0; A < Size; ++A)
    for (unsigned B = 0; B < Size; ++B)
      if (Events[A].covers(C.Location, C.From) && Events[B].covers(C.Location, C.From))
        Here.add(A, B);
  const Matrix Fr = RfHere.inverse() * CoHere;
  // SC per location, and atomicity, in each byte.
  if (((PoLoc & Here) | RfHere | CoHere | Fr).isAcyclic() && (Rmw & ((Fr & External) * (CoHere & External))).isEmpty())
    Choices.back().push_back(Made);
  return true;
}

bool Candidates::combine(size_t At) {
  if (At < Cells.size()) {
    for (const Choice &C : Choices[At]) {
      Rf[At] = Co[At] = Matrix();
      relate(Cells[At].Location, C, Rf[At], Co[At]);
      Chosen.push_back(&C);
      const bool Enough = combine(At + 1);
      Chosen.pop_back();
      if (!Enough)
        return false;
    }
    return true;
  }
  if (Left == 0)
    return false;
  --Left;
  if (findValues() && isAllowed())
    keep();
  return true;
}

/// False if values depend on themselves.
bool Candidates::findValues() {
  Values.assign(Size, 0);
  uint32_t Known = (1u << MixedProgram::Locations) - 1;
  for (bool Grows = true; Grows;) {
    Grows = false;
    for (unsigned E = MixedProgram::Locations; E < Size; ++E) {
      if (Known >> E & 1)
        continue;
      const Event &X = Events[E];
      const MixedInstruction &Given = Source.Threads[X.Thread][X.Instruction];
      uint32_t Value = 0;
      bool Ready = true;
      if (X.IsWrite) {
        Value = Given.Value;
        Ready = (X.Data & ~Known) == 0;
        for (unsigned L = 0; L < Size; ++L)
          if (X.Data >> L & 1)
            Value += Values[L] << 8 * Events[L].Shift;
        Value >>= 8 * X.Shift;
      } else {
        for (size_t C = 0; C < Cells.size() && Ready; ++C)
          for (unsigned W = 0; W < Size; ++W)
            if (Rf[C].has(W, E)) {
              Ready &= Known >> W & 1;
              for (unsigned B = Cells[C].From; B < Cells[C].To; ++B)
                Value |= (Values[W] >> 8 * (B - Events[W].Offset) & 0xff) << 8 * (B - X.Offset);
            }
      }
      if (!Ready)
        continue;
      Values[E] = X.Size == Bytes ? Value : Value & ((1u << 8 * X.Size) - 1);
      Known |= 1u << E;
      Grows = true;
    }
  }
  return Known == (Size == 32 ? ~0u : (1u << Size) - 1);
}

/// From a write to the reads of its thread in front of which it is the last one to write some byte.
Matrix Candidates::localReadSuccessors() const {
  Matrix Lrs;
  for (unsigned W = 0; W < Size; ++W)
    for (unsigned R = 0; R < Size; ++R) {
      if (!PoLoc.has(W, R) || !Events[W].IsWrite || Events[R].IsWrite)
        continue;
      for (unsigned B = 0; B < Bytes; ++B) {
        bool Last = Events[W].covers(Events[W].Location, B) && Events[R].covers(Events[W].Location, B);
        for (unsigned Between = 0; Between < Size; ++Between)
          Last &= !(Events[Between].IsWrite && Events[Between].covers(Events[W].Location, B) && Po.has(W, Between) &&
                    Po.has(Between, R));
        if (Last)
          Lrs.add(W, R);
      }
    }
  return Lrs;
}

/// Internal visibility and atomicity are about one byte at a time, and already seen to. External visibility is about
/// whole accesses. LwSync is a barrier like Sync.
bool Candidates::isAllowedByArmv8() const {
  Matrix Obs;
  for (size_t C = 0; C < Cells.size(); ++C)
    Obs |= (Rf[C] | Co[C] | Rf[C].inverse() * Co[C]) & External;
  Matrix Barriers;
  for (unsigned A = 0; A < Size; ++A)
    for (unsigned B = 0; B < Size; ++B)
      if (Po.has(A, B) && (Events[A].Syncs < Events[B].Syncs || Events[A].LwSyncs < Events[B].LwSyncs))
        Barriers.add(A, B);
  const Matrix Writes = WW | RW, Lws = PoLoc & Writes;
  const Matrix Dob =
      Addr | Data | (Ctrl & Writes) | CtrlISync | (Addr * Po & Writes) | (Addr | Data) * localReadSuccessors();
  return (Obs | Lws | Dob | Rmw | Barriers | Stores).isAcyclic();
}

bool Candidates::isAllowedByPower() const {
  Matrix AllRf, AllCo, Fr, ComStar;
  for (size_t C = 0; C < Cells.size(); ++C) {
    const Matrix Here = Rf[C].inverse() * Co[C];
    AllRf |= Rf[C];
    AllCo |= Co[C];
    Fr |= Here;
    ComStar |= (Rf[C] | Co[C] | Here).star();
  }
  // Single-copy atomicity. Writes are in the same order in all bytes; a read that sees something of a write sees all.
  if (!(AllCo & AllCo.inverse()).isEmpty() || !(Fr * AllRf).isIrreflexive())
    return false;

  const Matrix Rfe = AllRf & External, Fre = Fr & External, Coe = AllCo & External, Rfi = AllRf & Po;
  const Matrix Dp = Addr | Data, Rdw = PoLoc & (Fre * Rfe), Detour = PoLoc & (Coe * Rfe);
  const Matrix II0 = Dp | Rdw | Rfi, CI0 = CtrlISync | Detour, CC0 = Dp | PoLoc | Ctrl | Addr * Po;
  Matrix II = II0, IC, CI = CI0, CC = CC0;
  for (;;) {
    Matrix NewII = II0 | CI | IC * CI | II * II, NewIC = II | CC | IC * CC | II * IC;
    Matrix NewCI = CI0 | CI * II | CC * CI, NewCC = CC0 | CI | CI * IC | CC * CC;
    if (NewII == II && NewIC == IC && NewCI == CI && NewCC == CC)
      break;
    II = NewII;
    IC = NewIC;
    CI = NewCI;
    CC = NewCC;
  }
  const Matrix Ppo = (II & RR) | (IC & RW), Fences = Ffence | Lwfence | Stores, Hb = Ppo | Fences | Rfe;
  if (!Hb.isAcyclic())
    return false;
  // A store reaches a thread as a whole.
  Matrix Internal;
  for (unsigned A = 0; A < Size; ++A)
    for (unsigned B = 0; B < Size; ++B)
      if (!External.has(A, B))
        Internal.add(A, B);
  if (!((Fre | Coe) * Rfe * (Hb.star() & Internal)).isIrreflexive())
    return false;
  const Matrix HbStar = Hb.star(), PropBase = (Fences | Rfe * Fences) * HbStar;
  const Matrix Prop = (PropBase & WW) | ComStar * PropBase.star() * Ffence * HbStar;
  return (Fre * Prop * HbStar).isIrreflexive() && (AllCo | Prop).isAcyclic();
}

void Candidates::keep() {
  MixedExecution X;
  for (size_t C = 0; C < Cells.size(); ++C)
    for (unsigned Byte = Cells[C].From; Byte < Cells[C].To; ++Byte)
      for (unsigned E = MixedProgram::Locations; E < Size; ++E) {
        const Event &Given = Events[E];
        if (!Given.covers(Cells[C].Location, Byte))
          continue;
        MixedByte B{Given.Thread, Given.Access, Given.Location, Byte, Given.IsWrite};
        B.Value = Values[E] >> 8 * (Byte - Given.Offset) & 0xff;
        if (Given.IsWrite) {
          const auto &Order = Chosen[C]->Order;
          B.Position = 1 + static_cast<unsigned>(std::find(Order.begin(), Order.end(), E) - Order.begin());
        } else {
          for (auto [Write, Read] : Chosen[C]->Sources)
            if (Read == E && Write >= MixedProgram::Locations) {
              B.SourceThread = static_cast<int>(Events[Write].Thread);
              B.SourceAccess = static_cast<int>(Events[Write].Access);
            }
        }
        X.push_back(B);
      }
  std::sort(X.begin(), X.end());
  ++Found[X];
}

} // namespace

std::optional<std::map<MixedExecution, unsigned>> bruteForce(const MixedProgram &P, uint64_t MostCandidates,
                                                             MixedRules Rules) {
  unsigned Conditionals = 0;
  for (const auto &Thread : P.Threads)
    for (const MixedInstruction &Given : Thread)
      Conditionals += Given.What == MixedInstruction::Conditional;
  std::map<MixedExecution, unsigned> Found;
  for (uint32_t Succeeding = 0; Succeeding < 1u << Conditionals; ++Succeeding) {
    Candidates All(P, Succeeding, MostCandidates, Found, Rules);
    if (All.isPossible() && !All.enumerate())
      return std::nullopt;
  }
  return Found;
}

} // namespace picket::testing
