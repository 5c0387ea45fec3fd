#include "lsp/LitmusOutcome.h"

#include "litmus/LitmusReader.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace picket {

bool isLitmus(StringRef File) { return File.ends_with(".litmus"); }

namespace {

/// The line on which the condition begins: the last one that does not go on with another.
uint32_t conditionLine(StringRef Text) {
  uint32_t Line = 0, Found = 1;
  while (!Text.empty()) {
    auto [First, Rest] = Text.split('\n');
    ++Line;
    First = First.ltrim();
    for (StringRef Quantifier : {"exists", "~exists", "~ exists", "forall"})
      if (First.starts_with(Quantifier))
        Found = Line;
    Text = Rest;
  }
  return Found;
}

std::string countOf(uint64_t N, StringRef What) { return std::to_string(N) + " " + (What + (N == 1 ? "" : "s")).str(); }

std::string messageOf(const LitmusTest &Test, const LitmusResult &R) {
  std::string Message = titleOf(R.Which) + ": ";
  if (!R.answered())
    return Message + R.Reason;
  Message += std::string(R.Holds ? "holds" : "does not hold") + ": '" + Test.ConditionText + "' is ";
  Message += R.Satisfying == 0 ? "never so"
             : R.Others == 0   ? "always so"
                               : "so in " + std::to_string(R.Satisfying) + " of " + countOf(R.Executions, "execution");
  if (R.Satisfying == 0 || R.Others == 0)
    Message += " (" + countOf(R.Executions, "execution") + ")";
  if (R.Coverage == Verdict::Bounded)
    Message += ", up to the loop bound";
  return Message + ", " + countOf(R.States.size(), "final state");
}

} // namespace

Outcome litmusOutcome(const std::string &File, StringRef Text, const LitmusOptions &Options) {
  Outcome O;
  O.Unroll = Options.Unroll;
  LitmusReading Reading = readLitmus({Text.data(), Text.size()}, File);
  if (!Reading.Test) {
    O.Compiled = Reading.Unsupported;
    O.Findings.push_back({Reading.Unsupported ? Severity::Warning : Severity::Error,
                          Reading.Unsupported ? FindingCode(Verdict::Unsupported) : OtherFinding::Litmus,
                          Reading.Problem,
                          {File, std::max(1u, Reading.Line), 0, 0, 0},
                          "",
                          {},
                          -1});
    return O;
  }
  const LitmusTest &Test = *Reading.Test;
  const SourceLocation Where{File, conditionLine(Text), 0, 0, 0};
  for (MemoryModel M : modelsFor(Test.Architecture)) {
    LitmusResult R = runLitmus(Test, M, Options);
    O.Models.push_back({M, R.Coverage, R.Executions, R.Blocked, R.Cut, R.Seconds, R.Reason});
    O.Findings.push_back({R.answered() ? Severity::Note : Severity::Warning,
                          OtherFinding::Litmus,
                          messageOf(Test, R),
                          Where,
                          "",
                          {},
                          -1});
    std::string Facts;
    for (const auto &[State, Times] : R.States)
      Facts += (Facts.empty() ? "`" : "\n\n`") + Test.textOf(State) + "` " + countOf(Times, "execution");
    if (R.answered())
      O.Facts.push_back({Where, "**" + titleOf(M) + "**\n\n" + Facts});
  }
  return O;
}

} // namespace picket
