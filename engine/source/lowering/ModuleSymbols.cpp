#include "source/lowering/ModuleSymbols.h"

#include "source/models/Models.h"
#include "source/passes/OverflowChecks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

using namespace llvm;

namespace picket {

// A variable's initial bytes are kept in memory, so the largest ones are refused.
static constexpr uint64_t MaxGlobalBytes = 256u << 20;

static std::string_view view(StringRef S) { return {S.data(), S.size()}; }

std::string describeCall(StringRef Name) {
  std::string Text = "call to '" + Name.str() + "'";
  if (Name.starts_with("__VERIFIER_nondet_"))
    Text += " (a nondeterministic value; give the values as cases instead)";
  if (Name == "assert")
    Text += " (its header is not included: #include <assert.h>)";
  return Text;
}

static Inlined inlinedFunction(StringRef Name) {
  if (Name.starts_with("__atomic_"))
    return Inlined::Atomic;
  return StringSwitch<Inlined>(Name)
      .Cases({"memcpy", "__memcpy_chk"}, Inlined::MemCopy)
      .Cases({"memmove", "__memmove_chk"}, Inlined::MemMove)
      .Cases({"memset", "__memset_chk"}, Inlined::MemSet)
      .Case("__errno_location", Inlined::ErrnoLocation)
      .Cases({"sqrt", "sqrtf"}, Inlined::Sqrt)
      .Default(Inlined::None);
}

static bool isStandardStream(const GlobalVariable &G) {
  return G.isDeclaration() && (G.getName() == "stdin" || G.getName() == "stdout" || G.getName() == "stderr");
}

ModuleSymbols::ModuleSymbols(const Module &Mod, Program &Prog, ProgramTables &Tables, SourceMap &Sources)
    : Mod(Mod), Prog(Prog), Tables(Tables), Sources(Sources) {}

const llvm::Function *ModuleSymbols::modelOf(const llvm::Function &F) const {
  const llvm::Function *Model = Mod.getFunction(("__picket_model_" + F.getName()).str());
  return Model && !Model->isDeclaration() ? Model : nullptr;
}

Callee ModuleSymbols::resolve(const llvm::Function &F) const {
  Callee C;
  C.Target = &F;
  StringRef Name = F.getName();
  bool Claimed = isVerifierFunction(view(Name));
  if (F.isIntrinsic() || isOverflowCheck(F))
    C.Kind = Callee::Intrinsic;
  else if ((F.isDeclaration() || Claimed) && findBuiltin(view(Name), C.What))
    C.Kind = Callee::Builtin;
  else if (!F.isDeclaration())
    C.Kind = Callee::Defined;
  else if ((C.How = inlinedFunction(Name)) != Inlined::None)
    C.Kind = Callee::InPlace;
  else if (const llvm::Function *Model = modelOf(F)) {
    C.Kind = Callee::Defined;
    C.Target = Model;
  } else
    C.Kind = Callee::Undefined;
  return C;
}

Callee ModuleSymbols::resolve(const CallBase &Call) const {
  Callee C;
  if (Call.isInlineAsm()) {
    C.Kind = Callee::Assembly;
    return C;
  }
  const Value *Operand = Call.getCalledOperand()->stripPointerCastsAndAliases();
  if (auto *F = dyn_cast<llvm::Function>(Operand))
    return resolve(*F);
  C.Kind = Callee::Indirect;
  return C;
}

std::optional<uint32_t> ModuleSymbols::indexOf(const llvm::Function &F) const {
  auto It = Functions.find(&F);
  if (It == Functions.end())
    return std::nullopt;
  return It->second;
}

std::optional<Address> ModuleSymbols::addressOf(const GlobalValue &G, std::string &Refusal) const {
  if (auto *Alias = dyn_cast<GlobalAlias>(&G)) {
    const GlobalObject *Object = Alias->getAliaseeObject();
    if (Object && Object == Alias->getAliasee()->stripPointerCasts())
      return addressOf(*Object, Refusal);
    Refusal = "alias '" + G.getName().str() + "'";
    return std::nullopt;
  }
  if (auto *F = dyn_cast<llvm::Function>(&G)) {
    Callee C = resolve(*F);
    if (auto It = Forwarders.find(F); It != Forwarders.end())
      return functionAddress(It->second);
    if (auto Index = indexOf(*C.Target))
      return functionAddress(*Index);
    if (F->hasExternalWeakLinkage())
      return 0;
    Refusal = "the address of function '" + F->getName().str() + "'";
    return std::nullopt;
  }
  auto *Variable = dyn_cast<GlobalVariable>(&G);
  if (!Variable) {
    Refusal = "indirect function '" + G.getName().str() + "'";
    return std::nullopt;
  }
  if (Variable->isThreadLocal()) {
    Refusal = "the address of thread-local variable '" + G.getName().str() + "' in a constant";
    return std::nullopt;
  }
  if (auto It = Globals.find(Variable); It != Globals.end())
    return globalAddress(It->second);
  if (Variable->hasExternalWeakLinkage())
    return 0;
  Refusal = whyRefused(*Variable);
  return std::nullopt;
}

std::string ModuleSymbols::whyRefused(const GlobalVariable &G) const {
  if (auto It = Refused.find(&G); It != Refused.end())
    return It->second;
  return (G.isDeclaration() ? "external variable '" : "the size of variable '") + G.getName().str() + "'";
}

/// A variable that starts with the address of one that is not modelled is not modelled either.
void ModuleSymbols::refuseUnknownInitialisers() {
  auto RefusedPart = [&](const GlobalVariable &G) -> const GlobalVariable * {
    SmallPtrSet<const Constant *, 16> Seen;
    std::vector<const Constant *> Pending = {G.getInitializer()};
    while (!Pending.empty()) {
      const Constant *C = Pending.back();
      Pending.pop_back();
      if (!Seen.insert(C).second)
        continue;
      if (auto *Other = dyn_cast<GlobalVariable>(C)) {
        if (!Globals.count(Other) && !Other->hasExternalWeakLinkage())
          return Other;
      } else if (!isa<GlobalValue, BlockAddress>(C))
        for (const Use &U : C->operands())
          Pending.push_back(cast<Constant>(U.get()));
    }
    return nullptr;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const GlobalVariable &G : Mod.globals())
      if (Globals.count(&G) && G.hasInitializer())
        if (const GlobalVariable *Part = RefusedPart(G)) {
          Refused[&G] = whyRefused(*Part);
          Globals.erase(&G);
          Changed = true;
        }
  }
}

