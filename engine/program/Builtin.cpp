#include "program/Builtin.h"

#include <iterator>
#include <unordered_map>

namespace picket {

static constexpr std::string_view Names[] = {
#define X(Name, CName) CName,
    PICKET_BUILTINS(X)
#undef X
};

// Output, waiting and tuning: none of it changes what a program can do here, and all of it may report success with
// zero. Functions that write through a pointer (snprintf, pthread_attr_getstacksize) cannot be swallowed.
static constexpr std::string_view Swallowed[] = {
    // output
    "printf", "fprintf", "vprintf", "vfprintf", "dprintf", "vdprintf", "__printf_chk", "__fprintf_chk", "puts",
    "putchar", "putc", "fputc", "fputs", "putchar_unlocked", "fflush", "perror", "setbuf", "setvbuf", "setlinebuf",
    "setlocale", "syslog", "openlog", "closelog",
    // waiting, which is only a hint to the scheduler
    "usleep", "sleep", "nanosleep", "clock_nanosleep", "sched_yield", "pthread_yield", "thrd_yield", "thrd_sleep",
    // seeds
    "srand", "srandom", "srand48",
    // attributes and tuning
    "pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setdetachstate", "pthread_attr_setstacksize",
    "pthread_attr_setstack", "pthread_attr_setguardsize", "pthread_attr_setscope", "pthread_attr_setinheritsched",
    "pthread_attr_setschedparam", "pthread_attr_setschedpolicy", "pthread_attr_setaffinity_np", "pthread_condattr_init",
    "pthread_condattr_destroy", "pthread_condattr_setclock", "pthread_condattr_setpshared", "pthread_rwlockattr_init",
    "pthread_rwlockattr_destroy", "pthread_rwlockattr_setpshared", "pthread_rwlockattr_setkind_np",
    "pthread_barrierattr_init", "pthread_barrierattr_destroy", "pthread_barrierattr_setpshared",
    "pthread_mutexattr_setpshared", "pthread_mutexattr_setprotocol", "pthread_mutexattr_setprioceiling",
    "pthread_setconcurrency", "pthread_setschedparam", "pthread_setschedprio", "pthread_setname_np",
    "pthread_setaffinity_np", "sched_setaffinity", "pthread_setcancelstate", "pthread_setcanceltype",
    "pthread_testcancel"};

static std::unordered_map<std::string_view, Builtin> makeIndex() {
  std::unordered_map<std::string_view, Builtin> Index;
  for (size_t I = 0; I < std::size(Names); ++I)
    Index.emplace(Names[I], static_cast<Builtin>(I));
  for (std::string_view Name : Swallowed)
    Index.emplace(Name, Builtin::Ignore);
  Index.emplace("reach_error", Builtin::VerifierError);
  Index.emplace("__assert", Builtin::AssertFail);
  Index.emplace("assume_abort_if_not", Builtin::VerifierAssume);
  Index.emplace("_Exit", Builtin::ImmediateExit);
  return Index;
}

std::string_view nameOf(Builtin B) { return Names[static_cast<size_t>(B)]; }

bool isVerifierFunction(std::string_view CName) {
  return CName == "reach_error" || CName == "assume_abort_if_not" || CName.starts_with("__VERIFIER_");
}

bool findBuiltin(std::string_view CName, Builtin &Found) {
  static const std::unordered_map<std::string_view, Builtin> Index = makeIndex();
  auto It = Index.find(CName);
  if (It == Index.end())
    return false;
  Found = It->second;
  return true;
}

} // namespace picket
