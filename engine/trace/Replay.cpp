#include "trace/Replay.h"

#include "trace/GraphRecorder.h"
#include "trace/Recorder.h"
#include "trace/Wording.h"

#include <algorithm>
#include <map>

namespace picket {

namespace {

/// Whether the event happened as it was recorded. Places may have moved: the text around it may have been edited.
bool sameEvent(const Recording &Recorded, uint32_t Old, const Recording &Now, uint32_t New) {
  const TraceEvent &A = Recorded.Events[Old], &B = Now.Events[New];
  if (A.Kind != B.Kind || A.words() != B.words() || A.Accesses.size() != B.Accesses.size())
    return false;
  for (size_t J = 0; J < A.Accesses.size(); ++J)
    if (A.Accesses[J].Write != B.Accesses[J].Write || A.Accesses[J].Text != B.Accesses[J].Text ||
        Recorded.Variables[A.Accesses[J].Variable].Name != Now.Variables[B.Accesses[J].Variable].Name)
      return false;
  return true;
}

void differs(ReplayResult &Result, const Recording &Recorded, uint32_t Event, const std::string &Now) {
  Result.Outcome = ReplayResult::Differs;
  Result.Event = Event;
  Result.Message = threadText(Recorded, Recorded.Events[Event].Thread) + " " + describeEvent(Recorded, Event) + " (" +
                   lineText(Recorded, Recorded.Events[Event].At.Where) + ") in the recording; now " + Now;
}

std::string happenedInstead(const Recording &Now, uint32_t Event) {
  return threadText(Now, Now.Events[Event].Thread) + " " + describeEvent(Now, Event) + " (" +
         lineText(Now, Now.Events[Event].At.Where) + ")";
}

const char *const CannotGoOn = "the program does something else, or cannot go on";

void judge(ReplayResult &Result, const Recording &Recorded, bool Found) {
  if (Result.Outcome == ReplayResult::Differs)
    return;
  Result.Outcome = Found || Recorded.BugEvent == NoEvent ? ReplayResult::SameBug : ReplayResult::NoBug;
  Result.Message = Found ? Result.Run->BugMessage
                   : Recorded.BugEvent == NoEvent
                       ? "the execution can still happen"
                       : "the execution can still happen, but nothing goes wrong in it any more";
}

class Replayer {
public:
  Replayer(Configuration &C, const Recording &Recorded) : Config(C), Mach(C.machine()), Recorded(Recorded), Into(C) {}

  ReplayResult run() {
    Into.begin();
    OrdinalOf.resize(Recorded.Events.size());
    std::vector<uint32_t> Counts(Recorded.Threads.size(), 0);
    for (uint32_t K = 0; K < Recorded.Events.size(); ++K)
      if (Recorded.Events[K].Kind != EventKind::Update)
        OrdinalOf[K] = Counts[Recorded.Events[K].Thread]++;
    uint32_t Done = 0;
    while (!isOver(Done) && happens(Recorded.Events[Done], OrdinalOf[Done]))
      ++Done;
    const BugReport *Found = isOver(Done) ? findBug() : nullptr;
    ReplayResult Result;
    Result.Run = Into.finish(Found);
    Result.Run->File = Recorded.File;
    Result.Run->Unroll = Recorded.Unroll;
    compare(Result, Done);
    judge(Result, Recorded, Found != nullptr);
    return Result;
  }

private:
  /// The thread of this machine that is a thread of the recording.
  std::optional<ThreadId> threadOf(uint32_t Index) const {
    if (Index >= Recorded.Threads.size())
      return std::nullopt;
    for (ThreadId T = 0; T < Mach.numThreads(); ++T)
      if (Mach.exists(T) && Mach.pathOf(T) == Recorded.Threads[Index].Identity)
        return T;
    return std::nullopt;
  }

  /// Whether all that can be replayed has been: what comes now is the bug.
  bool isOver(uint32_t Done) const { return Done >= Recorded.Events.size() || Done == Recorded.BugEvent; }

