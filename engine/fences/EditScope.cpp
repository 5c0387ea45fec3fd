#include "fences/EditScope.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

#include <algorithm>

namespace picket {

static std::string joined(std::vector<std::string>::const_iterator Begin,
                          std::vector<std::string>::const_iterator End) {
  std::string Path;
  for (auto At = Begin; At != End; ++At)
    Path += (At == Begin ? "" : "/") + *At;
  return Path;
}

std::string problemOfPattern(const std::string &Pattern) {
  if (componentsOf(Pattern).empty())
    return "it names nothing";
  llvm::Expected<llvm::GlobPattern> Glob = llvm::GlobPattern::create(Pattern);
  return Glob ? "" : llvm::toString(Glob.takeError());
}

bool matches(const std::string &Pattern, const std::string &File) {
  const std::vector<std::string> Wanted = componentsOf(Pattern), Parts = componentsOf(File);
  const std::string Text = joined(Wanted.begin(), Wanted.end());
  llvm::Expected<llvm::GlobPattern> Glob = llvm::GlobPattern::create(Text);
  if (!Glob) {
    llvm::consumeError(Glob.takeError());
    return false;
  }
  if (Wanted.empty())
    return false;
  const bool Whole = Pattern.front() == '/';
  for (auto Begin = Parts.begin(); Begin != Parts.end(); ++Begin) {
    for (auto End = Begin + 1;; ++End) {
      if (Glob->match(joined(Begin, End)))
        return true;
      if (End == Parts.end())
        break;
    }
    if (Whole)
      break;
  }
  return false;
}

FileRanks::FileRanks(const Program &Compiled, const EditScope &Scope) : Ranks(Compiled.Files.size(), FileRank::Never) {
  auto IsOneOf = [](const std::vector<std::string> &Patterns, const std::string &File) {
    return std::any_of(Patterns.begin(), Patterns.end(), [&](const std::string &P) { return matches(P, File); });
  };
  for (size_t K = 0; K < Ranks.size(); ++K) {
    const std::string &File = Compiled.Files[K];
    const bool LeftOut = (!Scope.FixIn.empty() && !IsOneOf(Scope.FixIn, File)) || IsOneOf(Scope.NotIn, File);
    if (Compiled.UserFile[K] && !LeftOut)
      Ranks[K] = FileRank::Library;
    Narrowed |= Compiled.UserFile[K] && LeftOut;
  }
  if (!Scope.PreferLibrary || Compiled.Main < 0)
    return;
  const uint32_t WithMain = Compiled.Locations[Compiled.Functions[static_cast<size_t>(Compiled.Main)].Location].File;
  // Functions that only wrap an access are no library that a change could be made in.
  HasTest = std::any_of(Compiled.Locations.begin(), Compiled.Locations.end(), [&](const ProgramLocation &L) {
    return L.Line != 0 && L.Function != 0 && L.File != WithMain && L.Wrapper != WrapperOfMany &&
           Ranks[L.File] == FileRank::Library;
  });
  if (HasTest && Ranks[WithMain] == FileRank::Library)
    Ranks[WithMain] = FileRank::Test;
}

} // namespace picket
