#include "program/Program.h"

#include "program/Operands.h"

#include <iterator>
#include <map>
#include <sstream>

namespace picket {

const ProgramLocation &Program::locationOf(uint32_t Pc) const {
  uint32_t Innermost = Pc < CodeLocations.size() ? CodeLocations[Pc] : 0;
  for (uint32_t I = Innermost; I != 0; I = Locations[I].InlinedAt)
    if (isShown(Locations[I]))
      return Locations[I];
  for (uint32_t I = Innermost; I != 0; I = Locations[I].InlinedAt)
    if (Locations[I].Line != 0 && UserFile[Locations[I].File])
      return Locations[I];
  return Locations[Innermost];
}

static constexpr const char *OpcodeNames[] = {"Move",
                                              "WideMove",
                                              "Add",
                                              "Sub",
                                              "Mul",
                                              "UDiv",
                                              "SDiv",
                                              "URem",
                                              "SRem",
                                              "Shl",
                                              "LShr",
                                              "AShr",
                                              "And",
                                              "Or",
                                              "Xor",
                                              "Eq",
                                              "Ne",
                                              "ULt",
                                              "ULe",
                                              "SLt",
                                              "SLe",
                                              "CountOnes",
                                              "LeadingZeros",
                                              "TrailingZeros",
                                              "ByteSwap",
                                              "WideBinary",
                                              "Truncate",
                                              "SignExtend",
                                              "ToWide",
                                              "FAdd",
                                              "FSub",
                                              "FMul",
                                              "FDiv",
                                              "FRem",
                                              "FNeg",
                                              "FMath",
                                              "FCmp",
                                              "FToSI",
                                              "FToUI",
                                              "SIToF",
                                              "UIToF",
                                              "FExt",
                                              "FTrunc",
                                              "Select",
                                              "WideSelect",
                                              "Jump",
                                              "CondJump",
                                              "Switch",
                                              "AddScaled",
                                              "Load",
                                              "Store",
                                              "Rmw",
                                              "CmpXchg",
                                              "LoadReserve",
                                              "StoreConditional",
                                              "Fence",
                                              "Alloca",
                                              "ScopeEnter",
                                              "ScopeLeave",
                                              "CopyWritten",
                                              "ThreadLocal",
                                              "Call",
                                              "CallIndirect",
                                              "CallBuiltin",
                                              "Return",
                                              "LoopInit",
                                              "SpinHead",
                                              "LoopExit",
                                              "LoopNote",
                                              "LoopBack",
                                              "SpinBack",
                                              "FailIf",
                                              "Unreachable",
                                              "Unsupported"};
static_assert(std::size(OpcodeNames) == static_cast<size_t>(Opcode::Unsupported) + 1);

static constexpr const char *OrderNames[] = {"",        "relaxed", "acquire-pc", "acquire",
                                             "release", "acq_rel", "seq_cst",    "?"};
static constexpr const char *FenceNames[] = {"full",   "store-store", "acquire", "release", "acq_rel",
                                             "lwsync", "isync",       "dmb ld",  "dmb st",  "dsb",
                                             "dsb ld", "dsb st",      "isb"};
static_assert(std::size(FenceNames) == static_cast<size_t>(FenceKind::Isb) + 1);
static constexpr const char *RmwNames[] = {"xchg", "add", "sub",  "and",  "nand", "or",  "xor",
                                           "max",  "min", "umax", "umin", "fadd", "fsub"};

namespace {

/// Writes one instruction the way a reader of Program.h expects it: `r3 = Add.32 r1, 7`.
class Printer {
public:
  Printer(const Program &P, std::ostream &Out) : Prog(P), Out(Out) {}

  void print(uint32_t Pc) {
    const Instruction &I = Prog.Code[Pc];
    OperandShape Shape = shapeOf(I);
    if (Shape.Dst != 0) {
      slots(I.Dst, Shape.Dst);
      Out << " = ";
    }
    Out << OpcodeNames[static_cast<size_t>(I.Op)];
    if (I.Op == Opcode::WideBinary)
      Out << OpcodeNames[I.Flags];
    if (I.Width != 0)
      Out << '.' << unsigned(I.Width);
    Separator = " ";
    operands(I, Shape);
    details(I);
    place(Pc);
  }

private:
  void next() {
    Out << Separator;
    Separator = ", ";
  }

  void slots(int32_t First, unsigned Count) {
    Out << 'r' << First;
    if (Count > 1)
      Out << "..r" << First + static_cast<int32_t>(Count) - 1;
  }

  void operand(Operand O, unsigned Count) {
    next();
    if (O >= 0)
      return slots(O, Count);
    constant(Prog.Constants[~O]);
    if (Count == 2) {
      Out << ':';
      constant(Prog.Constants[~O + 1]);
    }
  }

  void constant(uint64_t Value) {
    uint32_t Slot = slotOf(Value);
    if (Slot >= 1 && Slot <= Prog.Globals.size())
      Out << '&' << Prog.Globals[Slot - 1].Name;
    else if (Slot >= FirstFunctionSlot && Slot - FirstFunctionSlot < Prog.Functions.size())
      Out << '&' << Prog.Functions[Slot - FirstFunctionSlot].Name;
    else {
      Out << static_cast<int64_t>(Value);
      return;
    }
    if (offsetOf(Value) != 0)
      Out << '+' << offsetOf(Value);
  }

