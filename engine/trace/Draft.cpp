#include "trace/Draft.h"

#include <algorithm>
#include <array>

namespace picket {

const char *nameOf(EventKind Kind) {
  switch (Kind) {
  case EventKind::Store: return "store";
  case EventKind::Load: return "load";
  case EventKind::Rmw: return "rmw";
  case EventKind::Update: return "update";
  case EventKind::Fence: return "fence";
  case EventKind::Sync: return "sync";
  case EventKind::Create: return "create";
  case EventKind::Join: return "join";
  case EventKind::Free: return "free";
  case EventKind::Atomic: return "atomic";
  case EventKind::Choice: return "choice";
  case EventKind::Blocked: return "blocked";
  case EventKind::Bug: return "bug";
  }
  return "?";
}

/// In the order of the enum.
static constexpr std::array SyncActionNames = {"",
                                               "initialises",
                                               "destroys",
                                               "locks",
                                               "fails to lock",
                                               "tries in vain to lock",
                                               "locks for reading",
                                               "fails to lock for reading",
                                               "tries in vain to lock for reading",
                                               "locks for writing",
                                               "fails to lock for writing",
                                               "tries in vain to lock for writing",
                                               "unlocks",
                                               "fails to unlock",
                                               "begins to wait on",
                                               "is woken through",
                                               "gives up waiting on",
                                               "wakes for no reason from waiting on",
                                               "signals",
                                               "broadcasts",
                                               "takes one from",
                                               "tries in vain to take one from",
                                               "posts",
                                               "asks for the value of",
                                               "arrives at",
                                               "leaves",
                                               "begins the once-only",
                                               "finds done the once-only",
                                               "ends the once-only",
                                               "works on"};
static_assert(SyncActionNames.size() == static_cast<size_t>(SyncAction::WorksOn) + 1);

const char *nameOf(SyncAction Action) { return SyncActionNames[static_cast<size_t>(Action)]; }

std::optional<SyncAction> syncActionNamed(std::string_view Name) {
  auto At = std::find(SyncActionNames.begin(), SyncActionNames.end(), Name);
  if (At == SyncActionNames.end())
    return std::nullopt;
  return static_cast<SyncAction>(At - SyncActionNames.begin());
}

const char *nameOf(TraceLink::Kind Kind) {
  switch (Kind) {
  case TraceLink::Address: return "addr";
  case TraceLink::Data: return "data";
  case TraceLink::Control: return "ctrl";
  case TraceLink::Fence: return "fence";
  case TraceLink::Kept: return "kept";
  }
  return "?";
}

void Draft::clear() {
  Events.clear();
  Stacks.clear();
  Variables.clear();
  VariableIds.clear();
  Objects.clear();
  Result = Recording();
}

TraceEvent &Draft::add(EventKind Kind, ThreadId T, const std::vector<uint32_t> &Stack) {
  TraceEvent &E = Events.emplace_back();
  E.Kind = Kind;
  E.Thread = T;
  Stacks.push_back(Stack);
  return E;
}

void Draft::seeObject(Address A) {
  uint32_t Slot = slotOf(A);
  const Object *O = Mach.memory().find(A);
  if (O)
    Objects.try_emplace(Slot, SeenObject{O->Kind, O->Site, O->Owner, O->Size, O->AllocatedAt});
}

uint32_t Draft::variable(Address Where, uint32_t Size) {
  auto [Found, IsNew] = VariableIds.try_emplace({Where, Size}, static_cast<uint32_t>(Variables.size()));
  if (!IsNew)
    return Found->second;
  seeObject(Where);
  TraceVariable &V = Variables.emplace_back();
  V.Address = Where;
  V.Size = Size;
  if (Size <= 16)
    readMemory(V, V.InitialLow, V.InitialHigh);
  return Found->second;
}

TraceAccess Draft::access(Address Where, uint32_t Size, bool Write, uint64_t Low, uint64_t High) {
  TraceAccess A;
  A.Variable = variable(Where, Size);
  A.Write = Write;
  A.Low = Size < 8 ? Low & ((1ull << (8 * Size)) - 1) : Low;
  A.High = Size > 8 ? High : 0;
  return A;
}

void Draft::readMemory(const TraceVariable &V, uint64_t &Low, uint64_t &High) {
  const Object *O = Mach.memory().find(V.Address);
  if (!O || O->Life != Lifetime::Alive || !Memory::inBounds(*O, V.Address, V.Size))
    return;
  Memory::readWords(Mach.memory().bytes(V.Address), V.Size, Low, High);
}

/// Threads that wait at the end: what they wait for belongs to the picture.
void Draft::addBlocked(const BugReport &Bug) {
  for (ThreadId T = 0; T < Mach.numThreads(); ++T) {
    if (!Mach.exists(T) || T == Bug.Thread || Mach.status(T) != ThreadStatus::Ready ||
        (Mach.pending(T).Kind != OperationKind::Sync && Mach.pending(T).Kind != OperationKind::Join))
      continue;
    const Operation Op = Mach.pending(T);
    TraceEvent &E = add(EventKind::Blocked, T, Mach.callStack(T));
    E.What = Op.Kind == OperationKind::Join ? "waits for the end of " + Mach.threadName(static_cast<ThreadId>(Op.Where))
                                            : "waits for";
    if (Op.Kind == OperationKind::Sync)
      E.Accesses = {access(Op.Where, sizeOf(Op.Sync), false, 0, 0)};
  }
}

TraceEvent &Draft::addBug(const BugReport &Bug, std::vector<TraceAccess> Failed) {
  if (Bug.Kind == BugKind::Deadlock)
    addBlocked(Bug);
  std::vector<uint32_t> Stack = Mach.callStack(Bug.Thread);
  if (!Stack.empty())
    Stack.back() = Bug.Pc;
  if (const Operation &Op = Mach.pending(Bug.Thread); Bug.Kind == BugKind::Deadlock && Op.Kind == OperationKind::Sync)
    Failed = {access(Op.Where, sizeOf(Op.Sync), false, 0, 0)};
  TraceEvent &E = add(EventKind::Bug, Bug.Thread, Stack);
  E.What = Bug.Message;
  E.Accesses = std::move(Failed);
  Result.BugEvent = static_cast<uint32_t>(Events.size() - 1);
  Result.BugKind = Bug.Kind;
  Result.BugMessage = Bug.Message;
  Result.BugThread = Mach.threadName(Bug.Thread);
  Result.GoesRound = Bug.GoesRound;
  return E;
}

Recording Draft::finish(MemoryModel Model) {
  Result.Model = Model;
  Result.Target = Prog.For;
  Result.Threads = threadsOf(Mach);
  nameEverything(Result);
  Result.Shared = sharedThings(Prog, Mach.sharing());
  Result.Failures = Prog.Failures;
  Result.Variables = std::move(Variables);
  for (size_t K = 0; K < Events.size(); ++K)
    Events[K].Stack = std::move(Stacks[K]);
  Result.Events = std::move(Events);
  if (Result.BugEvent != NoEvent)
    Result.BugWhere = Result.Events[Result.BugEvent].At.Where;
  Recording R = std::move(Result);
  clear();
  return R;
}

std::vector<TraceThread> threadsOf(const Machine &M) {
  std::vector<TraceThread> Threads(M.numThreads());
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    if (M.exists(T))
      Threads[T] = {M.threadName(T), M.pathOf(T)};
  return Threads;
}

} // namespace picket
