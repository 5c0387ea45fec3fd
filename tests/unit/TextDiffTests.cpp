// Differences that `patch` can apply.
#include "fences/TextDiff.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace picket {
namespace {

namespace fs = std::filesystem;

class TextDiff : public ::testing::Test {
protected:
  void SetUp() override {
    std::string Name = (fs::temp_directory_path() / "picket-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(Name.data()), nullptr);
    Root = Name;
    HasPatch = std::system("patch --version > /dev/null 2>&1") == 0;
  }
  void TearDown() override { fs::remove_all(Root); }

  /// What a tool makes of the old text with the difference, which has to be the new text.
  void expectApplies(const std::string &Before, const std::string &After, const std::string &Name = "dir/file.c") {
    std::vector<std::string> Tools = {"git apply"};
    if (HasPatch)
      Tools.push_back("patch -s -p1 <");
    for (const std::string &Tool : Tools) {
      fs::create_directories((Root / Name).parent_path());
      std::ofstream(Root / Name, std::ios::binary) << Before;
      std::ofstream(Root / "diff", std::ios::binary) << unifiedDiff(Name, Before, After);
      // Outside of any repository, git takes the names as they are.
      const std::string Command = "cd " + Root.string() + " && GIT_CEILING_DIRECTORIES=/ " + Tool + " diff 2>&1";
      EXPECT_EQ(std::system(Command.c_str()), 0) << Tool << "\n" << unifiedDiff(Name, Before, After);
      std::stringstream Result;
      Result << std::ifstream(Root / Name, std::ios::binary).rdbuf();
      EXPECT_EQ(Result.str(), After) << Tool;
    }
  }

  fs::path Root;
  bool HasPatch = false;
};

TEST_F(TextDiff, ThreeLinesOfContext) {
  EXPECT_EQ(unifiedDiff("a.c", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nnew\n5\n6\n7\n8\n9\n"),
            "--- a/a.c\n+++ b/a.c\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n");
  EXPECT_EQ(unifiedDiff("a.c", "same\n", "same\n"), "");
}

TEST_F(TextDiff, NearChangesShareAHunkAndFarOnesDoNot) {
  const std::string Text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";
  std::string Near = Text, Far = Text;
  Near.replace(Near.find("5\n"), 2, "five\n").replace(Near.find("9\n"), 2, "nine\n");
  Far.replace(Far.find("3\n"), 2, "").replace(Far.find("18\n"), 3, "18\nnew\n");
  auto Hunks = [&](const std::string &After) {
    std::string Diff = unifiedDiff("a.c", Text, After);
    long Count = 0;
    for (size_t At = 0; (At = Diff.find("@@ -", At)) != std::string::npos; ++At)
      ++Count;
    return Count;
  };
  EXPECT_EQ(Hunks(Near), 1);
  EXPECT_EQ(Hunks(Far), 2);
  expectApplies(Text, Near);
  expectApplies(Text, Far);
}

TEST_F(TextDiff, EndsOfFiles) {
  expectApplies("one\ntwo", "one\ntwo\n");
  expectApplies("one\ntwo\n", "one\ntwo");
  expectApplies("one\ntwo", "zero\none\ntwo");
  expectApplies("one\n", "one\ntwo\n");
  expectApplies("a\r\nb\r\n", "a\r\nfence\r\nb\r\n");
}

TEST_F(TextDiff, NamesWithBlanks) { expectApplies("one\n", "two\n", "my dir/my file.c"); }

TEST_F(TextDiff, RandomEditsOfRandomTexts) {
  std::mt19937 Random(7);
  for (int Round = 0; Round < 12; ++Round) {
    std::string Before, After;
    for (int Line = 0; Line < 60; ++Line) {
      std::string Text = std::string(1, static_cast<char>('a' + Random() % 5)) + "\n";
      Before += Text;
      unsigned What = Random() % 8;
      if (What != 0)
        After += Text;
      if (What == 1)
        After += "new\n";
    }
    expectApplies(Before, After);
  }
}

TEST_F(TextDiff, EditsInAnyOrder) {
  EXPECT_EQ(applyEdits("abcdef", {{"", 4, 5, ""}, {"", 1, 1, "1"}, {"", 1, 1, "2"}, {"", 1, 2, "B"}, {"", 6, 6, "!"}}),
            "a12Bcdf!");
}

} // namespace
} // namespace picket
