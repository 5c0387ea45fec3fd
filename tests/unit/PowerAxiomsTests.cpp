// Each axiom of POWER, and each relation it is made of, on graphs of a few events: what is allowed and what is not.
#include "support/PowerGraph.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::PowerGraph;
constexpr uint32_t X = 0, Y = 1, Z = 2;

// Fences.

struct TwoAccesses {
  PowerGraph P;
  EventId First, Second;

  TwoAccesses(bool FirstWrites, void (PowerGraph::*Fence)(uint32_t), bool SecondWrites) {
    First = FirstWrites ? P.write(0, X) : P.read(0, X);
    (P.*Fence)(0);
    Second = SecondWrites ? P.write(0, Y) : P.read(0, Y);
    FirstWrites ? P.writes(First) : P.readsInitial(First);
    SecondWrites ? P.writes(Second) : P.readsInitial(Second);
  }
  bool full() { return PowerAxioms<1>::fullFence(P.G, Second).contains(First); }
  bool light() { return PowerAxioms<1>::lightFence(P.G, Second).contains(First); }
  bool ordered() { return P.G[Second].Order.contains(First); }
};

TEST(PowerAxioms, SyncOrdersEverything) {
  for (bool First : {false, true})
    for (bool Second : {false, true}) {
      TwoAccesses T(First, &PowerGraph::sync, Second);
      EXPECT_TRUE(T.full() && T.ordered()) << First << Second;
      EXPECT_FALSE(T.light());
    }
}

TEST(PowerAxioms, LwsyncOrdersEverythingButStoreLoad) {
  for (bool First : {false, true})
    for (bool Second : {false, true}) {
      TwoAccesses T(First, &PowerGraph::lwsync, Second);
      EXPECT_EQ(T.light(), !First || Second);
      EXPECT_EQ(T.ordered(), !First || Second);
      EXPECT_FALSE(T.full());
    }
}

TEST(PowerAxioms, EieioOrdersStoresOnly) {
  for (bool First : {false, true})
    for (bool Second : {false, true}) {
      TwoAccesses T(First, &PowerGraph::eieio, Second);
      EXPECT_EQ(T.light(), First && Second);
      EXPECT_EQ(T.ordered(), First && Second);
      EXPECT_FALSE(T.full());
    }
}

TEST(PowerAxioms, FencesOrderOnlyWhatStandsOnBothSides) {
  PowerGraph P;
  EventId Before = P.write(0, X);
  P.sync(0);
  EventId Behind = P.write(0, Y), Last = P.write(0, Z), Other = P.write(1, Z);
  for (EventId E : {Before, Behind, Last, Other})
    P.writes(E);
  EXPECT_EQ(PowerAxioms<1>::fullFence(P.G, Behind), P.set({Before}));
  EXPECT_EQ(PowerAxioms<1>::fullFence(P.G, Last), P.set({Before}));
  EXPECT_TRUE(PowerAxioms<1>::fullFence(P.G, Other).empty());
}

// Preserved program order.

/// Whether a load of X is preserved before a second access that is tied to it somehow.
template <typename Tie> bool preserved(bool SecondWrites, Tie Make) {
  PowerGraph P;
  EventId First = P.read(0, X);
  EventId Second = Make(P, First, SecondWrites);
  P.readsInitial(First);
  EXPECT_TRUE(SecondWrites ? P.writes(Second) : P.readsInitial(Second));
  return P.G[Second].Order.contains(First);
}

EventId another(PowerGraph &P, bool Writes, const testing::Needs &From = {}) {
  return Writes ? P.write(0, Y, From) : P.read(0, Y, From);
}

TEST(PowerAxioms, ProgramOrderAloneIsNotPreserved) {
  for (bool Writes : {false, true})
    EXPECT_FALSE(preserved(Writes, [](PowerGraph &P, EventId, bool W) { return another(P, W); }));
}

TEST(PowerAxioms, AddressDependenciesArePreserved) {
  for (bool Writes : {false, true})
    EXPECT_TRUE(preserved(Writes, [](PowerGraph &P, EventId On, bool W) { return another(P, W, {.Address = {On}}); }));
}

TEST(PowerAxioms, DataDependenciesArePreserved) {
  EXPECT_TRUE(preserved(true, [](PowerGraph &P, EventId On, bool W) { return another(P, W, {.Data = {On}}); }));
}

