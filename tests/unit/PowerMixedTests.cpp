// POWER with accesses of different sizes that overlap, on programs whose answers are known.
#include "support/Graphs.h"
#include "support/Threads.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using Bugs = std::set<std::string>;

std::string threads(const std::string &Globals, const std::vector<std::string> &Bodies, const std::string &Then = "") {
  return testing::programOf(std::string("#include <stdint.h>\n#include <string.h>\n"
                                        "#define FENCE(name) __asm__ volatile(name ::: \"memory\")\n") +
                                Globals,
                            Bodies, Then);
}

void expect(const std::string &Text, const Bugs &Kinds) {
  testing::Explored All = testing::exploreGraphsOf(testing::compile(testing::requestForText(Text)), MemoryModel::Power);
  EXPECT_EQ(All.Repeated, 0u) << Text;
  EXPECT_EQ(All.Result.FailedWakeups, 0u) << Text;
  EXPECT_EQ(All.Bugs, Kinds) << Text;
  EXPECT_EQ(All.Result.Ended, ExplorationResult::End::Everything) << All.Result.Reason << Text;
  EXPECT_GT(All.Result.Executions, 0u) << Text;
}
void expectSafe(const std::string &Text) { expect(Text, {}); }
void expectBug(const std::string &Text, const std::string &Kind = "assertion") { expect(Text, {Kind}); }

const std::string Word = "union { volatile uint32_t word; volatile uint16_t half[2]; volatile uint8_t byte[4]; } u;";

TEST(PowerMixed, AWordIsSeenWithAndWithoutAByteOfIt) {
  const std::vector<std::string> Values = {"0", "0x01010101", "0x200", "0x01010201"};
  auto Program = [&](const std::string &Condition) {
    return threads(Word, {"u.word = 0x01010101;", "u.byte[1] = 2;", "uint32_t v = u.word; assert(" + Condition + ");"});
  };
  std::string OneOf = "0";
  for (const std::string &V : Values) {
    OneOf += " || v == " + V;
    expectBug(Program("v != " + V));
  }
  expectSafe(Program(OneOf));
}

TEST(PowerMixed, WritesAreInTheSameOrderInAllBytes) {
  expectSafe(threads(Word, {"u.word = 0x01010101;", "u.word = 0x02020202;", "u.byte[3] = 3;"},
                     "assert(u.byte[0] == u.byte[1] && u.byte[1] == u.byte[2]);"));
  expectBug(threads(Word, {"u.word = 0x01010101;", "u.half[1] = 0x0202;"}, "assert(u.word == 0x01010101);"));
}

TEST(PowerMixed, LoadsOfNeighbouringBytesAreNotInOrder) {
  auto Program = [](const std::string &Between) {
    return threads(
        Word, {"u.word = 0x01010101;", "int a = u.byte[0]; " + Between + " int b = u.byte[1]; assert(!(a && !b));"});
  };
  expectBug(Program(""));
  expectSafe(Program("FENCE(\"lwsync\");"));
  expectSafe(Program("if (a) FENCE(\"isync\");"));
}

TEST(PowerMixed, AStoreIsPropagatedAsAWhole) { // WRC, with two bytes of one store
  auto Program = [](const std::string &Fence) {
    return threads(Word + " volatile int y;",
                   {"u.word = 0x01010101;", "int a = u.byte[3]; " + Fence + " y = a;",
                    "int b = y; if (b) { FENCE(\"isync\"); int c = u.byte[0]; assert(c); }"});
  };
  expectBug(Program(""));
  expectSafe(Program("FENCE(\"lwsync\");"));
}

TEST(PowerMixed, WideLoadsMayDisagreeAboutTheOrderOfTwoStores) {
  const std::string Read = "uint32_t v = u.word; ";
  expectBug(threads(Word + " volatile uint32_t seen;", {"u.half[0] = 1;", "u.half[1] = 1;", Read + "seen = v;",
                                                        Read + "assert(!(v == 0x10000 && seen == 1));"}));
}

TEST(PowerMixed, UpdatesOfAWordWhoseBytesOthersStore) {
  const std::string Atomic = "union { atomic_uint word; _Atomic uint8_t byte[4]; } u;";
  const std::string Add = "atomic_fetch_add_explicit(&u.word, 1, memory_order_relaxed);",
                    Store = "atomic_store_explicit(&u.byte[2], 7, memory_order_relaxed);";
  expectSafe(threads(Atomic, {Add, Add, Store}, "assert(u.word == 0x70002);"));
  expectBug(threads(Atomic, {Add, Store}, "assert(u.word != 0x70001);"));
}

