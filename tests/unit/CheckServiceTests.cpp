// Documents, checks and workers, without the protocol.
#include "lsp/CheckService.h"
#include "lsp/ServerFiles.h"
#include "support/StoreBuffering.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

using namespace picket;
using namespace std::chrono_literals;

namespace {

/// Its data races are another subject.
const std::string Racy = std::string("// picket: races=off\n") + picket::testing::StoreBuffering;

/// More executions than anybody waits for.
const char *const Endless = R"(// picket: volatile=relaxed
#include <pthread.h>
volatile int x, y, z;
void *w(void *p) { for (int i = 0; i < 9; i++) { x = i; y = z; z = x; } return p; }
int main(void) {
  pthread_t t[6];
  for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, w, 0);
  for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
}
)";

struct Heard : CheckListener {
  void published(const DocumentStatus &Status) override {
    if (WhileTelling)
      WhileTelling();
    std::lock_guard<std::mutex> Lock(Mutex);
    Published.push_back(Status);
  }
  void cleared(const std::string &File) override {
    std::lock_guard<std::mutex> Lock(Mutex);
    Cleared.push_back(File);
  }
  void statusChanged(const DocumentStatus &, bool) override {}
  void fixesChanged(const DocumentStatus &Status) override {
    std::lock_guard<std::mutex> Lock(Mutex);
    Fixed.push_back(Status);
  }
  void progress(const CheckProgress &P) override {
    std::lock_guard<std::mutex> Lock(Mutex);
    Begun += P.What == CheckProgress::Begin;
    Ended += P.What == CheckProgress::End;
  }
  void settingsProblems(const std::string &, const std::vector<SettingsProblem> &) override {}
  void log(const std::string &) override {}

  /// Without what is told of checks that are still going on: that depends on how long they take.
  std::vector<DocumentStatus> publishedFor(const std::string &File) {
    std::lock_guard<std::mutex> Lock(Mutex);
    std::vector<DocumentStatus> Result;
    for (const DocumentStatus &S : Published)
      if (S.File == File && !S.Partial)
        Result.push_back(S);
    return Result;
  }

  std::function<void()> WhileTelling;
  std::mutex Mutex;
  std::vector<DocumentStatus> Published, Fixed;
  std::vector<std::string> Cleared;
  int Begun = 0, Ended = 0;
};

class CheckServiceTest : public ::testing::Test {
protected:
  CheckService::Options Options;

  void start() {
    Options.WorkerProgram = PICKET_EXECUTABLE;
    Options.Directory = Files.directory();
    Options.Debounce = 20ms;
    Service = std::make_unique<CheckService>(Options, Listener);
  }
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    start();
  }
  void idle() { ASSERT_TRUE(Service->blockUntilIdle(600s)); }
  void replace(const std::string &File, int64_t Version, const std::string &Text) {
    Service->change(File, Version, [&](std::string &Old) { Old = Text; });
  }
  std::string codeOf(const std::string &File) {
    std::optional<DocumentStatus> S = Service->status(File);
    return S && S->Result && !S->Result->Findings.empty() ? nameOf(S->Result->Findings[0].Code) : "";
  }

  ServerFiles Files;
  Heard Listener;
  std::unique_ptr<CheckService> Service;
};

TEST_F(CheckServiceTest, ChecksWhatIsOpenedAndSaved) {
  Service->open("/virtual/a.c", Racy, 1, true);
  idle();
  EXPECT_EQ("assertion", codeOf("/virtual/a.c"));
  std::string Fixed = Racy;
  Fixed.replace(Fixed.find("a || b"), 6, "1     ");
  replace("/virtual/a.c", 2, Fixed);
  idle();
  EXPECT_EQ(1u, Listener.publishedFor("/virtual/a.c").size()) << "an edit alone starts nothing";
  EXPECT_FALSE(Service->status("/virtual/a.c")->Current);
  Service->save("/virtual/a.c");
  idle();
  ASSERT_EQ(2u, Listener.publishedFor("/virtual/a.c").size());
  EXPECT_EQ(2, Listener.publishedFor("/virtual/a.c")[1].Version);
  EXPECT_EQ("not-robust", codeOf("/virtual/a.c"));
  EXPECT_EQ(Listener.Begun, Listener.Ended);
}

