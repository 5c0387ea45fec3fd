#include "explore/WakeupTree.h"

#include <list>

namespace picket {

Initial WakeupTree::canGoFirst(ProcessId Process, const Footprint &Touched, const std::vector<WakeupStep> &Sequence,
                               size_t Prefix, size_t From) {
  // A forwarded load may come to read memory on the way; only then is a copy needed.
  if (Touched.readsOwnBuffer())
    return canForwardedGoFirst(Process, Touched, Sequence, Prefix, From);
  for (size_t K = From; K < Sequence.size(); ++K) {
    if (Sequence[K].Process == WakeupStep::Gone)
      continue;
    if (Sequence[K].Process == Process)
      return K < Prefix ? Initial::InPrefix : Initial::Weak;
    if (Touched.conflictsWith(*Sequence[K].Touched))
      return K < Prefix ? Initial::No : Initial::NotHere;
  }
  return Initial::Weak;
}

Initial WakeupTree::canForwardedGoFirst(ProcessId Process, Footprint Touched, const std::vector<WakeupStep> &Sequence,
                                        size_t Prefix, size_t From) {
  for (size_t K = From; K < Sequence.size(); ++K) {
    if (Sequence[K].Process == WakeupStep::Gone)
      continue;
    if (Sequence[K].Process == Process)
      return K < Prefix ? Initial::InPrefix : Initial::Weak;
    if (Touched.conflictsWith(*Sequence[K].Touched))
      return K < Prefix ? Initial::No : Initial::NotHere;
    Touched.after(*Sequence[K].Touched);
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
  N.Mark = false;
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
  dropChain(Id);
}

void WakeupTree::dropChain(ChainId Id) {
  Chain &Gone = Chains[Id];
  NumPieces -= Gone.Pieces.size();
  Gone.Pieces = {};
  dropUser(Gone.From);
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

bool WakeupTree::insert(NodeId &First, std::vector<WakeupStep> &Sequence, size_t Prefix, ProcessId Not) {
  if (First == None) {
    First = makeBranch(Sequence, 0);
    return true;
  }
  bool Always = true;
  size_t CommonLeft = Prefix; // steps that have not been joined
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
      if (Parent == None && Nodes[N].Process == Not)
        continue;
      Initial How = canGoFirst(Nodes[N].Process, Nodes[N].Touched, Sequence, Prefix, From);
      if (How == Initial::NotHere || How == Initial::Weak)
        Always &= CommonLeft == 0;
      if (How == Initial::InPrefix || How == Initial::Weak)
        Joined = N;
    }
    if (Joined == None) {
      if (From == Sequence.size())
        return Always;
      NodeId Branch = makeBranch(Sequence, From);
      if (Last != None)
        Nodes[Last].Next = Branch;
      else if (Parent == None)
        First = Branch;
      else
        Nodes[Parent].Child = Branch;
      return Always;
    }
    if (child(Joined) == None)
      return Always; // a sequence that is explored anyway leads to the same executions
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
        CommonLeft -= K < Prefix;
        break;
      }
    Parent = Joined;
  }
}

/// Moves what is below a node; children of its children are left in `Open`.
void WakeupTree::moveInto(NodeId New, WakeupTree &From, NodeId Old, std::vector<std::pair<NodeId, NodeId>> &Open) {
  if (ChainId Id = From.Nodes[Old].Rest) {
    const Chain &Theirs = From.Chains[Id];
    const uint32_t Into = takeOrAdd(FreeRecords, Records);
    std::vector<RecordedStep> &Steps = Records[Into].Steps;
    for (size_t K = Theirs.First; K < Theirs.Pieces.size(); ++K)
      for (uint32_t Step = Theirs.Pieces[K].Begin; Step < Theirs.Pieces[K].End; ++Step)
        Steps.push_back(From.Records[Theirs.From].Steps[Step]);
    Records[Into].Users = 1;
    NumRecorded += Steps.size();
    ++NumPieces;
    Nodes[New].Rest = takeOrAdd(FreeChains, Chains);
    Chains[Nodes[New].Rest] = {Into, 0, {{0, static_cast<uint32_t>(Steps.size())}}};
    From.dropChain(Id);
    return;
  }
  NodeId Last = None;
  for (NodeId Theirs = From.Nodes[Old].Child; Theirs != None; Theirs = From.Nodes[Theirs].Next) {
    NodeId Child = make(From.Nodes[Theirs].Process, From.Nodes[Theirs].Touched);
    (Last == None ? Nodes[New].Child : Nodes[Last].Next) = Child;
    Last = Child;
    Open.push_back({Child, Theirs});
  }
}

/// Moves a tree. Its first node is copied and left to the caller.
WakeupTree::NodeId WakeupTree::moveTree(WakeupTree &From, NodeId Old) {
  const NodeId Root = make(From.Nodes[Old].Process, From.Nodes[Old].Touched);
  std::vector<std::pair<NodeId, NodeId>> Open;
  moveInto(Root, From, Old, Open);
  while (!Open.empty()) {
    auto [New, Next] = Open.back();
    Open.pop_back();
    moveInto(New, From, Next, Open);
    From.Free.push_back(Next);
  }
  return Root;
}

WakeupTree::NodeId WakeupTree::move(WakeupTree &From, NodeId &First, NodeId Wanted) {
  NodeId *Link = &First;
  while (*Link != Wanted)
    Link = &From.Nodes[*Link].Next;
  *Link = From.Nodes[Wanted].Next;
  const NodeId Root = moveTree(From, Wanted);
  From.Free.push_back(Wanted);
  return Root;
}

WakeupTree::NodeId WakeupTree::moveBelow(WakeupTree &From, NodeId Wanted) {
  const NodeId Root = moveTree(From, Wanted);
  Node &Left = From.Nodes[Wanted];
  Left.Child = None;
  Left.Rest = 0;
  Left.Mark = true;
  return Root;
}

size_t WakeupTree::numSteps(NodeId First, size_t Enough) const {
  size_t Steps = 0;
  std::vector<NodeId> Open;
  for (NodeId N = First; N != None; N = Nodes[N].Next)
    Open.push_back(N);
  while (!Open.empty() && Steps < Enough) {
    const Node &N = Nodes[Open.back()];
    Open.pop_back();
    ++Steps;
    for (NodeId Child = N.Child; Child != None; Child = Nodes[Child].Next)
      Open.push_back(Child);
    if (N.Rest)
      for (size_t K = Chains[N.Rest].First; K < Chains[N.Rest].Pieces.size(); ++K)
        Steps += Chains[N.Rest].Pieces[K].End - Chains[N.Rest].Pieces[K].Begin;
  }
  return Steps;
}

WakeupTree::NodeId WakeupTree::takeFirst(NodeId &First) {
  NodeId Taken = First, Children = Nodes[Taken].Child;
  First = Nodes[Taken].Next;
  Free.push_back(Taken);
  return Children;
}

} // namespace picket
