#include "SarifReport.h"

#include "DisplayPath.h"
#include "TraceJson.h"
#include "machine/Checks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

using llvm::StringRef;
using llvm::json::OStream;

namespace picket {

namespace {

constexpr const char *NotChecked = "not-checked", *AboutTarget = "about-target";
constexpr Verdict Notified[] = {Verdict::Bounded, Verdict::Inconclusive, Verdict::Unsupported, Verdict::CompileError};

const char *describe(Verdict V) {
  switch (V) {
  case Verdict::Verified: return "No execution goes wrong.";
  case Verdict::Violation: return "An execution goes wrong.";
  case Verdict::Bounded: return "A loop was followed only up to the bound.";
  case Verdict::Inconclusive: return "A limit was reached before the answer.";
  case Verdict::Unsupported: return "The program does something that is not modelled.";
  case Verdict::CompileError: return "The file could not be read or compiled.";
  }
  return "";
}

/// Bytes that are neither unreserved characters of RFC 3986 nor slashes are escaped.
std::string uriOf(const std::string &Path) {
  std::string Uri = StringRef(Path).starts_with("/") ? "file://" : "";
  for (char C : Path)
    if (llvm::isAlnum(C) || StringRef("-._~/").contains(C))
      Uri += C;
    else
      Uri += "%" + llvm::toHex(StringRef(&C, 1));
  return Uri;
}

/// Braces stand for placeholders in SARIF's messages.
std::string escaped(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    Result += C;
    if (C == '{' || C == '}')
      Result += C;
  }
  return llvm::json::fixUTF8(Result);
}

/// One bug, and all models in which it happens.
struct Finding {
  const CheckReport *Report;
  std::vector<std::pair<const ModelReport *, const Bug *>> Under;
  bool IsWarning = false;
};

std::vector<Finding> findingsOf(const CheckReport &Report) {
  std::vector<Finding> Result;
  for (const ModelReport &M : Report.Models)
    for (const std::vector<Bug> *All : {&M.Bugs, &M.Warnings})
      for (const Bug &B : *All) {
        auto At = std::find_if(Result.begin(), Result.end(),
                               [&](const Finding &F) { return isSame(*F.Under.front().second, B); });
        if (At == Result.end())
          At = Result.insert(At, Finding{&Report, {}, All == &M.Warnings});
        At->Under.emplace_back(&M, &B);
      }
  return Result;
}

class SarifWriter {
public:
  SarifWriter(OStream &Json, const std::vector<CheckReport> &Reports, SourceTexts &Sources, int ExitCode)
      : Json(Json), Reports(Reports), Sources(Sources), ExitCode(ExitCode) {}

  void write() {
    Json.object([&] {
      Json.attribute("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json");
      Json.attribute("version", "2.1.0");
      Json.attributeArray("runs", [&] { Json.object([&] { run(); }); });
    });
  }

private:
  void run() {
    Json.attributeObject("tool", [&] { Json.attributeObject("driver", [&] { driver(); }); });
    Json.attribute("columnKind", "utf16CodeUnits");
    Json.attributeArray("invocations", [&] { Json.object([&] { invocation(); }); });
    Json.attributeArray("results", [&] {
      for (const CheckReport &R : Reports)
        for (const Finding &F : findingsOf(R))
          Json.object([&] { result(F); });
    });
    for (const CheckReport &R : Reports) {
      artifact(R.File);
      for (const ProgramFile &Other : R.Others)
        artifact(displayPath(Other.File, R.File));
    }
    Json.attributeArray("artifacts", [&] {
      for (const std::string &File : Artifacts)
        Json.object([&] {
          Json.attributeObject("location", [&] { Json.attribute("uri", uriOf(File)); });
          Json.attribute("sourceLanguage", "c");
        });
    });
  }

