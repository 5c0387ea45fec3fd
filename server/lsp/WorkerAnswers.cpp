// What workers answer, and what is done with those that do not.
#include "lsp/CheckService.h"

#include "base/UntrustedJson.h"
#include "lsp/StatusText.h"

#include <algorithm>
#include <cassert>

using llvm::StringRef;
using llvm::json::Object;

namespace picket {

using std::chrono::milliseconds;

constexpr unsigned MostRetries = 3;       // of a job whose worker somebody killed
constexpr unsigned RetriesAfterCrash = 1; // perhaps it was the file's fault: then the same happens again
constexpr milliseconds ReportEvery(200);  // as fast as anybody reads
constexpr milliseconds StatusEvery(500);

void CheckService::readFrom(WorkerJob &Job) {
  std::vector<std::string> Lines;
  const bool Alive = Job.Worker->receive(Lines);
  Job.LastHeard = Clock::now();
  for (const std::string &Line : Lines) {
    if (Job.Over)
      return;
    llvm::Expected<llvm::json::Value> Json = parseUntrusted(Line);
    if (const Object *Message = Json ? Json->getAsObject() : nullptr) {
      Pool.workerAnswered();
      handle(Job, *Message);
    } else {
      llvm::consumeError(Json.takeError());
      Listener.log("a worker said something that is not understood");
    }
  }
  if (!Alive && !Job.Over)
    workerDied(Job);
}

void CheckService::handle(WorkerJob &Job, const Object &Message) {
  assert(!Job.Over && Job.Worker && "a worker that is free says nothing");
  if (const llvm::json::Array *Rendered = Message.getArray("rendered"); Rendered && Job.Pictures.Done) {
    std::vector<std::string> Traces;
    for (const llvm::json::Value &Trace : *Rendered)
      Traces.push_back(Trace.getAsString().value_or("").str());
    return finishRender(Job, std::move(Traces));
  }
  if (std::optional<StringRef> Key = Message.getString("same"); Key && Job.What == Kind::Check) {
    std::shared_ptr<const Outcome> Known = Cache.find(Key->str());
    if (Known)
      report(Job, CheckProgress::Report, verdictsText(*Known));
    return finishCheck(Job, std::move(Known), CheckState::Done);
  }
  if (Message.get("compiled"))
    return Job.setDeadline(Config.Grace);
  llvm::json::Path::Root Root;
  if (const llvm::json::Value *Json = Message.get("fixes"); Json && Job.What == Kind::Fix) {
    FixAnswer Answer;
    if (fromJSON(*Json, Answer, Root))
      return finishFix(Job, std::move(Answer));
    Listener.log("a worker's fixes are not understood: " + llvm::toString(Root.getError()));
    return endUndecided(Job, "the fixes that were found are not understood");
  }
  if (const llvm::json::Value *Json = Message.get("progress")) {
    Progress News;
    if (fromJSON(*Json, News, Root))
      explored(Job, News);
    return;
  }
  const llvm::json::Value *Json = Message.get("outcome");
  if (!Json || Job.What != Kind::Check)
    return;
  auto Result = std::make_shared<Outcome>();
  if (!fromJSON(*Json, *Result, Root)) {
    Listener.log("a worker's outcome is not understood: " + llvm::toString(Root.getError()));
    return;
  }
  report(Job, CheckProgress::Report, verdictsText(*Result));
  Job.SoFar = Result;
  Job.Untold = true;
  if (Message.getBoolean("done").value_or(false)) {
    if (std::optional<StringRef> Key = Message.getString("key"))
      Cache.add(Key->str(), Result);
    return finishCheck(Job, Result, Result->isQuiet() ? CheckState::Quiet : CheckState::Done);
  }
  tellSoFar(Job, Clock::now());
}

/// Tells the listener, unless the document is closed or has another text by now: then false.
bool CheckService::publish(const WorkerJob &Job, std::shared_ptr<const Outcome> Result, CheckState End) {
  std::lock_guard<std::mutex> Telling(Publishing);
  DocumentStatus Status;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (!Docs.accept(Job.File, Job.Generation, std::move(Result), End))
      return false;
    Status = Docs.find(Job.File)->Status;
  }
  Listener.published(Status);
  Listener.statusChanged(Status, /*OnlyProgress=*/false);
  return true;
}

