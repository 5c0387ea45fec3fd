#include "explore/OptimalDpor.h"

#include "explore/DporWorker.h"

namespace picket {

namespace {

/// A worker besides the first, with all it needs.
struct Helper {
  Helper(const Program &P, const Sharing &Known, CommonCells &Common, const ExplorationOptions &Options,
         const MachineOptions &Machine, ExplorationObserver &Observer, DporTeam &Team, unsigned Number)
      : Shared(Known), Memory(Common), C(P, Shared, Machine, Options.Model), E(C, Memory, Options.Monitor),
        Worker({C, E, Shared, Memory, Options, Observer, Team, nullptr}, Number, Result) {}

  void run() { Worker.run(); }

  Sharing Shared;
  Cells Memory;
  Configuration C;
  Execution E;
  ExplorationResult Result;
  DporWorker Worker;
  std::thread Thread;
};

class OptimalDpor {
public:
  OptimalDpor(const Program &P, const ExplorationOptions &Options, ExplorationObserver &Observer)
      : P(P), Options(Options), Observer(Observer), Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size())),
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
      Result.Ended = ExplorationResult::End::Limit;
      Result.Reason = Cancelled ? "the check was cancelled" : "the time limit was reached";
      break;
    }
    return Result;
  }

private:
  bool explored(ExplorationResult &Result);

  const Program &P;
  const ExplorationOptions &Options;
  ExplorationObserver &Observer;
  Sharing Shared;
  CommonCells Common;
  Identities Names;
  MachineOptions Machine;
  SpareCores *Spare;
};

/// Explores everything once. False: what is shared turned out differently; start over.
bool OptimalDpor::explored(ExplorationResult &Result) {
  Result = ExplorationResult();
  if (Options.Monitor)
    Options.Monitor->clear();
  Shared.takeChanged();
  Common.All.takeChanged();
  Cells Memory(Common);
  Configuration C(P, Shared, Machine, Options.Model);
  Execution E(C, Memory, Options.Monitor);
  DporTeam Team;
  Helpers<Helper> Others(Spare);
  std::function<void()> LookForOthers;
  if (Spare)
    LookForOthers = [&] {
      Others.add(Team, Team.Bytes + Team.Nodes.bytes(), Options.MaxMemoryBytes - Options.MaxMemoryBytes / 16,
                 [&](unsigned Number) {
                   return std::make_unique<Helper>(P, Shared, Common, Options, Machine, Observer, Team, Number);
                 });
    };
  DporWorker First({C, E, Shared, Memory, Options, Observer, Team, LookForOthers}, 0, Result);
  Others.runWith(Team, First);
  bool Changed = Shared.changed() || Memory.changed();
  Configuration *Finder = Result.Ended == ExplorationResult::End::FirstBug ? &C : nullptr;
  bool Lost = First.lostItsWay();
  for (const std::unique_ptr<Helper> &H : Others) {
    addResult(Result, H->Result);
    Changed |= H->Shared.changed() || H->Memory.changed();
    Lost |= H->Worker.lostItsWay();
    if (H->Result.Ended == ExplorationResult::End::FirstBug)
      Finder = &H->C;
  }
  for (const std::unique_ptr<Helper> &H : Others)
    Shared.add(H->Shared);
  if (Lost && !Shared.changed()) // alone it cannot be
    Spare = nullptr;
  if (Changed || (!Finder && Lost) || (Result.Ended == ExplorationResult::End::Everything && Shared.changed()))
    return false;
  Observer.finished(Finder ? *Finder : C);
  return true;
}

} // namespace

ExplorationResult exploreOptimally(const Program &P, const ExplorationOptions &Options, ExplorationObserver &Observer) {
  return OptimalDpor(P, Options, Observer).run();
}

} // namespace picket
