// Data races under C11: which accesses they are told of, and what is none. Random programs are in C11UnderC11.DataRaces.
#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

#include <set>

namespace picket {
namespace {

const std::string Preamble = R"(
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static pthread_t t, u;
static void run2(void *(*f)(void *), void *(*g)(void *)) {
  pthread_create(&t, 0, f, 0);
  pthread_create(&u, 0, g, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
#line 1
)";

ModelReport check(const std::string &Text, Checks Looked = Checks(), bool Exhaustive = false) {
  CheckOptions Options;
  Options.Models = {MemoryModel::C11};
  Options.Looked = Looked;
  Options.Exhaustive = Exhaustive;
  return testing::checkText(Preamble + Text, Options).Models.front();
}

/// The only bug of a program, which must be explained and happen again when it is replayed.
Bug raceOf(const std::string &Text) {
  const ModelReport Report = check(Text);
  EXPECT_EQ(Report.Result, Verdict::Violation) << Report.Reason << Text;
  if (Report.Bugs.size() != 1 || !Report.Bugs.front().Trace) {
    ADD_FAILURE() << Report.Bugs.size() << " bugs" << Text;
    return {};
  }
  const Bug Found = Report.Bugs.front();
  EXPECT_EQ(Found.Kind, BugKind::DataRace);
  const Program P = testing::compile(testing::requestForText(Preamble + Text));
  EXPECT_EQ(replay(P, Found.Trace->Run, MachineOptions()).Outcome, ReplayResult::SameBug) << Text;
  return Found;
}

const std::string TwoWrites = R"(int x;
void *f(void *p) { x = 1; return p; }
void *g(void *p) { x = 2; return p; }
int main(void) { run2(f, g); }
)";

TEST(DataRaces, BothAccessesAreTold) {
  const Bug Found = raceOf(TwoWrites);
  EXPECT_EQ(Found.Message, "data race: this write of 'x' and the write in thread 'f' (line 2) are not ordered");
  EXPECT_EQ(Found.Where.Line, 3u);
  EXPECT_EQ(Found.Thread, "g");
  EXPECT_EQ(Found.Trace->Sentence,
            "This write of 'x' and the write in thread 'f' (line 2) are not ordered, and not both are atomic. "
            "C11 gives a program that does this no meaning: make them atomic, or order them (release and "
            "acquire, a lock).");
}

TEST(DataRaces, OneAccessMayBeAtomic) {
  const Bug Found = raceOf(R"(atomic_int x;
void *f(void *p) { atomic_store_explicit(&x, 1, memory_order_seq_cst); return p; }
void *g(void *p) { return *(int *)&x ? 0 : p; }
int main(void) { run2(f, g); }
)");
  EXPECT_NE(Found.Message.find("atomic write in thread 'f' (line 2)"), std::string::npos) << Found.Message;
}

TEST(DataRaces, ReadsDoNotRace) {
  EXPECT_EQ(check(R"(int x = 1;
void *f(void *p) { return x ? p : 0; }
int main(void) { x = 2; run2(f, f); x = 3; }
)")
                .Result,
            Verdict::Verified);
}

TEST(DataRaces, VolatileOrdersNothing) {
  raceOf(R"(volatile int x;
void *f(void *p) { x = 1; return p; }
void *g(void *p) { return x ? 0 : p; }
int main(void) { run2(f, g); }
)");
}

TEST(DataRaces, BytesOfOneWordAreApart) {
  EXPECT_EQ(check(R"(char bytes[4];
void *f(void *p) { bytes[0] = 1; return p; }
void *g(void *p) { bytes[1] = 1; return p; }
int main(void) { run2(f, g); }
)")
                .Result,
            Verdict::Verified);
  raceOf(R"(union { int word; char bytes[4]; } x;
void *f(void *p) { x.bytes[1] = 1; return p; }
void *g(void *p) { x.word = 2; return p; }
int main(void) { run2(f, g); }
)");
}

TEST(DataRaces, InHeapBlocks) {
  const Bug Found = raceOf(R"(struct node { int value; } *shared;
void *f(void *p) { shared->value = 1; return p; }
void *g(void *p) { return shared->value ? 0 : p; }
int main(void) { shared = calloc(1, sizeof *shared); run2(f, g); free(shared); }
)");
  EXPECT_NE(Found.Message.find("heap block of 4 bytes"), std::string::npos) << Found.Message;
}

/// What is read from a relaxed store is not ordered after what came before that store.
TEST(DataRaces, RelaxedReadsOrderNothing) {
  raceOf(R"(int data;
atomic_int flag;
void *f(void *p) { data = 1; atomic_store_explicit(&flag, 1, memory_order_release); return p; }
void *g(void *p) { if (atomic_load_explicit(&flag, memory_order_relaxed)) data = 2; return p; }
int main(void) { run2(f, g); }
)");
}

TEST(DataRaces, AreNotReportedIfNobodyAsks) {
  Checks Others;
  Others.set(CheckGroup::Race, false);
  const ModelReport Report = check(TwoWrites, Others);
  EXPECT_EQ(Report.Result, Verdict::Verified);
  EXPECT_EQ(Report.Executions, 2u); // one for each order
}

TEST(DataRaces, OtherModelsHaveNone) {
  for (MemoryModel M : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power}) {
    CheckOptions Options;
    Options.Models = {M};
    EXPECT_EQ(testing::checkText(Preamble + TwoWrites, Options).Models.front().Result, Verdict::Verified) << nameOf(M);
  }
}

/// The bug that is found does not hide others in an exhaustive check.
TEST(DataRaces, AllAreFoundInAnExhaustiveCheck) {
  const ModelReport Report = check(R"(int x, y;
void *f(void *p) { x = 1; y = 1; return p; }
void *g(void *p) { y = 2; x = 2; return p; }
int main(void) { run2(f, g); }
)",
                                   Checks(), true);
  std::set<uint32_t> Lines;
  std::set<std::string> Objects;
  for (const Bug &B : Report.Bugs) {
    EXPECT_EQ(B.Kind, BugKind::DataRace);
    Objects.insert(B.Message.substr(B.Message.find('\''), 3));
  }
  EXPECT_EQ(Objects, (std::set<std::string>{"'x'", "'y'"}));
}

} // namespace
} // namespace picket