  void driver() {
    Json.attribute("name", "Picket");
    Json.attribute("version", PICKET_VERSION);
    Json.attribute("semanticVersion", PICKET_VERSION);
    Json.attributeArray("rules", [&] {
      for (const BugKindInfo &Kind : BugKinds)
        descriptor(Kind.Name, Kind.Sentence, "error");
    });
    Json.attributeArray("notifications", [&] {
      for (Verdict V : Notified)
        descriptor(nameOf(V), describe(V), levelOf(V));
      descriptor(NotChecked, "Some kinds of bugs were not looked for.", "note");
      descriptor(AboutTarget, "The text chooses its code by the architecture it is compiled for.", "note");
    });
  }

  void descriptor(const char *Id, const char *Text, const char *Level) {
    Json.object([&] {
      Json.attribute("id", Id);
      Json.attributeObject("shortDescription", [&] { Json.attribute("text", Text); });
      Json.attributeObject("defaultConfiguration", [&] { Json.attribute("level", Level); });
    });
  }

  static const char *levelOf(Verdict V) {
    return V == Verdict::CompileError ? "error" : V == Verdict::Bounded ? "note" : "warning";
  }

  void message(StringRef Text) {
    Json.attributeObject("message", [&] { Json.attribute("text", escaped(Text)); });
  }

  size_t artifact(const std::string &File) {
    auto At = std::find(Artifacts.begin(), Artifacts.end(), File);
    if (At == Artifacts.end())
      At = Artifacts.insert(At, File);
    return static_cast<size_t>(At - Artifacts.begin());
  }

  uint32_t column(const SourceLocation &P, uint32_t Line, uint32_t Column) {
    std::optional<std::string> Text = Sources.lineOf(P.File, Line);
    return Text ? utf16Column(*Text, Column) : Column;
  }

  void physicalLocation(const SourceLocation &P, const std::string &NamedFile) {
    const std::string File = displayPath(P.File, NamedFile);
    Json.attributeObject("physicalLocation", [&] {
      Json.attributeObject("artifactLocation", [&] {
        Json.attribute("uri", uriOf(File));
        Json.attribute("index", int64_t(artifact(File)));
      });
      if (!P.Line)
        return;
      Json.attributeObject("region", [&] {
        Json.attribute("startLine", P.Line);
        if (P.Column)
          Json.attribute("startColumn", column(P, P.Line, P.Column));
        if (P.Column && P.EndColumn && P.EndLine >= P.Line) {
          Json.attribute("endLine", P.EndLine);
          Json.attribute("endColumn", column(P, P.EndLine, P.EndColumn));
        }
      });
    });
  }

  void location(const TracePlace &P, const std::string &NamedFile, StringRef Text) {
    if (P.Where.Line)
      physicalLocation(P.Where, NamedFile);
    if (!P.Function.empty())
      Json.attributeArray("logicalLocations", [&] {
        Json.object([&] {
          Json.attribute("name", llvm::json::fixUTF8(P.Function));
          Json.attribute("kind", "function");
        });
      });
    if (!Text.empty())
      message(Text);
  }

  void invocation() {
    bool Successful = true;
    for (const CheckReport &R : Reports)
      for (const ModelReport &M : R.Models)
        Successful &= M.Skipped || (M.Result != Verdict::CompileError && M.Result != Verdict::Unsupported);
    Json.attribute("executionSuccessful", Successful);
    Json.attribute("exitCode", ExitCode);
    Json.attributeArray("toolExecutionNotifications", [&] {
      for (const CheckReport &R : Reports) {
        for (const Diagnostic &D : R.Diagnostics)
          diagnostic(R, D);
        for (const ModelReport &M : R.Models)
          modelNotification(R, M);
        if (const std::vector<std::string> Off = R.Looked.namesLeftOut(); !Off.empty())
          notification(R, NotChecked, "note", {R.File, 0, 0, 0, 0},
                       "Not checked, as asked for: " + llvm::join(Off, ", "));
      }
    });
  }

  void diagnostic(const CheckReport &R, const Diagnostic &D) {
    static constexpr const char *Levels[] = {"error", "warning", "note"};
    notification(R, "compile-error", Levels[static_cast<int>(D.Level)], D.Where, D.Message);
  }

