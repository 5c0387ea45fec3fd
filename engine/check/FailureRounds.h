// Checks a program with operations that may fail for no reason: weak compare-and-swaps, and waits on condition
// variables. It is checked once with none of them failing, and again for every set of them that can fail together. In
// each round it is clear which ones do, so that whoever explores has nothing to choose.
#pragma once

#include "check/Check.h"

namespace picket {

/// What a round is: the models are checked and the answers are put into the report, whose models are already listed.
using CheckRound = std::function<void(const Program &, const CheckOptions &,
                                      const std::function<void(const Progress &)> &OnProgress, CheckReport &)>;

/// Whether there is more than one round.
bool hasFailureRounds(const Program &P, const CheckOptions &Options);

void checkFailureRounds(const Program &P, const CheckOptions &Options,
                        const std::function<void(const Progress &)> &OnProgress, const std::atomic<bool> *Cancel,
                        const CheckRound &Round, CheckReport &Report);

} // namespace picket
