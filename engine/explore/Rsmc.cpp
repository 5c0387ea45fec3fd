#include "explore/Rsmc.h"

#include "memory/OutOfOrder.h"
#include "memory/PowerAxioms.h"

#include <functional>
#include <set>
#include <tuple>
#include <utility>

namespace picket {

namespace {

/// Something became shared: what was explored so far must be explored anew.
struct StartOver {};
/// The exploration is to end here.
struct Enough {};

/// The names of P, Q, cut and normalize are the paper's: P[e] is Frame::Prefix, Q[e] is Frame::Queue.
template <unsigned Words> class Explorer final : public GraphRun {
public:
  using Set = EventSet<Words>;
  using Graph = ExecutionGraph<Words>;

  Explorer(const Program &P, AxiomaticModel Model, const ExplorationOptions &Options, Sharing &Shared,
           EndingMemory &Memory, ExplorationResult &Result, GraphObserver &Observer)
      : Options(Options), Shared(Shared), Memory(Memory), Result(Result), Observer(Observer),
        M(P, Shared, Options.Machine), Flow(M, G, Model, Memory), Model(Axioms<Words>::make(Model)) {}

  void run() {
    Flow.Look = [this] { lookNow(); };
    M.start();
    M.undo().setRecording(true);
    if (advance())
      explore();
  }

  uint64_t finalRegister(ThreadId T, uint32_t Slot) override { return Flow.finalSlot(T, Slot); }
  uint64_t finalValue(Address Where, unsigned Width) override { return Flow.finalValue(Where, Width); }
  Machine &machine() override { return M; }
  std::vector<GraphAccess> accesses() override;
  std::vector<GraphFact> facts() override;
  const GraphNotes &notes() const override { return Notes; }
  GraphScript script() override;

  /// What followGraph is asked, and how far it has come.
  struct Following {
    const GraphScript &Script;
    const BugReport *Wanted;
    const std::function<void(GraphRun &, const std::vector<bool> &)> &Then;
    std::vector<EventId> Done; // per step
  };
  void runAlong(Following &F) {
    Flow.noteInto(&Notes);
    M.start();
    M.undo().setRecording(true);
    if (advance())
      follow(F);
  }

private:
  /// Names an event in all runs: thread and number.
  using Key = uint64_t;
  static constexpr Key Initial = 0, Any = ~0ull;
  Key keyOf(EventId E) const { return E == NoEvent ? Initial : (static_cast<Key>(G[E].Thread + 1) << 32) | G[E].Index; }
  EventId find(Key K) const { return Flow.eventOf(static_cast<ThreadId>(K >> 32) - 1, static_cast<uint32_t>(K)); }

  /// A run to be explored later: steps with their parameters, a store, and then the load that reads it.
  struct Branch {
    struct Step {
      Key Event, Parameter; // of a read its source, of a write its position in coherence, of a decision the outcome
    };
    std::vector<Step> Steps;
    Key Store, StoreParameter; // Any: every position
  };
  /// A load, where it was first chosen.
  struct Frame {
    size_t Prefix; // of Run
    Key Load;
    std::vector<Branch> Queue;
    std::set<std::vector<uint64_t>> Known; // everything that was ever in the queue
    size_t Bytes = 0;                      // about what these take
  };

  // Explore, Traverse, DetectRace.
  void explore();
  void exploreOutcome(EventId E);
  void exploreWrite(EventId E);
  void exploreRead(EventId E);
  void traverse(uint32_t Home, const Branch &B, size_t At);
  void traverseStore(uint32_t Home, const Branch &B);
  void traverseLoad(uint32_t Home, EventId Store);
  void detectRaces(EventId Store);
  void detectRaces(EventId Update, EventId Source);
  void addBranch(uint32_t Home, const Set &Past, EventId Store, Key Parameter);

  EventId choose();
  uint64_t rankOf(EventId E) const;
  bool isOpen(EventId E) const;
  bool isEnabled(EventId E);
  Set commitBefore(EventId E) const;
  Set pastOf(const Set &Direct) const;

  /// Commits E, calls Then, and takes everything back. False if the axioms, or what E waits for, reject the parameter.
  template <typename Continuation> bool withRead(EventId E, EventId Source, uint32_t Home, Continuation Then);
  template <typename Continuation> bool withWrite(EventId E, uint32_t Position, Continuation Then);
  template <typename Continuation> void withOutcome(EventId E, bool Succeeds, Continuation Then);
  bool placeUpdate(EventId Read, EventId Source, typename OutOfOrder<Words>::Update &Done);
  void takeBackUpdate(EventId Read);

  // Following a script.
  using Index = std::map<std::tuple<uint32_t, uint32_t, uint32_t>, EventId>; // by thread (of the script), number, part
  void follow(Following &F);
  bool followStep(Following &F, size_t Step, const Index &Events);
  Index indexFor(const GraphScript &Script) const;
  static bool stores(const GraphScript &Script, const typename Index::key_type &Decision);
  EventId find(const GraphScript::Step &Step, const Index &Events);
  bool hasBug(const BugReport &Wanted) const;
  bool followOwn(Following &F, const Index &Events);
  void complete(Following &F);
  template <typename Continuation> bool commitSomehow(EventId E, Continuation Then);
  void endOfScript(Following &F);
  std::vector<std::pair<uint32_t, uint32_t>> numbers() const;

  bool advance();
  void startOverIfSurprised();
  bool lookForEnds(EventId Committed);
  bool goesRoundForEver(EventId Load);
  void leaf();
  Ending ending(ThreadId &Stuck, bool &Superfluous);
  bool canGoOn(EventId Waiting);
  void look() {
    if (++Commits % 4096 == 0)
      lookNow();
  }
  void lookNow();

  const ExplorationOptions &Options;
  Sharing &Shared;
  EndingMemory &Memory;
  ExplorationResult &Result;
  GraphObserver &Observer;
  Graph G;
  Machine M;
  OutOfOrder<Words> Flow;
  std::unique_ptr<Axioms<Words>> Model;
  std::vector<EventId> Run; // committed, in order; an update is named by its read
  Set LeftOut;              // store-conditionals that are not committed in this part of the exploration
  std::deque<Frame> Frames;
  GraphNotes Notes;
  std::vector<std::pair<EventId, uint32_t>>
      Deferred; // loads that wait for ever in this part of the exploration; frames
  uint64_t Commits = 0;
  size_t BranchBytes = 0; // of all frames
};

template <unsigned Words> EventSet<Words> Explorer<Words>::commitBefore(EventId E) const {
  Set Direct = Model->commitBefore(G, E);
  if (G[E].OfUpdate) {
    Direct |= Model->commitBefore(G, E + 1);
    Direct.erase(E);
  }
  return Direct;
}

template <unsigned Words> EventSet<Words> Explorer<Words>::pastOf(const Set &Direct) const {
  Set Past = Direct;
  Direct.forEach([&](EventId E) { Past |= G[E].Past; });
  return Past;
}

template <unsigned Words> bool Explorer<Words>::isEnabled(EventId E) {
  return Flow.locate(E) && (!G[E].OfUpdate || Flow.locate(E + 1)) && Flow.hasOperands(E) &&
         commitBefore(E).isSubsetOf(G.Committed);
}

/// Whether an event may be committed as soon as it is enabled.
template <unsigned Words> bool Explorer<Words>::isOpen(EventId E) const {
  return !G.Committed.contains(E) && !(G[E].OfUpdate && G[E].IsWrite) && !Flow.isAbandoned(E) && !LeftOut.contains(E) &&
         std::none_of(Deferred.begin(), Deferred.end(), [E](auto &D) { return D.first == E; });
}

/// In which order to commit. Writes first: a read can then choose among them, which saves races. Reads that may have to
/// wait for others come late, and last the writes that may turn out to be impossible.
template <unsigned Words> uint64_t Explorer<Words>::rankOf(EventId E) const {
  uint64_t Group = G[E].Decides ? 0 : G[E].Conditional ? 4 : G[E].IsWrite ? 1 : Flow.mayWait(E) ? 3 : 2;
  return (Group << 32) + G[E].Index;
}

/// The next event to commit.
template <unsigned Words> EventId Explorer<Words>::choose() {
  EventId Best = NoEvent;
  uint64_t BestRank = ~0ull;
  for (EventId E = 0; E < G.size(); ++E) {
    if (!isOpen(E) || !isEnabled(E))
      continue;
    if (uint64_t Rank = rankOf(E); Rank < BestRank) {
      Best = E;
      BestRank = Rank;
    }
  }
  return Best;
}

template <unsigned Words> void Explorer<Words>::startOverIfSurprised() {
  if (!Shared.takeChanged() && !Memory.Changed)
    return;
  Memory.Changed = false;
  throw StartOver();
}

/// Finds uses of memory that has ended, which the event that was just committed makes.
template <unsigned Words> bool Explorer<Words>::lookForEnds(EventId Committed) {
  if (!G[Committed].IsWrite) {
    EventId Source = G[Committed].Source;
    if (Source == NoEvent || !G[Source].Ends)
      return false;
    Flow.failEnded(Committed, Source);
    return true;
  }
  EventId End = NoEvent;
  for (EventId W : G.Places[G[Committed].Place].Coherence) {
    if (End != NoEvent) {
      Flow.failEnded(W, End);
      return true;
    }
    if (G[W].Ends)
      End = W;
  }
  return false;
}

/// Fetches. False if a thread came back to the head of its spin loop: what it read last is nothing to go on with.
template <unsigned Words> bool Explorer<Words>::advance() {
  Flow.fetch();
  startOverIfSurprised();
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    if (M.exists(T) && Flow.isSpinning(T))
      return false;
  return true;
}

template <unsigned Words>
bool Explorer<Words>::placeUpdate(EventId Read, EventId Source, typename OutOfOrder<Words>::Update &Done) {
  EventId Write = Read + 1;
  Done = Flow.update(Read, G[Read].Value);
  G[Write].Past = G[Read].Past;
  G[Write].Past.insert(Read);
  G[Write].Home = ~0u;
  if (Done.Does == OutOfOrder<Words>::Update::Waits)
    return false;
  if (Done.Does != OutOfOrder<Words>::Update::Writes) {
    G.commitVoid(Write);
    return true;
  }
  G[Write].Value = Done.Value;
  Model->extend(G, Write);
  G.commitWrite(Write, G.positionOf(Source) + 1);
  if (G.keepsUpdatesWhole(Write) && Model->allows(G, Write))
    return true;
  G.uncommitWrite(Write);
  return false;
}

template <unsigned Words> void Explorer<Words>::takeBackUpdate(EventId Read) {
  if (G[Read + 1].Void)
    G.uncommitVoid(Read + 1);
  else
    G.uncommitWrite(Read + 1);
}

template <unsigned Words>
template <typename Continuation>
bool Explorer<Words>::withRead(EventId E, EventId Source, uint32_t Home, Continuation Then) {
  look();
  auto Before = Flow.mark();
  Set Direct = commitBefore(E);
  if (Source != NoEvent)
    Direct.insert(Source);
  G[E].Past = pastOf(Direct);
  G[E].Home = Home;
  G.commitRead(E, Source);
  Model->extend(G, E);
  bool Accepted = Model->allows(G, E);
  if (Accepted) {
    typename OutOfOrder<Words>::Update Done;
    bool IsUpdate = G[E].OfUpdate;
    Accepted = !IsUpdate || placeUpdate(E, Source, Done);
    if (Accepted) {
      if (!lookForEnds(E) && IsUpdate)
        Flow.noteUpdate(E, Done);
      Run.push_back(E);
      Accepted = advance();
      if (Accepted)
        Then();
      Run.pop_back();
      Flow.undoTo(Before);
      if (IsUpdate)
        takeBackUpdate(E);
    }
  }
  G.uncommitRead(E);
  return Accepted;
}

template <unsigned Words>
template <typename Continuation>
bool Explorer<Words>::withWrite(EventId E, uint32_t Position, Continuation Then) {
  look();
  auto Before = Flow.mark();
  G[E].Value = Flow.valueOf(E);
  G[E].Home = ~0u;
  G.commitWrite(E, Position);
  bool Accepted = G.keepsUpdatesWhole(E) && Model->allows(G, E);
  if (Accepted) {
    lookForEnds(E);
    Run.push_back(E);
    Accepted = advance();
    if (Accepted)
      Then();
    Run.pop_back();
    Flow.undoTo(Before);
  }
  G.uncommitWrite(E);
  return Accepted;
}

template <unsigned Words>
template <typename Continuation>
void Explorer<Words>::withOutcome(EventId E, bool Succeeds, Continuation Then) {
  auto Before = Flow.mark();
  G[E].Past = pastOf(commitBefore(E));
  G.commitVoid(E);
  Flow.noteOutcome(E, Succeeds);
  Run.push_back(E);
  if (advance())
    Then();
  Run.pop_back();
  Flow.undoTo(Before);
  G.uncommitVoid(E);
}

template <unsigned Words> void Explorer<Words>::explore() {
  if (!M.bugs().empty() && !Options.Exhaustive)
    return leaf();
  EventId E = choose();
  startOverIfSurprised();
  if (E == NoEvent || (!M.bugs().empty() && !Options.Exhaustive))
    leaf();
  else if (G[E].Decides)
    exploreOutcome(E);
  else if (G[E].IsWrite)
    exploreWrite(E);
  else
    exploreRead(E);
}

template <unsigned Words> void Explorer<Words>::exploreOutcome(EventId E) {
  for (bool Succeeds : {true, false})
    withOutcome(E, Succeeds, [&] { explore(); });
}

template <unsigned Words> void Explorer<Words>::exploreWrite(EventId E) {
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  detectRaces(E);
  auto Last = static_cast<uint32_t>(G.Places[G[E].Place].Coherence.size()) + 1;
  bool Possible = false;
  for (uint32_t Position = Last, Floor = coherenceFloor(G, E); Position > Floor; --Position)
    Possible |= withWrite(E, Position, [&] { explore(); });
  if (!G[E].Conditional)
    return;
  // Other writes of this kind may be in races with loads, but impossible behind this one, wherever it is. It was chosen
  // last, so that nothing else can.
  LeftOut.insert(E);
  if (choose() != NoEvent)
    explore();
  else if (!Possible)
    ++Result.RejectedBranches;
  LeftOut.erase(E);
}

template <unsigned Words> void Explorer<Words>::exploreRead(EventId E) {
  auto Home = static_cast<uint32_t>(Frames.size());
  Frames.push_back({Run.size(), keyOf(E), {}, {}});
  const auto &Place = G.Places[G[E].Place];
  if (G[E].OfUpdate) {
    detectRaces(E, NoEvent);
    for (EventId Source : Place.Coherence)
      detectRaces(E, Source);
  }
  std::vector<EventId> Sources = Place.Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  Sources.erase(Sources.begin(), Sources.begin() + coherenceFloor(G, E));
  for (size_t K = Sources.size(); K-- > 0;)
    withRead(E, Sources[K], Home, [&] { explore(); });
  if (Flow.mayWait(E)) {
    // What the others do while it waits may be what it waits for.
    Deferred.push_back({E, Home});
    explore();
    Deferred.pop_back();
  }
  for (size_t K = 0; K < Frames[Home].Queue.size(); ++K) {
    Branch B = Frames[Home].Queue[K];
    traverse(Home, B, 0);
  }
  BranchBytes -= Frames.back().Bytes;
  Frames.pop_back();
}

/// Follows a branch to its end and explores from there.
template <unsigned Words> void Explorer<Words>::traverse(uint32_t Home, const Branch &B, size_t At) {
  if (At == B.Steps.size())
    return traverseStore(Home, B);
  auto [Event, Parameter] = B.Steps[At];
  EventId E = find(Event);
  if (E == NoEvent || !isEnabled(E)) {
    ++Result.FailedWakeups;
    return;
  }
  auto Next = [&] { traverse(Home, B, At + 1); };
  if (!G[E].IsWrite) {
    if (!withRead(E, Parameter == Initial ? NoEvent : find(Parameter), ~0u, Next))
      ++Result.RejectedBranches;
    return;
  }
  if (G[E].Decides)
    return withOutcome(E, Parameter != 0, Next);
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  if (!withWrite(E, static_cast<uint32_t>(Parameter), Next))
    ++Result.RejectedBranches;
}

template <unsigned Words> void Explorer<Words>::traverseStore(uint32_t Home, const Branch &B) {
  EventId E = find(B.Store);
  if (E == NoEvent || !isEnabled(E)) {
    ++Result.FailedWakeups;
    return;
  }
  if (!G[E].IsWrite) { // an update
    EventId Source = B.StoreParameter == Initial ? NoEvent : find(B.StoreParameter);
    bool Accepted =
        G.positionOf(Source) >= coherenceFloor(G, E) && withRead(E, Source, ~0u, [&] { traverseLoad(Home, E + 1); });
    if (!Accepted)
      ++Result.RejectedBranches;
    return;
  }
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  auto Last = static_cast<uint32_t>(G.Places[G[E].Place].Coherence.size()) + 1;
  bool Possible = false;
  for (uint32_t Position = Last, Floor = coherenceFloor(G, E); Position > Floor; --Position)
    Possible |= withWrite(E, Position, [&] { traverseLoad(Home, E); });
  if (!Possible)
    ++Result.RejectedBranches;
}

template <unsigned Words> void Explorer<Words>::traverseLoad(uint32_t Home, EventId Store) {
  EventId Load = find(Frames[Home].Load);
  if (Load == NoEvent || !isEnabled(Load)) {
    ++Result.FailedWakeups;
    return;
  }
  if (G[Load].OfUpdate)
    detectRaces(Load, Store);
  bool Accepted = G.positionOf(Store) >= coherenceFloor(G, Load) && withRead(Load, Store, Home, [&] { explore(); });
  if (!Accepted && !Flow.mayWait(Load))
    ++Result.RejectedBranches;
}

/// Finds the loads that could read the store if it were committed before them.
template <unsigned Words> void Explorer<Words>::detectRaces(EventId Store) {
  const Set &Past = G[Store].Past;
  (G.Places[G[Store].Place].Reads - Past).forEach([&](EventId Load) {
    if (G[Load].Home != ~0u)
      addBranch(G[Load].Home, Past, Store, Any);
  });
  for (auto [Load, Home] : Deferred)
    if (G[Load].Place == G[Store].Place)
      addBranch(Home, Past, Store, Any);
}

/// The same for the write of an update that reads Source, whether it can do so here or not: it may be the load that
/// keeps it from doing so.
template <unsigned Words> void Explorer<Words>::detectRaces(EventId Update, EventId Source) {
  if (G.positionOf(Source) < coherenceFloor(G, Update)) // its thread has seen something newer, and will have
    return;
  Set Direct = commitBefore(Update);
  if (Source != NoEvent)
    Direct.insert(Source);
  Set Past = pastOf(Direct);
  const auto &Place = G.Places[G[Update].Place];
  auto Done = Flow.update(Update, Source == NoEvent ? Place.Initial : G[Source].Value);
  if (Done.Does != OutOfOrder<Words>::Update::Writes)
    return;
  // An update between that both come after.
  bool Taken = false;
  (G.readersOf(G[Update].Place, Source) & Past).forEach([&](EventId R) { Taken |= G[R].OfUpdate && !G[R + 1].Void; });
  if (Taken)
    return;
  auto Consider = [&](EventId Load, uint32_t Home) {
    if (G[Load].OfUpdate && Flow.update(Load, Done.Value).Does == OutOfOrder<Words>::Update::Waits)
      return;
    addBranch(Home, Past, Update, keyOf(Source));
  };
  (Place.Reads - Past).forEach([&](EventId Load) {
    if (G[Load].Home != ~0u && Load != Update)
      Consider(Load, G[Load].Home);
  });
  for (auto [Load, Home] : Deferred)
    if (G[Load].Place == G[Update].Place && Load != Update)
      Consider(Load, Home);
}

/// Cuts the run since the load down to what is before the store, normalises its order, and queues it.
template <unsigned Words>
void Explorer<Words>::addBranch(uint32_t Home, const Set &Past, EventId Store, Key Parameter) {
  Frame &F = Frames[Home];
  Set Left, Present;
  for (size_t K = 0; K < Run.size(); ++K) {
    EventId E = Run[K];
    bool Updates = G[E].OfUpdate;
    if (K < F.Prefix) {
      Present.insert(Updates ? E + 1 : E);
    } else if (Past.contains(E) || (Updates && Past.contains(E + 1))) {
      Left.insert(E);
    }
  }
  Branch B;
  while (!Left.empty()) {
    EventId Next = NoEvent;
    Left.forEach([&](EventId E) {
      if (!G[E].Past.intersects(Left) && (Next == NoEvent || keyOf(E) < keyOf(Next)))
        Next = E;
    });
    Left.erase(Next);
    Key P;
    if (!G[Next].IsWrite) {
      P = keyOf(G[Next].Source);
      Present.insert(G[Next].OfUpdate ? Next + 1 : Next);
    } else if (G[Next].Decides) {
      P = Flow.succeeds(Next);
    } else {
      P = 1;
      for (EventId W : G.Places[G[Next].Place].Coherence) {
        if (W == Next)
          break;
        P += Present.contains(W);
      }
      Present.insert(Next);
    }
    B.Steps.push_back({keyOf(Next), P});
  }
  B.Store = keyOf(Store);
  B.StoreParameter = Parameter;
  std::vector<uint64_t> Name;
  for (const auto &Step : B.Steps) {
    Name.push_back(Step.Event);
    Name.push_back(Step.Parameter);
  }
  Name.push_back(B.Store);
  Name.push_back(B.StoreParameter);
  const size_t Bytes = 2 * Name.size() * sizeof(uint64_t) + sizeof(Branch) + 64;
  if (!F.Known.insert(std::move(Name)).second)
    return;
  F.Queue.push_back(std::move(B));
  F.Bytes += Bytes;
  BranchBytes += Bytes;
}

/// Whether an operation that waits could go on with something that is there.
template <unsigned Words> bool Explorer<Words>::canGoOn(EventId Waiting) {
  std::vector<EventId> Sources = G.Places[G[Waiting].Place].Coherence;
  Sources.insert(Sources.begin(), NoEvent);
  for (size_t K = coherenceFloor(G, Waiting); K < Sources.size(); ++K)
    if (withRead(Waiting, Sources[K], ~0u, [] {}))
      return true;
  return false;
}

/// Whether a spin loop goes round for ever if nobody writes any more: the thread may have begun its iteration with
/// values that others have since replaced, so it gets a whole one with the latest.
template <unsigned Words> bool Explorer<Words>::goesRoundForEver(EventId Load) {
  ThreadId T = G[Load].Thread;
  auto Before = Flow.mark();
  std::vector<EventId> Done;
  bool Forever = false;
  const uint32_t Loops = Flow.loopsEntered(T);
  for (unsigned Rounds = 0; Load != NoEvent && !Forever;) {
    const auto &Coherence = G.Places[G[Load].Place].Coherence;
    EventId Latest = Coherence.empty() ? NoEvent : Coherence.back();
    Set Direct = commitBefore(Load);
    if (Latest != NoEvent)
      Direct.insert(Latest);
    G[Load].Past = pastOf(Direct);
    G.commitRead(Load, Latest);
    Model->extend(G, Load);
    typename OutOfOrder<Words>::Update Update;
    if (G[Load].OfUpdate && !placeUpdate(Load, Latest, Update)) {
      G.uncommitRead(Load);
      break;
    }
    if (G[Load].OfUpdate)
      Flow.noteUpdate(Load, Update);
    Done.push_back(Load);
    Flow.fetch();
    if (Flow.isSpinning(T)) {
      Forever = ++Rounds == 2;
      Flow.goRound(T);
      Flow.fetch();
    }
    Load = NoEvent;
    for (EventId E = 0; E < G.size() && Load == NoEvent && Flow.loopsEntered(T) == Loops; ++E)
      if (G[E].Thread == T && !G.Committed.contains(E) && !G[E].IsWrite && Flow.mayWait(E) && isEnabled(E))
        Load = E;
  }
  while (!Done.empty()) {
    if (G[Done.back()].OfUpdate)
      takeBackUpdate(Done.back());
    G.uncommitRead(Done.back());
    Done.pop_back();
  }
  Flow.undoTo(Before);
  return Forever;
}

/// How a run ended in which nothing is left to be committed. Superfluous: only because somebody was made to wait.
template <unsigned Words> Ending Explorer<Words>::ending(ThreadId &Stuck, bool &Superfluous) {
  if (!M.bugs().empty())
    return Ending::Buggy;
  bool Given = false, Unfinished = false;
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    if (!M.exists(T))
      continue;
    switch (M.status(T)) {
    case ThreadStatus::Cut: return Ending::Cut;
    case ThreadStatus::Assumed: Given = true; break;
    case ThreadStatus::Finished:
    case ThreadStatus::Failed: break;
    default: Unfinished = true;
    }
  }
  if (Given)
    return Ending::Blocked;
  if (!Unfinished)
    return Ending::Complete;
  // Once main has returned, whoever still waits for a signal or semaphore goes down with the process.
  EventId Locked = NoEvent, Hangs = NoEvent;
  auto Waiting = std::exchange(Deferred, {});
  bool Moves = false;
  for (auto [E, Home] : Waiting) {
    const Operation &Op = Flow.operation(E);
    bool IsSync = Op.Kind == OperationKind::Sync;
    Moves |= IsSync ? canGoOn(E) : !goesRoundForEver(E);
    if (!IsSync)
      Hangs = E;
    else if (!M.exitCalled() || Op.Sync == SyncOp::MutexLock || Op.Sync == SyncOp::SpinLock)
      Locked = E;
  }
  Deferred = std::move(Waiting);
  if (Moves) { // the runs in which they do are explored elsewhere
    Superfluous = true;
    return Ending::Blocked;
  }
  bool Joins = Deferred.empty() && !M.exitCalled(); // threads that wait for each other's end
  if (Locked == NoEvent && Hangs == NoEvent && !Joins)
    return Ending::Complete;
  if (Joins)
    for (ThreadId T = M.numThreads(); T-- > 0;)
      if (M.exists(T) && M.status(T) == ThreadStatus::Ready)
        Stuck = T;
  if (!Joins)
    Stuck = G[Locked != NoEvent ? Locked : Hangs].Thread;
  M.reportStuck(Stuck, Joins || Locked != NoEvent);
  return Ending::Buggy;
}

template <unsigned Words> void Explorer<Words>::leaf() {
  ThreadId Stuck = ~0u;
  bool Superfluous = false;
  // Whatever was to succeed must have.
  for (EventId E = 0; E < G.size(); ++E)
    Superfluous |= G[E].Conditional && !G.Committed.contains(E) && !Flow.isAbandoned(E);
  Ending How = Superfluous ? Ending::Blocked : ending(Stuck, Superfluous);
  if (Superfluous) {
    ++Result.RejectedBranches;
    return;
  }
  switch (How) {
  case Ending::Complete:
  case Ending::Buggy: ++Result.Executions; break;
  case Ending::Cut: ++Result.Cut; break;
  case Ending::Blocked: ++Result.Blocked; break;
  }
  Observer.ended(*this, How);
  if (Stuck != ~0u)
    M.dropBugs(M.bugs().size() - 1);
  if (How == Ending::Buggy && !Options.Exhaustive) {
    Result.Ended = ExplorationResult::End::FirstBug;
    throw Enough();
  }
}

/// Looks at the clock and at the limits now and then.
template <unsigned Words> void Explorer<Words>::lookNow() {
  auto Stop = [&](std::string Why) {
    Result.Ended = ExplorationResult::End::Limit;
    Result.Reason = std::move(Why);
    throw Enough();
  };
  if (Options.Cancel && Options.Cancel->load(std::memory_order_relaxed))
    Stop("cancelled");
  if (Options.Deadline && std::chrono::steady_clock::now() >= *Options.Deadline)
    Stop("the time limit was reached");
  if (M.undo().bytes() + BranchBytes + M.memory().bytesAllocated() > Options.MaxMemoryBytes)
    Stop("the memory limit was reached");
  Observer.progress(Result);
}

template <unsigned Words> std::vector<GraphAccess> Explorer<Words>::accesses() {
  std::vector<EventId> Order;
  for (EventId E : Run) {
    if (!G[E].Void)
      Order.push_back(E);
    if (G[E].OfUpdate && !G[E + 1].Void)
      Order.push_back(E + 1);
  }
  std::vector<GraphAccess> All;
  for (EventId E : Order) {
    const auto &Place = G.Places[G[E].Place];
    auto Source = static_cast<uint32_t>(std::find(Order.begin(), Order.end(), G[E].Source) - Order.begin());
    All.push_back({G[E].Thread, G[E].Index, G[E].Pc, G[E].IsWrite, G[E].OfUpdate, Place.Where, Place.Width, G[E].Value,
                   G[E].IsWrite || G[E].Source == NoEvent ? ~0u : Source, G[E].IsWrite ? G[E].Position : 0});
  }
  return All;
}

/// Per event: which operation of its thread it is of, and which event of that.
template <unsigned Words> std::vector<std::pair<uint32_t, uint32_t>> Explorer<Words>::numbers() const {
  std::vector<std::pair<uint32_t, uint32_t>> All;
  std::vector<EventId> Last(M.numThreads(), NoEvent);
  for (EventId E = 0; E < G.size(); ++E) {
    EventId Before = std::exchange(Last[G[E].Thread], E);
    if (Before == NoEvent)
      All.push_back({0, 0});
    else if (G[Before].Operation == G[E].Operation && G[Before].Pc == G[E].Pc)
      All.push_back({All[Before].first, All[Before].second + 1});
    else
      All.push_back({All[Before].first + 1, 0});
  }
  return All;
}

template <unsigned Words> std::vector<GraphFact> Explorer<Words>::facts() {
  auto List = [](const Set &Events) {
    std::vector<EventId> All;
    Events.forEach([&](EventId E) { All.push_back(E); });
    return All;
  };
  const auto Numbers = numbers();
  const Set Happened = G.Reads | G.Writes;
  std::vector<GraphFact> All;
  for (EventId E = 0; E < G.size(); ++E) {
    const auto &Event = G[E];
    GraphFact &F = All.emplace_back();
    F.Thread = Event.Thread;
    F.Pc = Event.Pc;
    F.Op = Flow.operation(E);
    F.Number = Numbers[E].first;
    F.Part = Numbers[E].second;
    F.IsWrite = Event.IsWrite;
    F.OfUpdate = Event.OfUpdate;
    F.Ends = Event.Ends;
    F.Happened = Happened.contains(E);
    if (!F.Happened)
      continue;
    const auto &Place = G.Places[Event.Place];
    F.Where = Place.Where;
    F.Width = Place.Width;
    F.Value = Event.Value;
    F.Initial = Place.Initial;
    F.Source = Event.IsWrite ? NoEvent : Event.Source;
    F.Position = Event.IsWrite ? Event.Position : 0;
    const Set Own = Event.Before & Happened;
    F.AddressFrom = List(Event.Address & Own);
    F.DataFrom = List(Event.Data & Own);
    F.ControlFrom = List(Event.Control & Own);
    F.Fenced = List((PowerAxioms<Words>::fullFence(G, E) | PowerAxioms<Words>::lightFence(G, E)) & Own);
    F.Kept = List(Event.Order & Own);
    F.Past = List(Event.Past);
    if (F.Op.Kind == OperationKind::Sync && !F.IsWrite)
      F.State.assign(Flow.stateOf(F.Value), Flow.stateOf(F.Value) + sizeOf(F.Op.Sync));
  }
  return All;
}

template <unsigned Words> GraphScript Explorer<Words>::script() {
  GraphScript Script;
  const auto Numbers = numbers();
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    Script.Threads.push_back(M.exists(T) ? M.pathOf(T) : std::vector<uint32_t>());
  std::vector<uint32_t> StepOf(G.size(), ~0u);
  for (EventId E : Run) {
    if (G[E].Void)
      continue;
    GraphScript::Step &S = Script.Steps.emplace_back();
    S.Thread = G[E].Thread;
    std::tie(S.Number, S.Part) = Numbers[E];
    if (!G[E].IsWrite && G[E].Source != NoEvent)
      S.Source = StepOf[G[E].Source];
    S.Position = G[E].IsWrite ? G[E].Position : G[E].OfUpdate && !G[E + 1].Void ? G[E + 1].Position : 0;
    StepOf[E] = static_cast<uint32_t>(Script.Steps.size() - 1);
    if (G[E].OfUpdate)
      StepOf[E + 1] = StepOf[E];
  }
  return Script;
}

template <unsigned Words> bool Explorer<Words>::hasBug(const BugReport &Wanted) const {
  return std::any_of(M.bugs().begin(), M.bugs().end(), [&](const BugReport &B) {
    return B.Kind == Wanted.Kind && B.Thread == Wanted.Thread && B.Pc == Wanted.Pc;
  });
}

template <unsigned Words> typename Explorer<Words>::Index Explorer<Words>::indexFor(const GraphScript &Script) const {
  std::vector<uint32_t> ThreadOf(M.numThreads(), ~0u);
  for (ThreadId T = 0; T < M.numThreads(); ++T)
    for (uint32_t K = 0; K < Script.Threads.size() && M.exists(T); ++K)
      if (Script.Threads[K] == M.pathOf(T))
        ThreadOf[T] = K;
  const auto Numbers = numbers();
  Index Events;
  for (EventId E = 0; E < G.size(); ++E)
    Events[{ThreadOf[G[E].Thread], Numbers[E].first, Numbers[E].second}] = E;
  return Events;
}

/// The event of a step. Of a whole end: its next part.
template <unsigned Words> EventId Explorer<Words>::find(const GraphScript::Step &Step, const Index &Events) {
  for (auto At = Events.lower_bound({Step.Thread, Step.Number, Step.Part}); At != Events.end(); ++At) {
    auto [Thread, Number, Part] = At->first;
    if (Thread != Step.Thread || Number != Step.Number || (!Step.Whole && Part != Step.Part))
      break;
    if (!G.Committed.contains(At->second))
      return At->second;
  }
  return NoEvent;
}

/// Whether a script has the write that a store-conditional makes if it succeeds.
template <unsigned Words>
bool Explorer<Words>::stores(const GraphScript &Script, const typename Index::key_type &Decision) {
  auto [Thread, Number, Part] = Decision;
  return std::any_of(Script.Steps.begin(), Script.Steps.end(), [&](const GraphScript::Step &S) {
    return S.Thread == Thread && S.Number == Number && S.Part == Part + 1;
  });
}

template <unsigned Words> void Explorer<Words>::follow(Following &F) {
  F.Done.resize(F.Script.Steps.size(), NoEvent);
  choose(); // finds accesses that are bugs
  startOverIfSurprised();
  if (F.Wanted && hasBug(*F.Wanted))
    return complete(F);
  const Index Events = indexFor(F.Script);
  for (const auto &[Name, E] : Events)
    if (G[E].Decides && !G.Committed.contains(E))
      return withOutcome(E, stores(F.Script, Name), [&] { follow(F); });
  auto Goes = [&](bool Last) {
    for (size_t K = 0; K < F.Done.size(); ++K)
      if (const GraphScript::Step &S = F.Script.Steps[K];
          S.Last == Last && (F.Done[K] == NoEvent || S.Whole) && followStep(F, K, Events))
        return true;
    return false;
  };
  if (!Goes(false) && !followOwn(F, Events) && !Goes(true))
    complete(F);
}

/// Lets a thread access what no other thread accesses: scripts need not say so.
template <unsigned Words> bool Explorer<Words>::followOwn(Following &F, const Index &Events) {
  std::vector<bool> Named(G.size(), false);
  for (const GraphScript::Step &S : F.Script.Steps)
    for (auto At = Events.lower_bound({S.Thread, S.Number, S.Part}); At != Events.end(); ++At) {
      auto [Thread, Number, Part] = At->first;
      if (Thread != S.Thread || Number != S.Number || (!S.Whole && Part != S.Part))
        break;
      Named[At->second] = true;
    }
  auto IsOwn = [&](EventId E) {
    return std::none_of(G.Events.begin(), G.Events.end(),
                        [&](const auto &Other) { return Other.Place == G[E].Place && Other.Thread != G[E].Thread; });
  };
  for (EventId E = 0; E < G.size(); ++E)
    if (!Named[E] && !G.Committed.contains(E) && !(G[E].OfUpdate && G[E].IsWrite) && !Flow.isAbandoned(E) &&
        isEnabled(E) && IsOwn(E) && commitSomehow(E, [&] { follow(F); }))
      return true;
  return false;
}

/// Does a step and goes on. False if it is not possible.
template <unsigned Words> bool Explorer<Words>::followStep(Following &F, size_t Step, const Index &Events) {
  const GraphScript::Step &S = F.Script.Steps[Step];
  EventId E = find(S, Events);
  if (E == NoEvent || Flow.isAbandoned(E) || !isEnabled(E))
    return false;
  auto Next = [&] { follow(F); };
  EventId Source = NoEvent;
  if (!G[E].IsWrite && S.Source != ~0u) {
    Source = F.Done[S.Source];
    if (Source != NoEvent && G[Source].OfUpdate && !G[Source].IsWrite)
      ++Source;
    for (EventId W : G.Places[G[E].Place].Coherence)
      if (Source != NoEvent && G[Source].Ends && G[W].Ends)
        Source = W; // of an end the part that is there
    if (Source == NoEvent || G[Source].Place != G[E].Place || !G.Writes.contains(Source))
      return false;
  }
  const EventId Before = std::exchange(F.Done[Step], E);
  bool Possible = false;
  if (!G[E].IsWrite) {
    Possible = G.positionOf(Source) >= coherenceFloor(G, E) && withRead(E, Source, ~0u, Next);
  } else {
    const auto &Coherence = G.Places[G[E].Place].Coherence;
    auto Position = static_cast<uint32_t>(Coherence.size()) + 1;
    for (size_t K = 0; K < F.Done.size() && !S.Whole; ++K)
      for (uint32_t At = 0; At < Coherence.size(); ++At)
        if (F.Script.Steps[K].Position > S.Position &&
            (Coherence[At] == F.Done[K] || (G[Coherence[At]].OfUpdate && Coherence[At] - 1 == F.Done[K])))
          Position = std::min(Position, At + 1);
    G[E].Past = pastOf(commitBefore(E));
    Model->extend(G, E);
    Possible = Position > coherenceFloor(G, E) && withWrite(E, Position, Next);
  }
  if (!Possible)
    F.Done[Step] = Before;
  return Possible;
}

/// Lets happen what stands, in its thread, in front of something that happened: so that what is shown is a part of a
/// complete execution.
template <unsigned Words> void Explorer<Words>::complete(Following &F) {
  if (EventId Next = choose(); Next != NoEvent && G[Next].Decides)
    return withOutcome(Next, false, [&] { complete(F); });
  startOverIfSurprised();
  Set InFront;
  (G.Reads | G.Writes).forEach([&](EventId E) { InFront |= G[E].Before; });
  for (EventId E = 0; E < G.size(); ++E)
    if (InFront.contains(E) && !G.Committed.contains(E) && !(G[E].OfUpdate && G[E].IsWrite) && !Flow.isAbandoned(E) &&
        isEnabled(E) && commitSomehow(E, [&] { complete(F); }))
      return;
  endOfScript(F);
}

/// Commits with the latest parameter that is possible.
template <unsigned Words>
template <typename Continuation>
bool Explorer<Words>::commitSomehow(EventId E, Continuation Then) {
  const std::vector<EventId> Coherence = G.Places[G[E].Place].Coherence;
  const uint32_t Floor = coherenceFloor(G, E);
  auto End = std::find_if(Coherence.begin(), Coherence.end(), [&](EventId W) { return G[W].Ends; });
  auto Latest = static_cast<uint32_t>(End - Coherence.begin()); // nothing behind an end: that would be another bug
  if (!G[E].IsWrite) {
    for (uint32_t K = Latest + 1; K-- > Floor;)
      if (withRead(E, K ? Coherence[K - 1] : NoEvent, ~0u, Then))
        return true;
    return false;
  }
  G[E].Past = pastOf(commitBefore(E));
  Model->extend(G, E);
  for (uint32_t Position = Latest + 1; Position > Floor; --Position)
    if (withWrite(E, Position, Then))
      return true;
  return false;
}

template <unsigned Words> void Explorer<Words>::endOfScript(Following &F) {
  if (M.bugs().empty()) {
    // Whoever still waits may do so for ever.
    bool AllWait = true;
    for (EventId E = 0; E < G.size(); ++E)
      if (!G.Committed.contains(E) && !(G[E].OfUpdate && G[E].IsWrite) && isEnabled(E)) {
        AllWait &= Flow.mayWait(E);
        Deferred.push_back({E, ~0u});
      }
    ThreadId Stuck = ~0u;
    bool Superfluous = false;
    if (AllWait)
      ending(Stuck, Superfluous);
  }
  std::vector<bool> Done;
  for (EventId E : F.Done)
    Done.push_back(E != NoEvent);
  F.Then(*this, Done);
}

/// Explores with sets of a certain size. False if they turn out to be too small.
template <unsigned Words>
bool exploreWith(const Program &P, AxiomaticModel Model, const ExplorationOptions &Options, Sharing &Shared,
                 EndingMemory &Memory, ExplorationResult &Result, GraphObserver &Observer) {
  for (;;) {
    try {
      Result = ExplorationResult();
      Explorer<Words>(P, Model, Options, Shared, Memory, Result, Observer).run();
      return true;
    } catch (const StartOver &) {
      Observer.restarted();
    } catch (const Enough &) {
      return true;
    } catch (const GraphFull &) {
      Observer.restarted();
      return false;
    } catch (const MachineStop &Stop) {
      if (Shared.takeChanged()) {
        Observer.restarted();
        continue;
      }
      bool Unsupported = Stop.Why == MachineStop::Unsupported;
      Result.Ended = Unsupported ? ExplorationResult::End::Unsupported : ExplorationResult::End::Limit;
      Result.Reason = Stop.Message;
      Result.ReasonPc = Stop.Pc;
      Result.HasReasonPc = true;
      return true;
    }
  }
}

} // namespace

