// The words of a memory model as text, in the language of herd's cat files, each with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace picket::cat {

/// A place in one of the texts that a model is made of.
struct Place {
  uint32_t File = 0; // by number, in the order of reading
  uint32_t Line = 1, Column = 1;
};

/// Why a text is no model. Thrown only inside this module.
struct Error {
  std::string Message; // a phrase, without the place
  Place Where;
};

[[noreturn]] void fail(Place Where, std::string Message);
/// For messages: cut where it is too long, and without what a terminal would not show.
std::string quoted(std::string_view Text);

enum class TokenKind : uint8_t { Name, Keyword, String, Symbol, End };

struct Token {
  TokenKind Kind = TokenKind::End;
  std::string_view Text; // of a string: what is between the quotes
  Place Where;

  bool is(std::string_view Wanted) const {
    return (Kind == TokenKind::Symbol || Kind == TokenKind::Keyword) && Text == Wanted;
  }
};

/// All tokens, with one of the kind End behind them. Comments are left out.
std::vector<Token> tokensOf(std::string_view Text, uint32_t File);

} // namespace picket::cat
