// Splits the text of inline assembly into instructions.
#pragma once

#include "program/Architecture.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace picket {

/// Thrown where a statement is not modelled. Why: what a person reads after the statement's text.
struct AssemblyRefused {
  std::string Why;
};

/// An operand of the statement in the text of an instruction: `%w0` is number 0 with the modifier 'w'.
constexpr char OperandBegin = '\x01', OperandEnd = '\x02';

struct AssemblyLine {
  std::vector<std::string> Labels; // in front of it
  bool Locks = false;              // has the prefix `lock`
  std::string Mnemonic;            // in lower case; empty behind the last label
  std::vector<std::string> Operands;

  std::string text() const;
};

/// The lines of a template as LLVM has it: `$0`, `${0:w}`, `$$` for a dollar sign, `$(att$|intel$)`. Comments, and directives
/// that only describe the code, are left out; other directives are refused.
std::vector<AssemblyLine> assemblyLines(llvm::StringRef Template, Architecture For);

/// Whether text outside of functions only describes symbols, or adds notes: it has no code and no data that a program could meet.
bool onlyDescribes(llvm::StringRef Text, Architecture For);

/// Single spaces, none around commas.
std::string withSingleSpaces(llvm::StringRef Text);

} // namespace picket
