#include "DiskFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace picket {

std::optional<std::string> contentsOf(int File) {
  std::string Text;
  char Buffer[1 << 16];
  while (true) {
    const ssize_t N = pread(File, Buffer, sizeof Buffer, static_cast<off_t>(Text.size()));
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return std::nullopt;
    if (N == 0)
      return Text;
    Text.append(Buffer, static_cast<size_t>(N));
  }
}

std::optional<std::string> contentsOf(const std::string &Path) {
  const int File = open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat Status;
  std::optional<std::string> Text;
  if (File >= 0 && fstat(File, &Status) == 0 && S_ISREG(Status.st_mode))
    Text = contentsOf(File);
  if (File >= 0)
    close(File);
  return Text;
}

bool writeAll(int File, const std::string &Text) {
  for (size_t Done = 0; Done < Text.size();) {
    const ssize_t N = write(File, Text.data() + Done, Text.size() - Done);
    if (N < 0 && errno == EINTR)
      continue;
    if (N == 0)
      errno = ENOSPC;
    if (N <= 0)
      return false;
    Done += static_cast<size_t>(N);
  }
  return true;
}

static std::string directoryOf(const std::string &Path) {
  const size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? "." : Slash == 0 ? "/" : Path.substr(0, Slash);
}

void syncDirectoryOf(const std::string &Path) {
  const int Directory = open(directoryOf(Path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Directory < 0)
    return;
  fsync(Directory); // some file systems cannot
  close(Directory);
}

std::string randomName() {
  static constexpr char Letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  unsigned char Bytes[10] = {};
  if (getrandom(Bytes, sizeof Bytes, 0) != sizeof Bytes)
    std::snprintf(reinterpret_cast<char *>(Bytes), sizeof Bytes, "%d", getpid());
  std::string Name;
  for (unsigned char Byte : Bytes)
    Name += Letters[Byte % (sizeof Letters - 1)];
  return Name;
}

std::string followLinks(std::string Path) {
  for (int Links = 0; Links < 40; ++Links) {
    char Target[4096];
    const ssize_t Size = readlink(Path.c_str(), Target, sizeof Target);
    if (Size <= 0 || Size == sizeof Target)
      break;
    const std::string To(Target, static_cast<size_t>(Size));
    Path = To[0] == '/' ? To : directoryOf(Path) + "/" + To;
  }
  return Path;
}

bool exchange(const std::string &A, const std::string &B) {
  return syscall(SYS_renameat2, AT_FDCWD, A.c_str(), AT_FDCWD, B.c_str(), RENAME_EXCHANGE) == 0;
}

/// Access control lists are among them. What a file system does not want is left out.
static void copyAttributes(int From, int To) {
  const ssize_t Size = flistxattr(From, nullptr, 0);
  if (Size <= 0)
    return;
  std::vector<char> Names(static_cast<size_t>(Size)), Value(1 << 16);
  const ssize_t Listed = flistxattr(From, Names.data(), Names.size());
  for (ssize_t At = 0; At < Listed;) {
    const std::string Name = Names.data() + At;
    At += static_cast<ssize_t>(Name.size()) + 1;
    if (const ssize_t Length = fgetxattr(From, Name.c_str(), Value.data(), Value.size()); Length >= 0)
      fsetxattr(To, Name.c_str(), Value.data(), static_cast<size_t>(Length), 0);
  }
}

int makeLike(const std::string &Path, const std::string &Text, int Model, const struct stat &Status) {
  const int File = open(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (File < 0)
    return errno;
  int Error = 0;
  struct stat Own;
  if (!writeAll(File, Text) || fstat(File, &Own) != 0)
    Error = errno;
  else if ((Own.st_uid != Status.st_uid || Own.st_gid != Status.st_gid) &&
           fchown(File, Status.st_uid, Status.st_gid) != 0)
    Error = EPERM;
  else {
    if (Model >= 0)
      copyAttributes(Model, File);
    if (fchmod(File, Status.st_mode & 07777) != 0 || fsync(File) != 0) // chown clears bits
      Error = errno;
  }
  if (close(File) != 0 && !Error)
    Error = errno;
  if (Error)
    unlink(Path.c_str());
  return Error;
}

static bool writeAt(int File, const std::string &Text) {
  return lseek(File, 0, SEEK_SET) == 0 && writeAll(File, Text) && ftruncate(File, static_cast<off_t>(Text.size())) == 0;
}

int overwrite(const std::string &Path, const std::string &Text, const std::string &Old) {
  const int File = open(Path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (File < 0)
    return errno;
  int Error = 0;
  if (Text.size() > Old.size() && fallocate(File, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(Text.size())) != 0 &&
      errno != EOPNOTSUPP && errno != ENOSYS)
    Error = errno; // nothing has happened
  else if (!writeAt(File, Text) || fsync(File) != 0) {
    Error = errno;
    writeAt(File, Old);
    fsync(File);
  }
  close(File);
  return Error;
}

bool isBetween(const std::string &Found, const std::string &Text, const std::string &Old) {
  const size_t Same =
      static_cast<size_t>(std::mismatch(Found.begin(), Found.end(), Text.begin(), Text.end()).first - Found.begin());
  // Written up to here; behind it is the rest of the old text, if that is longer.
  const std::string Rest = Same < Old.size() ? Old.substr(Same) : std::string();
  return Found == Text || Found.substr(Same) == Rest;
}

} // namespace picket
