// Edits of texts, and the difference between two texts as people and `patch` read it.
#pragma once

#include "fences/SourceChange.h"
#include "source/compile/Compile.h"

#include <map>

namespace picket {

/// `Text` with the edits done, whatever file they name. They may come in any order but must not overlap; of several
/// insertions at one place the first comes first.
std::string applyEdits(const std::string &Text, std::vector<TextEdit> Edits);

/// The text that a request sees in a file: the unsaved buffer, else what is on disk (nothing if it cannot be read).
std::string textOf(const CompileRequest &Request, const std::string &File);

/// Takes the texts of the edited files into the request, as they are now: whatever happens to the files, what is proved and what is
/// written is the same text.
void keepTexts(CompileRequest &Request, const std::vector<TextEdit> &Edits);

/// Every edited file with its new text. With these as unsaved buffers the request compiles the edited program.
std::map<std::string, std::string> editedTexts(const CompileRequest &Request, const std::vector<TextEdit> &Edits);

/// A unified diff with three lines of context, as `patch -p1` and `git apply` take it; empty if the texts are equal.
/// `Name` is the path behind "a/" and "b/".
std::string unifiedDiff(const std::string &Name, const std::string &Before, const std::string &After);

} // namespace picket
