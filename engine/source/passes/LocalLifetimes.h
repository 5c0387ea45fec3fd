// The lifetimes of local variables, as Clang and the inliner mark them (llvm.lifetime.start and end). Passes use
// them to drop a variable; Picket must find accesses to it after its end.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class AllocaInst;
class Module;
} // namespace llvm

namespace picket {

/// Where scopes are left in several ways (break, continue, return), Clang brings these ways together for the markers
/// and keeps the destination in a variable. Takes them apart again, so that loops look as they are written. To be
/// called before any pass.
void separateWaysOut(llvm::Module &M);

/// Returning from main ends the process, not main's variables: other threads may go on using them.
void keepLocalsOfMain(llvm::Module &M);

/// Variables that no pointer leaves, but that are accessed where they may have ended. Passes would turn them into
/// registers, and the mistake would be gone.
llvm::SmallPtrSet<llvm::AllocaInst *, 8> localsUsedAfterEnd(llvm::Module &M);

/// Variables with an end whose address is kept somewhere, as far as is known now.
llvm::SmallPtrSet<llvm::AllocaInst *, 8> localsPointedTo(llvm::Module &M);

/// Removes the markers of variables whose end cannot be observed.
void dropPointlessMarkers(llvm::Module &M);

} // namespace picket
