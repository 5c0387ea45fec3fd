#include "trace/Atoms.h"
#include "trace/Counterexample.h"
#include "trace/EffectOrder.h"
#include "trace/RaceReason.h"
#include "trace/Wording.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace picket {

namespace {

class Explanation {
public:
  Explanation(const Recording &R, const TraceGraph &ShashaSnir, const Cycle &Why)
      : Run(R), Graph(ShashaSnir), Why(Why), Sources(R.Events.size(), NoEvent), Overwriters(R.Events.size(), NoEvent),
        Overwritten(R.Events.size()) {
    for (const TraceEdge &E : Graph.Edges)
      if (E.Kind == EdgeKind::Source)
        Sources[E.To] = E.From;
      else if (E.Kind == EdgeKind::Conflict)
        Overwriters[E.From] = E.To;
      else if (E.Kind == EdgeKind::StoreOrder)
        Overwritten[E.To].push_back(E.From);
  }

  std::string sentence() {
    if (Run.BugEvent == NoEvent)
      return Why.Reordered.empty() ? ""
                                   : capital(reordering()) + ": no execution under sequential consistency does this.";
    if (Run.BugKind == BugKind::DataRace)
      return dataRace();
    if (!infoOf(Run.Model).Chronological && !Why.Edges.empty())
      return capital(outOfOrder()) + ", so " + consequence() + ".";
    if (!Why.Reordered.empty())
      return capital(reordering()) + ", so " + consequence() + ".";
    if (Run.BugKind == BugKind::Deadlock)
      return deadlock();
    if (Run.GoesRound)
      return capital(consequence()) + ".";
    if (Run.BugKind == BugKind::Hang)
      return capital(thread(bug().Thread)) + " waits in a loop at " + line(bug()) +
             " for a value that no thread that is still running will ever write.";
    if (Run.BugKind == BugKind::UseAfterFree || Run.BugKind == BugKind::DoubleFree)
      if (std::string Text = freedBefore(); !Text.empty())
        return capital(Text);
    if (std::string Text = lostUpdate(); !Text.empty())
      return capital(Text) + ", so " + consequence() + ".";
    if (std::string Text = decisiveRead(); !Text.empty())
      return capital(Text) + ", so " + consequence() + ".";
    return capital(consequence()) + ".";
  }

private:
  const TraceEvent &bug() const { return Run.Events[Run.BugEvent]; }
  std::string thread(uint32_t T) const { return threadText(Run, T); }
  std::string line(const TraceEvent &E) const { return lineText(Run, E.At.Where); }
  static std::string capital(std::string Text) {
    if (!Text.empty() && Text[0] >= 'a' && Text[0] <= 'z' && Text.rfind("main", 0) != 0)
      Text[0] = static_cast<char>(Text[0] - 'a' + 'A');
    return Text;
  }
  std::string name(const TraceEvent &E) const {
    return E.Accesses.empty() ? "" : variableText(Run, E, E.Accesses.back());
  }
  std::string valueRead(const TraceEvent &E) const {
    for (const TraceAccess &A : E.Accesses)
      if (!A.Write)
        return A.Text;
    return "";
  }

  /// Which accesses they are, and why nothing orders them.
  std::string dataRace() const {
    if (!Run.isRace())
      return capital(Run.BugMessage) + ".";
    const TraceEvent &First = Run.Events[Run.RaceFirst], &Second = Run.Events[Run.RaceSecond];
    std::string Text = thread(Second.Thread) + " " + doesTo(Second, true) + ", " + thread(First.Thread) + " " +
                       doesTo(First, false) + ", and nothing orders the two";
    if (const std::string Why = whyUnordered(Run); !Why.empty())
      Text += ": " + Why;
    Text += ". C11 gives a program with a data race no meaning: make both accesses atomic, or order them.";
    if ((First.Volatile || Second.Volatile) && Run.Language.Volatile == VolatileMeaning::Plain)
      Text += " 'volatile' makes no access atomic ('--volatile=relaxed' takes it so).";
    return capital(Text);
  }
  /// "writes x (line 3)", "reads it (line 4)"
  std::string doesTo(const TraceEvent &E, bool Named) const {
    const std::string Atomic = E.ReadMode != Order::NotAtomic || E.WriteMode != Order::NotAtomic ? " atomically" : "";
    const char *Verb = E.Kind == EventKind::Sync  ? "works on"
                       : E.Kind == EventKind::Rmw ? "updates"
                       : E.writes()               ? "writes"
                                                  : "reads";
    return Verb + (" " + (Named ? name(E) : "it")) + (E.Kind == EventKind::Sync ? "" : Atomic) + " (" + line(E) + ")";
  }

