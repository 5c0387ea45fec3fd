// LitmusCode: the bytecode of a litmus test under construction; the readers of instructions write to it. Nothing is
// folded or left out, because dependencies between registers are part of a test.
//
// LitmusThread is large because it has a function for each thing that an instruction of some architecture does; most
// are a line or two.
#pragma once

#include "litmus/LitmusTest.h"

#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace picket {

/// The locations of a test. They come into being when they are first named.
class LitmusLocations {
public:
  static constexpr uint32_t Most = 4096;
  uint32_t find(std::string_view Name, uint32_t Line);
  void setInitial(uint32_t Location, int64_t Value) { Values[Location] = Value; }
  /// The test says how many bytes a location has: 4 or 8.
  void declare(uint32_t Location, uint8_t Size) {
    Sizes[Location] = Size;
    Declared[Location] = true;
  }
  /// Accesses of eight bytes go there: it has as many, if the test does not say otherwise.
  void widen(uint32_t Location) { Sizes[Location] = Declared[Location] ? Sizes[Location] : 8; }
  uint8_t sizeOf(uint32_t Location) const { return PointersInWords ? 8 : Sizes[Location]; }
  bool hasNumbersOf64Bits(uint32_t Location) const { return Sizes[Location] == 8; }

  std::vector<std::string> Names;
  std::vector<int64_t> Values; // numbers with their sign, or addresses
  /// Words may hold addresses, which have eight bytes here: so every access of a word has, and every location.
  bool PointersInWords = false;

private:
  std::map<std::string, uint32_t, std::less<>> Known;
  std::vector<uint8_t> Sizes;
  std::vector<bool> Declared;
};

/// What a comparison leaves for branches. Lower and Higher are those of numbers without sign.
enum class LitmusFlag : uint8_t { Equal, Less, Greater, Lower, Higher };
constexpr size_t NumLitmusFlags = 5;

/// The code of one thread.
class LitmusThread {
public:
  static constexpr size_t MostInstructions = 4096;
  /// Constants: of the program that the code becomes a part of.
  LitmusThread(LitmusLocations &Locations, std::vector<uint64_t> &Constants)
      : Locations(Locations), Constants(Constants) {}

  /// The line of the instruction that is written now.
  void setLine(uint32_t Line) { CurrentLine = Line; }
  uint32_t line() const { return CurrentLine; }

  int32_t slotOf(std::string_view Register);
  void setInitial(std::string_view Register, uint64_t Value);
  int32_t temporary() { return static_cast<int32_t>(NumSlots++); }
  Operand constant(uint64_t Value);
  Operand number(int32_t Value) { return constant(static_cast<uint64_t>(static_cast<int64_t>(Value))); }
  Operand addressOf(std::string_view Location) {
    return constant(globalAddress(Locations.find(Location, CurrentLine)));
  }

  void move(int32_t Dst, Operand From) { emit({.Op = Opcode::Move, .Dst = Dst, .A = From}); }
  void binary(Opcode Op, int32_t Dst, Operand A, Operand B, uint8_t Bits = 64) {
    emit({.Op = Op, .Width = Bits, .Dst = Dst, .A = A, .B = B});
  }
  /// Anything else.
  void emit(Instruction I);
  /// The lower bytes of a value, zero-extended.
  Operand truncated(Operand Value, uint8_t Bytes = 4);
  // Accesses of PPC and X86: registers hold words sign-extended.
  void load(int32_t Dst, Operand Where, int64_t Offset = 0, bool Reserve = false, uint8_t Width = 4);
  void store(Operand Where, Operand Value, int64_t Offset = 0, uint8_t Width = 4);
  void storeConditional(Operand Where, Operand Value);
  /// Dst = the old value. The operation is sequentially consistent.
  void readModifyWrite(RmwOp Op, int32_t Dst, Operand Where, Operand Value);
  /// Dst = the old value; the flags say how Expected compares to it.
  void compareExchange(int32_t Dst, Operand Where, Operand Expected, Operand New);
  void fence(FenceKind Kind) { emit({.Op = Opcode::Fence, .C = static_cast<int32_t>(Kind)}); }

  /// Flags that no branch of the thread looks at are not computed.
  void needFlag(LitmusFlag Which) { Needed[static_cast<size_t>(Which)] = true; }
  /// Of numbers that have so many bits.
  void compare(Operand A, Operand B, uint8_t Bits = 64);
  /// PPC's cmplw: the flags are those of numbers without sign, whatever branches look at.
  void compareUnsigned(Operand A, Operand B);
  void setFlag(LitmusFlag Which, bool Set) {
    if (Needed[static_cast<size_t>(Which)])
      move(flagSlot(Which), constant(Set));
  }
  int32_t flagSlot(LitmusFlag Which);

  /// Some instruction writes all 64 bits of the register, so that all of them count.
  void markWide(std::string_view Register) { Wide.emplace(Register); }
  bool isWide(std::string_view Register) const { return Wide.count(Register) != 0; }
  /// Whether it ever holds more than 32 bits: a wide one, or one that begins with an address or a negative number.
  bool exceedsWord(std::string_view Register) const;
  /// An access of eight bytes goes to where the register pointed in the beginning.
  void widenTarget(std::string_view Register);
  void widenLocation(std::string_view Name) { Locations.widen(Locations.find(Name, CurrentLine)); }

  void label(std::string_view Name);
  void jump(std::string_view Label);
  /// Jumps if the flag is `Set`.
  void branch(LitmusFlag Which, bool Set, std::string_view Label) { branch(flagSlot(Which), Set, Label); }
  /// Jumps if the value is not zero, or if it is.
  void branch(Operand Value, bool NotZero, std::string_view Label);
  /// The thread ends.
  void leave() { emit({.Op = Opcode::Return}); }

  bool usesReservations() const { return Reserves; }
  bool failsForNoReason() const { return Fails; }
  const std::map<std::string, uint32_t> &registers() const { return Slots; }

  /// Appends the function to the program. Lines become locations of file 0.
  void finish(Program &P, const std::string &Name);

private:
  struct Label {
    std::optional<uint32_t> At; // index into Code
    uint32_t FirstUse = 0;      // a line
  };

  void emitLoopBack(uint32_t Target);
  uint32_t labelIndex(std::string_view Name);
  uint8_t sizeOfWord() const { return Locations.PointersInWords ? 8 : 4; }
  void prologue(Program &P, uint32_t Location);

  LitmusLocations &Locations;
  std::vector<uint64_t> &Constants;
  uint32_t CurrentLine = 0;
  std::vector<Instruction> Code; // jumps forward have the label's index + 1, negated, as their target
  std::vector<uint32_t> Lines;
  std::map<std::string, uint32_t> Slots;
  std::map<std::string, uint64_t> Initial;
  uint32_t NumSlots = 0;
  std::array<bool, NumLitmusFlags> Needed = {};
  std::array<int32_t, NumLitmusFlags> Flags = {-1, -1, -1, -1, -1};
  std::set<std::string, std::less<>> Wide;
  std::map<std::string, uint32_t, std::less<>> LabelNames;
  std::vector<Label> Labels;
  std::vector<int32_t> LoopSlots; // per backward jump: the first slot of its LoopBack
  std::vector<uint32_t> LoopLines;
  int32_t FedSlot = -1;
  bool Reserves = false, Fails = false;
};

/// `main`, which starts the threads: functions 1 and up of the program. To be called when they are there.
void finishLitmusProgram(Program &P, const LitmusLocations &Locations, uint32_t NumThreads, const std::string &File);

} // namespace picket
