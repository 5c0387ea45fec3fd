// Which memory can be seen by more than one thread. Accesses of all other memory are not events.
//
// What is shared is learned by looking: memory counts as private until an execution shows a second thread touching it (or
// writing what several read). Then the allocation site is marked as shared and exploration starts over. This is sound: as
// long as no explored execution breaks the assumption, the accesses concerned cannot race, and if some execution
// breaks it, the shortest prefix that does is an execution under the assumption, so exploration comes upon it.
#pragma once

#include "program/Program.h"

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

  /// Notes that a thread writes [Where, Where + Size) where others may see it.
  void noteWrite(Address Where, uint32_t Size, uint32_t Thread) {
    std::vector<ByteInfo> &Bytes = bytesOf(slotOf(Where), offsetOf(Where) + Size);
    uint16_t Me = nameOf(Thread);
    for (uint32_t K = offsetOf(Where); K < offsetOf(Where) + Size; ++K) {
      ByteInfo &B = Bytes[K];
      if (B.Writer == Me && Me != Many)
        continue;
      if (B.Writer == None)
        B.Writer = Me;
      else
        B.Writer = Many;
      if (B.QuietReader != None && (B.Writer == Many || B.QuietReader != Me)) {
        Changed = true; // a read that was taken for nobody's business was somebody's
        B.QuietReader = None;
      }
    }
  }

  /// Whether another thread has been seen to write there: tells loops apart that nobody else can keep going.
  bool writtenByAnother(Address Where, uint32_t Size, uint32_t Thread) {
    std::vector<ByteInfo> &Bytes = bytesOf(slotOf(Where), offsetOf(Where) + Size);
    for (uint32_t K = offsetOf(Where); K < offsetOf(Where) + Size; ++K)
      if (Bytes[K].Writer != None && Bytes[K].Writer != nameOf(Thread))
        return true;
    return false;
  }

  /// Whether a read by a thread can race with nothing, since nobody else has ever been seen to write there. It must then be
  /// done without a step of its own.
  bool readsOnlyOwn(Address Where, uint32_t Size, uint32_t Thread) {
    std::vector<ByteInfo> &Bytes = bytesOf(slotOf(Where), offsetOf(Where) + Size);
    uint16_t Me = nameOf(Thread);
    if (Me == Many)
      return false;
    for (uint32_t K = offsetOf(Where); K < offsetOf(Where) + Size; ++K)
      if (Bytes[K].Writer != None && Bytes[K].Writer != Me)
        return false;
    for (uint32_t K = offsetOf(Where); K < offsetOf(Where) + Size; ++K) {
      uint16_t &Reader = Bytes[K].QuietReader;
      Reader = Reader == None || Reader == Me ? Me : Many;
    }
    return true;
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
  static constexpr uint16_t None = 0, Many = 0xffff; // else a thread + 1
  static uint16_t nameOf(uint32_t Thread) { return static_cast<uint16_t>(Thread < Many - 1u ? Thread + 1 : Many); }
  struct ByteInfo {
    uint16_t Writer = None, QuietReader = None;
  };
  std::vector<ByteInfo> &bytesOf(uint32_t Slot, uint32_t Size) {
    if (Slot >= Bytes.size())
      Bytes.resize(Slot + 1);
    if (Bytes[Slot].size() < Size)
      Bytes[Slot].resize(Size);
    return Bytes[Slot];
  }
  struct Info {
    StateKind State = Untouched;
    uint32_t Thread = 0;
  };

  bool share(uint32_t Site) {
    Sites[Site].State = Shared;
    Changed = true;
    return true;
  }

  std::vector<Info> Sites;
  std::vector<std::vector<ByteInfo>> Bytes; // per slot, as far as looked at
  uint32_t NumAllocationSites;
  bool Changed = false;
};

} // namespace picket
