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
  S.Stage = 0;
  ++S.Pc;
  return true;
}

void Interpreter::writeHidden(uint64_t *Home, uint64_t Value) {
  M.DependsOnOthers = true; // what is hidden is mostly the process's
  M.Undo.save(*Home);
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
    S.Stage = LastStage;
    S.Scratch = Result;
    Operation Op;
    Op.Kind = OperationKind::Store;
    Op.Width = Width;
    Op.Where = Where;
    Op.Value = Value;
    return stop(Op);
  }
  case Reach::Local:
    if (Object &O = M.Mem.at(slotOf(Where)); O.Unwritten)
      M.Mem.markWritten(O, offsetOf(Where), Width);
    writeOwn(Where, Width, Value);
    break;
  }
  ++S.Effects;
  return finishBuiltin(I, Result);
}

bool Interpreter::syncOperation(const Instruction &I, SyncOp Op, Address Where, uint64_t Argument) {
  uint32_t Size = sizeOf(Op);
  Object *O = M.Mem.find(Where);
  if (!O || !Memory::inBounds(*O, Where, Size) || O->Kind == ObjectKind::Constant) {
    auto [Kind, Message] = describeBadAccess(M, Where, Size, true);
    return failed(Kind, std::move(Message));
  }
  if (!M.alone()) {
    M.Shared.markShared(O->Site);
    M.Shared.noteWrite(Where, Size, Id);
  }
  bool AtOnce = M.alone() || S.InAtomic;
  if (AtOnce && O->Life != Lifetime::Alive) {
    auto [Kind, Message] = describeBadAccess(M, Where, Size, true);
    return failed(Kind, std::move(Message));
  }
  if (AtOnce) {
    uint8_t *Bytes = M.Mem.bytes(Where);
    M.Undo.save(Bytes, Size);
    SyncResult Result = apply(Op, Bytes, Id, Argument);
    if (S.InAtomic)
      M.AtomicAccesses.push_back({Where, Size, true});
    if (Result.Outcome == SyncResult::Misuse) {
      M.failSync(Id, Result);
      return false;
    }
    if (Result.Outcome == SyncResult::Done) {
      ++S.Effects;
      return continueBuiltin(I, static_cast<uint64_t>(Result.Value), static_cast<uint64_t>(Result.Errno));
    }
    M.AtomicBlocked = S.InAtomic;
  }
  Operation Pending;
  Pending.Kind = OperationKind::Sync;
  Pending.Sync = Op;
  Pending.Where = Where;
  Pending.Value = Argument;
  return stop(Pending);
}

bool Interpreter::threadCreate(const Instruction &I) {
  Address Start = argument(I, 2);
  uint32_t Slot = slotOf(Start);
  if (Slot < FirstFunctionSlot || Slot - FirstFunctionSlot >= P.Functions.size())
    return failed(BugKind::InvalidAccess, "the start routine of the thread is not a function");
  const Function &F = P.Functions[Slot - FirstFunctionSlot];
  if (!F.Defined)
    M.unsupported(Id, S.Pc, P.Messages[F.Message]);
  ThreadId Child = M.create(Id, Slot - FirstFunctionSlot, argument(I, 3));
  ++S.Effects;
  if (I.D) // whoever creates threads for ever is not alone in its loop
    noteFed(I, 0);
  return storeResult(I, argument(I, 0), Child + 1, 0);
}

bool Interpreter::threadJoin(const Instruction &I) {
  uint64_t Handle = argument(I, 0);
  if (Handle == 0 || Handle > M.numThreads() || !M.exists(static_cast<ThreadId>(Handle - 1)))
    return failed(BugKind::BadSynchronisation, "pthread_join of something that is not a thread");
  if (Handle - 1 == Id)
    return finishBuiltin(I, asInt(linux_errno::Deadlock));
  if (const char *Misuse = M.cannotJoin(static_cast<ThreadId>(Handle - 1))) // may still come true while it waits
    return failed(BugKind::BadSynchronisation, Misuse);
  Operation Op;
  Op.Kind = OperationKind::Join;
  Op.Where = Handle - 1;
  return stop(Op);
}

/// The innermost call that stands in the user's text: who allocates in a model of the C library does so for it.
uint32_t Interpreter::pcInText() {
  auto IsText = [&](uint32_t Pc) {
    const SourceLocation &L = P.placeOf(Pc);
    return L.Line && P.UserFile[L.File];
  };
  uint32_t Pc = S.Pc;
  for (uint32_t Depth = S.Depth; !IsText(Pc) && Depth > 1; --Depth)
    Pc = T.Frames[Depth - 1].CallPc;
  return IsText(Pc) ? Pc : S.Pc;
}

