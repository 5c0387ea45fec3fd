#include "suite/SuiteRun.h"

#include "base/UntrustedJson.h"
#include "suite/ConfinedProcess.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <thread>

using llvm::json::Object;
using llvm::json::Value;

namespace picket {

namespace {

constexpr int LookEvery = 100; // milliseconds

class Suite {
public:
  Suite(const std::vector<SuiteProgram> &Programs, const CheckCommand &How, const SuiteOptions &Options,
        ResultCache &Cache, const SuiteListener &Listener)
      : Programs(Programs), How(How), Options(Options), Cache(Cache), Listener(Listener), Results(Programs.size()) {
    Together = std::min<size_t>(Options.Together ? Options.Together : Cores, std::max<size_t>(1, Programs.size()));
  }

  std::vector<std::optional<ProgramResult>> run() {
    while (true) {
      while (!interrupted() && Next < Programs.size() && Running.size() < Together)
        start(Next++);
      if (Running.empty())
        break;
      wait();
    }
    tellResults(/*Skip=*/true);
    Cache.prune();
    return std::move(Results);
  }

private:
  struct Run {
    size_t Which = 0;
    unsigned Cores = 1;
    std::unique_ptr<ConfinedProcess> Process;
    std::string Key, Texts, Progress;
    std::optional<ProgramResult> Result;
    bool Final = false;
  };

  /// The cores that are free, shared with those that will be started now.
  unsigned coresForNext() const {
    unsigned Used = 0;
    for (const auto &R : Running)
      Used += R->Cores;
    const size_t Starting = std::min(Together - Running.size(), Programs.size() - Next + 1);
    const unsigned Free = Cores > Used ? Cores - Used : 0;
    return std::max<unsigned>(1, Free / static_cast<unsigned>(std::max<size_t>(1, Starting)));
  }

  void start(size_t Which) {
    auto New = std::make_unique<Run>();
    New->Which = Which;
    New->Cores = coresForNext();
    ProgramToCheck Program;
    Program.File = Programs[Which].File;
    Program.Named = Programs[Which].Named;
    Program.Cores = New->Cores;
    Program.AskIfKnown = Cache.isUsed();
    Program.TellProgress = static_cast<bool>(Listener.OnProgress);
    Program.Sarif = Options.Sarif;
    New->Process = ConfinedProcess::start([&] { return checkProgram(Program, How); }, lostLine);
    if (!New->Process) {
      Results[Which].emplace().Lost = std::string("no process can be made: ") + std::strerror(errno);
      return;
    }
    Running.push_back(std::move(New));
  }

  void wait() {
    std::vector<ConfinedProcess *> Processes;
    for (const auto &R : Running)
      Processes.push_back(R->Process.get());
    ConfinedProcess::readAll(Processes, LookEvery);
    if (interrupted() && !std::exchange(PassedOn, true))
      for (ConfinedProcess *P : Processes)
        P->interrupt();
    for (const auto &R : Running) {
      while (std::optional<std::string> Line = R->Process->takeLine())
        receive(*R, *Line);
      if (R->Process->hasEnded())
        end(*R);
    }
    std::erase_if(Running, [](const auto &R) { return !R->Process; });
    tellResults(/*Skip=*/false);
    tellProgress();
  }

  void receive(Run &R, const std::string &Line) {
    if (Line.empty())
      return;
    llvm::Expected<Value> Json = parseUntrusted(Line);
    if (!Json)
      return llvm::consumeError(Json.takeError()); // of a process that was lost while it wrote
    const Object *Message = Json->getAsObject();
    if (!Message)
      return;
    if (const auto Text = Message->getString("progress"))
      R.Progress = Text->str();
    if (const auto Key = Message->getString("key")) {
      R.Key = Key->str();
      R.Texts = Message->getString("texts").value_or("").str();
      R.Result = Cache.find(Programs[R.Which].Absolute, R.Key, R.Texts);
      R.Process->answer(R.Result ? IsKnown : IsUnknown);
    }
    ProgramResult Result;
    llvm::json::Path::Root Root;
    if (const auto Sentence = Message->getString("lost")) {
      Result.Lost = Sentence->str();
      R.Result = std::move(Result);
    } else if (const Value *Told = Message->get("result"); Told && fromJSON(*Told, Result, Root)) {
      R.Result = std::move(Result);
      R.Final = Message->getBoolean("final").value_or(false);
    }
  }

