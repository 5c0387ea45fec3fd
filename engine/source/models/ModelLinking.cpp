#include "source/models/ModelLinking.h"

#include "program/Builtin.h"
#include "source/models/Models.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

using namespace llvm;

namespace picket {

using Bitcode = SmallVector<char, 0>;

/// The compiled models, the same for every program of a target. Compiling happens outside the lock: a crash of the
/// compiler jumps out of it, and must not leave the lock behind. At worst a few threads compile the models at the same
/// time.
static std::shared_ptr<const Bitcode> compiledModels(const Module &M,
                                                     function_ref<bool(SmallVectorImpl<char> &)> Compile) {
  static std::mutex Lock;
  static std::map<std::string, std::shared_ptr<const Bitcode>> PerTarget;
  const std::string Target = M.getTargetTriple().str();
  {
    std::lock_guard<std::mutex> Guard(Lock);
    if (auto Known = PerTarget.find(Target); Known != PerTarget.end())
      return Known->second;
  }
  auto Compiled = std::make_shared<Bitcode>();
  if (!Compile(*Compiled))
    return nullptr;
  std::lock_guard<std::mutex> Guard(Lock);
  return PerTarget.try_emplace(Target, std::move(Compiled)).first->second;
}

static bool needsModel(const Function &F) {
  if (!F.isDeclaration() || F.isIntrinsic() || F.use_empty())
    return false;
  std::string_view Name(F.getName().data(), F.getName().size());
  Builtin Known;
  return !findBuiltin(Name, Known) && hasModel(Name);
}

/// The functions of llvm.global_dtors in the order in which constructors of the same priorities would run.
static std::vector<Function *> destructorsOf(const Module &M) {
  const GlobalVariable *List = M.getGlobalVariable("llvm.global_dtors");
  auto *Entries = List && List->hasInitializer() ? dyn_cast<ConstantArray>(List->getInitializer()) : nullptr;
  std::vector<std::pair<uint64_t, Function *>> ByPriority;
  for (unsigned K = 0; Entries && K < Entries->getNumOperands(); ++K) {
    auto *Fields = cast<Constant>(Entries->getOperand(K));
    auto *Priority = dyn_cast_or_null<ConstantInt>(Fields->getAggregateElement(0u));
    auto *F = dyn_cast<Function>(Fields->getAggregateElement(1u)->stripPointerCasts());
    if (F && Priority)
      ByPriority.push_back({Priority->getZExtValue(), F});
  }
  std::stable_sort(ByPriority.begin(), ByPriority.end(), [](auto &A, auto &B) { return A.first < B.first; });
  std::vector<Function *> Found;
  for (auto &[Priority, F] : ByPriority)
    Found.push_back(F);
  return Found;
}

/// Destructors run after everything else: a constructor that comes before all others notes them with atexit, as the C
/// library does.
static void noteDestructors(Module &M) {
  const std::vector<Function *> Destructors = destructorsOf(M);
  if (Destructors.empty())
    return;
  LLVMContext &Context = M.getContext();
  Type *Int = Type::getInt32Ty(Context), *Pointer = PointerType::getUnqual(Context);
  FunctionCallee Note = M.getOrInsertFunction("__picket_model_atexit", FunctionType::get(Int, {Pointer}, false));
  Function *First = Function::Create(FunctionType::get(Type::getVoidTy(Context), false), Function::InternalLinkage,
                                     "__picket_note_destructors", M);
  BasicBlock *Body = BasicBlock::Create(Context, "", First);
  for (Function *F : Destructors)
    CallInst::Create(Note, {F}, "", Body);
  ReturnInst::Create(Context, Body);
  appendToGlobalCtors(M, First, 0);
}

bool linkNeededModels(Module &M, function_ref<bool(SmallVectorImpl<char> &)> CompileModels) {
  noteDestructors(M);
  std::vector<Function *> Needed;
  for (Function &F : M)
    if (needsModel(F))
      Needed.push_back(&F);
  auto Uses = [&](const char *Name) {
    const Function *F = M.getFunction(Name);
    return F && F->isDeclaration() && !F->use_empty();
  };
  const bool Exits = Uses("atexit") || Uses("__picket_model_atexit"), QuickExits = Uses("at_quick_exit");
  if (Needed.empty() && !Exits)
    return true;
  std::shared_ptr<const Bitcode> Compiled = compiledModels(M, CompileModels);
  if (!Compiled)
    return false;
  MemoryBufferRef Buffer(StringRef(Compiled->data(), Compiled->size()), modelsFileName());
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
  // Nothing calls these but the machine.
  FunctionType *Plain = FunctionType::get(Type::getVoidTy(M.getContext()), false);
  if (Exits)
    M.getOrInsertFunction(ExitFunctions, Plain);
  if (QuickExits)
    M.getOrInsertFunction(QuickExitFunctions, Plain);
  if (Linker::linkModules(M, std::move(*Models), Linker::LinkOnlyNeeded))
    return false;
  // These are to be inlined, so that the loop around a wait is seen.
  for (const char *Name : {"cnd_wait", "cnd_timedwait", "pthread_cond_clockwait"}) {
    Function *Called = M.getFunction(Name), *Model = M.getFunction((Twine("__picket_model_") + Name).str());
    if (Called && Called->isDeclaration() && Model && !Model->isDeclaration())
      Called->replaceAllUsesWith(Model);
  }
  return true;
}

} // namespace picket