TEST(PowerAxioms, ControlDependenciesArePreservedToStores) {
  auto Tie = [](PowerGraph &P, EventId On, bool W) {
    P.branch(0, On);
    return another(P, W);
  };
  EXPECT_TRUE(preserved(true, Tie));
  EXPECT_FALSE(preserved(false, Tie));
}

TEST(PowerAxioms, ControlDependenciesWithIsyncArePreserved) {
  auto Tie = [](PowerGraph &P, EventId On, bool W) {
    P.branch(0, On);
    P.isync(0);
    return another(P, W);
  };
  EXPECT_TRUE(preserved(true, Tie));
  EXPECT_TRUE(preserved(false, Tie));
}

TEST(PowerAxioms, AnIsyncWithoutABranchPreservesNothing) {
  for (bool Writes : {false, true})
    EXPECT_FALSE(preserved(Writes, [](PowerGraph &P, EventId, bool W) {
      P.isync(0);
      return another(P, W);
    }));
}

TEST(PowerAxioms, WhatFollowsAnAddressDependencyIsPreservedIfItStores) {
  auto Tie = [](PowerGraph &P, EventId On, bool W) {
    EventId Between = P.read(0, Z, {.Address = {On}});
    EventId Second = another(P, W);
    // Addresses have to be known first.
    EXPECT_TRUE(P.Model.commitBefore(P.G, Second).contains(On));
    (void)Between;
    return Second;
  };
  EXPECT_TRUE(preserved(true, Tie));
  EXPECT_FALSE(preserved(false, Tie));
}

TEST(PowerAxioms, DependenciesGoOnThroughOwnStores) { // data ; rfi ; address
  PowerGraph P;
  EventId First = P.read(0, X), Store = P.write(0, Z, {.Data = {First}}), Back = P.read(0, Z),
          Last = P.read(0, Y, {.Address = {Back}});
  P.readsInitial(First);
  P.writes(Store);
  ASSERT_TRUE(P.reads(Back, Store));
  ASSERT_TRUE(P.readsInitial(Last));
  EXPECT_TRUE(P.G[Back].II.contains(Store));
  EXPECT_TRUE(P.G[Last].Order.contains(First));
}

TEST(PowerAxioms, ReadsOfDifferentForeignWritesArePreserved) { // rdw
  PowerGraph P;
  EventId Write = P.write(1, X), First = P.read(0, X), Second = P.read(0, X);
  P.readsInitial(First);
  P.writes(Write);
  ASSERT_TRUE(P.reads(Second, Write));
  EXPECT_TRUE(P.G[Second].II.contains(First));
  EXPECT_TRUE(P.G[Second].Order.contains(First));
}

TEST(PowerAxioms, ReadsOfTheSameWriteAreNotPreserved) {
  PowerGraph P;
  EventId Write = P.write(1, X), First = P.read(0, X), Second = P.read(0, X);
  P.writes(Write);
  P.reads(First, Write);
  ASSERT_TRUE(P.reads(Second, Write));
  EXPECT_FALSE(P.G[Second].Order.contains(First));
}

TEST(PowerAxioms, DetoursArePreserved) { // own store, then a read of a foreign one that overtook it
  PowerGraph P;
  EventId Load = P.read(0, Y), Own = P.write(0, X, {.Data = {Load}}), Foreign = P.write(1, X), Read = P.read(0, X);
  P.readsInitial(Load);
  P.writes(Own);
  P.writes(Foreign);
  ASSERT_TRUE(P.reads(Read, Foreign));
  EXPECT_TRUE(P.G[Read].CI.contains(Own));
  EXPECT_TRUE(P.G[Read].Order.contains(Load));
}

TEST(PowerAxioms, AForeignStoreFromBeforeMakesNoDetour) {
  PowerGraph P;
  EventId Own = P.write(0, X), Foreign = P.write(1, X), Read = P.read(0, X);
  P.writes(Foreign);
  P.writes(Own);
  EXPECT_FALSE(P.reads(Read, Foreign)); // SC per location
  ASSERT_TRUE(P.reads(Read, Own));
  EXPECT_TRUE(P.G[Read].CI.empty());
  EXPECT_TRUE(P.G[Read].II.contains(Own)); // rfi
}

// SC per location.

