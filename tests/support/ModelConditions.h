// The conditions that a memory model must satisfy to be explored as execution graphs: section 2 of "Stateless Model
// Checking for POWER" calls it validity and deadlock freedom. Here each condition is checked on graphs of a few events.
// The author of a model calls brokenConditions (docs/how-to-add-a-memory-model.md).
//
// The model as a whole, M in the paper, is asked for apart from the order of commits: of a graph with any set of
// committed events, rows are filled in until nothing changes, Order must have no cycle with reads-from, and `allows`
// must hold for each event. SC per location is added, as the explorer does.
//
// Not covered: atomic updates, and control flow that depends on values. All events are fetched from the start; their
// addresses become known as the loads that they are made of are committed.
#pragma once

#include "memory/Axioms.h"
#include "support/GraphBuilder.h"

#include <functional>
#include <map>
#include <random>
#include <string>

namespace picket::testing {

enum class Condition : uint8_t {
  HoldsDependencies, // cb0 is part of commit-before: addresses, data, branches
  HasNoCycle,        // commit-before with reads-from has no cycle in a graph that M allows
  AxiomsShrink,      // monotonicity (i): what M allows it allows without the event that was committed last
  CommitBeforeGrows, // monotonicity (ii): what has to be committed first still has to be later
  CommitBeforeStays, // monotonicity (iii): nothing is added for what is committed already, or can be
  NeverStuck,        // deadlock freedom: what can be committed can be committed with some parameter
  StepsAgree         // `extend` and `allows`, event by event, come to what M says of the whole graph
};
inline const char *nameOf(Condition C) {
  constexpr const char *Names[] = {"holds dependencies",  "has no cycle", "axioms shrink", "commit-before grows",
                                   "commit-before stays", "never stuck",  "steps agree"};
  return Names[static_cast<unsigned>(C)];
}

/// The graph in words, for messages.
inline std::string textOf(const ExecutionGraph<1> &G) {
  auto List = [](const char *Name, const EventSet<1> &Events) {
    std::string Text;
    Events.forEach([&](EventId E) { Text += (Text.empty() ? "" : ",") + std::to_string(E); });
    return Text.empty() ? "" : std::string(" ") + Name + "=" + Text;
  };
  std::string Text;
  for (EventId E = 0; E < G.size(); ++E) {
    const GraphEvent<1> &Event = G[E];
    Text += "  " + std::to_string(E) + ": thread " + std::to_string(Event.Thread) + (Event.IsWrite ? " W" : " R") +
            (Event.Location == NoLocation ? "?" : std::to_string(Event.Location)) + List("address", Event.Address) +
            List("data", Event.Data) + List("control", Event.Control) + List("control+isync", Event.ControlISync) +
            List("sync", Event.Sync) + List("lwsync", Event.LwSync) + List("eieio", Event.Eieio);
    if (!G.Committed.contains(E))
      Text += " (not committed)";
    else if (Event.IsWrite)
      Text += " at " + std::to_string(Event.Position);
    else
      Text += " reads " + (Event.Source == NoEvent ? std::string("the initial value") : std::to_string(Event.Source));
    Text += "\n";
  }
  return Text;
}

/// Two or three threads, up to eight accesses of two or three places, with dependencies and fences between them.
inline GraphBuilder makeGraph(std::mt19937 &Random) {
  auto Below = [&](unsigned N) { return std::uniform_int_distribution<unsigned>(0, N - 1)(Random); };
  GraphBuilder Builder;
  const unsigned Threads = 2 + Below(2), Locations = 2 + Below(2), Accesses = 4 + Below(Threads == 2 ? 4 : 5);
  std::map<uint32_t, std::vector<EventId>> Reads; // per thread
  for (unsigned K = 0; K < Accesses; ++K) {
    const uint32_t Thread = K < Threads ? K : Below(Threads);
    std::vector<EventId> &Earlier = Reads[Thread];
    auto Some = [&] { return Earlier[Below(static_cast<unsigned>(Earlier.size()))]; };
    Needs From;
    const bool IsWrite = Below(2) == 0;
    switch (Below(Earlier.empty() ? 5 : 10)) {
    case 0: Builder.sync(Thread); break;
    case 1: Builder.lwsync(Thread); break;
    case 2: Builder.eieio(Thread); break;
    case 5:
    case 6: From.Address = {Some()}; break;
    case 7: (IsWrite ? From.Data : From.Address) = {Some()}; break;
    case 8: Builder.branch(Thread, Some()); break;
    case 9:
      Builder.branch(Thread, Some());
      Builder.isync(Thread);
      break;
    default: break;
    }
    const uint32_t Location = Below(Locations);
    const EventId E = IsWrite ? Builder.write(Thread, Location, From) : Builder.read(Thread, Location, From);
    if (!IsWrite)
      Earlier.push_back(E);
  }
  return Builder;
}

/// One program, as the events that it fetches, under one model.
class ConditionsOfGraph {
public:
  using Graph = ExecutionGraph<1>;
  using Set = EventSet<1>;
  /// A state in which a condition is broken.
  using Complaint = std::function<void(Condition, const std::string &Why, const Graph &)>;

