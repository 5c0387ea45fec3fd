// Reads names, types and the texts of expressions off Clang's syntax tree, while the tree is there.
#pragma once

#include "source/naming/SourceFacts.h"

#include <memory>

namespace clang {
class ASTConsumer;
} // namespace clang

namespace picket {

/// Fills `Facts` at the end of the translation unit, from everything outside system headers. It must run before a
/// consumer that clears the tree. Nothing is collected if the text has errors.
std::unique_ptr<clang::ASTConsumer> createSourceReader(SourceFacts &Facts);

} // namespace picket
