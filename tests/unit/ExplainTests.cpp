// What a person is told about a violation.
#include "support/Recordings.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

/// The explanation of the first bug of a text under a model.
Counterexample explained(const std::string &Text, MemoryModel Which) {
  CheckOptions Options;
  Options.Models = {Which};
  CheckReport Report = testing::checkText(
      "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n" + Text, Options);
  if (Report.Models.empty() || Report.Models[0].Bugs.empty() || !Report.Models[0].Bugs[0].Trace)
    throw std::runtime_error("no counterexample");
  return *Report.Models[0].Bugs[0].Trace;
}

std::string mainWith(const std::string &Check) {
  return "int main(void) {\n  pthread_t t, u;\n  pthread_create(&t, 0, a, 0);\n  pthread_create(&u, 0, b, 0);\n"
         "  pthread_join(t, 0);\n  pthread_join(u, 0);\n  " +
         Check + "\n  return 0;\n}\n";
}

TEST(Sentence, NamesTheStoreThatWasLateUnderTso) {
  Counterexample C = explained("volatile int x, y, r, s;\n"
                               "void *a(void *p) { x = 1; r = y; return p; }\n"
                               "void *b(void *p) { y = 1; s = x; return p; }\n" +
                                   mainWith("assert(r || s);"),
                               MemoryModel::TSO);
  EXPECT_EQ(C.Sentence,
            "The store of thread 'a' to `x` (line 6) was still in its store buffer when it read `y` = 0 (line 6), "
            "and thread 'b' still read `x` = 0 (line 7), so the assertion at line 14 fails.");
}

TEST(Sentence, SaysWhichStoreOvertookWhichUnderPso) {
  Counterexample C = explained("volatile int data, ready;\n"
                               "void *a(void *p) { data = 42;\n  ready = 1; return p; }\n"
                               "void *b(void *p) { if (ready)\n  assert(data == 42); return p; }\n" +
                                   mainWith(""),
                               MemoryModel::PSO);
  EXPECT_EQ(C.Sentence,
            "The store of thread 'a' to `data` (line 6) reached memory only after its later store to `ready` (line 7): "
            "thread 'b' read `ready` = 1 (line 8) and then the old `data` = 0 (line 9), so the assertion at line 9 "
            "fails.");
}

/// A CLH lock of two threads whose first load of the predecessor's flag is relaxed.
const std::string ClhLock = R"(struct node { atomic_int locked; } nodes[3];
struct node *_Atomic tail = &nodes[2];
int counter;
static void lock(struct node *mine) {
  atomic_store_explicit(&mine->locked, 1, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
  if (atomic_load_explicit(&before->locked, memory_order_relaxed))
    while (atomic_load_explicit(&before->locked, memory_order_acquire))
      ;
}
static void unlock(struct node *mine) { atomic_store_explicit(&mine->locked, 0, memory_order_release); }
void *a(void *p) { lock(&nodes[0]); counter++; unlock(&nodes[0]); return p; }
void *b(void *p) { lock(&nodes[1]); counter++; unlock(&nodes[1]); return p; }
)";

TEST(Sentence, BlamesTheRelaxedLoadOfAClhLock) {
  for (const MemoryModel Which : {MemoryModel::Power, MemoryModel::Armv8}) {
    const Counterexample C = explained(ClhLock + mainWith("assert(counter == 2);"), Which);
    EXPECT_NE(C.Sentence.find("read `counter` = 0 (line "), std::string::npos) << C.Sentence;
    EXPECT_NE(C.Sentence.find("before it read `before->locked`"), std::string::npos) << C.Sentence;
    EXPECT_NE(C.Sentence.find("= 0 (line 11)"), std::string::npos) << C.Sentence;
    EXPECT_EQ(C.Sentence.find("store"), std::string::npos) << C.Sentence;
  }
  const Counterexample C = explained(ClhLock + mainWith(""), MemoryModel::C11);
  EXPECT_NE(
      C.Sentence.find("(line 11) with relaxed order, which does not synchronise with the release write at line 15"),
      std::string::npos)
      << C.Sentence;
}

TEST(Sentence, ExplainsALostUpdate) {
  Counterexample C = explained("int n;\nvoid *a(void *p) { n++; return p; }\nvoid *b(void *p) { n++; return p; }\n" +
                                   mainWith("assert(n == 2);"),
                               MemoryModel::SC);
  EXPECT_NE(C.Sentence.find("overwrote that with 1"), std::string::npos) << C.Sentence;
  EXPECT_TRUE(C.Why.Edges.empty());
}

TEST(Sentence, SaysWhoHoldsWhatInADeadlock) {
  Counterexample C = explained("pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;\n"
                               "void *a(void *p) { pthread_mutex_lock(&l); pthread_mutex_lock(&m); "
                               "pthread_mutex_unlock(&m); pthread_mutex_unlock(&l); return p; }\n"
                               "void *b(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&l); "
                               "pthread_mutex_unlock(&l); pthread_mutex_unlock(&m); return p; }\n" +
                                   mainWith(""),
                               MemoryModel::SC);
  EXPECT_NE(C.Sentence.find("hread 'a' holds `l` and waits for `m`"), std::string::npos) << C.Sentence;
  EXPECT_NE(C.Sentence.find("hread 'b' holds `m` and waits for `l`"), std::string::npos) << C.Sentence;
  EXPECT_NE(C.Sentence.find("none of them can continue"), std::string::npos) << C.Sentence;
}

