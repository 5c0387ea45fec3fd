#include "source/naming/SourceExpressions.h"

#include "source/naming/AstTypes.h"
#include "source/naming/Wrappers.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/Sanitizers.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace picket {

namespace {

constexpr size_t MaxTextLength = 60;

/// One line, single blanks, not too long. Cut between characters, not within one of several bytes.
std::string normalised(StringRef Text) {
  std::string Result;
  for (char C : Text.trim()) {
    bool Blank = C == ' ' || C == '\t' || C == '\n' || C == '\r' || C == '\\';
    if (!Blank)
      Result += C;
    else if (Result.back() != ' ')
      Result += ' ';
  }
  if (Result.size() <= MaxTextLength)
    return Result;
  size_t End = MaxTextLength - 3;
  while (End > 0 && (static_cast<unsigned char>(Result[End]) & 0xc0) == 0x80)
    --End;
  return Result.substr(0, End) + "...";
}

/// Visits what the user wrote. Places are computed as Clang's code generation does for its debug locations: a load has
/// the place of the expression that names what is loaded, a store that of the assignment.
class Reader : public DynamicRecursiveASTVisitor {
public:
  Reader(ASTContext &Context, SourceFacts &Facts)
      : Context(Context), Sources(Context.getSourceManager()), Facts(Facts), Types(Context, Facts.Types) {}

  bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
    if (E->getCastKind() == CK_LValueToRValue)
      add(E->getSubExpr()->IgnoreParens()->getExprLoc(), E->getSubExpr(), false);
    return true;
  }

  bool VisitExplicitCastExpr(ExplicitCastExpr *E) override {
    noteAllocation(E->getSubExpr(), E->getType());
    return true;
  }

  bool VisitBinaryOperator(BinaryOperator *E) override {
    if (!E->isAssignmentOp())
      return true;
    noteAllocation(E->getRHS(), E->getLHS()->getType());
    add(E->getExprLoc(), E->getLHS(), true);
    // A bit-field is written by changing the bytes it is part of.
    if (E->isCompoundAssignmentOp() || E->getLHS()->refersToBitField())
      add(E->getExprLoc(), E->getLHS(), false);
    if (E->getType()->isRecordType()) // is copied, at the place of what is copied
      add(E->getRHS()->IgnoreParenImpCasts()->getExprLoc(), E->getLHS(), true);
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *E) override {
    if (E->isIncrementDecrementOp()) {
      add(E->getExprLoc(), E->getSubExpr(), false);
      add(E->getExprLoc(), E->getSubExpr(), true);
    }
    return true;
  }

  bool VisitVarDecl(VarDecl *D) override {
    if (D->getName().empty())
      return true;
    SourceFacts::Place Where = place(D->getLocation());
    uint32_t Type = Types.indexOf(D->getType());
    Facts.Variables[{D->getNameAsString(), Where.File, Where.Line}] = Type;
    if (const Expr *Value = D->getInit()) {
      noteAllocation(Value, D->getType());
      if (D->hasLocalStorage()) {
        add(Where, D->getName(), Type, true);
        addInitialiser(Value, D->getName(), Type);
      }
    }
    return true;
  }

  bool VisitReturnStmt(ReturnStmt *S) override {
    if (S->getRetValue() && CurrentFunction)
      noteAllocation(S->getRetValue(), CurrentFunction->getReturnType());
    return true;
  }