void CheckService::report(const WorkerJob &Job, CheckProgress::Kind Kind, std::string Text,
                          std::optional<int> Percentage) {
  ProgressNews.push_back({Kind, Job.Id, Job.File, std::move(Text), Percentage});
}

/// What some models have found, while others are being checked. Not in the first moments: most checks are over by then,
/// and what is shown would change several times for nothing.
void CheckService::tellSoFar(WorkerJob &Job, Clock::time_point Now) {
  if (!Job.Untold || Now - Job.Start < PartialAfter)
    return;
  Job.Untold = false;
  publish(Job, Job.SoFar, CheckState::Checking);
}

/// An exploration has got on.
void CheckService::explored(WorkerJob &Job, const Progress &Step) {
  if (Job.What != Kind::Check)
    return;
  Job.Estimate.add(Step);
  const Clock::time_point Now = Clock::now();
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Document *D = Docs.find(Job.File, Job.Generation);
    if (!D)
      return;
    D->Status.Running = {Step, Job.Estimate};
    if (Now - std::max(Job.LastStatus, Job.Start) >= StatusEvery) {
      Job.LastStatus = Now;
      News.Statuses.push_back({D->Status, /*OnlyProgress=*/true});
    }
  }
  if (Now - Job.LastReport < ReportEvery)
    return;
  Job.LastReport = Now;
  report(Job, CheckProgress::Report, progressText(Step, Job.Estimate), Job.Estimate.percentage());
}

/// The job is over. Its worker, if there is one, is free for others.
void CheckService::release(WorkerJob &Job) {
  assert(!Job.Over && "a job ends once");
  Job.Over = true;
  if (Job.Worker)
    Pool.giveBack(std::move(Job.Worker));
}

/// Ends a job without a result.
void CheckService::abandon(WorkerJob &Job) {
  assert(!Job.Over && "a job ends once");
  Job.Over = true;
  if (Job.Worker)
    Pool.discard(std::move(Job.Worker));
  if (Job.What == Kind::Check)
    report(Job, CheckProgress::End, "");
}

/// Without a result the document stays as it was.
void CheckService::finishCheck(WorkerJob &Job, std::shared_ptr<const Outcome> Result, CheckState End) {
  release(Job);
  if (!Result || !publish(Job, std::move(Result), End)) {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Document *D = Docs.find(Job.File)) {
      D->Running = false;
      if (D->Generation == Job.Generation)
        Docs.schedule(*D); // the cache forgot it meanwhile
    }
  }
  report(Job, CheckProgress::End, "");
}

/// An answer, whatever it is. Dropped if the text is another one by now.
void CheckService::finishFix(WorkerJob &Job, FixAnswer Answer) {
  release(Job);
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Fixes.isWanted(Job.Search))
    Fixes.answer(Job.Search, Docs.find(Job.File)->Status, std::move(Answer));
}

void CheckService::finishRender(WorkerJob &Job, std::vector<std::string> Traces) {
  release(Job);
  Job.Pictures.Done(std::move(Traces));
}

