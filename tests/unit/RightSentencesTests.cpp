// What is said of an execution is so, and what is marked is what is told.
#include "check/RobustnessCheck.h"
#include "lsp/LineFacts.h"
#include "support/CommandLine.h"
#include "support/Explore.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

#include <regex>

namespace picket {
namespace {

using testing::contains;

TEST(RightSentences, TheOverwrittenValueIsTheOneThatWasThere) {
  const std::string Text = R"(
#include <assert.h>
#include <pthread.h>
volatile int x;
void *a(void *p) { x = x + 1; return p; }
void *b(void *p) { x = x + 1; return p; }
void *c(void *p) { x = x + 1; return p; }
int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, a, 0);
  pthread_create(&t[1], 0, b, 0);
  pthread_create(&t[2], 0, c, 0);
  for (int k = 0; k < 3; ++k)
    pthread_join(t[k], 0);
  assert(x != 1);
}
)";
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power};
  Options.Exhaustive = true;
  // Two increments come before the one that loses them: what it overwrites is 2, and whoever wrote 1 did so before.
  for (const ModelReport &M : testing::checkText(Text, Options).Models) {
    ASSERT_EQ(M.Bugs.size(), 1u);
    const Counterexample &Trace = *M.Bugs[0].Trace;
    std::smatch Found;
    ASSERT_TRUE(std::regex_search(Trace.Sentence, Found,
                                  std::regex("then thread '(\\w)' wrote (\\d) \\(line (\\d)\\), and thread '(\\w)' "
                                             "overwrote that with 1")))
        << nameOf(M.Which) << ": " << Trace.Sentence;
    // The last value that another thread brought to memory before the overwriting store got there.
    std::string Last;
    for (const TraceEvent &E : Trace.Run.Events)
      if (E.writes() && !E.Accesses.empty() && (E.Kind == EventKind::Update || E.Partner == NoEvent)) {
        if (Trace.Run.Threads[E.Thread].Name == Found[4])
          break;
        Last = E.Accesses.back().Text;
      }
    EXPECT_EQ(Found[2], Last) << nameOf(M.Which) << ": " << Trace.Sentence;
  }
}

/// Whether a fact at a line says something.
bool says(const std::vector<LineFact> &Facts, uint32_t Line, const std::string &Part) {
  return std::any_of(Facts.begin(), Facts.end(),
                     [&](const LineFact &F) { return F.Where.Line == Line && contains(F.Text, Part); });
}

TEST(RightSentences, WhatWasSeenUnderTsoIsPossibleUnderPso) {
  // PSO stops at another bug than TSO, whose execution delays the stores past the loads.
  const std::string Text = R"(#include <assert.h>
#include <pthread.h>
volatile int x, y, r, s;
void *a(void *p) {
  x = 1;
  r = y;
  return p;
}
void *b(void *p) {
  y = 1;
  s = x;
  return p;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, a, 0);
  pthread_create(&u, 0, b, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(r || s);
}
)";
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  Options.Monitor = false;
  Options.Samples = true;
  CheckReport Report = testing::checkText(Text, Options);
  // All that is known of PSO is one execution in which nothing is delayed.
  ModelReport &Pso = Report.Models[2];
  ASSERT_FALSE(Pso.Samples.empty());
  Pso.Bugs.clear();
  auto Delays = [](const Recording &Run) {
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      if (const TraceEvent &E = Run.Events[K]; E.Kind == EventKind::Store && E.Partner != NoEvent)
        for (uint32_t J = K + 1; J < E.Partner; ++J)
          if (Run.Events[J].Thread == E.Thread)
            return true;
    return false;
  };
  std::erase_if(Pso.Samples, [&](const std::shared_ptr<const Recording> &Run) { return Delays(*Run); });
  ASSERT_FALSE(Pso.Samples.empty());
  const std::vector<LineFact> Facts = factsOf(Report, Options);
  EXPECT_TRUE(says(Facts, 5, "Under TSO and PSO the store to `x` was seen to reach memory after")) << Facts[0].Text;
  EXPECT_FALSE(says(Facts, 5, "nothing its thread did later was seen to overtake"));
  EXPECT_TRUE(says(Facts, 6, "Under TSO and PSO the read of `y`"));
}

