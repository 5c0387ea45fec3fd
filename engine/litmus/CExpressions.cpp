#include "litmus/CExpressions.h"

#include <algorithm>
#include <array>
#include <span>

namespace picket {

static uint8_t flagsOf(Order O) { return static_cast<uint8_t>(O); }

bool CExpressions::next(std::string_view Wanted) {
  Text.skipSpace();
  return Text.rest().substr(0, Wanted.size()) == Wanted;
}

const CExpressions::Operator *CExpressions::acceptOperator(size_t Level) {
  static constexpr Operator Or[] = {{"|", Opcode::Or}}, Xor[] = {{"^", Opcode::Xor}}, And[] = {{"&", Opcode::And}},
                            Equality[] = {{"==", Opcode::Eq}, {"!=", Opcode::Ne}},
                            Relation[] = {{"<=", Opcode::SLe},
                                          {">=", Opcode::SLe, true},
                                          {"<", Opcode::SLt},
                                          {">", Opcode::SLt, true}},
                            Sum[] = {{"+", Opcode::Add}, {"-", Opcode::Sub}},
                            Product[] = {{"*", Opcode::Mul}, {"/", Opcode::SDiv}, {"%", Opcode::SRem}};
  static constexpr std::array<std::span<const Operator>, 7> Levels = {Or, Xor, And, Equality, Relation, Sum, Product};
  // Those that begin like an operator of this level and are none.
  if (next("||") || next("&&"))
    return nullptr;
  if (next("<<") || next(">>") || next("++") || next("--"))
    refuseLitmus(Text.line(), Text.rest().substr(0, 2));
  for (const Operator &O : Levels[Level])
    if (Text.accept(O.Text))
      return &O;
  return nullptr;
}

Operand CExpressions::expression(unsigned Depth) {
  if (Depth > MaxDepth)
    failLitmus(Text.line(), "the expression is nested too deeply");
  const Operand Value = lazy(false, Depth);
  if (next("?"))
    refuseLitmus(Text.line(), "?:");
  return Value;
}

/// a || b, or a && b: b is computed only if a does not decide.
Operand CExpressions::lazy(bool IsAnd, unsigned Depth) {
  auto Part = [&] { return IsAnd ? binary(0, Depth) : lazy(true, Depth); };
  const std::string_view Sign = IsAnd ? "&&" : "||";
  const Operand First = Part();
  if (!Text.accept(Sign))
    return First;
  const int32_t Result = Code.temporary();
  const std::string End = newLabel();
  Code.binary(Opcode::Ne, Result, First, Code.constant(0), Bits);
  do {
    Code.branch(Result, !IsAnd, End);
    const Operand Next = Part();
    Code.binary(Opcode::Ne, Result, Next, Code.constant(0), Bits);
  } while (Text.accept(Sign));
  Code.label(End);
  return Result;
}

Operand CExpressions::binary(size_t Level, unsigned Depth) {
  constexpr size_t NumLevels = 7;
  if (Level == NumLevels)
    return unary(Depth);
  Operand Left = binary(Level + 1, Depth);
  while (const Operator *O = acceptOperator(Level)) {
    const Operand Right = binary(Level + 1, Depth);
    const int32_t Result = Code.temporary();
    Code.binary(O->Op, Result, O->Swapped ? Right : Left, O->Swapped ? Left : Right, Bits);
    Left = Result;
  }
  return Left;
}

bool CExpressions::acceptCast() {
  LitmusCursor Ahead = Text;
  if (!Ahead.accept("(") || !(Ahead.acceptWord("int") || Ahead.acceptWord("int32_t")) || !Ahead.accept(")"))
    return false;
  Text = Ahead;
  return true;
}

Operand CExpressions::unary(unsigned Depth) {
  if (Depth > MaxDepth)
    failLitmus(Text.line(), "the expression is nested too deeply");
  while (acceptCast())
    ;
  if (Text.accept("*")) {
    Text.skipSpace();
    const uint32_t Line = Text.line();
    return load(location(pointer(), Line), Order::NotAtomic);
  }
  const int32_t Result = Code.temporary();
  if (next("!=") || next("--") || next("++"))
    failLitmus(Text.line(), "an expression is expected here, not " + quoted(Text.rest().substr(0, 2)));
  if (Text.accept("-"))
    Code.binary(Opcode::Sub, Result, Code.constant(0), unary(Depth + 1), Bits);
  else if (Text.accept("!"))
    Code.binary(Opcode::Eq, Result, unary(Depth + 1), Code.constant(0), Bits);
  else if (Text.accept("~"))
    Code.binary(Opcode::Xor, Result, unary(Depth + 1), Code.constant(0xffffffff), Bits);
  else
    return primary(Depth);
  return Result;
}

Operand CExpressions::primary(unsigned Depth) {
  if (Text.accept("(")) {
    const Operand Value = expression(Depth + 1);
    Text.expect(")", "in the expression");
    return Value;
  }
  Text.skipSpace();
  const uint32_t Line = Text.line();
  const std::string_view Rest = Text.rest(), Word = Text.word();
  if (looksLikeNumber(Word))
    return Code.truncated(Code.number(litmusNumber(Word, Line)));
  if (!isName(Word))
    failLitmus(Line,
               "an expression is expected here, not " + quoted(Rest.substr(0, std::min<size_t>(Rest.find('\n'), 20))));
  if (Text.accept("(")) {
    if (auto Value = call(Word, Line, Depth))
      return *Value;
    failLitmus(Line, quoted(Word) + " has no value");
  }
  if (Text.accept("{")) // Linux' __load{once}(x)
    refuseLitmus(Line, std::string(Word) + "{");
  if (Variables.count(Word))
    return Code.slotOf(Word);
  if (Parameters.count(Word))
    failLitmus(Line, quoted(Word) + " is the address of a location: its value is " + quoted("*" + std::string(Word)));
  failLitmus(Line, "the thread has no variable " + quoted(Word));
}

/// `x` or `(x)`
std::string_view CExpressions::pointer() {
  if (!Text.accept("("))
    return Text.word();
  const std::string_view Name = Text.word();
  Text.expect(")", "after the name of a location");
  return Name;
}

Operand CExpressions::location(std::string_view Name, uint32_t Line) {
  if (!Parameters.count(Name))
    failLitmus(Line, quoted(Name) + " is no parameter of the thread that points to a location");
  return Code.addressOf(Name);
}

void CExpressions::assignment() {
  Text.skipSpace();
  const uint32_t Line = Text.line();
  const Operand Where = location(pointer(), Line);
  Text.expect("=", "after the location");
  store(Where, expression(), Order::NotAtomic);
}

int32_t CExpressions::load(Operand Where, Order O) {
  const int32_t Value = Code.temporary();
  Code.emit({.Op = Opcode::Load, .Width = Bytes, .Flags = flagsOf(O), .Dst = Value, .A = Where});
  return Value;
}

void CExpressions::store(Operand Where, Operand Value, Order O) {
  Code.emit({.Op = Opcode::Store, .Width = Bytes, .Flags = flagsOf(O), .A = Where, .B = Value});
}

Operand CExpressions::argument(unsigned Depth) {
  comma();
  return expression(Depth + 1);
}

Operand CExpressions::locationArgument() {
  Text.skipSpace();
  const uint32_t Line = Text.line();
  if (Text.accept("(")) // a cast of the pointer
    refuseLitmus(Line, "(");
  return location(Text.word(), Line);
}

Order CExpressions::order(const char *What, std::initializer_list<Order> Forbidden) {
  static const std::map<std::string_view, Order> Orders = {
      {"memory_order_relaxed", Order::Relaxed}, {"memory_order_consume", Order::Acquire},
      {"memory_order_acquire", Order::Acquire}, {"memory_order_release", Order::Release},
      {"memory_order_acq_rel", Order::AcqRel},  {"memory_order_seq_cst", Order::SeqCst}};
  Text.skipSpace();
  const uint32_t Line = Text.line();
  const std::string_view Word = Text.word();
  auto Found = Orders.find(Word);
  if (Found == Orders.end())
    failLitmus(Line, "a memory order is expected here, not " + quoted(Word));
  if (std::find(Forbidden.begin(), Forbidden.end(), Found->second) != Forbidden.end())
    failLitmus(Line, std::string(What) + " cannot be " + quoted(Word));
  return Found->second;
}

std::optional<Operand> CExpressions::call(std::string_view Function, uint32_t Line, unsigned Depth) {
  static const std::map<std::string_view, RmwOp> Updates = {
      {"atomic_exchange", RmwOp::Xchg}, {"atomic_fetch_add", RmwOp::Add}, {"atomic_fetch_sub", RmwOp::Sub},
      {"atomic_fetch_or", RmwOp::Or},   {"atomic_fetch_xor", RmwOp::Xor}, {"atomic_fetch_and", RmwOp::And}};
  constexpr std::string_view Suffix = "_explicit";
  std::string_view Name = Function;
  const bool Explicit = Name.size() > Suffix.size() && Name.substr(Name.size() - Suffix.size()) == Suffix;
  if (Explicit)
    Name.remove_suffix(Suffix.size());
  auto LastOrder = [&](const char *What, std::initializer_list<Order> Forbidden) {
    if (!Explicit)
      return Order::SeqCst;
    comma();
    return order(What, Forbidden);
  };
  std::optional<Operand> Result;
  if (Name == "atomic_load") {
    const Operand Where = locationArgument();
    Result = load(Where, LastOrder("a load", {Order::Release, Order::AcqRel}));
  } else if (Name == "atomic_store") {
    const Operand Where = locationArgument(), Value = argument(Depth);
    store(Where, Value, LastOrder("a store", {Order::Acquire, Order::AcqRel}));
  } else if (auto Update = Updates.find(Name); Update != Updates.end()) {
    const Operand Where = locationArgument(), Value = argument(Depth);
    const int32_t Old = Code.temporary();
    const Order O = LastOrder("", {});
    Code.emit({.Op = Opcode::Rmw,
               .Width = Bytes,
               .Flags = flagsOf(O),
               .Dst = Old,
               .A = Where,
               .B = Value,
               .C = static_cast<int32_t>(Update->second)});
    Result = Old;
  } else if (Name == "atomic_compare_exchange_strong" || Name == "atomic_compare_exchange_weak") {
    Result = compareExchange(Name == "atomic_compare_exchange_weak", Explicit, Depth);
  } else if (!Explicit && (Name == "atomic_thread_fence" || Name == "atomic_signal_fence")) {
    const Order O = order("", {});
    static const std::map<Order, FenceKind> Kinds = {{Order::Acquire, FenceKind::Acquire},
                                                     {Order::Release, FenceKind::Release},
                                                     {Order::AcqRel, FenceKind::AcqRel},
                                                     {Order::SeqCst, FenceKind::Full}};
    if (auto Kind = Kinds.find(O); Kind != Kinds.end() && Name == "atomic_thread_fence")
      Code.fence(Kind->second); // one that is relaxed orders nothing, nor does one for signals
  } else {
    refuseLitmus(Line, Function);
  }
  Text.expect(")", "after the arguments");
  return Result;
}

/// compare_exchange(x, e, new, success, failure): the expected value is that of another location, to which the old
/// value is written if it is a different one. Both are plain accesses.
Operand CExpressions::compareExchange(bool Weak, bool Explicit, unsigned Depth) {
  const Operand Where = locationArgument();
  comma();
  const Operand ExpectedAt = locationArgument();
  const Operand New = argument(Depth);
  Order Success = Order::SeqCst, Failure = Order::SeqCst;
  if (Explicit) {
    comma();
    Success = order("", {});
    comma();
    Failure = order("a compare_exchange that fails", {Order::Release, Order::AcqRel});
  }
  const Operand Expected = load(ExpectedAt, Order::NotAtomic);
  const int32_t Old = Code.temporary(), Done = Code.temporary(); // Done stands behind Old
  Code.emit({.Op = Opcode::CmpXchg,
             .Width = Bytes,
             .Flags = static_cast<uint8_t>(flagsOf(Success) | (Weak ? MayFail : 0)),
             .Dst = Old,
             .A = Where,
             .B = Expected,
             .C = New,
             .Imm = static_cast<int64_t>(Failure)});
  const std::string End = newLabel();
  Code.branch(Done, true, End);
  store(ExpectedAt, Old, Order::NotAtomic);
  Code.label(End);
  return Done;
}

} // namespace picket
