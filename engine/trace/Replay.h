// Runs a recording again on a fresh machine.
#pragma once

#include "machine/Machine.h"
#include "trace/Recording.h"

#include <optional>

namespace picket {

struct ReplayResult {
  enum Kind : uint8_t {
    SameBug,   // every event happened again, and the bug at the end too, if there was one
    Differs,   // the program does something else at event `Event`
    NoBug,     // every event happened again, but nothing is wrong at the end any more
    Impossible // the recording is not one that can be replayed: see Message
  } Outcome = Impossible;
  uint32_t Event = 0;           // Differs: the first event that did not happen as recorded
  std::string Message;          // a sentence
  std::optional<Recording> Run; // what happened now, as far as it went
};

ReplayResult replay(const Program &P, const Recording &Recorded, const MachineOptions &Options);

/// Whether an execution of POWER with a bug is one of this program too, which differs from the one it was recorded of
/// in its fences and memory orders only.
bool stillHappens(const Program &P, const Recording &Recorded, const MachineOptions &Options);

} // namespace picket