  /// The Ordinal-th event of a thread that is no update, if it has happened.
  uint32_t happened(ThreadId T, uint32_t Ordinal) {
    if (T >= Mine.size())
      Mine.resize(T + 1);
    for (; Looked < Into.events().size(); ++Looked)
      if (const TraceEvent &E = Into.events()[Looked]; E.Kind != EventKind::Update) {
        if (E.Thread >= Mine.size())
          Mine.resize(E.Thread + 1);
        Mine[E.Thread].push_back(Looked);
      }
    return Ordinal < Mine[T].size() ? Mine[T][Ordinal] : NoEvent;
  }

  /// Makes a recorded event happen, unless it happened along with another one. False if it cannot.
  bool happens(const TraceEvent &E, uint32_t Ordinal) {
    std::optional<ThreadId> T = threadOf(E.Thread);
    if (!T)
      return false;
    if (E.Kind == EventKind::Blocked)
      return true; // that is not something that happens
    if (E.Kind == EventKind::Update) {
      uint32_t Store = happened(*T, OrdinalOf[E.Partner]);
      for (ProcessId P : Config.updatesOf(*T))
        if (Store != NoEvent && Config.isEnabled(P) && Into.storeOf(*T, Config.nextEntry(P)) == Store) {
          Into.step(P);
          return true;
        }
      return Store != NoEvent && Into.events()[Store].Partner != NoEvent;
    }
    while (happened(*T, Ordinal) == NoEvent) {
      if (Mach.status(*T) != ThreadStatus::Ready || !Config.isEnabled(Config.processOf(*T)))
        return false;
      bool Yields = Mach.pending(*T).Kind == OperationKind::Yield;
      Into.step(Config.processOf(*T));
      if (!Yields && happened(*T, Ordinal) == NoEvent)
        return false;
    }
    return true;
  }

  const BugReport *findBug() {
    if (Recorded.BugEvent == NoEvent)
      return nullptr;
    auto Find = [&]() -> const BugReport * {
      for (const BugReport &B : Mach.bugs())
        if (B.Kind == Recorded.BugKind && Mach.threadName(B.Thread) == Recorded.BugThread)
          return &B;
      return nullptr;
    };
    // The bug may be what the thread does next, or that no thread can continue. Others may have failed before.
    std::optional<ThreadId> Guilty = threadOf(Recorded.Events[Recorded.BugEvent].Thread);
    // A livelock: it has gone round as recorded, and can go on.
    auto GoesOn = [&](ThreadStatus Now) { return Now == ThreadStatus::Ready || Now == ThreadStatus::Cut; };
    if (Recorded.GoesRound && !Find() && Guilty && GoesOn(Mach.status(*Guilty)))
      Mach.report({BugKind::Hang, *Guilty, Mach.pc(*Guilty), Recorded.BugMessage, true});
    if (!Find() && Guilty && Mach.status(*Guilty) == ThreadStatus::Ready && Config.isEnabled(Config.processOf(*Guilty)))
      Into.step(Config.processOf(*Guilty));
    std::vector<ProcessId> Enabled;
    Config.enabled(Enabled);
    if (Mach.bugs().empty() && Enabled.empty())
      Config.ending();
    return Find();
  }

  /// The first event that is not what was recorded. Events of different threads may have changed places.
  void compare(ReplayResult &Result, uint32_t Done) {
    const Recording &Now = *Result.Run;
    for (uint32_t K = 0; K < Done; ++K) {
      if (Recorded.Events[K].Kind == EventKind::Update || Recorded.Events[K].Kind == EventKind::Blocked)
        continue; // the store of an update is compared, and it has landed
      uint32_t New = happened(*threadOf(Recorded.Events[K].Thread), OrdinalOf[K]);
      if (!sameEvent(Recorded, K, Now, New)) {
        differs(Result, Recorded, K, happenedInstead(Now, New));
        return;
      }
    }
    if (!isOver(Done))
      differs(Result, Recorded, Done, CannotGoOn);
  }

