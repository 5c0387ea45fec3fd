// The models of a check: which they are where nobody says so, that none waits for those that are explored as graphs, and
// that these may be skipped.
#include "lsp/ClientSettings.h"
#include "lsp/Outcome.h"
#include "lsp/StatusText.h"
#include "support/CommandLine.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

/// A message that may come late under PSO; graphs have no atomic accesses that are not aligned.
const char *const NotForGraphs = R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Alignas(8) char bytes[8];
int message;
void *producer(void *p) {
  message = 42;
  atomic_store_explicit((atomic_int *)((uintptr_t)bytes + 1), 1, memory_order_relaxed);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, producer, 0);
  if (atomic_load_explicit((atomic_char *)(bytes + 1), memory_order_relaxed))
    assert(message == 42);
  pthread_join(t, 0);
  return 0;
}
)";

/// An atomic section, which of the graphs only POWER has.
const char *const Section = R"(#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int counter;
void *add(void *p) { __VERIFIER_atomic_begin(); counter++; __VERIFIER_atomic_end(); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return counter != 2; }
)";

/// Four threads and a lock: runs under POWER that come to nothing.
const char *const Lock = R"(#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int counter;
void *worker(void *p) { pthread_mutex_lock(&m); counter++; pthread_mutex_unlock(&m); return p; }
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
})";

CheckRequest requestFor(const std::string &Text, unsigned Jobs) {
  CheckRequest Request;
  Request.Text.File = "/virtual/models.c";
  Request.Text.UseCompileCommands = false;
  Request.Text.Unsaved[Request.Text.File] = Text;
  Request.Options.Models = defaultModels();
  Request.Options.Jobs = Jobs;
  return Request;
}

TEST(DefaultModels, AreAllTheStrongestFirst) {
  EXPECT_EQ((std::vector<MemoryModel>{MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Armv8,
                                      MemoryModel::Power, MemoryModel::C11}),
            defaultModels());
}

TEST(DefaultModels, TheDefaultIsTheSameEverywhere) {
  EXPECT_EQ(defaultModels(), Settings().Models);
  auto Buffer = llvm::MemoryBuffer::getFile(std::string(PICKET_SOURCE_DIR) + "/vscode-extension/package.json");
  ASSERT_TRUE(Buffer);
  const llvm::json::Value Manifest = llvm::cantFail(llvm::json::parse((*Buffer)->getBuffer()));
  const llvm::json::Object *Models = Manifest.getAsObject();
  for (const char *Key : {"contributes", "configuration", "properties", "picket.models"})
    ASSERT_TRUE(Models = Models->getObject(Key)) << Key;
  EXPECT_EQ(modelsJson(defaultModels()), *Models->getArray("default"));
  EXPECT_EQ(modelsJson(allModels()), *Models->getObject("items")->getArray("enum"));
  EXPECT_EQ(allModels().size(), Models->getObject("items")->getArray("enumDescriptions")->size());
}

TEST(DefaultModels, HaveNamesInAnyCase) {
  for (MemoryModel M : allModels())
    EXPECT_EQ(M, modelNamed(llvm::StringRef(nameOf(M)).upper()));
  EXPECT_FALSE(modelNamed("powe"));
  EXPECT_FALSE(modelNamed("power8"));
  EXPECT_FALSE(modelNamed(""));
}

TEST(DefaultModels, AreAskedForByNameUnlessAnEditorSendsItsDefaults) {
  std::vector<SettingsProblem> Problems;
  auto NamedBy = [](const SettingsLayer &Layer) {
    Settings S;
    apply(S, Layer);
    return checkOptionsOf(S).ModelsNamed;
  };
  auto Json = [&](llvm::StringRef Text) { return layerOfJson(llvm::cantFail(llvm::json::parse(Text)), Problems); };
  EXPECT_FALSE(NamedBy({}));
  EXPECT_FALSE(NamedBy(Json(R"({"models": ["sc", "tso", "pso", "armv8", "power", "c11"]})")));
  EXPECT_TRUE(NamedBy(Json(R"({"models": ["sc", "power"]})")));
  EXPECT_TRUE(NamedBy(layerOfComment("// picket: models=sc,tso,pso,armv8,power,c11\n", Problems)));
  EXPECT_TRUE(NamedBy(layerOfToml("models = [\"sc\", \"power\"]\n", Problems)));
}

