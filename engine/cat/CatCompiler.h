// Compiles a memory model as text: resolves names, includes other texts, calls functions, and checks what is a set and what
// is a relation.
#pragma once

#include "cat/CatEvents.h"
#include "cat/CatNodes.h"

#include <functional>
#include <optional>

namespace picket::cat {

/// A model as operations and checks.
struct CompiledModel {
  Architecture Events = Architecture::X86;
  std::string Title;
  bool NamesArchitecture = false; // the title does
  std::vector<Node> Nodes;
  std::vector<RecursiveNodes> Definitions;
  std::vector<Check> Checks;
  std::vector<Check> Flags;       // executions for which one does not hold are marked with its name
  NodeId CommitBefore = NoNode;   // what the text calls commit-before
  std::vector<std::string> Files; // by number
};

/// The text of a file that is included, or nothing and why not.
using IncludeReader = std::function<std::optional<std::string>(const std::string &Name, std::string &Why)>;

struct CompileFailure {
  std::string Message, File;
  Place Where;
};

/// Throws CompileFailure. `Events`: unless the title names an architecture.
CompiledModel compile(std::string_view Text, const std::string &File, std::optional<Architecture> Events,
                      const IncludeReader &Read);

/// "X86", "PPC", "AArch64", "C", whatever the case.
std::optional<Architecture> architectureNamed(std::string_view Name);
const char *nameOf(Architecture A);

} // namespace picket::cat
