#include "program/LiveSlots.h"

#include "program/Operands.h"

#include <algorithm>
#include <map>

namespace picket {

namespace {

void findSuccessors(const Program &P, uint32_t Pc, std::vector<uint32_t> &Result) {
  Result.clear();
  const Instruction &I = P.Code[Pc];
  auto Add = [&](int64_t To) { Result.push_back(static_cast<uint32_t>(To)); };
  switch (I.Op) {
  case Opcode::Jump: return Add(I.Imm);
  case Opcode::CondJump: Add(I.B); return Add(I.C);
  case Opcode::Switch: {
    const SwitchTable &Table = P.SwitchTables[static_cast<size_t>(I.Imm)];
    Add(Table.Default);
    for (const auto &[Value, To] : Table.Cases)
      Add(To);
    return;
  }
  case Opcode::LoopBack:
  case Opcode::SpinBack: return Add(I.A);
  case Opcode::Return:
  case Opcode::Unreachable:
  case Opcode::Unsupported: return;
  default: Add(Pc + 1);
  }
}

/// Sets of slots of one function. Slot S as a value is S, as the mark of a spin loop NumSlots + S.
struct Transfer {
  const Program &Prog;
  uint32_t NumSlots;

  void read(std::vector<bool> &Live, Operand O, uint32_t Count) const {
    for (uint32_t K = 0; O >= 0 && K < Count; ++K)
      Live[static_cast<uint32_t>(O) + K] = true;
  }
  void write(std::vector<bool> &Live, uint32_t Slot) const { Live[Slot] = Live[NumSlots + Slot] = false; }

  void writeResult(std::vector<bool> &Live, const Instruction &I) const {
    OperandShape Shape = shapeOf(I);
    for (uint32_t K = 0; I.Dst >= 0 && !Shape.ReadsDst && K < Shape.Dst; ++K)
      write(Live, static_cast<uint32_t>(I.Dst) + K);
  }

  /// What is live in front of the instruction, given what is behind it.
  void apply(std::vector<bool> &Live, const Instruction &I) const {
    switch (I.Op) {
    case Opcode::LoopInit: // without a bound nothing is counted
    case Opcode::LoopNote:
    case Opcode::LoopBack: return;
    case Opcode::SpinHead: return write(Live, static_cast<uint32_t>(I.Dst) + loopslots::Effects);
    case Opcode::SpinBack: Live[NumSlots + static_cast<uint32_t>(I.Dst) + loopslots::Effects] = true; return;
    case Opcode::ScopeEnter: // writes only what has ended
      read(Live, I.Dst, 1);
      return read(Live, I.A, 1);
    default: break;
    }
    writeResult(Live, I);
    OperandShape Shape = shapeOf(I);
    if (Shape.ReadsDst)
      read(Live, I.Dst, Shape.Dst);
    read(Live, I.A, Shape.A);
    read(Live, I.B, Shape.B);
    read(Live, I.C, Shape.C);
    for (int32_t K = 0; Shape.HasArguments && K < I.C; ++K)
      read(Live, Prog.Arguments[static_cast<size_t>(I.B + K)], 1);
  }
};

} // namespace

LiveSlots::LiveSlots(const Program &P) : Before(P.Code.size()), During(P.Code.size()) {
  for (const Function &F : P.Functions)
    if (F.Defined)
      analyse(P, F);
}

LiveSlots::Range LiveSlots::keep(const std::vector<bool> &Live, uint32_t NumSlots) {
  Range R{static_cast<uint32_t>(Slots.size()), 0};
  for (uint32_t S = 0; S < NumSlots; ++S)
    if (Live[S])
      Slots.push_back(S);
    else if (Live[NumSlots + S])
      Slots.push_back(S | OfSpin);
  R.Count = static_cast<uint32_t>(Slots.size()) - R.First;
  return R;
}

void LiveSlots::analyse(const Program &P, const Function &F) {
  std::map<uint32_t, std::vector<uint32_t>> Predecessors; // of every instruction that can be reached
  std::vector<uint32_t> Work = {F.Entry}, Next;
  Predecessors[F.Entry];
  while (!Work.empty()) {
    uint32_t Pc = Work.back();
    Work.pop_back();
    findSuccessors(P, Pc, Next);
    for (uint32_t To : Next) {
      auto [Found, IsNew] = Predecessors.try_emplace(To);
      Found->second.push_back(Pc);
      if (IsNew)
        Work.push_back(To);
    }
  }

  const Transfer Step{P, F.NumSlots};
  const std::vector<bool> Nothing(2 * static_cast<size_t>(F.NumSlots));
  std::map<uint32_t, std::vector<bool>> Live; // in front of the instruction
  auto Behind = [&](uint32_t Pc) {
    std::vector<bool> All = Nothing;
    findSuccessors(P, Pc, Next);
    for (uint32_t To : Next)
      if (auto Found = Live.find(To); Found != Live.end())
        for (size_t K = 0; K < All.size(); ++K)
          if (Found->second[K])
            All[K] = true;
    return All;
  };
  for (const auto &[Pc, From] : Predecessors)
    Work.push_back(Pc);
  while (!Work.empty()) {
    uint32_t Pc = Work.back();
    Work.pop_back();
    std::vector<bool> Now = Behind(Pc);
    Step.apply(Now, P.Code[Pc]);
    auto [Known, IsNew] = Live.try_emplace(Pc, Nothing);
    if (!IsNew && Known->second == Now)
      continue;
    bool Changed = Known->second != Now;
    Known->second = std::move(Now);
    if (Changed)
      for (uint32_t From : Predecessors[Pc])
        Work.push_back(From);
  }
  for (const auto &[Pc, Set] : Live) {
    Before[Pc] = keep(Set, F.NumSlots);
    if (isCall(P.Code[Pc].Op)) {
      std::vector<bool> After = Behind(Pc);
      Step.writeResult(After, P.Code[Pc]);
      During[Pc] = keep(After, F.NumSlots);
    }
  }
}

} // namespace picket
