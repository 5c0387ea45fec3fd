#include "source/assembly/Barriers.h"
#include "source/lowering/FunctionLowering.h"
#include "source/passes/OverflowChecks.h"
#include "source/passes/VariadicCalls.h"

#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsPowerPC.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace picket {

/// The options of ARM's barriers by their numbers; those that are not known are the strongest.
static std::string barrierOption(const CallBase &I) {
  auto *Number = dyn_cast<ConstantInt>(I.getArgOperand(0));
  switch (Number ? Number->getZExtValue() & 0xf : 0xf) {
  case 0x1:
  case 0x5:
  case 0x9:
  case 0xd: return " ld";
  case 0x2:
  case 0x6:
  case 0xa:
  case 0xe: return " st";
  default: return " sy";
  }
}

/// The instruction that an intrinsic function is, as assembly would say it; empty if it is no fence.
static std::string fenceInstruction(const CallBase &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::x86_sse2_mfence: return "mfence";
  case Intrinsic::x86_sse2_lfence: return "lfence";
  case Intrinsic::x86_sse_sfence: return "sfence";
  case Intrinsic::aarch64_dmb: return "dmb" + barrierOption(I);
  case Intrinsic::aarch64_dsb: return "dsb" + barrierOption(I);
  case Intrinsic::aarch64_isb: return "isb";
  case Intrinsic::ppc_sync: return "sync";
  case Intrinsic::ppc_lwsync: return "lwsync";
  case Intrinsic::ppc_isync: return "isync";
  case Intrinsic::ppc_eieio: return "eieio";
  default: return "";
  }
}

/// Hints and markers: nothing happens when they run.
static bool isDropped(unsigned Id) {
  switch (Id) {
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_value:
  case Intrinsic::dbg_label:
  case Intrinsic::dbg_assign:
  case Intrinsic::assume:
  case Intrinsic::sideeffect:
  case Intrinsic::donothing:
  case Intrinsic::prefetch:
  case Intrinsic::var_annotation:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::stackrestore:
  case Intrinsic::vaend:
  case Intrinsic::aarch64_hint: // yield and its like
  case Intrinsic::x86_sse2_pause: return true;
  default: return false;
  }
}

