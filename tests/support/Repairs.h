// Helpers for tests of repairs: find them with the options of `picket check`, and verify them without the repairer.
#pragma once

#include "fences/Repair.h"
#include "support/Explore.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace picket::testing {

inline CheckOptions optionsFor(const std::vector<MemoryModel> &Models, unsigned Unroll = 8) {
  CheckOptions Options;
  Options.Models = Models;
  Options.Unroll = Unroll;
  return Options;
}

inline Repairer repairerOf(const Program &P, const CheckOptions &Options, const std::atomic<bool> *Cancel = nullptr) {
  RepairOptions Enough;
  Enough.MaxRounds = 64;
  return Repairer(P, bugChecker("/test.c", Options, Thoroughness::Cycle, Cancel), Enough, Cancel);
}

inline RepairResult repair(const Program &P, const CheckOptions &Options) {
  return repairerOf(P, Options).find(true, true);
}

/// Whether a program passes under all models.
inline bool passes(const Program &P, CheckOptions Options) {
  Options.Counterexamples = 0;
  for (const ModelReport &M : checkCompiled("/test.c", {P, {}}, Options).Models)
    if (M.Result != Verdict::Verified && M.Result != Verdict::Bounded)
      return false;
  return true;
}

/// What is wrong with a repair: it does not work, or a part of it works as well. Empty if nothing.
inline std::string problemOf(const Program &P, const Repairer &From, const Repair &R, const CheckOptions &Options) {
  if (R.Chosen.empty())
    return "it changes nothing";
  if (R.Chosen.size() > 12)
    return "it is too large to try all subsets";
  if (!R.Minimal)
    return "it was not proved to be minimal";
  const uint32_t All = (1u << R.Chosen.size()) - 1;
  for (uint32_t Subset = 0; Subset <= All; ++Subset) {
    ProgramEdit Edit;
    for (size_t K = 0; K < R.Chosen.size(); ++K)
      if (Subset >> K & 1)
        From.candidates()[R.Chosen[K]].addTo(Edit);
    if (passes(edited(P, Edit).Code, Options) != (Subset == All))
      return Subset == All ? "it does not work" : "the part " + std::to_string(Subset) + " of it works as well";
  }
  return "";
}

/// A change of the program, to all copies of a text together, and what it costs.
struct PossibleChange {
  ProgramEdit Edit;
  unsigned Cost = 1;
};

/// Every change of the kinds that repairs are made of, at every access of memory in the user's text: fences behind and
/// in front of it, other orders for it. Knows nothing of how a repair finds its candidates. `Strongest`: of the changes
/// at one place the one that orders most, and all cost 1.
inline std::vector<PossibleChange> allChanges(const Program &P, const std::vector<MemoryModel> &Models,
                                              bool Strongest = false) {
  auto Asked = [&](MemoryModel M) { return std::find(Models.begin(), Models.end(), M) != Models.end(); };
  const RepairCosts Costs;
  std::vector<std::pair<FenceKind, unsigned>> Kinds = {{FenceKind::Full, Costs.FullFence}};
  if (!Strongest && (Asked(MemoryModel::PSO) || Asked(MemoryModel::Power)))
    Kinds.emplace_back(FenceKind::AcqRel, Costs.LightFence);
  if (!Strongest && Models == std::vector{MemoryModel::Power})
    Kinds.emplace_back(FenceKind::ISync, Costs.ISync);
  std::vector<unsigned> WaysTo(P.Code.size());
  for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc)
    forEachSuccessor(P, Pc, [&](uint32_t To) { ++WaysTo[To]; });

  using Text = std::tuple<uint32_t, uint32_t, uint32_t, Opcode>;
  std::map<Text, std::vector<uint32_t>> Accesses;
  for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc) {
    const Opcode Op = P.Code[Pc].Op;
    const ProgramLocation &At = P.Locations[P.CodeLocations[Pc]];
    if ((Op == Opcode::Load || Op == Opcode::Store || Op == Opcode::Rmw || Op == Opcode::CmpXchg) && At.Line != 0 &&
        P.UserFile[At.File])
      Accesses[{At.File, At.Line, At.Column, Op}].push_back(Pc);
  }
  std::set<std::vector<ProgramPoint>> Places;
  std::vector<PossibleChange> Result;
  for (const auto &[Where, Copies] : Accesses) {
    for (bool Behind : {false, true}) {
      std::vector<ProgramPoint> At;
      for (uint32_t Pc : Copies) // behind one and in front of the next may be the same
        At.push_back(Behind && WaysTo[Pc + 1] == 1 ? ProgramPoint{Pc + 1, false} : ProgramPoint{Pc, Behind});
      if (!Places.insert(At).second)
        continue;
      for (auto [Kind, Cost] : Kinds) {
        PossibleChange &New = Result.emplace_back();
        New.Cost = Strongest ? 1 : Cost;
        for (const ProgramPoint &Place : At)
          New.Edit.Fences.push_back({Place, Kind});
      }
    }
    const auto From = static_cast<Order>(P.Code[Copies.front()].Flags & OrderMask);
    if (From == Order::NotAtomic)
      continue;
    const Opcode Op = std::get<Opcode>(Where);
    std::set<Order> Orders = {Order::SeqCst};
    if (!Strongest && Op != Opcode::Load)
      Orders.insert(joined(From, Order::Release));
    if (!Strongest && Op != Opcode::Store)
      Orders.insert(joined(From, Order::Acquire));
    if (!Strongest && Op != Opcode::Load && Op != Opcode::Store)
      Orders.insert(joined(From, Order::AcqRel));
    Orders.erase(From);
    for (Order To : Orders) {
      PossibleChange &New = Result.emplace_back();
      New.Cost = Strongest ? 1 : To == Order::SeqCst ? Costs.SeqCst : Costs.ReleaseAcquire;
      for (uint32_t Pc : Copies)
        New.Edit.Orders.push_back({Pc, To});
    }
  }
  std::stable_sort(Result.begin(), Result.end(), [](const auto &A, const auto &B) { return A.Cost > B.Cost; });
  return Result;
}

