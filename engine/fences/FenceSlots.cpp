#include "fences/FenceSlots.h"

using namespace clang;

namespace picket {

namespace {

/// Whether control can come into S other than from its beginning.
bool hasEntries(const Stmt *S, bool InSwitch = false) {
  if (isa<LabelStmt>(S) || (isa<SwitchCase>(S) && !InSwitch))
    return true;
  return llvm::any_of(S->children(),
                      [&](const Stmt *Child) { return Child && hasEntries(Child, InSwitch || isa<SwitchStmt>(S)); });
}

/// Whether control can leave S other than to what follows it.
bool hasExits(const Stmt *S, bool InLoop = false, bool InSwitch = false) {
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt, GCCAsmStmt>(S))
    return !isa<GCCAsmStmt>(S) || cast<GCCAsmStmt>(S)->isAsmGoto();
  if (isa<ContinueStmt>(S))
    return !InLoop;
  if (isa<BreakStmt>(S))
    return !InLoop && !InSwitch;
  InLoop |= isa<WhileStmt, DoStmt, ForStmt>(S);
  InSwitch |= isa<SwitchStmt>(S);
  return llvm::any_of(S->children(), [&](const Stmt *Child) { return Child && hasExits(Child, InLoop, InSwitch); });
}

const Stmt *labelled(const Stmt *S) {
  if (auto *Label = dyn_cast<LabelStmt>(S))
    return Label->getSubStmt();
  if (auto *Case = dyn_cast<SwitchCase>(S))
    return Case->getSubStmt();
  if (auto *Attributed = dyn_cast<AttributedStmt>(S))
    return Attributed->getSubStmt();
  return nullptr;
}

/// A statement that has another one as its body, without braces or with: its text up to the body.
struct Header {
  clang::SourceLocation Begin, Last;
};
std::optional<Header> headerOf(const Stmt *Parent, const Stmt *Body) {
  if (auto *If = dyn_cast<IfStmt>(Parent)) {
    if (If->getThen() == Body)
      return Header{If->getIfLoc(), If->getRParenLoc()};
    if (If->getElse() == Body)
      return Header{If->getElseLoc(), If->getElseLoc()};
  }
  if (auto *While = dyn_cast<WhileStmt>(Parent); While && While->getBody() == Body)
    return Header{While->getWhileLoc(), While->getRParenLoc()};
  if (auto *For = dyn_cast<ForStmt>(Parent); For && For->getBody() == Body)
    return Header{For->getForLoc(), For->getRParenLoc()};
  if (auto *Do = dyn_cast<DoStmt>(Parent); Do && Do->getBody() == Body)
    return Header{Do->getDoLoc(), Do->getDoLoc()};
  if (auto *Switch = dyn_cast<SwitchStmt>(Parent); Switch && Switch->getBody() == Body)
    return Header{Switch->getSwitchLoc(), Switch->getRParenLoc()};
  return std::nullopt;
}

/// The expression is evaluated each time round, not when the statement begins.
bool isRepeated(const Stmt *Parent, const Stmt *Part) {
  if (auto *While = dyn_cast<WhileStmt>(Parent))
    return While->getCond() == Part;
  if (auto *Do = dyn_cast<DoStmt>(Parent))
    return Do->getCond() == Part;
  if (auto *For = dyn_cast<ForStmt>(Parent))
    return For->getCond() == Part || For->getInc() == Part;
  return false;
}

class SlotFinder {
public:
  SlotFinder(const SourceTree &Tree, const InsertFence &Wanted) : Tree(Tree), Wanted(Wanted) {}

  std::variant<FenceSlot, Refusal> run() {
    if (std::optional<Refusal> Unclear = findAccesses())
      return *Unclear;
    if (Earlier && Later && Earlier != Later)
      if (const Stmt *Common = commonParent(); isa<Expr, DeclStmt>(Common)) {
        if (!isa<DeclStmt>(Common) && Common != Earlier && !isSequenced(Common))
          return unordered(Common);
        if (auto Slot = inExpression(Common))
          return *Slot;
        if (Problem)
          return *Problem;
      }
    if (!Later)
      if (std::optional<FenceSlot> Slot = hoistReturned())
        return *Slot;
    for (bool InMacros : {false, true})
      for (bool Far : {false, true})
        for (bool Front : {Wanted.NearLater, !Wanted.NearLater})
          if (auto Slot = Front ? beforeLater(Far, InMacros) : afterEarlier(Far, InMacros))
            return *Slot;
    return Problem ? *Problem : refuse("no boundary between statements lies between the two accesses");
  }

private:
  Refusal refuse(std::string Why) const { return {std::move(Why), Later ? Wanted.Later : Wanted.Earlier}; }

