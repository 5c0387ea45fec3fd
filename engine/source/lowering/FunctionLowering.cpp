#include "source/lowering/FunctionLowering.h"

#include "source/lowering/CodeLayout.h"
#include "source/lowering/RegisterAllocation.h"
#include "source/passes/KeptUndefined.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

using namespace llvm;

namespace picket {

FunctionLowering::FunctionLowering(const llvm::Function &Func, LoweringContext &Context)
    : Func(Func), Context(Context), Layout(Context.Symbols.layout()), Builder(Code, Context.Tables),
      Plan(Func, Context.Symbols), Retries(Func, Context.Symbols) {}

void FunctionLowering::run() {
  Function &Entry = Context.Prog.Functions[*Context.Symbols.indexOf(Func)];
  FunctionLocation = Entry.Location;
  IsAtomicSection = Func.getName().starts_with("__VERIFIER_atomic_");

  Builder.setBlock(Builder.newBlock());
  Builder.setLocation(FunctionLocation);
  lowerParameters();
  BlockId Prologue = Builder.block();

  ReversePostOrderTraversal<const llvm::Function *> Order(&Func);
  for (const BasicBlock *Block : Order) {
    Blocks[Block] = Builder.newBlock();
    for (const PHINode &Phi : Block->phis())
      if (isModelled(Phi.getType(), Layout))
        define(Phi, newParts(Phi.getType()));
  }
  for (const FedLoop &Loop : Plan.loops()) {
    LoopSlots.push_back(Builder.newSlots(loopslots::Count));
    LoopIndex.push_back(static_cast<uint32_t>(Context.Prog.Loops.size()));
    Context.Prog.Loops.push_back({.Location = Context.Sources.location(LoopPlan::startOf(*Loop.Where)),
                                  .HasExit = Loop.HasExit,
                                  .Outer = Loop.Outer < 0 ? -1 : static_cast<int32_t>(LoopIndex[Loop.Outer])});
  }
  Code.HasLoops = !Plan.loops().empty();
  Builder.setBlock(Prologue);
  Builder.jump(Blocks[&Func.getEntryBlock()]);
  for (const BasicBlock *Block : Order)
    lowerBlock(*Block);

  orderBlocks(Code);
  allocateRegisters(Code);
  Entry.Entry = layOut(Code, Context.Prog);
  Entry.NumSlots = Code.NumSlots;
  Entry.NumParameters = Code.NumParameters;
  Entry.FedSlot = Code.FedSlot;
}

void FunctionLowering::lowerParameters() {
  for (const Argument &A : Func.args())
    if (isModelled(A.getType(), Layout))
      define(A, newParts(A.getType()));
  Code.NumParameters = static_cast<uint32_t>(Code.GroupOf.size());
  for (const Argument &A : Func.args()) {
    if (!isModelled(A.getType(), Layout))
      Builder.unsupported(describeUnmodelled(A.getType(), Layout));
    if (Type *Copied = A.getParamByValType()) { // the callee owns a copy; it makes it itself
      uint64_t Size = Layout.getTypeAllocSize(Copied).getFixedValue();
      Pointer From = {scalar(A), 0};
      Pointer To = {allocate(Size, Builder.constant(1)), 0};
      if (Size <= MaxUnrolledBytes)
        copyConstant(To, From, chunksOf({}, Size, Layout.getABITypeAlign(Copied).value()), /*MayOverlap=*/false, 0, 0);
      else
        copyLoop(To.Base, From.Base, Builder.constant(Size), /*Backwards=*/false, 0, 0);
      define(A, To.Base);
    }
  }
  if (IsAtomicSection)
    callBuiltin(Builtin::AtomicBegin);
}

void FunctionLowering::setLocation(const llvm::Instruction &I) {
  const DILocation *Where = I.getDebugLoc();
  if (Where && Where->getLine() != 0)
    Builder.setLocation(Context.Sources.location(Where));
}

void FunctionLowering::lowerBlock(const BasicBlock &Block) {
  CurrentBlock = &Block;
  Builder.setBlock(Blocks[&Block]);
  Builder.setLocation(FunctionLocation);
  for (const llvm::Instruction &I : Block)
    if (I.getDebugLoc() && I.getDebugLoc().getLine() != 0) {
      setLocation(I);
      break;
    }
  if (int Spin = Plan.spinHeader(Block); Spin >= 0)
    Builder.emit({.Op = Opcode::SpinHead, .Dst = LoopSlots[Spin]});
  for (const llvm::Instruction &I : Block) {
    setLocation(I);
    if (I.isTerminator())
      lowerTerminator(I);
    else if (!isa<PHINode>(I) && !isDead(I))
      lowerInstruction(I);
  }
}

/// An unused value without an effect. Loads are never dead: other threads can observe them.
bool FunctionLowering::isDead(const llvm::Instruction &I) const {
  if (isa<CallBase, AllocaInst>(I) || I.mayReadOrWriteMemory())
    return false;
  unsigned Op = I.getOpcode();
  if (Op == llvm::Instruction::SDiv || Op == llvm::Instruction::UDiv || Op == llvm::Instruction::SRem ||
      Op == llvm::Instruction::URem)
    return false;
  if (I.use_empty())
    return true;
  // A branch that only asks whether something is zero looks at the thing itself.
  bool Negated = false;
  return all_of(I.users(), [&](const User *U) { return isa<BranchInst>(U); }) && branchCondition(&I, Negated) != &I;
}

void FunctionLowering::refuse(const llvm::Instruction &I, const std::string &What) {
  Builder.unsupported(What);
  defineZero(I);
}

void FunctionLowering::defineZero(const llvm::Instruction &I) {
  if (I.getType()->isVoidTy() || !isModelled(I.getType(), Layout))
    return;
  Parts Zeros;
  for (const Leaf &L : leavesOf(I.getType()))
    Zeros.push_back(L.isWide() ? Builder.wideConstant(0, 0) : Builder.constant(0));
  define(I, Zeros);
}

bool FunctionLowering::refuseTypes(const llvm::Instruction &I) {
  if (!isModelled(I.getType(), Layout)) {
    refuse(I, describeUnmodelled(I.getType(), Layout));
    return true;
  }
  for (const Value *Operand : I.operands())
    if (Operand->getType()->isFirstClassType() && !Operand->getType()->isMetadataTy() &&
        !Operand->getType()->isLabelTy() && !isModelled(Operand->getType(), Layout)) {
      refuse(I, describeUnmodelled(Operand->getType(), Layout));
      return true;
    }
  return false;
}

void FunctionLowering::lowerInstruction(const llvm::Instruction &I) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return lowerCall(*Call);
  if (refuseTypes(I))
    return;
  switch (I.getOpcode()) {
  case llvm::Instruction::Alloca: return lowerAlloca(cast<AllocaInst>(I));
  case llvm::Instruction::GetElementPtr: return lowerAddress(cast<GetElementPtrInst>(I));
  case llvm::Instruction::Load: return lowerLoad(cast<LoadInst>(I));
  case llvm::Instruction::Store: return lowerStore(cast<StoreInst>(I));
  case llvm::Instruction::AtomicRMW: return lowerRmw(cast<AtomicRMWInst>(I));
  case llvm::Instruction::AtomicCmpXchg: return lowerCmpXchg(cast<AtomicCmpXchgInst>(I));
  case llvm::Instruction::Fence: return lowerFence(cast<FenceInst>(I));
  case llvm::Instruction::Select: return lowerSelect(cast<SelectInst>(I));
  case llvm::Instruction::ExtractValue: return lowerExtractValue(cast<ExtractValueInst>(I));
  case llvm::Instruction::InsertValue: return lowerInsertValue(cast<InsertValueInst>(I));
  case llvm::Instruction::ExtractElement:
  case llvm::Instruction::InsertElement:
  case llvm::Instruction::ShuffleVector: return lowerVector(I);
  case llvm::Instruction::Freeze: return define(I, valueOf(*I.getOperand(0)));
  case llvm::Instruction::ICmp:
  case llvm::Instruction::FCmp: return lowerCompare(cast<CmpInst>(I));
  case llvm::Instruction::FNeg:
    if (I.getType()->isVectorTy())
      return refuse(I, "vector arithmetic");
    return define(I, Builder.unary(Opcode::FNeg, bitsOf(I), scalar(*I.getOperand(0))));
  case llvm::Instruction::VAArg: return refuse(I, "variable arguments ('va_arg')");
  default: break;
  }
  if (auto *Binary = dyn_cast<BinaryOperator>(&I))
    return lowerBinary(*Binary);
  if (auto *Cast = dyn_cast<CastInst>(&I))
    return lowerCast(*Cast);
  refuse(I, std::string("instruction '") + I.getOpcodeName() + "'");
}

