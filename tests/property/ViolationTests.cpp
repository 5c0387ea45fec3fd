// Random programs: monitoring SC finds exactly the violations that the executions of TSO (PSO) have. A violation is a store
// and an access of another thread, found in a trace of TSO (PSO) by a criterion that knows nothing of monitors.
//
// Let f be an access and S all that happens before the accesses of its thread that precede it (program order and
// conflicts, transitively, f left out). The pair of d and f is a violation if
// - S is a trace of SC: it has no cycle, and reads nothing from f;
// - d is the last write in S to the memory of f, by another thread;
// - the model has a run in which all of S is executed, then f, and d reaches memory after that. In that run an access of S
//   is executed when all conflicting accesses of other threads that precede it have taken effect, so that d alone is late.
// Then SC would have f come after d. Whether there is such a run is a question about a graph of orders: of executing each
// event and, for stores, of reaching memory.
#include "property/Environment.h"
#include "property/RandomProgram.h"
#include "support/Explore.h"
#include "support/Recordings.h"
#include "support/Smallest.h"

#include <gtest/gtest.h>

#include <functional>

namespace picket {
namespace {

using testing::RandomProgram;
using testing::Statement;

constexpr unsigned Unroll = 4;

/// Per store and observer: the later accesses of the store's thread that it is delayed past. All are instructions; every
/// thread has a function of its own.
using Violations = std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>>;

class Graph {
public:
  explicit Graph(size_t Nodes) : Next(Nodes) {}
  void add(size_t From, size_t To) { Next[From].push_back(To); }
  bool hasCycle() const {
    std::vector<char> State(Next.size());
    std::function<bool(size_t)> Visit = [&](size_t N) {
      State[N] = 1;
      for (size_t M : Next[N])
        if (State[M] == 1 || (!State[M] && Visit(M)))
          return true;
      State[N] = 2;
      return false;
    };
    for (size_t N = 0; N < Next.size(); ++N)
      if (!State[N] && Visit(N))
        return true;
    return false;
  }

private:
  std::vector<std::vector<size_t>> Next;
};

/// The trace of one execution, with the orders that the criterion asks for.
class Trace {
public:
  Trace(const Recording &Run, bool Pso) : Pso(Pso) {
    std::vector<size_t> IdOf(Run.Events.size());
    for (size_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = Run.Events[K];
      if (E.Kind == EventKind::Update) {
        land(IdOf[E.Partner]);
        continue;
      }
      if (E.Kind == EventKind::Create || E.Kind == EventKind::Join)
        continue; // main does nothing else
      Node N;
      N.Thread = E.Thread;
      N.Pc = E.Stack.empty() ? 0 : E.Stack.back();
      N.FullFence = E.FullFence;
      N.Barrier = E.StoreBarrier;
      N.BehindBarrier = E.Kind == EventKind::Store && E.StoreBarrier;
      for (const TraceAccess &A : E.Accesses) {
        N.Variable = A.Variable;
        (A.Write ? N.Writes : N.Reads) = true;
      }
      N.Buffered = E.Kind == EventKind::Store;
      IdOf[K] = Nodes.size();
      Nodes.push_back(N);
      const size_t Id = IdOf[K];
      if (N.Reads)
        Nodes[Id].Source = sourceFor(Id);
      if (N.Writes && !N.Buffered)
        land(Id);
    }
  }

  void addViolations(Violations &Found) const {
    for (size_t F = 0; F < Nodes.size(); ++F)
      if (Nodes[F].isAccess())
        addViolations(F, Found);
  }

private:
  static constexpr size_t None = ~size_t(0);
  struct Node {
    uint32_t Thread = 0, Pc = 0, Variable = 0;
    bool Reads = false, Writes = false, Buffered = false;
    bool FullFence = false;                      // the buffer is empty before it
    bool Barrier = false, BehindBarrier = false; // PSO: later stores (and it) reach memory after all earlier ones
    bool Landed = false;
    size_t Source = None;   // of a read; none: the initial value
    size_t Position = None; // of a write among those of its variable
    bool isAccess() const { return Reads || Writes; }
  };

  void land(size_t Id) {
    std::vector<size_t> &Order = Coherence[Nodes[Id].Variable];
    Nodes[Id].Landed = true;
    Nodes[Id].Position = Order.size();
    Order.push_back(Id);
  }

  size_t sourceFor(size_t Id) const {
    for (size_t K = Id; K-- > 0;)
      if (Nodes[K].Thread == Nodes[Id].Thread && Nodes[K].Variable == Nodes[Id].Variable && Nodes[K].Buffered &&
          !Nodes[K].Landed)
        return K;
    auto Order = Coherence.find(Nodes[Id].Variable);
    return Order == Coherence.end() ? None : Order->second.back();
  }

