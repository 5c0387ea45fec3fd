// A confined process (Supervision.h) with its own supervisor, beside others: what it prints is read by the process that
// started it, which checks nothing itself.
#pragma once

#include "base/ChildProcess.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace picket {

/// To be used by a process of one thread.
class ConfinedProcess {
public:
  ConfinedProcess(const ConfinedProcess &) = delete;
  ConfinedProcess &operator=(const ConfinedProcess &) = delete;
  /// Ends the process if it has not ended.
  ~ConfinedProcess();

  /// Starts a process in which `Work` is done, confined. It prints to pipes and reads answers from one. If it is lost,
  /// it prints what `Complain` makes of the reason. Null: errno says why there is no process.
  static std::unique_ptr<ConfinedProcess> start(const std::function<int()> &Work,
                                                const std::function<std::string(const std::string &)> &Complain);

  /// Reads what was printed, waiting for up to `Milliseconds` for that of any process.
  static void readAll(const std::vector<ConfinedProcess *> &Processes, int Milliseconds);

  /// Nothing will be printed any more.
  bool hasEnded() const { return !Out.isOpen() && !Err.isOpen(); }
  /// What was printed since this was asked for the last time: all, or the next line without its end.
  std::string takeText() { return std::exchange(Printed, ""); }
  std::optional<std::string> takeLine();
  /// What was written to standard error: the beginning.
  const std::string &errors() const { return Complaints; }

  void answer(char Answer);
  /// As Ctrl+C would.
  void interrupt();
  /// Waits for its end; its status as of waitpid().
  int wait();

private:
  ConfinedProcess() = default;
  static constexpr size_t MostPrinted = size_t{256} << 20, MostErrors = 64 << 10;

  Descriptor In, Out, Err;
  pid_t Id = -1;
  std::string Printed, Complaints;
  size_t Searched = 0; // in Printed: no line ends before
};

} // namespace picket
