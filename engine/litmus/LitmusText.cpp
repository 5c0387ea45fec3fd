#include "litmus/LitmusText.h"

#include <algorithm>
#include <charconv>

namespace picket {

void failLitmus(uint32_t Line, std::string Message) { throw LitmusError{std::move(Message), Line, false}; }

void refuseLitmus(uint32_t Line, std::string_view What) {
  throw LitmusError{"not supported: " + quoted(What), Line, true};
}

void failThread(uint32_t Line, std::string_view Word) {
  failLitmus(Line, "a thread is expected before ':', as 0 or P0, not " + quoted(Word));
}

static bool isSpace(char C) { return C == ' ' || C == '\t' || C == '\r' || C == '\n' || C == '\f' || C == '\v'; }
static bool isDigit(char C) { return C >= '0' && C <= '9'; }
static bool isLetter(char C) { return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_'; }
static bool isWordCharacter(char C) { return isLetter(C) || isDigit(C) || C == '.' || C == '\''; }

std::string quoted(std::string_view Text) {
  std::string Result = "'";
  for (char C : Text.substr(0, 40))
    Result += C >= ' ' && C < 0x7f ? C : '?';
  return Result + (Text.size() > 40 ? "...'" : "'");
}

std::string_view trimmed(std::string_view Text) {
  while (!Text.empty() && isSpace(Text.front()))
    Text.remove_prefix(1);
  while (!Text.empty() && isSpace(Text.back()))
    Text.remove_suffix(1);
  return Text;
}

bool isName(std::string_view Text) {
  if (Text.empty() || !isLetter(Text[0]))
    return false;
  for (char C : Text)
    if (!isWordCharacter(C))
      return false;
  return true;
}

std::string lower(std::string_view Text) {
  std::string Result(Text);
  for (char &C : Result)
    if (C >= 'A' && C <= 'Z')
      C = static_cast<char>(C - 'A' + 'a');
  return Result;
}

bool looksLikeNumber(std::string_view Text) {
  if (!Text.empty() && (Text[0] == '-' || Text[0] == '+'))
    Text.remove_prefix(1);
  return !Text.empty() && isDigit(Text[0]);
}

std::optional<uint32_t> threadNumber(std::string_view Text) {
  if (Text.size() > 1 && Text[0] == 'P')
    Text.remove_prefix(1);
  uint32_t Number = 0;
  auto [End, Error] = std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  if (Text.empty() || Error != std::errc() || End != Text.data() + Text.size())
    return std::nullopt;
  return Number;
}

/// With its sign, as a value of so many bits.
static int64_t numberOf(std::string_view Text, uint32_t Line, unsigned Bits) {
  std::string_view Digits = Text;
  const bool Negative = !Digits.empty() && Digits[0] == '-';
  if (Negative || (!Digits.empty() && Digits[0] == '+'))
    Digits.remove_prefix(1);
  int Base = 10;
  if (Digits.size() > 2 && Digits[0] == '0' && (Digits[1] == 'x' || Digits[1] == 'X')) {
    Base = 16;
    Digits.remove_prefix(2);
  }
  uint64_t Value = 0;
  auto [End, Error] = std::from_chars(Digits.data(), Digits.data() + Digits.size(), Value, Base);
  if (Error == std::errc::invalid_argument || End != Digits.data() + Digits.size())
    failLitmus(Line, quoted(Text) + " is not a number");
  const uint64_t Most = ~0ull >> (64 - Bits);
  if (Error != std::errc() || Value > (Negative ? Most / 2 + 1 : Most))
    failLitmus(Line, "the number " + quoted(Text) + " needs more than " + std::to_string(Bits) + " bits");
  const int64_t Signed = static_cast<int64_t>(Negative ? 0 - Value : Value);
  return Bits == 32 ? static_cast<int32_t>(Signed) : Signed;
}

int32_t litmusNumber(std::string_view Text, uint32_t Line) { return static_cast<int32_t>(numberOf(Text, Line, 32)); }
int64_t wideLitmusNumber(std::string_view Text, uint32_t Line) { return numberOf(Text, Line, 64); }

char LitmusCursor::take() {
  const char C = Text[At++];
  LineNumber += C == '\n';
  return C;
}

void LitmusCursor::skipSpace() {
  while (!atEnd() && isSpace(peek()))
    take();
}

bool LitmusCursor::accept(std::string_view Wanted) {
  skipSpace();
  if (rest().substr(0, Wanted.size()) != Wanted)
    return false;
  At += Wanted.size(); // no line ends in what is wanted
  return true;
}

void LitmusCursor::expect(std::string_view Wanted, const char *Where) {
  if (accept(Wanted))
    return;
  std::string_view Next = rest().substr(0, rest().find('\n'));
  failLitmus(LineNumber, quoted(Wanted) + " is expected " + Where +
                             (Next.empty() ? ", but the text ends" : ", not " + quoted(trimmed(Next))));
}

bool LitmusCursor::acceptWord(std::string_view Wanted) {
  skipSpace();
  std::string_view Next = rest();
  if (Next.substr(0, Wanted.size()) != Wanted || (Next.size() > Wanted.size() && isWordCharacter(Next[Wanted.size()])))
    return false;
  At += Wanted.size();
  return true;
}

std::string_view LitmusCursor::word() {
  skipSpace();
  size_t End = At;
  while (End < Text.size() && isWordCharacter(Text[End]))
    ++End;
  std::string_view Word = Text.substr(At, End - At);
  At = End;
  return Word;
}

std::string_view LitmusCursor::upTo(std::string_view Stops) {
  const size_t Begin = At;
  while (!atEnd() && Stops.find(peek()) == std::string_view::npos)
    take();
  return Text.substr(Begin, At - Begin);
}

namespace {

/// Replaces comments by spaces, so that everything keeps its place.
class CommentEraser {
public:
  explicit CommentEraser(std::string_view Text) : Text(Text), Result(Text) {}

  std::string ofAssembly() {
    while (At < Text.size())
      if (!eraseNested())
        advance();
    return std::move(Result);
  }

  /// The first braces are those of the initial state, the others those of functions.
  std::string ofC() {
    unsigned Depth = 0;
    bool InitialStateRead = false;
    while (At < Text.size()) {
      const bool InFunction = Depth && InitialStateRead;
      if (InFunction ? eraseC() : eraseNested())
        continue;
      Depth += Text[At] == '{';
      if (Text[At] == '}' && Depth && --Depth == 0)
        InitialStateRead = true;
      advance();
    }
    return std::move(Result);
  }

private:
  bool next(std::string_view Wanted) const { return Text.substr(At, Wanted.size()) == Wanted; }
  void advance() { Line += Text[At++] == '\n'; }
  void blank(size_t Count) {
    for (; Count && At < Text.size(); --Count) {
      if (Text[At] != '\n')
        Result[At] = ' ';
      advance();
    }
  }
  [[noreturn]] static void failOpen(uint32_t Line) { failLitmus(Line, "the comment that begins here has no end"); }

  /// (* a comment (* in which there may be others *) *)
  bool eraseNested() {
    if (!next("(*"))
      return false;
    const uint32_t OpenedAt = Line;
    for (unsigned Depth = 0; At < Text.size();) {
      const bool Opens = next("(*"), Closes = next("*)");
      Depth += Opens;
      Depth -= Closes;
      blank(Opens || Closes ? 2 : 1);
      if (!Depth)
        return true;
    }
    failOpen(OpenedAt);
  }

  bool eraseC() {
    if (next("//")) {
      blank(std::min(Text.find('\n', At), Text.size()) - At);
      return true;
    }
    if (!next("/*"))
      return false;
    const size_t End = Text.find("*/", At + 2);
    if (End == std::string_view::npos)
      failOpen(Line);
    blank(End + 2 - At);
    return true;
  }

  std::string_view Text;
  std::string Result;
  size_t At = 0;
  uint32_t Line = 1;
};

} // namespace

std::string withoutComments(std::string_view Text) { return CommentEraser(Text).ofAssembly(); }
std::string withoutCommentsOfC(std::string_view Text) { return CommentEraser(Text).ofC(); }

} // namespace picket
