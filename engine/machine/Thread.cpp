#include "machine/Thread.h"

#include "machine/ThreadPoints.h"

#include <new>
#include <sys/mman.h>

namespace picket {

namespace {

/// Address space for a thread's registers, frames and stack: it costs memory only where it is touched, and never moves.
/// Explorations of small programs are shorter than it takes to get it from the system, so a few are kept. What they
/// hold is of no meaning: nothing is read that was not written before.
class ThreadSpaces {
public:
  ~ThreadSpaces() {
    for (void *Space : Kept)
      munmap(Space, Bytes);
  }
  void *take() {
    if (!Kept.empty()) {
      void *Space = Kept.back();
      Kept.pop_back();
      return Space;
    }
    void *Space = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Space == MAP_FAILED)
      throw std::bad_alloc();
    return Space;
  }
  void giveBack(void *Space) {
    if (Kept.size() == MostKept) {
      munmap(Space, Bytes);
      return;
    }
    // What only deep recursion uses goes back to the system.
    for (size_t Part = 0; Part < Bytes; Part += PartBytes)
      madvise(static_cast<char *>(Space) + Part + KeptOfPart, PartBytes - KeptOfPart, MADV_DONTNEED);
    Kept.push_back(Space);
  }

  static constexpr size_t PartBytes = 8 << 20, Bytes = 3 * PartBytes; // registers, frames, stack
private:
  static constexpr size_t KeptOfPart = 64 << 10, MostKept = 16;
  std::vector<void *> Kept;
};

thread_local ThreadSpaces Spaces;

} // namespace

Thread::Thread(ThreadId Id) : Id(Id) {
  static_assert(MaxRegisters * sizeof(uint64_t) <= ThreadSpaces::PartBytes &&
                MaxFrames * sizeof(StackFrame) <= ThreadSpaces::PartBytes &&
                MaxStackObjects * sizeof(uint32_t) <= ThreadSpaces::PartBytes);
  char *Space = static_cast<char *>(Spaces.take());
  Registers = reinterpret_cast<uint64_t *>(Space);
  Frames = reinterpret_cast<StackFrame *>(Space + ThreadSpaces::PartBytes);
  StackSlots = reinterpret_cast<uint32_t *>(Space + 2 * ThreadSpaces::PartBytes);
}

Thread::~Thread() { Spaces.giveBack(Registers); }

ThreadView viewOf(const Thread &T) {
  if (!T.isAtPoint())
    return {T.State, T.Registers, T.Frames, T.StackSlots};
  const auto &At = *static_cast<const ThreadPoint *>(T.Now);
  return {At, At.registers(), At.frames(), At.stackSlots()};
}

} // namespace picket
