// Parses a memory model as text, in herd's cat language, into its syntax tree. What is not supported is refused by name.
#pragma once

#include "cat/CatSyntax.h"

namespace picket::cat {

/// Throws Error. The nesting of expressions and statements is limited, so that nobody who walks through the tree runs out
/// of stack.
SyntaxTree parse(std::string_view Text, uint32_t File);

} // namespace picket::cat
