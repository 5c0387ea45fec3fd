#include "explore/WakeupTree.h"

#include <algorithm>
#include <cassert>
#include <list>
#include <utility>

namespace picket {

struct RecordedStep {
  ProcessId Process;
  Footprint Touched;
};

/// Steps of one execution. It grows while others read what is there, which stays where it is.
class WakeupRecord {
public:
  explicit WakeupRecord(WakeupStore &Store) : Store(Store) {}
  ~WakeupRecord() { Store.removeBytes(Bytes); }
  WakeupRecord(const WakeupRecord &) = delete;
  WakeupRecord &operator=(const WakeupRecord &) = delete;

  const RecordedStep *add(ProcessId Process, const Footprint &Touched) {
    if (Blocks.empty() || Blocks.back().size() == Blocks.back().capacity()) {
      const size_t Room = Blocks.empty() ? 64 : 2 * Blocks.back().capacity();
      Blocks.emplace_back().reserve(Room);
      Store.addBytes(Room * sizeof(RecordedStep));
      Bytes += Room * sizeof(RecordedStep);
    }
    return &Blocks.back().emplace_back(RecordedStep{Process, Touched});
  }

  WakeupStore &Store;

private:
  std::vector<std::vector<RecordedStep>> Blocks; // none grows beyond its first capacity
  uint64_t Bytes = 0;
};

/// Pieces of a record, one after the other.
struct WakeupChain {
  struct Piece {
    const RecordedStep *Begin, *End;
  };
  WakeupChain(std::shared_ptr<WakeupRecord> From, std::vector<Piece> P) : From(std::move(From)), Pieces(std::move(P)) {
    this->From->Store.addBytes(bytes());
  }
  ~WakeupChain() { From->Store.removeBytes(bytes()); }
  WakeupChain(const WakeupChain &) = delete;
  WakeupChain &operator=(const WakeupChain &) = delete;
  uint64_t bytes() const { return sizeof(WakeupChain) + Pieces.capacity() * sizeof(Piece); }

  const std::shared_ptr<WakeupRecord> From;
  std::vector<Piece> Pieces;
  size_t First = 0; // what is in front is made of nodes
};

WakeupNode::WakeupNode() = default;
WakeupNode::~WakeupNode() = default;

WakeupNode *WakeupStore::take() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Unused.empty()) {
    WakeupNode *Nodes = Unused.back();
    Unused.pop_back();
    return Nodes;
  }
  WakeupNode *New = All.emplace_back(std::make_unique<WakeupNode[]>(Batch)).get();
  Bytes += Batch * sizeof(WakeupNode);
  for (size_t K = 0; K + 1 < Batch; ++K)
    New[K].Next = &New[K + 1];
  return New;
}

void WakeupStore::giveBack(WakeupNode *Nodes) {
  std::lock_guard<std::mutex> Guard(Lock);
  Unused.push_back(Nodes);
}

namespace {

/// Whether a process could come before what is left of the sequence. `After` is called with each step that it passes.
template <typename Touches, typename Visitor>
Initial passSteps(ProcessId Process, Touches &Touched, const std::vector<WakeupStep> &Sequence, size_t Prefix,
                  size_t From, Visitor After) {
  for (size_t K = From; K < Sequence.size(); ++K) {
    if (Sequence[K].Process == WakeupStep::Gone)
      continue;
    if (Sequence[K].Process == Process)
      return K < Prefix ? Initial::InPrefix : Initial::Weak;
    if (Touched.conflictsWith(*Sequence[K].Touched))
      return K < Prefix ? Initial::No : Initial::NotHere;
    After(*Sequence[K].Touched);
  }
  return Initial::Weak;
}

/// How many sequences a forest plans, up to a number of them: a branch that is not made of nodes yet is one. A mark has
/// none of its own.
[[maybe_unused]] size_t countLeaves(const WakeupNode *First, size_t Most) {
  size_t Sum = 0;
  for (const WakeupNode *N = First; N && Sum < Most; N = N->Next)
    Sum += N->Child ? countLeaves(N->Child, Most - Sum) : 1;
  return std::min(Sum, Most);
}

[[maybe_unused]] bool startsWith(const WakeupNode *First, ProcessId Process, ProcessId Not) {
  for (const WakeupNode *N = First; N; N = N->Next)
    if (N->Process == Process && N->Process != Not)
      return true;
  return false;
}

} // namespace

