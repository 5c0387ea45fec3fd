// The service's own thread: it starts what is due, listens to the workers and ends jobs that are no longer wanted.
#include "lsp/CheckService.h"

#include <algorithm>
#include <cassert>

namespace picket {

using std::chrono::milliseconds;

void CheckService::loop() {
  while (true) {
    PendingNews Now;
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      if (Stopping)
        break;
      endStale();
      startDue();
      startRenders();
      startFixes();
      std::swap(Now, News);
    }
    assert(Pool.lent() == running(Kind::Check) + running(Kind::Fix) + running(Kind::Render) && "a worker has one job");
    Pool.fill();
    tell(std::move(Now));
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      if (isIdle()) {
        Idle = true;
        BecameIdle.notify_all();
      }
    }
    waitForEvents();
    enforceLimits();
    std::erase_if(Jobs, [](const std::unique_ptr<WorkerJob> &J) { return J->Over; });
    Pool.tend();
  }
  for (std::unique_ptr<WorkerJob> &J : Jobs)
    if (J->Worker)
      Pool.discard(std::move(J->Worker));
  Jobs.clear();
  Pool.stop();
}

/// Tells what has happened. No lock is held: those who hear of it may call the service.
void CheckService::tell(PendingNews Now) {
  for (const auto &[File, Problems] : Now.TomlProblems)
    Listener.settingsProblems(File, Problems);
  for (const PendingNews::StatusChange &Changed : Now.Statuses)
    Listener.statusChanged(Changed.Status, Changed.OnlyProgress);
  for (const std::string &File : Now.FixesOf)
    tellFixes(File);
  for (const std::string &File : Now.Cleared) {
    std::lock_guard<std::mutex> Telling(Publishing);
    if (!status(File)) // it may be open by now
      Listener.cleared(File);
  }
  for (const CheckProgress &Progress : ProgressNews)
    Listener.progress(Progress);
  ProgressNews.clear();
  for (const PendingNews::EndedWait &Wait : Now.EndedWaits)
    Wait.Tell(Wait.End);
}

/// As for results: what is told is about the document as it is.
void CheckService::tellFixes(const std::string &File) {
  std::lock_guard<std::mutex> Telling(Publishing);
  if (std::optional<DocumentStatus> Status = status(File))
    Listener.fixesChanged(*Status);
}

bool CheckService::isIdle() const {
  return Docs.isIdle() && Fixes.isIdle() && Jobs.empty() && Renders.empty() && News.isEmpty();
}

size_t CheckService::running(Kind What) const {
  return static_cast<size_t>(std::count_if(
      Jobs.begin(), Jobs.end(), [&](const std::unique_ptr<WorkerJob> &J) { return !J->Over && J->What == What; }));
}

/// Ends jobs whose document is closed, edited, or checked anew; all of them, if workers are to be restarted.
void CheckService::endStale() {
  for (std::unique_ptr<WorkerJob> &J : Jobs) {
    if (J->Over)
      continue;
    switch (J->What) {
    case Kind::Fix:
      if (Fixes.isWanted(J->Search) && !RestartAll)
        continue;
      Fixes.interrupt(J->Search);
      break;
    case Kind::Check: {
      const bool Wanted = Docs.find(J->File, J->Generation);
      if (Wanted && !RestartAll)
        continue;
      if (Document *D = Docs.find(J->File)) {
        D->Running = false;
        if (Wanted)
          D->Due = Clock::now();
      }
      break;
    }
    case Kind::Render:
      if (!RestartAll)
        continue;
      Renders.push_back(std::move(J->Pictures));
      break;
    }
    abandon(*J);
  }
  if (RestartAll)
    Pool.discardReady();
  RestartAll = false;
}

/// Null: there is no worker for it just now.
std::unique_ptr<WorkerJob> CheckService::newJob(Kind What) {
  std::unique_ptr<WorkerProcess> Worker = Pool.take();
  if (!Worker)
    return nullptr;
  auto Job = std::make_unique<WorkerJob>();
  Job->What = What;
  Job->Worker = std::move(Worker);
  Job->Id = ++LastJob;
  return Job;
}

void CheckService::begin(std::unique_ptr<WorkerJob> Job, const WorkerRequest &Request) {
  Job->Worker->send(toLine(Request));
  Jobs.push_back(std::move(Job));
}

/// As many of the documents that want it as there may be checks, the longest waiting first.
void CheckService::startDue() {
  while (running(Kind::Check) < Config.Workers) {
    Document *Next = Docs.nextDue(Clock::now());
    if (!Next || !startCheck(*Next))
      return;
  }
}