  bool VisitAtomicExpr(AtomicExpr *E) override {
    addPointee(E->getExprLoc(), E->getPtr());
    switch (E->getOp()) {
    case AtomicExpr::AO__atomic_load:
    case AtomicExpr::AO__atomic_store:
    case AtomicExpr::AO__atomic_exchange:
    case AtomicExpr::AO__atomic_compare_exchange:
      // The values are behind pointers too.
      for (unsigned I = 0; I < E->getNumSubExprs(); ++I)
        if (E->getSubExprs()[I] != E->getPtr())
          addPointee(E->getExprLoc(), E->getSubExprs()[I]);
      break;
    default:
      if (E->isCmpXChg())
        addPointee(E->getExprLoc(), E->getVal1());
    }
    return true;
  }

  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *Callee = E->getDirectCallee();
    if (E->getType()->isPointerType())
      noteSize(E);
    if (Callee && noteWrapperCall(*Callee) && E->getNumArgs() > 0)
      addPointee(E->getExprLoc(), E->getArg(0));
    for (unsigned I = 0; Callee && I < std::min(E->getNumArgs(), Callee->getNumParams()); ++I)
      noteAllocation(E->getArg(I), Callee->getParamDecl(I)->getType());
    // What is defined here accesses memory in its own text.
    if (!Callee || Callee->isDefined())
      return true;
    for (const Expr *Argument : E->arguments())
      addPointee(E->getExprLoc(), Argument);
    if (Callee->getDeclName().isIdentifier() && Callee->getName() == "posix_memalign" && E->getNumArgs() > 0)
      if (auto *Result = dyn_cast<UnaryOperator>(E->getArg(0)->IgnoreParenCasts()))
        if (Result->getOpcode() == UO_AddrOf)
          note(E, Result->getSubExpr()->getType());
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    const ValueDecl *D = E->getDecl();
    if (!isExternal(*D) || Sources.isInSystemHeader(Sources.getFileLoc(D->getLocation())))
      return true;
    const SourceFacts::Place Declared = place(D->getLocation()), Used = place(E->getLocation());
    Facts.Externals.try_emplace(D->getNameAsString(),
                                SourceFacts::External{{Facts.Files[Declared.File], Declared.Line, Declared.Column},
                                                      {Facts.Files[Used.File], Used.Line, Used.Column}});
    return true;
  }

  bool TraverseFunctionDecl(FunctionDecl *D) override {
    CurrentFunction = D;
    if (isLeftAlone(*D))
      noteBenign(place(D->getBeginLoc()), place(D->getEndLoc()).Line);
    for (ParmVarDecl *Parameter : D->parameters()) // else only reached through the function's type
      VisitVarDecl(Parameter);
    bool Continue = DynamicRecursiveASTVisitor::TraverseFunctionDecl(D);
    CurrentFunction = nullptr;
    return Continue;
  }

  /// Types hold no accesses but for the sizes of arrays, which are not worth the way.
  bool TraverseTypeLoc(TypeLoc, bool = true) override { return true; }
  /// Neither operand of sizeof is evaluated.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }

  /// Where things are that belong to the whole text.
  void readFiles() {
    const FunctionDecl *Main = nullptr;
    for (const Decl *D : Context.getTranslationUnitDecl()->decls())
      if (auto *F = dyn_cast<FunctionDecl>(D); F && F->isMain() && F->isThisDeclarationADefinition())
        Main = F;
    Facts.HasMain = Main != nullptr;
    Facts.Checked = Main ? Facts.Files[place(Main->getLocation()).File] : "";
    if (OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(Sources.getMainFileID())) {
      Facts.Compiled.push_back(Facts.Files[file(Entry->getName().data())]);
      if (Facts.Checked.empty())
        Facts.Checked = Facts.Compiled.back();
    }
    for (unsigned K = 0; K < Sources.local_sloc_entry_size(); ++K) {
      const SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(K);
      if (!Entry.isFile() || Entry.getFile().getFileCharacteristic() == SrcMgr::C_User)
        continue;
      if (OptionalFileEntryRef File = Entry.getFile().getContentCache().OrigEntry)
        Facts.SystemFiles.insert(Facts.Files[file(File->getName().data())]);
    }
  }

  /// Whether the function wraps an access. Its calls are counted.
  bool noteWrapperCall(const FunctionDecl &F) {
    auto [Known, IsNew] = IsWrapper.try_emplace(F.getCanonicalDecl(), false);
    if (IsNew) {
      const FunctionDecl *Defined = F.getDefinition();
      Known->second = Defined && !Sources.isInMainFile(Sources.getFileLoc(Defined->getLocation())) && isWrapper(F);
    }
    if (!IsWrapper.lookup(F.getCanonicalDecl()))
      return false;
    ++Facts.Wrappers[{Facts.Files[place(F.getDefinition()->getLocation()).File], F.getNameAsString()}];
    return true;
  }

