#include "explore/DporTeam.h"

namespace picket {

void DporTeam::offer(DporJob Job) {
  std::lock_guard<std::mutex> Guard(Lock);
  Jobs.push_back(std::move(Job));
  --Wanted;
  Changed.notify_one();
}

std::optional<DporJob> DporTeam::take() {
  std::unique_lock<std::mutex> Guard(Lock);
  ++Waiting;
  ++Wanted;
  if (Waiting == Members && Jobs.empty())
    Stopped = true;
  if (Stopped)
    Changed.notify_all();
  Changed.wait(Guard, [&] { return Stopped || !Jobs.empty(); });
  if (Stopped)
    return std::nullopt;
  --Waiting;
  DporJob Job = std::move(Jobs.front());
  Jobs.pop_front();
  return Job;
}

void DporTeam::stop() {
  std::lock_guard<std::mutex> Guard(Lock);
  Stopped = true;
  Changed.notify_all();
}

} // namespace picket
