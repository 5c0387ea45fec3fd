// Repairs for tests: found with the options of `picket check`, and put to the proof without the repairer.
#pragma once

#include "fences/Repair.h"
#include "support/Explore.h"

#include <tuple>

namespace picket::testing {

inline CheckOptions optionsFor(const std::vector<Model> &Models, unsigned Unroll = 8) {
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

/// Every place for a fence: behind and in front of every access of memory, all copies of a text together. Knows nothing
/// of how a repair finds its candidates.
inline std::vector<std::vector<CodePlace>> allFencePlaces(const Program &P) {
  using Text = std::tuple<uint32_t, uint32_t, uint32_t, Opcode>;
  std::map<std::pair<Text, bool>, std::vector<CodePlace>> Places;
  for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc) {
    const Opcode Op = P.Code[Pc].Op;
    if (Op != Opcode::Load && Op != Opcode::Store && Op != Opcode::Rmw && Op != Opcode::CmpXchg)
      continue;
    const SourceLocation &At = P.Locations[P.CodeLocations[Pc]];
    for (bool Behind : {false, true})
      Places[{{At.File, At.Line, At.Column, Op}, Behind}].push_back({Pc, Behind});
  }
  std::vector<std::vector<CodePlace>> Result;
  for (auto &[Text, Copies] : Places)
    Result.push_back(std::move(Copies));
  return Result;
}

/// Whether some set of exactly so many full fences makes the program pass.
inline bool someFullFencesWork(const Program &P, const CheckOptions &Options, unsigned Number) {
  const std::vector<std::vector<CodePlace>> Places = allFencePlaces(P);
  std::function<bool(size_t, unsigned, const ProgramEdit &)> Works = [&](size_t From, unsigned Left,
                                                                         const ProgramEdit &Edit) {
    if (Left == 0)
      return passes(edited(P, Edit).Code, Options);
    for (size_t K = From; K < Places.size(); ++K) {
      ProgramEdit More = Edit;
      for (const CodePlace &At : Places[K])
        More.Fences.push_back({At, FenceKind::Full});
      if (Works(K + 1, Left - 1, More))
        return true;
    }
    return false;
  };
  return Works(0, Number, {});
}

/// The least number of full fences that make the program pass; `Most` + 1 if so many are not enough.
inline unsigned fewestFullFences(const Program &P, const CheckOptions &Options, unsigned Most) {
  unsigned Number = 0;
  while (Number <= Most && !someFullFencesWork(P, Options, Number))
    ++Number;
  return Number;
}

} // namespace picket::testing
