#include "lsp/CheckService.h"

#include "lsp/Positions.h"
#include "programs/MainFunction.h"

namespace picket {

/// Holds the lock while what is to be done is changed, and wakes the service's thread afterwards.
class CheckService::Change {
public:
  explicit Change(CheckService &Service) : Service(Service), Lock(Service.Mutex) { Service.Idle = false; }
  Change(const Change &) = delete;
  Change &operator=(const Change &) = delete;
  ~Change() {
    Lock.unlock();
    Service.Wakeup.wake();
  }

private:
  CheckService &Service;
  std::unique_lock<std::mutex> Lock;
};

CheckService::CheckService(Options Options, CheckListener &Listener)
    : Config(std::move(Options)), Listener(Listener), Docs(Config.Debounce, Fixes, News),
      Pool({Config.WorkerProgram, Config.Directory, Config.Workers},
           [&Listener](const std::string &Line) { Listener.log(Line); }),
      Index([this] {
        Change Now(*this);
        findPrograms();
      }) {
  Thread = std::thread([this] { loop(); });
}

CheckService::~CheckService() { stop(); }

void CheckService::stop() {
  {
    Change Now(*this);
    Stopping = true;
  }
  if (Thread.joinable())
    Thread.join();
}

void CheckService::open(const std::string &File, std::string Text, int64_t Version, bool IsC) {
  std::lock_guard<std::mutex> Telling(Publishing); // what is being told of another text is told before, nothing after
  Change Now(*this);
  Index.open(File, Text);
  if (!findMain(Text)) // files may have come that no editor told of
    Index.refresh();
  Docs.open(File, std::move(Text), Version, IsC);
  findPrograms();
}

void CheckService::change(const std::string &File, int64_t Version, const std::function<void(std::string &)> &Edit) {
  std::lock_guard<std::mutex> Telling(Publishing); // as in `open`
  Change Now(*this);
  Docs.change(File, Version, Edit);
  if (const Document *D = Docs.find(File))
    Index.open(File, *D->Status.Text);
  findPrograms();
}

void CheckService::save(const std::string &File) {
  Change Now(*this);
  Docs.save(File);
  findPrograms();
}

void CheckService::close(const std::string &File) {
  {
    Change Now(*this);
    if (!Docs.close(File))
      return;
    Index.close(File);
    findPrograms();
  }
  std::lock_guard<std::mutex> Telling(Publishing); // a result on its way is told before, none after
  Listener.cleared(File);
}

void CheckService::configure(const SettingsLayer &Client) {
  Change Now(*this);
  Docs.configure(Client);
}

void CheckService::filesChanged() {
  Index.refresh();
  Change Now(*this);
  Docs.recheckAll();
}

void CheckService::setFolders(std::vector<std::string> Folders) { Index.setFolders(std::move(Folders)); }

bool CheckService::check(const std::string &File, std::vector<MemoryModel> Models, CheckWaiter Done) {
  Change Now(*this);
  return Docs.check(File, std::move(Models), std::move(Done));
}

void CheckService::cancel(const std::string &File) {
  Change Now(*this);
  Docs.cancel(File);
}

/// Those that were checked last, if this text was.
static std::vector<MemoryModel> modelsOf(const DocumentStatus &Status) {
  std::vector<MemoryModel> Checked;
  if (Status.Current && Status.Result)
    for (const ModelOutcome &M : Status.Result->Models)
      if (!M.Skipped)
        Checked.push_back(M.Model);
  return Checked.empty() ? Status.Options.Models : Checked;
}

bool CheckService::fix(const std::string &File, FixQuestion Question, FixScheduler::Waiter Done) {
  Change Now(*this);
  Document *D = Docs.find(File);
  if (!D || !D->IsC)
    return false;
  Docs.resolve(*D);
  if (Question.Models.empty())
    Question.Models = modelsOf(D->Status);
  if (Question.What == FixQuestion::Aim::Robust && Question.Models.size() > 1) // it is about store buffers
    std::erase_if(Question.Models, isExploredAsGraphs);
  Fixes.ask(D->Status, std::move(Question), std::move(Done));
  return true;
}

void CheckService::cancelFixes(const std::string &File) {
  Change Now(*this);
  if (Document *D = Docs.find(File); D && Fixes.hasQuestions(File))
    Fixes.cancel(D->Status, CheckEnd::Cancelled);
}

void CheckService::restartWorkers() {
  Change Now(*this);
  RestartAll = true;
}

void CheckService::render(std::vector<std::string> Traces, std::function<void(std::vector<std::string>)> Done) {
  Change Now(*this);
  Renders.push_back({std::move(Traces), std::move(Done)});
}

std::optional<DocumentStatus> CheckService::status(const std::string &File) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  const Document *D = Docs.find(File);
  return D ? std::optional(D->Status) : std::nullopt;
}

std::vector<DocumentStatus> CheckService::allStatus() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Docs.all();
}

std::string CheckService::lastActive() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Docs.lastActive();
}

bool CheckService::blockUntilIdle(std::chrono::milliseconds AtMost) {
  std::unique_lock<std::mutex> Lock(Mutex);
  Idle = false;
  Wakeup.wake();
  return BecameIdle.wait_for(Lock, AtMost, [this] { return Idle; });
}

} // namespace picket
