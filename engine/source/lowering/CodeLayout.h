// The last steps of lowering: virtual code becomes the bytecode of a Program.
#pragma once

#include "source/lowering/VirtualCode.h"

namespace picket {

/// Cuts what cannot be reached and puts the blocks in reverse postorder.
void orderBlocks(VirtualCode &Code);

/// Appends the function's code to the Program, with pcs for blocks. Returns the pc of its first instruction.
uint32_t layOut(VirtualCode &Code, Program &P);

} // namespace picket
