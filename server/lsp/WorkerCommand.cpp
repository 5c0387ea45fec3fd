#include "lsp/WorkerCommand.h"

#include "ProgramDigest.h"
#include "Sandbox.h"
#include "SandboxProbe.h"
#include "TraceJson.h"
#include "base/ChildProcess.h"
#include "lsp/Fixes.h"
#include "lsp/LitmusOutcome.h"
#include "lsp/WorkerProtocol.h"

#include "llvm/Support/MemoryBuffer.h"

#include <condition_variable>
#include <csignal>
#include <deque>
#include <fcntl.h>
#include <iostream>
#include <mutex>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using llvm::StringRef;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

namespace {

/// Lines of standard input. They are read while work is done, so that the end of the input ends the process immediately.
class RequestQueue {
public:
  RequestQueue() {
    std::thread([this] {
      for (std::string Line; std::getline(std::cin, Line);) {
        std::lock_guard<std::mutex> Lock(Mutex);
        Lines.push_back(std::move(Line));
        Arrived.notify_one();
      }
      _exit(0);
    }).detach();
  }

  std::string next() {
    std::unique_lock<std::mutex> Lock(Mutex);
    Arrived.wait(Lock, [this] { return !Lines.empty(); });
    std::string Line = std::move(Lines.front());
    Lines.pop_front();
    return Line;
  }

private:
  std::mutex Mutex;
  std::condition_variable Arrived;
  std::deque<std::string> Lines;
};

class Worker {
public:
  explicit Worker(int Out) : Out(Out) {
    std::thread([this] {
      for (;; std::this_thread::sleep_for(TellEvery))
        if (Busy)
          say(Object{{"alive", true}});
    }).detach();
  }

  /// Nothing is heard of it from here to the next request.
  void rest() { Busy = false; }

  void serve(const std::string &Line) {
    WorkerRequest Request;
    llvm::json::Path::Root Root;
    llvm::Expected<Value> Json = llvm::json::parse(Line);
    if (!Json)
      return fail(llvm::toString(Json.takeError()));
    if (!fromJSON(*Json, Request, Root))
      return fail(llvm::toString(Root.getError()));
    Busy = true;
    if (!Request.Render.empty())
      render(Request.Render);
    else if (Request.Fix)
      fix(Request);
    else if (isLitmus(Request.File))
      runLitmusTest(Request);
    else
      check(Request);
  }

private:
  /// Only a server of another version could ask something that is not understood.
  [[noreturn]] static void fail(const std::string &Reason) {
    llvm::errs() << "picket worker: " << Reason << '\n';
    _exit(2);
  }

  void say(Object Message) {
    std::string Text;
    llvm::raw_string_ostream(Text) << Value(std::move(Message)) << '\n';
    std::lock_guard<std::mutex> Lock(Saying);
    if (!writeAll(Out, Text))
      _exit(0); // nobody listens any more
  }

  void check(const WorkerRequest &Request);
  void runLitmusTest(const WorkerRequest &Request);
  void fix(const WorkerRequest &Request);
  void render(const std::vector<std::string> &Traces);

