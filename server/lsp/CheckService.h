// Documents and the checks that run on them: when one starts, when it is given up, and which results are told. Knows
// neither the editor's protocol nor how checking is done: worker processes do that.
//
// Everything about running checks happens on one thread, the service's own. The public functions may be called from
// any thread and return at once.
#pragma once

#include "CheckEstimate.h"
#include "lsp/Fixes.h"
#include "lsp/OutcomeCache.h"
#include "lsp/WorkerProcess.h"
#include "lsp/WorkerProtocol.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace picket {

enum class CheckState : uint8_t {
  Unchecked, // nothing was asked yet
  Waiting,
  Checking,
  Done,
  Quiet,     // no `main`, no threads, or not C: left in peace
  Cancelled, // by the user
  Failed     // the checker crashed
};
const char *nameOf(CheckState S); // "unchecked", "waiting", ...

/// A document as it is now.
struct DocumentStatus {
  std::string File;
  int64_t Version = 0;
  std::shared_ptr<const std::string> Text;
  CheckState State = CheckState::Unchecked;
  std::shared_ptr<const Outcome> Result; // the last one; null if there is none
  bool Current = false;                  // Result is about this very text
  bool Partial = false;                  // Result has some models only: others are being checked, or were cancelled
  Settings Options;                      // those in force
  std::vector<SettingsProblem> Problems; // in the file's own comment
  struct Exploring {
    Progress Last; // of the model that told something last
    CheckEstimate All;
  };
  std::optional<Exploring> Running; // while Checking, from the first news on
  /// About this very text, whenever it was asked for.
  std::vector<std::shared_ptr<const FixAnswer>> Fixes;
  bool Searching = false; // for more of them

  /// Whether there are findings about this very text, be it of some models only.
  bool isUsable() const { return Result && Current && (State == CheckState::Done || Partial); }
  /// Null if it was not asked, or is not answered yet.
  const FixAnswer *answerTo(const FixQuestion &Question) const;
};

struct CheckProgress {
  enum Kind : uint8_t { Begin, Report, End } What = Begin;
  uint64_t Check = 0; // tells checks apart
  std::string File;
  std::string Text; // "TSO: 18 204 executions"
  std::optional<int> Percentage = std::nullopt;
};

/// How a check, or a search for fixes, that somebody waits for ended.
enum class CheckEnd : uint8_t {
  Finished,
  Cancelled,
  Closed,
  Edited // only searches: what they look for would be about another text
};

