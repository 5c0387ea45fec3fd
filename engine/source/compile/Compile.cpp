#include "source/compile/Compile.h"

#include "source/compile/ClangCompiler.h"
#include "source/compile/CompileFlags.h"
#include "source/lowering/Lowering.h"
#include "source/models/Models.h"

namespace picket {

CompileResult compileProgram(const CompileRequest &Request) {
  CompileResult Result;
  bool Compiled = compileModule(Request, Result.Diagnostics, [&](const llvm::Module &M, SourceFacts &Facts) {
    Result.Compiled = lower(M, ModelsFile, std::move(Facts));
  });
  if (!Compiled)
    Result.Compiled.reset();
  if (std::vector<std::string> Flags = Request.Flags; Result.Compiled)
    takeArmMarch(Flags, Result.Compiled->Arm), takeNondet(Flags, Result.Compiled->Outside);
  return Result;
}

} // namespace picket
