// Kinds of bugs that can be chosen: what is off is not reported, and what is reported says no more than was checked.
#include "support/Kinds.h"

namespace picket {
namespace {

using testing::BugNames;
using testing::bugsOf;
using testing::checkFor;
using testing::waysToCheck;

Checks parsed(const std::vector<std::string> &Names) {
  Checks Result = Checks::none();
  EXPECT_EQ(parseChecks(Names, Result), "");
  return Result;
}

using Names = std::vector<std::string>;

TEST(Checks, EveryKindAndGroupStandsInTheTableAtItsPlace) {
  for (size_t K = 0; K < BugKinds.size(); ++K)
    EXPECT_EQ(static_cast<size_t>(BugKinds[K].Kind), K) << BugKinds[K].Name;
  std::set<std::string> Groups, Kinds;
  for (size_t K = 0; K < CheckGroups.size(); ++K) {
    EXPECT_EQ(static_cast<size_t>(CheckGroups[K].Group), K) << CheckGroups[K].Name;
    Groups.insert(CheckGroups[K].Name);
    EXPECT_TRUE(std::any_of(BugKinds.begin(), BugKinds.end(), [&](auto &I) { return I.Group == CheckGroups[K].Group; }))
        << CheckGroups[K].Name << " does nothing";
  }
  EXPECT_EQ(Groups.size(), CheckGroups.size());
  for (const BugKindInfo &K : BugKinds) {
    Kinds.insert(K.Name);
    EXPECT_EQ(bugKindNamed(K.Name), K.Kind);
  }
  EXPECT_EQ(Kinds.size(), BugKinds.size());
}

TEST(Checks, AListNamesWhatIsCheckedAndNothingElse) {
  EXPECT_EQ(parsed({"memory", "leak"}).names(), (Names{"memory", "leak"}));
  EXPECT_EQ(parsed({"all"}).names().size(), CheckGroups.size());
  EXPECT_EQ(parsed({"none"}).names(), Names{});
  EXPECT_EQ(parsed({"none", "hang"}).names(), Names{"hang"});
  EXPECT_EQ(parsed({"default"}), Checks());
}

TEST(Checks, AListThatTakesSomethingOutStartsFromTheDefault) {
  EXPECT_EQ(parsed({"no-deadlock", "-hang"}).namesLeftOut(), (Names{"deadlock", "hang"}));
  EXPECT_EQ(parsed({"default", "leak", "no-hang"}).namesLeftOut(), Names{"hang"});
  EXPECT_TRUE(parsed({"default", "leak", "no-hang"}).has(CheckGroup::Leak));
  EXPECT_EQ(parsed({"all", "-overflow"}).namesLeftOut(), Names{});
  EXPECT_FALSE(parsed({"all", "-overflow"}).has(BugKind::Overflow));
  EXPECT_EQ(parsed({" memory ", " -memory"}).names(), Names{});
}

TEST(Checks, ANameThatIsNoneIsRefusedAndChangesNothing) {
  Checks Before = Checks::none();
  EXPECT_NE(parseChecks({"memory", "memoy"}, Before).find("'memoy' is no kind of bug (assertion, "), std::string::npos);
  EXPECT_NE(parseChecks({"no-all"}, Before), "");
  EXPECT_NE(parseChecks({}, Before), "");
  EXPECT_NE(parseChecks({""}, Before), "");
  EXPECT_EQ(Before, Checks::none());
}

const std::string Head = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#line 1\n";

const std::string Deadlock = Head + R"(pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
void *a(void *p) { pthread_mutex_lock(&m);
  pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return p; }
void *b(void *p) { pthread_mutex_lock(&n);
  pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return p; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0);
  pthread_join(s, 0); pthread_join(t, 0); }
)";

TEST(Checks, ADeadlockThatIsNotLookedForCountsAsBlocked) {
  for (const auto &Way : waysToCheck()) {
    const ModelReport On = checkFor("deadlock", Deadlock, Way), Off = checkFor("no-deadlock", Deadlock, Way);
    EXPECT_EQ(On.Bugs.size(), 1u) << Way.Name;
    EXPECT_EQ(Off.Result, Verdict::Verified) << Way.Name << " " << Off.Reason;
    EXPECT_TRUE(Off.Bugs.empty()) << Way.Name;
    EXPECT_EQ(Off.Unchecked, 0u) << Way.Name;
    if (Way.Search != Engine::Lazy) {
      EXPECT_EQ(Off.Blocked, On.Blocked + 1) << Way.Name;
      EXPECT_EQ(Off.Executions, On.Executions - 1) << Way.Name;
    }
  }
}

TEST(Checks, ALoopThatNeverEndsIsNotReportedWhereHangsAreNotLookedFor) {
  const std::string Text = Head + R"(int go;
void *a(void *p) { while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST)) ; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); pthread_join(t, 0); }
)";
  for (const auto &Way : waysToCheck()) {
    EXPECT_EQ(bugsOf(checkFor("default", Text, Way)), BugNames{"hang:2"}) << Way.Name;
    EXPECT_EQ(bugsOf(checkFor("deadlock,hang", Text, Way)), BugNames{"hang:2"}) << Way.Name;
    EXPECT_EQ(bugsOf(checkFor("no-hang", Text, Way)), BugNames{}) << Way.Name;
  }
}

