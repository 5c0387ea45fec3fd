#include "programs/ProgramIndex.h"

#include "programs/MainFunction.h"
#include "settings/ProgramFiles.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <filesystem>

using llvm::StringRef;

namespace picket {

namespace fs = std::filesystem;

namespace {

bool isSource(StringRef Name) { return Name.ends_with(".c") || Name.ends_with(".h") || Name.ends_with(".inc"); }

/// What builds leave behind, and what belongs to others.
bool isLeftOut(StringRef Name) {
  return Name.starts_with(".") || Name.starts_with("build-") || Name.starts_with("cmake-build-") ||
         llvm::StringSwitch<bool>(Name)
             .Cases({"build", "builddir", "_build", "out", "target", "CMakeFiles", "node_modules"}, true)
             .Default(false);
}

/// The names in `#include "..."` and `#include <...>`.
std::vector<std::string> includesIn(StringRef Text) {
  std::vector<std::string> Result;
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    Line = Line.ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    if (!Line.consume_front("include"))
      continue;
    Line = Line.ltrim();
    const char End = Line.starts_with("\"") ? '"' : Line.starts_with("<") ? '>' : 0;
    const size_t Length = End ? Line.drop_front().find(End) : StringRef::npos;
    if (Length != StringRef::npos && Length > 0)
      Result.push_back(Line.substr(1, Length).str());
  }
  return Result;
}

std::string joined(const std::string &Folder, const std::string &Name) {
  return (fs::path(Folder) / Name).lexically_normal().string();
}

size_t commonFolders(const std::string &A, const std::string &B) {
  const fs::path P(A), Q(B);
  return static_cast<size_t>(std::distance(P.begin(), std::mismatch(P.begin(), P.end(), Q.begin(), Q.end()).first));
}

} // namespace

ProgramIndex::ProgramIndex(std::function<void()> Changed, Limits Most) : Changed(std::move(Changed)), Most(Most) {
  Thread = std::thread([this] { run(); });
}

ProgramIndex::~ProgramIndex() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Stopping = true;
  }
  Wanted.notify_all();
  Thread.join();
}

void ProgramIndex::setFolders(std::vector<std::string> Now) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (std::string &Folder : Now)
      Folder = fs::path(Folder).lexically_normal().string();
    // One within another is read with that.
    std::erase_if(Now, [&](const std::string &Inner) {
      return Inner.empty() || std::any_of(Now.begin(), Now.end(), [&](const std::string &Outer) {
               return Inner != Outer && StringRef(Inner).starts_with(Outer + "/");
             });
    });
    std::sort(Now.begin(), Now.end());
    Now.erase(std::unique(Now.begin(), Now.end()), Now.end());
    Folders = std::move(Now);
    Asked = true;
  }
  Wanted.notify_all();
}

void ProgramIndex::refresh() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Asked = true;
  }
  Wanted.notify_all();
}

void ProgramIndex::open(const std::string &File, const std::string &Text) {
  Names Now = namesIn(File, Text);
  std::lock_guard<std::mutex> Lock(Mutex);
  auto [At, IsNew] = Open.try_emplace(File);
  if (!IsNew && At->second == Now)
    return;
  At->second = std::move(Now);
  Known.reset();
}

void ProgramIndex::close(const std::string &File) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Open.erase(File))
    Known.reset();
}

ProgramIndex::Found ProgramIndex::programs() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  Found Result;
  Result.Limited = Limited;
  for (const auto &[File, Read] : Files)
    if (Read.Own.HasMain)
      Result.Programs.push_back(File);
  return Result;
}

size_t ProgramIndex::numFiles() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Files.size();
}

void ProgramIndex::blockUntilRead() {
  std::unique_lock<std::mutex> Lock(Mutex);
  Done.wait(Lock, [this] { return !Asked && !Reading; });
}

ProgramIndex::Names ProgramIndex::namesIn(const std::string &File, const std::string &Text) {
  Names Result;
  Result.Includes = includesIn(Text);
  Result.HasMain = StringRef(File).ends_with(".c") && StringRef(Text).contains("main") && findMain(Text).has_value();
  if (Result.HasMain)
    for (ProgramFile &Other : programFilesOf(File, filesNamedBy(File, Text)))
      Result.With.push_back(std::move(Other.File));
  return Result;
}

void ProgramIndex::run() {
  while (true) {
    std::vector<std::string> Here;
    std::map<std::string, Entry> Before;
    {
      std::unique_lock<std::mutex> Lock(Mutex);
      Wanted.wait(Lock, [this] { return Asked || Stopping; });
      if (Stopping)
        return;
      Asked = false;
      Reading = true;
      Here = Folders;
      Before = Files;
    }
    bool IsNew = false, Full = false;
    std::map<std::string, Entry> Now = readFolders(Here, Before, Full);
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      if (Stopping)
        return;
      IsNew = !Complete || !std::equal(Now.begin(), Now.end(), Before.begin(), Before.end(), [](auto &A, auto &B) {
        return A.first == B.first && A.second.Own == B.second.Own;
      });
      Files = std::move(Now);
      Complete = true;
      Limited = Full;
      if (IsNew)
        Known.reset();
    }
    if (IsNew)
      Changed();
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Reading = false;
    }
    Done.notify_all();
  }
}

