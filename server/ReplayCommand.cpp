#include "ReplayCommand.h"

#include "ClangFlags.h"
#include "DisplayPath.h"
#include "TextReport.h"
#include "source/compile/Compile.h"
#include "trace/Replay.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

namespace picket {

static int complain(int Code, const std::string &Sentence) {
  llvm::errs() << "picket: " << Sentence << '\n';
  return Code;
}

llvm::Expected<SavedTrace> ReplayCommand::load() const {
  auto Buffer = llvm::MemoryBuffer::getFileOrSTDIN(TraceFile, /*IsText=*/true);
  if (!Buffer)
    return llvm::createStringError("it cannot be read: " + Buffer.getError().message());
  llvm::Expected<llvm::json::Value> Json = parseUntrusted((*Buffer)->getBuffer());
  if (!Json)
    return llvm::createStringError("this is no JSON: " + llvm::toString(Json.takeError()));
  const llvm::json::Value *Trace = findTrace(*Json);
  if (!Trace)
    return llvm::createStringError("there is no counterexample in it");
  return readTrace(*Trace);
}

static std::string lineText(const SourceLocation &P, const std::string &NamedFile) {
  return displayPath(P.File, NamedFile) + ":" + std::to_string(P.Line);
}

/// The innermost place of the bug event that lies in the user's text, as a check reports it.
static SourceLocation whereItFails(const Recording &Run, const Program &P) {
  if (Run.BugEvent >= Run.Events.size())
    return Run.BugWhere;
  auto IsUsers = [&](const SourceLocation &W) {
    auto File = std::find(P.Files.begin(), P.Files.end(), W.File);
    return W.Line && File != P.Files.end() && P.UserFile[File - P.Files.begin()];
  };
  const TraceEvent &E = Run.Events[Run.BugEvent];
  if (IsUsers(E.At.Where))
    return E.At.Where;
  for (size_t K = E.Callers.size(); K-- > 0;)
    if (IsUsers(E.Callers[K].Where))
      return E.Callers[K].Where;
  return Run.BugWhere;
}

static int report(const ReplayResult &Result, const SavedTrace &Saved, const Program &P, const std::string &File) {
  switch (Result.Outcome) {
  case ReplayResult::SameBug: {
    if (Saved.Run.BugEvent == NoEvent) { // it shows that a program is not robust
      llvm::outs() << "happens again: " << Result.Message << '\n';
      return ReplayCommand::FailsAgain;
    }
    const SourceLocation Now = Result.Run ? whereItFails(*Result.Run, P) : SourceLocation();
    const SourceLocation &Then = Saved.Run.BugWhere;
    llvm::outs() << "fails again: " << Result.Message << " at " << lineText(Now, File);
    if (Now.Line == Then.Line)
      llvm::outs() << " (as recorded)\n";
    else
      llvm::outs() << " (recorded at line " << Then.Line << ")\n";
    return ReplayCommand::FailsAgain;
  }
  case ReplayResult::NoBug:
    llvm::outs() << "no longer fails: " << Result.Message << '\n';
    return ReplayCommand::NoLongerFails;
  case ReplayResult::Differs: {
    // Steps are numbered as people saw them, which is not the order in which the events happened.
    auto At = std::find(Saved.Order.begin(), Saved.Order.end(), Result.Event);
    size_t Number = At != Saved.Order.end() ? At - Saved.Order.begin() : Result.Event;
    llvm::outs() << "no longer matches at step " << Number + 1 << ": " << Result.Message << '\n';
    return ReplayCommand::NoLongerMatches;
  }
  case ReplayResult::Impossible: break;
  }
  return complain(ReplayCommand::CannotBeRun, "cannot be replayed: " + Result.Message);
}

int ReplayCommand::run() const {
  llvm::Expected<SavedTrace> Saved = load();
  if (!Saved)
    return complain(BadInput, TraceFile + ": " + llvm::toString(Saved.takeError()));

  // Relative paths are meant from here, as on the command line.
  auto FlagsOf = [&](const std::vector<std::string> &Recorded) {
    std::vector<std::string> Words = {"--"};
    Words.insert(Words.end(), Recorded.begin(), Recorded.end());
    std::vector<std::string> All = splitClangFlags(Words).Clang;
    All.insert(All.end(), ClangFlags.begin(), ClangFlags.end());
    return All;
  };
  CompileRequest Request;
  Request.File = Source.empty() ? Saved->Run.File : Source;
  Request.Flags = FlagsOf(Saved->Flags);
  for (const ProgramFile &Other : Saved->Others)
    Request.Others.push_back({Other.File, FlagsOf(Other.Flags)});
  if (Request.File.empty())
    return complain(BadInput, TraceFile + ": 'file' is empty: name the source file behind it");
  Request.For = Saved->Run.Target;
  Request.FindOverflows = Saved->Run.BugKind == BugKind::Overflow;
  CompileResult Compiled = compileProgram(Request);
  SourceTexts Sources;
  printDiagnostics(llvm::errs(), Compiled.Diagnostics, Request.File, Sources);
  if (!Compiled.Compiled)
    return complain(CannotBeRun, "'" + Request.File + "' does not compile");

  MachineOptions Options;
  Options.Unroll = Saved->Run.Unroll;
  return report(replay(*Compiled.Compiled, Saved->Run, Options), *Saved, *Compiled.Compiled, Request.File);
}

} // namespace picket
