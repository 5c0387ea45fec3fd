#include "source/passes/VariadicCalls.h"

#include "program/Builtin.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#include <vector>

using namespace llvm;

namespace picket {

static bool isSwallowed(const CallBase &Call) {
  auto *F = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  Builtin Known;
  return F && F->isDeclaration() && findBuiltin({F->getName().data(), F->getName().size()}, Known) &&
         Known == Builtin::Ignore;
}

/// The list goes there itself, as a pointer that is in it (POWER), or as a copy (ARM).
bool isSwallowedList(const Value &List) {
  auto *Object = dyn_cast<AllocaInst>(List.stripInBoundsOffsets());
  if (!Object)
    return false;
  SmallVector<const Value *, 8> Pending = {Object};
  SmallPtrSet<const Value *, 4> Copies = {Object};
  while (!Pending.empty()) {
    for (const User *U : Pending.pop_back_val()->users()) {
      if (isa<GetElementPtrInst>(U) || (isa<LoadInst>(U) && U->getType()->isPointerTy())) {
        Pending.push_back(U);
        continue;
      }
      if (auto *Copy = dyn_cast<MemCpyInst>(U)) {
        auto *To = dyn_cast<AllocaInst>(Copy->getDest());
        if (!To)
          return false;
        if (Copies.insert(To).second)
          Pending.push_back(To);
        continue;
      }
      if (auto *Intrinsic = dyn_cast<IntrinsicInst>(U)) {
        const unsigned Id = Intrinsic->getIntrinsicID();
        if (Id == Intrinsic::vastart || Id == Intrinsic::vaend || isa<LifetimeIntrinsic>(Intrinsic))
          continue;
        return false;
      }
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || !isSwallowed(*Call))
        return false;
    }
  }
  return true;
}

namespace {

class VariadicCalls {
public:
  explicit VariadicCalls(Module &M)
      : Mod(M), Layout(M.getDataLayout()), Pointer(PointerType::getUnqual(M.getContext())) {}

  void run() {
    std::vector<Function *> Readers;
    for (Function &F : Mod)
      if (!F.isDeclaration() && F.isVarArg() && readsArguments(F))
        Readers.push_back(&F);
    if (Readers.empty())
      return;
    for (Function *F : Readers)
      Changed.insert(withArea(*F));
    std::vector<CallBase *> Calls;
    for (Function &F : Mod)
      for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getFunctionType()->isVarArg() && !Call->isInlineAsm())
          Calls.push_back(Call);
    for (CallBase *Call : Calls)
      pass(*Call);
  }

private:
  static bool readsArguments(const Function &F) {
    return any_of(instructions(F), [](const Instruction &I) {
      auto *Start = dyn_cast<VAStartInst>(&I);
      return Start && !isSwallowedList(*Start->getArgList());
    });
  }

  /// The function with one more parameter, the address of its variable arguments.
  Function *withArea(Function &Old) {
    std::vector<Type *> Parameters(Old.getFunctionType()->params());
    Parameters.push_back(Pointer);
    Function *New = Function::Create(FunctionType::get(Old.getReturnType(), Parameters, /*isVarArg=*/false),
                                     Old.getLinkage(), Old.getAddressSpace(), "", &Mod);
    New->copyAttributesFrom(&Old);
    New->copyMetadata(&Old, 0);
    New->takeName(&Old);
    New->splice(New->begin(), &Old);
    for (auto [From, To] : zip(Old.args(), New->args())) {
      From.replaceAllUsesWith(&To);
      To.takeName(&From);
    }
    Argument *Area = New->getArg(New->arg_size() - 1);
    Old.replaceAllUsesWith(New);
    Old.clearMetadata();
    Old.eraseFromParent();
    std::vector<IntrinsicInst *> OfLists;
    for (Instruction &I : instructions(*New))
      if (isa<VAStartInst, VACopyInst, VAEndInst>(I))
        OfLists.push_back(cast<IntrinsicInst>(&I));
    for (IntrinsicInst *I : OfLists) {
      if (auto *Start = dyn_cast<VAStartInst>(I))
        startList(*Start, *Area);
      else if (auto *Copy = dyn_cast<VACopyInst>(I))
        copyList(*Copy);
      I->eraseFromParent();
    }
    return New;
  }

  uint64_t listSize() const {
    const Triple &Target = Mod.getTargetTriple();
    return Target.isX86() ? 24 : Target.isAArch64() ? 32 : 8;
  }

  /// The part of the list that is in registers is used up.
  void startList(VAStartInst &Start, Value &Area) {
    IRBuilder<> Builder(&Start);
    Value *List = Start.getArgList();
    auto Put = [&](uint64_t At, Value *What) {
      Builder.CreateStore(What, Builder.CreateConstGEP1_64(Builder.getInt8Ty(), List, At));
    };
    const Triple &Target = Mod.getTargetTriple();
    Value *Null = ConstantPointerNull::get(Pointer);
    if (Target.isX86()) {
      constexpr uint32_t AfterIntegers = 48, AfterAll = 176;
      Put(0, Builder.getInt32(AfterIntegers));
      Put(4, Builder.getInt32(AfterAll));
      Put(8, &Area);
      Put(16, Null);
    } else if (Target.isAArch64()) {
      Put(0, &Area);
      Put(8, Null);
      Put(16, Null);
      Put(24, Builder.getInt32(0));
      Put(28, Builder.getInt32(0));
    } else {
      Put(0, &Area);
    }
  }

