#include "FixReport.h"

#include "DisplayPath.h"
#include "JsonReport.h"
#include "fences/TextDiff.h"

#include <algorithm>

using llvm::raw_ostream;
using llvm::json::OStream;

namespace picket {

namespace {

void text(OStream &J, llvm::StringRef Name, llvm::StringRef Value) { J.attribute(Name, llvm::json::fixUTF8(Value)); }

/// The bug as a check would show it.
void printShown(raw_ostream &Out, const std::string &File, const EditReport &R, SourceTexts &Sources,
                const TextOptions &Options) {
  if (!R.Shown)
    return;
  CheckReport Report;
  Report.File = File;
  ModelReport &M = Report.Models.emplace_back();
  M.Which = R.ShownUnder;
  M.Result = Verdict::Violation;
  M.Executions = 1;
  M.Bugs.push_back(*R.Shown);
  printText(Out, Report, Sources, Options);
}

void locationText(raw_ostream &Out, const SourceLocation &At, const std::string &File) {
  Out << displayPath(At.File, File) << ':' << At.Line << ':' << At.Column << ": ";
}

void place(OStream &J, const SourceLocation &At, const std::string &File) {
  text(J, "file", displayPath(At.File, File));
  J.attribute("line", At.Line);
  J.attribute("column", At.Column);
}

void edits(OStream &J, const CompileRequest &Text, const std::vector<TextEdit> &Edits, const TraceContext &Context) {
  J.attributeArray("edits", [&] {
    for (const TextEdit &E : Edits)
      J.object([&] {
        text(J, "file", displayPath(E.File, Context.NamedFile));
        J.attribute("begin", E.Begin);
        J.attribute("end", E.End);
        text(J, "text", E.Text);
      });
  });
  text(J, "diff", diffOf(Text, Edits));
}

/// The models that nothing was shown for. The same reason is said once.
void printSkipped(raw_ostream &Out, const std::string &File, const std::vector<ModelReport> &Skipped) {
  std::vector<std::pair<std::string, std::vector<MemoryModel>>> Reasons;
  for (const ModelReport &M : Skipped) {
    const std::string Reason =
        (M.Result == Verdict::Violation ? ", where a bug stays: " : ", which cannot check the program: ") + M.Reason;
    auto Known = std::find_if(Reasons.begin(), Reasons.end(), [&](const auto &R) { return R.first == Reason; });
    if (Known == Reasons.end())
      Known = Reasons.insert(Known, {Reason, {}});
    Known->second.push_back(M.Which);
  }
  for (const auto &[Reason, Models] : Reasons)
    Out << File << ": not for " << titlesOf(Models) << Reason << '\n';
}

/// What is to be said where nothing was found, and whether that is so.
struct Sentences {
  const char *GaveUp, *Refused;
  std::string NothingToDo;
};
bool printWithout(raw_ostream &Out, const std::string &File, const EditReport &Report, const Sentences &Say,
                  SourceTexts &Sources, const TextOptions &Options) {
  switch (Report.What) {
  case EditOutcome::NothingToDo:
    Out << File << ": " << Say.NothingToDo << '\n';
    printSkipped(Out, File, Report.Skipped);
    return true;
  case EditOutcome::CannotBeChecked: Out << File << ": cannot be checked: " << Report.Reason << '\n'; return true;
  case EditOutcome::GaveUp: Out << File << ": " << Say.GaveUp << ": " << Report.Reason << '\n'; return true;
  case EditOutcome::Refused:
    Out << File << ": " << Say.Refused << ": " << Report.Reason << '\n';
    printShown(Out, File, Report, Sources, Options);
    return true;
  case EditOutcome::Found: return false;
  }
  return false;
}

void models(OStream &J, const std::vector<ModelReport> &Models, unsigned Unroll) {
  J.attributeArray("models", [&] {
    for (const ModelReport &M : Models)
      J.object([&] {
        J.attribute("model", nameOf(M.Which));
        J.attribute("target", nameOf(M.Target));
        J.attribute("verdict", nameOf(M.Result));
        J.attribute("executions", M.Executions);
        if (M.Skipped)
          J.attribute("skipped", true);
      });
  });
  if (!Models.empty())
    text(J, "coverage", coverageOf(Models, Unroll));
}

/// What the reports of both commands end with.
void ending(OStream &J, const EditReport &R, const TraceContext &Context) {
  text(J, "reason", R.Reason);
  if (!R.Skipped.empty())
    J.attributeArray("skipped", [&] {
      for (const ModelReport &M : R.Skipped)
        J.object([&] {
          J.attribute("model", nameOf(M.Which));
          text(J, "reason", M.Reason);
        });
    });
  J.attribute("checks", R.Rounds);
  J.attribute("seconds", R.Seconds);
  if (!R.Shown)
    return;
  J.attributeObject("violation", [&] {
    J.attribute("model", nameOf(R.ShownUnder));
    J.attributeBegin("bug");
    writeBug(J, *R.Shown, Context);
    J.attributeEnd();
  });
}

} // namespace

std::string diffOf(const CompileRequest &Text, const std::vector<TextEdit> &Edits) {
  std::string Diff;
  for (const auto &[File, Edited] : editedTexts(Text, Edits))
    Diff += unifiedDiff(displayPath(File, Text.File), textOf(Text, File), Edited);
  return Diff;
}

void printFixes(raw_ostream &Out, const std::string &File, const FixReport &Report, SourceTexts &Sources,
                const TextOptions &Options) {
  if (printWithout(Out, File, Report, {"no fix found", "cannot be fixed", "nothing to fix"}, Sources, Options))
    return;
  for (const Fix &F : Report.Fixes) {
    const bool First = &F == &Report.Fixes.front();
    Out << (First ? File + ": " : "  or: ") << titleOf(F, Options.Unroll) << '\n';
    for (const SourceChange &Change : F.Changes)
      if (First || Report.Fixes.size() <= 3)
        Out << (First ? "  " : "      ") << describe(Change, File) << '\n';
  }
  printSkipped(Out, File, Report.Skipped);
}

void printWeaker(raw_ostream &Out, const std::string &File, const RelaxReport &Report, SourceTexts &Sources,
                 const TextOptions &Options) {
  if (printWithout(Out, File, Report, {"inconclusive", "nothing can be weakened", Report.Reason}, Sources, Options))
    return;
  for (const Weakening &W : Report.Weaker) {
    locationText(Out, W.Where, File);
    Out << "note: " << W.Sentence << '\n';
  }
  for (const Weakening &W : Report.Unwritten) {
    locationText(Out, W.Where, File);
    Out << "note: " << W.Sentence << " (to be edited by hand)\n";
  }
  if (!Report.Weaker.empty())
    Out << File << ": all of that together: " << coverageOf(Report.Models, Options.Unroll) << '\n';
  if (!Report.Complete)
    Out << File << ": a limit was reached before everything was tried\n";
  printSkipped(Out, File, Report.Skipped);
}

void writeFixes(OStream &J, const CompileRequest &Text, const FixReport &Report, unsigned Unroll,
                const TraceContext &Context) {
  J.object([&] {
    text(J, "file", Context.NamedFile);
    J.attribute("outcome", nameOf(Report.What, "fixed"));
    J.attributeArray("fixes", [&] {
      for (const Fix &F : Report.Fixes)
        J.object([&] {
          text(J, "title", titleOf(F, Unroll));
          J.attribute("minimal", F.Minimal);
          J.attribute("cheapest", F.Cheapest);
          J.attribute("changesTest", F.ChangesTest);
          J.attribute("cost", F.Cost / CostUnit);
          J.attributeArray("changes", [&] {
            for (const SourceChange &Change : F.Changes)
              J.value(llvm::json::fixUTF8(describe(Change, Text.File)));
          });
          models(J, F.Models, Unroll);
          edits(J, Text, F.Edits, Context);
        });
    });
    ending(J, Report, Context);
  });
}

void writeWeaker(OStream &J, const CompileRequest &Text, const RelaxReport &Report, unsigned Unroll,
                 const TraceContext &Context) {
  J.object([&] {
    text(J, "file", Context.NamedFile);
    J.attribute("outcome", nameOf(Report.What, "found"));
    J.attributeArray("notes", [&] {
      for (const auto *Some : {&Report.Weaker, &Report.Unwritten})
        for (const Weakening &W : *Some)
          J.object([&] {
            text(J, "message", W.Sentence);
            place(J, W.Where, Context.NamedFile);
            J.attribute("edited", Some == &Report.Weaker);
          });
    });
    J.attribute("complete", Report.Complete);
    models(J, Report.Models, Unroll);
    edits(J, Text, Report.Edits, Context);
    ending(J, Report, Context);
  });
}

} // namespace picket