std::vector<const llvm::Function *> ModuleSymbols::constructors() const {
  std::vector<const llvm::Function *> Found;
  const GlobalVariable *List = Mod.getGlobalVariable("llvm.global_ctors");
  if (!List || !List->hasInitializer())
    return Found;
  auto *Entries = dyn_cast<ConstantArray>(List->getInitializer());
  if (!Entries)
    return Found;
  std::vector<std::pair<uint64_t, const llvm::Function *>> ByPriority;
  for (const Use &Entry : Entries->operands()) {
    auto *Fields = cast<Constant>(Entry.get());
    auto *Priority = dyn_cast_or_null<ConstantInt>(Fields->getAggregateElement(0u));
    auto *F = dyn_cast<llvm::Function>(Fields->getAggregateElement(1u)->stripPointerCasts());
    if (F && Priority)
      ByPriority.push_back({Priority->getZExtValue(), F});
  }
  std::stable_sort(ByPriority.begin(), ByPriority.end(), [](auto &A, auto &B) { return A.first < B.first; });
  for (auto &[Priority, F] : ByPriority)
    Found.push_back(F);
  return Found;
}

void ModuleSymbols::reachAddress(const llvm::Function &F) {
  Callee C = resolve(F);
  if (C.Kind == Callee::Intrinsic)
    return;
  if (C.Kind == Callee::Builtin && F.isDeclaration()) {
    Forwarders.insert({&F, 0});
    if (C.What == Builtin::ThreadCreate)
      Prog.StartsThreads = true;
    return;
  }
  if (C.Kind == Callee::Undefined && !F.hasExternalWeakLinkage())
    Missing.insert(F.getName().str());
  reachFunction(C.Kind == Callee::Builtin ? F : *C.Target);
}

void ModuleSymbols::reachFunction(const llvm::Function &F) {
  if (Functions.try_emplace(&F, 0).second)
    Work.push_back(&F);
}

void ModuleSymbols::reachGlobal(const GlobalVariable &G) {
  bool Known = isStandardStream(G);
  if (G.isDeclaration() && !Known) {
    if (!G.hasExternalWeakLinkage())
      Missing.insert(G.getName().str());
    return;
  }
  if (!Known && layout().getTypeAllocSize(G.getValueType()).getFixedValue() > MaxGlobalBytes)
    return;
  if (Globals.try_emplace(&G, 0).second && G.hasInitializer())
    reachConstant(*G.getInitializer());
}

