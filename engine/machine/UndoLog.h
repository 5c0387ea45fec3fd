// A log of the bytes that events replaced, by which exploration goes back in time: taking an event back copies them home
// in reverse order. Recording is off while nothing can be taken back (before the first event).
//
// It is our own because an exploration spends a large part of its time here. Copies of whole states, or a container of
// entries with virtual undo, cost several times as much: most entries are one int or pointer, and are two words of a flat
// buffer that is never searched.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace picket {

/// For what is nearly always an int or a pointer.
inline void copyWord(void *To, const void *From, size_t Size) {
  if (Size == 4)
    std::memcpy(To, From, 4);
  else if (Size == 8)
    std::memcpy(To, From, 8);
  else if (Size == 1)
    std::memcpy(To, From, 1);
  else
    std::memcpy(To, From, Size);
}

class UndoLog {
public:
  UndoLog() = default;
  ~UndoLog() { std::free(Buffer); }
  UndoLog(const UndoLog &) = delete;
  UndoLog &operator=(const UndoLog &) = delete;

  using Mark = size_t;
  Mark mark() const { return Top; }

  void setRecording(bool On) { Recording = On; }
  bool recording() const { return Recording; }

  /// Remembers `Size` bytes at `Home`. The memory must still be there when they are restored.
  void save(void *Home, size_t Size) {
    assert(Home);
    if (!Recording)
      return;
    if (Size > sizeof(Entry::Bytes))
      return saveLong(Home, Size);
    Entry E{nameOf(Home, Size), 0};
    copyWord(&E.Bytes, Home, Size);
    put(E);
  }

  /// The same, for up to eight bytes that are known.
  void save(void *Home, size_t Size, uint64_t Bytes) {
    if (Recording)
      put({nameOf(Home, Size), Bytes});
  }

  template <typename T> void save(T &Value) { save(static_cast<void *>(&Value), sizeof(T)); }

  void undoTo(Mark M) {
    assert(M <= Top && "marks are undone latest first");
    while (Top > M) {
      const Entry E = take(Top);
      const size_t Size = E.size();
      if (Size)
        copyWord(E.home(), &E.Bytes, Size);
      else
        std::memcpy(E.home(), takeLong(Top, E), E.Bytes);
    }
  }

  /// What the `Size` bytes at `Where` were at the time of `M`, given what they are now.
  void bytesAt(Mark M, const void *Where, size_t Size, uint8_t *Result) const {
    assert(M <= Top);
    const auto *First = static_cast<const uint8_t *>(Where), *Last = First + Size;
    std::memcpy(Result, Where, Size);
    for (size_t At = Top; At > M;) {
      const Entry E = take(At);
      const auto *Saved = reinterpret_cast<const uint8_t *>(&E.Bytes);
      size_t Count = E.size();
      if (!Count) {
        Saved = takeLong(At, E);
        Count = E.Bytes;
      }
      const auto *Home = static_cast<const uint8_t *>(E.home());
      if (Home >= Last || Home + Count <= First)
        continue;
      const uint8_t *From = Home > First ? Home : First;
      const uint8_t *To = Home + Count < Last ? Home + Count : Last;
      std::memcpy(Result + (From - First), Saved + (From - Home), static_cast<size_t>(To - From));
    }
  }

  void clear() { Top = 0; }
  size_t bytes() const { return Capacity; }

private:
  /// Up to eight bytes are in the entry; more are in front of it, and Bytes says how many. Addresses of memory leave
  /// the highest bits free.
  struct Entry {
    uint64_t Name; // where, and how many
    uint64_t Bytes;
    static constexpr unsigned SizeShift = 56;
    size_t size() const { return Name >> SizeShift; }
    void *home() const { return reinterpret_cast<void *>(Name & ((uint64_t(1) << SizeShift) - 1)); }
  };
  static uint64_t nameOf(void *Home, size_t Size) {
    return reinterpret_cast<uint64_t>(Home) | static_cast<uint64_t>(Size) << Entry::SizeShift;
  }
  static size_t padded(size_t Size) { return (Size + 7) & ~size_t(7); }

  void put(const Entry &E) {
    if (Top + sizeof E > Capacity)
      grow(sizeof E);
    std::memcpy(Buffer + Top, &E, sizeof E);
    Top += sizeof E;
  }
  Entry take(size_t &At) const {
    assert(At >= sizeof(Entry));
    Entry E;
    At -= sizeof E;
    std::memcpy(&E, Buffer + At, sizeof E);
    return E;
  }
  const uint8_t *takeLong(size_t &At, const Entry &E) const {
    At -= padded(E.Bytes);
    return Buffer + At;
  }
  [[gnu::noinline]] void saveLong(void *Home, size_t Size) {
    if (Size <= 2 * sizeof(Entry::Bytes)) {
      save(Home, sizeof(Entry::Bytes));
      return save(static_cast<uint8_t *>(Home) + sizeof(Entry::Bytes), Size - sizeof(Entry::Bytes));
    }
    if (Top + padded(Size) > Capacity)
      grow(padded(Size));
    std::memcpy(Buffer + Top, Home, Size);
    Top += padded(Size);
    put({nameOf(Home, 0), Size});
  }

  [[gnu::noinline]] void grow(size_t Needed) {
    size_t Bigger = Capacity ? Capacity * 2 : size_t(1) << 16;
    while (Bigger < Top + Needed)
      Bigger *= 2;
    auto *Moved = static_cast<uint8_t *>(std::realloc(Buffer, Bigger));
    if (!Moved)
      throw std::bad_alloc();
    Buffer = Moved;
    Capacity = Bigger;
  }

  uint8_t *Buffer = nullptr;
  size_t Top = 0, Capacity = 0;
  bool Recording = false;
};

} // namespace picket
