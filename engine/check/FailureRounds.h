// Checks a program with operations that may fail for no reason: weak compare-and-swaps, and waits on condition
// variables. It is checked once with none of them failing, and again for every set of them that can fail together. In
// each round it is clear which ones do, so that an exploration has nothing to choose.
#pragma once

#include "check/CheckContext.h"

namespace picket {

/// One round: the models of the context are checked and the answers are put into the report, whose models are already
/// listed.
using CheckRound = std::function<void(const CheckContext &, CheckReport &Into)>;

/// Whether there is more than one round.
bool hasFailureRounds(const CheckContext &Context);

/// Checks in rounds; the report, whose models are already listed, has then what all rounds showed together.
void checkFailureRounds(const CheckContext &Context, const CheckRound &Round, CheckReport &Report);

} // namespace picket
