// Programs of several files that exist only in the request.
#pragma once

#include "support/Explore.h"

namespace picket::testing {

/// The first file that is no header stands for the program. Names are those below /p/.
inline CompileRequest requestForFiles(const std::vector<std::pair<std::string, std::string>> &Files) {
  CompileRequest Request;
  Request.UseCompileCommands = false;
  for (const auto &[Name, Text] : Files) {
    const std::string File = "/p/" + Name;
    Request.Unsaved[File] = Text;
    if (Name.ends_with(".h"))
      continue;
    if (Request.File.empty())
      Request.File = File;
    else
      Request.Others.push_back({File});
  }
  return Request;
}

} // namespace picket::testing
