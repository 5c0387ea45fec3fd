// A change of memory orders in terms of the user's text: what a repair wants, and the edit that does it. The repair
// finds changes on the bytecode (Repair), the text is edited by FencePlacement, and the edited text is compiled and
// checked before anybody sees it.
#pragma once

#include "base/Diagnostic.h"
#include "program/Program.h"

#include <string>
#include <variant>
#include <vector>

namespace picket {

/// A fence between two accesses of one function. It goes right behind the earlier one or right in front of the later
/// one; where that cannot be written, anywhere in between that lies on all paths from the one to the other.
///
/// One of the two may have line 0: that access happens in another function (a caller, or before or after the call).
/// Then NearLater tells which one is known, and the fence goes right beside that. With NearLater, `Later` need not be
/// an access: it is then the place of the first expression behind the point where ways from the earlier access meet.
struct InsertFence {
  FenceKind Kind = FenceKind::Full;
  SourceLocation Earlier, Later; // the places of the accesses (of the calls, if they happen inside of calls)
  bool NearLater = false;
  bool operator==(const InsertFence &) const = default;
};

/// Another order for an atomic access that is there already: stronger, or weaker. Also a weaker C11 fence; and a plain
/// access (NotAtomic) that becomes a relaxed atomic one.
struct ChangeOrder {
  SourceLocation Access;
  Order From = Order::Relaxed, To = Order::SeqCst;
  /// The access is made by a function that only wraps it and has other callers: the call (Wrappers.h) to be changed. Line
  /// 0: the access itself is.
  SourceLocation Call = {};
  bool operator==(const ChangeOrder &) const = default;
};

/// A fence that is not needed.
struct RemoveFence {
  SourceLocation Fence;
  bool operator==(const RemoveFence &) const = default;
};

using SourceChange = std::variant<InsertFence, ChangeOrder, RemoveFence>;

/// Bytes Begin to End (exclusive) of a file, replaced by Text.
struct TextEdit {
  std::string File;
  uint32_t Begin = 0, End = 0;
  std::string Text;
};

/// The edits of a change, or the sentence that says why there are none, with the place it is about.
struct PlacedChange {
  std::vector<TextEdit> Edits;
  std::string Refusal;
  SourceLocation RefusedAt;
  bool SharedMacro = false; // refused only since a macro has other uses (EditStyle)
  bool placed() const { return Refusal.empty(); }
};

} // namespace picket