TEST_F(CheckServiceTest, OnceATextIsAnotherNothingIsToldOfTheOldOne) {
  std::atomic<bool> Begun = false, Told = false;
  Listener.WhileTelling = [&] {
    Begun = true;
    std::this_thread::sleep_for(200ms);
    Told = true;
  };
  Service->open("/virtual/a.c", Racy, 1, true);
  while (!Begun)
    std::this_thread::sleep_for(1ms);
  replace("/virtual/a.c", 2, "int main(void) {}");
  EXPECT_TRUE(Told) << "a result was on its way while the text was changed";
  idle();
  Service->stop(); // the listener's function ends here
}

TEST_F(CheckServiceTest, AnEditDuringACheckRestartsItAndOldResultsAreDropped) {
  Service->open("/virtual/a.c", Endless, 1, true);
  std::this_thread::sleep_for(100ms);
  for (int64_t Version = 2; Version <= 30; ++Version)
    replace("/virtual/a.c", Version, Version == 30 ? Racy : Endless);
  idle();
  std::vector<DocumentStatus> All = Listener.publishedFor("/virtual/a.c");
  ASSERT_EQ(1u, All.size());
  EXPECT_EQ(30, All[0].Version);
  EXPECT_EQ("assertion", codeOf("/virtual/a.c"));
}

TEST_F(CheckServiceTest, ACancelledOrClosedCheckEndsSoon) {
  std::atomic<int> Cancelled = 0, Closed = 0;
  Service->open("/virtual/a.c", Endless, 1, true);
  Service->open("/virtual/b.c", Endless, 1, true);
  ASSERT_TRUE(Service->check("/virtual/a.c", {}, [&](CheckEnd End) { Cancelled += End == CheckEnd::Cancelled; }));
  ASSERT_TRUE(Service->check("/virtual/b.c", {}, [&](CheckEnd End) { Closed += End == CheckEnd::Closed; }));
  std::this_thread::sleep_for(100ms);
  Service->cancel("/virtual/a.c");
  Service->close("/virtual/b.c");
  ASSERT_TRUE(Service->blockUntilIdle(600s));
  EXPECT_EQ(1, Cancelled);
  EXPECT_EQ(1, Closed);
  EXPECT_EQ(CheckState::Cancelled, Service->status("/virtual/a.c")->State);
  EXPECT_FALSE(Service->status("/virtual/b.c"));
  EXPECT_EQ(std::vector<std::string>{"/virtual/b.c"}, Listener.Cleared);
  EXPECT_TRUE(Listener.Published.empty());
  EXPECT_FALSE(Service->check("/virtual/b.c", {}, {}));
}

TEST_F(CheckServiceTest, ASaveRightAfterACancelIsNotLost) {
  Service->open("/virtual/a.c", Endless, 1, true);
  std::this_thread::sleep_for(300ms);
  Service->cancel("/virtual/a.c");
  Service->save("/virtual/a.c"); // the cancelled check has hardly ended by now
  std::this_thread::sleep_for(300ms);
  EXPECT_NE(CheckState::Cancelled, Service->status("/virtual/a.c")->State);
  Service->cancel("/virtual/a.c");
  ASSERT_TRUE(Service->blockUntilIdle(600s));
}

TEST_F(CheckServiceTest, UnsavedHeadersCountAndTheirSavingChecksAgain) {
  Service->open("/virtual/limit.h", "#define LIMIT 1\n", 1, false);
  std::string Text = Racy;
  Text.replace(Text.find("a || b"), 6, "a || b || LIMIT");
  Service->open("/virtual/a.c", "#include \"limit.h\"\n" + Text, 1, true);
  idle();
  EXPECT_EQ("not-robust", codeOf("/virtual/a.c"));
  replace("/virtual/limit.h", 2, "#define LIMIT 0\n");
  Service->save("/virtual/limit.h");
  idle();
  EXPECT_EQ("assertion", codeOf("/virtual/a.c"));
}