  ConditionsOfGraph(const GraphModel &Model, const GraphBuilder &Program, Complaint Complain)
      : Model(Model.axioms<1>()), Start(Program.G), Complain(std::move(Complain)) {
    for (const auto &Event : Start.Events)
      LocationOf.push_back(Event.Location);
    hidePlaces(Start);
  }

  /// Commits events in an order that commit-before allows, chosen at random, and looks at every state on the way.
  void walk(std::mt19937 &Random) {
    Graph G = Start;
    checkDependencies(G);
    for (;;) {
      std::vector<Graph> Next = checkState(G);
      if (Next.empty())
        return;
      const Graph &Chosen = Next[std::uniform_int_distribution<size_t>(0, Next.size() - 1)(Random)];
      checkDependencies(Chosen);
      checkStep(G, Chosen);
      G = Graph(Chosen);
    }
  }

  /// Every complete graph that M allows can be taken apart, the last in commit-before first. Not if there are more than
  /// Most candidates: false.
  bool checkComplete(uint64_t Most, std::mt19937 &Random) {
    uint64_t Number = 1;
    std::map<LocationId, uint64_t> Writes;
    for (EventId E = 0; E < Start.size(); ++E)
      if (Start[E].IsWrite)
        Number *= ++Writes[LocationOf[E]]; // orders of coherence
    for (EventId E = 0; E < Start.size(); ++E)
      if (!Start[E].IsWrite)
        Number *= Writes[LocationOf[E]] + 1;
    if (Number > Most)
      return false;
    Graph G = Start;
    for (EventId E = 0; E < G.size(); ++E)
      G[E].Location = LocationOf[E];
    placeWrites(G, 0, Random);
    return true;
  }

  // The parts, for tests that look at one state.

  /// What must be committed before an event: commit-before and reads-from, as a whole. Events in a cycle have
  /// themselves in it.
  std::vector<Set> commitBefore(const Graph &G) const {
    std::vector<Set> Before(G.size());
    for (EventId E = 0; E < G.size(); ++E) {
      Before[E] = Model->commitBefore(G, E);
      if (G.Reads.contains(E) && G[E].Source != NoEvent)
        Before[E].insert(G[E].Source);
    }
    for (EventId Through = 0; Through < G.size(); ++Through)
      for (EventId E = 0; E < G.size(); ++E)
        if (Before[E].contains(Through))
          Before[E] |= Before[Through];
    return Before;
  }

  bool isEnabled(const Graph &G, EventId E) const {
    return !G.Committed.contains(E) && commitBefore(G)[E].isSubsetOf(G.Committed);
  }

  /// M: whether the axioms allow what is committed.
  bool isAllowed(const Graph &Given) const {
    Graph G = Given;
    const Set All = G.Reads | G.Writes;
    bool Allowed = true;
    All.forEach([&](EventId E) {
      const uint32_t Floor = coherenceFloor(G, E), Here = G.coherenceOf(E);
      Allowed &= G[E].IsWrite ? Here > Floor : Here >= Floor;
      G[E].II = G[E].IC = G[E].CI = G[E].CC = Set();
      G[E].Order = G[E].OrderPast = G[E].PropBase = G[E].PropBasePast = G[E].Strong = Set();
    });
    if (!Allowed)
      return false;
    for (bool Changes = true; Changes;) {
      Changes = false;
      All.forEach([&](EventId E) {
        const GraphEvent<1> Before = G[E];
        Model->extend(G, E);
        Changes |= !sameRows(Before, G[E]);
      });
      // Order only grows. While it has no cycle, what is made of it comes to an end as well.
      if (ordersInACircle(G))
        return false;
    }
    All.forEach([&](EventId E) { Allowed &= Model->allows(G, E); });
    return Allowed;
  }

