// Checks a text for certain kinds of bugs, with every model and engine.
#pragma once

#include "support/Explore.h"
#include "trace/Replay.h"

#include <gtest/gtest.h>

#include <set>

namespace picket::testing {

struct WayToCheck {
  std::string Name;
  MemoryModel Which = MemoryModel::SC;
  Equivalence OnePer = Equivalence::ShashaSnir;
  Engine Search = Engine::Bounded;
};

inline std::vector<WayToCheck> waysToCheck() {
  return {{"SC", MemoryModel::SC},
          {"TSO", MemoryModel::TSO},
          {"PSO", MemoryModel::PSO},
          {"POWER", MemoryModel::Power},
          {"SC by reads-from", MemoryModel::SC, Equivalence::ReadsFrom},
          {"PSO by reads-from", MemoryModel::PSO, Equivalence::ReadsFrom},
          {"states of SC", MemoryModel::SC, Equivalence::ShashaSnir, Engine::Lazy},
          {"states of TSO", MemoryModel::TSO, Equivalence::ShashaSnir, Engine::Lazy}};
}

inline Checks checksNamed(const std::string &List) {
  std::vector<std::string> Names(1);
  for (char C : List)
    if (C == ',')
      Names.emplace_back();
    else
      Names.back() += C;
  Checks Looked;
  EXPECT_EQ(parseChecks(Names, Looked), "") << List;
  return Looked;
}

inline ModelReport checkFor(const std::string &List, const std::string &Text, const WayToCheck &Way,
                            bool Exhaustive = true, std::vector<std::string> Flags = {}) {
  CheckOptions Options;
  Options.Models = {Way.Which};
  Options.OnePer = Way.OnePer;
  Options.Search = Way.Search;
  Options.Exhaustive = Exhaustive;
  Options.Looked = checksNamed(List);
  CheckReport Report = check({requestForText(Text, std::move(Flags)), Options});
  for (const Diagnostic &D : Report.Diagnostics)
    EXPECT_NE(D.Level, Severity::Error) << D.Where.Line << ": " << D.Message;
  return Report.Models.at(0);
}

/// "kind:line" of each.
inline std::set<std::string> bugsOf(const ModelReport &M) {
  std::set<std::string> All;
  for (const Bug &B : M.Bugs)
    All.insert(std::string(picket::nameOf(B.Kind)) + ":" + std::to_string(B.Where.Line));
  return All;
}

using BugNames = std::set<std::string>;

/// Whether these are the bugs that are expected by a way to check. Lazy TSO ends with the first one it comes to.
inline bool areBugs(const BugNames &Found, const BugNames &Expected, const WayToCheck &Way) {
  if (Way.Search != Engine::Lazy || Way.Which != MemoryModel::TSO || Expected.size() < 2)
    return Found == Expected;
  return !Found.empty() && std::includes(Expected.begin(), Expected.end(), Found.begin(), Found.end());
}

/// The same bugs by every way, each with a counterexample that can be replayed.
inline void expectBugs(const std::string &List, const std::string &Text, const BugNames &Expected,
                       std::vector<std::string> Flags = {}) {
  for (const WayToCheck &Way : waysToCheck()) {
    const ModelReport M = checkFor(List, Text, Way, true, Flags);
    EXPECT_TRUE(areBugs(bugsOf(M), Expected, Way))
        << Way.Name << " " << ::testing::PrintToString(bugsOf(M)) << " " << M.Reason << "\n"
        << Text;
    EXPECT_EQ(M.Result, Expected.empty() ? Verdict::Verified : Verdict::Violation) << Way.Name << " " << M.Reason;
    for (const Bug &B : M.Bugs) {
      ASSERT_TRUE(B.Trace) << Way.Name << " " << picket::nameOf(B.Kind);
      CompileRequest Request = requestForText(Text, Flags);
      Request.FindOverflows = B.Kind == BugKind::Overflow;
      MachineOptions Options;
      Options.Unroll = B.Trace->Run.Unroll;
      EXPECT_EQ(replay(compile(Request), B.Trace->Run, Options).Outcome, ReplayResult::SameBug)
          << Way.Name << " " << picket::nameOf(B.Kind);
    }
  }
}

} // namespace picket::testing
