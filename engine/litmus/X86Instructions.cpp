#include "litmus/LitmusInstructions.h"
#include "litmus/LitmusText.h"

#include <set>

namespace picket {

std::optional<std::string> x86Register(std::string_view Text) {
  static const std::set<std::string> Registers = {"eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp"};
  std::string Name = lower(Text);
  if (!Registers.count(Name))
    return std::nullopt;
  for (char &C : Name)
    C = static_cast<char>(C - 'a' + 'A');
  return Name;
}

namespace {

std::optional<LitmusBranch> branchOf(std::string_view Name) {
  static const std::map<std::string_view, LitmusBranch> Branches = {
      {"je", {LitmusFlag::Equal, true}},   {"jz", {LitmusFlag::Equal, true}},    {"jne", {LitmusFlag::Equal, false}},
      {"jnz", {LitmusFlag::Equal, false}}, {"jl", {LitmusFlag::Less, true}},     {"jge", {LitmusFlag::Less, false}},
      {"jg", {LitmusFlag::Greater, true}}, {"jle", {LitmusFlag::Greater, false}}};
  auto Found = Branches.find(Name);
  return Found == Branches.end() ? std::nullopt : std::optional(Found->second);
}

struct Arithmetic {
  Opcode Op;
  RmwOp Locked;
};

const std::map<std::string_view, Arithmetic> Binaries = {{"add", {Opcode::Add, RmwOp::Add}},
                                                         {"sub", {Opcode::Sub, RmwOp::Sub}},
                                                         {"and", {Opcode::And, RmwOp::And}},
                                                         {"or", {Opcode::Or, RmwOp::Or}},
                                                         {"xor", {Opcode::Xor, RmwOp::Xor}}};

/// One instruction of a thread.
class X86Writer {
public:
  X86Writer(const LitmusInstruction &Text, LitmusThread &Code) : I(Text), Code(Code), Name(lower(I.Mnemonic)) {
    Locked = Name == "lock";
    if (!Locked)
      return;
    // The instruction itself stands in front of the first operand.
    if (I.Operands.empty())
      failLitmus(I.Line, "'lock' stands alone");
    std::string_view First = I.Operands[0];
    const size_t End = First.find_first_of(" \t\r\n");
    I.Mnemonic += " " + std::string(First.substr(0, End));
    Name = lower(First.substr(0, End));
    I.Operands[0] = End == std::string_view::npos ? "" : std::string(trimmed(First.substr(End)));
    if (I.Operands.size() == 1 && I.Operands[0].empty())
      I.Operands.clear();
  }

  void write() {
    const bool Known = Locked ? writeLocked() : writeMove() || writeArithmetic() || writeControl() || writeFence();
    if (!Known)
      refuseLitmus(I.Line, I.Mnemonic);
  }

private:
  struct Place {
    enum Kind { Register, Memory, Immediate } What;
    Operand Where; // the slot, the address, or the number
  };

  Place place(size_t K) const {
    std::string_view Text = I.Operands[K];
    if (auto Register = x86Register(Text))
      return {Place::Register, Code.slotOf(*Register)};
    if (Text.size() >= 2 && Text.front() == '[' && Text.back() == ']') {
      Text = trimmed(Text.substr(1, Text.size() - 2));
      if (auto Register = x86Register(Text))
        return {Place::Memory, Code.slotOf(*Register)};
      if (isName(Text))
        return {Place::Memory, Code.addressOf(Text)};
      refuseLitmus(I.Line, I.Operands[K]);
    }
    if (!Text.empty() && Text.front() == '$')
      Text.remove_prefix(1);
    if (looksLikeNumber(Text))
      return {Place::Immediate, Code.number(litmusNumber(Text, I.Line))};
    failLitmus(I.Line, quoted(I.Operands[K]) + " is no register, number or [location]");
  }

  /// What the operand holds.
  Operand read(const Place &P) const {
    if (P.What != Place::Memory)
      return P.Where;
    const int32_t Value = Code.temporary();
    Code.load(Value, P.Where);
    return Value;
  }

  void write(const Place &P, Operand Value) const {
    if (P.What == Place::Register)
      Code.move(P.Where, Value);
    else
      Code.store(P.Where, Value);
  }

  /// Two operands, the first of which can be written.
  std::pair<Place, Place> destinationAndSource() const {
    wantOperands(I, 2);
    std::pair<Place, Place> Both = {place(0), place(1)};
    if (Both.first.What == Place::Immediate)
      failLitmus(I.Line, quoted(I.Mnemonic) + " cannot write to a number");
    if (Both.first.What == Place::Memory && Both.second.What == Place::Memory)
      failLitmus(I.Line, quoted(I.Mnemonic) + " cannot have two operands in memory");
    return Both;
  }

  bool writeMove() {
    if (Name == "mov") {
      auto [To, From] = destinationAndSource();
      if (To.What == Place::Register && From.What == Place::Memory)
        Code.load(To.Where, From.Where);
      else
        write(To, From.Where);
      return true;
    }
    return Name == "xchg" && exchange();
  }

