// `picket lsp`: the language server on standard input and output.
#pragma once

#include <string>
#include <vector>

namespace picket {

/// Flags that clients add (--stdio, --clientProcessId=1) are accepted and mean nothing. Returns the exit code.
int lspCommand(const std::vector<std::string> &Arguments);

} // namespace picket
