// A memory model can be added to the graph explorer from outside: the steps of docs/how-to-add-a-memory-model.md, done
// for a model like RMO, and the tests that the page asks for.
#include "property/PowerExecutions.h"
#include "property/RandomProgram.h"
#include "property/RmoAxioms.h"
#include "support/Graphs.h"

namespace picket {
namespace {

using testing::Statement;

// Litmus tests whose answers are known.

struct Litmus {
  std::string Name;
  std::vector<std::string> Threads; // bodies; r is the thread's own
  std::string Forbidden;            // under SC
  bool Rmo, Power;                  // whether it is allowed
};

std::string textOf(const Litmus &L) {
  std::string Text =
                  "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nvolatile int x, y, a, b, c, d;\n"
                  "#define full() __sync_synchronize()\n#define light() __atomic_thread_fence(__ATOMIC_ACQ_REL)\n",
              Start, Wait;
  for (size_t K = 0; K < L.Threads.size(); ++K) {
    const std::string N = std::to_string(K);
    Text += "static void *t" + N + "(void *p) { int r; (void)r; " + L.Threads[K] + " return p; }\n";
    Start += "pthread_create(&t[" + N + "], 0, t" + N + ", 0); ";
    Wait += "pthread_join(t[" + N + "], 0); ";
  }
  return Text + "int main(void) { pthread_t t[" + std::to_string(L.Threads.size()) + "]; " + Start + Wait +
         "assert(!(" + L.Forbidden + ")); return 0; }\n";
}

bool allows(const Litmus &L, const GraphModel &Model) {
  const testing::Explored All = testing::exploreGraphsOf(testing::compile(testing::requestForText(textOf(L))), Model);
  EXPECT_EQ(All.Result.Ended, ExplorationResult::End::Everything) << L.Name << ": " << All.Result.Reason;
  EXPECT_EQ(All.Repeated, 0u) << L.Name;
  EXPECT_EQ(All.Result.FailedWakeups, 0u) << L.Name;
  return !All.Bugs.empty();
}

const Litmus Tests[] = {
    {"SB", {"x = 1; a = y;", "y = 1; b = x;"}, "!a && !b", true, true},
    {"SB+lights", {"x = 1; light(); a = y;", "y = 1; light(); b = x;"}, "!a && !b", true, true},
    {"SB+fulls", {"x = 1; full(); a = y;", "y = 1; full(); b = x;"}, "!a && !b", false, false},
    {"MP", {"x = 1; y = 1;", "a = y; b = x;"}, "a && !b", true, true},
    {"MP+light+po", {"x = 1; light(); y = 1;", "a = y; b = x;"}, "a && !b", true, true},
    {"MP+po+light", {"x = 1; y = 1;", "a = y; light(); b = x;"}, "a && !b", true, true},
    {"MP+lights", {"x = 1; light(); y = 1;", "a = y; light(); b = x;"}, "a && !b", false, false},
    {"MP+light+addr", {"x = 1; light(); y = 1;", "r = y; a = r; b = (&x)[r - r];"}, "a && !b", false, false},
    {"MP+light+ctrl", {"x = 1; light(); y = 1;", "r = y; a = r; if (r) b = !x;"}, "a && b", true, true},
    {"LB", {"a = x; y = 1;", "b = y; x = 1;"}, "a && b", true, true},
    {"LB+data+po", {"r = x; a = r; y = r - r + 1;", "b = y; x = 1;"}, "a && b", true, true},
    {"LB+datas", {"r = x; a = r; y = r - r + 1;", "r = y; b = r; x = r - r + 1;"}, "a && b", false, false},
    {"LB+ctrls", {"r = x; a = r; if (r) y = 1;", "r = y; b = r; if (r) x = 1;"}, "a && b", false, false},
    {"CoRR", {"x = 1;", "a = x; b = x;"}, "a && !b", false, false},
    {"CoWW", {"x = 1; x = 2;", ""}, "x == 1", false, false},
    {"2+2W", {"x = 1; y = 2;", "y = 1; x = 2;"}, "x == 1 && y == 1", true, true},
    {"2+2W+lights", {"x = 1; light(); y = 2;", "y = 1; light(); x = 2;"}, "x == 1 && y == 1", false, false},
    {"WRC+light+addr",
     {"x = 1;", "a = x; light(); y = 1;", "r = y; b = r; c = (&x)[r - r];"},
     "a && b && !c",
     false,
     false},
    {"WRC+data+addr",
     {"x = 1;", "r = x; a = r; y = r - r + 1;", "r = y; b = r; c = (&x)[r - r];"},
     "a && b && !c",
     false,
     true},
    {"IRIW", {"x = 1;", "y = 1;", "a = x; b = y;", "c = y; d = x;"}, "a && !b && c && !d", true, true},
    {"IRIW+addrs",
     {"x = 1;", "y = 1;", "r = x; a = r; b = (&y)[r - r];", "r = y; c = r; d = (&x)[r - r];"},
     "a && !b && c && !d",
     false,
     true},
    {"IRIW+lights",
     {"x = 1;", "y = 1;", "a = x; light(); b = y;", "c = y; light(); d = x;"},
     "a && !b && c && !d",
     false,
     true},
    {"IRIW+fulls",
     {"x = 1;", "y = 1;", "a = x; full(); b = y;", "c = y; full(); d = x;"},
     "a && !b && c && !d",
     false,
     false},
};

TEST(AddedModel, AnswersLitmusTests) {
  for (const Litmus &L : Tests) {
    EXPECT_FALSE(allows(L, MemoryModel::SC)) << L.Name;
    EXPECT_EQ(allows(L, testing::rmo()), L.Rmo) << L.Name;
    EXPECT_EQ(allows(L, MemoryModel::Power), L.Power) << L.Name;
  }
}

// Against brute force.

using Palette = testing::PowerPalette;

void expectSameExecutions(const Palette &From, unsigned Programs, unsigned Seed,
                          testing::PowerMaker Make = testing::makePowerProgram) {
  testing::expectSameExecutions({testing::rmo(), testing::BruteModel::Rmo}, From, Programs, Seed, Make);
}

TEST(AddedModel, SeesEachExecutionWithFencesOnce) {
  expectSameExecutions(
      {.Ties = {Palette::Loose, Palette::SyncTie, Palette::LwSyncTie, Palette::EieioTie}, .Locations = 3}, 1000, 91);
}
TEST(AddedModel, SeesEachExecutionWithDependenciesOnce) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::FakeDataTie,
                                 Palette::ControlTie, Palette::ControlISyncTie, Palette::LwSyncTie, Palette::SyncTie},
                        .Locations = 3},
                       1000, 92);
}
TEST(AddedModel, SeesEachExecutionOfCyclesOnce) {
  expectSameExecutions({.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::ControlTie,
                                 Palette::ControlISyncTie, Palette::SyncTie, Palette::LwSyncTie, Palette::EieioTie}},
                       4000, 93, testing::makePowerCycle);
}

