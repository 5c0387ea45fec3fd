#include "Supervision.h"

#include "Sandbox.h"
#include "SupervisorProtocol.h"
#include "base/ChildProcess.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace picket {

namespace {

using Clock = std::chrono::steady_clock;
using supervisor::Message;

constexpr int OutOfMemory = 86; // exit code of a process that ran out of memory
constexpr int BySignal = 128;   // exit code of one that stayed behind a copy which a signal ended

int Supervisor = -1; // in the confined processes: the connection to it
pid_t SupervisorId = 0;

/// An exception that nobody catches: mostly memory that is not there.
[[noreturn]] void onTerminate() {
  if (std::exception_ptr Thrown = std::current_exception())
    try {
      std::rethrow_exception(Thrown);
    } catch (const std::bad_alloc &) {
      _exit(OutOfMemory);
    } catch (...) {
    }
  std::abort();
}

std::atomic<bool> OnlyHere{false}, *Shared = &OnlyHere;
static_assert(std::atomic<bool>::is_always_lock_free); // it is set in signal handlers, and by several processes

void shareInterrupts() {
  void *Page = mmap(nullptr, sizeof OnlyHere, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Page != MAP_FAILED)
    Shared = new (Page) std::atomic<bool>(false);
}

void flushAll() {
  llvm::outs().flush();
  llvm::errs().flush();
  std::cout.flush();
}

std::string describe(int Status) {
  if (WIFSIGNALED(Status))
    return "signal " + std::to_string(WTERMSIG(Status)) + ", " + strsignal(WTERMSIG(Status));
  return "exit code " + std::to_string(WEXITSTATUS(Status));
}

/// Signals by which people end programs: whoever is behind them ends the same way.
bool isOrdinary(int Signal) {
  return Signal == SIGINT || Signal == SIGTERM || Signal == SIGHUP || Signal == SIGQUIT || Signal == SIGPIPE;
}

Loss lossOf(int Status) {
  const Stage During = supervisor::askStage(Supervisor);
  const std::string When = During == Stage::Compiling ? " while compiling" : "";
  switch (supervisor::askReason(Supervisor)) {
  case 't': return {Loss::Time, "the time limit was reached" + When};
  case 'm': return {Loss::Memory, "the memory limit was reached" + When};
  case 'i': return {Loss::Interrupted, "cancelled" + When};
  default: break;
  }
  if (WIFEXITED(Status) && WEXITSTATUS(Status) == OutOfMemory)
    return {Loss::Memory, "out of memory" + When};
  return {Loss::Crash, "Picket crashed" + When + " (" + describe(Status) + ")"};
}

/// The copy is done: the one that stayed behind goes, and the supervisor takes its place as the parent.
void relieve(pid_t Behind, int Relief) {
  prctl(PR_SET_PDEATHSIG, 0);
  supervisor::send(Supervisor, Message::Unwatch);
  const char Done = 1;
  while (write(Relief, &Done, 1) < 0 && errno == EINTR)
    ;
  close(Relief);
  while (getppid() == Behind)
    usleep(50);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != SupervisorId)
    _exit(1);
}

/// Returns when the copy is lost.
Loss waitFor(pid_t Copy, int Relief) {
  struct sigaction Before, Ignored = {};
  Ignored.sa_handler = SIG_IGN; // the copy decides what Ctrl-C does
  sigaction(SIGINT, &Ignored, &Before);
  char Done = 0;
  ssize_t N;
  while ((N = read(Relief, &Done, 1)) < 0 && errno == EINTR)
    ;
  if (N == 1)
    _exit(0);
  close(Relief);
  const int Status = waitForEnd(Copy);
  if (WIFSIGNALED(Status) && isOrdinary(WTERMSIG(Status)))
    _exit(BySignal + WTERMSIG(Status));
  sigaction(SIGINT, &Before, nullptr);
  return lossOf(Status);
}

} // namespace

std::optional<Loss> runWatched(const std::function<void()> &Work) {
  int Relief[2];
  if (Supervisor < 0 || pipe(Relief) != 0) {
    Work();
    return std::nullopt;
  }
  flushAll();
  const Clock::time_point Start = Clock::now();
  const pid_t Behind = getpid(), Copy = fork();
  if (Copy > 0) {
    close(Relief[1]);
    Loss Lost = waitFor(Copy, Relief[0]);
    Lost.Seconds = std::chrono::duration<double>(Clock::now() - Start).count();
    return Lost;
  }
  close(Relief[0]);
  if (Copy < 0) {
    close(Relief[1]);
    Work();
    return std::nullopt;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != Behind)
    _exit(1);
  Work();
  relieve(Behind, Relief[1]);
  return std::nullopt;
}

