#include "fences/OrderEdits.h"

#include "fences/ProgramEdit.h"
#include "fences/WrapperCalls.h"
#include "source/naming/Wrappers.h"

using namespace clang;

namespace picket {

namespace {

/// The strongest order of a failed compare-exchange, which only loads.
Order ofFailure(Order Success) {
  return Success == Order::AcqRel ? Order::Acquire : Success == Order::Release ? Order::Relaxed : Success;
}

/// x of `x`, `x = v`, `x += v` and `x++`.
const Expr *operandOf(const Stmt *S) {
  const Expr *Operand = nullptr;
  if (auto *Cast = dyn_cast<ImplicitCastExpr>(S); Cast && Cast->getCastKind() == CK_LValueToRValue)
    Operand = Cast->getSubExpr();
  else if (auto *Binary = dyn_cast<BinaryOperator>(S); Binary && Binary->isAssignmentOp())
    Operand = Binary->getLHS();
  else if (auto *Unary = dyn_cast<UnaryOperator>(S); Unary && Unary->isIncrementDecrementOp())
    Operand = Unary->getSubExpr();
  return Operand;
}

/// The same of an _Atomic x.
const Expr *atomicOperand(const Stmt *S) {
  const Expr *Operand = operandOf(S);
  return Operand && Operand->getType()->isAtomicType() ? Operand : nullptr;
}

/// The same of an x that is not atomic, but could be accessed as if it were.
const Expr *plainOperand(const Stmt *S) {
  const Expr *Operand = operandOf(S);
  return Operand && !Operand->getType()->isAtomicType() && !Operand->refersToBitField() ? Operand : nullptr;
}

class OrderChange {
public:
  OrderChange(const SourceTree &Tree, const FenceIdiom &Idiom, const ChangeOrder &Wanted)
      : Tree(Tree), Idiom(Idiom), Wanted(Wanted), To(Wanted.To) {}

  std::variant<OrderEdit, Refusal> run() {
    if (Wanted.Call.Line != 0)
      return throughCall();
    if (Wanted.From == Order::NotAtomic && To == Order::Relaxed)
      return makeAtomic();
    std::vector<const Stmt *> Found;
    for (const SourceTree::Access &A : Tree.allAccessesAt(Wanted.Access))
      if (isAtomic(A.Node))
        Found.push_back(A.Node);
    if (Found.size() > 1)
      llvm::erase_if(Found, [&](const Stmt *S) { return currentOrder(S) != Wanted.From; });
    if (Found.empty())
      return refuse("there is no atomic access with a memory order here");
    if (Found.size() > 1)
      return refuse("a macro makes several atomic accesses here, and which of them is meant is not known");
    bool Done = false;
    if (auto *Atomic = dyn_cast<AtomicExpr>(Found[0]))
      Done = changeCall(*Atomic);
    else if (const Expr *Operand = atomicOperand(Found[0]))
      Done = changeOperator(*cast<Expr>(Found[0]), *Operand);
    else
      Done = changeFence(*cast<CallExpr>(Found[0]));
    if (Done)
      return Result;
    return refuse(Why.empty() ? "the memory order cannot be written here" : Why);
  }

private:
  /// `x = v` becomes `__atomic_store_n(&x, v, __ATOMIC_RELAXED)`: the built-in functions need no _Atomic type.
  std::variant<OrderEdit, Refusal> makeAtomic() {
    const Stmt *Found = nullptr;
    for (const SourceTree::Access &A : Tree.allAccessesAt(Wanted.Access)) {
      if (!plainOperand(A.Node))
        continue;
      if (Found)
        return refuse("several accesses are written here, and which of them is meant is not known");
      Found = A.Node;
    }
    if (!Found)
      return refuse("there is no access here that could be written as an atomic one");
    const Expr *Operand = plainOperand(Found);
    const QualType Type = Operand->getType();
    if (!(Type->isIntegerType() || Type->isPointerType()) || Type->isBooleanType())
      return refuse("only integers and pointers can be accessed atomically without changing their type");
    if (changeOperator(*cast<Expr>(Found), *Operand))
      return Result;
    return refuse(Why.empty() ? "the access cannot be written as an atomic one here" : Why);
  }

