// Where accesses that overlap cut memory. An access of which another one touches a part is split there, so that locations
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
  bool cut(const Object &O, Address Where) {
    std::set<uint32_t> &Mine = Cuts[keyOf(O, Where)];
    if (!Mine.insert(offsetOf(Where)).second)
      return false;
    for (bool Forward : {true, false})
      continueRow(Mine, offsetOf(Where), O.Size, Forward);
    return true;
  }
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
    if (Found == CodeCuts.end())
      return {};
    return Width > 8 ? betweenWords(Found->second, 0, Width) : between(Found->second, 0, Width);
  }
  /// Of an operation on a synchronisation object, or an access of 16 bytes: it is not split, and has a state, unless
  /// others touch a part of it. Then none of its parts has more than 8 bytes.
  AccessParts partsOfState(const Object &O, Address Where, uint32_t Width) const {
    return partsOfState(keyOf(O, Where), offsetOf(Where), Width);
  }
  /// Of an access in an object of a site that can end.
  AccessParts partsAt(uint32_t Site, uint32_t Offset, uint32_t Width) const {
    if (Width > 8)
      return partsOfState(Site, Offset, Width);
    auto Found = Cuts.find(Site);
    return Found == Cuts.end() ? AccessParts() : between(Found->second, Offset, Width);
  }

private:
  AccessParts partsOfState(uint64_t Key, uint32_t Start, uint32_t Width) const {
    auto Found = Cuts.find(Key);
    if (Found == Cuts.end())
      return {};
    return betweenWords(Found->second, Start, Width);
  }
  static AccessParts betweenWords(const std::set<uint32_t> &Offsets, uint32_t Start, uint32_t Width) {
    if (auto First = Offsets.lower_bound(Start); First == Offsets.end() || *First >= Start + Width)
      return {};
    std::set<uint32_t> All = Offsets;
    for (uint32_t At = (Start + 8) & ~7u; At < Start + Width; At += 8)
      All.insert(At);
    AccessParts Parts = between(All, Start, Width);
    return Parts.empty() ? AccessParts{{0, Width}} : Parts;
  }

public:
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
  /// Elements of arrays are mostly accessed alike, and to learn of each one would be a start of its own. So where cuts
  /// are at equal distances, as many again are made. More cuts than needed cost time, but make no difference otherwise.
  static void continueRow(std::set<uint32_t> &Cuts, uint32_t Last, uint32_t End, bool Forward) {
    constexpr unsigned Neighbours = 8, LeastRow = 8;
    const auto Here = Cuts.find(Last);
    auto Other = Here;
    for (unsigned K = 0; K < Neighbours; ++K) {
      if (Forward ? Other == Cuts.begin() : std::next(Other) == Cuts.end())
        return;
      Other = Forward ? std::prev(Other) : std::next(Other);
      const int64_t Step = int64_t(Last) - *Other;
      int64_t Length = 1;
      while (int64_t(Last) >= Length * Step && Cuts.contains(static_cast<uint32_t>(Last - Length * Step)))
        ++Length;
      if (Length < LeastRow)
        continue;
      for (int64_t N = 1; N <= Length; ++N)
        if (const int64_t At = Last + N * Step; At > 0 && At < End)
          Cuts.insert(static_cast<uint32_t>(At));
      return;
    }
  }
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

  std::map<uint64_t, std::set<uint32_t>> Cuts;                 // by object: offsets
  std::map<uint32_t, std::set<uint32_t>> CodeCuts, CodePieces; // by pc: offsets from the start of the access
};

} // namespace picket
