#include "draw/Svg.h"

#include "base/ChildProcess.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace picket {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t LargestOutput = 64 << 20;

std::mutex ProgramMutex;
std::string Program;
RendererFunction Draw = nullptr;

/// A file in memory that holds the text. Unlike a pipe it needs no writer.
int fileOf(const std::string &Text) {
  const int File = memfd_create("picket-dot", MFD_CLOEXEC);
  if (File < 0)
    return -1;
  if (!writeAll(File, Text)) {
    close(File);
    return -1;
  }
  lseek(File, 0, SEEK_SET);
  return File;
}

/// Draws in a copy of this process. In a sandbox it cannot be killed from here, so that it ends itself when its time is over.
int spawnCopy(RendererFunction How, const std::string &Input, int Out, int Err, double Seconds, pid_t &Child) {
  Child = fork();
  if (Child < 0)
    return errno;
  if (Child > 0)
    return 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int Signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGPIPE})
    std::signal(Signal, SIG_DFL); // the handlers of the parent do not fit this process
  const auto Limit = static_cast<unsigned>(std::ceil(Seconds)) + 1;
  alarm(Limit);
  const rlimit Cpu = {Limit, Limit}, NoCoreDump = {0, 0};
  setrlimit(RLIMIT_CPU, &Cpu);
  setrlimit(RLIMIT_CORE, &NoCoreDump);
  dup2(Err, STDERR_FILENO);
  std::string Error;
  const std::string Drawn = How(Input, Error);
  const bool Ok = Error.empty() ? writeAll(Out, Drawn) : (writeAll(Err, Error + "\n"), false);
  _exit(Ok ? 0 : 1);
}

int millisecondsUntil(Clock::time_point Deadline) {
  auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(Deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(Left, 0, 1 << 30));
}

/// Reads both until they end. False: the time is over, or there is too much.
bool readBoth(int Out, std::string &OutText, int Err, std::string &ErrText, Clock::time_point Deadline) {
  pollfd Ends[] = {{Out, POLLIN, 0}, {Err, POLLIN, 0}};
  std::string *Texts[] = {&OutText, &ErrText};
  while (Ends[0].fd >= 0 || Ends[1].fd >= 0) {
    const int Left = millisecondsUntil(Deadline);
    if (Left == 0)
      return false;
    if (poll(Ends, 2, Left) < 0 && errno != EINTR)
      return false;
    for (int I = 0; I < 2; ++I) {
      if (Ends[I].fd < 0 || !Ends[I].revents)
        continue;
      char Buffer[1 << 16];
      const ssize_t N = read(Ends[I].fd, Buffer, sizeof Buffer);
      if (N > 0)
        Texts[I]->append(Buffer, static_cast<size_t>(N));
      else if (N == 0 || errno != EINTR)
        Ends[I].fd = -1; // poll ignores it from now on
      if (Texts[I]->size() > LargestOutput)
        return false;
    }
  }
  return true;
}

/// The child's status. A child that goes on after closing its output is ended when its time is over.
int waitFor(pid_t Child, Clock::time_point Deadline) {
  int Status = 0;
  for (auto Pause = std::chrono::microseconds(50);; Pause = std::min(2 * Pause, std::chrono::microseconds(5000))) {
    const pid_t Done = waitpid(Child, &Status, WNOHANG);
    if (Done == Child)
      return Status;
    if (Done < 0 && errno != EINTR)
      return -1;
    if (Clock::now() >= Deadline)
      kill(Child, SIGKILL);
    std::this_thread::sleep_for(Pause);
  }
}

std::string firstLine(const std::string &Text) { return Text.substr(0, Text.find('\n')); }

SvgResult failure(std::string Error) { return {false, "", std::move(Error)}; }

} // namespace

void setRendererProgram(std::string Path) {
  std::lock_guard<std::mutex> Lock(ProgramMutex);
  Program = std::move(Path);
}

void setRendererFunction(RendererFunction Function) {
  std::lock_guard<std::mutex> Lock(ProgramMutex);
  Draw = Function;
}

/// Runs the helper. Its output is not validated.
static SvgResult runRenderer(const std::string &Input, double TimeoutSeconds) {
  std::string Path;
  RendererFunction Function = nullptr;
  {
    std::lock_guard<std::mutex> Lock(ProgramMutex);
    Path = Program;
    Function = Draw;
  }
  if (Path.empty() && !Function)
    return failure("no program that draws is set");
  Descriptor In(Function ? -1 : fileOf(Input)), Out, OutEnd, Err, ErrEnd;
  if ((!Function && !In.isOpen()) || !makePipe(Out, OutEnd) || !makePipe(Err, ErrEnd))
    return failure(std::string("cannot start drawing: ") + std::strerror(errno));
  pid_t Child = 0;
  if (int Error = Function ? spawnCopy(Function, Input, OutEnd.get(), ErrEnd.get(), TimeoutSeconds, Child)
                           : spawn({Path, "render-svg", In.get(), OutEnd.get(), ErrEnd.get(), ""}, Child))
    return failure(Function ? std::string("cannot start drawing: ") + std::strerror(Error)
                            : "cannot run " + Path + ": " + std::strerror(Error));
  OutEnd.reset();
  ErrEnd.reset();

  const auto Deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(TimeoutSeconds));
  SvgResult Result;
  std::string Messages;
  const bool Complete = readBoth(Out.get(), Result.Svg, Err.get(), Messages, Deadline);
  const int Status = waitFor(Child, Complete ? Deadline : Clock::now());
  if (!Complete)
    return failure(Result.Svg.size() > LargestOutput ? "the picture is too large" : "drawing took too long");
  if (Status != -1 && WIFSIGNALED(Status))
    return failure(std::string("drawing crashed: ") + strsignal(WTERMSIG(Status)));
  if (Status != -1 && WEXITSTATUS(Status) != 0)
    return failure(Messages.empty() ? "drawing failed" : firstLine(Messages));
  Result.Ok = true;
  return Result;
}

static SvgResult checked(SvgResult Result) {
  if (Result.Ok && (Result.Svg.compare(0, 4, "<svg") != 0 || Result.Svg.find("</svg>") == std::string::npos))
    return failure("drawing gave no picture");
  return Result;
}

SvgResult renderSvg(const std::string &Dot, double TimeoutSeconds) { return checked(runRenderer(Dot, TimeoutSeconds)); }

std::vector<SvgResult> renderSvgs(const std::vector<std::string> &Dots, double TimeoutSeconds) {
  std::string All;
  for (size_t K = 0; K < Dots.size(); ++K)
    All += (K ? std::string(1, '\0') : "") + Dots[K];
  std::vector<SvgResult> Results;
  if (SvgResult Together = runRenderer(All, TimeoutSeconds); Together.Ok && Dots.size() > 1)
    for (size_t Begin = 0; Begin <= Together.Svg.size();) {
      const size_t End = std::min(Together.Svg.find('\0', Begin), Together.Svg.size());
      Results.push_back(checked({true, Together.Svg.substr(Begin, End - Begin), ""}));
      Begin = End + 1;
    }
  if (Results.size() == Dots.size())
    return Results;
  Results.clear();
  for (const std::string &Dot : Dots)
    Results.push_back(renderSvg(Dot, TimeoutSeconds));
  return Results;
}

} // namespace picket
