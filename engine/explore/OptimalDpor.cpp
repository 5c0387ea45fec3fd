#include "explore/OptimalDpor.h"

#include "explore/DporWorker.h"

namespace picket {

namespace {

/// A worker besides the first, with all it needs.
struct Helper {
  Helper(const Program &P, const Sharing &Known, CommonCells &Common, const ExplorationOptions &Options,
         const MachineOptions &Machine, ExplorationObserver &Observer, DporTeam &Team, unsigned Number)
      : Shared(Known), AllCells(Common), Config(P, Shared, Machine, Options.Model),
        Exec(Config, AllCells, Options.Monitor, Options.RaceFree),
        Worker({Config, Exec, Shared, AllCells, Options, Observer, Team}, Number, nullptr, Result) {}

  void run() { Worker.run(); }

  Sharing Shared;
  Cells AllCells;
  Configuration Config;
  Execution Exec;
  ExplorationResult Result;
  DporWorker Worker;
  std::thread Thread;
};

class OptimalDpor {
public:
  OptimalDpor(const Program &P, const ExplorationOptions &Options, ExplorationObserver &Observer)
      : Prog(P), Options(Options), Observer(Observer), Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size())),
        Names(P), Machine(Options.Machine), Spare(Options.Spare) {
    Machine.StopAtFences |= Options.Monitor != nullptr;
    if (Spare)
      Machine.Names = &Names;
  }

  ExplorationResult run() {
    ExplorationResult Result;
    while (!explored(Result)) {
      Observer.restarted();
      const bool Cancelled = Options.Cancel && *Options.Cancel;
      if (!Cancelled && !(Options.Deadline && std::chrono::steady_clock::now() > *Options.Deadline))
        continue;
      Result = ExplorationResult();
      Result.reachLimit(Cancelled ? "the check was cancelled" : "the time limit was reached");
      break;
    }
    return Result;
  }

private:
  bool explored(ExplorationResult &Result);

  const Program &Prog;
  const ExplorationOptions &Options;
  ExplorationObserver &Observer;
  Sharing Shared;
  CommonCells Common;
  Identities Names;
  MachineOptions Machine;
  SpareCores *Spare;
};

/// Explores everything once. False: what is shared turned out differently; restart.
bool OptimalDpor::explored(ExplorationResult &Result) {
  Result = ExplorationResult();
  if (Options.Monitor)
    Options.Monitor->clear();
  Shared.takeChanged();
  Common.All.takeChanged();
  Cells AllCells(Common);
  Configuration Config(Prog, Shared, Machine, Options.Model);
  Execution Exec(Config, AllCells, Options.Monitor, Options.RaceFree);
  DporTeam Team;
  Helpers<Helper> Others(Spare);
  std::function<void()> RecruitWorkers;
  if (Spare)
    RecruitWorkers = [&] {
      Others.add(Team, Team.Bytes + Team.Nodes.bytes(), Options.MaxMemoryBytes - Options.MaxMemoryBytes / 16,
                 [&](unsigned Number) {
                   return std::make_unique<Helper>(Prog, Shared, Common, Options, Machine, Observer, Team, Number);
                 });
    };
  DporWorker First({Config, Exec, Shared, AllCells, Options, Observer, Team}, 0, RecruitWorkers, Result);
  Others.runWith(Team, First);
  bool Changed = Shared.changed() || AllCells.changed();
  Configuration *Finder = Result.Ended == ExplorationResult::End::FirstBug ? &Config : nullptr;
  bool Diverged = First.replayDiverged();
  for (const std::unique_ptr<Helper> &H : Others) {
    addResult(Result, H->Result);
    Changed |= H->Shared.changed() || H->AllCells.changed();
    Diverged |= H->Worker.replayDiverged();
    if (H->Result.Ended == ExplorationResult::End::FirstBug)
      Finder = &H->Config;
  }
  for (const std::unique_ptr<Helper> &H : Others)
    Shared.add(H->Shared);
  if (Diverged && !Shared.changed()) // alone it cannot be
    Spare = nullptr;
  if (Changed || (!Finder && Diverged) || (Result.Ended == ExplorationResult::End::Everything && Shared.changed()))
    return false;
  Observer.finished(Finder ? *Finder : Config);
  return true;
}

} // namespace

ExplorationResult exploreOptimally(const Program &P, const ExplorationOptions &Options, ExplorationObserver &Observer) {
  return OptimalDpor(P, Options, Observer).run();
}

} // namespace picket
