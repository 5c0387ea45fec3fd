#include "fences/FenceIdiom.h"

#include "fences/ProgramEdit.h"
#include "fences/TextLayout.h"
#include "fences/WrapperCalls.h"
#include "source/assembly/Barriers.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

#include <set>

using namespace clang;

namespace picket {

namespace {

std::optional<FenceKind> kindOfOrder(uint64_t CAbi) {
  switch (CAbi) {
  case 1: // consume
  case 2: return FenceKind::Acquire;
  case 3: return FenceKind::Release;
  case 4: return FenceKind::AcqRel;
  case 5: return FenceKind::Full;
  default: return std::nullopt;
  }
}

std::optional<uint64_t> orderNamed(StringRef Name) {
  if (!Name.consume_front("memory_order_") && !Name.consume_front("__ATOMIC_"))
    return std::nullopt;
  int Value = llvm::StringSwitch<int>(Name.lower())
                  .Case("consume", 1)
                  .Case("acquire", 2)
                  .Case("release", 3)
                  .Case("acq_rel", 4)
                  .Case("seq_cst", 5)
                  .Default(-1);
  return Value < 0 ? std::nullopt : std::optional<uint64_t>(Value);
}

std::optional<FenceKind> fenceFunction(StringRef Name) {
  if (Name == "__sync_synchronize" || Name == "_mm_mfence" || Name == "__builtin_ia32_mfence")
    return FenceKind::Full;
  if (Name == "_mm_sfence" || Name == "__builtin_ia32_sfence")
    return FenceKind::StoreStore;
  if (Name == "_mm_lfence" || Name == "__builtin_ia32_lfence")
    return FenceKind::Acquire;
  return std::nullopt;
}

bool takesOrder(StringRef Name) {
  return Name == "atomic_thread_fence" || Name == "__atomic_thread_fence" || Name == "__c11_atomic_thread_fence";
}

std::optional<FenceKind> onlyFence(StringRef AssemblyText) {
  std::optional<std::vector<FenceKind>> Fences = readWrittenBarriers(AssemblyText);
  return Fences && Fences->size() == 1 ? std::optional(Fences->front()) : std::nullopt;
}

constexpr unsigned DeepestMacro = 8; // macros that stand for macros

/// Reads the body of a macro that is a fence and nothing else, also by way of other macros and functions.
class FenceBody {
public:
  using Functions = std::map<std::string, FenceKind>;
  FenceBody(const clang::Preprocessor &Preprocessor, const Functions &Known, ArrayRef<Token> Tokens, unsigned Depth = 0)
      : Preprocessor(Preprocessor), Known(Known), Depth(Depth) {
    IsExpression = Tokens.size() > 2 && Tokens[0].is(tok::l_paren) && Tokens[1].is(tok::l_brace);
    bool InParentheses = IsExpression;
    for (const Token &T : Tokens)
      if (!read(T))
        return;
    if (!Text.empty())
      note(onlyFence(Text));
    IsExpression = InParentheses || !Statement;
    if (Count == 1)
      Kind = Found;
  }
  std::optional<FenceKind> Kind;
  bool IsExpression = false;

private:
  bool read(const Token &T) {
    if (const IdentifierInfo *Name = T.getIdentifierInfo())
      return readMacro(*Name).value_or(false) || (!Preprocessor.getMacroInfo(Name) && readName(Name->getName()));
    if (T.is(tok::string_literal)) {
      std::string Spelling = Preprocessor.getSpelling(T);
      if (!Operands)
        Text += StringRef(Spelling).trim('"').str();
      return true;
    }
    Operands |= T.isOneOf(tok::colon, tok::coloncolon);
    Statement |= T.isOneOf(tok::semi, tok::l_brace);
    return T.isOneOf(tok::colon, tok::coloncolon, tok::semi, tok::l_brace, tok::r_brace, tok::l_paren, tok::r_paren) ||
           T.is(tok::numeric_constant);
  }

  /// What another macro says. Nothing if there is none of that name.
  std::optional<bool> readMacro(const IdentifierInfo &Name) {
    const MacroInfo *Info = Preprocessor.getMacroInfo(&Name);
    if (!Info || orderNamed(Name.getName()) || takesOrder(Name.getName()))
      return Info ? std::optional(readName(Name.getName())) : std::nullopt;
    if (Depth >= DeepestMacro || Info->getNumParams() > 0 || Info->isVariadic())
      return false;
    const FenceBody Inner(Preprocessor, Known, Info->tokens(), Depth + 1);
    Statement |= !Inner.IsExpression;
    return Inner.Kind && note(Inner.Kind);
  }

