#include "fences/SourceTree.h"

#include "source/compile/ClangCompiler.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace picket {

namespace {

class DirectiveReader : public PPCallbacks {
public:
  DirectiveReader(const SourceManager &Sources, DirectivesSeen &Seen) : Sources(Sources), Seen(Seen) {}

  void InclusionDirective(clang::SourceLocation Hash, const Token &, StringRef Name, bool, CharSourceRange,
                          OptionalFileEntryRef File, StringRef, StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    auto [In, Offset] = Sources.getDecomposedExpansionLoc(Hash);
    Seen.Includes.push_back({In, Offset, Depth[In], Name.str(), File ? &File->getFileEntry() : nullptr});
  }
  void MacroDefined(const Token &Name, const MacroDirective *Directive) override {
    clang::SourceLocation Loc = Name.getLocation();
    const OptionalFileEntryRef File = Sources.getFileEntryRefForID(Sources.getFileID(Loc));
    if (!File || (Sources.isInSystemHeader(Loc) && File->getName().starts_with("/usr/")) ||
        File->getName().contains("/lib/clang/"))
      return;
    Index[Directive->getMacroInfo()] = Seen.Macros.size();
    Seen.Macros.push_back({Name.getIdentifierInfo()->getName().str(), Directive->getMacroInfo(), 0});
  }
  void MacroExpands(const Token &, const MacroDefinition &Definition, SourceRange, const MacroArgs *) override {
    if (auto Found = Index.find(Definition.getMacroInfo()); Found != Index.end())
      ++Seen.Macros[Found->second].Uses;
  }
  void If(clang::SourceLocation Loc, SourceRange, ConditionValueKind) override { ++Depth[Sources.getFileID(Loc)]; }
  void Ifdef(clang::SourceLocation Loc, const Token &, const MacroDefinition &) override {
    ++Depth[Sources.getFileID(Loc)];
  }
  void Ifndef(clang::SourceLocation Loc, const Token &, const MacroDefinition &) override {
    ++Depth[Sources.getFileID(Loc)];
  }
  void Endif(clang::SourceLocation Loc, clang::SourceLocation) override { --Depth[Sources.getFileID(Loc)]; }

private:
  const SourceManager &Sources;
  DirectivesSeen &Seen;
  llvm::DenseMap<FileID, unsigned> Depth;
  llvm::DenseMap<const MacroInfo *, size_t> Index;
};

class TreeReader : public ASTConsumer {
public:
  TreeReader(CompilerInstance &Clang, llvm::function_ref<void(const SourceTree &)> Use) : Clang(Clang), Use(Use) {
    Clang.getPreprocessor().addPPCallbacks(std::make_unique<DirectiveReader>(Clang.getSourceManager(), Seen));
  }
  void HandleTranslationUnit(ASTContext &Context) override {
    if (!Context.getDiagnostics().hasErrorOccurred())
      Use(SourceTree(Context, Clang.getPreprocessor(), Seen));
  }

private:
  CompilerInstance &Clang;
  llvm::function_ref<void(const SourceTree &)> Use;
  DirectivesSeen Seen;
};

class TreeAction : public ASTFrontendAction {
public:
  explicit TreeAction(llvm::function_ref<void(const SourceTree &)> Use) : Use(Use) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Clang, StringRef) override {
    return std::make_unique<TreeReader>(Clang, Use);
  }

private:
  llvm::function_ref<void(const SourceTree &)> Use;
};

/// Where Clang's code generation says the access of an expression is. Invalid if it makes none.
clang::SourceLocation placeOfAccess(const Stmt *S) {
  if (auto *Cast = dyn_cast<ImplicitCastExpr>(S))
    return Cast->getCastKind() == CK_LValueToRValue ? Cast->getSubExpr()->IgnoreParens()->getExprLoc()
                                                    : clang::SourceLocation();
  if (auto *Binary = dyn_cast<BinaryOperator>(S))
    return Binary->isAssignmentOp() ? Binary->getExprLoc() : clang::SourceLocation();
  if (auto *Unary = dyn_cast<UnaryOperator>(S))
    return Unary->isIncrementDecrementOp() ? Unary->getExprLoc() : clang::SourceLocation();
  if (isa<AtomicExpr, CallExpr>(S))
    return cast<Expr>(S)->getExprLoc();
  if (isa<AsmStmt>(S))
    return S->getBeginLoc();
  return {};
}

} // namespace

