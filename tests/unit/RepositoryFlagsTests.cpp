// Flags come from repositories that anybody may have written. No flag and no pragma makes Picket write, read or run
// anything; those that change what the text means arrive.
#include "source/compile/ClangCompiler.h"
#include "source/compile/FlagFilter.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sys/stat.h>

namespace picket {
namespace {

namespace fs = std::filesystem;

class RepositoryFlags : public testing::Test {
protected:
  void SetUp() override {
    std::string Name = (fs::temp_directory_path() / "picket-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(Name.data()), nullptr);
    Root = Name;
    fs::create_directories(Root / "tmp");
    // Where Clang would put temporary files.
    if (const char *Old = getenv("TMPDIR"))
      OldTemporary = Old;
    setenv("TMPDIR", (Root / "tmp").c_str(), 1);
  }
  void TearDown() override {
    if (OldTemporary.empty())
      unsetenv("TMPDIR");
    else
      setenv("TMPDIR", OldTemporary.c_str(), 1);
    fs::remove_all(Root);
  }

  std::string write(const std::string &Name, const std::string &Text) {
    fs::create_directories((Root / Name).parent_path());
    std::ofstream(Root / Name, std::ios::binary) << Text;
    return (Root / Name).string();
  }

  /// Every file of the folder with its text.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> Found;
    for (const fs::directory_entry &E : fs::recursive_directory_iterator(Root)) {
      std::string Text = "not a regular file";
      if (E.is_regular_file()) {
        std::ifstream In(E.path(), std::ios::binary);
        Text.assign(std::istreambuf_iterator<char>(In), {});
      }
      Found[E.path().string()] = Text;
    }
    return Found;
  }

  bool compile(const std::string &File, std::vector<std::string> Flags = {}) {
    CompileRequest Request;
    Request.File = File;
    Request.Flags = std::move(Flags);
    Diagnostics.clear();
    return compileModule(Request, Diagnostics, [](const llvm::Module &, SourceFacts &) {});
  }
  bool compileText(const std::string &Text, std::vector<std::string> Flags = {}) {
    return compile(write("program.c", Text), std::move(Flags));
  }
  void writeCommand(const std::vector<std::string> &Flags) {
    llvm::json::Array Words{"cc"};
    for (const std::string &Flag : Flags)
      Words.push_back(Flag);
    Words.push_back("-c");
    Words.push_back("program.c");
    llvm::json::Value Database = llvm::json::Array{llvm::json::Object{
        {"directory", Root.string()}, {"file", "program.c"}, {"arguments", llvm::json::Value(std::move(Words))}}};
    std::string Text;
    llvm::raw_string_ostream(Text) << Database;
    write("compile_commands.json", Text);
  }

  /// What is told, all in one.
  std::string told() const {
    std::string All;
    for (const Diagnostic &D : Diagnostics)
      All += D.Message + "\n";
    return All;
  }

