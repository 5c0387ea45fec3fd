#include "source/compile/NestingLimits.h"

#include "source/compile/CrashGuard.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"

using namespace llvm;

namespace picket {

namespace {

constexpr size_t MaxTokens = 20000; // open at the same time: of expressions, declarations and statements not yet over
constexpr size_t TokensOfElse = 8;  // what a level of `else if` counts as
constexpr unsigned MaxStmtDepth = 5000;
constexpr unsigned MaxTypeDepth = 500;

/// Counts the tokens of what is not over yet. Braces are levels of their own: what surrounds them is still open.
class TokenCounter {
public:
  /// False if there are too many.
  bool take(const clang::Token &T) {
    Level &Here = Levels.back();
    const bool StartsAnew = Here.Over;
    Here.Over = false;
    switch (T.getKind()) {
    case clang::tok::l_brace: Levels.push_back({}); return true;
    case clang::tok::r_brace:
      if (Levels.size() > 1) {
        Total -= Here.Tokens + Here.Elses * TokensOfElse;
        Levels.pop_back();
      }
      finish(Levels.back());
      return true;
    case clang::tok::l_paren:
    case clang::tok::l_square: ++Here.Brackets; break;
    case clang::tok::r_paren:
    case clang::tok::r_square: Here.Brackets -= Here.Brackets > 0; break;
    case clang::tok::semi:
    case clang::tok::comma:
      if (Here.Brackets == 0) {
        finish(Here);
        return true;
      }
      break;
    case clang::tok::kw_case: Here.InCase = true; break;
    case clang::tok::question: Here.InCase = false; break; // its colon is another one
    case clang::tok::colon:
      if (Here.InCase && Here.Brackets == 0) { // labels of one statement may be many
        finish(Here);
        return true;
      }
      break;
    case clang::tok::kw_else:
      ++Here.Elses;
      Total += TokensOfElse;
      return Total <= MaxTokens;
    case clang::tok::string_literal: return true; // pieces of one literal
    default: break;
    }
    if (StartsAnew && T.isNot(clang::tok::kw_else)) {
      Total -= Here.Elses * TokensOfElse;
      Here.Elses = 0;
    }
    ++Here.Tokens;
    return ++Total <= MaxTokens;
  }

private:
  struct Level {
    size_t Tokens = 0, Elses = 0;
    unsigned Brackets = 0;
    bool Over = true; // a statement has just ended; `else` goes on with it
    bool InCase = false;
  };

  void finish(Level &Which) {
    Total -= Which.Tokens;
    Which.Tokens = 0;
    Which.Brackets = 0;
    Which.Over = true;
    Which.InCase = false;
  }

  std::vector<Level> Levels = {Level()};
  size_t Total = 0;
};

SourceLocation locationOf(const clang::SourceManager &Sources, clang::SourceLocation Where) {
  const clang::PresumedLoc Known = Sources.getPresumedLoc(Sources.getFileLoc(Where), /*UseLineDirectives=*/false);
  if (Known.isInvalid())
    return {};
  return {Known.getFilename(), Known.getLine(), Known.getColumn(), Known.getLine(), Known.getColumn() + 1};
}

class NestingCheck : public clang::ASTConsumer {
public:
  void Initialize(clang::ASTContext &C) override { Context = &C; }

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    for (clang::Decl *D : Group)
      look(*D);
    return true;
  }

private:
  /// Declarations and statements contain each other, so both wait here with their depth.
  void look(clang::Decl &Top) {
    SmallVector<std::pair<const clang::Stmt *, unsigned>, 32> Stmts;
    auto Enter = [&](const clang::Decl &D, unsigned Depth) {
      lookAtTypes(D);
      if (auto *F = dyn_cast<clang::FunctionDecl>(&D); F && F->doesThisDeclarationHaveABody())
        Stmts.push_back({F->getBody(), Depth});
      else if (auto *V = dyn_cast<clang::VarDecl>(&D); V && V->getInit())
        Stmts.push_back({V->getInit(), Depth});
    };
    Enter(Top, 1);
    while (!Stmts.empty()) {
      auto [S, Depth] = Stmts.pop_back_val();
      if (Depth > MaxStmtDepth)
        return report(S->getBeginLoc(), "this nests more than %0 levels deep", MaxStmtDepth);
      for (const clang::Stmt *Child : S->children())
        if (Child)
          Stmts.push_back({Child, Depth + !isa<clang::SwitchCase>(Child)});
      if (auto *Declared = dyn_cast<clang::DeclStmt>(S))
        for (const clang::Decl *D : Declared->decls())
          Enter(*D, Depth + 1);
    }
  }

