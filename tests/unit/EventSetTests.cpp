#include "memory/EventSet.h"

#include <gtest/gtest.h>

#include <vector>

namespace picket {
namespace {

using Set = EventSet<4>;

Set of(std::initializer_list<EventId> Events) {
  Set S;
  for (EventId E : Events)
    S.insert(E);
  return S;
}

std::vector<EventId> list(const Set &S) {
  std::vector<EventId> All;
  S.forEach([&](EventId E) { All.push_back(E); });
  return All;
}

TEST(EventSet, HoldsEventsOfEveryWord) {
  const Set S = of({0, 63, 64, 255});
  EXPECT_EQ(Set::Capacity, 256u);
  for (EventId E = 0; E < Set::Capacity; ++E)
    EXPECT_EQ(S.contains(E), E == 0 || E == 63 || E == 64 || E == 255) << E;
  EXPECT_EQ(list(S), (std::vector<EventId>{0, 63, 64, 255}));
}

TEST(EventSet, InsertsAndErases) {
  Set S = of({5, 200});
  S.insert(5);
  EXPECT_EQ(S, of({5, 200}));
  S.erase(200);
  S.erase(7);
  EXPECT_EQ(S, of({5}));
  EXPECT_FALSE(S.empty());
  S.clear();
  EXPECT_TRUE(S.empty());
  EXPECT_EQ(S, Set());
}

TEST(EventSet, IsEmptyOnlyIfEveryWordIs) {
  EXPECT_TRUE(Set().empty());
  EXPECT_FALSE(of({130}).empty());
}

TEST(EventSet, CombinesLikeSets) {
  const Set A = of({1, 70, 140}), B = of({70, 140, 210});
  EXPECT_EQ(A | B, of({1, 70, 140, 210}));
  EXPECT_EQ(A & B, of({70, 140}));
  EXPECT_EQ(A - B, of({1}));
  EXPECT_EQ(B - A, of({210}));
  EXPECT_EQ(A, of({1, 70, 140}));
}

TEST(EventSet, ComparesLikeSets) {
  const Set A = of({1, 140}), B = of({1, 70, 140});
  EXPECT_TRUE(A.isSubsetOf(B));
  EXPECT_TRUE(A.isSubsetOf(A));
  EXPECT_FALSE(B.isSubsetOf(A));
  EXPECT_TRUE(Set().isSubsetOf(A));
  EXPECT_TRUE(A.intersects(B));
  EXPECT_FALSE(A.intersects(of({70})));
  EXPECT_FALSE(A.intersects(Set()));
}

TEST(EventSet, TakesOutTheFirst) {
  Set S = of({63, 64, 199});
  EXPECT_EQ(S.takeFirst(), 63u);
  EXPECT_EQ(S.takeFirst(), 64u);
  EXPECT_EQ(S.takeFirst(), 199u);
  EXPECT_TRUE(S.empty());
}

} // namespace
} // namespace picket
