// Data races under C11: which accesses they are told of, and what is none. Random programs are in C11UnderC11.DataRaces.
#include "fences/Fix.h"
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

ModelReport check(const std::string &Text, CheckOptions Options) {
  if (Options.Models == CheckOptions().Models && Options.Races == RaceReporting::Default)
    Options.Models = {MemoryModel::C11};
  return testing::checkText(Preamble + Text, Options).Models.front();
}

ModelReport check(const std::string &Text, Checks Looked = Checks(), bool Exhaustive = false) {
  CheckOptions Options;
  Options.Models = {MemoryModel::C11};
  Options.Looked = Looked;
  Options.Exhaustive = Exhaustive;
  return check(Text, Options);
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
  ASSERT_TRUE(Found.Other);
  EXPECT_EQ(Found.Other->Where.Line, 2u);
  EXPECT_EQ(Found.Other->Thread, "f");
  EXPECT_TRUE(Found.Other->Writes);
  EXPECT_FALSE(Found.Other->IsAtomic);
  EXPECT_EQ(Found.Trace->Sentence,
            "Thread 'g' writes `x` (line 3), thread 'f' writes it (line 2), and nothing orders the two: thread 'g' "
            "reads nothing, before line 3, that thread 'f' released after line 2. C11 gives a program with a data race "
            "no meaning: make both accesses atomic, or order them.");
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

/// The phrase that says why nothing orders the accesses.
std::string whyOf(const std::string &Text, CheckOptions Options = {}) {
  const ModelReport Report = check(Text, Options);
  if (Report.Bugs.size() != 1 || !Report.Bugs.front().Trace)
    return std::to_string(Report.Bugs.size()) + " bugs";
  const std::string Sentence = Report.Bugs.front().Trace->Sentence, Before = "nothing orders the two: ";
  const size_t Begin = Sentence.find(Before), End = Sentence.find(". C11 gives");
  return Begin == std::string::npos ? Sentence : Sentence.substr(Begin + Before.size(), End - Begin - Before.size());
}

/// A message in data, with a flag that is stored and loaded in some order.
std::string messagePassing(const std::string &Store, const std::string &Load, const std::string &Before = "",
                           const std::string &Behind = "") {
  return R"(int data;
atomic_int flag;
void *f(void *p) {
  )" + Before +
         R"(
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_)" +
         Store + R"();
  return p;
}
void *g(void *p) {
  if (atomic_load_explicit(&flag, memory_order_)" +
         Load + R"()) {
    )" + Behind +
         R"(
    return data ? p : 0;
  }
  return p;
}
int main(void) { run2(f, g); }
)";
}

TEST(DataRaces, SayWhatTheReadLacks) {
  EXPECT_EQ(whyOf(messagePassing("release", "relaxed")),
            "thread 'g' reads `flag` (line 10) with relaxed order, which does not synchronise with the release write "
            "at line 6");
}
TEST(DataRaces, SayWhatTheWriteLacks) {
  EXPECT_EQ(whyOf(messagePassing("relaxed", "acquire")),
            "thread 'g' reads `flag` (line 10), but the write at line 6 is relaxed and releases nothing");
}
TEST(DataRaces, SayWhatBothLack) {
  EXPECT_EQ(whyOf(messagePassing("relaxed", "relaxed")),
            "thread 'g' reads `flag` (line 10) with relaxed order, and the write at line 6 is relaxed and releases "
            "nothing");
}
TEST(DataRaces, SayThatAFenceComesTooEarly) {
  EXPECT_EQ(whyOf(messagePassing("relaxed", "acquire", "atomic_thread_fence(memory_order_release);")),
            "thread 'g' reads `flag` (line 10), but the write at line 6 is relaxed and the release fence before it "
            "(line 4) comes before the access at line 5");
}
TEST(DataRaces, FencesOrder) {
  EXPECT_EQ(check(messagePassing("release", "relaxed", "", "atomic_thread_fence(memory_order_acquire);")).Result,
            Verdict::Verified);
}
TEST(DataRaces, SayWhoHoldsALock) {
  EXPECT_EQ(whyOf(R"(pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *f(void *p) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return p; }
void *g(void *p) { return x ? p : 0; }
int main(void) { run2(f, g); }
)"),
            "thread 'f' holds `m`, but thread 'g' does not");
}
TEST(DataRaces, SayThatNobodyWaitsForTheThread) {
  EXPECT_EQ(whyOf(R"(int x;
void *f(void *p) { x = 1; return p; }
int main(void) {
  pthread_create(&t, 0, f, 0);
  x = 2;
  pthread_join(t, 0);
}
)"),
            "thread 'f' was created before (line 4), and main does not wait for it here");
}

