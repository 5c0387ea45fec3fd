// How a file writes fences: by its own macro or function, by the compiler's builtins, by C11, by assembly.
#pragma once

#include "fences/FenceStyle.h"
#include "fences/SourceTree.h"

namespace picket {

/// The fence that a statement is, if it is nothing else.
std::optional<FenceKind> fenceOf(const SourceTree &Tree, const clang::Stmt *S);

/// "memory_order_seq_cst", or in the builtins' words "__ATOMIC_SEQ_CST".
std::string nameOfOrder(Order O, bool Builtins);
/// The order of the C11 fence that is at least as strong.
Order orderOf(FenceKind Kind);
/// The weakest fence that is at least as strong as both.
FenceKind stronger(FenceKind A, FenceKind B);

class FenceIdiom {
public:
  struct Written {
    std::string Text; // without semicolon
    bool NeedsInclude = false;
  };

  explicit FenceIdiom(const SourceTree &Tree, EditStyle Style = {});
  bool editsSharedMacros() const { return Style.SharedMacros; }

  /// How a fence is written at a place. `Expression`: as an operand of a comma.
  Written fence(FenceKind Kind, clang::FileID File, uint32_t Offset, bool Expression) const;
  /// Whether <stdatomic.h> is there for a file, by itself or through what it includes.
  bool hasStdatomic(clang::FileID File) const;
  /// Adds <stdatomic.h> to a file, somewhere in front of a place.
  TextEdit include(clang::FileID File, uint32_t Before) const;

private:
  struct Own {
    std::string Text;
    FenceKind Kind;
    clang::SourceLocation Defined, End; // not to be used in its own body
    bool Expression;
    unsigned Uses;
  };
  void addMacro(const DirectivesSeen::Macro &Macro);
  void addFunction(const clang::FunctionDecl &F);
  void countUse(const clang::Stmt *S);
  const Own *own(FenceKind Kind, clang::SourceLocation At, bool Expression) const;
  bool definesNamesOfStdatomic() const;

  struct Taker {
    std::string Name;
    clang::SourceLocation End;
    unsigned Uses;
  };

  const SourceTree &Tree;
  const EditStyle Style;
  std::vector<Own> Owns;
  std::map<std::string, FenceKind> Functions;              // that are fences
  std::vector<Taker> OrderTakers;                          // macros that take an order as atomic_thread_fence does
  std::vector<std::pair<FenceKind, std::string>> Assembly; // as it is written in functions
  bool C11Fences = false, BuiltinFences = false, SyncFences = false, Builtins = false, Syncs = false;
};

} // namespace picket
