#include "lsp/StatusText.h"

#include "CheckEstimate.h"
#include "VerdictMarks.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace picket {

std::string verdictsText(const Outcome &O) {
  std::vector<MarkedModel> Models;
  for (const ModelOutcome &M : O.Models)
    Models.push_back({titleOf(M.Model), M.Result ? markOf(*M.Result, O.Unroll) : "…"});
  const std::string Text = marksText(Models);
  return O.LeftOut.empty() ? Text : Text + " · without " + llvm::join(O.LeftOut, ", ");
}

std::string statusText(const DocumentStatus &Status) {
  switch (Status.State) {
  case CheckState::Unchecked: return "not checked yet";
  case CheckState::Waiting: return "waiting to be checked";
  case CheckState::Cancelled:
    return Status.Partial && Status.Current ? verdictsText(*Status.Result) + " · cancelled" : "check cancelled";
  case CheckState::Failed: return "the checker stopped unexpectedly";
  case CheckState::Checking: {
    const std::string Known = Status.Partial && Status.Current ? verdictsText(*Status.Result) + " · " : "";
    return Known +
           (Status.Running ? "checking " + progressText(Status.Running->Last, Status.Running->All) : "checking");
  }
  case CheckState::Quiet:
    if (!Status.Result || !Status.Current)
      return "not a C file";
    return Status.Result->HasMain ? "no threads" : "no 'main'";
  case CheckState::Done: break;
  }
  if (!Status.Result)
    return "not checked yet";
  if (!Status.Result->Compiled)
    return "does not compile";
  const std::vector<ModelOutcome> &Models = Status.Result->Models;
  auto Refused = [](const ModelOutcome &M) { return M.Result == Verdict::Unsupported; };
  if (!Models.empty() && std::all_of(Models.begin(), Models.end(), Refused))
    return "cannot be checked: " + Models.front().Reason;
  uint64_t Executions = 0, States = 0;
  for (const ModelOutcome &M : Models) {
    Executions += M.Executions;
    States += M.States;
  }
  std::string Text = verdictsText(*Status.Result);
  if (Executions || !States)
    Text += " · " + executionsText(Executions);
  if (States)
    Text += " · " + statesText(States);
  return Text + (Status.Current ? "" : " · edited since");
}

} // namespace picket
