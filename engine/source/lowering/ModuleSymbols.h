// Resolves the names of a module: which of its functions and variables are part of the Program, under which index, and
// what a call to one of them does.
#pragma once

#include "program/Builtin.h"
#include "source/lowering/ProgramTables.h"
#include "source/naming/SourceMap.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <optional>
#include <set>

namespace picket {

/// Library functions that become bytecode in place.
enum class Inlined : uint8_t { None, MemCopy, MemMove, MemSet, ErrnoLocation, Atomic, Sqrt };

struct Callee {
  enum KindType : uint8_t {
    Builtin,   // What names it
    Defined,   // Target is a function of the module
    InPlace,   // How says how
    Intrinsic, // Target is LLVM's
    Assembly,
    Indirect,
    Undefined // Target has no definition
  } Kind = Indirect;
  picket::Builtin What = picket::Builtin::Ignore;
  Inlined How = Inlined::None;
  const llvm::Function *Target = nullptr;
};

class ModuleSymbols {
public:
  ModuleSymbols(const llvm::Module &Mod, Program &Prog, ProgramTables &Tables, SourceMap &Sources);

  /// Finds everything `main` and the constructors can reach and gives it indices. The program's Functions and Globals
  /// are filled but for code and initial bytes.
  void collect();

  /// What calling F does. Where the program defines a library function itself, its definition wins, except for the
  /// verification interface, whose bodies in benchmarks are only for compilers.
  Callee resolve(const llvm::Function &F) const;
  Callee resolve(const llvm::CallBase &Call) const;

  /// The address of a global or function; empty if it has none, and `Refusal` then says what is not modelled.
  std::optional<Address> addressOf(const llvm::GlobalValue &G, std::string &Refusal) const;

  bool isModelled(const llvm::GlobalVariable &G) const { return Globals.count(&G) != 0; }
  uint32_t indexOf(const llvm::GlobalVariable &G) const { return Globals.find(&G)->second; }
  std::optional<uint32_t> indexOf(const llvm::Function &F) const;

  /// Defined functions in the order of their indices.
  const std::vector<const llvm::Function *> &defined() const { return DefinedFunctions; }
  const std::vector<const llvm::GlobalVariable *> &globals() const { return GlobalList; }
  /// Builtins whose address is taken: each needs a function that only calls it.
  const llvm::MapVector<const llvm::Function *, uint32_t> &forwarders() const { return Forwarders; }

  /// What can be reached and has no definition, by name.
  std::vector<std::string> missing() const { return {Missing.begin(), Missing.end()}; }

  uint32_t errnoGlobal() const { return ErrnoGlobal; }
  std::vector<const llvm::Function *> constructors() const;
  const llvm::DataLayout &layout() const { return Mod.getDataLayout(); }

private:
  void reachFunction(const llvm::Function &F);
  void reachConstant(const llvm::Constant &C);
  void reachGlobal(const llvm::GlobalVariable &G);
  void reachAddress(const llvm::Function &F);
  void addFunction(const llvm::Function &F);
  void refuseUnknownInitialisers();
  std::string whyRefused(const llvm::GlobalVariable &G) const;
  const llvm::Function *modelOf(const llvm::Function &F) const;

  const llvm::Module &Mod;
  Program &Prog;
  ProgramTables &Tables;
  SourceMap &Sources;
  llvm::DenseMap<const llvm::Function *, uint32_t> Functions;
  llvm::DenseMap<const llvm::GlobalVariable *, uint32_t> Globals;
  llvm::DenseMap<const llvm::GlobalVariable *, std::string> Refused; // what is not modelled about them
  std::vector<const llvm::Function *> DefinedFunctions;
  std::vector<const llvm::GlobalVariable *> GlobalList;
  llvm::MapVector<const llvm::Function *, uint32_t> Forwarders;
  std::vector<const llvm::Function *> Work;
  std::set<std::string> Missing;
  llvm::DenseMap<const llvm::Constant *, bool> SeenConstants;
  uint32_t ErrnoGlobal = UINT32_MAX;
};

/// "call to 'foo'", with advice where there is some.
std::string describeCall(llvm::StringRef Name);

} // namespace picket
