#include "fences/ProgramEdit.h"

#include "program/Operands.h"

#include <algorithm>
#include <map>

namespace picket {

bool goesOn(Opcode Op) {
  switch (Op) {
  case Opcode::Jump:
  case Opcode::CondJump:
  case Opcode::Switch:
  case Opcode::Return:
  case Opcode::LoopBack:
  case Opcode::SpinBack:
  case Opcode::Unreachable:
  case Opcode::Unsupported: return false;
  default: return true;
  }
}

bool atLeast(Order A, Order B) {
  if (A == Order::Release)
    return B == A || B <= Order::Relaxed;
  return A >= B;
}

Order joined(Order A, Order B) { return atLeast(A, B) ? A : atLeast(B, A) ? B : Order::AcqRel; }

std::vector<bool> inSpinLoops(const Program &Compiled) {
  std::vector<bool> Inside(Compiled.Code.size());
  std::vector<std::vector<uint32_t>> Before(Compiled.Code.size());
  bool Any = false;
  for (uint32_t Pc = 0; Pc < Compiled.Code.size(); ++Pc)
    Any |= Compiled.Code[Pc].Op == Opcode::SpinBack;
  if (!Any)
    return Inside;
  for (uint32_t Pc = 0; Pc < Compiled.Code.size(); ++Pc)
    forEachSuccessor(Compiled, Pc, [&](uint32_t To) { Before[To].push_back(Pc); });
  // Everything from which a back edge is reached without coming by the header.
  for (uint32_t Back = 0; Back < Compiled.Code.size(); ++Back) {
    if (Compiled.Code[Back].Op != Opcode::SpinBack)
      continue;
    std::vector<bool> Seen(Compiled.Code.size());
    std::vector<uint32_t> Left = {Back};
    Seen[static_cast<uint32_t>(Compiled.Code[Back].A)] = Seen[Back] = true;
    while (!Left.empty()) {
      const uint32_t Pc = Left.back();
      Left.pop_back();
      for (uint32_t From : Before[Pc])
        if (!Seen[From]) {
          Seen[From] = true;
          Left.push_back(From);
        }
    }
    for (uint32_t Pc = 0; Pc < Compiled.Code.size(); ++Pc)
      Inside[Pc] = Inside[Pc] || Seen[Pc];
  }
  return Inside;
}

namespace {

/// Writes the new code while it walks along the old one.
class Rewriting {
public:
  Rewriting(const Program &Compiled, const ProgramEdit &Edit)
      : Compiled(Compiled), Spins(inSpinLoops(Compiled)), NewPc(Compiled.Code.size()) {
    for (const ProgramEdit::NewFence &F : Edit.Fences)
      Fences[place(F.Where)].push_back(F.Kind);
    for (const ProgramEdit::NewOrder &O : Edit.Orders) {
      auto [Known, IsNew] = Orders.try_emplace(O.Pc, O.To);
      if (!IsNew)
        Known->second = joined(Known->second, O.To);
    }
    Removed.insert(Removed.end(), Edit.Removed.begin(), Edit.Removed.end());
    std::sort(Removed.begin(), Removed.end());
  }

  EditedProgram run() {
    Result.Code = Compiled;
    Result.Code.Code.clear();
    Result.Code.CodeLocations.clear();
    for (uint32_t Pc = 0; Pc < Compiled.Code.size(); ++Pc) {
      NewPc[Pc] = static_cast<uint32_t>(Result.Code.Code.size());
      addFences({Pc, false});
      if (!std::binary_search(Removed.begin(), Removed.end(), Pc))
        add(Pc, ordered(Pc));
      addFences({Pc, true});
    }
    aimJumps();
    return std::move(Result);
  }

private:
  /// The header of a spin loop begins with SpinHead: what stands in front of it there would be left out of the waiting.
  ProgramPoint place(ProgramPoint Where) const {
    if (!Where.Behind && Compiled.Code[Where.Pc].Op == Opcode::SpinHead)
      return {Where.Pc, true};
    return Where;
  }

  void addFences(ProgramPoint Where) {
    auto Found = Fences.find(Where);
    if (Found == Fences.end())
      return;
    for (FenceKind Kind : Found->second) {
      const uint8_t Flags = Spins[Where.Pc] ? InSpinCandidate : 0;
      add(Where.Pc, {.Op = Opcode::Fence, .Flags = Flags, .C = static_cast<int32_t>(Kind)});
    }
  }

  Instruction ordered(uint32_t Pc) const {
    Instruction I = Compiled.Code[Pc];
    if (auto Found = Orders.find(Pc); Found != Orders.end())
      I.Flags = static_cast<uint8_t>((I.Flags & ~OrderMask) | static_cast<uint8_t>(Found->second));
    return I;
  }

  void add(uint32_t Pc, const Instruction &I) {
    Result.Code.Code.push_back(I);
    Result.Code.CodeLocations.push_back(Compiled.CodeLocations[Pc]);
    Result.OriginalPc.push_back(Pc);
  }

  void aimJumps() {
    for (Instruction &I : Result.Code.Code)
      switch (I.Op) {
      case Opcode::Jump: I.Imm = NewPc[static_cast<size_t>(I.Imm)]; break;
      case Opcode::CondJump:
        I.B = static_cast<int32_t>(NewPc[static_cast<size_t>(I.B)]);
        I.C = static_cast<int32_t>(NewPc[static_cast<size_t>(I.C)]);
        break;
      case Opcode::LoopBack:
      case Opcode::SpinBack: I.A = static_cast<int32_t>(NewPc[static_cast<size_t>(I.A)]); break;
      default: break;
      }
    for (SwitchTable &Table : Result.Code.SwitchTables) {
      Table.Default = NewPc[Table.Default];
      for (auto &[Value, Target] : Table.Cases)
        Target = NewPc[Target];
    }
    for (Function &F : Result.Code.Functions)
      if (F.Defined)
        F.Entry = NewPc[F.Entry];
  }

  const Program &Compiled;
  const std::vector<bool> Spins;
  std::vector<uint32_t> NewPc; // where jumps to an old instruction lead now
  std::map<ProgramPoint, std::vector<FenceKind>> Fences;
  std::map<uint32_t, Order> Orders;
  std::vector<uint32_t> Removed;
  EditedProgram Result;
};

} // namespace

EditedProgram edited(const Program &Compiled, const ProgramEdit &Edit) { return Rewriting(Compiled, Edit).run(); }

} // namespace picket