SourceTree::SourceTree(ASTContext &Context, const clang::Preprocessor &Preprocessor, const DirectivesSeen &Seen)
    : Context(Context), Sources(Context.getSourceManager()), Language(Context.getLangOpts()),
      Preprocessor(Preprocessor), Seen(Seen) {
  for (const Decl *D : Context.getTranslationUnitDecl()->decls())
    if (auto *F = dyn_cast<FunctionDecl>(D); F && F->isThisDeclarationADefinition() && isUsers(F->getLocation()))
      read(*F, F->getBody());
}

void SourceTree::read(const FunctionDecl &Function, const Stmt *S) {
  if (isa<UnaryExprOrTypeTraitExpr>(S)) // not evaluated
    return;
  for (const Stmt *Child : S->children())
    if (Child && Parents.try_emplace(Child, S).second)
      read(Function, Child);
  Access Found{S, &Function, static_cast<uint32_t>(Nodes.size())};
  Nodes.push_back(Found);
  add(placeOfAccess(S), Found);
  if (auto *Declared = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declared->decls())
      if (auto *V = dyn_cast<VarDecl>(D); V && V->getInit())
        add(V->getLocation(), {V->getInit(), &Function, Found.Order});
}

void SourceTree::add(clang::SourceLocation Loc, const Access &Found) {
  if (Loc.isInvalid())
    return;
  SourceLocation Where = place(Loc);
  Accesses[{Where.File, Where.Line, Where.Column}].push_back(Found);
}

const std::vector<SourceTree::Access> &SourceTree::allAccessesAt(const SourceLocation &Where) const {
  static const std::vector<Access> None;
  auto At = Accesses.find({Where.File, Where.Line, Where.Column});
  return At == Accesses.end() ? None : At->second;
}

std::vector<SourceTree::Access> SourceTree::nodesAt(const SourceLocation &Where) const {
  std::vector<Access> Result;
  for (const Access &A : Nodes) {
    auto *E = dyn_cast<Expr>(A.Node);
    clang::SourceLocation Loc = E ? E->getExprLoc() : A.Node->getBeginLoc();
    PresumedLoc At = Sources.getPresumedLoc(Sources.getFileLoc(Loc));
    if (At.isValid() && At.getLine() == Where.Line && At.getColumn() == Where.Column && place(Loc) == Where &&
        !isa<CompoundStmt>(A.Node))
      Result.push_back(A);
  }
  return Result;
}

std::vector<SourceTree::Access> SourceTree::accessesAt(const SourceLocation &Where) const {
  std::vector<Access> All = allAccessesAt(Where);
  if (All.empty())
    All = nodesAt(Where);
  std::vector<Access> Result;
  for (const Access &A : All)
    if (llvm::none_of(All, [&](const Access &B) { return A.Node != B.Node && contains(B.Node, A.Node); }))
      Result.push_back(A);
  return Result;
}

bool SourceTree::contains(const Stmt *Outer, const Stmt *Inner) const {
  while (Inner && Inner != Outer)
    Inner = parent(Inner);
  return Inner;
}

std::optional<TextSpan> SourceTree::span(SourceRange Range) const {
  CharSourceRange Text = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), Sources, Language);
  if (Text.isInvalid())
    return spanInMacro(Range);
  auto [File, Begin] = Sources.getDecomposedLoc(Text.getBegin());
  return TextSpan{File, Begin, Sources.getFileOffset(Text.getEnd()), nullptr};
}

/// The place in the body of the macro that the file uses: of a token that came through an argument, that of the
/// parameter. Invalid if the token is not the first (last) of what came from there.
clang::SourceLocation SourceTree::inBody(clang::SourceLocation Loc, bool Start) const {
  while (Loc.isMacroID()) {
    CharSourceRange Outer = Sources.getImmediateExpansionRange(Loc);
    if (Outer.getBegin().isFileID() && !Sources.isMacroArgExpansion(Loc))
      return Sources.getSpellingLoc(Loc);
    if (Start && !Sources.isAtStartOfImmediateMacroExpansion(Loc))
      return {};
    unsigned Length = Lexer::MeasureTokenLength(Sources.getSpellingLoc(Loc), Sources, Language);
    if (!Start && !Sources.isAtEndOfImmediateMacroExpansion(Loc.getLocWithOffset(static_cast<int>(Length))))
      return {};
    Loc = Start ? Outer.getBegin() : Outer.getEnd();
  }
  return {};
}

std::optional<TextSpan> SourceTree::spanInMacro(SourceRange Range) const {
  clang::SourceLocation Begin = inBody(Range.getBegin(), true), End = inBody(Range.getEnd(), false);
  if (Begin.isInvalid() || End.isInvalid())
    return std::nullopt;
  const DirectivesSeen::Macro *Macro = macroAt(Begin);
  if (!Macro || Macro != macroAt(End) ||
      Sources.getExpansionLoc(Range.getBegin()) != Sources.getExpansionLoc(Range.getEnd()))
    return std::nullopt;
  unsigned Length = Lexer::MeasureTokenLength(End, Sources, Language);
  auto [File, Offset] = Sources.getDecomposedLoc(Begin);
  return TextSpan{File, Offset, Sources.getFileOffset(End) + Length, Macro->Info};
}

