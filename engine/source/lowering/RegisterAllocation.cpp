#include "source/lowering/RegisterAllocation.h"

#include "program/Operands.h"

#include <algorithm>
#include <map>

namespace picket {
namespace {

/// Calls `F(Operand &, Slots)` for every slot operand an instruction reads, but for Dst.
template <typename Visitor> void forEachUse(VirtualCode &Code, Instruction &I, Visitor F) {
  OperandShape Shape = shapeOf(I);
  auto Visit = [&](Operand &O, unsigned Slots) {
    if (Slots != 0 && O >= 0)
      F(O);
  };
  Visit(I.A, Shape.A);
  Visit(I.B, Shape.B);
  Visit(I.C, Shape.C);
  if (Shape.HasArguments)
    for (int32_t K = 0; K < I.C; ++K)
      Visit(Code.Arguments[I.B + K], 1);
}

/// Positions count two per instruction: operands are read at the even one, results written at the odd one.
struct Segment {
  uint32_t From, To; // half open
};

class Allocator {
public:
  explicit Allocator(VirtualCode &Code) : Code(Code) {}

  void run() {
    numberBlocks();
    findLiveness();
    buildSegments();
    assign();
    rewrite();
  }

private:
  uint32_t position(uint32_t Instruction) const { return 2 * Instruction + 2; }

  bool definesAll(const Instruction &I, const OperandShape &Shape) const {
    return Shape.Dst != 0 && !Shape.ReadsDst && Code.GroupOf[I.Dst] == static_cast<uint32_t>(I.Dst);
  }

  void numberBlocks() {
    uint32_t Next = 0;
    for (const VirtualBlock &Block : Code.Blocks) {
      First.push_back(Next);
      Next += static_cast<uint32_t>(Block.Code.size());
    }
    First.push_back(Next);
  }

  /// Where a group is live between blocks. Most values live and die inside one, so each of the others is followed
  /// backwards on its own, from the blocks that read it before they write it to those that write it.
  void findLiveness() {
    struct Crossing {
      std::vector<uint32_t> ReadFirst, Written; // blocks
    };
    std::vector<Crossing> Groups(Code.GroupOf.size());
    std::vector<std::vector<BlockId>> Predecessors(Code.Blocks.size());
    for (BlockId B = 0; B < Code.Blocks.size(); ++B) {
      forEachTarget(Code, Code.Blocks[B], [&](BlockId Target) { Predecessors[Target].push_back(B); });
      for (Instruction &I : Code.Blocks[B].Code) {
        OperandShape Shape = shapeOf(I);
        auto Read = [&](Operand O) {
          Crossing &G = Groups[Code.GroupOf[O]];
          bool WrittenHere = !G.Written.empty() && G.Written.back() == B;
          if (!WrittenHere && (G.ReadFirst.empty() || G.ReadFirst.back() != B))
            G.ReadFirst.push_back(B);
        };
        forEachUse(Code, I, Read);
        if (Shape.Dst == 0)
          continue;
        if (!definesAll(I, Shape))
          Read(I.Dst);
        std::vector<uint32_t> &Written = Groups[Code.GroupOf[I.Dst]].Written;
        if (Written.empty() || Written.back() != B)
          Written.push_back(B);
      }
    }
    LiveOut.resize(Code.Blocks.size());
    constexpr uint32_t Nobody = UINT32_MAX;
    std::vector<uint32_t> WriterOf(Code.Blocks.size(), Nobody), InFor(WriterOf), OutFor(WriterOf);
    std::vector<BlockId> Work;
    for (uint32_t G = 0; G < Groups.size(); ++G) {
      if (Groups[G].ReadFirst.empty())
        continue;
      for (BlockId B : Groups[G].Written)
        WriterOf[B] = G;
      for (BlockId B : Groups[G].ReadFirst) {
        InFor[B] = G;
        Work.push_back(B);
      }
      while (!Work.empty()) {
        BlockId B = Work.back();
        Work.pop_back();
        for (BlockId P : Predecessors[B]) {
          if (OutFor[P] == G)
            continue;
          OutFor[P] = G;
          LiveOut[P].push_back(G);
          if (WriterOf[P] != G && InFor[P] != G) {
            InFor[P] = G;
            Work.push_back(P);
          }
        }
      }
    }
  }

  void addSegment(uint32_t Group, uint32_t From, uint32_t To) { Segments[Group].push_back({From, To}); }

  void buildSegments() {
    Segments.resize(Code.GroupOf.size());
    std::vector<uint32_t> End(Code.GroupOf.size(), 0); // 0: not live
    for (uint32_t B = 0; B < Code.Blocks.size(); ++B) {
      std::vector<Instruction> &Block = Code.Blocks[B].Code;
      std::vector<uint32_t> Touched;
      for (uint32_t G : LiveOut[B]) {
        End[G] = position(First[B + 1]);
        Touched.push_back(G);
      }
      for (uint32_t K = static_cast<uint32_t>(Block.size()); K-- > 0;) {
        Instruction &I = Block[K];
        uint32_t At = position(First[B] + K);
        OperandShape Shape = shapeOf(I);
        auto Read = [&](Operand O) {
          uint32_t G = Code.GroupOf[O];
          if (End[G] != 0)
            return;
          End[G] = At + 1;
          Touched.push_back(G);
        };
        if (Shape.Dst != 0) {
          uint32_t G = Code.GroupOf[I.Dst];
          if (End[G] == 0) // an unused result
            addSegment(G, At + 1, At + 2);
          else if (definesAll(I, Shape)) {
            addSegment(G, At + 1, End[G]);
            End[G] = 0;
          }
          if (!definesAll(I, Shape))
            Read(I.Dst);
        }
        forEachUse(Code, I, Read);
      }
      for (uint32_t G : Touched)
        if (End[G] != 0) {
          addSegment(G, B == 0 ? 0 : position(First[B]), End[G]);
          End[G] = 0;
        }
    }
    for (uint32_t P = 0; P < Code.NumParameters; ++P)
      if (Code.GroupSize[P] != 0)
        addSegment(P, 0, 1); // the caller writes it even if it is unused
    for (std::vector<Segment> &List : Segments)
      std::sort(List.begin(), List.end(), [](Segment A, Segment B) { return A.From < B.From; });
  }

