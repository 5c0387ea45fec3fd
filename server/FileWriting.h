// The one way in which Picket writes files.
//
// A file is the old text or the new one at any time, whole: the new text is written to a temporary file beside it,
// synced, and takes the other's place in one step. Its mode, owner and extended attributes are kept, and symbolic links
// lead to the file that is written. Files with several hard links, or whose owner could not be kept, are overwritten
// where they are: for those, and for several files together, a journal tells the next run what a killed one left
// undone.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace picket {

struct FileChange {
  std::string File; // as the user names it
  std::string Text;
  /// What the file has to hold: a file that is not there, or that holds anything else, is left as it is. Empty: the
  /// file is made if it is not there, and whatever it holds is replaced. It may then also be a pipe or a device.
  std::optional<std::string> Expected = {};
};

/// Writes all of them or none. Returns the sentence that says what went wrong; empty if nothing did.
std::string writeFiles(const std::vector<FileChange> &Changes);

/// Puts back what a run that was killed had begun to write, unless it was done: then only its temporary files are
/// removed. A text that somebody has changed since is left alone. Returns a sentence for each file to tell the user;
/// mostly none.
std::vector<std::string> recoverFiles();

} // namespace picket