TEST(Checks, AHangIsFoundBesideADeadlockThatIsNotLookedFor) {
  const std::string Text = Head + R"(int go; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *a(void *p) { while (!__atomic_load_n(&go, __ATOMIC_SEQ_CST)) ; return p; }
void *b(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return p; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0);
  pthread_join(s, 0); pthread_join(t, 0); }
)";
  for (const auto &Way : waysToCheck()) {
    EXPECT_EQ(bugsOf(checkFor("default", Text, Way)), BugNames{"deadlock:3"}) << Way.Name;
    EXPECT_EQ(bugsOf(checkFor("no-deadlock", Text, Way)), BugNames{"hang:2"}) << Way.Name;
    EXPECT_EQ(bugsOf(checkFor("no-deadlock,no-hang", Text, Way)), BugNames{}) << Way.Name;
  }
}

/// One thread uses memory that is gone, another one fails an assertion, each in some executions only.
const std::string TwoBugs = Head + R"(int *volatile block; volatile int x, y;
void *a(void *p) { y = 1; x = *block; return p; }
void *b(void *p) { free(block); if (y) assert(!y);
  return p; }
int main(void) { pthread_t s, t; block = calloc(1, 4); pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0);
  pthread_join(s, 0); pthread_join(t, 0); }
)";

TEST(Checks, AnErrorThatIsNotLookedForEndsItsThreadAndHidesNothingElse) {
  for (const auto &Way : waysToCheck()) {
    const ModelReport Both = checkFor("default", TwoBugs, Way);
    EXPECT_TRUE(testing::areBugs(bugsOf(Both), {"use-after-free:2", "assertion:3"}, Way))
        << Way.Name << " " << ::testing::PrintToString(bugsOf(Both));
    const ModelReport Memory = checkFor("memory", TwoBugs, Way), Assertion = checkFor("assertion", TwoBugs, Way);
    EXPECT_EQ(bugsOf(Memory), BugNames{"use-after-free:2"}) << Way.Name;
    EXPECT_EQ(bugsOf(Assertion), BugNames{"assertion:3"}) << Way.Name;
    const ModelReport Neither = checkFor("deadlock,hang", TwoBugs, Way);
    EXPECT_EQ(bugsOf(Neither), BugNames{}) << Way.Name << ": whoever waits for a thread that is gone is no deadlock";
    EXPECT_EQ(Neither.Result, Verdict::Verified) << Way.Name << " " << Neither.Reason;
    EXPECT_GT(Neither.Unchecked, 0u) << Way.Name;
    EXPECT_EQ(checkFor("no-leak", Deadlock, Way).Unchecked, 0u);
  }
}

TEST(Checks, ASearchForTheFirstBugGoesOnPastThoseThatAreNotLookedFor) {
  for (const auto &Way : waysToCheck()) {
    EXPECT_EQ(bugsOf(checkFor("assertion", TwoBugs, Way, false)), BugNames{"assertion:3"}) << Way.Name;
    EXPECT_EQ(bugsOf(checkFor("memory", TwoBugs, Way, false)), BugNames{"use-after-free:2"}) << Way.Name;
  }
}

TEST(Checks, AStoreThatLandsInMemoryThatIsGoneIsCountedWhereItIsNotLookedFor) {
  const std::string Text = Head + R"(int *volatile p; volatile int done;
void *a(void *q) { int here = 0; p = &here; while (!done) ; return q; }
void *b(void *q) { int *r = p; if (r) { *r = 1; } done = 1; return q; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0);
  pthread_join(s, 0); pthread_join(t, 0); }
)";
  for (const auto &Way : waysToCheck()) {
    if (Way.Which != MemoryModel::PSO)
      continue;
    EXPECT_EQ(bugsOf(checkFor("default", Text, Way)), BugNames{"use-after-free:3"}) << Way.Name;
    const ModelReport Off = checkFor("no-memory", Text, Way);
    EXPECT_EQ(Off.Result, Verdict::Verified) << Way.Name << " " << Off.Reason;
    EXPECT_GT(Off.Unchecked, 0u) << Way.Name;
  }
}

TEST(Checks, WhatEndedUncheckedUnderScIsExploredUnderTso) {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO};
  Options.Looked = testing::checksNamed("no-abort");
  const std::string Text = Head + R"(volatile int x;
void *a(void *p) { x = 1; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); if (x) abort(); pthread_join(t, 0); }
)";
  const CheckReport Report = testing::checkText(Text, Options);
  EXPECT_EQ(Report.Looked, Options.Looked);
  for (const ModelReport &M : Report.Models) {
    EXPECT_EQ(M.Result, Verdict::Verified);
    EXPECT_EQ(M.Unchecked, 1u);
    EXPECT_FALSE(M.FromSc);
  }
}

} // namespace
} // namespace picket
