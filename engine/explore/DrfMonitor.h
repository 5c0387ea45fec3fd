// A monitor of data-race freedom in the sense of the DRF theorem (Lahav, Vafeiadis, Kang, Hur, Dreyer: "Repairing
// Sequential Consistency in C/C++11", theorem 4): if in every execution under SC any two conflicting accesses are ordered
// by happens-before, or both seq_cst, then the program has no other executions under C11. It has none under a
// processor's model then either, since compilers keep what C11 promises. It rides on executions under SC.
//
// Happens-before is that of RC11 without what fences add to it. With less of it, more programs count as racy, for
// which others answer: nothing wrong comes of that.
#pragma once

#include "explore/ExecutionParts.h"

#include <atomic>

namespace picket {

/// What the monitors of all workers of an exploration have found.
class RaceFreedom {
public:
  bool isKept() const { return !Broken.load(std::memory_order_relaxed); }
  void breakIt() { Broken.store(true, std::memory_order_relaxed); }

private:
  std::atomic<bool> Broken = false;
};

class DrfMonitor : ExecutionParts {
public:
  DrfMonitor(RaceFreedom &Found, const ExecutionParts &Parts) : ExecutionParts(Parts), Found(Found) {}

  /// To be called when clocks have become longer.
  void makeRoom();
  /// What came before the first event is not taken back.
  void started() { Changes.clear(); }
  /// The event to come begins.
  void begin();
  /// Its kind is known.
  void step(OperationKind Kind) {
    if (Kind == OperationKind::Atomic) // C11 does not know such sections
      Found.breakIt();
  }
  /// It accesses cells, which have been found, and lie in its access.
  void access(const MemoryAccess &A);
  /// What happens along with a step.
  void follow(const StepNote &N);
  /// Takes back what the last event, and what happened along with it, has left.
  void remove();

  size_t bytes() const;

private:
  // A row has an entry per process: a clock, or the Index of the last event that accessed a cell in some way.
  enum RowOfCell : uint32_t {
    Released,     // what has been released to those that acquire by reading it
    Accessed,     // in any way
    Written,      // in any way
    AccessedElse, // other than seq_cst
    WrittenElse,
    NumRows
  };
  static constexpr uint32_t OfProcess = ~0u; // instead of a RowOfCell

  struct Change {
    uint32_t Id, Row; // a cell and its row, or a process and OfProcess
    uint32_t Process, Old;
  };

  void makeRoomForProcess(ProcessId P) {
    if (const size_t Size = (static_cast<size_t>(P) + 1) * Stride; OfProcesses.size() < Size)
      OfProcesses.resize(Size);
  }
  void makeRoomForCell(CellId Cell) {
    if (const size_t Size = (static_cast<size_t>(Cell) + 1) * NumRows * Stride; OfCells.size() < Size)
      OfCells.resize(Size);
  }
  uint32_t *row(uint32_t Id, uint32_t Row) {
    return Row == OfProcess ? &OfProcesses[static_cast<size_t>(Id) * Stride]
                            : &OfCells[(static_cast<size_t>(Id) * NumRows + Row) * Stride];
  }
  void set(uint32_t Id, uint32_t Row, ProcessId P, uint32_t New) {
    uint32_t &Entry = row(Id, Row)[P];
    if (Entry == New)
      return;
    Changes.push_back({Id, Row, P, Entry});
    Entry = New;
  }
  void join(uint32_t Id, uint32_t Row, const uint32_t *From);
  void assign(uint32_t Id, uint32_t Row, const uint32_t *From);

  Order orderOf(const MemoryAccess &A) const;
  bool isOrdered(ProcessId P, const uint32_t *Before);
  void access(CellId Cell, const MemoryAccess &A, Order Mode, bool IsSeqCst);

  RaceFreedom &Found;
  uint32_t Stride = 0;
  std::vector<uint32_t> OfProcesses; // per process: what happens before its next event
  std::vector<uint32_t> OfCells;
  PodArray<Change> Changes;
  std::vector<size_t> ChangesBefore; // per event
};

} // namespace picket
