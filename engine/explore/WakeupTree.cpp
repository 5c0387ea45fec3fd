#include "explore/WakeupTree.h"

#include <list>

namespace picket {

Initial WakeupTree::canGoFirst(ProcessId Process, const Footprint &Touched, const std::vector<WakeupStep> &Sequence,
                               size_t Prefix, size_t From) {
  // A forwarded load may come to read memory on the way; only then is a copy needed.
  const bool Forwarded = Touched.readsOwnBuffer();
  Footprint Changing;
  if (Forwarded)
    Changing = Touched;
  const Footprint &Mine = Forwarded ? Changing : Touched;
  for (size_t K = From; K < Sequence.size(); ++K) {
    if (Sequence[K].Process == WakeupStep::Gone)
      continue;
    if (Sequence[K].Process == Process)
      return K < Prefix ? Initial::InPrefix : Initial::Weak;
    if (Mine.conflictsWith(*Sequence[K].Touched))
      return Initial::No;
    if (Forwarded)
      Changing.after(*Sequence[K].Touched);
  }
  return Initial::Weak;
}

WakeupTree::NodeId WakeupTree::make(ProcessId Process, const Footprint &Touched) {
  NodeId New;
  if (Free.empty()) {
    New = static_cast<NodeId>(Nodes.size());
    Nodes.emplace_back();
  } else {
    New = Free.back();
    Free.pop_back();
  }
  Node &N = Nodes[New];
  N.Process = Process;
  N.Child = N.Next = None;
  N.Rest = 0;
  N.Touched = Touched;
  return New;
}

/// The place of a step in the record of this execution.
uint32_t WakeupTree::record(const WakeupStep &Step) {
  std::vector<RecordedStep> &Steps = Records[Recording].Steps;
  if (Step.Event != WakeupStep::NoEvent) {
    if (WhereRecorded.size() <= Step.Event)
      WhereRecorded.resize(Step.Event + 1);
    if (WhereRecorded[Step.Event])
      return WhereRecorded[Step.Event] - 1;
    WhereRecorded[Step.Event] = static_cast<uint32_t>(Steps.size()) + 1;
  }
  Steps.push_back({Step.Process, *Step.Touched});
  ++NumRecorded;
  return static_cast<uint32_t>(Steps.size()) - 1;
}

void WakeupTree::dropUser(uint32_t Id) {
  Record &R = Records[Id];
  if (--R.Users)
    return;
  NumRecorded -= R.Steps.size();
  R.Steps = {};
  FreeRecords.push_back(Id);
}

void WakeupTree::stopRecording() {
  dropUser(Recording);
  Recording = 0;
  WhereRecorded.clear();
}

template <typename T> static uint32_t takeOrAdd(std::vector<uint32_t> &Free, std::vector<T> &All) {
  if (Free.empty()) {
    All.emplace_back();
    return static_cast<uint32_t>(All.size()) - 1;
  }
  uint32_t Taken = Free.back();
  Free.pop_back();
  return Taken;
}

WakeupTree::ChainId WakeupTree::makeChain(const std::vector<WakeupStep> &Sequence, size_t From) {
  if (!Recording) {
    Recording = takeOrAdd(FreeRecords, Records);
    Records[Recording].Users = 1;
  }
  ChainId New = takeOrAdd(FreeChains, Chains);
  std::vector<Piece> Pieces;
  for (size_t K = From; K < Sequence.size(); ++K) {
    if (Sequence[K].Process == WakeupStep::Gone)
      continue;
    uint32_t Where = record(Sequence[K]);
    if (!Pieces.empty() && Pieces.back().End == Where)
      ++Pieces.back().End;
    else
      Pieces.push_back({Where, Where + 1});
  }
  Pieces.shrink_to_fit();
  NumPieces += Pieces.size();
  ++Records[Recording].Users;
  Chains[New] = {Recording, 0, std::move(Pieces)};
  return New;
}

/// Makes the next step of what follows N its child.
void WakeupTree::expand(NodeId N) {
  ChainId Id = Nodes[N].Rest;
  Chain &Rest = Chains[Id];
  Piece &Next = Rest.Pieces[Rest.First];
  const RecordedStep &Step = Records[Rest.From].Steps[Next.Begin];
  NodeId Child = make(Step.Process, Step.Touched);
  Nodes[N].Child = Child;
  Nodes[N].Rest = 0;
  if (++Next.Begin == Next.End)
    ++Rest.First;
  if (Rest.First < Rest.Pieces.size()) {
    Nodes[Child].Rest = Id;
    return;
  }
  NumPieces -= Rest.Pieces.size();
  Rest.Pieces = {};
  dropUser(Rest.From);
  FreeChains.push_back(Id);
}

/// A branch of what is left of the sequence, which is not empty.
WakeupTree::NodeId WakeupTree::makeBranch(const std::vector<WakeupStep> &Sequence, size_t From) {
  NodeId Head = make(Sequence[From].Process, *Sequence[From].Touched), Last = Head;
  if (Sequence.size() - From > LongBranch) {
    Nodes[Head].Rest = makeChain(Sequence, From + 1);
    return Head;
  }
  for (size_t K = From + 1; K < Sequence.size(); ++K)
    if (Sequence[K].Process != WakeupStep::Gone) {
      NodeId New = make(Sequence[K].Process, *Sequence[K].Touched);
      Nodes[Last].Child = New;
      Last = New;
    }
  return Head;
}

Initial WakeupTree::insert(NodeId &First, std::vector<WakeupStep> &Sequence, size_t Prefix) {
  Initial Led = Initial::No;
  std::list<Footprint> Adapted;
  std::vector<size_t> Forwarded; // the steps that read their own buffer, once they are asked for
  bool ForwardedKnown = false;
  size_t From = 0;      // what is in front has been joined
  NodeId Parent = None; // None: the forest itself
  for (;;) {
    while (From < Sequence.size() && Sequence[From].Process == WakeupStep::Gone)
      ++From;
    NodeId Head = Parent == None ? First : child(Parent), Last = None, Joined = None;
    for (NodeId N = Head; N != None && Joined == None; Last = N, N = Nodes[N].Next) {
      Initial How = canGoFirst(Nodes[N].Process, Nodes[N].Touched, Sequence, Prefix, From);
      if (How == Initial::No)
        continue;
      Joined = N;
      if (Parent == None)
        Led = How;
    }
    if (Joined == None) {
      if (From == Sequence.size())
        return Led;
      NodeId Branch = makeBranch(Sequence, From);
      if (Last != None)
        Nodes[Last].Next = Branch;
      else if (Parent == None)
        First = Branch;
      else
        Nodes[Parent].Child = Branch;
      return Led;
    }
    if (child(Joined) == None)
      return Led; // a sequence that is explored anyway leads to the same executions
    // The rest of the sequence comes after the joined step: loads forwarded from an entry that it lands read memory
    // then.
    if (Nodes[Joined].Touched.IsUpdate) {
      if (!ForwardedKnown)
        for (size_t K = From; K < Sequence.size(); ++K)
          if (Sequence[K].Touched->readsOwnBuffer())
            Forwarded.push_back(K);
      ForwardedKnown = true;
      for (size_t K : Forwarded)
        if (WakeupStep &Step = Sequence[K]; Step.Touched->Owner == Nodes[Joined].Touched.Owner) {
          Footprint &Later = Adapted.emplace_back(*Step.Touched);
          Later.after(Nodes[Joined].Touched);
          Step.Touched = &Later;
          Step.Event = WakeupStep::NoEvent;
        }
    }
    for (size_t K = From; K < Sequence.size(); ++K)
      if (Sequence[K].Process == Nodes[Joined].Process) {
        Sequence[K].Process = WakeupStep::Gone;
        break;
      }
    Parent = Joined;
  }
}

WakeupTree::NodeId WakeupTree::takeFirst(NodeId &First) {
  NodeId Taken = First, Children = Nodes[Taken].Child;
  First = Nodes[Taken].Next;
  Free.push_back(Taken);
  return Children;
}

} // namespace picket
