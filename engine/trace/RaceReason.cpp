#include "trace/RaceReason.h"

#include "memory/Orders.h"
#include "trace/Wording.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace picket {

namespace {

/// Follows what one thread can know of another: program order, and values that are read. Happens-before is that along
/// reads that synchronise.
class RaceReason {
public:
  explicit RaceReason(const Recording &R) : Run(R), Next(R.Events.size(), NoEvent), Previous(R.Events.size(), NoEvent) {
    std::vector<uint32_t> Last(R.Threads.size(), NoEvent);
    First = Last;
    for (uint32_t K = 0; K < R.Events.size(); ++K) {
      const uint32_t T = R.Events[K].Thread;
      if (T >= Last.size() || R.Events[K].Kind == EventKind::Bug || R.Events[K].Kind == EventKind::Update)
        continue;
      Previous[K] = Last[T];
      (Last[T] == NoEvent ? First[T] : Next[Last[T]]) = K;
      Last[T] = K;
    }
  }

  std::string phrase() {
    const std::optional<Reading> Missed = nearestReading();
    if (Missed && isAtomic(*Missed))
      return aboutReading(*Missed);
    if (std::string Text = aboutLocks(); !Text.empty())
      return Text;
    const bool IsRace = Missed && Missed->Write == Run.RaceFirst && Missed->Read == Run.RaceSecond;
    return Missed && !IsRace ? aboutReading(*Missed) : aboutThreads();
  }

private:
  /// A read of a value that another thread wrote.
  struct Reading {
    uint32_t Write = NoEvent, Read = NoEvent;
    uint32_t Enters = NoEvent; // what is to be released by it: the event of the writing thread that led here
    uint32_t Sink = NoEvent;   // where the reading thread acquires, if it does
  };

  const TraceEvent &at(uint32_t K) const { return Run.Events[K]; }
  std::string thread(uint32_t K) const { return threadText(Run, at(K).Thread); }
  std::string line(uint32_t K) const { return lineText(Run, at(K).At.Where); }
  std::string name(uint32_t K) const {
    return at(K).Accesses.empty() ? "" : variableText(Run, at(K), at(K).Accesses.back());
  }

  /// The last release fence of its thread in front of an event.
  uint32_t releaseFence(uint32_t Write) const {
    for (uint32_t K = Previous[Write]; K != NoEvent; K = Previous[K])
      if (at(K).Kind == EventKind::Fence && releases(at(K).WriteMode))
        return K;
    return NoEvent;
  }
  /// The first acquire fence of its thread behind an event, and in front of the race.
  uint32_t acquireFence(uint32_t Read) const {
    for (uint32_t K = Next[Read]; K != NoEvent && K != Run.RaceSecond; K = Next[K])
      if (at(K).Kind == EventKind::Fence && acquires(at(K).ReadMode))
        return K;
    return NoEvent;
  }

  static void eachSource(const TraceEvent &E, const std::function<void(uint32_t)> &Visit) {
    for (const TraceAccess &A : E.Accesses)
      if (!A.Write || E.Kind == EventKind::Sync)
        A.eachSource(Visit);
  }

  /// Whether what comes before `Enters` is released by a write, or by one whose release sequence it continues.
  bool isReleased(uint32_t Write, uint32_t Enters) const {
    const TraceEvent &W = at(Write);
    if (W.WriteMode == Order::NotAtomic)
      return false;
    if (W.Thread == at(Enters).Thread) {
      if (releases(W.WriteMode))
        return true;
      if (const uint32_t Fence = releaseFence(Write); Fence != NoEvent && comesBefore(Enters, Fence))
        return true;
    }
    return false;
  }
  /// In one thread, or the same.
  bool comesBefore(uint32_t A, uint32_t B) const { return at(A).Thread == at(B).Thread && A <= B; }

  /// The release sequences that a write continues, back to the writes that begin them.
  std::vector<uint32_t> sequenceOf(uint32_t Write) const {
    std::vector<uint32_t> All{Write};
    for (size_t K = 0; K < All.size(); ++K) {
      const TraceEvent &W = at(All[K]);
      auto Add = [&](uint32_t E) {
        if (std::find(All.begin(), All.end(), E) == All.end())
          All.push_back(E);
      };
      if (W.Kind == EventKind::Rmw || W.Kind == EventKind::Sync)
        eachSource(W, Add);
      if (Run.Language.Sequences == ReleaseSequences::C11)
        for (uint32_t E = Previous[All[K]]; E != NoEvent; E = Previous[E])
          if (at(E).writes() && at(E).isAccess() && !W.Accesses.empty() &&
              at(E).Accesses.back().Variable == W.Accesses.back().Variable)
            Add(E);
    }
    return All;
  }