void watch(Stage What, double Seconds, uint64_t Bytes) {
  if (Supervisor >= 0)
    supervisor::sendWatch(Supervisor, {What, Seconds, Bytes});
}

void watchCompiling(double Timeout, uint64_t MaxMemory) {
  constexpr double Least = 3; // ordinary text takes a fraction of a second, on a busy machine too
  constexpr uint64_t LeastMemory = 512u << 20;
  watch(Stage::Compiling, Timeout > 0 ? std::max(Timeout, Least) : 0, std::max(MaxMemory, LeastMemory));
}

void watchChecking(const CheckOptions &Options) {
  constexpr double Grace = 5;                 // to tell what was found
  constexpr uint64_t BaseMemory = 512u << 20; // the program, what the compiler left, and what is told
  const auto Models = static_cast<double>(std::max<size_t>(1, Options.Models.size()));
  const uint64_t Memory = std::min<uint64_t>(Options.MaxMemoryBytes, UINT64_MAX / 4);
  watch(Stage::Checking, Options.TimeoutSeconds > 0 ? Models * Options.TimeoutSeconds * 1.25 + Grace : 0,
        Memory + Memory / 8 + BaseMemory);
}

void outputBegins() {
  if (Supervisor >= 0)
    supervisor::send(Supervisor, Message::OutputBegins);
}

std::atomic<bool> &interrupted() { return *Shared; }

std::string writeFilesOutside(const std::vector<FileChange> &Changes) {
  return Supervisor >= 0 ? supervisor::askToWrite(Supervisor, Changes) : writeFiles(Changes);
}

namespace {

std::atomic<bool> InterruptAsked{false};

[[noreturn]] void runConfined(const Supervised &What, int Connection) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != SupervisorId)
    _exit(1);
  Supervisor = Connection;
  std::set_terminate(onTerminate);
  const SandboxState Active = enterSandbox(Connection);
  if (!Active.isComplete())
    llvm::errs() << "picket: warning: this system cannot confine Picket as it should (" << Active.text()
                 << "); 'picket doctor' says more\n";
  int Code = What.CodeOfCrash;
  try {
    Code = What.Work();
  } catch (const std::bad_alloc &) {
    _exit(OutOfMemory);
  }
  flushAll();
  supervisor::sendExit(Supervisor, Code);
  _exit(Code & 0xff);
}

/// Looks after the confined processes until there are none.
class Watcher {
public:
  Watcher(const Supervised &What, int Connection) : What(What), Connection(Connection) {}

  int run() {
    while (step())
      ;
    int Ending = 0;
    for (int Status = 0;;) {
      const pid_t Ended = waitpid(-1, &Status, 0);
      if (Ended > 0 && Status != 0)
        Ending = Status;
      else if (Ended < 0 && errno != EINTR)
        break;
    }
    return Code ? *Code : lost(Ending ? Ending : LastStatus);
  }

private:
  static constexpr std::chrono::milliseconds LookEvery{25};
  static constexpr size_t LargestData = size_t{1} << 30;

  bool step() {
    pollfd Ready = {Connection, POLLIN, 0};
    const bool Some = poll(&Ready, 1, Watched ? static_cast<int>(LookEvery.count()) : -1) > 0;
    reap();
    if (Watched)
      look();
    return !Some || receive();
  }

  /// Relieved processes, each when it has gone.
  void reap() {
    int Status = 0;
    while (waitpid(-1, &Status, WNOHANG) > 0)
      if (Status != 0)
        LastStatus = Status;
  }

  void look() {
    if (Watched->Deadline && Clock::now() >= *Watched->Deadline)
      return end('t');
    if (supervisor::anonymousBytes(Watched->Process) > Watched->Bytes)
      return end('m');
    if (InterruptAsked && During == Stage::Compiling)
      end('i'); // a compiler does not look whether somebody wants it to stop
  }

  void end(char Why) {
    Reason = Why;
    // The handle means this process, also if it is gone and another one has its number.
    if (Watched->Handle >= 0)
      syscall(SYS_pidfd_send_signal, Watched->Handle, SIGKILL, nullptr, 0);
    else
      kill(Watched->Process, SIGKILL);
    unwatch();
  }

