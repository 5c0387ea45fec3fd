#include "litmus/AArch64Forms.h"

#include "litmus/LitmusText.h"

namespace picket {

std::string AArch64Form::nameOf(const LitmusInstruction &I) { return lower(I.Mnemonic); }

/// The order that the letters behind the name of an atomic instruction stand for.
static std::optional<Order> orderOf(std::string_view Suffix) {
  return Suffix == ""     ? std::optional(Order::Relaxed)
         : Suffix == "a"  ? std::optional(Order::Acquire)
         : Suffix == "l"  ? std::optional(Order::Release)
         : Suffix == "al" ? std::optional(Order::AcqRel)
                          : std::nullopt;
}

static std::optional<AArch64Form> atomicForm(std::string_view Name) {
  struct Operation {
    std::string_view Name;
    RmwOp Op;
    bool Clears;
  };
  static constexpr Operation Operations[] = {{"add", RmwOp::Add, false},   {"eor", RmwOp::Xor, false},
                                             {"set", RmwOp::Or, false},    {"clr", RmwOp::And, true},
                                             {"smax", RmwOp::Max, false},  {"smin", RmwOp::Min, false},
                                             {"umax", RmwOp::UMax, false}, {"umin", RmwOp::UMin, false}};
  using Form = AArch64Form;
  if (const std::string_view Start = Name.substr(0, 3); Start == "swp" || Start == "cas") {
    auto Ordering = orderOf(Name.substr(3));
    if (!Ordering)
      return std::nullopt;
    return Form{.What = Start == "swp" ? Form::Update : Form::CompareSwap, .Loads = true, .Ordering = *Ordering};
  }
  const bool Loads = Name.substr(0, 2) == "ld";
  if (!Loads && Name.substr(0, 2) != "st")
    return std::nullopt;
  for (const Operation &O : Operations) {
    if (Name.substr(2, O.Name.size()) != O.Name)
      continue;
    auto Ordering = orderOf(Name.substr(2 + O.Name.size()));
    if (!Ordering || (!Loads && *Ordering != Order::Relaxed && *Ordering != Order::Release))
      return std::nullopt;
    return Form{.What = Form::Update, .Loads = Loads, .Ordering = *Ordering, .Op = O.Op, .Clears = O.Clears};
  }
  return std::nullopt;
}

std::optional<AArch64Form> AArch64Form::of(std::string_view Name) {
  static const std::map<std::string_view, AArch64Form> Accesses = {
      {"ldr", {.What = Plain, .Loads = true}},
      {"ldur", {.What = Plain, .Loads = true}},
      {"str", {.What = Plain, .Loads = false}},
      {"stur", {.What = Plain, .Loads = false}},
      {"ldar", {.What = Ordered, .Loads = true, .Ordering = Order::Acquire}},
      {"ldapr", {.What = Ordered, .Loads = true, .Ordering = Order::AcquirePC}},
      {"stlr", {.What = Ordered, .Loads = false, .Ordering = Order::Release}},
      {"ldxr", {.What = Exclusive, .Loads = true}},
      {"ldaxr", {.What = Exclusive, .Loads = true, .Ordering = Order::Acquire}},
      {"stxr", {.What = Exclusive, .Loads = false}},
      {"stlxr", {.What = Exclusive, .Loads = false, .Ordering = Order::Release}}};
  if (auto Found = Accesses.find(Name); Found != Accesses.end())
    return Found->second;
  if (!Name.empty() && (Name.back() == 'b' || Name.back() == 'h'))
    if (auto Found = Accesses.find(Name.substr(0, Name.size() - 1));
        Found != Accesses.end() && Found->second.What != Exclusive) {
      AArch64Form Form = Found->second;
      Form.Narrow = Name.back() == 'b' ? 1 : 2;
      return Form;
    }
  return atomicForm(Name);
}

uint8_t AArch64Form::flags(bool Unused) const {
  Order O = Ordering;
  if (Unused && O == Order::Acquire)
    O = Order::Relaxed;
  if (Unused && O == Order::AcqRel)
    O = Order::Release;
  return static_cast<uint8_t>(static_cast<uint8_t>(O) | (Unused ? ResultUnused : 0));
}

std::vector<std::string> AArch64Form::partsOfAddress(std::string_view Text, uint32_t Line) {
  if (Text.empty() || Text.front() != '[')
    failLitmus(Line, quoted(Text) + " is no address of the form [register]");
  if (Text.back() != ']') // it also changes the register
    refuseLitmus(Line, Text);
  std::vector<std::string> Parts;
  for (std::string_view Rest = Text.substr(1, Text.size() - 2);;) {
    const size_t Comma = Rest.find(',');
    Parts.emplace_back(trimmed(Rest.substr(0, Comma)));
    if (Comma == std::string_view::npos)
      break;
    Rest.remove_prefix(Comma + 1);
  }
  if (Parts.size() > 3)
    failLitmus(Line, quoted(Text) + " is no address of the form [register]");
  return Parts;
}

std::optional<AArch64Condition> AArch64Condition::named(std::string_view Name) {
  static const std::map<std::string_view, AArch64Condition> Conditions = {
      {"eq", {LitmusFlag::Equal, true}},  {"ne", {LitmusFlag::Equal, false}},  {"lt", {LitmusFlag::Less, true}},
      {"ge", {LitmusFlag::Less, false}},  {"gt", {LitmusFlag::Greater, true}}, {"le", {LitmusFlag::Greater, false}},
      {"lo", {LitmusFlag::Lower, true}},  {"cc", {LitmusFlag::Lower, true}},   {"hs", {LitmusFlag::Lower, false}},
      {"cs", {LitmusFlag::Lower, false}}, {"hi", {LitmusFlag::Higher, true}},  {"ls", {LitmusFlag::Higher, false}}};
  auto Found = Conditions.find(Name);
  return Found == Conditions.end() ? std::nullopt : std::optional(Found->second);
}

} // namespace picket