  /// `store_rlx(&x, v)` becomes `store_rel(&x, v)`, if there is a function like that. If the caller says which order it
  /// wants, it says another one.
  std::variant<OrderEdit, Refusal> throughCall() {
    const CallExpr *Call = nullptr;
    for (const SourceTree::Access &A : Tree.allAccessesAt(Wanted.Call)) {
      auto *Found = dyn_cast<CallExpr>(A.Node);
      if (!Found || !Found->getDirectCallee() || !isWrapper(*Found->getDirectCallee()))
        continue;
      if (Call)
        return refuse("a macro makes several accesses here, and which of them is meant is not known");
      Call = Found;
    }
    if (!Call)
      return refuse("no access is known at this position in the text");
    const FunctionDecl &Callee = *Call->getDirectCallee();
    if (const std::optional<unsigned> Parameter = orderParameter(Callee);
        Parameter && *Parameter < Call->getNumArgs() && replaceOrder(Call->getArg(*Parameter), To, /*Builtins=*/false))
      return Result;
    const FunctionDecl *Other = strongerWrapper(Tree, Callee, To, Call->getBeginLoc());
    const std::optional<TextSpan> Name = Other ? editable(Tree.span(Call->getCallee())) : std::nullopt;
    if (Name && replace(*Name, Name->Begin, Name->End, Other->getNameAsString()))
      return Result;
    return refuse(Why.empty() ? "'" + Callee.getNameAsString() +
                                    "' has other callers, and there is no function like it with a stronger order"
                              : Why);
  }

  bool isAtomic(const Stmt *S) const {
    return isa<AtomicExpr>(S) || atomicOperand(S) || (isa<CallExpr>(S) && fenceOf(Tree, S));
  }

  std::optional<Order> currentOrder(const Stmt *S) const {
    if (auto *Atomic = dyn_cast<AtomicExpr>(S))
      return orderValue(Atomic->getOrder(), Tree.Context);
    if (std::optional<FenceKind> Kind = fenceOf(Tree, S))
      return orderOf(*Kind);
    return Order::SeqCst;
  }

  Refusal refuse(std::string Sentence) const {
    return {std::move(Sentence), Wanted.Call.Line ? Wanted.Call : Wanted.Access, SharedMacro};
  }
  bool fail(std::string Sentence) {
    Why = std::move(Sentence);
    return false;
  }

  bool replace(const TextSpan &Span, uint32_t Begin, uint32_t End, std::string Text) {
    Result.Edits.push_back({Tree.path(Span.File), Begin, End, std::move(Text)});
    return true;
  }

  /// Also in the body of a macro if that is right for all its uses: stronger orders are.
  std::optional<TextSpan> editable(std::optional<TextSpan> Span) {
    if (!Span)
      return std::nullopt;
    if (std::optional<Refusal> No = Tree.refusalToEdit(*Span)) {
      fail(No->Why);
      return std::nullopt;
    }
    if (!Span->Macro)
      return Span;
    const DirectivesSeen::Macro *Macro = Tree.macroAt(Tree.locationOf(Span->File, Span->Begin));
    const bool Here = Tree.path(Span->File) == Wanted.Access.File;
    const bool Shared = Here && Macro->Uses > 1 && atLeast(To, Wanted.From);
    if ((Here && Macro->Uses <= 1) || (Shared && Idiom.editsSharedMacros()))
      return Span;
    SharedMacro |= Shared;
    fail("the order is written in the macro '" + Macro->Name + "', which is used in other places too");
    return std::nullopt;
  }

  bool replaceOrder(const Expr *Written, Order New, bool Builtins) {
    std::optional<TextSpan> Span = Tree.span(Written);
    if (Span && Span->Macro && replaceMacro(Written, New))
      return true;
    Span = editable(Span);
    if (!Span)
      return false;
    StringRef Text = Tree.text(*Span);
    if (std::string Own = nameLike(Tree, Text, New, Tree.locationOf(Span->File, Span->Begin)); !Own.empty())
      return replace(*Span, Span->Begin, Span->End, std::move(Own));
    Builtins = Text.starts_with("__ATOMIC_") || (Builtins && !Text.starts_with("memory_order_"));
    return replace(*Span, Span->Begin, Span->End, nameOfOrder(New, Builtins));
  }

  /// The order is in the body of a macro, and there is another macro like it.
  bool replaceMacro(const Expr *Written, Order New) {
    clang::SourceLocation Loc = Written->getBeginLoc();
    while (Loc.isMacroID() && Tree.Sources.getImmediateMacroCallerLoc(Loc).isMacroID())
      Loc = Tree.Sources.getImmediateMacroCallerLoc(Loc);
    if (!Loc.isMacroID() || Tree.Sources.isMacroArgExpansion(Loc))
      return false;
    const DirectivesSeen::Macro *Macro = Tree.macroAt(Tree.Sources.getSpellingLoc(Loc));
    const clang::SourceLocation Use = Tree.Sources.getExpansionLoc(Loc);
    const DirectivesSeen::Macro *Other = Macro ? strongerMacro(Tree, *Macro, New, Use) : nullptr;
    const std::optional<TextSpan> Name = Other ? Tree.span(SourceRange(Use)) : std::nullopt;
    if (!Name || Tree.text(*Name) != Macro->Name || Tree.refusalToEdit(*Name))
      return false;
    return replace(*Name, Name->Begin, Name->End, Other->Name);
  }

