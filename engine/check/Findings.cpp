#include "check/Findings.h"

#include "machine/CallStack.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <tuple>

namespace picket {

static bool addNew(std::vector<Bug> &Into, Bug New) {
  if (std::any_of(Into.begin(), Into.end(), [&](const Bug &Known) { return isSame(Known, New); }))
    return false;
  Into.push_back(std::move(New));
  return true;
}

Bug Findings::bugOf(Machine &M, const BugReport &B, SourceLocation Where) const {
  Bug New{B.Kind, B.Message, std::move(Where), M.threadName(B.Thread), nullptr, {}};
  if (B.Other)
    New.Other = {userLocation({B.Other->Pc}), M.threadName(B.Other->Thread), B.Other->Writes, B.Other->IsAtomic,
                 isVolatile(B.Pc) || isVolatile(B.Other->Pc)};
  return New;
}

bool Findings::add(Machine &M, const BugReport &B) { return addNew(Report.Bugs, bugOf(M, B, whereOf(M, B))); }

/// Both of its threads have gone on: where they are now says nothing.
bool Findings::addWarning(Machine &M, const BugReport &Race) {
  return addNew(Report.Warnings, bugOf(M, Race, userLocation({Race.Pc})));
}

void Findings::look(Machine &M, Ending How) {
  if (How == Ending::Cut || How == Ending::Blocked)
    for (ThreadId T = 0; T < M.numThreads(); ++T) {
      if (M.exists(T) && M.status(T) == ThreadStatus::Cut)
        addLoop(M, T);
      if (M.exists(T) && M.status(T) == ThreadStatus::Assumed)
        Assumed = true;
    }
  if (How == Ending::Cut)
    Behind.add(M);
  if (M.unwrittenReads().empty())
    return;
  for (size_t &Seen = ReadsSeen[&M]; Seen < M.unwrittenReads().size(); ++Seen)
    addRead(M.unwrittenReads()[Seen]);
}

void Findings::clear() {
  Report.Bugs.clear();
  Report.Warnings.clear();
  Report.Loops.clear();
  Report.Notes.clear();
  Report.BehindBound.clear();
  ReadsSeen.clear();
  Behind.clear();
  Assumed = false;
}

void Findings::tellBehindBound() {
  for (uint32_t Pc : Behind.refused()) {
    Note New{"paths after the bound " + Behind.describe(Pc) + ", which is not modelled", userLocation({Pc})};
    if (std::none_of(Report.BehindBound.begin(), Report.BehindBound.end(),
                     [&](const Note &Known) { return Known.Message == New.Message; }))
      Report.BehindBound.push_back(std::move(New));
  }
}

bool Findings::isVolatile(uint32_t Pc) const {
  const Instruction &I = Compiled.Code[Pc];
  return (I.Op == Opcode::Load || I.Op == Opcode::Store) && (I.Flags & OfVolatile);
}

/// What is inside a model of the C library is shown where the user's text called it.
SourceLocation Findings::userLocation(std::vector<uint32_t> Stack) const {
  const uint32_t Innermost = Stack.back();
  std::erase(Stack, CallsLeftOut);
  for (size_t K = Stack.size(); K-- > 0;)
    if (const ProgramLocation &L = Compiled.locationOf(Stack[K]); Compiled.isShown(L))
      return locationOf(Compiled, L);
  return locationOf(Compiled, Compiled.locationOf(Innermost));
}

SourceLocation Findings::whereOf(Machine &M, const BugReport &B) const {
  std::vector<uint32_t> Stack = M.callStack(B.Thread);
  if (Stack.empty())
    Stack.push_back(B.Pc);
  Stack.back() = B.Pc;
  return userLocation(std::move(Stack));
}

/// Loops of models, and those the compiler knows no line of, are shown where the thread stands, or where it was created.
void Findings::addLoop(Machine &M, ThreadId Cut) {
  const ProgramLocation &Known = Compiled.Locations[Compiled.Loops[M.loopOfSpin(Cut)].Location];
  SourceLocation Where =
      Known.Line && Compiled.UserFile[Known.File] ? locationOf(Compiled, Known) : userLocation(M.callStack(Cut));
  if (!Where.Line && !M.createdFrom(Cut).empty())
    Where = userLocation(M.createdFrom(Cut));
  for (const CutLoop &L : Report.Loops)
    if (L.Where.File == Where.File && L.Where.Line == Where.Line)
      return;
  Report.Loops.push_back({Where});
}

void Findings::addRead(const Machine::UnwrittenRead &Read) {
  const ProgramLocation &L = Compiled.locationOf(Read.Pc);
  if (!L.Line || !Compiled.UserFile[L.File])
    return;
  Note New{Read.Partly ? "reads memory of which only a part was written before; Picket assumes that the rest is zero"
                       : "reads memory that nothing has written before; Picket assumes that it is zero",
           locationOf(Compiled, L)};
  auto Key = [](const Note &N) { return std::tie(N.Where.File, N.Where.Line, N.Where.Column); };
  auto At = std::lower_bound(Report.Notes.begin(), Report.Notes.end(), New,
                             [&](const Note &A, const Note &B) { return Key(A) < Key(B); });
  if (At == Report.Notes.end() || Key(*At) != Key(New))
    Report.Notes.insert(At, std::move(New));
}

} // namespace picket
