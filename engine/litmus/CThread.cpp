#include "litmus/CThread.h"

#include "litmus/CExpressions.h"

namespace picket {

std::optional<std::string> cRegister(std::string_view Text) {
  return isName(Text) ? std::optional<std::string>(Text) : std::nullopt;
}

namespace {

/// One function.
class CThreadReader {
public:
  CThreadReader(LitmusCursor &Text, LitmusThread &Code) : Text(Text), Code(Code), Expressions(Text, Code) {}

  void read(const std::string &Name) {
    noteLine();
    Text.acceptWord("void");
    const std::string_view Rest = Text.rest();
    if (Text.word() != Name)
      failLitmus(Text.line(), quoted(Name) + " is expected here, not " +
                                  quoted(trimmed(Rest.substr(0, std::min<size_t>(Rest.find('\n'), 20)))));
    readParameters();
    Text.expect("{", "before the thread's code");
    readBlock(0);
  }

private:
  static constexpr unsigned MaxDepth = 200;

  void noteLine() {
    Text.skipSpace();
    Code.setLine(Text.line());
  }

  void readParameters() {
    Text.expect("(", "after the name of a thread");
    Text.acceptWord("void");
    if (Text.accept(")"))
      return;
    do
      readParameter();
    while (Text.accept(","));
    Text.expect(")", "after the parameters");
  }

  /// "volatile int *x"
  void readParameter() {
    noteLine();
    bool Pointer = false;
    for (;;) {
      Pointer |= Text.accept("*");
      const std::string_view Word = Text.word();
      Text.skipSpace();
      if (Text.peek() == ',' || Text.peek() == ')') {
        if (!isName(Word) || isType(Word))
          failLitmus(Code.line(), "a parameter has no name");
        if (!Pointer)
          failLitmus(Code.line(), "the parameter " + quoted(Word) + " should be a pointer");
        if (!Expressions.Parameters.emplace(Word).second)
          failLitmus(Code.line(), "two parameters have the name " + quoted(Word));
        return;
      }
      if (!isType(Word))
        refuseLitmus(Code.line(), Word.empty() ? Text.rest().substr(0, 1) : Word);
    }
  }

  static bool isType(std::string_view Word) {
    return Word == "int" || Word == "atomic_int" || Word == "int32_t" || Word == "volatile" || Word == "const" ||
           Word == "_Atomic";
  }

  /// Up to the '}'.
  void readBlock(unsigned Depth) {
    if (Depth > MaxDepth)
      failLitmus(Text.line(), "the code is nested too deeply");
    while (!Text.accept("}")) {
      LitmusCursor Ahead = Text;
      if (Text.atEnd() || Ahead.acceptWord("exists") || Ahead.acceptWord("forall") || Ahead.acceptWord("locations"))
        failLitmus(Text.line(), "'}' is missing at the end of the thread");
      readStatement(Depth);
    }
  }

  void readStatement(unsigned Depth) {
    if (Depth > MaxDepth)
      failLitmus(Text.line(), "the code is nested too deeply");
    noteLine();
    if (Text.accept(";"))
      return;
    if (Text.accept("{"))
      return readBlock(Depth + 1);
    if (Text.acceptWord("if"))
      return readIf(Depth);
    if (Text.acceptWord("while"))
      return readWhile(Depth);
    if (Text.acceptWord("do"))
      return readDo(Depth);
    if (Text.acceptWord("return")) {
      Code.leave();
    } else if (Text.accept("*")) {
      Expressions.assignment();
    } else {
      readSimple();
    }
    Text.expect(";", "after the statement");
  }

  Operand condition() {
    Text.expect("(", "before the condition");
    const Operand Value = Expressions.expression();
    Text.expect(")", "after the condition");
    return Value;
  }

  void readIf(unsigned Depth) {
    const std::string Else = Expressions.newLabel();
    Code.branch(condition(), false, Else);
    readStatement(Depth + 1);
    if (!Text.acceptWord("else"))
      return Code.label(Else);
    const std::string End = Expressions.newLabel();
    Code.jump(End);
    Code.label(Else);
    readStatement(Depth + 1);
    Code.label(End);
  }

  void readWhile(unsigned Depth) {
    const std::string Begin = Expressions.newLabel(), End = Expressions.newLabel();
    Code.label(Begin);
    Code.branch(condition(), false, End);
    readStatement(Depth + 1);
    Code.jump(Begin);
    Code.label(End);
  }

  void readDo(unsigned Depth) {
    const std::string Begin = Expressions.newLabel();
    Code.label(Begin);
    readStatement(Depth + 1);
    noteLine();
    if (!Text.acceptWord("while"))
      failLitmus(Text.line(), "'while' is expected after the body of 'do'");
    Code.branch(condition(), true, Begin);
    Text.expect(";", "after the statement");
  }

  /// A declaration, an assignment or a call.
  void readSimple() {
    Text.acceptWord("const");
    if (Text.acceptWord("int") || Text.acceptWord("int32_t")) {
      do
        readDeclaration();
      while (Text.accept(","));
      return;
    }
    const std::string_view Rest = Text.rest(), Word = Text.word();
    if (!isName(Word))
      failLitmus(Code.line(),
                 "a statement is expected here, not " + quoted(Rest.substr(0, std::min<size_t>(Rest.find('\n'), 20))));
    if (Text.accept("(")) {
      Expressions.call(Word, Code.line(), 0);
      return;
    }
    Text.skipSpace();
    if (Text.peek() != '=') // a type, a keyword or an operator that is not modelled
      refuseLitmus(Code.line(), trimmed(Rest.substr(0, std::min(Rest.find_first_of(";\n"), Rest.size()))));
    if (!Expressions.Variables.count(Word))
      failLitmus(Code.line(),
                 Expressions.Parameters.count(Word)
                     ? quoted(Word) + " is the address of a location: write to " + quoted("*" + std::string(Word))
                     : "the thread has no variable " + quoted(Word));
    assign(Word);
  }

  void readDeclaration() {
    Text.skipSpace();
    if (Text.peek() == '*')
      refuseLitmus(Text.line(), "variables that are pointers");
    const std::string_view Name = Text.word();
    if (!isName(Name) || isType(Name))
      failLitmus(Text.line(), "the name of a variable is expected here, not " + quoted(Name));
    if (Expressions.Parameters.count(Name))
      failLitmus(Text.line(), quoted(Name) + " is already the name of a parameter");
    Expressions.Variables.emplace(Name);
    Code.slotOf(Name);
    Text.skipSpace();
    if (Text.peek() == '=')
      assign(Name);
  }

  void assign(std::string_view Name) {
    Text.expect("=", "after the variable");
    const Operand Value = Expressions.expression();
    Code.move(Code.slotOf(Name), Value);
  }

  LitmusCursor &Text;
  LitmusThread &Code;
  CExpressions Expressions;
};

} // namespace

void readCThread(LitmusCursor &Text, const std::string &Name, LitmusThread &Code) {
  CThreadReader(Text, Code).read(Name);
}

} // namespace picket
