#include "machine/ThreadTable.h"

#include "machine/CallStack.h"

#include <algorithm>

namespace picket {

Thread &ThreadTable::startMain(uint32_t Main) {
  for (std::unique_ptr<Thread> &T : Threads) {
    T->State = ThreadState();
    T->Now = &T->State;
    T->Held = nullptr;
    T->Joined = T->Detached = false;
    T->Roots = nullptr;
    std::fill_n(T->Reuses, Thread::NumReuses, Thread::Reuse());
  }
  Created.clear();
  ConcurrentPhases = 0;
  Live = 1;
  if (Threads.empty())
    Threads.push_back(std::make_unique<Thread>(0));
  Thread &First = *Threads[0];
  First.Start = Main;
  First.State.Exists = true;
  First.State.Phase = ThreadState::Constructing;
  return First;
}

ThreadId ThreadTable::childOf(ThreadId Parent, uint32_t Index) {
  std::vector<ThreadId> &Children = Threads[Parent]->ChildIds;
  assert(Index <= Children.size() && "children are numbered in the order of their creation");
  if (Index == Children.size()) {
    const auto New = Names ? Names->thread(Parent, Index) : size();
    while (Threads.size() <= New) // threads that only other machines have come upon so far do not exist
      Threads.push_back(std::make_unique<Thread>(size()));
    Threads[New]->Parent = Parent;
    Children.push_back(New);
  }
  return Threads[Parent]->ChildIds[Index];
}

ThreadId ThreadTable::create(ThreadId Parent, uint32_t Function, uint64_t Argument) {
  const ThreadId Id = childOf(Parent, Threads[Parent]->State.Children++);
  Thread &T = *Threads[Id];
  assert(!T.Now->Exists && "a thread is created once in an execution");
  T.SavedInStep = Step; // before it existed: none of its frames need saving
  Undo.save(T.State);
  Undo.save(T.Now);
  Undo.save(T.Held);
  Undo.save(T.Joined);
  Undo.save(T.Detached);
  Undo.save(Live);
  Undo.save(ConcurrentPhases);
  ConcurrentPhases += Live == 1;
  ++Live;
  T.Start = Function;
  callStack(Parent, T.CreatedFrom);
  T.State = ThreadState();
  T.State.Exists = true;
  T.Now = &T.State;
  T.Held = nullptr;
  T.Joined = T.Detached = false;
  pushFrame(T, Function, 0);
  const picket::Function &F = Prog.Functions[Function];
  if (F.NumParameters > 0)
    T.Registers[0] = Argument;
  T.State.Pc = F.Entry;
  Created.push_back({Parent, Id});
  return Id;
}

void ThreadTable::join(Thread &Target) {
  assert(!Target.Joined && Live > 1);
  Undo.save(Target.Joined);
  Undo.save(Live);
  Target.Joined = true;
  --Live;
}

const char *ThreadTable::cannotJoin(ThreadId Target) const {
  return Threads[Target]->Joined     ? "pthread_join of a thread that was joined already"
         : Threads[Target]->Detached ? "pthread_join of a detached thread"
                                     : nullptr;
}

bool ThreadTable::anyExited() const {
  return std::any_of(Threads.begin(), Threads.end(), [](const std::unique_ptr<Thread> &T) {
    return T->Now->Exists && T->Now->Status == ThreadStatus::Exited;
  });
}

void ThreadTable::pushFrame(Thread &T, uint32_t Function, uint32_t CallPc) {
  ThreadState &S = T.State;
  uint32_t Base = 0;
  if (S.Depth) {
    const StackFrame &Caller = T.Frames[S.Depth - 1];
    Base = Caller.Base + Prog.Functions[Caller.Function].NumSlots;
  }
  assert(S.Depth < Thread::MaxFrames && Base + Prog.Functions[Function].NumSlots <= Thread::MaxRegisters);
  T.Frames[S.Depth++] = {Function, CallPc, Base, S.StackObjects, S.Reads};
  if (ClearsRegisters)
    std::fill_n(T.Registers + Base, Prog.Functions[Function].NumSlots, 0);
  if (int32_t Fed = Prog.Functions[Function].FedSlot; Fed >= 0)
    T.Registers[Base + static_cast<uint32_t>(Fed)] = 0;
}

void ThreadTable::saveFrame(Thread &T, uint32_t Index) {
  assert(Index < T.State.Depth && T.SavedInStep == Step);
  StackFrame &F = T.Frames[Index];
  Undo.save(F);
  Undo.save(T.Registers + F.Base, Prog.Functions[F.Function].NumSlots * sizeof(uint64_t));
  T.State.SavedDepth = Index;
}

uint32_t ThreadTable::numRegisters(const Thread &T, const ThreadState &S, const StackFrame *Frames) const {
  const uint32_t Base = S.Depth ? Frames[S.Depth - 1].Base : 0;
  return Base + Prog.Functions[S.Depth ? Frames[S.Depth - 1].Function : T.Start].NumSlots;
}

std::string ThreadTable::nameOf(ThreadId Id) const {
  if (Id == 0)
    return "main";
  const std::string &Name = Prog.Functions[Threads[Id]->Start].Name;
  unsigned Before = 0, All = 0;
  for (ThreadId T = 1; T < Threads.size(); ++T)
    if (exists(T) && Prog.Functions[Threads[T]->Start].Name == Name) {
      ++All;
      Before += T < Id;
    }
  return All > 1 ? Name + "#" + std::to_string(Before + 1) : Name;
}

std::vector<uint32_t> ThreadTable::pathOf(ThreadId T) const {
  std::vector<uint32_t> Path;
  for (; T != 0; T = Threads[T]->Parent) {
    const std::vector<uint32_t> &Siblings = Threads[Threads[T]->Parent]->ChildIds;
    Path.insert(Path.begin(), static_cast<uint32_t>(std::find(Siblings.begin(), Siblings.end(), T) - Siblings.begin()));
  }
  return Path;
}

uint32_t ThreadTable::allocationIndex(ThreadId Owner, uint32_t Slot) const {
  const std::vector<uint32_t> &Slots = Threads[Owner]->Slots;
  return static_cast<uint32_t>(std::find(Slots.begin(), Slots.end(), Slot) - Slots.begin());
}

void ThreadTable::callStack(ThreadId Id, std::vector<uint32_t> &Stack) const {
  const ThreadView Here = viewOf(*Threads[Id]);
  Stack.clear();
  if (Here.State.Depth > 0 && Here.Frames[0].CallPc) // the end of the process, called for by a function that is over
    Stack.push_back(Here.Frames[0].CallPc);
  for (uint32_t Depth = 1; Depth < Here.State.Depth; ++Depth) {
    if (Depth > OutermostCalls && Here.State.Depth > OutermostCalls + InnermostCalls + 2 &&
        Stack.size() == OutermostCalls) {
      Stack.push_back(CallsLeftOut);
      Depth = Here.State.Depth - InnermostCalls;
    }
    Stack.push_back(Here.Frames[Depth].CallPc);
  }
  Stack.push_back(Here.State.Pc);
}

} // namespace picket
