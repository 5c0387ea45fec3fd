// The server's own directory: pages it shows, logs of its workers. It is removed when the server ends; if it is killed,
// by the next one that starts. A lock on a file in it tells whether its server is alive.
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace picket {

class ServerFiles {
public:
  /// Makes a new directory that only this user can read, and removes those of servers that are no more.
  ServerFiles();
  ~ServerFiles();
  ServerFiles(const ServerFiles &) = delete;
  ServerFiles &operator=(const ServerFiles &) = delete;

  /// Empty if none could be made.
  const std::string &directory() const { return Directory; }
  /// Writes a page and returns its path; empty if that fails. A page of the same name is replaced.
  std::string writePage(const std::string &Name, const std::string &Html) const;
  /// Leaves a file where it is: a person was told of it.
  void keep(const std::string &File);
  /// Removes what need not be kept. The destructor does it too.
  void remove();

private:
  bool makeDirectory(const std::string &Base);

  std::string Directory;
  int Lock = -1; // held as long as the process lives
  std::mutex Mutex;
  std::set<std::string> Kept;
};

} // namespace picket