  void end(Run &R) {
    const int Status = R.Process->wait();
    if (!R.Result) {
      R.Result.emplace();
      R.Result->Lost = interrupted()         ? "cancelled"
                       : WIFSIGNALED(Status) ? std::string("ended by signal ") + strsignal(WTERMSIG(Status))
                                             : "the process that checks it ended";
      R.Result->WasCancelled = interrupted();
    }
    R.Result->Warning = R.Process->errors();
    if (R.Final && !R.Key.empty())
      Cache.add(Programs[R.Which].Absolute, R.Key, R.Texts, *R.Result);
    Results[R.Which] = std::move(R.Result);
    R.Process.reset();
  }

  void tellResults(bool Skip) {
    for (; Told < Results.size() && (Results[Told] || Skip); ++Told)
      if (Results[Told])
        Listener.OnResult(Programs[Told], *Results[Told]);
  }

  void tellProgress() {
    if (!Listener.OnProgress || Running.empty())
      return;
    std::vector<std::string> Files;
    for (const auto &R : Running)
      Files.push_back(Programs[R->Which].File);
    const auto Done = std::count_if(Results.begin(), Results.end(), [](const auto &R) { return R.has_value(); });
    Listener.OnProgress(static_cast<size_t>(Done), Files, Running.front()->Progress);
  }

  const std::vector<SuiteProgram> &Programs;
  const CheckCommand &How;
  const SuiteOptions &Options;
  ResultCache &Cache;
  const SuiteListener &Listener;
  const unsigned Cores = std::max(1u, std::thread::hardware_concurrency());
  size_t Together = 1, Next = 0, Told = 0;
  bool PassedOn = false; // Ctrl+C
  std::vector<std::unique_ptr<Run>> Running;
  std::vector<std::optional<ProgramResult>> Results;
};

} // namespace

std::vector<std::optional<ProgramResult>> runSuite(const std::vector<SuiteProgram> &Programs, const CheckCommand &How,
                                                   const SuiteOptions &Options, ResultCache &Cache,
                                                   const SuiteListener &Listener) {
  return Suite(Programs, How, Options, Cache, Listener).run();
}

std::optional<std::vector<std::string>> programsBelow(const std::vector<std::string> &Folders, bool &Limited,
                                                      std::string &Problem) {
  const auto Complain = [](const std::string &Sentence) { return Sentence; };
  std::unique_ptr<ConfinedProcess> Process = ConfinedProcess::start([&] { return findPrograms(Folders); }, Complain);
  if (!Process) {
    Problem = std::string("no process can be made: ") + std::strerror(errno);
    return std::nullopt;
  }
  while (!Process->hasEnded() && !interrupted())
    ConfinedProcess::readAll({Process.get()}, LookEvery);
  if (interrupted())
    return std::nullopt; // ends the process
  const std::string Text = Process->takeText();
  llvm::errs() << Process->errors();
  if (const int Status = Process->wait(); Status != 0 || (!Text.empty() && Text.back() != '\0')) {
    Problem = "the folders cannot be searched" + (Text.empty() ? "" : ": " + Text);
    return std::nullopt;
  }
  std::vector<std::string> Found;
  for (size_t At = 0; At < Text.size(); At = Text.find('\0', At) + 1)
    Found.push_back(Text.substr(At, Text.find('\0', At) - At));
  Limited = !Found.empty() && Found.front().empty();
  if (Limited)
    Found.erase(Found.begin());
  return Found;
}

} // namespace picket
