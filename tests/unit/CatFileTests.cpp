// Memory models as text on disk: what can be included, and what cannot.
#include "CatFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

namespace fs = std::filesystem;

namespace picket {
namespace {

class CatFiles : public ::testing::Test {
protected:
  void SetUp() override {
    std::string Template = (fs::temp_directory_path() / "picket-cat-XXXXXX").string();
    Folder = mkdtemp(Template.data());
    fs::create_directories(Folder / "models/parts");
  }
  void TearDown() override { fs::remove_all(Folder); }

  std::string write(const std::string &Name, const std::string &Text) const {
    std::ofstream(Folder / Name) << Text;
    return (Folder / Name).string();
  }
  /// What is wrong with a model that includes a file; nothing if it can.
  std::string problemWith(const std::string &Included) const {
    const std::string File = write("models/m.cat", "include \"" + Included + "\"\nacyclic mine");
    std::string Problem;
    const std::optional<CatFile> Read = CatFile::read(File, 1, Problem);
    if (!Read)
      return Problem;
    const cat::Reading Model = Read->compile(cat::Architecture::X86);
    return Model.Found ? "" : Model.Problem.substr(File.size());
  }

  fs::path Folder;
};

TEST_F(CatFiles, FilesInTheFolderAndBelowAreIncluded) {
  write("models/a.cat", "let mine = po");
  write("models/parts/b.cat", "include \"a.cat\"");
  EXPECT_EQ(problemWith("a.cat"), "");
  EXPECT_EQ(problemWith("parts/b.cat"), "");
  EXPECT_EQ(problemWith("parts/../a.cat"), "");
  fs::create_symlink(Folder / "models/a.cat", Folder / "models/link.cat");
  EXPECT_EQ(problemWith("link.cat"), "");
}

TEST_F(CatFiles, NothingOutsideIsRead) {
  const std::string Outside = write("outside.cat", "let mine = po");
  fs::create_symlink(Outside, Folder / "models/link.cat");
  fs::create_directory_symlink(Folder, Folder / "models/up");
  for (const std::string &Name : {std::string("../outside.cat"), Outside, std::string("link.cat"),
                                  std::string("up/outside.cat"), std::string("/dev/zero"), std::string("/etc/passwd")})
    EXPECT_EQ(problemWith(Name).find(":1:1: '" + Name.substr(0, 20)), 0u) << Name;
  EXPECT_NE(problemWith("../outside.cat").find("it is outside the folder of the model"), std::string::npos);
}

TEST_F(CatFiles, OnlyRegularFilesAreIncluded) {
  EXPECT_EQ(problemWith("parts"), ":1:1: 'parts' cannot be included: it is no regular file");
  ASSERT_EQ(mkfifo((Folder / "models/pipe").c_str(), 0600), 0);
  EXPECT_EQ(problemWith("pipe"), ":1:1: 'pipe' cannot be included: it is no regular file");
  EXPECT_EQ(problemWith("nothing.cat"), ":1:1: 'nothing.cat' cannot be included: there is no such file beside the "
                                        "model, and none comes with Picket");
}

TEST_F(CatFiles, AModelThatCannotBeReadHasASentence) {
  std::string Problem;
  EXPECT_FALSE(CatFile::read((Folder / "none.cat").string(), 1, Problem));
  EXPECT_NE(Problem.find("none.cat: the file cannot be read"), std::string::npos) << Problem;
  EXPECT_FALSE(CatFile::read(Folder.string(), 1, Problem));
  write("long.cat", std::string(2 << 20, ' '));
  EXPECT_FALSE(CatFile::read((Folder / "long.cat").string(), 1, Problem));
}

TEST_F(CatFiles, TheTextsThatComeWithPicketAreModels) {
  for (const auto &[Name, Events] : std::map<std::string, cat::Architecture>{{"sc", cat::Architecture::PPC},
                                                                             {"tso", cat::Architecture::X86},
                                                                             {"power", cat::Architecture::PPC},
                                                                             {"armv8", cat::Architecture::AArch64},
                                                                             {"rc11", cat::Architecture::C11}}) {
    std::string Problem;
    const std::optional<CatFile> Read =
        CatFile::read(std::string(PICKET_SOURCE_DIR) + "/models/" + Name + ".cat", 1, Problem);
    ASSERT_TRUE(Read) << Problem;
    const cat::Reading Model = Read->compile(Events);
    ASSERT_TRUE(Model.Found) << Model.Problem;
    EXPECT_TRUE(Model.Found->isStepwise()) << Name;
    EXPECT_EQ(Read->title(), Name);
    if (Name != "sc") {
      EXPECT_EQ(Read->compile(std::nullopt).Found->compiled().Events, Events) << Name;
    }
  }
}

} // namespace
} // namespace picket
