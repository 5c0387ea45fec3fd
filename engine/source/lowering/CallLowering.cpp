#include "source/assembly/Barriers.h"
#include "source/assembly/ReplacedAssembly.h"
#include "source/lowering/FunctionLowering.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace picket {

void FunctionLowering::lowerCall(const CallBase &I) {
  Callee C = Context.Symbols.resolve(I);
  if (C.Kind == Callee::Intrinsic)
    return lowerIntrinsic(I);
  if (C.Kind == Callee::Builtin && C.What == Builtin::Ignore) {
    if (C.Target && lowerOutput(I, C.Target->getName()))
      return;
    // Discarded with its arguments: nothing uses them.
    if (!I.getType()->isVoidTy())
      define(I, Builder.constant(0));
    return;
  }
  if (C.Kind == Callee::Undefined)
    return refuse(I, describeCall(C.Target->getName()));
  if (refuseTypes(I))
    return;
  switch (C.Kind) {
  case Callee::Assembly: return lowerAssembly(I);
  case Callee::Builtin: return lowerBuiltin(I, C.What);
  case Callee::InPlace: return lowerInPlace(I, C.How);
  case Callee::Defined: return lowerDirectCall(I, *C.Target);
  default: break;
  }
  std::vector<Operand> Arguments;
  for (const Value *Argument : I.args())
    appendArgument(*Argument, Arguments);
  emitCall(I, {.Op = Opcode::CallIndirect, .A = scalar(*I.getCalledOperand())}, Arguments);
}

void FunctionLowering::appendArgument(const Value &V, std::vector<Operand> &Arguments) {
  Parts P = valueOf(V);
  Leaves All = leavesOf(V.getType());
  for (size_t K = 0; K < All.size(); ++K) {
    Arguments.push_back(P[K]);
    if (All[K].isWide())
      Arguments.push_back(high(P[K]));
  }
}

void FunctionLowering::emitCall(const CallBase &I, Instruction Call, std::vector<Operand> Arguments, uint8_t Flags) {
  Leaves Results = leavesOf(I.getType());
  unsigned Slots = countSlots(I.getType(), Layout);
  if (Slots > 2)
    return refuse(I, "a result of more than 16 bytes");
  Call.D = static_cast<int32_t>(Plan.fedBy(I));
  Call.B = Builder.arguments(Arguments);
  Call.C = static_cast<int32_t>(Arguments.size());
  Call.Flags = Slots == 2;
  if (Slots == 0 || I.use_empty())
    Call.Flags = 0;
  else
    Call.Dst = Builder.newSlots(Slots);
  Call.Flags |= Flags;
  Builder.emit(Call);
  if (Call.Dst >= 0)
    define(I, Results.size() == 2 ? Parts{Call.Dst, Call.Dst + 1} : Parts{Call.Dst});
}

void FunctionLowering::lowerDirectCall(const CallBase &I, const llvm::Function &Target) {
  std::vector<Operand> Arguments;
  for (const Value *Argument : I.args())
    appendArgument(*Argument, Arguments);
  // Without a prototype in sight the caller may have passed more or fewer.
  size_t Expected = 0;
  for (const Argument &A : Target.args())
    Expected += countSlots(A.getType(), Layout);
  Arguments.resize(Expected, Builder.constant(0));
  emitCall(I, {.Op = Opcode::Call, .Imm = *Context.Symbols.indexOf(Target)}, Arguments);
}

static bool allocates(Builtin Which) {
  return Which == Builtin::Malloc || Which == Builtin::Calloc || Which == Builtin::Realloc ||
         Which == Builtin::AlignedAlloc;
}

