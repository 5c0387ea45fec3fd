#include "source/passes/CheckerPipeline.h"

#include "program/Builtin.h"
#include "source/assembly/ReplacedAssembly.h"
#include "source/passes/AtomicCalls.h"
#include "source/passes/JumpThreading.h"
#include "source/passes/KeptDependencies.h"
#include "source/passes/KeptUndefined.h"
#include "source/passes/LocalLifetimes.h"
#include "source/passes/OverflowChecks.h"
#include "source/passes/ReadMarks.h"
#include "source/passes/RotatedWaits.h"
#include "source/passes/VariadicCalls.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <vector>

using namespace llvm;

namespace picket {

// Even the default simplifycfg does not qualify: it merges equal stores of two branches and makes guarded loads
// unconditional.
static constexpr StringLiteral VariablesToRegisters = "function(sroa<preserve-cfg>)";
static constexpr StringLiteral LocalsToRegisters = "function(sroa<preserve-cfg>,mem2reg)";
static constexpr StringLiteral Inline = "always-inline,cgscc(inline)";
static constexpr StringLiteral CleanUp =
    "function(simplifycfg<no-hoist-common-insts;no-sink-common-insts;"
    "no-hoist-loads-stores-with-cond-faulting;no-speculate-blocks;no-simplify-cond-branch>)";
static constexpr StringLiteral LoopForm = "function(loop-simplify,lcssa)";

static constexpr StringLiteral DivisionPrefix = "picket.division.";
static constexpr StringLiteral KeepName = "picket.keep";

static bool mayDivideByZero(const BinaryOperator &I) {
  if (!I.isIntDivRem() || !I.getType()->isIntegerTy())
    return false;
  auto *Divisor = dyn_cast<ConstantInt>(I.getOperand(1));
  return !Divisor || Divisor->isZero();
}

/// Inlining folds a division by a constant zero to "anything goes", and the bug would be gone. Until the passes are
/// through, divisions that may fail are calls of unknown functions.
static void hideDivisions(Module &M) {
  std::vector<BinaryOperator *> Divisions;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Division = dyn_cast<BinaryOperator>(&I); Division && mayDivideByZero(*Division))
        Divisions.push_back(Division);
  for (BinaryOperator *Division : Divisions) {
    Type *T = Division->getType();
    std::string Name = (DivisionPrefix + Twine(Division->getOpcode()) + ".i" + Twine(T->getIntegerBitWidth())).str();
    CallInst *Call = CallInst::Create(M.getOrInsertFunction(Name, FunctionType::get(T, {T, T}, false)),
                                      {Division->getOperand(0), Division->getOperand(1)});
    Call->setDebugLoc(Division->getDebugLoc());
    ReplaceInstWithInst(Division, Call);
  }
}

static void showDivisions(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    StringRef Name = F.getName();
    unsigned Opcode = 0;
    if (!Name.consume_front(DivisionPrefix) || Name.consumeInteger(10, Opcode))
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      auto *Division = BinaryOperator::Create(static_cast<Instruction::BinaryOps>(Opcode), Call->getArgOperand(0),
                                              Call->getArgOperand(1));
      Division->setDebugLoc(Call->getDebugLoc());
      ReplaceInstWithInst(Call, Division);
    }
    F.eraseFromParent();
  }
}

/// The variable that an address is in or beside, if that is known, and where.
static AllocaInst *localBehind(const DataLayout &Layout, const Value *Pointer, int64_t &Offset, int64_t &Size) {
  if (!Pointer->getType()->isPointerTy())
    return nullptr;
  APInt Distance(Layout.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(Layout, Distance, /*AllowNonInbounds=*/true);
  auto *Local = const_cast<AllocaInst *>(dyn_cast<AllocaInst>(Base));
  std::optional<TypeSize> Known = Local ? Local->getAllocationSize(Layout) : std::nullopt;
  if (!Known || Known->isScalable())
    return nullptr;
  Offset = Distance.getSExtValue();
  Size = static_cast<int64_t>(Known->getFixedValue());
  return Local;
}

/// SROA drops accesses it can see to be outside their variable, and makes anything at all of such an address where it
/// is one of several.
static SmallPtrSet<AllocaInst *, 8> overrunLocals(Module &M) {
  SmallPtrSet<AllocaInst *, 8> Overrun;
  const DataLayout &Layout = M.getDataLayout();
  auto Access = [&](const Value *Pointer, int64_t Bytes) {
    int64_t Offset = 0, Size = 0;
    if (AllocaInst *Local = localBehind(Layout, Pointer, Offset, Size);
        Local && (Offset < 0 || Bytes > Size || Offset > Size - Bytes))
      Overrun.insert(Local);
  };
  auto Length = [](const Value *V) -> int64_t { // 1 if it is not known, 0 for nothing
    auto *Known = dyn_cast<ConstantInt>(V);
    return Known ? static_cast<int64_t>(Known->getLimitedValue(INT64_MAX)) : 1;
  };
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (auto *Local = dyn_cast<AllocaInst>(&I); Local && !isa<Constant>(Local->getArraySize()))
        Overrun.insert(Local); // an array that is not used may still be too large
      if (const Value *Pointer = getLoadStorePointerOperand(&I)) {
        Access(Pointer, static_cast<int64_t>(Layout.getTypeStoreSize(getLoadStoreType(&I)).getFixedValue()));
        if (auto *Store = dyn_cast<StoreInst>(&I)) // the address may become one of several
          Access(Store->getValueOperand(), 1);
      } else if (auto *Memory = dyn_cast<MemIntrinsic>(&I)) {
        if (const int64_t Bytes = Length(Memory->getLength())) {
          Access(Memory->getRawDest(), Bytes);
          if (auto *Copy = dyn_cast<MemTransferInst>(Memory))
            Access(Copy->getRawSource(), Bytes);
        }
      } else if (isa<PHINode, SelectInst>(I)) {
        for (const Value *Operand : I.operands())
          Access(Operand, 1);
      }
    }
  return Overrun;
}

