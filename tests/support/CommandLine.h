// A test fixture that runs the `picket` program in its own temporary directory.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>

namespace picket::testing {

struct Outcome {
  int ExitCode = -1;
  std::string Output; // stdout and stderr, in the order written
};

inline bool contains(const std::string &Text, const std::string &Part) { return Text.find(Part) != std::string::npos; }

class CommandLineTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string Name = (std::filesystem::temp_directory_path() / "picket-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(Name.data()), nullptr);
    Root = Name;
  }
  void TearDown() override { std::filesystem::remove_all(Root); }

  void write(const std::string &Name, const std::string &Text) { std::ofstream(Root / Name) << Text; }

  Outcome run(const std::string &Arguments, const char *Redirection = "2>&1") {
    std::string Command = "cd " + Root.string() + " && " PICKET_EXECUTABLE " " + Arguments + " " + Redirection;
    Outcome Result;
    FILE *Pipe = popen(Command.c_str(), "r");
    if (!Pipe)
      return Result;
    char Buffer[4096];
    while (size_t Size = fread(Buffer, 1, sizeof Buffer, Pipe))
      Result.Output.append(Buffer, Size);
    int Status = pclose(Pipe);
    Result.ExitCode = WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
    return Result;
  }

  std::filesystem::path Root;
};

} // namespace picket::testing
