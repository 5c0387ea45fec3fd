// Reads of memory that nothing has written, by instructions of the user's text: bugs, or notes where they are not looked
// for.
#pragma once

#include "machine/BugLog.h"
#include "machine/Thread.h"

namespace picket {

class ThreadPoints;

/// An instruction that read what nothing had written, or only a part of which something had.
struct UnwrittenRead {
  uint32_t Pc;
  bool Partly;
};

class UnwrittenReads {
public:
  UnwrittenReads(const Program &Prog, const RunEffects &Effects, BugLog &Bugs, ThreadPoints &Points)
      : Prog(Prog), Effects(Effects), Bugs(Bugs), Points(Points) {}

  /// All so far: they are not taken back.
  const std::vector<UnwrittenRead> &all() const { return Reads; }
  /// Whether an instruction of the user's text that reads there reads what nothing has written.
  bool isUnwritten(uint32_t Pc, const Object &O, Address Where, uint32_t Size) const;
  /// Notes that the instruction at which T stands reads from an object, which may have unwritten bytes. Where that is a
  /// bug, and this read is one, T ends with it: true.
  bool note(Thread &T, const Object &O, Address Where, uint32_t Size);

private:
  const Program &Prog;
  const RunEffects &Effects;
  BugLog &Bugs;
  ThreadPoints &Points;
  std::vector<UnwrittenRead> Reads;
};

} // namespace picket
