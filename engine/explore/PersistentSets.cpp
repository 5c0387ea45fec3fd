#include "explore/PersistentSets.h"

#include "explore/StateKey.h"

namespace picket {

Futures::ProgramPoint PersistentSets::pointOf(ThreadId T, uint32_t Part) {
  if (PointOfPart.size() <= T)
    PointOfPart.resize(T + 1);
  std::vector<uint32_t> &Known = PointOfPart[T];
  if (Known.size() <= Part)
    Known.resize(Part + 1);
  if (!Known[Part])
    Known[Part] = Future.pointOf(Config.machine(), T) + 1;
  return Known[Part] - 1;
}

/// What T would access with its next steps.
void PersistentSets::collectNext(ThreadId T, std::vector<Machine::Access> &Into) {
  Machine &M = Config.machine();
  // Under TSO the oldest store lands next, under PSO any may.
  bool First = true;
  forEachBuffered(Config, T, [&](uint32_t, const StoreBuffer::Entry &E) {
    if (First || Config.buffering() == Buffering::PerLocation)
      Into.push_back({E.Where, E.Width, true});
    First = false;
  });
  if (M.status(T) != ThreadStatus::Ready)
    return;
  const Operation &Op = M.pending(T);
  switch (Op.Kind) {
  case OperationKind::Load: Into.push_back({Op.Where, Op.Width, false}); break;
  case OperationKind::Store:
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: Into.push_back({Op.Where, Op.Width, true}); break;
  case OperationKind::Sync: Into.push_back({Op.Where, sizeOf(Op.Sync), true}); break;
  case OperationKind::Free: Into.push_back({Op.Where, M.memory().find(Op.Where)->Size, true}); break;
  case OperationKind::End: {
    std::vector<Machine::Access> Ends = M.pendingEnds(T);
    Into.insert(Into.end(), Ends.begin(), Ends.end());
    break;
  }
  default: break;
  }
}

/// Whether the next steps of T, or stores that it has made already, conflict with an access.
bool PersistentSets::overlaps(ThreadId T, const Machine::Access &With) {
  auto Meets = [&](Address Where, uint32_t Size, bool Write) {
    return (Write || With.Write) && Where < With.Where + With.Size && With.Where < Where + Size;
  };
  bool Found = false;
  forEachBuffered(Config, T, [&](uint32_t, const StoreBuffer::Entry &E) { Found |= Meets(E.Where, E.Width, true); });
  OfOther.clear();
  collectNext(T, OfOther);
  for (const Machine::Access &A : OfOther)
    Found |= Meets(A.Where, A.Size, A.Write);
  return Found;
}

bool PersistentSets::isPersistent(ThreadId Mover, const std::vector<uint32_t> &Parts) {
  Machine &M = Config.machine();
  if (M.status(Mover) == ThreadStatus::Ready && M.pending(Mover).Kind == OperationKind::Atomic)
    return false; // what it will access is not known
  Next.clear();
  collectNext(Mover, Next);
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    if (T == Mover || !M.exists(T))
      continue;
    const bool Over = M.status(T) != ThreadStatus::Ready && M.status(T) != ThreadStatus::Spinning;
    for (const Machine::Access &A : Next)
      if (overlaps(T, A) || (!Over && Future.mayConflict(pointOf(T, Parts[T]), A, Mover)))
        return false;
  }
  Relied = true;
  return true;
}

void PersistentSets::learnPoints(const std::vector<uint32_t> &Parts) {
  for (ThreadId T = 0; T < Parts.size(); ++T)
    if (Config.machine().exists(T))
      pointOf(T, Parts[T]);
}

void PersistentSets::learnWaiting(const std::vector<uint32_t> &Parts) {
  for (ThreadId T = 0; T < Parts.size(); ++T)
    if (Config.machine().exists(T)) {
      const Futures::ProgramPoint Now = pointOf(T, Parts[T]);
      // A thread that waits here, perhaps for ever, accesses in another order what it waits for.
      if (Config.machine().pending(T).Kind == OperationKind::None || Config.isEnabled(Config.processOf(T)))
        continue;
      Next.clear();
      collectNext(T, Next);
      Future.learn(Now, Now, Next, 0);
    }
}

void PersistentSets::learnStep(std::span<const uint32_t> From, const std::vector<uint32_t> &Parts, ThreadId Stepped) {
  const size_t Known = From.size();
  const Machine &M = Config.machine();
  for (ThreadId T = 0; T < Parts.size(); ++T) {
    if (!M.exists(T) || (T < Known && From[T] == Parts[T] && T != Stepped))
      continue;
    Next.clear();
    uint64_t Joined = 0;
    if (T == Stepped)
      for (const MemoryAccess &A : Config.accesses())
        Next.push_back({A.Where, A.Size, A.Write});
    ThreadId Creator = StateKey::NoThread;
    for (const StepNote &N : Config.notes()) {
      if (N.What == StepNote::Stored && N.A == T) {
        const StoreBuffer::Entry &E = Config.bufferEntry(T, N.B);
        Next.push_back({E.Where, E.Width, true});
      } else if (N.What == StepNote::Joined && N.A == T) {
        Joined |= 1ull << (N.B % Futures::MaxThreads);
      } else if (N.What == StepNote::Created && N.B == T) {
        Creator = N.A;
      }
    }
    const Futures::ProgramPoint Now = pointOf(T, Parts[T]);
    auto Before = [&](ThreadId Which) { // a thread that came into being in this step comes from where it is now
      const uint32_t Part = Which < Known ? From[Which] : 0;
      const bool WasThere = Which < Known && PointOfPart.size() > Which && PointOfPart[Which].size() > Part &&
                            PointOfPart[Which][Part] != 0;
      return WasThere ? PointOfPart[Which][Part] - 1 : pointOf(Which, Parts[Which]);
    };
    Future.learn(Creator == StateKey::NoThread ? Before(T) : Before(Creator), Now, Next, Joined);
  }
}

uint64_t PersistentSets::bytes() {
  uint64_t Sum = Future.bytes();
  for (const std::vector<uint32_t> &Points : PointOfPart)
    Sum += bytesWithGrowth(Points);
  return Sum;
}

} // namespace picket
