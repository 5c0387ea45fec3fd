#include "source/Compile.h"

#include "source/ClangCompiler.h"
#include "source/Lowering.h"
#include "source/Models.h"

namespace picket {

CompileResult compileProgram(const CompileRequest &Request) {
  CompileResult Result;
  bool Compiled = compileModule(Request, Result.Diagnostics, [&](const llvm::Module &M, SourceFacts &Facts) {
    Result.Compiled = lower(M, ModelsFile, std::move(Facts));
  });
  if (!Compiled)
    Result.Compiled.reset();
  return Result;
}

} // namespace picket
