// Jump threading: an edge into a block that does nothing but decide a branch, by values that are constants on this edge, goes
// straight to where that leads. So an operation that has failed, as in `while (!pop(&v)) ;`, leads back to the head of the loop
// without passing the block that it shares with success. The loop then changes nothing, and can wait (lowering/SpinLoops).
//
// It is our own because LLVM's pass also removes loads.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace picket {

/// In loops, and without changing what is accessed, or in which order.
void threadJumps(llvm::Module &M);

} // namespace picket