void FunctionLowering::lowerIntrinsic(const CallBase &I) {
  unsigned Id = I.getIntrinsicID();
  if (isDropped(Id))
    return;
  auto FailIf = [&](const Value &What, Operand Condition) {
    auto Code = static_cast<int32_t>(cast<ConstantInt>(What).getZExtValue());
    Builder.emit({.Op = Opcode::FailIf, .A = Condition, .C = Code});
  };
  if (isOverflowCheck(I))
    return FailIf(*I.getArgOperand(1), scalar(*I.getArgOperand(0)));
  if (isa<LifetimeIntrinsic>(I))
    return lowerLifetime(I);
  if (const std::string Fence = fenceInstruction(I); !Fence.empty()) {
    for (const FenceKind Kind : readBarriers(Fence).value_or(std::vector{FenceKind::Full}))
      emitFence(I, Kind);
    return;
  }
  switch (Id) {
  case Intrinsic::vastart:
    if (isSwallowedList(*I.getArgOperand(0))) {
      if (Func.getParent()->getTargetTriple().isX86()) // only its address goes anywhere
        return;
      // It is written, though nobody looks at it.
      auto *List = cast<AllocaInst>(I.getArgOperand(0)->stripInBoundsOffsets());
      const uint64_t Size = Layout.getTypeAllocSize(List->getAllocatedType()).getFixedValue();
      for (uint64_t At = 0; At + 8 <= Size && !List->isArrayAllocation(); At += 8)
        storePlain(8, {scalar(*List), static_cast<int64_t>(At)}, Builder.constant(0), 0);
      return;
    }
    return refuse(I, "variable arguments ('va_start')");
  case Intrinsic::vacopy: return refuse(I, "variable arguments ('va_copy')");
  default: break;
  }
  if (refuseTypes(I))
    return;
  switch (Id) {
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline: return lowerCopy(I, /*MayOverlap=*/false);
  case Intrinsic::memmove: return lowerCopy(I, /*MayOverlap=*/true);
  case Intrinsic::memset:
  case Intrinsic::memset_inline: return lowerSet(I);
  case Intrinsic::threadlocal_address: {
    auto *Variable = dyn_cast<GlobalVariable>(I.getArgOperand(0)->stripPointerCasts());
    if (!Variable || !Context.Symbols.isModelled(*Variable))
      return refuse(I, "thread-local variable '" + I.getArgOperand(0)->getName().str() + "'");
    return define(I, constantParts(*Variable));
  }
  case Intrinsic::ubsantrap: // an overflow of which the optimiser has left nothing else
    return FailIf(*I.getArgOperand(0), Builder.constant(1));
  case Intrinsic::trap:
  case Intrinsic::debugtrap: return callBuiltin(Builtin::Abort);
  case Intrinsic::stacksave:
  case Intrinsic::is_constant: return define(I, Builder.constant(0));
  case Intrinsic::objectsize: {
    bool Minimum = cast<ConstantInt>(I.getArgOperand(1))->isOne();
    uint64_t Unknown = Minimum ? 0 : maskTrailingOnes<uint64_t>(bitsOf(I));
    return define(I, Builder.constant(Unknown));
  }
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::annotation:
  case Intrinsic::ptr_annotation:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group: return define(I, valueOf(*I.getArgOperand(0)));
  default: break;
  }
  if (I.getType()->isVectorTy())
    return refuse(I, "vector arithmetic");
  if (lowerIntegerIntrinsic(I, Id) || lowerFloatIntrinsic(I, Id) || lowerOverflow(I, Id) || lowerBitCount(I, Id))
    return;
  refuse(I, "intrinsic '" + I.getCalledOperand()->getName().str() + "'");
}

/// The upper (Left) or lower word of the double word A:B shifted by Amount modulo Bits. Shifting by Bits itself is not
/// defined, so one part moves in two steps.
Operand FunctionLowering::funnelShift(bool Left, unsigned Bits, Operand A, Operand B2, Operand Amount) {
  Operand By = Builder.binary(Opcode::URem, Bits, Amount, Builder.constant(Bits));
  Operand Rest = Builder.binary(Opcode::Sub, Bits, Builder.constant(Bits - 1), By);
  Operand One = Builder.constant(1);
  Operand High = Left ? Builder.binary(Opcode::Shl, Bits, A, By)
                      : Builder.binary(Opcode::Shl, Bits, Builder.binary(Opcode::Shl, Bits, A, One), Rest);
  Operand Low = Left ? Builder.binary(Opcode::LShr, Bits, Builder.binary(Opcode::LShr, Bits, B2, One), Rest)
                     : Builder.binary(Opcode::LShr, Bits, B2, By);
  return Builder.binary(Opcode::Or, Bits, High, Low);
}

bool FunctionLowering::lowerIntegerIntrinsic(const CallBase &I, unsigned Id) {
  if (!I.getType()->isIntOrPtrTy())
    return false;
  unsigned Bits = bitsOf(I);
  bool Wide = Bits > 64;
  auto Argument = [&](unsigned K) { return scalar(*I.getArgOperand(K)); };
  auto Smaller = [&](CmpInst::Predicate Predicate) {
    Operand L = Argument(0), R = Argument(1);
    define(I, Builder.select(compare(Predicate, Bits, L, R), L, R, Wide));
    return true;
  };
  switch (Id) {
  case Intrinsic::abs: {
    Operand Value = Argument(0), Zero = Wide ? Builder.wideConstant(0, 0) : Builder.constant(0);
    Operand Negated =
        Wide ? Builder.wideBinary(Opcode::Sub, Bits, Zero, Value) : Builder.binary(Opcode::Sub, Bits, Zero, Value);
    define(I, Builder.select(compare(CmpInst::ICMP_SLT, Bits, Value, Zero), Negated, Value, Wide));
    return true;
  }
  case Intrinsic::smin: return Smaller(CmpInst::ICMP_SLT);
  case Intrinsic::smax: return Smaller(CmpInst::ICMP_SGT);
  case Intrinsic::umin: return Smaller(CmpInst::ICMP_ULT);
  case Intrinsic::umax: return Smaller(CmpInst::ICMP_UGT);
  case Intrinsic::ptrmask: define(I, Builder.binary(Opcode::And, 64, Argument(0), Argument(1))); return true;
  case Intrinsic::fshl:
  case Intrinsic::fshr:
    if (Wide)
      return false;
    define(I, funnelShift(Id == Intrinsic::fshl, Bits, Argument(0), Argument(1), Argument(2)));
    return true;
  default: return false;
  }
}

