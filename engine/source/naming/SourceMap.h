// Converts debug locations to the source map of a Program.
#pragma once

#include "base/OwnFiles.h"
#include "program/Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace llvm {
class DIFile;
class DILocation;
class DILocalScope;
class Function;
class GlobalVariable;
} // namespace llvm

namespace picket {

struct SourceFacts;

class SourceMap {
public:
  /// `ModelsFile`: the file whose functions are Picket's own, not the user's.
  SourceMap(Program &P, const std::string &ModelsFile, const SourceFacts &Facts);

  /// Indices into Program::Locations; 0 if nothing is known.
  uint32_t location(const llvm::DILocation *Where);
  uint32_t location(const llvm::Function &F);
  uint32_t location(const llvm::GlobalVariable &G);
  uint32_t location(llvm::StringRef Path, uint32_t Line, uint32_t Column);

private:
  uint32_t file(const llvm::DIFile *F);
  uint32_t file(llvm::StringRef Path);
  uint32_t functionName(llvm::StringRef Name);
  uint32_t functionName(const llvm::DILocalScope *Scope);
  uint32_t add(const ProgramLocation &L);

  bool belongsToUser(llvm::StringRef Path) const;

  Program &Prog;
  std::string ModelsFile;
  std::vector<OwnFiles> Own; // as each of the files says that were compiled
  std::set<std::string> SystemFiles;
  llvm::DenseMap<const llvm::DILocation *, uint32_t> Locations;
  llvm::DenseMap<const llvm::DIFile *, uint32_t> Files;
  llvm::DenseMap<const llvm::DILocalScope *, uint32_t> ScopeNames;
  llvm::StringMap<uint32_t> Paths, Names;
};

} // namespace picket