/// What OnModel hears, one line per call.
std::vector<std::string> toldOf(const CheckRequest &Request, CheckReport &Report) {
  std::vector<std::string> Told;
  Report = check(Request, {}, nullptr, {}, [&](const CheckReport &SoFar) {
    std::string Line;
    for (const ModelReport &M : SoFar.Models)
      Line += std::string(Line.empty() ? "" : " ") + nameOf(M.Which) + (M.Skipped ? "!" : "");
    Told.push_back(Line);
  });
  return Told;
}

TEST(DefaultModels, GraphsComeLastOnOneCoreAndEachIsToldWhenItIsDone) {
  CheckReport Report;
  EXPECT_EQ((std::vector<std::string>{"sc", "sc tso", "sc tso pso", "sc tso pso armv8", "sc tso pso armv8 power"}),
            toldOf(requestFor(Lock, 1), Report));
  ASSERT_EQ(6u, Report.Models.size());
  for (size_t K = 0; K < 6; ++K)
    EXPECT_EQ(defaultModels()[K], Report.Models[K].Which);
}

TEST(DefaultModels, AreToldOneByOneAlsoIfAllAreCompiledForOneMachine) {
  CheckRequest Request = requestFor(Lock, 1);
  Request.Options.Targets = TargetChoice::Host;
  CheckReport Report;
  EXPECT_EQ((std::vector<std::string>{"sc", "sc tso", "sc tso pso", "sc tso pso armv8", "sc tso pso armv8 power"}),
            toldOf(Request, Report));
}

TEST(DefaultModels, NoMoreAreCheckedSideBySideThanThereAreCoresAndOneMore) {
  using M = MemoryModel;
  EXPECT_EQ(1u, modelsAtOnce(defaultModels(), 1));
  EXPECT_EQ(3u, modelsAtOnce(defaultModels(), 2));
  EXPECT_EQ(5u, modelsAtOnce(defaultModels(), 4));
  EXPECT_EQ(6u, modelsAtOnce(defaultModels(), 16));
  EXPECT_EQ(2u, modelsAtOnce({M::SC, M::TSO, M::PSO}, 2));
  EXPECT_EQ(2u, modelsAtOnce({M::Armv8, M::Power, M::C11}, 2)) << "there are no others beside them";
}

TEST(DefaultModels, HaveTheSameVerdictsWithAnyNumberOfCores) {
  for (unsigned Jobs : {1u, 2u, 3u, 8u}) {
    CheckRequest Request = requestFor(Lock, Jobs);
    const CheckReport Report = check(Request);
    ASSERT_EQ(6u, Report.Models.size());
    for (const ModelReport &M : Report.Models) {
      EXPECT_EQ(Verdict::Verified, M.Result) << nameOf(M.Which) << " " << Jobs;
      EXPECT_EQ(24u, M.Executions) << nameOf(M.Which) << " " << Jobs;
    }
  }
}

TEST(DefaultModels, AreReportedInTheOrderAskedFor) {
  CheckRequest Request = requestFor(Lock, 4);
  Request.Options.Models = {MemoryModel::Power, MemoryModel::TSO, MemoryModel::SC};
  const CheckReport Report = check(Request);
  ASSERT_EQ(3u, Report.Models.size());
  for (size_t K = 0; K < 3; ++K) {
    EXPECT_EQ(Request.Options.Models[K], Report.Models[K].Which);
    EXPECT_EQ(Verdict::Verified, Report.Models[K].Result);
    EXPECT_EQ(24u, Report.Models[K].Executions);
  }
}

TEST(DefaultModels, WhatIsKnownStaysWhenTheRestIsCancelled) {
  CheckRequest Request = requestFor(Lock, 1);
  std::atomic<bool> Cancel = false;
  const CheckReport Report =
      check(Request, {}, &Cancel, {}, [&](const CheckReport &SoFar) { Cancel = Cancel || SoFar.Models.size() == 3; });
  for (size_t K = 0; K < 3; ++K)
    EXPECT_EQ(Verdict::Verified, Report.Models[K].Result) << K;
  for (size_t K = 3; K < 6; ++K) {
    EXPECT_EQ(Verdict::Inconclusive, Report.Models[K].Result) << K;
    EXPECT_FALSE(Report.Models[K].Skipped) << K;
  }
}

