// Atomic accesses of 16 bytes: how they are compiled, checked by every engine, told, replayed and repaired.
#include "fences/Fix.h"
#include "program/Operands.h"
#include "support/Engines.h"
#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace picket {
namespace {

const std::string Preamble = R"(
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
typedef unsigned __int128 wide;
#define WIDE(high, low) ((wide)(high) << 64 | (wide)(low))
struct node { struct node *next; } a, b;
struct tagged { struct node *node; uintptr_t tag; };
_Atomic struct tagged top;
_Atomic wide x, y;
int done;
static void run2(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
)";

std::vector<Instruction> accessesOf(const std::string &Text, std::vector<std::string> Flags = {}) {
  const Program P = testing::compile(testing::requestForText(Preamble + Text, std::move(Flags)));
  std::vector<Instruction> Found;
  for (const Instruction &I : P.Code)
    switch (I.Op) {
    case Opcode::Load:
    case Opcode::Store:
    case Opcode::Rmw:
    case Opcode::CmpXchg:
    case Opcode::Unsupported: Found.push_back(I); break;
    default: break;
    }
  return Found;
}

std::string told(const Bug &B) {
  std::string Text;
  for (const Step &S : B.Trace->Steps)
    Text += S.Text + "\n";
  return Text;
}

bool isGraph(const testing::EngineAnswer &A) { return A.Engine == "power"; }

void expectVerified(const std::string &Text) {
  for (const testing::EngineAnswer &A : testing::checkByAll(Preamble + Text))
    if (!isGraph(A))
      EXPECT_EQ(A.Report.Result, Verdict::Verified) << A.Engine << ": " << A.Report.Reason << Text;
}

/// Every engine of SC, TSO and PSO finds it, and it happens again when it is replayed.
void expectAssertion(const std::string &Text, const std::string &Tells = "") {
  const Program P = testing::compile(testing::requestForText(Preamble + Text));
  for (const testing::EngineAnswer &A : testing::checkByAll(Preamble + Text)) {
    if (isGraph(A))
      continue;
    ASSERT_EQ(A.Report.Bugs.size(), 1u) << A.Engine << ": " << nameOf(A.Report.Result) << " " << A.Report.Reason
                                        << Text;
    const Bug &B = A.Report.Bugs.front();
    EXPECT_EQ(B.Kind, BugKind::Assertion) << A.Engine;
    ASSERT_TRUE(B.Trace) << A.Engine;
    EXPECT_NE(told(B).find(Tells), std::string::npos) << A.Engine << ": " << told(B);
    const ReplayResult Again = replay(P, B.Trace->Run, {});
    EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << A.Engine << ": " << Again.Message;
  }
}

TEST(SixteenBytes, AnAtomicAccessIsOne) {
  for (const std::vector<std::string> &Flags : {std::vector<std::string>{}, {"-mcx16"}}) {
    const auto Found =
        accessesOf("int main(void) { x = 1; return (int)atomic_load_explicit(&x, memory_order_acquire); }", Flags);
    ASSERT_EQ(Found.size(), 2u);
    EXPECT_EQ(Found[0].Op, Opcode::Store);
    EXPECT_EQ(Found[1].Op, Opcode::Load);
    for (const Instruction &I : Found)
      EXPECT_EQ(I.Width, 16);
    EXPECT_EQ(static_cast<Order>(Found[1].Flags & OrderMask), Order::Acquire);
  }
}

TEST(SixteenBytes, AnUpdateHasTwoSlotsForEachValue) {
  const auto Added = accessesOf("int main(void) { return (int)(x += 2); }");
  ASSERT_EQ(Added.size(), 1u);
  EXPECT_EQ(Added[0].Op, Opcode::Rmw);
  EXPECT_EQ(shapeOf(Added[0]).B, 2);
  EXPECT_EQ(shapeOf(Added[0]).Dst, 2);
  const auto Swapped = accessesOf("wide z; int main(void) { return __sync_bool_compare_and_swap(&z, 1, 2); }");
  ASSERT_EQ(Swapped.size(), 1u);
  EXPECT_EQ(Swapped[0].Op, Opcode::CmpXchg);
  EXPECT_EQ(shapeOf(Swapped[0]).B, 2);
  EXPECT_EQ(shapeOf(Swapped[0]).C, 2);
  EXPECT_EQ(shapeOf(Swapped[0]).Dst, 3);
}

TEST(SixteenBytes, APlainAccessIsTwo) {
  const auto Found = accessesOf("volatile wide z; int main(void) { z = 1; return (int)z; }");
  ASSERT_EQ(Found.size(), 4u);
  for (size_t K = 0; K < Found.size(); ++K) {
    EXPECT_EQ(Found[K].Op, K < 2 ? Opcode::Store : Opcode::Load);
    EXPECT_EQ(Found[K].Width, 8);
  }
}

/// What Clang calls, or a program that declares it.
TEST(SixteenBytes, TheLibraryFunctionsAreKnown) {
  expectVerified(R"(
wide __atomic_load_16(const volatile void *, int);
void __atomic_store_16(volatile void *, wide, int);
wide __atomic_exchange_16(volatile void *, wide, int);
wide __atomic_fetch_add_16(volatile void *, wide, int);
_Bool __atomic_compare_exchange_16(volatile void *, void *, wide, int, int);
wide z;
struct three { int a, b, c; } s = {1, 2, 3};
void *f(void *p) {
  __atomic_fetch_add_16(&z, WIDE(1, 1), 5);
  struct three old = {1, 2, 3}, new = {4, 5, 6};
  __atomic_compare_exchange(&s, &old, &new, 0, 5, 5);
  return p;
}
int main(void) {
  wide expected = 0;
  __atomic_store_16(&z, WIDE(1, 2), 5);
  assert(!__atomic_compare_exchange_16(&z, &expected, 0, 5, 5) && expected == WIDE(1, 2));
  assert(__atomic_compare_exchange_16(&z, &expected, WIDE(2, 3), 5, 5));
  assert(__atomic_exchange_16(&z, WIDE(7, UINT64_MAX), 5) == WIDE(2, 3));
  run2(f, f);
  assert(__atomic_load_16(&z, 5) == WIDE(10, 1));
  struct three seen;
  __atomic_load(&s, &seen, 5);
  assert(seen.a == 4 && seen.b == 5 && seen.c == 6);
})");
}

TEST(SixteenBytes, WhatIsLargerIsRefusedByName) {
  const Program P = testing::compile(
      testing::requestForText(Preamble + "_Atomic struct { long a, b, c; } z; int main(void) { z = z; return 0; }"));
  EXPECT_TRUE(std::any_of(P.Messages.begin(), P.Messages.end(),
                          [](const std::string &M) { return M.find("of 24 bytes") != std::string::npos; }));
}

TEST(SixteenBytes, NoHalfOfAChangeIsSeen) {
  const std::string Reader = "void *r(void *p) { wide seen = x; assert(seen >> 64 == (uint64_t)seen); return p; }\n";
  expectVerified(Reader + "void *w(void *p) { x = WIDE(1, 1); x = WIDE(2, 2); return p; }\n"
                          "int main(void) { run2(w, r); }");
  expectAssertion(Reader + "void *w(void *p) { *(volatile wide *)&x = WIDE(1, 1); return p; }\n"
                           "int main(void) { run2(w, r); }");
  expectAssertion(
      "void *r(void *p) { uint64_t h = ((volatile uint64_t *)&x)[1]; assert(h == (uint64_t)x); return p; }\n"
      "void *w(void *p) { x = WIDE(1, 1); return p; }\nint main(void) { run2(w, r); }");
}

TEST(SixteenBytes, ASwapComparesBothHalves) {
  const std::string Swaps = R"(
static int change(struct node *from, uintptr_t tag, struct node *to) {
  struct tagged old = {from, tag}, new = {to, tag + 1};
  return atomic_compare_exchange_strong(&top, &old, new);
}
void *f(void *p) { done += change(0, 0, &a) && change(&a, 1, 0); return p; }
void *g(void *p) { if (change(0, 0, &b)) assert(done == 0); return p; } // never after f, though the pointer is the same
)";
  expectVerified(Swaps + "int main(void) { run2(f, g); assert(done == 0 || done == 1); }");
  expectAssertion(Swaps + "int main(void) { run2(f, g); struct tagged end = top; assert(end.node == &b); }",
                  "{node = &a, tag = 1}");
}

