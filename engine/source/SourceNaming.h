// Joins the SourceFacts of a text with the Program that was made from it.
#pragma once

#include "source/SourceFacts.h"
#include "source/SourceMap.h"

#include <utility>

namespace llvm {
class AllocaInst;
} // namespace llvm

namespace picket {

class ModuleSymbols;

/// Local variables that stay in memory, with their allocation sites.
using LocalSites = std::vector<std::pair<const llvm::AllocaInst *, uint32_t>>;

/// Fills Program::Names of a program that is complete otherwise.
void attachSourceNames(Program &P, const ModuleSymbols &Symbols, const LocalSites &Locals, SourceMap &Sources,
                       SourceFacts Facts);

} // namespace picket
