#include "fences/WrapperCalls.h"

#include "fences/FenceIdiom.h"
#include "fences/ProgramEdit.h"
#include "source/naming/Wrappers.h"

#include <algorithm>

using namespace clang;

namespace picket {

namespace {

/// The access in the end, through wrappers that call wrappers, and its order if that is a constant.
struct Wrapped {
  const AtomicExpr *Atomic = nullptr;
  std::optional<Order> With;
  std::optional<unsigned> Parameter; // that becomes the order
};

std::optional<unsigned> parameterOf(const Expr *E, const FunctionDecl &F) {
  auto *Variable = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  auto *Parameter = Variable ? dyn_cast<ParmVarDecl>(Variable->getDecl()) : nullptr;
  if (!Parameter || Parameter->getDeclContext() != F.getDefinition())
    return std::nullopt;
  return Parameter->getFunctionScopeIndex();
}

Wrapped wrappedBy(const FunctionDecl &F) {
  WrappedAccess What;
  Wrapped Result;
  if (!isWrapper(F, &What))
    return Result;
  if (What.Atomic) {
    Result.Atomic = What.Atomic;
    Result.With = orderValue(What.Atomic->getOrder(), F.getASTContext());
    if (!Result.With)
      Result.Parameter = parameterOf(What.Atomic->getOrder(), *F.getDefinition());
    return Result;
  }
  const FunctionDecl *Callee = What.Call ? What.Call->getDirectCallee() : nullptr;
  if (!Callee)
    return Result;
  Result = wrappedBy(*Callee);
  if (!Result.With && Result.Parameter && *Result.Parameter < What.Call->getNumArgs()) {
    const Expr *Argument = What.Call->getArg(*Result.Parameter);
    Result.With = orderValue(Argument, F.getASTContext());
    Result.Parameter = Result.With ? std::nullopt : parameterOf(Argument, *F.getDefinition());
  }
  return Result;
}

size_t commonPrefix(StringRef A, StringRef B) {
  return static_cast<size_t>(std::mismatch(A.begin(), A.end(), B.begin(), B.end()).first - A.begin());
}

/// Which is the better substitute: the weaker order, then the more similar name.
struct Substitute {
  Order With;
  size_t Likeness;
  bool operator<(const Substitute &Other) const {
    if (With != Other.With)
      return atLeast(Other.With, With);
    return Likeness > Other.Likeness;
  }
};

std::optional<Order> orderWord(StringRef Name) {
  for (const Order O : {Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst}) {
    const std::string Word =
        StringRef(nameOfOrder(O, /*Builtins=*/false)).drop_front(StringRef("memory_order_").size()).str();
    if (Name.lower() == "memory_order_" + Word || Name.lower() == "__atomic_" + Word)
      return O;
  }
  return std::nullopt;
}

} // namespace

std::optional<Order> orderValue(const Expr *E, const ASTContext &Context) {
  static constexpr Order Values[] = {Order::Relaxed, Order::Acquire, Order::Acquire,
                                     Order::Release, Order::AcqRel,  Order::SeqCst};
  Expr::EvalResult Value;
  if (!E || !E->EvaluateAsInt(Value, Context) || Value.Val.getInt().getZExtValue() > 5)
    return std::nullopt;
  return Values[Value.Val.getInt().getZExtValue()];
}

std::optional<unsigned> orderParameter(const FunctionDecl &Wrapper) { return wrappedBy(Wrapper).Parameter; }

const FunctionDecl *strongerWrapper(const SourceTree &Tree, const FunctionDecl &Wrapper, Order To,
                                    clang::SourceLocation Use) {
  const Wrapped Mine = wrappedBy(Wrapper);
  if (!Mine.Atomic || !Mine.With)
    return nullptr;
  const FunctionDecl *Best = nullptr;
  Substitute Known{};
  for (const Decl *D : Tree.Context.getTranslationUnitDecl()->decls()) {
    auto *F = dyn_cast<FunctionDecl>(D);
    if (!F || !F->isThisDeclarationADefinition() || !F->getDeclName().isIdentifier() ||
        F->getCanonicalDecl() == Wrapper.getCanonicalDecl() ||
        !Tree.Context.hasSameType(F->getType(), Wrapper.getType()) ||
        !Tree.Sources.isBeforeInTranslationUnit(F->getLocation(), Use))
      continue;
    const Wrapped Theirs = wrappedBy(*F);
    if (!Theirs.Atomic || !Theirs.With || Theirs.Atomic->getOp() != Mine.Atomic->getOp() || !atLeast(*Theirs.With, To))
      continue;
    const Substitute This{*Theirs.With, commonPrefix(F->getName(), Wrapper.getName())};
    if (!Best || This < Known) {
      Best = F;
      Known = This;
    }
  }
  return Best;
}

const DirectivesSeen::Macro *strongerMacro(const SourceTree &Tree, const DirectivesSeen::Macro &Macro, Order To,
                                           clang::SourceLocation Use) {
  const MacroInfo &Mine = *Macro.Info;
  const DirectivesSeen::Macro *Best = nullptr;
  Substitute Known{};
  for (const DirectivesSeen::Macro &Other : Tree.Seen.Macros) {
    const MacroInfo &Theirs = *Other.Info;
    if (&Other == &Macro || Theirs.getNumTokens() != Mine.getNumTokens() ||
        Theirs.getNumParams() != Mine.getNumParams() || Theirs.isFunctionLike() != Mine.isFunctionLike() ||
        Theirs.isVariadic() != Mine.isVariadic() ||
        Tree.Preprocessor.getMacroInfo(Tree.Preprocessor.getIdentifierInfo(Other.Name)) != &Theirs ||
        !Tree.Sources.isBeforeInTranslationUnit(Theirs.getDefinitionEndLoc(), Use))
      continue;
    std::optional<Order> With;
    bool Same = true;
    for (unsigned K = 0; Same && K < Mine.getNumTokens(); ++K) {
      const Token &A = Mine.getReplacementToken(K), &B = Theirs.getReplacementToken(K);
      const IdentifierInfo *NameA = A.getIdentifierInfo(), *NameB = B.getIdentifierInfo();
      Same = A.getKind() == B.getKind();
      if (!Same)
        break;
      if (!NameA || !NameB) {
        Same = Tree.Preprocessor.getSpelling(A) == Tree.Preprocessor.getSpelling(B);
        continue;
      }
      const int ParamA = Mine.getParameterNum(NameA), ParamB = Theirs.getParameterNum(NameB);
      const std::optional<Order> OrderA = orderWord(NameA->getName()), OrderB = orderWord(NameB->getName());
      if (OrderA && OrderB && !With)
        With = OrderB;
      else
        Same = ParamA == ParamB && (ParamA >= 0 || NameA == NameB);
    }
    if (!Same || !With || !atLeast(*With, To))
      continue;
    const Substitute This{*With, commonPrefix(Other.Name, Macro.Name)};
    if (!Best || This < Known) {
      Best = &Other;
      Known = This;
    }
  }
  return Best;
}

std::string nameLike(const SourceTree &Tree, StringRef Written, Order To, clang::SourceLocation Use) {
  const std::string Standard = nameOfOrder(To, /*Builtins=*/false);
  const StringRef Word = StringRef(Standard).drop_front(StringRef("memory_order_").size());
  for (const char *From : {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"}) {
    const bool Upper = Written.ends_with(StringRef(From).upper());
    if (!Upper && !Written.ends_with(From))
      continue;
    const std::string Name = (Written.drop_back(StringRef(From).size()) + (Upper ? Word.upper() : Word.str())).str();
    if (Name == Standard || Name == nameOfOrder(To, /*Builtins=*/true))
      return "";
    // A macro that stands for the order, or a constant that has its value.
    for (const DirectivesSeen::Macro &M : Tree.Seen.Macros)
      if (M.Name == Name && !M.Info->isFunctionLike() && M.Info->getNumTokens() == 1 &&
          Tree.Sources.isBeforeInTranslationUnit(M.Info->getDefinitionEndLoc(), Use))
        if (const IdentifierInfo *Value = M.Info->getReplacementToken(0).getIdentifierInfo();
            Value && orderWord(Value->getName()) == To)
          return Name;
    for (const Decl *D : Tree.Context.getTranslationUnitDecl()->decls())
      if (auto *Enum = dyn_cast<EnumDecl>(D))
        for (const EnumConstantDecl *Constant : Enum->enumerators())
          if (Constant->getName() == Name && Constant->getInitVal() == static_cast<int64_t>(To == Order::SeqCst    ? 5
                                                                                            : To == Order::AcqRel  ? 4
                                                                                            : To == Order::Release ? 3
                                                                                            : To == Order::Acquire ? 2
                                                                                                                   : 0))
            return Name;
  }
  return "";
}

} // namespace picket
