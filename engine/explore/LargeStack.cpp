#include "explore/LargeStack.h"

#include <algorithm>
#include <exception>
#include <new>
#include <pthread.h>
#include <sys/mman.h>

namespace picket {

namespace {

constexpr size_t Least = size_t(8) << 20, Most = size_t(64) << 30;
thread_local size_t SizeHere = ~size_t(0);

struct Call {
  const std::function<void()> &What;
  size_t Size;
  std::exception_ptr Thrown;
};

void *runCall(void *Given) {
  Call &Mine = *static_cast<Call *>(Given);
  SizeHere = Mine.Size;
  try {
    Mine.What();
  } catch (...) {
    Mine.Thrown = std::current_exception();
  }
  return nullptr;
}

} // namespace

size_t stackSize() { return SizeHere; }

void onLargeStack(uint64_t Bytes, const std::function<void()> &What) {
  // Address space only: memory is used as the stack grows.
  size_t Size = std::clamp<uint64_t>(Bytes, Least, Most) / 4096 * 4096;
  void *Space = MAP_FAILED;
  for (; Size >= Least && Space == MAP_FAILED; Size = Space == MAP_FAILED ? Size / 2 / 4096 * 4096 : Size)
    Space = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (Space == MAP_FAILED)
    throw std::bad_alloc();
  Call Mine{What, Size, nullptr};
  pthread_attr_t Attributes;
  pthread_attr_init(&Attributes);
  pthread_attr_setstack(&Attributes, Space, Size);
  pthread_t Thread;
  const bool Begun = pthread_create(&Thread, &Attributes, runCall, &Mine) == 0;
  pthread_attr_destroy(&Attributes);
  if (Begun)
    pthread_join(Thread, nullptr);
  munmap(Space, Size);
  if (!Begun)
    throw std::bad_alloc();
  if (Mine.Thrown)
    std::rethrow_exception(Mine.Thrown);
}

} // namespace picket
