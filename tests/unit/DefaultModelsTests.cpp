// The models of a check: which they are where nobody says so, that none waits for POWER, and that POWER may be skipped.
#include "lsp/ClientSettings.h"
#include "lsp/Outcome.h"
#include "lsp/StatusText.h"
#include "support/CommandLine.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

/// A message that may come late under PSO; POWER does not know atomic accesses that are not aligned.
const char *const NotForPower = R"(#include <assert.h>
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
  EXPECT_FALSE(NamedBy(Json(R"({"models": ["sc", "tso", "pso", "power"]})")));
  EXPECT_TRUE(NamedBy(Json(R"({"models": ["sc", "power"]})")));
  EXPECT_TRUE(NamedBy(layerOfComment("// picket: models=sc,tso,pso,power\n", Problems)));
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

TEST(DefaultModels, PowerComesLastOnOneCoreAndTheOthersAreToldBefore) {
  CheckReport Report;
  EXPECT_EQ((std::vector<std::string>{"sc", "sc tso", "sc tso pso"}), toldOf(requestFor(Lock, 1), Report));
  ASSERT_EQ(4u, Report.Models.size());
  for (size_t K = 0; K < 4; ++K)
    EXPECT_EQ(defaultModels()[K], Report.Models[K].Which);
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
      check(Request, {}, &Cancel, {}, [&](const CheckReport &SoFar) { Cancel = SoFar.Models.size() == 3; });
  for (size_t K = 0; K < 3; ++K)
    EXPECT_EQ(Verdict::Verified, Report.Models[K].Result) << K;
  EXPECT_EQ(Verdict::Inconclusive, Report.Models[3].Result);
  EXPECT_FALSE(Report.Models[3].Skipped);
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
  EXPECT_EQ((std::vector<std::string>{"sc tso pso"}), Told);
  EXPECT_EQ(Verdict::Verified, Report.Models[3].Result);
}

TEST(DefaultModels, PowerIsSkippedWhereItAloneRefusesUnlessItIsNamed) {
  CheckRequest Request = requestFor(NotForPower, 2);
  CheckReport Report = check(Request);
  EXPECT_EQ(Verdict::Violation, Report.Models[2].Result);
  EXPECT_EQ(Verdict::Unsupported, Report.Models[3].Result);
  EXPECT_TRUE(Report.Models[3].Skipped);
  const Outcome O = outcomeOf(Report, Request.Options);
  ASSERT_EQ(1u, O.Findings.size());
  EXPECT_EQ(FindingCode(BugKind::Assertion), O.Findings[0].Code);
  EXPECT_EQ("SC ✓  TSO ✓  PSO ✗  POWER not checked", verdictsText(O));
  EXPECT_TRUE(std::any_of(O.Facts.begin(), O.Facts.end(), [](const LineFact &F) {
    return F.Text.find("Not checked under POWER: an atomic access that is not aligned") == 0 && F.Where.Line == 8;
  }));
  Request.Options.ModelsNamed = true;
  Report = check(Request);
  EXPECT_FALSE(Report.Models[3].Skipped);
  EXPECT_EQ(2u, outcomeOf(Report, Request.Options).Findings.size());
  Request.Options.ModelsNamed = false;
  Request.Options.Models = {MemoryModel::Power};
  EXPECT_FALSE(check(Request).Models[0].Skipped) << "there is no other answer";
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
  EXPECT_EQ("SC ✓  TSO …  PSO ✓  POWER …", verdictsText(O));
  O.endPending("cancelled");
  EXPECT_EQ("SC ✓  TSO ?  PSO ✓  POWER ?", verdictsText(O));
}

TEST(DefaultModels, RunsThatBecomeNoExecutionAreCounted) {
  const CheckReport Report = check(requestFor(Lock, 1));
  EXPECT_EQ(0u, Report.Models[0].Rejected);
  EXPECT_GT(Report.Models[3].Rejected, 0u);
  EXPECT_EQ(24u, Report.Models[3].Executions);
}

class DefaultModelsCommandTest : public testing::CommandLineTest {};

TEST_F(DefaultModelsCommandTest, TheExitCodeIsThatOfTheOthersWherePowerIsSkipped) {
  write("unaligned.c", NotForPower);
  const testing::Outcome Wrong = run("check -q unaligned.c");
  EXPECT_EQ(1, Wrong.ExitCode);
  EXPECT_TRUE(testing::contains(Wrong.Output,
                                "unaligned.c: POWER (powerpc64le): not checked: an atomic access that is not aligned"))
      << Wrong.Output;
  const testing::Outcome Fixed = run("check --fix --apply unaligned.c");
  EXPECT_EQ(0, Fixed.ExitCode);
  EXPECT_TRUE(testing::contains(Fixed.Output, "(verified for SC, TSO and PSO, minimal)")) << Fixed.Output;
  EXPECT_TRUE(testing::contains(Fixed.Output, "unaligned.c: not for POWER, which cannot check the program: "))
      << Fixed.Output;
  EXPECT_EQ(0, run("check -q unaligned.c").ExitCode);
  EXPECT_TRUE(testing::contains(run("check --json unaligned.c").Output, "\"skipped\": true"));
  const testing::Outcome Named = run("check -q --model sc,power unaligned.c");
  EXPECT_EQ(3, Named.ExitCode);
  EXPECT_TRUE(testing::contains(Named.Output, "POWER (powerpc64le): cannot be checked: ")) << Named.Output;
  write("named.c", "// picket: models=sc,power\n" + std::string(NotForPower));
  EXPECT_EQ(3, run("check -q named.c").ExitCode);
}

TEST_F(DefaultModelsCommandTest, RobustFixesAreForTsoAndPsoWhereNobodyNamesAModel) {
  write("unaligned.c", NotForPower);
  const testing::Outcome Fixed = run("check --fix=robust unaligned.c");
  EXPECT_EQ(0, Fixed.ExitCode) << Fixed.Output;
  EXPECT_TRUE(testing::contains(Fixed.Output, "verified for TSO and PSO")) << Fixed.Output;
}

} // namespace
} // namespace picket