enum class Search { Found, NotFound, TooManyChecks };

/// Whether some set of the changes that costs at most so much makes the program pass. Uses nothing but that more
/// changes leave fewer executions: what all changes together that are left to try do not achieve, none of them does.
class SetSearch {
public:
  SetSearch(const Program &Prog, const CheckOptions &Options, std::vector<PossibleChange> Changes, unsigned MostChecks)
      : Prog(Prog), Options(Options), Changes(std::move(Changes)), ChecksLeft(MostChecks) {}

  Search within(unsigned Budget) { return search({}, 0, Budget); }

private:
  Search search(const ProgramEdit &Made, size_t From, unsigned Budget) {
    ProgramEdit All = Made;
    bool Any = false;
    for (size_t K = From; K < Changes.size(); ++K)
      if (Changes[K].Cost <= Budget) {
        add(All, Changes[K].Edit);
        Any = true;
      }
    if (ChecksLeft == 0)
      return Search::TooManyChecks;
    --ChecksLeft;
    const bool Passes = passes(edited(Prog, All).Code, Options);
    if (!Passes || !Any)
      return Passes ? Search::Found : Search::NotFound;
    for (size_t K = From; K < Changes.size(); ++K) {
      if (Changes[K].Cost > Budget)
        continue;
      ProgramEdit More = Made;
      add(More, Changes[K].Edit);
      if (Search Result = search(More, K + 1, Budget - Changes[K].Cost); Result != Search::NotFound)
        return Result;
    }
    return search(Made, Changes.size(), 0);
  }

  static void add(ProgramEdit &To, const ProgramEdit &More) {
    To.Fences.insert(To.Fences.end(), More.Fences.begin(), More.Fences.end());
    To.Orders.insert(To.Orders.end(), More.Orders.begin(), More.Orders.end());
  }

  const Program &Prog;
  const CheckOptions Options;
  const std::vector<PossibleChange> Changes; // the most expensive first
  unsigned ChecksLeft;
};

/// The least number of changes that make the program pass; `Most` + 1 if so many are not enough.
inline unsigned fewestChanges(const Program &P, const CheckOptions &Options, unsigned Most) {
  unsigned Number = 0;
  while (Number <= Most &&
         SetSearch(P, Options, allChanges(P, Options.Models, true), ~0u).within(Number) != Search::Found)
    ++Number;
  return Number;
}

/// What is said to be the cheapest repair, and nothing of the text has to be written for it.
inline RepairResult cheapestRepair(const Program &P, const CheckOptions &Options) {
  RepairOptions Wanted;
  Wanted.Assembly = Options.Models == std::vector{MemoryModel::Power};
  return Repairer(P, bugChecker("/test.c", Options, Thoroughness::All, nullptr), Wanted, nullptr).find(true, true);
}

/// Whether brute force finds a cheaper set of changes than that of a repair.
inline Search cheaperThan(const Program &P, const CheckOptions &Options, const Repair &R, unsigned MostChecks) {
  const auto Cost = static_cast<unsigned>(R.Cost / CostUnit);
  return SetSearch(P, Options, allChanges(P, Options.Models), MostChecks).within(Cost - 1);
}
/// Whether it finds a smaller one than so many changes.
inline Search fewerThan(const Program &P, const CheckOptions &Options, size_t Number, unsigned MostChecks) {
  return SetSearch(P, Options, allChanges(P, Options.Models, true), MostChecks)
      .within(static_cast<unsigned>(Number) - 1);
}

} // namespace picket::testing