  bool changeCall(const AtomicExpr &Call) {
    StringRef Name = Call.getOpAsString();
    const bool Loads = Name.ends_with("_load") || Name.ends_with("_load_n");
    const bool Stores = Name.ends_with("_store") || Name.ends_with("_store_n") || Name.ends_with("_clear");
    if ((Loads && To == Order::Release) || (Stores && To == Order::Acquire))
      return fail("this access cannot have that order");
    if (To == Order::AcqRel)
      To = Loads ? Order::Acquire : Stores ? Order::Release : To;
    if (!orderValue(Call.getOrder(), Tree.Context))
      return fail("the memory order is not a constant here");
    if (isWrittenInLibrary(Call.getOrder()))
      return makeExplicit(Call);
    const bool Builtins = Name.starts_with("__atomic_");
    if (Call.isCmpXChg()) {
      std::optional<Order> Failure = orderValue(Call.getOrderFail(), Tree.Context);
      if (Failure && !atLeast(ofFailure(To), *Failure) && !replaceOrder(Call.getOrderFail(), ofFailure(To), Builtins))
        return false;
    }
    return replaceOrder(Call.getOrder(), To, Builtins);
  }

  /// The order comes from the body of a macro of <stdatomic.h>.
  bool isWrittenInLibrary(const Expr *Written) const {
    clang::SourceLocation Loc = Written->getBeginLoc();
    for (; Loc.isMacroID(); Loc = Tree.Sources.getImmediateMacroCallerLoc(Loc))
      if (!Tree.Sources.isMacroArgExpansion(Loc)) {
        clang::SourceLocation Spelling = Tree.Sources.getSpellingLoc(Loc);
        if (Tree.Sources.isInSystemHeader(Spelling) && !Tree.Sources.isWrittenInBuiltinFile(Spelling))
          return true;
      }
    return false;
  }

  /// atomic_store(&x, v) becomes atomic_store_explicit(&x, v, memory_order_release).
  bool makeExplicit(const AtomicExpr &Call) {
    clang::SourceLocation Loc = Call.getBuiltinLoc();
    CharSourceRange Use;
    do {
      if (!Loc.isMacroID())
        return fail("the memory order is written in a system header");
      Use = Tree.Sources.getImmediateExpansionRange(Loc);
      Loc = Use.getBegin();
    } while (Tree.Sources.isInSystemHeader(Tree.Sources.getSpellingLoc(Loc)));
    std::optional<TextSpan> Name = editable(Tree.span(SourceRange(Use.getBegin())));
    std::optional<TextSpan> End = editable(Tree.span(SourceRange(Use.getEnd())));
    if (!Name || !End || Name->File != End->File || Name->Macro != End->Macro)
      return false;
    StringRef Text = Tree.text(*Name);
    if (!Text.starts_with("atomic_") || Text.ends_with("_explicit") || Tree.text(*End) != ")")
      return false;
    std::string Orders = ", " + nameOfOrder(To, false);
    if (Call.isCmpXChg())
      Orders += ", " + nameOfOrder(ofFailure(To), false);
    replace(*Name, Name->End, Name->End, "_explicit");
    return replace(*End, End->Begin, End->Begin, Orders);
  }

  bool changeOperator(const Expr &Whole, const Expr &Operand) {
    const bool IsPlain = Wanted.From == Order::NotAtomic;
    if (atLeast(To, Order::SeqCst))
      return fail("operators of _Atomic variables are seq_cst already");
    std::optional<TextSpan> X = Tree.span(&Operand), All = Tree.span(&Whole);
    if (!X || !All || X->Macro || All->Macro || Tree.refusalToEdit(*All))
      return fail("the access is written in a macro");
    if (!IsPlain && !Idiom.hasStdatomic(X->File))
      Result.NeedsInclude = {X->File, X->Begin};
    const bool Used = !isUnused(&Whole);
    const char *Load = IsPlain ? "__atomic_load_n(&" : "atomic_load_explicit(&";
    if (isa<ImplicitCastExpr>(Whole))
      return To != Order::Release && To != Order::AcqRel && call(Load, *X, X->End, X->End, "");
    if (auto *Unary = dyn_cast<UnaryOperator>(&Whole)) {
      if ((Used && Unary->isPrefix()) || !isPlainInteger(Operand))
        return fail("the value of the operator is used");
      const char *Name = functionOf(Unary->isIncrementOp() ? BO_AddAssign : BO_SubAssign);
      if (Unary->isPrefix())
        replace(*All, All->Begin, X->Begin, "");
      return call(Name, *X, X->End, All->End, ", 1");
    }
    auto &Binary = cast<BinaryOperator>(Whole);
    std::optional<TextSpan> Value = Tree.span(Binary.getRHS());
    const char *Name = functionOf(Binary.getOpcode());
    if (Used || !Value || Value->Macro || !Name || (Binary.getOpcode() != BO_Assign && !isPlainInteger(Operand)))
      return fail("the operator cannot be written as a call here");
    if (Binary.getOpcode() == BO_Assign && To == Order::Acquire)
      return fail("this access cannot have that order");
    if (Binary.getOpcode() == BO_Assign && To == Order::AcqRel)
      To = Order::Release;
    replace(*All, X->End, Value->Begin, ", ");
    return call(Name, *X, Value->End, Value->End, "");
  }

