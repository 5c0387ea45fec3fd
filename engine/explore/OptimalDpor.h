// Optimal dynamic partial order reduction with wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: "Source Sets: A
// Foundation for Optimal Dynamic Partial Order Reduction") on the happens-before of chronological traces: every
// Shasha-Snir trace of the program is explored in exactly one execution, under SC, TSO and PSO.
#pragma once

#include "explore/Exploration.h"

namespace picket {

ExplorationResult exploreOptimally(const Program &P, const ExplorationOptions &Options, ExplorationObserver &Observer);

} // namespace picket
