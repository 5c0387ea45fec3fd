// Reads of memory that nothing has written, as bugs.
#include "support/Kinds.h"

namespace picket {
namespace {

using testing::BugNames;
using testing::expectBugs;

const std::string Head =
    "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n#line 1\n";

void expectReads(const std::string &Text, const BugNames &Expected) {
  expectBugs("default,uninitialised", Head + Text, Expected);
}

const std::string Reads =
    "int main(void) {\n  int *p = malloc(8);\n  p[1] = 1;\n  int r = p[0];\n  free(p);\n  return r; }";

TEST(Uninitialised, IsANoteByDefaultAndABugIfAskedFor) {
  for (const auto &Way : testing::waysToCheck()) {
    const ModelReport M = testing::checkFor("default", Head + Reads, Way);
    EXPECT_EQ(M.Result, Verdict::Verified) << Way.Name;
  }
  expectReads(Reads, {"uninitialised:4"});
  const ModelReport M = testing::checkFor("uninitialised", Head + Reads, {"SC"});
  EXPECT_TRUE(M.Notes.empty()) << "it is not told twice";
}

TEST(Uninitialised, LocalVariablesInMemory) {
  expectReads("__attribute__((noinline)) int get(int *p) {\n  return *p; }\nint main(void) { int x; return get(&x); }",
              {"uninitialised:2"});
  expectReads(
      "__attribute__((noinline)) int get(int *p) {\n  return *p; }\nint main(void) { int x = 1; return get(&x); }", {});
}

TEST(Uninitialised, WhatIsZeroedSetOrCopiedIsInitialised) {
  expectReads("int main(void) {\n  int *p = calloc(2, 4), *q = malloc(8), *r = malloc(8), *s;\n  memset(q, 0, 8);\n"
              "  memcpy(r, p, 8);\n  s = realloc(r, 16);\n  return p[1] + q[1] + s[1]; }",
              {});
  expectReads(
      "int main(void) {\n  int *p = malloc(8), *q = malloc(8);\n  p[0] = 1;\n  memcpy(q, p, 8);\n  int a = q[0];\n"
      "  return a + q[1]; }",
      {"uninitialised:6"});
}

TEST(Uninitialised, ReadModifyWritesRead) {
  expectReads("int main(void) {\n  atomic_int *p = malloc(4);\n  return atomic_fetch_add(p, 1); }",
              {"uninitialised:3"});
}

TEST(Uninitialised, AReadByAThreadThatComesTooEarly) {
  const std::string Text =
      "int *block; atomic_int ready;\nvoid *f(void *a) {\n  WAIT\n  return (void *)(long)*block; }\n"
      "int main(void) { pthread_t t; block = malloc(4); pthread_create(&t, 0, f, 0);\n"
      "  *block = 1; ready = 1; pthread_join(t, 0); return 0; }";
  auto With = [&](const char *Wait) {
    std::string Now = Text;
    return Now.replace(Now.find("WAIT"), 4, Wait);
  };
  expectReads(With(""), {"uninitialised:4"});
  expectReads(With("while (!ready) ;"), {});
  expectReads(With("if (!ready) return 0;"), {});
}

TEST(Uninitialised, ANoteOfMemoryThatIsReorderedIsFoundWhereTheModelAllowsIt) {
  const std::string Text = Head + R"(int *volatile block; volatile int ready;
void *f(void *a) { if (ready) return (void *)(long)*block;
  return 0; }
int main(void) { pthread_t t; block = malloc(4); pthread_create(&t, 0, f, 0);
  *block = 1; ready = 1; pthread_join(t, 0); return 0; }
)";
  for (const auto &Way : testing::waysToCheck()) {
    const bool Allowed = Way.Which == MemoryModel::PSO || Way.Which == MemoryModel::Power;
    EXPECT_EQ(testing::bugsOf(testing::checkFor("uninitialised", Text, Way)),
              Allowed ? BugNames{"uninitialised:2"} : BugNames{})
        << Way.Name;
  }
}

} // namespace
} // namespace picket
