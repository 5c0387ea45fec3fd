// The cheapest hitting set, against trying all subsets.
#include "fences/HittingSet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace picket {
namespace {

using Clauses = std::vector<std::vector<uint32_t>>;

bool hitsAll(uint32_t Set, const Clauses &All) {
  return std::all_of(All.begin(), All.end(), [&](const std::vector<uint32_t> &C) {
    return std::any_of(C.begin(), C.end(), [&](uint32_t E) { return Set >> E & 1; });
  });
}

uint64_t costOf(uint32_t Set, const std::vector<uint64_t> &Costs) {
  uint64_t Sum = 0;
  for (uint32_t E = 0; E < Costs.size(); ++E)
    if (Set >> E & 1)
      Sum += Costs[E];
  return Sum;
}

TEST(HittingSet, OfNothingIsEmpty) {
  EXPECT_EQ(cheapestHittingSet({}, {}), std::vector<uint32_t>());
  EXPECT_EQ(cheapestHittingSet({3, 4}, {}), std::vector<uint32_t>());
}

TEST(HittingSet, AnEmptyClauseCannotBeHit) { EXPECT_EQ(cheapestHittingSet({1}, {{0}, {}}), std::nullopt); }

TEST(HittingSet, OneThatHitsTwoMayCostLessThanTwo) {
  EXPECT_EQ(cheapestHittingSet({2, 2, 3}, {{0, 2}, {1, 2}}), (std::vector<uint32_t>{2}));
  EXPECT_EQ(cheapestHittingSet({2, 2, 5}, {{0, 2}, {1, 2}}), (std::vector<uint32_t>{0, 1}));
}

TEST(HittingSet, StopsWhenAsked) {
  // Clauses of three out of many elements: far too many sets to look at before the question.
  Clauses All;
  std::mt19937 Random(1);
  auto Any = [&] { return static_cast<uint32_t>(Random() % 90); };
  for (unsigned K = 0; K < 400; ++K)
    All.push_back({Any(), Any(), Any()});
  EXPECT_EQ(cheapestHittingSet(std::vector<uint64_t>(90, 1), All, [] { return true; }), std::nullopt);
}

TEST(HittingSet, IsAsCheapAsTheCheapestSubset) {
  std::mt19937 Random(20);
  for (unsigned Round = 0; Round < 3000; ++Round) {
    const auto Elements = static_cast<uint32_t>(1 + Random() % 11);
    std::vector<uint64_t> Costs;
    for (uint32_t E = 0; E < Elements; ++E)
      Costs.push_back(1 + Random() % 7);
    Clauses All(Random() % 9);
    for (std::vector<uint32_t> &C : All)
      for (auto Length = 1 + Random() % 4; Length > 0; --Length)
        C.push_back(static_cast<uint32_t>(Random() % Elements));
    uint64_t Least = ~0ull;
    for (uint32_t Set = 0; Set < 1u << Elements; ++Set)
      if (hitsAll(Set, All))
        Least = std::min(Least, costOf(Set, Costs));
    const std::optional<std::vector<uint32_t>> Found = cheapestHittingSet(Costs, All);
    ASSERT_TRUE(Found);
    uint32_t Set = 0;
    for (uint32_t E : *Found)
      Set |= 1u << E;
    EXPECT_TRUE(hitsAll(Set, All)) << "round " << Round;
    EXPECT_EQ(costOf(Set, Costs), Least) << "round " << Round;
    EXPECT_EQ(cheapestHittingSet(Costs, All), Found);
  }
}

} // namespace
} // namespace picket
