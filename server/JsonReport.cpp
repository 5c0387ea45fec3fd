#include "JsonReport.h"

#include "DisplayPath.h"

#include "llvm/Support/JSON.h"

using llvm::json::OStream;

namespace picket {

namespace {

/// Source text and file names may be anything; JSON is UTF-8.
void text(OStream &J, llvm::StringRef Name, llvm::StringRef Value) { J.attribute(Name, llvm::json::fixUTF8(Value)); }

void place(OStream &J, const SourceLocation &P, const std::string &NamedFile) {
  text(J, "file", displayPath(P.File, NamedFile));
  J.attribute("line", P.Line);
  J.attribute("column", P.Column);
}

/// The calls that an access of a data race is in, from the outside.
void callers(OStream &J, const Bug &B, uint32_t Recording::*Access, const std::string &NamedFile) {
  const uint32_t Event = B.Trace ? B.Trace->Run.*Access : NoEvent;
  if (Event != NoEvent)
    J.attributeArray("callers", [&] {
      for (const TracePlace &P : B.Trace->Run.Events[Event].Callers)
        J.object([&] {
          text(J, "function", P.Function);
          place(J, P.Where, NamedFile);
        });
    });
}

} // namespace

void writeBug(OStream &J, const Bug &B, const TraceContext &Context) {
  J.object([&] {
    text(J, "kind", nameOf(B.Kind));
    text(J, "message", B.Message);
    place(J, B.Where, Context.NamedFile);
    text(J, "thread", B.Thread);
    if (B.Other) {
      callers(J, B, &Recording::RaceSecond, Context.NamedFile);
      J.attributeObject("other", [&] {
        J.attribute("access", B.Other->Writes ? "write" : "read");
        J.attribute("atomic", B.Other->IsAtomic);
        place(J, B.Other->Where, Context.NamedFile);
        text(J, "thread", B.Other->Thread);
        callers(J, B, &Recording::RaceFirst, Context.NamedFile);
      });
    }
    if (!B.Trace)
      return;
    if (isTooLong(*B.Trace)) {
      J.attribute("stepsLeftOut", static_cast<int64_t>(B.Trace->Run.Events.size()));
      return;
    }
    J.attributeBegin("counterexample");
    writeTrace(J, *B.Trace, Context, /*Pictures=*/false);
    J.attributeEnd();
  });
}

namespace {

void witness(OStream &J, const Counterexample *C, const TraceContext &Context) {
  if (!C || isTooLong(*C))
    return;
  J.attributeBegin("counterexample");
  writeTrace(J, *C, Context, /*Pictures=*/false);
  J.attributeEnd();
}

void places(OStream &J, llvm::StringRef Name, const std::vector<SourceLocation> &Places, const std::string &NamedFile) {
  J.attributeArray(Name, [&] {
    for (const SourceLocation &P : Places)
      J.object([&] { place(J, P, NamedFile); });
  });
}

void robustness(OStream &J, const Robustness &R, const TraceContext &Context) {
  J.object([&] {
    J.attribute("against", nameOf(R.Against));
    J.attribute("robust", R.Known == Robustness::Robust);
    J.attribute("bounded", R.Bounded);
    if (R.Bounded || R.Iterations)
      J.attribute("iterations", R.Iterations);
    if (R.Known != Robustness::NotRobust)
      return;
    text(J, "message", R.Message);
    J.attributeObject("store", [&] { place(J, R.Store, Context.NamedFile); });
    J.attributeObject("overtaker", [&] { place(J, R.Overtaker, Context.NamedFile); });
    J.attributeObject("observer", [&] { place(J, R.Observer, Context.NamedFile); });
    witness(J, R.Witness.get(), Context);
    J.attribute("complete", R.Complete);
    J.attributeArray("violations", [&] {
      for (const ScViolation &V : R.Violations)
        J.object([&] {
          J.attributeObject("store", [&] { place(J, V.Store, Context.NamedFile); });
          places(J, "overtakers", V.Overtakers, Context.NamedFile);
          places(J, "previous", V.Previous, Context.NamedFile);
          J.attributeObject("observer", [&] { place(J, V.Observer, Context.NamedFile); });
          if (V.Witness != R.Witness) // that is shown above
            witness(J, V.Witness.get(), Context);
        });
    });
  });
}

/// `Alone`: no other model tells what is known of its robustness.
void model(OStream &J, const ModelReport &M, bool Alone, const TraceContext &Context) {
  const std::string &NamedFile = Context.NamedFile;
  J.object([&] {
    J.attribute("model", llvm::json::fixUTF8(nameOf(M)));
    J.attribute("target", nameOf(M.Target));
    if (!M.Flags.empty())
      J.attributeArray("flags", [&] {
        for (const std::string &Flag : M.Flags)
          J.value(llvm::json::fixUTF8(Flag));
      });
    J.attribute("verdict", nameOf(M.Result));
    J.attribute("executions", M.Executions);
    if (M.OnePer == Equivalence::ReadsFrom || !M.WhyNotReadsFrom.empty())
      J.attribute("equivalence", nameOf(M.OnePer));
    if (!M.WhyNotReadsFrom.empty())
      J.attribute("whyNotReadsFrom", M.WhyNotReadsFrom);
    J.attribute("blocked", M.Blocked + M.Rejected);
    J.attribute("rejected", M.Rejected);
    J.attribute("bounded", M.CutShort);
    J.attribute("unchecked", M.Unchecked);
    J.attribute("seconds", M.Seconds);
    J.attribute("stepsTaken", M.StepsTaken);
    J.attribute("explored", !M.FromSc);
    if (M.States)
      J.attributeObject("states", [&] {
        J.attribute("states", M.States->States);
        J.attribute("transitions", M.States->Transitions);
        J.attribute("bytes", M.States->Bytes);
        J.attribute("rounds", M.States->Rounds);
        J.attribute("delays", static_cast<int64_t>(M.States->Delays));
        J.attribute("robust", M.States->Robust);
        J.attribute("seconds", M.States->Seconds);
      });
    J.attributeArray("robustness", [&] {
      for (const Robustness &R : M.Robust)
        if (M.Which == R.Against || Alone)
          robustness(J, R, Context);
    });
    J.attributeArray("bugs", [&] {
      for (const Bug &B : M.Bugs)
        writeBug(J, B, Context);
    });
    if (!M.Warnings.empty())
      J.attributeArray("warnings", [&] {
        for (const Bug &B : M.Warnings)
          writeBug(J, B, Context);
      });
    if (!M.Stubs.empty())
      J.attributeArray("stubs", [&] {
        for (const std::string &Name : M.Stubs)
          J.value(Name);
      });
    if (M.AboutTarget)
      J.attributeObject("aboutTarget", [&] {
        text(J, "message", M.AboutTarget->Message);
        place(J, M.AboutTarget->Where, NamedFile);
      });
    if (M.Skipped)
      J.attribute("skipped", true);
    text(J, "reason", M.Reason);
    if (!M.Reason.empty() && M.ReasonLocation.Line)
      J.attributeObject("reasonPlace", [&] { place(J, M.ReasonLocation, NamedFile); });
    if (!M.NotModelled.empty())
      J.attributeArray("notModelled", [&] {
        for (const Unmodelled &U : M.NotModelled)
          J.object([&] {
            text(J, "what", U.What);
            J.attributeArray("places", [&] {
              for (const SourceLocation &Where : U.Places)
                J.object([&] { place(J, Where, NamedFile); });
            });
          });
      });
    J.attributeArray("loops", [&] {
      for (const CutLoop &L : M.Loops)
        J.object([&] { place(J, L.Where, NamedFile); });
    });
    J.attributeArray("behindBound", [&] {
      for (const Note &N : M.BehindBound)
        J.object([&] {
          text(J, "message", N.Message);
          place(J, N.Where, NamedFile);
        });
    });
    J.attributeArray("notes", [&] {
      for (const Note &N : M.Notes)
        J.object([&] {
          text(J, "message", N.Message);
          place(J, N.Where, NamedFile);
        });
    });
  });
}

void diagnostic(OStream &J, const Diagnostic &D, const std::string &NamedFile) {
  static constexpr const char *Levels[] = {"error", "warning", "note"};
  J.object([&] {
    J.attribute("severity", Levels[static_cast<int>(D.Level)]);
    text(J, "message", D.Message);
    place(J, D.Where, NamedFile);
    J.attribute("endLine", D.Where.EndLine);
    J.attribute("endColumn", D.Where.EndColumn);
    if (!D.Notes.empty())
      J.attributeArray("notes", [&] {
        for (const Diagnostic &Note : D.Notes)
          diagnostic(J, Note, NamedFile);
      });
  });
}

void report(OStream &J, const CheckReport &R, const TraceContext &Context) {
  J.object([&] {
    text(J, "file", R.File);
    if (!R.Others.empty())
      J.attributeArray("with", [&] {
        for (const ProgramFile &Other : R.Others)
          J.value(llvm::json::fixUTF8(displayPath(Other.File, R.File)));
      });
    J.attributeArray("checks", [&] {
      for (const std::string &Name : R.Looked.names())
        J.value(Name);
    });
    J.attribute("races", nameOf(R.Races));
    J.attribute("volatile", nameOf(R.Language.Volatile));
    J.attribute("releaseSequences", nameOf(R.Language.Sequences));
    J.attributeArray("models", [&] {
      for (const ModelReport &M : R.Models)
        model(J, M, R.Models.size() == 1, Context);
    });
    J.attributeArray("diagnostics", [&] {
      for (const Diagnostic &D : R.Diagnostics)
        diagnostic(J, D, R.File);
    });
    J.attribute("compileSeconds", R.CompileSeconds);
  });
}

} // namespace

void printJson(llvm::raw_ostream &Out, const std::vector<CheckReport> &Reports, SourceTexts &Sources) {
  OStream J(Out, /*IndentSize=*/2);
  auto WriteAll = [&] {
    for (const CheckReport &R : Reports)
      report(J, R, {R.File, R.Flags, &Sources, R.Others});
  };
  if (Reports.size() == 1)
    WriteAll();
  else
    J.array(WriteAll);
  Out << '\n';
}

} // namespace picket