  void lookAtTypes(const clang::Decl &D) {
    unsigned Depth = 0;
    if (auto *Named = dyn_cast<clang::TypedefNameDecl>(&D))
      Depth = depthOf(Named->getUnderlyingType());
    else if (auto *Value = dyn_cast<clang::ValueDecl>(&D))
      Depth = depthOf(Value->getType());
    else if (auto *Record = dyn_cast<clang::RecordDecl>(&D))
      Depth = depthOf(*Record);
    if (Depth > MaxTypeDepth)
      report(D.getLocation(), "this type nests more than %0 levels deep", MaxTypeDepth);
  }

  /// Of pointers, arrays, functions and typedefs around each other, and structures in each other.
  unsigned depthOf(clang::QualType T) {
    unsigned Depth = 0;
    for (; !T.isNull() && Depth <= MaxTypeDepth; ++Depth) {
      const clang::Type *Here = T.getTypePtr();
      if (auto *Pointer = dyn_cast<clang::PointerType>(Here))
        T = Pointer->getPointeeType();
      else if (auto *Array = dyn_cast<clang::ArrayType>(Here))
        T = Array->getElementType();
      else if (auto *Function = dyn_cast<clang::FunctionType>(Here))
        T = Function->getReturnType();
      else if (auto *Atomic = dyn_cast<clang::AtomicType>(Here))
        T = Atomic->getValueType();
      else if (auto *Record = dyn_cast<clang::RecordType>(Here))
        return Depth + depthOf(*Record->getDecl());
      else if (clang::QualType Next = T.getSingleStepDesugaredType(*Context); Next != T)
        T = Next;
      else
        break;
    }
    return Depth;
  }

  /// A structure is complete before another one holds it, so those within are mostly known.
  unsigned depthOf(const clang::RecordDecl &Record) {
    const clang::RecordDecl *Definition = Record.getDefinition();
    if (!Definition)
      return 1;
    auto [At, New] = Known.try_emplace(Definition, 1); // a structure that points to itself is one level
    if (!New || Asking > MaxTypeDepth)
      return At->second;
    ++Asking;
    unsigned Deepest = 0;
    for (const clang::FieldDecl *Field : Definition->fields())
      Deepest = std::max(Deepest, holds(*Field));
    --Asking;
    return Known[Definition] = Deepest + 1;
  }

  /// What a field holds, which does not include what it points to.
  unsigned holds(const clang::FieldDecl &Field) {
    clang::QualType T = Field.getType();
    for (unsigned Depth = 0; Depth <= MaxTypeDepth; ++Depth) {
      if (auto *Record = dyn_cast<clang::RecordType>(T.getTypePtr()))
        return Depth + depthOf(*Record->getDecl());
      if (auto *Array = dyn_cast<clang::ArrayType>(T.getTypePtr()))
        T = Array->getElementType();
      else if (clang::QualType Next = T.getSingleStepDesugaredType(*Context); Next != T)
        T = Next;
      else
        return depthOf(T);
    }
    return MaxTypeDepth + 1;
  }

  void report(clang::SourceLocation Where, const char *Sentence, unsigned Limit) {
    clang::DiagnosticsEngine &Diagnostics = Context->getDiagnostics();
    if (!std::exchange(Reported, true))
      Diagnostics.Report(Where, Diagnostics.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Error, Sentence))
          << Limit;
  }

  clang::ASTContext *Context = nullptr;
  DenseMap<const clang::RecordDecl *, unsigned> Known;
  unsigned Asking = 0;
  bool Reported = false;
};

} // namespace

void limitNestingOfTokens(clang::Preprocessor &PP) {
  PP.setTokenWatcher([Counter = TokenCounter(), &Sources = PP.getSourceManager()](const clang::Token &T) mutable {
    if (!Counter.take(T))
      giveUp(locationOf(Sources, T.getLocation()),
             "an expression, a declaration or a statement is too long: it has more than " + std::to_string(MaxTokens) +
                 " tokens");
  });
}

std::unique_ptr<clang::ASTConsumer> createNestingCheck() { return std::make_unique<NestingCheck>(); }

} // namespace picket
