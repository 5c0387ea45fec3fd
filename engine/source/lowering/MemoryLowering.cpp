#include "source/assembly/ReplacedAssembly.h"
#include "source/lowering/FunctionLowering.h"
#include "source/passes/ReadMarks.h"

#include "llvm/IR/GetElementPtrTypeIterator.h"

using namespace llvm;

namespace picket {

Order orderOf(AtomicOrdering O) {
  switch (O) {
  case AtomicOrdering::NotAtomic: return Order::NotAtomic;
  case AtomicOrdering::Unordered:
  case AtomicOrdering::Monotonic: return Order::Relaxed;
  case AtomicOrdering::Acquire: return Order::Acquire;
  case AtomicOrdering::Release: return Order::Release;
  case AtomicOrdering::AcquireRelease: return Order::AcqRel;
  case AtomicOrdering::SequentiallyConsistent: return Order::SeqCst;
  }
  return Order::SeqCst;
}

uint8_t FunctionLowering::accessFlags(const llvm::Instruction &I, Order O) const {
  bool Spins = Plan.inSpinCandidate(*I.getParent());
  return static_cast<uint8_t>(static_cast<uint8_t>(O) | (Spins ? InSpinCandidate : 0) | (isMarkedRead(I) ? InText : 0));
}

Operand FunctionLowering::allocate(uint64_t ElementSize, Operand Count) {
  Operand Dst = Builder.newSlots();
  Builder.emit({.Op = Opcode::Alloca,
                .Dst = Dst,
                .A = Count,
                .D = static_cast<int32_t>(Context.Tables.newSite()),
                .Imm = static_cast<int64_t>(ElementSize)});
  return Dst;
}

void FunctionLowering::lowerAlloca(const AllocaInst &I) {
  Operand Count = scalar(*I.getArraySize());
  define(I, allocate(Layout.getTypeAllocSize(I.getAllocatedType()).getFixedValue(), Count));
  Context.Locals.push_back({&I, Context.Prog.NumSites - 1});
}

/// Only markers that can be observed remain here.
void FunctionLowering::lowerLifetime(const CallBase &Marker) {
  if (!isa<AllocaInst>(Marker.getArgOperand(0)))
    return;
  Operand Local = scalar(*Marker.getArgOperand(0));
  if (Marker.getIntrinsicID() == Intrinsic::lifetime_start)
    Builder.emit({.Op = Opcode::ScopeEnter, .Dst = Local, .A = Local});
  else
    Builder.emit({.Op = Opcode::ScopeLeave, .A = Local});
}

/// Whether all users of an address are accesses (or addresses of such), which can add a constant themselves.
static bool onlyAccessed(const GetElementPtrInst &I) {
  return all_of(I.users(), [&](const User *U) {
    if (isa<LoadInst, GetElementPtrInst>(U))
      return true;
    auto *Store = dyn_cast<StoreInst>(U);
    return Store && Store->getValueOperand() != &I;
  });
}

FunctionLowering::Pointer FunctionLowering::pointer(const Value &V) {
  if (auto It = FoldedAddresses.find(&V); It != FoldedAddresses.end())
    return It->second;
  return {scalar(V), 0};
}

void FunctionLowering::lowerAddress(const GetElementPtrInst &I) {
  Pointer Result = pointer(*I.getPointerOperand());
  for (auto It = gep_type_begin(I), End = gep_type_end(I); It != End; ++It) {
    const Value *Index = It.getOperand();
    if (StructType *S = It.getStructTypeOrNull()) {
      unsigned Field = static_cast<unsigned>(cast<ConstantInt>(Index)->getZExtValue());
      Result.Offset += static_cast<int64_t>(Layout.getStructLayout(S)->getElementOffset(Field).getFixedValue());
      continue;
    }
    int64_t Stride = static_cast<int64_t>(It.getSequentialElementStride(Layout).getFixedValue());
    if (auto *Constant = dyn_cast<ConstantInt>(Index)) {
      Result.Offset += Constant->getValue().sextOrTrunc(64).getSExtValue() * Stride;
      continue;
    }
    unsigned Bits = std::min(bitsOf(*Index), 64u);
    Result.Base = Builder.addScaled(Result.Base, scalar(*Index), Bits, Stride);
  }
  if (Result.Offset != 0 && onlyAccessed(I))
    FoldedAddresses[&I] = Result;
  else
    define(I, Builder.addOffset(Result.Base, Result.Offset));
}

Operand FunctionLowering::load(unsigned Bytes, Pointer From, uint8_t Flags, int32_t Feeds) {
  Operand Dst = Builder.newSlots(slotsOf(Bytes));
  Builder.emit({.Op = Opcode::Load,
                .Width = static_cast<uint8_t>(Bytes),
                .Flags = Flags,
                .Dst = Dst,
                .A = From.Base,
                .D = Feeds,
                .Imm = From.Offset});
  return Dst;
}

void FunctionLowering::store(unsigned Bytes, Pointer To, Operand Value, uint8_t Flags) {
  Builder.emit({.Op = Opcode::Store,
                .Width = static_cast<uint8_t>(Bytes),
                .Flags = Flags,
                .A = To.Base,
                .B = Value,
                .Imm = To.Offset});
}

/// Processors access more than eight bytes as a whole only where they are told to: plain accesses are two, the lower
/// half first.
Operand FunctionLowering::loadPlain(unsigned Bytes, Pointer From, uint8_t Flags, int32_t Feeds) {
  if (Bytes <= 8)
    return load(Bytes, From, Flags, Feeds);
  Operand Low = load(8, From, Flags, Feeds);
  Operand High = load(Bytes - 8, {From.Base, From.Offset + 8}, Flags, Feeds);
  return Builder.makeWide(Low, High);
}

void FunctionLowering::storePlain(unsigned Bytes, Pointer To, Operand Value, uint8_t Flags) {
  store(std::min(Bytes, 8u), To, Value, Flags);
  if (Bytes > 8)
    store(Bytes - 8, {To.Base, To.Offset + 8}, high(Value), Flags);
}

static bool isPlain(uint8_t Flags) { return static_cast<Order>(Flags & OrderMask) == Order::NotAtomic; }

Operand FunctionLowering::loadLeaf(const Leaf &L, Pointer From, uint8_t Flags, int32_t Feeds) {
  From.Offset += static_cast<int64_t>(L.Offset);
  Operand Value = isPlain(Flags) ? loadPlain(L.Bytes, From, Flags, Feeds) : load(L.Bytes, From, Flags, Feeds);
  return L.Bits % 8 == 0 || L.isWide() ? Value : Builder.unary(Opcode::Truncate, L.Bits, Value);
}

void FunctionLowering::storeLeaf(const Leaf &L, Pointer To, Operand Value, uint8_t Flags) {
  To.Offset += static_cast<int64_t>(L.Offset);
  if (isPlain(Flags))
    storePlain(L.Bytes, To, Value, Flags);
  else
    store(L.Bytes, To, Value, Flags);
}

/// Up to 16 bytes, and of more than eight only all 16 of an integer: Clang makes those of structs.
static bool tooLargeForAtomic(const DataLayout &Layout, Type *T) {
  const uint64_t Bytes = Layout.getTypeStoreSize(T).getFixedValue();
  return Bytes > 8 && !(Bytes == 16 && T->isIntegerTy(128));
}
static constexpr const char *LargeAtomic = "atomic access of more than 16 bytes";

void FunctionLowering::lowerLoad(const LoadInst &I) {
  if (I.isAtomic() && tooLargeForAtomic(Layout, I.getType()))
    return refuse(I, LargeAtomic);
  Pointer From = pointer(*I.getPointerOperand());
  Parts Result;
  const Order O = isWeakAcquire(I) ? Order::AcquirePC : orderOf(I.getOrdering());
  const auto Flags = static_cast<uint8_t>(accessFlags(I, O) | (I.isVolatile() ? OfVolatile : 0));
  for (const Leaf &L : leavesOf(I.getType()))
    Result.push_back(loadLeaf(L, From, Flags, static_cast<int32_t>(Plan.fedBy(I))));
  define(I, Result);
}

void FunctionLowering::lowerStore(const StoreInst &I) {
  Type *T = I.getValueOperand()->getType();
  if (I.isAtomic() && tooLargeForAtomic(Layout, T))
    return refuse(I, LargeAtomic);
  Pointer To = pointer(*I.getPointerOperand());
  Parts Value = valueOf(*I.getValueOperand());
  size_t K = 0;
  const auto Flags = static_cast<uint8_t>(accessFlags(I, orderOf(I.getOrdering())) | (I.isVolatile() ? OfVolatile : 0));
  for (const Leaf &L : leavesOf(T))
    storeLeaf(L, To, Value[K++], Flags);
}

static std::optional<RmwOp> rmwOp(AtomicRMWInst::BinOp Op) {
  switch (Op) {
  case AtomicRMWInst::Xchg: return RmwOp::Xchg;
  case AtomicRMWInst::Add: return RmwOp::Add;
  case AtomicRMWInst::Sub: return RmwOp::Sub;
  case AtomicRMWInst::And: return RmwOp::And;
  case AtomicRMWInst::Nand: return RmwOp::Nand;
  case AtomicRMWInst::Or: return RmwOp::Or;
  case AtomicRMWInst::Xor: return RmwOp::Xor;
  case AtomicRMWInst::Max: return RmwOp::Max;
  case AtomicRMWInst::Min: return RmwOp::Min;
  case AtomicRMWInst::UMax: return RmwOp::UMax;
  case AtomicRMWInst::UMin: return RmwOp::UMin;
  case AtomicRMWInst::FAdd: return RmwOp::FAdd;
  case AtomicRMWInst::FSub: return RmwOp::FSub;
  default: return std::nullopt;
  }
}

void FunctionLowering::lowerRmw(const AtomicRMWInst &I) {
  std::optional<RmwOp> Op = rmwOp(I.getOperation());
  if (!Op)
    return refuse(I, "atomic operation '" + AtomicRMWInst::getOperationName(I.getOperation()).str() + "'");
  if (tooLargeForAtomic(Layout, I.getType()))
    return refuse(I, LargeAtomic);
  Operand Where = scalar(*I.getPointerOperand()), Value = scalar(*I.getValOperand());
  const auto Bytes = static_cast<unsigned>(Layout.getTypeStoreSize(I.getType()).getFixedValue());
  Operand Dst = Builder.newSlots(slotsOf(Bytes));
  Builder.emit(
      {.Op = Opcode::Rmw,
       .Width = static_cast<uint8_t>(Bytes),
       .Flags = static_cast<uint8_t>(accessFlags(I, orderOf(I.getOrdering())) | (returnsNothing(I) ? ResultUnused : 0)),
       .Dst = Dst,
       .A = Where,
       .B = Value,
       .C = static_cast<int32_t>(*Op),
       .D = static_cast<int32_t>(Plan.fedBy(I))});
  define(I, Dst);
}

void FunctionLowering::lowerCmpXchg(const AtomicCmpXchgInst &I) {
  Type *T = I.getCompareOperand()->getType();
  if (tooLargeForAtomic(Layout, T))
    return refuse(I, LargeAtomic);
  Operand Where = scalar(*I.getPointerOperand());
  Operand Expected = scalar(*I.getCompareOperand()), New = scalar(*I.getNewValOperand());
  const auto Bytes = static_cast<unsigned>(Layout.getTypeStoreSize(T).getFixedValue());
  Operand Dst = Builder.newSlots(slotsOf(Bytes) + 1);
  const bool Fails = I.isWeak() && Retries.canTell(I);
  Context.Prog.FailsForNoReason |= Fails;
  Builder.emit({.Op = Opcode::CmpXchg,
                .Width = static_cast<uint8_t>(Bytes),
                .Flags = static_cast<uint8_t>(accessFlags(I, orderOf(I.getSuccessOrdering())) | (Fails ? MayFail : 0) |
                                              (returnsNothing(I) ? ResultUnused : 0)),
                .Dst = Dst,
                .A = Where,
                .B = Expected,
                .C = New,
                .D = static_cast<int32_t>(Plan.fedBy(I)),
                .Imm = static_cast<int64_t>(orderOf(I.getFailureOrdering()))});
  define(I, Parts{Dst, Dst + static_cast<Operand>(slotsOf(Bytes))});
}

void FunctionLowering::lowerFence(const FenceInst &I) {
  if (I.getSyncScopeID() == SyncScope::SingleThread)
    return; // orders against signal handlers only
  FenceKind Kind = FenceKind::Full;
  switch (I.getOrdering()) {
  case AtomicOrdering::Acquire: Kind = FenceKind::Acquire; break;
  case AtomicOrdering::Release: Kind = FenceKind::Release; break;
  case AtomicOrdering::AcquireRelease: Kind = FenceKind::AcqRel; break;
  default: break;
  }
  emitFence(I, Kind);
}

void FunctionLowering::emitFence(const llvm::Instruction &I, FenceKind Kind) {
  Builder.emit({.Op = Opcode::Fence, .Flags = accessFlags(I, Order::NotAtomic), .C = static_cast<int32_t>(Kind)});
}

} // namespace picket