  /// Events that directly happen before N.
  std::vector<size_t> before(size_t N) const {
    std::vector<size_t> Result;
    const Node &Me = Nodes[N];
    for (size_t K = N; K-- > 0;)
      if (Nodes[K].Thread == Me.Thread) {
        Result.push_back(K);
        break;
      }
    if (Me.Source != None)
      Result.push_back(Me.Source);
    if (Me.Writes)
      for (size_t K = 0; K < Nodes.size(); ++K)
        if (K != N && Nodes[K].isAccess() && Nodes[K].Variable == Me.Variable &&
            ((Nodes[K].Writes && Nodes[K].Position < Me.Position) ||
             (Nodes[K].Reads && (Nodes[K].Source == None || Nodes[Nodes[K].Source].Position < Me.Position))))
          Result.push_back(K);
    return Result;
  }

  void addViolations(size_t F, Violations &Found) const {
    const Node &Me = Nodes[F];
    size_t Last = None;
    for (size_t K = 0; K < F; ++K)
      if (Nodes[K].Thread == Me.Thread)
        Last = K;
    if (Last == None)
      return;
    std::vector<char> In(Nodes.size());
    std::vector<size_t> Todo = {Last};
    for (In[Last] = true; !Todo.empty();) {
      const size_t N = Todo.back();
      Todo.pop_back();
      for (size_t B : before(N))
        if (B != F && !In[B]) {
          In[B] = true;
          Todo.push_back(B);
        }
    }
    size_t D = None;
    for (size_t K = 0; K < Nodes.size(); ++K) {
      if (In[K] && Nodes[K].Source == F)
        return;
      if (In[K] && Nodes[K].Writes && Nodes[K].Variable == Me.Variable &&
          (D == None || Nodes[D].Position < Nodes[K].Position))
        D = K;
    }
    if (D == None || Nodes[D].Thread == Me.Thread)
      return;
    const bool First = Me.Writes ? Me.Position < Nodes[D].Position
                                 : Me.Source == None || Nodes[Me.Source].Position < Nodes[D].Position;
    if (!First || happensInCircle(In) || !hasRun(In, F, D))
      return;
    uint32_t Overtaker = 0;
    for (size_t K = 0; K < Nodes.size(); ++K)
      if (In[K] && Nodes[K].Thread == Nodes[D].Thread && Nodes[K].isAccess())
        Overtaker = Nodes[K].Pc;
    Found[{Nodes[D].Pc, Me.Pc}].insert(Overtaker);
  }

  bool happensInCircle(const std::vector<char> &In) const {
    Graph G(Nodes.size());
    for (size_t K = 0; K < Nodes.size(); ++K)
      if (In[K])
        for (size_t B : before(K))
          if (In[B])
            G.add(B, K);
    return G.hasCycle();
  }

  /// Whether S can be executed, then F, and D reaches memory after that. Per event: when it is executed (2 * event) and,
  /// for stores in a buffer, when it reaches memory (2 * event + 1).
  bool hasRun(std::vector<char> In, size_t F, size_t D) const {
    In[F] = true;
    Graph G(2 * Nodes.size());
    auto Executed = [](size_t N) { return 2 * N; };
    auto Lands = [&](size_t N) { return 2 * N + (Nodes[N].Buffered ? 1 : 0); };
    for (size_t B = 0; B < Nodes.size(); ++B) {
      if (!In[B])
        continue;
      const Node &Later = Nodes[B];
      if (Later.Buffered)
        G.add(Executed(B), Lands(B));
      if (B != F)
        G.add(Executed(B), Executed(F));
      if (Later.Source != None && Nodes[Later.Source].Thread != Later.Thread)
        G.add(Lands(Later.Source), Executed(B));
      bool Barrier = Later.BehindBarrier;
      for (size_t A = B; A-- > 0;) { // of its thread, backwards
        const Node &Earlier = Nodes[A];
        if (!In[A] || Earlier.Thread != Later.Thread)
          continue;
        G.add(Executed(A), Executed(B));
        const bool SameVariable = Earlier.isAccess() && Later.isAccess() && Earlier.Variable == Later.Variable;
        if (Earlier.Buffered && Later.FullFence)
          G.add(Lands(A), Executed(B));
        if (Earlier.Buffered && Later.Writes && (!Pso || SameVariable || Barrier))
          G.add(Lands(A), Lands(B));
        // A read that does not see its own thread's store finds it in memory, overwritten.
        if (Earlier.Buffered && Later.Reads && SameVariable &&
            (Later.Source == None || Nodes[Later.Source].Thread != Later.Thread))
          G.add(Lands(A), Executed(B));
        Barrier = Barrier || Earlier.Barrier || Earlier.FullFence;
      }
      for (size_t A = 0; A < Nodes.size(); ++A) {
        if (!In[A] || A == B || !Nodes[A].isAccess() || !Later.Writes || Nodes[A].Variable != Later.Variable)
          continue;
        if (Nodes[A].Writes && Nodes[A].Position < Later.Position)
          G.add(Lands(A), A == F || B == F || Nodes[A].Thread == Later.Thread ? Lands(B) : Executed(B));
        if (Nodes[A].Reads && (Nodes[A].Source == None || Nodes[Nodes[A].Source].Position < Later.Position))
          G.add(Executed(A), Lands(B));
      }
    }
    G.add(Nodes[F].Writes ? Lands(F) : Executed(F), Lands(D));
    return !G.hasCycle();
  }

