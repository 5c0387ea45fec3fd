// The memory objects that threads bring to life: which slot each of them has. A slot depends only on the thread and on
// how many objects it allocated before (or, where states are compared, on objects that are forgotten).
#pragma once

#include "machine/MachineOptions.h"
#include "machine/Memory.h"
#include "machine/Sharing.h"
#include "machine/StateDescription.h"
#include "machine/Thread.h"

namespace picket {

class ThreadObjects {
public:
  ThreadObjects(const Program &Prog, const MachineOptions &Options, Memory &Mem, const Sharing &Shared,
                const StateDescription &States)
      : Prog(Prog), Options(Options), Mem(Mem), Shared(Shared), States(States) {}

  /// For the next object that T allocates at a site.
  uint32_t slotFor(Thread &T, uint32_t Site, uint32_t Size);
  /// T's copy of a thread-local variable, which comes to life when it is first asked for.
  Address threadLocal(Thread &T, uint32_t Global);
  /// The object that holds T's thread-specific data (pthread_setspecific).
  Object &specificValues(Thread &T);

private:
  const Program &Prog;
  const MachineOptions &Options;
  Memory &Mem;
  const Sharing &Shared;
  const StateDescription &States;
};

} // namespace picket
