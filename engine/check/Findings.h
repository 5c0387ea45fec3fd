// What the executions of one model show, gathered for its report: each bug, cut loop and note once.
#pragma once

#include "check/Check.h"
#include "check/ReachableCode.h"
#include "machine/Machine.h"
#include "memory/Configuration.h"

#include <map>

namespace picket {

class Findings {
public:
  Findings(const Program &Compiled, ModelReport &Report) : Compiled(Compiled), Report(Report), Behind(Compiled) {}

  /// Adds a bug. False if it is known.
  bool add(Machine &M, const BugReport &B);
  /// The same of a data race that is no bug.
  bool addWarning(Machine &M, const BugReport &Race);
  /// Looks at an execution that ended.
  void look(Machine &M, Ending How);
  /// Whether there is anything in it to look at. Several threads may ask at the same time.
  bool hasNews(const Machine &M, Ending How) const {
    return How == Ending::Cut || !M.unwrittenReads().empty() || (How == Ending::Blocked && !Assumed.load());
  }
  /// Whether an execution ended because the program says that it is of no interest.
  bool assumed() const { return Assumed.load(); }
  /// Adds to the report what may be come to behind the bound. To be called when the exploration is over.
  void tellBehindBound();
  void clear();

private:
  Bug bugOf(Machine &M, const BugReport &B, SourceLocation Where) const;
  SourceLocation whereOf(Machine &M, const BugReport &B) const;
  void addLoop(Machine &M, ThreadId Cut);
  SourceLocation userLocation(std::vector<uint32_t> Stack) const;
  bool isVolatile(uint32_t Pc) const;
  void addRead(const Machine::UnwrittenRead &Read);

  const Program &Compiled;
  ModelReport &Report;
  ReachableCode Behind;
  std::atomic<bool> Assumed = false;
  std::map<const Machine *, size_t> ReadsSeen; // of the machine's unwritten reads
};

} // namespace picket
