// Where accesses that overlap cut memory. An access of which another one touches a part is split there, so that places
// never overlap. Where memory is cut is learned: exploration starts over when something turns out to overlap.
#pragma once

#include "machine/Memory.h"

#include <algorithm>
#include <map>
#include <set>

namespace picket {

/// Bytes of an access: offset from its start, and how many.
using AccessParts = std::vector<std::pair<uint32_t, uint32_t>>;

class Partition {
public:
  /// Cuts the objects of a site in front of an offset. True if that is new.
  bool cut(const Object &O, Address Where) { return Cuts[keyOf(O, Where)].insert(offsetOf(Where)).second; }
  /// The same for the accesses of an instruction whose addresses are not known when they are fetched.
  bool cutCode(uint32_t Pc, uint32_t Offset) { return CodeCuts[Pc].insert(Offset).second; }
  /// Accesses of such an instruction are not aligned: they are several.
  bool divideCode(uint32_t Pc, uint32_t Offset) { return CodePieces[Pc].insert(Offset).second; }

  bool empty() const { return Cuts.empty() && CodeCuts.empty(); }
  bool dividesCode() const { return !CodePieces.empty(); }

  /// The parts of an access; empty if it is not split.
  AccessParts partsOf(const Object &O, Address Where, uint32_t Width) const {
    auto Found = Cuts.find(keyOf(O, Where));
    return Found == Cuts.end() ? AccessParts() : between(Found->second, offsetOf(Where), Width);
  }
  AccessParts partsOfCode(uint32_t Pc, uint32_t Width) const {
    auto Found = CodeCuts.find(Pc);
    return Found == CodeCuts.end() ? AccessParts() : between(Found->second, 0, Width);
  }
  /// Of an operation on a synchronisation object: it is not split, and has a state, unless plain accesses touch it too.
  AccessParts partsOfSync(const Object &O, Address Where, uint32_t Width) const {
    auto Found = Cuts.find(keyOf(O, Where));
    if (Found == Cuts.end())
      return {};
    const uint32_t Start = offsetOf(Where);
    if (auto First = Found->second.lower_bound(Start); First == Found->second.end() || *First >= Start + Width)
      return {};
    std::set<uint32_t> All = Found->second;
    for (uint32_t At = (Start + 8) & ~7u; At < Start + Width; At += 8)
      All.insert(At);
    AccessParts Parts = between(All, Start, Width);
    return Parts.empty() ? AccessParts{{0, Width}} : Parts;
  }

  static bool isAligned(Address Where, uint32_t Width) {
    return (Width & (Width - 1)) == 0 && offsetOf(Where) % Width == 0;
  }
  /// The aligned pieces of a plain access.
  static AccessParts pieces(Address Where, uint32_t Width) {
    AccessParts All;
    for (uint32_t At = 0; At < Width;) {
      uint32_t Size = 8;
      while ((offsetOf(Where) + At) % Size != 0 || Size > Width - At)
        Size /= 2;
      All.push_back({At, Size});
      At += Size;
    }
    return All;
  }
  AccessParts piecesOfCode(uint32_t Pc, uint32_t Width) const {
    auto Found = CodePieces.find(Pc);
    AccessParts Parts = Found == CodePieces.end() ? AccessParts() : between(Found->second, 0, Width);
    return Parts.empty() ? AccessParts{{0, Width}} : Parts;
  }

  /// Adds what another explorer of the same program has learned. True if that is more.
  bool add(const Partition &Other) {
    bool More = false;
    auto Join = [&](auto &Mine, const auto &Theirs) {
      for (const auto &[Key, Offsets] : Theirs)
        for (uint32_t Offset : Offsets)
          More |= Mine[Key].insert(Offset).second;
    };
    Join(Cuts, Other.Cuts);
    Join(CodeCuts, Other.CodeCuts);
    Join(CodePieces, Other.CodePieces);
    return More;
  }

private:
  /// Sites mean nothing for constants, whose slots are the same in all runs.
  static uint64_t keyOf(const Object &O, Address Where) {
    const bool HasSite = O.Kind != ObjectKind::Constant && O.Kind != ObjectKind::Hidden;
    return HasSite ? O.Site : 1ull << 32 | slotOf(Where);
  }
  static AccessParts between(const std::set<uint32_t> &Offsets, uint32_t Start, uint32_t Width) {
    AccessParts Parts;
    uint32_t From = Start;
    for (auto At = Offsets.upper_bound(Start); At != Offsets.end() && *At < Start + Width; ++At) {
      Parts.push_back({From - Start, *At - From});
      From = *At;
    }
    if (!Parts.empty())
      Parts.push_back({From - Start, Start + Width - From});
    return Parts;
  }

  std::map<uint64_t, std::set<uint32_t>> Cuts; // by object: offsets
  std::map<uint32_t, std::set<uint32_t>> CodeCuts, CodePieces; // by pc: offsets from the start of the access
};

} // namespace picket