  static constexpr std::chrono::milliseconds TellEvery{250};
  static constexpr int FixNiceness = 5;
  int Out;
  std::atomic<bool> Busy = true;
  std::mutex Saying;
};

/// For tests: a variable of the environment names the end of the names of files with which something goes wrong.
bool isAsked(const char *Variable, const std::string &File) {
  const char *Name = std::getenv(Variable);
  return Name && *Name && StringRef(File).ends_with(Name);
}

void misbehaveIfAsked(const std::string &File) {
  if (isAsked("PICKET_HANG_ON", File))
    while (true)
      pause();
  if (isAsked("PICKET_ESCAPE_ON", File))
    for (const EscapeAttempt &A : tryToEscape(StringRef(File).rsplit('/').first.str(), getppid()))
      llvm::errs() << "escape: " << A.Name << ": " << nameOf(A.Found) << '\n';
  if (!isAsked("PICKET_CRASH_ON", File))
    return;
  llvm::errs() << "picket worker: asked to crash on " << File << '\n';
  std::abort();
}

std::string traceText(const Counterexample &C, const TraceContext &Context, bool Pictures) {
  std::string Text;
  llvm::raw_string_ostream Stream(Text);
  llvm::json::OStream J(Stream);
  writeTrace(J, C, Context, Pictures);
  return Text;
}

bool isCacheable(const CheckReport &Report) {
  for (const ModelReport &M : Report.Models)
    if (M.Result == Verdict::Inconclusive)
      return false; // another time there may be more time
  return true;
}

/// Names all programs that the outcome is about.
std::string keyOfAll(TargetPrograms &Programs, const CheckOptions &Options, const Settings &Asked) {
  std::string Key;
  for (const CompileResult *Compiled : allPrograms(Programs, Options))
    Key += (Key.empty() ? "" : ":") + keyOf(*Compiled, Asked);
  return Key;
}

void Worker::check(const WorkerRequest &Request) {
  misbehaveIfAsked(Request.File);
  const auto Start = std::chrono::steady_clock::now();
  const CheckOptions Options = checkOptionsOf(Request.Options);
  CompileRequest Text;
  Text.File = Request.File;
  Text.Unsaved = Request.Unsaved;
  Text.Flags = Request.Options.Flags;
  Text.Others = Request.Others;
  TargetPrograms Programs(textToCheck(Text, Options));
  const CompileResult &Compiled = Programs.get(targetsOf(Options).front());
  const double Seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();

  std::string Key;
  if (Compiled.Compiled) {
    const Program &P = *Compiled.Compiled;
    if (P.Main < 0 || !P.StartsThreads) {
      Outcome Quiet;
      Quiet.HasMain = P.Main >= 0;
      Quiet.StartsThreads = P.StartsThreads;
      Quiet.CompileSeconds = Seconds;
      return say(Object{{"outcome", toJSON(Quiet)}, {"done", true}});
    }
    Key = keyOf(P, Request.Options);
    // The other targets' programs are looked at only if this one is known: nobody waits for them otherwise.
    if (std::any_of(Request.Known.begin(), Request.Known.end(),
                    [&](StringRef Known) { return Known.starts_with(Key); })) {
      const std::string Whole = keyOfAll(Programs, Options, Request.Options);
      if (std::find(Request.Known.begin(), Request.Known.end(), Whole) != Request.Known.end())
        return say(Object{{"same", Whole}});
    }
    say(Object{{"compiled", Object{{"key", Key}, {"seconds", Seconds}}}});
  }

  SourceTexts Sources(Request.Unsaved);
  const TraceContext Context{Request.File, Request.Options.Flags, &Sources, Request.Others};
  auto WriteTrace = [&](const Counterexample &C) { return traceText(C, Context, /*Pictures=*/false); };
  auto OnProgress = [&](const Progress &P) { say(Object{{"progress", toJSON(P)}}); };
  auto OnModel = [&](const CheckReport &SoFar) {
    say(Object{{"outcome", toJSON(outcomeOf(SoFar, Options, WriteTrace))}, {"done", false}});
  };
  CheckReport Report = checkPrograms(Request.File, Programs, Options, OnProgress, nullptr, OnModel);
  Report.CompileSeconds = Seconds;
  Object Last{{"outcome", toJSON(outcomeOf(Report, Options, WriteTrace))}, {"done", true}};
  if (!Key.empty() && isCacheable(Report))
    Last["key"] = keyOfAll(Programs, Options, Request.Options);
  say(std::move(Last));
}

void Worker::runLitmusTest(const WorkerRequest &Request) {
  LitmusOptions Options;
  Options.Unroll = Request.Options.Unroll;
  Options.TimeoutSeconds = Request.Options.TimeoutSeconds;
  Options.MaxMemoryBytes = Request.Options.MemoryBytes;
  auto Text = Request.Unsaved.find(Request.File);
  std::string Content;
  if (Text != Request.Unsaved.end())
    Content = Text->second;
  else if (auto Buffer = llvm::MemoryBuffer::getFile(Request.File))
    Content = (*Buffer)->getBuffer().str();
  say(Object{{"outcome", toJSON(litmusOutcome(Request.File, Content, Options))}, {"done", true}});
}

/// Nobody waits for fixes as for the result of a check, so a check goes first where both run. The priority is that of a
/// thread, and of those it starts: it could not be raised again afterwards.
void Worker::fix(const WorkerRequest &Request) {
  misbehaveIfAsked(Request.File + " (fix)");
  std::thread([&] {
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + FixNiceness);
    CompileRequest Text;
    Text.File = Request.File;
    Text.Unsaved = Request.Unsaved;
    Text.Flags = Request.Options.Flags;
    Text.Others = Request.Others;
    say(Object{{"fixes", toJSON(answerTo(*Request.Fix, Text, Request.Options))}});
  }).join();
}