  Configuration &Config;
  Machine &Mach;
  const Recording &Recorded;
  Recorder Into;
  std::vector<uint32_t> OrdinalOf;         // per recorded event: among those of its thread, updates left out
  std::vector<std::vector<uint32_t>> Mine; // per thread: its events so far, updates left out
  uint32_t Looked = 0;
};

/// Replays an execution of POWER: commits the same accesses with the same sources and places in coherence, in whatever
/// order they can be.
class GraphReplayer {
public:
  GraphReplayer(const Recording &Recorded) : Recorded(Recorded) {
    for (const TraceThread &T : Recorded.Threads)
      Script.Threads.push_back(T.Identity);
    std::vector<uint32_t> StepOf(Recorded.Events.size(), ~0u);
    for (uint32_t K = 0; K < Recorded.Events.size(); ++K)
      if (const TraceEvent &E = Recorded.Events[K]; E.Number != NoEvent) {
        StepOf[K] = static_cast<uint32_t>(Script.Steps.size());
        EventOf.push_back(K);
        GraphScript::Step &S = Script.Steps.emplace_back();
        S.Thread = E.Thread;
        S.Number = E.Number;
        S.Part = E.Part;
        S.Turn = K == Recorded.RaceSecond ? GraphScript::Step::Bug : turnOf(E);
        // A second end of the same memory is a bug, and not an access of a part of it.
        S.Whole = E.Kind == EventKind::Free || (E.Kind == EventKind::Bug && Recorded.BugKind == BugKind::DoubleFree);
        for (const TraceAccess &A : E.Accesses) {
          S.Position = std::max(S.Position, A.Position);
          for (size_t C = 0; C < A.Cells.size(); ++C) {
            if (S.Cells.size() <= C)
              S.Cells.push_back({A.Cells[C].Offset, ~0u, 0});
            S.Cells[C].Position = std::max(S.Cells[C].Position, A.Cells[C].Position);
          }
        }
      }
    for (size_t Step = 0; Step < EventOf.size(); ++Step)
      for (const TraceAccess &A : Recorded.Events[EventOf[Step]].Accesses) {
        if (A.Source != NoEvent)
          Script.Steps[Step].Source = StepOf[A.Source];
        for (size_t C = 0; C < A.Cells.size(); ++C)
          if (A.Cells[C].Source != NoEvent)
            Script.Steps[Step].Cells[C].Source = StepOf[A.Cells[C].Source];
      }
  }

  ReplayResult run(const Program &P, const MachineOptions &Options, Sharing &Shared) {
    prepare(P);
    ReplayResult Result;
    followGraph(P, graphModelOf(Recorded.Model, Recorded.Language), Options, Shared, Script, nullptr,
                [&](GraphRun &Run, const std::vector<bool> &Done) {
                  const BugReport *Found = findBug(Run.machine());
                  Result.Run = recordRun(Run, Recorded.Model, Found);
                  Result.Run->File = Recorded.File;
                  Result.Run->Unroll = Recorded.Unroll;
                  compare(Result, Done);
                  judge(Result, Recorded, Found != nullptr);
                });
    return Result;
  }

  /// Whether every access takes place again, and the bug with them.
  bool happens(const Program &P, const MachineOptions &Options, Sharing &Shared) {
    prepare(P);
    bool All = false;
    followGraph(P, graphModelOf(Recorded.Model, Recorded.Language), Options, Shared, Script, nullptr,
                [&](GraphRun &Run, const std::vector<bool> &Done) {
                  All = findBug(Run.machine()) != nullptr;
                  for (size_t Step = 0; Step < Done.size(); ++Step)
                    All &= Done[Step] || !isCompared(Recorded.Events[EventOf[Step]]);
                });
    return All;
  }

private:
  void prepare(const Program &P) {
    if (Recorded.isRace()) {
      auto NameOf = [&](uint32_t Event) {
        const TraceEvent &E = Recorded.Events[Event];
        return GraphScript::Name{E.Thread, E.Number, E.Part};
      };
      Script.Ending = {NameOf(Recorded.RaceFirst), NameOf(Recorded.RaceSecond)};
    }
    for (uint32_t Site = 0; Site < P.NumSites; ++Site)
      for (const SharedThing &Thing : Recorded.Shared)
        if (!Thing.Parts.empty() && Thing.isSame(nameOfSite(P, Site)))
          Script.Known.Accessed[Site] = {Thing.Parts.begin(), Thing.Parts.end()};
  }

