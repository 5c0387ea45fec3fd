// Checks one text with every engine and model that supports it.
#pragma once

#include "support/Explore.h"

#include <set>

namespace picket::testing {

struct EngineAnswer {
  std::string Engine; // "sc", "tso, reads-from", "sc, states", ...
  ModelReport Report;
};

/// By executions under every model, by reads-from relations, and by states.
inline std::vector<EngineAnswer> checkByAll(const std::string &Text, CheckOptions Options = {}) {
  std::vector<EngineAnswer> All;
  CompileResult Compiled = compileProgram(requestForText(Text));
  auto Add = [&](const char *How, std::vector<MemoryModel> Models) {
    Options.Models = std::move(Models);
    for (ModelReport &M : checkCompiled("/test.c", Compiled, Options).Models)
      All.push_back({std::string(picket::nameOf(M.Which)) + How, std::move(M)});
  };
  Options.Monitor = false;
  Options.Search = Engine::Bounded;
  Add("", {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power});
  Options.OnePer = Equivalence::ReadsFrom;
  Add(", reads-from", {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO});
  Options.OnePer = Equivalence::ShashaSnir;
  Options.Search = Engine::Lazy;
  Add(", states", {MemoryModel::SC, MemoryModel::TSO});
  return All;
}

/// The kinds of the bugs of a report, for comparing.
inline std::set<std::string> kindsOf(const ModelReport &M) {
  std::set<std::string> Kinds;
  for (const Bug &B : M.Bugs)
    Kinds.insert(picket::nameOf(B.Kind));
  return Kinds;
}

inline std::string listOf(const std::set<std::string> &Kinds) {
  std::string Text;
  for (const std::string &K : Kinds)
    Text += K + " ";
  return Text;
}

} // namespace picket::testing
