#include "cat/CatLexer.h"

#include <algorithm>
#include <array>

namespace picket::cat {

void fail(Place Where, std::string Message) { throw Error{std::move(Message), Where}; }

std::string quoted(std::string_view Text) {
  constexpr size_t Most = 40;
  std::string Shown;
  for (char C : Text.substr(0, Most))
    Shown += C >= ' ' && C <= '~' ? C : '?';
  return "'" + Shown + (Text.size() > Most ? "..." : "") + "'";
}

namespace {

constexpr std::array Keywords = {"acyclic",      "and",         "as",
                                 "assert",       "begin",       "call",
                                 "catdep",       "debug",       "default",
                                 "do",           "else",        "empty",
                                 "end",          "enum",        "flag",
                                 "forall",       "from",        "fun",
                                 "if",           "in",          "include",
                                 "instructions", "irreflexive", "let",
                                 "match",        "not",         "procedure",
                                 "rec",          "show",        "subset",
                                 "then",         "try",         "undefined_unless",
                                 "unshow",       "variant",     "when",
                                 "with"};

bool isLetter(char C) { return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z'); }
bool isInName(char C) { return isLetter(C) || (C >= '0' && C <= '9') || C == '_' || C == '.' || C == '-'; }

class Lexer {
public:
  Lexer(std::string_view Text, uint32_t File) : Text(Text), Here{File} {}

  std::vector<Token> read() {
    std::vector<Token> All;
    do {
      skipSpace();
      All.push_back(next());
    } while (All.back().Kind != TokenKind::End);
    return All;
  }

private:
  char at(size_t Ahead = 0) const { return At + Ahead < Text.size() ? Text[At + Ahead] : '\0'; }
  bool startsWith(std::string_view What) const { return Text.substr(At, What.size()) == What; }
  void advance(size_t Count) {
    for (; Count && At < Text.size(); --Count, ++At) {
      ++Here.Column;
      if (Text[At] == '\n') {
        ++Here.Line;
        Here.Column = 1;
      }
    }
  }

  void skipSpace() {
    for (;;) {
      if (startsWith("(*"))
        skipComment();
      else if (startsWith("//") || at() == '#')
        advance(std::min(Text.find('\n', At), Text.size()) - At);
      else if (At < Text.size() && (at() == ' ' || at() == '\t' || at() == '\r' || at() == '\n'))
        advance(1);
      else
        return;
    }
  }

  /// Comments may contain others.
  void skipComment() {
    const Place Begin = Here;
    unsigned Depth = 0;
    do {
      if (At >= Text.size())
        fail(Begin, "the comment does not end");
      if (startsWith("(*"))
        ++Depth;
      else if (startsWith("*)"))
        --Depth;
      else {
        advance(1);
        continue;
      }
      advance(2);
    } while (Depth);
  }

  Token take(TokenKind Kind, size_t Length) {
    Token T{Kind, Text.substr(At, Length), Here};
    advance(Length);
    return T;
  }

  Token next() {
    if (At >= Text.size())
      return {TokenKind::End, {}, Here};
    if (isLetter(at()) || (at() == '_' && isLetter(at(1)))) {
      size_t Length = 1;
      while (isInName(at(Length)))
        ++Length;
      if (at(Length) == '\'')
        ++Length;
      Token T = take(TokenKind::Name, Length);
      if (std::find(Keywords.begin(), Keywords.end(), T.Text) != Keywords.end())
        T.Kind = TokenKind::Keyword;
      return T;
    }
    if (at() == '"') {
      const size_t End = Text.find('"', At + 1);
      if (End == std::string_view::npos)
        fail(Here, "the string does not end");
      const Token T{TokenKind::String, Text.substr(At + 1, End - At - 1), Here};
      advance(End + 1 - At);
      return T;
    }
    for (std::string_view Symbol : {"||", "&&", "++", "->", "-1"})
      if (startsWith(Symbol))
        return take(TokenKind::Symbol, 2);
    if (std::string_view("(){}[]_0|&*~+^\\?=;,").find(at()) != std::string_view::npos)
      return take(TokenKind::Symbol, 1);
    if (at() == '\'')
      fail(Here, "not supported: tags, which begin with an apostrophe");
    fail(Here, quoted(Text.substr(At, 1)) + " means nothing here");
  }

  std::string_view Text;
  size_t At = 0;
  Place Here;
};

} // namespace

std::vector<Token> tokensOf(std::string_view Text, uint32_t File) { return Lexer(Text, File).read(); }

} // namespace picket::cat
