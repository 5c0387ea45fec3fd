// Heap blocks that are never freed, and that nothing points to when the process ends.
#include "support/Kinds.h"

namespace picket {
namespace {

using testing::BugNames;
using testing::expectBugs;

const std::string Head =
    "#include <pthread.h>\n#include <semaphore.h>\n#include <stdlib.h>\n#include <string.h>\n#line 1\n";

void expectLeaks(const std::string &Text, const BugNames &Expected) {
  expectBugs("default,leak", Head + Text, Expected);
}

TEST(Leak, IsOffByDefault) {
  expectBugs("default", Head + "int main(void) { char *volatile p = malloc(4); p = 0; return 0; }", {});
}

TEST(Leak, ABlockWhoseOnlyPointerIsOverwrittenIsLost) {
  expectLeaks("char *volatile p;\nint main(void) {\n  p = malloc(4);\n  p = malloc(4);\n  return 0; }", {"leak:3"});
}

TEST(Leak, LocalsOfMainAreGoneWhenItReturns) {
  expectLeaks("int main(void) {\n  char *volatile p = malloc(4);\n  p[0] = 1;\n  return 0; }", {"leak:2"});
  expectLeaks("int main(void) {\n  char *p = malloc(4);\n  p[0] = 1;\n  free(p);\n  return 0; }", {});
}

TEST(Leak, WhatGlobalsReachIsNotLost) {
  expectLeaks("struct node { struct node *next; } *head;\n"
              "int main(void) {\n  for (int i = 0; i < 3; i++) {\n    struct node *n = malloc(sizeof *n);\n"
              "    n->next = head;\n    head = n;\n  }\n  return 0; }",
              {});
  expectLeaks("char *inside;\nint main(void) { char *p = malloc(8); inside = p + 5; return 0; }", {});
  expectLeaks("char *behind;\nint main(void) { char *p = malloc(8); behind = p + 8; return 0; }", {});
}

TEST(Leak, BlocksThatPointToEachOtherAreLostTogether) {
  expectLeaks("struct node { struct node *next; };\n"
              "int main(void) {\n  struct node *a = malloc(sizeof *a),\n              *b = malloc(sizeof *b);\n"
              "  a->next = b;\n  b->next = a;\n  return 0; }",
              {"leak:3", "leak:4"});
}

TEST(Leak, ExitKeepsTheVariablesOfThoseWhoCallIt) {
  expectLeaks("__attribute__((noinline)) void leave(void) { exit(0); }\n"
              "int main(void) {\n  char *volatile p = malloc(4); char *q = malloc(5);\n  p[0] = q[0] = 1;\n  leave();\n"
              "  return q[1]; }",
              {});
}

TEST(Leak, WhatAtexitFunctionsFreeIsFreed) {
  expectLeaks("char *p;\nvoid clean(void) { free(p); p = 0; }\n"
              "int main(void) { atexit(clean); p = malloc(4); return 0; }",
              {});
}

TEST(Leak, ModelsOfTheLibraryAllocateForTheirCaller) {
  expectLeaks("char *volatile p;\nint main(void) {\n  p = strdup(\"text\");\n  p = 0;\n  return 0; }", {"leak:3"});
}

TEST(Leak, ABlockThatAThreadReturnsIsThereUntilSomebodyJoinsAndDropsIt) {
  const std::string Thread = "void *f(void *a) {\n  return malloc(4); }\n";
  expectLeaks(Thread + "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n"
                       "  void *p; pthread_join(t, &p); free(p); return 0; }",
              {});
  expectLeaks(Thread + "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n"
                       "  pthread_join(t, 0); return 0; }",
              {"leak:2"});
}

TEST(Leak, AThreadThatStillWaitsKeepsWhatItsVariablesName) {
  expectLeaks("sem_t s, started;\nvoid *f(void *a) {\n  char *p = malloc(4);\n  sem_post(&started);\n  sem_wait(&s);\n"
              "  p[0] = 1;\n  free(p);\n  return 0; }\n"
              "int main(void) { pthread_t t; sem_init(&s, 0, 0); sem_init(&started, 0, 0);\n"
              "  pthread_create(&t, 0, f, 0); sem_wait(&started); return 0; }",
              {});
}

TEST(Leak, ThreadLocalPointersGoWithTheirThread) {
  expectLeaks("_Thread_local char *p;\nvoid *f(void *a) {\n  p = malloc(4);\n  return 0; }\n"
              "int main(void) { pthread_t t; p = malloc(8); pthread_create(&t, 0, f, 0);\n"
              "  pthread_join(t, 0); return 0; }",
              {"leak:3"});
}

TEST(Leak, AThreadThatLosesTheRaceForAPointerLosesItsBlock) {
  const std::string Text =
      "char *volatile shared;\nvoid *f(void *a) {\n  char *p = malloc(4);\n"
      "  if (!shared) shared = p; else free(p);\n  return 0; }\n"
      "int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, f, 0);\n"
      "  pthread_join(s, 0); pthread_join(t, 0); return 0; }";
  expectLeaks(Text, {"leak:3"});
  const std::string Right =
      "char *shared;\nvoid *f(void *a) {\n  char *p = malloc(4), *none = 0;\n"
      "  if (!__atomic_compare_exchange_n(&shared, &none, p, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))\n"
      "    free(p);\n  return 0; }\n"
      "int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, f, 0);\n"
      "  pthread_join(s, 0); pthread_join(t, 0); return 0; }";
  expectLeaks(Right, {});
}

TEST(Leak, IsLookedForInExecutionsThatComeToTheirEndOnly) {
  expectBugs("default,leak,no-abort",
             Head + "int main(void) {\n  char *volatile p = malloc(4);\n  p = 0;\n  abort(); }", {});
}

} // namespace
} // namespace picket