  /// Whether an event writes behind the end of memory. Ends have no position of their own in a recording: the one that
  /// is missing is theirs.
  bool isBehindEnd(const TraceEvent &E) const {
    return std::any_of(E.Accesses.begin(), E.Accesses.end(), [&](const TraceAccess &A) {
      const uint64_t Start = Recorded.Variables[A.Variable].Address;
      uint32_t Before = 0;
      for (const TraceEvent &Other : Recorded.Events)
        for (const TraceAccess &B : Other.Accesses) {
          const TraceVariable &V = Recorded.Variables[B.Variable];
          if (V.Address > Start || V.Address + V.Size <= Start)
            continue;
          const uint32_t Position = B.at(static_cast<uint32_t>(Start - V.Address)).Position;
          Before += Position > 0 && Position < A.Position;
        }
      return A.Position > Before + 1;
    });
  }

  /// Whether an event is the end of memory that is the bug, but was taken notice of before it was one.
  bool isSecondEnd(const TraceEvent &E) const {
    if (Recorded.BugEvent == NoEvent || E.Kind != EventKind::Free)
      return false;
    const TraceEvent &Bug = Recorded.Events[Recorded.BugEvent];
    return E.Thread == Bug.Thread && E.Number == Bug.Number;
  }

  static bool readsEnd(const Recording &R, const TraceEvent &E) {
    bool Reads = false;
    for (const TraceAccess &A : E.Accesses)
      A.eachSource([&](uint32_t Source) { Reads |= R.Events[Source].Kind == EventKind::Free; });
    return Reads;
  }

  decltype(GraphScript::Step::Turn) turnOf(const TraceEvent &E) const {
    if (E.Kind == EventKind::Bug || readsEnd(Recorded, E))
      return GraphScript::Step::Bug;
    if (isBehindEnd(E) || isSecondEnd(E))
      return GraphScript::Step::BehindEnd;
    // Late: the thread of a write that it comes before goes on until then.
    return E.Kind == EventKind::Free ? GraphScript::Step::End : GraphScript::Step::Any;
  }

  const BugReport *findBug(Machine &M) const {
    for (const BugReport &B : M.bugs())
      if (B.Kind == Recorded.BugKind && M.threadName(B.Thread) == Recorded.BugThread)
        return &B;
    return nullptr;
  }

  /// Choices are those of the recording, and there is no order between them and the accesses.
  static bool isCompared(const TraceEvent &E) {
    return E.Kind != EventKind::Bug && E.Kind != EventKind::Blocked && E.Kind != EventKind::Choice;
  }

  /// The first event that is not what was recorded, or was not possible.
  void compare(ReplayResult &Result, const std::vector<bool> &Done) const {
    const Recording &Now = *Result.Run;
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> OfThread; // by identity
    for (uint32_t K = 0; K < Now.Events.size(); ++K)
      if (isCompared(Now.Events[K]))
        OfThread[Now.Threads[Now.Events[K].Thread].Identity].push_back(K);
    std::map<uint32_t, size_t> Next;
    for (uint32_t K = 0; K < Recorded.Events.size(); ++K) {
      const TraceEvent &E = Recorded.Events[K];
      if (!isCompared(E))
        continue;
      const std::vector<uint32_t> &Mine = OfThread[Recorded.Threads[E.Thread].Identity];
      const size_t Ordinal = Next[E.Thread]++;
      if (Ordinal < Mine.size() && sameEvent(Recorded, K, Now, Mine[Ordinal]))
        continue;
      return differs(Result, Recorded, K, Ordinal < Mine.size() ? happenedInstead(Now, Mine[Ordinal]) : CannotGoOn);
    }
    for (size_t Step = 0; Step < Done.size(); ++Step)
      if (!Done[Step] && isCompared(Recorded.Events[EventOf[Step]]))
        return differs(Result, Recorded, EventOf[Step], CannotGoOn);
  }

