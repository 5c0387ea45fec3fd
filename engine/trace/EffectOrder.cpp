#include "trace/EffectOrder.h"

#include "trace/Counterexample.h"

#include <algorithm>

namespace picket {

void PartialOrder::wish(uint32_t A, uint32_t B) {
  if (A == B || isBefore(A, B) || isBefore(B, A))
    return;
  Granted.push_back({A, B});
  std::vector<uint64_t> New = Behind[B];
  New[B / 64] |= 1ull << (B % 64);
  for (uint32_t K = 0; K < Behind.size(); ++K)
    if (K == A || (isBefore(K, A) && !isBefore(K, B)))
      for (size_t W = 0; W < Words; ++W)
        Behind[K][W] |= New[W];
}

namespace {

class Wishes {
public:
  Wishes(const Recording &R, const TraceGraph &G) : Run(R), Graph(G), Order(static_cast<uint32_t>(R.Events.size())) {
    for (const TraceEvent &E : R.Events)
      OfThread.resize(std::max<size_t>(OfThread.size(), E.Thread + 1));
    for (uint32_t K = 0; K < R.Events.size(); ++K)
      OfThread[R.Events[K].Thread].push_back(K);
  }

  std::vector<uint32_t> numbering() {
    edges(EdgeKind::ProgramOrder);
    edges(EdgeKind::Lifecycle);
    for (EdgeKind Kind : {EdgeKind::SyncOrder, EdgeKind::Source, EdgeKind::StoreOrder, EdgeKind::Conflict})
      edges(Kind);
    return linear();
  }

  std::vector<uint32_t> effects() {
    lifecycle();
    kept();
    sources();
    for (EdgeKind Kind : {EdgeKind::SyncOrder, EdgeKind::StoreOrder, EdgeKind::Conflict})
      edges(Kind);
    samePlace();
    programOrder();
    return linear();
  }

private:
  void edges(EdgeKind Kind) {
    for (const TraceEdge &E : Graph.Edges)
      if (E.Kind == Kind)
        Order.wish(E.From, E.To);
  }

  /// Creating a thread comes behind what its creator did before, and in front of all it does; waiting for its end
  /// likewise.
  void lifecycle() {
    for (uint32_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = Run.Events[K];
      const bool Joins = E.Kind == EventKind::Join;
      if (!Joins && E.Kind != EventKind::Create)
        continue;
      for (uint32_t Other : E.Other < OfThread.size() ? OfThread[E.Other] : std::vector<uint32_t>())
        Joins ? Order.wish(Other, K) : Order.wish(K, Other);
      for (uint32_t Own : OfThread[E.Thread])
        if (Own < K)
          Order.wish(Own, K);
        else if (Joins)
          Order.wish(K, Own);
    }
  }

  void kept() {
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      for (const TraceLink &L : Run.Events[K].Links)
        if (L.What == TraceLink::Kept)
          Order.wish(L.On, K);
  }

  /// Of other threads: a thread sees its own stores before others do.
  void sources() {
    for (uint32_t K = 0; K < Run.Events.size(); ++K)
      for (const TraceAccess &A : Run.Events[K].Accesses)
        A.eachSource([&](uint32_t From) {
          if (Run.Events[From].Thread != Run.Events[K].Thread)
            Order.wish(From, K);
        });
  }

  bool overlap(uint32_t A, uint32_t B) const {
    for (const TraceAccess &X : Run.Events[A].Accesses)
      for (const TraceAccess &Y : Run.Events[B].Accesses) {
        const TraceVariable &V = Run.Variables[X.Variable], &W = Run.Variables[Y.Variable];
        if (V.Address < W.Address + W.Size && W.Address < V.Address + V.Size)
          return true;
      }
    return false;
  }
  void samePlace() {
    for (const std::vector<uint32_t> &Events : OfThread)
      for (size_t B = 0; B < Events.size(); ++B)
        for (size_t A = B; A-- > 0;)
          if (overlap(Events[A], Events[B]))
            Order.wish(Events[A], Events[B]);
  }

  /// Neighbours first: what overtakes does not overtake more than it has to.
  void programOrder() {
    for (const std::vector<uint32_t> &Events : OfThread)
      for (size_t Distance = 1; Distance < Events.size(); ++Distance)
        for (size_t A = 0; A + Distance < Events.size(); ++A)
          Order.wish(Events[A], Events[A + Distance]);
  }

  std::vector<uint32_t> linear() {
    TraceGraph Granted;
    for (auto [A, B] : Order.pairs())
      Granted.Edges.push_back({A, B, EdgeKind::ProgramOrder});
    for (std::vector<uint32_t> &Events : OfThread) // each pair of a thread's events has an order by now
      std::sort(Events.begin(), Events.end(), [&](uint32_t A, uint32_t B) { return Order.isBefore(A, B); });
    return mostSequentialOrder(Run, Granted, OfThread);
  }

  const Recording &Run;
  const TraceGraph &Graph;
  PartialOrder Order;
  std::vector<std::vector<uint32_t>> OfThread;
};

} // namespace

std::vector<uint32_t> numberingOrder(const Recording &R, const TraceGraph &ShashaSnir) {
  return Wishes(R, ShashaSnir).numbering();
}

std::vector<uint32_t> effectOrder(const Recording &R, const TraceGraph &ShashaSnir) {
  return Wishes(R, ShashaSnir).effects();
}

} // namespace picket
