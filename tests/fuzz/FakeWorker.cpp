// Workers that are no processes: they answer at once, mostly sensibly, and what they answer depends on nothing but the
// request. In place of lsp/WorkerProcess.cpp, lsp/ParentWatch.cpp.
#include "lsp/Outcome.h"
#include "lsp/ParentWatch.h"
#include "lsp/WorkerProcess.h"
#include "lsp/WorkerProtocol.h"

#include "llvm/ADT/Hashing.h"

#include <fcntl.h>
#include <unistd.h>

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

namespace {

Outcome outcomeFor(const WorkerRequest &Request) {
  Outcome O;
  O.Models = {{MemoryModel::SC, Verdict::Verified, 2, 0, 0, 0.1, ""},
              {MemoryModel::TSO, Verdict::Violation, 3, 1, 0, 0.2, ""}};
  for (uint32_t Line : {0u, 1u, 3u, 1000u}) {
    const SourceLocation Where{Request.File, Line, 2 * Line, Line + 1, 5};
    O.Findings.push_back(
        {Severity::Error, BugKind::Assertion, "it can fail", Where, "A sentence.", {{Where, "1. a step"}}, 0});
    O.Facts.push_back({Where, "`x` is shared."});
  }
  O.Findings.push_back(
      {Severity::Warning, Verdict::Inconclusive, "elsewhere", {"/included.h", 2, 1, 0, 0}, "", {}, -1});
  O.Traces.push_back({MemoryModel::TSO, BugKind::Assertion, R"({"picket":1,"sources":{}})"});
  return O;
}

/// The lines of an answer. Nothing: the worker dies.
std::vector<Object> answersTo(const WorkerRequest &Request, const std::string &Line) {
  if (!Request.Render.empty()) {
    Array Rendered;
    for (const std::string &Trace : Request.Render)
      Rendered.push_back(Trace);
    return {Object{{"rendered", std::move(Rendered)}}};
  }
  const Object Compiled{{"compiled", Object{}}};
  const Object News{{"progress", toJSON(Progress{MemoryModel::TSO, 7, 0.5, 1})}};
  const std::string Key(1, static_cast<char>('a' + Line.size() % 3));
  switch (static_cast<size_t>(llvm::hash_value(Line)) % 8) {
  case 0: return {};
  case 1: return {Compiled, Object{{"outcome", 7}}, Object{{"same", Key}}};
  case 2: return {Object{{"outcome", toJSON(Outcome())}, {"done", true}}};
  default:
    return {Compiled, News, Object{{"outcome", toJSON(outcomeFor(Request))}, {"done", false}},
            Object{{"outcome", toJSON(outcomeFor(Request))}, {"done", true}, {"key", Key}}};
  }
}

} // namespace

std::unique_ptr<WorkerProcess> WorkerProcess::start(const Setup &Where, std::string &Error) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    Error = "no pipe";
    return nullptr;
  }
  std::unique_ptr<WorkerProcess> Result(new WorkerProcess);
  Result->Out = Ends[0];
  Result->In = Ends[1]; // answers are written here by `send`
  Result->Log = Where.Log;
  return Result;
}

WorkerProcess::~WorkerProcess() { closePipes(); }

void WorkerProcess::closePipes() {
  for (int *End : {&In, &Out}) {
    if (*End >= 0)
      close(*End);
    *End = -1;
  }
}

void WorkerProcess::send(std::string Line) {
  ++Served;
  WorkerRequest Request;
  llvm::json::Path::Root Root;
  llvm::Expected<Value> Json = llvm::json::parse(Line);
  if (!Json || !fromJSON(*Json, Request, Root))
    __builtin_trap(); // what the server writes, a worker must understand
  const std::vector<Object> Answers = answersTo(Request, Line);
  std::string Text;
  for (const Object &Answer : Answers)
    llvm::raw_string_ostream(Text) << Value(Object(Answer)) << '\n';
  (void)!write(In, Text.data(), Text.size()); // names may be too long for the pipe: then it says nothing
  if (Answers.empty()) {
    close(In);
    In = -1;
  }
}

void WorkerProcess::flush() {}

bool WorkerProcess::receive(std::vector<std::string> &Lines) {
  char Buffer[1 << 12];
  ssize_t N;
  while ((N = read(Out, Buffer, sizeof Buffer)) > 0)
    for (char C : llvm::StringRef(Buffer, static_cast<size_t>(N)))
      if (C != '\n')
        Partial += C;
      else
        Lines.push_back(std::exchange(Partial, ""));
  Heard = true;
  return N < 0;
}

void WorkerProcess::kill() { closePipes(); }
bool WorkerProcess::reap() { return true; }
std::string WorkerProcess::ending() const { return "signal 9 (Killed)"; }
bool WorkerProcess::wasKilled() const { return Served % 2; }
uint64_t WorkerProcess::residentBytes() const { return 1; }

std::thread watchParent(std::optional<int64_t>, const std::atomic<bool> &, std::function<void()>) { return {}; }

} // namespace picket
