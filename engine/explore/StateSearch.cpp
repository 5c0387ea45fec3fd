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
    : C(P, Shared, withoutBound(Options.Machine, Live), Model) {
  if (C.buffering() == Buffering::None)
    return;
  C.machine().states().holdOutside([this](std::vector<uint64_t> &Words) {
    for (ThreadId T = 0; T < C.machine().numThreads(); ++T) {
      C.processOf(T); // it may have come into being just now
      forEachBuffered(C, T, [&](uint32_t, const StoreBuffer::Entry &E) {
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
  Search(Configuration &C, const StateSearchOptions &Options, StateSearchObserver &Observer, StateSearchResult &Result)
      : C(C), Options(Options), Observer(Observer), Result(Result) {}

  /// False: what is shared turned out differently.
  bool run(const LiveSlots &Live) {
    StepRules All;
    C.start();
    StateWalk Walk(C, All, *this, Options, Options.Reduce);
    Walk.helpWith([&] {
      return std::make_unique<PlainHelper>(C.machine().program(), Live, C.machine().sharing(), Options, Options.Model);
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

  Configuration &C;
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
    SearchedConfiguration C(P, Live, Shared, Options, Options.Model);
    bool Over = false;
    try {
      Over = Search(*C, Options, Observer, Result).run(Live);
    } catch (const MachineStop &Stop) {
      Over = !Shared.changed();
      noteStop(Result, Stop);
    }
    if (Over) {
      Observer.finished(*C, Result);
      return Result;
    }
    Observer.restarted();
  }
}

} // namespace picket