TEST(PowerAxioms, ReadsOfAPlaceDoNotGoBack) { // CoRR
  PowerGraph P;
  EventId Write = P.write(1, X), First = P.read(0, X), Second = P.read(0, X);
  P.writes(Write);
  P.reads(First, Write);
  EXPECT_FALSE(P.readsInitial(Second));
  EXPECT_TRUE(P.reads(Second, Write));
}

TEST(PowerAxioms, AReadSeesWhatItsThreadWrote) { // CoWR
  PowerGraph P;
  EventId Own = P.write(0, X), Foreign = P.write(1, X), Read = P.read(0, X);
  P.writes(Foreign);
  P.writes(Own);
  EXPECT_FALSE(P.readsInitial(Read));
  EXPECT_FALSE(P.reads(Read, Foreign));
  EXPECT_TRUE(P.reads(Read, Own));
}

TEST(PowerAxioms, AWriteComesAfterWhatItsThreadRead) { // CoRW
  PowerGraph P;
  EventId Foreign = P.write(1, X), Read = P.read(0, X), Own = P.write(0, X);
  P.writes(Foreign);
  P.reads(Read, Foreign);
  EXPECT_FALSE(P.writes(Own, 1));
  EXPECT_TRUE(P.writes(Own, 2));
}

TEST(PowerAxioms, WritesOfAThreadStayInOrder) { // CoWW
  PowerGraph P;
  EventId First = P.write(0, X), Second = P.write(0, X);
  P.writes(First);
  EXPECT_FALSE(P.writes(Second, 1));
  EXPECT_TRUE(P.writes(Second, 2));
}

// Observation.

/// Message passing: whether the reader may miss the data.
template <typename WriterTie, typename ReaderTie> bool missesData(WriterTie Writer, ReaderTie Reader) {
  PowerGraph P;
  EventId Data = P.write(0, X);
  Writer(P);
  EventId Flag = P.write(0, Y), SeesFlag = P.read(1, Y), SeesData = Reader(P, SeesFlag);
  P.writes(Data);
  P.writes(Flag);
  P.reads(SeesFlag, Flag);
  return P.readsInitial(SeesData);
}
const auto Loosely = [](PowerGraph &P, EventId) { return P.read(1, X); };
const auto ByAddress = [](PowerGraph &P, EventId On) { return P.read(1, X, {.Address = {On}}); };
const auto ByControl = [](PowerGraph &P, EventId On) {
  P.branch(1, On);
  return P.read(1, X);
};
const auto ByControlISync = [](PowerGraph &P, EventId On) {
  P.branch(1, On);
  P.isync(1);
  return P.read(1, X);
};
const auto ByLwsync = [](PowerGraph &P, EventId) {
  P.lwsync(1);
  return P.read(1, X);
};

TEST(PowerAxioms, MessagePassingNeedsBothSides) {
  auto Nothing = [](PowerGraph &) {};
  auto Sync = [](PowerGraph &P) { P.sync(0); };
  auto Lwsync = [](PowerGraph &P) { P.lwsync(0); };
  auto Eieio = [](PowerGraph &P) { P.eieio(0); };
  EXPECT_TRUE(missesData(Nothing, ByLwsync));
  EXPECT_TRUE(missesData(Sync, Loosely));
  EXPECT_TRUE(missesData(Sync, ByControl));
  EXPECT_FALSE(missesData(Sync, ByAddress));
  EXPECT_FALSE(missesData(Lwsync, ByAddress));
  EXPECT_FALSE(missesData(Eieio, ByAddress));
  EXPECT_FALSE(missesData(Lwsync, ByControlISync));
  EXPECT_FALSE(missesData(Lwsync, ByLwsync));
}

/// A write is seen by a second thread, which then writes what a third one sees: WRC.
template <typename MiddleTie> bool missesCause(MiddleTie Middle) {
  PowerGraph P;
  EventId Cause = P.write(0, X), Sees = P.read(2, X), Passes = Middle(P, Sees), Told = P.read(1, Y),
          Looks = P.read(1, X, {.Address = {Told}});
  P.writes(Cause);
  P.reads(Sees, Cause);
  P.writes(Passes);
  P.reads(Told, Passes);
  return P.readsInitial(Looks);
}