  void copyList(VACopyInst &Copy) {
    IRBuilder<> Builder(&Copy);
    Builder.CreateMemCpy(Copy.getDest(), Align(8), Copy.getSrc(), Align(8), listSize());
  }

  /// The function that is called, if it is one that was changed; that of a model included.
  Function *changedCallee(const CallBase &Call) const {
    auto *F = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
    if (F && F->isDeclaration())
      F = Mod.getFunction(("__picket_model_" + F->getName()).str());
    return F && Changed.contains(F) ? F : nullptr;
  }

  void pass(CallBase &Call) {
    Function *Callee = changedCallee(Call);
    const bool Indirect = !isa<Function>(Call.getCalledOperand()->stripPointerCasts());
    if (!Callee && !Indirect)
      return;
    const unsigned Fixed = Callee ? Callee->arg_size() - 1 : Call.getFunctionType()->getNumParams();
    if (Call.arg_size() < Fixed || (!Callee && Fixed == 0)) // no prototype was in sight
      return;
    std::vector<Value *> Arguments;
    std::vector<Type *> Types;
    std::vector<AttributeSet> Attributes;
    for (unsigned K = 0; K < Fixed; ++K) {
      Arguments.push_back(Call.getArgOperand(K));
      Types.push_back(Arguments.back()->getType());
      Attributes.push_back(Call.getAttributes().getParamAttrs(K));
    }
    Arguments.push_back(areaOf(Call, Fixed));
    Types.push_back(Pointer);
    // Without a prototype the caller takes the result for an int.
    Type *Returned = Callee && Callee->getReturnType()->isIntegerTy() && Call.getType()->isIntegerTy()
                         ? Callee->getReturnType()
                         : Call.getType();
    FunctionType *Called = FunctionType::get(Returned, Types, /*isVarArg=*/false);
    auto *New = CallInst::Create(Called, Callee ? Callee : Call.getCalledOperand(), Arguments, "", Call.getIterator());
    New->setAttributes(AttributeList::get(Mod.getContext(), Call.getAttributes().getFnAttrs(),
                                          Call.getAttributes().getRetAttrs(), Attributes));
    New->setCallingConv(Call.getCallingConv());
    New->setDebugLoc(Call.getDebugLoc());
    New->takeName(&Call);
    Value *Result = New;
    if (Returned != Call.getType())
      Result = CastInst::CreateIntegerCast(New, Call.getType(), /*isSigned=*/true, "", Call.getIterator());
    Call.replaceAllUsesWith(Result);
    Call.eraseFromParent();
  }

  /// An array in the caller, with what comes after the first arguments.
  Value *areaOf(CallBase &Call, unsigned Fixed) {
    if (Call.arg_size() == Fixed)
      return ConstantPointerNull::get(Pointer);
    constexpr uint64_t Word = 8, Wide = 16;
    std::vector<uint64_t> At;
    uint64_t End = 0;
    for (unsigned K = Fixed; K < Call.arg_size(); ++K) {
      Type *T = typeOf(Call, K);
      End = alignTo(End, Layout.getABITypeAlign(T).value() > Word ? Wide : Word);
      At.push_back(End);
      End += alignTo(Layout.getTypeAllocSize(T).getFixedValue(), Word);
    }
    BasicBlock &Entry = Call.getFunction()->getEntryBlock();
    auto *Area = new AllocaInst(ArrayType::get(Type::getInt64Ty(Mod.getContext()), End / Word),
                                Layout.getAllocaAddrSpace(), nullptr, Align(Wide), "variable.arguments", Entry.begin());
    IRBuilder<> Builder(&Call);
    for (unsigned K = Fixed; K < Call.arg_size(); ++K) {
      Value *Where = Builder.CreateConstGEP1_64(Builder.getInt8Ty(), Area, At[K - Fixed]);
      Value *What = Call.getArgOperand(K);
      if (Call.paramHasAttr(K, Attribute::ByVal))
        Builder.CreateMemCpy(Where, Align(Word), What, Align(1),
                             Layout.getTypeAllocSize(typeOf(Call, K)).getFixedValue());
      else
        Builder.CreateStore(What, Where);
    }
    return Area;
  }

  static Type *typeOf(const CallBase &Call, unsigned K) {
    Type *Pointee = Call.paramHasAttr(K, Attribute::ByVal) ? Call.getParamByValType(K) : nullptr;
    return Pointee ? Pointee : Call.getArgOperand(K)->getType();
  }

  Module &Mod;
  const DataLayout &Layout;
  PointerType *Pointer;
  SmallPtrSet<Function *, 8> Changed;
};

} // namespace

void passVariableArguments(Module &M) { VariadicCalls(M).run(); }

} // namespace picket
