// Notices where a text asks which architecture it is compiled for. Part of ClangCompiler.cpp.
#pragma once

#include "source/naming/SourceFacts.h"

namespace clang {
class Preprocessor;
} // namespace clang

namespace picket {

/// To be called before the text is read. What system headers ask is not noted.
void noteArchitectureMacros(clang::Preprocessor &Text, SourceFacts &Facts);

} // namespace picket
