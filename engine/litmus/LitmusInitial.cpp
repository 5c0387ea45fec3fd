#include "litmus/LitmusInitial.h"

#include <set>

namespace picket {

/// The bytes of a type's values. Words that only qualify a type have none.
static std::optional<uint8_t> sizeOfType(std::string_view Word) {
  static const std::map<std::string_view, uint8_t> Types = {
      {"int", 4},        {"unsigned", 4}, {"signed", 4},  {"int32_t", 4},  {"uint32_t", 4},
      {"atomic_int", 4}, {"long", 8},     {"int64_t", 8}, {"uint64_t", 8}, {"intptr_t", 8},
      {"uintptr_t", 8},  {"volatile", 0}, {"_Atomic", 0}, {"const", 0}};
  auto Found = Types.find(Word);
  return Found == Types.end() ? std::nullopt : std::optional(Found->second);
}

void LitmusInitialState::read(LitmusCursor &Text) {
  Text.expect("{", "before the initial state");
  while (!Text.accept("}")) {
    if (Text.accept(";"))
      continue;
    readEntry(Text);
    if (!Text.accept(";")) {
      Text.expect("}", "after the initial state");
      return;
    }
  }
}

void LitmusInitialState::readEntry(LitmusCursor &Text) {
  Text.skipSpace();
  Entry E{.Line = Text.line(), .Thread = {}, .Name = "", .Declared = {}, .Target = ""};
  bool Bracket = false;
  std::string_view Word;
  for (;;) {
    if (Text.accept("*"))
      E.Declared = {8, true};
    Bracket = Text.accept("[");
    Text.accept("%");
    Text.skipSpace();
    E.Line = Text.line();
    Word = Text.word();
    if (Bracket || !isName(Word))
      break;
    // A type is followed by something with a value, a location is not.
    Text.skipSpace();
    const char Next = Text.peek();
    if (Next == '=' || Next == ';' || Next == '}' || Next == '[' || Next == ':')
      break;
    const std::optional<uint8_t> Size = sizeOfType(Word);
    if (!Size)
      refuseLitmus(E.Line, Word.empty() ? Text.rest().substr(0, 1) : Word);
    if (*Size)
      E.Declared.Size = *Size;
  }
  if (Bracket) {
    Text.expect("]", "after the location");
  } else if (Text.peek() == ':' || looksLikeNumber(Word)) {
    E.Thread = threadNumber(Word);
    if (!E.Thread)
      failThread(E.Line, Word);
    Text.expect(":", "after the number of a thread");
    Text.accept("%");
    Word = Text.word();
  }
  readValue(Text, std::move(E), Word);
}

void LitmusInitialState::readValue(LitmusCursor &Text, Entry E, std::string_view Name) {
  if (E.Thread) {
    auto Register = ToRegister(Name);
    if (!Register)
      failLitmus(E.Line, quoted(Name) + " is no register");
    E.Name = *Register;
  } else {
    if (!isName(Name))
      failLitmus(E.Line, "a register or location is expected here, not " + quoted(Text.rest().substr(0, 20)));
    E.Name = Name;
  }
  if (Text.accept("[") || Text.accept("{"))
    refuseLitmus(E.Line, "arrays");
  if (!Text.accept("=")) {
    if (!E.Declared.Size)
      failLitmus(E.Line, quoted(E.Name) + " has no value");
    Entries.push_back(std::move(E));
    return;
  }
  const bool Negative = Text.accept("-");
  Text.accept("&");
  std::string Word(Text.word());
  if (Negative)
    Word.insert(0, "-");
  if (isName(Word))
    E.Target = Word;
  else if (Text.peek() == '{' || Text.peek() == '[')
    refuseLitmus(E.Line, "arrays");
  else
    E.Number = E.Declared.Size == 8 || (E.Thread && hasWideAccesses()) ? wideLitmusNumber(Word, E.Line)
                                                                       : litmusNumber(Word, E.Line);
  Entries.push_back(std::move(E));
}

void LitmusInitialState::setLocation(const Entry &E, LitmusLocations &Locations) const {
  const uint32_t Location = Locations.find(E.Name, E.Line);
  const bool Points = E.Declared.Pointer || !E.Target.empty();
  if (Points && Architecture == LitmusArchitecture::C)
    refuseLitmus(E.Line, "pointers in memory of C");
  if (!E.Target.empty() && E.Declared.Size == 4)
    failLitmus(E.Line, quoted(E.Name) + " has 32 bits, too few for an address");
  if (!hasWideAccesses()) {
    // The accesses have 32 bits. That addresses have more here must not be seen.
    if (E.Declared.Size == 8 && !Points)
      refuseLitmus(E.Line, "64 bits at " + E.Name);
    Locations.PointersInWords |= Points;
  } else if (Points || E.Declared.Size) {
    Locations.declare(Location, Points ? 8 : E.Declared.Size);
  }
  Locations.setInitial(
      Location, E.Target.empty() ? E.Number : static_cast<int64_t>(globalAddress(Locations.find(E.Target, E.Line))));
}

void LitmusInitialState::setRegister(const Entry &E, LitmusLocations &Locations, LitmusThread &Thread) const {
  if (Architecture == LitmusArchitecture::C)
    refuseLitmus(E.Line, "initial values of registers of C");
  uint64_t Value = static_cast<uint64_t>(E.Number);
  if (!E.Target.empty())
    Value = globalAddress(Locations.find(E.Target, E.Line));
  else if (hasWideAccesses() && E.Number != static_cast<int32_t>(E.Number))
    Thread.markWide(E.Name);
  if (E.Declared.Size == 8 && E.Target.empty()) {
    if (!hasWideAccesses())
      refuseLitmus(E.Line, "64 bits of " + E.Name);
    Thread.markWide(E.Name);
  }
  Thread.setInitial(E.Name, Value);
}

void LitmusInitialState::apply(LitmusLocations &Locations, std::vector<LitmusThread> &Threads) const {
  std::set<std::pair<std::optional<uint32_t>, std::string>> Given;
  for (const Entry &E : Entries) {
    if (!Given.insert({E.Thread, E.Name}).second)
      failLitmus(E.Line, quoted(E.Name) + " has two initial values");
    if (!E.Thread) {
      setLocation(E, Locations);
      continue;
    }
    if (*E.Thread >= Threads.size())
      failLitmus(E.Line, "there is no thread " + std::to_string(*E.Thread));
    setRegister(E, Locations, Threads[*E.Thread]);
  }
}

} // namespace picket
