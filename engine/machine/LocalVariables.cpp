// Local variables in memory: they begin with an Alloca and end with their scope or frame. The end of a variable that
// other threads have seen is an operation of its own, like free: they must not access the variable afterwards.
#include "machine/Interpreter.h"

namespace picket {

bool Interpreter::alloca(const Instruction &I) {
  uint64_t Size = static_cast<uint64_t>(I.Imm) * value(I.A);
  constexpr uint32_t StackLimit = 8u << 20;
  if (Size > StackLimit || S.StackBytes + Size > StackLimit || S.StackObjects + 1 >= Machine::MaxStackObjects)
    return failed(BugKind::StackOverflow,
                  "the stack overflows: " + std::to_string(S.StackBytes + Size) + " bytes of local variables");
  uint32_t Slot = M.slotFor(T, static_cast<uint32_t>(I.D), static_cast<uint32_t>(Size));
  M.Mem.allocate(Slot, ObjectKind::Stack, static_cast<uint32_t>(Size), static_cast<uint32_t>(I.D), Id, S.Pc,
                 Content::Nothing);
  S.StackBytes += static_cast<uint32_t>(Size);
  M.Undo.save(T.StackSlots[S.StackObjects]);
  T.StackSlots[S.StackObjects++] = Slot;
  Registers[I.Dst] = addressOf(Slot);
  ++S.Pc;
  return true;
}

/// A variable that begins anew, in the next iteration of a loop, is another object.
void Interpreter::enterScope(const Instruction &I) {
  uint32_t Old = slotOf(value(I.A));
  const Object Before = M.Mem.at(Old);
  if (Before.Life == Lifetime::Alive)
    return;
  Registers[I.Dst] = 0; // what it names has ended and may make room
  uint32_t New = M.slotFor(T, Before.Site, Before.Size);
  M.Mem.allocate(New, ObjectKind::Stack, Before.Size, Before.Site, Id, S.Pc, Content::Nothing);
  // It takes the place of the old one, which nothing is left to be done for.
  for (uint32_t K = S.StackObjects; K-- > frame().StackObjects;)
    if (T.StackSlots[K] == Old) {
      M.Undo.save(T.StackSlots[K]);
      T.StackSlots[K] = New;
      break;
    }
  Registers[I.Dst] = addressOf(New);
  ++S.Effects;
}

bool Interpreter::leaveScope(const Instruction &I) { return stopForEnds() ? false : finishLeaveScope(I); }

bool Interpreter::finishLeaveScope(const Instruction &I) {
  if (Object &Local = M.Mem.at(slotOf(value(I.A))); Local.Life == Lifetime::Alive) {
    M.Mem.end(Local, Lifetime::Left, S.Pc);
    ++S.Effects;
  }
  ++S.Pc;
  return true;
}

/// Returning from main ends the process; its variables stay while other threads are on their way out.
bool Machine::endsProcess(const Thread &T, const State &S) const {
  return T.Id == 0 && S.Depth == 1 && S.Phase == State::Running;
}

void Interpreter::popFrame(bool EndLocals) {
  Machine::Frame &F = frame();
  if (S.StackObjects > F.StackObjects) {
    uint32_t Count = S.StackObjects - F.StackObjects;
    M.Undo.save(T.StackSlots + F.StackObjects, Count * sizeof(uint32_t));
    for (uint32_t K = F.StackObjects; K < S.StackObjects; ++K) {
      Object &O = M.Mem.at(T.StackSlots[K]);
      S.StackBytes -= O.Size;
      if (EndLocals && O.Life == Lifetime::Alive)
        M.Mem.end(O, Lifetime::Left, S.Pc);
    }
    S.StackObjects = F.StackObjects;
  }
  --S.Depth;
  if (S.Depth && S.Depth - 1 < S.SavedDepth)
    M.saveFrame(T, S.Depth - 1);
}

void Interpreter::unwind(bool EndLocals) {
  while (S.Depth)
    popFrame(EndLocals);
}

/// The first of the thread's stack objects, up to the last one, that end at its pc.
uint32_t Machine::firstEnding(const Thread &T, const Standing &Here) const {
  if (P.Code[Here.S.Pc].Op != Opcode::Return)
    return 0; // pthread_exit
  return endsProcess(T, Here.S) ? Here.S.StackObjects : Here.Frames[Here.S.Depth - 1].StackObjects;
}

/// The local variables that end at the thread's pc and that others may have seen.
void Machine::findSeenEnds(const Thread &T, const Standing &Here, std::vector<Access> &Ends) const {
  auto Add = [&](uint32_t Slot) {
    if (const Object &Local = Mem.at(Slot); Local.Life == Lifetime::Alive && Shared.isShared(Local.Site))
      Ends.push_back({addressOf(Slot), Local.Size, true});
  };
  if (Here.S.Phase == State::Ending) {
    for (uint32_t Slot : T.ThreadLocals)
      if (Slot)
        Add(Slot);
    return;
  }
  const Instruction &I = P.Code[Here.S.Pc];
  if (I.Op == Opcode::ScopeLeave) {
    const uint32_t Base = Here.S.Depth ? Here.Frames[Here.S.Depth - 1].Base : 0;
    return Add(slotOf(I.A >= 0 ? Here.Registers[Base + static_cast<uint32_t>(I.A)] : P.Constants[~I.A]));
  }
  for (uint32_t K = firstEnding(T, Here); K < Here.S.StackObjects; ++K)
    Add(Here.StackSlots[K]);
}

/// Stops in front of the end of variables that others have seen. False: nobody can notice, or (in an atomic section)
/// nobody has to be asked.
bool Interpreter::stopForEnds() {
  const Machine::Standing Here{S, T.Registers, T.Frames, T.StackSlots};
  const bool MayEnd = S.Phase == Machine::State::Ending
                          ? !T.ThreadLocals.empty()
                          : P.Code[S.Pc].Op == Opcode::ScopeLeave || M.firstEnding(T, Here) < S.StackObjects;
  if (!MayEnd || M.alone())
    return false;
  std::vector<Machine::Access> Ends;
  M.findSeenEnds(T, Here, Ends);
  if (Ends.empty())
    return false;
  for (const Machine::Access &End : Ends)
    M.Shared.noteWrite(End.Where, End.Size, Id);
  if (S.InAtomic) {
    M.AtomicAccesses.insert(M.AtomicAccesses.end(), Ends.begin(), Ends.end());
    return false;
  }
  Operation Op;
  Op.Kind = OperationKind::End;
  Op.Where = Ends.front().Where;
  stop(Op);
  return true;
}

bool Interpreter::completeEnd() {
  enterFrame();
  S.Pending = Operation();
  ++S.Operations;
  if (S.Phase == Machine::State::Ending)
    return finishThread();
  const Instruction &I = P.Code[S.Pc];
  switch (I.Op) {
  case Opcode::ScopeLeave: return finishLeaveScope(I);
  case Opcode::Return: return finishReturn(I);
  default: return finishThreadExit(I);
  }
}

} // namespace picket