TEST_F(CheckServiceTest, SettingsDecideWhenAndWhat) {
  SettingsLayer Layer;
  Layer.When = Trigger::Manual;
  Layer.Models = {MemoryModel::SC};
  Service->configure(Layer);
  Service->open("/virtual/a.c", Racy, 1, true);
  Service->save("/virtual/a.c");
  idle();
  EXPECT_TRUE(Listener.Published.empty());
  ASSERT_TRUE(Service->check("/virtual/a.c", {}, {}));
  idle();
  EXPECT_EQ(1u, Service->status("/virtual/a.c")->Result->Models.size());
  EXPECT_EQ("", codeOf("/virtual/a.c"));
  ASSERT_TRUE(Service->check("/virtual/a.c", {MemoryModel::TSO}, {}));
  idle();
  EXPECT_EQ("assertion", codeOf("/virtual/a.c"));
  Layer.When = Trigger::Change;
  Service->configure(Layer);
  replace("/virtual/a.c", 2, std::string("// picket: models=pso\n") + Racy);
  idle();
  EXPECT_EQ(MemoryModel::PSO, Service->status("/virtual/a.c")->Result->Models[0].Model);
}

TEST_F(CheckServiceTest, FilesWithoutMainOrThreadsAreQuiet) {
  Service->open("/virtual/a.c", "int f(void) { return 1; }\n", 1, true);
  Service->open("/virtual/b.c", "int main(void) { return 1; }\n", 1, true);
  idle();
  for (const char *File : {"/virtual/a.c", "/virtual/b.c"})
    EXPECT_EQ(CheckState::Quiet, Service->status(File)->State);
}

TEST_F(CheckServiceTest, ATimeLimitLeavesTheAnswerOpen) {
  Service->open("/virtual/a.c", std::string("// picket: timeout=200ms models=tso\n") + Endless, 1, true);
  idle();
  EXPECT_EQ("inconclusive", codeOf("/virtual/a.c"));
}

TEST_F(CheckServiceTest, AWorkerThatIgnoresItsTimeLimitIsEnded) {
  setenv("PICKET_HANG_ON", "hang.c", 1);
  Service.reset();
  Options.Grace = Options.CompileTime = 100ms;
  start();
  Service->open("/virtual/hang.c", std::string("// picket: timeout=100ms models=tso\n") + Racy, 1, true);
  Service->open("/virtual/a.c", Racy, 1, true);
  idle();
  unsetenv("PICKET_HANG_ON");
  std::optional<DocumentStatus> Status = Service->status("/virtual/hang.c");
  EXPECT_EQ(CheckState::Done, Status->State);
  ASSERT_EQ(1u, Status->Result->Findings.size());
  EXPECT_EQ("not decided: the time limit was reached", Status->Result->Findings[0].Message);
  EXPECT_EQ(Verdict::Inconclusive, Status->Result->Models.at(0).Result);
  EXPECT_EQ("assertion", codeOf("/virtual/a.c"));
}

TEST_F(CheckServiceTest, AWorkerThatWorksIsNotTakenForOneThatHangs) {
  setenv("PICKET_HANG_ON", "hang.c", 1); // it does nothing, but says that it is there
  Service.reset();
  Options.Silence = 600ms;
  Options.Grace = Options.CompileTime = 1000ms;
  start();
  Service->open("/virtual/hang.c", std::string("// picket: timeout=1s models=tso\n") + Racy, 1, true);
  idle();
  unsetenv("PICKET_HANG_ON");
  EXPECT_EQ("inconclusive", codeOf("/virtual/hang.c")) << "the time limit ended it, and not silence";
}

TEST_F(CheckServiceTest, ACrashIsOneFindingAndOthersGoOn) {
  setenv("PICKET_CRASH_ON", "crash.c", 1);
  Service.reset();
  start(); // workers have the environment they were started with
  Service->open("/virtual/crash.c", Racy, 1, true);
  Service->open("/virtual/a.c", Racy, 1, true);
  idle();
  unsetenv("PICKET_CRASH_ON");
  EXPECT_EQ("crash", codeOf("/virtual/crash.c"));
  EXPECT_EQ(CheckState::Failed, Service->status("/virtual/crash.c")->State);
  EXPECT_EQ(1u, Listener.publishedFor("/virtual/crash.c").size());
  EXPECT_EQ("assertion", codeOf("/virtual/a.c"));
}

