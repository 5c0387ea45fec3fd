#include "InputFile.h"

#include "base/ChildProcess.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace picket {

namespace {

using Clock = std::chrono::steady_clock;

/// Waits until something can be read. False: not in time.
bool waitFor(int Number, const std::optional<Clock::time_point> &Deadline) {
  for (;;) {
    int Milliseconds = -1;
    if (Deadline) {
      const auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(*Deadline - Clock::now()).count();
      if (Left <= 0)
        return false;
      Milliseconds = static_cast<int>(std::min<long long>(Left, 1'000'000));
    }
    pollfd Wanted{Number, POLLIN, 0};
    const int Ready = poll(&Wanted, 1, Milliseconds);
    if (Ready > 0 || (Ready < 0 && errno != EINTR)) // read says what is wrong
      return true;
  }
}

} // namespace

std::optional<std::string> readInput(const std::string &File, size_t MostBytes, double Seconds, std::string &Error) {
  auto Fail = [&](const std::string &Why) {
    Error = "the file cannot be read: " + Why;
    return std::nullopt;
  };
  std::optional<Clock::time_point> Deadline;
  if (Seconds > 0)
    Deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(Seconds));
  // Opening a pipe must not wait for a writer; where there has been none, poll does.
  const Descriptor Opened(open(File.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat Status;
  if (!Opened.isOpen() || fstat(Opened.get(), &Status) != 0)
    return Fail(std::strerror(errno));
  if (S_ISDIR(Status.st_mode))
    return Fail(std::strerror(EISDIR));
  const bool Waits = !S_ISREG(Status.st_mode);
  std::string Text;
  char Piece[65'536];
  for (;;) {
    if (Waits && !waitFor(Opened.get(), Deadline))
      return Fail("the time limit was reached");
    const ssize_t Read = read(Opened.get(), Piece, sizeof Piece);
    if (Read == 0)
      return Text;
    if (Read < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (Read < 0)
      return Fail(std::strerror(errno));
    if (Text.size() + static_cast<size_t>(Read) > MostBytes)
      return Fail("it has more than " + std::to_string(MostBytes >> 20) + " MiB");
    Text.append(Piece, static_cast<size_t>(Read));
  }
}

} // namespace picket