void ModuleSymbols::reachConstant(const Constant &Root) {
  std::vector<const Constant *> Pending = {&Root};
  while (!Pending.empty()) {
    const Constant *C = Pending.back();
    Pending.pop_back();
    if (!SeenConstants.try_emplace(C, true).second)
      continue;
    if (auto *F = dyn_cast<llvm::Function>(C))
      reachAddress(*F);
    else if (auto *G = dyn_cast<GlobalVariable>(C))
      reachGlobal(*G);
    else if (!isa<BlockAddress>(C))
      for (const Use &U : C->operands())
        Pending.push_back(cast<Constant>(U.get()));
  }
}

void ModuleSymbols::collect() {
  std::vector<const llvm::Function *> Constructors = constructors();
  for (const llvm::Function *F : Constructors)
    reachFunction(*F);
  for (const char *Name : {ExitFunctions, QuickExitFunctions})
    if (const llvm::Function *F = Mod.getFunction(Name))
      reachFunction(*F);
  const llvm::Function *Main = Mod.getFunction("main");
  if (Main && !Main->isDeclaration())
    reachFunction(*Main);
  else
    for (const llvm::Function &F : Mod) // a file without main can still be listed
      if (!F.isDeclaration() && !F.getName().starts_with("__picket_"))
        reachFunction(F);

  bool NeedsErrno = false;
  while (!Work.empty()) {
    const llvm::Function *F = Work.back();
    Work.pop_back();
    for (const llvm::Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      Callee C = Call ? resolve(*Call) : Callee();
      if (C.Kind == Callee::Defined)
        reachFunction(*C.Target);
      else if (C.Kind == Callee::Undefined && !C.Target->hasExternalWeakLinkage())
        Missing.insert(C.Target->getName().str());
      NeedsErrno |= C.Kind == Callee::InPlace && C.How == Inlined::ErrnoLocation;
      Prog.StartsThreads |= Call && C.Kind == Callee::Builtin && C.What == Builtin::ThreadCreate;
      for (const Use &U : I.operands()) {
        bool DirectCallee = Call && Call->isCallee(&U) && C.Kind != Callee::Indirect;
        if (auto *Operand = dyn_cast<Constant>(U.get()); Operand && !DirectCallee)
          reachConstant(*Operand);
      }
    }
  }

  refuseUnknownInitialisers();
  for (const GlobalVariable &G : Mod.globals())
    if (auto It = Globals.find(&G); It != Globals.end()) {
      It->second = static_cast<uint32_t>(Prog.Globals.size());
      GlobalList.push_back(&G);
      Global &New = Prog.Globals.emplace_back();
      SmallVector<DIGlobalVariableExpression *, 1> Debug;
      G.getDebugInfo(Debug);
      New.Name = Debug.empty() || Debug[0]->getVariable()->getName().empty() ? G.getName().str()
                                                                             : Debug[0]->getVariable()->getName().str();
      if (StringRef Name = New.Name; Name.consume_front("__picket_")) // of the models: "futexes"
        New.Name = Name.str();
      New.Size = static_cast<uint32_t>(layout().getTypeAllocSize(G.getValueType()).getFixedValue());
      New.Location = Sources.location(G);
      New.Constant = G.isConstant() || isStandardStream(G);
      New.ThreadLocal = G.isThreadLocal();
    }
  if (NeedsErrno) {
    ErrnoGlobal = static_cast<uint32_t>(Prog.Globals.size());
    Prog.ErrnoGlobal = static_cast<int32_t>(ErrnoGlobal);
    Prog.Globals.push_back({.Name = "errno", .Size = 4, .ThreadLocal = true, .Initial = std::vector<uint8_t>(4)});
  }

  for (const llvm::Function &F : Mod)
    if (Functions.count(&F))
      addFunction(F);
  for (auto &[F, Index] : Forwarders) {
    Index = static_cast<uint32_t>(Prog.Functions.size());
    Prog.Functions.push_back({.Name = F->getName().str(), .Defined = true});
  }
}

void ModuleSymbols::addFunction(const llvm::Function &F) {
  Functions[&F] = static_cast<uint32_t>(Prog.Functions.size());
  Function &New = Prog.Functions.emplace_back();
  // Where files are linked, functions of one name that are static in several get others.
  const DISubprogram *Written = F.hasLocalLinkage() ? F.getSubprogram() : nullptr;
  StringRef Name = Written ? Written->getName() : F.getName();
  Name.consume_front("__picket_model_");
  New.Name = Name.str();
  New.Variadic = F.isVarArg();
  New.Location = Sources.location(F);
  New.Defined = !F.isDeclaration();
  if (New.Defined)
    DefinedFunctions.push_back(&F);
  else
    New.Message = Tables.message(describeCall(Name));
}

} // namespace picket
