#include "bench/MonitorGrowth.h"

#include "bench/Subjects.h"
#include "explore/Execution.h"
#include "support/Explore.h"
#include "support/Recordings.h"

#include <cstdio>
#include <functional>

namespace picket {
namespace {

constexpr unsigned Rounds = 7; // the quickest counts
constexpr double LeastSeconds = .05;

/// Threads with these bodies; main starts all and waits for them.
std::string withThreads(const std::string &Globals, const std::vector<std::string> &Bodies) {
  std::string Text = "#include <pthread.h>\n" + Globals;
  for (size_t T = 0; T < Bodies.size(); ++T)
    Text += "void *t" + std::to_string(T) + "(void *p) {\n" + Bodies[T] + "  return p;\n}\n";
  Text += "int main(void) {\n  pthread_t t[" + std::to_string(Bodies.size()) + "];\n";
  for (const char *What : {"create", "join"})
    for (size_t T = 0; T < Bodies.size(); ++T) {
      const std::string Number = std::to_string(T);
      Text += *What == 'c' ? "  pthread_create(&t[" + Number + "], 0, t" + Number + ", 0);\n"
                           : "  pthread_join(t[" + Number + "], 0);\n";
    }
  return Text + "  return 0;\n}\n";
}

/// Each thread stores to its own variable and loads its neighbour's, again and again.
std::string neighbours(unsigned Threads, unsigned Events, bool Fenced) {
  std::vector<std::string> Bodies;
  for (unsigned T = 0; T < Threads; ++T)
    Bodies.push_back("  for (int k = 0; k < " + std::to_string(Events / Threads / 2) + "; k++) {\n    x[" +
                     std::to_string(T) + "] = k;\n" + (Fenced ? "    __sync_synchronize();\n" : "") + "    (void)x[" +
                     std::to_string((T + 1) % Threads) + "];\n  }\n");
  return withThreads("volatile int x[" + std::to_string(Threads) + "];\n", Bodies);
}

/// One thread stores to many variables, each by an instruction of its own, and nobody sees that before another thread
/// loads them all, oldest first: every load has to ask what is known of all later stores.
std::string lateStores(unsigned Events) {
  const unsigned Stores = Events / 2 - 1;
  std::string First, Second = "  c = 1;\n";
  for (unsigned K = 0; K < Stores; ++K) {
    First += "  x[" + std::to_string(K) + "] = 1;\n";
    Second += "  (void)x[" + std::to_string(K) + "];\n";
  }
  return withThreads("volatile int c, x[" + std::to_string(Stores) + "];\n", {First + "  (void)c;\n", Second});
}

struct Family {
  const char *Name;
  bool InTurn; // a step of each thread after the other; otherwise one thread after the other
  std::function<std::string(unsigned Threads, unsigned Events)> Text;
};

struct Costs {
  uint64_t Events = 0;
  double Plain = 1e9, Monitored = 1e9; // seconds of one execution
};

/// Runs one execution from its start to its end.
uint64_t run(const Program &P, const Sharing &Known, bool InTurn, ScMonitor *Monitor, double &Seconds) {
  Sharing Shared = Known;
  MachineOptions Options;
  Options.QuietAccesses = false;
  Options.StopAtFences = true;
  Configuration C(P, Shared, Options, MemoryModel::SC);
  Cells Memory;
  Execution E(C, Memory, Monitor);
  C.start();
  E.started();
  const double Start = processorSeconds();
  ThreadId Last = 0;
  for (;;) {
    const uint32_t Threads = C.machine().numThreads();
    ThreadId T = InTurn ? (Last + 1) % Threads : Last;
    for (uint32_t Tried = 0; !C.machine().exists(T) || !C.isEnabled(C.processOf(T)); T = (T + 1) % Threads)
      if (++Tried > Threads) {
        Seconds = processorSeconds() - Start;
        return E.length();
      }
    E.append(C.processOf(T));
    Last = T;
  }
}

/// With and without take turns, and the quickest turn is the one least disturbed.
Costs measure(const Program &P, const Sharing &Known, bool InTurn) {
  Costs Result;
  double Total = 0;
  for (unsigned Round = 0; Round < Rounds || Total < LeastSeconds; ++Round) {
    ScMonitor Monitor;
    double Plain = 0, Monitored = 0;
    Result.Events = run(P, Known, InTurn, nullptr, Plain);
    run(P, Known, InTurn, &Monitor, Monitored);
    Result.Plain = std::min(Result.Plain, Plain);
    Result.Monitored = std::min(Result.Monitored, Monitored);
    Total += Plain + Monitored;
  }
  return Result;
}

void print(const Family &F, unsigned Threads, unsigned Events) {
  const Program P = testing::compile(testing::requestForText(F.Text(Threads, Events)));
  const Costs C = measure(P, testing::variablesShared(P), F.InTurn);
  auto PerEvent = [&](double Seconds) { return Seconds * 1e9 / static_cast<double>(C.Events); };
  std::printf("%s\t%u\t%llu\t%.0f\t%.0f\t%.2f\n", F.Name, Threads, static_cast<unsigned long long>(C.Events),
              PerEvent(C.Plain), PerEvent(C.Monitored), C.Monitored / C.Plain);
  std::fflush(stdout);
}

} // namespace

int printMonitorGrowth() {
  const Family Fenced = {"fenced", true, [](unsigned T, unsigned E) { return neighbours(T, E, true); }};
  const Family Plain = {"plain", true, [](unsigned T, unsigned E) { return neighbours(T, E, false); }};
  const Family Late = {"late", false, [](unsigned, unsigned E) { return lateStores(E); }};
  std::printf("family\tthreads\tevents\tplain ns\tmonitored ns\tratio\n");
  for (const Family &F : {Fenced, Plain})
    for (unsigned Events : {1024, 2048, 4096, 8192, 16384})
      print(F, 4, Events);
  for (const Family &F : {Fenced, Plain})
    for (unsigned Threads : {2, 4, 8, 16, 32, 64})
      print(F, Threads, 4096);
  for (unsigned Events : {128, 256, 512, 1024, 2048})
    print(Late, 2, Events);
  return 0;
}

} // namespace picket
