// The events of an execution as a model that is given as text sees them, with the sets and relations that it begins with.
// Reads, writes and fences of the threads, a write of the initial value of each location, and an event for each start and
// join of a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace picket::cat {

/// Whose instructions the events are: which sets there are, and what their names mean.
enum class Architecture : uint8_t { X86, PPC, AArch64, C11 };

/// A set or a relation of events, as bits: the rows of a relation one after the other.
class Bits {
public:
  Bits() = default;
  /// With nothing in it. Bits of the former size are used again.
  void reset(uint32_t Events, bool IsRelation) {
    Count = Events;
    Words = (Events + 63) / 64;
    Data.assign(IsRelation ? static_cast<size_t>(Words) * Events : Words, 0);
  }
  uint64_t *row(uint32_t E) { return Data.data() + static_cast<size_t>(E) * Words; }
  const uint64_t *row(uint32_t E) const { return Data.data() + static_cast<size_t>(E) * Words; }
  void add(uint32_t E) { Data[E / 64] |= 1ull << E % 64; }
  bool has(uint32_t E) const { return Data[E / 64] >> E % 64 & 1; }
  void add(uint32_t From, uint32_t To) { row(From)[To / 64] |= 1ull << To % 64; }
  bool has(uint32_t From, uint32_t To) const { return row(From)[To / 64] >> To % 64 & 1; }
  bool operator==(const Bits &) const = default;

  uint32_t Count = 0, Words = 0; // events; words of a row
  std::vector<uint64_t> Data;
};

/// What every execution has. The sets of one architecture only follow behind Sets.
enum class BaseName : uint8_t {
  // Relations.
  Po,
  Loc,
  Int,
  Ext,
  Id,
  Addr,
  Data,
  Ctrl,
  PickAddr,
  PickData,
  PickCtrl,
  Compared,
  Amo,
  Lxsx,
  Rf,
  Co,
  Fr,
  // Sets.
  R,
  W,
  M,
  F,
  IW,
  FW,
  X,
  EX,
  Cas,
  Swp,
  NoRet,
  Acquire,
  AcquirePC,
  Release,
  Relaxed,
  AcqRel,
  SeqCst,
  Atomic,
  FullFence,
  LightFence,
  StoreFence,
  LoadFence,
  FullDsb,
  StoreDsb,
  LoadDsb,
  InstructionFence,
  Count
};
constexpr size_t NumBases = static_cast<size_t>(BaseName::Count);

/// What a name means from the start. Nothing: no set or relation is called that.
std::optional<BaseName> baseNamed(std::string_view Name, Architecture A);
/// All such names, for suggestions.
std::vector<std::string_view> baseNames(Architecture A);
bool isRelation(BaseName Base);

/// The sets and relations of one execution.
struct EventTable {
  uint32_t Count = 0;
  Bits Of[NumBases];

  void reset(uint32_t Events);
  Bits &operator[](BaseName Base) { return Of[static_cast<size_t>(Base)]; }
  const Bits &operator[](BaseName Base) const { return Of[static_cast<size_t>(Base)]; }
};

} // namespace picket::cat
