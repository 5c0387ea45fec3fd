#include "ProgramDigest.h"

#include "check/Check.h"

#include <thread>

namespace picket {

namespace {

void addCode(Digest &D, const Program &P) {
  D.plain(P.Code).plain(P.CodeLocations).plain(P.Constants).plain(P.Arguments);
  D.number(P.SwitchTables.size());
  for (const SwitchTable &T : P.SwitchTables) {
    D.number(T.Default).number(T.Cases.size());
    for (const auto &[Case, Target] : T.Cases)
      D.number(Case).number(Target);
  }
  D.number(P.Functions.size());
  for (const Function &F : P.Functions)
    D.text(F.Name)
        .number(F.Entry)
        .number(F.NumSlots)
        .number(F.NumParameters)
        .number(F.Defined)
        .number(F.Variadic)
        .number(static_cast<uint64_t>(F.FedSlot))
        .number(F.Message)
        .number(F.Location);
  D.number(P.Globals.size());
  for (const Global &G : P.Globals)
    D.text(G.Name).number(G.Size).number(G.Location).number(G.Constant).number(G.ThreadLocal).plain(G.Initial);
  D.number(P.Loops.size());
  for (const Loop &L : P.Loops)
    D.number(L.Location);
  D.texts(P.Messages)
      .plain(P.Constructors)
      .number(static_cast<uint64_t>(P.Main))
      .number(static_cast<uint64_t>(P.ArgvGlobal))
      .number(static_cast<uint64_t>(P.ErrnoGlobal))
      .number(P.NumSites)
      .number(static_cast<uint64_t>(P.For))
      .number(P.TargetNamed)
      .number(P.ArchitectureTested)
      .number(P.ArchitectureFound);
}

void addObjects(Digest &D, const std::vector<SourceNames::Object> &Objects) {
  D.number(Objects.size());
  for (const SourceNames::Object &O : Objects)
    D.text(O.Name).text(O.Function).number(O.Type).number(O.Location).number(O.Offset);
}

void addNames(Digest &D, const Program &P) {
  D.texts(P.Files).texts(P.FunctionNames).plain(P.Locations);
  for (bool User : P.UserFile)
    D.number(User);
  D.number(P.Names.Types.size());
  for (const SourceType &T : P.Names.Types) {
    D.number(T.What).number(T.Size).text(T.Name).number(T.Element).number(T.Fields.size());
    for (const SourceType::Field &F : T.Fields)
      D.text(F.Name).number(F.Offset).number(F.Type).number(F.BitOffset).number(F.BitWidth);
    D.number(T.Enumerators.size());
    for (const auto &[Number, Name] : T.Enumerators)
      D.number(static_cast<uint64_t>(Number)).text(Name);
  }
  addObjects(D, P.Names.Globals);
  addObjects(D, P.Names.Sites);
  D.number(P.Names.Expressions.size());
  for (const SourceNames::Expression &E : P.Names.Expressions)
    D.number(E.File).number(E.Line).number(E.Column).number(E.Write).text(E.Text).number(E.Type);
}

} // namespace

void addProgram(Digest &D, const Program &P) {
  addCode(D, P);
  addNames(D, P);
}

void addProgram(Digest &D, const CompileResult &Compiled) {
  if (Compiled.Compiled)
    return addProgram(D, *Compiled.Compiled);
  for (const Diagnostic &Told : Compiled.Diagnostics) // the first error is all that is told
    if (Told.Level == Severity::Error) {
      D.text(Told.Message).text(Told.Where.File).number(Told.Where.Line).number(Told.Where.Column);
      break;
    }
}

std::vector<const CompileResult *> allPrograms(TargetPrograms &Programs, const CheckOptions &Options) {
  std::vector<Architecture> Targets = targetsOf(Options);
  if (const CompileResult &First = Programs.get(Targets.front()); First.Compiled && First.Compiled->TargetNamed)
    Targets.resize(1);
  std::vector<std::thread> Compiling;
  for (size_t K = 1; K < Targets.size(); ++K)
    Compiling.emplace_back([&Programs, Target = Targets[K]] { Programs.get(Target); });
  for (std::thread &T : Compiling)
    T.join();
  std::vector<const CompileResult *> Result;
  for (const Architecture Target : Targets)
    Result.push_back(&Programs.get(Target));
  return Result;
}

} // namespace picket
