#include "machine/Messages.h"

namespace picket {

const char *describe(BrokenPromise What) {
  switch (What) {
  case BrokenPromise::Unreachable: break;
  case BrokenPromise::Assumption: return "an assumption that the program gave to the compiler does not hold";
  case BrokenPromise::MissingReturn:
    return "control reaches the end of a function without a 'return', and the caller uses the value";
  }
  return "control reaches code that the compiler may assume is unreachable";
}

const char *describe(OverflowKind What) {
  switch (What) {
  case OverflowKind::Add: return "a signed addition overflows";
  case OverflowKind::Divide: return "a signed division overflows: the smallest number is divided by -1";
  case OverflowKind::Multiply: return "a signed multiplication overflows";
  case OverflowKind::Negate: return "a negation overflows";
  case OverflowKind::Shift: return "a shift is too wide, by a negative number, or loses bits of a signed number";
  case OverflowKind::Subtract: return "a signed subtraction overflows";
  }
  return "signed arithmetic overflows";
}

static std::string bytes(uint64_t N) { return std::to_string(N) + (N == 1 ? " byte" : " bytes"); }

std::string describeObject(const Program &Prog, const Object &O, uint32_t Slot) {
  switch (O.Kind) {
  case ObjectKind::Constant:
  case ObjectKind::Global: return "'" + Prog.Globals[Slot - 1].Name + "'";
  case ObjectKind::Heap: return "a heap block of " + bytes(O.Size);
  case ObjectKind::Stack: return "a local variable of " + bytes(O.Size);
  case ObjectKind::ThreadLocal: return "a thread-local variable";
  case ObjectKind::Hidden: break;
  }
  return "system memory";
}

/// " (line 12)"; nothing where it is not in the user's text, as when a thread-specific value is destroyed.
static std::string atLine(const Program &Prog, uint32_t Pc) {
  const uint32_t Line = Prog.locationOf(Pc).Line;
  return Line ? " (line " + std::to_string(Line) + ")" : "";
}

std::pair<BugKind, std::string> describeBadAccess(const Program &Prog, const Memory &Mem, Address A, uint32_t Size,
                                                  bool Write) {
  std::string Does = Write ? "write" : "read";
  uint32_t Slot = slotOf(A);
  if (Slot == 0 && A < 4096)
    return {BugKind::NullAccess, Does + " through a null pointer"};
  const Object *O = Mem.find(A);
  if (!O)
    return {BugKind::InvalidAccess, Does + " through a pointer that points to no object" +
                                        (Slot >= FirstFunctionSlot ? " (it is a function)" : "")};
  std::string What = describeObject(Prog, *O, Slot);
  if (!Memory::inBounds(*O, A, Size))
    return {BugKind::OutOfBounds, Does + " of " + bytes(Size) + " at offset " +
                                      std::to_string(static_cast<int32_t>(offsetOf(A))) + " of " + What +
                                      ", which has " + bytes(O->Size)};
  if (O->Life == Lifetime::Freed)
    return {BugKind::UseAfterFree, Does + " of " + What + " after it was freed" + atLine(Prog, O->FreedAt)};
  if (O->Life == Lifetime::Left)
    return {BugKind::UseAfterFree, Does + " of " + What + " after its lifetime ended" + atLine(Prog, O->FreedAt)};
  return {BugKind::InvalidAccess, "write to the constant " + What};
}

std::string describeUnwritten(const Program &Prog, const Object &O, Address Where, uint32_t Size) {
  const bool Partly = Memory::countWritten(O, offsetOf(Where), Size) > 0;
  return "read of " + bytes(Size) + " of " + describeObject(Prog, O, slotOf(Where)) +
         (Partly ? ", of which only a part was written" : " that nothing has written");
}

std::string describeRace(const Program &Prog, const Object &O, uint32_t Slot, bool Writes, const RacingAccess &Other,
                         const std::string &Thread) {
  return std::string("data race: this ") + (Writes ? "write" : "read") + " of " + describeObject(Prog, O, Slot) +
         " and the " + (Other.IsAtomic ? "atomic " : "") + (Other.Writes ? "write" : "read") + " in thread '" + Thread +
         "'" + atLine(Prog, Other.Pc) + " are not ordered";
}

/// "thread 'a' waits for the mutex 'm'"
static std::string waitsFor(const Program &Prog, const Memory &Mem, const ThreadTable &Threads, ThreadId T) {
  const ThreadState &S = *Threads[T].Now;
  const Operation &Op = S.Pending;
  const ProgramLocation &L = Prog.locationOf(S.Pc);
  const bool InModel = L.Line && !Prog.UserFile[L.File]; // of the C library: nobody has its lines
  const std::string Thread = "thread '" + Threads.nameOf(T) + "' waits ", Line = InModel ? "" : atLine(Prog, S.Pc);
  if (Op.Kind == OperationKind::Join)
    return Thread + "for thread '" + Threads.nameOf(static_cast<ThreadId>(Op.Where)) + "' to end" + Line;
  const Object *O = Mem.find(Op.Where);
  std::string What = O ? describeObject(Prog, *O, slotOf(Op.Where)) : "a lock";
  switch (Op.Sync) {
  case SyncOp::CondWake: What = "to be woken through " + What; break;
  case SyncOp::FutexWait:
    What = "to be woken through the futex ";
    if (const Object *Word = Mem.find(Op.Value))
      What += describeObject(Prog, *Word, slotOf(Op.Value));
    break;
  case SyncOp::SemWait: What = "for the semaphore " + What; break;
  case SyncOp::BarrierLeave: What = "at the barrier " + What; break;
  case SyncOp::MutexLock: What = "for the mutex " + What; break;
  default: What = "for " + What; break;
  }
  return Thread + What + Line;
}

std::string describeDeadlock(const Program &Prog, const Memory &Mem, const ThreadTable &Threads) {
  std::string Message = "deadlock";
  const char *Separator = ": ";
  for (ThreadId T = 0; T < Threads.size(); ++T) {
    const ThreadState &S = *Threads[T].Now;
    if (!S.Exists || S.Status != ThreadStatus::Ready || S.Pending.Kind == OperationKind::None || S.Pending.MaySpin)
      continue;
    Message += Separator + waitsFor(Prog, Mem, Threads, T);
    Separator = "; ";
  }
  return Message;
}

} // namespace picket
