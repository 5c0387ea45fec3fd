// Random programs whose process ends while threads run. Brute force takes the end as a step after which nothing
// happens, which is what it is; the explorers let the others go on.
#include "property/Environment.h"
#include "support/Engines.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace picket {
namespace {

using testing::kindsOf;
using testing::listOf;

using Bugs = std::set<std::tuple<BugKind, ThreadId, uint32_t>>;

/// Every interleaving of every step.
class Interleavings {
public:
  Interleavings(Configuration &Config, Bugs &Found) : Config(Config), Found(Found) {}
  uint64_t Count = 0;
  static constexpr uint64_t Most = 30'000;

  void from() {
    if (Count > Most || Config.machine().sharing().changed())
      return;
    std::vector<ProcessId> Enabled;
    Config.enabled(Enabled);
    if (Enabled.empty()) {
      ++Count;
      const size_t Before = Config.machine().bugs().size();
      Config.ending();
      note();
      Config.machine().dropBugs(Before);
      return;
    }
    for (ProcessId P : Enabled) {
      const Configuration::Mark Before = Config.mark();
      Config.step(P);
      note();
      from();
      Config.undoTo(Before);
    }
  }

private:
  void note() {
    for (const BugReport &B : Config.machine().bugs())
      Found.insert({B.Kind, B.Thread, B.Pc});
  }
  Configuration &Config;
  Bugs &Found;
};

/// False: too many to look at.
bool findByBruteForce(const Program &P, MemoryModel Buffers, Bugs &Found) {
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  for (;;) {
    Found.clear();
    Shared.takeChanged();
    MachineOptions Options;
    Options.StopAtExit = true;
    Options.QuietAccesses = false;
    Options.Points = MachineOptions::Points::Off;
    Configuration C(P, Shared, Options, Buffers);
    C.start();
    Interleavings All(C, Found);
    All.from();
    if (All.Count > Interleavings::Most)
      return false;
    if (!Shared.changed())
      return true;
  }
}

struct BugObserver : ExplorationObserver {
  Bugs Found;
  void ended(Execution &E, Ending How) override {
    if (How == Ending::Buggy)
      for (const BugReport &B : E.configuration().machine().bugs())
        Found.insert({B.Kind, B.Thread, B.Pc});
  }
  void restarted() override { Found.clear(); }
};

class EndingProgram {
public:
  explicit EndingProgram(std::mt19937 &Random) : Random(Random) {}

  std::string text() {
    std::string Text = R"(
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
volatile int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
sem_t s;
pthread_t self, t[2];
)";
    const unsigned Threads = 1 + pick(2);
    const bool HasHandler = pick(3) == 0, HasDestructor = pick(4) == 0;
    Text += "static void handler(void) { " + statements(2, OfMain) + " }\n";
    if (HasDestructor)
      Text += "__attribute__((destructor)) static void destructor(void) { " + statements(1, OfMain) + " }\n";
    for (unsigned K = 0; K < Threads; ++K)
      Text += "static void *f" + std::to_string(K) + "(void *p) { " + statements(3, K == 0 ? OfFirst : OfOther) +
              (pick(4) == 0 ? end() : "") + " return p; }\n";
    Text += "int main(void) {\n  sem_init(&s, 0, 0);\n  self = pthread_self();\n";
    if (HasHandler)
      Text += "  atexit(handler);\n";
    if (pick(2))
      Text += "  pthread_mutex_lock(&m);\n";
    for (unsigned K = 0; K < Threads; ++K)
      Text += "  pthread_create(&t[" + std::to_string(K) + "], 0, f" + std::to_string(K) + ", 0);\n";
    Text += "  " + statements(2, OfMain) + "\n";
    if (pick(3) == 0)
      Text += "  pthread_join(t[0], 0); " + statements(1, OfMain) + "\n";
    Text += "  " + (pick(5) ? end() : "pthread_exit(0);") + "\n}\n";
    return Text;
  }

private:
  unsigned pick(unsigned Below) { return static_cast<unsigned>(Random() % Below); }
  std::string end() {
    static const char *const Ways[] = {"exit(0);", "_exit(0);", "quick_exit(0);", "_Exit(0);"};
    return Ways[pick(4)];
  }
  /// How many kinds of statements there are to choose from. Only one thread joins main.
  enum Choice : unsigned { OfMain = 8, OfOther = 10, OfFirst = 11 };
  std::string statements(unsigned Most, Choice From) {
    std::string Text;
    for (unsigned K = pick(Most + 1); K > 0; --K)
      Text += statement(From) + " ";
    return Text;
  }
  std::string statement(Choice From) {
    const std::string V = pick(2) ? "x" : "y";
    switch (pick(From)) {
    case 0:
    case 1: return V + " = " + std::to_string(1 + pick(2)) + ";";
    case 2: return "assert(" + V + " != " + std::to_string(1 + pick(2)) + ");";
    case 3: return "x = y + 1;";
    case 4: return "sem_post(&s);";
    case 5: return "pthread_mutex_lock(&m);";
    case 6: return "pthread_mutex_unlock(&m);";
    case 7: return "if (" + V + ") " + end();
    case 8: return "while (!" + V + ") ;";
    case 9: return "sem_wait(&s);";
    default: return "pthread_join(self, 0); assert(0);";
    }
  }
  std::mt19937 &Random;
};

