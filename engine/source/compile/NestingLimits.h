// Limits on the nesting of a text. Clang's parser, its passes over the syntax tree and those here call themselves for
// every level, and some of them take time that grows with the square of the levels. Text beyond these limits is refused
// with a diagnostic. (Clang itself limits brackets, and includes.) Part of ClangCompiler.cpp.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
class Preprocessor;
} // namespace clang

namespace picket {

/// Gives up (see CrashGuard.h) where an expression, a declaration or a statement without braces goes on for too long:
/// 200,000 stars, a chain of 100,000 `else if`.
void limitNestingOfTokens(clang::Preprocessor &PP);

/// Reports an error where a syntax tree or a type is too deep: through chains of typedefs and structures, or operators.
/// Has to come before the other consumers.
std::unique_ptr<clang::ASTConsumer> createNestingCheck();

} // namespace picket
