#include "source/lowering/FunctionLowering.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace picket {

/// The memory_order constants of C; anything that is not known when compiling is taken as the strongest.
static Order orderArgument(const Value &V) {
  auto *Constant = dyn_cast<ConstantInt>(&V);
  switch (Constant ? Constant->getZExtValue() & 0xffff : 5) {
  case 0: return Order::Relaxed;
  case 1: // consume
  case 2: return Order::Acquire;
  case 3: return Order::Release;
  case 4: return Order::AcqRel;
  default: return Order::SeqCst;
  }
}

static std::optional<RmwOp> fetchOperation(StringRef Name) {
  return StringSwitch<std::optional<RmwOp>>(Name)
      .Case("fetch_add", RmwOp::Add)
      .Case("fetch_sub", RmwOp::Sub)
      .Case("fetch_and", RmwOp::And)
      .Case("fetch_or", RmwOp::Or)
      .Case("fetch_xor", RmwOp::Xor)
      .Case("fetch_nand", RmwOp::Nand)
      .Case("exchange", RmwOp::Xchg)
      .Default(std::nullopt);
}

/// Whether a declaration of `__atomic_..._16` has values of 16 bytes where it should.
static bool handsOverWide(const CallBase &I, StringRef Operation) {
  auto IsWide = [](const Type *T) { return T->isIntegerTy(128); };
  if (Operation == "compare_exchange")
    return I.arg_size() > 2 && IsWide(I.getArgOperand(2)->getType());
  return (Operation == "load" || IsWide(I.getArgOperand(1)->getType())) &&
         (Operation == "store" || IsWide(I.getType()));
}

/// Clang calls the library for objects whose size or alignment has no instruction. `__atomic_load_4(p, order)` hands
/// values over directly, `__atomic_load(size, p, result, order)` through memory.
void FunctionLowering::lowerAtomicLibrary(const CallBase &I) {
  StringRef Name = I.getCalledOperand()->stripPointerCasts()->getName();
  std::string Refused = describeCall(Name);
  Name.consume_front("__atomic_");
  auto [Operation, Suffix] = Name.rsplit('_');
  uint64_t Bytes = 0;
  bool Sized = !Suffix.getAsInteger(10, Bytes);
  unsigned First = Sized ? 0 : 1; // of the arguments after the size
  if (!Sized) {
    Operation = Name;
    auto *Size = I.arg_size() > 0 ? dyn_cast<ConstantInt>(I.getArgOperand(0)) : nullptr;
    Bytes = Size ? Size->getZExtValue() : 0;
  }
  if (Operation == "is_lock_free" && !Sized)
    return define(I, Builder.constant(Bytes != 0 && Bytes <= 16));
  if (Bytes > 16)
    return refuse(I, Refused + " of " + std::to_string(Bytes) + " bytes");
  if (Bytes == 0 || I.arg_size() < First + 2 || (Sized && Bytes > 8 && !handsOverWide(I, Operation)))
    return refuse(I, Refused);

  int32_t Feeds = static_cast<int32_t>(Plan.fedBy(I));
  auto Argument = [&](unsigned K) -> const Value & { return *I.getArgOperand(First + K); };
  unsigned Width = static_cast<unsigned>(Bytes);
  uint8_t Plain = accessFlags(I, Order::NotAtomic);
  Pointer Object = {scalar(Argument(0)), 0};
  uint8_t Flags = accessFlags(I, orderArgument(*I.getArgOperand(I.arg_size() - 1)));
  // The value handed in, and where a value handed back goes.
  auto Input = [&](unsigned K) {
    return Sized ? scalar(Argument(K)) : loadPlain(Width, {scalar(Argument(K)), 0}, Plain, 0);
  };
  auto Output = [&](unsigned K, Operand Value) {
    if (Sized)
      define(I, Value);
    else
      storePlain(Width, {scalar(Argument(K)), 0}, Value, Plain);
  };
  if (Operation == "load")
    return Output(1, load(Width, Object, Flags, Feeds));
  if (Operation == "store")
    return store(Width, Object, Input(1), Flags);
  if (Operation == "compare_exchange" && I.arg_size() == First + 5)
    return lowerAtomicCompareExchange(I, Width, Sized, First);
  if (std::optional<RmwOp> Op = fetchOperation(Operation)) {
    Operand Value = Input(1), Old = Builder.newSlots(slotsOf(Width));
    Builder.emit({.Op = Opcode::Rmw,
                  .Width = static_cast<uint8_t>(Width),
                  .Flags = Flags,
                  .Dst = Old,
                  .A = Object.Base,
                  .B = Value,
                  .C = static_cast<int32_t>(*Op),
                  .D = Feeds});
    return Output(2, Old);
  }
  refuse(I, Refused);
}

/// bool compare_exchange([size,] object, expected *, desired (value or pointer), success order, failure order)
void FunctionLowering::lowerAtomicCompareExchange(const CallBase &I, unsigned Bytes, bool Sized, unsigned First) {
  uint8_t Plain = accessFlags(I, Order::NotAtomic);
  Operand Object = scalar(*I.getArgOperand(First));
  Pointer Expected = {scalar(*I.getArgOperand(First + 1)), 0};
  Operand Wanted = loadPlain(Bytes, Expected, Plain, 0);
  Operand Desired = scalar(*I.getArgOperand(First + 2));
  if (!Sized)
    Desired = loadPlain(Bytes, {Desired, 0}, Plain, 0);
  Operand Result = Builder.newSlots(slotsOf(Bytes) + 1), Success = Result + static_cast<Operand>(slotsOf(Bytes));
  Builder.emit({.Op = Opcode::CmpXchg,
                .Width = static_cast<uint8_t>(Bytes),
                .Flags = accessFlags(I, orderArgument(*I.getArgOperand(First + 3))),
                .Dst = Result,
                .A = Object,
                .B = Wanted,
                .C = Desired,
                .D = static_cast<int32_t>(Plan.fedBy(I)),
                .Imm = static_cast<int64_t>(orderArgument(*I.getArgOperand(First + 4)))});
  BlockId Failed = Builder.newBlock(), After = Builder.newBlock();
  Builder.branch(Success, After, Failed);
  Builder.setBlock(Failed);
  storePlain(Bytes, Expected, Result, Plain);
  Builder.jump(After);
  Builder.setBlock(After);
  define(I, Success);
}

} // namespace picket