TEST(SixteenBytes, ValuesAreTold) {
  expectAssertion("void *f(void *p) { x = WIDE(1, 0); return p; }\n"
                  "void *g(void *p) { assert(x == 0); return p; }\nint main(void) { run2(f, g); }",
                  "0x10000000000000000");
}

TEST(SixteenBytes, AStoreWaitsInTheBuffer) {
  const std::string Text = Preamble + R"(
uint64_t r0, r1;
void *f(void *p) {
  atomic_store_explicit(&x, WIDE(1, 1), memory_order_relaxed);
  r0 = (uint64_t)atomic_load_explicit(&y, memory_order_relaxed);
  return p;
}
void *g(void *p) {
  atomic_store_explicit(&y, WIDE(1, 1), memory_order_relaxed);
  r1 = (uint64_t)atomic_load_explicit(&x, memory_order_relaxed);
  return p;
}
int main(void) { run2(f, g); assert(r0 || r1); })";
  FixOptions Options;
  Options.Check.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  const CheckReport Report = testing::checkText(Text, Options.Check);
  EXPECT_EQ(Report.Models[0].Result, Verdict::Verified);
  for (size_t K : {1u, 2u}) {
    EXPECT_EQ(Report.Models[K].Result, Verdict::Violation);
    ASSERT_EQ(Report.Models[K].Bugs.size(), 1u);
    const auto &Run = Report.Models[K].Bugs[0].Trace->Run;
    EXPECT_TRUE(std::any_of(Run.Events.begin(), Run.Events.end(), [](const TraceEvent &E) {
      return E.Kind == EventKind::Store && E.Accesses[0].Low == 1 && E.Accesses[0].High == 1;
    }));
  }
  const FixReport Fixes = findFixes(testing::requestForText(Text), Options);
  EXPECT_EQ(Fixes.What, EditOutcome::Found) << Fixes.Reason;
}