TEST_F(CheckServiceTest, RestartedWorkersFinishWhatWasBegun) {
  for (int K = 0; K < 8; ++K)
    Service->open("/virtual/" + std::to_string(K) + ".c", std::string(K, '\n') + Racy, 1, true);
  for (int K = 0; K < 5; ++K) {
    std::this_thread::sleep_for(15ms);
    Service->restartWorkers();
  }
  idle();
  for (int K = 0; K < 8; ++K)
    EXPECT_EQ("assertion", codeOf("/virtual/" + std::to_string(K) + ".c"));
}

TEST_F(CheckServiceTest, PicturesAreDrawnWhenAskedFor) {
  Service->open("/virtual/a.c", Racy, 1, true);
  idle();
  std::shared_ptr<const Outcome> Result = Service->status("/virtual/a.c")->Result;
  ASSERT_FALSE(Result->Traces.empty());
  EXPECT_EQ(std::string::npos, Result->Traces[0].Json.find("\"svg\""));
  std::vector<std::string> Drawn;
  Service->render({Result->Traces[0].Json}, [&](std::vector<std::string> Traces) { Drawn = std::move(Traces); });
  idle();
  ASSERT_EQ(1u, Drawn.size());
  llvm::json::Value Trace = llvm::cantFail(llvm::json::parse(Drawn[0]));
  for (const char *View : {"chronological", "shashaSnir"})
    EXPECT_EQ(0u, Trace.getAsObject()->getObject(View)->getString("svg").value_or("").find("<svg"));
  EXPECT_EQ(Racy, Trace.getAsObject()->getObject("sources")->getString("/virtual/a.c").value_or(""));
}

TEST_F(CheckServiceTest, FixesAreFoundAfterTheResultAndForgottenWithTheText) {
  Service->open("/virtual/a.c", Racy, 1, true);
  idle();
  std::optional<DocumentStatus> Status = Service->status("/virtual/a.c");
  const FixAnswer *All = Status->answerTo({FixQuestion::Aim::NoBug, defaultModels()});
  ASSERT_TRUE(All && All->isFixed());
  EXPECT_EQ(EditOutcome::Found, All->What);
  EXPECT_FALSE(All->Offers[0].Edits.empty());
  EXPECT_TRUE(Status->answerTo({FixQuestion::Aim::NoBug, {MemoryModel::TSO}}));
  EXPECT_FALSE(Status->Searching);
  ASSERT_FALSE(Listener.Fixed.empty());
  EXPECT_FALSE(Listener.Fixed.back().Fixes.empty());
  EXPECT_TRUE(Listener.publishedFor("/virtual/a.c")[0].Searching) << "the result does not wait for them";
  Service->save("/virtual/a.c"); // the same text again: the same answers
  idle();
  EXPECT_EQ(Status->Fixes, Service->status("/virtual/a.c")->Fixes);
  replace("/virtual/a.c", 2, std::string("\n") + Racy);
  EXPECT_TRUE(Service->status("/virtual/a.c")->Fixes.empty());
}

TEST_F(CheckServiceTest, FixesAreLookedForWhenAskedAndWhoWaitsIsTold) {
  SettingsLayer Layer;
  Layer.When = Trigger::Manual;
  Layer.Fixes = false;
  Service->configure(Layer);
  Service->open("/virtual/a.c", Racy, 1, true);
  std::atomic<int> Told = 0;
  auto Count = [&](CheckEnd End, const FixQuestion &Asked) {
    Told += End == CheckEnd::Finished && Asked.Models == std::vector{MemoryModel::TSO};
  };
  const FixQuestion Question{FixQuestion::Aim::NoBug, {MemoryModel::TSO}};
  ASSERT_TRUE(Service->fix("/virtual/a.c", Question, Count));
  ASSERT_TRUE(Service->fix("/virtual/a.c", Question, Count));
  idle();
  EXPECT_EQ(2, Told);
  EXPECT_EQ(1u, Service->status("/virtual/a.c")->Fixes.size()) << "one search for both";
  EXPECT_FALSE(Service->fix("/virtual/other.c", Question, Count));
  ASSERT_TRUE(Service->fix("/virtual/a.c", Question, Count));
  idle();
  EXPECT_EQ(3, Told) << "known already";
  ASSERT_TRUE(Service->check("/virtual/a.c", {}, {}));
  idle();
  EXPECT_EQ("assertion", codeOf("/virtual/a.c"));
  EXPECT_TRUE(Service->status("/virtual/a.c")->Fixes.empty()) << "nobody asked about what is found now";
}

