// Fences written into their slots.
#pragma once

#include "fences/FenceIdiom.h"
#include "fences/FenceSlots.h"

namespace picket {

class SlotEdits {
public:
  SlotEdits(const SourceTree &Tree, const FenceIdiom &Idiom) : Tree(Tree), Idiom(Idiom) {}

  /// Fences at one place become one that is as strong as both.
  void add(const FenceSlot &Slot, FenceKind Kind);
  /// In an order in which insertions at one place belong together. `NeedInclude`: the files that need <stdatomic.h>,
  /// with the first place that does.
  std::vector<TextEdit> write(std::map<clang::FileID, uint32_t> &NeedInclude) const;

private:
  struct Entry {
    FenceSlot Slot;
    FenceKind Kind;
    std::string Fence = {};
  };
  struct Output {
    const SourceTree &Tree;
    // Ends of statements in front of beginnings of others, inner ones before those around them.
    std::vector<std::pair<TextSpan, TextEdit>> Closing, Opening, Replacing;
    void close(const TextSpan &Span, uint32_t At, std::string Text) { add(Closing, Span, At, At, std::move(Text)); }
    void open(const TextSpan &Span, uint32_t At, std::string Text) { add(Opening, Span, At, At, std::move(Text)); }
    void add(std::vector<std::pair<TextSpan, TextEdit>> &To, const TextSpan &Span, uint32_t Begin, uint32_t End,
             std::string Text) {
      To.push_back({Span, {Tree.path(Span.File), Begin, End, std::move(Text)}});
    }
  };

  void writeStatement(const Entry &E, Output &Out) const;
  void writeBody(const Entry *Before, const Entry *After, Output &Out) const;
  void writeExpression(const Entry &E, Output &Out) const;
  void writeHoisted(const Entry &E, unsigned &Number, Output &Out) const;
  std::string freeName(const TextSpan &Span, unsigned &Number) const;

  const SourceTree &Tree;
  const FenceIdiom &Idiom;
  std::vector<Entry> Entries;
};

} // namespace picket
