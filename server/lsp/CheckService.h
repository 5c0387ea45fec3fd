// Checks open documents while they are edited. Knows neither the editor's protocol nor how checking is done: worker
// processes do that.
//
// It is large because it is the one place where requests, the service's thread and answers of workers meet; what they
// decide is in the classes that it names.
#pragma once

#include "lsp/Documents.h"
#include "lsp/OutcomeCache.h"
#include "lsp/WakeupPipe.h"
#include "lsp/WorkerJob.h"
#include "lsp/WorkerPool.h"
#include "lsp/WorkerProtocol.h"
#include "programs/ProgramIndex.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace picket {

/// This class is thread-safe. Its public functions return immediately: they change what is to be done and wake the
/// service's own thread, on which everything about running checks happens. Three others do the thinking: `Documents` which
/// check is due and which results count, `FixScheduler` which fixes are looked for, `WorkerPool` which processes there are.
///
/// Cancelling is racy: a check that is cancelled, or whose text is edited, may still be running for a moment. Its result is
/// dropped then. A result is published by one function, which compares it with the text as it is and holds `Publishing`,
/// as every function does that makes a text another one: so nothing is told of a text once `change` has returned.
class CheckService {
public:
  struct Options {
    std::string WorkerProgram = "/proc/self/exe";
    std::string Directory; // for logs of workers; must exist
    std::chrono::milliseconds Debounce{300};
    unsigned Workers = 2; // checks at the same time
    /// A busy worker that says nothing for so long is replaced: even one with much to do tells that it is there.
    std::chrono::milliseconds Silence{3000};
    /// What a check may take longer than its time limit before its worker is ended: it keeps the limit itself.
    std::chrono::milliseconds Grace{5000};
    /// Compiling is not part of the time limit.
    std::chrono::milliseconds CompileTime{30'000};
  };

  CheckService(Options Options, CheckListener &Listener);
  ~CheckService();
  /// Ends all workers. Nothing is told any more when it returns; the destructor does it too.
  void stop();

  void open(const std::string &File, std::string Text, int64_t Version, bool IsC);
  /// `Edit` changes the text. Does nothing if the document is not open.
  void change(const std::string &File, int64_t Version, const std::function<void(std::string &)> &Edit);
  void save(const std::string &File);
  void close(const std::string &File);
  /// What the editor's configuration says.
  void configure(const SettingsLayer &Client);
  /// A compile_commands.json or .picket.toml changed, or C files came, went or were changed by others.
  void filesChanged();
  /// Where programs are looked for that use files without `main`.
  void setFolders(std::vector<std::string> Folders);

  /// Checks now. `Models` instead of those in the settings, if not empty. `Done` hears of the end, which may come after
  /// several starts if the text is edited. False: there is no such document, or it is not C.
  bool check(const std::string &File, std::vector<MemoryModel> Models, CheckWaiter Done);
  /// Cancels the check of a document, or all checks if `File` is empty.
  void cancel(const std::string &File);
  /// Looks for fixes; without models for those of the last check. `Done` hears of the end: the answer is then in the
  /// status. Where the same was asked before, the answer is the same. False: there is no such document, or it is not C.
  bool fix(const std::string &File, FixQuestion Question, FixScheduler::Waiter Done);
  /// Cancels the search for fixes of a document. What was found stays.
  void cancelFixes(const std::string &File);
  /// Ends all workers and starts what they were doing again.
  void restartWorkers();

  /// Has pictures drawn. `Done` gets the traces in the same order, or nothing if it cannot be done.
  void render(std::vector<std::string> Traces, std::function<void(std::vector<std::string>)> Done);

  std::optional<DocumentStatus> status(const std::string &File) const;
  std::vector<DocumentStatus> allStatus() const;
  /// The C document that was opened, changed or saved last; empty if none is open.
  std::string lastActive() const;

  /// For tests: waits until nothing is running or planned. False: the time is over.
  bool blockUntilIdle(std::chrono::milliseconds AtMost);

private:
  using Clock = std::chrono::steady_clock;
  using Kind = WorkerJob::Kind;
  class Change;

  /// With the lock held.
  void findPrograms() {
    Docs.setPrograms([this](const std::string &File) { return Index.usersOf(File); });
  }

  // The service's thread (CheckLoop.cpp): these decide what runs. The `start...` want the lock to be held.
  void loop();
  void tell(PendingNews Now);
  void tellFixes(const std::string &File);
  void endStale();
  void startDue();
  bool startCheck(Document &D);
  void startFixes();
  void startRenders();
  std::unique_ptr<WorkerJob> newJob(Kind What);
  void begin(std::unique_ptr<WorkerJob> Job, const WorkerRequest &Request);
  size_t running(Kind What) const;
  void waitForEvents();
  Clock::time_point nextEvent(Clock::time_point Now) const;
  bool isIdle() const;

  // The same thread (WorkerAnswers.cpp): what workers answer, and what is done with those that do not.
  void readFrom(WorkerJob &Job);
  void handle(WorkerJob &Job, const llvm::json::Object &Message);
  void explored(WorkerJob &Job, const Progress &News);
  void tellSoFar(WorkerJob &Job, Clock::time_point Now);
  bool publish(const WorkerJob &Job, std::shared_ptr<const Outcome> Result, CheckState End);
  void report(const WorkerJob &Job, CheckProgress::Kind Kind, std::string Text,
              std::optional<int> Percentage = std::nullopt);
  void release(WorkerJob &Job);
  void abandon(WorkerJob &Job);
  void finishCheck(WorkerJob &Job, std::shared_ptr<const Outcome> Result, CheckState End);
  void finishFix(WorkerJob &Job, FixAnswer Answer);
  void finishRender(WorkerJob &Job, std::vector<std::string> Traces);
  void workerDied(WorkerJob &Job);
  void workerLost(WorkerJob &Job, bool ByOthers, const std::string &Log);
  void endUndecided(WorkerJob &Job, const std::string &Reason);
  void enforceLimits();

  const Options Config;
  CheckListener &Listener;

  /// Held while a result, or its removal, is told, and while a text becomes another; taken before Mutex.
  std::mutex Publishing;

  mutable std::mutex Mutex; // what follows
  PendingNews News;
  FixScheduler Fixes{News};
  Documents Docs;
  std::deque<RenderRequest> Renders;
  bool Stopping = false, RestartAll = false, Idle = false;
  std::condition_variable BecameIdle;

  // Only the service's thread.
  WorkerPool Pool;
  std::vector<std::unique_ptr<WorkerJob>> Jobs;
  OutcomeCache Cache;
  std::vector<CheckProgress> ProgressNews; // to be told when no lock is held
  uint64_t LastJob = 0;
  Clock::time_point LastEnforced = Clock::now();
  static constexpr std::chrono::milliseconds MemoryWatch{100};  // how often workers are looked at
  static constexpr std::chrono::milliseconds PartialAfter{100}; // a check that takes longer tells what it knows so far

  WakeupPipe Wakeup;
  std::thread Thread; // it uses all of the above
  ProgramIndex Index; // the last: its thread uses all of the above
};

} // namespace picket