TEST(SixteenBytes, AwaitsEnd) {
  expectVerified("void *f(void *p) { while (x >> 64 == 0) ; assert((uint64_t)x == 5); return p; }\n"
                 "void *g(void *p) { x = WIDE(1, 5); return p; }\nint main(void) { run2(f, g); }");
  expectVerified(
      "void *f(void *p) { wide free; do free = 0; while (!atomic_compare_exchange_weak(&x, &free, WIDE(1, 0)));\n"
      "  ++done; x = 0; return p; }\nint main(void) { run2(f, f); assert(done == 2); }");
}

TEST(SixteenBytes, AWeakSwapMayFailForNoReason) {
  const std::string Once = "void *f(void *p) { struct tagged old = top, new = {&a, old.tag + 1};\n"
                           "  atomic_compare_exchange_weak(&top, &old, new); return p; }\n";
  expectAssertion(Once + "int main(void) { run2(f, f); struct tagged end = top; assert(end.tag != 0); }",
                  "for no reason");
}

TEST(SixteenBytes, RetryLoopsAreNotMultiplied) {
  for (const char *Loop :
       {"wide old = x; while (!atomic_compare_exchange_weak(&x, &old, old + 1)) ;",
        "struct tagged old = top, new; do { new.node = &a; new.tag = old.tag + 1; }\n"
        "while (!atomic_compare_exchange_weak(&top, &old, new));",
        "struct node n; struct tagged old = top, new = {&n, 0}; do { n.next = old.node; new.tag = old.tag + 1; }\n"
        "while (!atomic_compare_exchange_weak(&top, &old, new));",
        "struct tagged old, new; do { old = top; new.node = &b; new.tag = old.tag + 1; }\n"
        "while (!atomic_compare_exchange_weak(&top, &old, new));"}) {
    const std::string Text = std::string("void *f(void *p) { ") + Loop + " return p; }\nint main(void) { run2(f, f); }";
    EXPECT_FALSE(testing::compile(testing::requestForText(Preamble + Text)).FailsForNoReason) << Loop;
  }
  // One that does not try again with what it found, but with what another member of it is.
  EXPECT_TRUE(
      testing::compile(testing::requestForText(
                           Preamble + "void *f(void *p) { struct tagged old = top, new = {&a, 0}; do\n"
                                      "  new.tag = old.tag + 1;\n"
                                      "  while (!atomic_compare_exchange_weak(&top, &old, new) && (old.tag ^= 1));\n"
                                      "return p; }\nint main(void) { run2(f, f); }"))
          .FailsForNoReason);
}

/// What POWER makes of a program. Every bug must be shown, and happen again when it is replayed.
ModelReport underPower(const std::string &Text) {
  CheckOptions Options;
  Options.Models = {MemoryModel::Power};
  Options.Exhaustive = true;
  const ModelReport Report = testing::checkText(Preamble + Text, Options).Models[0];
  const Program P = testing::compile(testing::requestForText(Preamble + Text));
  for (const Bug &B : Report.Bugs) {
    EXPECT_TRUE(B.Trace) << Text;
    if (B.Trace) {
      EXPECT_EQ(replay(P, B.Trace->Run, MachineOptions()).Outcome, ReplayResult::SameBug) << Text;
    }
  }
  return Report;
}

