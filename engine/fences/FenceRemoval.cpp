#include "fences/OrderEdits.h"
#include "fences/TextLayout.h"

using namespace clang;

namespace picket {

namespace {

class Removal {
public:
  Removal(const SourceTree &Tree, const RemoveFence &Wanted) : Tree(Tree), Wanted(Wanted) {}

  std::variant<OrderEdit, Refusal> run() {
    const Stmt *Fence = nullptr;
    for (const SourceTree::Access &A : Tree.allAccessesAt(Wanted.Fence)) {
      if (!fenceOf(Tree, A.Node))
        continue;
      if (Fence)
        return refuse("a macro has several fences here, and which of them is meant is not known");
      Fence = A.Node;
    }
    if (!Fence)
      return refuse("there is no fence here");
    if (remove(Fence))
      return Result;
    return refuse(Why.empty() ? "the fence is part of something else and cannot be taken out" : Why);
  }

private:
  Refusal refuse(std::string Sentence) const { return {std::move(Sentence), Wanted.Fence}; }

  bool edit(const TextSpan &Span, uint32_t Begin, uint32_t End, std::string Text) {
    Result.Edits.push_back({Tree.path(Span.File), Begin, End, std::move(Text)});
    return true;
  }

  bool isEditable(const std::optional<TextSpan> &Span) {
    if (!Span)
      return false;
    if (std::optional<Refusal> No = Tree.refusalToEdit(*Span)) {
      Why = No->Why;
      return false;
    }
    if (!Span->Macro)
      return true;
    const DirectivesSeen::Macro *Macro = Tree.macroAt(Tree.locationOf(Span->File, Span->Begin));
    if (Macro->Uses <= 1)
      return true;
    Why = "the fence is written in the macro '" + Macro->Name + "', which is used in other places too";
    return false;
  }

  /// Whether S is the fence, or something around it that does nothing else: `do { fence; } while (0)`.
  static bool isOnly(const Stmt *S, const Stmt *Inner) {
    if (isa<ParenExpr, CastExpr, StmtExpr>(S))
      return true;
    if (auto *Block = dyn_cast<CompoundStmt>(S))
      return Block->size() == 1;
    auto *Do = dyn_cast<DoStmt>(S);
    return Do && Do->getBody() == Inner && isa<IntegerLiteral>(Do->getCond()->IgnoreParenImpCasts());
  }

  bool remove(const Stmt *Fence) {
    const Stmt *Parent = nullptr;
    for (const Stmt *S = Fence; (Parent = Tree.parent(S)); S = Parent) {
      if (auto *Comma = dyn_cast<BinaryOperator>(Parent); Comma && Comma->isCommaOp())
        return removeOperand(*Comma, S);
      std::optional<TextSpan> Span = Tree.statement(S);
      const bool InText = Span && !(Span->Macro && isOnly(Parent, S));
      if (InText && isa<CompoundStmt>(Parent) && !isa_and_nonnull<StmtExpr>(Tree.parent(Parent)))
        return isEditable(Span) && removeStatement(*Span);
      if (InText && !isa<Expr>(Parent) && !isa<CompoundStmt>(Parent) && !isCondition(Parent, S))
        return isEditable(Span) && edit(*Span, Span->Begin, Span->End, ";");
      if (!isOnly(Parent, S))
        return false;
    }
    return false;
  }

  /// Anything but a statement of its own, where `;` can stand for nothing.
  static bool isCondition(const Stmt *Parent, const Stmt *S) {
    if (isa<DeclStmt, ReturnStmt>(Parent))
      return true;
    if (auto *For = dyn_cast<ForStmt>(Parent))
      return For->getBody() != S;
    return isa<Expr>(S) && isa<SwitchStmt>(Parent) && cast<SwitchStmt>(Parent)->getCond() == S;
  }

  bool removeStatement(const TextSpan &Span) {
    StringRef Text = Tree.text(Span.File);
    if (!Span.Macro && beginsLine(Text, Span.Begin) && endOfLineBehind(Text, Span.End))
      return edit(Span, lineBegin(Text, Span.Begin), nextLine(Text, Span.End), "");
    uint32_t Begin = Span.Begin, End = Span.End;
    auto IsBlank = [&](uint32_t At) { return At < Text.size() && (Text[At] == ' ' || Text[At] == '\t'); };
    while (IsBlank(End))
      ++End;
    if (End == Span.End || Text[End] == '\n' || Text[End] == '\r' || Text[End] == '\\') {
      End = Span.End;
      while (Begin > 0 && IsBlank(Begin - 1))
        --Begin;
    }
    return edit(Span, Begin, End, "");
  }

  bool removeOperand(const BinaryOperator &Comma, const Stmt *S) {
    std::optional<TextSpan> Left = Tree.span(Comma.getLHS()), Right = Tree.span(Comma.getRHS());
    if (!isEditable(Left) || !isEditable(Right) || Left->Macro != Right->Macro || Left->File != Right->File)
      return false;
    if (Comma.getLHS() == S)
      return edit(*Left, Left->Begin, Right->Begin, "");
    return edit(*Left, Left->End, Right->End, ""); // nobody uses the value of a fence
  }

  const SourceTree &Tree;
  const RemoveFence &Wanted;
  OrderEdit Result;
  std::string Why;
};

} // namespace

std::variant<OrderEdit, Refusal> removeFence(const SourceTree &Tree, const RemoveFence &Wanted) {
  return Removal(Tree, Wanted).run();
}

} // namespace picket
