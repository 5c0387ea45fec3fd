// Threads that wait for ever are found by every engine, and nothing is verified by no execution.
#include "support/CommandLine.h"
#include "support/Explore.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::contains;

const std::string Preamble = R"(
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
atomic_int a, b, c;
)";

/// Two threads with these bodies.
std::string program(const std::string &First, const std::string &Second) {
  return Preamble + "void *first(void *p) { " + First + " return p; }\nvoid *second(void *p) { " + Second +
         R"( return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, first, 0);
  pthread_create(&u, 0, second, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
)";
}

std::vector<ModelReport> checkEverywhere(const std::string &Text) {
  std::vector<ModelReport> All;
  auto Add = [&](std::vector<MemoryModel> Models, Engine Search, Equivalence OnePer) {
    CheckOptions Options;
    Options.Models = std::move(Models);
    Options.Search = Search;
    Options.OnePer = OnePer;
    Options.Exhaustive = true;
    for (ModelReport &M : testing::checkText(Text, Options).Models)
      All.push_back(std::move(M));
  };
  Add({MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power}, Engine::Bounded,
      Equivalence::ShashaSnir);
  Add({MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}, Engine::Bounded, Equivalence::ReadsFrom);
  Add({MemoryModel::SC, MemoryModel::TSO}, Engine::Lazy, Equivalence::ShashaSnir);
  return All;
}

void expectHang(const std::string &Text) {
  for (const ModelReport &M : checkEverywhere(Text)) {
    EXPECT_EQ(M.Result, Verdict::Violation) << nameOf(M.Which) << (M.States ? " by states" : "") << Text;
    ASSERT_FALSE(M.Bugs.empty());
    EXPECT_EQ(M.Bugs.front().Kind, BugKind::Hang);
    EXPECT_TRUE(M.Bugs.front().Trace) << nameOf(M.Which);
  }
}

void expectVerified(const std::string &Text) {
  for (const ModelReport &M : checkEverywhere(Text))
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which) << (M.States ? " by states" : "") << Text;
}

TEST(VerdictFromNothing, ALoopWithTwoWaysRoundThatNeverEnds) {
  const std::string Take = "for (;;) { while (a != 0) ; if (atomic_exchange(&b, 1) == 0) break; }";
  expectHang(program(Take, Take)); // b is never released
  expectVerified(program(Take + " b = 0;", Take + " b = 0;"));
}

TEST(VerdictFromNothing, MainAlone) {
  expectHang("#include <stdatomic.h>\natomic_int x;\nint main(void) { while (x != 42) ; }\n");
  expectVerified("#include <stdatomic.h>\natomic_int x;\nint main(void) { x = 42; while (x != 42) ; }\n");
}

TEST(VerdictFromNothing, WaitsInsideWaits) {
  const std::string Waits = "do { while (a == 0) if (b == 0) break; } while (c == 0);";
  expectHang(program(Waits, "b = 1;"));
  expectHang(program(Waits, "a = 1;"));
  expectVerified(program(Waits, "c = 1;"));
  expectVerified(program(Waits, "b = 1; c = 1; a = 1;"));
}

TEST(VerdictFromNothing, AWaitThatIsLeftForAnotherIsOneHang) {
  expectHang(program("while (a == 0) ; while (b == 0) ;", "a = 1;"));
  expectVerified(program("while (a == 0) ; while (b == 0) ;", "b = 1; a = 1;"));
}

TEST(VerdictFromNothing, AWaitThatIsLeftAndComeToAgainIsNoHang) {
  const std::string Relaxed = "#define LOAD(v) atomic_load_explicit(&v, memory_order_relaxed)\n"
                              "#define STORE(v, k) atomic_store_explicit(&v, k, memory_order_relaxed)\n";
  const std::string Produces = "for (int i = 0; i < 3; ++i) { while (i - LOAD(b) == 2) ; STORE(a, i + 1); }",
                    Consumes = "for (int i = 0; i < 3; ++i) { while (LOAD(a) == i) ; STORE(b, i + 1); }";
  expectVerified(Relaxed + program(Produces, Consumes));
  expectHang(Relaxed + program(Produces, Consumes + "while (c == 0) ;"));
}

TEST(VerdictFromNothing, AThreadThatWouldTakeALockByNowDoesNotHang) {
  // It began its round before the other's store; the next one ends.
  expectVerified(
      program("for (;;) { int one = 1; if (atomic_compare_exchange_strong(&b, &one, 0)) break; if (a) ; }", "b = 1;"));
  expectVerified(
      program("a = 1; for (;;) { int k = 1; if (!atomic_compare_exchange_strong(&b, &k, 0)) { while (a == 0) ; }"
              " else if (atomic_exchange(&b, 1) == 0) break; }",
              "b = 1;"));
}

