// One of those who explore execution graphs, mostly the only one: see Rsmc.h and RsmcTeam.h.
#pragma once

#include "explore/ReadsFromWalk.h"
#include "explore/Rsmc.h"
#include "explore/RsmcTeam.h"

namespace picket {

/// The names of P, Q, cut and normalize are the paper's: P[e] is Frame::Prefix, Q[e] is Frame::Queue. With a
/// ReadsFromWalk stores have no parameter, and the runs explored are one per reads-from relation.
template <unsigned Words, template <unsigned> class Base> class RsmcWorker final : public Base<Words> {
public:
  struct Surroundings {
    const Program &P;
    const GraphModel &Model;
    const ExplorationOptions &Options;
    GraphObserver &Observer;
    RsmcTeam &Team;
    /// Called now and then by the first worker, at the end of a run: time to look for others.
    std::function<void()> LookForOthers;
  };
  /// Worker 0 is the first.
  RsmcWorker(const Surroundings &Here, Sharing &Shared, EndingMemory &Memory, unsigned Number,
             ExplorationResult &Result)
      : Walk(Here.P, Here.Model, Here.Options.Machine, Shared, Memory), Options(Here.Options), Result(Result),
        Observer(Here.Observer), Team(Here.Team), LookForOthers(Here.LookForOthers), Number(Number) {}

  /// Explores: the first worker from the start, the others what they are given.
  void run();
  enum How : uint8_t {
    Done,     // or stopped, as the result says
    TooSmall, // the sets are
    Surprised // by what is shared, or ends: it must be explored anew
  };
  How Outcome = Done;
  /// A job that another worker gave led to something else here.
  bool lostItsWay() const { return LostItsWay; }

private:
  using Walk = Base<Words>;
  using typename Walk::Set;
  using Walk::choose, Walk::isEnabled, Walk::commitBefore, Walk::pastOf, Walk::startOverIfSurprised;
  using Walk::G, Walk::M, Walk::Flow, Walk::Model, Walk::Run, Walk::LeftOut, Walk::Deferred, Walk::Shared, Walk::Memory;
  using Walk::OnlyReadsFrom, Walk::oldestFor, Walk::lowestFor, Walk::lastFor;
  using Walk::withRead, Walk::withWrite, Walk::withOutcome, Walk::withNothing, Walk::withFence, Walk::ending;
  using Walk::writesLate, Walk::leaves;
  /// Whether a write may turn out to be impossible, wherever in coherence it is.
  bool mayBeImpossible(EventId Write) const { return G[Write].Conditional || G.isLateWrite(Write); }
  using Walk::placeOf, Walk::hasMore, Walk::isHalf, Walk::NumHalf, Walk::IsLarge;

  using Key = EventKey;
  using Step = RsmcStep;
  using Branch = RsmcBranch;
  static constexpr Key Initial = 0, Any = ~0ull;
  static constexpr unsigned CellShift = 56, ThreadMask = 0xffffff;
  Key keyOf(EventId E, uint32_t Cell = 0) const {
    return E == NoEvent ? Initial
                        : static_cast<Key>(Cell) << CellShift | (static_cast<Key>(G[E].Thread + 1) << 32) | G[E].Index;
  }
  EventId find(Key K) const {
    return Flow.eventOf((static_cast<ThreadId>(K >> 32) & ThreadMask) - 1, static_cast<uint32_t>(K));
  }
  /// Whether an event can be committed now: of one that is split, the cell that the key names.
  bool isNext(EventId E, Key K) {
    return E != NoEvent && isEnabled(E) && (!G.isSplit(E) || G[E].Chosen == K >> CellShift);
  }
  EventId findSource(Key K) const { return K == Initial ? NoEvent : find(K); }

  /// What was committed when a load was chosen, in a large graph. A small one looks through the run.
  struct Nothing {};
  using CommittedThen = std::conditional_t<IsLarge, Set, Nothing>;
  CommittedThen committedNow() const {
    if constexpr (IsLarge)
      return G.Committed;
    else
      return {};
  }

  /// A load, where it was first chosen; of one that is split, its cells from the next one on.
  struct Frame {
    size_t Prefix; // of Run
    Key Load;
    size_t NumDeferred = 0; // when it was chosen
    Set LeftOut;            // the same
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
    size_t NumFrames, NumDeferred;
    Set LeftOut;
  };

  // Explore, Traverse, DetectRace.
  void explore();
  bool awaitsWrite() const;
  void exploreOutcome(EventId E);
  void exploreWrite(EventId E);
  void exploreRead(EventId E);
  bool exploreCells(EventId E, uint32_t Home);
  template <typename Try> void tryAll(EventId E, uint32_t Low, uint32_t High, const EventId *Sources, Try TryOne);
  template <typename Continuation> void follow(const std::vector<Step> &Steps, size_t At, Continuation Then);
  // The same with atomic sections.
  struct Postponement {
    EventId Load;
    Set Known; // what it does not read
  };
  void exploreSections();
  void readInSections(EventId E);
  bool readNewSources(EventId E, const Set &Old, bool AnyNew);
  bool hasNewSource(const Postponement &P) const;
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
  void considerSplit(EventId Update, EventId Last);
  bool isTaken(PlaceId Place, EventId Source, const Set &Past) const;
  void addBranch(uint32_t Home, uint32_t Cell, const Set &Past, EventId Store, Key Parameter,
                 std::vector<Key> Sources = {});
  Set eventsSince(const Frame &F, const Set &Past, Set &Present) const;
  std::vector<EventId> sourcesFor(EventId Read) const;
  template <typename Visitor> void forEachRace(PlaceId Place, const Set &Past, Visitor Visit);
  template <typename Continuation> bool withAllPositions(EventId Store, Continuation Then);
  template <typename Continuation> bool withSources(EventId Update, const std::vector<Key> &Sources, Continuation Then);
  Key parameterOf(EventId Write, uint32_t Cell, const Set &Present) const;
  Step stepOf(EventId E, uint32_t Cell, Set &Present) const;

  void runHere();
  /// How much of the stack is in use, where that may be much.
  size_t bytesOfStack() const {
    return IsLarge ? static_cast<size_t>(StackFrom - static_cast<const char *>(__builtin_frame_address(0))) : 0;
  }

  // With others:
  void work();
  void lookAround();
  void offerSomething();
  void share(size_t NumFrames);
  RsmcWay wayTo(size_t Prefix, size_t NumFrames, size_t NumDeferred, const Set &Without) const;
  void carryOut(const RsmcJob &Job);
  template <typename Continuation> void go(const RsmcWay &Way, Continuation Then);
  void tryStep(const Step &Next);

  void leaf();
  void look(size_t Work) override {
    constexpr size_t WorkBetween = 30'000; // a few milliseconds
    if ((WorkDone += Work + 1) >= WorkBetween)
      lookNow();
  }
  void lookNow();
  void stopFor(const MachineStop &Stop);

  const ExplorationOptions &Options;
  ExplorationResult &Result;
  GraphObserver &Observer;
  RsmcTeam &Team;
  const std::function<void()> LookForOthers;
  const unsigned Number;
  std::deque<Frame> Frames;
  std::vector<Choice> Choices;
  std::vector<Postponement> Postponed; // with atomic sections
  size_t WorkDone = 0;                 // since the limits were looked at
  size_t BranchBytes = 0;              // of all frames
  uint64_t EventsSeen = 0, EventsAtLook = 0;
  uint64_t ExecutionsTold = 0, BytesTold = 0;
  bool LostItsWay = false;
  const char *StackFrom = nullptr; // where the stack was when it began
};

} // namespace picket
