// How far a check has come, all its memory models together, and how long it will still take: guesses, made of what the
// explorations tell about themselves.
#pragma once

#include "check/Check.h"

#include <optional>

namespace picket {

class CheckEstimate {
public:
  CheckEstimate() = default;
  /// `Together`: models explored side by side. `TimeoutSeconds`: per model; 0: none.
  CheckEstimate(const std::vector<MemoryModel> &Models, unsigned Together, double TimeoutSeconds);

  void add(const Progress &P);

  /// 0 to 99, never less than before. Nothing if only explorations are left that cannot tell (POWER).
  std::optional<int> percentage() const { return Known ? std::optional(Percentage) : std::nullopt; }
  /// Until all models are done. Nothing: it is too early to say.
  std::optional<double> secondsLeft() const { return Left; }
  /// The time limit is likely to come before the end.
  bool isLimited() const { return Limited; }

private:
  struct Part {
    MemoryModel Which;
    double Explored = 0, Seconds = 0;
    bool Known = true;
    double total() const;
  };
  void estimate();

  std::vector<Part> Parts;
  unsigned Together = 1;
  double Timeout = 0;
  bool Known = false, Limited = false;
  int Percentage = 0;
  std::optional<double> Left;
};

/// "1 execution", "18 204 executions"
std::string executionsText(uint64_t Executions);
std::string statesText(uint64_t States);

/// "TSO: 18 204 executions, about 40 % done, some 8 s left", "TSO: 12 500 states"
std::string progressText(const Progress &Last, const CheckEstimate &All);

} // namespace picket
