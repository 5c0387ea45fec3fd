// Child processes and the ends of pipes to them: what POSIX makes long-winded.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>

namespace picket {

/// A file descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int Number = -1) : Number(Number) {}
  Descriptor(Descriptor &&Other) noexcept : Number(Other.release()) {}
  Descriptor &operator=(Descriptor &&Other) noexcept {
    reset(Other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  bool isOpen() const { return Number >= 0; }
  int get() const { return Number; }
  /// The caller closes it.
  int release();
  void reset(int Other = -1);

private:
  int Number;
};

/// Closed in programs that are started. False: errno says why.
bool makePipe(Descriptor &Read, Descriptor &Write);

/// Also if signals interrupt it. False: errno says why.
bool writeAll(int File, std::string_view Text);

/// A program to be started. No signal is blocked in it, and SIGPIPE is not ignored.
struct ChildProgram {
  std::string Program;   // its file
  std::string Argument;  // its only one
  int In, Out, Err;      // its standard files
  std::string Directory; // its working directory; empty: that of this process
  bool OwnGroup = false; // keys that interrupt this process do not interrupt it
};
/// Returns 0, or an errno. The caller waits for the child.
int spawn(const ChildProgram &What, pid_t &Child);

/// Waits for a child, also if signals interrupt that; its status as of waitpid(). -1: there is no such child.
int waitForEnd(pid_t Child);

} // namespace picket
