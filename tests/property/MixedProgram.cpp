#include "property/MixedProgram.h"

#include <algorithm>

namespace picket::testing {

using I = MixedInstruction;

static std::string registerName(int Number) { return "r" + std::to_string(Number + 1); }

static void print(const I &Given, std::vector<std::string> &Lines, unsigned Thread) {
  auto Add = [&](std::string Line) { Lines.push_back(std::move(Line)); };
  const std::string Base = "r" + std::to_string(20 + Given.Location);
  switch (Given.What) {
  case I::Sync: return Add("sync");
  case I::LwSync: return Add("lwsync");
  case I::Eieio: return Add("eieio");
  case I::ISync: return Add("isync");
  case I::Branch: {
    const std::string Label = "L" + std::to_string(Thread) + std::to_string(Lines.size());
    Add("cmpw " + registerName(Given.From) + "," + registerName(Given.From));
    Add("beq " + Label);
    return Add(Label + ":");
  }
  default: break;
  }
  const bool Stores = Given.What == I::Store || Given.What == I::Conditional;
  std::string Data = registerName(Given.Register);
  if (Stores) {
    Data = "r12";
    if (Given.From >= 0)
      Add("addi r12," + registerName(Given.From) + "," + std::to_string(Given.Value));
    else
      Add("li r12," + std::to_string(Given.Value));
  }
  if (Given.AddressFrom >= 0)
    Add("xor r11," + registerName(Given.AddressFrom) + "," + registerName(Given.AddressFrom));
  const std::string Letter = Given.Size == 1 ? "b" : Given.Size == 2 ? "h" : "w";
  if (Given.What == I::Reserve || Given.What == I::Conditional)
    return Add((Stores ? "stwcx. " : "lwarx ") + Data + "," + (Given.AddressFrom >= 0 ? "r11," : "r0,") + Base);
  if (Given.AddressFrom < 0)
    return Add((Stores ? "st" + Letter : "l" + Letter + "z") + " " + Data + "," + std::to_string(Given.Offset) + "(" +
               Base + ")");
  if (Given.Offset)
    Add("addi r11,r11," + std::to_string(Given.Offset));
  Add((Stores ? "st" + Letter : "l" + Letter + "z") + "x " + Data + ",r11," + Base);
}

std::string MixedProgram::text() const {
  std::string Text = "PPC random\n{";
  std::vector<std::vector<std::string>> Columns;
  size_t Rows = 0;
  for (unsigned T = 0; T < Threads.size(); ++T) {
    for (unsigned L = 0; L < Locations; ++L)
      Text += " " + std::to_string(T) + ":r" + std::to_string(20 + L) + "=" + "xy"[L] + ";";
    for (unsigned R = 0; R < Registers; ++R)
      Text += " " + std::to_string(T) + ":" + registerName(static_cast<int>(R)) + "=0;";
    Columns.push_back({"P" + std::to_string(T)});
    for (const I &Given : Threads[T])
      print(Given, Columns.back(), T);
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

/// Four bytes for each.
static std::string widened(uint32_t Value) {
  std::string Sum = "(W)" + std::to_string(Value & 0xff);
  for (unsigned K = 1; K < 4; ++K)
    Sum += " + ((W)" + std::to_string(Value >> 8 * K & 0xff) + " << " + std::to_string(32 * K) + ")";
  return "(" + Sum + ")";
}

static std::string wideLine(const I &Given) {
  auto Name = [](int Number) { return "r" + std::to_string(Number); };
  auto Assembly = [](const std::string &What) { return "__asm__ volatile(\"" + What + "\" ::: \"memory\");"; };
  switch (Given.What) {
  case I::Sync: return Assembly("sync");
  case I::LwSync: return Assembly("lwsync");
  case I::Eieio: return Assembly("eieio");
  case I::ISync: return Assembly("isync");
  case I::Branch: return "__VERIFIER_assume((unsigned)" + Name(Given.From) + " < 1000000);"; // it is
  default: break;
  }
  const std::string Type = Given.Size == 1 ? "unsigned" : Given.Size == 2 ? "unsigned long" : "W";
  std::string Where =
      "(" + Type + " *)((char *)&v[" + std::to_string(Given.Location) + "] + " + std::to_string(4 * Given.Offset);
  Where += (Given.AddressFrom < 0 ? "" : " + ((unsigned)" + Name(Given.AddressFrom) + " >> 31)") + ")";
  const std::string Stored =
      "(" + Type + ")(" + widened(Given.Value) + (Given.From < 0 ? "" : " + " + Name(Given.From)) + ")";
  if (Given.What == I::Load)
    return Name(Given.Register) + " = __atomic_load_n(" + Where + ", __ATOMIC_RELAXED);";
  if (Given.What == I::Update)
    return Name(Given.Register) + " = __atomic_fetch_add(" + Where + ", " + Stored + ", __ATOMIC_RELAXED);";
  return "__atomic_store_n(" + Where + ", " + Stored + ", __ATOMIC_RELAXED);";
}

std::string MixedProgram::wideText() const {
  std::string Text = "#include <pthread.h>\nvoid __VERIFIER_assume(int);\ntypedef unsigned __int128 W;\nW v[2];\n";
  std::string Create, Join;
  for (size_t T = 0; T < Threads.size(); ++T) {
    const std::string Number = std::to_string(T);
    Text += "void *t" + Number + "(void *p) {\n  W r0 = 0, r1 = 0, r2 = 0, r3 = 0;\n";
    for (const I &Given : Threads[T])
      Text += "  " + wideLine(Given) + "\n";
    Text += "  (void)r0, (void)r1, (void)r2, (void)r3;\n  return p;\n}\n";
    Create += "  pthread_create(&t[" + Number + "], 0, t" + Number + ", 0);\n";
    Join += "  pthread_join(t[" + Number + "], 0);\n";
  }
  return Text + "int main(void) {\n  pthread_t t[3];\n" + Create + Join + "}\n";
}

MixedProgram makeMixedProgram(std::mt19937 &Random, const MixedPalette &From) {
  auto Pick = [&](unsigned Choices) { return static_cast<unsigned>(Random() % Choices); };
  MixedProgram P;
  unsigned Left = From.Accesses, NextValue = 1;
  const unsigned Threads = 2 + Pick(2);
  for (unsigned T = 0; T < Threads && Left; ++T) {
    std::vector<I> Code;
    const unsigned Count = std::min(Left, 1 + Pick(Threads == 2 ? 4 : 3));
    Left -= Count;
    int8_t Last = -1, Reserved = -1;
    unsigned NextRegister = 0;
    for (unsigned K = 0; K < Count; ++K) {
      I A;
      const int8_t Before = Last;
      A.Location = static_cast<uint8_t>(Pick(From.Locations));
      constexpr uint8_t Shapes[][2] = {{0, 4}, {0, 4}, {0, 2}, {2, 2}, {0, 1}, {1, 1}, {3, 1}};
      constexpr uint8_t Wrong[][2] = {{1, 2}, {0, 4}, {1, 1}, {2, 1}};
      const auto &Shape = From.Unaligned && Pick(2) ? Wrong[Pick(4)] : Shapes[Pick(7)];
      A.Offset = Shape[0];
      A.Size = Shape[1];
      A.What = Pick(2) ? I::Load : I::Store;
      if (From.Updates && Pick(4) == 0)
        A.What = I::Update;
      if (From.Reservations && Reserved >= 0 && Pick(3)) {
        A.What = I::Conditional;
        A.Location = static_cast<uint8_t>(Reserved);
        Reserved = -1;
      } else if (From.Reservations && Pick(3) == 0) {
        A.What = I::Reserve;
        Reserved = static_cast<int8_t>(A.Location);
      }
      if (A.What > I::Store) {
        A.Offset = 0;
        A.Size = 4;
      }
      if (K > 0 || Last >= 0)
        switch (Pick(9)) {
        case 0: Code.push_back({.What = I::Sync}); break;
        case 1: Code.push_back({.What = I::LwSync}); break;
        case 2: Code.push_back({.What = I::Eieio}); break;
        case 3:
        case 4:
          if (Last >= 0)
            Code.push_back({.What = I::Branch, .From = Last});
          if (Last >= 0 && Pick(2))
            Code.push_back({.What = I::ISync});
          break;
        case 5: A.AddressFrom = Last; break;
        case 6:
          if (A.What == I::Store)
            A.From = Last;
          break;
        default: break;
        }
      if (A.What == I::Store || A.What == I::Conditional || A.What == I::Update)
        A.Value = (NextValue++ % 100) * (A.Size == 1 ? 1 : A.Size == 2 ? 0x101 : 0x101); // li takes 16 bits
      if (A.What == I::Load || A.What == I::Reserve || A.What == I::Update) {
        A.Register = static_cast<uint8_t>(NextRegister++ % MixedProgram::Registers);
        Last = static_cast<int8_t>(A.Register);
      }
      if (A.What == I::Update) // has neither, mostly
        A.AddressFrom = A.From = -1;
      if (A.What == I::Update && From.Operands && Before >= 0 && Pick(2))
        A.From = Before;
      Code.push_back(A);
    }
    P.Threads.push_back(std::move(Code));
  }
  return P;
}

std::vector<MixedProgram> shrinks(const MixedProgram &P) {
  std::vector<MixedProgram> All;
  for (size_t T = 0; T < P.Threads.size(); ++T) {
    if (P.Threads.size() > 1) {
      All.push_back(P);
      All.back().Threads.erase(All.back().Threads.begin() + static_cast<ptrdiff_t>(T));
    }
    for (size_t K = 0; K < P.Threads[T].size(); ++K) {
      if (P.Threads[T].size() > 1) {
        All.push_back(P);
        All.back().Threads[T].erase(All.back().Threads[T].begin() + static_cast<ptrdiff_t>(K));
      }
      if (P.Threads[T][K].isAccess() && P.Threads[T][K].AddressFrom >= 0) {
        All.push_back(P);
        All.back().Threads[T][K].AddressFrom = -1;
      }
      if ((P.Threads[T][K].What == I::Store || P.Threads[T][K].What == I::Update) && P.Threads[T][K].From >= 0) {
        All.push_back(P);
        All.back().Threads[T][K].From = -1;
      }
    }
  }
  return All;
}

} // namespace picket::testing