/// Whichever access comes first: with both directions in one program, and of several threads.
TEST(DataRaces, EachPairOfPlacesIsToldOnce) {
  const ModelReport Report = check(R"(int x;
void *f(void *p) { x = 1; return p; }
void *g(void *p) { return x ? p : 0; }
int main(void) {
  pthread_t more;
  pthread_create(&more, 0, g, 0);
  run2(f, g);
  pthread_join(more, 0);
}
)",
                                   Checks(), true);
  EXPECT_EQ(Report.Bugs.size(), 1u);
}

/// Both ways, from a file: the script has the later access last.
TEST(DataRaces, AreReplayedExactly) {
  const std::string Text = R"(int x, y, z;
void *f(void *p) { y = 1; x = 1; z = 1; return p; }
void *g(void *p) { z = 2; x = 2; y = 2; return p; }
int main(void) { run2(f, g); }
)";
  const ModelReport Report = check(Text, Checks(), true);
  EXPECT_GE(Report.Bugs.size(), 2u);
  const Program P = testing::compile(testing::requestForText(Preamble + Text));
  for (const Bug &B : Report.Bugs) {
    ASSERT_TRUE(B.Trace);
    ASSERT_TRUE(B.Trace->Run.isRace());
    const ReplayResult Again = replay(P, B.Trace->Run, MachineOptions());
    EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << Again.Message;
    EXPECT_EQ(Again.Run->BugMessage, B.Message);
  }
}

CheckOptions asWarnings(std::vector<MemoryModel> Models = {MemoryModel::C11}) {
  CheckOptions Options;
  Options.Models = std::move(Models);
  Options.Races = RaceReporting::Warning;
  return Options;
}

TEST(DataRaces, AsWarningsEndNothing) {
  const ModelReport Report = check(TwoWrites, asWarnings());
  EXPECT_EQ(Report.Result, Verdict::Verified);
  EXPECT_TRUE(Report.Bugs.empty());
  EXPECT_EQ(Report.Executions, 2u); // one for each order: they go on
  ASSERT_EQ(Report.Warnings.size(), 1u);
  EXPECT_EQ(Report.Warnings[0].Message,
            "data race: this write of 'x' and the write in thread 'f' (line 2) are not ordered");
  ASSERT_TRUE(Report.Warnings[0].Trace);
  EXPECT_TRUE(Report.Warnings[0].Trace->Run.isRace());
}

TEST(DataRaces, AsWarningsHideNoBug) {
  const ModelReport Report = check(R"(#include <assert.h>
int x;
void *f(void *p) { x = 1; return p; }
void *g(void *p) { assert(!x); return p; }
int main(void) { run2(f, g); }
)",
                                   asWarnings());
  EXPECT_EQ(Report.Result, Verdict::Violation);
  ASSERT_EQ(Report.Bugs.size(), 1u);
  EXPECT_EQ(Report.Bugs[0].Kind, BugKind::Assertion);
}

TEST(DataRaces, CanBeSwitchedOff) {
  CheckOptions Options;
  Options.Models = {MemoryModel::C11};
  Options.Races = RaceReporting::Off;
  const CheckReport Report = testing::checkText(Preamble + TwoWrites, Options);
  EXPECT_EQ(Report.Models.front().Result, Verdict::Verified);
  EXPECT_FALSE(Report.Looked.has(CheckGroup::Race));
  // Warnings are of what is looked for.
  Options.Looked.set(CheckGroup::Race, false);
  Options.Races = RaceReporting::Warning;
  EXPECT_TRUE(check(TwoWrites, Options).Warnings.empty());
}