  /// With memory it is atomic, lock or not.
  bool exchange() {
    auto [A, B] = destinationAndSource();
    if (B.What == Place::Immediate)
      failLitmus(I.Line, quoted(I.Mnemonic) + " cannot write to a number");
    if (A.What == Place::Register)
      std::swap(A, B);
    if (A.What == Place::Memory) {
      Code.readModifyWrite(RmwOp::Xchg, B.Where, A.Where, B.Where);
      return true;
    }
    const int32_t Kept = Code.temporary();
    Code.move(Kept, A.Where);
    Code.move(A.Where, B.Where);
    Code.move(B.Where, Kept);
    return true;
  }

  bool writeArithmetic() {
    if (auto Found = Binaries.find(Name); Found != Binaries.end()) {
      auto [To, From] = destinationAndSource();
      calculate(Found->second.Op, To, From);
    } else if (Name == "inc" || Name == "dec") {
      wantOperands(I, 1);
      I.Operands.push_back("$1");
      auto [To, From] = destinationAndSource();
      calculate(Name == "inc" ? Opcode::Add : Opcode::Sub, To, From);
    } else if (Name == "cmp") {
      wantOperands(I, 2);
      const Operand A = read(place(0)), B = read(place(1));
      Code.compare(A, B);
    } else if (Name == "test") {
      wantOperands(I, 2);
      const int32_t Both = Code.temporary();
      const Operand A = read(place(0)), B = read(place(1));
      Code.binary(Opcode::And, Both, A, B);
      Code.compare(Both, Code.constant(0));
    } else {
      return false;
    }
    return true;
  }

  void calculate(Opcode Op, const Place &To, const Place &From) const {
    const Operand Old = read(To), Other = read(From);
    const int32_t Result = To.What == Place::Register ? To.Where : Code.temporary();
    Code.binary(Op, Result, Old, Other);
    if (To.What == Place::Memory)
      Code.store(To.Where, Result);
    Code.compare(Result, Code.constant(0));
  }

  bool writeControl() {
    if (Name == "jmp") {
      wantOperands(I, 1);
      Code.jump(I.Operands[0]);
      return true;
    }
    auto Branch = branchOf(Name);
    if (!Branch)
      return Name == "nop";
    wantOperands(I, 1);
    Code.branch(Branch->Flag, Branch->Set, I.Operands[0]);
    return true;
  }

  bool writeFence() {
    static const std::map<std::string_view, FenceKind> Fences = {
        {"mfence", FenceKind::Full}, {"sfence", FenceKind::StoreStore}, {"lfence", FenceKind::Acquire}};
    auto Found = Fences.find(Name);
    if (Found == Fences.end())
      return false;
    wantOperands(I, 0);
    Code.fence(Found->second);
    return true;
  }

  bool writeLocked() {
    if (Name == "xchg")
      return exchange();
    if (Name == "inc" || Name == "dec") {
      wantOperands(I, 1);
      I.Operands.push_back("$1");
      Name = Name == "inc" ? "add" : "sub";
    }
    auto Found = Binaries.find(Name);
    if (Found == Binaries.end() && Name != "xadd" && Name != "cmpxchg")
      return false;
    auto [To, From] = destinationAndSource();
    if (To.What != Place::Memory)
      failLitmus(I.Line, quoted(I.Mnemonic) + " needs memory as its first operand");
    if (Found != Binaries.end()) {
      const int32_t Old = Code.temporary();
      Code.readModifyWrite(Found->second.Locked, Old, To.Where, From.Where);
      compareResult(Found->second.Op, Old, From.Where);
      return true;
    }
    if (From.What != Place::Register)
      failLitmus(I.Line, quoted(I.Mnemonic) + " needs a register as its second operand");
    const int32_t Accumulator = Code.slotOf("EAX");
    if (Name == "cmpxchg") {
      Code.compareExchange(Accumulator, To.Where, Accumulator, From.Where);
      return true;
    }
    const int32_t Added = Code.temporary();
    Code.move(Added, From.Where);
    Code.readModifyWrite(RmwOp::Add, From.Where, To.Where, Added);
    compareResult(Opcode::Add, From.Where, Added);
    return true;
  }

  void compareResult(Opcode Op, Operand Old, Operand Other) const {
    const int32_t Result = Code.temporary();
    Code.binary(Op, Result, Old, Other);
    Code.compare(Result, Code.constant(0));
  }

  LitmusInstruction I;
  LitmusThread &Code;
  std::string Name;
  bool Locked = false;
};

} // namespace

void needFlagsX86(const LitmusInstruction &I, LitmusThread &Code) {
  if (auto Branch = branchOf(lower(I.Mnemonic)))
    Code.needFlag(Branch->Flag);
}

void writeX86(const LitmusInstruction &I, LitmusThread &Code) { X86Writer(I, Code).write(); }

} // namespace picket
