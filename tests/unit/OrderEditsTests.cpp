// Memory orders changed and fences taken out, in the text.
#include "support/Placement.h"

namespace picket {
namespace {

using testing::Marked;
using testing::PlacementTest;
using testing::readMarks;

class OrderEdits : public PlacementTest {
protected:
  const std::string Head = "#include <stdatomic.h>\n_Atomic int x, y;\nint r, plain;\natomic_flag f;\n";
  std::string function(const std::string &Lines) const { return Head + "int main(void) {\n" + Lines + "}\n"; }

  void expectOrder(const std::string &Before, Order From, Order To, const std::string &After) {
    expectOrderIn(function(Before), From, To, function(After));
  }
  /// The text that comes out, and that the bytecode has the wanted order in it.
  void expectOrderIn(const std::string &Before, Order From, Order To, const std::string &After) {
    Marked M = readMarks(Before);
    EXPECT_EQ(change(request(M.Text), {ChangeOrder{M.Places.at(0), From, To}}), After);
    EXPECT_GT(count(After, To), count(M.Text, To));
  }
  void expectRefusedOrder(const std::string &Before, Order From, Order To, const std::string &Why) {
    Marked M = readMarks(function(Before));
    EXPECT_EQ(change(request(M.Text), {ChangeOrder{M.Places.at(0), From, To}}), "refused: " + Why);
  }
  long count(const std::string &Text, Order Wanted) const {
    CompileResult Result = compileProgram(request(Text));
    EXPECT_TRUE(Result.Compiled) << Text << (Result.Diagnostics.empty() ? "" : Result.Diagnostics[0].Message);
    if (!Result.Compiled)
      return -1;
    return std::count_if(Result.Compiled->Code.begin(), Result.Compiled->Code.end(), [&](const Instruction &I) {
      bool Access = I.Op == Opcode::Load || I.Op == Opcode::Store || I.Op == Opcode::Rmw || I.Op == Opcode::CmpXchg;
      return Access && static_cast<Order>(I.Flags & OrderMask) == Wanted;
    });
  }

