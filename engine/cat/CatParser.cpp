#include "cat/CatParser.h"

#include <algorithm>

namespace picket::cat {

namespace {

constexpr unsigned MostNested = 400; // an expression in parentheses counts three times

class Parser {
public:
  Parser(std::string_view Text, uint32_t File) : Tokens(tokensOf(Text, File)) {}

  SyntaxTree read() {
    SyntaxTree Tree;
    while (next().Kind == TokenKind::Name || next().Kind == TokenKind::String || next().is("catdep"))
      Tree.Title.emplace_back(take().Text);
    while (next().Kind != TokenKind::End)
      readStatement(Tree.Statements);
    return Tree;
  }

private:
  /// Counts how deep the parser is in the text.
  class Nested {
  public:
    explicit Nested(Parser &P) : P(P) {
      if (++P.Depth > MostNested)
        fail(P.next().Where, "the text is nested too deeply");
    }
    ~Nested() { --P.Depth; }
    Nested(const Nested &) = delete;
    Nested &operator=(const Nested &) = delete;

  private:
    Parser &P;
  };

  const Token &next(size_t Ahead = 0) const { return Tokens[std::min(At + Ahead, Tokens.size() - 1)]; }
  const Token &take() { return Tokens[At + 1 < Tokens.size() ? At++ : At]; }
  bool accept(std::string_view Wanted) { return next().is(Wanted) && (take(), true); }
  static std::string textOf(const Token &T) {
    return T.Kind == TokenKind::End ? "the end of the text" : quoted(T.Text);
  }
  void expect(std::string_view Wanted) {
    if (!accept(Wanted))
      fail(next().Where, "'" + std::string(Wanted) + "' is expected here, not " + textOf(next()));
  }
  std::string name(const char *Of) {
    if (next().Kind != TokenKind::Name)
      fail(next().Where, std::string("the name of ") + Of + " is expected here, not " + textOf(next()));
    return std::string(take().Text);
  }
  [[noreturn]] void refuse() const { fail(next().Where, "not supported: " + textOf(next())); }

  // Statements.

  void readStatement(std::vector<Statement> &Into) {
    const Nested Here(*this);
    Statement S{};
    S.Where = next().Where;
    if (accept("let")) {
      S.Kind = StatementKind::Let;
      S.Recursive = accept("rec");
      S.Bindings = readBindings();
      if (next().is("when"))
        refuse();
      accept("in");
    } else if (accept("include")) {
      S.Kind = StatementKind::Include;
      if (next().Kind != TokenKind::String)
        fail(next().Where, "the name of a file in quotes is expected here, not " + textOf(next()));
      S.Name = take().Text;
    } else if (next().is("show") || next().is("unshow")) {
      return skipShow();
    } else if (accept("procedure")) {
      readProcedure(S);
    } else if (accept("call")) {
      S.Kind = StatementKind::Call;
      S.Name = name("a procedure");
      S.Value = readArgument();
      if (accept("as"))
        name("a check");
    } else if (accept("with")) {
      S.Kind = StatementKind::FromAll;
      S.Name = name("a relation");
      expect("from");
      S.Value = readExpression();
    } else if (accept("if")) {
      return readConditional(Into);
    } else {
      readCheck(S);
    }
    Into.push_back(std::move(S));
  }

  void skipShow() {
    take();
    if (next().Kind != TokenKind::Name || next(1).Kind == TokenKind::Symbol) {
      if (next().Kind == TokenKind::Name && next(1).is(",")) {
        name("a relation");
        while (accept(","))
          name("a relation");
        return;
      }
      readBase();
    } else {
      take();
    }
    if (accept("as"))
      name("a relation");
  }

  void readProcedure(Statement &S) {
    S.Kind = StatementKind::Procedure;
    if (next().is("rec"))
      refuse();
    S.Name = name("a procedure");
    S.Parameters = readPattern();
    expect("=");
    while (!accept("end"))
      readStatement(S.Body);
  }

  /// Variants are never on.
  void readConditional(std::vector<Statement> &Into) {
    const bool Holds = readVariant();
    std::vector<Statement> Ignored;
    bool Here = Holds;
    for (;;) {
      if (accept("end"))
        return;
      if (accept("else")) {
        Here = !Holds;
        continue;
      }
      readStatement(Here ? Into : Ignored);
    }
  }

