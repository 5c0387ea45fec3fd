// What the simulated process remembers beside its threads, as words of one hidden memory object, so that it is undone
// like any other memory.
#pragma once

#include "machine/Memory.h"

#include <cstdint>

namespace picket {

namespace process {

constexpr uint32_t NumKeys = 0;
constexpr uint32_t KeyDestructors = NumKeys + 1; // MaxKeys addresses
constexpr uint32_t MaxKeys = 64;
constexpr uint32_t UncheckedError = KeyDestructors + MaxKeys; // not zero: a thread ended in one
constexpr uint32_t Words = UncheckedError + 1;

} // namespace process

class ProcessWords {
public:
  explicit ProcessWords(Memory &Mem) : Mem(Mem) {}

  /// Gives the object its slot, behind those of the globals.
  void reserve() { Slot = Mem.newSlot(); }
  void begin() { Mem.allocate(Slot, ObjectKind::Hidden, process::Words * sizeof(uint64_t), 0, 0, 0); }
  uint32_t slot() const { return Slot; }
  uint64_t *words() { return reinterpret_cast<uint64_t *>(Mem.at(Slot).Data); }

  bool hasUncheckedError() const {
    return Memory::readWord(Mem.at(Slot).Data + process::UncheckedError * sizeof(uint64_t), 8) != 0;
  }
  void noteUncheckedError() {
    if (!hasUncheckedError())
      Mem.writeWord(Mem.at(Slot).Data + process::UncheckedError * sizeof(uint64_t), 1, 8);
  }

private:
  Memory &Mem;
  uint32_t Slot = 0;
};

} // namespace picket