  void expectRemoval(const std::string &Before, const std::string &After) {
    Marked M = readMarks(function(Before));
    EXPECT_EQ(change(request(M.Text), {RemoveFence{M.Places.at(0)}}), function(After));
    EXPECT_TRUE(compileProgram(request(function(After))).Compiled);
  }
};

TEST_F(OrderEdits, OrderOfAnExplicitCall) {
  expectOrder("  @atomic_store_explicit(&x, 1, memory_order_relaxed);\n", Order::Relaxed, Order::Release,
              "  atomic_store_explicit(&x, 1, memory_order_release);\n");
  expectOrder("  r = @atomic_load_explicit(&x, memory_order_relaxed);\n", Order::Relaxed, Order::SeqCst,
              "  r = atomic_load_explicit(&x, memory_order_seq_cst);\n");
  expectOrder("  @__atomic_store_n(&plain, 1, __ATOMIC_RELAXED);\n", Order::Relaxed, Order::SeqCst,
              "  __atomic_store_n(&plain, 1, __ATOMIC_SEQ_CST);\n");
  expectOrder("  @__atomic_fetch_add(&plain, 1, 0);\n", Order::Relaxed, Order::AcqRel,
              "  __atomic_fetch_add(&plain, 1, __ATOMIC_ACQ_REL);\n");
}

TEST_F(OrderEdits, OrderThatIsAMacroIsReplacedAtItsUse) {
  expectOrderIn("#define RLX memory_order_relaxed\n" + function("  @atomic_store_explicit(&x, 1, RLX);\n"),
                Order::Relaxed, Order::Release,
                "#define RLX memory_order_relaxed\n" +
                    function("  atomic_store_explicit(&x, 1, memory_order_release);\n"));
}

TEST_F(OrderEdits, MacroBodyGetsStrongerForAllUses) {
  const std::string Macro = "#define PUT(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)\n";
  Marked M = readMarks(Macro + function("  @PUT(x, 1);\n  PUT(y, 2);\n"));
  std::string Expected = M.Text;
  Expected.replace(Expected.find("relaxed"), 7, "release");
  EXPECT_EQ(change(request(M.Text), {ChangeOrder{M.Places[0], Order::Relaxed, Order::Release}}), Expected);
  EXPECT_EQ(count(Expected, Order::Release), 2);
}

TEST_F(OrderEdits, MacroBodyIsNotMadeWeakerForOtherUses) {
  Marked M = readMarks("#define PUT(v, n) atomic_store(&v, n)\n" + function("  @PUT(x, 1);\n  PUT(y, 2);\n"));
  EXPECT_EQ(change(request(M.Text), {ChangeOrder{M.Places[0], Order::SeqCst, Order::Release}}),
            "refused: the order is written in the macro 'PUT', which is used in other places too");
}

TEST_F(OrderEdits, SequentialCallBecomesExplicit) {
  expectOrder("  @atomic_store(&x, r + 1);\n", Order::SeqCst, Order::Release,
              "  atomic_store_explicit(&x, r + 1, memory_order_release);\n");
  expectOrder("  r = @atomic_load(&x);\n", Order::SeqCst, Order::Acquire,
              "  r = atomic_load_explicit(&x, memory_order_acquire);\n");
  expectOrder("  while (@atomic_flag_test_and_set(&f))\n    ;\n", Order::SeqCst, Order::Acquire,
              "  while (atomic_flag_test_and_set_explicit(&f, memory_order_acquire))\n    ;\n");
  expectOrder("  int e = 0;\n  @atomic_compare_exchange_strong(&x, &e, 1);\n", Order::SeqCst, Order::AcqRel,
              "  int e = 0;\n  atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acq_rel, "
              "memory_order_acquire);\n");
}

TEST_F(OrderEdits, FailureIsNotStrongerThanSuccess) {
  expectOrder("  int e = 0;\n  @atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_seq_cst, "
              "memory_order_seq_cst);\n",
              Order::SeqCst, Order::Release,
              "  int e = 0;\n  atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_release, "
              "memory_order_relaxed);\n");
}

TEST_F(OrderEdits, OperatorsBecomeCalls) {
  expectOrder("  x @= r + 1;\n", Order::SeqCst, Order::Release,
              "  atomic_store_explicit(&x, r + 1, memory_order_release);\n");
  expectOrder("  r = @x + 1;\n", Order::SeqCst, Order::Acquire,
              "  r = atomic_load_explicit(&x, memory_order_acquire) + 1;\n");
  expectOrder("  x@++;\n", Order::SeqCst, Order::Relaxed,
              "  atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);\n");
  expectOrder("  @--x;\n", Order::SeqCst, Order::Relaxed,
              "  atomic_fetch_sub_explicit(&x, 1, memory_order_relaxed);\n");
  expectOrder("  x @|= 2;\n", Order::SeqCst, Order::AcqRel,
              "  atomic_fetch_or_explicit(&x, 2, memory_order_acq_rel);\n");
}

TEST_F(OrderEdits, SeveralOrdersInOneStatement) {
  Marked M = readMarks(function("  x @= @y;\n"));
  EXPECT_EQ(change(request(M.Text), {ChangeOrder{M.Places[0], Order::SeqCst, Order::Release},
                                     ChangeOrder{M.Places[1], Order::SeqCst, Order::Acquire}}),
            function("  atomic_store_explicit(&x, atomic_load_explicit(&y, memory_order_acquire), "
                     "memory_order_release);\n"));
}

TEST_F(OrderEdits, WhatHasNoOrderIsRefused) {
  expectRefusedOrder("  plain @= 1;\n", Order::NotAtomic, Order::SeqCst,
                     "there is no atomic access with a memory order here");
  expectRefusedOrder("  x @= 1;\n", Order::SeqCst, Order::SeqCst, "operators of _Atomic variables are seq_cst already");
  expectRefusedOrder("  r = (x @+= 1);\n", Order::SeqCst, Order::Relaxed,
                     "the operator cannot be written as a call here");
  expectRefusedOrder("  @atomic_store_explicit(&x, 1, r ? memory_order_relaxed : memory_order_release);\n",
                     Order::Relaxed, Order::SeqCst, "the memory order is not a constant here");
}

TEST_F(OrderEdits, FenceGetsAnotherOrder) {
  Marked M = readMarks(function("  @atomic_thread_fence(memory_order_seq_cst);\n"));
  EXPECT_EQ(change(request(M.Text), {ChangeOrder{M.Places[0], Order::SeqCst, Order::Release}}),
            function("  atomic_thread_fence(memory_order_release);\n"));
  M = readMarks(function("  @__sync_synchronize();\n"));
  EXPECT_EQ(change(request(M.Text), {ChangeOrder{M.Places[0], Order::SeqCst, Order::AcqRel}}),
            function("  atomic_thread_fence(memory_order_acq_rel);\n"));
}

TEST_F(OrderEdits, FenceOnItsOwnLineGoesWithTheLine) {
  expectRemoval("  x = 1;\n  @atomic_thread_fence(memory_order_seq_cst); // full\n  r = y;\n", "  x = 1;\n  r = y;\n");
  expectRemoval("  x = 1;\n  @__asm__ volatile(\"mfence\" ::: \"memory\");\n  r = y;\n", "  x = 1;\n  r = y;\n");
}

TEST_F(OrderEdits, FenceAmongOthersGoesAlone) {
  expectRemoval("  x = 1; @__sync_synchronize(); r = y;\n", "  x = 1; r = y;\n");
  expectRemoval("  x = 1; @__sync_synchronize();\n  r = y;\n", "  x = 1;\n  r = y;\n");
  expectRemoval("  if (r)\n    @__sync_synchronize();\n  r = y;\n", "  if (r)\n    ;\n  r = y;\n");
  expectRemoval("  goto out;\nout: @__sync_synchronize();\n", "  goto out;\nout: ;\n");
  expectRemoval("  while (@atomic_thread_fence(memory_order_seq_cst), y)\n    ;\n", "  while (y)\n    ;\n");
  expectRemoval("  for (r = 0; r < 2; r++, @__sync_synchronize())\n    ;\n", "  for (r = 0; r < 2; r++)\n    ;\n");
}

TEST_F(OrderEdits, FenceOfAMacroGoesWhereItIsUsed) {
  const std::string Macro = "#define mb() do { __sync_synchronize(); } while (0)\n";
  Marked M = readMarks(Macro + function("  x = 1;\n  @mb();\n  r = y;\n  mb();\n"));
  EXPECT_EQ(change(request(M.Text), {RemoveFence{M.Places[0]}}), Macro + function("  x = 1;\n  r = y;\n  mb();\n"));
}

TEST_F(OrderEdits, FenceInsideAMacroOfManyUsesStays) {
  const std::string Macro = "#define PUT(v) do { v = 1; __sync_synchronize(); } while (0)\n";
  Marked M = readMarks(Macro + function("  @PUT(x);\n  PUT(y);\n"));
  EXPECT_EQ(change(request(M.Text), {RemoveFence{M.Places[0]}}),
            "refused: the fence is written in the macro 'PUT', which is used in other places too");
  M = readMarks(Macro + function("  @PUT(x);\n"));
  EXPECT_EQ(change(request(M.Text), {RemoveFence{M.Places[0]}}),
            "#define PUT(v) do { v = 1; } while (0)\n" + function("  PUT(x);\n"));
}

TEST_F(OrderEdits, WhatIsNoFenceIsNotTakenOut) {
  Marked M = readMarks(function("  x @= 1;\n"));
  EXPECT_EQ(change(request(M.Text), {RemoveFence{M.Places[0]}}), "refused: there is no fence here");
}

} // namespace
} // namespace picket
