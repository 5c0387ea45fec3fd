// The models of one check: which run side by side, and what they learn from each other.
#pragma once

#include "check/CheckContext.h"

namespace picket {

/// Checks the models that `Report` lists, and puts the answers there. `OnModel` may be empty.
void checkModels(CheckReport &Report, const CheckContext &Context, const ModelListener &OnModel);

} // namespace picket