/// The value whose being nonzero (or zero, if Negated) decides: looks through `x != 0` and `!x`.
const Value *FunctionLowering::branchCondition(const Value *V, bool &Negated) const {
  using namespace PatternMatch;
  for (;;) {
    const Value *Inverted;
    if (V->getType()->isIntegerTy(1) && match(V, m_Not(m_Value(Inverted))) && !isa<Constant>(Inverted)) {
      Negated = !Negated;
      V = Inverted;
      continue;
    }
    auto *Compare = dyn_cast<ICmpInst>(V);
    if (!Compare || !Compare->isEquality() || !match(Compare->getOperand(1), m_Zero()))
      return V;
    Type *T = Compare->getOperand(0)->getType();
    if (T->isVectorTy() || Layout.getTypeSizeInBits(T) > 64 || isa<Constant>(Compare->getOperand(0)) ||
        FoldedAddresses.contains(Compare->getOperand(0)))
      return V;
    if (Compare->getPredicate() == CmpInst::ICMP_EQ)
      Negated = !Negated;
    V = Compare->getOperand(0);
    if (auto *Widened = dyn_cast<ZExtInst>(V); Widened && Widened->getOperand(0)->getType()->isIntegerTy(1))
      V = Widened->getOperand(0);
  }
}

/// C stores what a compare-and-swap has read to where the expected value came from, if it fails. That is the same value
/// if it succeeds, so that a variable in a register simply becomes what was read: no processor branches there, and later
/// accesses do not depend on it. Whether this is all that a branch is about.
bool FunctionLowering::onlyStoresExpected(const BranchInst &Branch) const {
  using namespace PatternMatch;
  const Value *Result;
  if (!match(Branch.getCondition(), m_ExtractValue<1>(m_Value(Result))))
    return false;
  auto *Swap = dyn_cast<AtomicCmpXchgInst>(Result);
  // On each way to where they meet there is an empty block, or none.
  const BasicBlock *Last[2], *Joined[2];
  for (unsigned K = 0; K < 2; ++K) {
    const BasicBlock *To = Branch.getSuccessor(K);
    auto *Jump = dyn_cast<BranchInst>(To->getFirstNonPHIOrDbg());
    const bool IsEmpty = Jump && Jump->isUnconditional() && To->getSinglePredecessor() == CurrentBlock;
    Last[K] = IsEmpty ? To : CurrentBlock;
    Joined[K] = IsEmpty ? Jump->getSuccessor(0) : To;
    if (Plan.backEdge(*Last[K], *Joined[K]) >= 0 || !Plan.entered(*Last[K], *Joined[K]).empty() ||
        !Plan.left(*Last[K], *Joined[K]).empty())
      return false;
  }
  return Swap && Joined[0] == Joined[1] && Last[0] != Last[1] && all_of(Joined[0]->phis(), [&](const PHINode &Phi) {
           const Value *Before = Phi.getIncomingValueForBlock(Last[0]), *Read = Phi.getIncomingValueForBlock(Last[1]);
           return Before == Read ||
                  (Before == Swap->getCompareOperand() && match(Read, m_ExtractValue<0>(m_Specific(Swap))));
         });
}