  /// The states in which an event is committed with each parameter in turn, and whether `extend` and `allows` take it.
  std::vector<std::pair<Graph, bool>> commit(const Graph &G, EventId E) const {
    std::vector<std::pair<Graph, bool>> All;
    const auto &Coherence = G.Locations[G[E].Location].Coherence;
    const auto Writes = static_cast<uint32_t>(Coherence.size());
    const uint32_t Floor = coherenceFloor(G, E);
    for (uint32_t K = 0; K <= Writes; ++K) {
      auto &[With, Taken] = All.emplace_back(G, false);
      if (G[E].IsWrite) {
        Model->extend(With, E);
        With.commitWrite(E, K + 1);
        Taken = K >= Floor && Model->allows(With, E);
      } else {
        With.commitRead(E, K == 0 ? NoEvent : Coherence[K - 1]);
        Model->extend(With, E);
        Taken = K >= Floor && Model->allows(With, E);
      }
      hidePlaces(With);
    }
    return All;
  }

  const Graph &start() const { return Start; }

private:
  static bool sameRows(const GraphEvent<1> &A, const GraphEvent<1> &B) {
    return A.II == B.II && A.IC == B.IC && A.CI == B.CI && A.CC == B.CC && A.Order == B.Order &&
           A.OrderPast == B.OrderPast && A.PropBase == B.PropBase && A.PropBasePast == B.PropBasePast &&
           A.Strong == B.Strong;
  }

  /// Whether Order has a cycle with what threads read of each other.
  static bool ordersInACircle(const Graph &G) {
    std::vector<Set> Before(G.size());
    (G.Reads | G.Writes).forEach([&](EventId E) {
      Before[E] = G[E].Order;
      if (!G[E].IsWrite && G[E].Source != NoEvent && G.isExternal(G[E].Source, E))
        Before[E].insert(G[E].Source);
    });
    for (EventId Through = 0; Through < G.size(); ++Through)
      for (EventId E = 0; E < G.size(); ++E)
        if (Before[E].contains(Through))
          Before[E] |= Before[Through];
    for (EventId E = 0; E < G.size(); ++E)
      if (Before[E].contains(E))
        return true;
    return false;
  }

  /// Where an access goes is known once the loads are committed that its address is made of.
  void hidePlaces(Graph &G) const {
    for (EventId E = 0; E < G.size(); ++E)
      G[E].Location = G[E].Address.isSubsetOf(G.Committed) ? LocationOf[E] : NoLocation;
  }

  void checkDependencies(const Graph &G) const {
    const std::vector<Set> Before = commitBefore(G);
    for (EventId E = 0; E < G.size(); ++E)
      if (!(G[E].Address | G[E].Data | G[E].Control).isSubsetOf(Before[E]))
        Complain(Condition::HoldsDependencies, "event " + std::to_string(E) + " may come before what it depends on", G);
  }

  /// The conditions on a state that M allows. Returns the states that come next.
  std::vector<Graph> checkState(const Graph &G) const {
    std::vector<Graph> Next;
    for (EventId E = 0; E < G.size(); ++E) {
      if (!isEnabled(G, E) || G[E].Location == NoLocation)
        continue;
      bool Goes = false;
      for (auto &[With, Taken] : commit(G, E)) {
        const bool Allowed = isAllowed(With);
        if (Allowed != Taken)
          Complain(Condition::StepsAgree,
                   "event " + std::to_string(E) + " is " + (Allowed ? "refused" : "taken") +
                       ", and the whole graph is " + (Allowed ? "allowed" : "not"),
                   With);
        if (!Allowed)
          continue;
        Goes = true;
        Next.push_back(std::move(With));
      }
      if (!Goes)
        Complain(Condition::NeverStuck,
                 "nothing is left for event " + std::to_string(E) + " to read, or no place to write", G);
    }
    return Next;
  }

