// What has been learned about memory that can end, by allocation site, and about accesses that overlap. It outlives an
// exploration that starts over; what ends, is moved or is split in an execution depends on it.
#pragma once

#include "memory/Partition.h"

namespace picket {

struct EndingMemory {
  std::map<uint32_t, std::set<std::pair<uint32_t, uint32_t>>> Accessed; // offsets and sizes
  std::set<uint32_t> Ended;
  Partition Cut;
  bool Changed = false; // something that ended turned out to have more to it, or something is cut that was not

  /// Adds what another explorer of the same program has learned.
  void add(const EndingMemory &Other) {
    Changed |= Other.Changed;
    Changed |= Cut.add(Other.Cut);
    Ended.insert(Other.Ended.begin(), Other.Ended.end());
    for (const auto &[Site, Theirs] : Other.Accessed) {
      auto &Mine = Accessed[Site];
      Changed |= Ended.contains(Site) && Mine != Theirs;
      Mine.insert(Theirs.begin(), Theirs.end());
    }
  }

  /// What is accessed in objects of a site, cut where accesses overlap.
  std::set<std::pair<uint32_t, uint32_t>> partsOf(uint32_t Site) const {
    auto Found = Accessed.find(Site);
    if (Found == Accessed.end())
      return {};
    if (Cut.empty())
      return Found->second;
    std::set<std::pair<uint32_t, uint32_t>> All;
    for (auto [Offset, Width] : Found->second) {
      AccessParts Parts = Cut.partsAt(Site, Offset, Width);
      if (Parts.empty())
        Parts = {{0, Width}};
      for (auto [From, Size] : Parts)
        All.insert({Offset + From, Size});
    }
    return All;
  }
};

} // namespace picket
