// What has happened to documents and is not told yet.
#pragma once

#include "lsp/CheckListener.h"

#include <functional>
#include <map>

namespace picket {

using CheckWaiter = std::function<void(CheckEnd)>;

/// Collected while the service's lock is held, and told when it is not: whoever hears of it may call the service. Not
/// thread-safe: the lock guards it.
struct PendingNews {
  struct StatusChange {
    DocumentStatus Status;
    bool OnlyProgress = false;
  };
  struct EndedWait {
    CheckWaiter Tell;
    CheckEnd End;
  };

  std::vector<StatusChange> Statuses;
  std::vector<EndedWait> EndedWaits;
  std::vector<std::string> FixesOf; // files whose fixes changed
  std::vector<std::string> Cleared; // files that are no longer checked in the background
  std::map<std::string, std::vector<SettingsProblem>> TomlProblems;

  bool isEmpty() const {
    return Statuses.empty() && EndedWaits.empty() && FixesOf.empty() && Cleared.empty() && TomlProblems.empty();
  }

  /// Ends all these waits; there are none afterwards.
  void end(std::vector<CheckWaiter> &Waiters, CheckEnd How) {
    for (CheckWaiter &W : Waiters)
      EndedWaits.push_back({std::move(W), How});
    Waiters.clear();
  }
};

} // namespace picket