/// Pictures take time, so they are drawn when somebody wants to see them. A trace that cannot be read stays as it is.
void Worker::render(const std::vector<std::string> &Traces) {
  llvm::json::Array Rendered;
  for (const std::string &Trace : Traces) {
    llvm::Expected<Value> Json = llvm::json::parse(Trace);
    if (!Json)
      fail(llvm::toString(Json.takeError()));
    llvm::Expected<SavedTrace> Saved = readTrace(*Json);
    if (!Saved) {
      llvm::errs() << "picket worker: " << llvm::toString(Saved.takeError()) << '\n';
      Rendered.push_back(Trace);
      continue;
    }
    const std::string File = Saved->Run.File;
    const Counterexample C = explain(std::move(Saved->Run));
    llvm::Expected<Value> Full =
        llvm::json::parse(traceText(C, {File, Saved->Flags, nullptr, Saved->Others}, /*Pictures=*/true));
    if (!Full)
      fail(llvm::toString(Full.takeError()));
    // The texts are those that were checked, not those that lie on the disk by now.
    if (const Value *Sources = Json->getAsObject()->get("sources"))
      (*Full->getAsObject())["sources"] = *Sources;
    std::string Text;
    llvm::raw_string_ostream(Text) << *Full;
    Rendered.push_back(std::move(Text));
  }
  say(Object{{"rendered", std::move(Rendered)}});
}

/// The first compilation of a process takes several times as long as the following ones.
void warmUp() {
  CompileRequest Request;
  Request.File = "/picket-warm-up.c";
  Request.UseCompileCommands = false;
  Request.Unsaved[Request.File] =
      "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
      "atomic_int x; void *f(void *p) { x = 1; return p; }\n"
      "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x == 0 || x == 1);\n"
      "  pthread_join(t, 0); return 0; }\n";
  CheckOptions Options;
  Options.Models = {MemoryModel::PSO};
  Options.Jobs = 1;
  checkCompiled(Request.File, compileProgram(Request), Options);
}

} // namespace

/// A check takes all cores; whoever types meanwhile must not feel it.
constexpr int Niceness = 5;

int workerCommand() {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // the end of the input is noticed too, but not by a process that is stopped
  const int Out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3); // not for the processes that draw
  dup2(STDERR_FILENO, STDOUT_FILENO);                       // what libraries print must not get among the answers
  std::ios::sync_with_stdio(false);
  const SandboxState Confined = enterSandbox(Out); // while there is only this thread
  llvm::errs() << "picket worker: sandbox: " << Confined.text() << '\n';
  RequestQueue Requests;
  Worker W(Out);
  // From here on: the threads above listen and tell that the worker is there, and must not be late.
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + Niceness);
  warmUp();
  while (true) {
    W.rest();
    W.serve(Requests.next());
  }
}

} // namespace picket
