#include "source/compile/CrashGuard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdlib>
#include <memory>

namespace picket {

namespace {

constexpr unsigned StackSize = 256u << 20; // address space only: pages are taken when they are touched
constexpr size_t SignalStackSize = 64u << 10;

thread_local GuardFailure *Failure = nullptr;

/// Instead of LLVM's default, which prints the message and leaves the process.
void onFatalError(void *, const char *Message, bool) {
  if (Failure)
    Failure->Message = std::string("the compiler failed: ") + Message;
  if (llvm::CrashRecoveryContext *Current = llvm::CrashRecoveryContext::GetCurrent())
    Current->HandleExit(EXIT_FAILURE);
}

/// A handler of an overflowed stack needs a stack of its own; LLVM's handlers do not ask for one.
void useSignalStack(int Signal) {
  struct sigaction Action;
  if (sigaction(Signal, nullptr, &Action) != 0)
    return;
  Action.sa_flags |= SA_ONSTACK;
  sigaction(Signal, &Action, nullptr);
}

/// The running thread's stack for signal handlers; given back when the thread ends.
class SignalStack {
public:
  SignalStack() : Memory(new char[SignalStackSize]) {
    stack_t Stack = {};
    Stack.ss_sp = Memory.get();
    Stack.ss_size = SignalStackSize;
    sigaltstack(&Stack, nullptr);
  }
  ~SignalStack() {
    stack_t Stack = {};
    Stack.ss_flags = SS_DISABLE;
    sigaltstack(&Stack, nullptr);
  }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;
  void touch() {}

private:
  std::unique_ptr<char[]> Memory;
};

} // namespace

void giveUp(SourceLocation Where, std::string Message) {
  if (Failure)
    *Failure = {std::move(Message), std::move(Where)};
  if (llvm::CrashRecoveryContext *Current = llvm::CrashRecoveryContext::GetCurrent())
    Current->HandleExit(EXIT_FAILURE);
}

bool runGuarded(llvm::function_ref<void()> Work, GuardFailure &Why) {
  static const bool Enabled = [] {
    llvm::CrashRecoveryContext::Enable();
    useSignalStack(SIGSEGV);
    useSignalStack(SIGBUS);
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onFatalError);
    return true;
  }();
  (void)Enabled;

  GuardFailure Known;
  llvm::CrashRecoveryContext Recovery;
  bool Finished = Recovery.RunSafelyOnThread(
      [&] {
        thread_local SignalStack HandlerStack; // outlives the jump out of a crash
        HandlerStack.touch();
        Failure = &Known;
        Work();
      },
      StackSize);
  if (!Finished) {
    Why = std::move(Known);
    if (Why.Message.empty())
      Why.Message = "the compiler crashed";
  }
  return Finished;
}

} // namespace picket