  std::optional<Refusal> findAccesses() {
    std::vector<SourceTree::Access> E = Tree.accessesAt(Wanted.Earlier), L = Tree.accessesAt(Wanted.Later);
    const bool OnlyEarlier = Wanted.Later.Line == 0, OnlyLater = Wanted.Earlier.Line == 0;
    if ((E.empty() && !OnlyLater) || (L.empty() && !OnlyEarlier))
      return Refusal{"no access is known at this position in the text",
                     E.empty() && !OnlyLater ? Wanted.Earlier : Wanted.Later};
    if (OnlyEarlier || OnlyLater) {
      Earlier = OnlyEarlier ? E.back().Node : nullptr;
      Later = OnlyLater ? L.front().Node : nullptr;
      return std::nullopt;
    }
    // What a macro's body does all has the place where the macro is used.
    if (Wanted.Earlier == Wanted.Later) {
      if (E.size() > 2)
        return Refusal{"a macro makes several accesses here, and which of them are meant is not known", Wanted.Later};
      Earlier = E.front().Node;
      Later = E.back().Node;
      return std::nullopt;
    }
    SourceTree::Access First = E.back(), Second = L.front();
    for (const SourceTree::Access &A : E)
      if (A.Order < L.front().Order)
        First = A;
    for (const SourceTree::Access &A : llvm::reverse(L))
      if (A.Order > First.Order)
        Second = A;
    if (First.Function != Second.Function)
      return Refusal{"the two accesses are in different functions", Wanted.Later};
    Earlier = First.Node;
    Later = Second.Node;
    return std::nullopt;
  }

  const Stmt *commonParent() const {
    const Stmt *S = Earlier;
    while (!Tree.contains(S, Later))
      S = Tree.parent(S);
    return S;
  }
  const Stmt *partOf(const Stmt *Whole, const Stmt *Inner) const {
    while (Tree.parent(Inner) != Whole)
      Inner = Tree.parent(Inner);
    return Inner;
  }

  static bool isSequenced(const Stmt *S) {
    if (auto *Binary = dyn_cast<BinaryOperator>(S))
      return Binary->isLogicalOp() || Binary->isCommaOp();
    return isa<AbstractConditionalOperator, StmtExpr>(S);
  }

  /// Both accesses are in one expression (or declaration), the earlier one in an operand that is evaluated first.
  std::optional<FenceSlot> inExpression(const Stmt *Common) {
    if (Common == Earlier || isa<StmtExpr>(Common))
      return std::nullopt; // the next time round, or statements
    const Stmt *First = partOf(Common, Earlier), *Second = partOf(Common, Later);
    for (const Stmt *Part : Common->children()) {
      if (Part == First)
        break;
      if (Part == Second)
        return std::nullopt; // the next time round
    }
    if (First == Second)
      return std::nullopt;
    auto *Binary = dyn_cast<BinaryOperator>(Common);
    std::optional<FenceSlot> Slot = prefix(Second, /*InMacros=*/false, !(Binary && Binary->isCommaOp()));
    if (!Slot && !Problem)
      Problem = Refusal{"the two accesses are in one expression of a macro", Wanted.Later};
    return Slot;
  }

  /// The compiler chose an order that the language leaves open, or the later access uses the value of the earlier one.
  std::variant<FenceSlot, Refusal> unordered(const Stmt *Common) {
    if (Common == Later)
      if (std::optional<FenceSlot> Slot = hoist())
        return *Slot;
    return Refusal{"the two accesses are in one expression: write them as two statements first", Wanted.Later};
  }

  /// The value of an assignment gets a name.
  std::optional<FenceSlot> hoist() {
    const Expr *Value = nullptr;
    auto *Assignment = dyn_cast<BinaryOperator>(Later);
    if (Assignment && Assignment->getOpcode() == BO_Assign && Tree.contains(Assignment->getRHS(), Earlier) &&
        !Assignment->getLHS()->HasSideEffects(Tree.Context))
      Value = Assignment->getRHS();
    if (auto *Atomic = dyn_cast<AtomicExpr>(Later);
        Atomic &&
        (Atomic->getOp() == AtomicExpr::AO__c11_atomic_store || Atomic->getOp() == AtomicExpr::AO__atomic_store_n) &&
        Tree.contains(Atomic->getVal1(), Earlier) && !Atomic->getPtr()->HasSideEffects(Tree.Context))
      Value = Atomic->getVal1();
    const Stmt *Whole = Later;
    while (isa_and_nonnull<ParenExpr, ImplicitCastExpr>(Tree.parent(Whole)))
      Whole = Tree.parent(Whole);
    return hoist(Value, Whole);
  }

