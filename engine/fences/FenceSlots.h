// Where in the text a fence between two accesses can be written.
#pragma once

#include "fences/SourceTree.h"

namespace picket {

struct FenceSlot {
  enum Form : uint8_t {
    Before, // a statement in front of another one
    After,  // a statement behind another one
    Prefix, // "fence, " in front of an expression
    Suffix, // ", fence" behind one
    Hoisted // between the value of an assignment and the assignment itself: the value gets a name
  };
  Form How = Before;
  TextSpan Span;      // the statement with its semicolon, or the expression
  uint32_t Point = 0; // where the fence goes in front: behind labels that belong to Span
  /// A statement that is the body of another one needs braces, an expression that is an operand parentheses.
  bool Wrapped = false;
  uint32_t HeaderBegin = 0, HeaderEnd = 0; // Wrapped statements: what the body belongs to, up to the body
  uint32_t Gap = 0; // Before, After: the end of what comes in front of the fence. Slots with equal gaps are one place
  TextSpan Value;   // Hoisted: what gets a name
  std::string Type; // of the value

  bool isStatement() const { return How != Prefix && How != Suffix; }
};

/// The slot that is asked for, or one that lies on all paths between the accesses as well, or why there is none.
std::variant<FenceSlot, Refusal> findSlot(const SourceTree &Tree, const InsertFence &Wanted);

} // namespace picket
