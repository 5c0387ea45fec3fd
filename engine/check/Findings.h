// What the executions of one model show, gathered for its report: each bug, cut loop and note once.
#pragma once

#include "check/Check.h"
#include "machine/Machine.h"
#include "memory/Configuration.h"

#include <map>

namespace picket {

class Findings {
public:
  Findings(const Program &P, ModelReport &Report) : P(P), Report(Report) {}

  /// Adds a bug. False if it is known.
  bool add(Machine &M, const BugReport &B);
  /// Looks at an execution that ended.
  void look(Machine &M, Ending How);
  /// Whether there is anything in it to look at.
  static bool hasNews(const Machine &M, Ending How) { return How == Ending::Cut || !M.unwrittenReads().empty(); }
  void clear();

private:
  Place whereOf(Machine &M, const BugReport &B) const;
  void addLoop(uint32_t Loop);
  void addRead(const Machine::UnwrittenRead &Read);

  const Program &P;
  ModelReport &Report;
  std::map<const Machine *, size_t> ReadsSeen; // of the machine's unwritten reads
};

} // namespace picket