  /// The value of a `return` gets a name, for a fence in front of what the caller does.
  std::optional<FenceSlot> hoistReturned() {
    const Stmt *S = Earlier;
    while (isa_and_nonnull<Expr>(S))
      S = Tree.parent(S);
    auto *Return = dyn_cast_or_null<ReturnStmt>(S);
    return Return ? hoist(Return->getRetValue(), Return) : std::nullopt;
  }

  std::optional<FenceSlot> hoist(const Expr *Value, const Stmt *Whole) {
    if (!Value || !isa_and_nonnull<CompoundStmt>(Tree.parent(Whole)))
      return std::nullopt;
    std::optional<TextSpan> Statement = editable(Tree.statement(Whole), false);
    std::optional<TextSpan> Text = editable(Tree.span(Value), false);
    QualType Type = Value->getType().getNonReferenceType().getAtomicUnqualifiedType();
    if (!Statement || !Text || !Type->isScalarType() || Type->isFunctionPointerType())
      return std::nullopt;
    FenceSlot Slot = slot(FenceSlot::Hoisted, *Statement, Statement->Begin);
    Slot.Gap = Statement->Begin;
    Slot.Value = *Text;
    Slot.Type = Type.getAsString(Tree.Context.getPrintingPolicy());
    return Slot;
  }

  static FenceSlot slot(FenceSlot::Form How, const TextSpan &Span, uint32_t Point) {
    FenceSlot Slot;
    Slot.How = How;
    Slot.Span = Span;
    Slot.Point = Point;
    return Slot;
  }

  std::optional<TextSpan> editable(std::optional<TextSpan> Span, bool InMacros) {
    if (!Span)
      return std::nullopt;
    std::optional<Refusal> No = Tree.refusalToEdit(*Span);
    if (!No && Span->Macro &&
        Span->File != Tree.Sources.getFileID(Tree.Sources.getExpansionLoc((Later ? Later : Earlier)->getBeginLoc())))
      No = refuse("the accesses are made by a macro of another file");
    if (No)
      Problem = No;
    return No || (Span->Macro && !InMacros) ? std::nullopt : Span;
  }

  std::optional<FenceSlot> prefix(const Stmt *Expression, bool InMacros, bool Parentheses) {
    std::optional<TextSpan> Span = editable(Tree.span(Expression), InMacros);
    if (!Span)
      return std::nullopt;
    // A comma between the arguments of a macro would be the macro's.
    Parentheses |= Tree.Sources.isMacroArgExpansion(Expression->getBeginLoc()) && !Span->Macro;
    FenceSlot Slot = slot(FenceSlot::Prefix, *Span, Span->Begin);
    Slot.Wrapped = Parentheses;
    return Slot;
  }

  std::optional<FenceSlot> suffix(const Stmt *Expression, bool InMacros) {
    std::optional<TextSpan> Span = editable(Tree.span(Expression), InMacros);
    if (!Span || (Tree.Sources.isMacroArgExpansion(Expression->getBeginLoc()) && !Span->Macro))
      return std::nullopt;
    return slot(FenceSlot::Suffix, *Span, Span->End);
  }

  /// A statement beside S, which is in a block or the body of something. `Inner` is S without its labels.
  std::optional<FenceSlot> beside(const Stmt *S, const Stmt *Inner, bool Front, bool InMacros) {
    const Stmt *Parent = Tree.parent(S);
    std::optional<TextSpan> Span = editable(Tree.statement(S), InMacros);
    std::optional<TextSpan> Bare = S == Inner ? Span : Tree.statement(Inner);
    if (!Span || !Bare || Bare->File != Span->File || Bare->Macro != Span->Macro)
      return std::nullopt;
    FenceSlot Slot = slot(Front ? FenceSlot::Before : FenceSlot::After, *Span, Bare->Begin);
    if (auto *Block = dyn_cast<CompoundStmt>(Parent)) {
      if (!Front && isa_and_nonnull<StmtExpr>(Tree.parent(Block)) && Block->body_back() == S)
        return std::nullopt; // it is the value
      Slot.Gap = !Front ? Span->End : S == Inner ? endOfPrevious(*Block, S, *Span) : Slot.Point;
      return Slot;
    }
    std::optional<Header> Head = headerOf(Parent, S);
    if (!Head)
      return std::nullopt;
    std::optional<TextSpan> First = Tree.span(Head->Begin), Last = Tree.span(Head->Last);
    if (!First || !Last || Last->File != Span->File || Last->Macro != Span->Macro || First->Macro != Span->Macro)
      return std::nullopt;
    Slot.Wrapped = true;
    Slot.HeaderBegin = First->Begin;
    Slot.HeaderEnd = Last->End;
    Slot.Gap = Front ? Slot.Point : Span->End;
    return Slot;
  }

