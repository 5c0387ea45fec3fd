#include "settings/Toml.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <charconv>

#define TOML_EXCEPTIONS 0 // mistakes in a text are values
#undef TOML_HEADER_ONLY   // Debian's library throws: its code is compiled here instead
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

using llvm::StringRef;

namespace picket {

namespace {

/// toml++ destroys nested tables recursively, and each two bytes of a dotted key can be one level: this keeps that far
/// from the end of a stack.
constexpr size_t LargestText = 64 << 10;
/// What is deeper is no setting, whatever its whole name is.
constexpr unsigned MostLevels = 16;
constexpr size_t MostProblems = 20;
/// Lines before a mistake that are looked through for the beginning of what it is in.
constexpr size_t MostLinesBack = 20;

/// A number as people write it: "1000", "0.5".
std::string textOf(double Number) {
  char Digits[512];
  const auto [End, Code] = std::to_chars(Digits, std::end(Digits), Number, std::chars_format::fixed);
  return Code == std::errc() ? std::string(Digits, End) : "";
}

/// A value as the text that a setting is made of. False: no setting has such a value.
bool addScalar(const toml::node &Node, std::vector<std::string> &Values) {
  if (const auto *Text = Node.as_string())
    Values.push_back(Text->get());
  else if (const auto *Number = Node.as_integer())
    Values.push_back(std::to_string(Number->get()));
  else if (const auto *Decimal = Node.as_floating_point())
    Values.push_back(textOf(Decimal->get()));
  else if (const auto *Truth = Node.as_boolean())
    Values.push_back(Truth->get() ? "true" : "false");
  else
    return false;
  return true;
}

/// Lists the settings of a table and of those within it.
class Flattening {
public:
  explicit Flattening(TomlText &Into) : Into(Into) {}

  void add(const toml::table &Table, const std::string &Prefix = "", unsigned Level = 0) {
    for (const auto &[Name, Node] : Table) {
      const std::string Key = Prefix + std::string(Name.str());
      const toml::table *Inner = Node.as_table();
      if (Inner && Level < MostLevels)
        add(*Inner, Key + ".", Level + 1);
      else
        addEntry({Key, {}, Name.source().begin.line}, Node);
    }
  }

private:
  void addEntry(TomlEntry Entry, const toml::node &Node) {
    std::string Wrong;
    if (const toml::array *List = Node.as_array(); List && List->is_array_of_tables())
      Wrong = "arrays of tables are not understood here";
    else if (List)
      for (const toml::node &Element : *List)
        Wrong =
            addScalar(Element, Entry.Values) ? Wrong : "a list of settings holds texts, numbers, true and false only";
    else if (!addScalar(Node, Entry.Values))
      Wrong = "'" + Entry.Key + "' is no text, number, true, false or list of these";
    if (Wrong.empty())
      Into.Entries.push_back(std::move(Entry));
    else
      Into.Problems.push_back({Entry.Line, std::move(Wrong)});
  }

  TomlText &Into;
};

/// "not TOML: expected '=', saw '1'"
std::string sentenceOf(const toml::parse_error &Error) {
  StringRef What = Error.description();
  const bool IsValue = What.contains("parsing value") || What.contains("parsing boolean");
  if (What.consume_front("Error while parsing "))
    What = What.split(": ").second;
  std::string Sentence = "not TOML: " + What.str() + (IsValue ? " (texts stand in quotes)" : "");
  if (const size_t At = Sentence.find("'\\n'"); At != std::string::npos)
    Sentence.replace(At, 4, "the end of the line");
  return Sentence;
}

/// Reads a text with mistakes: each is told with the line on which the entry begins that it is in, and this entry is
/// left out.
class TolerantReader {
public:
  explicit TolerantReader(StringRef Text) { Text.split(Lines, '\n'); }

  TomlText read() {
    TomlText Result;
    while (true) {
      const toml::parse_result Parsed = parse(Lines.size());
      if (Parsed) {
        Flattening(Result).add(Parsed.table());
        break;
      }
      const size_t Wrong = std::clamp<size_t>(Parsed.error().source().begin.line, 1, Lines.size()) - 1;
      const size_t Begin = beginOf(Wrong);
      Result.Problems.push_back({static_cast<uint32_t>(Begin + 1), sentenceOf(Parsed.error())});
      if (Result.Problems.size() == MostProblems || !leaveOut(Begin, Wrong))
        break;
    }
    auto ByLine = [](const auto &A, const auto &B) { return A.Line < B.Line; };
    std::stable_sort(Result.Entries.begin(), Result.Entries.end(), ByLine);
    std::stable_sort(Result.Problems.begin(), Result.Problems.end(), ByLine);
    return Result;
  }

private:
  toml::parse_result parse(size_t Count) const {
    return toml::parse(llvm::join(llvm::ArrayRef(Lines).take_front(Count), "\n"));
  }

  /// The line on which the entry begins that the mistake is in: all is well up to there.
  size_t beginOf(size_t Wrong) const {
    for (size_t Begin = Wrong, Back = 0; Back <= MostLinesBack; --Begin, ++Back)
      if (Begin == 0 || parse(Begin))
        return Begin;
    return Wrong;
  }

  /// False: there is nothing on these lines, so that it would change nothing.
  bool leaveOut(size_t From, size_t To) {
    bool Changed = false;
    for (size_t K = From; K <= To; ++K) {
      Changed |= !Lines[K].empty();
      Lines[K] = "";
    }
    return Changed;
  }

  llvm::SmallVector<StringRef> Lines;
};

} // namespace

TomlText readToml(StringRef Text) {
  if (Text.size() > LargestText)
    return {{}, {{1, "this is too large for a file of settings"}}};
  return TolerantReader(Text).read();
}

} // namespace picket
