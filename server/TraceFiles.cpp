#include "TraceFiles.h"

#include "HtmlPage.h"
#include "Supervision.h"
#include "TraceJson.h"
#include "draw/Svg.h"

#include "llvm/Support/raw_ostream.h"

namespace picket {

namespace {

struct Found {
  const Counterexample *Trace;
  const CheckReport *Report;
};

std::vector<Found> allTraces(const std::vector<CheckReport> &Reports) {
  std::vector<Found> Result;
  for (const CheckReport &R : Reports)
    for (const ModelReport &M : R.Models)
      for (const std::vector<Bug> *All : {&M.Bugs, &M.Warnings})
        for (const Bug &B : *All)
          if (B.Trace)
            Result.push_back({B.Trace.get(), &R});
  return Result;
}

std::string jsonOf(const std::vector<Found> &Traces, bool AsArray, SourceTexts &Sources) {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  llvm::json::OStream J(Out);
  auto WriteAll = [&] {
    for (const Found &F : Traces)
      writeTrace(J, *F.Trace, {F.Report->File, F.Report->Flags, &Sources, F.Report->Others}, /*Pictures=*/true);
  };
  if (AsArray)
    J.array(WriteAll);
  else
    WriteAll();
  return Text;
}

bool complain(const std::string &Sentence) {
  llvm::errs() << "picket: " << Sentence << '\n';
  return false;
}

bool writeFile(const std::string &File, const std::string &Content) {
  if (File == "-") {
    llvm::outs() << Content;
    llvm::outs().flush();
    return true;
  }
  const std::string Failed = writeFilesOutside({{File, Content}});
  return Failed.empty() || complain(Failed);
}

bool writePicture(const std::string &File, const Counterexample &C, View V) {
  SvgResult Drawn = renderSvg(toDot(C, V));
  return Drawn.Ok ? writeFile(File, Drawn.Svg + "\n") : complain("cannot draw '" + File + "': " + Drawn.Error);
}

} // namespace

bool TraceFiles::write(const std::vector<CheckReport> &Reports, SourceTexts &Sources) const {
  std::vector<Found> Traces = allTraces(Reports);
  const size_t All = Traces.size();
  std::erase_if(Traces, [](const Found &F) { return isTooLong(*F.Trace); });
  if (Traces.empty() && All > 0) {
    for (const std::string *File : {&Json, &Dot, &Svg, &Html})
      if (!File->empty())
        complain("the counterexample has more than " + std::to_string(MostEventsInFiles) + " steps: '" + *File +
                 "' is not written");
    return false;
  }
  if (Traces.empty()) {
    for (const std::string *File : {&Json, &Dot, &Svg, &Html})
      if (!File->empty())
        complain("no counterexample was found: '" + *File + "' is not written");
    return true;
  }
  const Counterexample &First = *Traces.front().Trace;
  const View Shown = First.Chronological.Nodes.empty() ? View::ShashaSnir : Which; // POWER has but one
  bool Ok = true;
  if (!Json.empty())
    Ok &= writeFile(Json, jsonOf({Traces.front()}, /*AsArray=*/false, Sources) + "\n");
  if (!Dot.empty())
    Ok &= writeFile(Dot, toDot(First, Shown));
  if (!Svg.empty())
    Ok &= writePicture(Svg, First, Shown);
  if (!Html.empty())
    Ok &= writeFile(Html, htmlPage(jsonOf(Traces, /*AsArray=*/true, Sources)));
  return Ok;
}

} // namespace picket
