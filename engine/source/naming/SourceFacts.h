// SourceFacts: what the front end knows about a text and LLVM IR does not have: the expressions behind memory accesses,
// the types of variables, what heap blocks hold. Plain data; SourceExpressions collects it, SourceNaming joins it with
// the Program. Those of a program of several files are merged into one.
#pragma once

#include "program/Architecture.h"
#include "program/SourceNames.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace picket {

struct SourceFacts {
  /// Line and column as the debug information has them; 0: not known.
  struct Place {
    uint32_t File = 0, Line = 0, Column = 0; // File: index into Files
    auto operator<=>(const Place &) const = default;
  };
  struct Variable {
    std::string Name;
    uint32_t File = 0, Line = 0;
    auto operator<=>(const Variable &) const = default;
  };

  struct TextPlace {
    std::string File; // absolute, without dots
    uint32_t Line = 0, Column = 0;
  };

  /// A function or variable that the text declares and does not define.
  struct External {
    TextPlace Declared, Used;
  };

  Architecture For = HostArchitecture;             // what the text is compiled for
  bool TargetNamed = false;                        // by its command
  TextPlace ArchitectureTested, ArchitectureFound; // as in Program

  std::vector<std::string> Stubs; // functions that the program calls and that stubs stand for

  std::vector<std::string> Files{1}; // absolute, without dots
  std::vector<SourceType> Types{1};
  std::vector<SourceNames::Expression> Expressions; // File is an index into Files here
  std::map<Variable, uint32_t> Variables;           // to their types
  std::map<Place, uint32_t> Allocations; // by the place of the call: type of what is allocated, or an array of it
  /// Accesses whose data races are intended. Column 0: all on the line.
  std::set<Place> BenignRaces;

  std::string Checked; // the file with main; if there is none, the one that is compiled. Absolute, without dots
  bool HasMain = false;
  std::vector<std::string> Compiled; // the files that were compiled. Absolute, without dots
  /// Those that are used, by name; without what headers of the system declare.
  std::map<std::string, External> Externals;
  /// C99's inline functions whose definition was made an external one (SourceChecks.h): every file may have them.
  std::set<std::string> InlineDefinitions;
  std::set<std::string> SystemFiles; // headers that the compiler was told to take for the system's (-isystem)
  /// Functions that only wrap an access (Wrappers.h), in other files than the one that is compiled, by file and name, and
  /// how often they are called.
  std::map<std::pair<std::string, std::string>, unsigned> Wrappers;
};

/// Adds what is known of another file of the same program.
void merge(SourceFacts &Into, SourceFacts Other);

} // namespace picket
