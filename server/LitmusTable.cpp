#include "LitmusTable.h"

#include "InputFile.h"

#include "llvm/ADT/SmallVector.h"

#include <filesystem>
#include <tuple>

using llvm::StringRef;

namespace picket {

std::optional<LitmusTable> LitmusTable::read(const std::string &File, double Seconds, std::string &Error) {
  constexpr size_t MostBytes = 256 << 20;
  const std::optional<std::string> Text = readInput(File, MostBytes, Seconds, Error);
  if (!Text) {
    Error = "'" + File + "': " + Error;
    return std::nullopt;
  }
  LitmusTable Table;
  std::error_code Ignored;
  Table.Directory = std::filesystem::absolute(File, Ignored).lexically_normal().parent_path().string();
  if (std::string Problem = Table.parse(*Text); !Problem.empty()) {
    Error = "'" + File + "' is no table of expected results: " + Problem;
    return std::nullopt;
  }
  return Table;
}

std::string LitmusTable::parse(StringRef Text) {
  static constexpr const char *Names[] = {"test", "model", "quantifier", "holds", "fails", "states", "executions"};
  constexpr size_t NumNames = std::size(Names);
  auto Cells = [&Text] {
    llvm::SmallVector<StringRef, 8> Result;
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    Line.rtrim('\r').split(Result, '\t');
    return Result;
  };
  Text.consume_front("\xef\xbb\xbf"); // a byte order mark
  size_t Columns[NumNames];
  const auto Header = Cells();
  for (size_t K = 0; K < NumNames; ++K) {
    const auto *At = std::find(Header.begin(), Header.end(), Names[K]);
    if (At == Header.end())
      return std::string("it has no column '") + Names[K] + "'";
    Columns[K] = static_cast<size_t>(At - Header.begin());
  }
  for (unsigned Line = 2; !Text.empty(); ++Line) {
    const auto Row = Cells();
    const std::string Where = " (line " + std::to_string(Line) + ")";
    if (Row.size() != Header.size())
      return "a row has " + std::to_string(Row.size()) + " columns, not " + std::to_string(Header.size()) + Where;
    LitmusExpectation E;
    E.Quantifier = Row[Columns[2]];
    uint64_t *const Numbers[] = {&E.Holds, &E.Fails, &E.States, &E.Executions};
    for (size_t K = 0; K < std::size(Numbers); ++K)
      if (Row[Columns[K + 3]].getAsInteger(10, *Numbers[K]))
        return "'" + Row[Columns[K + 3]].str() + "' is not a number" + Where;
    // The published name of C11's model with the release sequences of C++20, which are those that are used here.
    const std::string Model = Row[Columns[1]] == "rc11-cpp20" ? nameOf(MemoryModel::C11) : Row[Columns[1]].str();
    if (!Rows.try_emplace({Row[Columns[0]].str(), Model}, E).second)
      return "a second row for the same test and model" + Where;
  }
  return "";
}

const LitmusExpectation *LitmusTable::find(const std::string &Test, MemoryModel M) const {
  auto At = Rows.find({Test, nameOf(M)});
  return At == Rows.end() ? nullptr : &At->second;
}

std::string LitmusTable::testOf(const std::string &File) const {
  std::error_code Ignored;
  std::filesystem::path Path = std::filesystem::absolute(File, Ignored).lexically_normal();
  Path = Path.lexically_relative(Directory);
  return Path.replace_extension().generic_string();
}

LitmusExpectation foundBy(const LitmusTest &Test, const LitmusResult &Result) {
  return {nameOf(Test.Quantifier), Result.Satisfying, Result.Others, Result.States.size(), Result.Executions};
}

bool operator==(const LitmusExpectation &A, const LitmusExpectation &B) {
  auto All = [](const LitmusExpectation &E) {
    return std::tie(E.Quantifier, E.Holds, E.Fails, E.States, E.Executions);
  };
  return All(A) == All(B);
}

std::string textOf(const LitmusExpectation &E) {
  return E.Quantifier + ": " + std::to_string(E.Holds) + " holds, " + std::to_string(E.Fails) + " fails, " +
         std::to_string(E.States) + " states, " + std::to_string(E.Executions) + " executions";
}

} // namespace picket
