// What "Stateless Model Checking for POWER" says of its figures 5, 12 and 13. (Figures 2, 9 and 11 are in
// PowerExplorationTests.)
#include "litmus/LitmusReader.h"
#include "support/Graphs.h"
#include "support/ModelConditions.h"
#include "support/PowerGraph.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::ConditionsOfGraph;
using testing::GraphBuilder;

// Figure 5: with commit-before reduced to dependencies a run can get stuck; with POWER's it cannot come there.

template <unsigned Words> struct OnlyDependencies : PowerAxioms<Words> {
  using typename PowerAxioms<Words>::Graph, typename PowerAxioms<Words>::Set;
  Set commitBefore(const Graph &G, EventId E) const override { return G[E].Address | G[E].Data | G[E].Control; }
};

constexpr uint32_t X = 0, Y = 1;

struct Figure5 {
  GraphBuilder Program;
  EventId L0, L1, L2, L3, L5;

  Figure5() {
    L0 = Program.read(0, Y);
    L1 = Program.write(0, X, {.Data = {L0}});
    L2 = Program.write(0, X);
    L3 = Program.write(1, X);
    Program.sync(1); // L4
    L5 = Program.write(1, Y);
  }

  /// Commits an event with its parameter, counted as in the paper; writes from 0, a read reads the Parameter-th write.
  static void commit(const ConditionsOfGraph &Conditions, ExecutionGraph<1> &G, EventId E, size_t Parameter) {
    ASSERT_TRUE(Conditions.isEnabled(G, E)) << "event " << E;
    const ExecutionGraph<1> Next = Conditions.commit(G, E).at(Parameter).first;
    ASSERT_TRUE(Conditions.isAllowed(Next)) << "event " << E;
    G = Next;
  }
};

ConditionsOfGraph conditionsOf(const Figure5 &Figure, const GraphModel &Model) {
  return {Model, Figure.Program, [](auto &&...) {}};
}

TEST(PowerPaper, Figure5DependenciesAloneLetTheRunBlock) {
  const Figure5 F;
  const ConditionsOfGraph Conditions = conditionsOf(F, GraphModel::of<OnlyDependencies>(MemoryModel::Power));
  ExecutionGraph<1> G = Conditions.start();
  Figure5::commit(Conditions, G, F.L3, 0);
  Figure5::commit(Conditions, G, F.L5, 0);
  Figure5::commit(Conditions, G, F.L0, 1); // reads L5
  Figure5::commit(Conditions, G, F.L2, 0); // before L3
  ASSERT_TRUE(Conditions.isEnabled(G, F.L1));
  const auto All = Conditions.commit(G, F.L1);
  EXPECT_EQ(All.size(), 3u);
  for (const auto &[With, Taken] : All)
    EXPECT_FALSE(Conditions.isAllowed(With)) << testing::textOf(With);
}

TEST(PowerPaper, Figure5CommitBeforeOfPowerKeepsL1BeforeL2) {
  const Figure5 F;
  const ConditionsOfGraph Conditions = conditionsOf(F, MemoryModel::Power);
  ExecutionGraph<1> G = Conditions.start();
  Figure5::commit(Conditions, G, F.L3, 0);
  Figure5::commit(Conditions, G, F.L5, 0);
  Figure5::commit(Conditions, G, F.L0, 1);
  EXPECT_FALSE(Conditions.isEnabled(G, F.L2));
  ASSERT_TRUE(Conditions.isEnabled(G, F.L1));
  const auto All = Conditions.commit(G, F.L1);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_FALSE(Conditions.isAllowed(All[0].first)); // the cycle: before L3
  EXPECT_TRUE(Conditions.isAllowed(All[1].first));
}

TEST(PowerPaper, Figure5IsExploredWithoutBlocking) {
  const LitmusReading Reading = readLitmus(R"(PPC Fig5
{ 0:r2=y; 0:r4=x; 0:r3=2; 1:r2=x; 1:r3=3; 1:r4=y; 1:r5=1; }
 P0           | P1           ;
 lwz r1,0(r2) | stw r3,0(r2) ;
 stw r1,0(r4) | sync         ;
 stw r3,0(r4) | stw r5,0(r4) ;
forall true
)",
                                           "fig5.litmus");
  ASSERT_TRUE(Reading.Test) << Reading.Problem;
  const testing::Explored All = testing::exploreGraphsOf(Reading.Test->Code);
  // L0 reads the initial value: L3 in one of three places among L1 and L2. It reads L5: only behind L3.
  EXPECT_EQ(All.Result.Executions, 4u);
  EXPECT_EQ(All.Result.Blocked, 0u);
  EXPECT_EQ(All.Result.RejectedBranches, 0u);
  EXPECT_EQ(All.Result.FailedWakeups, 0u);
  EXPECT_EQ(All.Repeated, 0u);
}

// Figures 12 and 13: what is related to what.

/// The facts of every run, thread by thread without main.
class FactsOfRuns : public GraphObserver {
public:
  void ended(GraphRun &Run, Ending How) override {
    EXPECT_EQ(How, Ending::Complete);
    Runs.push_back(Run.facts());
  }
  void restarted() override { Runs.clear(); }