const DirectivesSeen::Macro *SourceTree::macroAt(clang::SourceLocation Spelling) const {
  for (const DirectivesSeen::Macro &M : Seen.Macros)
    if (Sources.getFileID(M.Info->getDefinitionLoc()) == Sources.getFileID(Spelling) &&
        M.Info->getDefinitionLoc() <= Spelling && Spelling <= M.Info->getDefinitionEndLoc())
      return &M;
  return nullptr;
}

/// The statement that the text of another one ends with.
static const Stmt *lastPart(const Stmt *S) {
  while (true) {
    const Stmt *Last = nullptr;
    if (auto *If = dyn_cast<IfStmt>(S))
      Last = If->getElse() ? If->getElse() : If->getThen();
    else if (auto *While = dyn_cast<WhileStmt>(S))
      Last = While->getBody();
    else if (auto *For = dyn_cast<ForStmt>(S))
      Last = For->getBody();
    else if (auto *Switch = dyn_cast<SwitchStmt>(S))
      Last = Switch->getBody();
    else if (auto *Label = dyn_cast<LabelStmt>(S))
      Last = Label->getSubStmt();
    else if (auto *Case = dyn_cast<SwitchCase>(S))
      Last = Case->getSubStmt();
    else if (auto *Attributed = dyn_cast<AttributedStmt>(S))
      Last = Attributed->getSubStmt();
    if (!Last)
      return S;
    S = Last;
  }
}

std::optional<TextSpan> SourceTree::statement(const Stmt *S) const {
  const Stmt *Last = lastPart(S);
  std::optional<TextSpan> Result = span(SourceRange(S->getBeginLoc(), Last->getEndLoc()));
  if (!Result || isa<CompoundStmt, NullStmt>(Last) || text(*Result).ends_with(";"))
    return Result;
  clang::SourceLocation End = locationOf(Result->File, Result->End - 1);
  std::optional<Token> Next =
      Lexer::findNextToken(Lexer::GetBeginningOfToken(End, Sources, Language), Sources, Language);
  if (!Next || Next->isNot(tok::semi))
    return std::nullopt;
  if (Result->Macro && Result->Macro->getDefinitionEndLoc() < Next->getLocation())
    return std::nullopt; // the semicolon stands behind the use
  Result->End = Sources.getFileOffset(Next->getLocation()) + 1;
  return Result;
}

bool SourceTree::isUsers(clang::SourceLocation Loc) const {
  Loc = Sources.getFileLoc(Loc);
  if (Sources.isInSystemHeader(Loc))
    return false;
  StringRef Path = Sources.getFilename(Loc);
  return !Path.empty() && !Path.starts_with("/usr/include/") && !Path.starts_with("/usr/lib/");
}

bool SourceTree::isOfSystem(clang::SourceLocation Loc) const {
  StringRef Path = Sources.getFilename(Sources.getFileLoc(Loc));
  return Path.empty() || Path.starts_with("/usr/") || Path.contains("/lib/clang/");
}

std::optional<Refusal> SourceTree::refusalToEdit(const TextSpan &Span) const {
  clang::SourceLocation Loc = locationOf(Span.File, Span.Begin);
  SourceLocation Where = place(Loc);
  if (!isUsers(Loc))
    return Refusal{"the text is in a system header", Where};
  if (Where.File != path(Span.File))
    return Refusal{"the text is generated from '" + Where.File + "'", Where};
  return std::nullopt;
}

SourceLocation SourceTree::place(clang::SourceLocation Loc) const {
  PresumedLoc Where = Sources.getPresumedLoc(Sources.getFileLoc(Loc));
  if (Where.isInvalid())
    return {};
  llvm::SmallString<256> Path(Where.getFilename());
  Sources.getFileManager().makeAbsolutePath(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return {std::string(Path), Where.getLine(), Where.getColumn()};
}

std::string SourceTree::path(FileID File) const {
  OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
  if (!Entry)
    return "";
  llvm::SmallString<256> Path(Entry->getName());
  Sources.getFileManager().makeAbsolutePath(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return std::string(Path);
}

bool readTree(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
              llvm::function_ref<void(const SourceTree &)> Use) {
  return runFrontend(Request, Diagnostics, [&] { return std::make_unique<TreeAction>(Use); });
}

} // namespace picket
