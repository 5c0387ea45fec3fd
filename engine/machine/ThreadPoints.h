// Points where threads have been before, so that they go there again without being run: memoised runs.
//
// What a thread does depends on nothing but the outcomes of its visible operations: what it reads besides is its own,
// or does not change while there is more than one thread. Exploration takes the same thread through the same outcomes
// in many executions, in different company. So each thread has a tree of points: a point is everything of the thread
// when it stops in front of a visible operation (or for good), and from there it goes by the operation's outcome to the
// next. A way that was gone before is followed without running anything, and going back is going to the point before.
//
// A way of which that is not true leads to no point: it depends on what others did (what belongs to the process, a
// block that moves with what they wrote into it). From there on the thread is run and saved. And there are ways that
// must be run each time, since they do more than change the thread (create threads, bring objects to life); most of
// them lead to points as well.
//
// An address that others gave can name a block of another size, or from elsewhere, in another execution: the block
// belongs to what is known of an operation in front of which a thread stands.
#pragma once

#include "machine/MachineOptions.h"
#include "machine/Memory.h"
#include "machine/RunEffects.h"
#include "machine/Sharing.h"
#include "machine/ThreadTable.h"

namespace picket {

/// How a point is found, and what is known of its operation.
struct ThreadPointLinks {
  uint64_t
      Version; // what was known to be shared when the way here was run: with other knowledge it could lead elsewhere
  ThreadOutcome Came; // leads here from the point before; to a first point: what the thread was created with
  bool MustRun;
  bool OfOthers = false; // the pending operation is on memory that another thread brought to life:
  ObjectKind Kind = ObjectKind::Hidden;
  uint32_t Site = 0, Size = 0;
  uint16_t NumNext = 0;           // points that follow
  ThreadPoint *Next = nullptr;    // the first of them
  ThreadPoint *Sibling = nullptr; // the next that follows the same point
  uint16_t NumRegisters, NumFrames, NumStackSlots, NumWrites;
};

struct ThreadPoint : ThreadPointLinks, ThreadState {
  explicit ThreadPoint(const ThreadState &S) : ThreadState(S) {}

  // They follow it in memory.
  uint64_t *registers() { return reinterpret_cast<uint64_t *>(this + 1); }
  OwnWrite *writes() { return reinterpret_cast<OwnWrite *>(registers() + NumRegisters); }
  StackFrame *frames() { return reinterpret_cast<StackFrame *>(writes() + NumWrites); }
  uint32_t *stackSlots() { return reinterpret_cast<uint32_t *>(frames() + NumFrames); }
  const uint64_t *registers() const { return reinterpret_cast<const uint64_t *>(this + 1); }
  const OwnWrite *writes() const { return reinterpret_cast<const OwnWrite *>(registers() + NumRegisters); }
  const StackFrame *frames() const { return reinterpret_cast<const StackFrame *>(writes() + NumWrites); }
  const uint32_t *stackSlots() const { return reinterpret_cast<const uint32_t *>(frames() + NumFrames); }
};

class ThreadPoints {
public:
  ThreadPoints(const MachineOptions &Options, UndoLog &Undo, Memory &Mem, const Sharing &Shared, ThreadTable &Threads,
               RunEffects &Effects)
      : Options(Options), Undo(Undo), Mem(Mem), Shared(Shared), Threads(Threads), Effects(Effects) {}

  bool areUsed() const {
    return Options.Points != MachineOptions::Points::Off && Threads.concurrentPhases() == 1 && mayFollow();
  }
  /// The same for a thread that is at a point.
  bool mayFollow() const { return Threads.numLive() > 1 && !Effects.Probing && !Options.ShowAll; }

  /// The point where this outcome leads from another, if that is known.
  ThreadPoint *findNext(ThreadPoint &From, const ThreadOutcome &Came) const;
  /// Makes T ready to be run, or changed otherwise: its state is in State, and it is at no point.
  void leave(Thread &T) {
    if (T.isAtPoint())
      leavePoint(T);
    else
      Threads.save(T);
  }
  /// T has been run from a point with this outcome: it is at the next one now.
  void remember(Thread &T, ThreadPoint &From, const ThreadOutcome &Came, uint64_t Version);
  /// T has come into being, or the program has started, and got this far.
  void rememberRoot(Thread &T, uint64_t Argument);

  /// Forgets all points. No thread is at one any more.
  void clear() {
    Chunks.clear();
    Bytes = ChunkLeft = 0;
  }
  uint64_t bytes() const { return Bytes; }

private:
  bool findsTheSame(const ThreadPoint &At) const;
  void leavePoint(Thread &T);
  ThreadPoint *make(Thread &T, const ThreadOutcome &Came, uint64_t Version, bool IsRoot);
  bool isAt(const Thread &T, const ThreadPoint &At) const;

  const MachineOptions &Options;
  UndoLog &Undo;
  Memory &Mem;
  const Sharing &Shared;
  ThreadTable &Threads;
  RunEffects &Effects;
  struct alignas(64) CacheLine {
    char Bytes[64];
  };
  std::vector<std::unique_ptr<CacheLine[]>> Chunks;
  size_t ChunkLeft = 0; // lines
  uint64_t Bytes = 0;
};

/// What others brought to life is as it was when the way to the point was run.
inline bool ThreadPoints::findsTheSame(const ThreadPoint &At) const {
  if (!At.OfOthers)
    return true;
  const Object *O = Mem.find(At.Pending.Where);
  return O && O->Kind == At.Kind && O->Site == At.Site && O->Size == At.Size;
}

/// What is found is the first to be looked at from then on: exploration stays with an outcome for a while.
inline ThreadPoint *ThreadPoints::findNext(ThreadPoint &From, const ThreadOutcome &Came) const {
  const uint64_t Version = Shared.version();
  ThreadPoint *Next = From.Next, *Before = nullptr;
  while (Next && (Next->Came != Came || Next->Version != Version || !findsTheSame(*Next))) {
    Before = Next;
    Next = Next->Sibling;
  }
  if (Next && Before) {
    Before->Sibling = Next->Sibling;
    Next->Sibling = From.Next;
    From.Next = Next;
  }
  return Next;
}

} // namespace picket
