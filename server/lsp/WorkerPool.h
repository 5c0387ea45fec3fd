// The worker processes that are free, and those that are about to be gone.
#pragma once

#include "lsp/WorkerProcess.h"

#include <functional>
#include <poll.h>

namespace picket {

/// Keeps workers ready, lends them, and sees to it that each process that was started is waited for. A worker is lent to
/// one job at a time; the borrower listens to it. One more than are busy is always ready, so that a check that replaces
/// another does not wait for a process to start.
///
/// A worker that cannot be started, or that ends as soon as it was, delays the next start: `take` gives null meanwhile, so
/// be ready to ask again later.
///
/// Not thread-safe: the service's thread alone uses it. Nothing here waits but `stop` and `endedByOthers`.
class WorkerPool {
public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    std::string Program;   // run with the argument `worker`
    std::string Directory; // for logs; must exist
    unsigned Workers = 2;  // as many are running, busy or not
  };

  /// `Log` hears of what goes wrong.
  WorkerPool(Options Options, std::function<void(const std::string &)> Log)
      : Config(std::move(Options)), Log(std::move(Log)) {}
  ~WorkerPool();

  /// Starts as many as should be ready.
  void fill();
  /// Null: none can be started just now.
  std::unique_ptr<WorkerProcess> take();
  /// The worker is free for another job, or it has served long enough and is replaced.
  void giveBack(std::unique_ptr<WorkerProcess> Worker);
  /// Ends a worker that was lent.
  void discard(std::unique_ptr<WorkerProcess> Worker);
  /// Ends those that are ready: others are started in their place.
  void discardReady();
  /// Ends all and waits for them. None must be lent.
  void stop();

  /// A worker has answered: starting them works.
  void workerAnswered() { FailedStarts = 0; }
  /// For a worker that has closed its pipe: whether somebody killed it, as far as that shows soon.
  static bool endedByOthers(WorkerProcess &Worker);

  /// No worker is started earlier.
  Clock::time_point nextStart() const { return NextStart; }
  /// When the pool wants `tend` to be called, whether or not something can be read.
  Clock::time_point nextTending(Clock::time_point Now) const;
  /// What to poll for the workers that are ready, and what was found there.
  void addTo(std::vector<pollfd> &Files) const;
  void hear(const pollfd *Files);
  /// Forgets workers that are gone by now.
  void tend();

  size_t lent() const { return Lent; }

private:
  void end(std::unique_ptr<WorkerProcess> Worker);
  void delayStarts();

  const Options Config;
  const std::function<void(const std::string &)> Log;
  std::vector<std::unique_ptr<WorkerProcess>> Ready, Dying;
  size_t Lent = 0;
  uint64_t LastLog = 0;
  unsigned FailedStarts = 0;
  Clock::time_point NextStart = Clock::now();
};

} // namespace picket
