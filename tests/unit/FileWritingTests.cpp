// Files that Picket writes: the old text or the new one, whatever happens. The process is killed at each of its system
// calls.
#include "DiskFile.h"
#include "FileWriting.h"
#include "support/SystemCalls.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/xattr.h>

namespace fs = std::filesystem;

namespace picket {
namespace {

using testing::Reached;

const std::string Old = "int x;\n" + std::string(3000, 'o') + "\n",
                  New = "int y; int z;\n" + std::string(2000, 'n') + "\n", Longer = std::string(9000, 'l');

class FilesPicketWrites : public ::testing::Test {
protected:
  FilesPicketWrites() {
    std::string Pattern = ::testing::TempDir() + "/picket-files-XXXXXX";
    Directory = fs::canonical(mkdtemp(Pattern.data()));
    setenv("XDG_STATE_HOME", (Directory / "state").c_str(), 1);
    fs::create_directories(Directory / "one");
    fs::create_directories(Directory / "two");
  }
  ~FilesPicketWrites() override {
    unsetenv("XDG_STATE_HOME");
    fs::remove_all(Directory);
  }

  std::string path(const std::string &Name) const { return (Directory / Name).string(); }
  void put(const std::string &Name, const std::string &Text) const {
    std::ofstream(path(Name), std::ios::binary) << Text;
  }
  std::string get(const std::string &Name) const {
    std::ifstream In(path(Name), std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  /// Everything but the files that a test knows.
  std::vector<std::string> leftOver(const std::vector<std::string> &Known) const {
    std::vector<std::string> Found;
    for (const fs::directory_entry &E : fs::recursive_directory_iterator(Directory))
      if (const std::string Name = E.path().lexically_relative(Directory);
          !E.is_directory() && std::find(Known.begin(), Known.end(), Name) == Known.end())
        Found.push_back(Name);
    return Found;
  }

  /// Kills a run that writes at each of its system calls. `Whole` is asked right after, `Recovered` after the next run
  /// of Picket.
  void killEverywhere(const std::function<void()> &Prepare, const std::vector<FileChange> &Changes,
                      const std::function<void(unsigned)> &Whole, const std::function<void(unsigned)> &Recovered) {
    for (unsigned Stop = 1;; ++Stop) {
      Prepare();
      const Reached How = testing::killAtSystemCall(Stop, [&] { writeFiles(Changes); });
      if (How == Reached::Untraceable)
        GTEST_SKIP() << "processes cannot be traced here";
      Whole(Stop);
      recoverFiles();
      Recovered(Stop);
      if (HasFailure() || How == Reached::End) {
        EXPECT_GT(Stop, 30u);
        std::cout << Stop << " places to be killed at\n";
        return;
      }
    }
  }

  fs::path Directory;
};

TEST_F(FilesPicketWrites, AreWholeIfItIsKilledAtAnySystemCall) {
  unsigned Changed = 0;
  killEverywhere([&] { put("one/a.c", Old); }, {{path("one/a.c"), New, Old}},
                 [&](unsigned Stop) {
                   const std::string Now = get("one/a.c");
                   EXPECT_TRUE(Now == Old || Now == New) << "at " << Stop << ": " << Now.size() << " bytes";
                 },
                 [&](unsigned Stop) {
                   const std::string Now = get("one/a.c");
                   EXPECT_TRUE(Now == Old || Now == New) << "at " << Stop;
                   EXPECT_EQ(leftOver({"one/a.c"}), std::vector<std::string>()) << "at " << Stop;
                   Changed += Now == New;
                 });
  EXPECT_GT(Changed, 0u);
}

TEST_F(FilesPicketWrites, OfSeveralAreAllWrittenOrNoneOnceTheNextRunHasLooked) {
  killEverywhere([&] { put("one/a.c", Old), put("two/b.h", Longer), put("two/c.h", Old); },
                 {{path("one/a.c"), New, Old}, {path("two/b.h"), New, Longer}, {path("two/c.h"), Longer, Old}},
                 [&](unsigned Stop) {
                   const std::string A = get("one/a.c"), B = get("two/b.h"), C = get("two/c.h");
                   EXPECT_TRUE((A == Old || A == New) && (B == Longer || B == New) && (C == Old || C == Longer))
                       << Stop;
                 },
                 [&](unsigned Stop) {
                   const bool None = get("one/a.c") == Old && get("two/b.h") == Longer && get("two/c.h") == Old;
                   const bool All = get("one/a.c") == New && get("two/b.h") == New && get("two/c.h") == Longer;
                   EXPECT_TRUE(None || All) << "at " << Stop;
                   EXPECT_EQ(leftOver({"one/a.c", "two/b.h", "two/c.h"}), std::vector<std::string>()) << "at " << Stop;
                 });
}

TEST_F(FilesPicketWrites, WithSeveralHardLinksAreWholeOnceTheNextRunHasLooked) {
  for (const std::string &Text : {New, Longer})
    killEverywhere(
        [&] {
          put("one/a.c", Old);
          fs::remove(path("two/linked.c"));
          fs::create_hard_link(path("one/a.c"), path("two/linked.c"));
        },
        {{path("one/a.c"), Text, Old}}, [](unsigned) {},
        [&](unsigned Stop) {
          EXPECT_TRUE(get("one/a.c") == Old || get("one/a.c") == Text) << "at " << Stop;
          EXPECT_TRUE(fs::equivalent(path("one/a.c"), path("two/linked.c"))) << "at " << Stop;
          EXPECT_EQ(leftOver({"one/a.c", "two/linked.c"}), std::vector<std::string>()) << "at " << Stop;
        });
}

TEST_F(FilesPicketWrites, ReportsAreWholeIfItIsKilledAtAnySystemCall) {
  killEverywhere([&] { put("one/page.html", Old); }, {{path("one/page.html"), New}},
                 [&](unsigned Stop) {
                   const std::string Now = get("one/page.html");
                   EXPECT_TRUE(Now == Old || Now == New) << "at " << Stop;
                 },
                 [&](unsigned) {
                   for (const std::string &Name : leftOver({"one/page.html"})) // may stay behind: nothing asks for it
                     fs::remove(path(Name));
                 });
}

TEST_F(FilesPicketWrites, ReplacedMeanwhileAreLeftAsTheyAre) {
  put("one/a.c", Old), put("one/b", New);
  if (!exchange(path("one/a.c"), path("one/b")))
    GTEST_SKIP() << "this file system cannot exchange files";
  const std::string Theirs = "somebody else's text\n";
  for (unsigned Stop = 1;; ++Stop) {
    put("one/a.c", Old);
    put("two/theirs", Theirs);
    const Reached How = testing::stopAtSystemCall(
        Stop, [&] { writeFiles({{path("one/a.c"), New, Old}}); },
        [&](pid_t) {
          fs::rename(path("two/theirs"), path("one/a.c"));
          return true;
        });
    if (How == Reached::Untraceable)
      GTEST_SKIP() << "processes cannot be traced here";
    if (How == Reached::End)
      return;
    ASSERT_EQ(get("one/a.c"), Theirs) << "replaced at " << Stop;
    ASSERT_EQ(leftOver({"one/a.c", "one/b"}), std::vector<std::string>()) << "replaced at " << Stop;
  }
}

TEST_F(FilesPicketWrites, AreComparedByTheirTextAndNotByTheirTime) {
  put("one/a.c", Old), put("two/b.h", "another text\n");
  fs::last_write_time(path("two/b.h"), fs::file_time_type::clock::now() - std::chrono::hours(24));
  const std::string Problem = writeFiles({{path("one/a.c"), New, Old}, {path("two/b.h"), New, Old}});
  EXPECT_NE(Problem.find("b.h' was changed during the check and is left as it is"), std::string::npos) << Problem;
  EXPECT_EQ(get("one/a.c"), Old);
  EXPECT_EQ(get("two/b.h"), "another text\n");
  EXPECT_EQ(writeFiles({{path("one/a.c"), New, Old}}), "");
  EXPECT_EQ(get("one/a.c"), New);
  EXPECT_NE(writeFiles({{path("one/gone.c"), New, Old}}), "");
  EXPECT_EQ(leftOver({"one/a.c", "two/b.h"}), std::vector<std::string>());
}

TEST_F(FilesPicketWrites, KeepTheirModeTheirLinksAndTheirAttributes) {
  put("one/a.c", Old);
  fs::permissions(path("one/a.c"), fs::perms(0751));
  const bool Attribute = setxattr(path("one/a.c").c_str(), "user.picket", "kept", 4, 0) == 0;
  fs::create_symlink("../one/a.c", path("two/link.c"));
  fs::create_symlink("link.c", path("two/link2.c"));
  EXPECT_EQ(writeFiles({{path("two/link2.c"), New, Old}}), "");
  EXPECT_TRUE(fs::is_symlink(path("two/link.c")) && fs::is_symlink(path("two/link2.c")));
  EXPECT_EQ(get("one/a.c"), New);
  EXPECT_EQ(fs::status(path("one/a.c")).permissions(), fs::perms(0751));
  char Value[4] = {};
  if (Attribute)
    EXPECT_EQ(getxattr(path("one/a.c").c_str(), "user.picket", Value, sizeof Value), 4);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path("one/a.c").c_str(), 1234, 4321), 0);
    EXPECT_EQ(writeFiles({{path("one/a.c"), Old, New}}), "");
    struct stat Status;
    ASSERT_EQ(stat(path("one/a.c").c_str(), &Status), 0);
    EXPECT_EQ(Status.st_uid, 1234u);
    EXPECT_EQ(Status.st_gid, 4321u);
  }
}

TEST_F(FilesPicketWrites, StayAsTheyAreIfTheDiskIsFull) {
  put("one/a.c", Old), put("two/b.c", Old);
  fs::create_hard_link(path("two/b.c"), path("two/linked.c"));
  const pid_t Child = fork();
  if (Child == 0) { // what is larger cannot be written
    signal(SIGXFSZ, SIG_IGN);
    const rlimit Limit = {5000, 5000};
    setrlimit(RLIMIT_FSIZE, &Limit);
    const std::string Problem = writeFiles({{path("one/a.c"), New, Old}, {path("two/b.c"), Longer, Old}});
    _exit(Problem.find("cannot write") == 0 ? 0 : 1);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  EXPECT_EQ(Status, 0);
  EXPECT_EQ(get("one/a.c"), Old);
  EXPECT_EQ(get("two/b.c"), Old);
  EXPECT_EQ(leftOver({"one/a.c", "two/b.c", "two/linked.c"}), std::vector<std::string>());
}

TEST_F(FilesPicketWrites, AreMadeWhereThereAreNoneAndGoThroughToDevices) {
  EXPECT_EQ(writeFiles({{path("one/new.svg"), New}}), "");
  EXPECT_EQ(get("one/new.svg"), New);
  fs::create_symlink("later.svg", path("one/dangling.svg"));
  EXPECT_EQ(writeFiles({{path("one/dangling.svg"), New}}), "");
  EXPECT_EQ(get("one/later.svg"), New);
  EXPECT_EQ(writeFiles({{"/dev/null", New}}), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(writeFiles({{"/dev/full", New}}), "cannot write '/dev/full': No space left on device");
  EXPECT_EQ(writeFiles({{path("one"), New}}), "cannot write '" + path("one") + "': Is a directory");
  EXPECT_EQ(writeFiles({{path("none/a.svg"), New}}),
            "cannot write '" + path("none/a.svg") + "': No such file or directory");
}

TEST_F(FilesPicketWrites, ThatSomebodyEditedAfterAnInterruptionAreNotTouched) {
  // Killed between the two files; then the first one is edited.
  for (unsigned Stop = 1;; ++Stop) {
    put("one/a.c", Old), put("two/b.c", Old);
    if (testing::killAtSystemCall(
            Stop, [&] { writeFiles({{path("one/a.c"), New, Old}, {path("two/b.c"), New, Old}}); }) != Reached::Stop)
      GTEST_SKIP() << "it was never between the files";
    if (get("one/a.c") == New && get("two/b.c") == Old)
      break;
    recoverFiles();
  }
  put("one/a.c", "edited\n");
  const std::vector<std::string> Told = recoverFiles();
  ASSERT_EQ(Told.size(), 1u);
  EXPECT_NE(Told[0].find("changed since"), std::string::npos) << Told[0];
  EXPECT_EQ(get("one/a.c"), "edited\n");
  EXPECT_EQ(get("two/b.c"), Old);
}

} // namespace
} // namespace picket
