// Stubs: what stands for functions that a program calls and does not define, as somebody asked for. They are an assumption
// about the program, so every verdict names them.
#pragma once

#include "base/Diagnostic.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class Module;
}

namespace picket {

struct Stubs {
  std::vector<std::pair<std::string, int64_t>> Values; // functions that return a number and do nothing else
  std::vector<std::string> Files;                      // C texts whose definitions are used
};

/// "NAME" or "NAME=VALUE". Returns what is wrong, or nothing.
std::string parseStub(const std::string &Text, Stubs &Into);

/// Takes Picket's own flags -fpicket-stub=NAME[=VALUE] and -fpicket-stubs=FILE out of a command. Returns what is wrong, or
/// nothing.
std::string takeStubs(std::vector<std::string> &Flags, Stubs &Into);

/// Functions that the module uses and does not define.
std::vector<std::string> undefinedFunctions(const llvm::Module &M);

/// Defines the functions with values that the module uses and does not define, and adds their names. Each gets a note; a
/// result that no number can be is an error.
void defineStubs(llvm::Module &M, const Stubs &Asked, const std::string &File, std::vector<std::string> &Names,
                 std::vector<Diagnostic> &Diagnostics);

} // namespace picket