  void readCheck(Statement &S) {
    S.Kind = StatementKind::Check;
    if (accept("flag")) {
      S.Kind = StatementKind::Flag;
    } else if (accept("undefined_unless")) {
      S.Kind = StatementKind::Flag;
      S.MarksBroken = true;
    } else {
      accept("assert");
    }
    S.Negated = accept("~");
    if (accept("acyclic"))
      S.Checks = CheckKind::Acyclic;
    else if (accept("irreflexive"))
      S.Checks = CheckKind::Irreflexive;
    else if (accept("empty"))
      S.Checks = CheckKind::Empty;
    else if (next().Kind == TokenKind::Keyword)
      refuse();
    else
      fail(next().Where,
           "a definition or a check (let, acyclic, irreflexive, empty, ...) is expected here, not " + textOf(next()));
    S.Value = readExpression();
    if (accept("as"))
      S.Name = name("a check");
  }

  // Definitions.

  Pattern readPattern() {
    Pattern P;
    if (accept("(")) {
      P.IsTuple = true;
      if (!accept(")")) {
        do
          P.Names.push_back(readPatternName());
        while (accept(","));
        expect(")");
      }
      if (P.Names.size() == 1)
        P.IsTuple = false;
      return P;
    }
    P.Names.push_back(readPatternName());
    return P;
  }
  std::string readPatternName() { return accept("_") ? "_" : name("a parameter"); }

  std::vector<Binding> readBindings() {
    std::vector<Binding> All;
    do {
      Binding B;
      B.Where = next().Where;
      B.What = readPattern();
      if (next().is(",")) { // (a, b) without parentheses
        B.What.IsTuple = true;
        while (accept(","))
          B.What.Names.push_back(readPatternName());
      }
      if (next().is("=")) {
        take();
        B.Value = readExpression();
      } else { // a function
        auto F = make(ExpressionKind::Function, B.Where);
        F->Parameters = readPattern();
        expect("=");
        F->Parts.push_back(readExpression());
        B.Value = std::move(F);
      }
      All.push_back(std::move(B));
    } while (accept("and"));
    return All;
  }

  // Expressions.

  static ExpressionPtr make(ExpressionKind Kind, Place Where) {
    auto E = std::make_unique<Expression>();
    E->Kind = Kind;
    E->Where = Where;
    return E;
  }

  ExpressionPtr readExpression() {
    const Nested Here(*this);
    const Place Where = next().Where;
    if (accept("let")) {
      auto E = make(ExpressionKind::Let, Where);
      E->Recursive = accept("rec");
      E->Bindings = readBindings();
      expect("in");
      E->Parts.push_back(readExpression());
      return E;
    }
    if (accept("fun")) {
      auto E = make(ExpressionKind::Function, Where);
      E->Parameters = readPattern();
      expect("->");
      E->Parts.push_back(readExpression());
      return E;
    }
    if (accept("try")) {
      auto E = make(ExpressionKind::Try, Where);
      E->Parts.push_back(readExpression());
      expect("with");
      E->Parts.push_back(readExpression());
      return E;
    }
    if (accept("if")) {
      auto E = make(ExpressionKind::If, Where);
      E->Holds = readVariant();
      expect("then");
      E->Parts.push_back(readExpression());
      expect("else");
      E->Parts.push_back(readExpression());
      return E;
    }
    if (next().is("match"))
      refuse();
    ExpressionPtr First = readBase();
    if (!next().is(","))
      return First;
    auto Tuple = make(ExpressionKind::Tuple, Where);
    Tuple->Parts.push_back(std::move(First));
    while (accept(","))
      Tuple->Parts.push_back(readBase());
    return Tuple;
  }

  bool readVariant() {
    bool Value = readVariantTerm();
    while (accept("||"))
      Value = readVariantTerm() || Value;
    return Value;
  }
  bool readVariantTerm() {
    bool Value = readVariantFactor();
    while (accept("&&"))
      Value = readVariantFactor() && Value;
    return Value;
  }
  bool readVariantFactor() {
    const Nested Here(*this);
    accept("variant");
    if (accept("not"))
      return !readVariantFactor();
    if (accept("(")) {
      const bool Value = readVariant();
      expect(")");
      return Value;
    }
    if (next().Kind != TokenKind::String)
      refuse();
    take();
    return false;
  }

  /// The operators, from those that bind least: | ; \ & and then *.
  ExpressionPtr readBase() {
    const Nested Here(*this);
    return readChain(0);
  }