/// What is known of a check that ended without an answer.
static std::shared_ptr<const Outcome> outcomeWith(const WorkerJob &Job, Finding Extra) {
  auto Result = Job.SoFar ? std::make_shared<Outcome>(*Job.SoFar) : std::make_shared<Outcome>();
  Result->endPending(Extra.Message);
  for (MemoryModel Wanted : Job.Options.Models)
    if (std::none_of(Result->Models.begin(), Result->Models.end(),
                     [&](const ModelOutcome &Known) { return Known.Model == Wanted; }))
      Result->Models.push_back(
          {Wanted, Verdict::Inconclusive, 0, 0, 0, 0, Extra.Message, 0, false, targetOf(Wanted, Job.Options.Targets)});
  Result->Unroll = Job.Options.Unroll;
  Extra.Where = {Job.File, 0, 0, 0, 0};
  Result->Findings.push_back(std::move(Extra));
  return Result;
}

static Finding warning(FindingCode Code, std::string Message, std::string Log = "") {
  return {Severity::Warning, Code, std::move(Message), {}, "", {}, -1, std::move(Log)};
}

/// The worker ended in the middle of its work.
void CheckService::workerDied(WorkerJob &Job) {
  const bool Killed = WorkerPool::endedByOthers(*Job.Worker);
  const std::string Log = Job.Worker->log();
  const std::string How = Job.Worker->reap() ? Job.Worker->ending() : "an unknown cause";
  Pool.discard(std::move(Job.Worker));
  Listener.log("a worker ended by " + How + " while " + Job.doing());
  workerLost(Job, Killed, Log);
}

/// There is no worker any more, so the job is begun again, some times.
void CheckService::workerLost(WorkerJob &Job, bool ByOthers, const std::string &Log) {
  const unsigned Retries = ByOthers ? MostRetries : RetriesAfterCrash;
  if (Job.What == Kind::Render)
    return finishRender(Job, {});
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    bool Again = false;
    if (Job.What == Kind::Fix) {
      Again = Fixes.retry(Job.Search, Retries);
    } else if (Document *D = Docs.find(Job.File, Job.Generation); D && ++D->Crashes <= Retries) {
      Again = true;
      D->Running = false;
      Docs.schedule(*D);
    }
    if (Again)
      return abandon(Job);
  }
  if (Job.What == Kind::Fix)
    return endUndecided(Job, "the search stopped unexpectedly; log: " + Log);
  const std::string Message = "the checker stopped unexpectedly on this file; log: " + Log;
  finishCheck(Job, outcomeWith(Job, warning(OtherFinding::Crash, Message, Log)), CheckState::Failed);
}

/// The job ends without the answer that was asked for.
void CheckService::endUndecided(WorkerJob &Job, const std::string &Reason) {
  switch (Job.What) {
  case Kind::Check:
    return finishCheck(Job, outcomeWith(Job, warning(Verdict::Inconclusive, "not decided: " + Reason)),
                       CheckState::Done);
  case Kind::Fix: {
    FixAnswer None;
    None.What = EditOutcome::GaveUp;
    None.Reason = Reason;
    return finishFix(Job, std::move(None));
  }
  case Kind::Render: return finishRender(Job, {});
  }
}

void CheckService::enforceLimits() {
  const Clock::time_point Now = Clock::now();
  // A machine that stood still, or had no time for this thread, had none for the workers either.
  const bool StoodStill = Now - LastEnforced > MemoryWatch + Config.Silence / 3;
  LastEnforced = Now;
  for (std::unique_ptr<WorkerJob> &Job : Jobs) {
    if (Job->Over)
      continue;
    tellSoFar(*Job, Now);
    if (StoodStill)
      Job->LastHeard = Now;
    const std::string Reason = Job->limitReached(Now);
    // One that is still being started, perhaps on a machine with much to do, has longer.
    if (Reason.empty() && Now - Job->LastHeard < Config.Silence * (Job->Worker->Heard ? 1 : 4))
      continue;
    const std::string Log = Job->Worker->log();
    Pool.discard(std::move(Job->Worker));
    if (!Reason.empty()) {
      endUndecided(*Job, Reason);
      continue;
    }
    Listener.log("a worker did not answer any more while " + Job->doing());
    workerLost(*Job, /*ByOthers=*/true, Log);
  }
}

} // namespace picket
