#include "lsp/WorkerJob.h"

#include <algorithm>

namespace picket {

constexpr uint64_t BaseMemory = 256ull << 20; // of a worker that explores nothing: the compiler and its libraries

std::string WorkerJob::doing() const {
  switch (What) {
  case Kind::Check: return "checking " + File;
  case Kind::Fix: return "looking for fixes of " + File;
  case Kind::Render: return "drawing";
  }
  return "?";
}

void WorkerJob::setDeadline(std::chrono::milliseconds Slack) {
  const double Limit = std::min(Options.TimeoutSeconds, 1e7);
  if (Limit <= 0) {
    Deadline.reset();
    return;
  }
  const std::chrono::duration<double> All(1.1 * Limit * static_cast<double>(Options.Models.size()));
  Deadline = Clock::now() + Slack + std::chrono::duration_cast<Clock::duration>(All);
}

std::string WorkerJob::limitReached(Clock::time_point Now) const {
  if (Deadline && Now >= *Deadline)
    return "the time limit was reached";
  if (What != Kind::Render && Worker->residentBytes() > Options.MemoryBytes + BaseMemory)
    return "the memory limit of " + std::to_string(Options.MemoryBytes >> 20) + " MiB was reached";
  return "";
}

} // namespace picket
