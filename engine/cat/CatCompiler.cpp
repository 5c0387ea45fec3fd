#include "cat/CatCompiler.h"

#include "cat/CatLibrary.h"
#include "cat/CatParser.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <utility>

namespace picket::cat {

namespace {

constexpr size_t MostBytes = 1 << 20, MostFiles = 64, MostSteps = 1'000'000, MostBindings = 20'000, MostParts = 64;
constexpr unsigned MostIncludes = 16, MostCalls = 64, MostRecursions = 2;

struct UnknownName : Error {};

/// What a name or an expression stands for.
struct Value {
  enum Kind : uint8_t { Set, Relation, Empty, Function, Tuple } Is = Empty;
  NodeId Node = NoNode;     // Set, Relation
  uint32_t Closure = 0;     // Function: by number; or one of the two that are built in
  std::vector<Value> Parts; // Tuple

  static constexpr uint32_t DomainOf = ~0u, RangeOf = ~1u;

  static Value of(Kind Is) {
    Value V;
    V.Is = Is;
    return V;
  }
  static Value function(uint32_t Closure) {
    Value V = of(Function);
    V.Closure = Closure;
    return V;
  }
};

/// Names are looked up from the last one back.
using Scope = uint32_t;
struct Bound {
  std::string Name;
  Value What;
  Scope Before;
};

struct Closure {
  const Expression *Text;
  Scope Names;
};

struct KnownProcedure {
  const Statement *Text;
  Scope Names;
};

size_t distance(std::string_view A, std::string_view B) {
  std::vector<size_t> Row(B.size() + 1);
  for (size_t K = 0; K <= B.size(); ++K)
    Row[K] = K;
  for (size_t K = 0; K < A.size(); ++K) {
    size_t Diagonal = std::exchange(Row[0], K + 1);
    for (size_t J = 0; J < B.size(); ++J) {
      const size_t Changed = Diagonal + (A[K] != B[J]);
      Diagonal = Row[J + 1];
      Row[J + 1] = std::min({Changed, Row[J] + 1, Row[J + 1] + 1});
    }
  }
  return Row.back();
}

class Compiler {
public:
  Compiler(std::optional<Architecture> Events, const IncludeReader &Read) : Wanted(Events), Read(Read) {}

  CompiledModel run(std::string_view Text, const std::string &File) {
    try {
      const SyntaxTree &Main = add(Text, File);
      chooseArchitecture(Main);
      bindBases();
      for (const Statement &S : add(standardLibrary(), "stdlib.cat").Statements)
        statement(S);
      for (const Statement &S : Main.Statements)
        statement(S);
      if (std::optional<Value> Order = find("commit-before", Here))
        addCommitBefore(*Order);
    } catch (const Error &E) {
      throw CompileFailure{E.Message, Model.Files[E.Where.File], E.Where};
    }
    if (Model.Checks.empty())
      throw CompileFailure{"the model has no check (acyclic, irreflexive or empty)", File, {}};
    Model.Nodes = std::move(Table.Nodes);
    Model.Definitions = std::move(Table.Definitions);
    return std::move(Model);
  }

private:
  const SyntaxTree &add(std::string_view Text, const std::string &File) {
    const auto Number = static_cast<uint32_t>(Model.Files.size());
    Model.Files.push_back(File);
    if (Number >= MostFiles)
      fail({Number}, "the model includes more than " + std::to_string(MostFiles) + " texts");
    TotalBytes += Text.size();
    if (TotalBytes > MostBytes)
      fail({Number}, "the texts of the model are longer than 1 MiB");
    Texts.emplace_back(Text);
    return Trees.emplace_back(parse(Texts.back(), Number));
  }

