// Local variables in memory begin with an Alloca and end with their scope or frame. The end of a variable that other threads
// have seen is an operation of its own, like free: they must not access the variable afterwards.
#include "machine/LocalVariables.h"

#include "machine/Interpreter.h"

namespace picket {

bool Interpreter::alloca(const Instruction &I) {
  uint64_t Size = static_cast<uint64_t>(I.Imm) * value(I.A);
  constexpr uint32_t StackLimit = 8u << 20;
  if (Size > StackLimit || State.StackBytes + Size > StackLimit || State.StackObjects + 1 >= Thread::MaxStackObjects)
    return failed(BugKind::StackOverflow,
                  "the stack overflows: " + std::to_string(State.StackBytes + Size) + " bytes of local variables");
  uint32_t Slot = Parts.Objects.slotFor(Current, static_cast<uint32_t>(I.D), static_cast<uint32_t>(Size));
  Parts.Mem.allocate(Slot, ObjectKind::Stack, static_cast<uint32_t>(Size), static_cast<uint32_t>(I.D), Id, State.Pc,
                     Content::Nothing);
  State.StackBytes += static_cast<uint32_t>(Size);
  Parts.Undo.save(Current.StackSlots[State.StackObjects]);
  Current.StackSlots[State.StackObjects++] = Slot;
  Registers[I.Dst] = addressOf(Slot);
  ++State.Pc;
  return true;
}

/// A variable that begins anew, in the next iteration of a loop, is another object.
void Interpreter::enterScope(const Instruction &I) {
  uint32_t Old = slotOf(value(I.A));
  const Object Before = Parts.Mem.at(Old);
  if (Before.Life == Lifetime::Alive)
    return;
  Registers[I.Dst] = 0; // what it names has ended and may make room
  uint32_t New = Parts.Objects.slotFor(Current, Before.Site, Before.Size);
  Parts.Mem.allocate(New, ObjectKind::Stack, Before.Size, Before.Site, Id, State.Pc, Content::Nothing);
  // It replaces the old one, which nothing is left to be done for.
  for (uint32_t K = State.StackObjects; K-- > frame().StackObjects;)
    if (Current.StackSlots[K] == Old) {
      Parts.Undo.save(Current.StackSlots[K]);
      Current.StackSlots[K] = New;
      break;
    }
  Registers[I.Dst] = addressOf(New);
  ++State.Effects;
}

bool Interpreter::leaveScope(const Instruction &I) { return stopForEnds() ? false : finishLeaveScope(I); }

bool Interpreter::finishLeaveScope(const Instruction &I) {
  if (Object &Local = Parts.Mem.at(slotOf(value(I.A))); Local.Life == Lifetime::Alive) {
    Parts.Mem.end(Local, Lifetime::Left, State.Pc);
    ++State.Effects;
  }
  ++State.Pc;
  return true;
}

void Interpreter::popFrame(bool EndLocals) {
  StackFrame &F = frame();
  assert(State.StackObjects >= F.StackObjects && State.StackObjects < Thread::MaxStackObjects);
  if (State.StackObjects > F.StackObjects) {
    uint32_t Count = State.StackObjects - F.StackObjects;
    Parts.Undo.save(Current.StackSlots + F.StackObjects, Count * sizeof(uint32_t));
    for (uint32_t K = F.StackObjects; K < State.StackObjects; ++K) {
      Object &O = Parts.Mem.at(Current.StackSlots[K]);
      State.StackBytes -= O.Size;
      if (EndLocals && O.Life == Lifetime::Alive)
        Parts.Mem.end(O, Lifetime::Left, State.Pc);
    }
    State.StackObjects = F.StackObjects;
  }
  --State.Depth;
  if (State.Depth && State.Depth - 1 < State.SavedDepth)
    Parts.Threads.saveFrame(Current, State.Depth - 1);
}

void Interpreter::unwind(bool EndLocals) {
  while (State.Depth)
    popFrame(EndLocals);
}

uint32_t firstEnding(const Program &Prog, const Thread &T, const ThreadView &Here) {
  if (Prog.Code[Here.State.Pc].Op != Opcode::Return)
    return 0; // pthread_exit
  return endsProcess(T, Here.State) ? Here.State.StackObjects : Here.Frames[Here.State.Depth - 1].StackObjects;
}

void findSeenEnds(const Program &Prog, const Memory &Mem, const Sharing &Shared, const Thread &T,
                  const ThreadView &Here, std::vector<AccessedBytes> &Ends) {
  auto Add = [&](uint32_t Slot) {
    if (const Object &Local = Mem.at(Slot); Local.Life == Lifetime::Alive && Shared.isShared(Local.Site))
      Ends.push_back({addressOf(Slot), Local.Size, true});
  };
  if (Here.State.Phase == ThreadState::Ending) {
    for (uint32_t Slot : T.ThreadLocals)
      if (Slot)
        Add(Slot);
    return;
  }
  const Instruction &I = Prog.Code[Here.State.Pc];
  if (I.Op == Opcode::ScopeLeave) {
    const uint32_t Base = Here.State.Depth ? Here.Frames[Here.State.Depth - 1].Base : 0;
    return Add(slotOf(I.A >= 0 ? Here.Registers[Base + static_cast<uint32_t>(I.A)] : Prog.Constants[~I.A]));
  }
  for (uint32_t K = firstEnding(Prog, T, Here); K < Here.State.StackObjects; ++K)
    Add(Here.StackSlots[K]);
}

/// Stops in front of the end of variables that others have seen. False: nobody can notice, or (in an atomic section)
/// nobody has to be asked.
bool Interpreter::stopForEnds() {
  const ThreadView Here{State, Current.Registers, Current.Frames, Current.StackSlots};
  const bool MayEnd = State.Phase == ThreadState::Ending ? !Current.ThreadLocals.empty()
                                                         : Prog.Code[State.Pc].Op == Opcode::ScopeLeave ||
                                                               firstEnding(Prog, Current, Here) < State.StackObjects;
  if (!MayEnd || Parts.Threads.alone())
    return false;
  std::vector<AccessedBytes> Ends;
  findSeenEnds(Prog, Parts.Mem, Parts.Shared, Current, Here, Ends);
  if (Ends.empty())
    return false;
  for (const AccessedBytes &End : Ends)
    Parts.Shared.noteWrite(End.Where, End.Size, Id);
  if (State.InAtomic) {
    Parts.Section.Accesses.insert(Parts.Section.Accesses.end(), Ends.begin(), Ends.end());
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
  State.Pending = Operation();
  ++State.Operations;
  if (State.Phase == ThreadState::Ending)
    return finishThread();
  const Instruction &I = Prog.Code[State.Pc];
  switch (I.Op) {
  case Opcode::ScopeLeave: return finishLeaveScope(I);
  case Opcode::Return: return finishReturn(I);
  default: return finishThreadExit(I);
  }
}

} // namespace picket
