// Folds the slots of a function together so that frames are small: a frame is copied at every visible event.
#pragma once

#include "source/lowering/VirtualCode.h"

namespace picket {

/// Renames slots so that groups that are never live at the same time share slots, and drops the moves that become
/// empty. Parameters stay in slots 0..; the FedSlot, if the function needs one, comes right behind them and is shared
/// with nothing. An instruction's result may take the slot of an operand that dies there.
/// Blocks must be in the order in which they will be laid out; block 0 must have no predecessor.
void allocateRegisters(VirtualCode &Code);

} // namespace picket
