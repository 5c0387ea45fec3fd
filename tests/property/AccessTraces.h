// Traces in a form that both the store-buffer explorer and the graph explorer can produce.
#pragma once

#include "explore/OptimalDpor.h"
#include "explore/Rsmc.h"
#include "property/RandomProgram.h"
#include "source/compile/Compile.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace picket::testing {

/// Per thread its accesses of the shared variables, each with its address, whether it writes, whether it reads, and the
/// access before it in coherence (which is the one it reads, if it reads).
using AccessName = std::pair<uint32_t, uint32_t>; // thread, number
struct TracedAccess {
  Address Where;
  bool Writes, Reads;
  AccessName From;
  friend auto operator<=>(const TracedAccess &, const TracedAccess &) = default;
};
using Trace = std::map<AccessName, TracedAccess>;
constexpr AccessName Nobody{~0u, ~0u};

/// The variables of a RandomProgram that its threads share.
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
inline Trace renumbered(const Trace &Old) {
  std::map<AccessName, AccessName> Names{{Nobody, Nobody}};
  std::map<uint32_t, uint32_t> Next;
  for (const auto &[Name, Access] : Old)
    Names[Name] = {Name.first, Next[Name.first]++};
  Trace New;
  for (const auto &[Name, Access] : Old)
    New[Names[Name]] = {Access.Where, Access.Writes, Access.Reads, Names.at(Access.From)};
  return New;
}

/// Listens to the store-buffer explorer.
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
        T[{E[K].Touched.Owner, E[K].Operation}] = {Where, E.touchWrites(K, Touch), E[K].Kind != OperationKind::Store,
                                                   From.Initial ? Nobody : AccessName{From.Thread, From.Operation}};
      }
    Traces.push_back(T);
  }
  void restarted() override { Traces.clear(); }
  const SharedVariables &Shared;
  std::vector<Trace> Traces;
};

/// Listens to the explorer of graphs.
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
      T[NameOf(A)] = {A.Where, A.IsWrite, !A.IsWrite || A.OfUpdate,
                      From}; // the write of an update comes after its read
    }
    Traces.push_back(T);
  }
  void restarted() override { Traces.clear(); }
  SharedVariables &Shared;
  std::vector<Trace> Traces;
};

/// Without what can race with nothing: store buffers take notice of that only sometimes.
inline std::map<Trace, unsigned> count(const std::vector<Trace> &Traces, const SharedVariables &Shared) {
  std::map<Trace, unsigned> Seen;
  for (Trace T : Traces) {
    std::erase_if(T, [&](const auto &Entry) { return Shared.isQuiet(Entry.second.Where); });
    ++Seen[renumbered(T)];
  }
  return Seen;
}

inline std::optional<Program> compileRandom(const std::string &Text) {
  CompileRequest Request;
  Request.File = "/random.c";
  Request.Unsaved["/random.c"] = Text;
  Request.UseCompileCommands = false;
  return compileProgram(Request).Compiled;
}

} // namespace picket::testing