  bool fits(uint32_t Slot, uint32_t Group) {
    while (Slot + Code.GroupSize[Group] > Occupied.size())
      Occupied.emplace_back();
    for (uint32_t K = 0; K < Code.GroupSize[Group]; ++K) {
      if (static_cast<int32_t>(Slot + K) == Code.FedSlot)
        return false;
      const std::map<uint32_t, uint32_t> &Taken = Occupied[Slot + K];
      for (Segment S : Segments[Group]) {
        auto Next = Taken.lower_bound(S.From);
        if (Next != Taken.end() && Next->first < S.To)
          return false;
        if (Next != Taken.begin() && std::prev(Next)->second > S.From)
          return false;
      }
    }
    return true;
  }

  void place(uint32_t Group, uint32_t Slot) {
    Home[Group] = static_cast<int32_t>(Slot);
    while (Slot + Code.GroupSize[Group] > Occupied.size())
      Occupied.emplace_back();
    for (uint32_t K = 0; K < Code.GroupSize[Group]; ++K) {
      for (Segment S : Segments[Group]) {
        uint32_t &To = Occupied[Slot + K][S.From];
        To = std::max(To, S.To);
      }
      Code.NumSlots = std::max(Code.NumSlots, Slot + K + 1);
    }
  }

  /// Groups a move connects: with the same home the move disappears.
  void findPartners() {
    Partners.resize(Code.GroupOf.size());
    for (VirtualBlock &Block : Code.Blocks)
      for (Instruction &I : Block.Code) {
        if ((I.Op != Opcode::Move && I.Op != Opcode::WideMove) || I.A < 0)
          continue;
        uint32_t To = Code.GroupOf[I.Dst], From = Code.GroupOf[I.A];
        if (Code.GroupSize[To] == Code.GroupSize[From] && I.Dst - To == I.A - From) {
          Partners[To].push_back(From);
          Partners[From].push_back(To);
        }
      }
  }

  void assign() {
    Home.assign(Code.GroupOf.size(), -1);
    Code.NumSlots = Code.NumParameters;
    if (Code.HasLoops) {
      Code.FedSlot = static_cast<int32_t>(Code.NumParameters);
      Code.NumSlots = Code.NumParameters + 1;
    }
    findPartners();
    std::vector<uint32_t> Order;
    for (uint32_t G = 0; G < Code.GroupOf.size(); ++G) {
      if (Code.GroupSize[G] == 0)
        continue;
      if (G < Code.NumParameters)
        place(G, G);
      else if (!Segments[G].empty())
        Order.push_back(G);
    }
    std::stable_sort(Order.begin(), Order.end(),
                     [&](uint32_t A, uint32_t B) { return Segments[A].front().From < Segments[B].front().From; });
    for (uint32_t G : Order) {
      for (uint32_t Partner : Partners[G])
        if (Home[G] < 0 && Home[Partner] >= 0 && fits(Home[Partner], G))
          place(G, Home[Partner]);
      for (uint32_t Slot = 0; Home[G] < 0; ++Slot)
        if (fits(Slot, G))
          place(G, Slot);
    }
  }

  Operand renamed(Operand O) const { return Home[Code.GroupOf[O]] + (O - static_cast<Operand>(Code.GroupOf[O])); }

  void rewrite() {
    for (VirtualBlock &Block : Code.Blocks) {
      size_t Kept = 0;
      for (size_t K = 0; K < Block.Code.size(); ++K) {
        Instruction I = Block.Code[K];
        forEachUse(Code, I, [&](Operand &O) { O = renamed(O); });
        if (shapeOf(I).Dst != 0)
          I.Dst = renamed(I.Dst);
        if (isLoopBack(I.Op))
          I.C = Code.FedSlot;
        if ((I.Op == Opcode::Move || I.Op == Opcode::WideMove) && I.Dst == I.A)
          continue;
        Block.Code[Kept] = I;
        Block.Locations[Kept++] = Block.Locations[K];
      }
      Block.Code.resize(Kept);
      Block.Locations.resize(Kept);
    }
  }

  VirtualCode &Code;
  std::vector<uint32_t> First;                // per block: number of its first instruction; one past the last block too
  std::vector<std::vector<uint32_t>> LiveOut; // per block: groups
  std::vector<std::vector<Segment>> Segments; // per group, where its slots are taken
  std::vector<std::vector<uint32_t>> Partners;        // per group
  std::vector<std::map<uint32_t, uint32_t>> Occupied; // per slot: from -> to
  std::vector<int32_t> Home;                          // per group: its first slot in the frame
};

} // namespace

void allocateRegisters(VirtualCode &Code) { Allocator(Code).run(); }

} // namespace picket
