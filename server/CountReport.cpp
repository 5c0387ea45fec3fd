// Tables of the figures of checks.
#include "TextReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

using llvm::raw_ostream;

namespace picket {

/// Every execution was seen to its end, one per Shasha-Snir trace. Where one ends at a data race, others may not have been
/// explored.
static bool isComplete(const ModelReport &M, bool Exhaustive) {
  if (M.OnePer != Equivalence::ShashaSnir)
    return false;
  if (std::any_of(M.Bugs.begin(), M.Bugs.end(), [](const Bug &B) { return B.Kind == BugKind::DataRace; }))
    return false;
  return (M.Result == Verdict::Verified && !M.States) ||
         (M.Result == Verdict::Violation && Exhaustive && M.Reason.empty() && !M.CutShort);
}

/// "tso, pso", "no (c11: ?)": the models against which the program is robust, and those for which that is not known. "?": it
/// is known for none. Every SC execution is one of the relaxed models as well, so that as many executions are the same
/// executions. As many reads-from relations say nothing of the order of stores.
static std::string robustText(const std::vector<ModelReport> &Models, bool Exhaustive) {
  const auto Sequential = llvm::find_if(Models, [](const ModelReport &M) { return M.Which == MemoryModel::SC; });
  if (Sequential == Models.end() || !isComplete(*Sequential, Exhaustive))
    return "?";
  std::vector<std::string> Robust, Unknown;
  bool AnyKnown = false;
  for (const ModelReport &M : Models) {
    if (M.Skipped || M.Which == MemoryModel::SC)
      continue;
    const bool Known = isComplete(M, Exhaustive);
    AnyKnown |= Known;
    if (!Known)
      Unknown.emplace_back(nameOf(M.Which));
    else if (M.Executions == Sequential->Executions && M.Blocked == Sequential->Blocked)
      Robust.emplace_back(nameOf(M.Which));
  }
  if (!AnyKnown)
    return "?";
  return (Robust.empty() ? "no" : llvm::join(Robust, ", ")) +
         (Unknown.empty() ? "" : " (" + llvm::join(Unknown, ", ") + ": ?)");
}

/// Numbers of executions side by side.
static void printSideBySide(raw_ostream &Out, const std::vector<CheckReport> &Reports, size_t Width, bool Exhaustive) {
  Out << '\n' << llvm::left_justify("executions", Width);
  for (const ModelReport &M : Reports.front().Models)
    Out << llvm::right_justify(nameOf(M.Which), 12);
  Out << "  robust\n";
  for (const CheckReport &R : Reports) {
    Out << llvm::left_justify(R.File, Width);
    for (const ModelReport &M : R.Models)
      Out << llvm::format("%12llu", static_cast<unsigned long long>(M.Executions));
    Out << "  " << robustText(R.Models, Exhaustive) << '\n';
  }
}

void printCounts(raw_ostream &Out, const std::vector<CheckReport> &Reports, bool Exhaustive) {
  size_t Width = 10;
  for (const CheckReport &R : Reports)
    Width = std::max(Width, R.File.size());
  Out << llvm::left_justify("file", Width) << "  model  verdict        executions     blocked     bounded    seconds"
      << "  executions/s\n";
  for (const CheckReport &R : Reports)
    for (const ModelReport &M : R.Models) {
      double Executions = static_cast<double>(M.Executions);
      Out << llvm::left_justify(R.File, Width) << "  " << llvm::left_justify(nameOf(M), 5) << "  "
          << llvm::left_justify(nameOf(M.Result), 13);
      Out << llvm::format("%12llu%12llu%12llu%11.3f%14.0f\n", static_cast<unsigned long long>(M.Executions),
                          static_cast<unsigned long long>(M.Blocked + M.Rejected),
                          static_cast<unsigned long long>(M.CutShort), M.Seconds,
                          M.Seconds > 0 ? Executions / M.Seconds : 0.0);
    }
  const bool ByReads = std::any_of(Reports.begin(), Reports.end(), [](const CheckReport &R) {
    return std::any_of(R.Models.begin(), R.Models.end(),
                       [](const ModelReport &M) { return M.OnePer == Equivalence::ReadsFrom; });
  });
  if (ByReads)
    Out << "There is one execution per reads-from relation, unless a line below says otherwise.\n";
  for (const CheckReport &R : Reports)
    for (const ModelReport &M : R.Models)
      if (!M.WhyNotReadsFrom.empty())
        Out << R.File << ": " << titleOf(M.Which) << ": " << wholeTracesText(M) << '\n';
  for (const CheckReport &R : Reports) {
    for (const ModelReport &M : R.Models)
      if (M.Unchecked)
        Out << R.File << ": " << titleOf(M.Which) << ": " << M.Unchecked
            << " more ended in an error that is not checked\n";
    printLeftOut(Out, R.File, R.Looked);
  }
  if (!Reports.empty() && Reports.front().Models.size() > 1)
    printSideBySide(Out, Reports, Width, Exhaustive);
}

} // namespace picket