TEST(PowerAxioms, WriteToReadCausalityNeedsAFenceInTheMiddle) {
  EXPECT_TRUE(missesCause([](PowerGraph &P, EventId On) { return P.write(2, Y, {.Data = {On}}); }));
  EXPECT_FALSE(missesCause([](PowerGraph &P, EventId) {
    P.lwsync(2);
    return P.write(2, Y);
  }));
  EXPECT_FALSE(missesCause([](PowerGraph &P, EventId) {
    P.sync(2);
    return P.write(2, Y);
  }));
}

/// ISA2: the fence is in the first thread; the rest follows by dependencies.
bool missesFirst(bool Fenced, bool Depends) {
  PowerGraph P;
  EventId First = P.write(0, X);
  if (Fenced)
    P.lwsync(0);
  EventId Flag = P.write(0, Y), Sees = P.read(1, Y);
  EventId Passes = Depends ? P.write(1, Z, {.Data = {Sees}}) : P.write(1, Z);
  EventId Told = P.read(2, Z), Looks = P.read(2, X, {.Address = {Told}});
  P.writes(First);
  P.writes(Flag);
  P.reads(Sees, Flag);
  P.writes(Passes);
  P.reads(Told, Passes);
  return P.readsInitial(Looks);
}

TEST(PowerAxioms, FencesAreCumulative) {
  EXPECT_FALSE(missesFirst(true, true));
  EXPECT_TRUE(missesFirst(true, false));
  EXPECT_TRUE(missesFirst(false, true));
}

/// The write that was missed may also be the one that comes last.
TEST(PowerAxioms, ObservationIsCheckedWhenTheWriteComesLast) {
  for (bool Full : {false, true}) {
    PowerGraph P;
    EventId One = P.write(0, X);
    Full ? P.sync(0) : P.lwsync(0);
    EventId Reads = P.read(0, Y);
    EventId Two = P.write(1, Y);
    Full ? P.sync(1) : P.lwsync(1);
    EventId Other = P.read(1, X);
    P.writes(One);
    P.readsInitial(Reads);
    // The other thread's write comes later than the read that missed it, and its read must not miss the first.
    ASSERT_TRUE(P.writes(Two));
    EXPECT_EQ(P.readsInitial(Other), !Full);
    EXPECT_TRUE(!Full || P.reads(Other, One));
  }
}

/// IRIW: two readers disagree on the order of two independent writes.
bool disagree(void (PowerGraph::*Fence)(uint32_t)) {
  PowerGraph P;
  EventId WriteX = P.write(0, X), WriteY = P.write(1, Y);
  EventId X2 = P.read(2, X);
  (P.*Fence)(2);
  EventId Y2 = P.read(2, Y), Y3 = P.read(3, Y);
  (P.*Fence)(3);
  EventId X3 = P.read(3, X);
  P.writes(WriteX);
  P.writes(WriteY);
  P.reads(X2, WriteX);
  P.readsInitial(Y2);
  P.reads(Y3, WriteY);
  return P.readsInitial(X3);
}

TEST(PowerAxioms, OnlySyncMakesReadersAgree) {
  EXPECT_TRUE(disagree(&PowerGraph::lwsync));
  EXPECT_FALSE(disagree(&PowerGraph::sync));
}

// Propagation.

/// 2+2W: both first writes end up last.
bool firstWritesLast(void (PowerGraph::*Fence)(uint32_t)) {
  PowerGraph P;
  EventId X1 = P.write(0, X);
  if (Fence)
    (P.*Fence)(0);
  EventId Y2 = P.write(0, Y), Y1 = P.write(1, Y);
  if (Fence)
    (P.*Fence)(1);
  EventId X2 = P.write(1, X);
  P.writes(X1);
  P.writes(Y2);
  P.writes(Y1, 2); // behind Y2
  return P.writes(X2, 1);
}

TEST(PowerAxioms, FencesKeepWritesInOneOrder) {
  EXPECT_TRUE(firstWritesLast(nullptr));
  EXPECT_FALSE(firstWritesLast(&PowerGraph::eieio));
  EXPECT_FALSE(firstWritesLast(&PowerGraph::lwsync));
  EXPECT_FALSE(firstWritesLast(&PowerGraph::sync));
}

