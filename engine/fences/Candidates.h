// Single changes that a repair can be put together from: a fence at a place in the user's text, or a stronger order for
// an atomic access in it.
#pragma once

#include "fences/Delays.h"
#include "fences/EditScope.h"
#include "fences/ProgramEdit.h"
#include "fences/SourceChange.h"

#include <map>

namespace picket {

/// What changes cost. Only the proportions matter; the table is the user's to change.
struct RepairCosts {
  uint32_t ReleaseAcquire = 2; // an order that becomes release, acquire or both
  uint32_t ISync = 2;
  uint32_t LightFence = 3; // orders stores (PSO), all but a store and a later load (POWER)
  uint32_t SeqCst = 5;     // an order that becomes seq_cst
  uint32_t FullFence = 6;
  uint32_t AtomicAccess = 3; // a plain access that becomes a relaxed atomic one
};

/// Of costs: what is below only decides between places.
constexpr uint64_t CostUnit = 1000;
/// Of a change in a file that is only changed where nothing else works. No sum of other costs is as much.
constexpr uint64_t TestCost = 1'000'000 * CostUnit;

struct Candidate {
  bool IsFence = true;
  FenceKind Fence = FenceKind::Full;
  Order To = Order::SeqCst;
  std::vector<ProgramPoint> Where; // every copy of the text in the program; sorted
  /// Fences: the first instructions behind them that matter. Behind one access and in front of the next is the same.
  std::vector<uint32_t> Next;
  SourceChange Change;
  std::vector<ChangeOrder> Atomic; // instead of `Change`: plain accesses that become atomic, all together
  uint64_t Cost = 0;

  /// It orders all that the other one orders.
  bool covers(const Candidate &Other) const;
  void addTo(ProgramEdit &Edit) const;
};

/// The candidates of one program. Each has a number that stays.
class Candidates {
public:
  /// `Assembly`: also what only POWER's own instructions can say.
  Candidates(const Program &Compiled, const RepairCosts &Costs, bool Assembly, const EditScope &Scope);

  /// The numbers of all candidates that can prevent one of the delays. The violation is one of the program itself: its
  /// pcs are.
  std::vector<uint32_t> against(const Violation &V);

  const Candidate &operator[](uint32_t Number) const { return All[Number]; }
  uint32_t size() const { return static_cast<uint32_t>(All.size()); }

  /// All instructions that stand for the same text as this one, itself among them.
  const std::vector<uint32_t> &copiesOf(uint32_t Pc) const { return Copies[CopyOf[Pc]]; }
  /// The place in the text of an instruction; line 0 if it is not to be changed there.
  SourceLocation textOf(uint32_t Pc) const;
  const FileRanks &files() const { return Ranks; }

private:
  /// The user's view of a call stack: also calls that were inlined are calls.
  struct Level {
    uint32_t Location; // index into Program::Locations
    uint32_t Pc;       // in the frame that holds it
    uint32_t Frame;
    uint32_t Depth; // index into the locations of Pc, from the outside
  };
  struct View {
    std::vector<Level> Levels; // those where the text can be changed
    bool Whole = false;        // the last one is the access, or the call of a function that only wraps it
    uint32_t Wrappers = 0;     // so many calls from there on
  };

  View view(const DelayPath::CallStack &Stack) const;
  std::vector<uint32_t> chainOf(uint32_t Pc) const;
  bool sameCalls(uint32_t A, uint32_t B, uint32_t Levels) const;
  SourceLocation locationOf(uint32_t Location) const;
  bool isEditable(uint32_t Location) const;
  void findCopies();

  void addFences(const Violation &V, const DelayPath &Path, uint32_t Gap, std::vector<uint32_t> &Found);
  void addOrders(const Violation &V, const DelayPath &Path, uint32_t Index, std::vector<uint32_t> &Found);
  void addOrder(uint32_t Pc, Order To, MemoryModel Under, std::vector<uint32_t> &Found);
  void addAtomic(const Violation &V, std::vector<uint32_t> &Found);
  struct FencePoint {
    ProgramPoint Where;
    uint32_t Levels; // how many inlined calls, from the inside, belong to the text of the place; 1: none
    InsertFence Text;
    uint32_t Penalty;       // places of the same cost are preferred in this order
    uint32_t File;          // index into Program::Files
    bool Elsewhere = false; // in the function a thread begins with, which leaves the access to another one
  };
  std::vector<FencePoint> placesBetween(const DelayPath::CallStack &Earlier, const DelayPath::CallStack &Later);
  void addPlacesInFrame(const View &A, const View &B, uint32_t Common, std::vector<FencePoint> &Found);
  std::vector<uint32_t> wayBetween(uint32_t From, uint32_t To) const;
  uint32_t nextThatMatters(ProgramPoint Where) const;
  bool onEveryWay(uint32_t From, uint32_t To, uint32_t Through) const;
  uint32_t functionOf(uint32_t Pc) const;
  uint32_t intern(Candidate C);

  const Program &Compiled;
  const RepairCosts Costs;
  const bool Assembly;
  const FileRanks Ranks;
  std::vector<bool> Spins;
  std::vector<uint32_t> Predecessors; // per instruction: how many
  std::vector<uint32_t> Entries;      // of functions, sorted
  std::vector<uint32_t> CopyOf;       // per instruction: index into Copies
  std::vector<std::vector<uint32_t>> Copies;
  std::vector<Candidate> All;
  using Key = std::tuple<bool, FenceKind, Order, std::vector<ProgramPoint>, std::string, uint32_t, uint32_t>;
  std::map<Key, uint32_t> Numbers;
  std::map<std::pair<DelayPath::CallStack, DelayPath::CallStack>, std::vector<FencePoint>> Known;
};

} // namespace picket