  void chooseArchitecture(const SyntaxTree &Main) {
    for (const std::string &Word : Main.Title)
      Model.Title += (Model.Title.empty() ? "" : " ") + Word;
    std::optional<Architecture> Named;
    if (!Main.Title.empty())
      Named = architectureNamed(Main.Title.front());
    Model.NamesArchitecture = Named.has_value();
    if (Wanted)
      Named = Wanted;
    Model.Events = Named.value_or(Architecture::X86);
    HasArchitecture = Named.has_value();
  }

  void bindBases() {
    for (std::string_view Name : baseNames(Model.Events)) {
      const BaseName Base = baseNamed(Name, Model.Events).value_or(BaseName::Id);
      const bool Grows = Base == BaseName::Rf || Base == BaseName::Co || Base == BaseName::Fr || Base == BaseName::EX ||
                         (Base == BaseName::X && Model.Events == Architecture::C11); // once the write is there
      const Growth G = Base == BaseName::FW ? Growth::Changes : Grows ? Growth::Grows : Growth::Fixed;
      bind(std::string(Name), valueOf(Table.base(static_cast<uint32_t>(Base), isRelation(Base), G)));
    }
    bind("domain", Value::function(Value::DomainOf));
    bind("range", Value::function(Value::RangeOf));
    bind("codomain", Value::function(Value::RangeOf));
  }

  // Names.

  void bind(std::string Name, Value V) {
    if (Names.size() > MostBindings)
      fail(Current, "the model has too many definitions");
    if (Name == "_")
      return;
    Names.push_back({std::move(Name), std::move(V), Here});
    Here = static_cast<Scope>(Names.size());
  }

  std::optional<Value> find(std::string_view Name, Scope From) {
    for (Scope At = From; At; At = Names[At - 1].Before) {
      if (Names[At - 1].Name == Name)
        return Names[At - 1].What;
      if (++Looked > 20 * MostSteps)
        fail(Current, "the model is too large");
    }
    return std::nullopt;
  }

  [[noreturn]] void unknown(const std::string &Name, Place Where) const {
    std::string Best;
    size_t BestDistance = std::max<size_t>(1, Name.size() / 3) + 1;
    for (Scope At = Here; At && Name.size() < 64 && !Attempts; At = Names[At - 1].Before)
      if (const std::string &Other = Names[At - 1].Name; Other.size() < 64)
        if (const size_t Far = distance(Name, Other); Far < BestDistance) {
          BestDistance = Far;
          Best = Other;
        }
    std::string Message = "unknown name " + quoted(Name);
    if (!Best.empty())
      Message += "; did you mean '" + Best + "'?";
    else if (!HasArchitecture)
      Message += " (the title names no architecture, so that the events are those of x86)";
    throw UnknownName{{std::move(Message), Where}};
  }

  void bindPattern(const Pattern &P, const Value &V, Place Where) {
    if (!P.IsTuple)
      return bind(P.Names[0], V);
    const size_t Given = V.Is == Value::Tuple ? V.Parts.size() : 1;
    if (Given != P.Names.size() || (V.Is != Value::Tuple && Given != 1))
      fail(Where, std::to_string(P.Names.size()) + " values are expected here, not " + std::to_string(Given));
    for (size_t K = 0; K < P.Names.size(); ++K)
      bind(P.Names[K], V.Is == Value::Tuple ? V.Parts[K] : V);
  }

  // Values.

  Value valueOf(NodeId N) const {
    Value V = Value::of(Table.Nodes[N].IsRelation ? Value::Relation : Value::Set);
    V.Node = N;
    return V;
  }

  static const char *wordFor(const Value &V) {
    switch (V.Is) {
    case Value::Set: return "a set";
    case Value::Relation: return "a relation";
    case Value::Empty: return "nothing";
    case Value::Function: return "a function";
    case Value::Tuple: return "a tuple";
    }
    return "";
  }

  NodeId as(bool IsRelation, const Value &V, Place Where) {
    if (V.Is == Value::Empty)
      return Table.constant(Operator::None, IsRelation);
    if (V.Is != (IsRelation ? Value::Relation : Value::Set))
      fail(Where, std::string(IsRelation ? "a relation" : "a set") + " is expected here, not " + wordFor(V));
    return V.Node;
  }

