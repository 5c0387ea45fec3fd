#include "bench/Relaxation.h"

#include "bench/Subjects.h"
#include "support/Explore.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace picket {
namespace {

constexpr size_t NumModels = std::size(testing::AllModels);
constexpr double Bound = 1.3;           // times the SC time
constexpr double SecondsPerModel = .05; // measured at least
constexpr double SecondsPerBatch = .002;
constexpr unsigned LeastRounds = 5, MostRounds = 30;

struct Times {
  uint64_t Executions = 0;
  std::array<double, NumModels> Seconds = {}; // of one exploration
};

/// Nothing if the program is not robust.
std::optional<Times> measure(const Subject &S) {
  const Program P = testing::compile(testing::requestForProgram(S.Name, S.Flags));
  std::array<unsigned, NumModels> PerBatch;
  Times Result;
  for (size_t K = 0; K < NumModels; ++K) {
    double Start = processorSeconds();
    ExplorationResult R = testing::explore(P, testing::AllModels[K], S.Unroll);
    double Took = processorSeconds() - Start;
    uint64_t Executions = R.Executions + R.Blocked + R.Cut;
    if (K == 0)
      Result.Executions = Executions;
    if (R.Ended != ExplorationResult::End::Everything || Executions != Result.Executions)
      return std::nullopt;
    PerBatch[K] = static_cast<unsigned>(std::max(1., SecondsPerBatch / Took));
    Result.Seconds[K] = Took;
  }
  // The models take turns, so that a disturbance hits them alike, and the quickest turn is the one least disturbed.
  // One that looks bad gets more turns: on a machine that is busy the quickest SC turn can be luck.
  std::array<double, NumModels> Total = {};
  auto LooksBad = [&] { return std::max(Result.Seconds[1], Result.Seconds[2]) > Bound * Result.Seconds[0]; };
  for (unsigned Round = 0; Round < LeastRounds || *std::min_element(Total.begin(), Total.end()) < SecondsPerModel ||
                           (LooksBad() && Round < MostRounds);
       ++Round)
    for (size_t K = 0; K < NumModels; ++K) {
      double Start = processorSeconds();
      for (unsigned Times = 0; Times < PerBatch[K]; ++Times)
        testing::explore(P, testing::AllModels[K], S.Unroll);
      double Took = processorSeconds() - Start;
      Total[K] += Took;
      Result.Seconds[K] = std::min(Result.Seconds[K], Took / PerBatch[K]);
    }
  return Result;
}

} // namespace

int printRelaxation(const std::string &Filter) {
  std::printf("%-50s %11s %10s %8s %8s\n", "program", "executions", "SC ms", "TSO/SC", "PSO/SC");
  unsigned Robust = 0, Above = 0;
  double Worst = 0;
  std::string WorstName;
  for (const Subject &S : allSubjects()) {
    if (S.text().find(Filter) == std::string::npos)
      continue;
    std::optional<Times> T = measure(S);
    if (!T)
      continue;
    double Tso = T->Seconds[1] / T->Seconds[0], Pso = T->Seconds[2] / T->Seconds[0], Larger = std::max(Tso, Pso);
    std::printf("%-50s %11llu %10.3f %8.2f %8.2f%s\n", S.text().c_str(), static_cast<unsigned long long>(T->Executions),
                T->Seconds[0] * 1e3, Tso, Pso, Larger > Bound ? "  above" : "");
    std::fflush(stdout);
    ++Robust;
    Above += Larger > Bound;
    if (Larger > Worst) {
      Worst = Larger;
      WorstName = S.text();
    }
  }
  std::printf("%u robust programs, %u above %.1f; worst: %.2f (%s)\n", Robust, Above, Bound, Worst, WorstName.c_str());
  return Above ? 1 : 0;
}

} // namespace picket
