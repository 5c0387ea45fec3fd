// Long executions and long programs: the cost of an execution is that of its events, and local instructions are cheap.
#include "support/Explore.h"
#include "support/ProcessorTime.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace picket {
namespace {

/// Counts events, and ends the exploration with the given number of executions.
struct Limited : ExplorationObserver {
  struct Enough {};
  explicit Limited(uint64_t MaxExecutions) : MaxExecutions(MaxExecutions) {}

  void ended(Execution &E, Ending) override {
    Events = std::max<uint64_t>(Events, E.length());
    if (++Executions >= MaxExecutions)
      throw Enough();
  }
  void restarted() override { Events = Executions = 0; }

  const uint64_t MaxExecutions;
  uint64_t Events = 0, Executions = 0;
};

/// Explores up to a number of executions; returns how many there were.
Limited exploreUpTo(uint64_t MaxExecutions, const Program &P, MemoryModel Buffers) {
  Limited Seen(MaxExecutions);
  ExplorationOptions Options = testing::exhaustively(Buffers);
  Options.Machine.QuietAccesses = false; // it is steps that are to be many
  try {
    exploreOptimally(P, Options, Seen);
  } catch (const Limited::Enough &) {
  }
  return Seen;
}

Program compileText(const std::string &Text, unsigned N) {
  return testing::compile(testing::requestForText(Text, {"-DN=" + std::to_string(N)}));
}

/// Thousands of lines, and tens of thousands of local instructions between two accesses that others can see.
std::string longText() {
  std::string Text = "#include <assert.h>\n#include <pthread.h>\nvolatile int x, y, z;\n";
  unsigned Functions = 100;
  for (unsigned F = 0; F < Functions; ++F) {
    Text += "static unsigned f" + std::to_string(F) + "(unsigned v) {\n";
    for (unsigned L = 0; L < 50; ++L)
      Text += "  v = v * " + std::to_string(2 * L + 3) + "u + (v >> " + std::to_string(1 + L % 7) + ") ^ " +
              std::to_string(F * 50 + L) + "u;\n";
    Text += "  return v;\n}\n";
  }
  Text += "static unsigned work(unsigned v) {\n  for (int round = 0; round < 3; round++) {\n";
  for (unsigned F = 0; F < Functions; ++F)
    Text += "    v = f" + std::to_string(F) + "(v);\n";
  Text += "  }\n  return v;\n}\n";
  for (const char *T : {"a", "b"})
    Text += std::string("static void *") + T +
            "(void *p) {\n  for (int i = 0; i < 3; i++) {\n    x = (int)work((unsigned)y);\n    y = i;\n  }\n  return "
            "p;\n}\n";
  return Text + "int main(void) {\n  pthread_t s, t;\n  pthread_create(&s, 0, a, 0);\n  pthread_create(&t, 0, b, 0);\n"
                "  pthread_join(s, 0);\n  pthread_join(t, 0);\n  return 0;\n}\n";
}

TEST(LongPrograms, AreExplored) {
  const std::string Text = longText();
  ASSERT_GT(std::count(Text.begin(), Text.end(), '\n'), 5000);
  const Program P = testing::compile(testing::requestForText(Text));
  for (MemoryModel Buffers : testing::AllModels) {
    const double Before = testing::processorSeconds();
    Limited Seen = exploreUpTo(1000, P, Buffers);
    const double Cost = testing::processorSeconds() - Before;
    RecordProperty(std::string("milliseconds_per_execution_") + titleOf(Buffers), std::to_string(Cost));
    EXPECT_EQ(Seen.Executions, 1000u);
  }
}

/// Explores a program with one execution and compares with one of a tenth of its length.
void expectLinear(const char *Text, unsigned N, uint64_t MinEvents) {
  const Program Short = compileText(Text, N / 10), Long = compileText(Text, N);
  for (MemoryModel Buffers : testing::AllModels) {
    SCOPED_TRACE(titleOf(Buffers));
    const double ShortCost = testing::leastCost(3, [&] { EXPECT_EQ(exploreUpTo(2, Short, Buffers).Executions, 1u); });
    const double LongCost = testing::leastCost(3, [&] {
      Limited Many = exploreUpTo(2, Long, Buffers);
      EXPECT_EQ(Many.Executions, 1u);
      EXPECT_GE(Many.Events, MinEvents);
    });
    // Quadratic would cost a hundred times as much.
    EXPECT_LT(LongCost, 40 * ShortCost + 0.2);
  }
}

TEST(LongExecutions, ThreadsOnCellsOfTheirOwn) {
  expectLinear("#include <pthread.h>\nvolatile int cells[2];\n"
               "void *t(void *p) { for (int i = 0; i < N; i++) cells[(long)p] = i; return 0; }\n"
               "int main(void) { pthread_t a, b; pthread_create(&a, 0, t, (void *)0);\n"
               "  pthread_create(&b, 0, t, (void *)1); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n",
               50'000, 100'000);
}

TEST(LongExecutions, ThreadsThatTakeTurns) {
  expectLinear("#include <pthread.h>\n#include <semaphore.h>\nsem_t s[2]; int x;\n"
               "void *t(void *p) { long me = (long)p; for (int i = 0; i < N; i++) {\n"
               "  sem_wait(&s[me]); x++; sem_post(&s[1 - me]); } return 0; }\n"
               "int main(void) { pthread_t a, b; sem_init(&s[0], 0, 1); sem_init(&s[1], 0, 0);\n"
               "  pthread_create(&a, 0, t, (void *)0); pthread_create(&b, 0, t, (void *)1);\n"
               "  pthread_join(a, 0); pthread_join(b, 0); return 0; }\n",
               12'500, 100'000);
}

TEST(LongExecutions, AMutexOfOnesOwnTakenManyTimes) {
  expectLinear("#include <pthread.h>\npthread_mutex_t m[2]; int x[2];\n"
               "void *t(void *p) { long me = (long)p; for (int i = 0; i < N; i++) {\n"
               "  pthread_mutex_lock(&m[me]); x[me]++; pthread_mutex_unlock(&m[me]); } return 0; }\n"
               "int main(void) { pthread_t a, b;\n"
               "  pthread_create(&a, 0, t, (void *)0); pthread_create(&b, 0, t, (void *)1);\n"
               "  pthread_join(a, 0); pthread_join(b, 0); return 0; }\n",
               12'500, 100'000);
}

const char *const Racy =
    "#include <pthread.h>\nvolatile int cells[N];\n"
    "void *writer(void *p) { for (int i = 0; i < N; i++) cells[i] = 1; return p; }\n"
    "void *reader(void *p) { int s = 0; for (int i = 0; i < N; i++) s += cells[i]; return p; }\n"
    "int main(void) { pthread_t a, b; pthread_create(&a, 0, writer, 0); pthread_create(&b, 0, reader, 0);\n"
    "  pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";

/// Every cell of a long execution has a race. The second execution comes after all races of the first were processed, each
/// of them with a sequence as long as the execution: that may be quadratic in its length, and no more.
TEST(LongExecutions, ThousandsOfRacesAreLookedAtInQuadraticTime) {
  const Program Short = compileText(Racy, 300), Long = compileText(Racy, 3000);
  for (MemoryModel Buffers : testing::AllModels) {
    auto CostOf = [&](const Program &P) {
      return testing::leastCost(3, [&] { EXPECT_EQ(exploreUpTo(2, P, Buffers).Executions, 2u); });
    };
    const double ShortCost = CostOf(Short), LongCost = CostOf(Long);
    RecordProperty(std::string("ratio_") + titleOf(Buffers), std::to_string(LongCost / ShortCost));
    // Cubic would cost a thousand times as much.
    EXPECT_LT(LongCost, 300 * ShortCost + 0.2) << titleOf(Buffers);
  }
}

TEST(LongExecutions, TimeIsKeptWhereAnExecutionIsLong) {
  CheckRequest Request{testing::requestForText(Racy, {"-DN=2000"}), {}};
  Request.Options.Models = {MemoryModel::SC};
  Request.Options.TimeoutSeconds = 1;
  Request.Options.Jobs = 1;
  const double Before = testing::processorSeconds();
  CheckReport Report = check(Request);
  EXPECT_EQ(Report.Models[0].Result, Verdict::Inconclusive);
  EXPECT_LT(testing::processorSeconds() - Before, 5);
}

} // namespace
} // namespace picket