  /// All reads of what other threads wrote.
  std::vector<std::pair<uint32_t, uint32_t>> readings() const {
    std::vector<std::pair<uint32_t, uint32_t>> All;
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      if (at(K).Kind != EventKind::Bug)
        eachSource(at(K), [&](uint32_t From) {
          if (at(From).Thread != at(K).Thread)
            All.push_back({From, K});
        });
    return All;
  }

  /// A shortest way from the one access to the other, counted in reads that do not synchronise: the first such read. None
  /// if there is no way at all.
  std::optional<Reading> nearestReading() {
    struct State {
      uint32_t Cost = ~0u;
      Reading Missed; // the first on the way
    };
    std::vector<State> Best(Run.Events.size());
    using Entry = std::pair<uint32_t, uint32_t>; // cost, event
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> Left;
    const auto Readings = readings();
    auto Reach = [&](uint32_t To, uint32_t Cost, const Reading &Missed) {
      if (To == NoEvent || Best[To].Cost <= Cost)
        return;
      Best[To] = {Cost, Missed};
      Left.push({Cost, To});
    };
    Reach(Run.RaceFirst, 0, {});
    while (!Left.empty()) {
      const auto [Cost, Here] = Left.top();
      Left.pop();
      const State Now = Best[Here];
      if (Now.Cost < Cost)
        continue;
      Reach(Next[Here], Now.Cost, Now.Missed);
      const TraceEvent &E = at(Here);
      if (E.Kind == EventKind::Create)
        Reach(First[E.Other], Now.Cost, Now.Missed);
      for (uint32_t K = 0; K < Run.Events.size() && Next[Here] == NoEvent; ++K)
        if (at(K).Kind == EventKind::Join && at(K).Other == E.Thread)
          Reach(K, Now.Cost, Now.Missed);
      for (auto [Write, Read] : Readings) {
        const std::vector<uint32_t> Sequence = sequenceOf(Write);
        for (uint32_t Begin : Sequence)
          if (at(Begin).Thread == E.Thread && Begin >= Here && isReleased(Begin, Here)) {
            const uint32_t Sink = sinkOf(Read);
            if (Sink != NoEvent)
              Reach(Sink, Now.Cost, Now.Missed);
          }
        if (Write == Here) {
          Reading Missed = Now.Missed;
          if (Now.Cost == 0)
            Missed = {Write, Read, entryOf(Here), sinkOf(Read)};
          Reach(Read, Now.Cost + costOf(Write, Read), Missed);
        }
      }
    }
    const State &There = Best[Run.RaceSecond];
    if (There.Cost == ~0u || There.Missed.Write == NoEvent)
      return std::nullopt;
    return There.Missed;
  }

  /// What is lacking, so that a read synchronises: little, if both are atomic. The accesses of the race come last.
  uint32_t costOf(uint32_t Write, uint32_t Read) const {
    if (Write == Run.RaceFirst && Read == Run.RaceSecond)
      return 10'000;
    return isAtomic({Write, Read}) ? 1 : 100;
  }
  bool isAtomic(const Reading &R) const {
    return at(R.Write).WriteMode != Order::NotAtomic && at(R.Read).ReadMode != Order::NotAtomic;
  }

  /// What a write of the first access's thread would have to release: that access itself.
  uint32_t entryOf(uint32_t Write) const {
    return at(Write).Thread == at(Run.RaceFirst).Thread ? Run.RaceFirst : Write;
  }

  /// Where the thread of a read acquires what the write released.
  uint32_t sinkOf(uint32_t Read) const {
    if (at(Read).ReadMode == Order::NotAtomic)
      return NoEvent;
    return acquires(at(Read).ReadMode) ? Read : acquireFence(Read);
  }

  static std::string modeText(Order Mode) {
    switch (Mode) {
    case Order::NotAtomic: return "plain";
    case Order::Relaxed: return "relaxed";
    case Order::AcquirePC:
    case Order::Acquire: return "acquire";
    case Order::Release: return "release";
    case Order::AcqRel: return "acq_rel";
    case Order::SeqCst: return "seq_cst";
    }
    return "";
  }
  static std::string articleFor(Order Mode) { return Mode == Order::Acquire || Mode == Order::AcqRel ? "an " : "a "; }

