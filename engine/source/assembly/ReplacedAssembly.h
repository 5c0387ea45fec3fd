// Replaces inline assembly by ordinary instructions, before anything else looks at the module.
#pragma once

#include <optional>
#include <string>

namespace llvm {
class CallBase;
class Instruction;
class Module;
} // namespace llvm

namespace picket {

/// What the table (AssemblyTable.h) knows becomes loads, stores, atomic updates and arithmetic. Barriers and pauses stay as they
/// are, and what is not modelled stays with a reason.
void replaceAssembly(llvm::Module &M);

/// Why a statement is not modelled, with its text; nothing if it has no reason.
std::optional<std::string> refusalOfAssembly(const llvm::CallBase &Call);

/// Whether a call stands for a value that is not known (the time, say), and nothing uses it.
bool isUnusedUnknown(const llvm::CallBase &Call);

/// Arm's forms of instructions that LLVM does not tell apart: LDAPR, and updates that return nothing.
bool isWeakAcquire(const llvm::Instruction &I);
bool returnsNothing(const llvm::Instruction &I);

/// Which of Arm's updates the assembly of a module has spelt out.
struct ArmUpdatesInAssembly {
  bool Exclusive = false, Single = false;
};
ArmUpdatesInAssembly armUpdatesIn(const llvm::Module &M);

} // namespace picket
