// What is said of a program that is not robust, by whichever way it was found out.
#pragma once

#include "check/Check.h"
#include "explore/ScMonitor.h"

namespace picket {

/// Marks a program as not robust because of one store; the sentence tells of it.
void setNotRobust(Robustness &R, const SourceLocation &Store, const SourceLocation &Overtaker,
                  const SourceLocation &Observer);

/// Adds an execution that shows it, if SC does not have that one. Where the execution tells of another store than the
/// one that is marked, that one is marked instead.
void setWitness(Robustness &R, Recording Run);

/// Makes what is marked the first violation. One that is not known yet is added.
void putMarkedFirst(Robustness &R);

/// The violations that a monitor has found, each pair of locations once, those with the shortest past first. The second
/// of each pair is the alarm that an execution can be made from, null if there is none.
std::vector<std::pair<ScViolation, const RobustnessAlarm *>> violationsOf(const Program &P, const ScMonitor &Monitor,
                                                                          MemoryModel Against);

/// Adds what another part of the exploration has found.
void addViolations(std::vector<ScViolation> &To, const std::vector<ScViolation> &Others);

/// A store that can be late, with all that is known of it.
struct LateStore {
  SourceLocation Store;
  std::vector<SourceLocation> Overtakers, Observers; // each line once, in text order
  std::shared_ptr<const Counterexample> Witness;     // of one of its violations; may be null
};

/// The violations of a model, store by store: each line once, in the order in which they were found.
std::vector<LateStore> lateStoresOf(const Robustness &R);

/// "this store can reach memory after the later access at line 8, and the access at line 12 can observe the reordering"
std::string lateStoreText(const LateStore &L);

/// "line 8", "lines 8 and 9", "lines 8 and 9, lock.h line 4"; the file is named where it is not that of `ToldAt`.
std::string linesText(const std::vector<SourceLocation> &Places, const SourceLocation &ToldAt);

} // namespace picket
