// Which files are being written, for the run after one that was killed. Journals lie in the user's own directory
// ($XDG_STATE_HOME/picket, or ~/.local/state/picket), where no checked repository can put one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace picket {

struct JournalEntry {
  std::string File;      // absolute, no symbolic link
  std::string Temporary; // the new text, and after the exchange the old one; InPlace: a copy of the old text
  std::string Old, New;  // the texts
  bool InPlace = false;
};

/// A journal that lies on the disk as long as this object lives. Its lock tells others that its writer does.
class FileJournal {
public:
  /// Synced before this returns. Null if there is no place for it: what is written then, is written without.
  static std::optional<FileJournal> begin(const std::vector<JournalEntry> &Entries);
  /// Those that nobody works on any more.
  static std::vector<FileJournal> abandoned();

  FileJournal(FileJournal &&Other) noexcept;
  FileJournal &operator=(FileJournal &&) = delete;
  /// Removes the file.
  ~FileJournal();

  const std::vector<JournalEntry> &entries() const { return Entries; }

private:
  FileJournal() = default;

  std::string Path;
  int Lock = -1;
  std::vector<JournalEntry> Entries;
};

} // namespace picket