Initial WakeupTrees::canGoFirst(ProcessId Process, const Footprint &Touched, const std::vector<WakeupStep> &Sequence,
                                size_t Prefix, size_t From) {
  if (!Touched.readsOwnBuffer())
    return passSteps(Process, Touched, Sequence, Prefix, From, [](const Footprint &) {});
  // A forwarded load may come to read memory on the way: only then is a copy needed.
  Footprint Later = Touched;
  return passSteps(Process, Later, Sequence, Prefix, From, [&](const Footprint &Step) { Later.after(Step); });
}

WakeupNode *WakeupTrees::make(ProcessId Process, const Footprint &Touched) {
  if (!Free) {
    Free = Spare ? Spare : Store.take();
    Spare = nullptr;
    NumFree = WakeupStore::Batch;
  }
  WakeupNode *New = Free;
  Free = New->Next;
  --NumFree;
  New->Process = Process;
  New->Mark = false;
  New->Next = New->Child = nullptr;
  New->Touched = Touched;
  return New;
}

void WakeupTrees::giveBack(WakeupNode *N) {
  if (NumFree == WakeupStore::Batch) {
    if (Spare)
      Store.giveBack(Spare);
    Spare = Free;
    Free = nullptr;
    NumFree = 0;
  }
  N->Next = Free;
  Free = N;
  ++NumFree;
}

/// The step in the record of this execution.
const RecordedStep *WakeupTrees::record(const WakeupStep &Step) {
  if (Step.Event == WakeupStep::NoEvent)
    return Recording->add(Step.Process, *Step.Touched);
  if (RecordedOf.size() <= Step.Event)
    RecordedOf.resize(Step.Event + 1);
  const RecordedStep *&Where = RecordedOf[Step.Event];
  if (!Where)
    Where = Recording->add(Step.Process, *Step.Touched);
  return Where;
}

void WakeupTrees::stopRecording() {
  Recording.reset();
  RecordedOf.clear();
}

std::unique_ptr<WakeupChain> WakeupTrees::makeChain(const std::vector<WakeupStep> &Sequence, size_t From) {
  if (!Recording)
    Recording = std::make_shared<WakeupRecord>(Store);
  std::vector<WakeupChain::Piece> Pieces;
  for (size_t K = From; K < Sequence.size(); ++K) {
    if (Sequence[K].Process == WakeupStep::Gone)
      continue;
    const RecordedStep *Where = record(Sequence[K]);
    if (!Pieces.empty() && Pieces.back().End == Where)
      ++Pieces.back().End;
    else
      Pieces.push_back({Where, Where + 1});
  }
  Pieces.shrink_to_fit();
  return std::make_unique<WakeupChain>(Recording, std::move(Pieces));
}

/// Makes the next step of what follows N its child.
void WakeupTrees::expand(WakeupNode &N) {
  std::unique_ptr<WakeupChain> Rest = std::move(N.Rest);
  WakeupChain::Piece &Next = Rest->Pieces[Rest->First];
  N.Child = make(Next.Begin->Process, Next.Begin->Touched);
  if (++Next.Begin == Next.End)
    ++Rest->First;
  if (Rest->First < Rest->Pieces.size())
    N.Child->Rest = std::move(Rest);
}

/// A branch of what is left of the sequence, which is not empty.
WakeupNode *WakeupTrees::makeBranch(const std::vector<WakeupStep> &Sequence, size_t From) {
  WakeupNode *Head = make(Sequence[From].Process, *Sequence[From].Touched), *Last = Head;
  if (Sequence.size() - From > LongBranch) {
    Head->Rest = makeChain(Sequence, From + 1);
    return Head;
  }
  for (size_t K = From + 1; K < Sequence.size(); ++K)
    if (Sequence[K].Process != WakeupStep::Gone)
      Last = Last->Child = make(Sequence[K].Process, *Sequence[K].Touched);
  return Head;
}

