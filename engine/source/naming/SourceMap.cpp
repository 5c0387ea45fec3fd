#include "source/naming/SourceMap.h"

#include "source/naming/SourceFacts.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace picket {

SourceMap::SourceMap(Program &P, const std::string &ModelsFile, const SourceFacts &Facts)
    : Prog(P), ModelsFile(ModelsFile), SystemFiles(Facts.SystemFiles) {
  Own.emplace_back(Facts.Checked);
  for (const std::string &File : Facts.Compiled)
    if (File != Facts.Checked)
      Own.emplace_back(File);
  P.Files.push_back("");
  P.UserFile.push_back(false);
  P.FunctionNames.push_back("");
  P.Locations.emplace_back();
  Names[""] = 0;
}

/// Code that comes with the system or with Picket is not what a user wants to be shown: the place that called it is.
bool SourceMap::belongsToUser(StringRef Path) const {
  if (Path == ModelsFile || SystemFiles.contains(Path.str()))
    return false;
  for (const ArchitectureInfo &A : Architectures) // Debian's cross headers
    if (*A.Multiarch && Path.starts_with("/usr/" + std::string(A.Multiarch) + "/"))
      return false;
  return any_of(Own, [&](const OwnFiles &Files) { return Files.isOwn(std::string_view(Path)); });
}

uint32_t SourceMap::file(const DIFile *F) {
  if (!F)
    return 0;
  auto [It, New] = Files.try_emplace(F, 0);
  if (!New)
    return It->second;
  SmallString<256> Path(F->getFilename());
  if (!sys::path::is_absolute(Path) && !F->getDirectory().empty()) {
    Path = F->getDirectory();
    sys::path::append(Path, F->getFilename());
  }
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Files[F] = file(Path);
}

uint32_t SourceMap::file(StringRef Path) {
  auto [Known, New] = Paths.try_emplace(Path, static_cast<uint32_t>(Prog.Files.size()));
  if (New) {
    Prog.Files.push_back(Path.str());
    Prog.UserFile.push_back(belongsToUser(Path));
  }
  return Known->second;
}

uint32_t SourceMap::location(StringRef Path, uint32_t Line, uint32_t Column) {
  return Line ? add({.File = file(Path), .Line = Line, .Column = Column}) : 0;
}

uint32_t SourceMap::functionName(StringRef Name) {
  auto [It, New] = Names.try_emplace(Name, static_cast<uint32_t>(Prog.FunctionNames.size()));
  if (New)
    Prog.FunctionNames.push_back(Name.str());
  return It->second;
}

/// A chain of `else if` nests thousands of scopes: each is left upwards only once.
uint32_t SourceMap::functionName(const DILocalScope *Scope) {
  SmallVector<const DILocalScope *, 8> Left;
  uint32_t Name = 0;
  while (Scope) {
    if (auto It = ScopeNames.find(Scope); It != ScopeNames.end()) {
      Name = It->second;
      break;
    }
    Left.push_back(Scope);
    if (auto *S = dyn_cast<DISubprogram>(Scope)) {
      Name = functionName(S->getName());
      break;
    }
    Scope = cast<DILexicalBlockBase>(Scope)->getScope();
  }
  for (const DILocalScope *Inner : Left)
    ScopeNames[Inner] = Name;
  return Name;
}

uint32_t SourceMap::add(const ProgramLocation &L) {
  Prog.Locations.push_back(L);
  return static_cast<uint32_t>(Prog.Locations.size() - 1);
}

uint32_t SourceMap::location(const DILocation *Where) {
  if (!Where)
    return 0;
  if (auto It = Locations.find(Where); It != Locations.end())
    return It->second;
  ProgramLocation L;
  L.InlinedAt = location(Where->getInlinedAt());
  L.File = file(Where->getFile());
  L.Line = Where->getLine();
  L.Column = Where->getColumn();
  L.Function = functionName(Where->getScope());
  return Locations[Where] = add(L);
}

uint32_t SourceMap::location(const llvm::Function &F) {
  const DISubprogram *S = F.getSubprogram();
  if (!S)
    return 0;
  return add({.File = file(S->getFile()), .Line = S->getLine(), .Column = 1, .Function = functionName(S)});
}

uint32_t SourceMap::location(const GlobalVariable &G) {
  SmallVector<DIGlobalVariableExpression *, 1> Found;
  G.getDebugInfo(Found);
  if (Found.empty())
    return 0;
  const DIGlobalVariable *V = Found[0]->getVariable();
  return add({.File = file(V->getFile()), .Line = V->getLine(), .Column = 1});
}

} // namespace picket
