#include "fences/Delays.h"

#include "machine/CallStack.h"

#include <algorithm>

namespace picket {

namespace {

/// Longer paths are cut down to their ends: nobody wants to choose among hundreds of places.
constexpr size_t MaxPath = 24;

class Delays {
public:
  Delays(const Counterexample &Example, MemoryModel Under) : Example(Example), Run(Example.Run) {
    Found.Under = Run.isRace() ? MemoryModel::C11 : Under; // what orders accesses of a data race is said by C11
    if (Run.isRace())
      for (uint32_t Access : {Run.RaceFirst, Run.RaceSecond})
        if (!Run.Events[Access].Stack.empty())
          std::erase(Found.Race.emplace_back(Run.Events[Access].Stack), CallsLeftOut);
  }

  Violation all() {
    Found.Complete = true;
    if (isExploredAsGraphs(Found.Under)) { // so C11, where there is a data race
      for (uint32_t T = 0; T < Run.Threads.size(); ++T)
        add(path(T, 0, static_cast<uint32_t>(Run.Events.size())), ~0u);
      return std::move(Found);
    }
    for (uint32_t Store = 0; Store < Run.Events.size(); ++Store)
      if (const TraceEvent &E = Run.Events[Store]; E.Kind == EventKind::Store && E.Partner != NoEvent)
        addWindow(Store, E.Partner);
    return std::move(Found);
  }

  Violation ofCycle() {
    if (isExploredAsGraphs(Found.Under)) {
      addStretches();
      return std::move(Found);
    }
    for (const ReorderedPair &Pair : Example.Why.Reordered) {
      std::vector<uint32_t> Path = path(Run.Events[Pair.First].Thread, Pair.First, Pair.Second + 1);
      const bool Light = infoOf(Found.Under).Fences.StoreStore && Run.Events[Pair.Second].writes();
      add(std::move(Path), Light ? ~0u : 0);
    }
    return std::move(Found);
  }

private:
  /// The operations of a thread from one event on and before another.
  std::vector<uint32_t> path(uint32_t Thread, uint32_t From, uint32_t Before) const {
    std::vector<uint32_t> Path;
    for (uint32_t K = From; K < Before; ++K) {
      const TraceEvent &E = Run.Events[K];
      if (E.Thread == Thread && !E.Stack.empty() && E.Kind != EventKind::Update && E.Kind != EventKind::Fence &&
          E.Kind != EventKind::Blocked && E.Kind != EventKind::Bug)
        Path.push_back(K);
    }
    return Path;
  }

  /// What the thread did while the store waited in its buffer. That stores were put into the buffer behind it at the
  /// end of that time means nothing, unless they landed before it.
  void addWindow(uint32_t Store, uint32_t Landing) {
    std::vector<uint32_t> Path = path(Run.Events[Store].Thread, Store, Landing);
    auto Overtakes = [&](uint32_t K) {
      return Run.Events[K].Kind == EventKind::Store && Run.Events[K].Partner < Landing;
    };
    while (Path.size() > 1 && Run.Events[Path.back()].Kind == EventKind::Store && !Overtakes(Path.back()))
      Path.pop_back();
    uint32_t LightUpTo = 0;
    if (infoOf(Found.Under).Fences.StoreStore)
      for (uint32_t K = 1; K < Path.size(); ++K)
        if (Overtakes(Path[K]) || Run.Events[Path[K]].Kind == EventKind::Rmw)
          LightUpTo = K;
    add(std::move(Path), LightUpTo);
  }

  /// POWER: the stretches of program order on the cycle.
  void addStretches() {
    std::vector<TraceEdge> Edges = Example.Why.Edges;
    auto InThread = [&](const TraceEdge &E) { return Run.Events[E.From].Thread == Run.Events[E.To].Thread; };
    std::rotate(Edges.begin(), std::find_if_not(Edges.begin(), Edges.end(), InThread), Edges.end());
    for (size_t K = 0; K < Edges.size();) {
      if (!InThread(Edges[K])) {
        ++K;
        continue;
      }
      const uint32_t First = Edges[K].From;
      while (K + 1 < Edges.size() && InThread(Edges[K + 1]))
        ++K;
      const uint32_t Last = Edges[K++].To;
      const bool StoreToLoad = !Run.Events[First].reads() && !Run.Events[Last].writes();
      add(path(Run.Events[First].Thread, std::min(First, Last), std::max(First, Last) + 1), StoreToLoad ? 0 : ~0u);
    }
  }

  void add(std::vector<uint32_t> Path, uint32_t LightUpTo) {
    if (Path.size() < 2)
      return;
    DelayPath Delay;
    Delay.LightUpTo = std::min(LightUpTo, static_cast<uint32_t>(Path.size()) - 1);
    if (Path.size() > MaxPath) {
      Found.Complete = false;
      if (Delay.LightUpTo)
        Path.resize(Delay.LightUpTo + 1);
      if (Path.size() > MaxPath) {
        Path.erase(Path.begin() + 2, Path.end() - 2);
        Delay.LightUpTo = Delay.LightUpTo ? 3 : 0;
      }
    }
    for (uint32_t K : Path) {
      std::erase(Delay.Accesses.emplace_back(Run.Events[K].Stack), CallsLeftOut);
      for (const TraceLink &L : Run.Events[K].Links)
        Delay.Controls |= L.What == TraceLink::Control && std::find(Path.begin(), Path.end(), L.On) != Path.end();
    }
    Found.Delays.push_back(std::move(Delay));
  }

  const Counterexample &Example;
  const Recording &Run;
  Violation Found;
};

} // namespace

Violation delaysOf(const Counterexample &C, MemoryModel Under, Thoroughness How) {
  // A data race needs no cycle: what is missing is an order, which any access of the two threads may help to make.
  if (C.Run.BugKind == BugKind::DataRace)
    How = Thoroughness::All;
  return How == Thoroughness::All ? Delays(C, Under).all() : Delays(C, Under).ofCycle();
}

} // namespace picket
