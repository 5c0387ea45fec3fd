// Threads that follow points see what threads that are run see.
#include "explore/OptimalDpor.h"
#include "property/RandomProgram.h"
#include "support/Explore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>

namespace picket {
namespace {

using testing::Statement;
using Points = decltype(MachineOptions::Points);

struct Seen : testing::Traces {
  ExplorationResult Result;
  uint64_t Buggy = 0;
  void ended(Execution &E, Ending How) override {
    Traces::ended(E, How);
    Buggy += How == Ending::Buggy;
  }
  void restarted() override {
    Traces::restarted();
    Buggy = 0;
  }
};

/// Up to so many executions, which come in the same order.
Seen explored(const Program &P, Buffering Buffers, Points How) {
  constexpr uint64_t TooMany = 4'000;
  struct : Seen {
    bool isEnough(const ExplorationResult &SoFar) override { return SoFar.Executions >= TooMany; }
  } Listener;
  ExplorationOptions Options = testing::exhaustively(Buffers, 4);
  Options.Machine.Points = How;
  Listener.Result = exploreOptimally(P, Options, Listener);
  return Listener;
}

void expectTheSame(const Program &P, const std::string &What) {
  for (Buffering Buffers : testing::AllModels) {
    const Seen Run = explored(P, Buffers, Points::Off);
    const Seen Followed = explored(P, Buffers, Points::On);
    ASSERT_EQ(Followed.Result.Ended, Run.Result.Ended) << What << " under " << testing::nameOf(Buffers);
    if (Run.Result.Ended == ExplorationResult::End::Everything) {
      ASSERT_EQ(Followed.Complete, Run.Complete) << What << " under " << testing::nameOf(Buffers);
      ASSERT_EQ(Followed.Blocked, Run.Blocked) << What << " under " << testing::nameOf(Buffers);
      ASSERT_EQ(Followed.Cut, Run.Cut) << What << " under " << testing::nameOf(Buffers);
      ASSERT_EQ(Followed.Buggy, Run.Buggy) << What << " under " << testing::nameOf(Buffers);
    }
    // Throws where a thread that is run comes elsewhere than to the point.
    ASSERT_NO_THROW(explored(P, Buffers, Points::Distrusted)) << What << " under " << testing::nameOf(Buffers);
  }
}

void expectTheSame(unsigned Seed, const std::function<std::string(std::mt19937 &)> &Make) {
  unsigned Programs = 60;
  if (const char *More = std::getenv("PICKET_RANDOM_PROGRAMS"))
    Programs = static_cast<unsigned>(std::atoi(More));
  if (const char *Other = std::getenv("PICKET_RANDOM_SEED"))
    Seed = static_cast<unsigned>(std::atoi(Other));
  std::mt19937 Random(Seed);
  for (unsigned K = 0; K < Programs && !::testing::Test::HasFailure(); ++K) {
    const std::string Text = Make(Random);
    expectTheSame(testing::compile(testing::requestForText(Text)), Text);
  }
}

void expectTheSame(const testing::Palette &From, unsigned Seed) {
  expectTheSame(Seed, [&](std::mt19937 &Random) { return testing::makeProgram(Random, From, 3, 5).text(); });
}

/// Threads that do different things to memory of their own and of others, depending on what they read.
std::string makeMemoryProgram(std::mt19937 &Random) {
  static const char *const Statements[] = {
      "x[A] = B;",
      "r += x[A];",
      "q = malloc(x[A] ? 4 : 16); *q = B; h[C] = q;",
      "if (x[A]) { q = malloc(4); *q = B; h[C] = q; } else { q = malloc(4); h[C] = q; *q = B; }",
      "q = h[C]; if (q) r += q[B];",
      "q = h[C]; if (q) q[B] = x[A];",
      "q = h[C]; if (q) { q = realloc(q, 16); r += q[0]; x[A] = q[B]; h[C] = q; }",
      "q = h[C]; if (q && r != B) { h[C] = 0; free(q); }",
      "{ int local = x[A]; h[C] = &local; r += x[D]; x[D] = local; h[C] = 0; }",
      "tls += x[A]; x[D] = tls;",
      "x[D] = sum(x[A]);",
      "{ struct s a = {{r, 1, x[A]}}, b; memcpy(&b, &a, sizeof b); x[D] = b.w[B]; }",
      "q = h[C]; if (q) { int w; memcpy(&w, q, sizeof w); x[D] = w; }",
      "pthread_create(&child, 0, started, (void *)(long)(x[A] + B)); pthread_join(child, 0);",
      "pthread_create(&child, 0, started, (void *)(long)(x[A] + B));",
      "errno = x[A]; x[D] = errno;",
  };
  auto Below = [&](unsigned N) { return static_cast<unsigned>(Random() % N); };
  std::string Text = R"(
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct s { int w[3]; };
volatile int x[2];
int *volatile h[2];
_Thread_local int tls;
static int sum(int n) { return n > 0 ? n + sum(n - 1) : 0; }
static void *started(void *p) { tls = (int)(long)p; x[1] = 1; x[0] = tls; return p; }
)";
  const unsigned Threads = 2 + Below(2);
  for (unsigned T = 0; T < Threads; ++T) {
    Text += "void *t" + std::to_string(T) + "(void *p) {\n  int r = 0, *q; pthread_t child;\n";
    for (unsigned Left = 1 + Below(Threads == 2 ? 4 : 3); Left; --Left) {
      std::string Line = Statements[Below(std::size(Statements))];
      const unsigned Numbers[] = {Below(2), Below(3), Below(2), Below(2)};
      for (size_t At = 1; At + 1 < Line.size(); ++At) // A, B, C and D stand alone
        if (Line[At] >= 'A' && Line[At] <= 'D' && !std::isalnum(static_cast<unsigned char>(Line[At - 1])) &&
            !std::isalnum(static_cast<unsigned char>(Line[At + 1])))
          Line[At] = static_cast<char>('0' + Numbers[Line[At] - 'A']);
      Text += "  " + Line + "\n";
    }
    Text += "  x[0] = r;\n  (void)q;\n  (void)child;\n  return p;\n}\n";
  }
  Text += "int main(void) {\n  pthread_t t[3];\n";
  for (const char *Call : {"pthread_create(&t[%], 0, t%, 0)", "pthread_join(t[%], 0)"})
    for (unsigned T = 0; T < Threads; ++T) {
      std::string Line = Call;
      std::replace(Line.begin(), Line.end(), '%', static_cast<char>('0' + T));
      Text += "  " + Line + ";\n";
    }
  return Text + "}\n";
}

TEST(Points, AreWhereAccessesLead) {
  expectTheSame({Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded}, 1);
}
TEST(Points, AreWhereAtomicsLead) {
  expectTheSame({Statement::Store, Statement::Load, Statement::FetchAdd, Statement::Exchange, Statement::CompareSwap,
                 Statement::Guarded, Statement::RelaxedSwap},
                2);
}
TEST(Points, AreWhereWaitingLeads) {
  expectTheSame({Statement::Store, Statement::Load, Statement::AwaitNot, Statement::Copy, Statement::LockedAdd,
                 Statement::SignalOrWait, Statement::TryLocked},
                3);
}
TEST(Points, AreWhereSeveralSizesLead) {
  expectTheSame({Statement::Store, Statement::Load, Statement::Narrow, Statement::Copy, Statement::Exchange,
                 Statement::ReleaseFence},
                4);
}

TEST(Points, AreWhereMemoryOfOthersLeads) { expectTheSame(5, makeMemoryProgram); }

TEST(Points, AreWhereProgramsLead) {
  // Calls, locals, allocation, locks, conditions, keys, threads that start threads: everything there is.
  unsigned Programs = 0;
  for (const auto &File : std::filesystem::directory_iterator(std::string(PICKET_SOURCE_DIR) + "/tests/programs"))
    if (File.path().extension() == ".c") {
      const std::string Name = File.path().stem().string();
      expectTheSame(testing::compile(testing::requestForProgram(Name)), Name);
      ++Programs;
    }
  EXPECT_GT(Programs, 80u);
}

TEST(Points, AreNotWhatWasThereBeforeAJoin) {
  // What a thread reads for itself is what main left there while it was alone, which differs from execution to
  // execution.
  const Program P = testing::compile(testing::requestForText(R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, seen;
int setting;
static void *racer(void *arg) { return atomic_store(&x, 1), arg; }
static void *reader(void *arg) {
  atomic_fetch_add(&seen, 1);
  atomic_fetch_add(&seen, setting);
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, racer, 0);
  int early = atomic_load(&x);
  pthread_join(a, 0);
  setting = 1 + early;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(atomic_load(&seen) == 2 + 2 * (1 + early));
}
)"));
  expectTheSame(P, "two gatherings");
  EXPECT_EQ(explored(P, Buffering::None, Points::On).Buggy, 0u);
}

} // namespace
} // namespace picket
