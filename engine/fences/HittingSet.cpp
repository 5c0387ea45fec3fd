#include "fences/HittingSet.h"

#include <algorithm>
#include <limits>

namespace picket {

namespace {

/// Branch and bound over the elements of the smallest clause that is not hit yet.
class Search {
public:
  Search(const std::vector<uint64_t> &Costs, std::vector<std::vector<uint32_t>> Given,
         const std::function<bool()> &IsCancelled)
      : Costs(Costs), Clauses(std::move(Given)), IsCancelled(IsCancelled), Hits(Costs.size()), Excluded(Costs.size()) {
    for (std::vector<uint32_t> &C : Clauses) {
      std::sort(C.begin(), C.end());
      C.erase(std::unique(C.begin(), C.end()), C.end());
    }
    dropImplied();
    for (uint32_t K = 0; K < Clauses.size(); ++K)
      for (uint32_t E : Clauses[K])
        Hits[E].push_back(K);
    dropDominated();
    HitBy.assign(Clauses.size(), 0);
  }

  std::optional<std::vector<uint32_t>> run() {
    for (const std::vector<uint32_t> &C : Clauses)
      if (C.empty())
        return std::nullopt;
    choose(0);
    if (Cancelled)
      return std::nullopt;
    std::sort(Best.begin(), Best.end());
    return Best;
  }

private:
  /// A clause that contains another one is hit whenever that is.
  void dropImplied() {
    std::sort(Clauses.begin(), Clauses.end(),
              [](const auto &A, const auto &B) { return A.size() != B.size() ? A.size() < B.size() : A < B; });
    std::vector<std::vector<uint32_t>> Kept;
    for (std::vector<uint32_t> &C : Clauses)
      if (std::none_of(Kept.begin(), Kept.end(), [&](const std::vector<uint32_t> &Smaller) {
            return std::includes(C.begin(), C.end(), Smaller.begin(), Smaller.end());
          }))
        Kept.push_back(std::move(C));
    Clauses = std::move(Kept);
  }

  bool isBetter(uint32_t A, uint32_t B) const {
    if (Costs[A] > Costs[B] || !std::includes(Hits[A].begin(), Hits[A].end(), Hits[B].begin(), Hits[B].end()))
      return false;
    return Costs[A] < Costs[B] || Hits[A].size() > Hits[B].size() || A < B;
  }

  /// An element is not needed where another one hits as much for less.
  void dropDominated() {
    std::vector<uint32_t> Used;
    for (uint32_t E = 0; E < Costs.size(); ++E)
      if (!Hits[E].empty())
        Used.push_back(E);
    for (uint32_t E : Used)
      Excluded[E] =
          std::any_of(Used.begin(), Used.end(), [&](uint32_t Other) { return Other != E && isBetter(Other, E); });
    for (std::vector<uint32_t> &C : Clauses) {
      std::erase_if(C, [&](uint32_t E) { return Excluded[E] != 0; });
      std::sort(C.begin(), C.end(),
                [&](uint32_t A, uint32_t B) { return Costs[A] != Costs[B] ? Costs[A] < Costs[B] : A < B; });
    }
  }

  bool isFree(uint32_t E) const { return Excluded[E] == 0; }

  /// What clauses that share no element cost at least. Infinite if one of them cannot be hit any more.
  uint64_t bound() {
    uint64_t Sum = 0;
    Touched.assign(Costs.size(), false);
    for (uint32_t K = 0; K < Clauses.size(); ++K) {
      if (HitBy[K])
        continue;
      uint64_t Least = std::numeric_limits<uint64_t>::max();
      bool Apart = true;
      for (uint32_t E : Clauses[K])
        if (isFree(E)) {
          Least = std::min(Least, Costs[E]);
          Apart = Apart && !Touched[E];
        }
      if (Least == std::numeric_limits<uint64_t>::max())
        return Least;
      if (!Apart)
        continue;
      Sum += Least;
      for (uint32_t E : Clauses[K])
        Touched[E] = true;
    }
    return Sum;
  }

  /// The unhit clause with the fewest elements left; Clauses.size() if all are hit.
  uint32_t smallestLeft() const {
    uint32_t Found = static_cast<uint32_t>(Clauses.size());
    size_t Fewest = ~size_t(0);
    for (uint32_t K = 0; K < Clauses.size(); ++K) {
      if (HitBy[K])
        continue;
      const auto Size = static_cast<size_t>(
          std::count_if(Clauses[K].begin(), Clauses[K].end(), [&](uint32_t E) { return isFree(E); }));
      if (Size < Fewest) {
        Fewest = Size;
        Found = K;
      }
    }
    return Found;
  }

  void choose(uint64_t Spent) {
    if (Cancelled || (IsCancelled && (++Steps & 1023) == 0 && (Cancelled = IsCancelled())))
      return;
    const uint32_t Clause = smallestLeft();
    if (Clause == Clauses.size()) {
      if (Spent < BestCost) {
        BestCost = Spent;
        Best = Chosen;
      }
      return;
    }
    const uint64_t Rest = bound();
    if (Rest >= BestCost || Spent + Rest >= BestCost)
      return;
    const std::vector<uint32_t> Elements = Clauses[Clause];
    std::vector<uint32_t> Tried;
    for (uint32_t E : Elements) {
      if (!isFree(E))
        continue;
      Chosen.push_back(E);
      for (uint32_t K : Hits[E])
        ++HitBy[K];
      choose(Spent + Costs[E]);
      for (uint32_t K : Hits[E])
        --HitBy[K];
      Chosen.pop_back();
      ++Excluded[E]; // what is left to try does without it
      Tried.push_back(E);
    }
    for (uint32_t E : Tried)
      --Excluded[E];
  }

  const std::vector<uint64_t> &Costs;
  std::vector<std::vector<uint32_t>> Clauses;
  const std::function<bool()> &IsCancelled;
  std::vector<std::vector<uint32_t>> Hits; // per element: clauses
  std::vector<uint32_t> Excluded;
  std::vector<uint32_t> HitBy; // per clause: how many chosen elements
  std::vector<bool> Touched;
  std::vector<uint32_t> Chosen, Best;
  uint64_t BestCost = std::numeric_limits<uint64_t>::max();
  uint64_t Steps = 0;
  bool Cancelled = false;
};

} // namespace

std::optional<std::vector<uint32_t>> cheapestHittingSet(const std::vector<uint64_t> &Costs,
                                                        const std::vector<std::vector<uint32_t>> &Clauses,
                                                        const std::function<bool()> &IsCancelled) {
  return Search(Costs, Clauses, IsCancelled).run();
}

} // namespace picket