bool FunctionLowering::lowerBitCount(const CallBase &I, unsigned Id) {
  Opcode Op;
  switch (Id) {
  case Intrinsic::ctpop: Op = Opcode::CountOnes; break;
  case Intrinsic::ctlz: Op = Opcode::LeadingZeros; break;
  case Intrinsic::cttz: Op = Opcode::TrailingZeros; break;
  case Intrinsic::bswap: Op = Opcode::ByteSwap; break;
  default: return false;
  }
  unsigned Bits = bitsOf(I);
  Operand Value = scalar(*I.getArgOperand(0));
  if (Bits <= 64) {
    define(I, Builder.unary(Op, Bits, Value));
    return true;
  }
  if (Bits != 128)
    return false;
  Operand Low = Builder.unary(Op, 64, Value), High = Builder.unary(Op, 64, high(Value));
  if (Op == Opcode::ByteSwap) {
    define(I, Builder.makeWide(High, Low));
    return true;
  }
  Operand Count;
  if (Op == Opcode::CountOnes)
    Count = Builder.binary(Opcode::Add, 64, Low, High);
  else {
    // The half that is tested first decides unless it is empty.
    Operand Near = Op == Opcode::LeadingZeros ? High : Low, Far = Op == Opcode::LeadingZeros ? Low : High;
    Operand NearIsZero = Builder.binary(Opcode::Eq, 64, Near, Builder.constant(64));
    Count = Builder.select(NearIsZero, Builder.binary(Opcode::Add, 64, Far, Builder.constant(64)), Near);
  }
  define(I, Builder.toWide(Count, 64, 128, /*Signed=*/false));
  return true;
}

bool FunctionLowering::lowerOverflow(const CallBase &I, unsigned Id) {
  auto *Overflow = dyn_cast<WithOverflowInst>(&I);
  if (!Overflow)
    return false;
  (void)Id;
  unsigned Bits = bitsOf(*I.getArgOperand(0));
  bool Wide = Bits > 64, Signed = Overflow->isSigned();
  Operand L = scalar(*I.getArgOperand(0)), R = scalar(*I.getArgOperand(1));
  auto Arithmetic = [&](Opcode Op, Operand X, Operand Y) {
    return Wide ? Builder.wideBinary(Op, Bits, X, Y) : Builder.binary(Op, Bits, X, Y);
  };
  if (Overflow->getBinaryOp() != llvm::Instruction::Mul) {
    bool Adds = Overflow->getBinaryOp() == llvm::Instruction::Add;
    Operand Result = Arithmetic(Adds ? Opcode::Add : Opcode::Sub, L, R), Lost;
    if (!Signed)
      Lost = Adds ? compare(CmpInst::ICMP_ULT, Bits, Result, L) : compare(CmpInst::ICMP_ULT, Bits, L, R);
    else {
      // The sign of the result differs from both operands' (for a difference: from L's, while theirs differ).
      Operand FromL = Arithmetic(Opcode::Xor, L, Result);
      Operand Other = Adds ? Arithmetic(Opcode::Xor, R, Result) : Arithmetic(Opcode::Xor, L, R);
      Operand Sign = Arithmetic(Opcode::And, FromL, Other);
      Lost = compare(CmpInst::ICMP_SLT, Bits, Sign, Wide ? Builder.wideConstant(0, 0) : Builder.constant(0));
    }
    define(I, Parts{Result, Lost});
    return true;
  }
  if (Wide)
    return false;
  // Multiply in 128 bits and see whether the result still fits.
  Operand Product =
      Builder.wideBinary(Opcode::Mul, 128, Builder.toWide(L, Bits, 128, Signed), Builder.toWide(R, Bits, 128, Signed));
  Operand Result = Bits == 64 ? Product : Builder.unary(Opcode::Truncate, Bits, Product);
  Operand Again = Builder.toWide(Result, Bits, 128, Signed);
  define(I, Parts{Result, Builder.wideBinary(Opcode::Ne, 128, Product, Again)});
  return true;
}