  const bool Pso;
  std::vector<Node> Nodes; // in the order in which they were executed
  std::map<uint32_t, std::vector<size_t>> Coherence;
};

/// Keeps every execution of an exploration, and writes all down when it is over.
struct Executions : ExplorationObserver {
  void ended(Execution &E, Ending) override {
    std::vector<ProcessId> &Schedule = Schedules.emplace_back();
    for (uint32_t K = 0; K < E.length(); ++K)
      Schedule.push_back(E[K].Process);
  }
  void restarted() override { Schedules.clear(); }
  void finished(Configuration &C) override {
    C.watch([] { return false; }); // the exploration is over
    for (const std::vector<ProcessId> &Schedule : Schedules)
      if (std::optional<Recording> Run = record(C, Schedule, nullptr))
        Runs.push_back(std::move(*Run));
  }
  std::vector<std::vector<ProcessId>> Schedules;
  std::vector<Recording> Runs;
};

std::string text(const Violations &All, const Program &P) {
  auto Line = [&](uint32_t Pc) { return " line " + std::to_string(P.locationOf(Pc).Line); };
  std::string Text;
  for (const auto &[Pair, Overtakers] : All)
    for (uint32_t Overtaker : Overtakers)
      Text += "  store" + Line(Pair.first) + " past" + Line(Overtaker) + ", observed at" + Line(Pair.second) + "\n";
  return Text;
}

/// What of the alarms of a program is not as it should be, empty if nothing is.
std::string problemOf(const RandomProgram &P, uint64_t *Sizes = nullptr) {
  const Program Compiled = testing::compile(testing::requestForText(P.text()));
  ScMonitor Monitor;
  ExplorationOptions Sc = testing::exhaustively(MemoryModel::SC, Unroll);
  Sc.Monitor = &Monitor;
  testing::Silent Nobody;
  exploreOptimally(Compiled, Sc, Nobody);
  std::string Problem;
  for (MemoryModel Which : monitoredModels()) {
    Executions All;
    exploreOptimally(Compiled, testing::exhaustively(Which, Unroll), All);
    if (All.Runs.size() < All.Schedules.size())
      Problem += "an execution cannot be written down\n";
    Violations Expected;
    for (const Recording &Run : All.Runs)
      Trace(Run, Which == MemoryModel::PSO).addViolations(Expected);
    Violations Monitored;
    for (const auto &[Pair, Alarm] : Monitor.alarms(Which))
      Monitored[Pair] = Alarm.Overtakers;
    if (Sizes)
      Sizes[Which == MemoryModel::PSO] += Expected.size();
    if (Expected != Monitored)
      Problem += titleOf(Which) + ": the executions have\n" + text(Expected, Compiled) + "and the monitor found\n" +
                 text(Monitored, Compiled);
  }
  return Problem;
}

void expectExactLists(const testing::Palette &From, unsigned Programs, unsigned Seed, unsigned MaxThreads,
                      unsigned MaxStatements) {
  Programs = testing::programsOr(Programs);
  std::mt19937 Random(testing::seedOr(Seed));
  uint64_t Sizes[2] = {0, 0}; // TSO, PSO
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, From, MaxThreads, MaxStatements);
    if (problemOf(P, Sizes).empty())
      continue;
    const RandomProgram Small =
        testing::smallest(P, [](const RandomProgram &Candidate) { return problemOf(Candidate); });
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << problemOf(Small) << Small.text();
  }
  EXPECT_GE(Sizes[0], testing::atLeast(0.005, Programs)) << "there should be something to find";
  EXPECT_GE(Sizes[1], Sizes[0]) << "PSO delays more";
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Fences = {Statement::Store,        Statement::Load,        Statement::Copy,
                                 Statement::FullFence,    Statement::StoreSeqCst, Statement::ReleaseFence,
                                 Statement::StoreRelease, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,      Statement::Store,       Statement::Load,
                                  Statement::Load,       Statement::FetchAdd,    Statement::CompareSwap,
                                  Statement::RelaxedAdd, Statement::ReleaseFence};

const testing::Palette Locks = {Statement::Store, Statement::Store,     Statement::Load,
                                Statement::Load,  Statement::LockedAdd, Statement::TryLocked};
const testing::Palette Awaits = {Statement::Store, Statement::Load, Statement::AwaitNot, Statement::StoreSeqCst,
                                 Statement::Copy};

TEST(Violations, AreThoseOfTheExecutionsWithPlainAccesses) { expectExactLists(Accesses, 1500, 61, 3, 4); }
TEST(Violations, AreThoseOfTheExecutionsWithFences) { expectExactLists(Fences, 1500, 62, 3, 5); }
TEST(Violations, AreThoseOfTheExecutionsWithAtomics) { expectExactLists(Atomics, 1500, 63, 3, 5); }
TEST(Violations, AreThoseOfTheExecutionsWithLocks) { expectExactLists(Locks, 300, 64, 3, 4); }
TEST(Violations, AreThoseOfTheExecutionsWithAwaits) { expectExactLists(Awaits, 500, 65, 3, 4); }

} // namespace
} // namespace picket
