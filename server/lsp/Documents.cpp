#include "lsp/Documents.h"

#include "lsp/Positions.h"
#include "programs/MainFunction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cassert>
#include <set>

using llvm::StringRef;

namespace picket {

Document *Documents::find(const std::string &File) {
  auto At = ByFile.find(File);
  return At == ByFile.end() ? nullptr : &At->second;
}

Document *Documents::find(const std::string &File, uint64_t Generation) {
  Document *D = find(File);
  return D && D->Generation == Generation ? D : nullptr;
}

/// The text of an ordinary file; empty if it cannot be read.
static std::string textOnDisk(const std::string &File) {
  if (!llvm::sys::fs::is_regular_file(File)) // reading a pipe would wait
    return "";
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : "";
}

void Documents::resolve(Document &D) {
  if (D.Status.Background)
    if (std::string Now = textOnDisk(D.Status.File); Now != *D.Status.Text)
      D.Status.Text = std::make_shared<std::string>(std::move(Now));
  Settings S;
  apply(S, Client);
  if (std::string Toml = findToml(D.Status.File); !Toml.empty()) {
    std::vector<SettingsProblem> Problems;
    apply(S, layerOfTomlFile(Toml, D.Status.File, Problems));
    if (TomlProblems[Toml] != Problems)
      News.TomlProblems[Toml] = TomlProblems[Toml] = std::move(Problems);
  }
  D.Status.Problems.clear();
  apply(S, layerOfComment(*D.Status.Text, D.Status.Problems));
  D.Status.Options = std::move(S);
  D.Others.clear();
  if (!D.Status.Options.With.empty()) // the texts of all are copied for it
    D.Others = programFilesOf(D.Status.File, D.Status.Options.With, Client.Flags.value_or(std::vector<std::string>()),
                              {}, texts());
}

template <typename Function> void Documents::forEachUser(const std::string &File, Function Do) {
  const Document *Used = find(File);
  for (auto &[Name, D] : ByFile) {
    if (!D.IsC || Name == File)
      continue;
    const bool IsLinked =
        std::any_of(D.Others.begin(), D.Others.end(), [&](const ProgramFile &Other) { return Other.File == File; });
    if (IsLinked || (Used && llvm::is_contained(Used->Status.Programs, Name)))
      Do(D);
  }
}

void Documents::openInBackground(const std::string &File) {
  Document &D = ByFile[File];
  D.Generation = ++LastGeneration;
  D.Status.File = File;
  D.Status.Background = true;
  D.Status.Text = std::make_shared<std::string>();
  resolve(D);
  News.Statuses.push_back({D.Status});
  if (D.Status.Options.When != Trigger::Manual)
    schedule(D);
}

void Documents::setPrograms(const std::function<ProgramIndex::Users(const std::string &File)> &UsersOf) {
  std::set<std::string> Wanted;
  for (auto &[File, D] : ByFile) {
    if (D.Status.Background || StringRef(File).ends_with(".litmus"))
      continue;
    ProgramIndex::Users Users;
    if (!findMain(*D.Status.Text))
      Users = UsersOf(File);
    Wanted.insert(Users.Programs.begin(), Users.Programs.end());
    // A header that no C file includes may be one of C++.
    const bool IsKnown = Users.Complete && (D.IsC || Users.IsIncluded);
    if (D.Status.Programs == Users.Programs && D.Status.MorePrograms == Users.More && D.Status.ProgramsKnown == IsKnown)
      continue;
    D.Status.Programs = std::move(Users.Programs);
    D.Status.MorePrograms = Users.More;
    D.Status.ProgramsKnown = IsKnown;
    News.Statuses.push_back({D.Status});
  }
  for (auto At = ByFile.begin(); At != ByFile.end();) {
    const auto Next = std::next(At);
    if (At->second.Status.Background && !Wanted.contains(At->first)) {
      endWaits(At->second, CheckEnd::Closed);
      Fixes.close(At->second.Status);
      News.Cleared.push_back(At->first);
      ByFile.erase(At);
    }
    At = Next;
  }
  for (const std::string &File : Wanted)
    if (!find(File))
      openInBackground(File);
}

void Documents::schedule(Document &D, Clock::duration Delay) {
  if (!D.IsC)
    return;
  D.Due = Clock::now() + Delay;
  if (D.Status.State != CheckState::Waiting && !D.Running) {
    D.Status.State = CheckState::Waiting;
    News.Statuses.push_back({D.Status});
  }
}

void Documents::recheckAll() {
  for (auto &[File, D] : ByFile) {
    resolve(D);
    const bool Asked = D.Running || D.Due;
    D.Generation = ++LastGeneration;
    Fixes.forget(D.Status, CheckEnd::Edited);
    if (Asked || (D.Status.Options.When != Trigger::Manual && D.Status.State != CheckState::Unchecked))
      schedule(D);
  }
}

void Documents::open(const std::string &File, std::string Text, int64_t Version, bool IsC) {
  Document &D = ByFile[File];
  D.IsC = IsC;
  D.Generation = ++LastGeneration;
  D.Status.File = File;
  D.Status.Background = false;
  Fixes.forget(D.Status, CheckEnd::Edited);
  D.LastActive = ++LastActive;
  D.Status.Version = Version;
  D.Status.Text = std::make_shared<std::string>(std::move(Text));
  D.Status.Current = false;
  D.Status.State = IsC ? CheckState::Unchecked : CheckState::Quiet;
  resolve(D);
  News.Statuses.push_back({D.Status});
  if (D.Status.Options.When != Trigger::Manual)
    schedule(D);
}

void Documents::change(const std::string &File, int64_t Version, const std::function<void(std::string &)> &Edit) {
  Document *D = find(File);
  if (!D)
    return;
  std::string Text = *D->Status.Text;
  Edit(Text);
  D->Status.Version = Version;
  if (Text != *D->Status.Text) {
    D->Status.Text = std::make_shared<std::string>(std::move(Text));
    D->Status.Current = false;
    Fixes.forget(D->Status, CheckEnd::Edited);
    if (!D->IsC)
      for (auto &[Other, Including] : ByFile) // perhaps
        Fixes.forget(Including.Status, CheckEnd::Edited);
    forEachUser(File, [&](Document &User) {
      Fixes.forget(User.Status, CheckEnd::Edited);
      if (User.Status.Options.When != Trigger::Change && !User.Running && !User.Due)
        return;
      User.Generation = ++LastGeneration;
      schedule(User, Debounce);
    });
  }
  D->Generation = ++LastGeneration;
  D->LastActive = ++LastActive;
  D->Crashes = 0;
  // Somebody who waits for an answer gets the one about the new text.
  if (D->Status.Options.When == Trigger::Change || D->Running || D->Due)
    schedule(*D, Debounce);
}

void Documents::save(const std::string &File) {
  Document *D = find(File);
  if (!D)
    return;
  D->LastActive = ++LastActive;
  if (!D->IsC)
    return recheckAll(); // a header, perhaps
  forEachUser(File, [&](Document &User) {
    resolve(User);
    User.Generation = ++LastGeneration;
    Fixes.forget(User.Status, CheckEnd::Edited);
    if (User.Status.Options.When != Trigger::Manual || User.Running)
      schedule(User);
  });
  resolve(*D);
  // A check that was cancelled may not have ended yet, and answers nothing any more.
  const bool Answering = D->Running && D->Status.State != CheckState::Cancelled;
  if (D->Status.Options.When != Trigger::Manual && !Answering)
    schedule(*D);
  else if (D->Due)
    D->Due = Clock::now(); // edited while being checked, and now saved: no reason to wait longer
}

bool Documents::close(const std::string &File) {
  auto At = ByFile.find(File);
  if (At == ByFile.end())
    return false;
  endWaits(At->second, CheckEnd::Closed);
  Fixes.close(At->second.Status);
  const bool IsC = At->second.IsC;
  ByFile.erase(At);
  if (!IsC)
    for (auto &[Other, Including] : ByFile) // what is on disk counts from now on
      Fixes.forget(Including.Status, CheckEnd::Edited);
  forEachUser(File, [&](Document &User) { Fixes.forget(User.Status, CheckEnd::Edited); });
  return true;
}

void Documents::configure(const SettingsLayer &New) {
  if (Client == New)
    return;
  Client = New;
  for (auto &[File, D] : ByFile) {
    const Settings Before = D.Status.Options;
    resolve(D);
    if (D.Status.Options == Before)
      continue;
    D.Generation = ++LastGeneration;
    Fixes.forget(D.Status, CheckEnd::Edited);
    if (D.Status.Options.When != Trigger::Manual || D.Running)
      schedule(D);
  }
}

bool Documents::check(const std::string &File, std::vector<MemoryModel> Models, CheckWaiter Done) {
  Document *D = find(File);
  if (D && !D->Status.Programs.empty()) {
    const std::vector<std::string> Programs = D->Status.Programs;
    auto Left = std::make_shared<size_t>(Programs.size());
    for (const std::string &Program : Programs)
      check(Program, Models, [Left, Done](CheckEnd How) {
        if (--*Left == 0 && Done)
          Done(How);
      });
    return true;
  }
  if (!D || !D->IsC)
    return false;
  resolve(*D);
  D->Models = std::move(Models);
  D->Generation = ++LastGeneration;
  D->Crashes = 0;
  if (Done)
    D->Waiters.push_back(std::move(Done));
  schedule(*D);
  return true;
}

void Documents::cancel(const std::string &File) {
  for (auto &[Name, D] : ByFile) {
    if (!File.empty() && File != Name)
      continue;
    if (Fixes.hasQuestions(Name))
      Fixes.cancel(D.Status, CheckEnd::Cancelled);
    if (!D.Running && !D.Due)
      continue;
    D.Generation = ++LastGeneration;
    D.Due.reset();
    D.Models.clear();
    D.Status.State = CheckState::Cancelled;
    if (D.Status.Partial) { // what is known stays
      auto Known = std::make_shared<Outcome>(*D.Status.Result);
      Known->endPending("the check was cancelled");
      D.Status.Result = std::move(Known);
    }
    News.Statuses.push_back({D.Status});
    endWaits(D, CheckEnd::Cancelled);
  }
}

std::vector<DocumentStatus> Documents::all() const {
  std::vector<DocumentStatus> Result;
  for (const auto &[File, D] : ByFile)
    Result.push_back(D.Status);
  return Result;
}

std::string Documents::lastActive() const {
  const Document *Last = nullptr;
  for (const auto &[File, D] : ByFile)
    if (D.IsC && !D.Status.Background && (!Last || D.LastActive > Last->LastActive))
      Last = &D;
  return Last ? Last->Status.File : "";
}

std::map<std::string, std::string> Documents::texts() const {
  std::map<std::string, std::string> Result;
  for (const auto &[File, D] : ByFile)
    if (!D.Status.Background)
      Result[File] = *D.Status.Text;
  return Result;
}

Document *Documents::nextDue(Clock::time_point Now) {
  Document *Next = nullptr;
  for (auto &[File, D] : ByFile)
    if (D.Due && *D.Due <= Now && !D.Running && (!Next || *D.Due < *Next->Due))
      Next = &D;
  return Next;
}

std::optional<Documents::Clock::time_point> Documents::nextDueTime(Clock::time_point Now, bool AlsoPast) const {
  std::optional<Clock::time_point> Next;
  for (const auto &[File, D] : ByFile)
    if (D.Due && !D.Running && (AlsoPast || *D.Due > Now))
      Next = std::min(Next.value_or(*D.Due), *D.Due);
  return Next;
}

void Documents::begin(Document &D) {
  assert(D.Due && !D.Running && "a document is checked once at a time");
  D.Due.reset();
  D.Running = true;
  D.Status.State = CheckState::Checking;
  D.Status.Running.reset();
  D.Status.Partial = false;
  News.Statuses.push_back({D.Status});
}

bool Documents::accept(const std::string &File, uint64_t Generation, std::shared_ptr<const Outcome> Result,
                       CheckState End) {
  assert(Result && End != CheckState::Waiting && End != CheckState::Unchecked);
  Document *D = find(File, Generation);
  if (!D)
    return false;
  assert(Generation >= D->PublishedGeneration && "a result is never older than what was published");
  D->PublishedGeneration = Generation;
  // From the cache it is the same as before; and what was begun for some models goes on for all of them.
  if (D->Status.Result != Result && !D->Status.Partial)
    Fixes.restart(D->Status); // what the text includes may have changed on disk
  D->Status.Result = std::move(Result);
  D->Status.Current = true;
  D->Status.State = End;
  D->Status.Partial = End == CheckState::Checking;
  if (End != CheckState::Checking) {
    D->Running = false;
    D->Crashes = 0;
    D->Models.clear();
    endWaits(*D, CheckEnd::Finished);
  }
  if (End == CheckState::Done || End == CheckState::Checking)
    Fixes.plan(D->Status);
  return true;
}

bool Documents::isIdle() const {
  return std::none_of(ByFile.begin(), ByFile.end(),
                      [](const auto &Entry) { return Entry.second.Running || Entry.second.Due; });
}

} // namespace picket
