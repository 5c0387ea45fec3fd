// An array of plain values that grows and shrinks at its end all the time. Unlike std::vector it knows its size without
// computing it, and growing need not touch what is there twice: large arrays are moved by the system page by page. That is
// why it is our own: explorers push and pop here in every step, and recordings of long executions grow large.
#pragma once

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace picket {

template <typename T> class PodArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  PodArray() = default;
  ~PodArray() { std::free(First); }
  PodArray(PodArray &&Other) noexcept { swap(Other); }
  PodArray &operator=(PodArray &&Other) noexcept {
    swap(Other);
    return *this;
  }

  size_t size() const { return Size; }
  size_t capacity() const { return Capacity; }
  bool empty() const { return Size == 0; }
  T *data() { return First; }
  const T *data() const { return First; }
  T *begin() { return First; }
  T *end() { return First + Size; }
  const T *begin() const { return First; }
  const T *end() const { return First + Size; }
  T &operator[](size_t K) {
    assert(K < Size);
    return First[K];
  }
  const T &operator[](size_t K) const {
    assert(K < Size);
    return First[K];
  }
  T &front() { return *First; }
  const T &front() const { return *First; }
  T &back() {
    assert(Size > 0);
    return First[Size - 1];
  }
  const T &back() const {
    assert(Size > 0);
    return First[Size - 1];
  }

  void clear() { Size = 0; }
  void push_back(const T &New) {
    if (Size == Capacity) {
      const T Copy = New; // may be one of these
      grow(Size + 1);
      First[Size++] = Copy;
      return;
    }
    First[Size++] = New;
  }
  /// What is new is not initialised.
  void resize(size_t To) {
    if (To > Capacity)
      grow(To);
    Size = To;
  }
  void swap(PodArray &Other) noexcept {
    std::swap(First, Other.First);
    std::swap(Size, Other.Size);
    std::swap(Capacity, Other.Capacity);
  }

private:
  [[gnu::noinline]] void grow(size_t Needed) {
    size_t Bigger = Capacity ? Capacity * 2 : 16;
    while (Bigger < Needed)
      Bigger *= 2;
    void *Moved = std::realloc(static_cast<void *>(First), Bigger * sizeof(T));
    if (!Moved)
      throw std::bad_alloc();
    First = static_cast<T *>(Moved);
    Capacity = Bigger;
  }

  T *First = nullptr;
  size_t Size = 0, Capacity = 0;
};

} // namespace picket