  void modelNotification(const CheckReport &R, const ModelReport &M) {
    const std::string Under = "Under " + titleOf(M.Which) + ": ";
    if (M.AboutTarget)
      notification(R, AboutTarget, "note", M.AboutTarget->Where, Under + M.AboutTarget->Message);
    if (M.Result == Verdict::Bounded)
      for (const CutLoop &L : M.Loops)
        notification(R, nameOf(M.Result), levelOf(M.Result), L.Where,
                     Under + "this loop was followed only up to the bound");
    if (M.Result == Verdict::Bounded)
      for (const Note &N : M.BehindBound)
        notification(R, nameOf(M.Result), levelOf(M.Result), N.Where, Under + N.Message);
    if (M.Result == Verdict::Inconclusive || M.Result == Verdict::Unsupported)
      notification(R, nameOf(M.Result), M.Skipped ? "note" : levelOf(M.Result), M.ReasonLocation, Under + M.Reason);
  }

  void notification(const CheckReport &R, const char *Id, const char *Level, const SourceLocation &P, StringRef Text) {
    Json.object([&] {
      Json.attributeObject("descriptor", [&] { Json.attribute("id", Id); });
      Json.attribute("level", Level);
      message(Text);
      Json.attributeArray("locations", [&] { Json.object([&] { physicalLocation(P, R.File); }); });
    });
  }

  static std::string textOf(const Finding &F) {
    const Bug &B = *F.Under.front().second;
    std::vector<std::string> Models;
    for (const auto &[M, Ignored] : F.Under)
      Models.push_back(titleOf(M->Which));
    std::string Text = B.Message + " (";
    if (!B.Thread.empty())
      Text += "in thread '" + B.Thread + "', ";
    Text += "under " + llvm::join(Models, ", ") + ").";
    return B.Trace && !B.Trace->Sentence.empty() ? Text + " " + B.Trace->Sentence : Text;
  }

  void result(const Finding &F) {
    const Bug &B = *F.Under.front().second;
    Json.attribute("ruleId", nameOf(B.Kind));
    Json.attribute("level", F.IsWarning ? "warning" : "error");
    message(textOf(F));
    Json.attributeArray("locations", [&] { Json.object([&] { physicalLocation(B.Where, F.Report->File); }); });
    const std::optional<Note> &About = F.Under.front().first->AboutTarget;
    if (B.Trace || B.Other)
      relatedLocations(B, About, F.Report->File);
    if (B.Trace && B.Trace->Run.isRace())
      stacks(*B.Trace, F.Report->File);
    Json.attributeArray("codeFlows", [&] {
      for (const auto &[M, Under] : F.Under)
        if (Under->Trace && !isTooLong(*Under->Trace))
          Json.object([&] { codeFlow(M->Which, *Under->Trace, F.Report->File); });
    });
    Json.attributeObject("properties", [&] {
      Json.attributeArray("models", [&] {
        for (const auto &[M, Ignored] : F.Under)
          Json.value(nameOf(M->Which));
      });
      Json.attributeArray("targets", [&] { // of the models
        for (const auto &[M, Ignored] : F.Under)
          Json.value(nameOf(M->Target));
      });
    });
  }

  /// How the threads came to the accesses of a data race.
  void stacks(const Counterexample &C, const std::string &NamedFile) {
    Json.attributeArray("stacks", [&] {
      for (uint32_t Event : {C.Run.RaceSecond, C.Run.RaceFirst})
        Json.object([&] {
          const TraceEvent &E = C.Run.Events[Event];
          message("thread '" + C.Run.Threads[E.Thread].Name + "'");
          frames(E, NamedFile);
        });
    });
  }

  /// The other access of a data race, the accesses that took effect in the wrong order, where threads are stuck, and where
  /// the text chooses by the target.
  void relatedLocations(const Bug &B, const std::optional<Note> &About, const std::string &NamedFile) {
    Json.attributeArray("relatedLocations", [&] {
      if (B.Other)
        Json.object([&] { location({B.Other->Where, ""}, NamedFile, "the " + describe(*B.Other)); });
      if (!B.Trace)
        return;
      const Counterexample &C = *B.Trace;
      if (About)
        Json.object([&] { location({About->Where, ""}, NamedFile, About->Message); });
      for (const ReorderedPair &P : C.Why.Reordered)
        for (uint32_t Event : {P.First, P.Second})
          Json.object([&] { location(C.Run.Events[Event].At, NamedFile, P.Sentence); });
      for (const Step &S : C.Steps)
        if (const TraceEvent &E = C.Run.Events[S.Event]; E.Kind == EventKind::Blocked)
          Json.object([&] { location(E.At, NamedFile, S.Text); });
    });
  }

