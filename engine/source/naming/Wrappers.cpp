#include "source/naming/Wrappers.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace clang;

namespace picket {

namespace {

constexpr unsigned MostStatements = 6; // with those that only hand a value on
constexpr unsigned DeepestCall = 8;    // wrappers that call wrappers

/// Reads the body of a function.
class Body {
public:
  Body(const FunctionDecl &F, unsigned Depth) : F(F), Depth(Depth) {
    const StringRef Name = F.getDeclName().isIdentifier() ? F.getName() : StringRef();
    IsNamedAtomic = Name.contains_insensitive("atomic") || Name.contains_insensitive("_pr_");
  }

  bool isOnlyAccess() {
    read(F.getBody(), /*Result=*/false);
    return Possible && Accesses == 1;
  }
  WrappedAccess What;

private:
  void read(const Stmt *S, bool Result) {
    if (!S || !Possible)
      return;
    if (auto *E = dyn_cast<Expr>(S))
      return readExpression(E->IgnoreParens(), Result);
    if (isa<CompoundStmt, DeclStmt, ReturnStmt, NullStmt, DoStmt>(S)) {
      if (auto *Loop = dyn_cast<DoStmt>(S)) { // do { ... } while (0)
        if (!isConstant(Loop->getCond()))
          return fail();
        return read(Loop->getBody(), false);
      }
      if (auto *Declared = dyn_cast<DeclStmt>(S)) {
        for (const Decl *D : Declared->decls())
          if (auto *V = dyn_cast<VarDecl>(D)) {
            if (!V->hasLocalStorage())
              return fail();
            read(V->getInit(), true);
          }
        return;
      }
      for (const Stmt *Child : S->children()) {
        if (++Statements > MostStatements)
          return fail();
        read(Child, isa<ReturnStmt>(S));
      }
      return;
    }
    if (auto *Assembly = dyn_cast<GCCAsmStmt>(S))
      return Assembly->isAsmGoto() ? fail() : note(Assembly->getNumInputs() + Assembly->getNumOutputs() > 0);
    fail();
  }

  void readExpression(const Expr *E, bool Result) {
    if (auto *Atomic = dyn_cast<AtomicExpr>(E)) {
      What.Atomic = Atomic;
      if (!isGeneric(Atomic->getPtr()) || (!IsNamedAtomic && storesConstant(*Atomic)))
        return fail();
      for (unsigned K = 0; K < const_cast<AtomicExpr *>(Atomic)->getNumSubExprs(); ++K)
        if (const Expr *Operand = const_cast<AtomicExpr *>(Atomic)->getSubExprs()[K]; Operand != Atomic->getPtr())
          quiet(Operand);
      return note(true);
    }
    if (auto *Call = dyn_cast<CallExpr>(E))
      return readCall(*Call);
    if (auto *Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isAssignmentOp()) {
      quiet(Binary->getRHS());
      if (isLocal(Binary->getLHS())) {
        read(Binary->getRHS(), true);
        return;
      }
      if (!isGenericLvalue(Binary->getLHS()) || (!IsNamedAtomic && isConstant(Binary->getRHS())))
        return fail();
      return note(true);
    }
    if (auto *Cast = dyn_cast<CastExpr>(E)) {
      if (Cast->getCastKind() == CK_LValueToRValue && !isLocal(Cast->getSubExpr())) {
        if (!isGenericLvalue(Cast->getSubExpr()))
          return fail();
        return note(true);
      }
      return read(Cast->getSubExpr(), Result);
    }
    if (auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp()) {
      if (!IsNamedAtomic || !isGenericLvalue(Unary->getSubExpr()))
        return fail();
      return note(true);
    }
    for (const Stmt *Child : E->children())
      read(Child, true);
    if (isa<AbstractConditionalOperator, StmtExpr>(E))
      fail();
    if (auto *Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isLogicalOp())
      fail();
  }

