#include "memory/EventSet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

namespace picket {
namespace {

using Set = EventSet<0>;
using Plain = std::set<EventId>;

static_assert(std::is_trivially_copyable_v<Set>); // the undo log copies bytes

Plain plain(const Set &S) {
  Plain All;
  EventId Last = 0;
  S.forEach([&](EventId E) {
    EXPECT_TRUE(All.empty() || E > Last) << "in order";
    Last = E;
    All.insert(E);
  });
  return All;
}

struct Pair {
  Set S;
  Plain P;
};

EventId anEvent(std::mt19937 &Random) {
  // Mostly near others, so that nodes fill up; now and then far off.
  switch (Random() % 8) {
  case 0: return Random() % 100'000;
  case 1: return Random() % 5'000'000;
  default: return Random() % 700;
  }
}

void expectTheSame(const std::vector<Pair> &All, std::mt19937 &Random) {
  for (const Pair &A : All) {
    ASSERT_EQ(plain(A.S), A.P);
    ASSERT_EQ(A.S.empty(), A.P.empty());
    if (!A.P.empty()) {
      ASSERT_EQ(A.S.first(), *A.P.begin());
      ASSERT_EQ(A.S.last(), *A.P.rbegin());
    }
    for (int K = 0; K < 20; ++K) {
      const EventId E = anEvent(Random);
      ASSERT_EQ(A.S.contains(E), A.P.count(E) != 0);
    }
    for (const Pair &B : All) {
      ASSERT_EQ(A.S == B.S, A.P == B.P);
      ASSERT_EQ(A.S.isSubsetOf(B.S), std::includes(B.P.begin(), B.P.end(), A.P.begin(), A.P.end()));
      ASSERT_EQ(A.S.intersects(B.S), std::any_of(A.P.begin(), A.P.end(), [&](EventId E) { return B.P.count(E) != 0; }));
    }
  }
}

void change(std::vector<Pair> &All, std::mt19937 &Random) {
  Pair &A = All[Random() % All.size()];
  const Pair B = All[Random() % All.size()];
  const EventId E = anEvent(Random);
  switch (Random() % 10) {
  case 0:
    A.S |= B.S;
    A.P.insert(B.P.begin(), B.P.end());
    break;
  case 1:
    A.S &= B.S;
    std::erase_if(A.P, [&](EventId X) { return !B.P.count(X); });
    break;
  case 2:
    A.S -= B.S;
    std::erase_if(A.P, [&](EventId X) { return B.P.count(X) != 0; });
    break;
  case 3:
    A.S.erase(E);
    A.P.erase(E);
    break;
  case 4:
    if (!A.P.empty()) {
      ASSERT_EQ(A.S.takeFirst(), *A.P.begin());
      A.P.erase(A.P.begin());
    }
    break;
  case 5:
    if (!A.P.empty()) {
      ASSERT_EQ(A.S.takeLast(), *A.P.rbegin());
      A.P.erase(std::prev(A.P.end()));
    }
    break;
  default:
    for (EventId K = 0; K < Random() % 70; ++K) {
      A.S.insert(E + K);
      A.P.insert(E + K);
    }
  }
}

TEST(LargeEventSet, IsASet) {
  Set::Scope Here;
  std::mt19937 Random(1);
  for (int Round = 0; Round < 60; ++Round) {
    std::vector<Pair> All(6);
    for (int K = 0; K < 150; ++K)
      ASSERT_NO_FATAL_FAILURE(change(All, Random));
    ASSERT_NO_FATAL_FAILURE(expectTheSame(All, Random)) << "round " << Round;
  }
}

/// As an exploration does: what is made in a scope is gone at its end, and what was there before is as it was.
void goDeeper(std::vector<Pair> All, std::mt19937 &Random, unsigned Depth) {
  for (int Branch = 0; Branch < 3; ++Branch) {
    Set::Scope Here;
    std::vector<Pair> Changed = All;
    for (int K = 0; K < 12; ++K)
      ASSERT_NO_FATAL_FAILURE(change(Changed, Random));
    if (Depth) {
      ASSERT_NO_FATAL_FAILURE(goDeeper(Changed, Random, Depth - 1));
    } else {
      ASSERT_NO_FATAL_FAILURE(expectTheSame(Changed, Random));
    }
    // A set that is made again is the one from before.
    for (size_t K = 0; K < All.size(); ++K) {
      Set Again;
      for (EventId E : All[K].P)
        Again.insert(E);
      ASSERT_EQ(Again.root(), All[K].S.root());
    }
  }
  ASSERT_NO_FATAL_FAILURE(expectTheSame(All, Random));
}

TEST(LargeEventSet, SurvivesWhatIsTakenBack) {
  const size_t Before = Set::bytesOfAll();
  for (unsigned Seed = 1; Seed <= 5; ++Seed) {
    Set::Scope Here;
    std::mt19937 Random(Seed);
    ASSERT_NO_FATAL_FAILURE(goDeeper(std::vector<Pair>(4), Random, 4)) << "seed " << Seed;
  }
  EXPECT_LE(Set::bytesOfAll(), Before + (1 << 20)) << "all of it was given back, but for the table";
}

TEST(LargeEventSet, SharesWhatSetsHaveInCommon) {
  Set::Scope Here;
  const size_t Before = Set::bytesOfAll();
  Set Growing;
  std::vector<Set> All;
  for (EventId E = 0; E < 20'000; ++E) {
    Growing.insert(E);
    All.push_back(All.empty() ? Growing : Growing | All.back());
  }
  EXPECT_EQ(plain(All.back()).size(), 20'000u);
  EXPECT_LT(Set::bytesOfAll() - Before, 20'000u * 400) << "20,000 sets of 10,000 events on average";
}

} // namespace
} // namespace picket
