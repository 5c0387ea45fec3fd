#include "explore/DrfMonitor.h"

#include "memory/Orders.h"

namespace picket {

void DrfMonitor::makeRoom() {
  if (Stride == Clocks.stride())
    return;
  const uint32_t Narrow = Stride;
  Stride = Clocks.stride();
  auto Widen = [&](std::vector<uint32_t> &Rows) {
    const size_t Number = Narrow ? Rows.size() / Narrow : 0;
    std::vector<uint32_t> Wide(Number * Stride);
    for (size_t K = 0; K < Number; ++K)
      std::copy_n(&Rows[K * Narrow], Narrow, &Wide[K * Stride]);
    Rows = std::move(Wide);
  };
  Widen(OfProcesses);
  Widen(OfCells);
}

void DrfMonitor::begin() {
  ChangesBefore.resize(Events.length());
  ChangesBefore.push_back(Changes.size());
}

void DrfMonitor::join(uint32_t Id, uint32_t Row, const uint32_t *From) {
  const uint32_t *Into = row(Id, Row);
  for (ProcessId P = 0; P < Stride; ++P)
    if (Into[P] < From[P])
      set(Id, Row, P, From[P]);
}

void DrfMonitor::assign(uint32_t Id, uint32_t Row, const uint32_t *From) {
  for (ProcessId P = 0; P < Stride; ++P)
    set(Id, Row, P, From ? From[P] : 0);
}

Order DrfMonitor::orderOf(const MemoryAccess &A) const {
  switch (Events.next().Kind) {
  case OperationKind::Load:
  case OperationKind::Store:
  case OperationKind::Rmw: return Step.Pending.Ordering;
  case OperationKind::CmpXchg: return A.Write ? Step.Pending.Ordering : Step.Pending.FailureOrdering;
  case OperationKind::Sync: return picket::orderOf(Step.Pending.Sync);
  default: return Order::NotAtomic;
  }
}

/// Whether the events of other processes in a row happen before the next event of P.
bool DrfMonitor::isOrdered(ProcessId P, const uint32_t *Before) {
  const uint32_t *const Seen = row(P, OfProcess);
  for (ProcessId Other = 0; Other < Stride; ++Other)
    if (Before[Other] > Seen[Other])
      return false;
  return true;
}

void DrfMonitor::access(CellId Cell, const MemoryAccess &A, Order Mode, bool IsSeqCst) {
  const Event &Mine = Events.next();
  const ProcessId P = Mine.Process;
  const bool Updates = A.Write && (Mine.Kind == OperationKind::Rmw || Mine.Kind == OperationKind::CmpXchg ||
                                   Mine.Kind == OperationKind::Sync);
  if ((Updates || !A.Write) && acquires(Mode))
    join(P, OfProcess, row(Cell, Released));
  const RowOfCell Conflicting = IsSeqCst ? (A.Write ? AccessedElse : WrittenElse) : (A.Write ? Accessed : Written);
  if (!isOrdered(P, row(Cell, Conflicting)))
    return Found.breakIt();
  set(Cell, Accessed, P, Mine.Index);
  if (!IsSeqCst)
    set(Cell, AccessedElse, P, Mine.Index);
  if (!A.Write)
    return;
  set(Cell, Written, P, Mine.Index);
  if (!IsSeqCst)
    set(Cell, WrittenElse, P, Mine.Index);
  if (Updates && releases(Mode))
    join(Cell, Released, row(P, OfProcess));
  else if (!Updates) // an update is part of the release sequence that it reads from
    assign(Cell, Released, releases(Mode) ? row(P, OfProcess) : nullptr);
}

void DrfMonitor::access(const MemoryAccess &A) {
  if (!Found.isKept())
    return;
  const Event &Mine = Events.next();
  makeRoomForProcess(Mine.Process);
  set(Mine.Process, OfProcess, Mine.Process, Mine.Index);
  if (A.Leaves) // not a write of graphs, which may be fewer then
    return Found.breakIt();
  const Order Mode = orderOf(A);
  // Different sizes are nothing that C11's axioms are about.
  const bool IsWhole = Step.Cells.size() == 1 && AllCells.sizeOf(Step.Cells.front()) == A.Size;
  if (Mode != Order::NotAtomic && Mine.Kind != OperationKind::Sync && !IsWhole)
    return Found.breakIt();
  for (CellId Cell : Step.Cells) {
    makeRoomForCell(Cell);
    access(Cell, A, Mode, Mode == Order::SeqCst);
  }
}

void DrfMonitor::follow(const StepNote &N) {
  if (N.What != StepNote::Created && N.What != StepNote::Joined)
    return;
  const ProcessId A = Config.processOf(N.A), B = Config.processOf(N.B);
  makeRoomForProcess(std::max(A, B));
  if (N.What == StepNote::Created)
    assign(B, OfProcess, row(A, OfProcess));
  else
    join(A, OfProcess, row(B, OfProcess));
}

void DrfMonitor::remove() {
  for (const size_t Before = ChangesBefore[Events.length()]; Changes.size() > Before;) {
    const Change &Last = Changes[Changes.size() - 1];
    row(Last.Id, Last.Row)[Last.Process] = Last.Old;
    Changes.resize(Changes.size() - 1);
  }
}

size_t DrfMonitor::bytes() const {
  return (OfProcesses.capacity() + OfCells.capacity()) * sizeof(uint32_t) + Changes.capacity() * sizeof(Change) +
         ChangesBefore.capacity() * sizeof(size_t);
}

} // namespace picket
