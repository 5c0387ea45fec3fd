// The sandbox, tried from inside: what has to be refused is, and what Picket needs goes on working.
#include "Sandbox.h"
#include "SandboxProbe.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace picket {
namespace {

/// What a confined copy of this process writes.
std::string confined(const std::function<std::string(const SandboxState &)> &Work) {
  int Ends[2];
  if (pipe(Ends) != 0)
    return "";
  const pid_t Child = fork();
  if (Child == 0) {
    close(Ends[0]);
    const std::string Said = Work(enterSandbox(Ends[1]));
    for (size_t Done = 0; Done < Said.size();) {
      const ssize_t N = write(Ends[1], Said.data() + Done, Said.size() - Done);
      if (N <= 0)
        break;
      Done += static_cast<size_t>(N);
    }
    _exit(0);
  }
  close(Ends[1]);
  std::string Text;
  char Buffer[4096];
  for (ssize_t N; (N = read(Ends[0], Buffer, sizeof Buffer)) > 0;)
    Text.append(Buffer, static_cast<size_t>(N));
  close(Ends[0]);
  int Status = 0;
  waitpid(Child, &Status, 0);
  EXPECT_TRUE(WIFEXITED(Status)) << "signal " << WTERMSIG(Status);
  return Text;
}

class Sandbox : public ::testing::Test {
protected:
  Sandbox() {
    std::string Pattern = ::testing::TempDir() + "/picket-sandbox-XXXXXX";
    Directory = mkdtemp(Pattern.data());
    std::ofstream(Directory + "/victim") << "text\n";
  }
  ~Sandbox() override { fs::remove_all(Directory); }
  std::string Directory;
};

TEST_F(Sandbox, RefusesEveryEscapeThatIsTried) {
  const SandboxState Support = sandboxSupport();
  std::cout << "this kernel: " << Support.text() << '\n';
  if (!Support.Seccomp)
    GTEST_SKIP() << "this kernel has no filter of system calls";
  const pid_t Outside = getpid();
  const std::string Found = confined([&](const SandboxState &Active) {
    std::string Lines = Active.text() + "\n";
    for (const EscapeAttempt &A : tryToEscape(Directory, Outside))
      Lines += A.Name + ": " + nameOf(A.Found) + "\n";
    return Lines;
  });
  std::istringstream Lines(Found);
  std::string Line;
  std::getline(Lines, Line);
  EXPECT_EQ(Line, Support.text());
  unsigned Tried = 0;
  while (std::getline(Lines, Line)) {
    std::cout << Line << '\n';
    ++Tried;
    // Other processes' files are Landlock's business.
    if (Support.Landlock == 0 && Line.find(" of a process") != std::string::npos)
      continue;
    EXPECT_EQ(Line.find(": possible"), std::string::npos) << Line;
  }
  EXPECT_GT(Tried, 50u);
  std::ifstream Victim(Directory + "/victim");
  std::string Text;
  std::getline(Victim, Text);
  EXPECT_EQ(Text, "text");
  EXPECT_EQ(std::distance(fs::directory_iterator(Directory), fs::directory_iterator()), 1);
}

/// The attempts are real ones: without the sandbox most of them succeed.
TEST_F(Sandbox, IsWhatRefusesThem) {
  const pid_t Child = fork();
  if (Child == 0) {
    unsigned Possible = 0;
    for (const EscapeAttempt &A : tryToEscape(Directory, getppid()))
      Possible += A.Found == EscapeAttempt::Possible;
    _exit(Possible > 25 ? 0 : 1);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  EXPECT_EQ(Status, 0);
}

TEST_F(Sandbox, LetsReadingThreadsCopiesAndMemoryWork) {
  const std::string Found = confined([&](const SandboxState &) {
    std::string Lines;
    for (const EscapeAttempt &A : tryToWork(Directory))
      Lines += A.Name + ": " + nameOf(A.Found) + "\n";
    return Lines;
  });
  EXPECT_EQ(Found,
            "read a file: possible\nstart a thread: possible\ncopy the process: possible\ntake memory: possible\n");
}

TEST_F(Sandbox, ClosesWhatOthersLeftOpenForWriting) {
  const int Writable = open((Directory + "/victim").c_str(), O_RDWR);
  const int Readable = open((Directory + "/victim").c_str(), O_RDONLY);
  const std::string Found = confined([&](const SandboxState &) {
    char Byte = 0;
    return std::string(write(Writable, "x", 1) == 1 ? "written " : "closed ") +
           (read(Readable, &Byte, 1) == 1 ? "read" : "lost");
  });
  EXPECT_EQ(Found, "closed read");
  close(Writable);
  close(Readable);
}

} // namespace
} // namespace picket
