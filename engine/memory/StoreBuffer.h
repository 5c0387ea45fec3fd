// The store buffer of one thread. Under TSO it is one queue; under PSO stores to different locations may leave it in
// any order, except across store-store barriers.
#pragma once

#include "machine/UndoLog.h"
#include "program/Program.h"

#include <cassert>
#include <memory>
#include <vector>

namespace picket {

class StoreBuffer {
public:
  struct Entry {
    Address Where;
    uint64_t Value, Value2;
    uint8_t Width;
    bool Landed;
    uint32_t WaitFor;   // entries before this index must land first (store-store barrier)
    uint32_t Operation; // which operation of the thread stored it
    uint32_t Pc;
    uint32_t Process;  // of its update
    uint32_t Next = 0; // the next entry of the same process, if there is one
    bool covers(Address A, uint32_t Size) const { return Where <= A && A + Size <= Where + Width; }
    bool overlaps(Address A, uint32_t Size) const { return Where < A + Size && A < Where + Width; }
    uint8_t byteAt(Address A) const {
      uint64_t Offset = A - Where;
      return static_cast<uint8_t>(Offset < 8 ? Value >> (8 * Offset) : Value2 >> (8 * (Offset - 8)));
    }
  };

  bool empty() const { return State.Head == State.Tail; }
  uint32_t head() const { return State.Head; } // the oldest entry that has not landed
  uint32_t tail() const { return State.Tail; }
  uint64_t bytes() const { return Chunks.size() * ChunkSize * sizeof(Entry); }
  const Entry &at(uint32_t Index) const {
    assert(Index / ChunkSize < Chunks.size());
    return Chunks[Index / ChunkSize][Index % ChunkSize];
  }

  void push(const Entry &E, UndoLog &Undo);
  void land(uint32_t Index, UndoLog &Undo);
  /// Next comes behind an entry in the queue of its process.
  void link(uint32_t Index, uint32_t Next, UndoLog &Undo) {
    assert(Index < Next && !entry(Index).Landed);
    Undo.save(entry(Index).Next);
    entry(Index).Next = Next;
  }
  /// Later stores wait for all stores of before.
  void barrier(UndoLog &Undo) {
    Undo.save(State.Barrier);
    State.Barrier = State.Tail;
  }

  /// The entries before this index are in front of the last store-store barrier.
  uint32_t barrier() const { return State.Barrier; }
  bool holds(Address A, uint32_t Size) const;
  /// The newest entry that has not landed and gives the byte at A; tail() if there is none.
  uint32_t sourceOf(Address A) const;
  /// Whether an older entry that has not landed overlaps with this one.
  bool waitsForOverlap(uint32_t Index) const;

private:
  static constexpr uint32_t ChunkSize = 64, MaxEntries = 1u << 20;
  Entry &entry(uint32_t Index) { return Chunks[Index / ChunkSize][Index % ChunkSize]; }
  struct {
    uint32_t Head = 0, Tail = 0, Barrier = 0;
  } State;
  std::vector<std::unique_ptr<Entry[]>> Chunks; // entries stay where they are: they are saved by address
};

} // namespace picket
