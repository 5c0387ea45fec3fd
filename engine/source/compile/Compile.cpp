#include "source/compile/Compile.h"

#include "source/assembly/ReplacedAssembly.h"
#include "source/compile/ClangCompiler.h"
#include "source/compile/CompileFlags.h"
#include "source/lowering/Lowering.h"
#include "source/models/Models.h"

namespace picket {

/// A flag says what atomic operations become, and assembly says it itself. Where both differ, the weaker of both counts.
static void chooseArmInstructions(Program &P, std::vector<std::string> Flags, ArmUpdatesInAssembly Assembly) {
  takeArmMarch(Flags, P.Arm);
  if ((P.Arm.Updates == ArmUpdates::Single && Assembly.Exclusive) ||
      (P.Arm.Updates == ArmUpdates::Exclusive && Assembly.Single))
    P.Arm.Updates = ArmUpdates::Any;
}

CompileResult compileProgram(const CompileRequest &Request) {
  CompileResult Result;
  ArmUpdatesInAssembly Assembly;
  bool Compiled = compileModule(Request, Result.Diagnostics, [&](const llvm::Module &M, SourceFacts &Facts) {
    Assembly = armUpdatesIn(M);
    Result.Compiled = lower(M, ModelsFile, std::move(Facts));
  });
  if (!Compiled)
    Result.Compiled.reset();
  if (Result.Compiled) {
    std::vector<std::string> Flags = Request.Flags;
    takeNondet(Flags, Result.Compiled->Outside);
    chooseArmInstructions(*Result.Compiled, std::move(Flags), Assembly);
  }
  return Result;
}

} // namespace picket
