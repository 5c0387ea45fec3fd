// Most programs need few of the models or none. Removing the others before any pass runs is an order of magnitude
// cheaper than optimising them for nothing.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace picket {

/// Removes what only the models of source/Models.h brought into the module, unless the program refers to a function of
/// that name without defining it. Declarations that are used nowhere go as well. What the program itself defines stays.
void dropUnneededModels(llvm::Module &M);

} // namespace picket