  std::string consequence() const {
    std::string At = " at " + line(bug());
    if (Run.BugKind == BugKind::Assertion)
      return "the assertion" + At + " fails";
    if (Run.BugKind == BugKind::Abort)
      return thread(bug().Thread) + " calls abort" + At;
    if (Run.BugKind == BugKind::Deadlock)
      return "the threads wait for each other forever";
    if (Run.GoesRound)
      return thread(bug().Thread) + " repeats the loop" + At + " forever and never leaves it";
    if (Run.BugKind == BugKind::Hang)
      return thread(bug().Thread) + " waits in the loop" + At + " forever";
    if (Run.BugKind == BugKind::NullAccess)
      return thread(bug().Thread) + " uses a null pointer" + At;
    if (Run.BugKind == BugKind::UseAfterFree)
      return thread(bug().Thread) + " uses memory that is no longer there" + At;
    if (Run.BugKind == BugKind::DoubleFree)
      return "the same block is freed twice" + At;
    if (Run.BugKind == BugKind::OutOfBounds)
      return thread(bug().Thread) + " goes beyond the end of an object" + At;
    if (Run.BugKind == BugKind::DivisionByZero)
      return thread(bug().Thread) + " divides by zero" + At;
    if (Run.BugKind == BugKind::Leak)
      return "the memory allocated" + At + " is lost";
    if (Run.BugKind == BugKind::Uninitialised)
      return thread(bug().Thread) + " reads memory that nothing has written" + At;
    return thread(bug().Thread) + " fails" + At + ": " + Run.BugMessage;
  }

  /// Stores that took effect late.
  std::string reordering() const {
    std::string Text;
    size_t Shown = std::min<size_t>(Why.Reordered.size(), 2);
    for (size_t K = 0; K < Shown; ++K) {
      const TraceEvent &First = Run.Events[Why.Reordered[K].First], &Second = Run.Events[Why.Reordered[K].Second];
      if (K)
        Text += ", and ";
      std::string Store = thread(First.Thread) + "'s store to " + name(First) + " (" + line(First) + ")";
      if (First.Thread < Run.Threads.size() && Run.Threads[First.Thread].Name != "main")
        Store = "the store of " + thread(First.Thread) + " to " + name(First) + " (" + line(First) + ")";
      if (Second.writes() && Second.Kind == EventKind::Store)
        Text += Store + " reached memory only after its later store to " + name(Second) + " (" + line(Second) + ")" +
                seenBy(Second);
      else
        Text += Store + " was still in its store buffer when it read " + name(Second) + " = " + valueRead(Second) +
                " (" + line(Second) + ")" + missedBy(Why.Reordered[K].First);
    }
    return Text;
  }