  const Recording &Recorded;
  GraphScript Script;
  std::vector<uint32_t> EventOf; // per step
};

/// Whether the numbers in a recording, which may have been written by anybody, point to something.
bool isSound(const Recording &R) {
  if (R.BugEvent != NoEvent && R.BugEvent >= R.Events.size())
    return false;
  if (R.isRace() && (R.RaceFirst >= R.Events.size() || R.RaceSecond >= R.Events.size()))
    return false;
  for (const TraceEvent &E : R.Events) {
    if (E.Thread >= R.Threads.size() || E.Other >= R.Threads.size() ||
        (E.Partner != NoEvent && E.Partner >= R.Events.size()))
      return false;
    bool Sound = true;
    for (const TraceAccess &A : E.Accesses) {
      Sound &= A.Variable < R.Variables.size();
      A.eachSource([&](uint32_t Source) { Sound &= Source < R.Events.size() && R.Events[Source].canBeRead(); });
    }
    if (!Sound)
      return false;
    for (const TraceLink &L : E.Links)
      if (L.On >= R.Events.size())
        return false;
    bool NeedsAccess = E.isAccess() || E.Kind == EventKind::Sync || E.Kind == EventKind::Free;
    if (NeedsAccess && E.Accesses.empty())
      return false;
  }
  return true;
}

} // namespace

/// The failures that the recording has. The program may be another version, whose instructions are elsewhere.
static std::vector<FailurePoint> failuresOf(const Recording &Recorded) {
  std::vector<FailurePoint> Failures = Recorded.Failures;
  for (FailurePoint &F : Failures)
    F.Pc = FailurePoint::Anywhere;
  return Failures;
}

static Program withFailures(Program P, const Recording &Recorded) {
  P.Failures = failuresOf(Recorded);
  P.Reached = nullptr;
  return P;
}

ReplayResult replay(const Program &P, const Recording &Recorded, const MachineOptions &Given) {
  if (P.Failures != failuresOf(Recorded))
    return replay(withFailures(P, Recorded), Recorded, Given);
  MachineOptions Options = Given;
  Options.Language = Recorded.Language;
  if (Recorded.BugKind)
    Options.Looked = Checks::only(*Recorded.BugKind); // nothing else is of interest
  ReplayResult Result;
  if (!isSound(Recorded)) {
    Result.Message = "the recording contradicts itself";
    return Result;
  }
  if (P.Main < 0) {
    Result.Message = "there is no 'main' to run";
    return Result;
  }
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  markShared(P, Recorded.Shared, Shared);
  try {
    if (isExploredAsGraphs(Recorded.Model) || Recorded.isRace())
      return GraphReplayer(Recorded).run(P, Options, Shared);
    // A livelock goes on as it is for longer than can be run: a thread whose accesses are its own is cut behind what
    // was recorded, and no sooner, whatever the bound of others.
    constexpr uint32_t More = 16;
    MachineOptions Bounded = Options;
    if (Recorded.GoesRound)
      Bounded.Unroll = static_cast<unsigned>(Recorded.Events.size()) + More;
    // A changed program may share more than was known: then there are more events, and it is run once more.
    do {
      Shared.takeChanged();
      Configuration C(P, Shared, Bounded, Recorded.Model);
      C.start();
      Result = Replayer(C, Recorded).run();
    } while (Shared.changed());
  } catch (const MachineStop &Stop) {
    Result.Outcome = ReplayResult::Impossible;
    Result.Message = Stop.Message;
  }
  return Result;
}

bool stillHappens(const Program &P, const Recording &Recorded, const MachineOptions &Given) {
  MachineOptions Options = Given;
  Options.Language = Recorded.Language;
  if (P.Failures != failuresOf(Recorded))
    return stillHappens(withFailures(P, Recorded), Recorded, Options);
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  markShared(P, Recorded.Shared, Shared);
  try {
    return GraphReplayer(Recorded).happens(P, Options, Shared);
  } catch (const MachineStop &) {
    return false;
  }
}

} // namespace picket
