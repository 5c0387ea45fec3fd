// Which memory can be seen by more than one thread. Accesses of all other memory are not events.
//
// What is shared is learned by looking: memory counts as private until an execution shows a second thread touching it
// (or writing what several read). Then the allocation site is marked as shared and exploration starts over. This is
// sound: as long as no explored execution breaks the assumption, the accesses concerned cannot race, and if some
// execution breaks it, the shortest prefix that does is an execution under the assumption, so exploration comes upon
// it.
#pragma once

#include "program/Program.h"

#include <algorithm>
#include <cstdint>
#include <span>
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
  bool noteGlobal(uint32_t Site, Address Where, uint32_t Size, uint32_t Thread, bool Write) {
    Info &I = Sites[Site];
    if (I.State == Shared)
      return true;
    const bool Another = I.State != Untouched && I.Thread != Thread;
    if (I.State == WrittenByOne ? Another : Write && (Another || I.State == ReadByMany))
      return shareGlobal(Site);
    if (Write || I.State != WrittenByOne) {
      I.State = Write ? WrittenByOne : Another || I.State == ReadByMany ? ReadByMany : ReadByOne;
      I.Thread = Thread;
      I.Where = Where;
      I.Size = Size;
    }
    return false;
  }

  /// Marks a site whose accesses must be events from the start (locks, spin loops).
  void markShared(uint32_t Site) {
    if (Sites[Site].State != Shared)
      share(Site);
  }

  /// Notes that a thread writes [Where, Where + Size) where others may see it.
  void noteWrite(Address Where, uint32_t Size, uint32_t Thread) {
    const Who Name = nameOf(Thread);
    for (ByteInfo &B : bytesOf(Where, Size)) {
      if ((B.Writer == Name || B.Writer == Several) && B.QuietReader == Nobody && B.QuietWriter == Nobody)
        continue; // nearly always
      learn(B.Writer, Thread);
      refute(slotOf(Where), B.QuietReader, B.Writer, Thread);
      refute(slotOf(Where), B.QuietWriter, B.Writer, Thread);
    }
  }
  void noteRead(Address Where, uint32_t Size, uint32_t Thread) {
    for (ByteInfo &B : bytesOf(Where, Size)) {
      learn(B.Reader, Thread);
      refute(slotOf(Where), B.QuietWriter, B.Reader, Thread);
    }
  }

  /// Whether another thread has been seen to write there: tells loops apart that nobody else can keep going.
  bool writtenByAnother(Address Where, uint32_t Size, uint32_t Thread) {
    for (const ByteInfo &B : bytesOf(Where, Size))
      if (!onlyBy(B.Writer, Thread))
        return true;
    return false;
  }

  /// Whether a read by a thread can race with nothing, since nobody else has ever been seen to write there. The read
  /// must then be done without a step of its own.
  bool readsOnlyOwn(Address Where, uint32_t Size, uint32_t Thread) {
    if (!mayBeQuiet(slotOf(Where)) || writtenByAnother(Where, Size, Thread))
      return false;
    for (ByteInfo &B : bytesOf(Where, Size))
      add(B.QuietReader, Thread);
    return true;
  }
  /// The same for a write where nobody else has been seen at all.
  bool writesOnlyOwn(Address Where, uint32_t Size, uint32_t Thread) {
    if (!mayBeQuiet(slotOf(Where)))
      return false;
    for (const ByteInfo &B : bytesOf(Where, Size))
      if (B.Buffered || !onlyBy(B.Writer, Thread) || !onlyBy(B.Reader, Thread))
        return false;
    for (ByteInfo &B : bytesOf(Where, Size))
      add(B.QuietWriter, Thread);
    return true;
  }

  /// Notes that a write waits in a buffer: one of more bytes than others have been seen at. What is written to its
  /// bytes after it, if only by its own thread, must not reach memory first.
  void noteBuffered(Address Where, uint32_t Size) {
    for (ByteInfo &B : bytesOf(Where, Size)) {
      Version += !B.Buffered;
      B.Buffered = true;
      refute(slotOf(Where), B.QuietWriter, Several, 0);
    }
  }

  /// Something became shared since the last call: what was explored so far must be explored anew, and which of its
  /// accesses were quiet matters no more.
  bool takeChanged() {
    if (!Changed)
      return false;
    Changed = false;
    for (std::vector<ByteInfo> &Object : Bytes)
      for (ByteInfo &B : Object)
        B.QuietReader = B.QuietWriter = Nobody;
    return true;
  }
  bool changed() const { return Changed; }
  /// Counts what was learned. As long as it is the same, so are all answers, but for those that come with changed().
  uint64_t version() const { return Version; }

  /// Adds what another explorer of the same program has seen. What the two took for a thread's own must still be.
  void add(const Sharing &Other) {
    Changed |= Other.Changed;
    for (uint32_t Site = 0; Site < Sites.size(); ++Site)
      addSite(Site, Other.Sites[Site]);
    for (uint32_t Slot = 0; Slot < Other.Bytes.size(); ++Slot) {
      const std::vector<ByteInfo> &Theirs = Other.Bytes[Slot];
      makeBytes(Slot, static_cast<uint32_t>(Theirs.size()));
      for (uint32_t K = 0; K < Theirs.size(); ++K) {
        ByteInfo &Mine = Bytes[Slot][K];
        Mine.Writer = either(Mine.Writer, Theirs[K].Writer);
        Mine.Reader = either(Mine.Reader, Theirs[K].Reader);
        Mine.QuietReader = either(Mine.QuietReader, Theirs[K].QuietReader);
        Mine.QuietWriter = either(Mine.QuietWriter, Theirs[K].QuietWriter);
        Mine.Buffered |= Theirs[K].Buffered;
        Changed |= twoOf(Mine.QuietReader, Mine.Writer) || twoOf(Mine.QuietWriter, Mine.Writer) ||
                   twoOf(Mine.QuietWriter, Mine.Reader) || (Mine.Buffered && Mine.QuietWriter != Nobody);
      }
    }
    Refuted.resize(std::max(Refuted.size(), Other.Refuted.size()));
    for (size_t Slot = 0; Slot < Other.Refuted.size(); ++Slot)
      Refuted[Slot] = std::max(Refuted[Slot], Other.Refuted[Slot]);
  }