bool CheckService::startCheck(Document &D) {
  std::unique_ptr<WorkerJob> Job = newJob(Kind::Check);
  if (!Job)
    return false;
  Docs.resolve(D);
  WorkerRequest Request;
  Request.File = D.Status.File;
  Request.Unsaved = Docs.texts();
  Request.Options = D.Status.Options;
  Request.Others = D.Others;
  if (!D.Models.empty())
    Request.Options.ModelsNamed = (Request.Options.Models = D.Models) != defaultModels();
  Request.Known = Cache.keys();

  Job->File = D.Status.File;
  Job->Generation = D.Generation;
  Job->Options = Request.Options;
  Job->Estimate = CheckEstimate(Job->Options.Models, Job->Options.together(), Job->Options.TimeoutSeconds);
  Job->setDeadline(Config.Grace + Config.CompileTime);
  Docs.begin(D);
  report(*Job, CheckProgress::Begin, "");
  begin(std::move(Job), Request);
  return true;
}

void CheckService::startFixes() {
  std::optional<FixScheduler::Search> Next = Fixes.next(running(Kind::Fix));
  std::unique_ptr<WorkerJob> Job = Next ? newJob(Kind::Fix) : nullptr;
  if (!Job)
    return;
  Fixes.begin(*Next);
  WorkerRequest Request;
  Request.File = Next->File;
  Request.Unsaved = Docs.texts();
  Request.Options = Docs.find(Next->File)->Status.Options;
  Request.Others = Docs.find(Next->File)->Others;
  Request.Options.Models = Next->Question.Models;
  Request.Fix = Next->Question;

  Job->File = Next->File;
  Job->Options = Request.Options;
  Job->Search = std::move(*Next);
  Job->setDeadline(Config.Grace + Config.CompileTime);
  begin(std::move(Job), Request);
}

/// Pictures are drawn beside the checks: somebody is looking at the screen.
void CheckService::startRenders() {
  while (!Renders.empty()) {
    std::unique_ptr<WorkerJob> Job = newJob(Kind::Render);
    if (!Job)
      return;
    Job->Pictures = std::move(Renders.front());
    Renders.pop_front();
    Job->Deadline = Job->Start + std::chrono::seconds(60);
    WorkerRequest Request;
    Request.Render = Job->Pictures.Traces;
    begin(std::move(Job), Request);
  }
}

/// When there is something to do, if nobody says anything until then.
CheckService::Clock::time_point CheckService::nextEvent(Clock::time_point Now) const {
  Clock::time_point Until = std::min(Now + std::chrono::hours(1), Pool.nextTending(Now));
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    const bool MayStart = running(Kind::Check) < Config.Workers;
    if (const std::optional<Clock::time_point> Due = Docs.nextDueTime(Now, /*AlsoPast=*/MayStart))
      Until = std::min(Until, std::max(*Due, Pool.nextStart()));
  }
  if (!Jobs.empty())
    Until = std::min(Until, Now + MemoryWatch);
  for (const std::unique_ptr<WorkerJob> &J : Jobs)
    if (!J->Over && J->Untold)
      Until = std::min(Until, J->Start + PartialAfter);
  return Until;
}

/// Waits until a worker says something, somebody calls, or it is time for something; takes in what was said.
void CheckService::waitForEvents() {
  const Clock::time_point Until = nextEvent(Clock::now());
  std::vector<WorkerJob *> Listening;
  std::vector<pollfd> Files = {{Wakeup.descriptor(), POLLIN, 0}};
  for (const std::unique_ptr<WorkerJob> &J : Jobs)
    if (!J->Over) {
      Listening.push_back(J.get());
      Files.push_back({J->Worker->output(), POLLIN, 0});
      Files.push_back({J->Worker->hasUnsent() ? J->Worker->input() : -1, POLLOUT, 0});
    }
  const size_t FirstOfPool = Files.size();
  Pool.addTo(Files);
  const auto Wait = std::chrono::ceil<milliseconds>(Until - Clock::now()).count();
  if (poll(Files.data(), Files.size(), static_cast<int>(std::clamp<long long>(Wait, 0, 3600'000))) <= 0)
    return;

  if (Files[0].revents)
    Wakeup.drain();
  Pool.hear(Files.data() + FirstOfPool); // before any job is over and its worker joins the pool
  for (size_t K = 0; K < Listening.size(); ++K)
    if (Files[2 * K + 2].revents)
      Listening[K]->Worker->flush();
  for (size_t K = 0; K < Listening.size(); ++K)
    if (Files[2 * K + 1].revents)
      readFrom(*Listening[K]);
}

} // namespace picket
