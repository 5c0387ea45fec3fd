// Local variables end with their scope or function, also where the function is inlined, and threads that use them
// afterwards are found.
#include "support/Explore.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

ModelReport checkOne(const std::string &Text, MemoryModel Which = MemoryModel::SC) {
  CheckOptions Options;
  Options.Models = {Which};
  Options.Exhaustive = true;
  return testing::checkText("#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n" + Text, Options)
      .Models.at(0);
}

void expectDead(const std::string &Text) {
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
    ModelReport Report = checkOne(Text, Which);
    SCOPED_TRACE(Text);
    EXPECT_EQ(Report.Result, Verdict::Violation);
    ASSERT_FALSE(Report.Bugs.empty());
    EXPECT_EQ(Report.Bugs[0].Kind, BugKind::UseAfterFree);
    EXPECT_NE(Report.Bugs[0].Message.find("after its lifetime ended"), std::string::npos) << Report.Bugs[0].Message;
  }
}

void expectFine(const std::string &Text) {
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
    ModelReport Report = checkOne(Text, Which);
    EXPECT_EQ(Report.Result, Verdict::Verified) << Text << "\n"
                                                << Report.Reason << (Report.Bugs.empty() ? "" : Report.Bugs[0].Message);
  }
}

TEST(LocalVariables, EndWithAFunctionThatIsInlined) {
  expectDead("int *escape(void) { int here = 1; int *volatile p = &here; return p; }\n"
             "int main(void) { int *q = escape(); return *q; }");
  expectDead("int *escape(void) { int here = 1; return &here; }\n"
             "int main(void) { int *q = escape(); return *q; }");
  expectDead("static void get(int **out) { int x = 1; *out = &x; }\n"
             "int main(void) { int *q; get(&q); *q = 1; return 0; }");
}

TEST(LocalVariables, ParametersEndTooWhereTheirFunctionIsInlined) {
  expectDead("static int *of(int a) { int *volatile p = &a; return p; }\n"
             "int main(void) { return *of(1); }");
}

TEST(LocalVariables, EndWithTheirBlock) {
  expectDead("int main(void) { int *p; { int x = 1; p = &x; } *p = 2; return 0; }");
  expectDead("int main(void) { int *volatile p; { int x = 1; p = &x; } *p = 2; return 0; }");
  expectDead(
      "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) { int x = i; if (p) *p = 1; p = &x; } return 0; }");
}

TEST(LocalVariables, LiveAgainInTheNextIteration) {
  expectFine(
      "static void set(int *p, int v) { *p = v; }\n"
      "void (*volatile how)(int *, int) = set;\n"
      "int main(void) { int s = 0; for (int i = 0; i < 5; i++) { int x; how(&x, i); s += x; } assert(s == 10); }");
}

TEST(LocalVariables, ArraysOfVariableLengthAndCompoundLiteralsStay) {
  expectFine("struct pair { int a, b; };\n"
             "static int second(struct pair p) { struct pair *volatile q = &p; return q->b; }\n"
             "int main(void) {\n"
             "  volatile int n = 4; int s = 0;\n"
             "  for (int i = 0; i < 3; i++) { int v[n]; int *volatile p = v; p[3] = i; s += v[3]; }\n"
             "  struct pair *volatile l = &(struct pair){1, 2};\n"
             "  assert(s == 3 && l->b == 2 && second(*l) == 2);\n"
             "}");
}

TEST(LocalVariables, GotosInAndOutOfBlocks) {
  expectFine("static int *volatile p;\n"
             "int main(void) {\n"
             "  int n = 0;\n"
             "again: {\n"
             "    int x = n; p = &x; n = *p + 1;\n"
             "    if (n < 4) goto again;\n"
             "    switch (n) { int y; case 4: y = 1; p = &y; assert(*p == 1); }\n"
             "  }\n"
             "}");
}

const char *const Lends = "static void *borrow(void *arg) { *(volatile int *)arg = 1; return 0; }\n"
                          "static pthread_t lend(int join) {\n"
                          "  volatile int x = 0; pthread_t t; pthread_create(&t, 0, borrow, (void *)&x);\n"
                          "  if (join) { pthread_join(t, 0); assert(x == 1); }\n"
                          "  return t;\n"
                          "}\n";

TEST(LocalVariables, TheEndIsSeenByThreadsThatUseThem) {
  expectDead(std::string(Lends) + "int main(void) { lend(0); return 0; }");
  expectFine(std::string(Lends) + "int main(void) { lend(1); return 0; }");
}

TEST(LocalVariables, OfMainStayWhenTheProcessEnds) {
  expectFine(std::string(Lends) + "int main(void) { volatile int x; pthread_t t;\n"
                                  "pthread_create(&t, 0, borrow, (void *)&x); return 0; }");
  expectFine(std::string(Lends) + "int main(void) { volatile int x; pthread_t t;\n"
                                  "pthread_create(&t, 0, borrow, (void *)&x); exit(0); }");
  expectDead(std::string(Lends) + "int main(void) { volatile int x; pthread_t t;\n"
                                  "pthread_create(&t, 0, borrow, (void *)&x); pthread_exit(0); }");
}

} // namespace
} // namespace picket
