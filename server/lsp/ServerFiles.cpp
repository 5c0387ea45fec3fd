#include "lsp/ServerFiles.h"

#include "FileWriting.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace picket {

static constexpr llvm::StringLiteral Prefix = "picket-lsp-", LockName = "lock";

static int takeLock(const std::string &Path, int Flags) {
  const int File = open(Path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | Flags, 0600);
  if (File >= 0 && flock(File, LOCK_EX | LOCK_NB) == 0)
    return File;
  if (File >= 0)
    close(File);
  return -1;
}

/// Directories whose server did not get to remove them. Those without a lock hold what people were told of.
static void removeStale(const fs::path &Base) {
  std::error_code Failed;
  for (const fs::directory_entry &Entry : fs::directory_iterator(Base, Failed)) {
    struct stat Found;
    const fs::path &Path = Entry.path();
    if (!llvm::StringRef(Path.filename().native()).starts_with(Prefix) || lstat(Path.c_str(), &Found) != 0 ||
        !S_ISDIR(Found.st_mode) || Found.st_uid != geteuid())
      continue;
    const int Lock = takeLock(Path / LockName.str(), 0);
    if (Lock < 0)
      continue;
    fs::remove_all(Path, Failed);
    close(Lock);
  }
}

/// False: another server took the new directory for a stale one before its lock was held.
bool ServerFiles::makeDirectory(const std::string &Base) {
  std::string Pattern = Base + "/" + Prefix.str() + "XXXXXX";
  if (!mkdtemp(Pattern.data()))
    return true;
  const std::string Path = Pattern + "/" + LockName.str();
  struct stat Found;
  Lock = takeLock(Path, O_CREAT | O_EXCL);
  if (Lock < 0 || stat(Path.c_str(), &Found) != 0)
    return false;
  Directory = Pattern;
  return true;
}

ServerFiles::ServerFiles() {
  std::error_code Failed;
  fs::path Base = fs::temp_directory_path(Failed);
  if (Failed)
    Base = "/tmp";
  removeStale(Base);
  for (int Tries = 0; Tries < 3 && !makeDirectory(Base.string()); ++Tries)
    if (int Given = std::exchange(Lock, -1); Given >= 0)
      close(Given);
}

ServerFiles::~ServerFiles() {
  remove();
  if (Lock >= 0)
    close(Lock);
}

std::string ServerFiles::writePage(const std::string &Name, const std::string &Html) const {
  const std::string Path = Directory + "/" + Name;
  return writeFiles({{Path, Html}}).empty() ? Path : "";
}

void ServerFiles::keep(const std::string &File) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Kept.insert(File);
}

void ServerFiles::remove() {
  if (Directory.empty())
    return;
  std::lock_guard<std::mutex> Lock(Mutex);
  std::error_code Failed;
  if (Kept.empty()) {
    fs::remove_all(Directory, Failed);
    return;
  }
  for (const fs::directory_entry &Entry : fs::directory_iterator(Directory, Failed))
    if (!Kept.count(Entry.path().string()))
      fs::remove(Entry.path(), Failed);
}

} // namespace picket
