// A worker of RSMC (Rsmc.h): explores execution graphs with the paper's Explore, Traverse and DetectRace. An
// exploration has one worker, or several that steal work from each other (RsmcTeam.h).
#pragma once

#include "explore/ReadsFromWalk.h"
#include "explore/Rsmc.h"
#include "explore/RsmcTeam.h"
#include "explore/WorkStealing.h"

namespace picket {

/// What the workers of an exploration have in common.
struct RsmcContext {
  const Program &Text;
  const GraphModel &Model;
  const ExplorationOptions &Options;
  GraphObserver &Observer;
  RsmcTeam &Team;
};

enum class RsmcOutcome : uint8_t {
  Done,     // or stopped, as the result says
  TooSmall, // the sets are
  Restart   // what is shared, or ends, has turned out differently: everything must be explored anew
};

/// The names of P, Q, cut and normalize are the paper's: P[e] is Frame::Prefix, Q[e] is Frame::Queue. With a
/// ReadsFromWalk stores have no parameter, and the runs explored are one per reads-from relation.
///
/// The class is large because it is the paper's one algorithm. Its members are in a file per subject: RsmcWorker.cpp
/// (Explore and Traverse), RsmcRaces.h (DetectRace), RsmcSections.h (atomic sections) and RsmcStealing.h.
template <unsigned Words, template <unsigned> class Base> class RsmcWorker final : public Base<Words> {
public:
  /// Worker 0 is the first, and the only one with `RecruitWorkers` (see WorkStealing).
  RsmcWorker(const RsmcContext &Context, Sharing &Shared, EndingMemory &Memory, unsigned Number,
             std::function<void()> RecruitWorkers, ExplorationResult &Result)
      : Walk(Context.Text, Context.Model, Context.Options.Machine, Shared, Memory), Context(Context),
        Options(Context.Options), Number(Number), Result(Result),
        Stealing(Context.Team, Context.Options, std::move(RecruitWorkers)) {}

  /// Explores: the first worker from the start, the others what they are given.
  void run();
  RsmcOutcome outcome() const { return Outcome; }
  /// The steps of a stolen job were not possible here.
  bool replayDiverged() const { return ReplayDiverged; }

private:
  using Walk = Base<Words>;
  using typename Walk::Set;
  using Walk::choose, Walk::isEnabled, Walk::commitBefore, Walk::pastOf, Walk::restartIfSharingChanged;
  using Walk::Graph, Walk::TheMachine, Walk::Flow, Walk::Model, Walk::Run, Walk::LeftOut, Walk::Deferred, Walk::Shared,
      Walk::Memory;
  using Walk::OnlyReadsFrom, Walk::oldestFor, Walk::lowestFor, Walk::lastFor;
  using Walk::withRead, Walk::withWrite, Walk::withOutcome, Walk::withNothing, Walk::withFence, Walk::ending;
  using Walk::writesLate, Walk::leaves, Walk::HasPreferences, Walk::hasGaps;
  /// Whether E is the write of an exchange that has read, and not what has ended.
  bool completesExchange(EventId E) const {
    return Graph[E].OfExchange && Graph[E].IsWrite && Graph.Committed.contains(E - 1) &&
           Flow.bugOf(Graph[E].Thread) != E - 1;
  }
  /// Whether a write may turn out to be impossible, wherever in coherence it is.
  bool mayBeImpossible(EventId Write) const { return Graph[Write].Conditional || Graph.isLateWrite(Write); }
  using Walk::cellByCell, Walk::locationOf, Walk::hasMore, Walk::isHalf, Walk::NumHalf, Walk::IsLarge;

  using Key = EventKey;
  using Step = RsmcStep;
  using Branch = RsmcBranch;
  static constexpr Key Initial = 0, Any = ~0ull;
  static constexpr unsigned CellShift = 56, ThreadMask = 0xffffff;
  Key keyOf(EventId E, uint32_t Cell = 0) const {
    return E == NoEvent
               ? Initial
               : static_cast<Key>(Cell) << CellShift | (static_cast<Key>(Graph[E].Thread + 1) << 32) | Graph[E].Index;
  }
  EventId find(Key K) const {
    return Flow.eventOf((static_cast<ThreadId>(K >> 32) & ThreadMask) - 1, static_cast<uint32_t>(K));
  }
  /// Whether an event can be committed now: of one that is split, the cell that the key names.
  bool isNext(EventId E, Key K) {
    return E != NoEvent && isEnabled(E) && (!Graph.isSplit(E) || Graph[E].Chosen == K >> CellShift);
  }
  EventId findSource(Key K) const { return K == Initial ? NoEvent : find(K); }

  /// What was committed when a load was chosen, in a large graph. In a small one the run tells.
  struct Nothing {};
  using CommittedThen = std::conditional_t<IsLarge, Set, Nothing>;
  CommittedThen committedNow() const {
    if constexpr (IsLarge)
      return Graph.Committed;
    else
      return {};
  }

  /// A load, where it was first chosen; of one that is split, its cells from the next one on.
  struct Frame {
    size_t Prefix; // of Run
    Key Load;
    size_t NumDeferred = 0, NumPostponed = 0; // when it was chosen
    Set LeftOut;                              // the same
    CommittedThen Committed;
    std::vector<Branch> Queue;
    size_t Begun = 0;                      // of the queue
    std::set<std::vector<uint64_t>> Known; // everything that was ever in the queue
    size_t Bytes = 0;                      // about what these take
    std::shared_ptr<SharedFrame> With;     // whose branches are anybody's: what is known, and queued, is there
  };
  /// An event of the current run and its parameters that are left to be tried: from High - 1 down to Low.
  struct Choice {
    size_t Prefix;
    EventId Event;
    uint32_t Low, High;     // positions of a write
    const EventId *Sources; // of a read: then these are numbers of them
    size_t NumFrames, NumDeferred, NumPostponed;
    Set LeftOut;
  };
  /// A load that reads something that is yet to come in this part of the exploration.
  struct Postponement {
    EventId Load;
    Set Known; // what it does not read
  };

  // Explore, Traverse, DetectRace.
  void explore();
  bool awaitsWrite() const;
  void exploreOutcome(EventId E);
  void exploreWrite(EventId E);
  void exploreRead(EventId E);
  void exploreWait(EventId E);
  bool isPostponable(EventId Load) const { return Flow.mayWait(Load) && !Graph[Load].OfExchange; }
  bool exploreCells(EventId E, uint32_t Home);
  template <typename Try> void tryAll(EventId E, uint32_t Low, uint32_t High, const EventId *Sources, Try TryOne);
  template <typename Continuation> void follow(const std::vector<Step> &Steps, size_t At, Continuation Then);
  // Loads that are postponed, and the same with atomic sections (RsmcSections.h).
  const Postponement *postponed(EventId Load) const;
  void postpone(EventId Load);
  void leaveOutPostponed();
  bool isNewSource(EventId Source, const Postponement *Before) const {
    return !Before || (Source != NoEvent && !Before->Known.contains(Source));
  }
  bool readNewSources(EventId E, const Postponement *Before, bool AnyNew);
  bool hasNewSource(const Postponement &P) const;
  void exploreSections();
  void readInSections(EventId E);
  bool othersMayWrite(EventId Load);
  void leafOfSections();
  bool isAlone(EventId Load);

  void traverse(uint32_t Home, const Branch &B);
  void traverseStore(uint32_t Home, const Branch &B);
  void traverseLoad(uint32_t Home, EventId Store, uint32_t Cell);
  bool traverseCells(uint32_t Home, EventId Load, EventId Store, uint32_t Cell, const Set &Old);
  void detectRaces(EventId Store);
  void detectRaces(EventId Update, EventId Source);
  void detectRacesOfSplit(EventId Update);
  void detectRacesOfExchange(EventId Read);
  void considerSplit(EventId Update, EventId Last);
  bool isTaken(LocationId Location, EventId Source, const Set &Past) const;
  void addBranch(uint32_t Home, uint32_t Cell, const Set &Past, EventId Store, Key Parameter,
                 std::vector<Key> Sources = {});
  Set eventsSince(const Frame &F, const Set &Past, Set &Present) const;
  std::vector<EventId> sourcesFor(EventId Read) const;
  template <typename Visitor> void forEachRace(LocationId Location, const Set &Past, Visitor Visit);
  template <typename Continuation> bool withAllPositions(EventId Store, Continuation Then);
  template <typename Continuation> bool withSources(EventId Update, const std::vector<Key> &Sources, Continuation Then);
  Key parameterOf(EventId Write, uint32_t Cell, const Set &Present) const;
  Step stepOf(EventId E, uint32_t Cell, Set &Present) const;

  void runHere();
  /// How much of the stack is in use, where that may be much.
  size_t bytesOfStack() const {
    return IsLarge ? static_cast<size_t>(StackFrom - static_cast<const char *>(__builtin_frame_address(0))) : 0;
  }

  // Work stealing (RsmcStealing.h).
  void work();
  void offerWork();
  void share(size_t NumFrames);
  RsmcPath pathTo(size_t Prefix, size_t NumFrames, size_t NumDeferred, size_t NumPostponed, const Set &Without) const;
  void carryOut(const RsmcJob &Job);
  template <typename Continuation> void replay(const RsmcPath &Path, Continuation Then);
  void tryStep(const Step &Next);

  void leaf(bool InVain = false);
  void tellEnd(ThreadId Stuck, bool Superfluous, bool InVain);
  void racesInVain() override;
  void countWork(size_t Work) override {
    constexpr size_t WorkBetween = 30'000; // a few milliseconds
    if ((WorkDone += Work + 1) >= WorkBetween)
      checkLimits();
  }
  void checkLimits();
  void stoppedBy(const MachineStop &Stop);

  const RsmcContext Context;
  const ExplorationOptions &Options;
  const unsigned Number;
  ExplorationResult &Result;
  RsmcOutcome Outcome = RsmcOutcome::Done;
  WorkStealing<RsmcJob> Stealing;

  std::deque<Frame> Frames;
  std::vector<Choice> Choices;
  std::deque<Postponement> Postponed; // of a load the last one counts
  bool WaitsInVain = false;           // what was postponed just now could have gone on: something else must happen
  size_t WorkDone = 0;                // since the limits were checked
  size_t BranchBytes = 0;             // of all frames
  bool ReplayDiverged = false;
  const char *StackFrom = nullptr; // where the stack was when it began
};

} // namespace picket