  void count(Place Where, size_t Steps = 1) {
    Done += Steps;
    if (Done > MostSteps || Table.isFull())
      fail(Where, "the model is too large");
  }

  // Statements.

  void statement(const Statement &S) {
    Current = S.Where;
    count(S.Where);
    switch (S.Kind) {
    case StatementKind::Let: return let(S.Bindings, S.Recursive);
    case StatementKind::Check:
    case StatementKind::Flag: return check(S);
    case StatementKind::Include: return include(S);
    case StatementKind::Procedure: Procedures[S.Name] = {&S, Here}; return;
    case StatementKind::Call: return call(S);
    case StatementKind::FromAll: return fromAll(S);
    }
  }

  void check(const Statement &S) {
    Check C;
    C.Name = S.Name;
    C.Kind = S.Checks;
    C.Where = S.Where;
    const Value V = expression(*S.Value);
    const bool IsRelation = S.Checks != CheckKind::Empty || V.Is == Value::Relation;
    C.Of = as(IsRelation, V, S.Value->Where);
    // A flag marks executions for which the condition holds; undefined_unless those for which it does not.
    C.Undefined = S.MarksBroken;
    C.Negated = S.Negated != (S.Kind == StatementKind::Flag && !S.MarksBroken);
    if (Model.Checks.size() + Model.Flags.size() > 1000)
      fail(S.Where, "the model has too many checks");
    (S.Kind == StatementKind::Flag ? Model.Flags : Model.Checks).push_back(std::move(C));
  }

  void include(const Statement &S) {
    const LibraryText *Known = libraryText(S.Name);
    std::string Why;
    std::optional<std::string> Text;
    if ((!Known || !Known->Always) && Read)
      Text = Read(S.Name, Why);
    if (!Text && Known)
      Text = std::string(Known->Text);
    if (!Text)
      fail(S.Where, quoted(S.Name) + " cannot be included" + (Why.empty() ? "" : ": " + Why));
    if (std::count(Including.begin(), Including.end(), S.Name) || S.Name == Model.Files.front())
      fail(S.Where, quoted(S.Name) + " includes itself");
    if (Including.size() >= MostIncludes)
      fail(S.Where, "texts include each other too deeply");
    Including.push_back(S.Name);
    for (const Statement &Inner : add(*Text, S.Name).Statements)
      statement(Inner);
    Including.pop_back();
  }

  void call(const Statement &S) {
    auto Found = Procedures.find(S.Name);
    if (Found == Procedures.end())
      fail(S.Where, "unknown procedure " + quoted(S.Name));
    if (++Calls > MostCalls)
      fail(S.Where, "procedures and functions call each other too deeply");
    const Value Argument = expression(*S.Value);
    const Scope After = std::exchange(Here, Found->second.Names);
    bindPattern(Found->second.Text->Parameters, Argument, S.Value->Where);
    for (const Statement &Inner : Found->second.Text->Body)
      statement(Inner);
    Here = After;
    --Calls;
  }

  /// Coherence orders are enumerated by the explorer.
  void fromAll(const Statement &S) {
    const Expression *From = S.Value.get();
    while (From->Kind == ExpressionKind::Apply)
      From = From->Parts[0].get();
    if (From->Kind != ExpressionKind::Name || From->Name != "generate_cos")
      fail(S.Where, "not supported: 'with " + S.Name + " from' anything but generate_cos");
    bind(S.Name, valueOf(Table.base(static_cast<uint32_t>(BaseName::Co), true, Growth::Grows)));
  }

  void addCommitBefore(const Value &V) {
    Model.CommitBefore = as(true, V, Current);
    std::vector<bool> Seen(Table.Nodes.size());
    if (usesRuns(Model.CommitBefore, Seen))
      fail(Current, "commit-before must not be made of rf, co or fr");
  }

