// ProgramIndex: which programs of the workspace use a file. A program is a C file with a `main`; it uses what it includes,
// the files that it is linked with (`with`), and what these include.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace picket {

/// This class is thread-safe. Folders are read on its own thread, which can take seconds; until then it knows what was
/// read before. Files are read again only if their size or time is another one. Of each file it keeps what it names, not
/// its text.
class ProgramIndex {
public:
  struct Limits {
    size_t Files = 20'000;      // read in all; further ones are left out
    size_t FileBytes = 1 << 20; // larger files are no code that people write
    size_t Programs = 8;        // told of one file
    unsigned Depth = 24;        // of folders
  };

  /// `Changed` is called from the index's thread when a reading has changed something.
  explicit ProgramIndex(std::function<void()> Changed, Limits Most);
  explicit ProgramIndex(std::function<void()> Changed) : ProgramIndex(std::move(Changed), Limits()) {}
  ~ProgramIndex();

  /// Reads the folders that are new, and reads the others again.
  void setFolders(std::vector<std::string> Folders);
  /// Files may have come, gone, or changed.
  void refresh();
  /// The text of an open document counts instead of the file.
  void open(const std::string &File, const std::string &Text);
  /// The file counts again.
  void close(const std::string &File);

  struct Users {
    std::vector<std::string> Programs; // the nearest in the tree of folders first
    size_t More = 0;                   // that are left out
    bool IsIncluded = false;           // by some C file
    bool Complete = false;             // all folders were read
  };
  /// The programs that use a file, without the file itself.
  Users usersOf(const std::string &File) const;

  struct Found {
    std::vector<std::string> Programs; // sorted
    bool Limited = false;              // a limit was reached: there may be others
  };
  /// All programs of the folders, as far as they were read.
  Found programs() const;

  size_t numFiles() const;
  /// For tests: waits until nothing is being read.
  void blockUntilRead();

private:
  /// What a file names.
  struct Names {
    bool HasMain = false;
    std::vector<std::string> Includes; // as they are spelled
    std::vector<std::string> With;     // absolute
    bool operator==(const Names &) const = default;
  };
  struct Entry {
    uint64_t Size = 0;
    int64_t Time = 0;
    Names Own;
  };
  /// Files that are used directly, by index into `Paths`.
  struct Graph {
    std::vector<std::string> Paths;
    std::vector<bool> HasMain;
    std::map<std::string, size_t> Number;
    std::vector<std::vector<size_t>> UsedBy;
  };

  static Names namesIn(const std::string &File, const std::string &Text);
  void run();
  /// Without the lock. `Full`: the limit of files was reached.
  std::map<std::string, Entry> readFolders(const std::vector<std::string> &Here,
                                           const std::map<std::string, Entry> &Before, bool &Full) const;
  void readFile(const std::string &Path, const std::map<std::string, Entry> &Before,
                std::map<std::string, Entry> &Now) const;
  const Graph &graph() const;

  const std::function<void()> Changed;
  const Limits Most;

  mutable std::mutex Mutex; // what follows
  std::condition_variable Wanted, Done;
  std::vector<std::string> Folders;
  bool Asked = false, Reading = false, Complete = false, Limited = false;
  std::atomic<bool> Stopping = false;
  std::map<std::string, Entry> Files;
  std::map<std::string, Names> Open;
  mutable std::unique_ptr<Graph> Known; // null: to be made anew

  std::thread Thread; // last: it uses all of the above
};

} // namespace picket
