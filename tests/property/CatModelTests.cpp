// Models as text against those of Picket: random programs have the same executions under both, each once. Each text is
// explored twice: as it stands, and without its commit-before, when every candidate is explored.
#include "cat/CatModel.h"
#include "property/C11Program.h"
#include "property/Environment.h"
#include "property/PowerExecutions.h"
#include "property/RandomProgram.h"
#include "support/Graphs.h"

namespace picket {
namespace {

using cat::Architecture;
using testing::C11Palette;
using testing::C11Statement;
using testing::Statement;

struct TextModel {
  const char *File;
  Architecture Events;
  MemoryModel Same; // which the text should agree with
};

std::string textOf(const char *File) {
  std::ifstream Stream(std::string(PICKET_SOURCE_DIR) + "/models/" + File);
  std::stringstream Text;
  Text << Stream.rdbuf();
  return Text.str();
}

GraphModel modelOf(const TextModel &M, bool AllCandidates) {
  std::string Text = textOf(M.File);
  if (AllCandidates)
    if (const size_t At = Text.find("let commit-before"); At != std::string::npos)
      Text.replace(At, 17, "let no-order");
  const cat::Reading Read = cat::readModel(Text, M.File, M.Events);
  EXPECT_TRUE(Read.Found) << Read.Problem;
  EXPECT_NE(Read.Found->isStepwise(), AllCandidates);
  return cat::graphModelOf(Read.Found);
}

/// Some programs have too many candidates: nothing, after some seconds.
std::optional<testing::GraphTraces> tracesOf(const Program &P, const GraphModel &Model, uint64_t &Executions) {
  testing::GraphTraces Traces;
  ExplorationOptions Options = testing::exhaustively(MemoryModel::SC);
  Options.Machine.Looked.set(CheckGroup::Race, false);
  Options.Machine.QuietAccesses = false; // every access is compared
  Options.Deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  const ExplorationResult Result = exploreGraphs(P, Model, Options, Traces);
  if (Result.Ended == ExplorationResult::End::Limit)
    return std::nullopt;
  EXPECT_EQ(Result.Ended, ExplorationResult::End::Everything) << Result.Reason;
  EXPECT_EQ(Result.FailedWakeups, 0u);
  Executions += Result.Executions;
  return Traces;
}

template <typename Maker> void expectSame(const TextModel &M, unsigned Programs, unsigned Seed, Maker Make) {
  const GraphModel InSteps = modelOf(M, false), Candidates = modelOf(M, true);
  std::mt19937 Random(testing::seedOr(Seed));
  uint64_t Executions = 0;
  unsigned TooMany = 0;
  Programs = testing::programsOr(Programs);
  for (unsigned K = 0; K < Programs; ++K) {
    const std::string Text = Make(Random);
    const Program P = testing::compile(testing::requestForText(Text));
    uint64_t Ignored = 0;
    const auto All = tracesOf(P, M.Same, Executions);
    ASSERT_TRUE(All) << M.File << ", program " << K << ":\n" << Text;
    const testing::GraphTraces &Known = *All;
    for (const GraphModel *Model : {&InSteps, &Candidates}) {
      const char *How = Model == &InSteps ? "in steps" : "candidates";
      const auto Explored = tracesOf(P, *Model, Ignored);
      if (!Explored) {
        ASSERT_EQ(Model, &Candidates) << M.File << ", program " << K << ":\n" << Text;
        ++TooMany;
        continue;
      }
      const testing::GraphTraces &Found = *Explored;
      ASSERT_TRUE(Known.areAmong(Found)) << M.File << ", " << How << ", program " << K << ":\n" << Text;
      ASSERT_TRUE(Found.areAmong(Known)) << M.File << ", " << How << ", program " << K << ":\n" << Text;
      ASSERT_EQ(Found.repeated(), 0u) << M.File << ", " << How << ", program " << K << ":\n" << Text;
      ASSERT_EQ(Found.Bugs, Known.Bugs) << M.File << ", " << How << ", program " << K << ":\n" << Text;
    }
  }
  EXPECT_GT(Executions, 0u);
  EXPECT_LE(TooMany, Programs / 2) << "of most programs, all candidates should be explored";
}

std::string simple(std::mt19937 &Random) {
  static const testing::Palette From = {Statement::Store,       Statement::Load,         Statement::Copy,
                                        Statement::FullFence,   Statement::ReleaseFence, Statement::StoreRelease,
                                        Statement::StoreSeqCst, Statement::FetchAdd,     Statement::CompareSwap,
                                        Statement::Guarded,     Statement::LockedAdd,    Statement::AssertNot};
  return testing::makeProgram(Random, From, 2, 3).text();
}

std::string atomics(std::mt19937 &Random) {
  static const C11Palette From = {
      .Kinds = {C11Statement::Load, C11Statement::Store, C11Statement::FetchAdd, C11Statement::Fence, C11Statement::If},
      .Accesses = 5};
  return testing::makeC11Program(Random, From).text();
}

std::string updates(std::mt19937 &Random) {
  static const C11Palette From = {.Kinds = {C11Statement::Load, C11Statement::Store, C11Statement::Exchange,
                                            C11Statement::CompareSwap, C11Statement::FetchAdd},
                                  .Accesses = 5};
  return testing::makeC11Program(Random, From).text();
}

TEST(CatModels, ScOfRandomPrograms) { expectSame({"sc.cat", Architecture::X86, MemoryModel::SC}, 100, 1, simple); }
TEST(CatModels, TsoOfRandomPrograms) { expectSame({"tso.cat", Architecture::X86, MemoryModel::TSO}, 100, 2, simple); }
TEST(CatModels, PowerOfRandomPrograms) {
  expectSame({"power.cat", Architecture::PPC, MemoryModel::Power}, 100, 3, atomics);
  expectSame({"power.cat", Architecture::PPC, MemoryModel::Power}, 50, 4, simple);
  expectSame({"power.cat", Architecture::PPC, MemoryModel::Power}, 50, 10, updates);
}
TEST(CatModels, Armv8OfRandomPrograms) {
  expectSame({"armv8.cat", Architecture::AArch64, MemoryModel::Armv8}, 100, 5, atomics);
  expectSame({"armv8.cat", Architecture::AArch64, MemoryModel::Armv8}, 100, 8, updates);
}
TEST(CatModels, Rc11OfRandomPrograms) {
  expectSame({"rc11.cat", Architecture::C11, MemoryModel::C11}, 100, 6, atomics);
  expectSame({"rc11.cat", Architecture::C11, MemoryModel::C11}, 50, 7, simple);
  expectSame({"rc11.cat", Architecture::C11, MemoryModel::C11}, 50, 9, updates);
}

} // namespace
} // namespace picket
