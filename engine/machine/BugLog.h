// The bugs that a machine has come to, and which kinds of them are looked for.
#pragma once

#include "machine/Checks.h"
#include "machine/Process.h"
#include "machine/RunEffects.h"

#include <vector>

namespace picket {

class BugLog {
public:
  BugLog(const Checks &Looked, ProcessWords &Process, RunEffects &Effects)
      : Looked(Looked), Process(Process), Effects(Effects) {}

  /// Whether a kind of bug is reported.
  bool checks(BugKind Kind) const { return Looked.has(Kind); }
  const std::vector<BugReport> &all() const { return Bugs; }

  /// Records a bug with which a thread ends, or, if its kind is not looked for, that there was one.
  void add(BugKind Kind, uint32_t Thread, uint32_t Pc, std::string Message) {
    add({Kind, Thread, Pc, std::move(Message)});
  }
  void add(BugReport New) {
    if (checks(New.Kind))
      return report(std::move(New));
    Effects.DependsOnOthers = true; // the way that led here leads to no point, as those with a bug
    Process.noteUncheckedError();
  }
  void report(BugReport New) { Bugs.push_back(std::move(New)); }
  /// The bugs behind the first so many are no more.
  void drop(size_t Keep) {
    if (!Bugs.empty())
      Bugs.erase(Bugs.begin() + static_cast<ptrdiff_t>(Keep), Bugs.end());
  }

private:
  const Checks Looked;
  ProcessWords &Process;
  RunEffects &Effects;
  std::vector<BugReport> Bugs;
};

} // namespace picket