TEST(PowerMixed, CopiesOfStructures) {
  const std::string Pair = "struct pair { uint32_t a; uint8_t b[4]; } s, from = {1, {2, 3, 4, 5}};"
                           "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;";
  expectSafe(threads(Pair, {"pthread_mutex_lock(&m); memcpy(&s, &from, sizeof s); pthread_mutex_unlock(&m);",
                            "pthread_mutex_lock(&m); if (s.a) assert(s.b[3] == 5); s.b[1] = 9; memset(&s, 0, sizeof s);"
                            "pthread_mutex_unlock(&m);"}));
  expectBug(threads(Pair, {"s = from;", "if (s.b[0]) assert(s.a == 1);"}));
}

TEST(PowerMixed, PlainAccessesOfLocks) {
  const std::string Locked =
      "struct { pthread_mutex_t m; int n; } s; pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;";
  const std::string Count = "pthread_mutex_lock(&s.m); s.n++; pthread_mutex_unlock(&s.m);";
  expectSafe(threads(Locked + "static void clear(void) { memset(&s, 0, sizeof s); }"
                              "static void *first(void *p) { clear(); return p; }",
                     {"pthread_t f; pthread_create(&f, 0, first, 0); pthread_join(f, 0); " + Count, "p = p;"},
                     "assert(s.n == 1);"));
  expectSafe(threads(Locked, {Count, Count}, "assert(s.n == 2); s.m = fresh; pthread_mutex_lock(&s.m);"));
}

TEST(PowerMixed, MemoryThatEnds) {
  auto Program = [](const std::string &Then) {
    return "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nint *q;\n"
           "static void *t(void *p) { *(volatile int *)q = 0x01010101; ((volatile char *)q)[1] = 2; return p; }\n"
           "int main(void) { pthread_t a; q = malloc(4); pthread_create(&a, 0, t, 0); " +
           Then + " return 0; }\n";
  };
  expectSafe(Program("pthread_join(a, 0); assert(*q == 0x01010201); free(q);"));
  expectBug(Program("free(q); pthread_join(a, 0);"), "use-after-free");
  expectSafe(Program("pthread_join(a, 0); q = realloc(q, 64); assert(((char *)q)[1] == 2); free(q);"));
}

// Each cut that is learned is a start.
TEST(PowerMixed, ElementsOfAnArrayAreCutAlike) {
  struct Starts : testing::GraphTraces {
    unsigned Number = 1;
    void restarted() override {
      ++Number;
      GraphTraces::restarted();
    }
  } Seen;
  const std::string Text =
      threads("union { volatile uint32_t word; volatile uint8_t byte[4]; } a[100]; atomic_int done;",
              {"for (int i = 0; i < 100; i++) a[i].word = 0x01010101u * i; "
               "atomic_store_explicit(&done, 1, memory_order_release);",
               "while (!atomic_load_explicit(&done, memory_order_acquire)); "
               "for (int i = 0; i < 100; i++) assert(a[i].byte[1] == i);"});
  const ExplorationResult Result = exploreGraphs(testing::compile(testing::requestForText(Text)), MemoryModel::Power,
                                                 testing::exhaustively(MemoryModel::SC, 8), Seen);
  EXPECT_EQ(Result.Ended, ExplorationResult::End::Everything) << Result.Reason;
  EXPECT_EQ(Result.Executions, 1u);
  EXPECT_TRUE(Seen.Bugs.empty());
  EXPECT_LT(Seen.Number, 30u);
}

TEST(PowerMixed, PlainAccessesThatAreNotAligned) {
  const std::string Packed = "struct __attribute__((packed)) { char c; volatile uint32_t n; } s;";
  expectBug(threads(Packed, {"s.n = 0x01010101;", "uint32_t v = s.n; assert(v == 0 || v == 0x01010101);"}));
  expectSafe(threads(Packed, {"s.n = 0x01010101;", "s.c = 1;"}, "assert(s.n == 0x01010101);"));
}

} // namespace
} // namespace picket