/// Passing the address of a variable to an unknown function keeps SROA and mem2reg away from it.
static void keep(Module &M, const SmallPtrSet<AllocaInst *, 8> &Locals) {
  if (Locals.empty())
    return;
  Type *Pointer = PointerType::getUnqual(M.getContext());
  FunctionCallee Keep = M.getOrInsertFunction(KeepName, Type::getVoidTy(M.getContext()), Pointer);
  for (AllocaInst *Local : Locals)
    CallInst::Create(Keep, {Local})->insertAfter(Local->getIterator());
}

static void releaseKept(Module &M) {
  Function *Keep = M.getFunction(KeepName);
  if (!Keep)
    return;
  for (User *U : make_early_inc_range(Keep->users()))
    cast<CallInst>(U)->eraseFromParent();
  Keep->eraseFromParent();
}

static void claimVerifierFunctions(Module &M) {
  for (Function &F : M) {
    StringRef Name = F.getName();
    if (F.isDeclaration() || !isVerifierFunction({Name.data(), Name.size()}))
      continue;
    F.removeFnAttr(Attribute::AlwaysInline);
    F.addFnAttr(Attribute::NoInline);
    Builtin Found;
    if (findBuiltin(std::string_view(Name.data(), Name.size()), Found))
      F.deleteBody();
  }
}

static void runPasses(Module &M, StringRef Text) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder Builder;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  ModulePassManager Passes;
  if (Error E = Builder.parsePassPipeline(Passes, Text))
    report_fatal_error(std::move(E)); // the text and the library do not fit together
  Passes.run(M, Modules);
}

void optimize(Module &M, StringRef Level) {
  claimVerifierFunctions(M); // before they are inlined
  runPasses(M, ("default<" + Level + ">").str());
}

/// A variable that is misused stays in memory, where the misuse is seen. Pointers become registers first: where they
/// point decides whether a variable is used after its end.
static void runPassesOnLocals(Module &M, StringRef Text) {
  keep(M, overrunLocals(M));
  keep(M, localsUsedAfterEnd(M));
  keep(M, localsPointedTo(M));
  hideUnwritten(M);
  runPasses(M, VariablesToRegisters);
  showUnwritten(M);
  releaseKept(M);
  keep(M, overrunLocals(M));
  keep(M, localsUsedAfterEnd(M));
  hideUnwritten(M);
  runPasses(M, Text);
  showUnwritten(M);
  releaseKept(M);
  defineUndefined(M);
}

void runCheckerPipeline(Module &M) {
  claimVerifierFunctions(M);
  replaceAssembly(M);
  passVariableArguments(M);
  makeAtomicInstructions(M);
  makeOverflowChecks(M);
  defineUndefined(M);
  hideUnreachable(M);
  findMissingReturns(M);
  hideDivisions(M);
  markReads(M);
  separateWaysOut(M);
  keepLocalsOfMain(M);
  runPassesOnLocals(M, LocalsToRegisters);
  dropPointlessMarkers(M);
  HiddenComputations Hidden(M);
  {
    HiddenConstants Unknown(M);
    runPasses(M, Inline);
  }
  Hidden.show();
  dropPointlessMarkers(M); // those that the inliner has added
  runPassesOnLocals(M, VariablesToRegisters);
  keepIdleBranches(M);
  runPasses(M, CleanUp);
  releaseIdleBranches(M);
  dropPointlessMarkers(M);
  showDivisions(M);
  threadJumps(M);
  runPasses(M, LoopForm);
  turnRotatedWaits(M);
  showUnreachable(M);
}

} // namespace picket