TEST(VerdictFromNothing, AHangHasTheSamePlaceUnderAllModels) {
  const std::vector<ModelReport> All = checkEverywhere(program("while (a == 0) ;", "b = 1;"));
  for (const ModelReport &M : All) {
    ASSERT_EQ(M.Bugs.size(), 1u);
    EXPECT_TRUE(isSame(M.Bugs[0], All[0].Bugs[0])) << nameOf(M.Which) << ": column " << M.Bugs[0].Where.Column;
  }
}

TEST(VerdictFromNothing, ExecutionsThatAreOfNoInterestAreAReason) {
  for (const ModelReport &M : checkEverywhere(program("__VERIFIER_assume(a == 1);", "b = 1;"))) {
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which) << ": " << M.Reason;
    EXPECT_EQ(M.Executions, 0u);
  }
}

class BehindTheBound : public testing::CommandLineTest {};

TEST_F(BehindTheBound, WhatIsNotModelledIsNamed) {
  write("poll.c", R"(#include <pthread.h>
#include <stdatomic.h>
int dial(void *, unsigned long, int);
atomic_int x;
static int quiet(void) { return dial(0, 0, 1); }
static void *goes(void *p) {
  for (int k = 0; x != 1; ++k) {
    x = k + 2;
    if (k > 9)
      quiet();
  }
  return p;
}
static void *stores(void *p) { x = 50; return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, goes, 0);
  pthread_create(&u, 0, stores, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
)");
  const std::string Sentence = "paths after the bound call 'dial', which is not modelled";
  testing::Outcome Text = run("check --engine bounded --model sc,tso,power poll.c");
  EXPECT_EQ(Text.ExitCode, 0) << Text.Output;
  EXPECT_TRUE(contains(Text.Output, "verified up to 8 iterations of the loop at line 7")) << Text.Output;
  EXPECT_TRUE(contains(Text.Output, "poll.c:5:33: note: " + Sentence)) << Text.Output;
  llvm::Expected<llvm::json::Value> Json =
      llvm::json::parse(run("check --engine bounded --model sc --json poll.c", "2>/dev/null").Output);
  ASSERT_TRUE(static_cast<bool>(Json));
  const llvm::json::Object &M = *Json->getAsObject()->getArray("models")->front().getAsObject();
  ASSERT_EQ(M.getArray("behindBound")->size(), 1u);
  const llvm::json::Object &Note = *M.getArray("behindBound")->front().getAsObject();
  EXPECT_EQ(Note.getString("message"), Sentence);
  EXPECT_EQ(Note.getInteger("line"), 5);
  EXPECT_TRUE(contains(run("check --engine bounded --model sc --format sarif poll.c").Output, Sentence));
}

TEST_F(BehindTheBound, WhatCannotBeComeToIsNotNamed) {
  write("poll.c", R"(#include <pthread.h>
#include <stdatomic.h>
int dial(void *, unsigned long, int);
atomic_int x;
static int never(void) { return dial(0, 0, 1); }
static void *goes(void *p) {
  if (p)
    never();
  for (int k = 0; x != 1; ++k)
    x = k + 2;
  return p;
}
static void *stores(void *p) { x = 50; return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, goes, 0);
  pthread_create(&u, 0, stores, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
)");
  const testing::Outcome Text = run("check --engine bounded --model sc,power poll.c");
  EXPECT_TRUE(contains(Text.Output, "verified up to 8 iterations")) << Text.Output;
  EXPECT_FALSE(contains(Text.Output, "behind the bound")) << Text.Output;
}

TEST_F(BehindTheBound, EveryLoopHasAPlace) {
  write("nowhere.c", R"(#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
atomic_int x;
char text[32];
int k;
__attribute__((nodebug)) static void *goes(void *p) { for (;;) { if (x == 100) break; k++; } return p; }
static void *stores(void *p) { for (int i = 0; i < 4; ++i) x = i; return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&u, 0, stores, 0);
  pthread_create(&t, 0, goes, 0);
  pthread_join(t, 0);
}
)");
  write("model.c", R"(#include <pthread.h>
#include <string.h>
char text[32];
static void *writes(void *p) { for (int i = 0; i < 12; ++i) text[i] = 'a'; return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writes, 0);
  return strlen(text) > 40;
}
)");
  for (const char *Model : {"sc", "power"}) {
    const std::string Check = std::string("check --unroll 3 --engine bounded --model ") + Model + " ";
    EXPECT_TRUE(contains(run(Check + "nowhere.c").Output, "of the loop at line 12 ("))
        << run(Check + "nowhere.c").Output;
    EXPECT_TRUE(contains(run(Check + "model.c").Output, "verified: ")) << "strlen comes to the end of the array";
  }
}

} // namespace
} // namespace picket