  ExpressionPtr readChain(unsigned Level) {
    struct Operator {
      const char *Symbol;
      ExpressionKind Kind;
    };
    constexpr Operator Operators[] = {{"|", ExpressionKind::Union},
                                      {";", ExpressionKind::Sequence},
                                      {"\\", ExpressionKind::Difference},
                                      {"&", ExpressionKind::Inter},
                                      {"*", ExpressionKind::Product}};
    if (Level == std::size(Operators))
      return readPrefix();
    const Place Where = next().Where;
    ExpressionPtr First = readChain(Level + 1);
    if (next().is("++"))
      refuse();
    if (!next().is(Operators[Level].Symbol))
      return First;
    auto E = make(Operators[Level].Kind, Where);
    E->Parts.push_back(std::move(First));
    while (accept(Operators[Level].Symbol))
      E->Parts.push_back(readChain(Level + 1));
    return E;
  }

  ExpressionPtr readPrefix() {
    if (!next().is("~"))
      return readPostfix();
    const Nested Here(*this);
    auto E = make(ExpressionKind::Complement, take().Where);
    E->Parts.push_back(readPrefix());
    return E;
  }

  bool beginsOperand(const Token &T) const {
    return T.Kind == TokenKind::Name || T.is("(") || T.is("[") || T.is("{") || T.is("_") || T.is("0") || T.is("~") ||
           T.is("begin");
  }

  /// Whether '~' is next but one, and begins a statement.
  bool beginsNegatedCheck() const {
    return next(1).is("~") && (next(2).is("acyclic") || next(2).is("irreflexive") || next(2).is("empty"));
  }

  ExpressionPtr readPostfix() {
    ExpressionPtr E = readApplication();
    for (unsigned Number = 0;; ++Number) {
      if (Number > MostNested)
        fail(next().Where, "the text is nested too deeply");
      const Place Where = next().Where;
      ExpressionKind Kind;
      if (accept("+")) {
        Kind = ExpressionKind::Plus;
      } else if (accept("?")) {
        Kind = ExpressionKind::Optional;
      } else if (accept("^")) {
        expect("-1");
        Kind = ExpressionKind::Inverse;
      } else if (next().is("*") && !(beginsOperand(next(1)) && !beginsNegatedCheck())) {
        take();
        Kind = ExpressionKind::Star;
      } else {
        return E;
      }
      auto Outer = make(Kind, Where);
      Outer->Parts.push_back(std::move(E));
      E = std::move(Outer);
    }
  }

  ExpressionPtr readApplication() {
    const bool IsName = next().Kind == TokenKind::Name;
    ExpressionPtr E = readSimple();
    for (unsigned Number = 0; IsName && beginsArgument(next()); ++Number) {
      if (Number > MostNested)
        fail(next().Where, "the text is nested too deeply");
      auto Call = make(ExpressionKind::Apply, E->Where);
      Call->Parts.push_back(std::move(E));
      Call->Parts.push_back(readArgument());
      E = std::move(Call);
    }
    return E;
  }

  bool beginsArgument(const Token &T) const { return beginsOperand(T) && !T.is("~"); }
  ExpressionPtr readArgument() {
    if (!beginsArgument(next()))
      fail(next().Where, "an argument is expected here, not " + textOf(next()));
    return readSimple();
  }

  ExpressionPtr readSimple() {
    const Nested Here(*this);
    const Token &First = next();
    if (First.Kind == TokenKind::Name) {
      auto E = make(ExpressionKind::Name, First.Where);
      E->Name = take().Text;
      return E;
    }
    if (accept("0"))
      return make(ExpressionKind::Empty, First.Where);
    if (accept("_"))
      return make(ExpressionKind::Universe, First.Where);
    if (accept("{")) {
      if (!next().is("}"))
        refuse();
      take();
      return make(ExpressionKind::Empty, First.Where);
    }
    if (accept("(") || accept("begin")) {
      const std::string_view End = First.is("(") ? ")" : "end";
      if (accept(End)) // no argument
        return make(ExpressionKind::Tuple, First.Where);
      ExpressionPtr E = readExpression();
      expect(End);
      return E;
    }
    if (accept("[")) {
      auto E = make(ExpressionKind::Identity, First.Where);
      E->Parts.push_back(readExpression());
      expect("]");
      return E;
    }
    fail(First.Where, "an expression is expected here, not " + textOf(First));
  }

  std::vector<Token> Tokens;
  size_t At = 0;
  unsigned Depth = 0;
};

} // namespace

SyntaxTree parse(std::string_view Text, uint32_t File) { return Parser(Text, File).read(); }

} // namespace picket::cat
