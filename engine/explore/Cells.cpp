#include "explore/Cells.h"

#include <algorithm>

namespace picket {

Cells::Cells(CommonCells &Common) {
  std::lock_guard<std::mutex> Guard(Common.Lock);
  *this = Common.All;
  Changed = false;
  this->Common = &Common;
}

CellId Cells::add(Address Where, uint32_t Size) {
  auto New = static_cast<CellId>(Table.size());
  Table.push_back({Where, Size});
  std::vector<CellId> &Bytes = ByByte[slotOf(Where)];
  std::fill_n(Bytes.begin() + offsetOf(Where), Size, New);
  return New;
}

void Cells::split(CellId Id, Address At) {
  Cell Whole = Table[Id];
  if (At <= Whole.Where || At >= Whole.Where + Whole.Size)
    return;
  Changed = true;
  Table[Id].Size = static_cast<uint32_t>(At - Whole.Where);
  add(At, static_cast<uint32_t>(Whole.Where + Whole.Size - At));
  if (++Splits[slotOf(At)] == MaxSplits)
    splitAll(slotOf(At));
}

/// An object accessed in so many ways gets a cell per byte: restarting for each of them would take for ever.
void Cells::splitAll(uint32_t Slot) {
  std::vector<CellId> &Bytes = ByByte[Slot];
  for (uint32_t Offset = 0; Offset < Bytes.size(); ++Offset)
    if (CellId Here = Bytes[Offset]; Here == None || Table[Here].Size > 1) {
      if (Here != None && Table[Here].Where == addressAt(Slot, Offset))
        Table[Here].Size = 1;
      else
        add(addressAt(Slot, Offset), 1);
    }
}

std::vector<CellId> &Cells::bytesOf(uint32_t Slot, uint32_t ObjectSize) {
  if (Slot >= ByByte.size()) {
    ByByte.resize(Slot + 1);
    Splits.resize(Slot + 1);
  }
  if (ByByte[Slot].size() < ObjectSize)
    ByByte[Slot].resize(ObjectSize, None);
  return ByByte[Slot];
}

/// Finds the cells in the table that all workers share, and learns of those that others have found.
void Cells::findInCommon(Address Where, uint32_t Size, uint32_t ObjectSize, std::vector<CellId> &Result) {
  std::lock_guard<std::mutex> Guard(Common->Lock);
  Cells &All = Common->All;
  All.find(Where, Size, ObjectSize, Result);
  Changed |= All.Changed;
  for (CellId New = size(); New < All.size(); ++New) {
    const Cell &C = All.Table[New];
    std::vector<CellId> &Bytes = bytesOf(slotOf(C.Where), static_cast<uint32_t>(All.ByByte[slotOf(C.Where)].size()));
    std::fill_n(Bytes.begin() + offsetOf(C.Where), C.Size, New);
    Table.push_back(C);
  }
}

void Cells::find(Address Where, uint32_t Size, uint32_t ObjectSize, std::vector<CellId> &Result) {
  uint32_t Slot = slotOf(Where), Offset = offsetOf(Where);
  bytesOf(Slot, ObjectSize);
  if (Size == 0)
    return;
  CellId First = ByByte[Slot][Offset];
  if (First != None && Table[First].Where == Where && Table[First].Size == Size) {
    Result.push_back(First);
    return;
  }
  if (Common)
    return findInCommon(Where, Size, ObjectSize, Result);
  if (First != None)
    split(First, Where);
  if (CellId Last = ByByte[Slot][Offset + Size - 1]; Last != None)
    split(Last, Where + Size);
  for (uint32_t K = 0; K < Size;) {
    CellId Here = ByByte[Slot][Offset + K];
    if (Here == None) {
      uint32_t Free = 1;
      while (K + Free < Size && ByByte[Slot][Offset + K + Free] == None)
        ++Free;
      Here = add(Where + K, Free);
    }
    Result.push_back(Here);
    K += Table[Here].Size;
  }
}

void Cells::findAll(uint32_t Slot, std::vector<CellId> &Result) const {
  if (Slot >= ByByte.size())
    return;
  CellId Last = None;
  for (CellId Cell : ByByte[Slot]) {
    if (Cell != None && Cell != Last)
      Result.push_back(Cell);
    Last = Cell;
  }
}

} // namespace picket