/// Of executions of SC only those that SC has, and only if C11 is not checked anyway.
TEST(DataRaces, UnderSc) {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC};
  Options.Races = RaceReporting::Error;
  const ModelReport Report = check(TwoWrites, Options);
  EXPECT_EQ(Report.Result, Verdict::Violation);
  ASSERT_EQ(Report.Bugs.size(), 1u);
  ASSERT_TRUE(Report.Bugs[0].Trace);
  const Recording &Run = Report.Bugs[0].Trace->Run;
  EXPECT_EQ(Run.Model, MemoryModel::SC);
  EXPECT_FALSE(Report.Bugs[0].Trace->Chronological.Nodes.empty());
  const Program P = testing::compile(testing::requestForText(Preamble + TwoWrites));
  EXPECT_EQ(replay(P, Run, MachineOptions()).Outcome, ReplayResult::SameBug);

  // Both see 0, which is no execution of SC.
  const std::string OnlyRelaxed = R"(int x;
atomic_int a, b;
void *f(void *p) {
  atomic_store_explicit(&a, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&b, memory_order_relaxed)) x = 1;
  return p;
}
void *g(void *p) {
  atomic_store_explicit(&b, 1, memory_order_relaxed);
  if (!atomic_load_explicit(&a, memory_order_relaxed)) x = 2;
  return p;
}
int main(void) { run2(f, g); }
)";
  EXPECT_EQ(check(OnlyRelaxed, Options).Result, Verdict::Verified);
  EXPECT_EQ(check(OnlyRelaxed).Result, Verdict::Violation);

  Options.Models = {MemoryModel::SC, MemoryModel::C11};
  const CheckReport Both = testing::checkText(Preamble + TwoWrites, Options);
  EXPECT_EQ(Both.Models[0].Result, Verdict::Verified);
  EXPECT_EQ(Both.Models[1].Result, Verdict::Violation);
}

TEST(DataRaces, UnderScHaveTheExecutionsOfSc) {
  const ModelReport Report = check(messagePassing("relaxed", "relaxed"), asWarnings({MemoryModel::SC}));
  CheckOptions Options;
  Options.Models = {MemoryModel::SC};
  Options.Looked.set(CheckGroup::Race, false);
  const CheckReport Plain = testing::checkText(Preamble + messagePassing("relaxed", "relaxed"), Options);
  EXPECT_EQ(Report.Executions, Plain.Models.front().Executions);
  EXPECT_EQ(Report.Result, Verdict::Verified);
  EXPECT_EQ(Report.Warnings.size(), 1u);
}

TEST(DataRaces, VolatileCanBeRelaxed) {
  const std::string Flag = R"(volatile int flag;
void *f(void *p) { flag = 1; return p; }
void *g(void *p) { return flag ? p : 0; }
int main(void) { run2(f, g); }
)";
  CheckOptions Options;
  Options.Models = {MemoryModel::C11};
  EXPECT_NE(check(Flag, Options).Bugs.front().Trace->Sentence.find("'--volatile=relaxed'"), std::string::npos);
  Options.Volatile = VolatileMeaning::Relaxed;
  EXPECT_EQ(check(Flag, Options).Result, Verdict::Verified);
  // It orders nothing but with fences.
  const std::string Message = R"(volatile int flag;
int data;
void *f(void *p) { data = 1; FENCE(release); flag = 1; return p; }
void *g(void *p) { if (flag) { FENCE(acquire); return data ? p : 0; } return p; }
int main(void) { run2(f, g); }
)";
  EXPECT_EQ(check("#define FENCE(order)\n" + Message, Options).Result, Verdict::Violation);
  EXPECT_EQ(check("#define FENCE(order) atomic_thread_fence(memory_order_##order)\n" + Message, Options).Result,
            Verdict::Verified);
}

/// A later relaxed store of the same thread continues a release sequence in C11, not in C++20.
TEST(DataRaces, ReleaseSequences) {
  const std::string Text = R"(int data;
atomic_int flag;
void *f(void *p) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
  return p;
}
void *g(void *p) { return atomic_load_explicit(&flag, memory_order_acquire) && data ? p : 0; }
int main(void) { run2(f, g); }
)";
  CheckOptions Options;
  Options.Models = {MemoryModel::C11};
  EXPECT_EQ(check(Text, Options).Result, Verdict::Violation);
  Options.Sequences = ReleaseSequences::C11;
  EXPECT_EQ(check(Text, Options).Result, Verdict::Verified);
}

bool isBenign(const std::string &Text) {
  const ModelReport Report = check(Text);
  EXPECT_TRUE(Report.Result == Verdict::Verified || Report.Bugs.front().Kind == BugKind::DataRace);
  return Report.Result == Verdict::Verified;
}

