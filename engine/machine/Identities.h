// Numbers of threads, objects and processes for several machines that run the same program side by side: what is the
// same in all of them has the same number. Machines come here only for what is new to them.
#pragma once

#include "program/Program.h"

#include <map>
#include <mutex>
#include <tuple>

namespace picket {

class Identities {
public:
  explicit Identities(const Program &P) : NextSlot(static_cast<uint32_t>(P.Globals.size()) + 2) {}

  uint32_t thread(uint32_t Parent, uint32_t Index) { return find(Thread, Parent, Index, NextThread); }
  uint32_t allocation(uint32_t Thread, uint32_t Index) { return find(Allocation, Thread, Index, NextSlot); }
  uint32_t threadLocal(uint32_t Thread, uint32_t Global) { return find(ThreadLocal, Thread, Global, NextSlot); }
  uint32_t specificValues(uint32_t Thread) { return find(Specific, Thread, 0, NextSlot); }
  uint32_t threadProcess(uint32_t Thread) { return find(ThreadProcess, Thread, 0, NextProcess); }
  uint32_t updateProcess(uint32_t Thread, Address Where) { return find(UpdateProcess, Thread, Where, NextProcess); }

private:
  enum Kind : uint8_t { Thread, Allocation, ThreadLocal, Specific, ThreadProcess, UpdateProcess };

  uint32_t find(Kind What, uint32_t Of, uint64_t Which, uint32_t &Next) {
    std::lock_guard<std::mutex> Guard(Lock);
    auto [Found, IsNew] = Known.try_emplace({What, Of, Which}, Next);
    Next += IsNew;
    return Found->second;
  }

  std::mutex Lock;
  std::map<std::tuple<Kind, uint32_t, uint64_t>, uint32_t> Known;
  uint32_t NextThread = 1; // 0: main
  uint32_t NextSlot;       // behind null, the globals and the object of the process
  uint32_t NextProcess = 0;
};

} // namespace picket
