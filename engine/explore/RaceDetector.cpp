#include "explore/RaceDetector.h"

#include <algorithm>
#include <cstring>

namespace picket {

/// Whether a compare-and-swap, which is the event to come, finds what it expects in the execution without event First
/// and all that happens after it. Its cells are those found last.
bool RaceDetector::wouldSwap(uint32_t First, bool DidSwap) const {
  const Operation &Pending = Step.Pending;
  if (Pending.Fails)
    return false;
  const uint64_t Words[] = {Pending.Expected, Pending.Expected2};
  const auto *Expected = reinterpret_cast<const uint8_t *>(Words);
  for (CellId Cell : Step.Cells) {
    const uint8_t *Before = nullptr; // of the earliest write that is taken out
    for (TouchNumber T = History.at(Cell).LastWrite; T; T = History[T].PrevWrite) {
      const uint32_t Writer = History.eventOf(T);
      if (Writer != Events.length() && Writer != First && !happensBefore(First, Writer))
        break;
      Before = History.bytesBefore(T);
    }
    if (!Before && DidSwap)
      continue; // it found what it expects
    if (!Before)
      Before = Config.machine().memory().bytes(AllCells.addressOf(Cell));
    if (std::memcmp(Before, Expected + (AllCells.addressOf(Cell) - Pending.Where), AllCells.sizeOf(Cell)) != 0)
      return false;
  }
  return true;
}

void RaceDetector::read(Event &Mine, CellId Cell, const uint32_t *Seen, bool FindRaces) {
  const uint32_t Own = Events.length();
  const TouchNumber LastWrite = History.at(Cell).LastWrite;
  History.addRead(Own, Cell);
  if (!LastWrite)
    return;
  const uint32_t Writer = History.eventOf(LastWrite);
  uint32_t *const Clock = Clocks.ofEvent(Own);
  auto ComesAfter = [&](uint32_t Other) __attribute__((always_inline)) {
    if (FindRaces)
      add(Other, Step.Pending.Kind == OperationKind::CmpXchg && wouldSwap(Other, false), Seen);
    Clocks.join(Clock, Clocks.ofEvent(Other));
  };
  // A load is not related to updates of its own thread (rule 1).
  if (Events[Writer].Touched.Owner != Mine.Touched.Owner) {
    ComesAfter(Writer);
    if (const TouchNumber Other = History.hasEnds() ? History.alsoLast(LastWrite) : NoTouch)
      ComesAfter(History.eventOf(Other));
  } else if (Mine.Kind == OperationKind::CmpXchg) { // has waited for it, also where it writes nothing
    Clocks.join(Clock, Clocks.ofEvent(Writer));
  } else {
    Mine.ReadsOwnLanded = true;
  }
}

void RaceDetector::write(Event &Mine, CellId Cell, const MemoryAccess &A, const uint32_t *Seen, bool FindRaces) {
  const uint32_t Own = Events.length();
  const CellHistory::CellState Before = History.at(Cell);
  uint32_t *const Clock = Clocks.ofEvent(Own);
  const bool RacesWithReads = !(Step.MayWait && Step.WaitsForSeveral); // else these are known
  History.forEachRead(Before.Reads, [&](uint32_t Reader) {
    if (Events[Reader].Touched.Owner == Mine.Touched.Owner)
      return;
    if (RacesWithReads)
      add(Reader, true, Seen);
    Clocks.join(Clock, Clocks.ofEvent(Reader));
  });
  auto ComesAfter = [&](uint32_t Writer) __attribute__((always_inline)) {
    if (FindRaces)
      add(Writer, Step.Pending.Kind != OperationKind::CmpXchg || wouldSwap(Writer, true), Seen);
    Clocks.join(Clock, Clocks.ofEvent(Writer));
  };
  if (Before.LastWrite) {
    ComesAfter(History.eventOf(Before.LastWrite));
    const bool MayBeTwo = History.hasEnds() && !History.isOwn(Before.LastWrite, Mine.Touched.Owner);
    if (const TouchNumber Other = MayBeTwo ? History.alsoLast(Before.LastWrite) : NoTouch)
      ComesAfter(History.eventOf(Other));
  }
  History.addWrite(Own, Cell, A);
}

/// The end of a local variable is a write that does not wait for the thread's own stores: it is not related to their
/// updates, nor these to it, and what others did before those comes before it as well.
void RaceDetector::writeApart(Event &Mine, CellId Cell, const MemoryAccess &A, const uint32_t *Seen) {
  const uint32_t Own = Events.length();
  const bool Ends = Mine.Kind == OperationKind::End;
  const ThreadId Owner = Mine.Touched.Owner;
  auto RaceWith = [&](uint32_t Other) {
    add(Other, true, Seen);
    Clocks.join(Clocks.ofEvent(Own), Clocks.ofEvent(Other));
  };
  TouchNumber Write = History.at(Cell).LastWrite, Reads = History.at(Cell).Reads;
  for (;;) {
    History.forEachRead(Reads, [&](uint32_t Reader) {
      if (Events[Reader].Touched.Owner != Owner)
        RaceWith(Reader);
    });
    if (!Write)
      break;
    if (!History.isOwn(Write, Owner) || History.isEnd(Write) == Ends) {
      RaceWith(History.eventOf(Write));
      break;
    }
    Reads = History[Write].PrevReads;
    Write = History[Write].PrevWrite;
  }
  History.addWrite(Own, Cell, A);
}

/// Of the races of an event, drops those whose first event happens before that of another: a third event lies between.
void RaceDetector::keepImmediate(const Event &Mine) {
  const uint32_t From = Mine.FirstRace;
  auto Between = [&](const Race &R) {
    for (uint32_t K = From; K < Races.size(); ++K)
      if (Races[K].First != R.First && happensBefore(R.First, Races[K].First))
        return true;
    return false;
  };
  // Decide first, remove afterwards: a dropped race still lies between others.
  Kept.clear();
  for (uint32_t K = From; K < Races.size(); ++K) {
    const bool Twice = std::any_of(Kept.begin(), Kept.end(), [&](const Race &R) { return R.First == Races[K].First; });
    if (!Twice && !Between(Races[K]))
      Kept.push_back(Races[K]);
  }
  assert(!Kept.empty() && "happens-before has no circles");
  Races.resize(From);
  for (const Race &R : Kept)
    Races.push_back(R);
}

bool RaceDetector::findFootprintWithout(const Race &R, uint32_t B, Footprint &Result) const {
  const Event &Load = Events[B];
  if (Load.Kind != OperationKind::Load)
    return false;
  bool Changes = false;
  for (uint32_t K = 0; K < Load.Touched.size(); ++K) {
    const CellHistory::Touch &T = History.touchOf(B, K);
    if (T.How != CellAccess::Read || !T.PrevWrite)
      continue;
    const CellHistory::Touch &W = History[T.PrevWrite];
    const Event &Writer = Events[W.Event];
    const bool Own = Writer.Touched.IsUpdate && Writer.Touched.Owner == Load.Touched.Owner;
    const bool Gone = W.Event != R.Second && isOut(R, W.Event);
    if (!Own || !Gone)
      continue;
    if (!Changes)
      Result = Load.Touched;
    Changes = true;
    Result[K].How = CellAccess::Forwarded;
    Result[K].Entry = W.Entry;
  }
  return Changes;
}

} // namespace picket