/// Makes a heap block and returns its slot.
uint32_t Interpreter::newBlock(const Instruction &I, uint64_t Size, Content First) {
  const uint32_t Slot = reserveBlock(I, Size);
  makeBlock(Slot, S.Pc, M.checks(BugKind::Leak) ? pcInText() : S.Pc, Size, First);
  return Slot;
}

uint32_t Interpreter::reserveBlock(const Instruction &I, uint64_t Size) {
  ++S.Effects;
  return M.slotFor(T, static_cast<uint32_t>(I.A), static_cast<uint32_t>(Size));
}

void Interpreter::makeBlock(uint32_t Slot, uint32_t CallPc, uint32_t AllocatedAt, uint64_t Size, Content First) {
  if (Size > M.Options.MaxObjectBytes)
    M.unsupported(Id, CallPc,
                  "allocation of " + std::to_string(Size) + " bytes (more than " +
                      std::to_string(M.Options.MaxObjectBytes) + ")");
  // Whoever explores takes some as well, and would stop at the limit without a word about the program.
  const uint64_t Most = M.Options.MaxMemoryBytes - M.Options.MaxMemoryBytes / 8;
  if (M.Mem.bytesAllocated() + Size > Most)
    M.limit(Id, CallPc,
            "the program allocates more than " + std::to_string(Most) + " of the " +
                std::to_string(M.Options.MaxMemoryBytes) + " bytes that the check may take");
  const uint64_t Before = M.Mem.bytesAllocated();
  M.Mem.allocate(Slot, ObjectKind::Heap, static_cast<uint32_t>(Size), static_cast<uint32_t>(P.Code[CallPc].A), Id,
                 AllocatedAt, First);
  constexpr unsigned LookEvery = 20; // 1 MiB. Others may take their share of the limit at the same time.
  if (M.WhileRunning && M.Mem.bytesAllocated() >> LookEvery != Before >> LookEvery)
    M.WhileRunning();
}

bool Interpreter::allocateHeap(const Instruction &I, uint64_t Size, Content First) {
  return finishBuiltin(I, addressOf(newBlock(I, Size, First)));
}

/// free and realloc of a block: visible if others may touch it, since they must not do so afterwards.
bool Interpreter::freeBlock(const Instruction &I) {
  Address Where = argument(I, 0);
  Object *O = M.Mem.find(Where);
  if (!O || O->Kind != ObjectKind::Heap || offsetOf(Where) != 0)
    return failed(BugKind::InvalidFree, O && O->Kind == ObjectKind::Heap
                                            ? "free of a pointer into the middle of a block"
                                            : "free of something that malloc did not return");
  bool Seen = !M.alone() && (M.Shared.noteOwned(O->Site, O->Owner, Id) || M.Options.OutOfOrder);
  if (!Seen)
    return endBlock(I, Where);
  M.Shared.noteWrite(Where, O->Size, Id);
  if (S.InAtomic) {
    M.AtomicAccesses.push_back({Where, O->Size, true});
    return endBlock(I, Where);
  }
  Operation Op;
  Op.Kind = OperationKind::Free;
  Op.Where = Where;
  return stop(Op);
}

bool Interpreter::endBlock(const Instruction &I, Address Where) {
  Object &Old = *M.Mem.find(Where);
  if (Old.Life != Lifetime::Alive)
    return failed(BugKind::DoubleFree, "free of a heap block that was freed already (line " +
                                           std::to_string(P.placeOf(Old.FreedAt).Line) + ")");
  ++S.Effects;
  if (static_cast<Builtin>(I.Imm) != Builtin::Realloc) {
    M.Mem.end(Old, Lifetime::Freed, S.Pc);
    return finishBuiltin(I, 0);
  }
  uint32_t NewSlot = newBlock(I, argument(I, 1), Content::Nothing);
  Object &New = M.Mem.at(NewSlot);
  M.Mem.copyWritten(addressOf(NewSlot), Where, std::min(New.Size, Old.Size));
  std::memcpy(New.Data, Old.Data, std::min(New.Size, Old.Size));
  M.Mem.end(Old, Lifetime::Freed, S.Pc);
  return finishBuiltin(I, addressOf(NewSlot));
}