// In the order of strength.

testing::GraphTraces tracesOf(const Program &P, const GraphModel &Model) {
  testing::GraphTraces Traces;
  exploreGraphs(P, Model, testing::exhaustively(MemoryModel::SC), Traces);
  return Traces;
}

TEST(AddedModel, HasEveryTraceOfPso) {
  // Nothing that happens on a condition (see Inclusion), and no seq_cst loads, which mean less under PSO.
  const testing::Palette From = {Statement::Store,       Statement::Load,         Statement::Copy,
                                 Statement::FullFence,   Statement::ReleaseFence, Statement::StoreRelease,
                                 Statement::StoreSeqCst, Statement::FetchAdd,     Statement::RelaxedAdd};
  std::mt19937 Random(94);
  unsigned More = 0;
  for (unsigned K = 0; K < 500; ++K) {
    const std::string Text = testing::makeProgram(Random, From, 3, 4).text();
    const Program P = testing::compile(testing::requestForText(Text));
    const testing::GraphTraces Pso = tracesOf(P, MemoryModel::PSO), Rmo = tracesOf(P, testing::rmo());
    ASSERT_TRUE(Pso.areAmong(Rmo)) << "program " << K << ":\n" << Text;
    More += !Rmo.areAmong(Pso);
  }
  EXPECT_GE(More, 5u) << "the models hardly differ";
}

TEST(AddedModel, HasNoExecutionThatPowerHasNot) {
  const Palette From = {.Ties = {Palette::Loose, Palette::AddressTie, Palette::DataTie, Palette::SyncTie,
                                 Palette::LwSyncTie, Palette::EieioTie}};
  std::mt19937 Random(95);
  unsigned More = 0;
  for (unsigned K = 0; K < 2000; ++K) {
    const testing::PowerProgram P = testing::makePowerCycle(Random, From);
    const LitmusReading Reading = readLitmus(P.text(), "random.litmus");
    ASSERT_TRUE(Reading.Test) << Reading.Problem;
    testing::PowerExecutions Rmo(*Reading.Test), Power(*Reading.Test);
    exploreGraphs(Reading.Test->Code, testing::rmo(), testing::exhaustively(MemoryModel::SC), Rmo);
    exploreGraphs(Reading.Test->Code, MemoryModel::Power, testing::exhaustively(MemoryModel::SC), Power);
    for (const auto &[Execution, Times] : Rmo.Seen)
      ASSERT_TRUE(Power.Seen.contains(Execution)) << "program " << K << ":\n" << P.text();
    More += Power.Seen.size() > Rmo.Seen.size();
  }
  EXPECT_GE(More, 20u) << "the models hardly differ";
}

} // namespace
} // namespace picket
