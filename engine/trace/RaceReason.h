// Why nothing orders the two accesses of a data race.
#pragma once

#include "trace/Recording.h"

#include <string>

namespace picket {

/// A phrase about an execution that ends with a data race: the synchronisation that is nearest to ordering its accesses,
/// and what it lacks. "thread 'reader' reads flag (line 9) with relaxed order, which does not synchronise with the release
/// store at line 5". Empty if there is nothing to say.
std::string whyUnordered(const Recording &Run);

} // namespace picket
