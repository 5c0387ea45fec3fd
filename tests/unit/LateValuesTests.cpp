// Values that wait for loads: when they are known, what they are made from, and going back.
#include "machine/LateValues.h"
#include "memory/EventSet.h"

#include <gtest/gtest.h>
#include <map>

using namespace picket;

namespace {

using Loads = EventSet<1>;

/// Events whose results are known once they are committed, and calls that add up their arguments.
struct Results {
  std::map<EventId, uint64_t> Committed;
  std::vector<std::vector<LateValue>> Calls;
  LateValues<Loads> *Values = nullptr;
  uint32_t CallsMade = 0;

  bool isCommitted(EventId E) const { return Committed.contains(E); }
  uint64_t resultOf(EventId E, ResultPart Part, uint64_t Expected, uint64_t) {
    return Part == ResultPart::Success ? Committed[E] == Expected : Committed[E];
  }
  const std::vector<LateValue> &argumentsOf(uint32_t Call) const { return Calls[Call]; }
  uint64_t makeCall(uint32_t Call) {
    ++CallsMade;
    uint64_t Sum = 0;
    for (const LateValue &V : Calls[Call])
      Sum += V.Node ? (*Values)[V.Node].Bits : V.Bits;
    return Sum;
  }
};

class LateValuesTest : public testing::Test {
protected:
  LateValuesTest() {
    Undo.setRecording(true);
    Prog.Code.push_back({.Op = Opcode::Add, .Width = 32});
    From.Values = &Values;
  }

  /// Their sum on 32 bits, as the instruction of the program.
  LateValue sumOf(LateValue A, LateValue B) {
    LateValues<Loads>::Node N;
    N.A = A;
    N.B = B;
    N.Loads = Values.loadsOf(A) | Values.loadsOf(B);
    return {0, Values.add(N)};
  }
  LateValue load(EventId E) { return {0, Values.addResult(E, ResultPart::Whole)}; }
  bool isKnown(const LateValue &V) {
    uint64_t Bits;
    return Values.resolve(V, Bits, From);
  }
  uint64_t bitsOf(const LateValue &V) {
    uint64_t Bits = 0;
    EXPECT_TRUE(Values.resolve(V, Bits, From));
    return Bits;
  }

  Program Prog;
  UndoLog Undo;
  LateValues<Loads> Values{Prog, Undo};
  Results From;
};

TEST_F(LateValuesTest, WaitForAllTheirLoads) {
  const LateValue Sum = sumOf(load(3), sumOf(load(5), {1, 0}));
  EXPECT_FALSE(isKnown(Sum));
  From.Committed[5] = 0xffffffff;
  EXPECT_FALSE(isKnown(Sum));
  From.Committed[3] = 7;
  EXPECT_EQ(bitsOf(Sum), 7u);
  Loads Both;
  Both.insert(3);
  Both.insert(5);
  EXPECT_EQ(Values.loadsOf(Sum), Both);
}

TEST_F(LateValuesTest, WhatIsKnownIsTakenBack) {
  const LateValue Sum = sumOf(load(0), {2, 0});
  const UndoLog::Mark Before = Undo.mark();
  From.Committed[0] = 40;
  EXPECT_EQ(bitsOf(Sum), 42u);
  From.Committed.clear();
  EXPECT_EQ(bitsOf(Sum), 42u) << "it is remembered";
  Undo.undoTo(Before);
  EXPECT_FALSE(isKnown(Sum));
  From.Committed[0] = 50;
  EXPECT_EQ(bitsOf(Sum), 52u);
}

TEST_F(LateValuesTest, PartsAreJoined) {
  const uint32_t Low = Values.addResult(1, ResultPart::Whole), High = Values.addResult(2, ResultPart::Whole);
  const LateValue Whole{0, Values.addJoined(Low, High, 8)};
  From.Committed = {{1, 0x34}, {2, 0x12}};
  EXPECT_EQ(bitsOf(Whole), 0x1234u);
}

TEST_F(LateValuesTest, SuccessWaitsForWhatIsExpected) {
  const LateValue Success{0, Values.addSuccess(1, load(0), {0, 0})};
  From.Committed[1] = 9;
  EXPECT_FALSE(isKnown(Success));
  From.Committed[0] = 9;
  EXPECT_EQ(bitsOf(Success), 1u);
  EXPECT_TRUE(Values.loadsOf(Success).contains(0));
}

TEST_F(LateValuesTest, LateCallsAreMadeOnce) {
  From.Calls.push_back({load(0), {5, 0}});
  LateValues<Loads>::Node N;
  N.Kind = LateValues<Loads>::Node::Called;
  const LateValue Result{0, Values.add(N)};
  EXPECT_FALSE(isKnown(Result));
  From.Committed[0] = 3;
  EXPECT_EQ(bitsOf(Result), 8u);
  EXPECT_EQ(bitsOf(sumOf(Result, Result)), 16u);
  EXPECT_EQ(From.CallsMade, 1u);
}

TEST_F(LateValuesTest, LongChainsNeedNoStack) {
  LateValue Sum = load(0);
  for (int K = 0; K < 1'000'000; ++K)
    Sum = sumOf(Sum, {1, 0});
  From.Committed[0] = 1;
  EXPECT_EQ(bitsOf(Sum), 1'000'001u);
}

} // namespace