TEST_F(CheckServiceTest, ASearchEndsWithTheTextItIsAbout) {
  SettingsLayer Layer;
  Layer.When = Trigger::Manual;
  Service->configure(Layer);
  for (auto [Name, End] : {std::pair("/virtual/edited.c", CheckEnd::Edited),
                           {"/virtual/closed.c", CheckEnd::Closed},
                           {"/virtual/cancelled.c", CheckEnd::Cancelled}}) {
    Service->open(Name, Endless, 1, true);
    std::atomic<int> Told = 0;
    ASSERT_TRUE(Service->fix(Name, {FixQuestion::Aim::NoBug, {MemoryModel::TSO}},
                             [&, Expected = End](CheckEnd How, const FixQuestion &) { Told += How == Expected; }));
    std::this_thread::sleep_for(50ms);
    if (End == CheckEnd::Edited)
      replace(Name, 2, Racy);
    else if (End == CheckEnd::Closed)
      Service->close(Name);
    else
      Service->cancelFixes(Name);
    ASSERT_TRUE(Service->blockUntilIdle(600s)) << Name;
    EXPECT_EQ(1, Told) << Name;
  }
}

TEST_F(CheckServiceTest, ASearchThatCrashesLeavesTheResultAlone) {
  setenv("PICKET_CRASH_ON", "a.c (fix)", 1);
  Service.reset();
  start();
  Service->open("/virtual/a.c", Racy, 1, true);
  idle();
  unsetenv("PICKET_CRASH_ON");
  EXPECT_EQ(CheckState::Done, Service->status("/virtual/a.c")->State);
  EXPECT_EQ("assertion", codeOf("/virtual/a.c"));
  ASSERT_FALSE(Service->status("/virtual/a.c")->Fixes.empty());
  EXPECT_EQ(EditOutcome::GaveUp, Service->status("/virtual/a.c")->Fixes[0]->What);
}

TEST_F(CheckServiceTest, TheLastActiveDocumentIsC) {
  EXPECT_EQ("", Service->lastActive());
  Service->open("/virtual/a.c", Racy, 1, true);
  Service->open("/virtual/b.c", Racy, 1, true);
  Service->open("/virtual/c.h", "", 1, false);
  EXPECT_EQ("/virtual/b.c", Service->lastActive());
  replace("/virtual/a.c", 2, Racy);
  EXPECT_EQ("/virtual/a.c", Service->lastActive());
  Service->save("/virtual/b.c");
  EXPECT_EQ("/virtual/b.c", Service->lastActive());
  Service->close("/virtual/b.c");
  EXPECT_EQ("/virtual/a.c", Service->lastActive());
}

TEST(ServerFiles, AreRemovedExceptThoseToKeep) {
  std::string Directory;
  {
    ServerFiles Files;
    Directory = Files.directory();
    EXPECT_FALSE(Files.writePage("a.html", "<p>").empty());
  }
  EXPECT_NE(0, access(Directory.c_str(), F_OK));
  ServerFiles Files;
  const std::string Kept = Files.writePage("a.html", "x"), Other = Files.writePage("b.html", "y");
  Files.keep(Kept);
  Files.remove();
  EXPECT_EQ(0, access(Kept.c_str(), F_OK));
  EXPECT_NE(0, access(Other.c_str(), F_OK));
  unlink(Kept.c_str());
  rmdir(Files.directory().c_str());
}

} // namespace