ExplorationResult exploreGraphs(const Program &P, AxiomaticModel Model, const ExplorationOptions &Given,
                                GraphObserver &Observer) {
  ExplorationOptions Options = Given;
  Options.Machine.OutOfOrder = true;
  Options.Machine.StopAtFences = false;
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  EndingMemory Memory;
  ExplorationResult Result;
  if (exploreWith<1>(P, Model, Options, Shared, Memory, Result, Observer) ||
      exploreWith<4>(P, Model, Options, Shared, Memory, Result, Observer) ||
      exploreWith<16>(P, Model, Options, Shared, Memory, Result, Observer))
    return Result;
  Result.Ended = ExplorationResult::End::Limit;
  Result.Reason = "an execution has more than " + std::to_string(EventSet<16>::Capacity) + " shared accesses";
  return Result;
}

namespace {

struct NobodyListens final : GraphObserver {
  void ended(GraphRun &, Ending) override {}
};

/// Follows with sets of a certain size. False if they turn out to be too small.
template <unsigned Words>
bool followWith(const Program &P, AxiomaticModel Model, const ExplorationOptions &Options, Sharing &Shared,
                const GraphScript &Script, const BugReport *Wanted,
                const std::function<void(GraphRun &, const std::vector<bool> &)> &Then) {
  EndingMemory Memory;
  NobodyListens Nobody;
  for (;;) {
    const auto Known = Memory.Accessed;
    ExplorationResult Result;
    bool Again = false;
    auto AtEnd = [&](GraphRun &Run, const std::vector<bool> &Done) {
      // If it did not go on, that may be because what ends was not known yet.
      Again = Memory.Accessed != Known && std::find(Done.begin(), Done.end(), false) != Done.end();
      if (!Again)
        Then(Run, Done);
    };
    try {
      Explorer<Words> E(P, Model, Options, Shared, Memory, Result, Nobody);
      const std::function<void(GraphRun &, const std::vector<bool> &)> End = AtEnd;
      typename Explorer<Words>::Following F{Script, Wanted, End, {}};
      E.runAlong(F);
      if (!Again)
        return true;
    } catch (const StartOver &) {
    } catch (const GraphFull &) {
      return false;
    } catch (const MachineStop &) {
      if (!Shared.takeChanged())
        throw;
    }
  }
}

} // namespace

void followGraph(const Program &P, AxiomaticModel Model, const MachineOptions &Machine, Sharing &Shared,
                 const GraphScript &Script, const BugReport *Wanted,
                 const std::function<void(GraphRun &, const std::vector<bool> &)> &Then) {
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Machine = Machine;
  Options.Machine.OutOfOrder = true;
  Options.Machine.StopAtFences = false;
  if (followWith<1>(P, Model, Options, Shared, Script, Wanted, Then) ||
      followWith<4>(P, Model, Options, Shared, Script, Wanted, Then))
    return;
  followWith<16>(P, Model, Options, Shared, Script, Wanted, Then);
}

} // namespace picket