TEST(DataRaces, MarkedAccessesAreIntended) {
  EXPECT_TRUE(isBenign(R"(int x;
void *f(void *p) { x = 1; return p; } // picket: benign-race
void *g(void *p) { return x ? p : 0; }
int main(void) { run2(f, g); }
)"));
  EXPECT_TRUE(isBenign(R"(int x;
// picket: benign-race (a hint)
void *f(void *p) { x = 1; return p; }
void *g(void *p) { return x ? p : 0; }
int main(void) { run2(f, g); }
)"));
  // Of others than those two accesses there is still one.
  EXPECT_FALSE(isBenign(R"(int x;
void *f(void *p) { x = 1; return p; } // picket: benign-race
void *g(void *p) { return x ? p : 0; }
int main(void) { pthread_create(&t, 0, g, 0); x = 2; pthread_join(t, 0); }
)"));
}

TEST(DataRaces, MarkedDeclarationsAreIntended) {
  for (const char *Declaration : {"int x;", "struct { int a, b; } x;", "int x[2];"})
    for (const bool Marked : {true, false}) {
      const std::string Access = std::string(Declaration).find('[') != std::string::npos   ? "x[1]"
                                 : std::string(Declaration).find('{') != std::string::npos ? "x.b"
                                                                                           : "x";
      EXPECT_EQ(isBenign(Declaration + std::string(Marked ? " // picket: benign-race\n" : "\n") +
                         "void *f(void *p) { " + Access + "++; return p; }\nint main(void) { run2(f, f); }\n"),
                Marked)
          << Declaration;
    }
  EXPECT_TRUE(isBenign(R"(struct node {
  int value;
  int hint; // picket: benign-race
} *shared;
void *f(void *p) { shared->hint = 1; return p; }
int main(void) { shared = calloc(1, sizeof *shared); run2(f, f); free(shared); }
)"));
  // The mark is of the pointer, not of what it points to.
  EXPECT_FALSE(isBenign(R"(int x;
int *to; // picket: benign-race
void *f(void *p) { *to = 1; return p; }
int main(void) { to = &x; run2(f, f); }
)"));
}

TEST(DataRaces, FunctionsThatThreadSanitizerLeavesAloneAreIntended) {
  for (const char *Attribute : {"no_sanitize(\"thread\")", "no_sanitize_thread", "no_sanitize(\"address\")"})
    EXPECT_EQ(isBenign(std::string("int x;\n__attribute__((") + Attribute + R"())
void *f(void *p) {
  x = 1;
  return p;
}
void *g(void *p) { return x ? p : 0; }
int main(void) { run2(f, g); }
)"),
              std::string(Attribute).find("thread") != std::string::npos)
        << Attribute;
}

/// The best fix of a program under C11, and the text it makes; or why there is none.
std::string fixedText(const std::string &Text, std::vector<MemoryModel> Models = {MemoryModel::C11}) {
  FixOptions Options;
  Options.Check.Models = std::move(Models);
  if (Options.Check.Models.front() == MemoryModel::SC)
    Options.Check.Races = RaceReporting::Error;
  const FixReport Report = findFixes(testing::requestForText(Preamble + Text), Options);
  if (Report.Fixes.empty())
    return Report.Reason;
  std::string Result = Preamble + Text;
  for (size_t K = Report.Fixes.front().Edits.size(); K-- > 0;) {
    const TextEdit &E = Report.Fixes.front().Edits[K];
    Result.replace(E.Begin, E.End - E.Begin, E.Text);
  }
  return Result.substr(Preamble.size());
}

std::string replaced(std::string Text, const std::string &Old, const std::string &New) {
  const size_t At = Text.find(Old);
  return At == std::string::npos ? Text + " has no " + Old : Text.replace(At, Old.size(), New);
}

TEST(DataRaceFixes, OrderWhatIsOrderedHalf) {
  const std::string Text = messagePassing("release", "relaxed");
  EXPECT_EQ(fixedText(Text), replaced(Text, "memory_order_relaxed", "memory_order_acquire"));
  EXPECT_EQ(fixedText(messagePassing("relaxed", "acquire")), messagePassing("release", "acquire"));
}

TEST(DataRaceFixes, MakeAccessesAtomic) {
  const std::string Flag = R"(int stop;
void *f(void *p) { stop = 1; return p; }
void *g(void *p) { return stop ? p : 0; }
int main(void) { run2(f, g); }
)";
  EXPECT_EQ(fixedText(Flag), replaced(replaced(Flag, "stop = 1", "__atomic_store_n(&stop, 1, __ATOMIC_RELAXED)"),
                                      "return stop ?", "return __atomic_load_n(&stop, __ATOMIC_RELAXED) ?"));
  const std::string Counter = R"(long count;
void *f(void *p) { count++; return p; }
int main(void) { run2(f, f); }
)";
  EXPECT_EQ(fixedText(Counter), replaced(Counter, "count++", "__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)"));
  EXPECT_EQ(fixedText(Counter, {MemoryModel::SC}), fixedText(Counter));
}

TEST(DataRaceFixes, OnlyOfThePlainAccess) {
  const std::string Text = R"(int x;
void *f(void *p) { __atomic_store_n(&x, 1, __ATOMIC_RELAXED); return p; }
void *g(void *p) { return x ? p : 0; }
int main(void) { run2(f, g); }
)";
  EXPECT_EQ(fixedText(Text), replaced(Text, "return x ?", "return __atomic_load_n(&x, __ATOMIC_RELAXED) ?"));
}

/// A relaxed access may be no data race, and the program wrong all the same: then it needs an order.
TEST(DataRaceFixes, AreProved) {
  std::string Text = replaced(messagePassing("release", "relaxed"), "return data ? p : 0;", "if (!data) abort();");
  EXPECT_EQ(fixedText(Text), replaced(Text, "memory_order_relaxed", "memory_order_acquire"));
}

TEST(DataRaceFixes, NotOfWhatCannotBeAtomic) {
  EXPECT_NE(fixedText(R"(double x;
void *f(void *p) { x = 1; return p; }
int main(void) { run2(f, f); }
)")
                .find("only integers and pointers"),
            std::string::npos);
}

/// Neither a release nor an acquire fence orders an update before a later load.
TEST(DataRaceFixes, OfOtherBugsUseFencesThatC11PromisesSomethingOf) {
  const std::string Text = R"(#include <assert.h>
atomic_int x, y;
int a, b;
void *f(void *p) {
  atomic_exchange_explicit(&x, 1, memory_order_relaxed);
  a = atomic_load_explicit(&y, memory_order_relaxed);
  return p;
}
void *g(void *p) {
  atomic_exchange_explicit(&y, 1, memory_order_relaxed);
  b = atomic_load_explicit(&x, memory_order_relaxed);
  return p;
}
int main(void) { run2(f, g); assert(a || b); }
)";
  const std::string Fence = "  atomic_thread_fence(memory_order_seq_cst);\n";
  EXPECT_EQ(fixedText(Text), replaced(replaced(Text, "  a = ", Fence + "  a = "), "  b = ", Fence + "  b = "));
}

