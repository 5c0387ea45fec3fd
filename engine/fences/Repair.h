// Fences and orders that make a program pass: found from its counterexamples, proved by checking it again.
//
// Every violating execution seen so far says: one of these changes is needed. The cheapest set of changes that
// satisfies all of them is tried on the program; either it passes, or there is a new violating execution. If that goes
// on for too long (many weak fences that do not help, under POWER), all changes known are made together, and those that
// are not needed are left out.
#pragma once

#include "fences/Candidates.h"

#include <chrono>
#include <optional>
#include <set>

namespace picket {

/// What a check of an edited program found.
struct RoundReport {
  enum class Result : uint8_t { Passed, Violated, NotFenceable, GaveUp } What = Result::Passed;
  std::vector<Violation> Violations;   // Violated. Their pcs are those of the program that was checked
  std::string Reason;                  // NotFenceable, GaveUp: a sentence
  std::optional<Bug> Found;            // Violated, NotFenceable: with the execution that shows it
  MemoryModel Under = MemoryModel::SC; // of Found
  std::vector<ModelReport> Models;     // what was checked, for what a proof covers. Some may be skipped (Check.h)
};

/// Checks a program, in at most so many seconds (0: without limit), and says what is wrong with it.
using RoundChecker = std::function<RoundReport(const Program &Compiled, double Seconds)>;

/// The aim "no bug": all models are checked up to the first bug. `How` is about POWER, where looking at everything
/// takes long.
RoundChecker bugChecker(const std::string &File, const CheckOptions &Options, Thoroughness How,
                        const std::atomic<bool> *Cancel);

/// The aim "robust": everything that happens under the asked models (TSO, PSO) happens under SC. Says nothing of bugs.
RoundChecker robustChecker(const std::string &File, const CheckOptions &Options, const std::atomic<bool> *Cancel);

struct RepairOptions {
  double TimeoutSeconds = 0; // for everything together; 0: none
  RepairCosts Costs;
  bool Assembly = false; // only POWER is asked for: its own instructions may be used
  EditScope Scope;
  /// After so many rounds, or this share of the time, a minimal set is good enough, whatever it costs. 0: without
  /// limit.
  unsigned MaxRounds = 0;
  double ShareOfSearch = 1;
};

/// Beside which text a change is made.
SourceLocation locationOf(const SourceChange &Change);

/// A set of changes that was proved to work.
struct Repair {
  std::vector<uint32_t> Chosen;      // candidates
  std::vector<SourceChange> Changes; // in the order of the text
  ProgramEdit Edit;
  uint64_t Cost = 0;               // without TestCost
  bool Minimal = false;            // without any one of them the check fails: tried
  bool Cheapest = false;           // every cheaper set of candidates fails: follows from executions seen
  std::vector<ModelReport> Models; // the checks that it passed

  bool isBounded() const; // some loop was cut at the bound
};

struct RepairResult {
  enum class Outcome : uint8_t {
    Repaired,
    NothingToDo, // it passes as it is
    Refused,     // fences cannot help: Reason, and Found if there is an execution that shows it
    GaveUp       // a limit, or cancelled
  } What = Outcome::NothingToDo;
  std::optional<Repair> Found;
  std::string Reason;
  std::optional<Bug> Shown;
  MemoryModel ShownUnder = MemoryModel::SC;
};

/// Finds repairs of one program. What was learned for one is used for the next.
class Repairer {
public:
  Repairer(const Program &Compiled, RoundChecker Check, const RepairOptions &Options, const std::atomic<bool> *Cancel);

  /// The best repair without the forbidden candidates, of the kinds that are allowed now.
  RepairResult find(bool Fences, bool Orders);
  /// Such changes are not used from now on.
  void forbid(uint32_t Candidate) { Forbidden.insert(Candidate); }
  void forbid(const SourceChange &Change);

  const Candidates &candidates() const { return Table; }
  unsigned rounds() const { return Rounds; }

private:
  struct Clause {
    std::vector<uint32_t> Elements;
    bool Complete;
  };

  RoundReport check(const std::vector<uint32_t> &Chosen);
  void learn(const RoundReport &Round, const std::vector<uint32_t> &Chosen);
  std::vector<uint32_t> helpful(const Violation &V, std::vector<uint32_t> &Idle,
                                const std::vector<uint32_t> &Asked) const;
  std::optional<RepairResult> findCheapest(bool Fences, bool Orders); // empty: too many rounds
  RepairResult findByLeavingOut(bool Fences, bool Orders);
  std::vector<uint32_t> needed(std::vector<uint32_t> Given, const std::vector<uint32_t> &Asked, bool Unknown);
  void minimise(Repair &R);
  RepairResult repaired(const std::vector<uint32_t> &Chosen, const RoundReport &Passed);
  bool allowed(uint32_t Candidate, bool Fences, bool Orders) const;
  std::optional<std::vector<uint32_t>> cheapest(bool Fences, bool Orders) const;
  Repair made(const std::vector<uint32_t> &Chosen) const;
  RepairResult refusal(const RoundReport &Round) const;
  RepairResult unfinished(const RoundReport &Round) const;
  RepairResult usedUp() const;
  double secondsLeft() const;
  bool isOver() const;
  RepairResult gaveUp() const;

  const Program &Compiled;
  RoundChecker Check;
  const RepairOptions Options;
  const std::atomic<bool> *Cancel;
  const std::chrono::steady_clock::time_point Start;
  Candidates Table;
  std::vector<Clause> Clauses;
  std::set<uint32_t> Forbidden;
  RoundReport LastViolated;
  std::map<std::vector<uint32_t>, RoundReport> Tried;
  unsigned Rounds = 0;
  double TimeShare = 1; // of the time limit, that may be used up by now
};

} // namespace picket
