// Wakes a thread that waits in poll().
#pragma once

#include "llvm/Support/ErrorHandling.h"

#include <fcntl.h>
#include <unistd.h>

namespace picket {

/// `wake` may be called from any thread, before or while the other waits: nothing is lost.
class WakeupPipe {
public:
  WakeupPipe() {
    if (pipe2(Ends, O_CLOEXEC | O_NONBLOCK) != 0)
      llvm::report_fatal_error("no pipe can be made");
  }
  WakeupPipe(const WakeupPipe &) = delete;
  WakeupPipe &operator=(const WakeupPipe &) = delete;
  ~WakeupPipe() {
    close(Ends[0]);
    close(Ends[1]);
  }

  void wake() const {
    const char Byte = 0;
    (void)!write(Ends[1], &Byte, 1); // a full pipe wakes as well
  }
  /// To be polled for input.
  int descriptor() const { return Ends[0]; }
  /// Forgets all calls of `wake` so far.
  void drain() const {
    char Bytes[64];
    while (read(Ends[0], Bytes, sizeof Bytes) > 0)
      ;
  }

private:
  int Ends[2];
};

} // namespace picket
