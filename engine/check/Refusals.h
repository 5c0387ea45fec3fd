// Why a program is refused: what an execution came to that is not modelled, and with it all else that is not modelled and
// that the program may come to, so that nobody has to learn of it one check at a time.
#pragma once

#include "check/CheckReport.h"
#include "program/Program.h"

namespace picket {

/// An execution came to an instruction that is not modelled, and the report says why in its reason. Adds what else is
/// not modelled, with places (ModelReport::NotModelled, which begins with what was come to), and the ways out.
void describeRefusal(const Program &Compiled, uint32_t Pc, ModelReport &Report);

} // namespace picket
