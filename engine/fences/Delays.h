// What a violating execution did in another order than the program: where it can be prevented.
#pragma once

#include "check/Check.h"

namespace picket {

/// Accesses of one thread, in program order. The first took effect later than the program says, while the others
/// happened. A fence between two neighbours, or a stronger order for one of them, can prevent that.
struct DelayPath {
  using CallStack = std::vector<uint32_t>; // pcs: the calls from the outermost on, then the access
  std::vector<CallStack> Accesses;
  /// Fences that order less than full ones (under PSO only stores) can help in front of the accesses up to this one.
  uint32_t LightUpTo = 0;
  bool Controls = false; // POWER: whether some of them happens was decided by what an earlier one read
};

/// A violating execution: if one of its delays is prevented, it is not possible any more.
struct Violation {
  MemoryModel Under = MemoryModel::TSO;
  std::vector<DelayPath> Delays;
  bool Complete = false; // whatever prevents this execution prevents one of the delays
  /// Whether the execution is possible in the program with other changes. Empty: not known. POWER: there many changes
  /// lie between accesses that were delayed, and few of them help.
  std::function<bool(const Program &Edited)> StillHappens = {};
  std::vector<DelayPath::CallStack> Race = {}; // a data race: its two accesses. It is none if both are atomic
};

/// How much of an execution a repair looks at.
enum class Thoroughness : uint8_t {
  Cycle, // what lies on the cycle that makes the execution impossible under SC
  All    // every delay, so that nothing that could prevent the execution is missed
};

/// The delays of a counterexample as it was recorded. Empty if nothing was delayed.
Violation delaysOf(const Counterexample &C, MemoryModel Under, Thoroughness How);

} // namespace picket
