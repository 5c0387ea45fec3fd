// Something a worker is busy with: a check, a search for fixes, or pictures to draw.
#pragma once

#include "lsp/FixScheduler.h"
#include "lsp/WorkerProcess.h"

namespace picket {

/// Pictures of counterexamples that somebody looks at.
struct RenderRequest {
  std::vector<std::string> Traces;
  std::function<void(std::vector<std::string>)> Done; // with the traces in the same order, or with nothing
};

/// A job has its worker for itself until it is over. It is not over when nobody wants its result any more: the service
/// notices that, and ends it. Only the service's thread uses it.
struct WorkerJob {
  using Clock = std::chrono::steady_clock;
  enum class Kind : uint8_t { Check, Fix, Render };

  Kind What = Kind::Check;
  std::unique_ptr<WorkerProcess> Worker; // null: it is over, or the worker is gone and the job is about to be over
  uint64_t Id = 0;
  std::string File;        // that is checked, or whose fixes are looked for
  uint64_t Generation = 0; // Check: of the document
  FixScheduler::Search Search;
  RenderRequest Pictures;
  Settings Options;
  Clock::time_point Start = Clock::now(), LastHeard = Start;
  std::optional<Clock::time_point> Deadline;
  Clock::time_point LastReport, LastStatus; // of progress
  CheckEstimate Estimate;
  std::shared_ptr<const Outcome> SoFar; // Check: what some models found
  bool Untold = false;                  // SoFar was not published
  bool Over = false;                    // the worker is free again, or gone

  /// "checking /a.c", "drawing"
  std::string doing() const;
  /// Gives the worker its time limits, which it keeps by itself, and `Slack`: this is for one that does not.
  void setDeadline(std::chrono::milliseconds Slack);
  /// Which limit the worker has passed, as a clause; empty: none.
  std::string limitReached(Clock::time_point Now) const;
};

} // namespace picket
