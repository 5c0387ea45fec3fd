// How fast exploration is: executions per second on programs with known totals, what relaxation costs where it changes
// nothing, and how the time of one execution grows with its length. Programs are compiled once, outside the timing.
//
//   picket_bench                                    everything
//   picket_bench --benchmark_filter=Executions      executions/s
//   picket_bench --benchmark_filter=Relaxation      time relative to SC, robust programs
//   picket_bench --benchmark_filter=OneExecution    nanoseconds per event
#include "support/Explore.h"

#include <benchmark/benchmark.h>

#include <chrono>

namespace picket {
namespace {

struct Subject {
  const char *Name;
  const char *File; // in tests/programs
  std::vector<std::string> Flags;
};

ExplorationResult exploreAll(const Program &P, Buffering Buffers) {
  ExplorationResult Result = testing::explore(P, Buffers);
  if (Result.SleepSetBlocked || Result.FailedWakeups || Result.Ended != ExplorationResult::End::Everything)
    throw std::runtime_error("the exploration is not optimal or not complete");
  return Result;
}

/// executions: of one exploration; executions/s: per second of processor time, which other work disturbs least.
void benchExecutions(benchmark::State &State, const Subject &S, Buffering Buffers) {
  const Program P = testing::compile(testing::requestForProgram(S.File, S.Flags));
  uint64_t Executions = 0, Total = 0;
  for (auto _ : State)
    Total += Executions = exploreAll(P, Buffers).Executions;
  State.counters["executions"] = static_cast<double>(Executions);
  State.counters["executions/s"] = benchmark::Counter(static_cast<double>(Total), benchmark::Counter::kIsRate);
}

double processorSeconds() {
  timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) + 1e-9 * static_cast<double>(Now.tv_nsec);
}

/// tso/sc, pso/sc: ratios of the times of whole explorations of a program with the same traces under all models. The
/// models take turns, so that a disturbance hits them alike.
void benchRelaxation(benchmark::State &State, const Subject &S) {
  const Program P = testing::compile(testing::requestForProgram(S.File, S.Flags));
  double Seconds[3] = {};
  uint64_t Executions[3] = {};
  for (auto _ : State)
    for (size_t K = 0; K < 3; ++K) {
      double Start = processorSeconds();
      Executions[K] = exploreAll(P, testing::AllModels[K]).Executions;
      Seconds[K] += processorSeconds() - Start;
    }
  if (Executions[1] != Executions[0] || Executions[2] != Executions[0]) {
    State.SkipWithError("the program is not robust");
    return;
  }
  State.counters["executions"] = static_cast<double>(Executions[0]);
  State.counters["tso/sc"] = Seconds[1] / Seconds[0];
  State.counters["pso/sc"] = Seconds[2] / Seconds[0];
}

/// Programs with one execution of about N events. Cells of one array are shared memory as a whole, so that every access is
/// an event although no two threads touch the same cell.
const char *const Disjoint = "#include <pthread.h>\nvolatile int cells[2];\n"
                             "void *t(void *p) { for (int i = 0; i < N / 2; i++) cells[(long)p] = i; return 0; }\n"
                             "int main(void) { pthread_t a, b; pthread_create(&a, 0, t, (void *)0);\n"
                             "  pthread_create(&b, 0, t, (void *)1); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";

const char *const Alternating =
    "#include <pthread.h>\n#include <semaphore.h>\nsem_t s[2]; int x;\n"
    "void *t(void *p) { long me = (long)p; for (int i = 0; i < N / 8; i++) {\n"
    "  sem_wait(&s[me]); x++; sem_post(&s[1 - me]); } return 0; }\n"
    "int main(void) { pthread_t a, b; sem_init(&s[0], 0, 1); sem_init(&s[1], 0, 0);\n"
    "  pthread_create(&a, 0, t, (void *)0); pthread_create(&b, 0, t, (void *)1);\n"
    "  pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";

struct CountEvents : ExplorationObserver {
  uint64_t Events = 0;
  void ended(Execution &E, Ending) override { Events += E.length(); }
  void restarted() override { Events = 0; }
};

/// ns/event: flat if the time of an execution is linear in its length. Starting over once more is shared is included.
void benchOneExecution(benchmark::State &State, const char *Text, Buffering Buffers) {
  const Program P = testing::compile(testing::requestForText(Text, {"-DN=" + std::to_string(State.range(0))}));
  uint64_t Events = 0, Total = 0;
  for (auto _ : State) {
    CountEvents Count;
    ExplorationOptions Options = testing::exhaustively(Buffers);
    Options.Machine.QuietAccesses = false; // it is steps that are to be many
    ExplorationResult Result = exploreOptimally(P, Options, Count);
    if (Result.Executions != 1)
      State.SkipWithError("more than one execution");
    Total += Events = Count.Events;
  }
  State.counters["events"] = static_cast<double>(Events);
  State.counters["s/event"] =
      benchmark::Counter(static_cast<double>(Total), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void registerAll() {
  const Subject Speed[] = {
      {"writers8", "writers", {"-DN=8"}},      {"fib", "fib", {}},
      {"fibJoin", "fib", {"-DJOIN"}},          {"sbloop5", "sbloop", {"-DK=5"}},
      {"sbloop6", "sbloop", {"-DK=6"}},        {"mutexCounter5", "mutex_counter", {"-DN=5"}},
      {"lastzero10", "lastzero", {"-DN=10"}},
  };
  const Subject Robust[] = {
      {"writers7", "writers", {"-DN=7"}},
      {"increments7", "increments", {"-DN=7"}},
      {"mutexCounter7", "mutex_counter", {"-DN=7"}},
      {"lastzero10", "lastzero", {"-DN=10"}},
      {"readers10", "readers", {"-DN=10"}},
      {"chaseLevFenced", "chase_lev", {"-DFENCED=2"}},
      {"rcuSwap", "rcu_swap", {}},
      {"loadBuffering", "load_buffering", {}},
  };
  for (const Subject &S : Speed)
    for (Buffering Buffers : testing::AllModels)
      benchmark::RegisterBenchmark((std::string("Executions/") + S.Name + "/" + testing::nameOf(Buffers)).c_str(),
                                   [S, Buffers](benchmark::State &State) { benchExecutions(State, S, Buffers); })
          ->Unit(benchmark::kMillisecond);
  for (const Subject &S : Robust)
    benchmark::RegisterBenchmark((std::string("Relaxation/") + S.Name).c_str(),
                                 [S](benchmark::State &State) { benchRelaxation(State, S); })
        ->Unit(benchmark::kMillisecond);
  for (auto [Name, Text] : {std::pair("disjoint", Disjoint), std::pair("alternating", Alternating)})
    for (Buffering Buffers : testing::AllModels)
      benchmark::RegisterBenchmark((std::string("OneExecution/") + Name + "/" + testing::nameOf(Buffers)).c_str(),
                                   [Text, Buffers](benchmark::State &State) { benchOneExecution(State, Text, Buffers); })
          ->Unit(benchmark::kMillisecond)
          ->Arg(10'000)
          ->Arg(30'000)
          ->Arg(100'000);
}

} // namespace
} // namespace picket

int main(int Count, char **Arguments) {
  benchmark::Initialize(&Count, Arguments);
  if (benchmark::ReportUnrecognizedArguments(Count, Arguments))
    return 1;
  picket::registerAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
