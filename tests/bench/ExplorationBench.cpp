// How fast exploration is: executions per second on programs with known totals, what relaxation costs where it changes
// nothing, and how the time of one execution grows with its length. Programs are compiled once, outside the timing.
//
//   picket_bench                                    executions/s and nanoseconds per event
//   picket_bench --benchmark_filter=Executions      executions/s
//   picket_bench --benchmark_filter=OneExecution    nanoseconds per event
//   picket_bench --benchmark_filter=ManyRaces       time to plan for the races of one execution
//   picket_bench --relaxation [name]                time relative to SC, robust programs of tests/programs
//   picket_bench --monitoring [name]                time of SC with monitors relative to SC without
//   picket_bench --monitor-growth                   time of one execution per event, with and without monitors
#include "bench/MonitorGrowth.h"
#include "bench/Monitoring.h"
#include "bench/Relaxation.h"
#include "litmus/LitmusReader.h"
#include "support/Graphs.h"
#include "support/TenWrites.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <set>

namespace picket {
namespace {

struct Subject {
  const char *Name;
  const char *File; // in tests/programs
  std::vector<std::string> Flags;
};

ExplorationResult exploreAll(const Program &P, MemoryModel Buffers) {
  ExplorationResult Result = testing::explore(P, Buffers);
  if (Result.SleepSetBlocked || Result.FailedWakeups || Result.Ended != ExplorationResult::End::Everything)
    throw std::runtime_error("the exploration is not optimal or not complete");
  return Result;
}

/// What is kept of an execution while it is explored: at the most, and of how many events.
struct Size : ExplorationObserver {
  size_t Bytes = 0, Events = 0;
  void ended(Execution &E, Ending) override {
    Bytes = std::max(Bytes, E.bytes() + E.configuration().machine().undo().bytes());
    Events = std::max<size_t>(Events, E.length());
  }
  void restarted() override { *this = Size(); }
};

/// executions, and steps taken for them: of one exploration; bytes: of one execution; executions/s: per second of
/// processor time, which other work disturbs least.
void benchExecutions(benchmark::State &State, const Subject &S, MemoryModel Buffers) {
  const Program P = testing::compile(testing::requestForProgram(S.File, S.Flags));
  Size OfOne;
  exploreOptimally(P, testing::exhaustively(Buffers), OfOne);
  uint64_t Total = 0;
  ExplorationResult Result;
  for (auto _ : State) {
    Result = exploreAll(P, Buffers);
    Total += Result.Executions;
  }
  State.counters["executions"] = static_cast<double>(Result.Executions);
  State.counters["steps"] = static_cast<double>(Result.Steps);
  State.counters["bytes"] = static_cast<double>(OfOne.Bytes);
  State.counters["executions/s"] = benchmark::Counter(static_cast<double>(Total), benchmark::Counter::kIsRate);
}

struct Unobserved : GraphObserver {
  void ended(GraphRun &, Ending) override {}
};

/// The same under POWER. Rejected branches are time spent for nothing.
void benchGraphs(benchmark::State &State, const Program &P) {
  uint64_t Total = 0;
  ExplorationResult Result;
  for (auto _ : State) {
    Unobserved Nobody;
    Result = exploreGraphs(P, MemoryModel::Power, testing::exhaustively(MemoryModel::SC), Nobody);
    if (Result.FailedWakeups || Result.Ended != ExplorationResult::End::Everything)
      throw std::runtime_error("the exploration is not complete");
    Total += Result.Executions;
  }
  State.counters["executions"] = static_cast<double>(Result.Executions);
  State.counters["rejected"] = static_cast<double>(Result.RejectedBranches);
  State.counters["executions/s"] = benchmark::Counter(static_cast<double>(Total), benchmark::Counter::kIsRate);
}

void benchTenWrites(benchmark::State &State, const char *Fence) {
  LitmusReading Reading = readLitmus(testing::tenWrites(Fence), "SB+10W.litmus");
  if (!Reading.Test)
    throw std::runtime_error(Reading.Problem);
  benchGraphs(State, Reading.Test->Code);
}

/// Programs with one execution of about N events. Cells of one array are shared memory as a whole, so that every access
/// is an event although no two threads touch the same cell.
const char *const Disjoint =
    "#include <pthread.h>\nvolatile int cells[2];\n"
    "void *t(void *p) { for (int i = 0; i < N / 2; i++) cells[(long)p] = i; return 0; }\n"
    "int main(void) { pthread_t a, b; pthread_create(&a, 0, t, (void *)0);\n"
    "  pthread_create(&b, 0, t, (void *)1); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";

const char *const Alternating = "#include <pthread.h>\n#include <semaphore.h>\nsem_t s[2]; int x;\n"
                                "void *t(void *p) { long me = (long)p; for (int i = 0; i < N / 8; i++) {\n"
                                "  sem_wait(&s[me]); x++; sem_post(&s[1 - me]); } return 0; }\n"
                                "int main(void) { pthread_t a, b; sem_init(&s[0], 0, 1); sem_init(&s[1], 0, 0);\n"
                                "  pthread_create(&a, 0, t, (void *)0); pthread_create(&b, 0, t, (void *)1);\n"
                                "  pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";

/// s/event: flat if the time of an execution is linear in its length. Starting over once more is shared is included.
void benchOneExecution(benchmark::State &State, const char *Text, MemoryModel Buffers) {
  const Program P = testing::compile(testing::requestForText(Text, {"-DN=" + std::to_string(State.range(0))}));
  Size OfIt;
  uint64_t Total = 0;
  for (auto _ : State) {
    OfIt = Size();
    ExplorationOptions Options = testing::exhaustively(Buffers);
    Options.Machine.QuietAccesses = false; // it is steps that are to be many
    ExplorationResult Result = exploreOptimally(P, Options, OfIt);
    if (Result.Executions != 1)
      State.SkipWithError("more than one execution");
    Total += OfIt.Events;
  }
  State.counters["events"] = static_cast<double>(OfIt.Events);
  State.counters["bytes/event"] = static_cast<double>(OfIt.Bytes) / static_cast<double>(OfIt.Events);
  State.counters["s/event"] =
      benchmark::Counter(static_cast<double>(Total), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// Two threads that write the same N cells in the same order: N races in the first execution.
const char *const ManyRaces = "#include <pthread.h>\nvolatile int cells[N];\n"
                              "void *t(void *p) { for (int i = 0; i < N; i++) cells[i] = (long)p; return 0; }\n"
                              "int main(void) { pthread_t a, b; pthread_create(&a, 0, t, (void *)1);\n"
                              "  pthread_create(&b, 0, t, (void *)2); return 0; }\n";

struct StopAtSecond : ExplorationObserver {
  struct Reached {};
  unsigned Executions = 0;
  void ended(Execution &, Ending) override {
    if (++Executions == 2)
      throw Reached();
  }
  void restarted() override { Executions = 0; }
};

/// How long it takes to plan for the races of one long execution: the time until the second one ends.
void benchManyRaces(benchmark::State &State, MemoryModel Buffers) {
  const Program P = testing::compile(testing::requestForText(ManyRaces, {"-DN=" + std::to_string(State.range(0))}));
  for (auto _ : State) {
    StopAtSecond Stop;
    try {
      exploreOptimally(P, testing::exhaustively(Buffers), Stop);
      State.SkipWithError("there is only one execution");
    } catch (const StopAtSecond::Reached &) {
    }
  }
}

void registerAll() {
  const Subject Speed[] = {
      {"writers8", "writers", {"-DN=8"}},
      {"fib", "fib", {}},
      {"fibJoin", "fib", {"-DJOIN"}},
      {"sbloop5", "sbloop", {"-DK=5"}},
      {"sbloop6", "sbloop", {"-DK=6"}},
      {"mutexCounter5", "mutex_counter", {"-DN=5"}},
      {"lastzero10", "lastzero", {"-DN=10"}},
      {"lastzero15", "lastzero", {"-DN=15"}},
      {"queue", "ms_queue", {}},
  };
  for (const Subject &S : Speed)
    for (MemoryModel Buffers : testing::AllModels)
      benchmark::RegisterBenchmark((std::string("Executions/") + S.Name + "/" + titleOf(Buffers)).c_str(),
                                   [S, Buffers](benchmark::State &State) { benchExecutions(State, S, Buffers); })
          ->Unit(benchmark::kMillisecond);
  for (const Subject &S : Speed)
    if (std::set<std::string>{"fib", "sbloop6", "lastzero15"}.count(S.Name) == 0) // those take minutes
      benchmark::RegisterBenchmark((std::string("Executions/") + S.Name + "/POWER").c_str(),
                                   [S](benchmark::State &State) {
                                     benchGraphs(State, testing::compile(testing::requestForProgram(S.File, S.Flags)));
                                   })
          ->Unit(benchmark::kMillisecond);
  for (auto [Name, Fence] : {std::pair("sb10wSyncs", "sync"), std::pair("sb10w", "nop")})
    benchmark::RegisterBenchmark((std::string("Executions/") + Name + "/POWER").c_str(), [Fence](
                                                                                             benchmark::State &State) {
      benchTenWrites(State, Fence);
    })->Unit(benchmark::kMillisecond);
  for (auto [Name, Text] : {std::pair("disjoint", Disjoint), std::pair("alternating", Alternating)})
    for (MemoryModel Buffers : testing::AllModels)
      benchmark::RegisterBenchmark(
          (std::string("OneExecution/") + Name + "/" + titleOf(Buffers)).c_str(),
          [Text, Buffers](benchmark::State &State) { benchOneExecution(State, Text, Buffers); })
          ->Unit(benchmark::kMillisecond)
          ->Arg(10'000)
          ->Arg(30'000)
          ->Arg(100'000);
  for (MemoryModel Buffers : {MemoryModel::SC, MemoryModel::TSO}) // PSO: too many locations in contention
    benchmark::RegisterBenchmark((std::string("ManyRaces/") + titleOf(Buffers)).c_str(),
                                 [Buffers](benchmark::State &State) { benchManyRaces(State, Buffers); })
        ->Unit(benchmark::kMillisecond)
        ->Arg(1'000)
        ->Arg(2'000)
        ->Arg(4'000)
        ->Arg(8'000)
        ->Arg(16'000);
}

} // namespace
} // namespace picket

int main(int Count, char **Arguments) {
  if (Count > 1 && std::string(Arguments[1]) == "--relaxation")
    return picket::printRelaxation(Count > 2 ? Arguments[2] : "");
  if (Count > 1 && std::string(Arguments[1]) == "--monitor-growth")
    return picket::printMonitorGrowth();
  if (Count > 1 && std::string(Arguments[1]) == "--monitoring")
    return picket::printMonitoring(Count > 2 ? Arguments[2] : "");
  benchmark::Initialize(&Count, Arguments);
  if (benchmark::ReportUnrecognizedArguments(Count, Arguments))
    return 1;
  picket::registerAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
