// The service's own thread: it starts checks, listens to the workers and ends those that are no longer wanted.
#include "lsp/CheckService.h"

#include <algorithm>
#include <poll.h>
#include <unistd.h>

namespace picket {

using std::chrono::milliseconds;

void CheckService::loop() {
  while (true) {
    std::vector<std::pair<Waiter, CheckEnd>> ToTell;
    std::vector<StatusNote> News;
    std::map<std::string, std::vector<SettingsProblem>> Problems;
    std::vector<std::string> NewFixes;
    {
      std::lock_guard<std::mutex> Lock(M);
      if (Stopping)
        break;
      giveUpStale();
      startDue();
      startRenders();
      startFixes();
      ToTell.swap(Ended);
      News.swap(StatusNews);
      NewFixes.swap(FixNews);
      Problems.swap(TomlNews);
    }
    keepWorkersReady();
    for (const auto &[File, Wrong] : Problems)
      Listener.settingsProblems(File, Wrong);
    for (const StatusNote &Note : News)
      Listener.statusChanged(Note.Status, Note.OnlyProgress);
    for (const std::string &File : NewFixes)
      tellFixes(File);
    for (const CheckProgress &Progress : ProgressNews)
      Listener.progress(Progress);
    ProgressNews.clear();
    for (auto &[Tell, End] : ToTell)
      Tell(End);
    {
      std::lock_guard<std::mutex> Lock(M);
      if (isIdle()) {
        Idle = true;
        BecameIdle.notify_all();
      }
    }
    waitForEvents();
    enforceLimits();
    std::erase_if(Runs, [](const std::unique_ptr<Run> &R) { return R->Over; });
    std::erase_if(Dying, [](const std::unique_ptr<WorkerProcess> &W) { return W->reap(); });
  }
  for (std::unique_ptr<Run> &R : Runs)
    discard(std::move(R->Worker));
  for (std::unique_ptr<WorkerProcess> &W : Ready)
    discard(std::move(W));
  for (std::unique_ptr<WorkerProcess> &W : Dying)
    while (!W->reap())
      usleep(1000);
}

bool CheckService::isIdle() const {
  for (const auto &[File, D] : Documents)
    if (D.Running || D.Due || !D.Wishes.empty())
      return false;
  return Runs.empty() && Renders.empty() && Ended.empty() && StatusNews.empty() && TomlNews.empty() && FixNews.empty();
}

void CheckService::discard(std::unique_ptr<WorkerProcess> Worker) {
  if (!Worker)
    return;
  Worker->kill();
  Dying.push_back(std::move(Worker));
}

/// Ends a run without a result.
void CheckService::abandon(Run &R) {
  discard(std::move(R.Worker));
  R.Over = true;
  if (R.isCheck())
    report(R, CheckProgress::End, "");
}

void CheckService::report(const Run &R, CheckProgress::Kind Kind, std::string Text, std::optional<int> Percentage) {
  ProgressNews.push_back({Kind, R.Id, R.File, std::move(Text), Percentage}); // told when no lock is held
}

/// Runs whose document is closed, edited, or checked anew. M is held.
void CheckService::giveUpStale() {
  for (std::unique_ptr<Run> &R : Runs) {
    if (R->Over)
      continue;
    if (R->Question) {
      FixWish *Wish = wishOf(*R);
      if (Wish && !RestartAll)
        continue;
      if (Wish)
        Wish->Running = false; // it is started again
      abandon(*R);
      continue;
    }
    auto At = Documents.find(R->File);
    const bool Wanted = R->File.empty() || (At != Documents.end() && At->second.Generation == R->Generation);
    if (Wanted && !RestartAll)
      continue;
    if (R->File.empty()) {
      Renders.push_back(std::move(R->Job));
    } else if (At != Documents.end()) {
      At->second.Running = false;
      if (Wanted)
        At->second.Due = Clock::now();
    }
    abandon(*R);
  }
  if (RestartAll)
    for (std::unique_ptr<WorkerProcess> &W : Ready)
      discard(std::move(W));
  if (RestartAll)
    Ready.clear();
  RestartAll = false;
}

/// As many of the documents that want it as there may be checks, the longest waiting first. M is held.
void CheckService::startDue() {
  while (true) {
    size_t Checks = 0;
    for (const std::unique_ptr<Run> &R : Runs)
      Checks += !R->Over && R->isCheck();
    if (Checks >= Fixed.Workers)
      return;
    const Clock::time_point Now = Clock::now();
    Document *Next = nullptr;
    for (auto &[File, D] : Documents)
      if (D.Due && *D.Due <= Now && !D.Running && (!Next || *D.Due < *Next->Due))
        Next = &D;
    if (!Next || !startCheck(Next->Status.File))
      return;
  }
}

bool CheckService::startCheck(const std::string &File) {
  std::unique_ptr<WorkerProcess> Worker = takeWorker();
  if (!Worker)
    return false;
  Document &D = Documents.find(File)->second;
  resolve(D);
  WorkerRequest Request;
  Request.File = File;
  for (const auto &[Name, Other] : Documents)
    Request.Unsaved[Name] = *Other.Status.Text;
  Request.Options = D.Status.Options;
  if (!D.Models.empty())
    Request.Options.ModelsNamed = (Request.Options.Models = D.Models) != defaultModels();
  Request.Known = Cache.keys();

  auto R = std::make_unique<Run>();
  R->Worker = std::move(Worker);
  R->Id = ++NextRun;
  R->File = File;
  R->Generation = D.Generation;
  R->Options = Request.Options;
  R->Estimate = CheckEstimate(R->Options.Models, R->Options.together(), R->Options.TimeoutSeconds);
  R->Start = R->LastHeard = Clock::now();
  setDeadline(*R, Fixed.CompileTime);
  R->Worker->send(toLine(Request));
  D.Due.reset();
  D.Running = true;
  D.Status.State = CheckState::Checking;
  D.Status.Running.reset();
  D.Status.Partial = false;
  StatusNews.push_back({D.Status});
  report(*R, CheckProgress::Begin, "");
  Runs.push_back(std::move(R));
  return true;
}

/// Pictures are drawn beside the checks: somebody is looking at the screen. M is held.
void CheckService::startRenders() {
  while (!Renders.empty()) {
    std::unique_ptr<WorkerProcess> Worker = takeWorker();
    if (!Worker)
      return;
    auto R = std::make_unique<Run>();
    R->Worker = std::move(Worker);
    R->Id = ++NextRun;
    R->Job = std::move(Renders.front());
    Renders.pop_front();
    R->Start = R->LastHeard = Clock::now();
    R->Deadline = R->Start + std::chrono::seconds(60);
    WorkerRequest Request;
    Request.Render = R->Job.Traces;
    R->Worker->send(toLine(Request));
    Runs.push_back(std::move(R));
  }
}

std::unique_ptr<WorkerProcess> CheckService::takeWorker() {
  if (Ready.empty())
    keepWorkersReady();
  if (Ready.empty())
    return nullptr;
  std::unique_ptr<WorkerProcess> Worker = std::move(Ready.front()); // the one that had most time to warm up
  Ready.erase(Ready.begin());
  return Worker;
}

/// Perhaps the machine is short of something; trying again at once would make that worse.
void CheckService::delayStarts() { NextStart = Clock::now() + milliseconds(200) * (1 << std::min(FailedStarts++, 4u)); }

/// One is always ready, so that a check that replaces another does not wait for a process to start.
void CheckService::keepWorkersReady() {
  size_t Busy = std::count_if(Runs.begin(), Runs.end(), [](const std::unique_ptr<Run> &R) { return !R->Over; });
  while (Ready.empty() || Ready.size() + Busy < Fixed.Workers) {
    if (Clock::now() < NextStart)
      return;
    std::string Error;
    const std::string Log = Fixed.Directory + "/worker-" + std::to_string(++NextLog) + ".log";
    auto New = WorkerProcess::start({Fixed.WorkerProgram, Fixed.Directory, Log}, Error);
    if (!New) {
      delayStarts();
      Listener.log("a worker cannot be started: " + Error);
      return;
    }
    Ready.push_back(std::move(New));
  }
}

/// Waits until a worker says something, somebody calls, or it is time for something; takes in what was said.
void CheckService::waitForEvents() {
  const Clock::time_point Now = Clock::now();
  Clock::time_point Until = Now + std::chrono::hours(1);
  {
    std::lock_guard<std::mutex> Lock(M);
    size_t Checks = 0;
    for (const std::unique_ptr<Run> &R : Runs)
      Checks += !R->Over && R->isCheck();
    for (const auto &[File, D] : Documents)
      if (D.Due && !D.Running && (Checks < Fixed.Workers || *D.Due > Now))
        Until = std::min(Until, std::max(*D.Due, NextStart));
  }
  if (!Runs.empty())
    Until = std::min(Until, Now + MemoryWatch);
  for (const std::unique_ptr<Run> &R : Runs)
    if (!R->Over && R->Untold)
      Until = std::min(Until, R->Start + PartialAfter);
  if (!Dying.empty())
    Until = std::min(Until, Now + milliseconds(20));
  if (Ready.empty())
    Until = std::min(Until, std::max(NextStart, Now + milliseconds(50)));

  std::vector<pollfd> Files = {{WakeRead, POLLIN, 0}};
  for (const std::unique_ptr<Run> &R : Runs)
    if (!R->Over) {
      Files.push_back({R->Worker->output(), POLLIN, 0});
      Files.push_back({R->Worker->hasUnsent() ? R->Worker->input() : -1, POLLOUT, 0});
    }
  for (const std::unique_ptr<WorkerProcess> &W : Ready)
    Files.push_back({W->output(), POLLIN, 0});
  const auto Wait = std::chrono::ceil<milliseconds>(Until - Clock::now()).count();
  if (poll(Files.data(), Files.size(), static_cast<int>(std::clamp<long long>(Wait, 0, 3600'000))) <= 0)
    return;

  char Bytes[64];
  while (Files[0].revents && read(WakeRead, Bytes, sizeof Bytes) > 0)
    ;
  size_t K = 1;
  std::vector<Run *> Talking;
  for (const std::unique_ptr<Run> &R : Runs)
    if (!R->Over) {
      if (Files[K].revents)
        Talking.push_back(R.get());
      if (Files[K + 1].revents)
        R->Worker->flush();
      K += 2;
    }
  for (std::unique_ptr<WorkerProcess> &W : Ready)
    if (std::vector<std::string> Greetings; Files[K++].revents && !W->receive(Greetings)) {
      const bool Young = Clock::now() - W->Started < std::chrono::seconds(1);
      if (Young && !endedByOthers(*W))
        delayStarts();
      discard(std::move(W));
    }
  std::erase(Ready, nullptr);
  for (Run *R : Talking)
    readFrom(*R);
}

} // namespace picket
