// Notes on reads of memory that nothing has written: advice, which never changes a verdict.
#include "support/Explore.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

/// The lines with notes, under every model the same.
std::vector<uint32_t> linesWithNotes(const std::string &Text) {
  std::vector<uint32_t> All;
  for (MemoryModel Which : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
    CheckOptions Options;
    Options.Models = {Which};
    Options.Exhaustive = true;
    ModelReport Report =
        testing::checkText("#include <stdlib.h>\n#include <string.h>\n#include <pthread.h>\n#line 1\n" + Text, Options)
            .Models.at(0);
    EXPECT_EQ(Report.Result, Verdict::Verified) << Report.Reason;
    std::vector<uint32_t> Lines;
    for (const Note &N : Report.Notes)
      Lines.push_back(N.Where.Line);
    if (Which != MemoryModel::SC) {
      EXPECT_EQ(Lines, All) << nameOf(Which);
    }
    All = Lines;
  }
  return All;
}

using Lines = std::vector<uint32_t>;

TEST(UnwrittenReads, OfHeapMemoryAreNotedOncePerPlace) {
  EXPECT_EQ(linesWithNotes("int main(void) {\n"
                           "  int *p = malloc(12), s = 0;\n"
                           "  p[1] = 1;\n"
                           "  for (int i = 0; i < 3; i++)\n"
                           "    s += p[i];\n"
                           "  return s;\n"
                           "}"),
            Lines{5});
}

TEST(UnwrittenReads, OfLocalVariablesInMemoryAreNoted) {
  EXPECT_EQ(linesWithNotes("int main(void) { int x; int *volatile p = &x;\n"
                           "  int before = *p;\n"
                           "  *p = 1;\n"
                           "  return before + *p;\n"
                           "}"),
            Lines{2});
}

TEST(UnwrittenReads, ZeroedMemoryIsWritten) {
  EXPECT_EQ(linesWithNotes("int g[4];\n"
                           "int main(void) {\n"
                           "  int *p = calloc(4, 4), *q = malloc(400), *volatile r = malloc(8);\n"
                           "  memset(q, 0, 400);\n"
                           "  memset(r, 1, 8);\n"
                           "  return p[3] + q[99] + r[1] + g[2];\n"
                           "}"),
            Lines{});
}

TEST(UnwrittenReads, CopiesCarryIt) {
  EXPECT_EQ(linesWithNotes("struct s { char c; int i; long l; };\n"
                           "int main(void) {\n"
                           "  struct s *a = malloc(sizeof *a), *volatile b = malloc(sizeof *a), c;\n"
                           "  a->c = 1; a->i = 2;\n"
                           "  *b = *a;\n"
                           "  c = *b;\n"
                           "  memmove(a, b, sizeof *a);\n"
                           "  b = realloc(b, 200);\n"
                           "  if (b->c + b->i + c.i != 5) return 1;\n"
                           "  return b->l;\n"
                           "}"),
            Lines{10});
}

TEST(UnwrittenReads, BitFieldsArePutTogetherPieceByPiece) {
  EXPECT_EQ(linesWithNotes("struct s { unsigned a : 3, b : 5, c : 20; };\n"
                           "int main(void) {\n"
                           "  struct s *volatile p = malloc(sizeof *p);\n"
                           "  p->a = 1; p->b = 0; p->c = 7;\n"
                           "  return p->a + p->b;\n"
                           "}"),
            Lines{});
}

TEST(UnwrittenReads, StructsGoInAndOutOfFunctionsWithTheirPadding) {
  EXPECT_EQ(linesWithNotes("struct s { int i; char c; };\n"
                           "__attribute__((noinline)) static struct s same(struct s v) { return v; }\n"
                           "int main(void) {\n"
                           "  struct s *volatile p = malloc(sizeof *p);\n"
                           "  p->i = 1; p->c = 2;\n"
                           "  struct s r = same(*p);\n"
                           "  return r.i + r.c;\n"
                           "}"),
            Lines{});
}

TEST(UnwrittenReads, BuiltinsWriteTheirResults) {
  EXPECT_EQ(linesWithNotes("static void *f(void *a) { return a; }\n"
                           "int main(void) {\n"
                           "  pthread_t *t = malloc(sizeof *t); void *r;\n"
                           "  pthread_create(t, 0, f, t);\n"
                           "  pthread_join(*t, &r);\n"
                           "  return r == t;\n"
                           "}"),
            Lines{});
}

TEST(UnwrittenReads, TheLibrarysOwnAreNotNoted) {
  EXPECT_EQ(linesWithNotes("int main(void) { char *volatile s = malloc(10); return strlen(s) + memcmp(s, s, 10); }"),
            Lines{});
}

TEST(UnwrittenReads, OfAnotherThreadBeforeTheFirstWriteAreNoted) {
  EXPECT_EQ(linesWithNotes("int *volatile shared;\n"
                           "static void *read(void *a) {\n"
                           "  int *p = shared;\n"
                           "  return p && *p == 3 ? a : 0;\n"
                           "}\n"
                           "int main(void) {\n"
                           "  pthread_t t; pthread_create(&t, 0, read, 0);\n"
                           "  int *p = malloc(4); shared = p;\n"
                           "  *(volatile int *)p = 1;\n"
                           "  pthread_join(t, 0);\n"
                           "}"),
            Lines{4});
}

TEST(UnwrittenReads, AStoreInTheOwnBufferIsWritten) {
  EXPECT_EQ(linesWithNotes("int *volatile shared;\n"
                           "static void *write(void *a) { int *p = shared; if (p) *(volatile int *)p = 2; return a; }\n"
                           "int main(void) {\n"
                           "  pthread_t t; pthread_create(&t, 0, write, 0);\n"
                           "  int *p = malloc(4); shared = p;\n"
                           "  *(volatile int *)p = 1;\n"
                           "  int mine = *(volatile int *)p;\n"
                           "  pthread_join(t, 0);\n"
                           "  return mine;\n"
                           "}"),
            Lines{});
}

} // namespace
} // namespace picket