static std::optional<FloatFunction> floatFunction(unsigned Id) {
  switch (Id) {
  case Intrinsic::sqrt: return FloatFunction::Sqrt;
  case Intrinsic::floor: return FloatFunction::Floor;
  case Intrinsic::ceil: return FloatFunction::Ceil;
  case Intrinsic::trunc: return FloatFunction::Truncate;
  case Intrinsic::round: return FloatFunction::Round;
  case Intrinsic::roundeven:
  case Intrinsic::rint:
  case Intrinsic::nearbyint: return FloatFunction::RoundEven;
  default: return std::nullopt;
  }
}

bool FunctionLowering::lowerFloatIntrinsic(const CallBase &I, unsigned Id) {
  if (!I.getType()->isFloatingPointTy())
    return false;
  unsigned Bits = bitsOf(I);
  uint64_t SignBit = 1ull << (Bits - 1), Rest = SignBit - 1;
  auto Argument = [&](unsigned K) { return scalar(*I.getArgOperand(K)); };
  auto Is = [&](CmpInst::Predicate Predicate, Operand L, Operand R) {
    Operand Dst = Builder.newSlots();
    Builder.emit({.Op = Opcode::FCmp,
                  .Width = static_cast<uint8_t>(Bits),
                  .Flags = static_cast<uint8_t>(Predicate),
                  .Dst = Dst,
                  .A = L,
                  .B = R});
    return Dst;
  };
  if (std::optional<FloatFunction> Function = floatFunction(Id)) {
    define(I, Builder.unary(Opcode::FMath, Bits, Argument(0), static_cast<unsigned>(*Function)));
    return true;
  }
  switch (Id) {
  case Intrinsic::fabs: define(I, Builder.binary(Opcode::And, Bits, Argument(0), Builder.constant(Rest))); return true;
  case Intrinsic::copysign: {
    Operand Magnitude = Builder.binary(Opcode::And, Bits, Argument(0), Builder.constant(Rest));
    Operand Sign = Builder.binary(Opcode::And, Bits, Argument(1), Builder.constant(SignBit));
    define(I, Builder.binary(Opcode::Or, Bits, Magnitude, Sign));
    return true;
  }
  case Intrinsic::fmuladd: { // may be fused or not
    Operand Product = Builder.binary(Opcode::FMul, Bits, Argument(0), Argument(1));
    define(I, Builder.binary(Opcode::FAdd, Bits, Product, Argument(2)));
    return true;
  }
  case Intrinsic::minnum:
  case Intrinsic::maxnum: {
    Operand L = Argument(0), R = Argument(1);
    Operand Ordered = Is(Id == Intrinsic::minnum ? CmpInst::FCMP_OLE : CmpInst::FCMP_OGE, L, R);
    Operand RightIsNaN = Is(CmpInst::FCMP_UNO, R, R);
    define(I, Builder.select(Builder.binary(Opcode::Or, 1, Ordered, RightIsNaN), L, R));
    return true;
  }
  default: return false;
  }
}

} // namespace picket