  /// POWER: what took effect in another order than the program's, or not for all threads at the same time.
  std::string outOfOrder() const {
    std::string Text;
    const size_t Shown = std::min<size_t>(Why.Reordered.size(), 2);
    for (size_t K = 0; K < Shown; ++K)
      Text += (K ? ", and " : "") + overtaking(Why.Reordered[K].First, Why.Reordered[K].Second);
    if (!Text.empty() || Why.Late.empty())
      return Text;
    const LateWrite &L = Why.Late.front();
    const TraceEvent &Read = Run.Events[L.Read], &Write = Run.Events[L.Write];
    if (Read.writes() && Read.Kind != EventKind::Rmw)
      return "the threads do not agree on the order of the stores: " + describeAccess(Run, L.Write) + " by " +
             thread(Write.Thread) + " overwrites " + describeAccess(Run, L.Read) + " by " + thread(Read.Thread) +
             ", although it took effect before it";
    std::string Seen;
    for (const TraceEdge &E : Why.Edges)
      if (E.Kind == EdgeKind::Source && E.From == L.Write)
        Seen = "the store of " + thread(Write.Thread) + " to " + name(Write) + " (" + line(Write) + ") reached " +
               thread(Run.Events[E.To].Thread) + " (which read " + valueRead(Run.Events[E.To]) + ", " +
               line(Run.Events[E.To]) + ") before it reached " + thread(Read.Thread);
    if (Seen.empty())
      return "the store of " + thread(Write.Thread) + " to " + name(Write) + " (" + line(Write) + ") had not reached " +
             thread(Read.Thread) + " yet when that read " + name(Read) + " = " + valueRead(Read) + " (" + line(Read) +
             ")";
    return Seen + ", which still read " + name(Read) + " = " + valueRead(Read) + " (" + line(Read) + ")";
  }

  /// "thread 'left' read x = 0 (line 4) before its store to y (line 3) took effect"
  std::string overtaking(uint32_t First, uint32_t Second) const {
    const TraceEvent &A = Run.Events[First], &B = Run.Events[Second];
    auto Does = [&](const TraceEvent &E) {
      if (E.Kind == EventKind::Load)
        return "read " + name(E) + " = " + valueRead(E);
      if (E.Kind == EventKind::Store)
        return "stored " + E.Accesses.back().Text + " to " + name(E);
      return "did " + E.words() + (E.words().empty() ? "its operation on " : " ") + name(E);
    };
    const std::string Text = thread(B.Thread) + " " + Does(B) + " (" + line(B) + ") before ";
    if (A.Kind == EventKind::Load)
      return Text + "it read " + name(A) + " = " + valueRead(A) + " (" + line(A) +
             "), which comes first in the program";
    return Text + "its earlier " + (A.Kind == EventKind::Store ? "store to " : "operation on ") + name(A) + " (" +
           line(A) + ") took effect";
  }

  /// The reads that saw the old value because the store was delayed.
  std::string missedBy(uint32_t Store) const {
    for (const TraceEdge &E : Why.Edges)
      if (E.Kind == EdgeKind::Conflict && E.To == Store && Run.Events[E.From].Thread != Run.Events[Store].Thread)
        return ", and " + thread(Run.Events[E.From].Thread) + " still read " + name(Run.Events[E.From]) + " = " +
               valueRead(Run.Events[E.From]) + " (" + line(Run.Events[E.From]) + ")";
    return "";
  }

  /// The reads that saw the overtaking store, and the value that they then missed.
  std::string seenBy(const TraceEvent &Second) const {
    for (const TraceEdge &E : Why.Edges) {
      if (E.Kind != EdgeKind::Source || &Run.Events[E.From] != &Second)
        continue;
      const TraceEvent &Reader = Run.Events[E.To];
      std::string Text = ": " + thread(Reader.Thread) + " read " + name(Reader) + " = " + valueRead(Reader) + " (" +
                         line(Reader) + ")";
      for (const TraceEdge &C : Why.Edges)
        if (C.Kind == EdgeKind::Conflict && Run.Events[C.From].Thread == Reader.Thread)
          Text += " and then the old " + name(Run.Events[C.From]) + " = " + valueRead(Run.Events[C.From]) + " (" +
                  line(Run.Events[C.From]) + ")";
      return Text;
    }
    return "";
  }

