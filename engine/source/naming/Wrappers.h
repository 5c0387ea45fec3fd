// Functions that only wrap an access of memory: `static inline void atomic32_write_rlx(atomic32_t *a, uint32_t v)`. What
// happens in them is shown, and changed, where they are called.
#pragma once

namespace clang {
class ASTContext;
class AtomicExpr;
class CallExpr;
class Expr;
class FunctionDecl;
} // namespace clang

namespace picket {

/// What a function wraps: one access of what a parameter points to, with parameters as the other operands.
struct WrappedAccess {
  const clang::AtomicExpr *Atomic = nullptr; // null: another access, a call of another wrapper, or assembly
  const clang::CallExpr *Call = nullptr;     // of another wrapper, or of a __sync function
};

/// Whether a function is nothing but one access, which any data structure could make: it does not know what its pointer
/// is part of, and stores no value of its own, unless its name says that it is an atomic operation. False for functions
/// that are only declared.
bool isWrapper(const clang::FunctionDecl &F, WrappedAccess *What = nullptr);

} // namespace picket
