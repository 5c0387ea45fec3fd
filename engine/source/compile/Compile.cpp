#include "source/compile/Compile.h"

#include "source/assembly/ReplacedAssembly.h"
#include "source/compile/ClangCompiler.h"
#include "source/compile/CompileFlags.h"
#include "source/compile/ProgramLinking.h"
#include "source/lowering/Lowering.h"
#include "source/models/Models.h"

#include "llvm/ADT/STLExtras.h"

#include <filesystem>

namespace picket {

/// A flag says what atomic operations become, and assembly says it itself. Where both differ, the weaker of both counts.
static void chooseArmInstructions(Program &P, std::vector<std::string> Flags, ArmUpdatesInAssembly Assembly) {
  takeArmMarch(Flags, P.Arm);
  if ((P.Arm.Updates == ArmUpdates::Single && Assembly.Exclusive) ||
      (P.Arm.Updates == ArmUpdates::Exclusive && Assembly.Single))
    P.Arm.Updates = ArmUpdates::Any;
}

std::vector<CompileRequest> requestsOfFiles(const CompileRequest &Program) {
  auto Whole = [](const std::string &File) {
    std::error_code Ignored;
    return std::filesystem::absolute(File, Ignored).lexically_normal().string();
  };
  std::vector<CompileRequest> Requests = {Program};
  Requests.front().Others.clear();
  std::vector<std::string> Known = {Whole(Program.File)};
  for (const ProgramFile &Other : Program.Others) {
    if (llvm::is_contained(Known, Whole(Other.File)))
      continue;
    Known.push_back(Whole(Other.File));
    CompileRequest &One = Requests.emplace_back(Requests.front());
    One.File = Other.File;
    One.Flags = Other.Flags;
  }
  return Requests;
}

CompileResult compileProgram(const CompileRequest &Request) {
  CompileResult Result;
  ArmUpdatesInAssembly Assembly;
  std::vector<Diagnostic> LinkErrors;
  bool Compiled = compileModule(Request, Result.Diagnostics, [&](const llvm::Module &M, SourceFacts &Facts) {
    Assembly = armUpdatesIn(M);
    if (!Request.Others.empty())
      reportMissing(missingDefinitions(M), Facts, LinkErrors);
    Result.Compiled = lower(M, ModelsFile, std::move(Facts));
  });
  if (!Compiled || !LinkErrors.empty())
    Result.Compiled.reset();
  std::move(LinkErrors.begin(), LinkErrors.end(), std::back_inserter(Result.Diagnostics));
  if (Result.Compiled) {
    std::vector<std::string> Flags = Request.Flags;
    takeNondet(Flags, Result.Compiled->Outside);
    chooseArmInstructions(*Result.Compiled, std::move(Flags), Assembly);
  }
  return Result;
}

} // namespace picket
