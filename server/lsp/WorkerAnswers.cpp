// What workers answer, and what is done with those that do not.
#include "lsp/CheckService.h"

#include "base/UntrustedJson.h"
#include "lsp/StatusText.h"

#include <algorithm>
#include <unistd.h>

using llvm::StringRef;
using llvm::json::Object;

namespace picket {

using std::chrono::milliseconds;

constexpr unsigned MostRetries = 3;            // of a check whose worker somebody killed
constexpr unsigned MostServed = 200;           // then a worker is replaced
constexpr uint64_t LargestIdle = 512ull << 20; // a worker that keeps more memory is replaced
constexpr uint64_t BaseMemory = 256ull << 20;  // of a worker that explores nothing: the compiler and its libraries
constexpr milliseconds ReportEvery(200);       // as fast as anybody reads
constexpr milliseconds StatusEvery(500);

/// For a worker that has closed its pipe: whether somebody killed it, as far as that shows soon.
bool CheckService::endedByOthers(WorkerProcess &Worker) {
  Worker.kill(); // a process that is ending anyway does not end differently
  for (int K = 0; K < 400 && !Worker.reap(); ++K)
    usleep(500);
  return Worker.reap() && Worker.wasKilled();
}

std::string CheckService::Run::doing() const {
  return File.empty() ? "drawing" : (Question ? "looking for fixes of " : "checking ") + File;
}

void CheckService::readFrom(Run &R) {
  std::vector<std::string> Lines;
  const bool Alive = R.Worker->receive(Lines);
  R.LastHeard = Clock::now();
  for (const std::string &Line : Lines) {
    if (R.Over)
      return;
    llvm::Expected<llvm::json::Value> Json = parseUntrusted(Line);
    const Object *Message = Json ? Json->getAsObject() : nullptr;
    if (Message) {
      FailedStarts = 0;
      handle(R, *Message);
    } else {
      llvm::consumeError(Json.takeError());
      Listener.log("a worker said something that is not understood");
    }
  }
  if (!Alive && !R.Over)
    died(R);
}

void CheckService::handle(Run &R, const Object &Message) {
  if (const llvm::json::Array *Rendered = Message.getArray("rendered")) {
    std::vector<std::string> Traces;
    for (const llvm::json::Value &Trace : *Rendered)
      Traces.push_back(Trace.getAsString().value_or("").str());
    R.Job.Done(std::move(Traces));
    return finish(R, nullptr);
  }
  if (std::optional<StringRef> Key = Message.getString("same")) {
    std::shared_ptr<const Outcome> Known = Cache.find(Key->str());
    if (Known)
      report(R, CheckProgress::Report, verdictsText(*Known));
    return finish(R, Known);
  }
  if (Message.get("compiled")) {
    R.Deadline.reset();
    return setDeadline(R, milliseconds::zero());
  }
  llvm::json::Path::Root Root;
  if (const llvm::json::Value *Json = Message.get("fixes"); Json && R.Question) {
    FixAnswer Answer;
    if (fromJSON(*Json, Answer, Root))
      return fixFound(R, std::move(Answer));
    Listener.log("a worker's fixes are not understood: " + llvm::toString(Root.getError()));
    return fixLost(R, "the fixes that were found are not understood", 0);
  }
  if (const llvm::json::Value *Json = Message.get("progress")) {
    Progress News;
    if (fromJSON(*Json, News, Root))
      explored(R, News);
    return;
  }
  const llvm::json::Value *Json = Message.get("outcome");
  if (!Json)
    return;
  auto Result = std::make_shared<Outcome>();
  if (!fromJSON(*Json, *Result, Root)) {
    Listener.log("a worker's outcome is not understood: " + llvm::toString(Root.getError()));
    return;
  }
  report(R, CheckProgress::Report, verdictsText(*Result));
  R.SoFar = Result;
  R.Untold = true;
  if (Message.getBoolean("done").value_or(false)) {
    if (std::optional<StringRef> Key = Message.getString("key"))
      Cache.add(Key->str(), Result);
    return finish(R, Result, Result->isQuiet() ? CheckState::Quiet : CheckState::Done);
  }
  tellSoFar(R, Clock::now());
}

/// What some models have found, while others are being checked. Not in the first moments: most checks are over by then,
/// and what is shown would change several times for nothing.
void CheckService::tellSoFar(Run &R, Clock::time_point Now) {
  if (!R.Untold || Now - R.Start < PartialAfter)
    return;
  R.Untold = false;
  publish(R.File, R.Generation, R.SoFar, CheckState::Checking);
}

/// An exploration has got on.
void CheckService::explored(Run &R, const Progress &News) {
  R.Estimate.add(News);
  const Clock::time_point Now = Clock::now();
  {
    std::lock_guard<std::mutex> Lock(M);
    auto At = Documents.find(R.File);
    if (At == Documents.end() || At->second.Generation != R.Generation)
      return;
    DocumentStatus &Status = At->second.Status;
    Status.Running = {News, R.Estimate};
    if (Now - std::max(R.LastStatus, R.Start) >= StatusEvery) {
      R.LastStatus = Now;
      StatusNews.push_back({Status, /*OnlyProgress=*/true});
    }
  }
  if (Now - R.LastReport < ReportEvery)
    return;
  R.LastReport = Now;
  report(R, CheckProgress::Report, progressText(News, R.Estimate), R.Estimate.percentage());
}

/// The worker has answered and is free for others.
void CheckService::release(Run &R) {
  R.Over = true;
  if (R.Worker && R.Worker->Served < MostServed && R.Worker->residentBytes() < LargestIdle)
    Ready.insert(Ready.begin(), std::move(R.Worker)); // warm, so it comes first
  else
    discard(std::move(R.Worker));
}

/// Without a result the document stays as it was.
void CheckService::finish(Run &R, std::shared_ptr<const Outcome> Result, CheckState End) {
  release(R);
  if (!R.isCheck())
    return;
  if (!Result || !publish(R.File, R.Generation, std::move(Result), End)) {
    std::lock_guard<std::mutex> Lock(M);
    if (auto At = Documents.find(R.File); At != Documents.end()) {
      At->second.Running = false;
      if (At->second.Generation == R.Generation)
        schedule(At->second, Clock::duration::zero()); // the cache forgot it meanwhile
    }
  }
  report(R, CheckProgress::End, "");
}

std::shared_ptr<const Outcome> CheckService::outcomeWith(const Run &R, Finding Extra) const {
  auto Result = R.SoFar ? std::make_shared<Outcome>(*R.SoFar) : std::make_shared<Outcome>();
  Result->endPending(Extra.Message);
  for (MemoryModel Wanted : R.Options.Models)
    if (std::none_of(Result->Models.begin(), Result->Models.end(),
                     [&](const ModelOutcome &Known) { return Known.Model == Wanted; }))
      Result->Models.push_back({Wanted, Verdict::Inconclusive, 0, 0, 0, 0, Extra.Message, 0, false});
  Result->Unroll = R.Options.Unroll;
  Extra.Where = {R.File, 0, 0, 0, 0};
  Result->Findings.push_back(std::move(Extra));
  return Result;
}

/// The worker ended in the middle of its work.
void CheckService::died(Run &R) {
  std::unique_ptr<WorkerProcess> Worker = std::move(R.Worker);
  const bool Killed = endedByOthers(*Worker);
  const std::string Log = Worker->log(), How = Worker->reap() ? Worker->ending() : "an unknown cause";
  Dying.push_back(std::move(Worker));
  Listener.log("a worker ended by " + How + " while " + R.doing());
  lost(R, Killed, Log);
}

/// There is no worker any more. If it was the file's fault, the same will happen again.
void CheckService::lost(Run &R, bool ByOthers, const std::string &Log) {
  bool Again = false;
  if (R.File.empty()) {
    R.Over = true;
    return R.Job.Done({});
  }
  if (R.Question)
    return fixLost(R, "the search stopped unexpectedly; log: " + Log, ByOthers ? MostRetries : 1);
  {
    std::lock_guard<std::mutex> Lock(M);
    auto At = Documents.find(R.File);
    if (At != Documents.end() && At->second.Generation == R.Generation) {
      Again = ++At->second.Crashes <= (ByOthers ? MostRetries : 1);
      if (Again) {
        At->second.Running = false;
        schedule(At->second, Clock::duration::zero());
      }
    }
  }
  if (Again) {
    R.Over = true;
    return report(R, CheckProgress::End, "");
  }
  finish(R,
         outcomeWith(R, {Severity::Warning,
                         OtherFinding::Crash,
                         "the checker stopped unexpectedly on this file; log: " + Log,
                         {},
                         "",
                         {},
                         -1,
                         Log}),
         CheckState::Failed);
}

/// The worker keeps to the time limit by itself. This is for one that does not.
void CheckService::setDeadline(Run &R, milliseconds Slack) const {
  const double Limit = std::min(R.Options.TimeoutSeconds, 1e7);
  if (Limit <= 0)
    return;
  const std::chrono::duration<double> All(1.1 * Limit * static_cast<double>(R.Options.Models.size()));
  R.Deadline = Clock::now() + Slack + Fixed.Grace + std::chrono::duration_cast<Clock::duration>(All);
}

std::string CheckService::limitReached(const Run &R, Clock::time_point Now) const {
  if (R.Deadline && Now >= *R.Deadline)
    return "the time limit was reached";
  if (!R.File.empty() && R.Worker->residentBytes() > R.Options.MemoryBytes + BaseMemory)
    return "the memory limit of " + std::to_string(R.Options.MemoryBytes >> 20) + " MiB was reached";
  return "";
}

void CheckService::enforceLimits() {
  const Clock::time_point Now = Clock::now();
  // A machine that stood still, or had no time for this thread, had none for the workers either.
  const bool StoodStill = Now - LastLook > MemoryWatch + Fixed.Silence / 3;
  LastLook = Now;
  for (std::unique_ptr<Run> &R : Runs) {
    if (R->Over)
      continue;
    tellSoFar(*R, Now);
    if (StoodStill)
      R->LastHeard = Now;
    const std::string Reason = limitReached(*R, Now);
    // One that is still being started, perhaps on a machine with much to do, has longer.
    if (Reason.empty() && Now - R->LastHeard < Fixed.Silence * (R->Worker->Heard ? 1 : 4))
      continue;
    const std::string Log = R->Worker->log();
    discard(std::move(R->Worker));
    if (Reason.empty()) {
      Listener.log("a worker did not answer any more while " + R->doing());
      lost(*R, /*ByOthers=*/true, Log);
    } else if (R->File.empty()) {
      R->Over = true;
      R->Job.Done({});
    } else if (R->Question) {
      fixLost(*R, Reason, 0);
    } else {
      finish(*R, outcomeWith(*R, {Severity::Warning, Verdict::Inconclusive, "not decided: " + Reason, {}, "", {}, -1}));
    }
  }
}

} // namespace picket
