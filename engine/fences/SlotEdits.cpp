#include "fences/SlotEdits.h"

#include "fences/TextLayout.h"

#include <algorithm>

using namespace llvm;

namespace picket {

static bool samePlace(const FenceSlot &A, const FenceSlot &B) {
  if (A.Span.File != B.Span.File || A.isStatement() != B.isStatement() || A.Wrapped != B.Wrapped)
    return false;
  if (!A.isStatement() || A.Wrapped || A.How == FenceSlot::Hoisted || B.How == FenceSlot::Hoisted)
    return A.How == B.How && A.Point == B.Point && A.Span.End == B.Span.End;
  return A.Gap == B.Gap;
}

void SlotEdits::add(const FenceSlot &Slot, FenceKind Kind) {
  for (Entry &E : Entries)
    if (samePlace(E.Slot, Slot)) {
      E.Kind = stronger(E.Kind, Kind);
      return;
    }
  Entries.push_back({Slot, Kind});
}

std::vector<TextEdit> SlotEdits::write(std::map<clang::FileID, uint32_t> &NeedInclude) const {
  Output Out{Tree, {}, {}, {}};
  std::vector<Entry> All = Entries;
  for (Entry &E : All) {
    FenceIdiom::Written W = Idiom.fence(E.Kind, E.Slot.Span.File, E.Slot.Point, !E.Slot.isStatement());
    E.Fence = W.Text;
    if (W.NeedsInclude) {
      uint32_t &First = NeedInclude.try_emplace(E.Slot.Span.File, E.Slot.Point).first->second;
      First = std::min(First, E.Slot.Point);
    }
  }
  unsigned Hoisted = 0;
  for (const Entry &E : All) {
    if (E.Slot.How == FenceSlot::Hoisted) {
      writeHoisted(E, Hoisted, Out);
    } else if (!E.Slot.isStatement()) {
      writeExpression(E, Out);
    } else if (!E.Slot.Wrapped) {
      writeStatement(E, Out);
    } else {
      // One pair of braces for fences on both sides.
      auto Other = find_if(All, [&](const Entry &O) {
        return O.Slot.Wrapped && O.Slot.isStatement() && O.Slot.How != E.Slot.How &&
               O.Slot.Span.File == E.Slot.Span.File && O.Slot.Span.Begin == E.Slot.Span.Begin &&
               O.Slot.Span.End == E.Slot.Span.End;
      });
      const Entry *Second = Other == All.end() ? nullptr : &*Other;
      if (E.Slot.How == FenceSlot::Before)
        writeBody(&E, Second, Out);
      else if (!Second)
        writeBody(nullptr, &E, Out);
    }
  }
  stable_sort(Out.Closing, [](auto &A, auto &B) { return A.first.Begin > B.first.Begin; });
  stable_sort(Out.Opening, [](auto &A, auto &B) { return A.first.End > B.first.End; });
  std::vector<TextEdit> Result;
  for (auto *List : {&Out.Closing, &Out.Opening, &Out.Replacing})
    for (auto &[Span, Edit] : *List)
      Result.push_back(std::move(Edit));
  return Result;
}

void SlotEdits::writeStatement(const Entry &E, Output &Out) const {
  const TextSpan &Span = E.Slot.Span;
  StringRef Text = Tree.text(Span.File);
  if (E.Slot.How == FenceSlot::Before) {
    const bool OwnLine = !Span.Macro && beginsLine(Text, E.Slot.Point);
    Out.open(Span, E.Slot.Point,
             E.Fence + (OwnLine ? ";" + std::string(lineEnd(Text)) + indentation(Text, E.Slot.Point) : "; "));
    return;
  }
  std::optional<uint32_t> End = endOfLineBehind(Text, Span.End);
  if (!Span.Macro && End && beginsLine(Text, Span.Begin))
    Out.close(Span, *End, lineEnd(Text) + indentation(Text, E.Slot.Point) + E.Fence + ";");
  else
    Out.close(Span, Span.End, " " + E.Fence + ";");
}

void SlotEdits::writeBody(const Entry *Before, const Entry *After, Output &Out) const {
  const FenceSlot &Slot = Before ? Before->Slot : After->Slot;
  const TextSpan &Span = Slot.Span;
  StringRef Text = Tree.text(Span.File);
  std::optional<uint32_t> End = endOfLineBehind(Text, Span.End);
  if (Span.Macro || !End || !beginsLine(Text, Span.Begin)) {
    Out.open(Span, Span.Begin, "{ ");
    if (Before)
      Out.open(Span, Slot.Point, Before->Fence + "; ");
    Out.close(Span, Span.End, (After ? " " + After->Fence + ";" : "") + " }");
    return;
  }
  const std::string NewLine = lineEnd(Text);
  Out.close(Span, Slot.HeaderEnd, " {");
  if (Before)
    Out.open(Span, Slot.Point,
             Before->Fence +
                 (beginsLine(Text, Slot.Point) ? ";" + NewLine + indentation(Text, Slot.Point) : std::string("; ")));
  Out.close(Span, *End,
            (After ? NewLine + indentation(Text, Span.Begin) + After->Fence + ";" : "") + NewLine +
                indentation(Text, Slot.HeaderBegin) + "}");
}

void SlotEdits::writeExpression(const Entry &E, Output &Out) const {
  const TextSpan &Span = E.Slot.Span;
  if (E.Slot.How == FenceSlot::Suffix) {
    Out.close(Span, Span.End, ", " + E.Fence);
    return;
  }
  Out.open(Span, Span.Begin, (E.Slot.Wrapped ? "(" : "") + E.Fence + ", ");
  if (E.Slot.Wrapped)
    Out.close(Span, Span.End, ")");
}

/// A name that is nowhere in the file, and not the one of another value.
std::string SlotEdits::freeName(const TextSpan &Span, unsigned &Number) const {
  while (true) {
    ++Number;
    std::string Name = Number == 1 ? "value" : "value" + std::to_string(Number);
    if (!Tree.text(Span.File).contains(Name))
      return Name;
  }
}

void SlotEdits::writeHoisted(const Entry &E, unsigned &Number, Output &Out) const {
  const TextSpan &Span = E.Slot.Span;
  StringRef Text = Tree.text(Span.File);
  const std::string Name = freeName(Span, Number);
  const std::string Break =
      beginsLine(Text, Span.Begin) ? lineEnd(Text) + indentation(Text, Span.Begin) : std::string(" ");
  Out.open(Span, Span.Begin,
           E.Slot.Type + (StringRef(E.Slot.Type).ends_with("*") ? "" : " ") + Name + " = " +
               Tree.text(E.Slot.Value).str() + ";" + Break + E.Fence + ";" + Break);
  Out.add(Out.Replacing, Span, E.Slot.Value.Begin, E.Slot.Value.End, Name);
}

} // namespace picket
