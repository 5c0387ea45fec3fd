#include "source/lowering/Lowering.h"

#include "source/lowering/FunctionLowering.h"
#include "source/models/Models.h"

#include <cstring>

using namespace llvm;

namespace picket {

/// What `main` gets as argv: the address of an array with the program's name and a null pointer.
static void addArguments(Program &P) {
  uint32_t Name = static_cast<uint32_t>(P.Globals.size());
  static constexpr char Text[] = "program";
  P.Globals.push_back({.Name = "argv[0]", .Size = sizeof(Text), .Initial = {Text, Text + sizeof(Text)}});
  Global Vector = {.Name = "argv", .Size = 2 * sizeof(Address), .Initial = std::vector<uint8_t>(2 * sizeof(Address))};
  Address First = globalAddress(Name);
  std::memcpy(Vector.Initial.data(), &First, sizeof(First));
  P.ArgvGlobal = static_cast<int32_t>(P.Globals.size());
  P.Globals.push_back(std::move(Vector));
}

/// A function that only calls a builtin, for programs that take the builtin's address.
static void addForwarder(const llvm::Function &F, uint32_t Index, LoweringContext &Context) {
  Program &P = Context.Prog;
  Function &Entry = P.Functions[Index];
  Builtin Which = Context.Symbols.resolve(F).What;
  Instruction Call = {.Op = Opcode::CallBuiltin, .Imm = static_cast<int64_t>(Which)};
  if (Which == Builtin::CondWait || Which == Builtin::CondTimedWait) { // whoever calls it may have forgotten the loop
    Call.Flags = MayFail;
    P.FailsForNoReason = true;
  }
  Call.A = static_cast<int32_t>(Context.Tables.newSite());
  Call.B = static_cast<int32_t>(P.Arguments.size());
  Call.C = static_cast<int32_t>(F.arg_size());
  for (int32_t K = 0; K < Call.C; ++K)
    P.Arguments.push_back(K);
  bool HasResult = !F.getReturnType()->isVoidTy();
  Call.Dst = HasResult ? 0 : -1;
  Entry.NumParameters = static_cast<uint32_t>(F.arg_size());
  Entry.NumSlots = std::max(1u, Entry.NumParameters);
  Entry.Entry = static_cast<uint32_t>(P.Code.size());
  P.Code.push_back(Call);
  P.Code.push_back({.Op = Opcode::Return, .Flags = HasResult});
  P.CodeLocations.resize(P.Code.size(), 0);
}

std::vector<std::string> missingDefinitions(const Module &M) {
  Program Unused;
  LoweringContext Context(M, Unused, "", SourceFacts());
  Context.Symbols.collect();
  return Context.Symbols.missing();
}

Program lower(const Module &M, const std::string &ModelsFile, SourceFacts Facts) {
  Program P;
  LoweringContext Context(M, P, ModelsFile, Facts);
  ModuleSymbols &Symbols = Context.Symbols;
  Symbols.collect();
  for (const GlobalVariable *G : Symbols.globals())
    P.Globals[Symbols.indexOf(*G)].Initial = Context.Constants.initialBytes(*G);
  for (const llvm::Function *F : Symbols.defined())
    FunctionLowering(*F, Context).run();
  for (auto &[F, Index] : Symbols.forwarders())
    addForwarder(*F, Index, Context);
  for (const llvm::Function *F : Symbols.constructors())
    P.Constructors.push_back(*Symbols.indexOf(*F));
  auto IndexOf = [&](const char *Name) {
    const llvm::Function *F = M.getFunction(Name);
    return F ? static_cast<int32_t>(*Symbols.indexOf(*F)) : -1;
  };
  P.ExitFunctions = IndexOf(ExitFunctions);
  P.QuickExitFunctions = IndexOf(QuickExitFunctions);
  const llvm::Function *Main = M.getFunction("main");
  if (Main && !Main->isDeclaration()) {
    P.Main = static_cast<int32_t>(*Symbols.indexOf(*Main));
    if (Main->arg_size() >= 2)
      addArguments(P);
  }
  P.For = Facts.For;
  P.TargetNamed = Facts.TargetNamed;
  P.Stubs = Facts.Stubs;
  auto Place = [&](const SourceFacts::TextPlace &At) { return Context.Sources.location(At.File, At.Line, At.Column); };
  P.ArchitectureTested = Place(Facts.ArchitectureTested);
  P.ArchitectureFound = Place(Facts.ArchitectureFound);
  GlobalIndices Globals;
  for (const GlobalVariable *G : Symbols.globals())
    Globals.push_back({G, Symbols.indexOf(*G)});
  attachSourceNames(P, Globals, Context.Locals, Context.Sources, std::move(Facts));
  return P;
}

} // namespace picket
