#include "property/PowerProgram.h"

#include <algorithm>
#include <cstddef>

namespace picket::testing {

namespace {

using Instruction = PowerInstruction;

std::string registerName(int Number) { return "r" + std::to_string(Number + 1); }
std::string locationRegister(unsigned Location) { return "r" + std::to_string(20 + Location); }
constexpr const char *AddressScratch = "r11", *DataScratch = "r12";

bool isStore(Instruction::Kind What) { return What == Instruction::Store || What == Instruction::StoreConditional; }
bool isLoad(Instruction::Kind What) { return What == Instruction::Load || What == Instruction::LoadReserve; }

class ThreadPrinter {
public:
  explicit ThreadPrinter(unsigned Number) : Number(Number) {}

  std::vector<std::string> print(const std::vector<Instruction> &Code) {
    for (size_t K = 0; K < Code.size(); ++K) {
      print(Code[K], std::min(K + 1 + Code[K].Skip, Code.size()));
      std::erase_if(Pending, [&](auto &Label) {
        if (Label.first == K + 1)
          Lines.push_back(Label.second + ":");
        return Label.first == K + 1;
      });
    }
    return std::move(Lines);
  }

private:
  void print(const Instruction &I, size_t Target) {
    switch (I.What) {
    case Instruction::Sync: return add("sync");
    case Instruction::LwSync: return add("lwsync");
    case Instruction::Eieio: return add("eieio");
    case Instruction::ISync: return add("isync");
    case Instruction::Branch:
      if (I.Fake) {
        add("cmpw " + registerName(I.From) + "," + registerName(I.From));
        return add("beq " + label(Target));
      }
      add("cmpwi " + registerName(I.From) + "," + std::to_string(I.Value));
      return add("bne " + label(Target));
    default: break;
    }
    const std::string Data = isStore(I.What) ? prepareData(I) : registerName(I.Register);
    if (I.AddressFrom >= 0)
      add(std::string("xor ") + AddressScratch + "," + registerName(I.AddressFrom) + "," + registerName(I.AddressFrom));
    add(access(I, Data));
    if (I.What == Instruction::StoreConditional && I.Skip)
      add("bne " + label(Target));
  }

  std::string prepareData(const Instruction &I) {
    const std::string Value = std::to_string(I.Value), Into = DataScratch;
    if (I.From < 0) {
      add("li " + Into + "," + Value);
      return Into;
    }
    std::string Source = registerName(I.From);
    if (I.Fake) {
      add("xor " + Into + "," + Source + "," + Source);
      Source = Into;
    } else if (!I.Value) {
      return Source;
    }
    add("addi " + Into + "," + Source + "," + Value);
    return Into;
  }

  static std::string access(const Instruction &I, const std::string &Data) {
    const bool Reserves = I.What == Instruction::LoadReserve || I.What == Instruction::StoreConditional;
    std::string Name = Reserves ? (isLoad(I.What) ? "lwarx" : "stwcx.") : isLoad(I.What) ? "lwz" : "stw";
    if (!Reserves && I.AddressFrom < 0)
      return Name + " " + Data + ",0(" + locationRegister(I.Location) + ")";
    return Name + (Reserves ? " " : "x ") + Data + "," + (I.AddressFrom < 0 ? "r0" : AddressScratch) + "," +
           locationRegister(I.Location);
  }

  std::string label(size_t Target) {
    std::string Name = "L" + std::to_string(Number) + std::to_string(NumLabels++);
    Pending.push_back({Target, Name});
    return Name;
  }
  void add(std::string Line) { Lines.push_back(std::move(Line)); }

