// For each register of a thread the node of LateValues that knows what it holds, or 0: the register holds it itself.
#pragma once

#include "machine/Thread.h"

#include <memory>
#include <new>
#include <sys/mman.h>

namespace picket {

/// As many nodes as a thread can have registers, all 0 at first: address space that costs memory only where it is used.
class RegisterNodes {
public:
  RegisterNodes() {
    void *Space = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Space == MAP_FAILED)
      throw std::bad_alloc();
    Nodes.reset(static_cast<uint32_t *>(Space));
  }

  uint32_t *get() const { return Nodes.get(); }

private:
  static constexpr size_t Bytes = Thread::MaxRegisters * sizeof(uint32_t);
  struct Unmap {
    void operator()(uint32_t *Space) const { munmap(Space, Bytes); }
  };
  std::unique_ptr<uint32_t[], Unmap> Nodes;
};

} // namespace picket
