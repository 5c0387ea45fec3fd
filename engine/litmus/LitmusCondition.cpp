#include "litmus/LitmusCondition.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace picket {

void LitmusConditionReader::read(LitmusTest &Test) {
  readObserved();
  Text.skipSpace();
  const std::string_view Begin = Text.rest();
  Test.Quantifier = readQuantifier();
  Test.Condition = implication(0);
  bool Space = true; // the condition in one line
  for (char C : trimmed(Begin.substr(0, Begin.size() - Text.rest().size()))) {
    const bool Blank = C == ' ' || C == '\n' || C == '\t' || C == '\r';
    if (!Blank || !Space)
      Test.ConditionText += Blank ? ' ' : C;
    Space = Blank;
  }
  Text.skipSpace();
  if (!Text.atEnd())
    failLitmus(Text.line(), "the text goes on behind the condition: " +
                                quoted(trimmed(Text.rest().substr(0, Text.rest().find('\n')))));
  sortItems(Test);
}

void LitmusConditionReader::readObserved() {
  while (Text.acceptWord("locations")) {
    Text.expect("[", "behind 'locations'");
    while (!Text.accept("]")) {
      item();
      if (!Text.accept(";")) {
        Text.expect("]", "behind the locations");
        break;
      }
    }
  }
  if (Text.acceptWord("filter"))
    refuseLitmus(Text.line(), "filter");
}

LitmusQuantifier LitmusConditionReader::readQuantifier() {
  const bool Negated = Text.accept("~") || Text.acceptWord("not");
  if (Text.acceptWord("exists"))
    return Negated ? LitmusQuantifier::NotExists : LitmusQuantifier::Exists;
  if (!Negated && Text.acceptWord("forall"))
    return LitmusQuantifier::Forall;
  failLitmus(Text.line(), "a condition is expected here: exists, ~exists or forall");
}

LitmusProposition LitmusConditionReader::implication(unsigned Depth) {
  LitmusProposition Left = disjunction(Depth);
  if (!Text.accept("=>"))
    return Left;
  return {.What = LitmusProposition::Implies, .Parts = {std::move(Left), implication(Depth + 1)}};
}

LitmusProposition LitmusConditionReader::disjunction(unsigned Depth) {
  LitmusProposition First = conjunction(Depth);
  if (!Text.accept("\\/"))
    return First;
  LitmusProposition All{.What = LitmusProposition::Or, .Parts = {std::move(First)}};
  do
    All.Parts.push_back(conjunction(Depth));
  while (Text.accept("\\/"));
  return All;
}

LitmusProposition LitmusConditionReader::conjunction(unsigned Depth) {
  LitmusProposition First = negation(Depth);
  if (!Text.accept("/\\"))
    return First;
  LitmusProposition All{.What = LitmusProposition::And, .Parts = {std::move(First)}};
  do
    All.Parts.push_back(negation(Depth));
  while (Text.accept("/\\"));
  return All;
}

LitmusProposition LitmusConditionReader::negation(unsigned Depth) {
  if (Depth > MaxDepth)
    failLitmus(Text.line(), "the condition is nested too deeply");
  if (Text.accept("~") || Text.acceptWord("not"))
    return {.What = LitmusProposition::Not, .Parts = {negation(Depth + 1)}};
  if (Text.accept("(")) {
    LitmusProposition Inner = implication(Depth + 1);
    Text.expect(")", "in the condition");
    return Inner;
  }
  if (Text.acceptWord("true"))
    return {.What = LitmusProposition::True, .Parts = {}};
  if (Text.acceptWord("false"))
    return {.What = LitmusProposition::False, .Parts = {}};
  return atom();
}

LitmusProposition LitmusConditionReader::atom() {
  LitmusProposition Atom;
  Atom.Item = item();
  const bool Different = Text.accept("!=") || Text.accept("<>");
  if (!Different)
    Text.expect("=", "in the condition");
  Atom.What = Different ? LitmusProposition::Different : LitmusProposition::Equal;
  Atom.Value = value();
  return Atom;
}

/// A register, `x`, `[x]` or `*x`.
uint32_t LitmusConditionReader::item() {
  Text.skipSpace();
  const uint32_t Line = Text.line();
  const bool Bracket = Text.accept("[");
  if (!Bracket)
    Text.accept("*");
  std::string_view Word = Text.word();
  LitmusItem Item;
  if (!Bracket && looksLikeNumber(Word)) {
    const int32_t Thread = litmusNumber(Word, Line);
    Text.expect(":", "behind the number of a thread");
    std::string_view Name = Text.word();
    auto Register = ToRegister(Name);
    if (!Register)
      failLitmus(Line, quoted(Name) + " is no register");
    if (Thread < 0 || static_cast<size_t>(Thread) >= Threads.size())
      failLitmus(Line, "there is no thread " + std::to_string(Thread));
    Item.Thread = static_cast<uint32_t>(Thread);
    Item.Index = static_cast<uint32_t>(Threads[Item.Thread].slotOf(*Register));
    Item.Name = std::to_string(Thread) + ":" + *Register;
  } else {
    if (!isName(Word))
      failLitmus(Line, "a register or location is expected here, not " + quoted(Text.rest().substr(0, 20)));
    Text.skipSpace();
    if (!Bracket && Text.accept(":"))
      failRegister(Line, Word, Text.word());
    Item.Index = Locations.find(Word, Line);
    Item.Name = std::string(Word);
    if (Bracket)
      Text.expect("]", "behind the location");
    if (Text.accept("["))
      refuseLitmus(Line, Item.Name + "[");
  }
  for (size_t K = 0; K < Items.size(); ++K)
    if (Items[K].Thread == Item.Thread && Items[K].Index == Item.Index)
      return static_cast<uint32_t>(K);
  Items.push_back(std::move(Item));
  return static_cast<uint32_t>(Items.size()) - 1;
}

int64_t LitmusConditionReader::value() {
  const bool Negative = Text.accept("-");
  const uint32_t Line = Text.line();
  std::string Word(Text.word());
  if (Negative)
    Word.insert(0, "-");
  if (isName(Word))
    return static_cast<int64_t>(globalAddress(Locations.find(Word, Line)));
  return litmusNumber(Word, Line);
}

static void renumber(LitmusProposition &P, const std::vector<uint32_t> &NewIndex) {
  if (P.What == LitmusProposition::Equal || P.What == LitmusProposition::Different)
    P.Item = NewIndex[P.Item];
  for (LitmusProposition &Part : P.Parts)
    renumber(Part, NewIndex);
}

/// Registers by thread, then locations; each by name, numbers in it by value.
void LitmusConditionReader::sortItems(LitmusTest &Test) {
  auto Key = [&](uint32_t K) { return std::tuple(Items[K].Thread, Items[K].Name.size(), Items[K].Name); };
  std::vector<uint32_t> Order(Items.size()), NewIndex(Items.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) { return Key(A) < Key(B); });
  for (uint32_t K = 0; K < Order.size(); ++K) {
    NewIndex[Order[K]] = K;
    Test.Observed.push_back(Items[Order[K]]);
  }
  renumber(Test.Condition, NewIndex);
}

} // namespace picket