void FunctionLowering::lowerTerminator(const llvm::Instruction &I) {
  if (auto *Branch = dyn_cast<BranchInst>(&I)) {
    if (Branch->isUnconditional())
      return emitEdge(*Branch->getSuccessor(0));
    if (onlyStoresExpected(*Branch))
      return emitEdge(*Branch->getSuccessor(1)); // as if it had failed
    bool Negated = false;
    Operand Condition = scalar(*branchCondition(Branch->getCondition(), Negated));
    BlockId IfTrue = edge(*Branch->getSuccessor(Negated ? 1 : 0));
    BlockId IfFalse = edge(*Branch->getSuccessor(Negated ? 0 : 1));
    return Builder.branch(Condition, IfTrue, IfFalse);
  }
  if (auto *Return = dyn_cast<ReturnInst>(&I))
    return lowerReturn(*Return);
  if (auto *Switch = dyn_cast<SwitchInst>(&I))
    return lowerSwitch(*Switch);
  if (isa<UnreachableInst>(I))
    return Builder.emit({.Op = Opcode::Unreachable, .Imm = static_cast<int64_t>(brokenPromiseOf(I))});
  if (isa<IndirectBrInst>(I))
    return Builder.unsupported("computed goto");
  if (isa<CallBrInst>(I))
    return Builder.unsupported("assembly that jumps ('asm goto')");
  Builder.unsupported(std::string("instruction '") + I.getOpcodeName() + "'");
}

