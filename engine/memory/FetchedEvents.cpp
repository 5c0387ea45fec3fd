#include "memory/FetchedEvents.h"

#include "machine/SpeculativeAccesses.h"
#include "machine/SpeculativeCalls.h"
#include "machine/SpeculativeSteps.h"
#include "machine/SpeculativeValues.h"
#include "memory/FetchedAccesses.h"
#include "memory/FetchedCommits.h"
#include "memory/FetchedEnds.h"

namespace picket {

// How threads begin, meet and enter sections. The rest of the class is in the headers; all of it is one unit, with the
// interpreter of the threads, since everything is called all the time.

template <unsigned Words> void FetchedEvents<Words>::begin(ThreadId T, ThreadId Parent) {
  while (Flows.size() <= T) {
    Flows.emplace_back();
    Fetched.emplace_back();
  }
  save(T);
  Flow &F = Flows[T];
  F = Flow();
  F.Thread = T;
  if (T == Parent)
    return;
  const Flow &Creator = Flows[Parent];
  F.Sync = Creator.Sync | Creator.Events;
  F.Fetch = Creator.Fetch;
}

template <unsigned Words> void FetchedEvents<Words>::noteCreation(ThreadId Parent, ThreadId Child) {
  note({GraphNotes::Action::Create, Parent, 0, FenceKind::Full, Child, TheMachine.createdFrom(Child)});
  if (!AsGraphs) // drains the buffer
    fence(Flows[Parent], FenceKind::Full);
  Graph.CreatesInSections |= Flows[Parent].InSection;
}

template <unsigned Words> void FetchedEvents<Words>::noteJoin(ThreadId T, ThreadId Ended) {
  note({GraphNotes::Action::Join, T, 0, FenceKind::Full, Ended, {}});
  Flow &F = Flows[T];
  const Flow &Joined = Flows[Ended];
  F.Sync |= F.Events | Joined.Sync | Joined.Events;
  F.Fetch |= Joined.Fetch;
}

template <unsigned Words> EventId FetchedEvents<Words>::needUpdates(ThreadId T) {
  Flow &F = Flows[T];
  EventId Open = NoEvent;
  if (Set Uncommitted = F.Updates - Graph.Committed; !Uncommitted.empty())
    Open = Uncommitted.takeLast();
  F.Fetch |= F.Updates;
  return Open;
}

template <unsigned Words> void FetchedEvents<Words>::failAt(ThreadId T, uint32_t EventsBefore) {
  save(T);
  Flows[T].FailedAt = EventsBefore;
  Flows[T].Bug = NoEvent;
}

template <unsigned Words> void FetchedEvents<Words>::drain(ThreadId T) {
  if (!AsGraphs)
    fence(Flows[T], FenceKind::Full);
}

/// Sections that are inside another one are a part of it, and the first end is the end of all, as with store buffers.
template <unsigned Words> void FetchedEvents<Words>::enterSection(ThreadId T) {
  if (!SectionsAllowed)
    refuse(T, "an atomic section");
  if (!Ending.Sections) { // it is explored in another way
    Ending.Sections = true;
    Ending.Changed = true;
  }
  Flow &F = Flows[T];
  if (F.InSection)
    return;
  note({GraphNotes::Action::SectionBegin, T, 0, FenceKind::Full, 0, {}});
  fence(F, FenceKind::Full);
  F.InSection = true;
  F.WritesInSection = false;
  F.Section = 0;
}

template <unsigned Words> void FetchedEvents<Words>::leaveSection(ThreadId T) {
  Flow &F = Flows[T];
  if (!F.InSection)
    return;
  note({GraphNotes::Action::SectionEnd, T, 0, FenceKind::Full, 0, {}});
  fence(F, FenceKind::Full);
  F.InSection = false;
  F.Section = 0;
}

/// With store buffers a section that would have to wait does not begin. Here the others would see what it has written.
template <unsigned Words> void FetchedEvents<Words>::refuseToWaitInSection(ThreadId T) {
  if (Flows[T].InSection && Flows[T].WritesInSection)
    refuse(T, "an atomic section that may have to wait after it has written");
}

template <unsigned Words> void FetchedEvents<Words>::note(GraphNotes::Action What) {
  if (!Notes)
    return;
  // The main thread gets values from outside before it has anything else to do with the graph.
  What.Before = What.Thread < Flows.size() ? Flows[What.Thread].NumEvents : 0;
  if (What.Stack.empty())
    What.Stack = TheMachine.callStack(What.Thread);
  Notes->Actions.push_back(std::move(What));
}

template <unsigned Words> void FetchedEvents<Words>::undoTo(const Mark &To) {
  TheMachine.undo().undoTo(To.Undo);
  TheMachine.dropBugs(To.Bugs);
  TheMachine.clearCreated();
  Threads.undoTo(To.Threads);
  for (size_t E = Accesses.size(); E-- > To.Events;) {
    const Event &Dropped = Graph[static_cast<EventId>(E)];
    assert(Fetched[Dropped.Thread].back() == E && !isCommitted(static_cast<EventId>(E)));
    Fetched[Dropped.Thread].pop_back();
    if (Dropped.FirstCell != ~0u)
      Graph.Cells.resize(Dropped.FirstCell);
  }
  Accesses.resize(To.Events);
  Graph.Events.resize(To.Events);
  Graph.Barriers.resize(To.Barriers);
  while (!Odd.empty() && Odd.back() >= To.Events)
    Odd.pop_back();
  if (Notes) {
    Notes->Stacks.resize(To.Events);
    Notes->Actions.resize(To.Actions);
  }
}

template class FetchedEvents<0>;
template class FetchedEvents<1>;
template class FetchedEvents<4>;
template class FetchedEvents<16>;
template class SpeculativeInterpreter<EventSet<0>, FetchedEvents<0>>;
template class SpeculativeInterpreter<EventSet<1>, FetchedEvents<1>>;
template class SpeculativeInterpreter<EventSet<4>, FetchedEvents<4>>;
template class SpeculativeInterpreter<EventSet<16>, FetchedEvents<16>>;

} // namespace picket
