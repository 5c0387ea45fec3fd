// The graph explorer, given SC, TSO and PSO as axioms, sees exactly the traces that the store-buffer explorer sees. The
// two share the machine and nothing else: neither memory nor exploration.
#include "explore/OptimalDpor.h"
#include "explore/Rsmc.h"
#include "property/RandomProgram.h"
#include "source/Compile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace picket {
namespace {

using testing::RandomProgram;
using testing::Statement;

/// A trace as both explorers can tell it: per thread its accesses of the shared variables, each with its address,
/// whether it writes, and the access before it in coherence (which is the one it reads, if it reads).
using AccessName = std::pair<uint32_t, uint32_t>; // thread, number
using Trace = std::map<AccessName, std::tuple<Address, bool, AccessName>>;
constexpr AccessName Nobody{~0u, ~0u};

class SharedVariables {
public:
  explicit SharedVariables(const Program &P) {
    for (uint32_t G = 0; G < P.Globals.size(); ++G)
      if (P.Globals[G].Name == "v" || P.Globals[G].Name == "m" || P.Globals[G].Name == "c" ||
          P.Globals[G].Name == "done")
        Users[slotOf(globalAddress(G))];
  }
  bool contains(Address A) const { return Users.count(slotOf(A)) != 0; }
  void use(Address A, uint32_t Thread, bool Writes) {
    Users[slotOf(A)].insert(Thread);
    if (Writes)
      Written.insert(slotOf(A));
  }
  /// Nobody writes it, or only one thread uses it.
  bool isQuiet(Address A) const { return !Written.count(slotOf(A)) || Users.at(slotOf(A)).size() < 2; }

private:
  std::map<uint32_t, std::set<uint32_t>> Users; // by slot
  std::set<uint32_t> Written;
};

/// Numbers accesses anew, so that it does not matter what else an explorer counts.
Trace renumbered(const Trace &Old) {
  std::map<AccessName, AccessName> Names{{Nobody, Nobody}};
  std::map<uint32_t, uint32_t> Next;
  for (const auto &[Name, Access] : Old)
    Names[Name] = {Name.first, Next[Name.first]++};
  Trace New;
  for (const auto &[Name, Access] : Old)
    New[Names[Name]] = {std::get<0>(Access), std::get<1>(Access), Names.at(std::get<2>(Access))};
  return New;
}

struct InOrder : ExplorationObserver {
  explicit InOrder(const SharedVariables &Shared) : Shared(Shared) {}
  void ended(Execution &E, Ending How) override {
    if (How != Ending::Complete && How != Ending::Buggy)
      return;
    Trace T;
    for (uint32_t K = 0; K < E.length(); ++K)
      for (uint32_t Touch = 0; Touch < E.numTouches(K); ++Touch) {
        Address Where = E.cells().addressOf(E.touchedCell(K, Touch));
        if (!Shared.contains(Where))
          continue;
        Execution::Source From = E.sourceOf(K, Touch);
        T[{E[K].Touched.Owner, E[K].Operation}] = {Where, E.touchWrites(K, Touch),
                                                   From.Initial ? Nobody : AccessName{From.Thread, From.Operation}};
      }
    Traces.push_back(T);
  }
  void restarted() override { Traces.clear(); }
  const SharedVariables &Shared;
  std::vector<Trace> Traces;
};

struct Graphs : GraphObserver {
  explicit Graphs(SharedVariables &Shared) : Shared(Shared) {}
  void ended(GraphRun &Run, Ending How) override {
    if (How != Ending::Complete && How != Ending::Buggy)
      return;
    std::vector<GraphAccess> All = Run.accesses();
    std::map<std::pair<Address, uint32_t>, const GraphAccess *> Coherence;
    for (const GraphAccess &A : All)
      if (A.IsWrite)
        Coherence[{A.Where, A.Position}] = &A;
    // An update is one access, named by its read.
    auto NameOf = [](const GraphAccess &A) { return AccessName{A.Thread, A.Index - (A.IsWrite && A.OfUpdate)}; };
    Trace T;
    for (const GraphAccess &A : All) {
      if (!Shared.contains(A.Where))
        continue;
      Shared.use(A.Where, A.Thread, A.IsWrite);
      AccessName From = Nobody;
      if (A.IsWrite && A.Position > 1)
        From = NameOf(*Coherence.at({A.Where, A.Position - 1}));
      else if (!A.IsWrite && A.Source != ~0u)
        From = NameOf(All[A.Source]);
      T[NameOf(A)] = {A.Where, A.IsWrite, From}; // the write of an update comes after its read
    }
    Traces.push_back(T);
  }
  void restarted() override { Traces.clear(); }
  SharedVariables &Shared;
  std::vector<Trace> Traces;
};

/// Without what can race with nothing: store buffers take notice of that only sometimes.
std::map<Trace, unsigned> count(const std::vector<Trace> &Traces, const SharedVariables &Shared) {
  std::map<Trace, unsigned> Seen;
  for (Trace T : Traces) {
    std::erase_if(T, [&](const auto &Entry) { return Shared.isQuiet(std::get<0>(Entry.second)); });
    ++Seen[renumbered(T)];
  }
  return Seen;
}

std::optional<Program> compileText(const std::string &Text) {
  CompileRequest Request;
  Request.File = "/random.c";
  Request.Unsaved["/random.c"] = Text;
  Request.UseCompileCommands = false;
  return compileProgram(Request).Compiled;
}

std::string problemOf(const RandomProgram &P, AxiomaticModel Model) {
  std::optional<Program> Compiled = compileText(P.text());
  if (!Compiled)
    return "does not compile";
  SharedVariables Shared(*Compiled);
  ExplorationOptions Options;
  Options.Exhaustive = true;
  Options.Buffers = Model == AxiomaticModel::SC    ? Buffering::None
                    : Model == AxiomaticModel::TSO ? Buffering::Fifo
                                                   : Buffering::PerLocation;
  InOrder Expected(Shared);
  ExplorationOptions Shown = Options;
  Shown.Machine.ShowAll = true; // also what only one thread accesses
  exploreOptimally(*Compiled, Shown, Expected);
  Graphs Found(Shared);
  ExplorationResult Result = exploreGraphs(*Compiled, Model, Options, Found);
  unsigned Missing = 0, Unknown = 0, Twice = 0;
  std::map<Trace, unsigned> Seen = count(Found.Traces, Shared), Known = count(Expected.Traces, Shared);
  for (const auto &[T, Times] : Seen) {
    Unknown += !Known.count(T);
    Twice += Times - 1;
  }
  for (const auto &[T, Times] : Known)
    Missing += !Seen.count(T);
  if (!Missing && !Unknown && !Twice && !Result.FailedWakeups && Result.Ended == ExplorationResult::End::Everything)
    return "";
  return "of " + std::to_string(Known.size()) + " traces " + std::to_string(Missing) + " are missing, " +
         std::to_string(Unknown) + " should not be there, " + std::to_string(Twice) + " were seen again, " +
         std::to_string(Result.FailedWakeups) + " failed wakeups " + Result.Reason + "\n";
}

void expectSameTraces(const testing::Palette &From, AxiomaticModel Model, unsigned Programs, unsigned Seed) {
  if (const char *More = std::getenv("PICKET_RANDOM_PROGRAMS"))
    Programs = static_cast<unsigned>(std::atoi(More));
  if (const char *Other = std::getenv("PICKET_RANDOM_SEED"))
    Seed = static_cast<unsigned>(std::atoi(Other));
  std::mt19937 Random(Seed);
  for (unsigned K = 0; K < Programs; ++K) {
    RandomProgram P = testing::makeProgram(Random, From, 3, 5);
    if (problemOf(P, Model).empty())
      continue;
    for (bool Smaller = true; Smaller;) {
      Smaller = false;
      for (const RandomProgram &Candidate : testing::shrinks(P))
        if (!problemOf(Candidate, Model).empty()) {
          P = Candidate;
          Smaller = true;
          break;
        }
    }
    FAIL() << "program " << K << " of seed " << Seed << ":\n" << problemOf(P, Model) << P.text();
  }
}

const testing::Palette Accesses = {Statement::Store, Statement::Load, Statement::Copy, Statement::Guarded};
const testing::Palette Atomics = {Statement::Store,       Statement::Load,    Statement::FetchAdd,  Statement::Exchange,
                                  Statement::CompareSwap, Statement::Guarded, Statement::RelaxedAdd};
const testing::Palette Locks = {Statement::Store, Statement::Load, Statement::LockedAdd, Statement::Guarded};
const testing::Palette Awaits = {Statement::Store, Statement::Load,     Statement::AwaitNot,
                                 Statement::Copy,  Statement::FetchAdd, Statement::RelaxedAdd};
const testing::Palette Fences = {Statement::Store,        Statement::Load,        Statement::FullFence,
                                 Statement::ReleaseFence, Statement::StoreSeqCst, Statement::StoreRelease,
                                 Statement::Guarded,      Statement::RelaxedAdd};

class Rsmc : public ::testing::TestWithParam<AxiomaticModel> {};

TEST_P(Rsmc, SeesTheTracesOfPlainAccesses) { expectSameTraces(Accesses, GetParam(), 400, 1); }
TEST_P(Rsmc, SeesTheTracesOfAtomics) { expectSameTraces(Atomics, GetParam(), 300, 2); }
TEST_P(Rsmc, SeesTheTracesOfLocks) { expectSameTraces(Locks, GetParam(), 200, 3); }
TEST_P(Rsmc, SeesTheTracesOfAwaits) { expectSameTraces(Awaits, GetParam(), 300, 4); }
TEST_P(Rsmc, SeesTheTracesWithFences) { expectSameTraces(Fences, GetParam(), 300, 5); }

INSTANTIATE_TEST_SUITE_P(Models, Rsmc, ::testing::Values(AxiomaticModel::SC, AxiomaticModel::TSO, AxiomaticModel::PSO),
                         [](const auto &Info) {
                           return std::string(Info.param == AxiomaticModel::SC    ? "SC"
                                              : Info.param == AxiomaticModel::TSO ? "TSO"
                                                                                  : "PSO");
                         });

} // namespace
} // namespace picket
