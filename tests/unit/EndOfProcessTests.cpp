// Returning from main, exit and the like end the process: nobody waits in vain then, nobody sees the end of the thread
// that did it, and what is to be run at the end is run while the others go on.
#include "support/Engines.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

const std::string Preamble = R"(
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
atomic_int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t s;
sem_t sem;
pthread_t t, main_thread;
static void start(void *(*f)(void *)) { pthread_create(&t, 0, f, 0); }
)";

void expectVerified(const std::string &Text) {
  for (const testing::EngineAnswer &A : testing::checkByAll(Preamble + Text)) {
    EXPECT_EQ(nameOf(A.Report.Result), std::string("verified")) << A.Engine << ": " << A.Report.Reason << Text;
    for (const Bug &B : A.Report.Bugs)
      ADD_FAILURE() << B.Message;
  }
}

void expectBug(const std::string &Kind, const std::string &Text) {
  for (const testing::EngineAnswer &A : testing::checkByAll(Preamble + Text)) {
    ASSERT_EQ(A.Report.Bugs.size(), 1u) << A.Engine << ": " << nameOf(A.Report.Result) << " " << A.Report.Reason
                                        << Text;
    EXPECT_EQ(nameOf(A.Report.Bugs.front().Kind), std::string(Kind)) << A.Engine << Text;
    EXPECT_TRUE(A.Report.Bugs.front().Trace) << A.Engine << Text;
  }
}

const char *const Ends[] = {"return 0;", "exit(0);", "_exit(0);", "_Exit(0);", "quick_exit(0);"};

TEST(EndOfProcess, ThreadsThatSpinDoNotHang) {
  for (const std::string End : Ends)
    expectVerified("void *f(void *p) { while (!x) ; return p; } int main(void) { start(f); " + End + " }");
}

TEST(EndOfProcess, NobodyWaitsInVainForALockOfMain) {
  for (const std::string End : Ends) {
    expectVerified("void *f(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return p; }\n"
                   "int main(void) { pthread_mutex_lock(&m); start(f); " +
                   End + " }");
    expectVerified("void *f(void *p) { pthread_spin_lock(&s); pthread_spin_unlock(&s); return p; }\n"
                   "int main(void) { pthread_spin_init(&s, 0); pthread_spin_lock(&s); start(f); " +
                   End + " }");
    expectVerified("void *f(void *p) { sem_wait(&sem); return p; }\n"
                   "int main(void) { sem_init(&sem, 0, 0); start(f); " +
                   End + " }");
  }
}

TEST(EndOfProcess, AThreadThatEndsTheProcessIsNeverJoined) {
  for (const std::string End : {"exit(0);", "_exit(0);", "_Exit(0);", "quick_exit(0);"})
    expectVerified("void *f(void *p) { x = 1; " + End +
                   " return p; } int main(void) { start(f); pthread_join(t, 0); assert(0); }");
  expectVerified("void *f(void *p) { pthread_join(main_thread, 0); assert(0); return p; }\n"
                 "int main(void) { main_thread = pthread_self(); start(f); return 0; }");
  expectBug("assertion", "void *f(void *p) { pthread_join(main_thread, 0); assert(0); return p; }\n"
                         "int main(void) { main_thread = pthread_self(); start(f); pthread_exit(0); }");
}

TEST(EndOfProcess, WithoutItWaitingInVainIsABug) {
  expectBug("hang", "void *f(void *p) { while (!x) ; return p; } int main(void) { start(f); pthread_exit(0); }");
  expectBug("deadlock", "void *f(void *p) { pthread_mutex_lock(&m); return p; }\n"
                        "int main(void) { pthread_mutex_lock(&m); start(f); pthread_exit(0); }");
  expectBug("deadlock", "void *f(void *p) { pthread_mutex_lock(&m); exit(0); return p; }\n"
                        "int main(void) { pthread_mutex_lock(&m); start(f); pthread_join(t, 0); }");
}

TEST(EndOfProcess, BugsOfThreadsThatAreFasterAreFound) {
  for (const std::string End : Ends) {
    expectBug("assertion",
              "void *f(void *p) { assert(!x); return p; } int main(void) { start(f); x = 1; " + End + " }");
    expectBug("assertion", "void *f(void *p) { x = 1; while (!y) ; assert(0); return p; }\n"
                           "int main(void) { start(f); while (!x) ; y = 1; " +
                               End + " }");
  }
}

