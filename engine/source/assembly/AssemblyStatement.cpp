#include "source/assembly/AssemblyStatement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <set>

using namespace llvm;

namespace picket {

AssemblyStatement::AssemblyStatement(CallInst &Call, Architecture For)
    : Call(Call), Asm(*cast<InlineAsm>(Call.getCalledOperand())), For(For), Builder(Call.getContext()) {}

void AssemblyStatement::replace() {
  if (Asm.getDialect() == InlineAsm::AD_Intel)
    throw AssemblyRefused{"Intel's syntax is not modelled"};
  readOperands();
  readLines();
  findJumps();
  findExclusives();
  BasicBlock *Head = Call.getParent(), *Tail = Head->splitBasicBlock(Call.getIterator());
  llvm::Function *F = Head->getParent();
  std::set<BasicBlock *> Before;
  for (BasicBlock &B : *F)
    Before.insert(&B);
  BasicBlock *First = BasicBlock::Create(F->getContext(), "", F, Tail);
  try {
    Builder.SetInsertPoint(First);
    Builder.SetCurrentDebugLocation(Call.getDebugLoc());
    emit();
    const std::vector<Value *> Results = results();
    Builder.CreateBr(Tail);
    cast<BranchInst>(Head->getTerminator())->setSuccessor(0, First);
    replaceUses(Results);
  } catch (const AssemblyRefused &) {
    std::vector<BasicBlock *> Made;
    for (BasicBlock &B : *F)
      if (!Before.count(&B))
        Made.push_back(&B);
    for (BasicBlock *B : Made)
      B->dropAllReferences();
    for (BasicBlock *B : Made)
      B->eraseFromParent();
    MergeBlockIntoPredecessor(Tail);
    throw;
  }
  for (const Exclusive &E : Exclusives)
    if (E.Old) { // it is not needed any more
      E.Old->replaceAllUsesWith(E.Old->getOperand(0));
      E.Old->eraseFromParent();
    }
  for (auto &[Number, L] : Labels)
    for (PHINode &Phi : make_early_inc_range(L.block()->phis()))
      if (Value *Only = Phi.use_empty() ? Phi.getIncomingValue(0) : Phi.hasConstantValue()) {
        Phi.replaceAllUsesWith(Only);
        Phi.eraseFromParent();
      }
  Call.eraseFromParent();
  std::vector<BasicBlock *> Made;
  for (BasicBlock &B : *F)
    if (!Before.count(&B) || &B == Tail)
      Made.push_back(&B);
  for (BasicBlock *B : Made)
    if (pred_empty(B))
      DeleteDeadBlock(B);
    else
      MergeBlockIntoPredecessor(B);
}

void AssemblyStatement::readLines() {
  std::vector<bool> IsMemory;
  for (const Slot &S : Slots)
    IsMemory.push_back(S.IsMemory);
  const AssemblyOperandReader Reader(For, IsMemory);
  for (AssemblyLine &Read : assemblyLines(Asm.getAsmString(), For)) {
    Line L;
    static_cast<AssemblyLine &>(L) = std::move(Read);
    if (L.Mnemonic.empty()) {
      Lines.push_back(std::move(L));
      continue;
    }
    const AssemblyRow *Whole = findWholeInstruction(StringRef(L.text()).lower());
    L.Form = Whole ? AssemblyForm{Whole, 0, Order::NotAtomic, ""} : findAssembly(For, L.Mnemonic);
    if (!L.Form)
      throw AssemblyRefused{"the instruction '" + L.Mnemonic + "' is not modelled"};
    if (L.Locks && !L.Form->Row->Lockable)
      throw AssemblyRefused{"the prefix 'lock' of '" + L.Mnemonic + "' is not modelled"};
    if (L.Form->Row->What != Meaning::Nothing && !Whole)
      for (const std::string &Operand : L.Operands)
        L.Parsed.push_back(Reader.read(Operand));
    if (For == Architecture::X86_64) // the destination comes last
      std::reverse(L.Parsed.begin(), L.Parsed.end());
    else if (For == Architecture::Powerpc64le)
      nameNumberedRegisters(L);
    const Meaning What = L.Form->Row->What;
    UsesFlags |= !L.Form->Condition.empty() || What == Meaning::Set;
    for (const AssemblyOperand &O : L.Parsed)
      for (const AssemblyRegister &R : {O.Reg, O.Index})
        if (R.Operand < 0 && !R.Name.empty())
          registerNumber(R.Name);
    Lines.push_back(std::move(L));
  }
  State.Registers.resize(RegisterNames.size());
  for (Slot &S : Slots)
    UsesFlags |= !S.Condition.empty();
}

/// Registers of POWER are numbers, unless an instruction takes a number there.
void AssemblyStatement::nameNumberedRegisters(Line &L) {
  const StringRef Name = L.Mnemonic;
  const Meaning What = L.Form->Row->What;
  const bool TakesNumber = Name.trim('.').ends_with("i") || Name.starts_with("addic");
  const bool HasAddress = What == Meaning::Load || What == Meaning::Store || What == Meaning::LoadExclusive ||
                          What == Meaning::StoreExclusive;
  if (What == Meaning::Branch)
    return;
  const size_t Count = L.Parsed.size();
  for (size_t K = 0; K < Count; ++K) {
    AssemblyOperand &O = L.Parsed[K];
    const bool IsNumber = (TakesNumber && K + 1 == Count) || (HasAddress && K + 2 == Count && O.Value == 0) ||
                          (What == Meaning::Compare && Count == 3 && K == 0) ||
                          (What == Meaning::CompareUnsigned && Count == 3 && K == 0);
    if (O.What != AssemblyOperand::Number || IsNumber)
      continue;
    if (O.Value < 0 || O.Value > 31)
      throw AssemblyRefused{"an operand of '" + L.Mnemonic + "' is not modelled"};
    O.What = AssemblyOperand::Register;
    O.Reg = {-1, "r" + std::to_string(O.Value), 64};
    if (Name == "addi" && K == 1 && O.Value == 0) // it adds to zero then
      O.Reg = {};
  }
}

/// `1b` is the last label 1 before, `1f` the next one after.
int AssemblyStatement::lineOfLabel(StringRef Name, size_t From) const {
  auto Has = [&](size_t K, StringRef Label) { return is_contained(Lines[K].Labels, Label); };
  if (!Name.empty() && isDigit(Name[0])) {
    const StringRef Number = Name.drop_back();
    if (Name.back() == 'b')
      for (size_t K = From + 1; K-- > 0;)
        if (Has(K, Number))
          return static_cast<int>(K);
    if (Name.back() == 'f')
      for (size_t K = From + 1; K < Lines.size(); ++K)
        if (Has(K, Number))
          return static_cast<int>(K);
    return -1;
  }
  for (size_t K = 0; K < Lines.size(); ++K)
    if (Has(K, Name))
      return static_cast<int>(K);
  return -1;
}

void AssemblyStatement::findJumps() {
  for (size_t K = 0; K < Lines.size(); ++K) {
    Line &L = Lines[K];
    if (!L.Form || (L.Form->Row->What != Meaning::Branch && L.Form->Row->What != Meaning::BranchIfZero &&
                    L.Form->Row->What != Meaning::BranchIfBit))
      continue;
    // Of x86 the operands are the other way round, but there is only one.
    if (L.Parsed.empty() || L.Parsed.back().What != AssemblyOperand::Word)
      throw AssemblyRefused{"where '" + L.Mnemonic + "' jumps to is not known"};
    L.JumpsTo = lineOfLabel(L.Parsed.back().Text, K);
    if (L.JumpsTo < 0)
      throw AssemblyRefused{"'" + L.Mnemonic + "' jumps to a place outside of the statement"};
    L.Parsed.pop_back();
    ComesBack[L.JumpsTo] |= static_cast<size_t>(L.JumpsTo) <= K;
  }
}

unsigned AssemblyStatement::registerNumber(const std::string &Name) {
  if (!Name.empty())
    if (auto Found = find(RegisterNames, Name); Found != RegisterNames.end())
      return static_cast<unsigned>(Found - RegisterNames.begin());
  RegisterNames.push_back(Name);
  State.Registers.emplace_back();
  MayChange.push_back(true);
  return static_cast<unsigned>(RegisterNames.size() - 1);
}

/// Operands are numbered as constraints are. Arguments of the call are the inputs and the outputs in memory.
void AssemblyStatement::readOperands() {
  unsigned Argument = 0, Result = 0;
  for (const InlineAsm::ConstraintInfo &Info : Asm.ParseConstraints()) {
    if (Info.Type == InlineAsm::isClobber)
      continue;
    if (Info.Type == InlineAsm::isLabel)
      throw AssemblyRefused{"it jumps"};
    Slot S;
    const StringRef Code = Info.Codes.empty() ? "" : StringRef(Info.Codes.front());
    const StringRef Fixed = Code.starts_with("{") ? Code.drop_front().drop_back() : "";
    if (Info.isIndirect) {
      S.IsMemory = true;
      S.Pointer = Call.getArgOperand(Argument++);
      Slots.push_back(S);
      continue;
    }
    Value *Input = Info.Type == InlineAsm::isInput ? Call.getArgOperand(Argument++) : nullptr;
    llvm::Type *T = Input ? Input->getType() : Call.getType();
    if (auto *Several = dyn_cast<StructType>(T); Several && !Input)
      T = Several->getElementType(Result);
    Result += !Input;
    if (!Input)
      S.Type = T;
    if (Fixed.starts_with("@cc")) {
      S.Condition = Fixed.drop_front(3).str();
      Slots.push_back(S);
      continue;
    }
    const unsigned Size = static_cast<unsigned>(Call.getDataLayout().getTypeSizeInBits(T).getFixedValue());
    const bool IsNumber = T->isIntegerTy() || T->isPointerTy() || T->isFloatTy() || T->isDoubleTy();
    if (!IsNumber || (Size > 64 && Size != 128))
      throw AssemblyRefused{"an operand of a type like that is not modelled"};
    S.Bits = std::min(Size, 64u);
    S.IsInput = Input;
    if (Input && Info.hasMatchingInput()) // never: of outputs only
      throw AssemblyRefused{"its constraints are not modelled"};
    unsigned Tied = 0;
    if (Input && !Code.getAsInteger(10, Tied)) {
      S.Register = Slots[Tied].Register;
      S.SecondRegister = Slots[Tied].SecondRegister;
    } else if (!Fixed.empty()) {
      const std::optional<AssemblyRegister> Named = AssemblyOperandReader::registerNamed(For, Fixed);
      if (!Named || Size > 64)
        throw AssemblyRefused{"the register '" + Fixed.str() + "' is not modelled"};
      S.Register = registerNumber(Named->Name);
    } else {
      S.Register = registerNumber("");
      if (Size > 64)
        S.SecondRegister = registerNumber("");
      MayChange[S.Register] = !Input;
    }
    if (Input)
      setInput(S, *Input);
    Slots.push_back(S);
  }
  if (For == Architecture::X86_64) // instructions name them without saying so
    for (const char *Name : {"rax", "rbx", "rcx", "rdx"})
      registerNumber(Name);
}

void AssemblyStatement::setInput(Slot &S, Value &V) {
  AssemblyValue &Into = State.Registers[S.Register];
  Into = {&V, S.Bits};
  if (V.getType()->isPointerTy())
    Into.Pointer = &V;
  if (S.SecondRegister)
    State.Registers[S.SecondRegister] = Into;
}

AssemblyLabel &AssemblyStatement::label(int Number) {
  auto Found = Labels.find(Number);
  if (Found == Labels.end())
    Found = Labels.emplace(Number, AssemblyLabel(*Call.getFunction(), ComesBack[Number])).first;
  return Found->second;
}

void AssemblyStatement::emit() {
  std::map<unsigned, unsigned> Halves; // second registers: their first ones
  for (const Slot &S : Slots)
    if (S.SecondRegister)
      Halves[S.SecondRegister] = S.Register;
  for (unsigned R = 0; R < State.Registers.size(); ++R) { // inputs, as numbers of 64 bits
    AssemblyValue &V = State.Registers[R];
    if (!V.V)
      continue;
    Type *T = V.V->getType();
    if (T->isIntegerTy(128))
      V.V = Builder.CreateTrunc(Halves.count(R) ? Builder.CreateLShr(V.V, 64) : V.V, Builder.getInt64Ty());
    if (T->isPointerTy() && !MayChange[R]) { // as a number only where it is used as one
      V.V = nullptr;
      continue;
    }
    if (T->isPointerTy())
      V.V = Builder.CreatePtrToInt(V.V, Builder.getInt64Ty());
    else if (T->isFloatingPointTy())
      V.V = Builder.CreateBitCast(V.V, Builder.getIntNTy(T->getPrimitiveSizeInBits()));
    V.V = Builder.CreateZExt(V.V, Builder.getInt64Ty());
  }
  for (size_t K = 0; K < Lines.size(); ++K) {
    if (ComesBack.count(static_cast<int>(K)) && (isOpen() || Labels.count(static_cast<int>(K)))) {
      AssemblyLabel &Here = label(static_cast<int>(K));
      if (isOpen()) {
        Here.arrive(*Builder.GetInsertBlock(), State);
        Builder.CreateBr(Here.block());
      }
      Builder.SetInsertPoint(Here.block());
      State = Here.open(Builder, MayChange);
    }
    if (Lines[K].Form && isOpen())
      execute(K);
    else if (Lines[K].Form && ComesBack.count(static_cast<int>(K)) && ComesBack[static_cast<int>(K)])
      throw AssemblyRefused{"its jumps are not modelled"};
  }
  if (!isOpen())
    throw AssemblyRefused{"it never ends"};
}

/// Jumps if the condition holds, and goes on behind.
void AssemblyStatement::jump(Value *Condition, int To) {
  if (auto *Known = dyn_cast<ConstantInt>(Condition); Known && Known->isZero())
    return;
  AssemblyLabel &Target = label(To);
  Target.arrive(*Builder.GetInsertBlock(), State);
  if (isa<ConstantInt>(Condition)) {
    Builder.CreateBr(Target.block());
    return;
  }
  BasicBlock *Next = BasicBlock::Create(Builder.getContext(), "", Call.getFunction());
  BranchInst *Branch = Builder.CreateCondBr(Condition, Target.block(), Next);
  if (Current)
    Current->Exits.push_back(Branch);
  Builder.SetInsertPoint(Next);
}

Value *AssemblyStatement::resultOf(const Slot &S) {
  if (!S.Condition.empty())
    return Builder.CreateZExtOrTrunc(conditionOf(Builder, For, S.Condition, State.Flags[0]), S.Type);
  const AssemblyValue &Low = State.Registers[S.Register];
  if (S.Type->isIntegerTy(128)) {
    const AssemblyValue &High = State.Registers[S.SecondRegister];
    if (Low.Known < 64 || High.Known < 64)
      return unknown(S.Type, "it gives no value for one of its outputs");
    Value *Wide = Builder.CreateShl(Builder.CreateZExt(High.V, S.Type), 64);
    return Builder.CreateOr(Wide, Builder.CreateZExt(Low.V, S.Type));
  }
  if (Low.Known < S.Bits)
    return unknown(S.Type, "it gives no value for one of its outputs");
  if (S.Type->isPointerTy() && Low.Pointer)
    return Low.Pointer;
  Value *Number = lowerBits(Low.V, S.Bits);
  if (S.Type->isPointerTy())
    return Builder.CreateIntToPtr(Number, S.Type);
  return Builder.CreateBitCast(Number, S.Type);
}

std::vector<Value *> AssemblyStatement::results() {
  std::vector<Value *> All;
  for (const Slot &S : Slots)
    if (S.Type)
      All.push_back(resultOf(S));
  return All;
}

/// Each output by itself, so that what is not known of one does not count for the others.
void AssemblyStatement::replaceUses(ArrayRef<Value *> Results) {
  auto *Several = dyn_cast<StructType>(Call.getType());
  if (!Several && !Results.empty())
    return Call.replaceAllUsesWith(Results.front());
  for (User *U : make_early_inc_range(Call.users()))
    if (auto *Part = dyn_cast<ExtractValueInst>(U); Part && Part->getNumIndices() == 1) {
      Part->replaceAllUsesWith(Results[Part->getIndices()[0]]);
      Part->eraseFromParent();
    }
  if (Call.use_empty())
    return;
  Builder.SetInsertPoint(Builder.GetInsertBlock()->getTerminator());
  Value *All = PoisonValue::get(Several);
  for (unsigned K = 0; K < Results.size(); ++K)
    All = Builder.CreateInsertValue(All, Results[K], K);
  Call.replaceAllUsesWith(All);
}

} // namespace picket
