// Random programs with weak compare-and-swaps and waits, with and without loops around them. What is expected is found
// by failures that are written into the program: a compare-and-swap that fails at a certain arrival, or a wait that is
// nothing but an unlock and a lock, at every place and arrival there is.
#include "property/Environment.h"
#include "support/Engines.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

namespace picket {
namespace {

using testing::kindsOf;
using testing::listOf;

constexpr unsigned MaxSites = 3, MaxArrivals = 3, Unroll = 4;

class RetryingProgram {
public:
  explicit RetryingProgram(std::mt19937 &Random) : Random(Random) {
    for (unsigned K = 0; K < 2; ++K) {
      Threads += "static void *f" + std::to_string(K) + "(void *p) { ";
      for (unsigned N = 1 + pick(2); N > 0; --N)
        Threads += statement() + " ";
      Threads += "return p; }\n";
    }
    Threads +=
        "int main(void) {\n  pthread_t t[2];\n  pthread_create(&t[0], 0, f0, 0);\n  pthread_create(&t[1], 0, f1, 0);\n"
        "  pthread_join(t[0], 0);\n  pthread_join(t[1], 0);\n  assert(x + y != " +
        std::to_string(pick(4)) + ");\n}\n";
  }

  /// As a program is written.
  std::string text() const {
    return Common +
           "#define SWAP(k, e, n) atomic_compare_exchange_weak(&x, e, n)\n#define WAIT(k) pthread_cond_wait(&c, &m)\n" +
           Threads;
  }
  /// The place k fails at arrival fail_at[k], from 1; 0: never.
  std::string failing() const {
    return Common + R"(
int fail_at[3];
static int arrivals[3];
static int fails(int k) { return ++arrivals[k] == fail_at[k]; }
static int swap(int k, int *e, int n) {
  if (!fails(k))
    return atomic_compare_exchange_strong(&x, e, n);
  *e = x;
  return 0;
}
#define SWAP(k, e, n) swap(k, e, n)
#define WAIT(k) (fails(k) ? (pthread_mutex_unlock(&m), pthread_mutex_lock(&m)) : pthread_cond_wait(&c, &m))
)" + Threads;
  }
  unsigned sites() const { return Sites; }

private:
  unsigned pick(unsigned Below) { return static_cast<unsigned>(Random() % Below); }
  std::string statement() {
    const std::string V = std::to_string(pick(3));
    const unsigned What = Sites < MaxSites ? pick(13) : 10 + pick(3);
    const std::string K = std::to_string(What < 10 ? Sites++ : 0);
    const std::string Add = "SWAP(" + K + ", &e, e + 1)", Lock = "pthread_mutex_lock(&m); ",
                      Unlock = " pthread_mutex_unlock(&m);";
    switch (What) {
    case 0: return "{ int e = " + V + "; if (SWAP(" + K + ", &e, 1)) y++; }";
    case 1: return "{ int e = x; while (!" + Add + ") ; }";
    case 2: return "{ int e = x; do z" + K + " = e; while (!" + Add + "); }";
    case 3: return "{ int e = x, n = 0; while (!" + Add + ") n++; assert(n < 2); }";
    case 4: return "{ int e = x; for (int i = 0; i < 2 && !" + Add + "; i++) ; }";
    case 5: return Lock + "if (!ready) WAIT(" + K + "); assert(ready);" + Unlock;
    case 6: return Lock + "while (!ready) WAIT(" + K + "); assert(ready);" + Unlock;
    case 7: return Lock + "do WAIT(" + K + "); while (!ready);" + Unlock;
    case 8: return "{ int e; do e = x; while (!" + Add + "); }";
    case 9: return "{ int e = x; while (!" + Add + ") y = e; }";
    case 10: return Lock + "ready = 1; pthread_cond_signal(&c);" + Unlock;
    case 11: return "x = " + V + ";";
    default: return "assert(x != " + V + ");";
    }
  }

  std::mt19937 &Random;
  unsigned Sites = 0;
  std::string Threads;
  const std::string Common = R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int ready, z0, z1, z2;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
)";
};

