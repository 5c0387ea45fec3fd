// Links the files of a program, as a linker does: what is static stays apart, and what is defined twice is an error at
// both places.
#pragma once

#include "base/Diagnostic.h"
#include "source/naming/SourceFacts.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace picket {

/// A file of the program, compiled.
struct CompiledFile {
  std::string File;
  std::unique_ptr<llvm::Module> Code;
  SourceFacts Facts;
};

/// Links all into the first, and merges what is known of them. All are for the same machine and in the same context. False:
/// there are errors, and the files cannot be used any more.
bool linkFiles(std::vector<CompiledFile> &Files, std::vector<Diagnostic> &Diagnostics);

/// Errors for what the program can reach and no file of it defines, of what the user's own text declares. `Missing`: the
/// names.
void reportMissing(const std::vector<std::string> &Missing, const SourceFacts &Facts,
                   std::vector<Diagnostic> &Diagnostics);

} // namespace picket
