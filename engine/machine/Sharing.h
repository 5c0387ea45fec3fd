// Which memory can be seen by more than one thread. Accesses of all other memory are not events.
//
// What is shared is learned by looking: memory counts as private until an execution shows a second thread touching it (or
// writing what several read). Then the allocation site is marked as shared and exploration starts over. This is sound: as
// long as no explored execution breaks the assumption, the accesses concerned cannot race, and if some execution
// breaks it, the shortest prefix that does is an execution under the assumption, so exploration comes upon it.
#pragma once

#include <cstdint>
#include <vector>

namespace picket {

class Sharing {
public:
  /// Sites 0..NumSites-1 are allocation sites, the rest are the globals.
  Sharing(uint32_t NumSites, uint32_t NumGlobals) : Sites(NumSites + NumGlobals), NumAllocationSites(NumSites) {}

  uint32_t siteOfGlobal(uint32_t Global) const { return NumAllocationSites + Global; }

  bool isShared(uint32_t Site) const { return Sites[Site].State == Shared; }

  /// Notes an access of an object that only `Owner` may touch while its site is private. True if it is now shared.
  bool noteOwned(uint32_t Site, uint32_t Owner, uint32_t Thread) {
    if (Sites[Site].State == Shared)
      return true;
    if (Owner == Thread)
      return false;
    return share(Site);
  }

  /// Notes an access of a global, which no thread owns from the start. True if it is now shared.
  bool noteGlobal(uint32_t Site, uint32_t Thread, bool Write) {
    Info &I = Sites[Site];
    switch (I.State) {
    case Untouched:
      I.State = Write ? WrittenByOne : ReadByOne;
      I.Thread = Thread;
      return false;
    case ReadByOne:
      if (Write && I.Thread != Thread)
        return share(Site);
      if (Write)
        I.State = WrittenByOne;
      else if (I.Thread != Thread)
        I.State = ReadByMany;
      return false;
    case ReadByMany:
      return Write ? share(Site) : false;
    case WrittenByOne:
      return I.Thread != Thread ? share(Site) : false;
    case Shared:
      return true;
    }
    return true;
  }

  /// Marks a site whose accesses must be events from the start (locks, spin loops).
  void markShared(uint32_t Site) {
    if (Sites[Site].State != Shared)
      share(Site);
  }

  /// Who writes a shared site: lets a loop be told apart that nobody else can keep going.
  void noteWriter(uint32_t Site, uint32_t Thread) {
    Info &I = Sites[Site];
    if (I.Writer == NoWriter)
      I.Writer = Thread;
    else if (I.Writer != Thread)
      I.Writer = ManyWriters;
  }
  bool writtenByAnother(uint32_t Site, uint32_t Thread) const {
    return Sites[Site].Writer != NoWriter && Sites[Site].Writer != Thread;
  }

  /// Something became shared since the last call: what was explored so far must be explored anew.
  bool takeChanged() {
    bool Was = Changed;
    Changed = false;
    return Was;
  }
  bool changed() const { return Changed; }

private:
  enum StateKind : uint8_t { Untouched, ReadByOne, ReadByMany, WrittenByOne, Shared };
  static constexpr uint32_t NoWriter = ~0u, ManyWriters = ~0u - 1;
  struct Info {
    StateKind State = Untouched;
    uint32_t Thread = 0;
    uint32_t Writer = NoWriter;
  };

  bool share(uint32_t Site) {
    Sites[Site].State = Shared;
    Changed = true;
    return true;
  }

  std::vector<Info> Sites;
  uint32_t NumAllocationSites;
  bool Changed = false;
};

} // namespace picket