private:
  enum StateKind : uint8_t { Untouched, ReadByOne, ReadByMany, WrittenByOne, Shared };
  // Sets of threads, as far as they matter: nobody, a thread (+ 1), or several.
  using Who = uint16_t;
  static constexpr Who Nobody = 0, Several = 0xffff;
  struct ByteInfo {
    Who Writer = Nobody, Reader = Nobody;
    Who QuietReader = Nobody, QuietWriter = Nobody; // whose accesses took no step
    bool Buffered = false;
  };
  static Who nameOf(uint32_t Thread) { return static_cast<Who>(Thread < Several - 1u ? Thread + 1 : Several); }
  static bool onlyBy(Who Set, uint32_t Thread) { return Set == Nobody || (Set == nameOf(Thread) && Set != Several); }
  static Who either(Who A, Who B) { return A == Nobody || A == B ? B : B == Nobody ? A : Several; }
  /// Whether a thread of one set is not the only one of the other.
  static bool twoOf(Who A, Who B) { return A != Nobody && B != Nobody && (A != B || A == Several); }
  static void add(Who &Set, uint32_t Thread) { Set = onlyBy(Set, Thread) ? nameOf(Thread) : Several; }
  /// The same for sets that others go by.
  void learn(Who &Set, uint32_t Thread) {
    const Who Before = Set;
    add(Set, Thread);
    Version += Set != Before;
  }
  /// Another thread accesses what was taken for a thread's own: exploration must start over.
  void refute(uint32_t Slot, Who &Quiet, Who Others, uint32_t Thread) {
    if (Quiet == Nobody || (onlyBy(Quiet, Thread) && onlyBy(Others, Thread)))
      return;
    Changed = true;
    Quiet = Nobody;
    if (Slot >= Refuted.size())
      Refuted.resize(Slot + 1);
    ++Version;
    if (++Refuted[Slot] == MaxRefuted)
      for (ByteInfo &B : Bytes[Slot]) // from now on no access of it is quiet
        B.QuietReader = B.QuietWriter = Nobody;
  }
  /// Where this happens for many bytes of an object it happens for many more: starting over for each byte of an array would take for ever.
  bool mayBeQuiet(uint32_t Slot) const { return Slot >= Refuted.size() || Refuted[Slot] < MaxRefuted; }
  static constexpr uint32_t MaxRefuted = 32; // bytes
  std::span<ByteInfo> bytesOf(Address Where, uint32_t Size) {
    uint32_t Slot = slotOf(Where), End = offsetOf(Where) + Size;
    if (Slot >= Bytes.size() || Bytes[Slot].size() < End)
      makeBytes(Slot, End);
    return {&Bytes[Slot][offsetOf(Where)], Size};
  }
  [[gnu::noinline]] void makeBytes(uint32_t Slot, uint32_t End) {
    if (Slot >= Bytes.size())
      Bytes.resize(Slot + 1);
    if (Bytes[Slot].size() < End)
      Bytes[Slot].resize(End);
  }
  struct Info {
    StateKind State = Untouched;
    uint32_t Thread = 0;
    // The last access of a global, and its last write if there was one.
    uint32_t Size = 0;
    Address Where = 0;
  };

  bool share(uint32_t Site) {
    Sites[Site].State = Shared;
    Changed = true;
    return true;
  }

  /// What is known of the time before is noted now, so that exploration need not start over again to find it out.
  bool shareGlobal(uint32_t Site) {
    const Info Before = Sites[Site];
    share(Site);
    if (Before.State == WrittenByOne)
      noteWrite(Before.Where, Before.Size, Before.Thread);
    else
      noteRead(Before.Where, Before.Size, Before.Thread);
    return true;
  }

  void addSite(uint32_t Site, const Info &Theirs) {
    Info &Mine = Sites[Site];
    if (Mine.State == Shared || Theirs.State == Untouched)
      return;
    if (Theirs.State == Shared)
      share(Site);
    else if (Mine.State == Untouched)
      Mine = Theirs;
    else if (Site >= NumAllocationSites) {
      // Each knows one access of the global: as if the others' came after ours.
      const bool Written = Theirs.State == WrittenByOne;
      noteGlobal(Site, Theirs.Where, Theirs.Size, Theirs.Thread, Written);
      if (Theirs.State == ReadByMany && Mine.State == ReadByOne)
        Mine.State = ReadByMany;
      else if (Theirs.State == ReadByMany && Mine.State == WrittenByOne)
        shareGlobal(Site);
    }
  }

  std::vector<Info> Sites;
  std::vector<std::vector<ByteInfo>> Bytes; // per slot, as far as looked at
  std::vector<uint32_t> Refuted;            // per slot
  uint32_t NumAllocationSites;
  uint64_t Version = 0;
  bool Changed = false;
};

} // namespace picket