  /// The numbers of a thread's events in a run; threads are counted from 1.
  static std::vector<EventId> eventsOf(const std::vector<GraphFact> &Facts, ThreadId T) {
    std::vector<EventId> Own;
    for (EventId E = 0; E < Facts.size(); ++E)
      if (Facts[E].Thread == T)
        Own.push_back(E);
    return Own;
  }
  std::vector<std::vector<GraphFact>> Runs;
};

using Events = std::vector<EventId>;

TEST(PowerPaper, Figure12PairsOfTheFences) {
  testing::PowerGraph P;
  const EventId L0 = P.write(0, X);
  P.lwsync(0); // L1
  const EventId L2 = P.write(0, Y), L3 = P.read(1, Y);
  P.sync(1); // L4
  const EventId L5 = P.read(1, X);
  ASSERT_TRUE(P.writes(L0) && P.writes(L2) && P.reads(L3, L2));
  EXPECT_FALSE(P.readsInitial(L5)); // what the fences are for
  ASSERT_TRUE(P.reads(L5, L0));
  EXPECT_EQ(PowerAxioms<1>::fullFence(P.G, L5), P.set({L3}));
  EXPECT_EQ(PowerAxioms<1>::lightFence(P.G, L2), P.set({L0}));
  for (EventId E : {L0, L2, L3})
    EXPECT_TRUE(PowerAxioms<1>::fullFence(P.G, E).empty());
  for (EventId E : {L0, L3, L5})
    EXPECT_TRUE(PowerAxioms<1>::lightFence(P.G, E).empty());
}

TEST(PowerPaper, Figure12InARunOfTheProgram) {
  const LitmusReading Reading = readLitmus(R"(PPC MP+lwfence+ffence
{ 0:r2=x; 0:r3=1; 0:r4=y; 1:r2=y; 1:r4=x; }
 P0           | P1           ;
 stw r3,0(r2) | lwz r1,0(r2) ;
 lwsync       | sync         ;
 stw r3,0(r4) | lwz r3,0(r4) ;
forall true
)",
                                           "fig12.litmus");
  ASSERT_TRUE(Reading.Test) << Reading.Problem;
  FactsOfRuns Facts;
  exploreGraphs(Reading.Test->Code, MemoryModel::Power, testing::exhaustively(MemoryModel::SC), Facts);
  EXPECT_EQ(Facts.Runs.size(), 3u);
  for (const auto &Run : Facts.Runs) {
    const Events P = FactsOfRuns::eventsOf(Run, 1), Q = FactsOfRuns::eventsOf(Run, 2);
    ASSERT_EQ(P.size(), 2u);
    ASSERT_EQ(Q.size(), 2u);
    EXPECT_EQ(Run[P[1]].Fenced, Events{P[0]});
    EXPECT_EQ(Run[Q[1]].Fenced, Events{Q[0]});
    EXPECT_FALSE(Run[Q[0]].Value == 1 && Run[Q[1]].Value == 0);
  }
}

/// [r1] is an element of an array here: C has nothing at the addresses 0 and 1.
TEST(PowerPaper, Figure13AddressAndControlDependencies) {
  const Program Code = testing::compile(testing::requestForText(R"(
#include <pthread.h>
volatile int x, y, memory[2];
static void *p(void *arg) {
  int r0;
  do
    r0 = x;         // L0
  while (r0 == 1);  // L1
  x = 1;            // L2
  return arg;
}
static void *q(void *arg) {
  int r1 = x;       // L3
  memory[r1] = 1;   // L4
  int r2 = y;       // L5
  (void)r2;
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, p, 0);
  pthread_create(&b, 0, q, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x + y + memory[0] + memory[1] > 9;
})"));
  FactsOfRuns Facts;
  exploreGraphs(Code, MemoryModel::Power, testing::exhaustively(MemoryModel::SC), Facts);
  EXPECT_EQ(Facts.Runs.size(), 2u); // L3 reads the initial value or L2
  for (const auto &Run : Facts.Runs) {
    const Events P = FactsOfRuns::eventsOf(Run, 1), Q = FactsOfRuns::eventsOf(Run, 2);
    ASSERT_EQ(P.size(), 2u);
    ASSERT_GE(Q.size(), 2u);
    // The address of L4 depends on L3, and nothing else does.
    EXPECT_EQ(Run[Q[1]].AddressFrom, Events{Q[0]});
    EXPECT_EQ(Run[Q[1]].DataFrom, Events{});
    EXPECT_EQ(Run[Q[1]].ControlFrom, Events{});
    // Whether L2 is done depends on L0.
    EXPECT_EQ(Run[P[1]].ControlFrom, Events{P[0]});
    EXPECT_EQ(Run[P[1]].AddressFrom, Events{});
    EXPECT_EQ(Run[P[1]].DataFrom, Events{});
    // L0 and L2 access the same place.
    EXPECT_EQ(Run[P[0]].Where, Run[P[1]].Where);
    EXPECT_FALSE(Run[P[0]].IsWrite);
    EXPECT_TRUE(Run[P[1]].IsWrite);
  }
}

} // namespace
} // namespace picket