  void readCall(const CallExpr &Call) {
    const FunctionDecl *Callee = Call.getDirectCallee();
    if (!Callee || Depth >= DeepestCall || Accesses > 0)
      return fail();
    What.Call = &Call;
    const StringRef Name = Callee->getDeclName().isIdentifier() ? Callee->getName() : StringRef();
    const bool IsSync = Name.starts_with("__sync_") && Call.getNumArgs() > 0;
    const FunctionDecl *Defined = Callee->getDefinition();
    if (!IsSync && (!Defined || !Defined->getBody() || !isWrapperAt(*Defined)))
      return fail();
    if (Call.getNumArgs() > 0 && !isGeneric(Call.getArg(0)))
      return fail();
    for (unsigned K = 1; K < Call.getNumArgs(); ++K) {
      quiet(Call.getArg(K));
      if (!IsNamedAtomic && !IsSync && isConstant(Call.getArg(K)) && Call.getArg(K)->getType()->isPointerType())
        return fail();
    }
    if (IsSync && !IsNamedAtomic && Call.getNumArgs() > 1 && isConstant(Call.getArg(Call.getNumArgs() - 1)))
      return fail();
    note(true);
  }

  bool isWrapperAt(const FunctionDecl &Callee) const { return Body(Callee, Depth + 1).isOnlyAccess(); }

  /// Operands that read only parameters and local variables.
  void quiet(const Expr *E) {
    if (isa<CallExpr, AtomicExpr, StmtExpr>(E))
      return fail();
    if (auto *Cast = dyn_cast<CastExpr>(E);
        Cast && Cast->getCastKind() == CK_LValueToRValue && !isLocal(Cast->getSubExpr()))
      return fail();
    for (const Stmt *Child : E->children())
      if (auto *Inner = dyn_cast_or_null<Expr>(Child))
        quiet(Inner);
  }

  static bool isLocal(const Expr *E) {
    auto *Variable = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    auto *V = Variable ? dyn_cast<VarDecl>(Variable->getDecl()) : nullptr;
    return V && V->hasLocalStorage();
  }

  bool isConstant(const Expr *E) const {
    Expr::EvalResult Value;
    return E->EvaluateAsInt(Value, F.getASTContext());
  }

  /// Whether an access stores a value that the function itself chose: it then means something by it.
  bool storesConstant(const AtomicExpr &Atomic) const {
    const StringRef Name = Atomic.getOpAsString();
    if (Name.contains("_load") || Name.contains("_clear"))
      return Name.contains("_clear");
    return Name.contains("test_and_set") || isConstant(Atomic.getVal1());
  }

  /// A parameter, or the address of the only field of what it points to.
  bool isGeneric(const Expr *Pointer) const {
    const Expr *E = Pointer->IgnoreParenCasts();
    if (auto *Address = dyn_cast<UnaryOperator>(E); Address && Address->getOpcode() == UO_AddrOf)
      return isGenericLvalue(Address->getSubExpr());
    auto *Variable = dyn_cast<DeclRefExpr>(E);
    return Variable && isa<ParmVarDecl>(Variable->getDecl());
  }

  /// *p, or the only field of *p. A structure with one field may be an atomic32_t, but a lock as well.
  bool isGenericLvalue(const Expr *LValue) const {
    const Expr *E = LValue->IgnoreParenCasts();
    if (auto *Star = dyn_cast<UnaryOperator>(E); Star && Star->getOpcode() == UO_Deref)
      return isGeneric(Star->getSubExpr());
    auto *Member = dyn_cast<MemberExpr>(E);
    auto *Field = Member && Member->isArrow() ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    if (!Field || !IsNamedAtomic)
      return false;
    auto Fields = Field->getParent()->fields();
    return std::next(Fields.begin()) == Fields.end() && isGeneric(Member->getBase());
  }

  void note(bool Accessed) { Accesses += Accessed; }
  void fail() { Possible = false; }

  const FunctionDecl &F;
  const unsigned Depth;
  bool IsNamedAtomic = false, Possible = true;
  unsigned Accesses = 0, Statements = 0;
};

} // namespace

bool isWrapper(const FunctionDecl &F, WrappedAccess *What) {
  const FunctionDecl *Defined = F.getDefinition();
  if (!Defined || !Defined->getBody() || Defined->getNumParams() == 0 ||
      !Defined->getParamDecl(0)->getType()->isPointerType())
    return false;
  Body Read(*Defined, 0);
  const bool Result = Read.isOnlyAccess();
  if (Result && What)
    *What = Read.What;
  return Result;
}

} // namespace picket
