// Builds counterexamples by hand, event by event, for tests of their pictures and reports.
#pragma once

#include "trace/Counterexample.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace picket::testing {

class TraceBuilder {
public:
  explicit TraceBuilder(MemoryModel Model = MemoryModel::TSO, std::string File = "test.c") {
    Built.Run.Model = Model;
    Built.Run.File = std::move(File);
  }

  uint32_t thread(const std::string &Name) {
    Built.Run.Threads.push_back({Name, {}});
    return static_cast<uint32_t>(Built.Run.Threads.size() - 1);
  }
  uint32_t variable(const std::string &Name, const std::string &Type = "int") {
    TraceVariable V;
    V.Name = Name;
    V.Object = "global '" + Name.substr(0, Name.find('[')) + "'";
    V.Type = Type;
    V.Address = 4096 + 4 * Built.Run.Variables.size();
    V.Size = 4;
    V.Initial = "0";
    Built.Run.Variables.push_back(V);
    return static_cast<uint32_t>(Built.Run.Variables.size() - 1);
  }

  uint32_t add(EventKind Kind, uint32_t Thread, uint32_t Line) {
    TraceEvent E;
    E.Kind = Kind;
    E.Thread = Thread;
    E.At.Where.File = Built.Run.File;
    E.At.Where.Line = Line;
    E.At.Function = Built.Run.Threads[Thread].Name;
    Built.Run.Events.push_back(E);
    return static_cast<uint32_t>(Built.Run.Events.size() - 1);
  }
  TraceEvent &event(uint32_t Event) { return Built.Run.Events[Event]; }

  uint32_t store(uint32_t Thread, uint32_t Variable, const std::string &Value, uint32_t Line) {
    uint32_t E = add(EventKind::Store, Thread, Line);
    event(E).Accesses.push_back({Variable, true, 0, 0, Value});
    return E;
  }
  uint32_t load(uint32_t Thread, uint32_t Variable, const std::string &Value, uint32_t Line) {
    uint32_t E = add(EventKind::Load, Thread, Line);
    event(E).Accesses.push_back({Variable, false, 0, 0, Value});
    return E;
  }
  uint32_t update(uint32_t Store) {
    uint32_t E = add(EventKind::Update, event(Store).Thread, event(Store).At.Where.Line);
    event(E).Accesses = event(Store).Accesses;
    event(E).Partner = Store;
    event(Store).Partner = E;
    return E;
  }
  uint32_t rmw(uint32_t Thread, uint32_t Variable, const std::string &Old, const std::string &New, uint32_t Line) {
    uint32_t E = add(EventKind::Rmw, Thread, Line);
    event(E).Accesses = {{Variable, false, 0, 0, Old}, {Variable, true, 0, 0, New}};
    return E;
  }
  uint32_t sync(uint32_t Thread, SyncAction Action, uint32_t Variable, uint32_t Line) {
    uint32_t E = add(EventKind::Sync, Thread, Line);
    event(E).Action = Action;
    event(E).Accesses.push_back({Variable, true, 0, 0, ""});
    return E;
  }
  uint32_t create(uint32_t Thread, uint32_t Other, uint32_t Line) {
    uint32_t E = add(EventKind::Create, Thread, Line);
    event(E).Other = Other;
    return E;
  }
  uint32_t join(uint32_t Thread, uint32_t Other, uint32_t Line) {
    uint32_t E = add(EventKind::Join, Thread, Line);
    event(E).Other = Other;
    return E;
  }
  uint32_t bug(uint32_t Thread, const std::string &Sentence, uint32_t Line, BugKind Kind = BugKind::Assertion) {
    uint32_t E = add(EventKind::Bug, Thread, Line);
    event(E).What = Sentence;
    Built.Run.BugEvent = E;
    Built.Run.BugKind = Kind;
    Built.Run.BugMessage = Sentence;
    Built.Run.BugThread = Built.Run.Threads[Thread].Name;
    Built.Run.BugWhere = event(E).At.Where;
    return E;
  }
  void cycle(std::vector<TraceEdge> Edges) { Built.Why.Edges = std::move(Edges); }