TEST(DefaultModels, OperationsThatFailForNoReasonDoNotMakeTheOthersWait) {
  CheckReport Report;
  const std::vector<std::string> Told = toldOf(requestFor(R"(#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *f(void *p) { int zero = 0; atomic_compare_exchange_weak(&x, &zero, 1); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); }
)",
                                                          1),
                                               Report);
  EXPECT_EQ((std::vector<std::string>{"sc tso pso", "sc tso pso armv8", "sc tso pso armv8 power"}), Told);
  for (size_t K = 3; K < 6; ++K)
    EXPECT_EQ(Verdict::Verified, Report.Models[K].Result) << K;
}

TEST(DefaultModels, GraphsAreSkippedWhereOnlyTheyRefuseUnlessTheyAreNamed) {
  CheckRequest Request = requestFor(NotForGraphs, 2);
  CheckReport Report = check(Request);
  EXPECT_EQ(Verdict::Violation, Report.Models[2].Result);
  for (size_t K = 3; K < 6; ++K) {
    EXPECT_EQ(Verdict::Unsupported, Report.Models[K].Result) << K;
    EXPECT_TRUE(Report.Models[K].Skipped) << K;
  }
  const Outcome O = outcomeOf(Report, Request.Options);
  ASSERT_EQ(1u, O.Findings.size());
  EXPECT_EQ(FindingCode(BugKind::Assertion), O.Findings[0].Code);
  EXPECT_EQ("SC ✓  TSO ✓  PSO ✗  ARM64, POWER, C11 not checked", verdictsText(O));
  for (const char *Title : {"ARM64", "POWER", "C11"})
    EXPECT_TRUE(std::any_of(O.Facts.begin(), O.Facts.end(), [&](const LineFact &F) {
      return F.Text.find(std::string("Not checked under ") + Title + ": an atomic access that is not aligned") == 0 &&
             F.Where.Line == 8;
    })) << Title;
  Request.Options.ModelsNamed = true;
  Report = check(Request);
  for (const ModelReport &M : Report.Models)
    EXPECT_FALSE(M.Skipped);
  EXPECT_EQ(2u, outcomeOf(Report, Request.Options).Findings.size()) << "the reason is the same under all three";
  Request.Options.ModelsNamed = false;
  Request.Options.Models = {MemoryModel::Power};
  EXPECT_FALSE(check(Request).Models[0].Skipped) << "there is no other answer";
}

TEST(DefaultModels, EachOfTheGraphsIsSkippedByItself) {
  const CheckReport Report = check(requestFor(Section, 2));
  for (const ModelReport &M : Report.Models) {
    const bool Refuses = M.Which == MemoryModel::Armv8 || M.Which == MemoryModel::C11;
    EXPECT_EQ(Refuses ? Verdict::Unsupported : Verdict::Verified, M.Result) << nameOf(M.Which);
    EXPECT_EQ(Refuses, M.Skipped) << nameOf(M.Which);
  }
}

TEST(DefaultModels, WhatNoneCanCheckIsNotSkipped) {
  const CheckReport Report = check(requestFor("int foo(void); int main(void) { return foo(); }\n", 1));
  for (const ModelReport &M : Report.Models) {
    EXPECT_EQ(Verdict::Unsupported, M.Result);
    EXPECT_FALSE(M.Skipped);
  }
}

TEST(DefaultModels, ThoseThatAreNotDoneArePending) {
  CheckRequest Request = requestFor(Lock, 1);
  CheckReport Some = check(Request);
  Some.Models.erase(Some.Models.begin() + 1);
  Some.Models.pop_back();
  Outcome O = outcomeOf(Some, Request.Options);
  EXPECT_EQ("SC ✓  TSO …  PSO ✓  ARM64 ✓  POWER ✓  C11 …", verdictsText(O));
  O.endPending("cancelled");
  EXPECT_EQ("SC ✓  TSO ?  PSO ✓  ARM64 ✓  POWER ✓  C11 ?", verdictsText(O));
}

