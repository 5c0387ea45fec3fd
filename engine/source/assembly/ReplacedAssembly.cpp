#include "source/assembly/ReplacedAssembly.h"

#include "source/assembly/AssemblyStatement.h"
#include "source/assembly/Barriers.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace picket {

static Architecture architectureOf(const Module &M) {
  switch (M.getTargetTriple().getArch()) {
  case Triple::x86_64: return Architecture::X86_64;
  case Triple::aarch64: return Architecture::Aarch64;
  case Triple::ppc64le: return Architecture::Powerpc64le;
  default: return Architecture::Other;
  }
}

/// A library may have builtins instead of its assembly.
static std::string hintFor(const CallInst &Call, Architecture For) {
  for (const DILocation *At = Call.getDebugLoc(); At; At = At->getInlinedAt()) {
    const DISubprogram *F = At->getScope()->getSubprogram();
    const StringRef File = At->getFilename(), Name = F ? F->getName() : "";
    if (Name.starts_with("ck_pr_"))
      return "; Concurrency Kit has builtins instead with -DCK_USE_CC_BUILTINS=1";
    if (File.contains("urcu/uatomic"))
      return "; liburcu has builtins instead with -DCONFIG_RCU_USE_ATOMIC_BUILTINS";
    if (For == Architecture::X86_64 && Name.starts_with("rte_") &&
        (File.contains("rte_atomic") || File.contains("rte_spinlock")))
      return "; DPDK has builtins instead with -DRTE_FORCE_INTRINSICS";
  }
  return "";
}

static void replaceStatement(CallInst &Call, Architecture For) {
  const StringRef Text = cast<InlineAsm>(Call.getCalledOperand())->getAsmString();
  if (readBarriers(Text) || Call.hasMetadata(assemblymarks::Refused))
    return;
  try {
    AssemblyStatement(Call, For).replace();
  } catch (const AssemblyRefused &R) {
    LLVMContext &Context = Call.getContext();
    const std::string Why = describeAssembly(Text) + ": " + R.Why + hintFor(Call, For);
    Call.setMetadata(assemblymarks::Refused, MDNode::get(Context, MDString::get(Context, Why)));
  }
}

/// Code and data outside of functions: main begins with what is not modelled.
static void refuseModuleAssembly(Module &M, Architecture For) {
  const std::string &Text = M.getModuleInlineAsm();
  llvm::Function *Main = M.getFunction("main");
  if (Text.empty() || !Main || Main->isDeclaration() || onlyDescribes(Text, For))
    return;
  LLVMContext &Context = M.getContext();
  IRBuilder<> Builder(&*Main->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram *At = Main->getSubprogram())
    Builder.SetCurrentDebugLocation(DILocation::get(Context, At->getLine(), 0, At));
  CallInst *Refused = Builder.CreateCall(InlineAsm::get(FunctionType::get(Builder.getVoidTy(), false), "", "", true));
  const std::string Why = describeAssembly(Text) + ": outside of functions only symbols and notes are modelled";
  Refused->setMetadata(assemblymarks::Refused, MDNode::get(Context, MDString::get(Context, Why)));
}

void replaceAssembly(Module &M) {
  const Architecture For = architectureOf(M);
  refuseModuleAssembly(M, For);
  if (For == Architecture::Other)
    return;
  std::vector<CallInst *> Calls;
  for (llvm::Function &F : M)
    for (llvm::Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
        Calls.push_back(Call);
  for (CallInst *Call : Calls)
    replaceStatement(*Call, For);
}

static std::optional<std::string> noteOf(const CallBase &Call, StringRef Kind) {
  const MDNode *Note = Call.getMetadata(Kind);
  return Note ? std::optional(cast<MDString>(Note->getOperand(0))->getString().str()) : std::nullopt;
}

std::optional<std::string> refusalOfAssembly(const CallBase &Call) {
  if (std::optional<std::string> Why = noteOf(Call, assemblymarks::Refused))
    return Why;
  if (std::optional<std::string> What = noteOf(Call, assemblymarks::Unknown))
    return "inline assembly: " + *What;
  return std::nullopt;
}

static bool isUnused(const Value &V, unsigned Depth = 0) {
  return Depth < 16 && all_of(
                           V.users(),
                           [&](const User *U) {
                             auto *I = dyn_cast<llvm::Instruction>(U);
                             return I && !I->mayHaveSideEffects() && !I->isTerminator() && isUnused(*I, Depth + 1);
                           });
}

bool isUnusedUnknown(const CallBase &Call) { return Call.hasMetadata(assemblymarks::Unknown) && isUnused(Call); }

bool isWeakAcquire(const llvm::Instruction &I) { return I.hasMetadata(assemblymarks::WeakAcquire); }
bool returnsNothing(const llvm::Instruction &I) { return I.hasMetadata(assemblymarks::NoResult); }

ArmUpdatesInAssembly armUpdatesIn(const Module &M) {
  ArmUpdatesInAssembly Found;
  for (const llvm::Function &F : M)
    for (const llvm::Instruction &I : instructions(F)) {
      Found.Exclusive |= I.hasMetadata(assemblymarks::Exclusive);
      Found.Single |= I.hasMetadata(assemblymarks::Single);
    }
  return Found;
}

} // namespace picket