void FunctionLowering::lowerReturn(const ReturnInst &I) {
  const Value *Result = I.getReturnValue();
  if (Result && !isModelled(Result->getType(), Layout))
    return Builder.unsupported(describeUnmodelled(Result->getType(), Layout));
  unsigned Slots = Result ? countSlots(Result->getType(), Layout) : 0;
  if (Slots > 2)
    return Builder.unsupported("a result of more than 16 bytes");
  Parts P = Slots == 0 ? Parts() : valueOf(*Result);
  Operand Value = Slots == 0 ? 0 : P.size() == 2 ? Builder.makeWide(P[0], P[1]) : P[0];
  if (IsAtomicSection)
    callBuiltin(Builtin::AtomicEnd);
  Builder.emit({.Op = Opcode::Return, .Flags = static_cast<uint8_t>(Slots), .A = Value});
}

void FunctionLowering::lowerSwitch(const SwitchInst &I) {
  if (bitsOf(*I.getCondition()) > 64)
    return Builder.unsupported("switch over a 128-bit integer");
  SwitchTable Table;
  DenseMap<const BasicBlock *, BlockId> Targets;
  auto TargetOf = [&](const BasicBlock *To) {
    auto [It, New] = Targets.try_emplace(To, 0);
    if (New)
      It->second = edge(*To);
    return It->second;
  };
  for (auto Case : I.cases())
    Table.Cases.push_back({Case.getCaseValue()->getZExtValue(), TargetOf(Case.getCaseSuccessor())});
  Table.Default = TargetOf(I.getDefaultDest());
  std::sort(Table.Cases.begin(), Table.Cases.end());
  Operand Condition = scalar(*I.getCondition());
  Builder.emit({.Op = Opcode::Switch, .A = Condition, .Imm = static_cast<int64_t>(Code.Switches.size())});
  Code.Switches.push_back(std::move(Table));
}

/// The block to jump to for an edge out of the current block; a new one if something happens on the way.
BlockId FunctionLowering::edge(const BasicBlock &To) {
  if (To.phis().empty() && Plan.backEdge(*CurrentBlock, To) < 0 && Plan.entered(*CurrentBlock, To).empty() &&
      Plan.left(*CurrentBlock, To).empty())
    return Blocks[&To];
  BlockId From = Builder.block(), Between = Builder.newBlock();
  Builder.setBlock(Between);
  emitEdge(To);
  Builder.setBlock(From);
  return Between;
}

void FunctionLowering::emitEdge(const BasicBlock &To) {
  emitCopies(To);
  for (unsigned Loop : Plan.left(*CurrentBlock, To))
    Builder.emit({.Op = Opcode::LoopExit, .B = static_cast<int32_t>(LoopIndex[Loop])});
  for (unsigned Loop : Plan.entered(*CurrentBlock, To))
    Builder.emit({.Op = Opcode::LoopInit, .Dst = LoopSlots[Loop]});
  int Back = Plan.backEdge(*CurrentBlock, To);
  if (Back < 0)
    return Builder.jump(Blocks[&To]);
  const FedLoop &Loop = Plan.loops()[Back];
  for (const PHINode *Phi : Loop.Carried) {
    if (!isModelled(Phi->getType(), Layout))
      continue;
    Leaves All = leavesOf(Phi->getType());
    for (size_t K = 0; K < All.size(); ++K)
      for (Operand Part = Values[Phi][K], End = Part + (All[K].isWide() ? 2 : 1); Part < End; ++Part)
        Builder.emit({.Op = Opcode::LoopNote, .A = Part});
  }
  Builder.emit({.Op = Loop.SpinCandidate ? Opcode::SpinBack : Opcode::LoopBack,
                .Flags = Loop.ReadsMemory ? uint8_t(0) : ReadsNothing,
                .Dst = LoopSlots[Back],
                .A = static_cast<int32_t>(Blocks[&To]),
                .B = static_cast<int32_t>(LoopIndex[Back]),
                .Imm = Loop.Bit});
}

