#include "check/RobustnessText.h"

#include "trace/RecordingNames.h"

#include <algorithm>
#include <tuple>

namespace picket {

namespace {

void addLocation(std::vector<SourceLocation> &To, const SourceLocation &P) {
  if (P.Line && std::none_of(To.begin(), To.end(), [&](const SourceLocation &Known) { return isSame(Known, P); }))
    To.push_back(P);
}

void sortByText(std::vector<SourceLocation> &Places) {
  std::sort(Places.begin(), Places.end(), [](const SourceLocation &A, const SourceLocation &B) {
    return std::tie(A.File, A.Line, A.Column) < std::tie(B.File, B.Line, B.Column);
  });
}

bool isSame(const ScViolation &A, const ScViolation &B) {
  return isSame(A.Store, B.Store) && isSame(A.Observer, B.Observer);
}

void merge(ScViolation &Into, const ScViolation &From) {
  for (const SourceLocation &P : From.Overtakers)
    addLocation(Into.Overtakers, P);
  for (const SourceLocation &P : From.Previous)
    addLocation(Into.Previous, P);
  sortByText(Into.Overtakers);
  sortByText(Into.Previous);
  if (!Into.Witness)
    Into.Witness = From.Witness;
}

bool isSameLine(const SourceLocation &A, const SourceLocation &B) { return A.Line == B.Line && A.File == B.File; }

void addLine(std::vector<SourceLocation> &To, const SourceLocation &P) {
  if (P.Line && std::none_of(To.begin(), To.end(), [&](const SourceLocation &Known) { return isSameLine(Known, P); }))
    To.push_back(P);
}

/// What is marked is what the sentence about the execution tells of: where several stores could be delayed, the one that
/// the monitor came upon need not be the one that the most sequential order delays.
void markWhatIsTold(Robustness &R, const Counterexample &Witness) {
  const std::vector<ReorderedPair> &Pairs = Witness.Why.Reordered;
  auto At = [&](uint32_t Event) { return Witness.Run.Events[Event].At.Where; };
  constexpr size_t Told = 2;
  for (size_t K = 0; K < std::min(Told, Pairs.size()); ++K)
    if (isSame(At(Pairs[K].First), R.Store) && isSame(At(Pairs[K].Second), R.Overtaker))
      return;
  if (Pairs.empty() || !At(Pairs[0].First).Line || !At(Pairs[0].Second).Line)
    return;
  for (const TraceEdge &E : Witness.Why.Edges)
    if (E.To == Pairs[0].First && At(E.From).Line)
      return setNotRobust(R, At(Pairs[0].First), At(Pairs[0].Second), At(E.From));
}

} // namespace

void setNotRobust(Robustness &R, const SourceLocation &Store, const SourceLocation &Overtaker,
                  const SourceLocation &Observer) {
  R.Known = Robustness::NotRobust;
  R.Bounded = false;
  R.Iterations = 0;
  R.Store = Store;
  R.Overtaker = Overtaker;
  R.Observer = Observer;
  R.Message =
      "not robust under " + titleOf(R.Against) + ": " + lateStoreText({Store, {Overtaker}, {Observer}, nullptr});
}

void setWitness(Robustness &R, Recording Run) {
  auto Witness = std::make_shared<Counterexample>(explain(std::move(Run)));
  if (Witness->Why.Edges.empty())
    return;
  markWhatIsTold(R, *Witness);
  R.Witness = std::move(Witness);
}

void putMarkedFirst(Robustness &R) {
  ScViolation Marked{R.Store, R.Observer, {}, {}, R.Witness};
  addLocation(Marked.Overtakers, R.Overtaker);
  auto Known =
      std::find_if(R.Violations.begin(), R.Violations.end(), [&](const ScViolation &V) { return isSame(V, Marked); });
  if (Known == R.Violations.end())
    Known = R.Violations.insert(Known, std::move(Marked));
  else
    merge(*Known, Marked);
  std::rotate(R.Violations.begin(), Known, Known + 1);
}

std::vector<std::pair<ScViolation, const RobustnessAlarm *>> violationsOf(const Program &P, const ScMonitor &Monitor,
                                                                          MemoryModel Against) {
  std::vector<std::pair<ScViolation, const RobustnessAlarm *>> Result;
  auto At = [&](uint32_t Pc) { return locationOf(P, P.locationOf(Pc)); };
  for (const AlarmedPair *Pair : Monitor.sorted(Against)) {
    const RobustnessAlarm &Alarm = Pair->Shortest;
    ScViolation V{At(Alarm.Delayed.Pc), At(Alarm.Observer.Pc), {}, {}, nullptr};
    for (uint32_t Pc : Pair->Overtakers)
      addLocation(V.Overtakers, At(Pc));
    for (uint32_t Pc : Pair->Previous)
      addLocation(V.Previous, At(Pc));
    sortByText(V.Overtakers);
    sortByText(V.Previous);
    auto Known = std::find_if(Result.begin(), Result.end(), [&](const auto &K) { return isSame(K.first, V); });
    if (Known == Result.end())
      Result.emplace_back(std::move(V), Pair->HasPast ? &Alarm : nullptr);
    else
      merge(Known->first, V);
  }
  return Result;
}

void addViolations(std::vector<ScViolation> &To, const std::vector<ScViolation> &Others) {
  for (const ScViolation &V : Others) {
    auto Known = std::find_if(To.begin(), To.end(), [&](const ScViolation &K) { return isSame(K, V); });
    if (Known == To.end())
      To.push_back(V);
    else
      merge(*Known, V);
  }
}

std::vector<LateStore> lateStoresOf(const Robustness &R) {
  std::vector<LateStore> Result;
  for (const ScViolation &V : R.Violations) {
    auto Known =
        std::find_if(Result.begin(), Result.end(), [&](const LateStore &L) { return isSameLine(L.Store, V.Store); });
    if (Known == Result.end())
      Known = Result.insert(Known, LateStore{V.Store, {}, {}, nullptr});
    for (const SourceLocation &P : V.Overtakers)
      addLine(Known->Overtakers, P);
    addLine(Known->Observers, V.Observer);
    if (!Known->Witness)
      Known->Witness = V.Witness;
  }
  for (LateStore &L : Result) {
    sortByText(L.Overtakers);
    sortByText(L.Observers);
  }
  return Result;
}

std::string linesText(const std::vector<SourceLocation> &Places, const SourceLocation &ToldAt) {
  auto Join = [](const std::vector<std::string> &Names) {
    std::string Text;
    for (size_t K = 0; K < Names.size(); ++K)
      Text += (K == 0 ? "" : K + 1 < Names.size() ? ", " : " and ") + Names[K];
    return Text;
  };
  std::vector<std::string> Here, All;
  for (const SourceLocation &P : Places)
    if (P.File == ToldAt.File)
      Here.push_back(std::to_string(P.Line));
    else
      All.push_back(P.File.substr(P.File.rfind('/') + 1) + " line " + std::to_string(P.Line));
  if (!Here.empty())
    All.insert(All.begin(), (Here.size() > 1 ? "lines " : "line ") + Join(Here));
  return Join(All);
}

std::string lateStoreText(const LateStore &L) {
  auto Accesses = [&](const std::vector<SourceLocation> &At) {
    return std::string(At.size() > 1 ? "accesses at " : "access at ") + linesText(At, L.Store);
  };
  return "this store can reach memory after the later " + Accesses(L.Overtakers) + ", and the " +
         Accesses(L.Observers) + " can observe the reordering";
}

} // namespace picket
