// A child process that runs `picket worker`, and the pipes to it. Nothing here waits.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace picket {

class WorkerProcess {
public:
  struct Setup {
    std::string Program;   // run with the one argument `worker`
    std::string Directory; // its working directory
    std::string Log;       // where its standard error goes
  };

  /// Null if it cannot be started; `Error` then says why.
  static std::unique_ptr<WorkerProcess> start(const Setup &Where, std::string &Error);
  WorkerProcess(const WorkerProcess &) = delete;
  WorkerProcess &operator=(const WorkerProcess &) = delete;
  /// The process must have been reaped.
  ~WorkerProcess();

  /// Hands over a line, as far as the pipe takes it now; `flush` goes on when the pipe can be written again.
  void send(std::string Line);
  void flush();
  bool hasUnsent() const { return Sent < Unsent.size(); }

  /// Adds the complete lines that have arrived. False: there will be no more.
  bool receive(std::vector<std::string> &Lines);

  /// SIGKILL. Its memory may take a while to be given back, so nobody waits for it: see `reap`.
  void kill();
  /// True once the process has ended and is no zombie any more. May be asked again.
  bool reap();
  /// "signal 11 (Segmentation fault)", "exit code 2"; only after `reap`.
  std::string ending() const;
  /// Ended by a signal that others send, rather than by itself.
  bool wasKilled() const;

  uint64_t residentBytes() const;
  int input() const { return In; }
  int output() const { return Out; }
  pid_t id() const { return Child; }
  const std::string &log() const { return Log; }

  unsigned Served = 0; // requests it was given
  bool Heard = false;  // it has said something: it has started
  const std::chrono::steady_clock::time_point Started = std::chrono::steady_clock::now();

private:
  WorkerProcess() = default;
  void closePipes();

  pid_t Child = -1;
  int In = -1, Out = -1; // the ends here: what it reads, what it writes
  std::string Unsent, Partial, Log;
  size_t Sent = 0; // of Unsent
  bool Reaped = false;
  int Status = 0;
};

} // namespace picket
