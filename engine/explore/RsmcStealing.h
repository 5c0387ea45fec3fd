// Work stealing of RSMC: what a worker gives away of what it has left, and how another comes there. A part of
// RsmcWorker.cpp: not for others to include.
#pragma once

#include "explore/RsmcWorker.h"

namespace picket {

/// How the current run came to one of its prefixes.
template <unsigned Words, template <unsigned> class Base>
RsmcPath RsmcWorker<Words, Base>::pathTo(size_t Prefix, size_t NumFrames, size_t NumDeferred, size_t NumPostponed,
                                         const Set &Without) const {
  RsmcPath Path;
  Set Present;
  std::vector<uint32_t> Cells(Graph.size(), 0); // taken so far
  for (size_t K = 0; K < Prefix; ++K) {
    const uint32_t Cell = Cells[Run[K]]++;
    Step &Taken = Path.Steps.emplace_back(stepOf(Run[K], Cell, Present));
    if (!Graph[Run[K]].IsWrite)
      Taken.Home = Graph.cell(Run[K], Cell).Home;
  }
  for (size_t K = 0; K < NumFrames; ++K)
    Path.Frames.push_back(Frames[K].With);
  for (size_t K = 0; K < NumDeferred; ++K)
    Path.Deferred.push_back({keyOf(Deferred[K].first), Deferred[K].second});
  for (size_t K = 0; K < NumPostponed; ++K) {
    RsmcPath::Postponement &P = Path.Postponed.emplace_back();
    P.Load = keyOf(Postponed[K].Load);
    Postponed[K].Known.forEach([&](EventId Write) { P.Known.push_back(keyOf(Write)); });
  }
  Without.forEach([&](EventId E) { Path.LeftOut.push_back(keyOf(E)); });
  return Path;
}

/// Shares the first frames: their branches are anybody's.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::share(size_t NumFrames) {
  for (size_t K = 0; K < NumFrames; ++K) {
    Frame &F = Frames[K];
    if (F.With)
      continue;
    auto New = std::make_shared<SharedFrame>(Context.Team.FrameBytes);
    New->Path = pathTo(F.Prefix, K, F.NumDeferred, F.NumPostponed, F.LeftOut);
    New->Load = F.Load;
    New->Known = std::move(F.Known);
    New->addBytes(F.Bytes);
    BranchBytes -= std::exchange(F.Bytes, 0);
    F.With = New;
    for (size_t B = F.Begun; B < F.Queue.size(); ++B)
      Context.Team.offer({New, std::move(F.Queue[B]), {}});
    F.Queue.clear();
    F.Begun = 0;
  }
}

/// Gives away what is left at the shortest prefix where something is: the branches of a load, or a parameter.
template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::offerWork() {
  auto Queued = std::find_if(Frames.begin(), Frames.end(), [](const Frame &F) { return F.Begun < F.Queue.size(); });
  // Whether a conditional write is possible at all is for one to find out.
  auto Left = std::find_if(Choices.begin(), Choices.end(),
                           [&](const Choice &C) { return C.Low < C.High && !mayBeImpossible(C.Event); });
  if (Queued != Frames.end() && (Left == Choices.end() || Queued->Prefix <= Left->Prefix))
    return share(static_cast<size_t>(Queued - Frames.begin()) + 1);
  if (Left == Choices.end())
    return;
  share(Left->NumFrames);
  RsmcJob Job;
  Job.Path = pathTo(Left->Prefix, Left->NumFrames, Left->NumDeferred, Left->NumPostponed, Left->LeftOut);
  const auto Before = Run.begin() + static_cast<ptrdiff_t>(Left->Prefix);
  const auto Cell = static_cast<uint32_t>(std::count(Run.begin(), Before, Left->Event));
  Job.Next.Event = keyOf(Left->Event, Cell);
  Job.Next.Parameter = Left->Sources ? keyOf(Left->Sources[Left->Low]) : Left->Low;
  if (Left->Sources && !isPostponable(Left->Event)) // that has no races
    Job.Next.Home = static_cast<uint32_t>(Left->NumFrames) - 1;
  ++Left->Low;
  Context.Team.offer(std::move(Job));
}

/// Takes the steps to where something is left, and goes on from there. Only events that may be committed are looked for
/// later, so that the memory locations of the rest, which others of its thread come after, must be found here.
template <unsigned Words, template <unsigned> class Base>
template <typename Continuation>
void RsmcWorker<Words, Base>::replay(const RsmcPath &Path, Continuation Then) {
  bool Arrived = false;
  auto IsThere = [&](EventId E) { return E != NoEvent && isEnabled(E); };
  follow(Path.Steps, 0, [&] {
    Arrived = true;
    for (auto [Event, Home] : Path.Deferred) {
      Deferred.push_back({find(Event), Home});
      Arrived &= IsThere(Deferred.back().first);
    }
    for (const RsmcPath::Postponement &P : Path.Postponed) {
      const EventId Load = find(P.Load);
      Arrived &= Load != NoEvent && (Graph.Committed.contains(Load) || isEnabled(Load));
      if (!Arrived)
        break;
      Set Known;
      for (Key Write : P.Known)
        if (const EventId E = find(Write); E != NoEvent)
          Known.insert(E);
        else
          Arrived = false;
      Postponed.push_back({Load, Known});
    }
    for (Key Event : Path.LeftOut) {
      Arrived &= IsThere(find(Event));
      if (Arrived)
        LeftOut.insert(find(Event));
    }
    if (Arrived)
      Then();
    Deferred.clear();
    Postponed.clear();
    LeftOut.clear();
  });
  ReplayDiverged |= !Arrived;
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::tryStep(const Step &Next) {
  EventId E = find(Next.Event);
  if (!isNext(E, Next.Event)) {
    ReplayDiverged = true;
    return;
  }
  if (!Graph[E].IsWrite) {
    const bool More = hasMore(E);
    withRead(E, findSource(Next.Parameter), Next.Home, [&] {
      if (More)
        exploreCells(E, Next.Home);
      else
        explore();
    });
    return;
  }
  Graph[E].Past = pastOf(commitBefore(E));
  this->extend(E);
  withWrite(E, OnlyReadsFrom ? lastFor(E) : static_cast<uint32_t>(Next.Parameter), [&] { explore(); });
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::carryOut(const RsmcJob &Job) {
  const RsmcPath &Path = Job.Frame ? Job.Frame->Path : Job.Path;
  auto AddFrame = [&](const std::shared_ptr<SharedFrame> &With) {
    Frames.emplace_back(With->Path.Steps.size(), With->Load).With = With;
  };
  for (const std::shared_ptr<SharedFrame> &Before : Path.Frames)
    AddFrame(Before);
  if (Job.Frame)
    AddFrame(Job.Frame);
  replay(Path, [&] {
    if (Job.Frame)
      traverse(static_cast<uint32_t>(Path.Frames.size()), Job.Branch);
    else
      tryStep(Job.Next);
  });
  Frames.clear();
}

template <unsigned Words, template <unsigned> class Base> void RsmcWorker<Words, Base>::work() {
  Flow.watch([this] { checkLimits(); });
  checkLimits(); // it may be over before it has begun
  if (Walk::start() && Number == 0)
    explore();
  while (std::optional<RsmcJob> Job = Context.Team.take()) {
    carryOut(*Job);
    if (ReplayDiverged)
      return;
  }
}

} // namespace picket