  /// With the traces of what was added: values are taken as they are, all else follows from the order of events.
  Counterexample build() {
    Built.Chronological = trace(true);
    Built.ShashaSnir = trace(false);
    return Built;
  }

private:
  TraceGraph trace(bool Updates) const {
    TraceGraph G;
    std::map<uint32_t, uint32_t> LastOfThread, LastSync, LastWrite, Created;
    std::map<uint32_t, std::vector<uint32_t>> ReadSince; // the last write, per variable
    auto Edge = [&](uint32_t From, uint32_t To, EdgeKind Kind) { G.Edges.push_back({From, To, Kind}); };
    for (uint32_t I = 0; I < Built.Run.Events.size(); ++I) {
      const TraceEvent &E = Built.Run.Events[I];
      const bool IsUpdate = E.Kind == EventKind::Update;
      if (Updates || !IsUpdate)
        G.Nodes.push_back(I);
      if (!IsUpdate) {
        if (auto Last = LastOfThread.find(E.Thread); Last != LastOfThread.end())
          Edge(Last->second, I, EdgeKind::ProgramOrder);
        else if (auto Creator = Created.find(E.Thread); Creator != Created.end())
          Edge(Creator->second, I, EdgeKind::Lifecycle);
        LastOfThread[E.Thread] = I;
      }
      if (IsUpdate && Updates)
        Edge(E.Partner, I, EdgeKind::StoreToUpdate);
      if (E.Kind == EventKind::Create)
        Created[E.Other] = I;
      if (E.Kind == EventKind::Join && LastOfThread.count(E.Other))
        Edge(LastOfThread[E.Other], I, EdgeKind::Lifecycle);
      for (const TraceAccess &A : E.Accesses) {
        if (E.Kind == EventKind::Sync) {
          if (auto Last = LastSync.find(A.Variable); Last != LastSync.end())
            Edge(Last->second, I, EdgeKind::SyncOrder);
          LastSync[A.Variable] = I;
        } else if (!A.Write && !E.Forwarded) {
          if (auto Last = LastWrite.find(A.Variable); Last != LastWrite.end())
            Edge(Last->second, I, EdgeKind::Source);
          ReadSince[A.Variable].push_back(I);
        } else if (A.Write && !(E.Kind == EventKind::Store && E.Partner != NoEvent)) {
          const uint32_t Writer = Updates || !IsUpdate ? I : E.Partner;
          if (auto Last = LastWrite.find(A.Variable); Last != LastWrite.end())
            Edge(Last->second, Writer, Updates ? EdgeKind::UpdateToUpdate : EdgeKind::StoreOrder);
          for (uint32_t Reader : ReadSince[A.Variable])
            if (Reader != Writer)
              Edge(Reader, Writer, EdgeKind::Conflict);
          ReadSince[A.Variable].clear();
          LastWrite[A.Variable] = Writer;
        }
      }
    }
    std::sort(G.Edges.begin(), G.Edges.end());
    G.Edges.erase(std::unique(G.Edges.begin(), G.Edges.end()), G.Edges.end());
    return G;
  }

  Counterexample Built;
};

/// Dekker's entry under TSO: both threads read the other's flag before their own stores land.
inline Counterexample dekker() {
  TraceBuilder B(MemoryModel::TSO, "dekker.c");
  uint32_t Main = B.thread("main"), Left = B.thread("left"), Right = B.thread("right");
  uint32_t Flag0 = B.variable("flag[0]"), Flag1 = B.variable("flag[1]"), Inside = B.variable("inside");
  B.create(Main, Left, 30);
  B.create(Main, Right, 31);
  uint32_t StoreLeft = B.store(Left, Flag0, "1", 9);
  uint32_t LoadLeft = B.load(Left, Flag1, "0", 10);
  uint32_t StoreRight = B.store(Right, Flag1, "1", 17);
  uint32_t LoadRight = B.load(Right, Flag0, "0", 18);
  B.rmw(Left, Inside, "0", "1", 11);
  B.update(StoreLeft);
  B.update(StoreRight);
  B.rmw(Right, Inside, "1", "2", 19);
  B.bug(Right, "assertion 'inside == 1' fails", 20);
  B.cycle({{StoreLeft, LoadLeft, EdgeKind::ProgramOrder},
           {LoadLeft, StoreRight, EdgeKind::Conflict},
           {StoreRight, LoadRight, EdgeKind::ProgramOrder},
           {LoadRight, StoreLeft, EdgeKind::Conflict}});
  return B.build();
}

