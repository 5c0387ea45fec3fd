// Thread-local variables end with their thread.
#include "support/Engines.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

const std::string Preamble = R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Thread_local int mine;
int *_Atomic shared;
pthread_t t;
)";

void expect(const std::string &Kind, const std::string &Text) {
  for (const testing::EngineAnswer &A : testing::checkByAll(Preamble + Text)) {
    const std::string Found = A.Report.Bugs.empty() ? "" : nameOf(A.Report.Bugs.front().Kind);
    EXPECT_EQ(Found, Kind) << A.Engine << ": " << nameOf(A.Report.Result) << " " << A.Report.Reason << Text;
  }
}

const std::string Gives = "void *f(void *p) { mine = 1; shared = &mine; return p; }\n";

TEST(ThreadLocal, UseAfterTheEndOfTheThreadIsFound) {
  expect("use-after-free",
         Gives + "int main(void) { pthread_create(&t, 0, f, 0); pthread_join(t, 0); return *shared; }");
  expect("use-after-free", Gives + "int main(void) { pthread_create(&t, 0, f, 0); pthread_join(t, 0); *shared = 2; }");
  expect("use-after-free",
         Gives + "int main(void) { pthread_create(&t, 0, f, 0); int *p; while (!(p = shared)) ; return *p; }");
  expect("use-after-free", "void *f(void *p) { mine = 1; shared = &mine; pthread_exit(p); }\n"
                           "int main(void) { pthread_create(&t, 0, f, 0); pthread_join(t, 0); return *shared; }");
  expect("use-after-free", "void *f(void *p) { int *q; while (!(q = shared)) ; *q = 3; return p; }\n"
                           "int main(void) { pthread_create(&t, 0, f, 0); shared = &mine; pthread_exit(0); }");
}

TEST(ThreadLocal, UseBeforeTheEndIsNot) {
  expect("", "atomic_int done;\n"
             "void *f(void *p) { mine = 1; shared = &mine; while (!done) ; assert(mine == 2); return p; }\n"
             "int main(void) { pthread_create(&t, 0, f, 0); int *p; while (!(p = shared)) ; *p = 2; done = 1; "
             "pthread_join(t, 0); }");
  expect("", "void *f(void *p) { int *q; while (!(q = shared)) ; *q = 3; return p; }\n"
             "int main(void) { pthread_create(&t, 0, f, 0); shared = &mine; return 0; }");
  expect("", "void *f(void *p) { mine++; assert(mine == 1); return p; }\n"
             "int main(void) { mine = 5; pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(mine == 5); }");
}

TEST(ThreadLocal, DestructorsOfThreadSpecificDataMayUseThem) {
  expect("", "static pthread_key_t k; static void d(void *p) { assert(*(int *)p == 1); }\n"
             "void *f(void *p) { mine = 1; pthread_setspecific(k, &mine); return p; }\n"
             "int main(void) { pthread_key_create(&k, d); pthread_create(&t, 0, f, 0); pthread_join(t, 0); }");
}

} // namespace
} // namespace picket
