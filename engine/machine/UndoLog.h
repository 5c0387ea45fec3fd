// How exploration goes back in time: every change of state made by an event is recorded here as the bytes it
// replaced, and taking the event back copies them home in reverse order. Recording is off while nothing can be taken
// back (before the first event).
#pragma once

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
    if (!Recording)
      return;
    size_t Padded = (Size + 7) & ~size_t(7);
    if (Top + Padded + sizeof(Entry) > Capacity)
      grow(Padded + sizeof(Entry));
    copyWord(Buffer + Top, Home, Size);
    Top += Padded;
    Entry E{Home, Size};
    std::memcpy(Buffer + Top, &E, sizeof E);
    Top += sizeof E;
  }

  template <typename T> void save(T &Value) { save(&Value, sizeof(T)); }

  void undoTo(Mark M) {
    while (Top > M) {
      Entry E;
      Top -= sizeof E;
      std::memcpy(&E, Buffer + Top, sizeof E);
      Top -= (E.Size + 7) & ~size_t(7);
      copyWord(E.Home, Buffer + Top, E.Size);
    }
  }

  /// What the `Size` bytes at `Where` were at the time of `M`, given what they are now.
  void bytesAt(Mark M, const void *Where, size_t Size, uint8_t *Result) const {
    const auto *First = static_cast<const uint8_t *>(Where), *Last = First + Size;
    std::memcpy(Result, Where, Size);
    for (size_t At = Top; At > M;) {
      Entry E;
      At -= sizeof E;
      std::memcpy(&E, Buffer + At, sizeof E);
      At -= (E.Size + 7) & ~size_t(7);
      const auto *Home = static_cast<const uint8_t *>(E.Home);
      if (Home >= Last || Home + E.Size <= First)
        continue;
      const uint8_t *From = Home > First ? Home : First;
      const uint8_t *To = Home + E.Size < Last ? Home + E.Size : Last;
      std::memcpy(Result + (From - First), Buffer + At + (From - Home), static_cast<size_t>(To - From));
    }
  }

  void clear() { Top = 0; }
  size_t bytes() const { return Capacity; }

private:
  struct Entry {
    void *Home;
    size_t Size;
  };

  void grow(size_t Needed) {
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
