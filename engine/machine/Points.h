// Where a thread can be, and how it goes on from there.
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

#include "machine/Interpreter.h"

namespace picket {

struct Machine::PointLinks {
  uint64_t
      Version;  // what was known to be shared when the way here was run: with other knowledge it could lead elsewhere
  Outcome Came; // leads here from the point before; to a first point: what the thread was created with
  bool MustRun;
  bool OfOthers = false; // the pending operation is on memory that another thread brought to life:
  ObjectKind Kind = ObjectKind::Hidden;
  uint32_t Site = 0, Size = 0;
  uint16_t NumNext = 0;     // points that follow
  Point *Next = nullptr;    // the first of them
  Point *Sibling = nullptr; // the next that follows the same point
  uint16_t NumRegisters, NumFrames, NumStackSlots, NumWrites;
};

struct Machine::Point : PointLinks, State {
  explicit Point(const State &S) : State(S) {}

  // They follow it in memory.
  uint64_t *registers() { return reinterpret_cast<uint64_t *>(this + 1); }
  OwnWrite *writes() { return reinterpret_cast<OwnWrite *>(registers() + NumRegisters); }
  Frame *frames() { return reinterpret_cast<Frame *>(writes() + NumWrites); }
  uint32_t *stackSlots() { return reinterpret_cast<uint32_t *>(frames() + NumFrames); }
  const uint64_t *registers() const { return reinterpret_cast<const uint64_t *>(this + 1); }
  const OwnWrite *writes() const { return reinterpret_cast<const OwnWrite *>(registers() + NumRegisters); }
  const Frame *frames() const { return reinterpret_cast<const Frame *>(writes() + NumWrites); }
  const uint32_t *stackSlots() const { return reinterpret_cast<const uint32_t *>(frames() + NumFrames); }
};

/// What others brought to life is as it was when the way to the point was run.
inline bool Machine::findsTheSame(const Point &At) const {
  if (!At.OfOthers)
    return true;
  const Object *O = Mem.find(At.Pending.Where);
  return O && O->Kind == At.Kind && O->Site == At.Site && O->Size == At.Size;
}

/// The point where this outcome leads from another, if that is known. It is the first to be looked at from then on:
/// exploration stays with an outcome for a while.
inline Machine::Point *Machine::findNext(Point &From, const Outcome &Came) const {
  const uint64_t Version = Shared.version();
  Point *Next = From.Next, *Before = nullptr;
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

/// Takes a thread on by running it: `How` completes its pending operation, and says whether it goes on.
template <typename Complete> void Machine::run(Thread &T, const Outcome &Came, Complete How) {
  Point *From = T.Now != &T.S && usesPoints() ? static_cast<Point *>(T.Now) : nullptr;
  takeUp(T);
  const uint64_t Version = Shared.version(), Turns = Mem.turns();
  const size_t BugsBefore = Bugs.size();
  DependsOnOthers = DoesMore = false;
  OwnWrites.clear();
  Interpreter I(*this, T.Id);
  if (How(I))
    I.run();
  DoesMore |= Mem.turns() != Turns;
  if (From && !DependsOnOthers && Bugs.size() == BugsBefore && !T.S.InAtomic && usesPoints())
    remember(T, *From, Came, Version);
}

} // namespace picket