  bool readName(StringRef Name) {
    if (auto Fence = fenceFunction(Name))
      return note(Fence);
    if (auto Fence = Known.find(Name.str()); Fence != Known.end())
      return note(Fence->second);
    if (takesOrder(Name))
      return true;
    if (auto Value = orderNamed(Name))
      return note(kindOfOrder(*Value));
    bool Assembly = Name == "asm" || Name == "__asm__" || Name == "__asm" || Name == "do";
    Statement |= Assembly;
    return Assembly || Name == "volatile" || Name == "__volatile__" || Name == "__volatile" || Name == "while" ||
           Name == "void";
  }

  bool note(std::optional<FenceKind> Which) {
    if (Which)
      Found = *Which;
    Count += Which ? 1 : 2;
    return Which.has_value();
  }

  const clang::Preprocessor &Preprocessor;
  const Functions &Known;
  const unsigned Depth;
  std::string Text;
  FenceKind Found = FenceKind::Full;
  unsigned Count = 0;
  bool Operands = false, Statement = false;
};

StringRef calleeName(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  return Callee && Callee->getDeclName().isIdentifier() ? Callee->getName() : StringRef();
}

/// What a file writes for a wanted fence may say more than that, but not less.
bool serves(FenceKind Has, FenceKind Wanted) {
  return Has == Wanted || (Wanted == FenceKind::StoreStore && Has == FenceKind::Release) ||
         (Wanted == FenceKind::AcqRel && Has == FenceKind::LwSync) ||
         (Wanted == FenceKind::LwSync && Has == FenceKind::AcqRel);
}

} // namespace

std::optional<FenceKind> fenceOf(const SourceTree &Tree, const Stmt *S) {
  if (auto *E = dyn_cast<Expr>(S))
    S = E->IgnoreParenCasts();
  if (auto *Assembly = dyn_cast<GCCAsmStmt>(S))
    return Assembly->getNumInputs() + Assembly->getNumOutputs() == 0 ? onlyFence(Assembly->getAsmString())
                                                                     : std::nullopt;
  auto *Call = dyn_cast<CallExpr>(S);
  if (!Call)
    return std::nullopt;
  StringRef Name = calleeName(*Call);
  Expr::EvalResult Value;
  if (takesOrder(Name) && Call->getNumArgs() == 1 && Call->getArg(0)->EvaluateAsInt(Value, Tree.Context))
    return kindOfOrder(Value.Val.getInt().getZExtValue());
  return fenceFunction(Name);
}

std::string nameOfOrder(Order O, bool Builtins) {
  std::string Name = "relaxed";
  switch (O) {
  case Order::NotAtomic:
  case Order::Relaxed: break;
  case Order::AcquirePC:
  case Order::Acquire: Name = "acquire"; break;
  case Order::Release: Name = "release"; break;
  case Order::AcqRel: Name = "acq_rel"; break;
  case Order::SeqCst: Name = "seq_cst"; break;
  }
  return Builtins ? "__ATOMIC_" + StringRef(Name).upper() : "memory_order_" + Name;
}

Order orderOf(FenceKind Kind) {
  switch (withoutArm(Kind)) {
  case FenceKind::Full: return Order::SeqCst;
  case FenceKind::StoreStore:
  case FenceKind::Release: return Order::Release;
  case FenceKind::Acquire:
  case FenceKind::ISync: return Order::Acquire;
  case FenceKind::AcqRel:
  case FenceKind::LwSync: return Order::AcqRel;
  default: break;
  }
  return Order::SeqCst;
}

FenceKind stronger(FenceKind A, FenceKind B) {
  if (A == B)
    return A;
  switch (joined(orderOf(A), orderOf(B))) {
  case Order::Acquire: return FenceKind::Acquire;
  case Order::Release: return FenceKind::Release;
  case Order::AcqRel: return FenceKind::AcqRel;
  default: return FenceKind::Full;
  }
}

FenceIdiom::FenceIdiom(const SourceTree &Tree, EditStyle Style) : Tree(Tree), Style(Style) {
  // Libraries have fences of their own, too; those of the compiler's and the system's headers are for themselves.
  for (const Decl *D : Tree.Context.getTranslationUnitDecl()->decls())
    if (auto *F = dyn_cast<FunctionDecl>(D);
        F && F->isThisDeclarationADefinition() && !Tree.isOfSystem(F->getLocation()))
      addFunction(*F);
  for (const DirectivesSeen::Macro &Macro : Tree.Seen.Macros)
    addMacro(Macro);
  for (const SourceTree::Access &Node : Tree.Nodes)
    countUse(Node.Node);
  if (Style.Fences != FenceStyle::OfFile)
    Assembly.clear();
  if (Style.Fences == FenceStyle::Standard) {
    Owns.clear();
    OrderTakers.clear();
  }
}

void FenceIdiom::addMacro(const DirectivesSeen::Macro &Macro) {
  const MacroInfo &Info = *Macro.Info;
  if (Info.isVariadic() || Tree.isOfSystem(Info.getDefinitionLoc()))
    return;
  const IdentifierInfo *Name = Tree.Preprocessor.getIdentifierInfo(Macro.Name);
  if (Tree.Preprocessor.getMacroInfo(Name) != &Info) // defined anew, or not any more
    return;
  if (Info.getNumParams() > 0) {
    // `atomic_thread_fence(order)` under another name.
    const ArrayRef<Token> Body = Info.tokens();
    if (Info.getNumParams() == 1 && Body.size() == 4 && Body[0].getIdentifierInfo() && Body[2].getIdentifierInfo() &&
        takesOrder(Body[0].getIdentifierInfo()->getName()) && Body[1].is(tok::l_paren) && Body[3].is(tok::r_paren) &&
        Info.getParameterNum(Body[2].getIdentifierInfo()) == 0 && Macro.Uses > 0)
      OrderTakers.push_back({Macro.Name, Info.getDefinitionEndLoc(), Macro.Uses});
    return;
  }
  FenceBody Body(Tree.Preprocessor, Functions, Info.tokens());
  if (Body.Kind)
    Owns.push_back({Macro.Name + (Info.isFunctionLike() ? "()" : ""), *Body.Kind, Info.getDefinitionLoc(),
                    Info.getDefinitionEndLoc(), Body.IsExpression, Macro.Uses});
}

void FenceIdiom::addFunction(const FunctionDecl &F) {
  auto *Body = dyn_cast_or_null<CompoundStmt>(F.getBody());
  if (!Body || Body->size() != 1 || F.getNumParams() != 0 || !F.getReturnType()->isVoidType())
    return;
  std::optional<FenceKind> Kind = fenceOf(Tree, Body->body_front());
  if (auto *Call = dyn_cast<CallExpr>(Body->body_front()); Call && !Kind)
    if (auto Known = Functions.find(calleeName(*Call).str()); Known != Functions.end())
      Kind = Known->second;
  if (!Kind)
    return;
  Functions[F.getNameAsString()] = *Kind;
  Owns.push_back({F.getNameAsString() + "()", *Kind, Tree.Sources.getFileLoc(F.getBeginLoc()),
                  Tree.Sources.getFileLoc(F.getEndLoc()), true, F.isReferenced()});
}

void FenceIdiom::countUse(const Stmt *S) {
  if (auto *Atomic = dyn_cast<AtomicExpr>(S))
    Builtins |= Atomic->getOpAsString().starts_with("__atomic_");
  if (auto *Call = dyn_cast<CallExpr>(S)) {
    StringRef Name = calleeName(*Call);
    SyncFences |= Name == "__sync_synchronize";
    Syncs |= Name.starts_with("__sync_");
    BuiltinFences |= Name == "__atomic_thread_fence";
    C11Fences |= Name == "__c11_atomic_thread_fence" || Name == "atomic_thread_fence";
  }
  if (auto *Written = dyn_cast<GCCAsmStmt>(S); Written && !Written->getBeginLoc().isMacroID())
    if (std::optional<FenceKind> Kind = fenceOf(Tree, S))
      if (std::optional<TextSpan> Span = Tree.span(S))
        Assembly.push_back({*Kind, Tree.text(*Span).str()});
}

const FenceIdiom::Own *FenceIdiom::own(FenceKind Kind, clang::SourceLocation At, bool Expression) const {
  const Own *Best = nullptr;
  for (const Own &O : Owns)
    if (serves(O.Kind, Kind) && (O.Expression || !Expression) && (!Best || O.Uses > Best->Uses) &&
        Tree.Sources.isBeforeInTranslationUnit(O.End, At))
      Best = &O;
  return Best;
}

FenceIdiom::Written FenceIdiom::fence(FenceKind Kind, FileID File, uint32_t Offset, bool Expression) const {
  if (const Own *Mine = own(Kind, Tree.locationOf(File, Offset), Expression))
    return {Mine->Text};
  const Order Wanted = orderOf(Kind);
  const Taker *Like = nullptr;
  for (const Taker &T : OrderTakers)
    if ((!Like || T.Uses > Like->Uses) && Tree.Sources.isBeforeInTranslationUnit(T.End, Tree.locationOf(File, Offset)))
      Like = &T;
  if (Like && Kind != FenceKind::ISync) {
    const std::string Prefix = Like->Name.substr(0, Like->Name.find("atomic"));
    const std::string Own = nameLike(Tree, Prefix + "memory_order_relaxed", Wanted, Tree.locationOf(File, Offset));
    return {Like->Name + "(" + (Own.empty() ? nameOfOrder(Wanted, false) : Own) + ")", !hasStdatomic(File)};
  }
  const std::string C11 = "atomic_thread_fence(" + nameOfOrder(Wanted, false) + ")";
  const std::string Builtin = "__atomic_thread_fence(" + nameOfOrder(Wanted, true) + ")";
  const std::string Sync = "__sync_synchronize()";
  const bool Full = Kind == FenceKind::Full;
  if (Kind == FenceKind::ISync) {
    const std::string Written = "__asm__ __volatile__(\"isync\" ::: \"memory\")";
    return {Expression ? "({ " + Written + "; })" : Written};
  }
  if (C11Fences)
    return {C11, !hasStdatomic(File)};
  if (BuiltinFences)
    return {Builtin};
  if (Full && SyncFences)
    return {Sync};
  for (const auto &[Has, Text] : Assembly)
    if (serves(Has, Kind) && !Expression)
      return {Text};
  if (hasStdatomic(File))
    return {C11};
  if (Builtins || definesNamesOfStdatomic())
    return {Builtin};
  if (Syncs)
    return {Full ? Sync : Builtin};
  return {C11, true};
}

bool FenceIdiom::definesNamesOfStdatomic() const {
  auto Clashes = [](StringRef Name) {
    return Name.starts_with("atomic_") || Name.starts_with("memory_order") || Name == "kill_dependency";
  };
  for (const DirectivesSeen::Macro &Macro : Tree.Seen.Macros)
    if (Clashes(Macro.Name))
      return true;
  for (const Decl *D : Tree.Context.getTranslationUnitDecl()->decls())
    if (auto *Named = dyn_cast<NamedDecl>(D);
        Named && Named->getDeclName().isIdentifier() && Clashes(Named->getName()) && Tree.isUsers(Named->getLocation()))
      return true;
  return false;
}

bool FenceIdiom::hasStdatomic(FileID File) const {
  std::set<const FileEntry *> Reached = {Tree.Sources.getFileEntryForID(File)};
  for (size_t Before = 0; Before != Reached.size();) {
    Before = Reached.size();
    for (const DirectivesSeen::Include &I : Tree.Seen.Includes) {
      if (!I.File || !Reached.count(Tree.Sources.getFileEntryForID(I.In)))
        continue;
      if (I.Name == "stdatomic.h")
        return true;
      Reached.insert(I.File);
    }
  }
  return false;
}

TextEdit FenceIdiom::include(FileID File, uint32_t Before) const {
  StringRef Text = Tree.text(File);
  const std::string Line = "#include <stdatomic.h>", End = lineEnd(Text);
  const DirectivesSeen::Include *Last = nullptr;
  for (const DirectivesSeen::Include &I : Tree.Seen.Includes)
    if (I.In == File && I.Offset < Before && (!Last || I.Depth <= Last->Depth))
      Last = &I;
  if (Last) {
    const uint32_t At = nextLine(Text, Last->Offset);
    return {Tree.path(File), At, At, Line + End};
  }
  // Behind the guard of a header, else in front of the first thing that is no comment.
  Lexer Tokens(Tree.Sources.getLocForStartOfFile(File), Tree.Language, Text.begin(), Text.begin(), Text.end());
  Token T;
  Tokens.LexFromRawLexer(T);
  uint32_t At = Tree.Sources.getFileOffset(T.getLocation());
  StringRef Rest = Text.substr(At);
  if (Rest.starts_with("#pragma once"))
    At = nextLine(Text, At);
  else if (Rest.starts_with("#ifndef") && Text.substr(nextLine(Text, At)).starts_with("#define"))
    At = nextLine(Text, nextLine(Text, At));
  return {Tree.path(File), At, At, Line + End};
}

} // namespace picket
