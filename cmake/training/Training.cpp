// Has the explorers do what they are there for, so that the compiler knows what that is: see CMakeLists.txt.
// Usage: picket_training DIRECTORY, where the programs are.
#include "check/Check.h"

#include <iostream>

using namespace picket;

namespace {

struct Lesson {
  const char *Program;
  std::vector<std::string> Flags;
};

/// Each some hundred to some ten thousand executions.
const Lesson Lessons[] = {{"writers", {"-DN=7"}},
                          {"fib", {"-DJOIN"}},
                          {"sbloop", {"-DK=5"}},
                          {"lastzero", {"-DN=9"}},
                          {"increments", {}},
                          {"mutex_counter", {"-DN=5"}},
                          {"store_buffering_ring", {}},
                          {"peterson", {}},
                          {"szymanski", {}},
                          {"bakery_c11", {}},
                          {"seqlock", {}},
                          {"spsc_ring", {}},
                          {"ms_queue", {}},
                          {"treiber_stack", {}},
                          {"mcs_lock", {}},
                          {"bounded_buffer", {}},
                          {"philosophers", {}},
                          {"barrier_sense", {}},
                          {"rwlock_pthread", {}},
                          {"mixed_size", {}},
                          {"hazard_pointer", {}},
                          {"chase_lev", {}},
                          {"struct_copy", {}}};

/// Long enough for a second worker to come and take branches.
const Lesson Together[] = {{"increments", {"-DN=9"}}, {"sbloop", {"-DK=6"}}, {"lastzero", {"-DN=15"}}};

bool learn(const std::string &Directory, const Lesson &L, const CheckOptions &Options) {
  CheckRequest Request;
  Request.Text.File = Directory + "/" + L.Program + ".c";
  Request.Text.Flags = L.Flags;
  Request.Text.UseCompileCommands = false;
  Request.Options = Options;
  Request.Options.Exhaustive = true;
  Request.Options.TimeoutSeconds = 2;
  const CheckReport Report = check(Request);
  for (const ModelReport &M : Report.Models)
    if (M.Result == Verdict::CompileError) {
      std::cerr << Request.Text.File << " does not compile: " << M.Reason << '\n';
      return false;
    }
  return true;
}

} // namespace

int main(int Count, char **Arguments) {
  if (Count != 2) {
    std::cerr << "picket_training DIRECTORY\n";
    return 2;
  }
  bool Learned = true;
  for (const Lesson &L : Lessons) {
    CheckOptions Options;
    Options.Jobs = 1;
    Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power};
    Options.Monitor = false;
    Learned &= learn(Arguments[1], L, Options);
    Options.Models = {MemoryModel::SC};
    Options.Monitor = true;
    Learned &= learn(Arguments[1], L, Options);
    Options.Models = {MemoryModel::TSO};
    Options.Search = Engine::Lazy;
    Learned &= learn(Arguments[1], L, Options);
    Options.Search = Engine::Bounded;
    Options.OnePer = Equivalence::ReadsFrom;
    Learned &= learn(Arguments[1], L, Options);
  }
  for (const Lesson &L : Together) {
    CheckOptions Options;
    Options.Jobs = 2;
    Options.Models = {MemoryModel::TSO};
    Options.Monitor = false;
    Learned &= learn(Arguments[1], L, Options);
  }
  return Learned ? 0 : 1;
}