private:
  /// Whether something is declared here and has to be defined in another file.
  bool isExternal(const ValueDecl &D) const {
    if (!D.isExternallyVisible() || D.isWeak() || D.hasAttr<AsmLabelAttr>())
      return false;
    if (auto *F = dyn_cast<FunctionDecl>(&D))
      return !F->isDefined() && F->getBuiltinID() == 0;
    auto *V = dyn_cast<VarDecl>(&D);
    return V && V->hasGlobalStorage() && V->hasDefinition(Context) == VarDecl::DeclarationOnly;
  }

  SourceFacts::Place place(SourceLocation Loc) {
    PresumedLoc Where = Sources.getPresumedLoc(Sources.getFileLoc(Loc));
    if (Where.isInvalid())
      return {};
    return {file(Where.getFilename()), Where.getLine(), Where.getColumn()};
  }

  uint32_t file(const char *Name) {
    auto [It, New] = Files.try_emplace(Name, 0);
    if (New) {
      llvm::SmallString<256> Path(Name);
      Sources.getFileManager().makeAbsolutePath(Path);
      llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
      It->second = static_cast<uint32_t>(Facts.Files.size());
      Facts.Files.push_back(std::string(Path));
    }
    return It->second;
  }

  /// The text of an expression. Where a macro's body is behind it, what the body says.
  std::string text(const Expr *E) {
    CharSourceRange Range =
        Lexer::makeFileCharRange(CharSourceRange::getTokenRange(E->getSourceRange()), Sources, Context.getLangOpts());
    if (Range.isValid())
      return normalised(Lexer::getSourceText(Range, Sources, Context.getLangOpts()));
    std::string Printed;
    llvm::raw_string_ostream Out(Printed);
    E->printPretty(Out, nullptr, Types.printing());
    return normalised(Printed);
  }

  /// What an lvalue names. `*(volatile int *)&x` is x.
  std::string describe(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_Deref)
      return describePointee(Unary->getSubExpr(), "*");
    if (auto *Member = dyn_cast<MemberExpr>(E); Member && isOfLibrary(*Member)) // atomic_flag's only field
      return Member->isArrow() ? describePointee(Member->getBase(), "*") : describe(Member->getBase());
    return text(E);
  }

  /// What a pointer points to. `Star` stands before arrays that are used as pointers.
  std::string describePointee(const Expr *Pointer, StringRef Star) {
    Pointer = Pointer->IgnoreParenCasts();
    while (auto *Pair = dyn_cast<BinaryOperator>(Pointer)) { // macros check types in front of a comma
      if (Pair->getOpcode() != BO_Comma)
        break;
      Pointer = Pair->getRHS()->IgnoreParenCasts();
    }
    if (auto *Unary = dyn_cast<UnaryOperator>(Pointer); Unary && Unary->getOpcode() == UO_AddrOf)
      return describe(Unary->getSubExpr());
    if (Pointer->getType()->isArrayType())
      return Star.str() + text(Pointer);
    bool Simple = isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr, CallExpr, UnaryOperator>(Pointer);
    return Simple ? "*" + text(Pointer) : "*(" + text(Pointer) + ")";
  }

  bool isOfLibrary(const MemberExpr &E) const {
    return E.getMemberDecl()->getDeclName().isIdentifier() && E.getMemberDecl()->getName().starts_with("_") &&
           Sources.isInSystemHeader(E.getMemberDecl()->getLocation());
  }

  void add(SourceFacts::Place Where, StringRef Text, uint32_t Type, bool Write) {
    if (Where.Line != 0 && !Text.empty())
      Facts.Expressions.push_back({Where.File, Where.Line, Where.Column, Write, Text.str(), Type});
  }
  void add(SourceLocation Where, const Expr *LValue, bool Write) {
    add(place(Where), describe(LValue), Types.indexOf(LValue->getType()), Write);
    noteIfBenign(place(Where), LValue);
  }

  /// ThreadSanitizer is told to leave the function alone.
  static bool isLeftAlone(const FunctionDecl &D) {
    if (D.hasAttr<DisableSanitizerInstrumentationAttr>())
      return true;
    return llvm::any_of(D.specific_attrs<NoSanitizeAttr>(),
                        [](const NoSanitizeAttr *A) { return bool(A->getMask() & SanitizerKind::Thread); });
  }
  void noteBenign(SourceFacts::Place Begin, uint32_t LastLine) {
    for (uint32_t Line = Begin.Line; Line <= LastLine; ++Line)
      Facts.BenignRaces.insert({Begin.File, Line, 0});
  }
  void noteIfBenign(SourceFacts::Place Where, const Expr *LValue) {
    if (!Facts.BenignRaces.empty() && isMarked(LValue))
      Facts.BenignRaces.insert(Where);
  }
  /// Whether an lvalue is (a part of) a variable, or a field, whose declaration has the mark. What a marked pointer points
  /// to has none.
  bool isMarked(const Expr *E) {
    while (true) {
      E = E->IgnoreParenCasts();
      if (auto *Member = dyn_cast<MemberExpr>(E)) {
        if (isMarked(*Member->getMemberDecl()))
          return true;
        if (Member->isArrow())
          return false;
        E = Member->getBase();
        continue;
      }
      const Expr *Whole = nullptr;
      if (auto *Element = dyn_cast<ArraySubscriptExpr>(E))
        Whole = Element->getBase()->IgnoreParenCasts();
      else if (auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->getOpcode() == UO_Deref)
        Whole = Unary->getSubExpr()->IgnoreParenCasts();
      auto *Taken = Whole ? dyn_cast<UnaryOperator>(Whole) : nullptr;
      if (Taken && Taken->getOpcode() == UO_AddrOf)
        E = Taken->getSubExpr();
      else if (Whole && Whole->getType()->isArrayType())
        E = Whole;
      else
        break;
    }
    auto *Variable = dyn_cast<DeclRefExpr>(E);
    return Variable && isMarked(*Variable->getDecl());
  }
  bool isMarked(const Decl &D) {
    const SourceFacts::Place Declared = place(D.getLocation());
    return Facts.BenignRaces.count({Declared.File, Declared.Line, 0}) > 0;
  }

  /// A call accesses what a pointer it is given points to.
  void addPointee(SourceLocation Where, const Expr *Pointer) {
    const Expr *Inner = Pointer->IgnoreParenCasts();
    QualType T = Inner->getType();
    bool Points = T->isPointerType() && !T->isFunctionPointerType();
    if ((!Points && !T->isArrayType()) || isa<StringLiteral>(Inner))
      return;
    QualType Object = Points ? T->getPointeeType() : T;
    if (Object->isVoidType())
      return;
    std::string Text = describePointee(Inner, "");
    SourceFacts::Place At = place(Where);
    if (auto *Unary = dyn_cast<UnaryOperator>(Inner); Unary && Unary->getOpcode() == UO_AddrOf)
      noteIfBenign(At, Unary->getSubExpr());
    uint32_t Type = Types.indexOf(Object);
    add(At, Text, Type, false);
    if (!Object.isConstQualified())
      add(At, Text, Type, true);
  }

  /// Aggregates are initialised at the place of each list, or of what is copied.
  void addInitialiser(const Expr *Value, StringRef Name, uint32_t Type) {
    Value = Value->IgnoreParenImpCasts();
    auto *List = dyn_cast<InitListExpr>(Value);
    if (!List && !Value->getType()->isRecordType() && !isa<StringLiteral, CompoundLiteralExpr>(Value))
      return;
    add(place(Value->getExprLoc()), Name, Type, true);
    if (List)
      for (const Expr *Part : List->inits())
        if (Part)
          addInitialiser(Part, Name, Type);
  }

  /// The value of E goes to something of type T: if a call makes it, and it allocates, then that is what it allocates.
  void noteAllocation(const Expr *E, QualType T) {
    if (!T->isPointerType())
      return;
    E = E->IgnoreParenImpCasts();
    if (auto *Choice = dyn_cast<AbstractConditionalOperator>(E)) {
      noteAllocation(Choice->getTrueExpr(), T);
      noteAllocation(Choice->getFalseExpr(), T);
    } else if (auto *Call = dyn_cast<CallExpr>(E)) {
      note(Call, T);
    }
  }
  void note(const CallExpr *Call, QualType T) {
    QualType Pointee = T->isPointerType() ? T->getPointeeType() : QualType();
    if (!Pointee.isNull() && !Pointee->isVoidType() && !Pointee->isFunctionType())
      Facts.Allocations.try_emplace(place(Call->getExprLoc()), Types.indexOf(Pointee));
  }

  /// Where only the size says what is allocated: `void *p = malloc(n * sizeof(struct node))`.
  void noteSize(const CallExpr *Call) {
    if (Facts.Allocations.count(place(Call->getExprLoc())))
      return;
    for (const Expr *Argument : Call->arguments())
      if (QualType T = sizedType(Argument); !T.isNull())
        Facts.Allocations.try_emplace(place(Call->getExprLoc()), Types.indexOf(T));
  }
  static QualType sizedType(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (auto *Size = dyn_cast<UnaryExprOrTypeTraitExpr>(E); Size && Size->getKind() == UETT_SizeOf)
      return Size->getTypeOfArgument();
    auto *Operation = dyn_cast<BinaryOperator>(E);
    if (!Operation || !(Operation->isMultiplicativeOp() || Operation->isAdditiveOp()))
      return {};
    QualType Left = sizedType(Operation->getLHS());
    return Left.isNull() ? sizedType(Operation->getRHS()) : Left;
  }