TEST(Sentence, SaysWhoHoldsReaderWriterLocksInADeadlock) {
  Counterexample C = explained("pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, m = PTHREAD_RWLOCK_INITIALIZER;\n"
                               "void *a(void *p) { pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&m); "
                               "pthread_rwlock_unlock(&m); pthread_rwlock_unlock(&l); return p; }\n"
                               "void *b(void *p) { pthread_rwlock_wrlock(&m); pthread_rwlock_wrlock(&l); "
                               "pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&m); return p; }\n" +
                                   mainWith(""),
                               MemoryModel::SC);
  EXPECT_NE(C.Sentence.find("hread 'a' holds `l` and waits for `m`"), std::string::npos) << C.Sentence;
  EXPECT_NE(C.Sentence.find("hread 'b' holds `m` and waits for `l`"), std::string::npos) << C.Sentence;
  EXPECT_NE(C.Sentence.find("none of them can continue"), std::string::npos) << C.Sentence;
}

TEST(Sentence, SaysWhoFreedTheMemory) {
  Counterexample C =
      explained("int *p0;\n_Atomic int ready;\n"
                "void *a(void *p) { ready = 1; *p0 = 1; return p; }\n"
                "void *b(void *p) { if (ready) free(p0); return p; }\n"
                "int main(void) {\n  pthread_t t, u;\n  p0 = malloc(4);\n  pthread_create(&t, 0, a, 0);\n"
                "  pthread_create(&u, 0, b, 0);\n  pthread_join(t, 0);\n  pthread_join(u, 0);\n}\n",
                MemoryModel::SC);
  EXPECT_EQ(C.Sentence.rfind("Thread 'b' freed", 0), 0u) << C.Sentence;
}

TEST(Steps, ShowBuffersMemoryAndLocks) {
  Counterexample C = explained("volatile int x, y, r, s;\n"
                               "void *a(void *p) { x = 1; r = y; return p; }\n"
                               "void *b(void *p) { y = 1; s = x; return p; }\n" +
                                   mainWith("assert(r || s);"),
                               MemoryModel::TSO);
  bool WasBuffered = false, LandedLater = false;
  for (size_t K = 0; K < C.Steps.size(); ++K) {
    const Step &S = C.Steps[K];
    ASSERT_EQ(S.Memory.size(), C.Run.Variables.size());
    for (const auto &Buffer : S.Buffers)
      for (const BufferedStore &B : Buffer) {
        WasBuffered = true;
        EXPECT_EQ(C.Run.Events[B.Store].Kind, EventKind::Store);
      }
    LandedLater |= C.Run.Events[S.Event].Kind == EventKind::Update && S.OutOfOrder;
  }
  EXPECT_TRUE(WasBuffered);
  EXPECT_TRUE(LandedLater);
  EXPECT_EQ(C.Run.Events.back().Kind, EventKind::Bug);
}

TEST(Steps, NamePartsOfObjectsAsTheSourceDoes) {
  Counterexample C = explained("struct node { int value; struct node *next; };\n"
                               "struct node *head; int flag[2];\n"
                               "void *a(void *p) { struct node *n = malloc(sizeof *n); n->value = 7; n->next = 0; head "
                               "= n; flag[1] = 1; return p; }\n"
                               "void *b(void *p) { if (flag[1]) assert(head->value == 8); return p; }\n" +
                                   mainWith(""),
                               MemoryModel::SC);
  std::set<std::string> Names, Expressions, Values;
  for (const TraceVariable &V : C.Run.Variables)
    Names.insert(V.Name);
  for (const TraceEvent &E : C.Run.Events) {
    Expressions.insert(E.Expression);
    for (const TraceAccess &A : E.Accesses)
      Values.insert(A.Text);
  }
  EXPECT_TRUE(Names.count("flag[1]") && Names.count("head") && Names.count("node#1.value"));
  EXPECT_TRUE(Expressions.count("head->value"));
  EXPECT_TRUE(Values.count("&node#1"));
}

TEST(Replay, SaysWhereAChangedProgramLeavesTheRecording) {
  const std::string Before = "#include <assert.h>\n#include <pthread.h>\nint n;\n"
                             "void *a(void *p) { n = n + 1; return p; }\nvoid *b(void *p) { n = n + 1; return p; }\n" +
                             mainWith("assert(n == 2);");
  std::string After = Before;
  After.replace(After.find("n = n + 1"), 9, "n = n + 2");
  CheckReport Report = testing::checkText(Before);
  ASSERT_FALSE(Report.Models[0].Bugs.empty());
  const Recording &R = Report.Models[0].Bugs[0].Trace->Run;
  EXPECT_EQ(replay(testing::compile(testing::requestForText(Before)), R, MachineOptions()).Outcome,
            ReplayResult::SameBug);
  ReplayResult Changed = replay(testing::compile(testing::requestForText(After)), R, MachineOptions());
  EXPECT_EQ(Changed.Outcome, ReplayResult::Differs);
  EXPECT_NE(Changed.Message.find("stores 1 to `n`"), std::string::npos) << Changed.Message;
  EXPECT_NE(Changed.Message.find("stores 2 to `n`"), std::string::npos) << Changed.Message;
}

} // namespace
} // namespace picket
