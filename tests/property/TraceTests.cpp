// Traces of random programs: Theorem 1 of "Stateless Model Checking for TSO and PSO" over all their executions, and
// what must hold of every execution that is told.
#include "RandomProgram.h"
#include "property/Environment.h"
#include "support/Recordings.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::Statement;

const testing::Palette Everything = {
    Statement::Store,       Statement::Load,     Statement::Copy,         Statement::FullFence, Statement::ReleaseFence,
    Statement::StoreSeqCst, Statement::Guarded,  Statement::StoreRelease, Statement::FetchAdd,  Statement::RelaxedAdd,
    Statement::Narrow,      Statement::Exchange, Statement::CompareSwap,  Statement::LockedAdd};

/// Equal chronological traces if and only if equal Shasha-Snir traces.
void expectTheorem1(MemoryModel Buffers, unsigned Seed) {
  std::mt19937 Random(testing::seedOr(Seed));
  size_t Executions = 0, Traces = 0, Complete = 0, Programs = testing::programsOr(2000);
  for (size_t K = 0; K < Programs; ++K) {
    testing::RandomProgram Random1 = testing::makeProgram(Random, Everything, 3, 3);
    Program P = testing::compile(testing::requestForText(Random1.text()));
    std::map<std::set<std::string>, std::set<std::string>> Chronological, ShashaSnir; // one to the other
    Complete += testing::forEachExecution(P, Buffers, 5000, [&](Recording R) {
      auto A = testing::canonicalEdges(R, chronologicalTrace(R)), B = testing::canonicalEdges(R, shashaSnirTrace(R));
      ++Executions;
      ASSERT_EQ(Chronological.try_emplace(A, B).first->second, B) << Random1.text();
      ASSERT_EQ(ShashaSnir.try_emplace(B, A).first->second, A) << Random1.text();
    });
    Traces += Chronological.size();
    if (::testing::Test::HasFatalFailure())
      return;
  }
  EXPECT_GT(Executions, Traces);
  EXPECT_GE(Complete, testing::atLeast(0.95, Programs)) << "all executions of nearly all programs";
  std::printf("%zu programs, all executions of %zu; %zu executions, %zu traces\n", Programs, Complete, Executions,
              Traces);
}

TEST(Theorem1, ChronologicalTracesAreEqualIfAndOnlyIfShashaSnirTracesAreUnderTso) {
  expectTheorem1(MemoryModel::TSO, 1);
}
TEST(Theorem1, ChronologicalTracesAreEqualIfAndOnlyIfShashaSnirTracesAreUnderPso) {
  expectTheorem1(MemoryModel::PSO, 2);
}

/// Every execution can be told in the most sequential order, and what is told is an execution.
void expectLegalTellings(MemoryModel Buffers, unsigned Seed) {
  std::mt19937 Random(testing::seedOr(Seed));
  const unsigned Programs = testing::programsOr(300), Runs = 10;
  size_t Cyclic = 0;
  for (unsigned K = 0; K < Programs; ++K) {
    testing::RandomProgram Text = testing::makeProgram(Random, Everything, 3, 5);
    Program P = testing::compile(testing::requestForText(Text.text()));
    for (unsigned Run = 0; Run < Runs; ++Run) {
      Counterexample C = explain(testing::randomExecution(P, Buffers, Random));
      ASSERT_EQ(testing::problemOf(C), "") << Text.text();
      Cyclic += !C.Why.Edges.empty();
      ReplayResult Again = replay(P, C.Run, MachineOptions());
      ASSERT_EQ(Again.Outcome, ReplayResult::SameBug) << Again.Message << "\n" << Text.text();
    }
  }
  if (Buffers == MemoryModel::SC)
    EXPECT_EQ(Cyclic, 0u);
  else
    EXPECT_GE(Cyclic, testing::atLeast(0.001, Programs * Runs));
}

TEST(Telling, IsALegalExecutionUnderSc) { expectLegalTellings(MemoryModel::SC, 11); }
TEST(Telling, IsALegalExecutionUnderTso) { expectLegalTellings(MemoryModel::TSO, 12); }
TEST(Telling, IsALegalExecutionUnderPso) { expectLegalTellings(MemoryModel::PSO, 13); }

} // namespace
} // namespace picket
