#include "check/ReachableCode.h"

#include "program/Operands.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace picket {

void ReachableCode::add(const Machine &M) {
  Seen.resize(Compiled.Code.size());
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    if (!M.exists(T) || M.isFinished(T))
      continue;
    const std::vector<uint32_t> Stack = M.callStack(T);
    for (size_t K = 0; K < Stack.size(); ++K)
      walk(K + 1 < Stack.size() ? Stack[K] + 1 : Stack[K]); // behind the calls it is in
  }
}

void ReachableCode::addAll() {
  Seen.resize(Compiled.Code.size());
  GoesOn = true;
  std::vector<uint32_t> Begin = Compiled.Constructors;
  for (int32_t F : {Compiled.Main, Compiled.ExitFunctions}) // what atexit noted runs when main returns
    if (F >= 0)
      Begin.push_back(static_cast<uint32_t>(F));
  for (uint32_t F : Begin)
    if (Compiled.Functions[F].Defined)
      walk(Compiled.Functions[F].Entry);
}

void ReachableCode::clear() {
  Seen.clear();
  Undefined.clear();
}

void ReachableCode::walk(uint32_t From) {
  std::vector<uint32_t> Next{From};
  while (!Next.empty()) {
    const uint32_t Pc = Next.back();
    Next.pop_back();
    if (Pc >= Compiled.Code.size() || Seen[Pc])
      continue;
    Seen[Pc] = true;
    const Instruction &I = Compiled.Code[Pc];
    const bool Ends = I.Op == Opcode::Return || I.Op == Opcode::Jump || I.Op == Opcode::CondJump ||
                      I.Op == Opcode::Switch || I.Op == Opcode::Unreachable || isLoopBack(I.Op) ||
                      (isRefused(I) && !GoesOn);
    walkFrom(I, Next);
    if (!Ends)
      Next.push_back(Pc + 1);
  }
}

/// Where an instruction leads, besides to the next one.
void ReachableCode::walkFrom(const Instruction &I, std::vector<uint32_t> &Next) {
  auto EnterAll = [&] {
    for (uint32_t F : addressTaken())
      enter(F, Next);
  };
  switch (I.Op) {
  case Opcode::Jump: Next.push_back(static_cast<uint32_t>(I.Imm)); break;
  case Opcode::CondJump: Next.insert(Next.end(), {static_cast<uint32_t>(I.B), static_cast<uint32_t>(I.C)}); break;
  case Opcode::LoopBack:
  case Opcode::SpinBack: Next.push_back(static_cast<uint32_t>(I.A)); break;
  case Opcode::Switch: {
    const SwitchTable &Table = Compiled.SwitchTables[static_cast<size_t>(I.Imm)];
    Next.push_back(Table.Default);
    for (const auto &[Value, Pc] : Table.Cases)
      Next.push_back(Pc);
    break;
  }
  case Opcode::Call:
    if (!isRefused(I))
      enter(static_cast<uint32_t>(I.Imm), Next);
    break;
  case Opcode::CallIndirect: EnterAll(); break;
  case Opcode::CallBuiltin: // a thread, a destructor, what is run at the end of the process
    if (const auto B = static_cast<Builtin>(I.Imm); B == Builtin::Exit || B == Builtin::QuickExit) {
      if (const int32_t Last = B == Builtin::Exit ? Compiled.ExitFunctions : Compiled.QuickExitFunctions; Last >= 0)
        enter(static_cast<uint32_t>(Last), Next);
    } else if (B == Builtin::ThreadCreate || B == Builtin::KeyCreate)
      for (int32_t K = 0; K < I.C; ++K) {
        const Operand O = Compiled.Arguments[static_cast<size_t>(I.B + K)];
        if (O >= 0 && B == Builtin::ThreadCreate && K == 2)
          EnterAll();
        else if (O < 0 && slotOf(Compiled.Constants[static_cast<size_t>(~O)]) >= FirstFunctionSlot)
          enter(slotOf(Compiled.Constants[static_cast<size_t>(~O)]) - FirstFunctionSlot, Next);
      }
    break;
  default: break;
  }
}

/// A direct call of a function without a definition is an instruction that is not modelled; what is noted here has none.
void ReachableCode::enter(uint32_t Function, std::vector<uint32_t> &Next) {
  if (Function >= Compiled.Functions.size())
    return;
  if (Compiled.Functions[Function].Defined)
    Next.push_back(Compiled.Functions[Function].Entry);
  else if (auto At = std::lower_bound(Undefined.begin(), Undefined.end(), Function);
           At == Undefined.end() || *At != Function)
    Undefined.insert(At, Function);
}

bool ReachableCode::isRefused(const Instruction &I) const {
  return I.Op == Opcode::Unsupported ||
         (I.Op == Opcode::Call && !Compiled.Functions[static_cast<size_t>(I.Imm)].Defined);
}

std::vector<uint32_t> ReachableCode::refused() const {
  std::vector<uint32_t> All;
  for (uint32_t Pc = 0; Pc < Seen.size(); ++Pc)
    if (Seen[Pc] && isRefused(Compiled.Code[Pc]))
      All.push_back(Pc);
  return All;
}

std::vector<uint32_t> ReachableCode::refusedThroughPointers() const { return Undefined; }

std::string ReachableCode::describe(uint32_t Pc) const {
  const Instruction &I = Compiled.Code[Pc];
  if (I.Op == Opcode::Call)
    return "call '" + Compiled.Functions[static_cast<size_t>(I.Imm)].Name + "'";
  const std::string &Message = Compiled.Messages[static_cast<size_t>(I.Imm)];
  constexpr std::string_view Call = "call to ";
  return Message.compare(0, Call.size(), Call) == 0 ? "call " + Message.substr(Call.size()) : "come to " + Message;
}

/// Functions that a pointer may point to.
const std::vector<uint32_t> &ReachableCode::addressTaken() {
  if (std::exchange(TakenKnown, true))
    return Taken;
  std::set<uint32_t> All;
  auto Look = [&](uint64_t Value) {
    if (const uint32_t Slot = slotOf(Value);
        Slot >= FirstFunctionSlot && Slot - FirstFunctionSlot < Compiled.Functions.size())
      All.insert(Slot - FirstFunctionSlot);
  };
  for (uint64_t Value : Compiled.Constants)
    Look(Value);
  for (const Global &G : Compiled.Globals)
    for (size_t At = 0; At + 8 <= G.Initial.size(); At += 8) {
      uint64_t Value;
      std::memcpy(&Value, G.Initial.data() + At, 8);
      Look(Value);
    }
  Taken.assign(All.begin(), All.end());
  return Taken;
}

} // namespace picket
