#include "lsp/LspCommand.h"

#include "Sandbox.h"

#include "lsp/LanguageServer.h"

#include "llvm/Support/LSP/Logging.h"

#include <csignal>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

using llvm::StringRef;
using llvm::lsp::Logger;

namespace picket {

static const char *const Help = R"(The language server, on standard input and output. Editors start it.

Usage: picket lsp [--stdio] [--log=error|info|debug]

Flags that editors add are accepted. The log goes to standard error.
docs/lsp-extensions.md describes what it understands beyond the protocol.
)";

/// Leaving must not hang because a client neither reads nor closes its pipe.
static void exitSoon(int Code) {
  std::thread([Code] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    _exit(Code);
  }).detach();
}

/// Signals that end the process. They are blocked in all threads but the one that waits for them.
static sigset_t endingSignals() {
  sigset_t Signals;
  sigemptyset(&Signals);
  for (int Signal : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&Signals, Signal);
  return Signals;
}

/// Leaves no files behind when the server is told to end. The workers notice by themselves.
static void cleanUpOnSignals(LanguageServer &Server) {
  std::thread([&Server] {
    const sigset_t Signals = endingSignals();
    int Signal = 0;
    sigwait(&Signals, &Signal);
    Server.removeFiles();
    _exit(128 + Signal);
  }).detach();
}

/// A large document leaves large blocks behind; they go back to the system when they are freed. By default blocks of
/// up to 32 MB are kept once one was freed.
static void giveLargeBlocksBack() { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

int lspCommand(const std::vector<std::string> &Arguments) {
  Logger::setLogLevel(Logger::Level::Error);
  for (StringRef Argument : Arguments) {
    if (Argument == "--help" || Argument == "-h") {
      llvm::outs() << Help;
      return 0;
    }
    if (Argument == "--log=info")
      Logger::setLogLevel(Logger::Level::Info);
    else if (Argument == "--log=debug")
      Logger::setLogLevel(Logger::Level::Debug);
  }
  giveLargeBlocksBack();
  if (const SandboxState Support = sandboxSupport(); Support.isComplete())
    Logger::info("workers are confined by the kernel: {0}", Support.text());
  else
    Logger::error("warning: this system cannot confine workers as it should ({0}); 'picket doctor' says more",
                  Support.text());
  std::signal(SIGPIPE, SIG_IGN); // a client or worker that is gone shows when writing fails
  // What libraries print must not get among the messages.
  const int Protocol = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  llvm::raw_fd_ostream Out(Protocol, /*shouldClose=*/true);
  const sigset_t Signals = endingSignals();
  pthread_sigmask(SIG_BLOCK, &Signals, nullptr);
  int Code = 1;
  {
    LanguageServer Server(stdin, Out);
    cleanUpOnSignals(Server);
    Code = Server.run();
    exitSoon(Code);
  }
  Out.flush();
  Out.clear_error(); // the client may be gone
  return Code;
}

} // namespace picket
