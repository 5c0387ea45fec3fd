// Loads that are postponed, and the exploration of executions with atomic sections, in which all loads are. A part of
// RsmcWorker.cpp: not for others to include.
//
// Races are not enough with sections: an event may be impossible behind others, so that a run ends before it comes to the store
// that a load is in a race with. So nothing depends on how a run goes on. Writes are committed as soon as they can be,
// at every position. A load is committed with each write that is there, and is then postponed: in that part of the
// exploration it reads one of those that are still to come. An execution is in exactly one part, at each of these
// choices, and every prefix of it (by commit-before) is allowed; so it is seen once.
#pragma once

#include "explore/RsmcWorker.h"

namespace picket {

/// The latest postponement of a load; null: there is none.
template <unsigned Words, template <unsigned> class Base>
const typename RsmcWorker<Words, Base>::Postponement *RsmcWorker<Words, Base>::postponed(EventId Load) const {
  const auto Found =
      std::find_if(Postponed.rbegin(), Postponed.rend(), [Load](const Postponement &P) { return P.Load == Load; });
  return Found == Postponed.rend() ? nullptr : &*Found;
}

/// From now on a load does not read what is there.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::postpone(EventId Load) {
  Set Known;
  Graph.forEachCell(Load, [&](const GraphCell &C) { Known |= Graph.Locations[C.Location].Writes; });
  Postponed.push_back({Load, Known});
}

/// Leaves out the postponed loads for which there is nothing new.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::leaveOutPostponed() {
  for (const Postponement &P : Postponed) {
    if (postponed(P.Load) != &P)
      continue;
    if (Graph.Committed.contains(P.Load) || Flow.isAbandoned(P.Load) || hasNewSource(P))
      LeftOut.erase(P.Load);
    else
      LeftOut.insert(P.Load);
  }
}

template <unsigned Words, template <unsigned> class Base>
bool RsmcWorker<Words, Base>::hasNewSource(const Postponement &P) const {
  return Graph.anyCell(P.Load,
                       [&](const GraphCell &C) { return !(Graph.Locations[C.Location].Writes - P.Known).empty(); });
}

/// Lets a load read what is there, in all its cells; in one of them something that is new since it was postponed, unless
/// one of the cells before does so already (AnyNew). False if nothing is accepted.
template <unsigned Words, template <unsigned> class Base>
bool RsmcWorker<Words, Base>::readNewSources(EventId E, const Postponement *Before, bool AnyNew) {
  const std::vector<EventId> Sources = sourcesFor(E);
  const bool More = hasMore(E);
  bool Accepted = false;
  for (size_t K = Sources.size(); K-- > 0;) {
    const bool New = AnyNew || isNewSource(Sources[K], Before);
    if (More || New)
      Accepted |= withRead(E, Sources[K], ~0u, [&] {
        if (More)
          readNewSources(E, Before, New);
        else
          explore();
      });
  }
  return Accepted;
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::exploreSections() {
  const Set Before = LeftOut;
  leaveOutPostponed();
  bool InVain = false;
  for (const Postponement &P : Postponed)
    InVain |= LeftOut.contains(P.Load) && !Flow.mayWait(P.Load) && !othersMayWrite(P.Load);
  auto Again = [&] { exploreSections(); };
  const EventId E = InVain ? NoEvent : choose();
  restartIfSharingChanged();
  if (InVain) {
    // No execution is in this part.
  } else if (E == NoEvent) {
    leafOfSections();
  } else if (Graph[E].Decides) {
    for (bool Succeeds : {true, false})
      withOutcome(E, Succeeds, Again);
  } else if (Graph.isLateWrite(E) && leaves(E)) {
    withNothing(E, Again);
  } else if (Graph[E].IsWrite) {
    if (!isHalf(E)) {
      Graph[E].Past = pastOf(commitBefore(E));
      this->extend(E);
    }
    for (uint32_t Position = lastFor(E), Floor = lowestFor(E); Position > Floor; --Position)
      withWrite(E, Position, Again);
  } else {
    readInSections(E);
  }
  LeftOut = Before;
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::readInSections(EventId E) {
  const Postponement *Before = postponed(E);
  const bool Accepted = readNewSources(E, Before, !Before);
  if (Flow.mayWait(E) ? Accepted && isAlone(E) : !othersMayWrite(E))
    return;
  postpone(E);
  exploreSections();
  Postponed.pop_back();
}

/// Whether another thread may yet write where a load reads: if it has been seen to and has not come to its end, or if
/// it has a write there that is not committed. Not if it waits for the end of the load's own thread.
template <unsigned Words, template <unsigned> class Base> bool RsmcWorker<Words, Base>::othersMayWrite(EventId Load) {
  const ThreadId Own = Graph[Load].Thread;
  bool May = false;
  auto Goes = [&](ThreadId T) {
    if (!TheMachine.exists(T))
      return true; // it may be created yet
    const Operation &Next = TheMachine.pending(T);
    return TheMachine.status(T) == ThreadStatus::Ready && !(Next.Kind == OperationKind::Join && Next.Where == Own);
  };
  for (ThreadId T : Memory.Writers.threadsAt(Flow.whereOf(Load), Flow.widthOf(Load)))
    May |= T != Own && Goes(T);
  for (EventId E = 0; E < Graph.size() && !May; ++E)
    May = Graph[E].IsWrite && Graph[E].Thread != Own && !Graph.Committed.contains(E) && !Flow.isAbandoned(E) &&
          (Graph[E].Location == NoLocation || Graph.overlap(E, Load));
  return May;
}

/// The end of a run: what is postponed never came, or waits for ever.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::leafOfSections() {
  if (std::none_of(Postponed.begin(), Postponed.end(), [&](const Postponement &P) {
        return !Flow.mayWait(P.Load) && !Graph.Committed.contains(P.Load) && !Flow.isAbandoned(P.Load);
      }))
    leaf();
}

} // namespace picket