TEST(DefaultModels, NeighboursShareAVerdictThatIsMoreThanASign) {
  CheckRequest Request = requestFor(Lock, 1);
  CheckReport Report = check(Request);
  for (size_t K : {0u, 1u, 3u, 4u, 5u})
    Report.Models[K].Result = Verdict::Bounded;
  Report.Models[2].Result = Verdict::Violation;
  EXPECT_EQ("SC, TSO ✓ up to 8  PSO ✗  ARM64, POWER, C11 ✓ up to 8", verdictsText(outcomeOf(Report, Request.Options)));
}

TEST(DefaultModels, RunsThatBecomeNoExecutionAreCounted) {
  // A thread waits for one lock, though it need not, while others take turns at the other one.
  CheckRequest Request = requestFor(R"(#include <pthread.h>
pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int counter[2];
void *worker(void *p) {
  long k = (long)p;
  pthread_mutex_lock(&m[k]); counter[k]++; pthread_mutex_unlock(&m[k]);
  return p;
}
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, worker, (void *)(i / 2));
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
})",
                                    1);
  Request.Options.RaceFree = false;
  const CheckReport Report = check(Request);
  EXPECT_EQ(0u, Report.Models[0].Rejected);
  EXPECT_EQ(MemoryModel::Power, Report.Models[4].Which);
  EXPECT_GT(Report.Models[4].Rejected, 0u);
  EXPECT_EQ(4u, Report.Models[4].Executions);
}

class DefaultModelsCommandTest : public testing::CommandLineTest {};

TEST_F(DefaultModelsCommandTest, WhatOnlyC11ForbidsDoesNotKeepTheOthersFromBeingFixed) {
  write("race.c", R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
atomic_int x, y;
char last[8];
int r, s;
void *f(void *p) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  r = atomic_load_explicit(&y, memory_order_relaxed);
  memcpy(last, "f", 2);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, f, 0);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  s = atomic_load_explicit(&x, memory_order_relaxed);
  memcpy(last, "main", 5);
  pthread_join(t, 0);
  assert(r || s);
})");
  const testing::Outcome Fixed = run("check --fix race.c");
  EXPECT_EQ(0, Fixed.ExitCode);
  EXPECT_TRUE(testing::contains(Fixed.Output, "(verified for SC, TSO, PSO, ARM64 and POWER, minimal)")) << Fixed.Output;
  EXPECT_TRUE(testing::contains(Fixed.Output, "race.c: not for C11, where a bug stays: ")) << Fixed.Output;
  EXPECT_EQ(1, run("check --fix --model tso,c11 race.c").ExitCode); // asked for by name
}

TEST_F(DefaultModelsCommandTest, TheExitCodeIsThatOfTheOthersWhereGraphsAreSkipped) {
  write("unaligned.c", NotForGraphs);
  const testing::Outcome Wrong = run("check -q unaligned.c");
  EXPECT_EQ(1, Wrong.ExitCode);
  EXPECT_TRUE(testing::contains(Wrong.Output,
                                "unaligned.c: ARM64, POWER and C11: not checked: an atomic access that is "
                                "not aligned"))
      << Wrong.Output;
  const testing::Outcome Fixed = run("check --fix --apply unaligned.c");
  EXPECT_EQ(0, Fixed.ExitCode);
  EXPECT_TRUE(testing::contains(Fixed.Output, "(verified for SC, TSO and PSO, minimal)")) << Fixed.Output;
  EXPECT_TRUE(
      testing::contains(Fixed.Output, "unaligned.c: not for ARM64, POWER and C11, which cannot check the program: "))
      << Fixed.Output;
  EXPECT_EQ(0, run("check -q unaligned.c").ExitCode);
  EXPECT_TRUE(testing::contains(run("check --json unaligned.c").Output, "\"skipped\": true"));
  const testing::Outcome Named = run("check -q --model sc,power unaligned.c");
  EXPECT_EQ(3, Named.ExitCode);
  EXPECT_TRUE(testing::contains(Named.Output, "POWER (powerpc64le): cannot be checked: ")) << Named.Output;
  write("named.c", "// picket: models=sc,power\n" + std::string(NotForGraphs));
  EXPECT_EQ(3, run("check -q named.c").ExitCode);
}

