// LitmusText: a tokenizer for litmus tests that knows the line of every error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace picket {

/// Why a test cannot be read. Thrown only inside this module.
struct LitmusError {
  std::string Message; // without the line
  uint32_t Line = 0;
  bool Unsupported = false; // well-formed, as far as one can tell, but not modelled
};

[[noreturn]] void failLitmus(uint32_t Line, std::string Message);
/// "not supported: 'xyz'"
[[noreturn]] void refuseLitmus(uint32_t Line, std::string_view What);

/// `Word` stands in front of a ':', where the number of a thread belongs.
[[noreturn]] void failThread(uint32_t Line, std::string_view Word);

/// For messages: cut where it is too long, and without what a terminal would not show.
std::string quoted(std::string_view Text);

std::string_view trimmed(std::string_view Text);
bool isName(std::string_view Text); // of a location, label or register
std::string lower(std::string_view Text);

/// "12", "-1", "0x1f" as a value of 32 bits, with its sign: 0xffffffff is -1.
int32_t litmusNumber(std::string_view Text, uint32_t Line);
/// The same with 64 bits.
int64_t wideLitmusNumber(std::string_view Text, uint32_t Line);
bool looksLikeNumber(std::string_view Text);
/// The number of a thread as it stands in front of ':' in "0:r1" or "P0:r1", if it is one.
std::optional<uint32_t> threadNumber(std::string_view Text);

/// A position in the text. Comments must have been blanked out.
class LitmusCursor {
public:
  explicit LitmusCursor(std::string_view Text, uint32_t Line = 1) : Text(Text), LineNumber(Line) {}

  uint32_t line() const { return LineNumber; }
  bool atEnd() const { return At == Text.size(); }
  char peek() const { return atEnd() ? '\0' : Text[At]; }
  char take();
  void skipSpace();

  /// These skip space first. `accept` takes the text if it is next.
  bool accept(std::string_view Wanted);
  void expect(std::string_view Wanted, const char *Where);
  bool acceptWord(std::string_view Wanted);
  /// A name or a number, possibly empty.
  std::string_view word();

  /// Everything up to one of the characters, which is not taken, or to the end.
  std::string_view upTo(std::string_view Stops);
  std::string_view rest() const { return Text.substr(At); }

private:
  std::string_view Text;
  size_t At = 0;
  uint32_t LineNumber;
};

/// The text with every (* comment *) replaced by spaces.
std::string withoutComments(std::string_view Text);
/// The same for a test in C, where the functions have C's comments instead: `if (*x)` begins none.
std::string withoutCommentsOfC(std::string_view Text);

} // namespace picket
