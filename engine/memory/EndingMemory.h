// What has been learned about memory that can end, by allocation site, and about accesses that overlap. It outlives an
// exploration that starts over; what ends, is moved or is split in an execution depends on it.
#pragma once

#include "memory/Partition.h"

namespace picket {

/// Which threads have been seen to write where, by words of memory. An exploration that relies on that must start over
/// when another thread turns out to write there. If that happens too often, memory is told apart by objects only.
class SeenWriters {
public:
  /// False: somebody relied on there being none but those that are known.
  bool note(Address Where, uint32_t Width, uint32_t Thread) {
    bool AsKnown = true;
    forEachWord(Where, Width, [&](Word &W) { AsKnown &= !W.Threads.insert(Thread).second || !W.IsReliedOn; });
    Refuted += !AsKnown;
    return AsKnown;
  }
  std::set<uint32_t> threadsAt(Address Where, uint32_t Width) {
    std::set<uint32_t> All;
    forEachWord(Where, Width, [&](Word &W) {
      if (!W.IsObject || Refuted > MostRefuted) {
        W.IsReliedOn = true;
        All.insert(W.Threads.begin(), W.Threads.end());
      }
    });
    return All;
  }
  /// Adds what another explorer has seen. True if there is anything new.
  bool add(const SeenWriters &Other) {
    bool Any = false;
    for (const auto &[Where, Theirs] : Other.Words)
      for (uint32_t Thread : Theirs.Threads)
        Any |= Words[Where].Threads.insert(Thread).second;
    return Any;
  }

private:
  struct Word {
    std::set<uint32_t> Threads;
    bool IsObject = false; // the whole of it
    bool IsReliedOn = false;
  };
  static constexpr uint32_t MostRefuted = 32;

  template <typename Visitor> void forEachWord(Address Where, uint32_t Width, Visitor Visit) {
    constexpr uint64_t Object = ~0ull; // no word has this number
    for (uint64_t Number = Where / 8; Number <= (Where + Width - 1) / 8; ++Number)
      Visit(Words[{slotOf(Where), Number}]);
    Word &Whole = Words[{slotOf(Where), Object}];
    Whole.IsObject = true;
    Visit(Whole);
  }

  std::map<std::pair<uint32_t, uint64_t>, Word> Words;
  uint32_t Refuted = 0;
};

struct EndingMemory {
  std::map<uint32_t, std::set<std::pair<uint32_t, uint32_t>>> Accessed; // offsets and sizes
  std::set<uint32_t> Ended;
  Partition Cut;
  bool Sections = false; // the program comes to an atomic section
  SeenWriters Writers;   // if so
  bool Changed = false;  // something that ended turned out to have more to it, or something is cut that was not

  /// Adds what another explorer of the same program has learned.
  void add(const EndingMemory &Other) {
    Changed |= Other.Changed;
    Changed |= Cut.add(Other.Cut);
    Changed |= Sections != Other.Sections;
    Sections |= Other.Sections;
    Changed |= Writers.add(Other.Writers);
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
