// Work stealing of the optimal DPOR: which of its planned subtrees a worker gives away, and how another comes there.
#include "explore/DporWorker.h"

#include <algorithm>
#include <utility>

namespace picket {

/// The first of the trees planned from a prefix whose first step conflicts with these, and with those of the trees
/// before it; none if there is none. See DporTeam.h for why such a tree can be begun.
static WakeupNode *findApart(WakeupNode *First, std::vector<const Footprint *> &Others) {
  for (WakeupNode *N = First; N; N = N->Next) {
    if (N->Mark)
      continue;
    const Footprint &Mine = N->Touched;
    if (std::all_of(Others.begin(), Others.end(), [&](const Footprint *F) { return F->conflictsWith(Mine); }))
      return N;
    Others.push_back(&Mine);
  }
  return nullptr;
}

/// The first of the trees planned from a prefix that can be begun now; none if none can.
static WakeupNode *findPossible(const SharedPrefix &From) {
  if (std::none_of(From.Branches.begin(), From.Branches.end(),
                   [](const SharedPrefix::Branch &B) { return B.Inside > 0; })) {
    WakeupNode *First = From.Planned;
    while (First && First->Mark)
      First = First->Next;
    return First;
  }
  std::vector<const Footprint *> Others;
  for (const SharedPrefix::Branch &B : From.Branches)
    if (B.Inside)
      Others.push_back(&B.First.Touched);
  return findApart(From.Planned, Others);
}

/// Begins one of the branches that are planned from the present prefix, which is shared. False if none can be begun:
/// what is left is for the workers that are still in the others.
bool DporWorker::takeShared() {
  SharedPrefix &From = *SharedLevels.back().Prefix;
  std::lock_guard<std::mutex> Guard(From.Lock);
  for (;;) {
    WakeupNode *Possible = findPossible(From);
    if (!Possible)
      return false;
    Prefix &Here = Prefixes.back();
    const bool Early = Possible != From.Planned;
    Here.Wakeup = Trees.takeTree(From.Planned, Possible);
    const ProcessId P = Here.Wakeup->Process;
    if (!Config.isEnabled(P)) {
      ++Result.FailedWakeups;
      ReplayDiverged = true;
      Trees.dropFirst(Here.Wakeup);
      continue;
    }
    Here.Guided = true;
    SleepersInUse = Here.FirstSleeper;
    Here.NumSleepers = 0;
    for (const Sleeper &S : From.Asleep)
      addSleeper(S.Process, S.Touched);
    for (const SharedPrefix::Branch &B : From.Branches)
      addSleeper(B.First.Process, B.First.Touched);
    take(P);
    SharedLevels.back().Branch = From.Branches.size();
    From.Branches.push_back({{P, Exec[Exec.length() - 1].Touched}, 1, Early});
    return true;
  }
}

/// The branch that was explored from the present prefix is left.
void DporWorker::leaveShared() {
  const SharedLevel &Here = SharedLevels.back();
  std::lock_guard<std::mutex> Guard(Here.Prefix->Lock);
  --Here.Prefix->Branches[Here.Branch].Inside;
}

/// Shares the first prefixes of the current execution, as many as `Levels`: what is planned from them is anybody's.
void DporWorker::share(size_t Levels) {
  while (SharedLevels.size() < Levels) {
    const size_t Level = SharedLevels.size();
    Prefix &Here = Prefixes[Level];
    auto New = std::make_shared<SharedPrefix>();
    New->Asleep.assign(Sleepers.begin() + static_cast<ptrdiff_t>(Here.FirstSleeper),
                       Sleepers.begin() + static_cast<ptrdiff_t>(Here.FirstSleeper + Here.NumSleepers));
    const Event &Own = Exec[static_cast<uint32_t>(Level)];
    New->Branches.push_back({{Own.Process, Own.Touched}, 1, false});
    New->DoneBefore = Here.Done;
    New->Planned = std::exchange(plannedFrom(Here), nullptr);
    SharedLevels.push_back({std::move(New), 0});
  }
}

/// Whether a worker could begin something that is planned from a prefix of the current execution.
bool DporWorker::hasWorkToOffer(size_t Level) {
  if (Level < SharedLevels.size()) {
    SharedPrefix &From = *SharedLevels[Level].Prefix;
    std::lock_guard<std::mutex> Guard(From.Lock);
    return findPossible(From) != nullptr;
  }
  std::vector<const Footprint *> Others{&Exec[static_cast<uint32_t>(Level)].Touched};
  return findApart(plannedFrom(Prefixes[Level]), Others) != nullptr;
}

/// Gives away what is planned from the shortest prefix from which something can be begun.
void DporWorker::offerWork() {
  size_t Level = 0;
  while (Level < Exec.length() && !hasWorkToOffer(Level))
    ++Level;
  if (Level == Exec.length())
    return;
  share(Level + 1);
  DporJob Job;
  Job.Levels.assign(SharedLevels.begin(), SharedLevels.begin() + static_cast<ptrdiff_t>(Level + 1));
  for (uint32_t K = 0; K < Level; ++K) {
    Job.Steps.push_back(Exec[K].Process);
    const SharedLevel &On = SharedLevels[K];
    std::lock_guard<std::mutex> Guard(On.Prefix->Lock);
    ++On.Prefix->Branches[On.Branch].Inside;
  }
  Team.offer(std::move(Job));
}

/// Takes the steps that lead to a stolen job. False if that is not possible: what this worker takes to be shared
/// differs from what the other does, and exploration must restart.
bool DporWorker::replay(const DporJob &Job) {
  Prefixes.assign(1, Prefix());
  SleepersInUse = 0;
  SharedLevels = Job.Levels;
  for (ProcessId P : Job.Steps) {
    if (!Config.isEnabled(P)) {
      ReplayDiverged = true;
      return false;
    }
    Exec.append(P);
    LastProcess = P;
    Prefixes.emplace_back();
  }
  return true;
}

} // namespace picket
