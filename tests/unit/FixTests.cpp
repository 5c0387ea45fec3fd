// Fixes of texts: what is offered was compiled and checked, what cannot be fixed is refused. Also from the terminal.
#include "fences/Relax.h"
#include "fences/TextDiff.h"
#include "support/CommandLine.h"
#include "support/Explore.h"
#include "support/MessagePassing.h"
#include "support/StoreBuffering.h"

#include <gtest/gtest.h>

#include "llvm/Support/JSON.h"

#include <sstream>

namespace picket {
namespace {

using testing::messagePassing;
using testing::requestForText;

FixOptions fixOptions(std::vector<MemoryModel> Models) {
  FixOptions Options;
  Options.Check.Models = std::move(Models);
  return Options;
}

std::string editedText(const CompileRequest &Text, const std::vector<TextEdit> &Edits) {
  return applyEdits(textOf(Text, "/test.c"), Edits);
}

/// A fresh check of a text.
void expectVerified(const std::string &Text, const std::vector<MemoryModel> &Models) {
  CheckOptions Options;
  Options.Models = Models;
  for (const ModelReport &M : testing::checkText(Text, Options).Models)
    EXPECT_EQ(M.Result, Verdict::Verified) << nameOf(M.Which) << ": " << M.Reason << "\n" << Text;
}

TEST(Fix, TheEditedTextPassesAFreshCheck) {
  const std::vector<MemoryModel> Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  const CompileRequest Text = requestForText(testing::StoreBuffering);
  const FixReport Report = findFixes(Text, fixOptions(Models));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  for (const Fix &F : Report.Fixes) {
    EXPECT_EQ(F.Changes.size(), 2u);
    EXPECT_TRUE(F.Minimal);
    EXPECT_EQ(titleOf(F, 8), "Add 2 fences (verified for SC, TSO and PSO, minimal)");
    expectVerified(editedText(Text, F.Edits), Models);
  }
  EXPECT_LT(Report.Seconds, 2);
}

TEST(Fix, AlternativesAreRankedByCost) {
  const CompileRequest Text = requestForText(messagePassing("memory_order_relaxed"));
  const FixReport Report = findFixes(Text, fixOptions({MemoryModel::PSO}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  ASSERT_GE(Report.Fixes.size(), 2u);
  EXPECT_TRUE(std::is_sorted(Report.Fixes.begin(), Report.Fixes.end(),
                             [](const Fix &A, const Fix &B) { return A.Cost < B.Cost; }));
  EXPECT_NE(editedText(Text, Report.Fixes[0].Edits).find("memory_order_release"), std::string::npos);
  EXPECT_NE(editedText(Text, Report.Fixes[1].Edits).find("atomic_thread_fence"), std::string::npos);
  for (const Fix &F : Report.Fixes)
    expectVerified(editedText(Text, F.Edits), {MemoryModel::PSO});
}

TEST(Fix, IsForAllModelsAtOnce) {
  const std::vector<MemoryModel> Models = {MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power};
  const CompileRequest Text = requestForText(messagePassing("memory_order_relaxed"));
  const FixReport Report = findFixes(Text, fixOptions(Models));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  expectVerified(editedText(Text, Report.Fixes[0].Edits), Models);
}

TEST(Fix, CheapestIsSaidOnRequest) {
  FixOptions Options = fixOptions({MemoryModel::TSO});
  Options.Cheapest = true;
  const FixReport Report = findFixes(requestForText(testing::StoreBuffering), Options);
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  EXPECT_EQ(titleOf(Report.Fixes[0], 8), "Add 2 fences (verified for TSO, cheapest)");
}

TEST(Fix, CheapestIsNotSaidWithoutAProof) {
  // Nothing can be written between the two accesses of one expression: what would be cheapest is not used.
  Fix F;
  F.Changes = {InsertFence()};
  F.Minimal = F.CheapestWanted = true;
  F.Models.emplace_back().Which = MemoryModel::Power;
  EXPECT_EQ(titleOf(F, 8), "Add 1 fence (verified for POWER, minimal, not proved to be cheapest)");
  FixOptions Options = fixOptions({MemoryModel::Power});
  Options.Cheapest = true;
  const FixReport Report =
      findFixes(testing::requestForProgram("peterson_c11", {"-DORDER=memory_order_relaxed"}), Options);
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  EXPECT_TRUE(testing::contains(titleOf(Report.Fixes[0], 8), "minimal, not proved to be cheapest"))
      << titleOf(Report.Fixes[0], 8);
}

TEST(Fix, WhatNeedsNoneGetsNone) {
  const FixReport Report = findFixes(testing::requestForProgram("cas_lock"),
                                     fixOptions({MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}));
  EXPECT_EQ(Report.What, EditOutcome::NothingToDo) << Report.Reason;
  EXPECT_TRUE(Report.Fixes.empty());
}

TEST(Fix, BugsUnderScAreRefusedAndShown) {
  const FixReport Report = findFixes(testing::requestForProgram("racy_counter"), fixOptions({MemoryModel::TSO}));
  ASSERT_EQ(Report.What, EditOutcome::Refused);
  EXPECT_EQ(Report.ShownUnder, MemoryModel::SC);
  ASSERT_TRUE(Report.Shown && Report.Shown->Trace);
}

TEST(Fix, WhatDoesNotCompileCannotBeChecked) {
  const FixReport Report = findFixes(requestForText("int main(void) { return"), fixOptions({MemoryModel::TSO}));
  EXPECT_EQ(Report.What, EditOutcome::CannotBeChecked);
  EXPECT_FALSE(Report.Diagnostics.empty());
}

TEST(Fix, CanBeCancelledBeforeItBegins) {
  const std::atomic<bool> Cancel = true;
  const FixReport Report = findFixes(requestForText(testing::StoreBuffering), fixOptions({MemoryModel::TSO}), &Cancel);
  EXPECT_EQ(Report.What, EditOutcome::GaveUp);
  EXPECT_TRUE(Report.Fixes.empty());
}

TEST(Fix, IsCancelledAtAnyTime) {
  // In the first check, the second, ... of the programs and of the texts, until nothing is left to be cancelled.
  const CompileRequest Text = requestForText(messagePassing("memory_order_relaxed"));
  for (unsigned Allowed = 0;; ++Allowed) {
    std::atomic<bool> Cancel = false;
    unsigned Calls = 0;
    FixOptions Options = fixOptions({MemoryModel::PSO, MemoryModel::Power});
    Options.Aim = [&](const CheckOptions &Check, Thoroughness How) -> RoundChecker {
      return [&, Inner = bugChecker("/test.c", Check, How, &Cancel)](const Program &P, double Seconds) {
        Cancel = Cancel || Calls++ == Allowed;
        return Inner(P, Seconds);
      };
    };
    const FixReport Report = findFixes(Text, Options, &Cancel);
    if (!Cancel) {
      EXPECT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
      EXPECT_GT(Allowed, 5u);
      break;
    }
    // What was proved before is offered; the rest is not.
    for (const Fix &F : Report.Fixes)
      expectVerified(editedText(Text, F.Edits), {MemoryModel::PSO, MemoryModel::Power});
    if (Report.Fixes.empty()) {
      EXPECT_EQ(Report.What, EditOutcome::GaveUp);
      EXPECT_EQ(Report.Reason, "cancelled");
    }
  }
}

TEST(Fix, ALostUpdateIsSaidToNeedALock) {
  const FixReport Report = findFixes(testing::requestForProgram("racy_counter"), fixOptions({MemoryModel::TSO}));
  ASSERT_EQ(Report.What, EditOutcome::Refused);
  EXPECT_TRUE(testing::contains(Report.Reason, "writes it in between")) << Report.Reason;
  EXPECT_TRUE(testing::contains(Report.Reason, "a lock or an atomic read-modify-write")) << Report.Reason;
}

TEST(Fix, DeadlocksAreRefusedAndShown) {
  const FixReport Report =
      findFixes(testing::requestForProgram("deadlock_order"), fixOptions({MemoryModel::TSO, MemoryModel::PSO}));
  ASSERT_EQ(Report.What, EditOutcome::Refused);
  EXPECT_TRUE(testing::contains(Report.Reason, "also happens under sequential consistency")) << Report.Reason;
  EXPECT_FALSE(testing::contains(Report.Reason, "in between")) << Report.Reason;
  ASSERT_TRUE(Report.Shown);
  EXPECT_EQ(Report.Shown->Kind, BugKind::Deadlock);
}

TEST(Fix, WhatIsNotModelledIsRefusedByName) {
  const FixReport Report =
      findFixes(requestForText("void mystery(void);\nint main(void) { mystery(); }\n"), fixOptions({MemoryModel::TSO}));
  ASSERT_EQ(Report.What, EditOutcome::Refused);
  EXPECT_TRUE(testing::contains(Report.Reason, "mystery")) << Report.Reason;
  EXPECT_FALSE(Report.Shown);
}

TEST(Fix, OneOrderInAMacroIsOneChange) {
  std::string Text = messagePassing("ORDER_OF_STORE");
  const std::string Macro = "#define PUT(v, value) atomic_store_explicit(&v, value, memory_order_relaxed)\n";
  Text.insert(Text.find("int data;"), Macro + "atomic_int second;\n");
  const std::string Old = "  atomic_store_explicit(&ready, 1, ORDER_OF_STORE);\n";
  Text.replace(Text.find(Old), Old.size(), "  PUT(ready, 1);\n  PUT(second, 1);\n");
  const std::string Check = "    assert(data == 1);\n";
  Text.insert(Text.find(Check) + Check.size(), "  if (atomic_load_explicit(&second, memory_order_acquire))\n"
                                               "    assert(data == 1 && ready == 1);\n");
  const CompileRequest Request = requestForText(Text);
  const FixReport Report = findFixes(Request, fixOptions({MemoryModel::PSO}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  for (const Fix &F : Report.Fixes) {
    expectVerified(editedText(Request, F.Edits), {MemoryModel::PSO});
    if (std::holds_alternative<ChangeOrder>(F.Changes.front())) {
      EXPECT_EQ(F.Changes.size(), 1u) << titleOf(F, 8);
    }
  }
}

TEST(Fix, PowerHasItsOwnInstructions) {
  // The reader decides by what it read; an isync behind that decision holds the second read back.
  const CompileRequest Text = requestForText(R"(#include <assert.h>
#include <pthread.h>
volatile int data, ready;
void *sender(void *p) {
  data = 1;
  __asm__ __volatile__("lwsync" ::: "memory");
  ready = 1;
  return p;
}
void *receiver(void *p) {
  if (ready)
    assert(data == 1);
  return p;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, sender, 0);
  pthread_create(&u, 0, receiver, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
)");
  const FixReport Report = findFixes(Text, fixOptions({MemoryModel::Power}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  const std::string Edited = editedText(Text, Report.Fixes[0].Edits);
  EXPECT_TRUE(testing::contains(Edited, "isync")) << Edited;
  expectVerified(Edited, {MemoryModel::Power});
}

TEST(Fix, AProgramBecomesRobust) {
  // No assertion can fail, but there is an execution that SC does not have.
  const CompileRequest Text = requestForText(R"(#include <pthread.h>
volatile int x, y, a, b;
void *left(void *p) { x = 1; a = y; return p; }
void *right(void *p) { y = 1; b = x; return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
)");
  FixOptions Options = fixOptions({MemoryModel::TSO, MemoryModel::PSO});
  EXPECT_EQ(findFixes(Text, Options).What, EditOutcome::NothingToDo);
  Options.Aim = [&](const CheckOptions &Check, Thoroughness) { return robustChecker("/test.c", Check, nullptr); };
  const FixReport Report = findFixes(Text, Options);
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  EXPECT_EQ(Report.Fixes[0].Changes.size(), 2u);
  EXPECT_TRUE(Report.Fixes[0].Minimal);
  // Robust: as many executions as under SC.
  const Program Edited = testing::compile(requestForText(editedText(Text, Report.Fixes[0].Edits)));
  const uint64_t Sequential = testing::explore(Edited, MemoryModel::SC).Executions;
  EXPECT_EQ(testing::explore(Edited, MemoryModel::TSO).Executions, Sequential);
  EXPECT_EQ(testing::explore(Edited, MemoryModel::PSO).Executions, Sequential);
}

TEST(Relax, OrdersThatAreNotNeededBecomeWeaker) {
  const CompileRequest Text = requestForText(messagePassing("memory_order_seq_cst"));
  const RelaxReport Report = relax(Text, fixOptions({MemoryModel::PSO}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  ASSERT_EQ(Report.Weaker.size(), 2u);
  EXPECT_EQ(Report.Weaker[0].Sentence, "this seq_cst store can be release under PSO");
  EXPECT_EQ(Report.Weaker[0].Where.Line, 8u);
  EXPECT_EQ(Report.Weaker[1].Sentence, "this acquire load can be relaxed under PSO");
  expectVerified(editedText(Text, Report.Edits), {MemoryModel::PSO});
}

TEST(Relax, UnderPowerTheAcquireIsNeeded) {
  const CompileRequest Text = requestForText(messagePassing("memory_order_seq_cst"));
  const RelaxReport Report = relax(Text, fixOptions({MemoryModel::PSO, MemoryModel::Power}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  ASSERT_EQ(Report.Weaker.size(), 1u);
  EXPECT_EQ(Report.Weaker[0].Sentence, "this seq_cst store can be release under PSO and POWER");
  const CompileRequest Tight = requestForText(messagePassing("memory_order_release"));
  EXPECT_EQ(relax(Tight, fixOptions({MemoryModel::PSO, MemoryModel::Power})).What, EditOutcome::NothingToDo);
}

TEST(Relax, FencesThatAreNotNeededGo) {
  std::string Text = testing::StoreBuffering;
  auto Put = [&](const std::string &Front, const std::string &New) { Text.insert(Text.find(Front), New); };
  Put("x = 1; a", "__sync_synchronize(); ");
  Put("a = y", "__sync_synchronize(); ");
  Put("b = x", "__sync_synchronize(); ");
  const CompileRequest Request = requestForText(Text);
  const RelaxReport Report = relax(Request, fixOptions({MemoryModel::TSO}));
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  ASSERT_EQ(Report.Weaker.size(), 1u);
  EXPECT_EQ(Report.Weaker[0].Sentence, "this fence is not needed under TSO");
  const std::string Edited = editedText(Request, Report.Edits);
  expectVerified(Edited, {MemoryModel::TSO});
  size_t Left = 0;
  for (size_t At = Edited.find("__sync_synchronize"); At != std::string::npos;
       At = Edited.find("__sync_synchronize", At + 1))
    ++Left;
  EXPECT_EQ(Left, 2u);
}

TEST(Relax, ABuggyProgramIsRefused) {
  const RelaxReport Report = relax(requestForText(testing::StoreBuffering), fixOptions({MemoryModel::TSO}));
  EXPECT_EQ(Report.What, EditOutcome::Refused);
  EXPECT_TRUE(Report.Shown);
}

class FixCommandTest : public testing::CommandLineTest {
protected:
  std::string read(const std::string &Name) {
    std::ostringstream Text;
    Text << std::ifstream(Root / Name).rdbuf();
    return Text.str();
  }
};

TEST_F(FixCommandTest, PrintsADiffThatCanBeApplied) {
  write("sb.c", testing::StoreBuffering);
  const testing::Outcome Diff = run("check --fix sb.c > fix.diff");
  EXPECT_EQ(Diff.ExitCode, 0) << Diff.Output;
  EXPECT_EQ(read("sb.c"), testing::StoreBuffering); // nothing is written unless asked for
  EXPECT_TRUE(testing::contains(read("fix.diff"), "--- a/sb.c\n+++ b/sb.c\n@@ ")) << read("fix.diff");
  ASSERT_EQ(std::system(("cd " + Root.string() + " && git apply fix.diff").c_str()), 0);
  EXPECT_EQ(run("check sb.c").ExitCode, 0);
}

TEST_F(FixCommandTest, AppliesWhatItProved) {
  write("sb.c", testing::StoreBuffering);
  const testing::Outcome Applied = run("check --fix --apply sb.c");
  EXPECT_EQ(Applied.ExitCode, 0);
  EXPECT_TRUE(testing::contains(Applied.Output, "sb.c: Add 2 fences and make 4 accesses atomic (verified for SC, TSO, "
                                                "PSO, ARM64, POWER and C11, minimal)"))
      << Applied.Output;
  EXPECT_EQ(run("check sb.c").ExitCode, 0) << read("sb.c");
  EXPECT_TRUE(testing::contains(run("check --fix sb.c").Output, "nothing to fix"));
}

TEST_F(FixCommandTest, WritesJson) {
  write("sb.c", testing::StoreBuffering);
  const testing::Outcome Json = run("check --fix=cheapest --model tso --json sb.c", "2>/dev/null");
  EXPECT_EQ(Json.ExitCode, 0);
  auto Parsed = llvm::json::parse(Json.Output);
  ASSERT_TRUE(bool(Parsed)) << llvm::toString(Parsed.takeError()) << Json.Output;
  const llvm::json::Object &Report = *Parsed->getAsObject();
  EXPECT_EQ(Report.getString("outcome"), "fixed");
  const llvm::json::Object &First = *(*Report.getArray("fixes"))[0].getAsObject();
  EXPECT_EQ(First.getBoolean("cheapest"), true);
  EXPECT_EQ(First.getString("coverage"), "verified for TSO");
  EXPECT_EQ(First.getArray("changes")->size(), 2u);
}

TEST_F(FixCommandTest, RefusesWithTheScCounterexample) {
  write("racy.c", R"(#include <assert.h>
#include <pthread.h>
int n;
void *add(void *p) { n++; return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, add, 0);
  pthread_create(&u, 0, add, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(n == 2);
}
)");
  const testing::Outcome Refused = run("check --fix racy.c");
  EXPECT_EQ(Refused.ExitCode, 1);
  EXPECT_TRUE(testing::contains(Refused.Output, "also happens under sequential consistency")) << Refused.Output;
  EXPECT_TRUE(testing::contains(Refused.Output, "racy.c: SC: violation")) << Refused.Output;
}

TEST_F(FixCommandTest, RelaxesAsNotesAndDiff) {
  write("mp.c", messagePassing("memory_order_seq_cst"));
  const testing::Outcome Relaxed = run("check --relax --model pso mp.c");
  EXPECT_EQ(Relaxed.ExitCode, 0);
  EXPECT_TRUE(testing::contains(Relaxed.Output, "mp.c:8:3: note: this seq_cst store can be release under PSO"))
      << Relaxed.Output;
  EXPECT_TRUE(testing::contains(Relaxed.Output, "\n+  atomic_store_explicit(&ready, 1, memory_order_release);"))
      << Relaxed.Output;
}

TEST_F(FixCommandTest, RelaxesForAllModelsUnlessTheyAreNamed) {
  write("mp.c", messagePassing("memory_order_seq_cst", "memory_order_seq_cst"));
  const testing::Outcome Relaxed = run("check --relax mp.c");
  EXPECT_EQ(Relaxed.ExitCode, 0);
  for (const char *What : {"store can be release", "load can be acquire"})
    EXPECT_TRUE(testing::contains(Relaxed.Output, std::string("note: this seq_cst ") + What +
                                                      " under SC, TSO, PSO, ARM64, POWER and C11"))
        << Relaxed.Output;
}

TEST_F(FixCommandTest, RelaxesAndApplies) {
  write("mp.c", messagePassing("memory_order_seq_cst"));
  EXPECT_EQ(run("check --relax --model pso --apply mp.c").ExitCode, 0);
  EXPECT_TRUE(testing::contains(read("mp.c"), "atomic_store_explicit(&ready, 1, memory_order_release)"))
      << read("mp.c");
  EXPECT_EQ(run("check --model pso mp.c").ExitCode, 0);
  EXPECT_TRUE(
      testing::contains(run("check --relax --model pso mp.c").Output, "all fences and memory orders are needed"));
}

TEST_F(FixCommandTest, SaysWhereThereIsNothingToRelax) {
  write("sb.c", testing::StoreBuffering);
  const testing::Outcome Relaxed = run("check --relax --model sc sb.c");
  EXPECT_EQ(Relaxed.ExitCode, 0);
  EXPECT_TRUE(testing::contains(Relaxed.Output, "sb.c: there is no fence and no memory order that could be weaker"))
      << Relaxed.Output;
}

TEST_F(FixCommandTest, MakesAProgramRobust) {
  write("sb.c", testing::StoreBuffering);
  EXPECT_EQ(run("robust --model tso sb.c").ExitCode, 1);
  EXPECT_EQ(run("check --fix=robust --model tso --apply sb.c").ExitCode, 0);
  EXPECT_EQ(run("robust --model tso sb.c").ExitCode, 0) << read("sb.c");
  const testing::Outcome Power = run("check --fix=robust --model power sb.c");
  EXPECT_EQ(Power.ExitCode, 3);
  EXPECT_TRUE(testing::contains(Power.Output, "TSO and PSO only")) << Power.Output;
}

TEST_F(FixCommandTest, BadUsageIsSaid) {
  write("sb.c", testing::StoreBuffering);
  EXPECT_EQ(run("check --fix=nonsense sb.c").ExitCode, 2);
  EXPECT_EQ(run("check --fix --relax sb.c").ExitCode, 2);
  EXPECT_EQ(run("check --apply sb.c").ExitCode, 2);
  EXPECT_EQ(run("check --fix --format sarif sb.c").ExitCode, 2);
  EXPECT_EQ(run("check --fix --svg x.svg sb.c").ExitCode, 2);
  EXPECT_EQ(run("check --fix missing.c").ExitCode, 3);
}

} // namespace
} // namespace picket