  std::string deadlock() const {
    std::string Text;
    bool SomeObject = std::any_of(Run.Events.begin(), Run.Events.end(), [](const TraceEvent &E) {
      return (E.Kind == EventKind::Blocked || E.Kind == EventKind::Bug) && !E.Accesses.empty();
    });
    for (const TraceEvent &E : Run.Events) {
      if (E.Kind != EventKind::Blocked && E.Kind != EventKind::Bug)
        continue;
      if (SomeObject && E.Accesses.empty())
        continue; // a thread that waits for the end of another one is not the cause
      std::string Waits = E.Accesses.empty() ? "waits for another thread's end" : "waits for " + name(E);
      Text += (Text.empty() ? "" : ", while ") + thread(E.Thread) + " " + held(E.Thread) + Waits + " (" + line(E) + ")";
    }
    bool Several = Text.find(", while ") != std::string::npos;
    return capital(Text) +
           (Several ? ": none of them can continue." : ", and no thread is left that could end the wait.");
  }
  std::string held(uint32_t Thread) const {
    std::vector<std::string> Names;
    for (const TraceEvent &E : Run.Events) {
      if (E.Kind != EventKind::Sync || E.Thread != Thread)
        continue;
      if (takesLock(E.Action))
        Names.push_back(name(E));
      else if (E.Action == SyncAction::Unlocks)
        std::erase(Names, name(E));
    }
    if (Names.empty())
      return "";
    std::string Text = "holds ";
    for (size_t K = 0; K < Names.size(); ++K)
      Text += (K ? ", " : "") + Names[K];
    return Text + " and ";
  }

  std::string freedBefore() const {
    for (size_t K = Run.Events.size(); K-- > 0;)
      if (const TraceEvent &E = Run.Events[K]; E.Kind == EventKind::Free && E.Thread != bug().Thread)
        return thread(E.Thread) + " freed " + name(E) + " (" + line(E) + ") while " + thread(bug().Thread) +
               " was still using it (" + line(bug()) + "): " + Run.BugMessage + ".";
    return "";
  }

  /// The write that a later one overwrote: `First`, or one that came after that. None if that one came first.
  uint32_t lostTo(uint32_t Write, uint32_t First) const {
    for (uint32_t Last : Overwritten[Write]) {
      std::vector<uint32_t> Left{Last};
      std::vector<bool> Seen(Run.Events.size());
      while (!Left.empty()) {
        const uint32_t Next = Left.back();
        Left.pop_back();
        if (Next == First)
          return Last;
        if (!Seen[Next])
          Left.insert(Left.end(), Overwritten[Next].begin(), Overwritten[Next].end());
        Seen[Next] = true;
      }
    }
    return NoEvent;
  }

  /// A thread wrote back a value it had read before another thread changed it.
  std::string lostUpdate() const {
    for (size_t K = Run.Events.size(); K-- > 0;) {
      const TraceEvent &Read = Run.Events[K];
      if (Read.Kind != EventKind::Load || Overwriters[K] == NoEvent)
        continue;
      if (Run.Events[Overwriters[K]].Thread == Read.Thread)
        continue;
      for (uint32_t J = static_cast<uint32_t>(K) + 1; J < Run.Events.size(); ++J) {
        const TraceEvent &Write = Run.Events[J];
        if (Write.Thread == Read.Thread && Write.Kind == EventKind::Store &&
            Write.Accesses[0].Variable == Read.Accesses[0].Variable) {
          const uint32_t Lost = lostTo(J, Overwriters[K]);
          if (Lost == NoEvent || Run.Events[Lost].Thread == Read.Thread)
            break;
          const TraceEvent &Other = Run.Events[Lost];
          return thread(Read.Thread) + " read " + name(Read) + " = " + valueRead(Read) + " (" + line(Read) +
                 "), then " + thread(Other.Thread) + " wrote " + Other.Accesses.back().Text + " (" + line(Other) +
                 "), and " + thread(Read.Thread) + " overwrote that with " + Write.Accesses[0].Text + " (" +
                 line(Write) + ")";
        }
      }
    }
    return "";
  }

  /// The last thing the failing thread learned from another one.
  std::string decisiveRead() const {
    for (size_t K = Run.Events.size(); K-- > 0;) {
      const TraceEvent &Read = Run.Events[K];
      if (Read.Thread != bug().Thread || !Read.reads() || !Read.isAccess())
        continue;
      std::string Text =
          thread(Read.Thread) + " read " + name(Read) + " = " + valueRead(Read) + " (" + line(Read) + ")";
      if (Overwriters[K] != NoEvent && Run.Events[Overwriters[K]].Thread != Read.Thread)
        return Text + " before " + thread(Run.Events[Overwriters[K]].Thread) + " wrote " +
               Run.Events[Overwriters[K]].Accesses.back().Text + " there (" + line(Run.Events[Overwriters[K]]) + ")";
      if (Sources[K] != NoEvent && Run.Events[Sources[K]].Thread != Read.Thread)
        return Text + ", which " + thread(Run.Events[Sources[K]].Thread) + " had written (" +
               line(Run.Events[Sources[K]]) + ")";
    }
    return "";
  }

