#include "machine/UnwrittenReads.h"

#include "machine/Messages.h"
#include "machine/ThreadPoints.h"

#include <algorithm>

namespace picket {

bool UnwrittenReads::isUnwritten(uint32_t Pc, const Object &O, Address Where, uint32_t Size) const {
  return O.Unwritten && Prog.Code[Pc].Flags & InText && Prog.Code[Pc].Op != Opcode::CallBuiltin &&
         Memory::countWritten(O, offsetOf(Where), Size) < Size;
}

bool UnwrittenReads::note(Thread &T, const Object &O, Address Where, uint32_t Size) {
  const uint32_t Pc = T.Now->Pc;
  if (Effects.Probing || !isUnwritten(Pc, O, Where, Size))
    return false;
  if (Bugs.checks(BugKind::Uninitialised)) {
    Points.leave(T);
    Bugs.add(BugKind::Uninitialised, T.Id, Pc, describeUnwritten(Prog, O, Where, Size));
    T.State.Operations += T.State.Pending.Kind != OperationKind::None;
    T.fail();
    return true;
  }
  const uint32_t Written = Memory::countWritten(O, offsetOf(Where), Size);
  const bool Known = std::any_of(Reads.begin(), Reads.end(), [&](const UnwrittenRead &Read) { return Read.Pc == Pc; });
  if (!Known)
    Reads.push_back({Pc, Written > 0});
  return false;
}

} // namespace picket
