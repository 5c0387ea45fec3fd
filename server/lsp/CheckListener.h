// What the check service tells, to whoever shows it.
#pragma once

#include "lsp/DocumentStatus.h"

namespace picket {

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
/// calls at a time for results. All but `log` may ask the service for the status of documents.
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

} // namespace picket
