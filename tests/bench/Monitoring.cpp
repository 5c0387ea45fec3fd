#include "bench/Monitoring.h"

#include "bench/Subjects.h"
#include "check/RobustnessCheck.h"
#include "support/Explore.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace picket {
namespace {

constexpr double MonitorBound = 1.15, VerdictsBound = 1.2; // times the SC time
constexpr double SecondsPerBatch = .005, LeastSeconds = .05;
constexpr unsigned LeastRounds = 7, MostRounds = 40;

enum Way : uint8_t { Sequential, Monitored, Verdicts, NumWays };

CheckOptions optionsFor(Way W, unsigned Unroll) {
  CheckOptions Options;
  Options.Models =
      W == Verdicts ? std::vector{MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO} : std::vector{MemoryModel::SC};
  Options.Unroll = Unroll;
  Options.Jobs = 1;
  Options.Monitor = W != Sequential;
  Options.Exhaustive = true;
  Options.MostWitnesses = 0;
  Options.Counterexamples = 0;
  return Options;
}

/// One check.
CheckReport checkOnce(const Subject &S, const Program &P, Way W) {
  const CheckOptions Options = optionsFor(W, S.Unroll);
  if (W == Monitored)
    return checkRobustness(S.Name, {P, {}}, robustnessOptionsOf(Options)).Explored;
  return checkCompiled(S.Name, {P, {}}, Options);
}

struct Times {
  uint64_t Executions = 0;
  bool Robust = false;
  std::array<double, NumWays> Seconds = {}; // of one check
};

Times measure(const Subject &S) {
  const Program P = testing::compile(testing::requestForProgram(S.Name, S.Flags));
  std::array<unsigned, NumWays> PerBatch;
  Times Result;
  for (size_t W = 0; W < NumWays; ++W) {
    const double Start = processorSeconds();
    const CheckReport Report = checkOnce(S, P, static_cast<Way>(W));
    Result.Seconds[W] = processorSeconds() - Start;
    PerBatch[W] = static_cast<unsigned>(std::max(1., SecondsPerBatch / Result.Seconds[W]));
    if (W == Sequential)
      Result.Executions = Report.Models[0].Executions;
    if (W == Verdicts)
      Result.Robust = Report.Models[1].FromSc && Report.Models[2].FromSc;
  }
  // The ways take turns, and the quickest turn is the one least disturbed; see Relaxation.cpp.
  auto LooksBad = [&] {
    return Result.Seconds[Monitored] > MonitorBound * Result.Seconds[Sequential] ||
           (Result.Robust && Result.Seconds[Verdicts] > VerdictsBound * Result.Seconds[Sequential]);
  };
  double Total = 0;
  for (unsigned Round = 0; Round < LeastRounds || Total < LeastSeconds || (LooksBad() && Round < MostRounds); ++Round)
    for (size_t W = 0; W < NumWays; ++W) {
      if (W == Verdicts && !Result.Robust)
        continue;
      const double Start = processorSeconds();
      for (unsigned Times = 0; Times < PerBatch[W]; ++Times)
        checkOnce(S, P, static_cast<Way>(W));
      const double Took = processorSeconds() - Start;
      Total += Took / static_cast<double>(NumWays);
      Result.Seconds[W] = std::min(Result.Seconds[W], Took / PerBatch[W]);
    }
  return Result;
}

} // namespace

int printMonitoring(const std::string &Filter) {
  std::printf("%-50s %11s %10s %10s %10s\n", "program", "executions", "SC ms", "monitored", "verdicts");
  unsigned Programs = 0, Above = 0;
  std::array<double, NumWays> Sum = {};
  for (const Subject &S : allSubjects()) {
    if (S.text().find(Filter) == std::string::npos)
      continue;
    const Times T = measure(S);
    const double Monitor = T.Seconds[Monitored] / T.Seconds[Sequential];
    const double All = T.Robust ? T.Seconds[Verdicts] / T.Seconds[Sequential] : 0;
    const bool Bad = Monitor > MonitorBound || All > VerdictsBound;
    std::printf("%-50s %11llu %10.3f %10.2f ", S.text().c_str(), static_cast<unsigned long long>(T.Executions),
                T.Seconds[Sequential] * 1e3, Monitor);
    if (T.Robust)
      std::printf("%10.2f%s\n", All, Bad ? "  above" : "");
    else
      std::printf("%10s%s\n", "-", Bad ? "  above" : "");
    std::fflush(stdout);
    ++Programs;
    Above += Bad;
    Sum[Sequential] += T.Seconds[Sequential];
    Sum[Monitored] += T.Seconds[Monitored];
  }
  std::printf("%u programs, %u above %.2f or %.2f; all together: %.3f\n", Programs, Above, MonitorBound, VerdictsBound,
              Sum[Monitored] / Sum[Sequential]);
  return Above ? 1 : 0;
}

} // namespace picket
