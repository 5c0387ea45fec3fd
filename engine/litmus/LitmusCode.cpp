#include "litmus/LitmusCode.h"

#include "litmus/LitmusText.h"

#include <algorithm>

namespace picket {

uint32_t LitmusLocations::find(std::string_view Name, uint32_t Line) {
  if (auto Found = Known.find(Name); Found != Known.end())
    return Found->second;
  if (Names.size() == Most)
    failLitmus(Line, "the test has more than " + std::to_string(Most) + " locations");
  const auto Index = static_cast<uint32_t>(Names.size());
  Known.emplace(Name, Index);
  Names.emplace_back(Name);
  Values.push_back(0);
  Sizes.push_back(4);
  Declared.push_back(false);
  return Index;
}

int32_t LitmusThread::slotOf(std::string_view Register) {
  auto [At, New] = Slots.try_emplace(std::string(Register), NumSlots);
  NumSlots += New;
  return static_cast<int32_t>(At->second);
}

void LitmusThread::setInitial(std::string_view Register, uint64_t Value) {
  slotOf(Register);
  Initial[std::string(Register)] = Value;
}

bool LitmusThread::exceedsWord(std::string_view Register) const {
  auto Found = Initial.find(std::string(Register));
  return isWide(Register) || (Found != Initial.end() && Found->second >> 32 != 0);
}

void LitmusThread::widenTarget(std::string_view Register) {
  auto Found = Initial.find(std::string(Register));
  const uint32_t Slot = Found == Initial.end() ? 0 : picket::slotOf(Found->second);
  if (Slot >= 1 && Slot <= Locations.Names.size())
    Locations.widen(Slot - 1);
}

Operand LitmusThread::constant(uint64_t Value) {
  auto At = std::find(Constants.begin(), Constants.end(), Value);
  if (At == Constants.end())
    At = Constants.insert(At, Value);
  return ~static_cast<Operand>(At - Constants.begin());
}

void LitmusThread::emit(Instruction I) {
  if (Code.size() >= MostInstructions)
    failLitmus(CurrentLine, "the thread has more than " + std::to_string(MostInstructions) + " instructions");
  Code.push_back(I);
  Lines.push_back(CurrentLine);
  Fails |= I.Op == Opcode::CmpXchg && I.Flags & MayFail;
  Reserves |= I.Op == Opcode::LoadReserve || I.Op == Opcode::StoreConditional;
}

/// What memory of some bytes holds afterwards.
Operand LitmusThread::truncated(Operand Value, uint8_t Bytes) {
  const unsigned Bits = 8u * Bytes;
  if (Bits == 64)
    return Value;
  if (Value < 0)
    return constant(Constants[static_cast<size_t>(~Value)] & ((1ull << Bits) - 1));
  const int32_t Low = temporary();
  emit({.Op = Opcode::Truncate, .Width = static_cast<uint8_t>(Bits), .Dst = Low, .A = Value});
  return Low;
}

void LitmusThread::load(int32_t Dst, Operand Where, int64_t Offset, bool Reserve, uint8_t Width) {
  Width = Width == 4 ? sizeOfWord() : Width;
  emit({.Op = Reserve ? Opcode::LoadReserve : Opcode::Load, .Width = Width, .Dst = Dst, .A = Where, .Imm = Offset});
  if (Width == 4)
    emit({.Op = Opcode::SignExtend, .Width = 32, .Dst = Dst, .A = Dst, .C = 64});
}

void LitmusThread::store(Operand Where, Operand Value, int64_t Offset, uint8_t Width) {
  Width = Width == 4 ? sizeOfWord() : Width;
  const Operand Low = truncated(Value, Width);
  emit({.Op = Opcode::Store, .Width = Width, .A = Where, .B = Low, .Imm = Offset});
}

void LitmusThread::storeConditional(Operand Where, Operand Value) {
  const uint8_t Width = sizeOfWord();
  const Operand Low = truncated(Value, Width);
  emit({.Op = Opcode::StoreConditional, .Width = Width, .Dst = flagSlot(LitmusFlag::Equal), .A = Where, .B = Low});
  for (LitmusFlag Other : {LitmusFlag::Less, LitmusFlag::Greater})
    setFlag(Other, false);
}

void LitmusThread::readModifyWrite(RmwOp Op, int32_t Dst, Operand Where, Operand Value) {
  const uint8_t Width = sizeOfWord();
  const Operand Low = truncated(Value, Width);
  emit({.Op = Opcode::Rmw,
        .Width = Width,
        .Flags = static_cast<uint8_t>(Order::SeqCst),
        .Dst = Dst,
        .A = Where,
        .B = Low,
        .C = static_cast<int32_t>(Op)});
  if (Width == 4)
    emit({.Op = Opcode::SignExtend, .Width = 32, .Dst = Dst, .A = Dst, .C = 64});
}

void LitmusThread::compareExchange(int32_t Dst, Operand Where, Operand Expected, Operand New) {
  const int32_t Old = temporary();
  temporary(); // whether it was done stands behind the old value
  const uint8_t Width = sizeOfWord();
  const Operand Low = truncated(Expected, Width), LowNew = truncated(New, Width);
  emit({.Op = Opcode::CmpXchg,
        .Width = Width,
        .Flags = static_cast<uint8_t>(Order::SeqCst),
        .Dst = Old,
        .A = Where,
        .B = Low,
        .C = LowNew,
        .Imm = static_cast<int64_t>(Order::SeqCst)});
  if (Width == 4)
    emit({.Op = Opcode::SignExtend, .Width = 32, .Dst = Old, .A = Old, .C = 64});
  compare(Expected, Old);
  move(Dst, Old);
}

int32_t LitmusThread::flagSlot(LitmusFlag Which) {
  int32_t &Slot = Flags[static_cast<size_t>(Which)];
  if (Slot < 0)
    Slot = temporary();
  return Slot;
}

void LitmusThread::compare(Operand A, Operand B, uint8_t Bits) {
  struct Test {
    LitmusFlag Flag;
    Opcode Op;
    bool Swapped;
  };
  for (const auto &[Flag, Op, Swapped] : {Test{LitmusFlag::Equal, Opcode::Eq, false},
                                          {LitmusFlag::Less, Opcode::SLt, false},
                                          {LitmusFlag::Greater, Opcode::SLt, true},
                                          {LitmusFlag::Lower, Opcode::ULt, false},
                                          {LitmusFlag::Higher, Opcode::ULt, true}})
    if (Needed[static_cast<size_t>(Flag)])
      binary(Op, flagSlot(Flag), Swapped ? B : A, Swapped ? A : B, Bits);
}

void LitmusThread::compareUnsigned(Operand A, Operand B) {
  if (Needed[static_cast<size_t>(LitmusFlag::Equal)])
    binary(Opcode::Eq, flagSlot(LitmusFlag::Equal), A, B);
  if (Needed[static_cast<size_t>(LitmusFlag::Less)])
    binary(Opcode::ULt, flagSlot(LitmusFlag::Less), A, B);
  if (Needed[static_cast<size_t>(LitmusFlag::Greater)])
    binary(Opcode::ULt, flagSlot(LitmusFlag::Greater), B, A);
}

uint32_t LitmusThread::labelIndex(std::string_view Name) {
  if (!isName(Name))
    failLitmus(CurrentLine, quoted(Name) + " is no label");
  auto [At, New] = LabelNames.try_emplace(std::string(Name), static_cast<uint32_t>(Labels.size()));
  if (New)
    Labels.push_back({std::nullopt, CurrentLine});
  return At->second;
}

void LitmusThread::label(std::string_view Name) {
  Label &L = Labels[labelIndex(Name)];
  if (L.At)
    failLitmus(CurrentLine, "the label " + quoted(Name) + " stands twice in the thread");
  L.At = static_cast<uint32_t>(Code.size());
}

void LitmusThread::jump(std::string_view Name) {
  const uint32_t Index = labelIndex(Name);
  if (Labels[Index].At)
    return emitLoopBack(*Labels[Index].At);
  emit({.Op = Opcode::Jump, .Imm = -static_cast<int64_t>(Index) - 1});
}

void LitmusThread::branch(Operand Value, bool NotZero, std::string_view Name) {
  const uint32_t Index = labelIndex(Name);
  const auto Next = static_cast<int32_t>(Code.size()) + 1;
  const bool Back = Labels[Index].At.has_value();
  int32_t Taken = Back ? Next : -static_cast<int32_t>(Index) - 1, NotTaken = Back ? Next + 1 : Next;
  if (!NotZero)
    std::swap(Taken, NotTaken);
  emit({.Op = Opcode::CondJump, .A = Value, .B = Taken, .C = NotTaken});
  if (Back)
    emitLoopBack(*Labels[Index].At);
}

/// A jump backward. Everything that the loop reads may decide the number of its iterations.
void LitmusThread::emitLoopBack(uint32_t Target) {
  if (FedSlot < 0)
    FedSlot = temporary();
  const auto Loop = static_cast<int32_t>(LoopSlots.size());
  const int32_t Bit = std::min(Loop, 31);
  LoopSlots.push_back(temporary());
  for (int32_t K = 1; K < loopslots::Count; ++K)
    temporary();
  LoopLines.push_back(Target < Lines.size() ? Lines[Target] : CurrentLine);
  for (size_t K = Target; K < Code.size(); ++K)
    if (Opcode Op = Code[K].Op;
        Op == Opcode::Load || Op == Opcode::LoadReserve || Op == Opcode::Rmw || Op == Opcode::CmpXchg)
      Code[K].D |= static_cast<int32_t>(1u << Bit);
  emit({.Op = Opcode::LoopBack,
        .Flags = CarriedUnknown,
        .Dst = LoopSlots.back(),
        .A = static_cast<int32_t>(Target),
        .B = Loop,
        .C = FedSlot,
        .Imm = Bit});
}

/// Gives registers their values. Those without any are zero.
void LitmusThread::prologue(Program &P, uint32_t Location) {
  auto Append = [&](Instruction I) {
    P.Code.push_back(I);
    P.CodeLocations.push_back(Location);
  };
  for (const auto &[Register, Slot] : Slots) {
    auto Given = Initial.find(Register);
    Append({.Op = Opcode::Move,
            .Dst = static_cast<int32_t>(Slot),
            .A = constant(Given == Initial.end() ? 0 : Given->second)});
  }
  for (int32_t Flag : Flags)
    if (Flag >= 0)
      Append({.Op = Opcode::Move, .Dst = Flag, .A = constant(0)});
  for (int32_t Loop : LoopSlots)
    Append({.Op = Opcode::LoopInit, .Dst = Loop});
}

void LitmusThread::finish(Program &P, const std::string &Name) {
  for (const auto &[Text, Index] : LabelNames)
    if (!Labels[Index].At)
      failLitmus(Labels[Index].FirstUse, "the thread has no label " + quoted(Text));

  const auto FunctionIndex = static_cast<uint32_t>(P.Functions.size());
  auto LocationOf = [&](uint32_t Line) {
    P.Locations.push_back({.File = 0, .Line = Line, .Column = 1, .Function = FunctionIndex, .InlinedAt = 0});
    return static_cast<uint32_t>(P.Locations.size()) - 1;
  };
  const uint32_t Start = LocationOf(Lines.empty() ? CurrentLine : Lines[0]);
  const auto FirstLoop = static_cast<int32_t>(P.Loops.size());
  for (uint32_t Line : LoopLines)
    P.Loops.push_back({LocationOf(Line)});

  Function F;
  F.Name = Name;
  F.Entry = static_cast<uint32_t>(P.Code.size());
  F.NumSlots = NumSlots;
  F.Defined = true;
  F.FedSlot = FedSlot;
  F.Location = Start;
  P.Functions.push_back(F);
  P.FunctionNames.push_back(Name);

  prologue(P, Start);
  const auto Base = static_cast<int32_t>(P.Code.size());
  auto Resolve = [&](int64_t Target) {
    return Base + static_cast<int32_t>(Target < 0 ? *Labels[static_cast<size_t>(-Target - 1)].At : Target);
  };
  for (size_t K = 0; K < Code.size(); ++K) {
    Instruction I = Code[K];
    if (I.Op == Opcode::Jump) {
      I.Imm = Resolve(I.Imm);
    } else if (I.Op == Opcode::CondJump) {
      I.B = Resolve(I.B);
      I.C = Resolve(I.C);
    } else if (I.Op == Opcode::LoopBack) {
      I.A = Resolve(I.A);
      I.B += FirstLoop;
    }
    P.Code.push_back(I);
    P.CodeLocations.push_back(K && Lines[K] == Lines[K - 1] ? P.CodeLocations.back() : LocationOf(Lines[K]));
  }
  P.Code.push_back({.Op = Opcode::Return});
  P.CodeLocations.push_back(Code.empty() ? Start : P.CodeLocations.back());
}

static void addGlobals(Program &P, const LitmusLocations &Locations, uint32_t NumThreads) {
  constexpr uint32_t IntType = 1, LongType = 2;
  auto AddType = [&](uint32_t Size, const char *Name) {
    SourceType &Type = P.Names.Types.emplace_back();
    Type.What = SourceType::Signed;
    Type.Size = Size;
    Type.Name = Name;
  };
  AddType(4, "int");
  AddType(8, "long");
  auto Add = [&](const std::string &Name, uint32_t Size, uint32_t Type) {
    Global G;
    G.Name = Name;
    G.Size = Size;
    G.Initial.resize(Size);
    P.Globals.push_back(std::move(G));
    P.Names.Globals.push_back({.Name = Name, .Function = "", .Type = Type});
  };
  for (size_t K = 0; K < Locations.Names.size(); ++K) {
    const uint32_t Size = Locations.sizeOf(static_cast<uint32_t>(K));
    Add(Locations.Names[K], Size, Size == 8 ? LongType : IntType);
    const auto Value = static_cast<uint64_t>(Locations.Values[K]);
    for (unsigned Byte = 0; Byte < Size; ++Byte)
      P.Globals.back().Initial[Byte] = static_cast<uint8_t>(Value >> (8 * Byte));
  }
  Add("handles of the threads", 8 * std::max(NumThreads, 1u), 0);
}

void finishLitmusProgram(Program &P, const LitmusLocations &Locations, uint32_t NumThreads, const std::string &File) {
  addGlobals(P, Locations, NumThreads);
  P.Files = {File};
  P.UserFile = {true};
  P.Main = 0;
  P.StartsThreads = true;
  Function &Main = P.Functions[0];
  Main.Name = P.FunctionNames[0] = "main";
  Main.Defined = true;
  Main.Entry = static_cast<uint32_t>(P.Code.size());

  auto Constant = [&](uint64_t Value) {
    P.Constants.push_back(Value);
    return ~static_cast<Operand>(P.Constants.size() - 1);
  };
  auto Call = [&](Builtin Which, std::initializer_list<uint64_t> Arguments) {
    const auto First = static_cast<int32_t>(P.Arguments.size());
    for (uint64_t Value : Arguments)
      P.Arguments.push_back(Constant(Value));
    P.Code.push_back({.Op = Opcode::CallBuiltin,
                      .B = First,
                      .C = static_cast<int32_t>(Arguments.size()),
                      .Imm = static_cast<int64_t>(Which)});
    P.CodeLocations.push_back(0);
  };
  const Address Handle = globalAddress(static_cast<uint32_t>(P.Globals.size()) - 1);
  for (uint32_t T = 0; T < NumThreads; ++T)
    Call(Builtin::ThreadCreate, {Handle + 8 * static_cast<Address>(T), 0, functionAddress(T + 1), 0});
  Call(Builtin::ThreadExit, {0});
}

} // namespace picket
