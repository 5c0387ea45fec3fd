// How threads that run ahead of their loads take turns and go from instruction to instruction, and how their runs end. A
// part of SpeculativeInterpreter.h.
#pragma once

#include "machine/Messages.h"
#include "machine/SpeculativeInterpreter.h"

#include <algorithm>

namespace picket {

template <typename EventSet, typename Events>
void SpeculativeInterpreter<EventSet, Events>::begin(ThreadId T, ThreadId Parent) {
  while (Fetching.size() <= T) {
    Fetching.emplace_back();
    Nodes.emplace_back();
  }
  Parts.Undo.save(Fetching[T]);
  Fetching[T] = ThreadFetching();
  Graph.begin(T, Parent);
}

template <typename EventSet, typename Events> void SpeculativeInterpreter<EventSet, Events>::noteCreated() {
  for (auto [Parent, Child] : Parts.Threads.Created) {
    Graph.noteCreation(Parent, Child);
    begin(Child, Parent);
  }
  Parts.Threads.Created.clear();
}

template <typename EventSet, typename Events> bool SpeculativeInterpreter<EventSet, Events>::canGoOn(ThreadId T) {
  if (!Parts.Threads.exists(T) || stateOf(T).Status != ThreadStatus::Ready)
    return false;
  const ThreadFetching &F = Fetching[T];
  if (F.Waiting != NoEvent)
    return Graph.isCommitted(F.Waiting);
  if (stateOf(T).Pending.Kind == OperationKind::Join)
    return TheMachine.isFinished(static_cast<ThreadId>(stateOf(T).Pending.Where));
  uint64_t Bits;
  return !F.StalledOn || resolve({0, F.StalledOn}, Bits);
}

template <typename EventSet, typename Events> void SpeculativeInterpreter<EventSet, Events>::fetch() {
  if (Fetching.empty()) {
    begin(0, 0);
    noteCreated();
  }
  for (bool Again = true; Again;) {
    Again = false;
    if (!Calls.empty())
      makeLateCalls();
    if (!Divisions.empty())
      failDivisions();
    for (ThreadId T = 0; T < Parts.Threads.size(); ++T) {
      if (!canGoOn(T))
        continue;
      Parts.Threads.newStep();
      Parts.Threads.save(Parts.Threads[T]);
      Parts.Undo.save(Fetching[T]);
      Graph.save(T);
      Fetching[T].StalledOn = 0;
      uint64_t Steps = 0;
      while (step(T)) {
        if (++Steps > Parts.Options.MaxLocalSteps)
          stopAtLimit(T, stateOf(T).Pc,
                      "a loop runs for more than " + std::to_string(Parts.Options.MaxLocalSteps) + " steps");
        if (Steps % 65'536 == 0 && Look)
          Look();
      }
      Again = true; // others may wait for its end
    }
  }
}

template <typename EventSet, typename Events> bool SpeculativeInterpreter<EventSet, Events>::step(ThreadId T) {
  const ThreadState &S = stateOf(T);
  if (S.Status != ThreadStatus::Ready)
    return false;
  if (S.Pending.Kind != OperationKind::None)
    return operate(T);
  // In order nothing waits in nodes. Instruction by instruction only where somebody looks at each.
  const bool Looks = (Entered && T == Watched) || Graph.isLong();
  return Parts.Options.InOrder && !Looks ? runToOperation(T) : stepWith(T, Prog.Code[S.Pc]);
}

/// In order: up to the next operation that others can see, by the ordinary interpreter.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::runToOperation(ThreadId T) {
  Interpreter(Parts, T).run();
  noteCreated();
  return true; // step sees whether it goes on
}

/// One instruction by the ordinary interpreter, and what it stops for.
template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::runInstruction(ThreadId T) {
  Interpreter(Parts, T).step();
  noteCreated();
  return true; // step sees whether it goes on
}

template <typename EventSet, typename Events>
bool SpeculativeInterpreter<EventSet, Events>::stepWith(ThreadId T, const Instruction &I) {
  ThreadState &S = stateOf(T);
  switch (I.Op) {
  case Opcode::Fence:
    Graph.noteFence(T, static_cast<FenceKind>(I.C));
    ++S.Pc;
    return true;
  case Opcode::CondJump:
  case Opcode::Switch:
    if (!needs(T, I.A))
      return false;
    Graph.noteBranch(T, loadsOf(read(T, I.A)));
    return runInstruction(T);
  case Opcode::Load:
  case Opcode::Store:
  case Opcode::Rmw:
  case Opcode::CmpXchg:
  case Opcode::LoadReserve: return access(T, I);
  case Opcode::StoreConditional: return storeConditional(T, I);
  case Opcode::Call:
  case Opcode::CallIndirect: return call(T, I);
  case Opcode::CallBuiltin: return builtin(T, I);
  case Opcode::Return: return doReturn(T, I);
  case Opcode::SpinBack:
    // Whether the iteration changed anything is known when its updates are done.
    Fetching[T].Waiting = Graph.needUpdates(T);
    return Fetching[T].Waiting == NoEvent && runInstruction(T);
  case Opcode::LoopExit: ++S.Pc; return true;
  case Opcode::LoopNote:
    if (Parts.Threads.concurrentPhases() == 0) // everything is known
      return runInstruction(T);
    ++S.Pc;
    return true;
  case Opcode::CopyWritten:
    // Which bytes of memory were written before there were several threads is known; later writes are events.
    if (Parts.Threads.alone())
      return runInstruction(T);
    ++S.Pc;
    return true;
  case Opcode::FailIf:
    if (!read(T, I.A).Node)
      return runInstruction(T);
    // Nothing waits for it: it is looked at when the run is over.
    Conditions.push_back({T, S.Pc, Graph.numEvents(T), read(T, I.A)});
    ++S.Pc;
    return true;
  case Opcode::LoopInit:
    if (Entered && T == Watched)
      Entered->insert(I.Dst);
    return runInstruction(T);
  case Opcode::LoopBack:
    // Nobody feeds it, so it has no bound, and it may go on for ever. Where every loop has one it does not.
    if (Graph.isLong() && !Parts.Options.BoundEveryLoop && !Parts.Threads.alone() &&
        !(registers(T)[I.C] >> I.Imm & 1) && registers(T)[I.Dst + loopslots::Total] >= Parts.Options.Unroll)
      Graph.stopAsTooLong();
    return runInstruction(T);
  case Opcode::Jump:
  case Opcode::SpinHead:
  case Opcode::Unreachable:
  case Opcode::Unsupported: return runInstruction(T);
  default: return compute(T, I);
  }
}

template <typename EventSet, typename Events> void SpeculativeInterpreter<EventSet, Events>::goRound(ThreadId T) {
  Parts.Threads.newStep();
  Parts.Threads.save(Parts.Threads[T]);
  stateOf(T).Status = ThreadStatus::Ready;
  Interpreter(Parts, T).goToLoopHead();
}

/// A thread whose divisor turns out to be zero ends there: what it has fetched behind is never committed any more. What
/// is committed by then did not depend on the quotient.
template <typename EventSet, typename Events> void SpeculativeInterpreter<EventSet, Events>::failDivisions() {
  for (const Condition &D : Divisions) {
    uint64_t Divisor = 0;
    if (Graph.failedAt(D.Thread) <= D.EventsBefore || !resolve(D.Tested, Divisor) ||
        lowBits(Divisor, Prog.Code[D.Pc].Width) != 0)
      continue;
    TheMachine.newStep();
    TheMachine.fail(D.Thread, D.Pc, BugKind::DivisionByZero, "division by zero");
    Graph.failAt(D.Thread, D.EventsBefore);
  }
}

template <typename EventSet, typename Events> bool SpeculativeInterpreter<EventSet, Events>::reportOverflows() {
  bool Found = false;
  for (const Condition &C : Conditions) {
    uint64_t Fails = 0;
    if (!Parts.Bugs.checks(BugKind::Overflow) || Graph.failedAt(C.Thread) < C.EventsBefore ||
        !resolve(C.Tested, Fails) || !Fails)
      continue;
    const BugReport New{BugKind::Overflow, C.Thread, C.Pc, describe(static_cast<OverflowKind>(Prog.Code[C.Pc].C))};
    const std::vector<BugReport> &Known = Parts.Bugs.all();
    if (std::none_of(Known.begin(), Known.end(), [&](const BugReport &B) { return isSame(B, New); }))
      Parts.Bugs.report(New);
    Found = true;
  }
  return Found;
}

/// What is in memory, and which of it has ended, is in the graph, and values wait in nodes. They are put into the machine
/// for the search.
template <typename EventSet, typename Events> bool SpeculativeInterpreter<EventSet, Events>::reportLeaks() {
  if (!Parts.Bugs.checks(BugKind::Leak))
    return false;
  const UndoLog::Mark Before = Parts.Undo.mark();
  Graph.writeToMemory();
  for (ThreadId Id = 0; Id < Parts.Threads.size(); ++Id) {
    Thread &T = Parts.Threads[Id];
    if (!T.State.Exists || T.State.Status == ThreadStatus::Finished)
      continue;
    for (uint32_t K = 0, Count = Parts.Threads.numRegisters(T, T.State, T.Frames); K < Count; ++K)
      if (uint64_t Bits; Nodes[Id].get()[K] && resolve({0, Nodes[Id].get()[K]}, Bits)) {
        Parts.Undo.save(T.Registers[K]);
        T.Registers[K] = Bits;
      }
  }
  const bool Found = Parts.Leaks.report();
  Parts.Undo.undoTo(Before);
  return Found;
}

template <typename EventSet, typename Events>
uint64_t SpeculativeInterpreter<EventSet, Events>::finalSlot(ThreadId T, uint32_t Slot) {
  uint64_t Bits = 0;
  resolve({Parts.Threads[T].Registers[Slot], Nodes[T].get()[Slot]}, Bits);
  return Bits;
}

} // namespace picket