  bool usesRuns(NodeId First, std::vector<bool> &Seen) const {
    std::vector<NodeId> Left{First};
    while (!Left.empty()) {
      const NodeId Id = Left.back();
      Left.pop_back();
      if (Id == NoNode || Seen[Id])
        continue;
      Seen[Id] = true;
      const Node &N = Table.Nodes[Id];
      if (N.Op == Operator::Base && N.Changes != Growth::Fixed)
        return true;
      if (N.Op == Operator::Fixpoint) {
        const auto &Bodies = Table.Definitions[N.A].Bodies;
        Left.insert(Left.end(), Bodies.begin(), Bodies.end());
      } else {
        Left.push_back(N.A);
        Left.push_back(N.B);
      }
    }
    return false;
  }

  // Definitions.

  void let(const std::vector<Binding> &Bindings, bool Recursive) {
    if (Recursive)
      return letRecursive(Bindings);
    std::vector<Value> Values;
    Values.reserve(Bindings.size());
    for (const Binding &B : Bindings)
      Values.push_back(expression(*B.Value));
    for (size_t K = 0; K < Bindings.size(); ++K)
      bindPattern(Bindings[K].What, Values[K], Bindings[K].Where);
  }

  /// Whether the names are sets or relations is not known before the bodies are. They are taken to be relations, and, if
  /// that cannot be, sets.
  void letRecursive(const std::vector<Binding> &Bindings) {
    for (const Binding &B : Bindings) {
      if (B.Value->Kind == ExpressionKind::Function)
        fail(B.Where, "not supported: functions that call themselves");
      if (B.What.IsTuple)
        fail(B.Where, "not supported: recursive definitions of tuples");
    }
    const Scope Before = Here;
    const size_t NamesBefore = Names.size();
    const unsigned NestingBefore = Nesting;
    try {
      return defineRecursive(Bindings, true);
    } catch (const UnknownName &) {
      throw;
    } catch (const Error &AsRelations) {
      const std::exception_ptr First = std::current_exception();
      if (Bindings.size() > 1 || AsRelations.Message.find("expected here") == std::string::npos)
        throw;
      Here = Before;
      Names.resize(NamesBefore);
      Nesting = NestingBefore;
      try {
        defineRecursive(Bindings, false);
      } catch (const Error &) {
        std::rethrow_exception(First);
      }
    }
  }

  void defineRecursive(const std::vector<Binding> &Bindings, bool AreRelations) {
    const Scope Outside = Here;
    if (Nesting >= MostRecursions)
      fail(Bindings[0].Where, "recursive definitions are nested too deeply");
    RecursiveNodes D;
    D.Nesting = Nesting++;
    D.First = static_cast<NodeId>(Table.Nodes.size());
    for (const Binding &B : Bindings) {
      D.Variables.push_back(Table.variable(AreRelations, D.Nesting));
      bind(B.What.Names[0], valueOf(D.Variables.back()));
    }
    for (const Binding &B : Bindings) {
      D.Bodies.push_back(as(AreRelations, expression(*B.Value), B.Value->Where));
      if (Table.Nodes[D.Bodies.back()].Against >> D.Nesting & 1)
        fail(B.Where, quoted(B.What.Names[0]) + " is defined by what is not in itself (by ~ or \\)");
    }
    D.Last = static_cast<NodeId>(Table.Nodes.size());
    --Nesting;
    Here = Outside;
    const auto Number = static_cast<uint32_t>(Table.Definitions.size());
    Table.Definitions.push_back(std::move(D));
    for (uint32_t K = 0; K < Bindings.size(); ++K)
      bind(Bindings[K].What.Names[0], valueOf(Table.fixpoint(Number, K)));
  }

  // Expressions.

