#include "litmus/LitmusText.h"

#include <charconv>

namespace picket {

void failLitmus(uint32_t Line, std::string Message) { throw LitmusError{std::move(Message), Line, false}; }

void refuseLitmus(uint32_t Line, std::string_view What) {
  throw LitmusError{"not supported: " + quoted(What), Line, true};
}

void failRegister(uint32_t Line, std::string_view Word, std::string_view Register) {
  const bool IsThread = Word.size() > 1 && (Word[0] == 'P' || Word[0] == 'p') && looksLikeNumber(Word.substr(1));
  failLitmus(Line, IsThread ? "a register of thread " + quoted(Word) + " is written " +
                                  quoted(std::string(Word.substr(1)) + ":" + std::string(Register)) + ", with the number alone"
                            : "the number of a thread is expected in front of ':', not " + quoted(Word));
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

int32_t litmusNumber(std::string_view Text, uint32_t Line) {
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
  if (Error != std::errc() || Value > (Negative ? 0x80000000u : 0xffffffffu))
    failLitmus(Line, "the number " + quoted(Text) + " needs more than 32 bits");
  return static_cast<int32_t>(static_cast<uint32_t>(Negative ? 0 - Value : Value));
}

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

std::string withoutComments(std::string_view Text) {
  std::string Result(Text);
  unsigned Depth = 0;
  uint32_t Line = 1, OpenedAt = 0;
  for (size_t K = 0; K < Result.size(); ++K) {
    const std::string_view Two = Text.substr(K, 2);
    Line += Result[K] == '\n';
    const bool Opens = Two == "(*", Closes = Depth && Two == "*)";
    if (Opens && Depth++ == 0)
      OpenedAt = Line;
    if (Closes)
      --Depth;
    if (Opens || Closes) {
      Result[K] = Result[K + 1] = ' ';
      ++K;
    } else if (Depth && Result[K] != '\n') {
      Result[K] = ' ';
    }
  }
  if (Depth)
    failLitmus(OpenedAt, "the comment that begins here has no end");
  return Result;
}

} // namespace picket
