// The division of memory into cells: the coarsest pieces such that every access covers whole cells. Programs that
// access each variable with one size get one cell per variable. A cell is split when an access covers only part of it;
// what was explored with the coarser division must then be explored anew. Cells outlive explorations. Where several
// explorers work side by side, each has a copy of what it knows of the cells they have in common.
#pragma once

#include "explore/Footprint.h"

#include <mutex>
#include <vector>

namespace picket {

struct CommonCells;

class Cells {
public:
  Cells() = default;
  /// A copy of what is common.
  explicit Cells(CommonCells &Common);

  /// The cells of [Where, Where + Size), appended to Result. ObjectSize bounds the table of the object.
  void find(Address Where, uint32_t Size, uint32_t ObjectSize, std::vector<CellId> &Result);

  /// The cell that is [Where, Where + Size), or 0 if there is none yet.
  CellId exactly(Address Where, uint32_t Size) const {
    uint32_t Slot = slotOf(Where), Offset = offsetOf(Where);
    if (Slot >= ByByte.size() || Offset >= ByByte[Slot].size())
      return None;
    CellId Here = ByByte[Slot][Offset];
    return Table[Here].Where == Where && Table[Here].Size == Size ? Here : None;
  }

  /// All cells of an object that any access has named so far.
  void findAll(uint32_t Slot, std::vector<CellId> &Result) const;

  Address addressOf(CellId Cell) const { return Table[Cell].Where; }
  uint32_t sizeOf(CellId Cell) const { return Table[Cell].Size; }
  uint32_t size() const { return static_cast<uint32_t>(Table.size()); }

  /// A cell was split since the last call.
  bool takeChanged() {
    bool Was = Changed;
    Changed = false;
    return Was;
  }
  bool changed() const { return Changed; }
  void markChanged() { Changed = true; }

private:
  void findInCommon(Address Where, uint32_t Size, uint32_t ObjectSize, std::vector<CellId> &Result);
  std::vector<CellId> &bytesOf(uint32_t Slot, uint32_t ObjectSize);

  static constexpr CellId None = 0;
  struct Cell {
    Address Where = 0;
    uint32_t Size = 0;
  };
  CellId add(Address Where, uint32_t Size);
  void split(CellId Cell, Address At);
  void splitAll(uint32_t Slot);
  static Address addressAt(uint32_t Slot, uint32_t Offset) { return picket::addressOf(Slot, Offset); }

  std::vector<Cell> Table = std::vector<Cell>(1);
  std::vector<std::vector<CellId>> ByByte; // per slot, per byte: its cell or None
  std::vector<uint32_t> Splits;            // per slot
  static constexpr uint32_t MaxSplits = 32;
  bool Changed = false;
  CommonCells *Common = nullptr;
};

struct CommonCells {
  std::mutex Lock;
  Cells All;
};

} // namespace picket
