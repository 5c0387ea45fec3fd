#include "explore/WakeupTree.h"

#include <list>

namespace picket {

Initial WakeupTree::canGoFirst(ProcessId Process, const Footprint &Touched, const std::vector<WakeupStep> &Sequence,
                               size_t Prefix) {
  // A forwarded load may come to read memory on the way; only then is a copy needed.
  bool Forwarded = false;
  for (uint32_t K = 0; K < Touched.size(); ++K)
    Forwarded |= Touched[K].How == CellAccess::Forwarded;
  Footprint Changing;
  if (Forwarded)
    Changing = Touched;
  const Footprint &Mine = Forwarded ? Changing : Touched;
  for (size_t K = 0; K < Sequence.size(); ++K) {
    if (Sequence[K].Process == Process)
      return K < Prefix ? Initial::InPrefix : Initial::Weak;
    if (Mine.conflictsWith(*Sequence[K].Touched))
      return Initial::No;
    if (Forwarded)
      Changing.after(*Sequence[K].Touched);
  }
  return Initial::Weak;
}

WakeupTree::NodeId WakeupTree::make(const WakeupStep &Step) {
  NodeId New;
  if (Free.empty()) {
    New = static_cast<NodeId>(Nodes.size());
    Nodes.emplace_back();
  } else {
    New = Free.back();
    Free.pop_back();
  }
  Node &N = Nodes[New];
  N.Process = Step.Process;
  N.Child = N.Next = None;
  N.Touched = *Step.Touched;
  return New;
}

Initial WakeupTree::insert(NodeId &First, std::vector<WakeupStep> &Sequence, size_t Prefix) {
  Initial Led = Initial::No;
  std::list<Footprint> Adapted;
  NodeId Parent = None; // None: the forest itself
  for (;;) {
    NodeId Head = Parent == None ? First : Nodes[Parent].Child, Last = None, Joined = None;
    for (NodeId N = Head; N != None && Joined == None; Last = N, N = Nodes[N].Next) {
      Initial How = canGoFirst(Nodes[N].Process, Nodes[N].Touched, Sequence, Prefix);
      if (How == Initial::No)
        continue;
      Joined = N;
      if (Parent == None)
        Led = How;
    }
    if (Joined == None) {
      for (const WakeupStep &Step : Sequence) {
        NodeId New = make(Step);
        if (Last != None)
          Nodes[Last].Next = New;
        else if (Parent == None)
          First = New;
        else
          Nodes[Parent].Child = New;
        Parent = New;
        Last = None;
      }
      return Led;
    }
    if (Nodes[Joined].Child == None)
      return Led; // a sequence that is explored anyway leads to the same executions
    // The rest of the sequence comes after the joined step: loads forwarded from an entry that it lands read memory then.
    if (Nodes[Joined].Touched.IsUpdate)
      for (WakeupStep &Step : Sequence)
        if (Step.Touched->Owner == Nodes[Joined].Touched.Owner && !Step.Touched->IsUpdate) {
          Footprint &Later = Adapted.emplace_back(*Step.Touched);
          Later.after(Nodes[Joined].Touched);
          Step.Touched = &Later;
        }
    for (size_t K = 0; K < Sequence.size(); ++K)
      if (Sequence[K].Process == Nodes[Joined].Process) {
        Sequence.erase(Sequence.begin() + static_cast<ptrdiff_t>(K));
        Prefix -= K < Prefix;
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
