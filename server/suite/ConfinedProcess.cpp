#include "suite/ConfinedProcess.h"

#include "Supervision.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <iostream>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <utility>

namespace picket {

namespace {

/// No signal arrives while this exists.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t All;
    sigfillset(&All);
    sigprocmask(SIG_SETMASK, &All, &Before);
  }
  ~SignalsBlocked() { sigprocmask(SIG_SETMASK, &Before, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t Before;
};

[[noreturn]] void runChild(const std::function<int()> &Work,
                           const std::function<std::string(const std::string &)> &Complain, pid_t Parent) {
  std::signal(SIGINT, SIG_DFL);
  setpgid(0, 0); // Ctrl+C reaches the process that started this one, which passes it on
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != Parent)
    _exit(1);
  Supervised What;
  What.Work = Work;
  What.Complain = [&](const std::string &Sentence) { writeAll(STDOUT_FILENO, Complain(Sentence)); };
  const int Code = runSupervised(What);
  llvm::outs().flush();
  llvm::errs().flush();
  _exit(Code & 0xff);
}

/// False: there is no more.
bool readSome(const Descriptor &From, std::string &Into, size_t Most) {
  char Buffer[1 << 16];
  const ssize_t N = read(From.get(), Buffer, sizeof Buffer);
  if (N < 0)
    return errno == EINTR;
  Into.append(Buffer, std::min(static_cast<size_t>(N), Most - std::min(Most, Into.size())));
  return N > 0;
}

} // namespace

std::unique_ptr<ConfinedProcess>
ConfinedProcess::start(const std::function<int()> &Work,
                       const std::function<std::string(const std::string &)> &Complain) {
  llvm::outs().flush();
  llvm::errs().flush();
  std::cout.flush();
  std::unique_ptr<ConfinedProcess> New(new ConfinedProcess);
  Descriptor TheirIn, TheirOut, TheirErr;
  if (!makePipe(TheirIn, New->In) || !makePipe(New->Out, TheirOut) || !makePipe(New->Err, TheirErr))
    return nullptr;
  const pid_t Parent = getpid();
  {
    const SignalsBlocked Until;
    New->Id = fork();
    if (New->Id == 0) {
      dup2(TheirIn.get(), STDIN_FILENO);
      dup2(TheirOut.get(), STDOUT_FILENO);
      dup2(TheirErr.get(), STDERR_FILENO);
      closefrom(STDERR_FILENO + 1); // the ends of the other processes' pipes among them
      std::signal(SIGINT, SIG_DFL);
    }
  }
  if (New->Id == 0)
    runChild(Work, Complain, Parent);
  if (New->Id < 0)
    return nullptr;
  setpgid(New->Id, New->Id); // whoever comes first
  return New;
}

ConfinedProcess::~ConfinedProcess() {
  if (Id < 0)
    return;
  kill(Id, SIGKILL); // the confined process ends with its supervisor
  waitForEnd(Id);
}

void ConfinedProcess::readAll(const std::vector<ConfinedProcess *> &Processes, int Milliseconds) {
  std::vector<pollfd> Ready;
  for (ConfinedProcess *P : Processes)
    for (const Descriptor *D : {&P->Out, &P->Err})
      Ready.push_back({D->get(), POLLIN, 0}); // negative if it is closed: not looked at
  if (poll(Ready.data(), Ready.size(), Milliseconds) <= 0)
    return;
  for (size_t K = 0; K < Processes.size(); ++K) {
    ConfinedProcess &P = *Processes[K];
    if (Ready[2 * K].revents && !readSome(P.Out, P.Printed, MostPrinted))
      P.Out.reset();
    if (Ready[2 * K + 1].revents && !readSome(P.Err, P.Complaints, MostErrors))
      P.Err.reset();
  }
}

std::optional<std::string> ConfinedProcess::takeLine() {
  const size_t End = Printed.find('\n', Searched);
  if (End == std::string::npos) {
    Searched = Printed.size();
    return std::nullopt;
  }
  std::string Line = Printed.substr(0, End);
  Printed.erase(0, End + 1);
  Searched = 0;
  return Line;
}

void ConfinedProcess::answer(char Answer) {
  const auto Before = std::signal(SIGPIPE, SIG_IGN); // the process may be gone
  writeAll(In.get(), std::string_view(&Answer, 1));
  std::signal(SIGPIPE, Before);
}

void ConfinedProcess::interrupt() {
  if (Id > 0)
    kill(Id, SIGINT);
}

int ConfinedProcess::wait() { return Id < 0 ? -1 : waitForEnd(std::exchange(Id, -1)); }

} // namespace picket
