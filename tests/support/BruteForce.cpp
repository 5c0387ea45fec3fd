#include "support/BruteForce.h"

namespace picket {

namespace {

class Search {
public:
  Search(Configuration &Config, Execution &Exec, Sharing &Shared, Cells &Memory, BruteForceResult &Result, uint64_t Max)
      : Config(Config), Exec(Exec), Shared(Shared), Memory(Memory), Result(Result), Max(Max) {}

  /// False: give up, or start over.
  bool from() {
    if (Shared.changed() || Memory.changed())
      return false;
    std::vector<ProcessId> Enabled;
    Config.enabled(Enabled);
    if (Enabled.empty())
      return end();
    for (ProcessId P : Enabled) {
      Exec.append(P);
      bool GoOn = from();
      Exec.removeLast();
      if (!GoOn)
        return false;
    }
    return true;
  }

private:
  bool end() {
    if (++Result.Interleavings > Max) {
      Result.GaveUp = true;
      return false;
    }
    TraceKey Key = traceKeyOf(Exec, Memory);
    size_t Bugs = Config.machine().bugs().size();
    switch (Config.ending()) {
    case Ending::Buggy: Result.Buggy.insert(Key); [[fallthrough]];
    case Ending::Complete: Result.Complete.insert(std::move(Key)); break;
    case Ending::Blocked: Result.Blocked.insert(std::move(Key)); break;
    case Ending::Cut: Result.Cut.insert(std::move(Key)); break;
    case Ending::Unchecked: Result.Unchecked.insert(std::move(Key)); break;
    }
    Config.machine().dropBugs(Bugs);
    return true;
  }

  Configuration &Config;
  Execution &Exec;
  Sharing &Shared;
  Cells &Memory;
  BruteForceResult &Result;
  uint64_t Max;
};

} // namespace

BruteForceResult exploreByBruteForce(const Program &P, const ExplorationOptions &Options, uint64_t MaxInterleavings) {
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  Cells Memory;
  for (;;) {
    BruteForceResult Result;
    Shared.takeChanged();
    Memory.takeChanged();
    Configuration C(P, Shared, Options.Machine, Options.Model);
    Execution E(C, Memory);
    C.start();
    E.started();
    if (Search(C, E, Shared, Memory, Result, MaxInterleavings).from() || Result.GaveUp)
      return Result;
  }
}

} // namespace picket