public:
  /// Comments that say "picket: benign-race": the line they are on, or the next one if they are alone on theirs.
  void findMarks() {
    for (unsigned K = 0; K < Sources.local_sloc_entry_size(); ++K) {
      const SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(K);
      if (!Entry.isFile() || Entry.getFile().getFileCharacteristic() != SrcMgr::C_User)
        continue;
      const SourceLocation Begin = SourceLocation::getFromRawEncoding(Entry.getOffset());
      const FileID File = Sources.getFileID(Begin);
      const StringRef Text = Sources.getBufferData(File);
      for (size_t At = Text.find(Mark); At != StringRef::npos; At = Text.find(Mark, At + 1))
        noteMark(Text, At, Sources.getLocForStartOfFile(File));
    }
  }

private:
  static constexpr StringRef Mark = "picket: benign-race";
  void noteMark(StringRef Text, size_t At, SourceLocation Begin) {
    const StringRef Line = Text.take_front(At).rsplit('\n').second;
    const StringRef Whole = Text.take_front(At).contains('\n') ? Line : Text.take_front(At);
    const size_t Comment = std::min(Whole.find("//"), Whole.find("/*"));
    if (Comment == StringRef::npos)
      return;
    SourceFacts::Place Where = place(Begin.getLocWithOffset(static_cast<int>(At)));
    if (Whole.take_front(Comment).trim().empty())
      ++Where.Line;
    Facts.BenignRaces.insert({Where.File, Where.Line, 0});
  }

  ASTContext &Context;
  const SourceManager &Sources;
  SourceFacts &Facts;
  AstTypes Types;
  llvm::DenseMap<const char *, uint32_t> Files; // by the presumed name, which lives as long as the source manager
  llvm::DenseMap<const FunctionDecl *, bool> IsWrapper;
  const FunctionDecl *CurrentFunction = nullptr;
};

class Consumer : public ASTConsumer {
public:
  explicit Consumer(SourceFacts &Facts) : Facts(Facts) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *D : Group)
      Declarations.push_back(D);
    return true;
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    if (Context.getDiagnostics().hasErrorOccurred())
      return;
    Reader Read(Context, Facts);
    Read.findMarks();
    Read.readFiles();
    for (Decl *D : Declarations)
      if (isa<FunctionDecl, VarDecl>(D) && !Context.getSourceManager().isInSystemHeader(D->getLocation()))
        Read.TraverseDecl(D);
  }

private:
  SourceFacts &Facts;
  std::vector<Decl *> Declarations;
};

} // namespace

std::unique_ptr<ASTConsumer> createSourceReader(SourceFacts &Facts) { return std::make_unique<Consumer>(Facts); }

} // namespace picket