TEST_F(DefaultModelsCommandTest, AFixNamesInJsonTheModelsThatItIsNotFor) {
  write("unaligned.c", NotForGraphs);
  const testing::Outcome Fixed = run("check --fix --json unaligned.c", "2>/dev/null");
  EXPECT_EQ(0, Fixed.ExitCode);
  const llvm::json::Value Report = llvm::cantFail(llvm::json::parse(Fixed.Output));
  const llvm::json::Array *Skipped = Report.getAsObject()->getArray("skipped");
  ASSERT_TRUE(Skipped) << Fixed.Output;
  std::vector<std::string> Names;
  for (const llvm::json::Value &M : *Skipped)
    Names.push_back(M.getAsObject()->getString("model").value_or("").str());
  EXPECT_EQ((std::vector<std::string>{"armv8", "power", "c11"}), Names);
}

TEST_F(DefaultModelsCommandTest, RobustFixesAreForTsoAndPsoWhereNobodyNamesAModel) {
  write("unaligned.c", NotForGraphs);
  const testing::Outcome Fixed = run("check --fix=robust unaligned.c");
  EXPECT_EQ(0, Fixed.ExitCode) << Fixed.Output;
  EXPECT_TRUE(testing::contains(Fixed.Output, "verified for TSO and PSO")) << Fixed.Output;
}

/// Store buffering, with variables of some type.
std::string flags(const char *Type) {
  return std::string("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n") + Type + R"( x, y;
int a, b;
void *left(void *p) { x = 1; a = y; return p; }
void *right(void *p) { y = 1; b = x; return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a || b);
  return 0;
}
)";
}

size_t timesIn(const std::string &Text, const std::string &Part) {
  size_t Times = 0;
  for (size_t At = Text.find(Part); At != std::string::npos; At = Text.find(Part, At + Part.size()))
    ++Times;
  return Times;
}

TEST_F(DefaultModelsCommandTest, ABugOfSeveralModelsIsShownOnce) {
  write("flags.c", flags("volatile int"));
  for (const char *Quiet : {"", "-q "}) {
    const std::string Shown = run(std::string("check --volatile=relaxed ") + Quiet + "flags.c").Output;
    EXPECT_EQ(1u, timesIn(Shown, "assertion failed: 'a || b'") - (*Quiet ? 0 : 1))
        << Shown; // the last step says it, too
    EXPECT_EQ(*Quiet ? 0u : 1u, timesIn(Shown, "starts thread 'left'")) << Shown;
    for (const char *Model : {"PSO", "ARM64 (aarch64)", "POWER (powerpc64le)", "C11"}) {
      const size_t At = Shown.find(std::string("flags.c: ") + Model + ": violation (found in ");
      ASSERT_NE(std::string::npos, At) << Shown;
      EXPECT_TRUE(llvm::StringRef(Shown).drop_front(At).split('\n').first.ends_with("), as under TSO")) << Shown;
    }
    EXPECT_FALSE(testing::contains(Shown, "data races are bugs")) << Shown;
  }
  EXPECT_EQ(1u, timesIn(run("check --model power flags.c").Output, "starts thread 'left'"));
}

TEST_F(DefaultModelsCommandTest, ANewBugOfALaterModelIsShownBesideTheOthers) {
  write("flags.c", flags("volatile int"));
  const testing::Outcome Found = run("check flags.c");
  EXPECT_EQ(1, Found.ExitCode);
  EXPECT_EQ(1u, timesIn(Found.Output, "[data-race]")) << Found.Output;
  EXPECT_TRUE(testing::contains(Found.Output, "POWER (powerpc64le): violation")) << Found.Output;
  EXPECT_TRUE(testing::contains(Found.Output,
                                "flags.c: note: data races are bugs under C11 only; 'models' in .picket.toml can leave "
                                "C11 out, and 'volatile = \"relaxed\"' there (or --volatile=relaxed) makes volatile "
                                "accesses relaxed atomic\n"))
      << Found.Output;
  EXPECT_FALSE(testing::contains(run("check -q --model c11 flags.c").Output, "note: data races are bugs"))
      << "who names C11 knows";
  write("plain.c", flags("int"));
  const std::string Plain = run("check -q plain.c").Output;
  EXPECT_TRUE(testing::contains(Plain, "'models' in .picket.toml can leave C11 out\n")) << Plain;
  write(".picket.toml", "models = [\"sc\", \"tso\", \"pso\", \"armv8\", \"power\"]\n");
  EXPECT_FALSE(testing::contains(run("check -q plain.c").Output, "C11"));
}

} // namespace
} // namespace picket
