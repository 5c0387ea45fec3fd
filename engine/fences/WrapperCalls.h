// Calls of functions and uses of macros that only wrap an access: which order they give it, and which ones beside them do
// the same with another order.
#pragma once

#include "fences/SourceTree.h"

namespace picket {

/// The memory order that an expression names, if it is a constant.
std::optional<Order> orderValue(const clang::Expr *E, const clang::ASTContext &Context);

/// The parameter of a wrapper that becomes the order of its access.
std::optional<unsigned> orderParameter(const clang::FunctionDecl &Wrapper);

/// The function of the text that makes the same access as a wrapper does, with an order that is at least this strong: of
/// several the weakest, and then the one with the most similar name. Only those that are declared in front of `Use`.
const clang::FunctionDecl *strongerWrapper(const SourceTree &Tree, const clang::FunctionDecl &Wrapper, Order To,
                                           clang::SourceLocation Use);

/// The same for a macro whose body names the order: its body is that of the other but for the order.
const DirectivesSeen::Macro *strongerMacro(const SourceTree &Tree, const DirectivesSeen::Macro &Macro, Order To,
                                           clang::SourceLocation Use);

/// "rte_memory_order_release" for "rte_memory_order_relaxed": the name of an order in the words of another one. Empty if
/// nothing that is known at `Use` is called so and has that value.
std::string nameLike(const SourceTree &Tree, llvm::StringRef Written, Order To, clang::SourceLocation Use);

} // namespace picket