void FunctionLowering::lowerBuiltin(const CallBase &I, Builtin Which) {
  std::vector<Operand> Arguments;
  for (const Value *Argument : I.args())
    appendArgument(*Argument, Arguments);
  if (Which == Builtin::AssertFail)
    Arguments.resize(4, Builder.constant(0)); // __assert has no function name
  Instruction Call = {.Op = Opcode::CallBuiltin, .Imm = static_cast<int64_t>(Which)};
  const bool Fails = ((Which == Builtin::CondWait || Which == Builtin::CondTimedWait) && Retries.canTell(I)) ||
                     Which == Builtin::FutexWait || Which == Builtin::FutexTimedWait;
  Context.Prog.FailsForNoReason |= Fails;
  Context.Prog.Chooses |= Which == Builtin::Choose || Which == Builtin::Nondet;
  if (allocates(Which))
    Call.A = static_cast<int32_t>(Context.Tables.newSite());
  emitCall(I, Call, Arguments, Fails ? MayFail : 0);
}

void FunctionLowering::callBuiltin(Builtin Which) {
  Builder.emit({.Op = Opcode::CallBuiltin, .B = Builder.arguments({}), .Imm = static_cast<int64_t>(Which)});
}

void FunctionLowering::lowerInPlace(const CallBase &I, Inlined How) {
  unsigned Needed = How == Inlined::MemCopy || How == Inlined::MemMove || How == Inlined::MemSet ? 3
                    : How == Inlined::Sqrt                                                       ? 1
                                                                                                 : 0;
  if (I.arg_size() < Needed)
    return refuse(I, describeCall(I.getCalledOperand()->getName()));
  switch (How) {
  case Inlined::MemCopy:
  case Inlined::MemMove: return lowerCopy(I, How == Inlined::MemMove);
  case Inlined::MemSet: return lowerSet(I);
  case Inlined::Atomic: return lowerAtomicLibrary(I);
  case Inlined::Sqrt:
    return define(I, Builder.unary(Opcode::FMath, bitsOf(I), scalar(*I.getArgOperand(0)),
                                   static_cast<unsigned>(FloatFunction::Sqrt)));
  case Inlined::ErrnoLocation: {
    Operand Dst = Builder.newSlots();
    Builder.emit({.Op = Opcode::ThreadLocal, .Dst = Dst, .Imm = Context.Symbols.errnoGlobal()});
    return define(I, Dst);
  }
  case Inlined::None: break;
  }
}

/// Fences and pauses; all else was replaced before. An empty statement hands its tied operands through: compilers cannot see that they are unchanged.
void FunctionLowering::lowerAssembly(const CallBase &I) {
  auto *Assembly = cast<InlineAsm>(I.getCalledOperand());
  if (isUnusedUnknown(I))
    return defineZero(I);
  if (std::optional<std::string> Why = refusalOfAssembly(I))
    return refuse(I, *Why);
  std::optional<std::vector<FenceKind>> Fences = readBarriers(Assembly->getAsmString());
  if (!Fences)
    return refuse(I, describeAssembly(Assembly->getAsmString()));
  for (FenceKind Kind : *Fences)
    emitFence(I, Kind);
  if (I.getType()->isVoidTy())
    return;
  Parts Results;
  InlineAsm::ConstraintInfoVector Constraints = Assembly->ParseConstraints();
  for (const InlineAsm::ConstraintInfo &Output : Constraints) {
    if (Output.Type != InlineAsm::isOutput || Output.isIndirect)
      continue;
    if (!Output.hasMatchingInput())
      return refuse(I, describeAssembly(Assembly->getAsmString()));
    // Operands of the call are the inputs and the indirect outputs, in the order of the constraints.
    unsigned Argument = 0;
    for (int K = 0; K < Output.MatchingInput; ++K)
      Argument += Constraints[K].Type == InlineAsm::isInput || Constraints[K].isIndirect;
    Results.append(valueOf(*I.getArgOperand(Argument)));
  }
  if (Results.size() != leavesOf(I.getType()).size())
    return refuse(I, describeAssembly(Assembly->getAsmString()));
  define(I, Results);
}

} // namespace picket
