#include "source/compile/Compile.h"

#include "source/compile/ClangCompiler.h"
#include "source/compile/CompileFlags.h"
#include "source/lowering/Lowering.h"
#include "source/models/Models.h"

namespace picket {

/// A flag says what atomic operations become, and assembly says it itself. Where both differ, the weaker of both counts.
static void chooseArmInstructions(Program &P, std::vector<std::string> Flags) {
  takeArmMarch(Flags, P.Arm);
  if ((P.Arm.Updates == ArmUpdates::Single && P.ExclusiveInAssembly) ||
      (P.Arm.Updates == ArmUpdates::Exclusive && P.SingleInAssembly))
    P.Arm.Updates = ArmUpdates::Any;
}

CompileResult compileProgram(const CompileRequest &Request) {
  CompileResult Result;
  bool Compiled = compileModule(Request, Result.Diagnostics, [&](const llvm::Module &M, SourceFacts &Facts) {
    Result.Compiled = lower(M, ModelsFile, std::move(Facts));
  });
  if (!Compiled)
    Result.Compiled.reset();
  if (Result.Compiled)
    chooseArmInstructions(*Result.Compiled, Request.Flags);
  return Result;
}

} // namespace picket