  void unwatch() {
    if (Watched && Watched->Handle >= 0)
      close(Watched->Handle);
    Watched.reset();
  }

  bool receive() {
    supervisor::Packet Got;
    if (!supervisor::receive(Connection, Got))
      return false;
    switch (Got.What) {
    case Message::Watch: beginWatch(Got); break;
    case Message::Unwatch: unwatch(); break;
    case Message::OutputBegins: HasOutput = true; break;
    case Message::AskReason: supervisor::reply(Connection, std::string(1, std::exchange(Reason, '-'))); break;
    case Message::AskStage: supervisor::reply(Connection, During == Stage::Compiling ? "c" : "x"); break;
    case Message::Data:
      if (Data.size() < LargestData)
        Data += Got.Payload;
      break;
    case Message::Write: write(std::exchange(Data, "")); break;
    case Message::Exit: Code = supervisor::exitCode(Got); break;
    }
    return true;
  }

  void beginWatch(const supervisor::Packet &Got) {
    const std::optional<supervisor::Limits> Given = supervisor::limitsIn(Got);
    if (!Given || Got.Sender <= 0)
      return;
    During = Given->During;
    Reason = '-';
    unwatch();
    const auto Handle = static_cast<int>(syscall(SYS_pidfd_open, Got.Sender, 0));
    Watched.emplace(Watch{Got.Sender, Handle, std::nullopt, Given->Bytes});
    if (Given->Seconds > 0 && Given->Seconds < 1e9)
      Watched->Deadline =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(Given->Seconds));
  }

  void write(const std::string &Asked) {
    const std::optional<std::vector<FileChange>> Changes = supervisor::changesIn(Asked);
    if (!Changes || !What.MayWrite || !What.MayWrite(*Changes))
      return supervisor::reply(Connection, "these files are not to be written");
    supervisor::reply(Connection, writeFiles(*Changes));
  }

  int lost(int Status) const {
    int Signal = WIFSIGNALED(Status) ? WTERMSIG(Status) : 0;
    if (WIFEXITED(Status) && WEXITSTATUS(Status) > BySignal)
      Signal = WEXITSTATUS(Status) - BySignal;
    if (isOrdinary(Signal)) {
      std::signal(Signal, SIG_DFL);
      raise(Signal);
    }
    const bool NoMemory = WIFEXITED(Status) && WEXITSTATUS(Status) == OutOfMemory;
    const std::string Sentence = NoMemory ? "out of memory" : "Picket crashed (" + describe(Status) + ")";
    if (HasOutput || !What.Complain)
      llvm::errs() << "picket: " << Sentence << '\n';
    else
      What.Complain(Sentence);
    return NoMemory ? What.CodeOfLimit : What.CodeOfCrash;
  }

  struct Watch {
    pid_t Process;
    int Handle; // negative: not on this system
    std::optional<Clock::time_point> Deadline;
    uint64_t Bytes;
  };

  const Supervised &What;
  const int Connection;
  std::optional<Watch> Watched;
  Stage During = Stage::Checking;
  char Reason = '-';
  std::string Data; // of what is to be written
  std::optional<int> Code;
  int LastStatus = 0;
  bool HasOutput = false;
};

} // namespace

int runSupervised(const Supervised &What) {
  if (const char *Unconfined = std::getenv("PICKET_UNCONFINED"); Unconfined && *Unconfined)
    return What.Work(); // for debuggers and profilers, which want one process
  int Here = -1, There = -1;
  pid_t Child = -1;
  SupervisorId = getpid();
  shareInterrupts();
  flushAll();
  struct sigaction OnInterrupt = {}, Before = {};
  OnInterrupt.sa_handler = [](int) {
    if (InterruptAsked.exchange(true)) { // the second time: immediately. The others end with this process
      std::signal(SIGINT, SIG_DFL);
      raise(SIGINT);
    }
    *Shared = true;
  };
  sigaction(SIGINT, &OnInterrupt, &Before); // before there is anybody to look after
  if (supervisor::connectPair(Here, There) && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0)
    Child = fork();
  if (Child <= 0)
    sigaction(SIGINT, &Before, nullptr);
  if (Child == 0) {
    close(Here);
    runConfined(What, There);
  }
  if (Child < 0) {
    llvm::errs() << "picket: warning: cannot make a confined process: " << std::strerror(errno) << '\n';
    return What.Work();
  }
  close(There);
  const int Code = Watcher(What, Here).run();
  close(Here);
  return Code;
}

} // namespace picket