  void checkStep(const Graph &From, const Graph &To) const {
    const std::vector<Set> Earlier = commitBefore(From), Later = commitBefore(To);
    for (EventId E = 0; E < From.size(); ++E) {
      const std::string Event = "event " + std::to_string(E);
      if (!Earlier[E].isSubsetOf(Later[E]))
        Complain(Condition::CommitBeforeGrows, "something need not come before " + Event + " any more", To);
      const bool WasEnabled = isEnabled(From, E) && !To.Committed.contains(E);
      if ((From.Committed.contains(E) || WasEnabled) && !(Earlier[E] == Later[E]))
        Complain(Condition::CommitBeforeStays, "something has to come before " + Event + " that could be committed",
                 To);
    }
  }

  void placeWrites(Graph &G, EventId E, std::mt19937 &Random) const {
    while (E < G.size() && !G[E].IsWrite)
      ++E;
    if (E == G.size()) {
      placeReads(G, 0, Random);
      return;
    }
    const auto Writes = static_cast<uint32_t>(G.Locations[G[E].Location].Coherence.size());
    for (uint32_t Position = 1; Position <= Writes + 1; ++Position) {
      G.commitWrite(E, Position);
      placeWrites(G, E + 1, Random);
      G.uncommitWrite(E);
    }
  }
  void placeReads(Graph &G, EventId E, std::mt19937 &Random) const {
    while (E < G.size() && G[E].IsWrite)
      ++E;
    if (E == G.size()) {
      if (isAllowed(G))
        takeApart(G, Random);
      return;
    }
    std::vector<EventId> Sources = G.Locations[G[E].Location].Coherence;
    Sources.push_back(NoEvent);
    for (EventId Source : Sources) {
      G.commitRead(E, Source);
      placeReads(G, E + 1, Random);
      G.uncommitRead(E);
    }
  }

  void takeApart(Graph G, std::mt19937 &Random) const {
    while (!G.Committed.empty()) {
      const std::vector<Set> Before = commitBefore(G);
      std::vector<EventId> Last;
      G.Committed.forEach([&](EventId E) {
        bool IsLast = true;
        G.Committed.forEach([&](EventId Other) { IsLast &= !Before[Other].contains(E); });
        if (IsLast)
          Last.push_back(E);
      });
      if (Last.empty()) {
        Complain(Condition::HasNoCycle, "commit-before and reads-from have a cycle", G);
        return;
      }
      const EventId E = Last[std::uniform_int_distribution<size_t>(0, Last.size() - 1)(Random)];
      G[E].IsWrite ? G.uncommitWrite(E) : G.uncommitRead(E);
      if (!isAllowed(G)) {
        Complain(Condition::AxiomsShrink, "with event " + std::to_string(E) + " it is allowed, without it is not", G);
        return;
      }
    }
  }

  const std::unique_ptr<Axioms<1>> Model;
  std::vector<LocationId> LocationOf; // of each event, also where it is not known yet
  Graph Start;
  const Complaint Complain;
};

/// The conditions that a model breaks on random graphs, each with the first graph on which it does.
inline std::map<Condition, std::string> brokenConditions(const GraphModel &Model, unsigned Graphs, unsigned Seed) {
  constexpr unsigned Walks = 4;
  constexpr uint64_t MostCandidates = 600;
  std::mt19937 Random(Seed);
  std::map<Condition, std::string> Broken;
  for (unsigned K = 0; K < Graphs; ++K) {
    const GraphBuilder Program = makeGraph(Random);
    ConditionsOfGraph One(Model, Program, [&](Condition What, const std::string &Why, const ExecutionGraph<1> &G) {
      Broken.try_emplace(What, "graph " + std::to_string(K) + ": " + Why + "\n" + textOf(G));
    });
    for (unsigned Walk = 0; Walk < Walks; ++Walk)
      One.walk(Random);
    One.checkComplete(MostCandidates, Random);
  }
  return Broken;
}

} // namespace picket::testing