  unsigned Number;
  unsigned NumLabels = 0;
  std::vector<std::pair<size_t, std::string>> Pending; // labels, by the instruction they stand before
  std::vector<std::string> Lines;
};

} // namespace

std::string PowerProgram::text() const {
  std::string Text = "PPC random\n{";
  std::vector<std::vector<std::string>> Columns;
  size_t Rows = 0;
  for (unsigned T = 0; T < Threads.size(); ++T) {
    for (unsigned L = 0; L < 3; ++L)
      Text += " " + std::to_string(T) + ":" + locationRegister(L) + "=" + "xyz"[L] + ";";
    for (unsigned R = 0; R < Registers; ++R)
      Text += " " + std::to_string(T) + ":" + registerName(static_cast<int>(R)) + "=0;";
    Columns.push_back(ThreadPrinter(T).print(Threads[T]));
    Columns.back().insert(Columns.back().begin(), "P" + std::to_string(T));
    Rows = std::max(Rows, Columns.back().size());
  }
  Text += " }\n";
  for (size_t Row = 0; Row < Rows; ++Row)
    for (size_t T = 0; T < Columns.size(); ++T) {
      std::string Cell = Row < Columns[T].size() ? Columns[T][Row] : "";
      Cell.resize(std::max<size_t>(Cell.size(), 16), ' ');
      Text += " " + Cell + (T + 1 < Columns.size() ? " |" : " ;\n");
    }
  return Text + "forall true\n";
}

namespace {

/// Makes one thread: accesses with ties between them.
class ThreadMaker {
public:
  ThreadMaker(std::mt19937 &Random, const PowerPalette &From, unsigned &Value)
      : Random(Random), From(From), Value(Value) {}

  std::vector<Instruction> make(unsigned Accesses) {
    for (unsigned K = 0; K < Accesses; ++K) {
      Instruction Next = access();
      if (K)
        tie(Next);
      append(Next);
    }
    return std::move(Code);
  }

  /// From the first access to the last one, with a store and a load, or two loads, between them or not.
  std::vector<Instruction> makePart(const Instruction &First, const Instruction &Final, bool Between) {
    append(First);
    if (Between) {
      Instruction Next = pick(2) ? load(2) : store(2);
      tie(Next);
      append(Next);
      append(load(2));
    }
    Instruction Next = Final;
    tie(Next);
    append(Next);
    return std::move(Code);
  }
  Instruction load(unsigned Location) {
    Instruction I;
    I.Location = static_cast<uint8_t>(Location);
    I.Register = static_cast<uint8_t>(NextRegister++ % PowerProgram::Registers);
    return I;
  }
  Instruction store(unsigned Location) {
    Instruction I;
    I.What = Instruction::Store;
    I.Location = static_cast<uint8_t>(Location);
    I.Value = static_cast<uint8_t>(Value++);
    return I;
  }

private:
  unsigned pick(unsigned Choices) { return Random() % Choices; }

  void append(const Instruction &Next) {
    Code.push_back(Next);
    if (isLoad(Next.What))
      Last = static_cast<int8_t>(Next.Register);
  }

  Instruction access() {
    Instruction I;
    I.Location = static_cast<uint8_t>(pick(From.Locations));
    const bool Reserves = From.Reservations && pick(2) == 0;
    if (Reserved >= 0 && pick(3)) { // mostly pairs
      I.What = Instruction::StoreConditional;
      if (pick(6))
        I.Location = static_cast<uint8_t>(Reserved);
      I.Skip = static_cast<uint8_t>(From.TiedReservations ? pick(3) : 0);
      Reserved = -1;
    } else if (pick(2)) {
      I.What = Reserves ? Instruction::LoadReserve : Instruction::Load;
      I.Register = static_cast<uint8_t>(pick(5) ? NextRegister++ % PowerProgram::Registers : pick(2));
      if (Reserves)
        Reserved = I.Location;
    } else {
      I.What = Reserves && !pick(3) ? Instruction::StoreConditional : Instruction::Store;
    }
    if (isStore(I.What))
      I.Value = static_cast<uint8_t>(pick(4) ? Value++ : 1);
    return I;
  }

  void add(Instruction::Kind What) {
    Instruction I;
    I.What = What;
    Code.push_back(I);
  }

  void branch(bool Fake, bool WithISync) {
    Instruction I;
    I.What = Instruction::Branch;
    I.Fake = Fake;
    I.From = source();
    I.Value = static_cast<uint8_t>(Fake ? 0 : pick(2));
    I.Skip = static_cast<uint8_t>(Fake ? 0 : 1 + pick(2) + WithISync);
    Code.push_back(I);
    if (WithISync)
      add(Instruction::ISync);
  }

  /// Mostly what was loaded last.
  int8_t source() { return Last >= 0 && pick(4) ? Last : static_cast<int8_t>(pick(2)); }