  Value expression(const Expression &E) {
    count(E.Where);
    switch (E.Kind) {
    case ExpressionKind::Name:
      Current = E.Where;
      if (std::optional<Value> Found = find(E.Name, Here))
        return *Found;
      unknown(E.Name, E.Where);
    case ExpressionKind::Empty: return {};
    case ExpressionKind::Universe: return valueOf(Table.constant(Operator::All, false));
    case ExpressionKind::Union:
    case ExpressionKind::Inter:
    case ExpressionKind::Difference: return chain(E);
    case ExpressionKind::Sequence: return sequence(E);
    case ExpressionKind::Product: return product(E);
    case ExpressionKind::Plus: return unary(E, Operator::Plus);
    case ExpressionKind::Star: return unary(E, Operator::Star);
    case ExpressionKind::Optional: return unary(E, Operator::Optional);
    case ExpressionKind::Inverse: return unary(E, Operator::Inverse);
    case ExpressionKind::Complement: return complement(E);
    case ExpressionKind::Identity:
      return valueOf(Table.unary(Operator::Identity, as(false, expression(*E.Parts[0]), E.Parts[0]->Where)));
    case ExpressionKind::Apply: return apply(E);
    case ExpressionKind::Tuple: return tuple(E);
    case ExpressionKind::Function:
      Closures.push_back({&E, Here});
      return Value::function(static_cast<uint32_t>(Closures.size() - 1));
    case ExpressionKind::Let: {
      const Scope Outside = Here;
      let(E.Bindings, E.Recursive);
      Value V = expression(*E.Parts[0]);
      Here = Outside;
      return V;
    }
    case ExpressionKind::Try: return attempt(E);
    case ExpressionKind::If: return expression(*E.Parts[E.Holds ? 0 : 1]);
    }
    return {};
  }

  Value chain(const Expression &E) {
    const Operator Op = E.Kind == ExpressionKind::Union   ? Operator::Union
                        : E.Kind == ExpressionKind::Inter ? Operator::Inter
                                                          : Operator::Difference;
    Value All = expression(*E.Parts[0]);
    requireEvents(All, E.Parts[0]->Where);
    for (size_t K = 1; K < E.Parts.size(); ++K) {
      const Value Next = expression(*E.Parts[K]);
      requireEvents(Next, E.Parts[K]->Where);
      if (All.Is == Value::Empty && Next.Is == Value::Empty)
        continue;
      const bool IsRelation = (All.Is == Value::Empty ? Next : All).Is == Value::Relation;
      All = valueOf(Table.binary(Op, as(IsRelation, All, E.Parts[0]->Where), as(IsRelation, Next, E.Parts[K]->Where)));
    }
    return All;
  }

  static void requireEvents(const Value &V, Place Where) {
    if (V.Is == Value::Function || V.Is == Value::Tuple)
      fail(Where, std::string("a set or a relation is expected here, not ") + wordFor(V));
  }

  Value sequence(const Expression &E) {
    NodeId All = as(true, expression(*E.Parts[0]), E.Parts[0]->Where);
    for (size_t K = 1; K < E.Parts.size(); ++K)
      All = Table.binary(Operator::Sequence, All, as(true, expression(*E.Parts[K]), E.Parts[K]->Where));
    return valueOf(All);
  }

  Value product(const Expression &E) {
    if (E.Parts.size() > 2)
      fail(E.Parts[2]->Where, "a product has two sets");
    const NodeId From = as(false, expression(*E.Parts[0]), E.Parts[0]->Where);
    return valueOf(Table.binary(Operator::Product, From, as(false, expression(*E.Parts[1]), E.Parts[1]->Where)));
  }

  Value unary(const Expression &E, Operator Op) {
    return valueOf(Table.unary(Op, as(true, expression(*E.Parts[0]), E.Parts[0]->Where)));
  }

  Value complement(const Expression &E) {
    const Value V = expression(*E.Parts[0]);
    requireEvents(V, E.Parts[0]->Where);
    return valueOf(Table.unary(Operator::Complement, as(V.Is != Value::Set, V, E.Where)));
  }