  bool call(const std::string &Name, const TextSpan &X, uint32_t Begin, uint32_t End, const std::string &Last) {
    replace(X, X.Begin, X.Begin, Name);
    return replace(X, Begin, End, Last + ", " + nameOfOrder(To, Wanted.From == Order::NotAtomic) + ")");
  }

  const char *functionOf(BinaryOperatorKind Op) const {
    const bool IsPlain = Wanted.From == Order::NotAtomic;
    switch (Op) {
    case BO_Assign: return IsPlain ? "__atomic_store_n(&" : "atomic_store_explicit(&";
    case BO_AddAssign: return IsPlain ? "__atomic_fetch_add(&" : "atomic_fetch_add_explicit(&";
    case BO_SubAssign: return IsPlain ? "__atomic_fetch_sub(&" : "atomic_fetch_sub_explicit(&";
    case BO_OrAssign: return IsPlain ? "__atomic_fetch_or(&" : "atomic_fetch_or_explicit(&";
    case BO_AndAssign: return IsPlain ? "__atomic_fetch_and(&" : "atomic_fetch_and_explicit(&";
    case BO_XorAssign: return IsPlain ? "__atomic_fetch_xor(&" : "atomic_fetch_xor_explicit(&";
    default: return nullptr;
    }
  }

  static bool isPlainInteger(const Expr &Operand) {
    QualType Type = Operand.getType();
    if (const auto *Atomic = Type->getAs<AtomicType>())
      Type = Atomic->getValueType();
    return Type->isIntegerType() && !Type->isBooleanType();
  }

  bool isUnused(const Stmt *S) const {
    const Stmt *Parent = Tree.parent(S);
    while (Parent && isa<ParenExpr, ImplicitCastExpr>(Parent)) {
      S = Parent;
      Parent = Tree.parent(S);
    }
    if (auto *Comma = dyn_cast_or_null<BinaryOperator>(Parent); Comma && Comma->isCommaOp())
      return Comma->getLHS() == S || isUnused(Comma);
    if (auto *For = dyn_cast_or_null<ForStmt>(Parent))
      return For->getCond() != S;
    if (auto *If = dyn_cast_or_null<IfStmt>(Parent))
      return If->getCond() != S;
    if (auto *While = dyn_cast_or_null<WhileStmt>(Parent))
      return While->getCond() != S;
    if (auto *Do = dyn_cast_or_null<DoStmt>(Parent))
      return Do->getCond() != S;
    return isa_and_nonnull<CompoundStmt, LabelStmt, SwitchCase>(Parent) &&
           !isa_and_nonnull<StmtExpr>(Tree.parent(Parent));
  }

  bool changeFence(const CallExpr &Call) {
    if (Call.getNumArgs() == 1 &&
        replaceOrder(Call.getArg(0), To, Call.getDirectCallee()->getName() == "__atomic_thread_fence"))
      return true;
    std::optional<TextSpan> Span = Tree.span(&Call);
    if (!Span || Span->Macro || Tree.refusalToEdit(*Span))
      return false;
    FenceKind Kind = To == Order::SeqCst    ? FenceKind::Full
                     : To == Order::AcqRel  ? FenceKind::AcqRel
                     : To == Order::Release ? FenceKind::Release
                                            : FenceKind::Acquire;
    FenceIdiom::Written New = Idiom.fence(Kind, Span->File, Span->Begin, /*Expression=*/true);
    if (New.NeedsInclude)
      Result.NeedsInclude = {Span->File, Span->Begin};
    Why.clear();
    return replace(*Span, Span->Begin, Span->End, New.Text);
  }

  const SourceTree &Tree;
  const FenceIdiom &Idiom;
  const ChangeOrder &Wanted;
  Order To;
  OrderEdit Result;
  std::string Why;
  bool SharedMacro = false;
};

} // namespace

std::variant<OrderEdit, Refusal> changeOrder(const SourceTree &Tree, const FenceIdiom &Idiom,
                                             const ChangeOrder &Wanted) {
  return OrderChange(Tree, Idiom, Wanted).run();
}

} // namespace picket
