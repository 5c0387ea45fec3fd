#include "lsp/WorkerPool.h"

#include <algorithm>
#include <cassert>
#include <unistd.h>

namespace picket {

using std::chrono::milliseconds;

constexpr unsigned MostServed = 200;           // then a worker is replaced
constexpr uint64_t LargestIdle = 512ull << 20; // a worker that keeps more memory is replaced

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  assert(Lent == 0 && "jobs end before the pool does");
  discardReady();
  for (std::unique_ptr<WorkerProcess> &W : Dying)
    while (!W->reap())
      usleep(1000);
  Dying.clear();
}

void WorkerPool::end(std::unique_ptr<WorkerProcess> Worker) {
  Worker->kill();
  Dying.push_back(std::move(Worker));
}

/// Perhaps the machine is short of something; trying again immediately would make that worse.
void WorkerPool::delayStarts() { NextStart = Clock::now() + milliseconds(200) * (1 << std::min(FailedStarts++, 4u)); }

void WorkerPool::fill() {
  while (Ready.empty() || Ready.size() + Lent < Config.Workers) {
    if (Clock::now() < NextStart)
      return;
    std::string Error;
    const std::string LogFile = Config.Directory + "/worker-" + std::to_string(++LastLog) + ".log";
    auto New = WorkerProcess::start({Config.Program, Config.Directory, LogFile}, Error);
    if (!New) {
      delayStarts();
      Log("a worker cannot be started: " + Error);
      return;
    }
    Ready.push_back(std::move(New));
  }
}

std::unique_ptr<WorkerProcess> WorkerPool::take() {
  if (Ready.empty())
    fill();
  if (Ready.empty())
    return nullptr;
  std::unique_ptr<WorkerProcess> Worker = std::move(Ready.front()); // the one that had most time to warm up
  Ready.erase(Ready.begin());
  ++Lent;
  return Worker;
}

void WorkerPool::giveBack(std::unique_ptr<WorkerProcess> Worker) {
  if (Worker->Served >= MostServed || Worker->residentBytes() >= LargestIdle)
    return discard(std::move(Worker));
  assert(Lent > 0);
  --Lent;
  Ready.insert(Ready.begin(), std::move(Worker)); // warm, so it comes first
}

void WorkerPool::discard(std::unique_ptr<WorkerProcess> Worker) {
  assert(Worker && Lent > 0);
  --Lent;
  end(std::move(Worker));
}

void WorkerPool::discardReady() {
  for (std::unique_ptr<WorkerProcess> &W : Ready)
    end(std::move(W));
  Ready.clear();
}

bool WorkerPool::endedByOthers(WorkerProcess &Worker) {
  Worker.kill(); // a process that is ending anyway does not end differently
  for (int K = 0; K < 400 && !Worker.reap(); ++K)
    usleep(500);
  return Worker.reap() && Worker.wasKilled();
}

WorkerPool::Clock::time_point WorkerPool::nextTending(Clock::time_point Now) const {
  Clock::time_point Until = Clock::time_point::max();
  if (!Dying.empty())
    Until = std::min(Until, Now + milliseconds(20));
  if (Ready.empty())
    Until = std::min(Until, std::max(NextStart, Now + milliseconds(50)));
  return Until;
}

void WorkerPool::addTo(std::vector<pollfd> &Files) const {
  for (const std::unique_ptr<WorkerProcess> &W : Ready)
    Files.push_back({W->output(), POLLIN, 0});
}

void WorkerPool::hear(const pollfd *Files) {
  for (std::unique_ptr<WorkerProcess> &W : Ready)
    if (std::vector<std::string> Greetings; (Files++)->revents && !W->receive(Greetings)) {
      const bool Young = Clock::now() - W->Started < std::chrono::seconds(1);
      if (Young && !endedByOthers(*W))
        delayStarts();
      end(std::move(W));
    }
  std::erase(Ready, nullptr);
}

void WorkerPool::tend() {
  std::erase_if(Dying, [](const std::unique_ptr<WorkerProcess> &W) { return W->reap(); });
}

} // namespace picket
