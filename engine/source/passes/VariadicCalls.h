// Variable arguments. The calling conventions put them into registers and on the stack; here a call puts them into an array
// of its own, whose address is one more argument, and va_start makes a list of it that has only the part in memory. What
// Clang makes of va_arg then reads the array: all targets step through that part in words.
#pragma once

namespace llvm {
class Module;
class Value;
} // namespace llvm

namespace picket {

/// Turns functions of the module that read their variable arguments, and calls of them, into functions that get the address
/// of these. Functions that only hand a list on to output, which is discarded, stay as they are.
void passVariableArguments(llvm::Module &M);

/// Whether a va_list only goes to functions that are swallowed, so that nobody reads it.
bool isSwallowedList(const llvm::Value &List);

} // namespace picket
