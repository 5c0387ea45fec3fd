// Random programs whose threads end with values that only POWER allows: with the fences of a fix the axioms, applied to
// every candidate execution, do not allow them any more, and with a part of the fences they do.
#include "fences/Fix.h"
#include "property/Environment.h"
#include "property/PowerBruteForce.h"
#include "support/Repairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace picket {
namespace {

using testing::PowerInstruction;
using testing::PowerPalette;
using testing::PowerProgram;

constexpr uint64_t MostCandidates = 20000;

using Registers = std::vector<std::vector<int>>;

/// What the threads can have in their registers in the end.
std::optional<std::set<Registers>> finalRegisters(const PowerProgram &P) {
  const auto All = testing::bruteForce(P, MostCandidates);
  if (!All)
    return std::nullopt;
  std::set<Registers> Result;
  for (const auto &[X, Times] : *All)
    Result.insert(X.Registers);
  return Result;
}

/// With a sync everywhere only SC is left.
PowerProgram fencedEverywhere(const PowerProgram &P) {
  PowerProgram Result = P;
  for (auto &Thread : Result.Threads) {
    std::vector<PowerInstruction> Fenced;
    for (const PowerInstruction &I : Thread) {
      Fenced.push_back(I);
      Fenced.push_back({.What = PowerInstruction::Sync});
    }
    Thread = std::move(Fenced);
  }
  return Result;
}

/// The program in C, one instruction on a line, and on which.
struct CText {
  std::string Text;
  std::map<uint32_t, std::pair<size_t, size_t>> Lines; // thread and instruction
};

std::string print(const PowerInstruction &I) {
  const std::string X = {"xyz"[I.Location]};
  switch (I.What) {
  case PowerInstruction::Load: return "r" + std::to_string(I.Register) + " = " + X;
  case PowerInstruction::Store:
    if (I.From < 0)
      return X + " = " + std::to_string(I.Value);
    return X + " = " + (I.Fake ? "(r" + std::to_string(I.From) + " & 64)" : "r" + std::to_string(I.From)) + " + " +
           std::to_string(I.Value);
  case PowerInstruction::Sync: return "__sync_synchronize()";
  default: return "__atomic_thread_fence(__ATOMIC_ACQ_REL)"; // LwSync
  }
}

CText textOf(const PowerProgram &P, const Registers &Forbidden) {
  CText C;
  uint32_t Line = 1;
  auto Add = [&](const std::string &Text) {
    C.Text += Text + "\n";
    ++Line;
  };
  Add("#include <assert.h>");
  Add("#include <pthread.h>");
  Add("volatile int x, y, z;");
  std::string Condition;
  for (size_t T = 0; T < P.Threads.size(); ++T) {
    const std::string Name = "end" + std::to_string(T);
    Add("int " + Name + "[4];");
    Add("void *thread" + std::to_string(T) + "(void *p) {");
    Add("  int r0 = 0, r1 = 0, r2 = 0, r3 = 0;");
    for (size_t K = 0; K < P.Threads[T].size(); ++K) {
      C.Lines[Line] = {T, K};
      Add("  " + print(P.Threads[T][K]) + ";");
    }
    for (unsigned R = 0; R < PowerProgram::Registers; ++R) {
      if (std::none_of(P.Threads[T].begin(), P.Threads[T].end(),
                       [&](const PowerInstruction &I) { return I.What == PowerInstruction::Load && I.Register == R; }))
        continue;
      const std::string Cell = Name + "[" + std::to_string(R) + "]";
      Add("  " + Cell + " = r" + std::to_string(R) + ";");
      Condition += (Condition.empty() ? "" : " && ") + Cell + " == " + std::to_string(Forbidden[T][R]);
    }
    Add("  return p;");
    Add("}");
  }
  Add("int main(void) {");
  Add("  pthread_t t[" + std::to_string(P.Threads.size()) + "];");
  for (const char *Call : {"pthread_create(&t[%], 0, thread%, 0)", "pthread_join(t[%], 0)"})
    for (size_t T = 0; T < P.Threads.size(); ++T) {
      std::string Text = Call;
      for (size_t At; (At = Text.find('%')) != std::string::npos;)
        Text.replace(At, 1, std::to_string(T));
      Add("  " + Text + ";");
    }
  Add("  assert(!(" + Condition + "));");
  Add("}");
  return C;
}

/// The fences of a fix, as instructions. Nothing if one of them is not at an instruction of the program.
std::optional<PowerProgram> withFences(const PowerProgram &P, const CText &C,
                                       const std::vector<SourceChange> &Changes) {
  std::map<std::pair<size_t, size_t>, std::vector<PowerInstruction>> InFront; // of thread and instruction
  for (const SourceChange &Change : Changes) {
    const auto *New = std::get_if<InsertFence>(&Change);
    if (!New)
      return std::nullopt;
    auto At = C.Lines.find((New->NearLater ? New->Later : New->Earlier).Line);
    if (At == C.Lines.end())
      return std::nullopt;
    auto [Thread, K] = At->second;
    PowerInstruction Fence;
    Fence.What = New->Kind == FenceKind::Full ? PowerInstruction::Sync : PowerInstruction::LwSync;
    InFront[{Thread, K + !New->NearLater}].push_back(Fence);
  }
  PowerProgram Result;
  for (size_t T = 0; T < P.Threads.size(); ++T) {
    auto &Thread = Result.Threads.emplace_back();
    for (size_t K = 0; K <= P.Threads[T].size(); ++K) {
      for (const PowerInstruction &Fence : InFront[{T, K}])
        Thread.push_back(Fence);
      if (K < P.Threads[T].size())
        Thread.push_back(P.Threads[T][K]);
    }
  }
  return Result;
}

struct PossibleFence {
  PowerInstruction::Kind What;
  unsigned Cost;
};

/// Whether fences that cost at most so much make the state impossible, wherever they are put: from a place on.
bool fencesWork(const PowerProgram &P, const Registers &Forbidden, const std::vector<PossibleFence> &Kinds,
                unsigned Budget, size_t Thread = 0, size_t From = 1) {
  if (const auto All = finalRegisters(P); All && !All->contains(Forbidden))
    return true;
  for (size_t T = Thread; T < P.Threads.size(); ++T)
    for (size_t K = T == Thread ? From : 1; K < P.Threads[T].size(); ++K)
      for (const PossibleFence &Fence : Kinds) {
        if (Fence.Cost > Budget)
          continue;
        PowerProgram More = P;
        More.Threads[T].insert(More.Threads[T].begin() + static_cast<ptrdiff_t>(K), {.What = Fence.What});
        if (fencesWork(More, Forbidden, Kinds, Budget - Fence.Cost, T, K + 2))
          return true;
      }
  return false;
}

std::string problemOf(const PowerProgram &P, const Registers &Forbidden, bool Cheapest) {
  const CText C = textOf(P, Forbidden);
  FixOptions Options;
  Options.Check = testing::optionsFor({MemoryModel::Power});
  Options.Cheapest = Cheapest;
  Options.MaxAlternatives = 1;
  const FixReport Report = findFixes(testing::requestForText(C.Text), Options);
  if (Report.What != EditOutcome::Found)
    return "not fixed: " + Report.Reason + "\n" + C.Text;
  const Fix &Best = Report.Fixes.front();
  std::string Told = titleOf(Best, 8) + "\n";
  for (const SourceChange &Change : Best.Changes)
    Told += describe(Change) + "\n";
  Told += C.Text;
  if (!Best.Minimal)
    return "not proved to be minimal: " + Told;
  auto Allows = [&](const std::vector<SourceChange> &Changes) -> std::optional<bool> {
    const std::optional<PowerProgram> Fenced = withFences(P, C, Changes);
    const auto All = Fenced ? finalRegisters(*Fenced) : std::nullopt;
    return All ? std::optional(All->contains(Forbidden)) : std::nullopt;
  };
  if (Allows(Best.Changes) != false)
    return "the axioms still allow it: " + Told;
  for (size_t Out = 0; Out < Best.Changes.size(); ++Out) {
    std::vector<SourceChange> Fewer = Best.Changes;
    Fewer.erase(Fewer.begin() + static_cast<ptrdiff_t>(Out));
    if (Allows(Fewer) != true)
      return "'" + describe(Best.Changes[Out]) + "' is not needed: " + Told;
  }
  if (fencesWork(P, Forbidden, {{PowerInstruction::Sync, 1}}, static_cast<unsigned>(Best.Changes.size()) - 1))
    return "fewer fences are enough: " + Told;
  const RepairCosts Costs;
  if (Cheapest && fencesWork(P, Forbidden,
                             {{PowerInstruction::Sync, Costs.FullFence}, {PowerInstruction::LwSync, Costs.LightFence}},
                             static_cast<unsigned>(Best.Cost / CostUnit) - 1))
    return "cheaper fences are enough: " + Told;
  if (Cheapest && !Best.Cheapest)
    return "not proved to be cheapest: " + Told;
  return "";
}

void expectRepairs(const PowerPalette &From, unsigned Buggy, unsigned Seed, bool Cheapest) {
  Buggy = testing::programsOr(Buggy);
  Seed = testing::seedOr(Seed);
  std::mt19937 Random(Seed);
  unsigned Found = 0;
  while (Found < Buggy) {
    const PowerProgram P = testing::makePowerCycle(Random, From);
    const auto Relaxed = finalRegisters(P), Sequential = finalRegisters(fencedEverywhere(P));
    if (!Relaxed || !Sequential)
      continue;
    for (const Registers &State : *Relaxed)
      if (!Sequential->contains(State)) {
        ASSERT_EQ(problemOf(P, State, Cheapest), "") << "seed " << Seed;
        ++Found;
        break;
      }
  }
}

using Palette = PowerPalette;
const Palette Fences = {.Ties = {Palette::Loose, Palette::Loose, Palette::LwSyncTie, Palette::DataTie}};

TEST(RandomPowerRepair, IsMinimal) { expectRepairs(Fences, 150, 81, false); }
TEST(RandomPowerRepair, IsCheapest) { expectRepairs(Fences, 100, 82, true); }

} // namespace
} // namespace picket