  fs::path Root;
  std::string OldTemporary;
  std::vector<Diagnostic> Diagnostics;
};

/// Flags that write a file, by the name of the file.
std::vector<std::vector<std::string>> writingFlags(const std::string &Out) {
  return {{"-Xclang", "-stats-file=" + Out},
          {"-Xclang", "-print-stats", "-Xclang", "-stats-file=" + Out},
          {"-save-stats=obj"},
          {"-save-temps=obj", "-o", Out},
          {"-serialize-diagnostics", Out},
          {"--serialize-diagnostics", Out},
          {"-MD", "-MF", Out},
          {"-MJ", Out},
          {"-Wp,-MD," + Out},
          {"-Wp,-MMD," + Out},
          {"-Xpreprocessor", "-dependency-file", "-Xpreprocessor", Out},
          {"-dependency-dot", Out},
          {"-module-dependency-dir", Out},
          {"-Xclang", "-dependency-file", "-Xclang", Out, "-Xclang", "-MT", "-Xclang", "x"},
          {"-Xclang", "-header-include-file", "-Xclang", Out, "-H"},
          {"-Xclang", "-diagnostic-log-file", "-Xclang", Out},
          {"-Xclang", "-emit-obj", "-o", Out},
          {"-fmodules", "-fmodules-cache-path=" + Out},
          {"-fmodules", "-fmodules-user-build-path", Out},
          {"-fsave-optimization-record", "-foptimization-record-file=" + Out},
          {"-ftime-trace=" + Out},
          {"-ftime-trace", "-ftime-trace-granularity=0"},
          {"-fproc-stat-report=" + Out},
          {"-fcrash-diagnostics-dir=" + Out, "-gen-reproducer=always"},
          {"--coverage", "-fprofile-dir=" + Out},
          {"-fprofile-generate=" + Out},
          {"-fstack-usage"},
          {"-gsplit-dwarf"},
          {"-mllvm", "-info-output-file=" + Out, "-mllvm", "-stats"},
          {"-mllvm", "-time-passes", "-mllvm", "-info-output-file=" + Out},
          {"-mllvm", "-print-after-all", "-mllvm", "-ir-dump-directory=" + Out},
          {"-emit-ast", "-o", Out},
          {"-extract-api", "-o", Out},
          {"--analyze", "-o", Out},
          {"-gen-cdb-fragment-path", Out},
          {"-index-store-path", Out},
          {"-x", "c-header", "-o", Out}};
}

TEST_F(RepositoryFlags, WriteNoFile) {
  const std::string Out = (Root / "out").string();
  const std::string File =
      write("program.c", "struct s { int a; };\nint main(void) { struct s x = {0}; return x.a; }\n");
  for (const std::vector<std::string> &Flags : writingFlags(Out)) {
    writeCommand(Flags);
    const auto Before = files();
    compile(File);
    EXPECT_EQ(files(), Before) << "compile_commands.json: " << Flags[0];
    fs::remove(Root / "compile_commands.json");
    const auto Alone = files();
    compile(File, Flags);
    EXPECT_EQ(files(), Alone) << "request: " << Flags[0];
  }
}

TEST_F(RepositoryFlags, OverwriteNoFile) {
  const std::string Precious = write("precious", "mine");
  const std::string File = write("program.c", "int main(void) { return 0; }\n");
  for (const std::vector<std::string> &Flags : writingFlags(Precious)) {
    compile(File, Flags);
    EXPECT_EQ(files()[Precious], "mine") << Flags[0];
  }
}

TEST_F(RepositoryFlags, PrintNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  for (std::vector<std::string> Flags :
       std::vector<std::vector<std::string>>{{"-Xclang", "-fdump-record-layouts"},
                                             {"-Xclang", "-fdump-record-layouts-complete"},
                                             {"-Xclang", "-ast-dump"},
                                             {"-Xclang", "-print-stats"},
                                             {"-mllvm", "-print-after-all"},
                                             {"-mllvm", "-help"},
                                             {"-print-search-dirs"},
                                             {"-dumpmachine"},
                                             {"-H"},
                                             {"-v"},
                                             {"-###"},
                                             {"--help"},
                                             {"-ftime-report"},
                                             {"-print-ivar-layout"},
                                             {"--autocomplete=-f"}})
    compileText("struct s { int a; };\nint main(void) { struct s x = {0}; return x.a; }\n", Flags);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(RepositoryFlags, ReadNoFileThatIsNoHeader) {
  const std::string Secret = write("secret", "-DSECRET_WORD\nfun:secret_word\n");
  for (std::vector<std::string> Flags :
       std::vector<std::vector<std::string>>{{"@" + Secret},
                                             {"--config=" + Secret},
                                             {"-fsanitize=address", "-fsanitize-ignorelist=" + Secret},
                                             {"-fprofile-use=" + Secret},
                                             {"-fprofile-sample-use=" + Secret},
                                             {"-fprofile-list=" + Secret},
                                             {"-fprofile-remapping-file=" + Secret},
                                             {"-fmemory-profile-use=" + Secret},
                                             {"-fxray-instrument", "-fxray-attr-list=" + Secret},
                                             {"-fbasic-block-sections=list=" + Secret},
                                             {"-ivfsoverlay", Secret},
                                             {"-include-pch", Secret},
                                             {"-fmodule-file=" + Secret},
                                             {"-fmodule-map-file=" + Secret},
                                             {"-fplugin=" + Secret},
                                             {"-fpass-plugin=" + Secret},
                                             {"-Xclang", "-load", "-Xclang", Secret},
                                             {"-mllvm", "-load=" + Secret},
                                             {"-specs=" + Secret},
                                             {"--warning-suppression-mappings=" + Secret},
                                             {"-frandomize-layout-seed-file=" + Secret},
                                             {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", Secret},
                                             {"-fembed-offload-object=" + Secret},
                                             {"-B", Root.string()},
                                             {"-resource-dir", Root.string()},
                                             {"-working-directory", Root.string()}}) {
    writeCommand(Flags);
    EXPECT_TRUE(compileText("#ifdef SECRET_WORD\n#error read\n#endif\nint main(void) { return 0; }\n"))
        << Flags[0] << ": " << told();
    EXPECT_EQ(told().find("secret_word"), std::string::npos) << Flags[0];
    EXPECT_EQ(told().find("SECRET_WORD"), std::string::npos) << Flags[0];
  }
}

TEST_F(RepositoryFlags, OpenNoPipe) {
  const std::string Pipe = (Root / "pipe").string();
  ASSERT_EQ(mkfifo(Pipe.c_str(), 0600), 0);
  // Whatever opened it would wait for ever.
  EXPECT_FALSE(compileText("int main(void) { return 0; }\n", {"-include", Pipe}));
  EXPECT_FALSE(compileText("#include \"pipe\"\nint main(void) { return 0; }\n"));
  EXPECT_FALSE(compileText("const char x[] = {\n#embed \"pipe\"\n};\nint main(void) { return 0; }\n", {"-std=c23"}));
  EXPECT_FALSE(compileText("#include \"/dev/zero\"\nint main(void) { return 0; }\n"));
  EXPECT_TRUE(compileText("#include \"/dev/null\"\nint main(void) { return 0; }\n"));
  EXPECT_TRUE(compileText("int main(void) { return 0; }\n", {"@" + Pipe, "--config=" + Pipe}));
  ASSERT_EQ(mkfifo((Root / "compile_commands.json").c_str(), 0600), 0);
  EXPECT_TRUE(compileText("int main(void) { return 0; }\n"));
  EXPECT_NE(told().find("not a regular file"), std::string::npos);
}

TEST_F(RepositoryFlags, PragmasBuildNoModules) {
  for (std::vector<std::string> Flags : std::vector<std::vector<std::string>>{
           {},
           {"-fmodules"},
           {"-fmodules", "-fimplicit-modules", "-fmodules-cache-path=" + (Root / "cache").string()}}) {
    const std::string File = write("program.c", "#pragma clang module build made\nmodule made {}\n"
                                                "#pragma clang module contents\nint x;\n#pragma clang module endbuild\n"
                                                "#pragma clang module import made\nint main(void) { return 0; }\n");
    const auto Before = files();
    EXPECT_FALSE(compile(File, Flags));
    EXPECT_EQ(files(), Before);
    EXPECT_NE(told().find("modules"), std::string::npos) << told();
  }
}

TEST_F(RepositoryFlags, ThatAreDroppedAreTold) {
  writeCommand({"-Xclang", "-stats-file=/x", "-O2", "-g", "-o", "x.o", "-MD", "-Wall", "-pipe"});
  EXPECT_TRUE(compileText("int main(void) { return 0; }\n", {"-fplugin=evil.so", "-fno-such-flag"}));
  ASSERT_EQ(Diagnostics.size(), 1u) << told();
  EXPECT_EQ(Diagnostics[0].Level, Severity::Note);
  EXPECT_EQ(Diagnostics[0].Message, "these flags are not passed on to Clang: '-Xclang -stats-file=/x', "
                                    "'-fplugin=evil.so', '-fno-such-flag'");
  std::vector<std::string> Many(1000, "-Xclang");
  for (std::string &Flag : Many)
    Flag += "-" + std::string(1000, 'x');
  EXPECT_LT(describeDropped(filterFlags(Many).Dropped).size(), 1000u);
}

TEST_F(RepositoryFlags, ThatChangeTheTextArrive) {
  write("first/one.h", "#define ONE 1\n");
  write("forced.h", "#define FORCED 1\n");
  write("macros.h", "#define MACROS 1\nint lost;\n");
  writeCommand({"--define-macro=A=1", "-D", "B=2", "-DC=3", "-DGONE", "-UGONE", "-Ifirst", "-include", "forced.h",
                "-imacros", "macros.h", "-std=c99", "-funsigned-char", "-fshort-enums", "-Wp,-DD=4", "-ffast-math",
                "-ffreestanding", "-pthread"});
  EXPECT_TRUE(
      compileText("#include <one.h>\n"
                  "#if A != 1 || B != 2 || C != 3 || D != 4 || ONE != 1 || FORCED != 1 || MACROS != 1\n"
                  "#error a macro is missing\n#endif\n"
                  "#if defined GONE || __STDC_VERSION__ != 199901L || !defined __FAST_MATH__ || __STDC_HOSTED__\n"
                  "#error a flag is missing\n#endif\n"
                  "enum e { E };\nint size[sizeof(enum e) == 1 ? 1 : -1];\nint sign[(char)-1 > 0 ? 1 : -1];\n"))
      << told();
  EXPECT_TRUE(Diagnostics.empty()) << told();
}

TEST_F(RepositoryFlags, AValueIsNoFlag) {
  // Were these words taken apart in another way by the one who filters than by the one who runs, they would get
  // through.
  const auto Kept = [](std::vector<std::string> Words) { return filterFlags(Words).Kept; };
  EXPECT_EQ(Kept({"-D", "-Xclang"}), (std::vector<std::string>{"-D", "-Xclang"}));
  EXPECT_EQ(Kept({"-I", "--"}), std::vector<std::string>{});
  EXPECT_EQ(Kept({"-I"}), std::vector<std::string>{});
  EXPECT_EQ(Kept({"-Xclang", "-D", "x"}), std::vector<std::string>{});
  EXPECT_EQ(Kept({"--", "-fplugin=x"}), std::vector<std::string>{});
  for (std::string Word : {"-D", "-U", "-I", "-include"}) {
    writeCommand({Word, "--", "-fplugin=x", "-Xclang", "-load", "-Xclang", "x"});
    compileText("int main(void) { return 0; }\n");
    EXPECT_EQ(told().find("could not load"), std::string::npos);
  }
}

TEST_F(RepositoryFlags, ADatabaseThatNestsDeeplyIsIgnored) {
  write("compile_commands.json", std::string(1000000, '['));
  EXPECT_TRUE(compileText("int main(void) { return 0; }\n")) << told();
  EXPECT_NE(told().find("nested too deeply"), std::string::npos) << told();
}

} // namespace
} // namespace picket
