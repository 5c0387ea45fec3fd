// The models of one check: which run side by side, and what they learn from each other.
#pragma once

#include "check/CheckContext.h"

namespace picket {

/// Checks the models that `Report` lists, each on the program of its target, and puts the answers there. The context has
/// one of the programs, which is there already. `OnModel` may be empty.
void checkModels(CheckReport &Report, const CheckContext &Context, TargetPrograms &Programs,
                 const ModelListener &OnModel);

} // namespace picket