  void tie(Instruction &Next) {
    using Palette = PowerPalette;
    switch (From.Ties[pick(static_cast<unsigned>(From.Ties.size()))]) {
    case Palette::Loose: return;
    case Palette::SyncTie: return add(Instruction::Sync);
    case Palette::LwSyncTie: return add(Instruction::LwSync);
    case Palette::EieioTie: return add(Instruction::Eieio);
    case Palette::ISyncTie: return add(Instruction::ISync);
    case Palette::AddressTie:
      if (Next.What != Instruction::StoreConditional || From.TiedReservations)
        Next.AddressFrom = source();
      return;
    case Palette::DataTie:
    case Palette::FakeDataTie:
      if (!isStore(Next.What))
        return;
      Next.From = source();
      Next.Fake = pick(2);
      if (!Next.Fake)
        Next.Value = static_cast<uint8_t>(pick(2));
      return;
    case Palette::ControlTie: return branch(true, false);
    case Palette::ControlISyncTie: return branch(true, true);
    case Palette::DecidingTie: return branch(false, false);
    case Palette::DecidingISyncTie: return branch(false, true);
    }
  }

  std::mt19937 &Random;
  const PowerPalette &From;
  unsigned &Value;
  std::vector<Instruction> Code;
  int8_t Last = -1;
  int Reserved = -1;
  unsigned NextRegister = 0;
};

} // namespace

PowerProgram makePowerProgram(std::mt19937 &Random, const PowerPalette &From) {
  PowerProgram P;
  const unsigned Threads = 2 + Random() % 3;
  unsigned Left = From.Accesses, Value = 1;
  for (unsigned T = 0; T < Threads && Left; ++T) {
    const unsigned Accesses = std::min(Left, 1 + static_cast<unsigned>(Random()) % (Threads == 2 ? 5 : 4));
    P.Threads.push_back(ThreadMaker(Random, From, Value).make(Accesses));
    Left -= Accesses;
  }
  return P;
}

PowerProgram makePowerCycle(std::mt19937 &Random, const PowerPalette &From) {
  const unsigned Threads = Random() % 3 ? 2 : 3;
  enum Edge { ReadsFrom, Coherence, FromReads }; // from the last access of a thread to the first of the next
  std::vector<Edge> Edges;
  for (unsigned T = 0; T < Threads; ++T)
    Edges.push_back(static_cast<Edge>(Random() % 3));
  PowerProgram P;
  unsigned Value = 1;
  bool Longer = Threads == 2 && Random() % 4;
  const bool Disturbed = Longer && Random() % 2;
  for (unsigned T = 0; T < Threads; ++T) {
    ThreadMaker Maker(Random, From, Value);
    const unsigned Next = (T + 1) % Threads;
    const Instruction First = Edges[(T + Threads - 1) % Threads] == ReadsFrom ? Maker.load(T) : Maker.store(T);
    const Instruction Final = Edges[T] == FromReads ? Maker.load(Next) : Maker.store(Next);
    P.Threads.push_back(Maker.makePart(First, Final, Longer));
    Longer = Longer && Random() % 4 == 0;
  }
  if (Disturbed)
    P.Threads.push_back({ThreadMaker(Random, From, Value).store(2)});
  return P;
}

std::vector<PowerProgram> shrinks(const PowerProgram &P) {
  std::vector<PowerProgram> All;
  for (size_t T = 0; T < P.Threads.size(); ++T) {
    if (P.Threads.size() > 1) {
      All.push_back(P);
      All.back().Threads.erase(All.back().Threads.begin() + static_cast<ptrdiff_t>(T));
    }
    for (size_t K = 0; K < P.Threads[T].size(); ++K) {
      auto Try = [&](auto Change) {
        All.push_back(P);
        Change(All.back().Threads[T][K]);
      };
      if (P.Threads[T].size() > 1) {
        All.push_back(P);
        All.back().Threads[T].erase(All.back().Threads[T].begin() + static_cast<ptrdiff_t>(K));
      }
      const Instruction &I = P.Threads[T][K];
      if (I.AddressFrom >= 0)
        Try([](Instruction &Simpler) { Simpler.AddressFrom = -1; });
      if (isStore(I.What) && I.From >= 0)
        Try([](Instruction &Simpler) { Simpler.From = -1; });
      if (I.Skip && !I.Fake)
        Try([](Instruction &Simpler) { --Simpler.Skip; });
      if (I.What == Instruction::LoadReserve)
        Try([](Instruction &Simpler) { Simpler.What = Instruction::Load; });
      if (I.What == Instruction::StoreConditional)
        Try([](Instruction &Simpler) { Simpler.What = Instruction::Store; });
    }
  }
  return All;
}

} // namespace picket::testing
