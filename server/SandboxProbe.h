// Tries to leave the sandbox, in all the ways that were thought of. For tests and `picket doctor`.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace picket {

struct EscapeAttempt {
  std::string Name; // "truncate", "kill the parent", ...
  enum Answer { Refused, Killed, Possible } Found = Possible;
};
const char *nameOf(EscapeAttempt::Answer Answer); // "refused", "killed", "possible"

/// To be called in the sandbox. `Directory` may be written by who is outside and holds a file "victim"; `Outside` is a
/// process outside. Each attempt is made by a copy of this process, so that it may be ended for it.
std::vector<EscapeAttempt> tryToEscape(const std::string &Directory, pid_t Outside);

/// What has to go on working: reading, threads, copies of the process, memory.
std::vector<EscapeAttempt> tryToWork(const std::string &Directory);

} // namespace picket