class InAHeader : public testing::CommandLineTest {
protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    write("lock.h", R"(#include <stdatomic.h>
static atomic_int flag[2];
static inline void announce(int me) {
  atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
}
)");
    write("main.c", R"(#include <assert.h>
#include <pthread.h>
#include "lock.h"
static int in;
static void *enter(void *p) {
  int me = p != 0;
  announce(me);
  if (atomic_load_explicit(&flag[1 - me], memory_order_relaxed) == 0) {
    ++in;
    assert(in == 1);
    --in;
  }
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, enter, (void *)1);
  enter(0);
  pthread_join(t, 0);
}
)");
  }
};

TEST_F(InAHeader, AFixNamesTheFileItIsIn) {
  const testing::Outcome Text = run("check --fix --model tso main.c");
  EXPECT_TRUE(contains(Text.Output, "the memory order at lock.h line 4: relaxed becomes seq_cst")) << Text.Output;
  EXPECT_TRUE(contains(Text.Output, "a full fence after lock.h line 4\n")) << Text.Output;
  EXPECT_TRUE(contains(run("check --fix --model tso --json main.c").Output, "the memory order at lock.h line 4: "));
}

TEST_F(InAHeader, AMarkInAHeaderTellsOfLinesOfOtherFilesByName) {
  const testing::Outcome Text = run("robust main.c");
  EXPECT_TRUE(contains(Text.Output,
                       "lock.h:4:3: note: not robust under TSO: this store can reach memory after the later "
                       "access at main.c line 8, and the access at main.c line 8 can observe the reordering"))
      << Text.Output;
}

TEST_F(InAHeader, FactsAboutALineNameTheOtherFile) {
  CheckOptions Options;
  Options.Models = {MemoryModel::TSO};
  CheckRequest Request;
  Request.Text.File = (Root / "main.c").string();
  Request.Text.UseCompileCommands = false;
  Request.Options = Options;
  const std::vector<LineFact> Facts = factsOf(check(Request), Options);
  EXPECT_TRUE(says(Facts, 8, "before the earlier store to `flag[0]` (lock.h line 4) reached memory") ||
              says(Facts, 8, "before the earlier store to `flag[1]` (lock.h line 4) reached memory"));
  EXPECT_TRUE(says(Facts, 8, "writes it (lock.h line 4)") ||
              says(Facts, 8, "reads and writes it (line 8, lock.h line 4)"));
}

TEST(RightSentences, TheMarkedStoreOfAProgramThatIsNotRobustIsTheOneThatIsToldOf) {
  // Both stores could be delayed; the execution that is shown delays one of them.
  const std::vector<std::string> Bodies = {"x = 1; r = y;",        "y = 1; s = x;", "x = 1; z = 1; r = y;",
                                           "y = 1; s = z; s = x;", "z = 1; r = x;", "x = 2; r = z; y = 1;",
                                           "y = 2; x = 2; s = z;"};
  RobustnessOptions Options;
  Options.Exhaustive = false;
  unsigned Looked = 0;
  for (const std::string &First : Bodies)
    for (const std::string &Second : Bodies) {
      std::string Text = "#include <pthread.h>\nvolatile int x, y, z, r, s;\n";
      auto Lines = [](const std::string &Body) { return std::regex_replace(Body, std::regex("; "), ";\n"); };
      Text +=
          "void *a(void *p) {\n" + Lines(First) + "\nreturn p; }\nvoid *b(void *p) {\n" + Lines(Second) +
          "\nreturn p; }\nint main(void) { pthread_t t, u; pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0);\n"
          "pthread_join(t, 0); pthread_join(u, 0); }\n";
      const RobustnessReport Report = checkRobustness(testing::requestForText(Text), Options);
      for (const Robustness &R : Report.sc().Robust) {
        if (!R.Witness)
          continue;
        ++Looked;
        for (const SourceLocation &Marked : {R.Store, R.Overtaker})
          EXPECT_TRUE(contains(R.Witness->Sentence, "(line " + std::to_string(Marked.Line) + ")"))
              << R.Message << "\n"
              << R.Witness->Sentence << "\n"
              << Text;
      }
    }
  EXPECT_GT(Looked, 20u);
}

} // namespace
} // namespace picket