/// The kinds of bugs with all failures that are written into the program.
std::set<std::string> expectedKinds(const RetryingProgram &R, MemoryModel M) {
  Program P = testing::compile(testing::requestForText(R.failing()));
  auto FailAt = std::find_if(P.Globals.begin(), P.Globals.end(), [](const Global &G) { return G.Name == "fail_at"; });
  CheckOptions Options;
  Options.Models = {M};
  Options.Exhaustive = true;
  Options.Monitor = false;
  Options.Spurious = false;
  Options.Unroll = Unroll;
  std::set<std::string> Kinds;
  unsigned Ways = 1;
  for (unsigned K = 0; K < R.sites(); ++K)
    Ways *= MaxArrivals + 1;
  for (unsigned Way = 0; Way < Ways; ++Way) {
    unsigned Rest = Way;
    for (unsigned K = 0; K < R.sites(); ++K, Rest /= MaxArrivals + 1) {
      const int32_t At = static_cast<int32_t>(Rest % (MaxArrivals + 1));
      FailAt->Initial.resize(FailAt->Size);
      std::memcpy(FailAt->Initial.data() + K * sizeof At, &At, sizeof At);
    }
    for (const std::string &Kind : kindsOf(checkCompiled("/test.c", {P, {}}, Options).Models.front()))
      Kinds.insert(Kind);
  }
  return Kinds;
}

TEST(Retries, FailuresAreThoseThatCanBeWrittenDown) {
  const unsigned Seed = testing::seedOr(301);
  std::mt19937 Random(Seed);
  for (unsigned K = 0; K < testing::programsOr(100); ++K) {
    const RetryingProgram R(Random);
    CheckOptions Options;
    Options.Exhaustive = true;
    Options.Monitor = false;
    Options.Unroll = Unroll;
    Options.Models = {Random() % 2 ? MemoryModel::SC : MemoryModel::PSO};
    const ModelReport Report = testing::checkText(R.text(), Options).Models.front();
    ASSERT_NE(Report.Result, Verdict::Inconclusive) << Report.Reason << R.text();
    ASSERT_EQ(listOf(kindsOf(Report)), listOf(expectedKinds(R, Report.Which)))
        << nameOf(Report.Which) << ", program " << K << " of seed " << Seed << ":\n"
        << R.text();
  }
}

TEST(Retries, AllEnginesFindTheSameKindsOfBugs) {
  const unsigned Seed = testing::seedOr(302);
  std::mt19937 Random(Seed);
  CheckOptions Options;
  Options.Exhaustive = true;
  Options.Unroll = Unroll;
  Options.Counterexamples = 0;
  for (unsigned K = 0; K < testing::programsOr(100); ++K) {
    const RetryingProgram R(Random);
    std::map<MemoryModel, std::set<std::string>> Expected;
    for (const testing::EngineAnswer &A : testing::checkByAll(R.text(), Options)) {
      const Verdict V = A.Report.Result;
      ASSERT_TRUE(V == Verdict::Verified || V == Verdict::Violation || V == Verdict::Bounded)
          << A.Engine << ": " << A.Report.Reason << R.text();
      const auto [Known, New] = Expected.try_emplace(A.Report.Which, kindsOf(A.Report));
      if (A.Engine == "tso, states") { // ends with the first bug
        ASSERT_EQ(kindsOf(A.Report).empty(), Known->second.empty())
            << A.Engine << ", program " << K << " of seed " << Seed << ":\n"
            << R.text();
        continue;
      }
      ASSERT_EQ(listOf(kindsOf(A.Report)), listOf(Known->second))
          << A.Engine << ", program " << K << " of seed " << Seed << ":\n"
          << R.text();
    }
    for (const std::string &Kind : Expected[MemoryModel::SC])
      for (MemoryModel M : {MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power})
        ASSERT_TRUE(Expected[M].contains(Kind))
            << Kind << " under " << nameOf(M) << ", program " << K << " of seed " << Seed << ":\n"
            << R.text();
  }
}

} // namespace
} // namespace picket
