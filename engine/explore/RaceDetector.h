// Race detection: which earlier events an event conflicts with, and so happens after, and which of them it races with,
// as in "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction".
#pragma once

#include "explore/ExecutionParts.h"

#include <vector>

namespace picket {

/// Two events in conflict whose order can be reversed: no third one happens between them.
struct Race {
  uint32_t First, Second; // events
  bool SecondWrites;      // whether the second would write if it came first (a CmpXchg may not)
  enum State : uint8_t {
    New,
    Covered,       // in the executions seen so far, but perhaps not in others: its reversal is checked in every one
    CoveredForGood // no execution with this race needs another branch for its reversal
  } Status = New;
  uint32_t Also = 0; // not 0: the first is one of several that the second cannot happen without (RaceDetector::isOut)
};

/// Everything here is about the event to come: what happens before it is joined into its clock.
class RaceDetector : ExecutionParts {
public:
  explicit RaceDetector(const ExecutionParts &Parts) : ExecutionParts(Parts) {}

  PodArray<Race> &races() { return Races; }
  const PodArray<Race> &races() const { return Races; }

  /// Whether event A happens before event B (or is it).
  bool happensBefore(uint32_t A, uint32_t B) const { return Clocks.ofEvent(B)[Events[A].Process] >= Events[A].Index; }
  /// Whether an event is not in the execution that reverses the race, or is its second.
  bool isOut(const Race &R, uint32_t K) const {
    return K >= R.First && (happensBefore(R.First, K) || (R.Also && isOut(AlsoOut[R.Also - 1], K)));
  }
  /// The footprint of B in the execution that reverses the race: its first event, and all that happens after that but
  /// for its second, are taken out. A load that read its own thread's landed store may find it in the buffer then.
  /// False if the footprint is the same as in this execution.
  bool footprintWithout(const Race &R, uint32_t B, Footprint &Result) const {
    return Events[B].ReadsOwnLanded && findFootprintWithout(R, B, Result);
  }

  // An access of a cell by the event to come. `Seen`: the clock of its process before; `FindRaces`: not if it could
  // have had to wait, since those races are known already.
  void read(Event &Mine, CellId Cell, const uint32_t *Seen, bool FindRaces);
  void write(Event &Mine, CellId Cell, const MemoryAccess &A, const uint32_t *Seen, bool FindRaces);
  void writeApart(Event &Mine, CellId Cell, const MemoryAccess &A, const uint32_t *Seen);

  /// What the pending operation, which can have to wait, races with. `Size`: of what it accesses.
  void findRacesOfWaiting(uint32_t Size, PodArray<Race> &Result);

  /// The number of races before the event to come; of races that take out several events the same.
  void begin(Event &Mine) const {
    Mine.FirstRace = static_cast<uint32_t>(Races.size());
    Mine.FirstAlso = static_cast<uint32_t>(AlsoOut.size());
  }
  /// The races of the event to come are all found.
  void finish(const Event &Mine) {
    if (Races.size() > Mine.FirstRace + 1u && !(Step.MayWait && Step.WaitsForSeveral))
      keepImmediate(Mine);
  }
  void remove(const Event &Last) {
    assert(Last.FirstRace <= Races.size() && Last.FirstAlso <= AlsoOut.size());
    Races.resize(Last.FirstRace);
    if (AlsoOut.size() > Last.FirstAlso)
      AlsoOut.resize(Last.FirstAlso);
  }
  size_t bytes() const { return Races.capacity() * sizeof(Race); }

private:
  void add(uint32_t First, bool SecondWrites, const uint32_t *Seen) {
    const Event &E = Events[First];
    if (E.Touched.Owner != Events.next().Touched.Owner && Seen[E.Process] < E.Index)
      Races.push_back({First, Events.length(), SecondWrites});
  }
  bool wouldSwap(uint32_t First, bool DidSwap) const;
  bool findFootprintWithout(const Race &R, uint32_t B, Footprint &Result) const;
  void keepImmediate(const Event &Mine);

  // Of an operation that can have to wait (WaitingRaces.cpp).
  void findRacesWithWrites(PodArray<Race> &Result);
  void findRacesOfSeveral(uint32_t Size, PodArray<Race> &Result);
  bool isOut(const std::vector<uint32_t> &Out, uint32_t K) const;
  TouchNumber lastWithout(const std::vector<uint32_t> &Out, CellId Cell, ThreadId Own) const;
  void bytesWithout(const std::vector<uint32_t> &Out, uint32_t Size, ThreadId Own, uint8_t *Bytes);

  PodArray<Race> Races, Kept;
  std::vector<std::vector<uint32_t>> AlsoOut; // see Race::Also
};

} // namespace picket
