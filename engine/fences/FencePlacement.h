// From a change of memory orders to edits of the user's text, by Clang's syntax tree: fences at boundaries of
// statements (or in front of an expression, by a comma, where no boundary lies between the accesses), other orders in
// atomic calls, fences taken out. What cannot be written correctly is refused with a sentence.
#pragma once

#include "fences/FenceStyle.h"
#include "fences/SourceChange.h"
#include "source/compile/Compile.h"

namespace picket {

/// The edits of all changes together: fences that meet at one place become one, an include that several need is added
/// once. Refused as a whole if one change is refused, or if the text does not compile. The request is that of the check
/// (unsaved buffers included); offsets are those of the text it sees. Sorted by file and place, without overlaps.
PlacedChange placeChanges(const CompileRequest &Request, const std::vector<SourceChange> &Changes);

/// The same for several alternatives, each independent of the others, for the price of reading the text once. Of a program
/// of several files each change is placed in the first that has its text: in that file itself, or in a header.
std::vector<PlacedChange> placeAlternatives(const CompileRequest &Request,
                                            const std::vector<std::vector<SourceChange>> &Alternatives,
                                            EditStyle Style = {});

/// What several programs or files ask for, as one. What is the same is there once. Refused if one of them is, or if they
/// affect the same piece of text.
PlacedChange together(std::vector<PlacedChange> Parts);

} // namespace picket