std::map<std::string, ProgramIndex::Entry> ProgramIndex::readFolders(const std::vector<std::string> &Here,
                                                                     const std::map<std::string, Entry> &Before,
                                                                     bool &Full) const {
  std::map<std::string, Entry> Now;
  std::error_code Failed;
  for (const std::string &Folder : Here) {
    fs::recursive_directory_iterator At(Folder, fs::directory_options::skip_permission_denied, Failed);
    for (; !Failed && At != fs::recursive_directory_iterator(); At.increment(Failed)) {
      Full = Now.size() >= Most.Files;
      if (Stopping || Full)
        return Now;
      std::error_code Ignored;
      const std::string Name = At->path().filename().string();
      if (At->is_directory(Ignored)) {
        if (isLeftOut(Name) || static_cast<unsigned>(At.depth()) >= Most.Depth ||
            fs::exists(At->path() / "CMakeCache.txt", Ignored))
          At.disable_recursion_pending();
        continue;
      }
      if (isSource(Name) && At->is_regular_file(Ignored))
        readFile(At->path().string(), Before, Now);
    }
  }
  return Now;
}

void ProgramIndex::readFile(const std::string &Path, const std::map<std::string, Entry> &Before,
                            std::map<std::string, Entry> &Now) const {
  std::error_code Failed;
  Entry Mine;
  Mine.Size = fs::file_size(Path, Failed);
  Mine.Time = fs::last_write_time(Path, Failed).time_since_epoch().count();
  if (Failed || Mine.Size > Most.FileBytes)
    return;
  // What a program is linked with depends on a .picket.toml, too.
  const auto Known = Before.find(Path);
  if (Known != Before.end() && Known->second.Size == Mine.Size && Known->second.Time == Mine.Time &&
      !Known->second.Own.HasMain) {
    Now.insert(*Known);
    return;
  }
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/true, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return;
  Mine.Own = namesIn(Path, (*Buffer)->getBuffer().str());
  Now[Path] = std::move(Mine);
}

/// The lock is held.
const ProgramIndex::Graph &ProgramIndex::graph() const {
  if (Known)
    return *Known;
  Known = std::make_unique<Graph>();
  std::map<std::string, const Names *> All;
  for (const auto &[File, Read] : Files)
    All[File] = &Read.Own;
  for (const auto &[File, Now] : Open)
    All[File] = &Now;
  std::vector<const Names *> Of;
  std::map<std::string, std::vector<size_t>> ByName; // without folders
  auto Add = [&](const std::string &File, const Names *Its) {
    const auto [At, IsNew] = Known->Number.try_emplace(File, Known->Paths.size());
    if (!IsNew)
      return At->second;
    Known->Paths.push_back(File);
    Known->HasMain.push_back(Its && Its->HasMain);
    Known->UsedBy.emplace_back();
    Of.push_back(Its);
    ByName[fs::path(File).filename().string()].push_back(At->second);
    return At->second;
  };
  for (const auto &[File, Its] : All)
    Add(File, Its);
  for (const auto &[File, Its] : All)
    for (const std::string &Other : Its->With) // it may lie outside of the folders
      Add(Other, nullptr);

  for (size_t K = 0; K < Of.size(); ++K) {
    if (!Of[K])
      continue;
    for (const std::string &Other : Of[K]->With)
      Known->UsedBy[Known->Number[Other]].push_back(K);
    const std::string Folder = fs::path(Known->Paths[K]).parent_path().string();
    for (const std::string &Spelled : Of[K]->Includes) {
      if (const auto Beside = Known->Number.find(joined(Folder, Spelled)); Beside != Known->Number.end()) {
        Known->UsedBy[Beside->second].push_back(K);
        continue;
      }
      // Where headers are looked for is not known: every file counts whose path ends like this.
      StringRef Rest = Spelled;
      while (Rest.consume_front("../") || Rest.consume_front("./"))
        ;
      const auto Named = ByName.find(fs::path(Rest.str()).filename().string());
      if (Named != ByName.end())
        for (const size_t Other : Named->second)
          if (StringRef(Known->Paths[Other]).ends_with("/" + Rest.str()))
            Known->UsedBy[Other].push_back(K);
    }
  }
  return *Known;
}

ProgramIndex::Users ProgramIndex::usersOf(const std::string &File) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  Users Result;
  Result.Complete = Complete;
  const Graph &All = graph();
  const auto Start = All.Number.find(File);
  if (Start == All.Number.end())
    return Result;
  Result.IsIncluded = !All.UsedBy[Start->second].empty();
  std::vector<size_t> Pending = {Start->second};
  std::vector<bool> Seen(All.Paths.size());
  Seen[Start->second] = true;
  while (!Pending.empty()) {
    const size_t At = Pending.back();
    Pending.pop_back();
    if (At != Start->second && All.HasMain[At])
      Result.Programs.push_back(All.Paths[At]);
    for (const size_t User : All.UsedBy[At])
      if (!Seen[User]) {
        Seen[User] = true;
        Pending.push_back(User);
      }
  }
  std::sort(Result.Programs.begin(), Result.Programs.end(), [&](const std::string &A, const std::string &B) {
    const size_t NearA = commonFolders(A, File), NearB = commonFolders(B, File);
    return NearA != NearB ? NearA > NearB : A < B;
  });
  if (Result.Programs.size() > Most.Programs) {
    Result.More = Result.Programs.size() - Most.Programs;
    Result.Programs.resize(Most.Programs);
  }
  return Result;
}

} // namespace picket
