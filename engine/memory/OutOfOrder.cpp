#include "memory/OutOfOrder.h"

#include "memory/OutOfOrderAccesses.h"
#include "memory/OutOfOrderCommit.h"
#include "memory/OutOfOrderEnds.h"
#include "memory/OutOfOrderValues.h"

namespace picket {

// Fetching. The rest of the class is in the headers; all of it is one unit, since everything is called all the time.

template <unsigned Words> void OutOfOrder<Words>::begin(ThreadId T, ThreadId Parent) {
  while (Flows.size() <= T) {
    Flows.emplace_back();
    Tags.push_back(makeTags());
    Fetched.emplace_back();
  }
  M.undo().save(Flows[T]);
  Flow &F = Flows[T];
  F = Flow();
  F.Started = true;
  if (T == Parent)
    return;
  const Flow &Creator = Flows[Parent];
  F.Sync = Creator.Sync | Creator.Events;
  F.Fetch = Creator.Fetch;
}

template <unsigned Words> void OutOfOrder<Words>::noteCreated() {
  for (auto [Parent, Child] : M.created()) {
    note({GraphNotes::Deed::Create, Parent, 0, FenceKind::Full, Child, M.createdFrom(Child)});
    if (!AsGraphs) // drains the buffer
      fence(Flows[Parent], FenceKind::Full);
    G.CreatesInSections |= Flows[Parent].InSection;
    begin(Child, Parent);
  }
  M.clearCreated();
}

template <unsigned Words> bool OutOfOrder<Words>::canGoOn(ThreadId T) {
  if (!M.exists(T) || M.status(T) != ThreadStatus::Ready)
    return false;
  const Flow &F = Flows[T];
  if (F.Waiting != NoEvent)
    return G.Committed.contains(F.Waiting);
  if (M.pending(T).Kind == OperationKind::Join)
    return M.isFinished(static_cast<ThreadId>(M.pending(T).Where));
  uint64_t Bits;
  return !F.StalledOn || resolve({0, F.StalledOn}, Bits);
}

template <unsigned Words> void OutOfOrder<Words>::fetch() {
  if (Flows.empty()) {
    begin(0, 0);
    noteCreated();
  }
  for (bool Again = true; Again;) {
    Again = false;
    if (!Calls.empty())
      makeLateCalls();
    if (!Divisions.empty())
      failDivisions();
    for (ThreadId T = 0; T < M.numThreads(); ++T) {
      if (!canGoOn(T))
        continue;
      M.newStep();
      M.save(T);
      M.undo().save(Flows[T]);
      Flows[T].StalledOn = 0;
      uint64_t Steps = 0;
      while (step(T)) {
        if (++Steps > Parts.Options.MaxLocalSteps)
          stopAtLimit(T, M.pc(T),
                      "a loop runs for more than " + std::to_string(Parts.Options.MaxLocalSteps) + " steps");
        if (Steps % 65'536 == 0 && Look)
          Look();
      }
      Again = true; // others may wait for its end
    }
  }
}

template <unsigned Words> bool OutOfOrder<Words>::step(ThreadId T) {
  ThreadState &S = Parts.Threads[T].State;
  if (S.Status != ThreadStatus::Ready)
    return false;
  return S.Pending.Kind != OperationKind::None ? operate(T) : stepWith(T, P.Code[S.Pc]);
}

/// One instruction by the ordinary interpreter, and what it stops for.
template <unsigned Words> bool OutOfOrder<Words>::runInstruction(ThreadId T) {
  Interpreter(Parts, T).step();
  noteCreated();
  return true; // step sees whether it goes on
}

template <unsigned Words> bool OutOfOrder<Words>::stepWith(ThreadId T, const Instruction &I) {
  ThreadState &S = Parts.Threads[T].State;
  Flow &F = Flows[T];
  switch (I.Op) {
  case Opcode::Fence:
    note({GraphNotes::Deed::Fence, T, 0, static_cast<FenceKind>(I.C), 0, {}});
    if (Model == MemoryModel::C11)
      fetchFence(T, static_cast<FenceKind>(I.C));
    else
      fence(F, static_cast<FenceKind>(I.C));
    ++S.Pc;
    return true;
  case Opcode::CondJump:
  case Opcode::Switch:
    if (!needs(T, I.A))
      return false;
    F.Control |= loadsOf(read(T, I.A));
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
  case Opcode::SpinBack: {
    // Whether the iteration changed anything is known when its updates are done.
    EventId Open = NoEvent;
    if (Set Uncommitted = F.Updates - G.Committed; !Uncommitted.empty())
      Open = Uncommitted.takeLast();
    F.Fetch |= F.Updates;
    F.Waiting = Open;
    return Open == NoEvent && runInstruction(T);
  }
  case Opcode::LoopExit: ++S.Pc; return true;
  case Opcode::LoopNote:
    if (Parts.Threads.concurrentPhases() == 0) // everything is known
      return runInstruction(T);
    ++S.Pc;
    return true;
  case Opcode::CopyWritten:
    // Which bytes of memory were written before there were several threads is known; later writes are in the graph.
    if (M.alone())
      return runInstruction(T);
    ++S.Pc;
    return true;
  case Opcode::FailIf:
    if (!read(T, I.A).Node)
      return runInstruction(T);
    // Nothing waits for it: it is looked at when the run is over.
    Conditions.push_back({T, S.Pc, F.NumEvents, read(T, I.A)});
    ++S.Pc;
    return true;
  case Opcode::LoopInit:
    if (Entered && T == Watched)
      Entered->insert(I.Dst);
    return runInstruction(T);
  case Opcode::LoopBack:
    // Nobody feeds it, so it has no bound, and it may go on for ever. Where every loop has one it does not.
    if (!Words && G.size() >= LongExecution && !Parts.Options.BoundEveryLoop && !M.alone() &&
        !(registers(T)[I.C] >> I.Imm & 1) && registers(T)[I.Dst + loopslots::Total] >= Parts.Options.Unroll)
      throw GraphFull();
    return runInstruction(T);
  case Opcode::Jump:
  case Opcode::SpinHead:
  case Opcode::Unreachable:
  case Opcode::Unsupported: return runInstruction(T);
  default: return pure(T, I);
  }
}

template <unsigned Words> bool OutOfOrder<Words>::call(ThreadId T, const Instruction &I) {
  if (I.Op == Opcode::CallIndirect) {
    if (!needs(T, I.A))
      return false;
    Flows[T].Control |= loadsOf(read(T, I.A));
  }
  std::vector<uint32_t> ArgumentTags;
  for (int32_t K = 0; K < I.C; ++K)
    ArgumentTags.push_back(read(T, P.Arguments[static_cast<size_t>(I.B + K)]).Node);
  runInstruction(T);
  if (M.status(T) != ThreadStatus::Ready)
    return true;
  Thread &Thread = Parts.Threads[T];
  const Function &Callee = P.Functions[Thread.Frames[Thread.State.Depth - 1].Function];
  for (uint32_t K = 0; K < Callee.NumSlots; ++K)
    setTag(tags(T)[K], K < Callee.NumParameters && K < ArgumentTags.size() ? ArgumentTags[K] : 0);
  return true;
}

/// What a thread runs after its last frame returned, or is left, begins with registers of its own.
template <unsigned Words> void OutOfOrder<Words>::enterFrame(ThreadId T) {
  const Thread &Thread = Parts.Threads[T];
  if (Thread.State.Status != ThreadStatus::Ready || Thread.State.Depth != 1 ||
      Thread.State.Pending.Kind != OperationKind::None)
    return;
  for (uint32_t K = 0; K < P.Functions[Thread.Frames[0].Function].NumSlots; ++K)
    setTag(tags(T)[K], 0);
}

template <unsigned Words> bool OutOfOrder<Words>::doReturn(ThreadId T, const Instruction &I) {
  ThreadState &S = Parts.Threads[T].State;
  uint32_t Result[2] = {I.Flags >= 1 ? read(T, I.A).Node : 0, I.Flags == 2 ? read(T, I.A + 1).Node : 0};
  uint32_t Depth = S.Depth;
  uint32_t CallPc = Parts.Threads[T].Frames[Depth - 1].CallPc;
  if (Depth == 1) { // somebody may join and ask for the result
    if (Result[0] && !needs(T, I.A))
      return false;
  }
  runInstruction(T);
  if (S.Pending.Kind == OperationKind::End)
    endLocals(T);
  if (Depth == 1)
    enterFrame(T);
  if (S.Depth + 1 == Depth && S.Depth > 0) {
    const Instruction &Call = P.Code[CallPc];
    if (Call.Dst >= 0 && I.Flags >= 1) {
      setTag(tags(T)[Call.Dst], Result[0]);
      if (I.Flags == 2)
        setTag(tags(T)[Call.Dst + 1], Result[1]);
    }
  }
  return true;
}

/// Whether it depends on the arguments of a builtin if the thread goes on after it, as after `if (!c) return`.
static bool branchesOn(Builtin B) { return B == Builtin::VerifierAssume || B == Builtin::VerifierAssert; }

static bool endsFrames(Builtin B) {
  return B == Builtin::Exit || B == Builtin::QuickExit || B == Builtin::ImmediateExit || B == Builtin::ThreadExit;
}

/// The first argument of a library function that may come late: those after it may, too. A call of others waits for all.
static int32_t firstLateArgument(Builtin B) {
  switch (B) {
  case Builtin::Malloc:
  case Builtin::Calloc: return 0;
  case Builtin::AlignedAlloc:
  case Builtin::Realloc: // of no block
  case Builtin::FormatLength: return 1;
  default: return std::numeric_limits<int32_t>::max();
  }
}

/// Goes on after a call some of whose arguments are made from loads; the result depends on these. False: some of the
/// arguments have to be known first, or none is made from loads.
template <unsigned Words> bool OutOfOrder<Words>::callLate(ThreadId T, const Instruction &I) {
  const auto Which = static_cast<Builtin>(I.Imm);
  LateCall Call;
  Node Result;
  bool IsLate = false;
  for (int32_t K = 0; K < I.C; ++K) {
    Call.Arguments.push_back(read(T, P.Arguments[static_cast<size_t>(I.B + K)]));
    if (Call.Arguments.back().Node && K < firstLateArgument(Which))
      return false;
    IsLate |= Call.Arguments.back().Node != 0;
    Result.Loads |= loadsOf(Call.Arguments.back());
  }
  if (!IsLate || (Which == Builtin::Realloc && Call.Arguments[0].Bits))
    return false;
  ThreadState &S = Parts.Threads[T].State;
  Call.Thread = T;
  Call.Pc = Call.AllocatedAt = S.Pc;
  Call.EventsBefore = Flows[T].NumEvents;
  if (Which != Builtin::FormatLength) {
    Interpreter Run(Parts, T);
    Call.Slot = Run.reserveBlock(I, 0);
    if (M.checks(BugKind::Leak))
      Call.AllocatedAt = Run.pcInText();
  }
  Result.Kind = Node::Called;
  Result.Call = static_cast<uint32_t>(Calls.size());
  Call.Node = newNode(Result);
  Calls.push_back(std::move(Call));
  tagResult(T, I, Calls.back().Node);
  ++S.Pc;
  return true;
}

/// All arguments are known.
template <unsigned Words> uint64_t OutOfOrder<Words>::makeCall(const LateCall &Call) {
  std::vector<uint64_t> Arguments;
  for (const Value &Argument : Call.Arguments)
    Arguments.push_back(Argument.Node ? Nodes[Argument.Node].Bits : Argument.Bits);
  Interpreter Run(Parts, Call.Thread);
  const auto Which = static_cast<Builtin>(P.Code[Call.Pc].Imm);
  if (Which == Builtin::FormatLength)
    return Run.lengthOfOutput(Call.Pc, Arguments);
  uint64_t Size = Arguments.back();
  if (Which == Builtin::Calloc && __builtin_mul_overflow(Arguments[0], Arguments[1], &Size))
    return 0;
  Run.makeBlock(Call.Slot, Call.Pc, Call.AllocatedAt, Size,
                Which == Builtin::Calloc ? Content::Zeros : Content::Nothing);
  return addressOf(Call.Slot);
}

/// Blocks are there as soon as their size is known, also those that nobody uses.
template <unsigned Words> void OutOfOrder<Words>::makeLateCalls() {
  for (const LateCall &Call : Calls) {
    uint64_t Result;
    if (!Nodes[Call.Node].Known && Flows[Call.Thread].FailedAt > Call.EventsBefore)
      resolve({0, Call.Node}, Result);
  }
}

template <unsigned Words> bool OutOfOrder<Words>::builtin(ThreadId T, const Instruction &I) {
  const auto Which = static_cast<Builtin>(I.Imm);
  if (firstLateArgument(Which) < I.C && callLate(T, I))
    return true;
  for (int32_t K = 0; K < I.C && Which != Builtin::Ignore; ++K)
    if (!needs(T, P.Arguments[static_cast<size_t>(I.B + K)]))
      return false;
  if (endsFrames(Which) && Which != Builtin::ThreadExit && M.checks(BugKind::Leak)) {
    const Thread &Thread = Parts.Threads[T]; // what its registers hold is kept
    for (uint32_t K = 0, Count = Parts.Threads.numRegisters(Thread, Thread.State, Thread.Frames); K < Count; ++K)
      if (!known(T, static_cast<Operand>(K) - static_cast<Operand>(registers(T) - Thread.Registers)))
        return false;
  }
  if (Which == Builtin::AtomicEnd || (endsFrames(Which) && Which != Builtin::ThreadExit))
    leaveSection(T);
  if (branchesOn(Which))
    for (int32_t K = 0; K < I.C; ++K)
      Flows[T].Control |= loadsOf(read(T, P.Arguments[static_cast<size_t>(I.B + K)]));
  uint32_t Pc = M.pc(T);
  runInstruction(T);
  if (endsFrames(Which))
    enterFrame(T);
  else if (M.status(T) == ThreadStatus::Ready && M.pc(T) == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], 0);
  return true;
}

template <unsigned Words> bool OutOfOrder<Words>::operate(ThreadId T) {
  ThreadState &S = Parts.Threads[T].State;
  Flow &F = Flows[T];
  const Operation Op = S.Pending;
  const Instruction &I = P.Code[S.Pc];
  Interpreter Run(Parts, T);
  switch (Op.Kind) {
  case OperationKind::Yield: Run.complete(0, 0, false); return true;
  case OperationKind::Load:
  case OperationKind::Store:
  case OperationKind::Rmw:
  case OperationKind::CmpXchg:
    if (I.Op == Opcode::CallBuiltin) { // the result of a builtin
      EventId E = addEvent(T, Op, true);
      Accesses[E].Where = {Op.Where, 0};
      Accesses[E].Data = {Op.Value, 0};
      splitAccess(E, partsOf(E));
      completeBuiltin(T, I, 0, 0);
      return true;
    }
    fetchAccess(T, I, Op);
    return true;
  case OperationKind::Sync:
    if (F.Waiting == NoEvent) {
      fetchSync(T, I, Op);
      return F.Waiting == NoEvent;
    }
    if (!G.Committed.contains(F.Waiting))
      return false;
    {
      SyncResult Result = Accesses[F.Waiting].Result;
      F.Fetch.insert(F.Waiting);
      F.Waiting = NoEvent;
      completeBuiltin(T, I, static_cast<uint64_t>(Result.Value), static_cast<uint64_t>(Result.Errno));
    }
    return true;
  case OperationKind::Join: return join(T);
  case OperationKind::Atomic:
    enterSection(T);
    completeBuiltin(T, I, 0, 0);
    return true;
  case OperationKind::Free: endBlock(T, I); return true;
  case OperationKind::End:
    endLocals(T);
    if (I.Op != Opcode::ScopeLeave)
      enterFrame(T);
    return true;
  default: throw GraphStop(T, S.Pc, "this operation");
  }
}

/// Sections that are inside another one are a part of it, and the first end is the end of all, as with store buffers.
template <unsigned Words> void OutOfOrder<Words>::enterSection(ThreadId T) {
  if (!SectionsAllowed)
    throw GraphStop(T, M.pc(T), "an atomic section");
  if (!Ending.Sections) { // it is explored in another way
    Ending.Sections = true;
    Ending.Changed = true;
  }
  Flow &F = Flows[T];
  if (F.InSection)
    return;
  note({GraphNotes::Deed::SectionBegin, T, 0, FenceKind::Full, 0, {}});
  fence(F, FenceKind::Full);
  F.InSection = true;
  F.WritesInSection = false;
  F.Section = 0;
}

template <unsigned Words> void OutOfOrder<Words>::leaveSection(ThreadId T) {
  Flow &F = Flows[T];
  if (!F.InSection)
    return;
  note({GraphNotes::Deed::SectionEnd, T, 0, FenceKind::Full, 0, {}});
  fence(F, FenceKind::Full);
  F.InSection = false;
  F.Section = 0;
}

/// With store buffers a section that would have to wait does not begin. Here the others would see what it has written.
template <unsigned Words> void OutOfOrder<Words>::refuseToWaitInSection(ThreadId T) {
  if (Flows[T].InSection && Flows[T].WritesInSection)
    throw GraphStop(T, M.pc(T), "an atomic section that may have to wait after it has written");
}

template <unsigned Words> bool OutOfOrder<Words>::join(ThreadId T) {
  auto Target = static_cast<ThreadId>(M.pending(T).Where);
  if (!M.isFinished(Target)) {
    refuseToWaitInSection(T);
    return false;
  }
  note({GraphNotes::Deed::Join, T, 0, FenceKind::Full, Target, {}});
  Flow &F = Flows[T];
  const Flow &Joined = Flows[Target];
  F.Sync |= F.Events | Joined.Sync | Joined.Events;
  F.Fetch |= Joined.Fetch;
  completeBuiltin(T, P.Code[M.pc(T)], 0, 0);
  return true;
}

/// Goes on with a builtin whose pending operation is done.
template <unsigned Words>
void OutOfOrder<Words>::completeBuiltin(ThreadId T, const Instruction &I, uint64_t Value, uint64_t Errno) {
  uint32_t Pc = M.pc(T);
  Interpreter(Parts, T).complete(Value, Errno, true);
  noteCreated();
  if (M.status(T) == ThreadStatus::Ready && M.pc(T) == Pc + 1 && I.Dst >= 0)
    setTag(tags(T)[I.Dst], 0);
}

template <unsigned Words> void OutOfOrder<Words>::goRound(ThreadId T) {
  M.newStep();
  M.save(T);
  Parts.Threads[T].State.Status = ThreadStatus::Ready;
  Interpreter(Parts, T).goToLoopHead();
}

template <unsigned Words> void OutOfOrder<Words>::note(GraphNotes::Deed What) {
  if (!Notes)
    return;
  What.Before = Flows[What.Thread].NumEvents;
  if (What.Stack.empty())
    What.Stack = M.callStack(What.Thread);
  Notes->Deeds.push_back(std::move(What));
}

template <unsigned Words> void OutOfOrder<Words>::undoTo(const Mark &To) {
  M.undo().undoTo(To.Undo);
  M.dropBugs(To.Bugs);
  M.clearCreated();
  for (size_t E = Accesses.size(); E-- > To.Events;) {
    const Event &Dropped = G[static_cast<EventId>(E)];
    Fetched[Dropped.Thread].pop_back();
    if (Dropped.FirstCell != ~0u)
      G.Cells.resize(Dropped.FirstCell);
  }
  Accesses.resize(To.Events);
  G.Events.resize(To.Events);
  Nodes.resize(To.Nodes);
  Conditions.resize(To.Conditions);
  Divisions.resize(To.Divisions);
  Calls.resize(To.Calls);
  while (!Odd.empty() && Odd.back() >= To.Events)
    Odd.pop_back();
  if (Notes) {
    Notes->Stacks.resize(To.Events);
    Notes->Deeds.resize(To.Deeds);
  }
}

template class OutOfOrder<0>;
template class OutOfOrder<1>;
template class OutOfOrder<4>;
template class OutOfOrder<16>;

} // namespace picket
