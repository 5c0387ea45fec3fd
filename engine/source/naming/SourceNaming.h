// Joins the SourceFacts of a text with the Program that was made from it.
#pragma once

#include "source/naming/SourceFacts.h"
#include "source/naming/SourceMap.h"

#include <utility>

namespace llvm {
class AllocaInst;
class GlobalVariable;
} // namespace llvm

namespace picket {

/// Global variables that are part of the Program, with their indices in Program::Globals.
using GlobalIndices = std::vector<std::pair<const llvm::GlobalVariable *, uint32_t>>;

/// Local variables that stay in memory, with their allocation sites.
using LocalSites = std::vector<std::pair<const llvm::AllocaInst *, uint32_t>>;

/// Fills Program::Names of a program that is complete otherwise.
void attachSourceNames(Program &P, const GlobalIndices &Globals, const LocalSites &Locals, SourceMap &Sources,
                       SourceFacts Facts);

} // namespace picket
