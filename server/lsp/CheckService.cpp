#include "lsp/CheckService.h"

#include "llvm/Support/MemoryBuffer.h"

#include <fcntl.h>
#include <unistd.h>

namespace picket {

const char *nameOf(CheckState S) {
  switch (S) {
  case CheckState::Unchecked: return "unchecked";
  case CheckState::Waiting: return "waiting";
  case CheckState::Checking: return "checking";
  case CheckState::Done: return "done";
  case CheckState::Quiet: return "quiet";
  case CheckState::Cancelled: return "cancelled";
  case CheckState::Failed: return "failed";
  }
  return "?";
}

CheckService::CheckService(Options Options, CheckListener &Listener) : Fixed(std::move(Options)), Listener(Listener) {
  int Ends[2];
  if (pipe2(Ends, O_CLOEXEC | O_NONBLOCK) != 0)
    llvm::report_fatal_error("no pipe can be made");
  WakeRead = Ends[0];
  WakeWrite = Ends[1];
  Thread = std::thread([this] { loop(); });
}

void CheckService::stop() {
  {
    std::lock_guard<std::mutex> Lock(M);
    Stopping = true;
  }
  wake();
  if (Thread.joinable())
    Thread.join();
}

CheckService::~CheckService() {
  stop();
  ::close(WakeRead);
  ::close(WakeWrite);
}

void CheckService::wake() {
  const char Byte = 0;
  (void)!write(WakeWrite, &Byte, 1); // a full pipe wakes as well
}

/// Settings of a document from all the places that speak of it.
void CheckService::resolve(Document &D) {
  Settings S;
  apply(S, Client);
  if (std::string Toml = findToml(D.Status.File); !Toml.empty()) {
    std::vector<SettingsProblem> Problems;
    if (auto Buffer = llvm::MemoryBuffer::getFile(Toml, /*IsText=*/true))
      apply(S, layerOfToml((*Buffer)->getBuffer(), Problems));
    else
      Problems.push_back({0, "cannot read the file: " + Buffer.getError().message()});
    if (TomlProblems[Toml] != Problems)
      TomlNews[Toml] = TomlProblems[Toml] = std::move(Problems);
  }
  D.Status.Problems.clear();
  apply(S, layerOfComment(*D.Status.Text, D.Status.Problems));
  D.Status.Options = std::move(S);
}

void CheckService::schedule(Document &D, Clock::duration Delay) {
  if (!D.IsC)
    return;
  D.Due = Clock::now() + Delay;
  if (D.Status.State != CheckState::Waiting && !D.Running) {
    D.Status.State = CheckState::Waiting;
    StatusNews.push_back({D.Status});
  }
  Idle = false;
}

/// What files include, or are compiled with, may have changed: what was found out for them no longer counts.
void CheckService::recheckAll() {
  for (auto &[File, D] : Documents) {
    resolve(D);
    const bool Asked = D.Running || D.Due;
    D.Generation = ++NextGeneration;
    forgetFixes(D, CheckEnd::Edited);
    if (Asked || (D.Status.Options.When != Trigger::Manual && D.Status.State != CheckState::Unchecked))
      schedule(D, Clock::duration::zero());
  }
}

void CheckService::open(const std::string &File, std::string Text, int64_t Version, bool IsC) {
  {
    std::scoped_lock Lock(Publishing, M); // what is being told of another text is told before, nothing of it after
    Document &D = Documents[File];
    D.IsC = IsC;
    D.Generation = ++NextGeneration;
    forgetFixes(D, CheckEnd::Edited);
    D.Active = ++NextActive;
    D.Status.File = File;
    D.Status.Version = Version;
    D.Status.Text = std::make_shared<std::string>(std::move(Text));
    D.Status.Current = false;
    D.Status.State = IsC ? CheckState::Unchecked : CheckState::Quiet;
    resolve(D);
    StatusNews.push_back({D.Status});
    if (D.Status.Options.When != Trigger::Manual)
      schedule(D, Clock::duration::zero());
  }
  wake();
}

void CheckService::change(const std::string &File, int64_t Version, const std::function<void(std::string &)> &Edit) {
  {
    std::scoped_lock Lock(Publishing, M); // as in `open`
    auto At = Documents.find(File);
    if (At == Documents.end())
      return;
    Document &D = At->second;
    std::string Text = *D.Status.Text;
    Edit(Text);
    D.Status.Version = Version;
    if (Text != *D.Status.Text) {
      D.Status.Text = std::make_shared<std::string>(std::move(Text));
      D.Status.Current = false;
      forgetFixes(D, CheckEnd::Edited);
      if (!D.IsC)
        for (auto &[Other, Including] : Documents) // perhaps
          forgetFixes(Including, CheckEnd::Edited);
    }
    D.Generation = ++NextGeneration;
    D.Active = ++NextActive;
    D.Crashes = 0;
    // Somebody who waits for an answer gets the one about the new text.
    if (D.Status.Options.When == Trigger::Change || D.Running || D.Due)
      schedule(D, Fixed.Debounce);
  }
  wake();
}

void CheckService::save(const std::string &File) {
  {
    std::lock_guard<std::mutex> Lock(M);
    auto At = Documents.find(File);
    if (At == Documents.end())
      return;
    Document &D = At->second;
    D.Active = ++NextActive;
    if (!D.IsC) {
      recheckAll(); // a header, perhaps
    } else {
      resolve(D);
      // A check that was cancelled may not have ended yet, and answers nothing any more.
      const bool Answering = D.Running && D.Status.State != CheckState::Cancelled;
      if (D.Status.Options.When != Trigger::Manual && !Answering)
        schedule(D, Clock::duration::zero());
      else if (D.Due)
        D.Due = Clock::now(); // edited while being checked, and now saved: no reason to wait longer
    }
  }
  wake();
}

void CheckService::close(const std::string &File) {
  {
    std::lock_guard<std::mutex> Lock(M);
    auto At = Documents.find(File);
    if (At == Documents.end())
      return;
    for (Waiter &W : At->second.Waiters)
      Ended.emplace_back(std::move(W), CheckEnd::Closed);
    forgetFixes(At->second, CheckEnd::Closed);
    const bool IsC = At->second.IsC;
    Documents.erase(At);
    if (!IsC)
      for (auto &[Other, Including] : Documents) // what is on disk counts from now on
        forgetFixes(Including, CheckEnd::Edited);
  }
  wake();
  std::lock_guard<std::mutex> Lock(Publishing); // a result on its way is told before, none after
  Listener.cleared(File);
}

void CheckService::configure(const SettingsLayer &New) {
  {
    std::lock_guard<std::mutex> Lock(M);
    if (Client == New)
      return;
    Client = New;
    for (auto &[File, D] : Documents) {
      const Settings Before = D.Status.Options;
      resolve(D);
      if (D.Status.Options == Before)
        continue;
      D.Generation = ++NextGeneration;
      forgetFixes(D, CheckEnd::Edited);
      if (D.Status.Options.When != Trigger::Manual || D.Running)
        schedule(D, Clock::duration::zero());
    }
  }
  wake();
}

void CheckService::filesChanged() {
  {
    std::lock_guard<std::mutex> Lock(M);
    recheckAll();
  }
  wake();
}

bool CheckService::check(const std::string &File, std::vector<MemoryModel> Models, Waiter Done) {
  {
    std::lock_guard<std::mutex> Lock(M);
    auto At = Documents.find(File);
    if (At == Documents.end() || !At->second.IsC)
      return false;
    Document &D = At->second;
    resolve(D);
    D.Models = std::move(Models);
    D.Generation = ++NextGeneration;
    D.Crashes = 0;
    if (Done)
      D.Waiters.push_back(std::move(Done));
    schedule(D, Clock::duration::zero());
  }
  wake();
  return true;
}

void CheckService::cancel(const std::string &File) {
  {
    std::lock_guard<std::mutex> Lock(M);
    for (auto &[Name, D] : Documents) {
      if (!File.empty() && File != Name)
        continue;
      if (!D.Wishes.empty()) // what was found stays
        forgetWishes(D, CheckEnd::Cancelled);
      if (!D.Running && !D.Due)
        continue;
      D.Generation = ++NextGeneration;
      D.Due.reset();
      D.Models.clear();
      D.Status.State = CheckState::Cancelled;
      if (D.Status.Partial) { // what is known stays
        auto Known = std::make_shared<Outcome>(*D.Status.Result);
        Known->endPending("the check was cancelled");
        D.Status.Result = std::move(Known);
      }
      StatusNews.push_back({D.Status});
      for (Waiter &W : D.Waiters)
        Ended.emplace_back(std::move(W), CheckEnd::Cancelled);
      D.Waiters.clear();
    }
  }
  wake();
}

void CheckService::restartWorkers() {
  {
    std::lock_guard<std::mutex> Lock(M);
    RestartAll = true;
    Idle = false;
  }
  wake();
}

void CheckService::render(std::vector<std::string> Traces, std::function<void(std::vector<std::string>)> Done) {
  {
    std::lock_guard<std::mutex> Lock(M);
    Renders.push_back({std::move(Traces), std::move(Done)});
    Idle = false;
  }
  wake();
}

std::optional<DocumentStatus> CheckService::status(const std::string &File) const {
  std::lock_guard<std::mutex> Lock(M);
  auto At = Documents.find(File);
  return At == Documents.end() ? std::nullopt : std::optional(At->second.Status);
}

std::vector<DocumentStatus> CheckService::allStatus() const {
  std::lock_guard<std::mutex> Lock(M);
  std::vector<DocumentStatus> Result;
  for (const auto &[File, D] : Documents)
    Result.push_back(D.Status);
  return Result;
}

std::string CheckService::lastActive() const {
  std::lock_guard<std::mutex> Lock(M);
  const Document *Last = nullptr;
  for (const auto &[File, D] : Documents)
    if (D.IsC && (!Last || D.Active > Last->Active))
      Last = &D;
  return Last ? Last->Status.File : "";
}

bool CheckService::blockUntilIdle(std::chrono::milliseconds AtMost) {
  std::unique_lock<std::mutex> Lock(M);
  Idle = false;
  wake();
  return BecameIdle.wait_for(Lock, AtMost, [this] { return Idle; });
}

bool CheckService::publish(const std::string &File, uint64_t Generation, std::shared_ptr<const Outcome> Result,
                           CheckState End) {
  std::lock_guard<std::mutex> Telling(Publishing);
  DocumentStatus Status;
  {
    std::lock_guard<std::mutex> Lock(M);
    auto At = Documents.find(File);
    if (At == Documents.end() || At->second.Generation != Generation)
      return false;
    Document &D = At->second;
    // From the cache it is the same as before; and what was begun for some models goes on for all of them.
    if (D.Status.Result != Result && !D.Status.Partial)
      searchAgain(D);
    D.Status.Result = std::move(Result);
    D.Status.Current = true;
    D.Status.State = End;
    D.Status.Partial = End == CheckState::Checking;
    if (End != CheckState::Checking) {
      D.Running = false;
      D.Crashes = 0;
      D.Models.clear();
      for (Waiter &W : D.Waiters)
        Ended.emplace_back(std::move(W), CheckEnd::Finished);
      D.Waiters.clear();
    }
    if (End == CheckState::Done || End == CheckState::Checking)
      planFixes(D);
    Status = D.Status;
  }
  Listener.published(Status);
  Listener.statusChanged(Status, /*OnlyProgress=*/false);
  return true;
}

} // namespace picket