namespace {

/// The loads of a sequence that are forwarded from their own buffers.
class ForwardedLoads {
public:
  /// The rest of the sequence, from `From` on, comes after a step that was joined: loads that are forwarded from an
  /// entry that it lands read memory then.
  void follow(const Footprint &Joined, std::vector<WakeupStep> &Sequence, size_t From) {
    if (!Known)
      for (size_t K = From; K < Sequence.size(); ++K)
        if (Sequence[K].Touched->readsOwnBuffer())
          Loads.push_back(K);
    Known = true;
    for (size_t K : Loads)
      if (WakeupStep &Step = Sequence[K]; Step.Touched->Owner == Joined.Owner) {
        Footprint &Later = Adapted.emplace_back(*Step.Touched);
        Later.after(Joined);
        Step.Touched = &Later;
        Step.Event = WakeupStep::NoEvent;
      }
  }

private:
  bool Known = false; // once they are asked for
  std::vector<size_t> Loads;
  std::list<Footprint> Adapted;
};

} // namespace

bool WakeupTrees::insert(WakeupNode *&First, std::vector<WakeupStep> &Sequence, size_t Prefix, ProcessId Not) {
  assert(!Sequence.empty() && Prefix <= Sequence.size());
  if (!First) {
    First = makeBranch(Sequence, 0);
    return true;
  }
  [[maybe_unused]] size_t Leaves = 0;
  assert((Leaves = countLeaves(First, MostCounted)) > 0);
  bool Always = true;
  size_t CommonLeft = Prefix; // steps that have not been joined
  ForwardedLoads Forwarded;
  size_t From = 0;              // what is in front has been joined
  WakeupNode *Parent = nullptr; // none: the forest itself
  for (;;) {
    while (From < Sequence.size() && Sequence[From].Process == WakeupStep::Gone)
      ++From;
    WakeupNode *Last = nullptr, *Joined = nullptr;
    for (WakeupNode *N = Parent ? child(*Parent) : First; N && !Joined; Last = N, N = N->Next) {
      if (!Parent && N->Process == Not)
        continue;
      Initial How = canGoFirst(N->Process, N->Touched, Sequence, Prefix, From);
      if (How == Initial::NotHere || How == Initial::Weak)
        Always &= CommonLeft == 0;
      if (How == Initial::InPrefix || How == Initial::Weak)
        Joined = N;
    }
    if (!Joined) {
      if (From < Sequence.size()) {
        assert(!startsWith(Parent ? Parent->Child : First, Sequence[From].Process, Parent ? WakeupStep::Gone : Not) &&
               "one tree for each first step");
        (Last ? Last->Next : Parent ? Parent->Child : First) = makeBranch(Sequence, From);
        assert(countLeaves(First, MostCounted) >= std::min(Leaves + 1, MostCounted) && "no leaf is lost");
      }
      return Always;
    }
    if (!child(*Joined))
      return Always; // a sequence that is explored anyway leads to the same executions
    if (Joined->Touched.IsUpdate)
      Forwarded.follow(Joined->Touched, Sequence, From);
    for (size_t K = From; K < Sequence.size(); ++K)
      if (Sequence[K].Process == Joined->Process) {
        Sequence[K].Process = WakeupStep::Gone;
        CommonLeft -= K < Prefix;
        break;
      }
    Parent = Joined;
  }
}

WakeupNode *WakeupTrees::takeTree(WakeupNode *&First, WakeupNode *Wanted) {
  assert(Wanted && !Wanted->Mark);
  if (Wanted == First) {
    First = Wanted->Next;
    Wanted->Next = nullptr;
    return Wanted;
  }
  WakeupNode *Taken = make(Wanted->Process, Wanted->Touched);
  Taken->Child = std::exchange(Wanted->Child, nullptr);
  Taken->Rest = std::move(Wanted->Rest);
  Wanted->Mark = true;
  return Taken;
}

} // namespace picket