void expectSameBugs(MemoryModel Buffers, unsigned Programs, unsigned Seed) {
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  unsigned Compared = 0;
  Programs = testing::programsOr(Programs);
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = EndingProgram(Random).text();
    const Program P = testing::compile(testing::requestForText(Text));
    Bugs Expected;
    if (!findByBruteForce(P, Buffers, Expected))
      continue;
    ++Compared;
    BugObserver Seen;
    const ExplorationResult Result = exploreOptimally(P, testing::exhaustively(Buffers), Seen);
    ASSERT_EQ(Result.Ended, ExplorationResult::End::Everything) << Result.Reason << Text;
    ASSERT_EQ(Result.SleepSetBlocked + Result.FailedWakeups, 0u) << Text;
    ASSERT_EQ(Seen.Found, Expected) << "program " << K << " of seed " << Seed << ":\n" << Text;
  }
  EXPECT_GE(Compared, testing::atLeast(0.5, Programs)) << "most programs should be small enough for brute force";
}

TEST(EndOfProcess, BugsAreThoseOfBruteForceUnderSc) { expectSameBugs(MemoryModel::SC, 400, 201); }
TEST(EndOfProcess, BugsAreThoseOfBruteForceUnderTso) { expectSameBugs(MemoryModel::TSO, 300, 202); }
TEST(EndOfProcess, BugsAreThoseOfBruteForceUnderPso) { expectSameBugs(MemoryModel::PSO, 300, 203); }

TEST(EndOfProcess, AllEnginesFindTheSameKindsOfBugs) {
  const unsigned Seed = testing::seedOr(204);
  std::mt19937 Random(Seed);
  CheckOptions Options;
  Options.Exhaustive = true;
  for (unsigned K = 0; K < testing::programsOr(200); ++K) {
    const std::string Text = EndingProgram(Random).text();
    const std::vector<testing::EngineAnswer> All = testing::checkByAll(Text, Options);
    std::map<MemoryModel, std::set<std::string>> Expected;
    for (const testing::EngineAnswer &A : All) {
      ASSERT_TRUE(A.Report.Result == Verdict::Verified || A.Report.Result == Verdict::Violation)
          << A.Engine << ": " << A.Report.Reason << Text;
      const auto [Known, New] = Expected.try_emplace(A.Report.Which, kindsOf(A.Report));
      if (A.Engine == "tso, states") { // ends with the first bug
        ASSERT_EQ(kindsOf(A.Report).empty(), Known->second.empty())
            << A.Engine << ", program " << K << " of seed " << Seed << ":\n"
            << Text;
        continue;
      }
      ASSERT_EQ(listOf(kindsOf(A.Report)), listOf(Known->second))
          << A.Engine << ", program " << K << " of seed " << Seed << ":\n"
          << Text;
    }
    for (const std::string &Kind : Expected[MemoryModel::SC])
      for (MemoryModel M : {MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power})
        ASSERT_TRUE(Expected[M].contains(Kind))
            << Kind << " under " << nameOf(M) << ", program " << K << " of seed " << Seed << ":\n"
            << Text;
  }
}

} // namespace
} // namespace picket
