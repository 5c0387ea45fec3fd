// Rotates waiting loops: `int r = x; while (r != 17) r = x;` waits like `while (x != 17) ;`, but has two reads of x.
#pragma once

namespace llvm {
class Module;
}

namespace picket {

/// Where a loop ends each iteration with the very reads that stand in front of it, and carries nothing else of them
/// into the next, lets each iteration begin with them instead: the same accesses in the same order, and a loop that is
/// seen to wait. Loops must be in simplified form.
void turnRotatedWaits(llvm::Module &M);

} // namespace picket
