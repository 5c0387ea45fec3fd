#include "source/ModelLinking.h"

#include "program/Builtin.h"
#include "source/Models.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>
#include <string_view>
#include <vector>

using namespace llvm;

namespace picket {

using Bitcode = SmallVector<char, 0>;

/// The compiled models, the same for every program. Compiling happens outside the lock: a crash of the compiler jumps
/// out of it, and must not leave the lock behind. At worst a few threads compile the models at the same time.
static std::shared_ptr<const Bitcode> compiledModels(function_ref<bool(SmallVectorImpl<char> &)> Compile) {
  static std::mutex Lock;
  static std::shared_ptr<const Bitcode> Known;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (Known)
      return Known;
  }
  auto Compiled = std::make_shared<Bitcode>();
  if (!Compile(*Compiled))
    return nullptr;
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Known)
    Known = std::move(Compiled);
  return Known;
}

static bool needsModel(const Function &F) {
  if (!F.isDeclaration() || F.isIntrinsic() || F.use_empty())
    return false;
  std::string_view Name(F.getName().data(), F.getName().size());
  Builtin Known;
  return !findBuiltin(Name, Known) && hasModel(Name);
}

bool linkNeededModels(Module &M, function_ref<bool(SmallVectorImpl<char> &)> CompileModels) {
  std::vector<Function *> Needed;
  for (Function &F : M)
    if (needsModel(F))
      Needed.push_back(&F);
  if (Needed.empty())
    return true;
  std::shared_ptr<const Bitcode> Compiled = compiledModels(CompileModels);
  if (!Compiled)
    return false;
  MemoryBufferRef Buffer(StringRef(Compiled->data(), Compiled->size()), ModelsFile);
  Expected<std::unique_ptr<Module>> Models = getLazyBitcodeModule(Buffer, M.getContext());
  if (!Models) {
    consumeError(Models.takeError());
    return false;
  }
  // The models mean the same with whatever flags the program is compiled, so there is nothing to compare.
  (*Models)->setTargetTriple(M.getTargetTriple());
  (*Models)->setDataLayout(M.getDataLayout());
  if (NamedMDNode *Flags = (*Models)->getModuleFlagsMetadata())
    Flags->eraseFromParent();
  // The linker brings what is declared here, and what that uses in turn.
  for (Function *F : Needed)
    M.getOrInsertFunction(("__picket_model_" + F->getName()).str(), F->getFunctionType());
  return !Linker::linkModules(M, std::move(*Models), Linker::LinkOnlyNeeded);
}

} // namespace picket