/// The phis of `To` take their values all at once; a copy must not overwrite what a later one reads.
void FunctionLowering::emitCopies(const BasicBlock &To) {
  struct Copy {
    Operand Dst, Source;
    bool Wide;
  };
  SmallVector<Copy, 8> Pending;
  for (const PHINode &Phi : To.phis()) {
    if (!isModelled(Phi.getType(), Layout))
      continue;
    Parts From = valueOf(*Phi.getIncomingValueForBlock(CurrentBlock));
    const Parts &Into = Values[&Phi];
    Leaves All = leavesOf(Phi.getType());
    for (size_t K = 0; K < All.size(); ++K)
      if (Into[K] != From[K])
        Pending.push_back({Into[K], From[K], All[K].isWide()});
  }
  auto IsRead = [&](const Copy &Written) {
    return any_of(Pending, [&](const Copy &C) {
      return &C != &Written && C.Source >= 0 && Builder.groupOf(C.Source) == Builder.groupOf(Written.Dst);
    });
  };
  while (!Pending.empty()) {
    auto Free = find_if(Pending, [&](const Copy &C) { return !IsRead(C); });
    if (Free == Pending.end()) { // a ring: one value waits elsewhere
      Copy &C = Pending.front();
      Operand Saved = Builder.newSlots(C.Wide ? 2 : 1);
      Builder.move(Saved, C.Source, C.Wide);
      C.Source = Saved;
      continue;
    }
    Builder.move(Free->Dst, Free->Source, Free->Wide);
    Pending.erase(Free);
  }
}

Leaves FunctionLowering::leavesOf(Type *T) const {
  Leaves All;
  flatten(T, Layout, All);
  return All;
}

unsigned FunctionLowering::bitsOf(const Value &V) const {
  return static_cast<unsigned>(Layout.getTypeSizeInBits(V.getType()).getFixedValue());
}

FunctionLowering::Parts FunctionLowering::newParts(Type *T) {
  Parts New;
  for (const Leaf &L : leavesOf(T))
    New.push_back(Builder.newSlots(L.isWide() ? 2 : 1));
  return New;
}

FunctionLowering::Parts FunctionLowering::valueOf(const Value &V) {
  if (auto *C = dyn_cast<Constant>(&V))
    return constantParts(*C);
  if (auto It = FoldedAddresses.find(&V); It != FoldedAddresses.end())
    return {Builder.addOffset(It->second.Base, It->second.Offset)};
  if (auto It = Values.find(&V); It != Values.end())
    return It->second;
  // A value that was refused where it is computed, or metadata: never used.
  Parts Zeros;
  for (const Leaf &L : leavesOf(V.getType()))
    Zeros.push_back(L.isWide() ? Builder.wideConstant(0, 0) : Builder.constant(0));
  if (Zeros.empty())
    Zeros.push_back(Builder.constant(0));
  return Zeros;
}

FunctionLowering::Parts FunctionLowering::constantParts(const Constant &C) {
  if (auto *G = dyn_cast<GlobalVariable>(&C); G && G->isThreadLocal() && Context.Symbols.isModelled(*G)) {
    Operand Dst = Builder.newSlots();
    Builder.emit({.Op = Opcode::ThreadLocal, .Dst = Dst, .Imm = Context.Symbols.indexOf(*G)});
    return {Dst};
  }
  if (C.getType()->isAggregateType()) {
    Parts All;
    unsigned Elements = C.getType()->isStructTy() ? C.getType()->getStructNumElements()
                                                  : static_cast<unsigned>(C.getType()->getArrayNumElements());
    for (unsigned I = 0; I < Elements; ++I)
      All.append(constantParts(*C.getAggregateElement(I)));
    return All;
  }
  std::string Refusal;
  std::optional<APInt> Value = Context.Constants.evaluate(C, Refusal);
  if (!Value) {
    Builder.unsupported(Refusal);
    Value = APInt(bitsOf(C), 0);
  }
  if (Value->getBitWidth() <= 64)
    return {Builder.constant(Value->getZExtValue())};
  return {Builder.wideConstant(Value->getRawData()[0], Value->getRawData()[1])};
}

} // namespace picket