/// R: a write that lost the race, and a read behind it that misses the winner's first write.
bool losesAndMisses(void (PowerGraph::*First)(uint32_t), void (PowerGraph::*Second)(uint32_t)) {
  PowerGraph P;
  EventId WriteX = P.write(0, X);
  (P.*First)(0);
  EventId Winner = P.write(0, Y), Loser = P.write(1, Y);
  (P.*Second)(1);
  EventId Read = P.read(1, X);
  P.writes(WriteX);
  P.writes(Winner);
  P.writes(Loser, 2); // overwrites it
  return P.readsInitial(Read);
}

TEST(PowerAxioms, AStoreAndALoadNeedSync) {
  EXPECT_TRUE(losesAndMisses(&PowerGraph::sync, &PowerGraph::lwsync));
  EXPECT_TRUE(losesAndMisses(&PowerGraph::lwsync, &PowerGraph::lwsync));
  EXPECT_FALSE(losesAndMisses(&PowerGraph::sync, &PowerGraph::sync));
}

TEST(PowerAxioms, CommunicationLeadsFromEverythingEarlierInCoherence) {
  PowerGraph P;
  EventId One = P.write(0, X), Two = P.write(1, X), Early = P.read(2, X), Middle = P.read(3, X), Late = P.read(4, X),
          Elsewhere = P.write(0, Y);
  P.readsInitial(Early);
  P.writes(One);
  P.reads(Middle, One);
  P.writes(Two);
  P.reads(Late, Two);
  P.writes(Elsewhere);
  EXPECT_EQ(PowerAxioms<1>::communicatesTo(P.G, P.set({Two})), P.set({Early, One, Middle, Two}));
  EXPECT_EQ(PowerAxioms<1>::communicatesTo(P.G, P.set({Late})), P.set({Early, One, Middle, Two, Late}));
  EXPECT_EQ(PowerAxioms<1>::communicatesTo(P.G, P.set({Early})), P.set({Early}));
  EXPECT_EQ(PowerAxioms<1>::communicatesTo(P.G, P.set({Elsewhere, One})), P.set({Early, One, Elsewhere}));
}

// Atomicity.

TEST(PowerAxioms, NobodyWritesIntoAnUpdate) {
  PowerGraph P;
  EventId Read = P.update(0, X), Write = Read + 1, Foreign = P.write(1, X);
  ASSERT_TRUE(P.readsInitial(Read));
  ASSERT_TRUE(P.writes(Write));
  EXPECT_FALSE(P.writes(Foreign, 1));
  EXPECT_TRUE(P.writes(Foreign, 2));
}

TEST(PowerAxioms, AnUpdateStandsBehindWhatItRead) {
  PowerGraph P;
  EventId Read = P.update(0, X), Write = Read + 1, Foreign = P.write(1, X);
  ASSERT_TRUE(P.readsInitial(Read));
  ASSERT_TRUE(P.writes(Foreign));
  EXPECT_FALSE(P.writes(Write, 2));
  EXPECT_TRUE(P.writes(Write, 1));
}

// Commit-before.

TEST(PowerAxioms, CommitBeforeHasWhatMustBeKnownFirst) {
  PowerGraph P;
  EventId Load = P.read(0, X), Other = P.read(0, Y), Store = P.write(0, Z, {.Data = {Load}});
  P.branch(0, Other);
  EventId Behind = P.write(0, X), Free = P.read(1, X);
  EXPECT_EQ(P.Model.commitBefore(P.G, Other), P.set({}));
  EXPECT_EQ(P.Model.commitBefore(P.G, Store), P.set({Load}));
  EXPECT_EQ(P.Model.commitBefore(P.G, Behind), P.set({Other, Load})); // Load: of the same place
  EXPECT_EQ(P.Model.commitBefore(P.G, Free), P.set({}));
}

/// Unions of rows are kept for as long as their events are committed (RowUnions).
TEST(CommittedRows, AreAssertedToStayAsTheyAre) {
#ifdef NDEBUG
  GTEST_SKIP() << "assertions are off";
#else
  auto ChangeRowOf = [](EventId Changed) {
    PowerGraph P;
    const EventId First = P.write(0, X), Second = P.write(0, Y);
    P.writes(First);
    P.writes(Second);
    P.G[Changed].II.insert(Second);
    P.G.uncommitWrite(Second);
    P.G.uncommitWrite(First);
  };
  EXPECT_DEATH(ChangeRowOf(0), "rows of committed events do not change");
  ChangeRowOf(1); // nothing was committed after it: its rows may still be filled in
#endif
}

} // namespace
} // namespace picket
