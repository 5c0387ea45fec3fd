#include "FileWriting.h"

#include "DiskFile.h"
#include "FileJournal.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace picket {

namespace {

std::string quoted(const std::string &File) { return "'" + File + "'"; }

std::string cannotWrite(const std::string &File, int Error) {
  return "cannot write " + quoted(File) + ": " + std::strerror(Error);
}

/// Beside the file, so that it is on the same file system. A name may have 255 bytes.
std::string temporaryFor(const std::string &Path) {
  const size_t Slash = Path.rfind('/');
  const size_t Begin = Slash == std::string::npos ? 0 : Slash + 1;
  return Path.substr(0, Begin) + "." + Path.substr(Begin, 200) + ".picket-" + randomName();
}

/// What is meant by these is an open file and not its name.
bool isOpenFile(const std::string &File) {
  for (const char *Prefix : {"/dev/fd/", "/dev/std", "/proc/"})
    if (File.compare(0, std::strlen(Prefix), Prefix) == 0)
      return true;
  return false;
}

/// A pipe, a terminal, /dev/null: there is nothing that could be replaced.
std::string writeThrough(const std::string &File, const std::string &Text) {
  const int Open = open(File.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (Open < 0)
    return cannotWrite(File, errno);
  const int Error = writeAll(Open, Text) ? 0 : errno;
  return close(Open) != 0 || Error ? cannotWrite(File, Error ? Error : errno) : "";
}

/// One file on its way from the old text to the new one.
class Replacement {
public:
  explicit Replacement(const FileChange &Change) : Change(Change) {}
  Replacement(const Replacement &) = delete;
  Replacement &operator=(const Replacement &) = delete;
  ~Replacement() {
    if (Model >= 0)
      close(Model);
  }

  /// Looks at the file; nothing is written yet. A sentence if it cannot or must not be written.
  std::string look() {
    Path = followLinks(Change.File);
    if (char *Absolute = realpath(Path.c_str(), nullptr)) {
      Path = Absolute;
      std::free(Absolute);
    }
    if (isOpenFile(Change.File) && !Change.Expected) {
      Through = true;
      return "";
    }
    Model = open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (Model < 0)
      return lookAtUnreadable(errno);
    if (fstat(Model, &Status) != 0)
      return cannotWrite(Change.File, errno);
    Through = !S_ISREG(Status.st_mode) && !S_ISDIR(Status.st_mode) && !Change.Expected;
    if (Through)
      return "";
    if (!S_ISREG(Status.st_mode))
      return cannotWrite(Change.File, S_ISDIR(Status.st_mode) ? EISDIR : EINVAL);
    if (faccessat(AT_FDCWD, Path.c_str(), W_OK, AT_EACCESS) != 0)
      return cannotWrite(Change.File, errno);
    std::optional<std::string> Found = Change.Expected || Status.st_nlink > 1 ? contentsOf(Model) : std::nullopt;
    if (Change.Expected && Found != Change.Expected)
      return wasChanged();
    Exists = true;
    InPlace = Status.st_nlink > 1;
    if (Found)
      Old = std::move(*Found);
    return "";
  }

  void name() { Temporary = temporaryFor(Path); }
  bool isThrough() const { return Through; }
  bool needsJournal() const { return !Through && (Change.Expected || InPlace); }
  JournalEntry entry() const { return {Path, Temporary, Old, Change.Text, InPlace}; }

  /// Makes the temporary file: the new text, or a copy of the old one if the file has to be overwritten where it is.
  std::string prepare() {
    struct stat Like = Status;
    if (!Exists) {
      const mode_t Mask = umask(0);
      umask(Mask);
      Like.st_mode = 0666 & ~Mask;
      Like.st_uid = geteuid();
      Like.st_gid = getegid();
    }
    int Error = makeLike(Temporary, InPlace ? Old : Change.Text, Model, Like);
    if (Error == EPERM && Exists && !InPlace) { // somebody else's, and to stay theirs
      std::optional<std::string> Found = contentsOf(Model);
      if (!Found)
        return cannotWrite(Change.File, EIO);
      Old = std::move(*Found);
      InPlace = BecameInPlace = true;
      struct stat Ours = Status;
      Ours.st_uid = geteuid();
      Ours.st_gid = getegid();
      Error = makeLike(Temporary, Old, -1, Ours);
    }
    Prepared = Error == 0;
    return Error ? cannotWrite(Change.File, Error) : "";
  }
  bool becameInPlace() const { return BecameInPlace; }

  /// The step that counts. A file that somebody has replaced meanwhile comes back.
  std::string commit() {
    if (InPlace) {
      if (Change.Expected && contentsOf(Path) != Change.Expected)
        return wasChanged();
      const int Error = overwrite(Path, Change.Text, Old);
      Committed = Error == 0;
      return Error ? cannotWrite(Change.File, Error) : "";
    }
    if (!Exists)
      return renameOver();
    if (!exchange(Temporary, Path)) {
      if (Change.Expected && (errno == ENOENT || contentsOf(Path) != Change.Expected))
        return wasChanged();
      return renameOver(); // this file system cannot exchange
    }
    Committed = Exchanged = true;
    return !Change.Expected || contentsOf(Temporary) == Change.Expected ? "" : wasChanged();
  }

  /// Undoes the above.
  void rollBack() {
    if (Committed && Exchanged)
      exchange(Temporary, Path);
    else if (Committed && InPlace)
      overwrite(Path, Old, Change.Text);
    else if (Committed && !Exists)
      unlink(Path.c_str());
    else if (Committed && Change.Expected) { // there was no way to exchange
      const std::string Again = temporaryFor(Path);
      if (makeLike(Again, Old, Model, Status) == 0)
        rename(Again.c_str(), Path.c_str());
    }
    Committed = false;
    syncDirectoryOf(Path);
  }

  void sync() const { syncDirectoryOf(Path); }
  void removeTemporary() {
    if (Prepared && !Temporary.empty())
      unlink(Temporary.c_str());
  }

  std::string passThrough() const { return writeThrough(Change.File, Change.Text); }

private:
  std::string wasChanged() const { return quoted(Change.File) + " was changed during the check and is left as it is"; }

  std::string lookAtUnreadable(int Error) {
    if (Change.Expected)
      return Error == ENOENT ? wasChanged() : cannotWrite(Change.File, Error);
    if (Error == ENOENT)
      return ""; // it is made
    if (stat(Path.c_str(), &Status) == 0 && !S_ISDIR(Status.st_mode) && access(Path.c_str(), W_OK) == 0) {
      Through = true; // may be written but not read
      return "";
    }
    return cannotWrite(Change.File, Error);
  }

  std::string renameOver() {
    if (rename(Temporary.c_str(), Path.c_str()) != 0)
      return cannotWrite(Change.File, errno);
    Committed = true;
    return "";
  }

  const FileChange &Change;
  std::string Path, Temporary, Old;
  struct stat Status = {};
  int Model = -1; // the file as it was found
  bool Exists = false, Through = false, InPlace = false, BecameInPlace = false;
  bool Prepared = false, Committed = false, Exchanged = false;
};

/// Everything up to the first step that changes something.
std::string prepareAll(std::vector<std::unique_ptr<Replacement>> &All, std::optional<FileJournal> &Journal) {
  for (auto &R : All)
    if (std::string Problem = R->look(); !Problem.empty())
      return Problem;
  std::vector<JournalEntry> Entries;
  for (auto &R : All)
    if (!R->isThrough()) {
      R->name();
      if (R->needsJournal())
        Entries.push_back(R->entry());
    }
  if (std::optional<FileJournal> Begun = Entries.empty() ? std::nullopt : FileJournal::begin(Entries))
    Journal.emplace(std::move(*Begun));
  bool Other = false;
  for (auto &R : All)
    if (!R->isThrough()) {
      if (std::string Problem = R->prepare(); !Problem.empty())
        return Problem;
      Other |= R->becameInPlace();
    }
  if (Other) { // known only by now
    Entries.clear();
    for (auto &R : All)
      if (R->needsJournal())
        Entries.push_back(R->entry());
    std::optional<FileJournal> Again = FileJournal::begin(Entries);
    Journal.reset();
    if (Again)
      Journal.emplace(std::move(*Again));
  }
  return "";
}

} // namespace

std::string writeFiles(const std::vector<FileChange> &Changes) {
  std::vector<std::unique_ptr<Replacement>> All;
  for (const FileChange &Change : Changes)
    All.push_back(std::make_unique<Replacement>(Change));
  std::optional<FileJournal> Journal;
  std::string Problem = prepareAll(All, Journal);
  for (size_t K = 0; Problem.empty() && K < All.size(); ++K)
    if (!All[K]->isThrough() && !(Problem = All[K]->commit()).empty())
      for (size_t Undone = K + 1; Undone-- > 0;)
        All[Undone]->rollBack();
  if (Problem.empty())
    for (auto &R : All)
      if (!R->isThrough())
        R->sync();
  for (auto &R : All)
    R->removeTemporary();
  for (auto &R : All)
    if (Problem.empty() && R->isThrough())
      Problem = R->passThrough();
  return Problem;
}

/// For a file system that cannot exchange: the old text is in the journal only.
static bool writeAgain(const JournalEntry &E) {
  const int Model = open(E.File.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  struct stat Status;
  const std::string Again = temporaryFor(E.File);
  const bool Done = Model >= 0 && fstat(Model, &Status) == 0 && makeLike(Again, E.Old, Model, Status) == 0 &&
                    rename(Again.c_str(), E.File.c_str()) == 0;
  if (Model >= 0)
    close(Model);
  return Done;
}

/// True: the file holds what it held before.
static bool putBack(const JournalEntry &E) {
  const std::optional<std::string> Now = contentsOf(E.File);
  if (Now == E.Old)
    return true;
  if (!Now || (!E.InPlace && Now != E.New))
    return false;
  if (E.InPlace)
    return isBetween(*Now, E.New, E.Old) && overwrite(E.File, E.Old, *Now) == 0;
  const std::optional<std::string> Before = contentsOf(E.Temporary);
  return Before && Before != E.New ? exchange(E.Temporary, E.File) : writeAgain(E);
}

/// Whether nothing was left to do but to remove what is not needed any more.
static bool isFinished(const JournalEntry &E) {
  const std::optional<std::string> Before = contentsOf(E.Temporary);
  return contentsOf(E.File) == E.New && (!Before || Before == E.Old);
}

/// Only if it is one of the texts, or the beginning of one.
static void removeTemporaryOf(const JournalEntry &E) {
  const std::optional<std::string> Left = contentsOf(E.Temporary);
  if (Left && (E.New.starts_with(*Left) || E.Old.starts_with(*Left)))
    unlink(E.Temporary.c_str());
}

std::vector<std::string> recoverFiles() {
  std::vector<std::string> Told;
  for (const FileJournal &Journal : FileJournal::abandoned()) {
    const auto &Entries = Journal.entries();
    const bool Finished = std::all_of(Entries.begin(), Entries.end(), isFinished);
    for (const JournalEntry &E : Entries) {
      if (const bool WasOld = contentsOf(E.File) == E.Old; !Finished && !putBack(E)) {
        Told.push_back("writing " + quoted(E.File) + " was interrupted, and it was changed since: it is left as it is");
        if (contentsOf(E.Temporary) == E.Old) {
          Told.back() += "; the text before is in " + quoted(E.Temporary);
          continue;
        }
      } else if (!Finished && !WasOld)
        Told.push_back("writing " + quoted(E.File) + " was interrupted: its old text is back");
      removeTemporaryOf(E);
      syncDirectoryOf(E.File);
    }
  }
  return Told;
}

} // namespace picket
