#include "FileJournal.h"

#include "DiskFile.h"

#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace picket {

static constexpr char Magic[] = "picket journal 1\n", Suffix[] = ".journal";

/// Empty if there is none.
static std::string stateDirectory() {
  if (const char *State = std::getenv("XDG_STATE_HOME"); State && State[0] == '/')
    return std::string(State) + "/picket";
  const char *Home = std::getenv("HOME");
  return Home && Home[0] == '/' ? std::string(Home) + "/.local/state/picket" : std::string();
}

static bool makeDirectories(const std::string &Path) {
  for (size_t At = 1; At != std::string::npos;) {
    At = Path.find('/', At + 1);
    if (mkdir(Path.substr(0, At).c_str(), 0700) != 0 && errno != EEXIST)
      return false;
  }
  return true;
}

/// Texts are written with their length in front, so that any byte may be in them.
static void put(std::string &To, const std::string &Text) { To += std::to_string(Text.size()) + ":" + Text; }

static bool take(const std::string &From, size_t &At, std::string &Text) {
  char *End = nullptr;
  const unsigned long long Size = At < From.size() ? std::strtoull(From.c_str() + At, &End, 10) : 0;
  if (!End || *End != ':')
    return false;
  At = static_cast<size_t>(End - From.c_str()) + 1;
  if (Size > From.size() - At)
    return false;
  Text = From.substr(At, Size);
  At += Size;
  return true;
}

static std::string textOf(const std::vector<JournalEntry> &Entries) {
  std::string Text = Magic;
  for (const JournalEntry &E : Entries)
    for (const std::string &Part : {E.File, E.Temporary, E.Old, E.New, std::string(E.InPlace ? "1" : "0")})
      put(Text, Part);
  put(Text, "end"); // a journal that was cut off is none: nothing was written yet
  return Text;
}

static std::optional<std::vector<JournalEntry>> entriesOf(const std::string &Text) {
  size_t At = sizeof Magic - 1;
  if (Text.compare(0, At, Magic) != 0)
    return std::nullopt;
  std::vector<JournalEntry> Entries;
  for (std::string First, InPlace; take(Text, At, First);) {
    if (First == "end" && At == Text.size())
      return Entries;
    JournalEntry E;
    E.File = std::move(First);
    if (!take(Text, At, E.Temporary) || !take(Text, At, E.Old) || !take(Text, At, E.New) || !take(Text, At, InPlace))
      break;
    E.InPlace = InPlace == "1";
    Entries.push_back(std::move(E));
  }
  return std::nullopt;
}

std::optional<FileJournal> FileJournal::begin(const std::vector<JournalEntry> &Entries) {
  const std::string Directory = stateDirectory();
  if (Directory.empty() || !makeDirectories(Directory))
    return std::nullopt;
  FileJournal Journal;
  // It gets its name when it is complete and locked: nobody sees half of it.
  const std::string Name = Directory + "/" + randomName(), Unfinished = Name + ".new";
  Journal.Lock = open(Unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (Journal.Lock < 0)
    return std::nullopt;
  Journal.Path = Unfinished;
  if (flock(Journal.Lock, LOCK_EX | LOCK_NB) != 0 || !writeAll(Journal.Lock, textOf(Entries)) ||
      fsync(Journal.Lock) != 0 || rename(Unfinished.c_str(), (Name + Suffix).c_str()) != 0)
    return std::nullopt;
  Journal.Path = Name + Suffix;
  syncDirectoryOf(Journal.Path);
  Journal.Entries = Entries;
  return Journal;
}

std::vector<FileJournal> FileJournal::abandoned() {
  std::vector<FileJournal> Result;
  const std::string Directory = stateDirectory();
  DIR *Open = Directory.empty() ? nullptr : opendir(Directory.c_str());
  if (!Open)
    return Result;
  while (const dirent *Found = readdir(Open)) {
    const std::string Name = Found->d_name;
    const bool Complete = Name.size() > strlen(Suffix) && Name.ends_with(Suffix);
    if (!Complete && !Name.ends_with(".new"))
      continue;
    FileJournal Journal;
    Journal.Lock = open((Directory + "/" + Name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat Status;
    if (Journal.Lock < 0 || flock(Journal.Lock, LOCK_EX | LOCK_NB) != 0)
      continue; // its writer lives
    if (fstat(Journal.Lock, &Status) != 0 || Status.st_uid != geteuid() || Status.st_nlink == 0)
      continue;
    Journal.Path = Directory + "/" + Name; // from here on it is removed
    std::optional<std::string> Text = Complete ? contentsOf(Journal.Lock) : std::nullopt;
    std::optional<std::vector<JournalEntry>> Entries = Text ? entriesOf(*Text) : std::nullopt;
    if (Entries)
      Journal.Entries = std::move(*Entries);
    Result.push_back(std::move(Journal));
  }
  closedir(Open);
  return Result;
}

FileJournal::FileJournal(FileJournal &&Other) noexcept
    : Path(std::exchange(Other.Path, "")), Lock(std::exchange(Other.Lock, -1)), Entries(std::move(Other.Entries)) {}

FileJournal::~FileJournal() {
  if (!Path.empty())
    unlink(Path.c_str());
  if (Lock >= 0)
    close(Lock);
}

} // namespace picket
