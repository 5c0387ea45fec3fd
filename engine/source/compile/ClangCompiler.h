// Compiles C text to LLVM IR with the Clang that is linked into this process. Only ClangCompiler.cpp,
// SourceExpressions.cpp and the files around fences/SourceTree.h include Clang's headers: parsing them takes longer
// than all else in a build.
#pragma once

#include "source/compile/Compile.h"
#include "source/naming/SourceFacts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace clang {
class FrontendAction;
} // namespace clang
namespace llvm {
class Module;
} // namespace llvm

namespace picket {

/// Compiles a program, with the models of source/models/Models.h it needs, through the checker's pipeline and hands the
/// module to `Use`, with what the text calls things. The module and its context die when `Use` returns. Returns false
/// if there is no module or if the compiler, or `Use`, crashed; `Diagnostics` then holds at least one error. `Use` runs
/// on another thread (with a deep stack) while the caller waits. If `Use` crashes, its frames are abandoned without
/// running destructors.
bool compileModule(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
                   llvm::function_ref<void(const llvm::Module &, SourceFacts &)> Use);

/// Runs an action over the request's file, without the others, as it is compiled for checks, in place of code generation. `Make` and the action run on
/// another thread; after a crash they are abandoned like `Use` above, so what they have to hand over should be moved
/// out in their last step. Returns false if the text has errors.
bool runFrontend(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
                 llvm::function_ref<std::unique_ptr<clang::FrontendAction>()> Make);

} // namespace picket
