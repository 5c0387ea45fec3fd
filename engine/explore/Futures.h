// What threads may yet access, learned during the search: for each program point at which a thread was seen, everything
// that was seen to be accessed from there on. A step that touches nothing of what the other threads may yet access, in
// a way that matters, can be taken first and alone.
//
// As with Sharing, what was learned can turn out to be too little. A search that relied on it then restarts, with what
// is known by then. This is sound: if nothing came up that was not foreseen, then nothing can. For take an execution
// that does something unforeseen, where up to there everything was as foreseen. The steps that were taken first and
// alone commute with it, so that the search came upon the same steps in another order, the unforeseen one with them.
#pragma once

#include "memory/Configuration.h"

#include <map>
#include <unordered_map>

namespace picket {

/// A set of small numbers that grows as needed.
class NumberSet {
public:
  /// True if it was not in.
  bool add(uint32_t N) {
    if (N / 64 >= Words.size())
      Words.resize(N / 64 + 1);
    uint64_t Before = Words[N / 64];
    Words[N / 64] |= 1ull << (N % 64);
    return Words[N / 64] != Before;
  }
  bool addAll(const NumberSet &Other) {
    if (Other.Words.size() > Words.size())
      Words.resize(Other.Words.size());
    bool Changed = false;
    for (size_t K = 0; K < Other.Words.size(); ++K) {
      Changed |= (Other.Words[K] & ~Words[K]) != 0;
      Words[K] |= Other.Words[K];
    }
    return Changed;
  }
  template <typename F> void forEach(F Do) const {
    for (uint32_t N = 0; N < Words.size() * 64; ++N)
      if (has(N))
        Do(N);
  }
  bool has(uint32_t N) const { return N / 64 < Words.size() && (Words[N / 64] >> (N % 64) & 1); }
  uint64_t bytes() const { return Words.capacity() * sizeof(uint64_t); }

private:
  std::vector<uint64_t> Words;
};

class Futures {
public:
  static constexpr uint32_t MaxThreads = 64; // programs with more get no reduction
  using ProgramPoint = uint32_t;

  /// The program point at which T stands.
  ProgramPoint pointOf(const Machine &M, ThreadId T);

  /// A thread was seen to go from one point to another, or to start the one that stands at `To`. `Joined`: the threads
  /// it waited for on the way, as bits.
  void learn(ProgramPoint From, ProgramPoint To, const std::vector<Machine::Access> &Accesses, uint64_t Joined);

  /// Whether a thread that stands there, or one that it starts, may conflict with the access before `Mover` has ended.
  bool mayConflict(ProgramPoint Other, const Machine::Access &With, ThreadId Mover);

  /// Adds what another has learned of the same program.
  void add(const Futures &Other);

  /// What is known has grown since the last call.
  bool takeGrown() {
    bool Was = Grown;
    Grown = false;
    return Was;
  }

  /// Roughly what it takes up.
  uint64_t bytes();

private:
  struct Touched {
    NumberSet Reads, Writes;
    uint64_t bytes() const { return Reads.bytes() + Writes.bytes(); }
    bool addAll(const Touched &Other) {
      const bool More = Reads.addAll(Other.Reads);
      return Writes.addAll(Other.Writes) || More;
    }
  };
  struct Edge {
    ProgramPoint From, To;
    uint64_t Joined;
    Touched Accesses;
  };
  struct PointState {
    ThreadId Thread;
    std::vector<uint32_t> EdgesIn, EdgesOut;
    std::vector<Touched> Future; // per mover: before that one has ended
  };

  ProgramPoint point(std::vector<uint32_t> Where, ThreadId T);
  uint32_t edge(ProgramPoint From, ProgramPoint To, uint64_t Joined, bool &IsNew);
  uint32_t cell(uint32_t Slot, uint32_t Part);
  template <typename F> void forEachCell(const Machine::Access &A, F Do);
  bool follow(const Edge &W, ThreadId Mover);
  void spread(ProgramPoint From);
  Touched &future(ProgramPoint Where, ThreadId Mover) {
    std::vector<Touched> &All = Points[Where].Future;
    if (All.size() <= Mover)
      All.resize(Mover + 1);
    return All[Mover];
  }

  // Memory is divided into parts of a few bytes. Accesses of whole objects (their ends) have a part of their own.
  static constexpr uint32_t PartBytes = 4, MostParts = 64;
  static constexpr uint32_t Any = ~0u, WholeObject = ~0u - 1;
  std::unordered_map<uint64_t, uint32_t> Cells;
  std::map<std::vector<uint32_t>, ProgramPoint> PointOf;
  std::vector<PointState> Points;
  std::map<std::tuple<ProgramPoint, ProgramPoint, uint64_t>, uint32_t> Known; // edges
  std::vector<Edge> Edges;
  uint32_t Movers = 0;
  bool Grown = false, Counted = false;
  uint64_t Bytes = 0; // when it was counted
};

} // namespace picket
