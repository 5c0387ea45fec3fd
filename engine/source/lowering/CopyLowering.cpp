#include "source/lowering/FunctionLowering.h"

#include <algorithm>
#include <bit>

using namespace llvm;

namespace picket {

/// Appends accesses for the bytes [From, To), none wider than `Widest` and each aligned to its own width.
static void appendPlainChunks(uint64_t From, uint64_t To, uint64_t Widest, auto &Chunks) {
  while (From < To) {
    uint64_t Width = std::bit_floor(std::min(Widest, uint64_t(8)));
    while (From % Width != 0 || Width > To - From)
      Width /= 2;
    Chunks.push_back({From, static_cast<unsigned>(Width)});
    From += Width;
  }
}

/// Cuts a block along the scalars of the variable it lies in, so that a copied struct is accessed field by field, as
/// the rest of the program accesses it.
bool FunctionLowering::typedChunks(const Value *Object, uint64_t Size, std::vector<Chunk> &Chunks) const {
  APInt Start(64, 0);
  const Value *Base = Object->stripAndAccumulateConstantOffsets(Layout, Start, /*AllowNonInbounds=*/true);
  Type *T = nullptr;
  if (auto *Local = dyn_cast<AllocaInst>(Base))
    T = Local->getAllocatedType();
  else if (auto *Global = dyn_cast<GlobalVariable>(Base))
    T = Global->getValueType();
  Leaves All;
  if (!T || Layout.getTypeAllocSize(T) > 4096 || !flatten(T, Layout, All))
    return false;
  uint64_t Next = 0; // bytes before this one are in Chunks
  uint64_t First = Start.getZExtValue();
  for (const Leaf &L : All) {
    if (L.Offset < First || L.Offset - First + L.Bytes > Size || L.Offset - First < Next)
      continue;
    uint64_t At = L.Offset - First;
    appendPlainChunks(Next, At, 8, Chunks); // padding, which may be data of another member of a union
    appendPlainChunks(At, At + L.Bytes, L.Bytes, Chunks);
    Next = At + L.Bytes;
  }
  appendPlainChunks(Next, Size, 8, Chunks);
  return true;
}

std::vector<FunctionLowering::Chunk> FunctionLowering::chunksOf(ArrayRef<const Value *> Objects, uint64_t Size,
                                                                uint64_t Alignment) const {
  std::vector<Chunk> Chunks;
  for (const Value *Object : Objects)
    if (typedChunks(Object, Size, Chunks))
      return Chunks;
  appendPlainChunks(0, Size, Alignment > 1 ? Alignment : 8, Chunks);
  return Chunks;
}

void FunctionLowering::copyConstant(Pointer To, Pointer From, const std::vector<Chunk> &Chunks, bool MayOverlap,
                                    uint8_t Flags, int32_t Feeds) {
  if (Chunks.empty())
    return;
  Builder.emit({.Op = Opcode::CopyWritten,
                .A = Builder.addOffset(To.Base, To.Offset),
                .B = Builder.addOffset(From.Base, From.Offset),
                .C = Builder.constant(Chunks.back().Offset + Chunks.back().Bytes)});
  uint8_t StoreFlags = Flags | OfCopy;
  auto At = [](Pointer P, const Chunk &C) { return Pointer{P.Base, P.Offset + static_cast<int64_t>(C.Offset)}; };
  std::vector<Operand> Loaded;
  for (const Chunk &C : Chunks) {
    Loaded.push_back(load(C.Bytes, At(From, C), Flags, Feeds));
    if (!MayOverlap)
      store(C.Bytes, At(To, C), Loaded.back(), StoreFlags);
  }
  if (MayOverlap)
    for (size_t K = 0; K < Chunks.size(); ++K)
      store(Chunks[K].Bytes, At(To, Chunks[K]), Loaded[K], StoreFlags);
}

/// Words first and then the bytes that are left; backwards, the other way round. Ends in a new block.
void FunctionLowering::copyLoop(Operand To, Operand From, Operand Size, bool Backwards, uint8_t Flags, int32_t Feeds) {
  Builder.emit({.Op = Opcode::CopyWritten, .A = To, .B = From, .C = Size});
  Operand Words = Builder.binary(Opcode::And, 64, Size, Builder.constant(~7ull));
  Operand At = Builder.newSlots();
  Builder.move(At, Backwards ? Size : Builder.constant(0));
  auto Pass = [&](unsigned Bytes, Operand End) {
    BlockId Head = Builder.newBlock(), Body = Builder.newBlock(), After = Builder.newBlock();
    Builder.jump(Head);
    Builder.setBlock(Head);
    Builder.branch(Backwards ? Builder.binary(Opcode::ULt, 64, End, At) : Builder.binary(Opcode::ULt, 64, At, End),
                   Body, After);
    Builder.setBlock(Body);
    auto Step = [&] {
      Builder.emit(
          {.Op = Backwards ? Opcode::Sub : Opcode::Add, .Width = 64, .Dst = At, .A = At, .B = Builder.constant(Bytes)});
    };
    if (Backwards)
      Step();
    Operand Value = load(Bytes, {Builder.addScaled(From, At, 64, 1), 0}, Flags, Feeds);
    store(Bytes, {Builder.addScaled(To, At, 64, 1), 0}, Value, Flags | OfCopy);
    if (!Backwards)
      Step();
    Builder.jump(Head);
    Builder.setBlock(After);
  };
  if (Backwards) {
    Pass(1, Words);
    Pass(8, Builder.constant(0));
  } else {
    Pass(8, Words);
    Pass(1, Size);
  }
}

void FunctionLowering::lowerCopy(const CallBase &Call, bool MayOverlap) {
  const Value &To = *Call.getArgOperand(0), &From = *Call.getArgOperand(1);
  uint8_t Flags = accessFlags(Call, Order::NotAtomic);
  int32_t Feeds = static_cast<int32_t>(Plan.fedBy(Call));
  if (!Call.getType()->isVoidTy())
    define(Call, scalar(To));
  auto *Constant = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  if (Constant && Constant->getZExtValue() <= MaxUnrolledBytes) {
    uint64_t Alignment = std::min(Call.getParamAlign(0).valueOrOne(), Call.getParamAlign(1).valueOrOne()).value();
    std::vector<Chunk> Chunks = chunksOf({&From, &To}, Constant->getZExtValue(), Alignment);
    return copyConstant(pointer(To), pointer(From), Chunks, MayOverlap, Flags, Feeds);
  }
  Operand Target = scalar(To), Source = scalar(From), Size = scalar(*Call.getArgOperand(2));
  if (!MayOverlap)
    return copyLoop(Target, Source, Size, false, Flags, Feeds);
  // Forwards is right unless the target starts inside the source.
  Operand Distance = Builder.binary(Opcode::Sub, 64, Target, Source);
  Operand Inside = Builder.binary(Opcode::ULt, 64, Distance, Size);
  BlockId Backwards = Builder.newBlock(), Forwards = Builder.newBlock(), After = Builder.newBlock();
  Builder.branch(Inside, Backwards, Forwards);
  Builder.setBlock(Backwards);
  copyLoop(Target, Source, Size, true, Flags, Feeds);
  Builder.jump(After);
  Builder.setBlock(Forwards);
  copyLoop(Target, Source, Size, false, Flags, Feeds);
  Builder.jump(After);
  Builder.setBlock(After);
}

void FunctionLowering::lowerSet(const CallBase &Call) {
  const Value &To = *Call.getArgOperand(0);
  uint8_t Flags = accessFlags(Call, Order::NotAtomic);
  if (!Call.getType()->isVoidTy())
    define(Call, scalar(To));
  Operand Byte = scalar(*Call.getArgOperand(1)), Word;
  uint64_t Known;
  constexpr uint64_t Everywhere = 0x0101010101010101;
  if (Builder.isConstant(Byte, Known)) {
    Byte = Builder.constant(Known & 0xff);
    Word = Builder.constant((Known & 0xff) * Everywhere);
  } else {
    Byte = Builder.unary(Opcode::Truncate, 8, Byte);
    Word = Builder.binary(Opcode::Mul, 64, Byte, Builder.constant(Everywhere));
  }
  auto Narrow = [&](unsigned Bytes) { return Bytes == 8 ? Word : Builder.unary(Opcode::Truncate, 8 * Bytes, Word); };
  auto *Constant = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  if (Constant && Constant->getZExtValue() <= MaxUnrolledBytes) {
    Pointer Target = pointer(To);
    for (const Chunk &C : chunksOf({&To}, Constant->getZExtValue(), Call.getParamAlign(0).valueOrOne().value())) {
      Pointer At = {Target.Base, Target.Offset + static_cast<int64_t>(C.Offset)};
      uint64_t WordValue;
      Operand Value = Builder.isConstant(Word, WordValue) && C.Bytes < 8
                          ? Builder.constant(WordValue & ((1ull << (8 * C.Bytes)) - 1))
                          : Narrow(C.Bytes);
      store(C.Bytes, At, Value, Flags);
    }
    return;
  }
  Operand Target = scalar(To), Size = scalar(*Call.getArgOperand(2));
  Operand Words = Builder.binary(Opcode::And, 64, Size, Builder.constant(~7ull));
  Operand At = Builder.newSlots();
  Builder.move(At, Builder.constant(0));
  for (unsigned Bytes : {8u, 1u}) {
    BlockId Head = Builder.newBlock(), Body = Builder.newBlock(), After = Builder.newBlock();
    Builder.jump(Head);
    Builder.setBlock(Head);
    Builder.branch(Builder.binary(Opcode::ULt, 64, At, Bytes == 8 ? Words : Size), Body, After);
    Builder.setBlock(Body);
    store(Bytes, {Builder.addScaled(Target, At, 64, 1), 0}, Bytes == 8 ? Word : Byte, Flags);
    Builder.emit({.Op = Opcode::Add, .Width = 64, .Dst = At, .A = At, .B = Builder.constant(Bytes)});
    Builder.jump(Head);
    Builder.setBlock(After);
  }
}

} // namespace picket
