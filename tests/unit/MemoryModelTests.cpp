// The table of memory models.
#include "memory/MemoryModel.h"

#include <gtest/gtest.h>

#include <set>

namespace picket {
namespace {

TEST(MemoryModels, HaveNamesOfTheirOwn) {
  std::set<std::string> Names, Titles;
  for (const MemoryModelInfo &M : MemoryModels) {
    EXPECT_TRUE(Names.insert(M.Name).second) << M.Name;
    EXPECT_TRUE(Titles.insert(M.Title).second) << M.Title;
    EXPECT_EQ(modelNamed(M.Name), M.Model);
    EXPECT_EQ(&infoOf(M.Model), &M);
  }
}

TEST(MemoryModels, AreNamedInLists) {
  EXPECT_EQ(modelNames(), "sc, tso, pso, armv8, power, c11");
  EXPECT_EQ(namesOf(monitoredModels(), " and "), "tso and pso");
  EXPECT_EQ(titlesOf({MemoryModel::SC, MemoryModel::TSO, MemoryModel::Power}), "SC, TSO and POWER");
  EXPECT_EQ(titlesOf({MemoryModel::PSO}), "PSO");
  EXPECT_EQ(titlesOf({}), "");
}

TEST(MemoryModels, AreParsedOnceEachAndInOrder) {
  std::string Wrong;
  EXPECT_EQ(modelsNamed({"PSO", "sc", "pso"}, Wrong), (std::vector{MemoryModel::PSO, MemoryModel::SC}));
  EXPECT_EQ(Wrong, "");
  EXPECT_TRUE(modelsNamed({"sc", "alpha"}, Wrong).empty());
  EXPECT_EQ(Wrong, "'alpha' is no memory model (sc, tso, pso, armv8, power, c11)");
}

TEST(MemoryModels, HaveOtherNames) {
  std::string Wrong;
  EXPECT_EQ(modelsNamed({"x86", "ARM64", "rc11", "tso"}, Wrong),
            (std::vector{MemoryModel::TSO, MemoryModel::Armv8, MemoryModel::C11}));
  EXPECT_EQ(Wrong, "");
  for (const MemoryModelInfo &M : MemoryModels)
    for (const MemoryModelInfo &Other : MemoryModels)
      EXPECT_FALSE(M.Alias && std::string(M.Alias) == Other.Name) << M.Alias;
}

TEST(MemoryModels, AreWeakerThanModelsBeforeThemOnly) {
  for (const MemoryModelInfo &Weaker : MemoryModels)
    for (const MemoryModelInfo &Stronger : MemoryModels) {
      if (!isWeaker(Weaker.Model, Stronger.Model))
        continue;
      EXPECT_LT(Stronger.Model, Weaker.Model) << Weaker.Name << " and " << Stronger.Name;
      for (const MemoryModelInfo &M : MemoryModels)
        EXPECT_TRUE(!isWeaker(Stronger.Model, M.Model) || isWeaker(Weaker.Model, M.Model))
            << Weaker.Name << ", " << Stronger.Name << " and " << M.Name;
    }
  for (const MemoryModelInfo &M : MemoryModels)
    EXPECT_EQ(isWeaker(M.Model, MemoryModel::SC), M.Model != MemoryModel::SC) << M.Name;
}

TEST(MemoryModels, CanDoWhatTheirExplorerCan) {
  for (const MemoryModelInfo &M : MemoryModels) {
    const bool Graphs = isExploredAsGraphs(M.Model);
    EXPECT_NE(M.Chronological, Graphs) << M.Name;
    EXPECT_FALSE(Graphs && (M.Searched || M.Monitored)) << M.Name << ": both run store buffers";
    EXPECT_EQ(!Graphs && M.Buffers == Buffering::None, M.Model == MemoryModel::SC) << M.Name;
  }
}

} // namespace
} // namespace picket
