#include "source/assembly/AssemblyTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace picket {

namespace {

constexpr Architecture X86 = Architecture::X86_64, Arm = Architecture::Aarch64, Power = Architecture::Powerpc64le;

constexpr AssemblyRow nothing(Architecture For, StringLiteral Name) { return {For, Name, Meaning::Nothing}; }
constexpr AssemblyRow barrier(Architecture For, StringLiteral Name, FenceKind Kind) {
  return {For, Name, Meaning::Barrier, Suffix::None, static_cast<uint8_t>(Kind)};
}
constexpr AssemblyRow unary(Architecture For, StringLiteral Name, UnaryOp Op, Suffix Follows = Suffix::None) {
  AssemblyRow Row{For, Name, Meaning::Unary, Follows, static_cast<uint8_t>(Op)};
  Row.Lockable = For == X86 && Op != UnaryOp::ByteSwap;
  return Row;
}
constexpr AssemblyRow binary(Architecture For, StringLiteral Name, BinaryOp Op) {
  AssemblyRow Row{For, Name, Meaning::Binary, For == X86 ? Suffix::Width : Suffix::None, static_cast<uint8_t>(Op)};
  Row.Lockable = For == X86 && Op < BinaryOp::ShiftLeft;
  return Row;
}
constexpr AssemblyRow settingFlags(AssemblyRow Row) { return Row.SetsFlags = true, Row; }
constexpr AssemblyRow swapped(AssemblyRow Row) { return Row.Swaps = true, Row; }
constexpr AssemblyRow ofComplement(AssemblyRow Row) { return Row.InvertsSecond = true, Row; }
constexpr AssemblyRow complemented(AssemblyRow Row) { return Row.InvertsResult = true, Row; }
constexpr AssemblyRow locking(AssemblyRow Row) { return Row.Lockable = true, Row; }
constexpr AssemblyRow bits(StringLiteral Name, BitOp Op) {
  AssemblyRow Row{X86, Name, Meaning::TestBit, Suffix::Width, static_cast<uint8_t>(Op)};
  Row.Lockable = Op != BitOp::Keep;
  return Row;
}
constexpr AssemblyRow access(Architecture For, StringLiteral Name, Meaning What, Suffix Follows, Order Ordering,
                             unsigned Bytes = 0) {
  return {For, Name, What, Follows, 0, Ordering, static_cast<uint8_t>(Bytes)};
}
constexpr AssemblyRow update(StringLiteral Name, RmwOp Op, Suffix Follows) {
  return {Arm, Name, Meaning::Update, Follows, static_cast<uint8_t>(Op), Order::Relaxed};
}
constexpr AssemblyRow extend(Architecture For, StringLiteral Name, bool Signed, unsigned Bytes) {
  const Suffix Follows = For == X86 ? Suffix::WidthNeeded : Suffix::None;
  return {For,
          Name,
          Signed ? Meaning::SignExtend : Meaning::ZeroExtend,
          Follows,
          0,
          Order::NotAtomic,
          static_cast<uint8_t>(Bytes)};
}

constexpr AssemblyRow Rows[] = {
    // x86: barriers and hints
    barrier(X86, "mfence", FenceKind::Full),
    barrier(X86, "sfence", FenceKind::StoreStore),
    barrier(X86, "lfence", FenceKind::Acquire),
    nothing(X86, "pause"),
    nothing(X86, "nop"),
    nothing(X86, "rep nop"),
    nothing(X86, "prefetcht0"),
    nothing(X86, "prefetcht1"),
    nothing(X86, "prefetcht2"),
    nothing(X86, "prefetchnta"),
    nothing(X86, "prefetchw"),
    {X86, "rdtsc", Meaning::Unknowable},
    {X86, "rdtscp", Meaning::Unknowable},
    {X86, "cpuid", Meaning::Unknowable, Suffix::None, 1}, // and a barrier
    // x86: updates
    locking({X86, "xchg", Meaning::Exchange, Suffix::Width}),
    locking({X86, "xadd", Meaning::ExchangeAdd, Suffix::Width}),
    locking({X86, "cmpxchg8b", Meaning::CompareExchangePair, Suffix::None, 0, Order::NotAtomic, 4}),
    locking({X86, "cmpxchg16b", Meaning::CompareExchangePair, Suffix::None, 0, Order::NotAtomic, 8}),
    locking({X86, "cmpxchg", Meaning::CompareExchange, Suffix::Width}),
    bits("bts", BitOp::Set),
    bits("btr", BitOp::Reset),
    bits("btc", BitOp::Complement),
    bits("bt", BitOp::Keep),
    binary(X86, "add", BinaryOp::Add),
    binary(X86, "sub", BinaryOp::Subtract),
    binary(X86, "and", BinaryOp::And),
    binary(X86, "or", BinaryOp::Or),
    binary(X86, "xor", BinaryOp::Xor),
    unary(X86, "inc", UnaryOp::Increment, Suffix::Width),
    unary(X86, "dec", UnaryOp::Decrement, Suffix::Width),
    unary(X86, "neg", UnaryOp::Negate, Suffix::Width),
    unary(X86, "not", UnaryOp::Not, Suffix::Width),
    // x86: moves, arithmetic, conditions
    {X86, "mov", Meaning::Move, Suffix::Width},
    {X86, "movabs", Meaning::Move, Suffix::Width},
    extend(X86, "movzb", false, 1),
    extend(X86, "movzw", false, 2),
    extend(X86, "movsb", true, 1),
    extend(X86, "movsw", true, 2),
    extend(X86, "movsl", true, 4),
    {X86, "lea", Meaning::Address, Suffix::Width},
    unary(X86, "bswap", UnaryOp::ByteSwap, Suffix::Width),
    binary(X86, "shl", BinaryOp::ShiftLeft),
    binary(X86, "sal", BinaryOp::ShiftLeft),
    binary(X86, "shr", BinaryOp::ShiftRight),
    binary(X86, "sar", BinaryOp::ShiftRightSigned),
    {X86, "sbb", Meaning::Set, Suffix::Width, 1}, // of a register from itself: the carry in all bits
    {X86, "cmp", Meaning::Compare, Suffix::Width},
    {X86, "test", Meaning::Test, Suffix::Width},
    {X86, "set", Meaning::Set, Suffix::Condition},
    {X86, "cmov", Meaning::MoveIf, Suffix::Condition},
    {X86, "jmp", Meaning::Branch},
    {X86, "j", Meaning::Branch, Suffix::Condition},

    // AArch64: barriers and hints
    barrier(Arm, "dmb", FenceKind::Full),
    barrier(Arm, "dmb sy", FenceKind::Full),
    barrier(Arm, "dmb ish", FenceKind::Full),
    barrier(Arm, "dmb osh", FenceKind::Full),
    barrier(Arm, "dmb nsh", FenceKind::Full),
    barrier(Arm, "dmb ld", FenceKind::Acquire),
    barrier(Arm, "dmb ishld", FenceKind::Acquire),
    barrier(Arm, "dmb oshld", FenceKind::Acquire),
    barrier(Arm, "dmb nshld", FenceKind::Acquire),
    barrier(Arm, "dmb st", FenceKind::StoreStore),
    barrier(Arm, "dmb ishst", FenceKind::StoreStore),
    barrier(Arm, "dmb oshst", FenceKind::StoreStore),
    barrier(Arm, "dmb nshst", FenceKind::StoreStore),
    barrier(Arm, "dsb", FenceKind::Full),
    barrier(Arm, "dsb sy", FenceKind::Full),
    barrier(Arm, "dsb ish", FenceKind::Full),
    barrier(Arm, "dsb osh", FenceKind::Full),
    barrier(Arm, "dsb nsh", FenceKind::Full),
    barrier(Arm, "dsb ld", FenceKind::DsbLd),
    barrier(Arm, "dsb ishld", FenceKind::DsbLd),
    barrier(Arm, "dsb oshld", FenceKind::DsbLd),
    barrier(Arm, "dsb nshld", FenceKind::DsbLd),
    barrier(Arm, "dsb st", FenceKind::DsbSt),
    barrier(Arm, "dsb ishst", FenceKind::DsbSt),
    barrier(Arm, "dsb oshst", FenceKind::DsbSt),
    barrier(Arm, "dsb nshst", FenceKind::DsbSt),
    barrier(Arm, "isb", FenceKind::ISync),
    barrier(Arm, "isb sy", FenceKind::ISync),
    nothing(Arm, "yield"),
    nothing(Arm, "nop"),
    nothing(Arm, "wfe"),
    nothing(Arm, "sev"),
    nothing(Arm, "sevl"),
    nothing(Arm, "clrex"), // no exclusive access spans statements
    nothing(Arm, "prfm"),
    {Arm, "mrs", Meaning::Unknowable},
    // AArch64: loads and stores
    access(Arm, "ldr", Meaning::Load, Suffix::Narrow, Order::NotAtomic),
    access(Arm, "ldur", Meaning::Load, Suffix::Narrow, Order::NotAtomic),
    access(Arm, "ldar", Meaning::Load, Suffix::Narrow, Order::SeqCst),
    access(Arm, "ldapr", Meaning::Load, Suffix::Narrow, Order::AcquirePC),
    access(Arm, "str", Meaning::Store, Suffix::Narrow, Order::NotAtomic),
    access(Arm, "stur", Meaning::Store, Suffix::Narrow, Order::NotAtomic),
    access(Arm, "stlr", Meaning::Store, Suffix::Narrow, Order::Release),
    access(Arm, "ldxr", Meaning::LoadExclusive, Suffix::Narrow, Order::Relaxed),
    access(Arm, "ldaxr", Meaning::LoadExclusive, Suffix::Narrow, Order::Acquire),
    access(Arm, "ldxp", Meaning::LoadExclusive, Suffix::None, Order::Relaxed, 16),
    access(Arm, "ldaxp", Meaning::LoadExclusive, Suffix::None, Order::Acquire, 16),
    access(Arm, "stxr", Meaning::StoreExclusive, Suffix::Narrow, Order::Relaxed),
    access(Arm, "stlxr", Meaning::StoreExclusive, Suffix::Narrow, Order::Release),
    access(Arm, "stxp", Meaning::StoreExclusive, Suffix::None, Order::Relaxed, 16),
    access(Arm, "stlxp", Meaning::StoreExclusive, Suffix::None, Order::Release, 16),
    // AArch64: updates
    update("swp", RmwOp::Xchg, Suffix::OrderNarrow),
    update("ldadd", RmwOp::Add, Suffix::OrderNarrow),
    update("ldclr", RmwOp::And, Suffix::OrderNarrow),
    update("ldeor", RmwOp::Xor, Suffix::OrderNarrow),
    update("ldset", RmwOp::Or, Suffix::OrderNarrow),
    update("ldsmax", RmwOp::Max, Suffix::OrderNarrow),
    update("ldsmin", RmwOp::Min, Suffix::OrderNarrow),
    update("ldumax", RmwOp::UMax, Suffix::OrderNarrow),
    update("ldumin", RmwOp::UMin, Suffix::OrderNarrow),
    update("stadd", RmwOp::Add, Suffix::ReleaseNarrow),
    update("stclr", RmwOp::And, Suffix::ReleaseNarrow),
    update("steor", RmwOp::Xor, Suffix::ReleaseNarrow),
    update("stset", RmwOp::Or, Suffix::ReleaseNarrow),
    update("stsmax", RmwOp::Max, Suffix::ReleaseNarrow),
    update("stsmin", RmwOp::Min, Suffix::ReleaseNarrow),
    update("stumax", RmwOp::UMax, Suffix::ReleaseNarrow),
    update("stumin", RmwOp::UMin, Suffix::ReleaseNarrow),
    {Arm, "casp", Meaning::CompareSwap, Suffix::Order, 1, Order::Relaxed},
    {Arm, "cas", Meaning::CompareSwap, Suffix::OrderNarrow, 0, Order::Relaxed},
    // AArch64: moves, arithmetic, conditions
    {Arm, "mov", Meaning::Move},
    unary(Arm, "mvn", UnaryOp::Not),
    unary(Arm, "neg", UnaryOp::Negate),
    extend(Arm, "uxtb", false, 1),
    extend(Arm, "uxth", false, 2),
    extend(Arm, "sxtb", true, 1),
    extend(Arm, "sxth", true, 2),
    extend(Arm, "sxtw", true, 4),
    binary(Arm, "add", BinaryOp::Add),
    settingFlags(binary(Arm, "adds", BinaryOp::Add)),
    binary(Arm, "sub", BinaryOp::Subtract),
    settingFlags(binary(Arm, "subs", BinaryOp::Subtract)),
    binary(Arm, "and", BinaryOp::And),
    settingFlags(binary(Arm, "ands", BinaryOp::And)),
    ofComplement(binary(Arm, "bic", BinaryOp::And)),
    binary(Arm, "orr", BinaryOp::Or),
    ofComplement(binary(Arm, "orn", BinaryOp::Or)),
    binary(Arm, "eor", BinaryOp::Xor),
    ofComplement(binary(Arm, "eon", BinaryOp::Xor)),
    binary(Arm, "lsl", BinaryOp::ShiftLeft),
    binary(Arm, "lsr", BinaryOp::ShiftRight),
    binary(Arm, "asr", BinaryOp::ShiftRightSigned),
    binary(Arm, "mul", BinaryOp::Multiply),
    {Arm, "cmp", Meaning::Compare},
    {Arm, "cmn", Meaning::CompareNegative},
    {Arm, "tst", Meaning::Test},
    {Arm, "cset", Meaning::Set},
    {Arm, "b", Meaning::Branch},
    {Arm, "b.", Meaning::Branch, Suffix::Condition},
    {Arm, "cbz", Meaning::BranchIfZero, Suffix::None, 0},
    {Arm, "cbnz", Meaning::BranchIfZero, Suffix::None, 1},
    {Arm, "tbz", Meaning::BranchIfBit, Suffix::None, 0},
    {Arm, "tbnz", Meaning::BranchIfBit, Suffix::None, 1},

    // POWER: barriers and hints
    barrier(Power, "sync", FenceKind::Full),
    barrier(Power, "sync 0", FenceKind::Full),
    barrier(Power, "hwsync", FenceKind::Full),
    barrier(Power, "ptesync", FenceKind::Full),
    barrier(Power, "lwsync", FenceKind::LwSync),
    barrier(Power, "sync 1", FenceKind::LwSync),
    barrier(Power, "isync", FenceKind::ISync),
    barrier(Power, "eieio", FenceKind::StoreStore),
    nothing(Power, "or 1,1,1"),
    nothing(Power, "or 2,2,2"),
    nothing(Power, "or 6,6,6"),
    nothing(Power, "or 27,27,27"),
    nothing(Power, "or 31,31,31"),
    nothing(Power, "nop"),
    nothing(Power, "dcbt"),
    nothing(Power, "dcbtst"),
    {Power, "mftb", Meaning::Unknowable},
    {Power, "mftbu", Meaning::Unknowable},
    // POWER: loads and stores
    access(Power, "lbz", Meaning::Load, Suffix::None, Order::NotAtomic, 1),
    access(Power, "lhz", Meaning::Load, Suffix::None, Order::NotAtomic, 2),
    access(Power, "lwz", Meaning::Load, Suffix::None, Order::NotAtomic, 4),
    access(Power, "ld", Meaning::Load, Suffix::None, Order::NotAtomic, 8),
    access(Power, "lbzx", Meaning::Load, Suffix::None, Order::NotAtomic, 1),
    access(Power, "lhzx", Meaning::Load, Suffix::None, Order::NotAtomic, 2),
    access(Power, "lwzx", Meaning::Load, Suffix::None, Order::NotAtomic, 4),
    access(Power, "ldx", Meaning::Load, Suffix::None, Order::NotAtomic, 8),
    access(Power, "stb", Meaning::Store, Suffix::None, Order::NotAtomic, 1),
    access(Power, "sth", Meaning::Store, Suffix::None, Order::NotAtomic, 2),
    access(Power, "stw", Meaning::Store, Suffix::None, Order::NotAtomic, 4),
    access(Power, "std", Meaning::Store, Suffix::None, Order::NotAtomic, 8),
    access(Power, "stbx", Meaning::Store, Suffix::None, Order::NotAtomic, 1),
    access(Power, "sthx", Meaning::Store, Suffix::None, Order::NotAtomic, 2),
    access(Power, "stwx", Meaning::Store, Suffix::None, Order::NotAtomic, 4),
    access(Power, "stdx", Meaning::Store, Suffix::None, Order::NotAtomic, 8),
    access(Power, "lbarx", Meaning::LoadExclusive, Suffix::None, Order::Relaxed, 1),
    access(Power, "lharx", Meaning::LoadExclusive, Suffix::None, Order::Relaxed, 2),
    access(Power, "lwarx", Meaning::LoadExclusive, Suffix::None, Order::Relaxed, 4),
    access(Power, "ldarx", Meaning::LoadExclusive, Suffix::None, Order::Relaxed, 8),
    access(Power, "stbcx.", Meaning::StoreExclusive, Suffix::None, Order::Relaxed, 1),
    access(Power, "sthcx.", Meaning::StoreExclusive, Suffix::None, Order::Relaxed, 2),
    access(Power, "stwcx.", Meaning::StoreExclusive, Suffix::None, Order::Relaxed, 4),
    access(Power, "stdcx.", Meaning::StoreExclusive, Suffix::None, Order::Relaxed, 8),
    // POWER: moves, arithmetic, conditions
    {Power, "mr", Meaning::Move},
    {Power, "li", Meaning::Move},
    unary(Power, "not", UnaryOp::Not),
    unary(Power, "neg", UnaryOp::Negate),
    extend(Power, "extsb", true, 1),
    extend(Power, "extsh", true, 2),
    extend(Power, "extsw", true, 4),
    binary(Power, "add", BinaryOp::Add),
    binary(Power, "addi", BinaryOp::Add),
    binary(Power, "addic", BinaryOp::Add),
    settingFlags(binary(Power, "addic.", BinaryOp::Add)),
    settingFlags(binary(Power, "add.", BinaryOp::Add)),
    binary(Power, "sub", BinaryOp::Subtract),
    swapped(binary(Power, "subf", BinaryOp::Subtract)),
    binary(Power, "and", BinaryOp::And),
    settingFlags(binary(Power, "and.", BinaryOp::And)),
    settingFlags(binary(Power, "andi.", BinaryOp::And)),
    ofComplement(binary(Power, "andc", BinaryOp::And)),
    complemented(binary(Power, "nand", BinaryOp::And)),
    binary(Power, "or", BinaryOp::Or),
    binary(Power, "ori", BinaryOp::Or),
    complemented(binary(Power, "nor", BinaryOp::Or)),
    binary(Power, "xor", BinaryOp::Xor),
    settingFlags(binary(Power, "xor.", BinaryOp::Xor)),
    binary(Power, "xori", BinaryOp::Xor),
    {Power, "cmpw", Meaning::Compare, Suffix::None, 0, Order::NotAtomic, 4},
    {Power, "cmpwi", Meaning::Compare, Suffix::None, 0, Order::NotAtomic, 4},
    {Power, "cmpd", Meaning::Compare, Suffix::None, 0, Order::NotAtomic, 8},
    {Power, "cmpdi", Meaning::Compare, Suffix::None, 0, Order::NotAtomic, 8},
    {Power, "cmplw", Meaning::CompareUnsigned, Suffix::None, 0, Order::NotAtomic, 4},
    {Power, "cmplwi", Meaning::CompareUnsigned, Suffix::None, 0, Order::NotAtomic, 4},
    {Power, "cmpld", Meaning::CompareUnsigned, Suffix::None, 0, Order::NotAtomic, 8},
    {Power, "cmpldi", Meaning::CompareUnsigned, Suffix::None, 0, Order::NotAtomic, 8},
    {Power, "b", Meaning::Branch},
    {Power, "b", Meaning::Branch, Suffix::Condition},
};

bool isCondition(Architecture For, StringRef Name) {
  switch (For) {
  case X86:
    return StringSwitch<bool>(Name)
        .Cases({"e", "z", "ne", "nz", "c", "b", "nae", "nc", "ae", "nb"}, true)
        .Cases({"a", "nbe", "be", "na", "s", "ns", "l", "nge", "ge", "nl"}, true)
        .Cases({"le", "ng", "g", "nle"}, true)
        .Default(false);
  case Arm:
    return StringSwitch<bool>(Name)
        .Cases({"eq", "ne", "hs", "cs", "lo", "cc", "mi", "pl"}, true)
        .Cases({"hi", "ls", "ge", "lt", "gt", "le", "al"}, true)
        .Default(false);
  default: return StringSwitch<bool>(Name).Cases({"eq", "ne", "lt", "ge", "gt", "le"}, true).Default(false);
  }
}

bool takeWidth(StringRef Rest, unsigned &Bytes) {
  Bytes = StringSwitch<unsigned>(Rest).Case("b", 1).Case("w", 2).Case("l", 4).Case("q", 8).Default(0);
  return Bytes != 0;
}

bool takeNarrow(StringRef Rest, unsigned &Bytes) {
  if (Rest == "b" || Rest == "h")
    Bytes = Rest == "b" ? 1 : 2;
  return Rest.empty() || Rest == "b" || Rest == "h";
}

void takeOrder(StringRef &Rest, Order &Ordering) {
  if (Rest.consume_front("al"))
    Ordering = Order::AcqRel;
  else if (Rest.consume_front("a"))
    Ordering = Order::Acquire;
  else if (Rest.consume_front("l"))
    Ordering = Order::Release;
}

std::optional<AssemblyForm> formOf(const AssemblyRow &Row, StringRef Rest) {
  AssemblyForm Form{&Row, Row.Bytes, Row.Ordering, ""};
  unsigned Width = 0;
  bool Fits = false;
  switch (Row.Follows) {
  case Suffix::None: Fits = Rest.empty(); break;
  case Suffix::Width: Fits = Rest.empty() || takeWidth(Rest, Form.Bytes); break;
  case Suffix::
      WidthNeeded: // Bytes is what it extends from: the suffix is of the destination, which a register says as well
    Fits = takeWidth(Rest, Width) && Width > Row.Bytes;
    break;
  case Suffix::Narrow: Fits = takeNarrow(Rest, Form.Bytes); break;
  case Suffix::Order:
    takeOrder(Rest, Form.Ordering);
    Fits = Rest.empty();
    break;
  case Suffix::OrderNarrow:
    takeOrder(Rest, Form.Ordering);
    Fits = takeNarrow(Rest, Form.Bytes);
    break;
  case Suffix::ReleaseNarrow:
    if (Rest.consume_front("l"))
      Form.Ordering = Order::Release;
    Fits = takeNarrow(Rest, Form.Bytes);
    break;
  case Suffix::Condition:
    if (Row.For == Power && (Rest.ends_with("-") || Rest.ends_with("+"))) // which way it mostly goes
      Rest = Rest.drop_back();
    Form.Condition = Rest.str();
    Fits = isCondition(Row.For, Rest);
    break;
  }
  return Fits ? std::optional(Form) : std::nullopt;
}

} // namespace

ArrayRef<AssemblyRow> assemblyTable() { return Rows; }

std::optional<AssemblyForm> findAssembly(Architecture For, StringRef Mnemonic) {
  if (For == Arm && Mnemonic.size() == 3 && Mnemonic[0] == 'b' && isCondition(Arm, Mnemonic.drop_front()))
    return findAssembly(Arm, "b." + Mnemonic.drop_front().str()); // as on older Arm
  for (const AssemblyRow &Row : Rows)
    if (StringRef Rest = Mnemonic; Row.For == For && Rest.consume_front(Row.Name))
      if (std::optional<AssemblyForm> Form = formOf(Row, Rest))
        return Form;
  return std::nullopt;
}

const AssemblyRow *findWholeInstruction(StringRef Instruction) {
  for (const AssemblyRow &Row : Rows)
    if ((Row.What == Meaning::Barrier || Row.What == Meaning::Nothing) && Row.Name == Instruction)
      return &Row;
  return nullptr;
}

} // namespace picket
