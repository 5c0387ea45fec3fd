// Memory objects: globals, heap blocks, stack variables, thread-local copies. An object's slot depends only on which
// thread allocates it and on how many it allocated before, never on the schedule, so addresses can be compared between
// executions.
#pragma once

#include "machine/UndoLog.h"
#include "program/Program.h"

#include <cassert>
#include <memory>
#include <utility>
#include <vector>

namespace picket {

enum class ObjectKind : uint8_t { Constant, Global, Heap, Stack, ThreadLocal, Hidden };
enum class Lifetime : uint8_t { Absent, Alive, Freed, Left }; // Left: a local whose scope or function was left

struct Object {
  uint8_t *Data = nullptr; // Capacity bytes; the first Size are the object
  uint32_t Size = 0;
  uint32_t Site = 0;                     // see Sharing; meaningless for Constant and Hidden objects
  uint32_t Owner = 0;                    // allocating thread
  uint32_t AllocatedAt = 0, FreedAt = 0; // pcs
  uint32_t Unwritten = 0;                // bytes that nothing has written yet, if that is tracked
  ObjectKind Kind = ObjectKind::Hidden;
  Lifetime Life = Lifetime::Absent;
  bool Tracked = false; // Data is followed by a byte for each byte: whether it was ever written
};

/// What an object holds before the program writes to it. Reading it gives zeros in either case.
enum class Content : uint8_t { Zeros, Nothing };

class Memory {
public:
  explicit Memory(UndoLog &Undo) : Undo(Undo) { newSlot(); } // slot 0: null
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// A slot that has never been used. Callers keep the slot for its identity (thread, index).
  uint32_t newSlot();
  /// Makes sure that there is this slot, and returns it.
  uint32_t useSlot(uint32_t Slot) {
    while (NumSlots <= Slot)
      newSlot();
    return Slot;
  }

  /// Brings the object in `Slot` to life with zeroed bytes.
  Object &allocate(uint32_t Slot, ObjectKind Kind, uint32_t Size, uint32_t Site, uint32_t Owner, uint32_t Pc,
                   Content First = Content::Zeros);

  /// No object is there any more. Slots keep their identity.
  void clear();

  void end(Object &O, Lifetime How, uint32_t Pc) {
    assert(O.Life != Lifetime::Absent && (How == Lifetime::Freed || How == Lifetime::Left));
    ++Turns;
    Undo.save(O);
    O.Life = How;
    O.FreedAt = Pc;
  }

  /// The object an address points into, null if there never was one.
  const Object *find(Address A) const {
    uint32_t Slot = slotOf(A);
    if (Slot >= NumSlots)
      return nullptr;
    const Object &O = at(Slot);
    return O.Life != Lifetime::Absent ? &O : nullptr;
  }
  Object *find(Address A) { return const_cast<Object *>(std::as_const(*this).find(A)); }
  Object &at(uint32_t Slot) {
    assert(Slot < NumSlots);
    return Chunks[Slot / ChunkSize][Slot % ChunkSize];
  }
  const Object &at(uint32_t Slot) const {
    assert(Slot < NumSlots);
    return Chunks[Slot / ChunkSize][Slot % ChunkSize];
  }

  static bool inBounds(const Object &O, Address A, uint32_t Size) {
    return static_cast<uint64_t>(offsetOf(A)) + Size <= O.Size;
  }

  /// Bytes of a range that is in the bounds of an object.
  uint8_t *bytes(Address A) {
    assert(find(A) && offsetOf(A) <= find(A)->Size);
    return at(slotOf(A)).Data + offsetOf(A);
  }

  static uint64_t readWord(const uint8_t *From, unsigned Size) {
    uint64_t Value = 0;
    copyWord(&Value, From, Size);
    return Value;
  }
  /// The value of up to 16 bytes: the first eight, and the others, if there are any.
  static void readWords(const uint8_t *From, unsigned Size, uint64_t &Low, uint64_t &High) {
    assert(Size <= 16);
    Low = readWord(From, Size > 8 ? 8 : Size);
    High = Size > 8 ? readWord(From + 8, Size - 8) : 0;
  }
  void writeWord(uint8_t *To, uint64_t Value, unsigned Size) {
    Undo.save(To, Size);
    copyWord(To, &Value, Size);
  }

  /// The same, for up to eight bytes. Returns what was there.
  uint64_t exchangeWord(uint8_t *To, uint64_t Value, unsigned Size) {
    const uint64_t Old = readWord(To, Size);
    Undo.save(To, Size, Old);
    copyWord(To, &Value, Size);
    return Old;
  }
  /// Writes up to 16 bytes of a live, in-bounds range.
  void write(Address Where, uint32_t Width, uint64_t Value, uint64_t Value2) {
    assert(Width <= 16 && inBounds(at(slotOf(Where)), Where, Width));
    uint8_t *To = bytes(Where);
    writeWord(To, Value, Width > 8 ? 8 : Width);
    if (Width > 8)
      writeWord(To + 8, Value2, Width - 8);
  }

  // Which bytes were ever written. To be asked only of objects with Unwritten bytes.
  static uint32_t countWritten(const Object &O, uint32_t Offset, uint32_t Size);
  void markWritten(Object &O, uint32_t Offset, uint32_t Size);
  /// For bytes that are copied from one place to another. Does nothing where the copy itself will fail.
  void copyWritten(Address To, Address From, uint64_t Size);

  /// Counts what happened to objects besides being written: they came to life or ended, bytes were written for the
  /// first time.
  uint64_t turns() const { return Turns; }

  uint64_t bytesAllocated() const { return Allocated; }
  uint32_t numSlots() const { return NumSlots; }

private:
  UndoLog &Undo;
  static constexpr uint32_t ChunkSize = 256;
  static constexpr uint32_t MaxTrackedSize = 1u << 20;
  std::vector<std::unique_ptr<Object[]>> Chunks; // objects stay where they are: their bytes are saved by address
  uint32_t NumSlots = 0;
  std::vector<uint32_t> Capacities;
  uint64_t Allocated = 0, Turns = 0;
};

} // namespace picket