/// A fence behind the condition of a loop is one on both ways from there, and no text says that: other fences are found.
TEST(DataRaceFixes, ALockOfVolatileFlagsBecomesAtomicAndHasFences) {
  const std::string Text = R"(#include <assert.h>
volatile int flag0, flag1, turn;
int inside;
void *f(void *p) {
  flag0 = 1;
  while (flag1) {
    if (turn != 0) {
      flag0 = 0;
      while (turn != 0)
        ;
      flag0 = 1;
    }
  }
  inside = 1;
  assert(inside == 1);
  turn = 1;
  flag0 = 0;
  return p;
}
void *g(void *p) {
  flag1 = 1;
  while (flag0) {
    if (turn != 1) {
      flag1 = 0;
      while (turn != 1)
        ;
      flag1 = 1;
    }
  }
  inside = 2;
  assert(inside == 2);
  turn = 0;
  flag1 = 0;
  return p;
}
int main(void) { run2(f, g); }
)";
  for (const std::vector<MemoryModel> &Models : {std::vector{MemoryModel::C11}, defaultModels()}) {
    const std::string Fixed = fixedText(Text, Models);
    EXPECT_NE(Fixed.find("__atomic_store_n(&flag0, 1, __ATOMIC_RELAXED)"), std::string::npos) << Fixed;
    EXPECT_NE(Fixed.find("atomic_thread_fence(memory_order_seq_cst)"), std::string::npos) << Fixed;
  }
}

} // namespace
} // namespace picket
