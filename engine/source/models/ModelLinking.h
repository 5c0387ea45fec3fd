// Links the models of source/models/Models.h that a program needs to it. Most programs need few or none, so models are
// not part of a program's text: they are compiled once per process.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace llvm {
class Module;
} // namespace llvm

namespace picket {

/// Gives the module a definition of `__picket_model_NAME`, and of what that stands on, for each function NAME that it
/// uses, does not define and that has a model. What the program itself defines stays as it is.
/// `CompileModels` writes the bitcode of the models' text, for the module's target, to the buffer. It is called when a
/// module of that target needs a model for the first time in this process. Returns false if it does so.
bool linkNeededModels(llvm::Module &M, llvm::function_ref<bool(llvm::SmallVectorImpl<char> &)> CompileModels);

} // namespace picket
