// The user's text as Clang reads it, for those who edit it: which accesses are at a place, what encloses them, and
// where statements begin and end in the text. Only for files that include Clang's headers anyway.
#pragma once

#include "fences/SourceChange.h"
#include "source/compile/Compile.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <tuple>

namespace picket {

/// Why an edit is not made, and the place that is about.
struct Refusal {
  std::string Why;
  SourceLocation Where;
  bool SharedMacro = false; // as in PlacedChange
};

/// Bytes of a file that can be edited. Behind `Macro` they are part of its body: then the text must stay on its line.
struct TextSpan {
  clang::FileID File;
  uint32_t Begin = 0, End = 0;
  const clang::MacroInfo *Macro = nullptr;
};

/// What the preprocessor saw in the user's files.
struct DirectivesSeen {
  struct Include {
    clang::FileID In;
    uint32_t Offset = 0; // of the '#'
    unsigned Depth = 0;  // of #if around it
    std::string Name;
    const clang::FileEntry *File = nullptr;
  };
  struct Macro {
    std::string Name;
    const clang::MacroInfo *Info = nullptr;
    unsigned Uses = 0;
  };
  std::vector<Include> Includes; // also those in system headers
  std::vector<Macro> Macros;     // not those of the compiler and the operating system
};

class SourceTree {
public:
  /// An expression that accesses memory (or calls, or is a fence), in the function it belongs to. `Order` is that of
  /// the text, operands in front of what is done with them.
  struct Access {
    const clang::Stmt *Node = nullptr;
    const clang::FunctionDecl *Function = nullptr;
    uint32_t Order = 0;
  };

  SourceTree(clang::ASTContext &Context, const clang::Preprocessor &Preprocessor, const DirectivesSeen &Seen);

  /// The accesses the compiler places here, none of them inside another, or else what begins here. Several stand there
  /// only if a macro's body is behind the place.
  std::vector<Access> accessesAt(const SourceLocation &Where) const;
  /// All accesses of a place.
  const std::vector<Access> &allAccessesAt(const SourceLocation &Where) const;

  const clang::Stmt *parent(const clang::Stmt *S) const { return Parents.lookup(S); }
  /// Whether Inner is Outer or in it.
  bool contains(const clang::Stmt *Outer, const clang::Stmt *Inner) const;

  /// The text of an expression or statement, without the semicolon. In the file if it can be, else in the body of the
  /// macro that the file uses. No value if neither has it as a piece of its own.
  std::optional<TextSpan> span(clang::SourceRange Range) const;
  std::optional<TextSpan> span(const clang::Stmt *S) const { return span(S->getSourceRange()); }
  /// The same with the semicolon, of statements that have one.
  std::optional<TextSpan> statement(const clang::Stmt *S) const;

  /// Why a span is not to be edited, if so.
  std::optional<Refusal> refusalToEdit(const TextSpan &Span) const;

  SourceLocation place(clang::SourceLocation Loc) const;
  std::string path(clang::FileID File) const;
  llvm::StringRef text(clang::FileID File) const { return Sources.getBufferData(File); }
  llvm::StringRef text(const TextSpan &S) const { return text(S.File).slice(S.Begin, S.End); }
  clang::SourceLocation locationOf(clang::FileID File, uint32_t Offset) const {
    return Sources.getLocForStartOfFile(File).getLocWithOffset(static_cast<int>(Offset));
  }
  bool isUsers(clang::SourceLocation Loc) const;
  /// Headers of the compiler and the operating system, but not what -isystem names.
  bool isOfSystem(clang::SourceLocation Loc) const;
  /// The user's macro whose body has this byte in it.
  const DirectivesSeen::Macro *macroAt(clang::SourceLocation Spelling) const;

  clang::ASTContext &Context;
  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  const clang::Preprocessor &Preprocessor;
  const DirectivesSeen &Seen;
  /// Every statement and expression of the user's functions.
  std::vector<Access> Nodes;

private:
  using PlaceKey = std::tuple<std::string, uint32_t, uint32_t>;
  void read(const clang::FunctionDecl &Function, const clang::Stmt *S);
  void add(clang::SourceLocation Loc, const Access &Found);
  std::vector<Access> nodesAt(const SourceLocation &Where) const;
  std::optional<TextSpan> spanInMacro(clang::SourceRange Range) const;
  clang::SourceLocation inBody(clang::SourceLocation Loc, bool Start) const;

  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> Parents;
  std::map<PlaceKey, std::vector<Access>> Accesses;
};

/// Parses the file and calls `Use` with the tree, on another thread. False if the text has errors.
bool readTree(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
              llvm::function_ref<void(const SourceTree &)> Use);

} // namespace picket
