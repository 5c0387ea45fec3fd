#include "explore/StateSearch.h"

#include "machine/Identities.h"

#include <limits>

namespace picket {

static MachineOptions withoutBound(MachineOptions Options, const LiveSlots &Live) {
  Options.Unroll = std::numeric_limits<unsigned>::max();
  Options.Live = &Live;
  return Options;
}

SearchedConfiguration::SearchedConfiguration(const Program &P, const LiveSlots &Live, Sharing &Shared,
                                             const ExplorationOptions &Options, MemoryModel Model)
    : Config(P, Shared, withoutBound(Options.Machine, Live), Model) {
  if (Config.buffering() == Buffering::None)
    return;
  Config.machine().states().holdOutside([this](std::vector<uint64_t> &Words) {
    for (ThreadId T = 0; T < Config.machine().numThreads(); ++T) {
      Config.processOf(T); // it may have just been created
      forEachBuffered(Config, T, [&](uint32_t, const StoreBuffer::Entry &E) {
        Words.push_back(E.Where);
        Words.push_back(E.Value);
        Words.push_back(E.Value2);
      });
    }
  });
}

namespace {

/// A worker that takes all steps.
class PlainHelper : public SearchHelper {
public:
  using SearchHelper::SearchHelper;
  StepRules &start() override {
    configuration().start();
    return Rules;
  }

private:
  StepRules Rules;
};

class Search : StateWalk::Listener {
public:
  Search(Configuration &Config, const StateSearchOptions &Options, StateSearchObserver &Observer,
         StateSearchResult &Result)
      : Config(Config), Options(Options), Observer(Observer), Result(Result) {}

  /// False: what is shared turned out differently.
  bool run(const LiveSlots &Live) {
    StepRules All;
    Config.start();
    StateWalk Walk(Config, All, *this, Options, Options.Reduce);
    Walk.helpWith([&] {
      return std::make_unique<PlainHelper>(Config.machine().program(), Live, Config.machine().sharing(), Options,
                                           Options.Model);
    });
    return Walk.run(Result);
  }

private:
  bool foundBug(const BugReport &Bug, const std::vector<Choice> &Way) override {
    for (const StateSearchResult::Found &Known : Result.Bugs)
      if (isSame(Known.Bug, Bug))
        return false;
    StateSearchResult::Found &New = Result.Bugs.emplace_back(StateSearchResult::Found{Bug, {}});
    for (const Choice &Step : Way)
      New.Schedule.push_back(Step.Process);
    return !Options.Exhaustive;
  }
  void ended(Configuration &Here, Ending How, const std::string &State) override { Observer.ended(Here, How, State); }
  void progress(const WalkResult &SoFar) override { Observer.progress(SoFar); }
  void restarted() override {
    Result.Bugs.clear();
    Observer.restarted();
  }

  Configuration &Config;
  const StateSearchOptions &Options;
  StateSearchObserver &Observer;
  StateSearchResult &Result;
};

} // namespace

StateSearchResult searchStates(const Program &P, const StateSearchOptions &Given, StateSearchObserver &Observer) {
  const LiveSlots Live(P);
  Identities Names(P);
  StateSearchOptions Options = Given;
  if (Options.Spare)
    Options.Machine.Names = &Names;
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  for (;;) {
    StateSearchResult Result;
    Shared.takeChanged();
    SearchedConfiguration Config(P, Live, Shared, Options, Options.Model);
    bool Over = false;
    try {
      Over = Search(*Config, Options, Observer, Result).run(Live);
    } catch (const MachineStop &Stop) {
      Over = !Shared.changed();
      Result.stoppedBy(Stop);
    }
    if (Over) {
      Observer.finished(*Config, Result);
      return Result;
    }
    Observer.restarted();
  }
}

} // namespace picket
