// C text to LLVM IR with the Clang that is linked into this process. The only files that include Clang's headers are
// ClangCompiler.cpp and SourceExpressions.cpp: parsing them takes longer than everything else in a build.
#pragma once

#include "source/Compile.h"
#include "source/SourceFacts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class Module;
} // namespace llvm

namespace picket {

/// Compiles one C file, with the models of source/Models.h it needs, through the checker's pipeline and hands the
/// module to `Use`, with what the text calls things. The module and its context die when `Use` returns. Returns false
/// if there is no module or if the compiler, or `Use`, crashed; `Diagnostics` then holds at least one error. `Use` runs
/// on another thread (with a deep stack) while the caller waits. If `Use` crashes, its frames are abandoned without
/// running destructors.
bool compileModule(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
                   llvm::function_ref<void(const llvm::Module &, SourceFacts &)> Use);

} // namespace picket
