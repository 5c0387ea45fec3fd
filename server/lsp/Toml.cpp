#include "lsp/Toml.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using llvm::StringRef;

namespace picket {

namespace {

class TomlReader {
public:
  explicit TomlReader(StringRef Text) : Rest(Text) {}

  TomlText read() {
    while (skipToContent(), !Rest.empty()) {
      const uint32_t Begin = Line;
      std::string Wrong = Rest.starts_with("[") ? table() : entry();
      if (!Wrong.empty())
        Result.Problems.push_back({Begin, Wrong});
      Rest = Rest.drop_until([](char C) { return C == '\n'; });
    }
    return std::move(Result);
  }

private:
  static bool isKeyCharacter(char C) { return llvm::isAlnum(C) || C == '_' || C == '-'; }

  void skipSpaces() { Rest = Rest.ltrim(" \t\r"); }

  /// Spaces, comments and line breaks.
  void skipToContent() {
    for (;; ++Line, Rest = Rest.drop_front()) {
      skipSpaces();
      if (Rest.starts_with("#"))
        Rest = Rest.drop_until([](char C) { return C == '\n'; });
      if (!Rest.starts_with("\n"))
        return;
    }
  }

  std::string lineEnd() {
    skipSpaces();
    if (Rest.empty() || Rest.starts_with("\n") || Rest.starts_with("#"))
      return "";
    return "something is left at the end of the line";
  }

  std::string key(std::string &Key) {
    do {
      skipSpaces();
      std::string Part;
      if (Rest.starts_with("\"") || Rest.starts_with("'")) {
        if (std::string Wrong = text(Part); !Wrong.empty())
          return Wrong;
      } else {
        Part = Rest.take_while(isKeyCharacter).str();
        Rest = Rest.drop_front(Part.size());
      }
      if (Part.empty())
        return "a key is missing";
      Key += (Key.empty() ? "" : ".") + Part;
      skipSpaces();
    } while (Rest.consume_front("."));
    return "";
  }

  std::string table() {
    if (Rest.starts_with("[["))
      return "arrays of tables are not understood here";
    Rest = Rest.drop_front();
    Table.clear();
    if (std::string Wrong = key(Table); !Wrong.empty())
      return Wrong;
    return Rest.consume_front("]") ? lineEnd() : "']' is missing";
  }

  std::string entry() {
    TomlEntry New;
    New.Line = Line;
    New.Key = Table;
    if (std::string Wrong = key(New.Key); !Wrong.empty())
      return Wrong;
    if (!Rest.consume_front("="))
      return "'=' is missing";
    skipSpaces();
    std::string Wrong = Rest.starts_with("[") ? array(New.Values) : scalar(New.Values.emplace_back());
    if (Wrong.empty())
      Wrong = lineEnd();
    if (!Wrong.empty())
      return Wrong;
    if (!Keys.insert(New.Key).second)
      return "'" + New.Key + "' is set twice";
    Result.Entries.push_back(std::move(New));
    return "";
  }

  std::string array(std::vector<std::string> &Values) {
    Rest = Rest.drop_front();
    for (skipToContent(); !Rest.consume_front("]"); skipToContent()) {
      if (Rest.starts_with("["))
        return "arrays in arrays are not understood here";
      if (std::string Wrong = scalar(Values.emplace_back()); !Wrong.empty())
        return Wrong;
      skipToContent();
      if (!Rest.consume_front(",") && !Rest.starts_with("]"))
        return "']' is missing";
    }
    return "";
  }

  std::string scalar(std::string &Value) {
    if (Rest.starts_with("\"") || Rest.starts_with("'"))
      return text(Value);
    StringRef Word = Rest.take_while([](char C) { return isKeyCharacter(C) || C == '.' || C == '+'; });
    Rest = Rest.drop_front(Word.size());
    double Number = 0;
    std::string Digits = llvm::join(llvm::split(Word, '_'), "");
    if (Word != "true" && Word != "false" && (Digits.empty() || StringRef(Digits).getAsDouble(Number)))
      return Word.empty() ? "a value is missing" : ("'" + Word + "' is no value: texts stand in quotes").str();
    Value = Word == "true" || Word == "false" ? Word.str() : Digits;
    return "";
  }

  /// "basic" or 'literal'.
  std::string text(std::string &Value) {
    const char Quote = Rest.front();
    if (Rest.starts_with("\"\"\"") || Rest.starts_with("'''"))
      return "texts of several lines are not understood here";
    for (Rest = Rest.drop_front(); !Rest.empty() && Rest.front() != '\n'; Rest = Rest.drop_front()) {
      const char C = Rest.front();
      if (C == Quote) {
        Rest = Rest.drop_front();
        return "";
      }
      if (C != '\\' || Quote == '\'') {
        Value += C;
        continue;
      }
      Rest = Rest.drop_front();
      const size_t Known = Rest.empty() ? StringRef::npos : StringRef("\"\\nt").find(Rest.front());
      if (Known == StringRef::npos)
        return "this escape is not understood here";
      Value += "\"\\\n\t"[Known];
    }
    return "the text has no end";
  }

  StringRef Rest;
  uint32_t Line = 1;
  std::string Table;
  std::set<std::string> Keys;
  TomlText Result;
};

} // namespace

TomlText readToml(StringRef Text) { return TomlReader(Text).read(); }

} // namespace picket