TEST(SixteenBytes, UnderPowerNobodySeesHalfOfAStore) {
  const ModelReport Whole =
      underPower("void *f(void *p) { atomic_store_explicit(&x, WIDE(1, 1), memory_order_relaxed); return p; }\n"
                 "void *g(void *p) { wide s = atomic_load_explicit(&x, memory_order_relaxed);\n"
                 "  assert((uint64_t)(s >> 64) == (uint64_t)s); return p; }\n"
                 "int main(void) { run2(f, g); }");
  EXPECT_EQ(Whole.Result, Verdict::Verified);
  EXPECT_EQ(Whole.Executions, 2u);
}

TEST(SixteenBytes, UnderPowerStoresGetOutOfOrder) {
  const std::string Writer = "void *f(void *p) { atomic_store_explicit(&x, WIDE(3, 4), memory_order_relaxed);\n"
                             "  atomic_store_explicit(&y, WIDE(5, 6), ORDER); return p; }\n"
                             "void *g(void *p) { if (atomic_load(&y) == WIDE(5, 6))\n"
                             "  assert(atomic_load(&x) == WIDE(3, 4)); return p; }\n"
                             "int main(void) { run2(f, g); }";
  const ModelReport Relaxed = underPower("#define ORDER memory_order_relaxed\n" + Writer);
  ASSERT_EQ(Relaxed.Bugs.size(), 1u);
  EXPECT_EQ(Relaxed.Bugs[0].Kind, BugKind::Assertion);
  EXPECT_EQ(underPower("#define ORDER memory_order_release\n" + Writer).Result, Verdict::Verified);
}

TEST(SixteenBytes, UnderPowerUpdatesAreWhole) {
  const ModelReport Added = underPower("void *f(void *p) { x += WIDE(1, UINT64_MAX); return p; }\n"
                                       "int main(void) { run2(f, f); assert(x == WIDE(3, UINT64_MAX - 1)); }");
  EXPECT_EQ(Added.Result, Verdict::Verified);
  EXPECT_EQ(Added.Executions, 2u);
  const ModelReport Swapped = underPower(
      "void *f(void *p) { struct tagged old = atomic_load_explicit(&top, memory_order_relaxed), new = {&a, old.tag + 1};\n"
      "  atomic_compare_exchange_strong_explicit(&top, &old, new, memory_order_relaxed, memory_order_relaxed);\n"
      "  return p; }\n"
      "int main(void) { run2(f, f); struct tagged end = top; assert(end.node == &a && end.tag >= 1 && end.tag <= 2); }");
  EXPECT_EQ(Swapped.Result, Verdict::Verified);
}

/// An update that reads before it is known what it writes.
TEST(SixteenBytes, UnderPowerOperandsComeLate) {
  const ModelReport Late = underPower("_Atomic wide z;\n"
                                      "void *f(void *p) { wide r = atomic_load_explicit(&x, memory_order_relaxed);\n"
                                      "  wide s = atomic_fetch_add_explicit(&y, r, memory_order_relaxed);\n"
                                      "  atomic_store_explicit(&z, s + WIDE(1, 1), memory_order_relaxed); return p; }\n"
                                      "void *g(void *p) { wide r = atomic_load_explicit(&z, memory_order_relaxed);\n"
                                      "  atomic_store_explicit(&x, r, memory_order_relaxed); return p; }\n"
                                      "int main(void) { run2(f, g); assert(y != WIDE(1, 1)); }");
  EXPECT_EQ(Late.Bugs.size(), 1u);
}

TEST(SixteenBytes, MayBeExploredByReadsFrom) {
  const std::string Text = "void *f(void *p) { x = 1; done = y == 0; x += 2; return p; }\n"
                           "void *g(void *p) { y = 1; atomic_compare_exchange_strong(&x, &(wide){1}, WIDE(1, 0));\n"
                           "  return p; }\nint main(void) { run2(f, g); }";
  for (MemoryModel M : {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}) {
    CheckOptions Options;
    Options.Models = {M};
    Options.OnePer = Equivalence::ReadsFrom;
    const CheckReport Report = testing::checkText(Preamble + Text, Options);
    EXPECT_EQ(Report.Models[0].Result, Verdict::Verified);
    EXPECT_EQ(Report.Models[0].WhyNotReadsFrom, "");
  }
}

} // namespace
} // namespace picket