TEST(EndOfProcess, AtexitFunctionsAndDestructorsRun) {
  expectBug("assertion", "static void f(void) { assert(0); } int main(void) { atexit(f); return 0; }");
  expectBug("assertion", "static void f(void) { assert(0); } int main(void) { atexit(f); exit(1); }");
  expectBug("assertion", "__attribute__((destructor)) static void f(void) { assert(0); } int main(void) { return 0; }");
  expectBug("assertion", "static void f(void) { assert(0); } int main(void) { at_quick_exit(f); quick_exit(0); }");
  expectBug("assertion", "static void f(void) { assert(0); }\n"
                         "void *g(void *p) { exit(0); return p; }\n"
                         "int main(void) { atexit(f); start(g); pthread_join(t, 0); }");
}

TEST(EndOfProcess, EachWayRunsItsOwnFunctionsOnly) {
  const std::string Noted =
      "static void f(void) { assert(0); } __attribute__((destructor)) static void g(void) { assert(0); }\n";
  for (const std::string End : {"_exit(0);", "_Exit(0);", "quick_exit(0);"})
    expectVerified(Noted + "int main(void) { atexit(f); " + End + " }");
  expectVerified("static void f(void) { assert(0); } int main(void) { at_quick_exit(f); return 0; }");
}

TEST(EndOfProcess, FunctionsRunInReverseOrder) {
  expectVerified(R"(
static int order;
__attribute__((destructor(200))) static void last(void) { assert(order++ == 4); }
__attribute__((destructor(300))) static void before_last(void) { assert(order++ == 3); }
__attribute__((destructor)) static void third(void) { assert(order++ == 2); }
static void second(void) { assert(order++ == 1); }
static void first(void) { assert(order++ == 0); }
int main(void) { atexit(second); atexit(first); return 0; }
)");
  expectVerified(R"(
static int order;
static void second(void) { assert(order++ == 1); }
static void first(void) { assert(order++ == 0); exit(2); }
int main(void) { atexit(second); atexit(first); exit(1); }
)");
  expectVerified(R"(
static int order;
static void third(void) { assert(order++ == 2); }
static void second(void) { assert(order++ == 1); }
static void first(void) { assert(order++ == 0); atexit(second); }
int main(void) { atexit(third); atexit(first); exit(1); }
)");
}

TEST(EndOfProcess, OthersGoOnWhileFunctionsRun) {
  expectBug("assertion", "static void f(void) { assert(!x); } void *g(void *p) { x = 1; return p; }\n"
                         "int main(void) { atexit(f); start(g); return 0; }");
  expectBug("assertion", "__attribute__((destructor)) static void f(void) { y = 1; }\n"
                         "void *g(void *p) { assert(!y); return p; }\n"
                         "int main(void) { start(g); return 0; }");
  expectVerified("static void f(void) { while (!x) ; } void *g(void *p) { x = 1; return p; }\n"
                 "int main(void) { atexit(f); start(g); return 0; }");
}

TEST(EndOfProcess, AFunctionThatWaitsInVainIsFound) {
  expectBug("deadlock", "static void f(void) { pthread_mutex_lock(&m); }\n"
                        "int main(void) { atexit(f); pthread_mutex_lock(&m); return 0; }");
  expectBug("hang", "static void f(void) { while (!x) ; } void *g(void *p) { return p; }\n"
                    "int main(void) { atexit(f); start(g); return 0; }");
}

TEST(EndOfProcess, ThreadsRaceToNoteFunctions) {
  const std::string Program = "static void f(void) { assert(!x); } void *g(void *p) { atexit(f); return p; }\n";
  expectBug("assertion", Program + "int main(void) { x = 1; start(g); return 0; }");
  expectVerified("static void f(void) { assert(y++ == 0); } void *g(void *p) { exit(0); return p; }\n"
                 "int main(void) { atexit(f); start(g); exit(0); }");
}

TEST(EndOfProcess, ThreadSpecificDataIsNotDestroyed) {
  const std::string Key = "static pthread_key_t k; static void f(void *p) { (void)p; assert(0); }\n";
  expectVerified(Key + "int main(void) { pthread_key_create(&k, f); pthread_setspecific(k, &x); return 0; }");
  expectBug("assertion",
            Key + "int main(void) { pthread_key_create(&k, f); pthread_setspecific(k, &x); pthread_exit(0); }");
}

TEST(EndOfProcess, NoMoreExecutionsThanWithoutAnEnd) {
  CheckOptions Options;
  Options.Exhaustive = true;
  auto Count = [&](const std::string &End) {
    std::vector<uint64_t> Executions;
    for (const testing::EngineAnswer &A : testing::checkByAll(
             Preamble + "void *f(void *p) { x = 1; if (y) x = 2; return p; } int main(void) { start(f); y = x; " + End +
                 " }",
             Options))
      Executions.push_back(A.Report.Executions);
    return Executions;
  };
  const std::vector<uint64_t> Expected = Count("pthread_exit(0);");
  for (const std::string End : Ends)
    EXPECT_EQ(Count(End), Expected) << End;
}

} // namespace
} // namespace picket
