// Checks and facts that need the syntax tree: code generation folds constants, and modules do not say for which machine
// a text was preprocessed. Part of ClangCompiler.cpp.
#pragma once

#include <memory>
#include <set>
#include <string>

namespace clang {
class ASTConsumer;
} // namespace clang

namespace picket {

/// Text that was preprocessed for another machine brings that machine's types along. Reports an error where a type for
/// sizes or addresses is too small for the addresses of this one.
std::unique_ptr<clang::ASTConsumer> createWidthCheck();

/// Code generation folds `1 / 0` to any value at all. Makes it a division that happens when the program runs. Has to
/// come before the consumer that generates code.
std::unique_ptr<clang::ASTConsumer> createDivisionKeeper();

/// C99's `inline` functions without an external definition are not compiled unless they are inlined, which nothing
/// promises. Makes their bodies definitions, and adds their names to `Kept`: other files of the program may have them as
/// well. Has to come before the consumer that generates code.
std::unique_ptr<clang::ASTConsumer> createInlineKeeper(std::set<std::string> &Kept);

} // namespace picket