  std::string aboutReading(const Reading &Missed) const {
    const TraceEvent &W = at(Missed.Write), &R = at(Missed.Read);
    const std::string Write = articleFor(W.WriteMode) + modeText(W.WriteMode) + " write at " + line(Missed.Write);
    const std::string Reads = thread(Missed.Read) + " reads " + name(Missed.Read) + " (" + line(Missed.Read) + ")";
    if (W.WriteMode == Order::NotAtomic || R.ReadMode == Order::NotAtomic)
      return Reads + " from " + Write +
             (W.WriteMode == Order::NotAtomic && R.ReadMode == Order::NotAtomic
                  ? ", and neither is atomic"
                  : std::string(", but the ") + (W.WriteMode == Order::NotAtomic ? "write" : "read") +
                        " is not atomic") +
             ", so they do not synchronise";
    const bool Released = isReleased(Missed.Write, Missed.Enters), Acquired = Missed.Sink != NoEvent;
    if (Released && !Acquired)
      return Reads + " with " + modeText(R.ReadMode) + " order, which does not synchronise with the " +
             (releases(W.WriteMode) ? modeText(W.WriteMode) + " write at " + line(Missed.Write)
                                    : "write at " + line(Missed.Write) + " behind a release fence");
    const std::string WhyNotReleased = whyNotReleased(Missed);
    if (!Released && Acquired)
      return Reads + ", but " + WhyNotReleased;
    if (!Released && !Acquired)
      return Reads + " with " + modeText(R.ReadMode) + " order, and " + WhyNotReleased;
    return Reads + " and synchronises with " + Write + ", but only after the access at " + line(Run.RaceSecond);
  }

  std::string whyNotReleased(const Reading &Missed) const {
    const uint32_t Fence = releaseFence(Missed.Write);
    const std::string Write = "the write at " + line(Missed.Write) + " is " + modeText(at(Missed.Write).WriteMode);
    if (Fence != NoEvent)
      return Write + " and the release fence before it (" + line(Fence) + ") comes before the access at " +
             line(Missed.Enters);
    return Write + " and releases nothing";
  }

  /// The locks that a thread holds at an event.
  std::vector<std::string> heldAt(uint32_t Event) const {
    std::vector<std::string> Held;
    for (uint32_t K = First[at(Event).Thread]; K != NoEvent && K < Event; K = Next[K]) {
      if (at(K).Kind != EventKind::Sync || at(K).Accesses.empty())
        continue;
      if (takesLock(at(K).Action))
        Held.push_back(name(K));
      else if (at(K).Action == SyncAction::Unlocks)
        if (auto Last = std::find(Held.rbegin(), Held.rend(), name(K)); Last != Held.rend())
          Held.erase(std::next(Last).base());
    }
    return Held;
  }

  std::string aboutLocks() const {
    const std::vector<std::string> A = heldAt(Run.RaceFirst), B = heldAt(Run.RaceSecond);
    if (A.empty() && B.empty())
      return "";
    auto Holds = [&](uint32_t Event, const std::vector<std::string> &Held) {
      std::string Text = thread(Event) + " holds ";
      for (size_t K = 0; K < Held.size(); ++K)
        Text += (K ? ", " : "") + Held[K];
      return Text;
    };
    if (!A.empty() && !B.empty())
      return Holds(Run.RaceFirst, A) + ", and " + Holds(Run.RaceSecond, B);
    return A.empty() ? Holds(Run.RaceSecond, B) + ", but " + thread(Run.RaceFirst) + " does not"
                     : Holds(Run.RaceFirst, A) + ", but " + thread(Run.RaceSecond) + " does not";
  }

  std::string aboutThreads() const {
    const uint32_t A = Run.RaceFirst, B = Run.RaceSecond;
    for (uint32_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = at(K);
      if (E.Kind != EventKind::Create)
        continue;
      for (auto [Creator, Created] : {std::pair(A, B), std::pair(B, A)})
        if (E.Thread == at(Creator).Thread && E.Other == at(Created).Thread && K < Creator)
          return thread(Created) + " was created before (" + line(K) + "), and " + thread(Creator) +
                 " does not wait for it here";
    }
    return thread(B) + " reads nothing, before " + line(B) + ", that " + thread(A) + " released after " + line(A);
  }

  const Recording &Run;
  std::vector<uint32_t> Next, Previous; // of the same thread
  std::vector<uint32_t> First;          // per thread
};

} // namespace

std::string whyUnordered(const Recording &Run) { return Run.isRace() ? RaceReason(Run).phrase() : ""; }

} // namespace picket
