// `picket doctor`: whether this system has what Picket needs, above all to confine itself.
#pragma once

namespace picket {

/// 0: all is well; 1: something is missing, and the text says what.
int doctorCommand();

} // namespace picket
