#include "source/naming/SourceNaming.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

using namespace llvm;

namespace picket {

namespace {

class Naming {
public:
  Naming(Program &Prog, SourceMap &Sources, SourceFacts Read)
      : Prog(Prog), Names(Prog.Names), Sources(Sources), Facts(Read) {
    Names.Types = std::move(Facts.Types);
    for (uint32_t I = 0; I < Facts.Files.size(); ++I)
      FactFiles.try_emplace(Facts.Files[I], I);
  }

  void nameGlobals(const GlobalIndices &Globals) {
    for (const Global &G : Prog.Globals)
      Names.Globals.push_back(
          {.Name = isLiteral(G) ? literal(G) : G.Name, .Function = "", .Type = 0, .Location = G.Location});
    for (auto &[G, Index] : Globals) {
      SmallVector<DIGlobalVariableExpression *, 1> Found;
      G->getDebugInfo(Found);
      if (Found.empty())
        continue;
      const DIGlobalVariable *Variable = Found[0]->getVariable();
      SourceNames::Object &Object = Names.Globals[Index];
      if (auto *Scope = dyn_cast_or_null<DILocalScope>(Variable->getScope()))
        Object.Function = Scope->getSubprogram()->getName().str();
      Object.Type = typeOf(*Variable, Prog.Locations[Object.Location].File);
    }
  }

  void nameLocals(const LocalSites &Locals) {
    for (auto &[Alloca, Site] : Locals) {
      // The value's own records are not changed by looking at them.
      for (DbgVariableRecord *Record : findDVRDeclares(const_cast<AllocaInst *>(Alloca))) {
        nameLocal(*Record, Names.Sites[Site]);
        break;
      }
    }
  }

  /// Inlined functions that wrap an allocation are looked through: what is allocated is said where they are called.
  void nameHeapBlocks() {
    for (size_t Pc = 0; Pc < Prog.Code.size(); ++Pc) {
      const Instruction &I = Prog.Code[Pc];
      if (I.Op != Opcode::CallBuiltin || !isAllocation(static_cast<Builtin>(I.Imm)))
        continue;
      SourceNames::Object &Object = Names.Sites[static_cast<size_t>(I.A)];
      Object.Location = Prog.CodeLocations[Pc];
      for (uint32_t At = Object.Location; At != 0 && Object.Type == 0; At = Prog.Locations[At].InlinedAt) {
        const ProgramLocation &L = Prog.Locations[At];
        auto Found = Facts.Allocations.find({factFile(L.File), L.Line, L.Column});
        if (Found != Facts.Allocations.end())
          Object.Type = Found->second;
      }
      Object.Function = Prog.FunctionNames[Prog.locationOf(static_cast<uint32_t>(Pc)).Function];
    }
  }

  void addExpressions() {
    // From here on no file is added, so that those without code are known.
    std::vector<uint32_t> ProgramFile(Facts.Files.size(), 0);
    for (uint32_t I = 1; I < Prog.Files.size(); ++I)
      if (auto It = FactFiles.find(Prog.Files[I]); It != FactFiles.end())
        ProgramFile[It->second] = I;
    for (SourceNames::Expression &E : Facts.Expressions)
      if ((E.File = ProgramFile[E.File]) != 0)
        Names.Expressions.push_back(std::move(E));
    auto Key = [](const SourceNames::Expression &E) {
      return std::tie(E.File, E.Line, E.Column, E.Write, E.Type, E.Text);
    };
    std::sort(Names.Expressions.begin(), Names.Expressions.end(), [&](auto &A, auto &B) { return Key(A) < Key(B); });
    auto Repeated = std::unique(Names.Expressions.begin(), Names.Expressions.end(),
                                [&](auto &A, auto &B) { return Key(A) == Key(B); });
    Names.Expressions.erase(Repeated, Names.Expressions.end());
  }

  void markBenignRaces() {
    for (ProgramLocation &L : Prog.Locations)
      if (L.Line != 0)
        L.BenignRaces = Facts.BenignRaces.count({factFile(L.File), L.Line, 0}) ||
                        Facts.BenignRaces.count({factFile(L.File), L.Line, L.Column});
  }

  void markWrappers() {
    if (Facts.Wrappers.empty())
      return;
    for (ProgramLocation &L : Prog.Locations)
      if (auto Found = Facts.Wrappers.find({Prog.Files[L.File], Prog.FunctionNames[L.Function]});
          L.Line != 0 && Found != Facts.Wrappers.end())
        L.Wrapper = Found->second > 1 ? WrapperOfMany : WrapperOfOne;
  }

private:
  /// A string literal, which is named by its text.
  static bool isLiteral(const Global &G) {
    return G.Constant && StringRef(G.Name).starts_with(".str") && !G.Initial.empty() && G.Initial.back() == 0;
  }
  static std::string literal(const Global &G) {
    static constexpr size_t MaxLength = 20;
    std::string Text = "\"";
    for (size_t I = 0; I + 1 < G.Initial.size(); ++I) {
      if (I == MaxLength)
        return Text + "...\"";
      char C = static_cast<char>(G.Initial[I]);
      Text += C >= 32 && C < 127 && C != '"' && C != '\\' ? C : '.';
    }
    return Text + "\"";
  }

  static bool isAllocation(Builtin Which) {
    return Which == Builtin::Malloc || Which == Builtin::Calloc || Which == Builtin::Realloc ||
           Which == Builtin::AlignedAlloc;
  }

  uint32_t factFile(uint32_t ProgramFile) const {
    auto It = FactFiles.find(Prog.Files[ProgramFile]);
    return It == FactFiles.end() ? 0 : It->second;
  }

  uint32_t typeOf(const DIVariable &V, uint32_t ProgramFile) const {
    auto It = Facts.Variables.find({V.getName().str(), factFile(ProgramFile), V.getLine()});
    return It == Facts.Variables.end() ? 0 : It->second;
  }

  void nameLocal(const DbgVariableRecord &Record, SourceNames::Object &Object) {
    const DILocalVariable *Variable = Record.getVariable();
    Object.Location = Sources.location(Record.getDebugLoc().get());
    Object.Name = Variable->getName().str();
    Object.Function = Variable->getScope()->getSubprogram()->getName().str();
    Object.Type = typeOf(*Variable, Prog.Locations[Object.Location].File);
    if (auto Part = Record.getExpression()->getFragmentInfo())
      Object.Offset = static_cast<uint32_t>(Part->OffsetInBits / 8);
  }

  Program &Prog;
  SourceNames &Names;
  SourceMap &Sources;
  SourceFacts Facts;
  StringMap<uint32_t> FactFiles; // path to index
};

} // namespace

void attachSourceNames(Program &P, const GlobalIndices &Globals, const LocalSites &Locals, SourceMap &Sources,
                       SourceFacts Facts) {
  P.Names.Sites.resize(P.NumSites);
  Naming Names(P, Sources, std::move(Facts));
  Names.nameGlobals(Globals);
  Names.nameLocals(Locals);
  Names.nameHeapBlocks();
  Names.addExpressions();
  Names.markBenignRaces();
  Names.markWrappers();
}

} // namespace picket
