// Lowers LLVM IR to a Program.
#pragma once

#include "program/Program.h"
#include "source/naming/SourceFacts.h"

namespace llvm {
class Module;
} // namespace llvm

namespace picket {

/// Lowers a module that went through the checker's pipeline. Everything `main` and the constructors can reach is part
/// of the Program; what is not modelled becomes an Unsupported instruction where it stands, so that it is refused only
/// if it is reached. Functions named `__picket_model_X` stand for the library function X. Code in `ModelsFile` is not
/// the user's (Program::UserFile). `Facts` become Program::Names.
Program lower(const llvm::Module &M, const std::string &ModelsFile, SourceFacts Facts);

/// The functions and variables that `main` and the constructors can reach and that nothing defines or stands for.
std::vector<std::string> missingDefinitions(const llvm::Module &M);

} // namespace picket
