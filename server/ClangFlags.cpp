#include "ClangFlags.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace picket {

namespace fs = std::filesystem;

// Flags whose value is the rest of the word or the next word.
static constexpr std::array<std::string_view, 2> TakesText = {"-D", "-U"};
static constexpr std::array<std::string_view, 6> TakesPath = {"-isystem", "-iquote",  "-idirafter",
                                                              "-include", "-imacros", "-I"};
// Flags that are one word.
static constexpr std::array<std::string_view, 10> OneWord = {"-std=",    "-W",    "-f",        "-m", "-pedantic",
                                                             "-pthread", "-ansi", "-nostdinc", "-w", "-O"};

template <size_t N>
static const std::string_view *prefixOf(std::string_view Word, const std::array<std::string_view, N> &Flags) {
  auto Found = std::find_if(Flags.begin(), Flags.end(), [&](std::string_view Flag) { return Word.starts_with(Flag); });
  return Found == Flags.end() ? nullptr : &*Found;
}

/// A header named by -include may be one of the include path's: then the name stays as it is.
static std::string absolutePath(const std::string &Path) {
  std::error_code Ignored;
  fs::path Absolute = fs::absolute(Path, Ignored);
  return !Path.empty() && !Ignored && fs::exists(Absolute, Ignored) ? Absolute.string() : Path;
}

/// Consumes the flag at Arguments[I], and its value if that is the next word.
static bool takeClangFlag(const std::vector<std::string> &Arguments, size_t &I, std::vector<std::string> &Clang) {
  const std::string &Word = Arguments[I];
  for (bool IsPath : {false, true}) {
    const std::string_view *Flag = IsPath ? prefixOf(Word, TakesPath) : prefixOf(Word, TakesText);
    if (!Flag)
      continue;
    std::string Value = Word.substr(Flag->size());
    if (Value.empty() && I + 1 < Arguments.size())
      Value = Arguments[++I];
    Clang.emplace_back(*Flag);
    Clang.push_back(IsPath ? absolutePath(Value) : Value);
    return true;
  }
  if (!prefixOf(Word, OneWord))
    return false;
  Clang.push_back(Word);
  return true;
}

SplitArguments splitClangFlags(const std::vector<std::string> &Arguments) {
  SplitArguments Result;
  bool AllClang = false;
  for (size_t I = 0; I < Arguments.size(); ++I) {
    if (!AllClang && Arguments[I] == "--")
      AllClang = true;
    else if (!AllClang && Arguments[I] == "--checks" &&
             I + 1 < Arguments.size()) // "-memory" is no flag of Clang's here
      Result.Own.push_back(Arguments[I] + "=" + Arguments[I + 1]), ++I;
    else if (!takeClangFlag(Arguments, I, Result.Clang))
      (AllClang ? Result.Clang : Result.Own).push_back(Arguments[I]);
  }
  return Result;
}

} // namespace picket