  void codeFlow(MemoryModel M, const Counterexample &C, const std::string &NamedFile) {
    message("How it happens under " + titleOf(M));
    Json.attributeArray("threadFlows", [&] {
      for (uint32_t T = 0; T < C.Run.Threads.size(); ++T) {
        auto Of = [&](const Step &S) { return C.Run.Events[S.Event].Thread == T; };
        if (std::any_of(C.Steps.begin(), C.Steps.end(), Of))
          Json.object([&] { threadFlow(C, T, NamedFile); });
      }
    });
  }

  void threadFlow(const Counterexample &C, uint32_t Thread, const std::string &NamedFile) {
    Json.attribute("id", llvm::json::fixUTF8(C.Run.Threads[Thread].Name));
    Json.attributeArray("locations", [&] {
      for (size_t K = 0; K < C.Steps.size(); ++K)
        if (C.Run.Events[C.Steps[K].Event].Thread == Thread)
          Json.object([&] { threadFlowLocation(C, K, NamedFile); });
    });
  }

  void threadFlowLocation(const Counterexample &C, size_t Index, const std::string &NamedFile) {
    const Step &S = C.Steps[Index];
    const TraceEvent &E = C.Run.Events[S.Event];
    Json.attributeObject(
        "location", [&] { location(E.At, NamedFile, S.Remark.empty() ? S.Text : S.Text + " (" + S.Remark + ")"); });
    Json.attributeObject("stack", [&] { frames(E, NamedFile); });
    Json.attributeArray("kinds", [&] { Json.value(nameOf(E.Kind)); });
    if (!E.Accesses.empty() && !S.Memory.empty())
      Json.attributeObject("state", [&] { state(C, S, E); });
    Json.attribute("nestingLevel", int64_t(E.Callers.size()));
    Json.attribute("executionOrder", int64_t(Index + 1));
    Json.attribute("importance", S.OutOfOrder || E.Kind == EventKind::Bug ? "essential" : "important");
  }

  void frames(const TraceEvent &E, const std::string &NamedFile) {
    Json.attributeArray("frames", [&] {
      for (size_t K = E.Folded.size(); K-- > 0;)
        frame(E.Folded[K], NamedFile);
      frame(E.At, NamedFile);
      for (size_t K = E.Callers.size(); K-- > 0;)
        frame(E.Callers[K], NamedFile);
    });
  }

  void frame(const TracePlace &P, const std::string &NamedFile) {
    Json.object([&] { Json.attributeObject("location", [&] { location(P, NamedFile, ""); }); });
  }

  /// What is in memory, after the step, of the variables it accesses.
  void state(const Counterexample &C, const Step &S, const TraceEvent &E) {
    std::vector<std::string> Written;
    for (const TraceAccess &A : E.Accesses) {
      const std::string Name = llvm::json::fixUTF8(C.Run.Variables[A.Variable].Name);
      if (A.Variable >= S.Memory.size() || std::find(Written.begin(), Written.end(), Name) != Written.end())
        continue;
      Written.push_back(Name);
      Json.attributeObject(Name, [&] { Json.attribute("text", escaped(S.Memory[A.Variable])); });
    }
  }

  OStream &Json;
  const std::vector<CheckReport> &Reports;
  SourceTexts &Sources;
  int ExitCode;
  std::vector<std::string> Artifacts; // as displayed; in the order in which they are mentioned
};

} // namespace

void printSarif(llvm::raw_ostream &Out, const std::vector<CheckReport> &Reports, SourceTexts &Sources, int ExitCode) {
  OStream Json(Out, /*IndentSize=*/2);
  SarifWriter(Json, Reports, Sources, ExitCode).write();
  Out << '\n';
}

} // namespace picket
