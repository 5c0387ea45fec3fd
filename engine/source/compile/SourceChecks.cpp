#include "source/compile/SourceChecks.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/Diagnostic.h"

using namespace llvm;

namespace picket {

namespace {

class WidthCheck : public clang::ASTConsumer {
public:
  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (const clang::Decl *D : Group)
      if (auto *Name = dyn_cast<clang::TypedefNameDecl>(D))
        look(*Name);
    return true;
  }

private:
  static void look(const clang::TypedefNameDecl &Name) {
    const clang::ASTContext &Context = Name.getASTContext();
    const clang::QualType Type = Name.getUnderlyingType();
    if (Name.isInvalidDecl() || !Name.getIdentifier() || !Type->isIntegerType() ||
        !is_contained({"size_t", "ptrdiff_t", "intptr_t", "uintptr_t"}, Name.getName()))
      return;
    const uint64_t Bits = Context.getTypeSize(Type);
    if (Bits >= Context.getTypeSize(Context.VoidPtrTy))
      return;
    clang::DiagnosticsEngine &Diagnostics = Context.getDiagnostics();
    Diagnostics.Report(Name.getLocation(),
                       Diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                   "'%0' has %1 bits, so this text is for a %1-bit machine, and Picket "
                                                   "checks programs for 64-bit machines; the flag -m64 checks it as "
                                                   "one of those"))
        << Name.getName() << static_cast<unsigned>(Bits);
  }
};

class DivisionKeeper : public clang::ASTConsumer, clang::DynamicRecursiveASTVisitor {
public:
  void Initialize(clang::ASTContext &C) override { Context = &C; }
  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    if (Context->getDiagnostics().hasErrorOccurred())
      return true; // it may nest too deeply
    for (clang::Decl *D : Group)
      if (auto *F = dyn_cast<clang::FunctionDecl>(D); F && F->doesThisDeclarationHaveABody() && !F->isInvalidDecl())
        TraverseStmt(F->getBody());
    return true;
  }

private:
  bool VisitBinaryOperator(clang::BinaryOperator *Operator) override {
    const auto Kind = Operator->getOpcode();
    clang::Expr *Divisor = Operator->getRHS();
    if ((Kind != clang::BO_Div && Kind != clang::BO_Rem) || !Divisor->getType()->isIntegralOrEnumerationType() ||
        Divisor->isValueDependent())
      return true;
    clang::Expr::EvalResult Value;
    if (Divisor->EvaluateAsInt(Value, *Context) && Value.Val.getInt().isZero())
      Operator->setRHS(throughMemory(*Divisor));
    return true;
  }

  /// `(int){0}` for `0`: a variable without a name, which is no constant to code generation.
  clang::Expr *throughMemory(clang::Expr &E) const {
    const clang::QualType Type = E.getType();
    auto *Variable = new (*Context)
        clang::CompoundLiteralExpr(E.getBeginLoc(), Context->getTrivialTypeSourceInfo(Type, E.getBeginLoc()), Type,
                                   clang::VK_LValue, &E, /*fileScope=*/false);
    return clang::ImplicitCastExpr::Create(*Context, Type, clang::CK_LValueToRValue, Variable, nullptr,
                                           clang::VK_PRValue, clang::FPOptionsOverride());
  }

  clang::ASTContext *Context = nullptr;
};

class InlineKeeper : public clang::ASTConsumer {
public:
  explicit InlineKeeper(std::set<std::string> &Kept) : Kept(Kept) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      if (auto *F = dyn_cast<clang::FunctionDecl>(D))
        All.push_back(F);
    return true;
  }

  /// Whether there is an external definition is known when all declarations have been read.
  void HandleTranslationUnit(clang::ASTContext &Context) override {
    for (clang::FunctionDecl *F : All)
      if (F->doesThisDeclarationHaveABody() && !F->isInvalidDecl() && F->isInlineSpecified() &&
          F->isExternallyVisible() && !F->hasAttr<clang::GNUInlineAttr>() &&
          !F->isInlineDefinitionExternallyVisible()) {
        F->addAttr(clang::GNUInlineAttr::CreateImplicit(Context));
        Kept.insert(F->getNameAsString());
      }
  }

private:
  std::set<std::string> &Kept;
  std::vector<clang::FunctionDecl *> All;
};

} // namespace

std::unique_ptr<clang::ASTConsumer> createInlineKeeper(std::set<std::string> &Kept) {
  return std::make_unique<InlineKeeper>(Kept);
}

std::unique_ptr<clang::ASTConsumer> createWidthCheck() { return std::make_unique<WidthCheck>(); }

std::unique_ptr<clang::ASTConsumer> createDivisionKeeper() { return std::make_unique<DivisionKeeper>(); }

} // namespace picket
