// The index of a workspace: which programs use a file, by what is included and linked; how files come, change and go.
#include "programs/ProgramIndex.h"
#include "support/CommandLine.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sys/stat.h>

namespace picket {
namespace {

namespace fs = std::filesystem;

class ProgramIndexTest : public testing::CommandLineTest {
protected:
  void file(const std::string &Name, const std::string &Text) {
    fs::create_directories((Root / Name).parent_path());
    write(Name, Text);
  }
  /// The names of programs, without the folder.
  std::vector<std::string> usersOf(const std::string &Name) const {
    std::vector<std::string> Names;
    for (const std::string &Program : Index->usersOf((Root / Name).string()).Programs)
      Names.push_back(fs::path(Program).lexically_relative(Root).string());
    return Names;
  }
  void read() {
    if (!Index)
      Index = std::make_unique<ProgramIndex>([this] { ++News; }, Limits);
    Index->setFolders({Root.string()});
    Index->blockUntilRead();
  }
  void readAgain() {
    Index->refresh();
    Index->blockUntilRead();
  }

  using Names = std::vector<std::string>;
  ProgramIndex::Limits Limits;
  std::atomic<unsigned> News = 0;
  std::unique_ptr<ProgramIndex> Index; // the last
};

const std::string Main = "int main(void) { return 0; }\n";

TEST_F(ProgramIndexTest, ProgramsUseWhatTheyIncludeAndAreLinkedWith) {
  file("src/queue.h", "#pragma once\n");
  file("src/list.h", "#  include \"queue.h\"\n");
  file("src/queue.c", "#include \"queue.h\"\n#include \"detail/node.h\"\n");
  file("src/detail/node.h", "\n");
  file("tests/test_queue.c", "// picket: with=../src/queue.c\n#include <queue.h>\n" + Main);
  file("tests/test_list.c", "#include \"../src/list.h\"\n" + Main);
  file("tests/helper.c", "#include \"../src/queue.h\"\nvoid help(void) {}\n");
  file("tests/alone.c", "#include <stdio.h>\n" + Main);
  read();
  EXPECT_EQ(usersOf("src/queue.h"), (Names{"tests/test_list.c", "tests/test_queue.c"}));
  EXPECT_EQ(usersOf("src/list.h"), Names{"tests/test_list.c"});
  EXPECT_EQ(usersOf("src/queue.c"), Names{"tests/test_queue.c"});
  EXPECT_EQ(usersOf("src/detail/node.h"), Names{"tests/test_queue.c"}) << "of a file that is linked";
  EXPECT_EQ(usersOf("tests/helper.c"), Names());
  EXPECT_EQ(usersOf("tests/alone.c"), Names());
  EXPECT_EQ(usersOf("none.h"), Names());
  EXPECT_EQ(Index->numFiles(), 8u);
  EXPECT_EQ(News, 1u);
}

TEST_F(ProgramIndexTest, AllProgramsAreListed) {
  file("b/main.c", Main);
  file("a.c", Main);
  file("queue.c", "int f(void);\n");
  file("main.h", Main);
  file("build/generated.c", Main);
  read();
  const ProgramIndex::Found Found = Index->programs();
  EXPECT_EQ((std::vector<std::string>{(Root / "a.c").string(), (Root / "b/main.c").string()}), Found.Programs);
  EXPECT_FALSE(Found.Limited);
}

TEST_F(ProgramIndexTest, ALimitOfFilesIsTold) {
  file("a.c", Main);
  file("b.c", Main);
  file("c.c", Main);
  Limits.Files = 2;
  read();
  EXPECT_EQ(2u, Index->programs().Programs.size());
  EXPECT_TRUE(Index->programs().Limited);
}

TEST_F(ProgramIndexTest, TheProjectsSettingsLinkPrograms) {
  file("src/pool.c", "\n");
  file("tests/test_pool.c", Main);
  file("tests/other.c", Main);
  file(".picket.toml", "[program]\n\"test_*.c\" = [\"src/pool.c\"]\n");
  read();
  EXPECT_EQ(usersOf("src/pool.c"), Names{"tests/test_pool.c"});
  write(".picket.toml", "[program]\nwith = [\"src/pool.c\"]\n");
  readAgain();
  EXPECT_EQ(usersOf("src/pool.c"), (Names{"tests/other.c", "tests/test_pool.c"}));
}

TEST_F(ProgramIndexTest, FilesComeChangeAndGo) {
  file("queue.h", "\n");
  file("test.c", "#include \"queue.h\"\n" + Main);
  read();
  EXPECT_EQ(usersOf("queue.h"), Names{"test.c"});
  readAgain();
  EXPECT_EQ(News, 1u) << "nothing has changed";
  file("test2.c", "#include \"queue.h\"\n" + Main);
  readAgain();
  EXPECT_EQ(usersOf("queue.h"), (Names{"test.c", "test2.c"}));
  fs::rename(Root / "test.c", Root / "renamed.c");
  readAgain();
  EXPECT_EQ(usersOf("queue.h"), (Names{"renamed.c", "test2.c"}));
  write("renamed.c", "/* nothing is included any more */" + Main);
  fs::remove(Root / "test2.c");
  readAgain();
  EXPECT_EQ(usersOf("queue.h"), Names());
  EXPECT_EQ(News, 4u);
}

TEST_F(ProgramIndexTest, TextsThatAreOpenCountAsTheyAre) {
  file("queue.h", "\n");
  file("test.c", Main);
  read();
  const std::string Test = (Root / "test.c").string(), New = (Root / "new.c").string();
  Index->open(Test, "#include \"queue.h\"\n" + Main);
  Index->open(New, "#include \"queue.h\"\n" + Main);
  EXPECT_EQ(usersOf("queue.h"), (Names{"new.c", "test.c"}));
  Index->open(New, "#include \"queue.h\"\nvoid helper(void) {}\n");
  EXPECT_EQ(usersOf("queue.h"), Names{"test.c"});
  Index->close(Test);
  Index->close(New);
  EXPECT_EQ(usersOf("queue.h"), Names());
}

TEST_F(ProgramIndexTest, BuildFoldersAndOthersAreLeftOut) {
  file("queue.h", "\n");
  for (const char *Folder : {"build", "build-dev", "out", ".git", "node_modules", "cmake-build-debug", "made"})
    file(Folder + std::string("/test.c"), "#include \"queue.h\"\n" + Main);
  file("made/CMakeCache.txt", "");
  fs::create_symlink(Root, Root / "circle");
  ASSERT_EQ(mkfifo((Root / "pipe.c").c_str(), 0600), 0);
  file("huge.c", std::string(Limits.FileBytes + 1, ' ') + "#include \"queue.h\"\n" + Main);
  read();
  EXPECT_EQ(usersOf("queue.h"), Names());
  EXPECT_EQ(Index->numFiles(), 1u);
  EXPECT_TRUE(Index->usersOf((Root / "queue.h").string()).Complete);
}

TEST_F(ProgramIndexTest, TheNearestProgramsAreTold) {
  Limits.Programs = 2;
  file("a/lib/queue.h", "\n");
  for (const char *Name : {"a/lib/test1.c", "a/test2.c", "b/test3.c", "test4.c"})
    file(Name, "#include \"lib/queue.h\"\n" + Main);
  read();
  EXPECT_EQ(usersOf("a/lib/queue.h"), (Names{"a/lib/test1.c", "a/test2.c"}));
  EXPECT_EQ(Index->usersOf((Root / "a/lib/queue.h").string()).More, 2u);
}

TEST_F(ProgramIndexTest, EndsInTheMiddleOfAReading) {
  for (unsigned K = 0; K < 300; ++K)
    file("f" + std::to_string(K) + ".c", Main);
  for (unsigned Round = 0; Round < 20; ++Round) {
    ProgramIndex Short([] {});
    Short.setFolders({Root.string()});
  }
}

TEST_F(ProgramIndexTest, FiveThousandFilesTakeSeconds) {
  const std::string Text = [] {
    std::string Body;
    for (unsigned K = 0; K < 200; ++K)
      Body += "static int f" + std::to_string(K) + "(int n) { return n + " + std::to_string(K) + "; } // some text\n";
    return Body;
  }();
  for (unsigned K = 0; K < 5000; ++K) {
    const std::string Number = std::to_string(K), Folder = "d" + std::to_string(K % 50) + "/";
    file(Folder + (K % 2 ? "h" + Number + ".h" : "t" + Number + ".c"),
         "#include <stdio.h>\n#include \"h" + std::to_string(K | 1) + ".h\"\n#include \"d1/h1.h\"\n" + Text +
             (K % 2 ? "" : Main));
  }
  const auto Start = std::chrono::steady_clock::now();
  read();
  EXPECT_EQ(Index->usersOf((Root / "d1/h1.h").string()).More + Limits.Programs, 2500u);
  const double First = std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count();
  EXPECT_EQ(Index->numFiles(), 5000u);
  EXPECT_LT(First, 10) << "seconds";
  RecordProperty("seconds", std::to_string(First));
}

} // namespace
} // namespace picket
