#include "lsp/WorkerProcess.h"

#include "base/ChildProcess.h"

#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace picket {

constexpr size_t LongestLine = 64 << 20; // a worker that writes more without a line end is out of order

std::unique_ptr<WorkerProcess> WorkerProcess::start(const Setup &Where, std::string &Error) {
  Descriptor Log(open(Where.Log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  Descriptor RequestsOut, Requests, Answers, AnswersIn; // the ends there and here
  std::unique_ptr<WorkerProcess> Result(new WorkerProcess);
  int Code = 0;
  if (!Log.isOpen() || !makePipe(RequestsOut, Requests) || !makePipe(Answers, AnswersIn))
    Code = errno;
  else
    Code = spawn({Where.Program, "worker", RequestsOut.get(), AnswersIn.get(), Log.get(), Where.Directory,
                  /*OwnGroup=*/true},
                 Result->Child);
  if (Code) {
    Error = std::strerror(Code);
    Result->Reaped = true; // there was none
    return nullptr;
  }
  Result->In = Requests.release();
  Result->Out = Answers.release();
  fcntl(Result->In, F_SETFL, O_NONBLOCK);
  fcntl(Result->Out, F_SETFL, O_NONBLOCK);
  Result->Log = Where.Log;
  return Result;
}

WorkerProcess::~WorkerProcess() {
  assert(Reaped && "a worker must be waited for");
  closePipes();
}

void WorkerProcess::closePipes() {
  for (int *End : {&In, &Out}) {
    if (*End >= 0)
      close(*End);
    *End = -1;
  }
}

void WorkerProcess::send(std::string Line) {
  ++Served;
  Unsent = hasUnsent() ? Unsent.substr(Sent) + Line : std::move(Line);
  Sent = 0;
  flush();
}

void WorkerProcess::flush() {
  while (hasUnsent() && In >= 0) {
    const ssize_t N = write(In, Unsent.data() + Sent, Unsent.size() - Sent);
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0 && errno == EAGAIN)
      return;
    if (N <= 0)
      break; // it is gone: `receive` will say so
    Sent += static_cast<size_t>(N);
  }
  std::string().swap(Unsent); // requests can be large
  Sent = 0;
}

bool WorkerProcess::receive(std::vector<std::string> &Lines) {
  char Buffer[1 << 16];
  while (Out >= 0) {
    const ssize_t N = read(Out, Buffer, sizeof Buffer);
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0 && errno == EAGAIN)
      return true;
    if (N <= 0)
      return false;
    Heard = true;
    for (const char *At = Buffer, *End = Buffer + N; At < End;) {
      const char *LineEnd = static_cast<const char *>(std::memchr(At, '\n', static_cast<size_t>(End - At)));
      Partial.append(At, LineEnd ? LineEnd : End);
      At = LineEnd ? LineEnd + 1 : End;
      if (!LineEnd)
        break;
      Lines.push_back(std::move(Partial));
      Partial.clear();
    }
    if (Partial.size() > LongestLine)
      return false;
  }
  return false;
}

void WorkerProcess::kill() {
  if (!Reaped)
    ::kill(Child, SIGKILL);
  closePipes();
}

bool WorkerProcess::reap() {
  if (Reaped)
    return true;
  const pid_t Done = waitpid(Child, &Status, WNOHANG);
  Reaped = Done == Child || (Done < 0 && errno == ECHILD);
  return Reaped;
}

std::string WorkerProcess::ending() const {
  if (WIFSIGNALED(Status))
    return "signal " + std::to_string(WTERMSIG(Status)) + " (" + strsignal(WTERMSIG(Status)) + ")";
  return "exit code " + std::to_string(WEXITSTATUS(Status));
}

bool WorkerProcess::wasKilled() const {
  return WIFSIGNALED(Status) &&
         (WTERMSIG(Status) == SIGKILL || WTERMSIG(Status) == SIGTERM || WTERMSIG(Status) == SIGHUP);
}

uint64_t WorkerProcess::residentBytes() const {
  const std::string Name = "/proc/" + std::to_string(Child) + "/statm";
  unsigned long long Pages = 0;
  if (std::FILE *File = std::fopen(Name.c_str(), "re")) {
    if (std::fscanf(File, "%*u %llu", &Pages) != 1)
      Pages = 0;
    std::fclose(File);
  }
  return Pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace picket
