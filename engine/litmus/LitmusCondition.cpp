#include "litmus/LitmusCondition.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace picket {

void LitmusConditionReader::read(LitmusTest &Test) {
  readObserved();
  Text.skipSpace();
  readCondition(Test);
  Text.accept(";");
  if (Text.acceptWord("with"))
    readKinds();
  Text.skipSpace();
  if (!Text.atEnd())
    failLitmus(Text.line(), "the text goes on after the condition: " +
                                quoted(trimmed(Text.rest().substr(0, Text.rest().find('\n')))));
  sortItems(Test);
}

void LitmusConditionReader::readCondition(LitmusTest &Test) {
  // Only the final states are asked for. Tests in C may not even name any: they ask whether there is a data race.
  if (Text.atEnd() && (!Items.empty() || Test.Architecture == LitmusArchitecture::C)) {
    Test.Quantifier = LitmusQuantifier::Forall;
    Test.ConditionText = "forall true";
    return;
  }
  const std::string_view Begin = Text.rest();
  if (readQuantifier(Test))
    Test.Condition = implication(0);
  bool Space = true; // the condition in one line
  for (char C : trimmed(Begin.substr(0, Begin.size() - Text.rest().size()))) {
    const bool Blank = C == ' ' || C == '\n' || C == '\t' || C == '\r';
    if (!Blank || !Space)
      Test.ConditionText += Blank ? ' ' : C;
    Space = Blank;
  }
}

/// "Power: exists; SC: ~exists;" says what is expected of other models. It is no part of the question.
void LitmusConditionReader::readKinds() {
  do {
    Text.skipSpace();
    if (Text.atEnd())
      return;
    const uint32_t Line = Text.line();
    if (!isName(Text.word()))
      failLitmus(Line, "the name of a model is expected after 'with'");
    Text.expect(":", "after the name of a model");
    const bool Negated = Text.accept("~") || Text.acceptWord("not");
    if (!Text.acceptWord("exists") && (Negated || !Text.acceptWord("forall")))
      failLitmus(Text.line(), "exists, ~exists or forall is expected here");
  } while (Text.accept(";"));
}

void LitmusConditionReader::readObserved() {
  while (Text.acceptWord("locations")) {
    Text.expect("[", "after 'locations'");
    while (!Text.accept("]")) {
      item();
      if (!Text.accept(";")) {
        Text.expect("]", "after the locations");
        break;
      }
    }
  }
  if (Text.acceptWord("filter"))
    refuseLitmus(Text.line(), "filter");
}

/// True: a proposition follows.
bool LitmusConditionReader::readQuantifier(LitmusTest &Test) {
  Test.Quantifier = LitmusQuantifier::Exists;
  const bool Negated = Text.accept("~") || Text.acceptWord("not");
  if (Text.acceptWord("exists")) {
    if (Negated)
      Test.Quantifier = LitmusQuantifier::NotExists;
    return true;
  }
  if (!Negated && Text.acceptWord("forall")) {
    Test.Quantifier = LitmusQuantifier::Forall;
    return true;
  }
  if (!Negated && (Text.acceptWord("final") || Text.peek() == '(')) // an older way to say exists
    return true;
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
  if (!Different && !Text.accept("=="))
    Text.expect("=", "in the condition");
  Atom.What = Different ? LitmusProposition::Different : LitmusProposition::Equal;
  Atom.Value = value(Items[Atom.Item]);
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
  const bool IsRegister = !Bracket && !Word.empty() && (looksLikeNumber(Word) || Text.accept(":"));
  LitmusItem Item = IsRegister ? registerItem(Word, Line) : locationItem(Word, Bracket, Line);
  for (size_t K = 0; K < Items.size(); ++K)
    if (Items[K].Thread == Item.Thread && Items[K].Index == Item.Index)
      return static_cast<uint32_t>(K);
  Items.push_back(std::move(Item));
  return static_cast<uint32_t>(Items.size()) - 1;
}

LitmusItem LitmusConditionReader::registerItem(std::string_view Word, uint32_t Line) {
  const std::optional<uint32_t> Thread = threadNumber(Word);
  if (!Thread)
    failThread(Line, Word);
  if (looksLikeNumber(Word))
    Text.expect(":", "after the number of a thread");
  Text.accept("%");
  std::string_view Name = Text.word();
  auto Register = ToRegister(Name);
  if (!Register)
    failLitmus(Line, quoted(Name) + " is no register");
  if (*Thread >= Threads.size())
    failLitmus(Line, "there is no thread " + std::to_string(*Thread));
  LitmusItem Item;
  Item.Thread = *Thread;
  Item.Index = static_cast<uint32_t>(Threads[*Thread].slotOf(*Register));
  Item.Name = std::to_string(*Thread) + ":" + *Register;
  Item.Width = Threads[*Thread].isWide(*Register) ? 8 : 4;
  return Item;
}

LitmusItem LitmusConditionReader::locationItem(std::string_view Word, bool Bracket, uint32_t Line) {
  if (!isName(Word))
    failLitmus(Line, "a register or location is expected here, not " + quoted(Text.rest().substr(0, 20)));
  LitmusItem Item;
  Item.Index = Locations.find(Word, Line);
  Item.Name = std::string(Word);
  Item.Width = Locations.hasNumbersOf64Bits(Item.Index) ? 8 : 4;
  if (Bracket)
    Text.expect("]", "after the location");
  if (Text.accept("["))
    refuseLitmus(Line, Item.Name + "[");
  return Item;
}

int64_t LitmusConditionReader::value(const LitmusItem &Item) {
  const bool Negative = Text.accept("-");
  Text.accept("&");
  const uint32_t Line = Text.line();
  std::string Word(Text.word());
  if (Negative)
    Word.insert(0, "-");
  if (isName(Word)) {
    NamesAddresses = true;
    return static_cast<int64_t>(globalAddress(Locations.find(Word, Line)));
  }
  return Item.Width == 8 ? wideLitmusNumber(Word, Line) : litmusNumber(Word, Line);
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
