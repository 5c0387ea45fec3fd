// Every memory model that is explored as graphs fulfils the conditions under which that is right, and models that do
// not are found out.
#include "memory/PowerAxioms.h"
#include "property/Environment.h"
#include "property/RmoAxioms.h"
#include "support/ModelConditions.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::Condition;

void expectAllConditions(const GraphModel &Model) {
  for (const auto &[What, Where] : testing::brokenConditions(Model, testing::programsOr(2000), testing::seedOr(41)))
    ADD_FAILURE() << nameOf(What) << ": " << Where;
}

TEST(ModelConditions, HoldForSc) { expectAllConditions(MemoryModel::SC); }
TEST(ModelConditions, HoldForTso) { expectAllConditions(MemoryModel::TSO); }
TEST(ModelConditions, HoldForPso) { expectAllConditions(MemoryModel::PSO); }
TEST(ModelConditions, HoldForPower) { expectAllConditions(MemoryModel::Power); }
TEST(ModelConditions, HoldForC11) { expectAllConditions(MemoryModel::C11); }
/// A write may come before an earlier access of its thread. Where that then finds no place the run is rejected.
TEST(ModelConditions, HoldForArmv8ButForRunsThatAreRejected) {
  auto Broken = testing::brokenConditions(MemoryModel::Armv8, testing::programsOr(2000), testing::seedOr(41));
  Broken.erase(Condition::NeverStuck);
  for (const auto &[What, Where] : Broken)
    ADD_FAILURE() << nameOf(What) << ": " << Where;
}
TEST(ModelConditions, HoldForAModelThatWasAdded) { expectAllConditions(testing::rmo()); }

// Models that are wrong, each in one way.

/// cb0: dependencies and nothing else. Valid, but runs get stuck (Fig. 5 of the paper).
template <unsigned Words> struct OnlyDependencies : PowerAxioms<Words> {
  using typename PowerAxioms<Words>::Graph, typename PowerAxioms<Words>::Set;
  Set commitBefore(const Graph &G, EventId E) const override { return G[E].Address | G[E].Data | G[E].Control; }
};

/// Program order: what POWER does out of order is never reached.
template <unsigned Words> struct InOrder : PowerAxioms<Words> {
  using typename PowerAxioms<Words>::Graph, typename PowerAxioms<Words>::Set;
  Set commitBefore(const Graph &G, EventId E) const override { return G[E].Before | G[E].Sync; }
};

/// A store may be made before it is known what it stores.
template <unsigned Words> struct WithoutData : PowerAxioms<Words> {
  using typename PowerAxioms<Words>::Graph, typename PowerAxioms<Words>::Set;
  Set commitBefore(const Graph &G, EventId E) const override {
    return PowerAxioms<Words>::commitBefore(G, E) - G[E].Data;
  }
};

/// An access may be made before it is known where earlier ones go: they may turn out to be of the same place.
template <unsigned Words> struct WithoutEarlierAddresses : PowerAxioms<Words> {
  using typename PowerAxioms<Words>::Graph, typename PowerAxioms<Words>::Set;
  Set commitBefore(const Graph &G, EventId E) const override {
    return PowerAxioms<Words>::commitBefore(G, E) - (G[E].AddressBefore - G[E].Address - G[E].Data - G[E].Control);
  }
};

/// What has to come first is forgotten once anything of its thread has been committed.
template <unsigned Words> struct Forgetful : PowerAxioms<Words> {
  using typename PowerAxioms<Words>::Graph, typename PowerAxioms<Words>::Set;
  Set commitBefore(const Graph &G, EventId E) const override {
    const Set All = PowerAxioms<Words>::commitBefore(G, E);
    return All.intersects(G.Committed) ? G[E].Address | G[E].Data | G[E].Control : All;
  }
};

/// An initial value can be read only where somebody writes another: more events make it right.
template <unsigned Words> struct WantsCompany : PowerAxioms<Words> {
  using typename PowerAxioms<Words>::Graph, typename PowerAxioms<Words>::Set;
  bool allows(const Graph &G, EventId E) const override {
    return PowerAxioms<Words>::allows(G, E) &&
           (G[E].IsWrite || G[E].Source != NoEvent || !G.Locations[G[E].Location].Coherence.empty());
  }
};

/// A new event is checked only if it is a read: cycles that a write closes are missed.
template <unsigned Words> struct ChecksReadsOnly : PowerAxioms<Words> {
  using typename PowerAxioms<Words>::Graph, typename PowerAxioms<Words>::Set;
  bool allows(const Graph &G, EventId E) const override { return G[E].IsWrite || PowerAxioms<Words>::allows(G, E); }
};

struct Wrong {
  const char *Name;
  GraphModel Model;
  Condition Breaks;
};

TEST(ModelConditions, EachIsBrokenByAModelThatIsWrong) {
  const Wrong Models[] = {
      {"only dependencies", GraphModel::of<OnlyDependencies>(MemoryModel::Power), Condition::NeverStuck},
      {"in order", GraphModel::of<InOrder>(MemoryModel::Power), Condition::HasNoCycle},
      {"without data", GraphModel::of<WithoutData>(MemoryModel::Power), Condition::HoldsDependencies},
      {"without earlier addresses", GraphModel::of<WithoutEarlierAddresses>(MemoryModel::Power),
       Condition::CommitBeforeStays},
      {"forgetful", GraphModel::of<Forgetful>(MemoryModel::Power), Condition::CommitBeforeGrows},
      {"wants company", GraphModel::of<WantsCompany>(MemoryModel::Power), Condition::AxiomsShrink},
      {"checks reads only", GraphModel::of<ChecksReadsOnly>(MemoryModel::Power), Condition::StepsAgree},
  };
  for (const Wrong &W : Models) {
    const auto Broken = testing::brokenConditions(W.Model, 2000, 42);
    EXPECT_TRUE(Broken.contains(W.Breaks)) << W.Name << ": nobody noticed";
  }
}

} // namespace
} // namespace picket