bool Interpreter::completeFree() {
  enterFrame();
  Address Where = S.Pending.Where;
  S.Pending = Operation();
  ++S.Operations;
  const Instruction &I = P.Code[S.Pc];
  M.DependsOnOthers |= static_cast<Builtin>(I.Imm) == Builtin::Realloc; // what they wrote moves along
  return endBlock(I, Where);
}

uint64_t *Interpreter::specificValues() {
  if (!T.SpecificSlot)
    T.SpecificSlot = M.names() ? M.Mem.useSlot(M.names()->specificValues(Id)) : M.Mem.newSlot();
  Object &O = M.Mem.at(T.SpecificSlot);
  if (O.Life == Lifetime::Absent)
    M.Mem.allocate(T.SpecificSlot, ObjectKind::Hidden, process::MaxKeys * sizeof(uint64_t), 0, Id, S.Pc);
  return reinterpret_cast<uint64_t *>(O.Data);
}

bool Interpreter::keys(const Instruction &I, Builtin B) {
  M.DependsOnOthers = true;
  if (B == Builtin::KeyCreate) {
    uint64_t Key = process()[process::NumKeys];
    if (Key == process::MaxKeys)
      M.unsupported(Id, S.Pc, "more than " + std::to_string(process::MaxKeys) + " thread-specific keys");
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
  ++S.Effects;
  return finishBuiltin(I, 0);
}

bool Interpreter::finishThreadExit(const Instruction &I) {
  S.Result = argument(I, 0);
  unwind(/*EndLocals=*/true);
  S.Phase = Machine::State::Destroying;
  return nextPhaseStep();
}

bool Interpreter::enter(uint32_t Function, uint32_t CallPc) {
  M.pushFrame(T, Function, CallPc);
  enterFrame();
  S.Pc = P.Functions[Function].Entry;
  return true;
}

/// What comes after the last frame returned: the next constructor or main, what is run at the end of the process,
/// destructors of thread-specific data, the end of the thread or of the process.
bool Interpreter::nextPhaseStep() {
  switch (S.Phase) {
  case Machine::State::Constructing: {
    if (S.Scratch < P.Constructors.size())
      return enter(P.Constructors[S.Scratch++]);
    S.Phase = Machine::State::Running;
    S.Scratch = 0;
    enter(static_cast<uint32_t>(P.Main));
    uint32_t Parameters = P.Functions[static_cast<uint32_t>(P.Main)].NumParameters;
    Address Argv = P.ArgvGlobal >= 0 ? globalAddress(static_cast<uint32_t>(P.ArgvGlobal)) : 0;
    const uint64_t Values[] = {1, Argv, Argv + 8};
    for (uint32_t K = 0; K < Parameters && K < 3; ++K)
      Registers[K] = Values[K];
    return true;
  }
  case Machine::State::Running:
    if (Id == 0)
      return exitProcess(P.ExitFunctions); // main has returned
    S.Phase = Machine::State::Destroying;
    return nextDestructor();
  case Machine::State::Exiting: return exitProcess(-1);
  case Machine::State::Destroying:
  case Machine::State::Ending: break;
  }
  return nextDestructor();
}

/// Runs the given function, and then ends the process. Thread-specific data of the thread is not destroyed.
bool Interpreter::exitProcess(int32_t Functions) {
  S.Phase = Machine::State::Exiting;
  S.InAtomic = false;
  if (Functions >= 0)
    return enter(static_cast<uint32_t>(Functions), S.Pc); // where the program said so
  Operation Op;
  Op.Kind = OperationKind::Exit;
  if (M.Options.StopAtExit)
    return stop(Op);
  S.Status = ThreadStatus::Exited;
  S.Pending = Operation();
  return false;
}

bool Interpreter::nextDestructor() {
  uint64_t NumKeys = process()[process::NumKeys];
  M.DependsOnOthers |= NumKeys != 0;
  for (uint64_t Key = 0; NumKeys && Key < NumKeys; ++Key) {
    uint64_t Value = specificValues()[Key];
    uint64_t Destructor = process()[process::KeyDestructors + Key];
    uint32_t Function = slotOf(Destructor) - FirstFunctionSlot;
    if (!Value || !Destructor || Function >= P.Functions.size() || !P.Functions[Function].Defined)
      continue;
    writeHidden(specificValues() + Key, 0);
    enter(Function);
    if (P.Functions[Function].NumParameters)
      Registers[0] = Value;
    return true;
  }
  return endThread();
}

/// Nothing is left to be run: the thread ends, and its thread-local variables with it.
bool Interpreter::endThread() {
  S.Phase = Machine::State::Ending;
  return stopForEnds() ? false : finishThread();
}

bool Interpreter::finishThread() {
  for (uint32_t Slot : T.ThreadLocals)
    if (Slot && M.Mem.at(Slot).Life == Lifetime::Alive)
      M.Mem.end(M.Mem.at(Slot), Lifetime::Left, S.Pc);
  S.Status = ThreadStatus::Finished;
  S.Pending = Operation();
  return false;
}

std::string Interpreter::readString(Address A) {
  std::string Text;
  Object *O = M.Mem.find(A);
  if (!O)
    return Text;
  for (uint32_t K = offsetOf(A); K < O->Size && O->Data[K] && Text.size() < 200; ++K)
    Text += static_cast<char>(O->Data[K]);
  return Text;
}

/// The result of printf and the like: of a format and what it is given.
uint64_t Interpreter::lengthOfOutput(uint32_t CallPc, const std::vector<uint64_t> &Arguments) {
  auto TextAt = [&](Address A, size_t Most) -> std::optional<std::string> {
    const Object *O = M.Mem.find(A);
    if (!O || O->Kind != ObjectKind::Constant || offsetOf(A) >= O->Size)
      return std::nullopt;
    const auto *Bytes = reinterpret_cast<const char *>(O->Data + offsetOf(A));
    return std::string(Bytes, strnlen(Bytes, std::min<size_t>(O->Size - offsetOf(A), Most)));
  };
  const std::optional<std::string> Format = TextAt(Arguments.front(), ~size_t(0));
  const FormatLength Length = formatLength(Format.value_or(""), {Arguments.begin() + 1, Arguments.end()}, TextAt);
  if (!Format || !Length.Unknown.empty())
    M.unsupported(Id, CallPc, "how much '" + (Format ? Length.Unknown : "printf") + "' prints, and the program asks");
  return asInt(static_cast<int64_t>(Length.Bytes));
}

bool Interpreter::assertFail(const Instruction &I) {
  return failed(BugKind::Assertion, "assertion failed: '" + readString(argument(I, 0)) + "'");
}

bool Interpreter::mutexAttribute(const Instruction &I, uint32_t Kind) {
  Address Where = argument(I, 0);
  Object *O = M.Mem.find(Where);
  if (!O || O->Life != Lifetime::Alive || !Memory::inBounds(*O, Where, 4)) {
    auto [Bug, Message] = describeBadAccess(M, Where, 4, true);
    return failed(Bug, std::move(Message));
  }
  writeOwn(Where, 4, Kind);
  return finishBuiltin(I, 0);
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

bool Interpreter::builtin(const Instruction &I) {
  auto B = static_cast<Builtin>(I.Imm);
  SyncOp Op;
  if (simpleSyncOp(B, Op))
    return syncOperation(I, Op, argument(I, 0), 0);
  switch (B) {
  case Builtin::ThreadCreate:
    if (M.Options.StopAtFences && !M.alone()) {
      Operation Drain;
      Drain.Kind = OperationKind::Drain;
      return stop(Drain);
    }
    return threadCreate(I);
  case Builtin::ThreadJoin: return threadJoin(I);
  case Builtin::ThreadExit: return stopForEnds() ? false : finishThreadExit(I);
  case Builtin::ThreadDetach: {
    uint64_t Handle = argument(I, 0);
    if (Handle == 0 || Handle > M.numThreads() || !M.exists(static_cast<ThreadId>(Handle - 1)))
      return failed(BugKind::BadSynchronisation, "pthread_detach of something that is not a thread");
    M.DependsOnOthers = true;
    Machine::Thread &Target = *M.Threads[Handle - 1];
    M.Undo.save(Target.Detached);
    Target.Detached = true;
    return finishBuiltin(I, 0);
  }
  case Builtin::ThreadSelf: return finishBuiltin(I, Id + 1);
  case Builtin::ThreadEqual: return finishBuiltin(I, argument(I, 0) == argument(I, 1));
  case Builtin::MutexInit: {
    Address Attribute = argument(I, 1);
    M.DependsOnOthers |= Attribute != 0;
    Object *O = M.Mem.find(Attribute);
    uint64_t Kind = O && Memory::inBounds(*O, Attribute, 4) ? Memory::readWord(M.Mem.bytes(Attribute), 4) : 0;
    return syncOperation(I, SyncOp::MutexInit, argument(I, 0), Kind);
  }
  case Builtin::MutexAttrInit: return mutexAttribute(I, 0);
  case Builtin::MutexAttrDestroy: return finishBuiltin(I, 0);
  case Builtin::MutexAttrSetType: return mutexAttribute(I, static_cast<uint32_t>(argument(I, 1)));
  case Builtin::CondWait:
  case Builtin::CondTimedWait: return syncOperation(I, SyncOp::CondEnqueue, argument(I, 0), 0);
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
    S.Status = ThreadStatus::Assumed;
    S.Pending = Operation();
    return false;
  case Builtin::AtomicBegin: {
    if (M.alone() || S.InAtomic)
      return finishBuiltin(I, 0);
    Operation Atomic;
    Atomic.Kind = OperationKind::Atomic;
    return stop(Atomic);
  }
  case Builtin::AtomicEnd: S.InAtomic = false; return finishBuiltin(I, 0);
  case Builtin::Malloc: return allocateHeap(I, argument(I, 0));
  case Builtin::AlignedAlloc: {
    const uint64_t Alignment = argument(I, 0); // a size that is no multiple of it is allowed since C17
    if ((Alignment == 0 || (Alignment & (Alignment - 1))) && M.checks(BugKind::InvalidAlignment))
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
    M.keepRoots(T);
    unwind(/*EndLocals=*/false);
    return exitProcess(B == Builtin::Exit ? P.ExitFunctions : B == Builtin::QuickExit ? P.QuickExitFunctions : -1);
  case Builtin::FormatLength: {
    std::vector<uint64_t> Arguments;
    for (unsigned K = 0; K < static_cast<unsigned>(I.C); ++K)
      Arguments.push_back(argument(I, K));
    return finishBuiltin(I, lengthOfOutput(S.Pc, Arguments));
  }
  case Builtin::Ignore: return finishBuiltin(I, 0);
  default: M.unsupported(Id, S.Pc, "call to '" + std::string(nameOf(B)) + "'");
  }
}

bool Interpreter::continueBuiltin(const Instruction &I, uint64_t Value, uint64_t Errno) {
  if (Errno && P.ErrnoGlobal >= 0) // nobody looks at it otherwise
    writeOwn(M.threadLocal(T, static_cast<uint32_t>(P.ErrnoGlobal)), 4, Errno);
  auto B = static_cast<Builtin>(I.Imm);
  if (S.Stage == 0xff)
    return finishBuiltin(I, S.Scratch);
  if (I.D)
    noteFed(I, 0);
  switch (B) {
  case Builtin::ThreadCreate: return threadCreate(I);
  case Builtin::ThreadJoin: {
    if (M.Options.OutOfOrder) { // what the thread wrote need not be in memory: others are still there
      Machine::Thread &Target = *M.Threads[argument(I, 0) - 1];
      M.Undo.save(Target.Joined);
      Target.Joined = true;
      Value = Target.S.Result;
    }
    Address Where = argument(I, 1);
    return Where ? storeResult(I, Where, Value, 0) : finishBuiltin(I, 0);
  }
  case Builtin::CondWait:
  case Builtin::CondTimedWait:
    switch (++S.Stage) {
    case 1: return syncOperation(I, SyncOp::MutexUnlock, argument(I, 1), 0);
    case 2: {
      const SyncOp Normally = B == Builtin::CondWait ? SyncOp::CondWake : SyncOp::CondTimedWake;
      const bool Fails = I.Flags & MayFail && M.failsNow(T);
      if (I.Flags & MayFail && !Fails)
        M.noteNoFailure(T); // it may wait for ever
      return syncOperation(I, Fails ? SyncOp::CondSpuriousWake : Normally, argument(I, 0), 0);
    }
    case 3:
      S.Scratch = asInt(static_cast<int64_t>(Value));
      if (I.Flags & MayFail) {
        const bool Fails = M.failsNow(T);
        if (!countArrival(!Fails || Value == WokenForNoReason))
          return false;
        S.Scratch = Fails ? 0 : S.Scratch;
      }
      return syncOperation(I, SyncOp::MutexLock, argument(I, 1), 0);
    default: return finishBuiltin(I, S.Scratch);
    }
  case Builtin::BarrierWait:
    if (S.Stage++ == 0 && !(Value & LastArriver))
      return syncOperation(I, SyncOp::BarrierLeave, argument(I, 0), Value);
    return finishBuiltin(I, S.Stage == 1 ? asInt(BarrierSerialThread) : asInt(static_cast<int64_t>(Value)));
  case Builtin::SemGetValue: return storeResult(I, argument(I, 1), Value, 0);
  default: return finishBuiltin(I, asInt(static_cast<int64_t>(Value)));
  }
}

} // namespace picket
