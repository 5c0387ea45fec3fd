// What a search that compares states needs to know of a machine: the bytes that say how a thread stands, and which
// objects are forgotten, so that they are no part of the state. MachineOptions::Live must be given.
#pragma once

#include "machine/MachineOptions.h"
#include "machine/Memory.h"
#include "machine/ThreadTable.h"

#include <functional>

namespace picket {

class ProcessWords;

class StateDescription {
public:
  StateDescription(const Program &Prog, const MachineOptions &Options, const ThreadTable &Threads, const Memory &Mem,
                   const ProcessWords &Process)
      : Prog(Prog), Options(Options), Threads(Threads), Mem(Mem), Process(Process) {}

  /// Appends everything of T that its further steps depend on, besides memory. Threads with equal bytes behave alike.
  void describe(ThreadId T, std::string &Into) const;
  /// Appends the program point of T: its call stack, and how far it has come in its pending operation.
  void describeProgramPoint(ThreadId T, std::vector<uint32_t> &Into) const;
  /// Per slot, whether anything in registers, memory or store buffers could be an address in the object.
  void findNamed(std::vector<bool> &Named) const;
  /// The caller holds values for the program elsewhere (store buffers) and tells them when asked.
  void holdOutside(std::function<void(std::vector<uint64_t> &)> Values) { Outside = std::move(Values); }
  /// The slot of an object that T allocated in the same way and that nothing can name any more, 0 if there is none.
  uint32_t forgottenSlot(const Thread &T, uint32_t Site, uint32_t Size) const;

private:
  void findHeldValues(std::vector<uint64_t> &Words) const;

  const Program &Prog;
  const MachineOptions &Options;
  const ThreadTable &Threads;
  const Memory &Mem;
  const ProcessWords &Process;
  std::function<void(std::vector<uint64_t> &)> Outside;
};

} // namespace picket