  void operands(const Instruction &I, const OperandShape &Shape) {
    if (Shape.A)
      operand(I.A, Shape.A);
    if (Shape.B)
      operand(I.B, Shape.B);
    if (Shape.C)
      operand(I.C, Shape.C);
  }

  void arguments(const Instruction &I) {
    Out << '(';
    Separator = "";
    for (int32_t K = 0; K < I.C; ++K)
      operand(Prog.Arguments[I.B + K], 1);
    Out << ')';
  }

  void access(const Instruction &I) {
    if (I.Flags & OrderMask)
      Out << ' ' << OrderNames[I.Flags & OrderMask];
    if ((I.Op == Opcode::Rmw || I.Op == Opcode::CmpXchg) && I.Flags & ResultUnused)
      Out << " unused";
    if (I.Flags & InSpinCandidate)
      Out << " spin";
  }

  void feeds(const Instruction &I) {
    if (I.D != 0)
      Out << " feeds " << std::hex << "0x" << static_cast<uint32_t>(I.D) << std::dec;
  }

  void details(const Instruction &I) {
    switch (I.Op) {
    case Opcode::SignExtend:
    case Opcode::FToSI:
    case Opcode::FToUI:
    case Opcode::SIToF:
    case Opcode::UIToF: Out << " to " << I.C; break;
    case Opcode::ToWide: Out << (I.Flags ? " signed to " : " to ") << I.C; break;
    case Opcode::FCmp:
    case Opcode::FMath: Out << " kind " << unsigned(I.Flags); break;
    case Opcode::Jump: Out << ' ' << I.Imm; break;
    case Opcode::CondJump: Out << " ? " << I.B << " : " << I.C; break;
    case Opcode::Switch: {
      const SwitchTable &Table = Prog.SwitchTables[I.Imm];
      Out << " {";
      for (auto [Value, Pc] : Table.Cases)
        Out << static_cast<int64_t>(Value) << ": " << Pc << ", ";
      Out << "else: " << Table.Default << '}';
      break;
    }
    case Opcode::AddScaled: Out << " * " << I.Imm; break;
    case Opcode::Load:
    case Opcode::Store:
    case Opcode::LoadReserve:
    case Opcode::StoreConditional:
      if (I.Imm != 0)
        Out << " at " << (I.Imm > 0 ? "+" : "") << I.Imm;
      access(I);
      feeds(I);
      break;
    case Opcode::Rmw:
      Out << ' ' << RmwNames[I.C];
      access(I);
      feeds(I);
      break;
    case Opcode::CmpXchg:
      access(I);
      Out << '/' << OrderNames[I.Imm & OrderMask];
      feeds(I);
      break;
    case Opcode::Fence:
      Out << ' ' << FenceNames[I.C];
      access(I);
      break;
    case Opcode::Alloca: Out << " * " << I.Imm << " site " << I.D; break;
    case Opcode::ThreadLocal: Out << ' ' << Prog.Globals[I.Imm].Name; break;
    case Opcode::Call:
      Out << ' ' << Prog.Functions[I.Imm].Name;
      arguments(I);
      feeds(I);
      break;
    case Opcode::CallIndirect:
      arguments(I);
      feeds(I);
      break;
    case Opcode::CallBuiltin:
      Out << ' ' << nameOf(static_cast<Builtin>(I.Imm));
      arguments(I);
      feeds(I);
      break;
    case Opcode::LoopBack:
    case Opcode::SpinBack: Out << " loop " << I.B << " bit " << I.Imm << " to " << I.A; break;
    case Opcode::Unsupported: Out << " \"" << Prog.Messages[I.Imm] << '"'; break;
    default: break;
    }
  }

  void place(uint32_t Pc) {
    const ProgramLocation &L = Prog.locationOf(Pc);
    if (L.Line == 0)
      return;
    const std::string &File = Prog.Files[L.File];
    Out << "  ; " << File.substr(File.rfind('/') + 1) << ':' << L.Line << ':' << L.Column;
  }

  const Program &Prog;
  std::ostream &Out;
  const char *Separator = " ";
};

} // namespace

std::string toString(const Program &P) {
  std::ostringstream Out;
  for (size_t I = 0; I < P.Globals.size(); ++I) {
    const Global &G = P.Globals[I];
    Out << (G.Constant ? "constant " : "global ") << (G.ThreadLocal ? "thread-local " : "") << G.Name << ": " << G.Size
        << " bytes\n";
  }
  std::map<uint32_t, const Function *> Entries;
  for (const Function &F : P.Functions) {
    if (F.Defined)
      Entries[F.Entry] = &F;
    else
      Out << "undefined " << F.Name << ": \"" << P.Messages[F.Message] << "\"\n";
  }
  Printer Instructions(P, Out);
  for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc) {
    if (auto It = Entries.find(Pc); It != Entries.end())
      Out << "function " << It->second->Name << ": " << It->second->NumParameters << " parameters, "
          << It->second->NumSlots << " slots\n";
    Out << "  " << Pc << ": ";
    Instructions.print(Pc);
    Out << '\n';
  }
  return Out.str();
}

} // namespace picket