  uint32_t endOfPrevious(const CompoundStmt &Block, const Stmt *S, const TextSpan &Span) const {
    const Stmt *Previous = nullptr;
    for (const Stmt *Child : Block.body()) {
      if (Child == S)
        break;
      Previous = Child;
    }
    std::optional<TextSpan> Text = Previous ? Tree.statement(Previous) : Tree.span(Block.getLBracLoc());
    return Text && Text->File == Span.File && Text->Macro == Span.Macro ? Text->End : Span.Begin;
  }

  /// In front of the later access, or (Far) of something that holds it, that the earlier one is outside of and that is
  /// entered at its beginning.
  std::optional<FenceSlot> beforeLater(bool Far, bool InMacros) {
    bool Direct = true;
    const Stmt *Parent = nullptr;
    for (const Stmt *S = Later; S && (Parent = Tree.parent(S)); S = Parent) {
      if (!Direct && ((Earlier && Tree.contains(S, Earlier)) || hasEntries(S)))
        return std::nullopt;
      const Stmt *Inner = S;
      while (labelled(Parent) == S && Tree.parent(Parent)) {
        S = Parent;
        Parent = Tree.parent(S);
      }
      auto *If = dyn_cast<IfStmt>(Parent);
      const Stmt *Above = If && If->getCond() == S ? Tree.parent(If) : nullptr;
      bool ElseIf = isa_and_nonnull<IfStmt>(Above) && cast<IfStmt>(Above)->getElse() == If;
      bool Boundary = isa<CompoundStmt>(Parent) || headerOf(Parent, S);
      std::optional<FenceSlot> Slot;
      if (Boundary)
        Slot = beside(S, Inner, /*Front=*/true, InMacros);
      else if (isRepeated(Parent, S) || ElseIf)
        Slot = prefix(S, InMacros, /*Parentheses=*/false);
      else
        continue;
      if (Slot)
        return Slot;
      if (!Far)
        return std::nullopt;
      Direct = false;
    }
    return std::nullopt;
  }

  /// Behind the earlier access, or (Far) behind something that holds it, that the later one is outside of and that is
  /// left at its end.
  std::optional<FenceSlot> afterEarlier(bool Far, bool InMacros) {
    bool Direct = true;
    const Stmt *Parent = nullptr, *Inner = nullptr;
    for (const Stmt *S = Earlier; S && (Parent = Tree.parent(S)); S = Parent) {
      if (isa<ReturnStmt>(S) || (!Direct && ((Later && Tree.contains(S, Later)) || hasExits(S))))
        return std::nullopt;
      auto *For = dyn_cast<ForStmt>(Parent);
      std::optional<FenceSlot> Slot;
      if (isa<CompoundStmt>(Parent) || headerOf(Parent, S))
        Slot = beside(S, Inner ? Inner : S, /*Front=*/false, InMacros);
      else if (For && (For->getInc() == S || (For->getInit() == S && isa<Expr>(S))))
        Slot = suffix(S, InMacros);
      else if (labelled(Parent) == S) {
        Inner = Inner ? Inner : S;
        continue;
      } else if (isa<Expr, DeclStmt, ReturnStmt>(Parent))
        continue;
      Inner = nullptr;
      if (Slot)
        return Slot;
      if (!Far)
        return std::nullopt;
      Direct = false;
    }
    return std::nullopt;
  }

  const SourceTree &Tree;
  const InsertFence &Wanted;
  const Stmt *Earlier = nullptr, *Later = nullptr;
  std::optional<Refusal> Problem;
};

} // namespace

std::variant<FenceSlot, Refusal> findSlot(const SourceTree &Tree, const InsertFence &Wanted) {
  return SlotFinder(Tree, Wanted).run();
}

} // namespace picket