  const Recording &Run;
  const TraceGraph &Graph;
  const Cycle &Why;
  std::vector<uint32_t> Sources, Overwriters;     // per event that reads: the write it reads from, the one after
  std::vector<std::vector<uint32_t>> Overwritten; // per write: those right before it, where it writes
};

} // namespace

Recording reordered(Recording R, const std::vector<uint32_t> &Order) {
  std::vector<uint32_t> NewIndex(R.Events.size());
  for (uint32_t K = 0; K < Order.size(); ++K)
    NewIndex[Order[K]] = K;
  std::vector<TraceEvent> Events;
  for (uint32_t Old : Order) {
    Events.push_back(std::move(R.Events[Old]));
    if (Events.back().Partner != NoEvent)
      Events.back().Partner = NewIndex[Events.back().Partner];
    for (TraceAccess &A : Events.back().Accesses)
      A.eachSource([&](uint32_t &From) { From = NewIndex[From]; });
    for (TraceLink &L : Events.back().Links)
      L.On = NewIndex[L.On];
  }
  R.Events = std::move(Events);
  for (uint32_t *Event : {&R.BugEvent, &R.RaceFirst, &R.RaceSecond})
    if (*Event != NoEvent)
      *Event = NewIndex[*Event];
  // Where a load finds its thread's own store, in the buffer or in memory, depends on the order.
  Atoms Memory(R);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Landing; // thread, atom -> the update of its latest store
  for (uint32_t K = 0; K < R.Events.size(); ++K) {
    TraceEvent &E = R.Events[K];
    if (E.Kind == EventKind::Load)
      E.Forwarded = false;
    for (const TraceAccess &A : E.Accesses)
      for (uint32_t Atom : Memory.of(A.Variable)) {
        if (E.Kind == EventKind::Store && E.Partner != NoEvent)
          Landing[{E.Thread, Atom}] = E.Partner;
        else if (auto Own = Landing.find({E.Thread, Atom}); E.Kind == EventKind::Load && Own != Landing.end())
          E.Forwarded |= Own->second > K;
      }
  }
  return R;
}

/// POWER: reads of a thread's own stores before those took effect.
static void markForwarded(Recording &R, const std::vector<uint32_t> &Order) {
  std::vector<bool> Told(R.Events.size(), false);
  for (uint32_t Event : Order) {
    TraceEvent &E = R.Events[Event];
    E.Forwarded = false;
    if (E.Kind == EventKind::Load)
      E.Accesses[0].eachSource(
          [&](uint32_t Source) { E.Forwarded |= R.Events[Source].Thread == E.Thread && !Told[Source]; });
    Told[Event] = true;
  }
}

Counterexample explain(Recording Run) {
  Counterexample C;
  const bool OutOfOrder = !infoOf(Run.Model).Chronological;
  std::vector<uint32_t> Order =
      OutOfOrder ? numberingOrder(Run, shashaSnirTrace(Run)) : mostSequentialOrder(Run, chronologicalTrace(Run));
  C.Run = reordered(std::move(Run), Order);
  C.Chronological = chronologicalTrace(C.Run);
  C.ShashaSnir = shashaSnirTrace(C.Run);
  C.Why = findCycle(C.Run, C.ShashaSnir);
  if (OutOfOrder) {
    Order = effectOrder(C.Run, C.ShashaSnir);
    markForwarded(C.Run, Order);
  } else {
    std::iota(Order.begin(), Order.end(), 0);
  }
  C.Steps = tell(C.Run, C.Why, Order);
  C.Sentence = Explanation(C.Run, C.ShashaSnir, C.Why).sentence();
  return C;
}

} // namespace picket