  Value tuple(const Expression &E) {
    if (E.Parts.size() > MostParts)
      fail(E.Where, "the tuple has too many parts");
    Value V = Value::of(Value::Tuple);
    for (const ExpressionPtr &Part : E.Parts) {
      V.Parts.push_back(expression(*Part));
      if (V.Parts.back().Is == Value::Tuple)
        fail(Part->Where, "not supported: a tuple in a tuple");
    }
    return V;
  }

  Value apply(const Expression &E) {
    const Value Callee = expression(*E.Parts[0]);
    if (Callee.Is != Value::Function)
      fail(E.Where, std::string("a function is expected here, not ") + wordFor(Callee));
    const Place At = E.Parts[1]->Where;
    const Value Argument = expression(*E.Parts[1]);
    if (Callee.Closure == Value::DomainOf || Callee.Closure == Value::RangeOf)
      return valueOf(
          Table.unary(Callee.Closure == Value::DomainOf ? Operator::Domain : Operator::Range, as(true, Argument, At)));
    if (++Calls > MostCalls)
      fail(E.Where, "procedures and functions call each other too deeply");
    const Closure &C = Closures[Callee.Closure];
    const Expression &Text = *C.Text;
    const Scope After = std::exchange(Here, C.Names);
    bindPattern(Text.Parameters, Argument, At);
    Value Result = expression(*Text.Parts[0]);
    Here = After;
    --Calls;
    return Result;
  }

  Value attempt(const Expression &E) {
    const Scope Before = Here;
    const unsigned CallsBefore = Calls, NestingHere = Nesting, AttemptsBefore = Attempts++;
    try {
      Value V = expression(*E.Parts[0]);
      Attempts = AttemptsBefore;
      return V;
    } catch (const UnknownName &) {
      Here = Before;
      Calls = CallsBefore;
      Nesting = NestingHere;
    }
    Attempts = AttemptsBefore;
    return expression(*E.Parts[1]);
  }

  const std::optional<Architecture> Wanted;
  const IncludeReader &Read;
  CompiledModel Model;
  NodeTable Table;
  std::deque<std::string> Texts;
  std::deque<SyntaxTree> Trees;
  std::vector<Bound> Names;
  Scope Here = 0;
  std::deque<Closure> Closures;
  std::map<std::string, KnownProcedure> Procedures;
  std::vector<std::string> Including;
  Place Current;
  size_t TotalBytes = 0, Done = 0, Looked = 0;
  unsigned Calls = 0, Nesting = 0;
  unsigned Attempts = 0; // within the first part of so many try ... with
  bool HasArchitecture = false;
};

std::string lower(std::string_view Text) {
  std::string Lower(Text);
  for (char &C : Lower)
    if (C >= 'A' && C <= 'Z')
      C = static_cast<char>(C - 'A' + 'a');
  return Lower;
}

} // namespace

CompiledModel compile(std::string_view Text, const std::string &File, std::optional<Architecture> Events,
                      const IncludeReader &Read) {
  return Compiler(Events, Read).run(Text, File);
}

std::optional<Architecture> architectureNamed(std::string_view Name) {
  const std::string N = lower(Name);
  if (N == "x86" || N == "x86_64")
    return Architecture::X86;
  if (N == "ppc" || N == "power")
    return Architecture::PPC;
  if (N == "aarch64" || N == "armv8" || N == "arm64")
    return Architecture::AArch64;
  if (N == "c" || N == "c11" || N == "rc11")
    return Architecture::C11;
  return std::nullopt;
}

const char *nameOf(Architecture A) {
  switch (A) {
  case Architecture::X86: return "x86";
  case Architecture::PPC: return "ppc";
  case Architecture::AArch64: return "aarch64";
  case Architecture::C11: return "c11";
  }
  return "";
}

} // namespace picket::cat
