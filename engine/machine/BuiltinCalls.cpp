// The modelled functions, as seen from the thread that calls them. A builtin with several visible steps remembers in
// State::Stage how far it has come; continueBuiltin goes on after each step.
#include "machine/FormatLength.h"
#include "machine/Interpreter.h"
#include "machine/Messages.h"
#include "machine/Process.h"

namespace picket {

static uint64_t asInt(int64_t Value) { return static_cast<uint32_t>(Value); }

bool Interpreter::finishBuiltin(const Instruction &I, uint64_t Result) {
  if (isNoted(I))
    noteValue(slotOf(Result) ? 1 : Result); // a new block is like the one before
  if (I.Dst >= 0)
    Registers[I.Dst] = Result;
  State.Stage = 0;
  ++State.Pc;
  return true;
}

void Interpreter::writeHidden(uint64_t *Home, uint64_t Value) {
  Parts.Effects.DependsOnOthers = true; // what is hidden is mostly the process's
  Parts.Undo.save(*Home);
  *Home = Value;
}

/// Writes a result of a builtin through a pointer of the program's, visibly if others look there, and ends the builtin.
bool Interpreter::storeResult(const Instruction &I, Address Where, uint64_t Value, uint64_t Result) {
  constexpr uint8_t LastStage = 0xff;
  uint8_t Width =
      static_cast<Builtin>(I.Imm) == Builtin::SemGetValue || static_cast<Builtin>(I.Imm) == Builtin::KeyCreate ? 4 : 8;
  switch (reach(Where, Width, true, false)) {
  case Reach::Bad: return false;
  case Reach::Visible: {
    State.Stage = LastStage;
    State.Scratch = Result;
    Operation Op;
    Op.Kind = OperationKind::Store;
    Op.Width = Width;
    Op.Where = Where;
    Op.Value = Value;
    return stop(Op);
  }
  case Reach::Local:
    if (Object &O = Parts.Mem.at(slotOf(Where)); O.Unwritten)
      Parts.Mem.markWritten(O, offsetOf(Where), Width);
    writeOwn(Where, Width, Value);
    break;
  }
  ++State.Effects;
  return finishBuiltin(I, Result);
}

bool Interpreter::syncOperation(const Instruction &I, SyncOp Op, Address Where, uint64_t Argument) {
  uint32_t Size = sizeOf(Op);
  Object *O = Parts.Mem.find(Where);
  if (!O || !Memory::inBounds(*O, Where, Size) || O->Kind == ObjectKind::Constant) {
    auto [Kind, Message] = describeBadAccess(Prog, Parts.Mem, Where, Size, true);
    return failed(Kind, std::move(Message));
  }
  if (!Parts.Threads.alone()) {
    Parts.Shared.markShared(O->Site);
    Parts.Shared.noteWrite(Where, Size, Id);
  }
  bool AtOnce = Parts.Threads.alone() || State.InAtomic;
  if (AtOnce && O->Life != Lifetime::Alive) {
    auto [Kind, Message] = describeBadAccess(Prog, Parts.Mem, Where, Size, true);
    return failed(Kind, std::move(Message));
  }
  if (AtOnce) {
    uint8_t *Bytes = Parts.Mem.bytes(Where);
    Parts.Undo.save(Bytes, Size);
    SyncResult Result = apply(Op, Bytes, Id, Argument);
    if (State.InAtomic)
      Parts.Section.Accesses.push_back({Where, Size, true});
    if (Result.Outcome == SyncResult::Misuse) {
      Parts.failSync(Id, Result);
      return false;
    }
    if (Result.Outcome == SyncResult::Done) {
      ++State.Effects;
      return continueBuiltin(I, static_cast<uint64_t>(Result.Value), static_cast<uint64_t>(Result.Errno));
    }
    Parts.Section.IsBlocked = State.InAtomic;
  }
  Operation Pending;
  Pending.Kind = OperationKind::Sync;
  Pending.Sync = Op;
  Pending.Where = Where;
  Pending.Value = Argument;
  return stop(Pending);
}

/// Makes a child and runs it to its first visible operation. (Out of order, threads are run in turn afterwards.)
ThreadId Interpreter::createThread(uint32_t Function, uint64_t Argument) {
  if (Parts.Threads.numLive() >= MachineParts::MaxThreads)
    stopAtLimit(Id, State.Pc,
                "more than " + std::to_string(MachineParts::MaxThreads) + " threads run or are still to be joined");
  const ThreadId Child = Parts.Threads.create(Id, Function, Argument);
  Parts.Effects.DoesMore = true;
  if (Parts.Options.Speculative)
    return Child;
  const bool Before = Parts.Effects.DependsOnOthers;
  Parts.Effects.DependsOnOthers = false;
  if (Parts.NestedCreations >= MachineParts::MaxNestedCreations)
    stopAtLimit(Id, State.Pc,
                "threads create threads, each the next, more than " + std::to_string(MachineParts::MaxNestedCreations) +
                    " of them");
  ++Parts.NestedCreations;
  Interpreter(Parts, Child).run();
  --Parts.NestedCreations;
  if (!Parts.Effects.DependsOnOthers)
    Parts.Points.rememberRoot(Parts.Threads[Child], Argument);
  Parts.Effects.DependsOnOthers |= Before;
  return Child;
}

bool Interpreter::threadCreate(const Instruction &I) {
  Address Start = argument(I, 2);
  uint32_t Slot = slotOf(Start);
  if (Slot < FirstFunctionSlot || Slot - FirstFunctionSlot >= Prog.Functions.size())
    return failed(BugKind::InvalidAccess, "the start routine of the thread is not a function");
  const Function &F = Prog.Functions[Slot - FirstFunctionSlot];
  if (!F.Defined)
    stopUnsupported(Id, State.Pc, Prog.Messages[F.Message]);
  ThreadId Child = createThread(Slot - FirstFunctionSlot, argument(I, 3));
  ++State.Effects;
  if (I.D) // whoever creates threads for ever is not alone in its loop
    noteFed(I, 0);
  return storeResult(I, argument(I, 0), Child + 1, 0);
}

bool Interpreter::threadJoin(const Instruction &I) {
  uint64_t Handle = argument(I, 0);
  if (Handle == 0 || Handle > Parts.Threads.size() || !Parts.Threads.exists(static_cast<ThreadId>(Handle - 1)))
    return failed(BugKind::BadSynchronisation, "pthread_join of something that is not a thread");
  if (Handle - 1 == Id)
    return finishBuiltin(I, asInt(linux_errno::Deadlock));
  if (const char *Misuse =
          Parts.Threads.cannotJoin(static_cast<ThreadId>(Handle - 1))) // may still come true while it waits
    return failed(BugKind::BadSynchronisation, Misuse);
  Operation Op;
  Op.Kind = OperationKind::Join;
  Op.Where = Handle - 1;
  return stop(Op);
}

uint32_t Interpreter::pcInText() {
  auto IsText = [&](uint32_t Pc) {
    const ProgramLocation &L = Prog.locationOf(Pc);
    return L.Line && Prog.UserFile[L.File];
  };
  uint32_t Pc = State.Pc;
  for (uint32_t Depth = State.Depth; !IsText(Pc) && Depth > 1; --Depth)
    Pc = Current.Frames[Depth - 1].CallPc;
  return IsText(Pc) ? Pc : State.Pc;
}

uint32_t Interpreter::newBlock(const Instruction &I, uint64_t Size, Content First) {
  const uint32_t Slot = reserveBlock(I, Size);
  makeBlock(Slot, State.Pc, Parts.Bugs.checks(BugKind::Leak) ? pcInText() : State.Pc, Size, First);
  return Slot;
}

uint32_t Interpreter::reserveBlock(const Instruction &I, uint64_t Size) {
  ++State.Effects;
  return Parts.Objects.slotFor(Current, static_cast<uint32_t>(I.A), static_cast<uint32_t>(Size));
}

void Interpreter::makeBlock(uint32_t Slot, uint32_t CallPc, uint32_t AllocatedAt, uint64_t Size, Content First) {
  if (Size > Parts.Options.MaxObjectBytes)
    stopUnsupported(Id, CallPc,
                    "allocation of " + std::to_string(Size) + " bytes (more than " +
                        std::to_string(Parts.Options.MaxObjectBytes) + ")");
  // Whoever explores takes some as well, and would stop at the limit without a word about the program.
  const uint64_t Most = Parts.Options.MaxMemoryBytes - Parts.Options.MaxMemoryBytes / 8;
  if (Parts.Mem.bytesAllocated() + Size > Most)
    stopAtLimit(Id, CallPc,
                "the program allocates more than " + std::to_string(Most) + " of the " +
                    std::to_string(Parts.Options.MaxMemoryBytes) + " bytes that the check may take");
  const uint64_t Before = Parts.Mem.bytesAllocated();
  Parts.Mem.allocate(Slot, ObjectKind::Heap, static_cast<uint32_t>(Size), static_cast<uint32_t>(Prog.Code[CallPc].A),
                     Id, AllocatedAt, First);
  constexpr unsigned LookEvery = 20; // 1 MiB. Others may take their share of the limit at the same time.
  if (Parts.WhileRunning && Parts.Mem.bytesAllocated() >> LookEvery != Before >> LookEvery)
    Parts.WhileRunning();
}

bool Interpreter::allocateHeap(const Instruction &I, uint64_t Size, Content First) {
  return finishBuiltin(I, addressOf(newBlock(I, Size, First)));
}

/// free and realloc of a block: visible if others may touch it, since they must not do so afterwards.
bool Interpreter::freeBlock(const Instruction &I) {
  Address Where = argument(I, 0);
  Object *O = Parts.Mem.find(Where);
  if (!O || O->Kind != ObjectKind::Heap || offsetOf(Where) != 0)
    return failed(BugKind::InvalidFree, O && O->Kind == ObjectKind::Heap
                                            ? "free of a pointer into the middle of a block"
                                            : "free of something that malloc did not return");
  bool Seen = !Parts.Threads.alone() && (Parts.Shared.noteOwned(O->Site, O->Owner, Id) || Parts.Options.Speculative);
  if (!Seen)
    return endBlock(I, Where);
  Parts.Shared.noteWrite(Where, O->Size, Id);
  if (State.InAtomic) {
    Parts.Section.Accesses.push_back({Where, O->Size, true});
    return endBlock(I, Where);
  }
  Operation Op;
  Op.Kind = OperationKind::Free;
  Op.Where = Where;
  return stop(Op);
}

bool Interpreter::endBlock(const Instruction &I, Address Where) {
  Object &Old = *Parts.Mem.find(Where);
  if (Old.Life != Lifetime::Alive)
    return failed(BugKind::DoubleFree, "free of a heap block that was freed already (line " +
                                           std::to_string(Prog.locationOf(Old.FreedAt).Line) + ")");
  ++State.Effects;
  if (static_cast<Builtin>(I.Imm) != Builtin::Realloc) {
    Parts.Mem.end(Old, Lifetime::Freed, State.Pc);
    return finishBuiltin(I, 0);
  }
  uint32_t NewSlot = newBlock(I, argument(I, 1), Content::Nothing);
  Object &New = Parts.Mem.at(NewSlot);
  Parts.Mem.copyWritten(addressOf(NewSlot), Where, std::min(New.Size, Old.Size));
  std::memcpy(New.Data, Old.Data, std::min(New.Size, Old.Size));
  Parts.Mem.end(Old, Lifetime::Freed, State.Pc);
  return finishBuiltin(I, addressOf(NewSlot));
}

bool Interpreter::completeFree() {
  enterFrame();
  Address Where = State.Pending.Where;
  State.Pending = Operation();
  ++State.Operations;
  const Instruction &I = Prog.Code[State.Pc];
  Parts.Effects.DependsOnOthers |= static_cast<Builtin>(I.Imm) == Builtin::Realloc; // what they wrote moves along
  return endBlock(I, Where);
}

uint64_t *Interpreter::specificValues() {
  return reinterpret_cast<uint64_t *>(Parts.Objects.specificValues(Current).Data);
}

bool Interpreter::keys(const Instruction &I, Builtin B) {
  Parts.Effects.DependsOnOthers = true;
  if (B == Builtin::KeyCreate) {
    uint64_t Key = process()[process::NumKeys];
    if (Key == process::MaxKeys)
      stopUnsupported(Id, State.Pc, "more than " + std::to_string(process::MaxKeys) + " thread-specific keys");
    writeHidden(process() + process::NumKeys, Key + 1);
    writeHidden(process() + process::KeyDestructors + Key, argument(I, 1));
    return storeResult(I, argument(I, 0), Key, 0);
  }
  uint64_t Key = argument(I, 0);
  if (Key >= process()[process::NumKeys])
    return failed(BugKind::BadSynchronisation, std::string(nameOf(B)) + " with a key that was not created");
  switch (B) {
  case Builtin::KeyGet: return finishBuiltin(I, specificValues()[Key]);
  case Builtin::KeySet: writeHidden(specificValues() + Key, argument(I, 1)); break;
  default: // KeyDelete: values stay, destructors no longer run
    writeHidden(process() + process::KeyDestructors + Key, 0);
    break;
  }
  ++State.Effects;
  return finishBuiltin(I, 0);
}

bool Interpreter::finishThreadExit(const Instruction &I) {
  State.Result = argument(I, 0);
  unwind(/*EndLocals=*/true);
  State.Phase = ThreadState::Destroying;
  return nextPhaseStep();
}

bool Interpreter::enter(uint32_t Function, uint32_t CallPc) {
  Parts.Threads.pushFrame(Current, Function, CallPc);
  enterFrame();
  State.Pc = Prog.Functions[Function].Entry;
  return true;
}

/// What comes after the last frame returned: the next constructor or main, what is run at the end of the process,
/// destructors of thread-specific data, the end of the thread or of the process.
bool Interpreter::nextPhaseStep() {
  switch (State.Phase) {
  case ThreadState::Constructing: {
    if (State.Scratch < Prog.Constructors.size())
      return enter(Prog.Constructors[State.Scratch++]);
    State.Phase = ThreadState::Running;
    State.Scratch = 0;
    enter(static_cast<uint32_t>(Prog.Main));
    uint32_t Parameters = Prog.Functions[static_cast<uint32_t>(Prog.Main)].NumParameters;
    Address Argv = Prog.ArgvGlobal >= 0 ? globalAddress(static_cast<uint32_t>(Prog.ArgvGlobal)) : 0;
    const uint64_t Values[] = {1, Argv, Argv + 8};
    for (uint32_t K = 0; K < Parameters && K < 3; ++K)
      Registers[K] = Values[K];
    return true;
  }
  case ThreadState::Running:
    if (Id == 0)
      return exitProcess(Prog.ExitFunctions); // main has returned
    State.Phase = ThreadState::Destroying;
    return nextDestructor();
  case ThreadState::Exiting: return exitProcess(-1);
  case ThreadState::Destroying:
  case ThreadState::Ending: break;
  }
  return nextDestructor();
}

/// Runs the given function, and then ends the process. Thread-specific data of the thread is not destroyed.
bool Interpreter::exitProcess(int32_t Functions) {
  State.Phase = ThreadState::Exiting;
  State.InAtomic = false;
  if (Functions >= 0)
    return enter(static_cast<uint32_t>(Functions), State.Pc); // where the program said so
  Operation Op;
  Op.Kind = OperationKind::Exit;
  if (Parts.Options.StopAtExit)
    return stop(Op);
  State.Status = ThreadStatus::Exited;
  State.Pending = Operation();
  return false;
}

bool Interpreter::nextDestructor() {
  uint64_t NumKeys = process()[process::NumKeys];
  Parts.Effects.DependsOnOthers |= NumKeys != 0;
  for (uint64_t Key = 0; NumKeys && Key < NumKeys; ++Key) {
    uint64_t Value = specificValues()[Key];
    uint64_t Destructor = process()[process::KeyDestructors + Key];
    uint32_t Function = slotOf(Destructor) - FirstFunctionSlot;
    if (!Value || !Destructor || Function >= Prog.Functions.size() || !Prog.Functions[Function].Defined)
      continue;
    writeHidden(specificValues() + Key, 0);
    enter(Function);
    if (Prog.Functions[Function].NumParameters)
      Registers[0] = Value;
    return true;
  }
  return endThread();
}

/// Nothing is left to be run: the thread ends, and its thread-local variables with it.
bool Interpreter::endThread() {
  State.Phase = ThreadState::Ending;
  return stopForEnds() ? false : finishThread();
}

bool Interpreter::finishThread() {
  for (uint32_t Slot : Current.ThreadLocals)
    if (Slot && Parts.Mem.at(Slot).Life == Lifetime::Alive)
      Parts.Mem.end(Parts.Mem.at(Slot), Lifetime::Left, State.Pc);
  State.Status = ThreadStatus::Finished;
  State.Pending = Operation();
  return false;
}

std::string Interpreter::readString(Address A) {
  std::string Text;
  Object *O = Parts.Mem.find(A);
  if (!O)
    return Text;
  for (uint32_t K = offsetOf(A); K < O->Size && O->Data[K] && Text.size() < 200; ++K)
    Text += static_cast<char>(O->Data[K]);
  return Text;
}

uint64_t Interpreter::lengthOfOutput(uint32_t CallPc, const std::vector<uint64_t> &Arguments) {
  auto TextAt = [&](Address A, size_t Most) -> std::optional<std::string> {
    const Object *O = Parts.Mem.find(A);
    if (!O || O->Kind != ObjectKind::Constant || offsetOf(A) >= O->Size)
      return std::nullopt;
    const auto *Bytes = reinterpret_cast<const char *>(O->Data + offsetOf(A));
    return std::string(Bytes, strnlen(Bytes, std::min<size_t>(O->Size - offsetOf(A), Most)));
  };
  const std::optional<std::string> Format = TextAt(Arguments.front(), ~size_t(0));
  const FormatLength Length = formatLength(Format.value_or(""), {Arguments.begin() + 1, Arguments.end()}, TextAt);
  if (!Format || !Length.Unknown.empty())
    stopUnsupported(Id, CallPc, "how much '" + (Format ? Length.Unknown : "printf") + "' prints, and the program asks");
  return asInt(static_cast<int64_t>(Length.Bytes));
}

bool Interpreter::assertFail(const Instruction &I) {
  return failed(BugKind::Assertion, "assertion failed: '" + readString(argument(I, 0)) + "'");
}

bool Interpreter::mutexAttribute(const Instruction &I, uint32_t Kind) {
  Address Where = argument(I, 0);
  Object *O = Parts.Mem.find(Where);
  if (!O || O->Life != Lifetime::Alive || !Memory::inBounds(*O, Where, 4)) {
    auto [Bug, Message] = describeBadAccess(Prog, Parts.Mem, Where, 4, true);
    return failed(Bug, std::move(Message));
  }
  writeOwn(Where, 4, Kind);
  return finishBuiltin(I, 0);
}

/// The values of a choice are explored one after the other, like failures for no reason: the first one counts as the
/// ordinary case, and every other one as something that is to happen in this program (check/FailureRounds).
bool Interpreter::choose(const Instruction &I, ValueRange Values) {
  constexpr int64_t MostValues = 1000;
  const uint32_t Pc = pcInText();
  if (Values.Most < Values.Least || Values.Most - Values.Least >= MostValues)
    stopUnsupported(Id, Pc, "a choice of no value, or of more than " + std::to_string(MostValues));
  const std::optional<int64_t> Chosen = Parts.Failures.chosenNow(Current, Pc);
  if (!Chosen)
    Parts.Failures.noteChoices(Current, Pc, Values.Least + 1, Values.Most);
  Parts.Effects.DoesMore = true; // it is noted each time
  ++State.Arrivals;
  ++State.Effects;
  State.Failures += Chosen.has_value();
  if (Parts.OnChoice && !Parts.Effects.Probing && !State.InAtomic)
    Parts.OnChoice(Id, Chosen.value_or(Values.Least));
  return finishBuiltin(I, static_cast<uint64_t>(Chosen.value_or(Values.Least)));
}

bool Interpreter::nondet(const Instruction &I, ValueRange OfType) {
  const std::string Called = "call to '" + readString(argument(I, 2)) + "', a value from outside";
  if (!Prog.Outside)
    stopUnsupported(Id, pcInText(), Called + ": give its range with --nondet LO..HI");
  const ValueRange Values = {std::max(OfType.Least, Prog.Outside->Least), std::min(OfType.Most, Prog.Outside->Most)};
  if (Values.Most < Values.Least)
    stopUnsupported(Id, pcInText(), Called + " whose type has no value of the range that --nondet gives");
  return choose(I, Values);
}

/// The single-step operations on synchronisation objects.
static bool simpleSyncOp(Builtin B, SyncOp &Op) {
  switch (B) {
  case Builtin::MutexDestroy: Op = SyncOp::MutexDestroy; return true;
  case Builtin::MutexLock: Op = SyncOp::MutexLock; return true;
  case Builtin::MutexTryLock: Op = SyncOp::MutexTryLock; return true;
  case Builtin::MutexTimedLock: Op = SyncOp::MutexTimedLock; return true;
  case Builtin::MutexUnlock: Op = SyncOp::MutexUnlock; return true;
  case Builtin::SpinInit: Op = SyncOp::SpinInit; return true;
  case Builtin::SpinDestroy: Op = SyncOp::SpinDestroy; return true;
  case Builtin::SpinLock: Op = SyncOp::SpinLock; return true;
  case Builtin::SpinTryLock: Op = SyncOp::SpinTryLock; return true;
  case Builtin::SpinUnlock: Op = SyncOp::SpinUnlock; return true;
  case Builtin::CondInit: Op = SyncOp::CondInit; return true;
  case Builtin::CondDestroy: Op = SyncOp::CondDestroy; return true;
  case Builtin::CondSignal: Op = SyncOp::CondSignal; return true;
  case Builtin::CondBroadcast: Op = SyncOp::CondBroadcast; return true;
  case Builtin::RwInit: Op = SyncOp::RwInit; return true;
  case Builtin::RwDestroy: Op = SyncOp::RwDestroy; return true;
  case Builtin::RwReadLock: Op = SyncOp::RwReadLock; return true;
  case Builtin::RwTryReadLock: Op = SyncOp::RwTryReadLock; return true;
  case Builtin::RwWriteLock: Op = SyncOp::RwWriteLock; return true;
  case Builtin::RwTryWriteLock: Op = SyncOp::RwTryWriteLock; return true;
  case Builtin::RwUnlock: Op = SyncOp::RwUnlock; return true;
  case Builtin::SemDestroy: Op = SyncOp::SemDestroy; return true;
  case Builtin::SemWait: Op = SyncOp::SemWait; return true;
  case Builtin::SemTryWait: Op = SyncOp::SemTryWait; return true;
  case Builtin::SemTimedWait: Op = SyncOp::SemTimedWait; return true;
  case Builtin::SemPost: Op = SyncOp::SemPost; return true;
  case Builtin::SemGetValue: Op = SyncOp::SemGetValue; return true;
  case Builtin::BarrierDestroy: Op = SyncOp::BarrierDestroy; return true;
  case Builtin::OnceBegin: Op = SyncOp::OnceBegin; return true;
  case Builtin::OnceEnd: Op = SyncOp::OnceEnd; return true;
  default: return false;
  }
}

/// Whether a wait is to end for no reason. One that is not might have.
bool Interpreter::startsToFail(const Instruction &I) {
  const bool Fails = I.Flags & MayFail && Parts.Failures.failsNow(Current);
  if (I.Flags & MayFail && !Fails)
    Parts.Failures.noteNone(Current); // it may wait for ever
  return Fails;
}

bool Interpreter::builtin(const Instruction &I) {
  auto B = static_cast<Builtin>(I.Imm);
  SyncOp Op;
  if (simpleSyncOp(B, Op))
    return syncOperation(I, Op, argument(I, 0), 0);
  switch (B) {
  case Builtin::ThreadCreate:
    if (Parts.Options.StopAtFences && !Parts.Threads.alone()) {
      Operation Drain;
      Drain.Kind = OperationKind::Drain;
      return stop(Drain);
    }
    return threadCreate(I);
  case Builtin::ThreadJoin: return threadJoin(I);
  case Builtin::ThreadExit: return stopForEnds() ? false : finishThreadExit(I);
  case Builtin::ThreadDetach: {
    uint64_t Handle = argument(I, 0);
    if (Handle == 0 || Handle > Parts.Threads.size() || !Parts.Threads.exists(static_cast<ThreadId>(Handle - 1)))
      return failed(BugKind::BadSynchronisation, "pthread_detach of something that is not a thread");
    Parts.Effects.DependsOnOthers = true;
    Thread &Target = Parts.Threads[Handle - 1];
    Parts.Undo.save(Target.Detached);
    Target.Detached = true;
    return finishBuiltin(I, 0);
  }
  case Builtin::ThreadSelf: return finishBuiltin(I, Id + 1);
  case Builtin::ThreadEqual: return finishBuiltin(I, argument(I, 0) == argument(I, 1));
  case Builtin::MutexInit: {
    Address Attribute = argument(I, 1);
    Parts.Effects.DependsOnOthers |= Attribute != 0;
    Object *O = Parts.Mem.find(Attribute);
    uint64_t Kind = O && Memory::inBounds(*O, Attribute, 4) ? Memory::readWord(Parts.Mem.bytes(Attribute), 4) : 0;
    return syncOperation(I, SyncOp::MutexInit, argument(I, 0), Kind);
  }
  case Builtin::MutexAttrInit: return mutexAttribute(I, 0);
  case Builtin::MutexAttrDestroy: return finishBuiltin(I, 0);
  case Builtin::MutexAttrSetType: return mutexAttribute(I, static_cast<uint32_t>(argument(I, 1)));
  case Builtin::CondWait:
  case Builtin::CondTimedWait: return syncOperation(I, SyncOp::CondEnqueue, argument(I, 0), 0);
  case Builtin::FutexLock: return syncOperation(I, SyncOp::FutexLock, argument(I, 0), argument(I, 1));
  case Builtin::FutexUnlock: return syncOperation(I, SyncOp::FutexUnlock, argument(I, 0), argument(I, 1));
  case Builtin::FutexWakeAll: return syncOperation(I, SyncOp::FutexWakeAll, argument(I, 0), argument(I, 1));
  case Builtin::FutexEnqueue: return syncOperation(I, SyncOp::FutexEnqueue, argument(I, 0), argument(I, 1));
  case Builtin::FutexWake: return syncOperation(I, SyncOp::FutexWake, argument(I, 0), argument(I, 1));
  case Builtin::FutexWait:
  case Builtin::FutexTimedWait: {
    const SyncOp Normally = B == Builtin::FutexWait ? SyncOp::FutexWait : SyncOp::FutexTimedWait;
    return syncOperation(I, startsToFail(I) ? SyncOp::FutexSpuriousWait : Normally, argument(I, 0), argument(I, 1));
  }
  case Builtin::SemInit: return syncOperation(I, SyncOp::SemInit, argument(I, 0), argument(I, 2));
  case Builtin::BarrierInit: return syncOperation(I, SyncOp::BarrierInit, argument(I, 0), argument(I, 2));
  case Builtin::BarrierWait: return syncOperation(I, SyncOp::BarrierArrive, argument(I, 0), 0);
  case Builtin::KeyCreate:
  case Builtin::KeyDelete:
  case Builtin::KeyGet:
  case Builtin::KeySet: return keys(I, B);
  case Builtin::AssertFail: return assertFail(I);
  case Builtin::Abort: return failed(BugKind::Abort, "the program calls abort()");
  case Builtin::VerifierError: return failed(BugKind::Assertion, "the error function is reached");
  case Builtin::VerifierAssert:
    return argument(I, 0) ? finishBuiltin(I, 0) : failed(BugKind::Assertion, "assertion failed");
  case Builtin::VerifierAssume:
    if (argument(I, 0))
      return finishBuiltin(I, 0);
    State.Status = ThreadStatus::Assumed;
    State.Pending = Operation();
    return false;
  case Builtin::AtomicBegin: {
    if (Parts.Threads.alone() || State.InAtomic)
      return finishBuiltin(I, 0);
    Operation Atomic;
    Atomic.Kind = OperationKind::Atomic;
    return stop(Atomic);
  }
  case Builtin::AtomicEnd: State.InAtomic = false; return finishBuiltin(I, 0);
  case Builtin::Malloc: return allocateHeap(I, argument(I, 0));
  case Builtin::AlignedAlloc: {
    const uint64_t Alignment = argument(I, 0); // a size that is no multiple of it is allowed since C17
    if ((Alignment == 0 || (Alignment & (Alignment - 1))) && Parts.Bugs.checks(BugKind::InvalidAlignment))
      return failed(BugKind::InvalidAlignment,
                    "allocation with an alignment of " + std::to_string(Alignment) + ", which is no power of two");
    return allocateHeap(I, argument(I, 1));
  }
  case Builtin::Calloc: {
    uint64_t Size;
    if (__builtin_mul_overflow(argument(I, 0), argument(I, 1), &Size))
      return finishBuiltin(I, 0);
    return allocateHeap(I, Size, Content::Zeros);
  }
  case Builtin::Realloc: return argument(I, 0) ? freeBlock(I) : allocateHeap(I, argument(I, 1));
  case Builtin::Free: return argument(I, 0) ? freeBlock(I) : finishBuiltin(I, 0);
  case Builtin::Exit:
  case Builtin::QuickExit:
  case Builtin::ImmediateExit:
    Parts.Leaks.keepRoots(Current);
    unwind(/*EndLocals=*/false);
    return exitProcess(B == Builtin::Exit        ? Prog.ExitFunctions
                       : B == Builtin::QuickExit ? Prog.QuickExitFunctions
                                                 : -1);
  case Builtin::FormatLength: {
    std::vector<uint64_t> Arguments;
    for (unsigned K = 0; K < static_cast<unsigned>(I.C); ++K)
      Arguments.push_back(argument(I, K));
    return finishBuiltin(I, lengthOfOutput(State.Pc, Arguments));
  }
  case Builtin::Refuse: stopUnsupported(Id, pcInText(), readString(argument(I, 0)));
  case Builtin::BlockSize: {
    const Object *O = Parts.Mem.find(argument(I, 0));
    const bool IsBlock = O && O->Kind == ObjectKind::Heap && offsetOf(argument(I, 0)) == 0;
    return finishBuiltin(I, IsBlock ? O->Size : 0);
  }
  case Builtin::Choose: return choose(I, {static_cast<int64_t>(argument(I, 0)), static_cast<int64_t>(argument(I, 1))});
  case Builtin::Nondet: return nondet(I, {static_cast<int64_t>(argument(I, 0)), static_cast<int64_t>(argument(I, 1))});
  case Builtin::Ignore: return finishBuiltin(I, 0);
  default: stopUnsupported(Id, State.Pc, "call to '" + std::string(nameOf(B)) + "'");
  }
}

bool Interpreter::continueBuiltin(const Instruction &I, uint64_t Value, uint64_t Errno) {
  if (Errno && Prog.ErrnoGlobal >= 0) // nobody looks at it otherwise
    writeOwn(Parts.Objects.threadLocal(Current, static_cast<uint32_t>(Prog.ErrnoGlobal)), 4, Errno);
  auto B = static_cast<Builtin>(I.Imm);
  if (State.Stage == 0xff)
    return finishBuiltin(I, State.Scratch);
  if (I.D)
    noteFed(I, 0);
  switch (B) {
  case Builtin::ThreadCreate: return threadCreate(I);
  case Builtin::ThreadJoin: {
    if (Parts.Options.Speculative) { // what the thread wrote need not be in memory: others are still there
      Thread &Target = Parts.Threads[argument(I, 0) - 1];
      Parts.Undo.save(Target.Joined);
      Target.Joined = true;
      Value = Target.State.Result;
    }
    Address Where = argument(I, 1);
    return Where ? storeResult(I, Where, Value, 0) : finishBuiltin(I, 0);
  }
  case Builtin::CondWait:
  case Builtin::CondTimedWait:
    switch (++State.Stage) {
    case 1: return syncOperation(I, SyncOp::MutexUnlock, argument(I, 1), 0);
    case 2: {
      const SyncOp Normally = B == Builtin::CondWait ? SyncOp::CondWake : SyncOp::CondTimedWake;
      return syncOperation(I, startsToFail(I) ? SyncOp::CondSpuriousWake : Normally, argument(I, 0), 0);
    }
    case 3:
      State.Scratch = asInt(static_cast<int64_t>(Value));
      if (I.Flags & MayFail) {
        const bool Fails = Parts.Failures.failsNow(Current);
        if (!countArrival(!Fails || Value == WokenForNoReason))
          return false;
        State.Scratch = Fails ? 0 : State.Scratch;
      }
      return syncOperation(I, SyncOp::MutexLock, argument(I, 1), 0);
    default: return finishBuiltin(I, State.Scratch);
    }
  case Builtin::FutexWait:
  case Builtin::FutexTimedWait:
    if (I.Flags & MayFail) {
      const bool Fails = Parts.Failures.failsNow(Current);
      if (!countArrival(!Fails || Value == WokenForNoReason))
        return false;
      Value = Fails ? 0 : Value;
    }
    return finishBuiltin(I, asInt(static_cast<int64_t>(Value)));
  case Builtin::BarrierWait:
    if (State.Stage++ == 0 && !(Value & LastArriver))
      return syncOperation(I, SyncOp::BarrierLeave, argument(I, 0), Value);
    return finishBuiltin(I, State.Stage == 1 ? asInt(BarrierSerialThread) : asInt(static_cast<int64_t>(Value)));
  case Builtin::SemGetValue: return storeResult(I, argument(I, 1), Value, 0);
  default: return finishBuiltin(I, asInt(static_cast<int64_t>(Value)));
  }
}

} // namespace picket
