// The labels of events in pictures: a few words for the node, and all details for its tooltip. Plain text; the writer
// of an output format escapes it.
#pragma once

#include "trace/Recording.h"

namespace picket {

/// "flag[1] = 1", "read flag[0] = 0", "create left", with the line behind it. Long names and values are shortened.
std::string labelOf(const Recording &R, uint32_t Event);

/// The same in full, the place, and how the program got there: several lines.
std::string tooltipOf(const Recording &R, uint32_t Event);

/// "… 12 more reads of buf": for events that share a node.
std::string labelOfFold(const Recording &R, const std::vector<uint32_t> &Events);
/// One line per event, as far as a tooltip can show them.
std::string tooltipOfFold(const Recording &R, const std::vector<uint32_t> &Events);

} // namespace picket