/// Message passing under PSO: the flag lands before the data.
inline Counterexample messagePassing() {
  TraceBuilder B(MemoryModel::PSO, "message_passing.c");
  uint32_t Main = B.thread("main"), Producer = B.thread("producer"), Consumer = B.thread("consumer");
  uint32_t Data = B.variable("data"), Ready = B.variable("ready");
  B.create(Main, Producer, 24);
  B.create(Main, Consumer, 25);
  uint32_t StoreData = B.store(Producer, Data, "42", 8);
  uint32_t StoreReady = B.store(Producer, Ready, "1", 9);
  B.update(StoreReady);
  uint32_t LoadReady = B.load(Consumer, Ready, "1", 15);
  uint32_t LoadData = B.load(Consumer, Data, "0", 16);
  B.bug(Consumer, "assertion 'data == 42' fails", 17);
  B.update(StoreData);
  B.cycle({{StoreData, StoreReady, EdgeKind::ProgramOrder},
           {StoreReady, LoadReady, EdgeKind::Source},
           {LoadReady, LoadData, EdgeKind::ProgramOrder},
           {LoadData, StoreData, EdgeKind::Conflict}});
  return B.build();
}

/// A lost increment although there is a mutex: main reads without it. Sequentially consistent.
inline Counterexample mutexCounter() {
  TraceBuilder B(MemoryModel::SC, "counter.c");
  uint32_t Main = B.thread("main"), One = B.thread("worker"), Two = B.thread("worker#2");
  uint32_t M = B.variable("m", "pthread_mutex_t"), Counter = B.variable("counter");
  B.create(Main, One, 20);
  B.create(Main, Two, 21);
  int Value = 0;
  for (uint32_t T : {One, Two, One, Two}) {
    B.sync(T, SyncAction::Locks, M, 8);
    B.load(T, Counter, std::to_string(Value), 9);
    B.store(T, Counter, std::to_string(++Value), 9);
    B.sync(T, SyncAction::Unlocks, M, 10);
  }
  B.join(Main, One, 22);
  B.load(Main, Counter, "4", 24);
  B.bug(Main, "assertion 'counter == 5' fails", 24);
  return B.build();
}

/// Threads that hand a token around, each round with work of their own; then a Dekker-like cycle between the first two.
/// About `Events` events.
inline Counterexample longRun(unsigned Events, unsigned Threads = 3) {
  TraceBuilder B(MemoryModel::TSO, "long.c");
  uint32_t Main = B.thread("main"), Token = B.variable("token"), X = B.variable("x"), Y = B.variable("y");
  std::vector<uint32_t> Workers, Buffers;
  for (unsigned T = 0; T < Threads; ++T) {
    Workers.push_back(B.thread(T ? "worker#" + std::to_string(T + 1) : "worker"));
    for (unsigned I = 0; I < 4; ++I)
      Buffers.push_back(B.variable("buf" + std::to_string(T) + "[" + std::to_string(I) + "]"));
    B.create(Main, Workers.back(), 50 + T);
  }
  for (unsigned Count = Threads, Round = 0; Count + 12 < Events; ++Round) {
    const unsigned T = Round % Threads;
    B.load(Workers[T], Token, std::to_string(Round), 10);
    for (unsigned I = 0; I < 4; ++I)
      B.load(Workers[T], Buffers[4 * T + I], "0", 12);
    B.update(B.store(Workers[T], Token, std::to_string(Round + 1), 14));
    Count += 7;
  }
  uint32_t StoreX = B.store(Workers[0], X, "1", 20), LoadY = B.load(Workers[0], Y, "0", 21);
  uint32_t StoreY = B.store(Workers[1], Y, "1", 30), LoadX = B.load(Workers[1], X, "0", 31);
  B.update(StoreX);
  B.update(StoreY);
  B.bug(Workers[1], "assertion 'x' fails", 32);
  B.cycle({{StoreX, LoadY, EdgeKind::ProgramOrder},
           {LoadY, StoreY, EdgeKind::Conflict},
           {StoreY, LoadX, EdgeKind::ProgramOrder},
           {LoadX, StoreX, EdgeKind::Conflict}});
  return B.build();
}

} // namespace picket::testing