/// Hears of what happens. Called from the service's thread (`cleared` also from that of `close`), and never two
/// calls at a time for results.
class CheckListener {
public:
  virtual ~CheckListener() = default;
  /// New findings of a document that is open with this text; Status.Result is not null.
  virtual void published(const DocumentStatus &Status) = 0;
  /// A document was closed: nothing about it is to be shown any more.
  virtual void cleared(const std::string &File) = 0;
  /// Another state, or (`OnlyProgress`) news of a check that goes on.
  virtual void statusChanged(const DocumentStatus &Status, bool OnlyProgress) = 0;
  /// There are more fixes than before, or the search has begun or ended.
  virtual void fixesChanged(const DocumentStatus &Status) = 0;
  virtual void progress(const CheckProgress &Progress) = 0;
  /// What is wrong with a .picket.toml; empty if all is well again.
  virtual void settingsProblems(const std::string &TomlFile, const std::vector<SettingsProblem> &Problems) = 0;
  virtual void log(const std::string &Line) = 0;
};

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
  /// A compile_commands.json or .picket.toml changed.
  void filesChanged();

  /// Checks now. `Models` instead of those in the settings, if not empty. `Done` hears of the end, which may come after
  /// several starts if the text is edited. False: there is no such document, or it is not C.
  bool check(const std::string &File, std::vector<MemoryModel> Models, std::function<void(CheckEnd)> Done);
  /// Gives up the check of a document, or all checks if `File` is empty.
  void cancel(const std::string &File);
  /// Looks for fixes; without models for those of the last check. `Done` hears of the end: the answer is then in the
  /// status. Where the same was asked before, the answer is the same. False: there is no such document, or it is not C.
  bool fix(const std::string &File, FixQuestion Question, std::function<void(CheckEnd, FixQuestion)> Done);
  /// Gives up the search for fixes of a document. What was found stays.
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
  using Waiter = std::function<void(CheckEnd)>;

  using FixWaiter = std::function<void(CheckEnd, FixQuestion)>;

  /// A question about fixes that is not answered yet.
  struct FixWish {
    FixQuestion Question;
    std::vector<FixWaiter> Waiters; // none: nobody asked, it was found useful
    bool Running = false;
    unsigned Crashes = 0;
  };

  struct Document {
    DocumentStatus Status;
    bool IsC = true;
    uint64_t Generation = 0; // of the text, and of what it includes: results for another one are dropped
    uint64_t Active = 0;     // greater: opened, changed or saved later
    std::optional<Clock::time_point> Due;
    bool Running = false;
    std::vector<MemoryModel> Models; // asked for once
    std::vector<Waiter> Waiters;
    unsigned Crashes = 0; // of workers, since the last result
    std::vector<FixWish> Wishes;
    uint64_t FixGeneration = 0; // of what fixes are about: answers for another one are dropped
  };

  struct RenderJob {
    std::vector<std::string> Traces;
    std::function<void(std::vector<std::string>)> Done;
  };

  /// Something a worker is busy with.
  struct Run {
    std::unique_ptr<WorkerProcess> Worker;
    uint64_t Id = 0;
    std::string File; // empty: a RenderJob
    uint64_t Generation = 0;
    Settings Options;
    Clock::time_point Start;
    std::optional<Clock::time_point> Deadline;
    Clock::time_point LastHeard;
    Clock::time_point LastReport, LastStatus; // of progress
    CheckEstimate Estimate;
    std::shared_ptr<const Outcome> SoFar;
    bool Untold = false; // SoFar was not published
    RenderJob Job;
    std::optional<FixQuestion> Question; // a search for fixes
    bool Over = false;                   // the worker is free again, or gone

    bool isCheck() const { return !File.empty() && !Question; }
    std::string doing() const;
  };

  // Documents (CheckService.cpp). All but `publish` want M to be held.
  void resolve(Document &D);
  void schedule(Document &D, Clock::duration Delay);
  void recheckAll();
  /// The only way a result gets out: drops it if the document is closed or has another text by now.
  bool publish(const std::string &File, uint64_t Generation, std::shared_ptr<const Outcome> Result, CheckState End);
  void wake();

  // Fixes (FixLoop.cpp). M is held, but for those that take a Run.
  void forgetFixes(Document &D, CheckEnd Why);
  void forgetWishes(Document &D, CheckEnd Why);
  void searchAgain(Document &D);
  void wish(Document &D, FixQuestion Question, FixWaiter Done);
  void planFixes(Document &D);
  void startFixes();
  FixWish *wishOf(const Run &R);
  void fixFound(Run &R, FixAnswer Answer);
  void fixLost(Run &R, const std::string &Reason, unsigned Retries);
  void tellFixes(const std::string &File);

  // The service's thread (CheckLoop.cpp, WorkerAnswers.cpp).
  void loop();
  void giveUpStale();
  void startDue();
  bool startCheck(const std::string &File);
  void startRenders();
  void keepWorkersReady();
  void delayStarts();
  std::unique_ptr<WorkerProcess> takeWorker();
  void waitForEvents();
  void readFrom(Run &R);
  void handle(Run &R, const llvm::json::Object &Message);
  void explored(Run &R, const Progress &News);
  void tellSoFar(Run &R, Clock::time_point Now);
  void release(Run &R);
  void finish(Run &R, std::shared_ptr<const Outcome> Result, CheckState End = CheckState::Done);
  void died(Run &R);
  void lost(Run &R, bool ByOthers, const std::string &Log);
  void setDeadline(Run &R, std::chrono::milliseconds Slack) const;
  std::string limitReached(const Run &R, Clock::time_point Now) const;
  static bool endedByOthers(WorkerProcess &Worker);
  void enforceLimits();
  void abandon(Run &R);
  void discard(std::unique_ptr<WorkerProcess> Worker);
  void report(const Run &R, CheckProgress::Kind Kind, std::string Text, std::optional<int> Percentage = std::nullopt);
  std::shared_ptr<const Outcome> outcomeWith(const Run &R, Finding Extra) const;
  bool isIdle() const;

  const Options Fixed;
  CheckListener &Listener;

  mutable std::mutex M; // what follows
  std::map<std::string, Document> Documents;
  SettingsLayer Client;
  std::map<std::string, std::vector<SettingsProblem>> TomlProblems, TomlNews;
  std::deque<RenderJob> Renders;
  std::vector<std::pair<Waiter, CheckEnd>> Ended; // to be told
  std::vector<std::string> FixNews;               // files whose fixes are to be told
  struct StatusNote {
    DocumentStatus Status;
    bool OnlyProgress = false;
  };
  std::vector<StatusNote> StatusNews; // to be told
  uint64_t NextGeneration = 0, NextActive = 0;
  bool Stopping = false, RestartAll = false, Idle = false;
  std::condition_variable BecameIdle;

  std::mutex
      Publishing; // held while a result, or its removal, is told, and while a text becomes another; taken before M

  // Only the service's thread.
  std::vector<std::unique_ptr<Run>> Runs;
  std::vector<std::unique_ptr<WorkerProcess>> Ready, Dying;
  OutcomeCache Cache;
  std::vector<CheckProgress> ProgressNews; // to be told
  uint64_t NextRun = 0, NextLog = 0;
  unsigned FailedStarts = 0;
  Clock::time_point NextStart = Clock::now(), LastLook = Clock::now();
  static constexpr std::chrono::milliseconds MemoryWatch{100};  // how often workers are looked at
  static constexpr std::chrono::milliseconds PartialAfter{100}; // a check that takes longer tells what it knows so far

  int WakeRead = -1, WakeWrite = -1;
  std::thread Thread; // last: it uses all of the above
};

} // namespace picket
