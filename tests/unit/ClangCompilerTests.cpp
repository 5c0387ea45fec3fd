#include "source/compile/ClangCompiler.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace picket {
namespace {

namespace fs = std::filesystem;

/// A directory that goes away with the test.
class ClangCompiler : public testing::Test {
protected:
  void SetUp() override {
    std::string Name = (fs::temp_directory_path() / "picket-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(Name.data()), nullptr);
    Root = Name;
  }
  void TearDown() override { fs::remove_all(Root); }

  std::string write(const std::string &Name, const std::string &Text) {
    fs::create_directories((Root / Name).parent_path());
    std::ofstream(Root / Name, std::ios::binary) << Text;
    return (Root / Name).string();
  }

  bool compile(
      const std::string &File, std::vector<std::string> Flags = {},
      llvm::function_ref<void(const llvm::Module &)> Use = [](const llvm::Module &) {}) {
    CompileRequest Request;
    Request.File = File;
    Request.Flags = std::move(Flags);
    Diagnostics.clear();
    return compileModule(Request, Diagnostics, [&](const llvm::Module &M, SourceFacts &) { Use(M); });
  }
  bool compileText(
      const std::string &Text, std::vector<std::string> Flags = {},
      llvm::function_ref<void(const llvm::Module &)> Use = [](const llvm::Module &) {}) {
    return compile(write("program.c", Text), std::move(Flags), Use);
  }

  std::string firstError() const {
    for (const Diagnostic &D : Diagnostics)
      if (D.Level == Severity::Error)
        return D.Message;
    return "";
  }

  fs::path Root;
  std::vector<Diagnostic> Diagnostics;
};

TEST_F(ClangCompiler, CompilesAnEmptyFile) {
  EXPECT_TRUE(compileText(""));
  EXPECT_TRUE(Diagnostics.empty());
}

TEST_F(ClangCompiler, SaysWhyAFileCannotBeRead) {
  EXPECT_FALSE(compile((Root / "missing.c").string()));
  EXPECT_EQ(firstError(), "cannot read the file: No such file or directory");
  EXPECT_FALSE(compile(Root.string()));
  EXPECT_EQ(firstError(), "cannot read the file: it is a directory");
  EXPECT_FALSE(compile("/dev/zero"));
  EXPECT_EQ(firstError(), "cannot read the file: it is not a regular file");
  EXPECT_FALSE(compileText(std::string("\x7f"
                                       "ELF\0\0\0",
                                       7)));
  EXPECT_EQ(firstError(), "this is not C source text: it contains zero bytes");
  if (geteuid() != 0) { // root reads everything
    std::string Secret = write("secret.c", "int main(void) { return 0; }");
    fs::permissions(Secret, fs::perms::none);
    EXPECT_FALSE(compile(Secret));
    EXPECT_EQ(firstError(), "cannot read the file: Permission denied");
  }
}

TEST_F(ClangCompiler, GivesPlacesAndNotesOfErrors) {
  std::string File = write("program.c", "void f(int);\nint main(void) {\n  f(1, 2);\n  return missing;\n}\n");
  EXPECT_FALSE(compile(File));
  ASSERT_EQ(Diagnostics.size(), 2u);
  EXPECT_EQ(Diagnostics[0].Where.File, File);
  EXPECT_EQ(Diagnostics[0].Where.Line, 3u);
  EXPECT_EQ(Diagnostics[0].Where.Column, 8u);
  ASSERT_EQ(Diagnostics[0].Notes.size(), 1u);
  EXPECT_EQ(Diagnostics[0].Notes[0].Where.Line, 1u);
  EXPECT_EQ(Diagnostics[1].Where.Line, 4u);
  EXPECT_EQ(Diagnostics[1].Where.Column, 10u);
  EXPECT_EQ(Diagnostics[1].Where.EndColumn, 17u);
}

TEST_F(ClangCompiler, ReportsMissingHeaders) {
  EXPECT_FALSE(compileText("#include <no_such_header.h>\n"));
  EXPECT_EQ(firstError(), "'no_such_header.h' file not found");
}

TEST_F(ClangCompiler, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  compileText("#warning careful\n#pragma message \"hello\"\nint main(void) { __asm__(\"bogus\"); return x; }\n",
              {"-v", "-H", "-###", "--help", "-ftime-report"});
  write("compile_commands.json", "[{\"dir");
  compileText("#pragma clang __debug llvm_fatal_error\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(ClangCompiler, PrefersUnsavedText) {
  CompileRequest Request;
  Request.File = write("program.c", "this is not C\n");
  Request.Unsaved[Request.File] = "#include \"open.h\"\nint main(void) { return Value; }\n";
  Request.Unsaved[(Root / "open.h").string()] = "enum { Value = 3 };\n";
  EXPECT_TRUE(compileModule(Request, Diagnostics, [](const llvm::Module &, SourceFacts &) {}));
}

TEST_F(ClangCompiler, SurvivesACrash) {
  EXPECT_FALSE(compileText("#pragma clang __debug crash\n"));
  EXPECT_EQ(firstError(), "the compiler crashed on this file");
  EXPECT_FALSE(compileText("#pragma clang __debug llvm_fatal_error\n"));
  EXPECT_NE(firstError(), "");
  EXPECT_FALSE(compileText("int x;\n", {}, [](const llvm::Module &) { __builtin_trap(); }));
  EXPECT_NE(firstError(), "");
  EXPECT_TRUE(compileText("int x;\n"));
}

TEST_F(ClangCompiler, AnswersDeepNestingWithAnError) {
  EXPECT_FALSE(compileText("int x = " + std::string(300000, '!') + "1;\n"));
  EXPECT_NE(firstError(), "");
  EXPECT_FALSE(compileText("int x = " + std::string(5000, '(') + "1" + std::string(5000, ')') + ";\n"));
  EXPECT_NE(firstError(), "");
  EXPECT_TRUE(compileText("int x;\n"));
}

TEST_F(ClangCompiler, UsesCompileCommands) {
  std::string File = write("program.c", "#include \"there.h\"\nint x[VALUE == 3 ? 1 : -1];\n"
                                        "#ifdef NDEBUG\n#error assertions are off\n#endif\n");
  write("inc/there.h", "");
  write("compile_commands.json",
        "[{\"directory\": \"" + Root.string() +
            "\", \"file\": \"program.c\", \"command\": "
            "\"gcc -O2 -Werror -Iinc -DNDEBUG -DVALUE=3 -fno-such-flag -o x.o -c program.c\"}]");
  EXPECT_TRUE(compile(File));
  EXPECT_FALSE(compile(File, {"-DVALUE=4"})) << "flags of the request have the last word";
}

TEST_F(ClangCompiler, UsesNoCommandsOfAFolderThatThePathOnlyGoesThrough) {
  write("program.c", "int x;\n");
  write("build/other.cpp", "");
  write("build/compile_commands.json",
        "[{\"directory\": \"" + Root.string() + "\", \"file\": \"other.cpp\", \"command\": \"g++ -c other.cpp\"}]");
  EXPECT_TRUE(compile((Root / "build" / ".." / "program.c").string())) << firstError();
}

TEST_F(ClangCompiler, CompilesForThisMachineWhateverTheTarget) {
  std::string File = write("program.c", "#include <stdio.h>\nint x[sizeof(void *) == 8 ? 1 : -1];\n");
  auto HasNote = [&] {
    return !Diagnostics.empty() && Diagnostics[0].Level == Severity::Note &&
           Diagnostics[0].Message.starts_with("compiled for this machine instead of");
  };
  for (std::string Flags :
       {"gcc --target=powerpc64-linux-gnu", "gcc -target riscv64-linux-gnu", "powerpc64-linux-gnu-gcc -mcpu=power7"}) {
    write("compile_commands.json", "[{\"directory\": \"" + Root.string() +
                                       "\", \"file\": \"program.c\", \"command\": \"" + Flags + " -c program.c\"}]");
    EXPECT_TRUE(compile(File)) << Flags;
    EXPECT_TRUE(HasNote()) << Flags;
  }
}

TEST_F(ClangCompiler, TakesOlderCode) { // that older compilers took with a warning
  EXPECT_TRUE(compileText("int f(int *p) { char *q = p; int n = q; return *q + n; }\n")) << firstError();
  ASSERT_FALSE(Diagnostics.empty());
  EXPECT_EQ(Diagnostics[0].Level, Severity::Warning);
}

TEST_F(ClangCompiler, SaysThatAssertionsAreOff) {
  auto HasNote = [&] {
    return std::any_of(Diagnostics.begin(), Diagnostics.end(),
                       [](const Diagnostic &D) { return D.Message.starts_with("assertions are not checked"); });
  };
  const std::string Text = "#include <assert.h>\nint main(void) { assert(1 < 2); return 0; }\n";
  EXPECT_TRUE(compileText(Text, {"-DNDEBUG"}) && HasNote());
  EXPECT_TRUE(compileText(Text, {"-DNDEBUG", "-UNDEBUG"}) && !HasNote());
  write("compile_commands.json", "[{\"directory\": \"" + Root.string() +
                                     "\", \"file\": \"program.c\", \"command\": \"gcc -DNDEBUG -c program.c\"}]");
  EXPECT_TRUE(compileText(Text) && !HasNote()); // what the project's build does without does not count
}

TEST_F(ClangCompiler, RefusesOtherLanguages) {
  write("compile_commands.json",
        "[{\"directory\": \"" + Root.string() + "\", \"file\": \"a.cpp\", \"command\": \"g++ -c a.cpp\"}]");
  EXPECT_FALSE(compile(write("a.cpp", "class X {};\n")));
  EXPECT_EQ(firstError(), "this is not C: Picket checks C programs");
}

TEST_F(ClangCompiler, KeepsTheModelsSafeFromTheUsersMacros) {
  EXPECT_TRUE(compileText("int main(void) { return 0; }\n",
                          {"-Dreturn=nonsense", "-Ureturn", "-Dvoid=int", "-Dwhile=if", "-Uvoid"}));
  for (const Diagnostic &D : Diagnostics)
    EXPECT_NE(D.Where.File, "/picket/models.h") << D.Message;
}

TEST_F(ClangCompiler, GivesEveryAccessItsLineAndColumn) {
  bool Found = false;
  EXPECT_TRUE(
      compileText("int x, y;\nint main(void) {\n  x = 1;   y = x;\n  return y;\n}\n", {}, [&](const llvm::Module &M) {
        for (const llvm::Instruction &I : llvm::instructions(*M.getFunction("main")))
          if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(I)) {
            Found = true;
            ASSERT_TRUE(I.getDebugLoc());
            EXPECT_GE(I.getDebugLoc().getLine(), 3u);
            EXPECT_GE(I.getDebugLoc().getCol(), 1u);
          }
      }));
  EXPECT_TRUE(Found);
}

TEST_F(ClangCompiler, KeepsEveryAccessOfSharedMemory) {
  auto CountAccesses = [&](const std::string &Body) {
    unsigned Count = 0;
    EXPECT_TRUE(compileText("int x, y;\nint f(int c, int d) { " + Body + " }\n", {"-O2"}, [&](const llvm::Module &M) {
      for (const llvm::Instruction &I : llvm::instructions(*M.getFunction("f")))
        Count += llvm::isa<llvm::LoadInst, llvm::StoreInst>(I);
    }));
    return Count;
  };
  EXPECT_EQ(CountAccesses("x = 1; x = 2; return 0;"), 2u);
  EXPECT_EQ(CountAccesses("int a = x, b = x; return a - b;"), 2u);
  EXPECT_EQ(CountAccesses("if (c) x = 1; if (d) x = 1; return 0;"), 2u);
  EXPECT_EQ(CountAccesses("int r = x; if (r) y = 1; else y = 1; return 0;"), 3u);
  EXPECT_EQ(CountAccesses("if (c) *(int *)0 = 1; x = 1; return 0;"), 2u);
}

TEST_F(ClangCompiler, OptimisesOnRequest) {
  auto CountStores = [&](const std::vector<std::string> &Flags) {
    unsigned Count = 0;
    EXPECT_TRUE(compileText("int x;\nint f(void) { x = 1; x = 2; return 0; }\n", Flags, [&](const llvm::Module &M) {
      for (const llvm::Instruction &I : llvm::instructions(*M.getFunction("f")))
        Count += llvm::isa<llvm::StoreInst>(I);
    }));
    return Count;
  };
  EXPECT_EQ(CountStores({"-fpicket-optimize=none"}), 2u);
  EXPECT_EQ(CountStores({"-fpicket-optimize=O1"}), 1u);
  EXPECT_EQ(CountStores({"-fpicket-optimize=O2"}), 1u);
  EXPECT_EQ(CountStores({"-fpicket-optimize=O2", "-fpicket-optimize=none"}), 2u);
  EXPECT_FALSE(compileText("int x;\n", {"-fpicket-optimize=fast"}, [](const llvm::Module &) {}));
}

TEST_F(ClangCompiler, KeepsWhatIsSureToGoWrong) {
  auto CountIn = [&](const std::string &Text, auto &&Wanted) {
    unsigned Count = 0;
    EXPECT_TRUE(compileText(Text, {}, [&](const llvm::Module &M) {
      for (const llvm::Instruction &I : llvm::instructions(*M.getFunction("f")))
        Count += Wanted(I);
    }));
    return Count;
  };
  auto IsDivision = [](const llvm::Instruction &I) { return I.isIntDivRem() && I.getDebugLoc(); };
  EXPECT_EQ(CountIn("static int q(int a, int b) { return a / b; }\nint f(void) { return q(1, 0); }\n", IsDivision), 1u);
  EXPECT_EQ(CountIn("int f(unsigned a) { unsigned z = 0; return a % z + a / 3; }\n", IsDivision), 2u);

  auto IsAccess = [](const llvm::Instruction &I) { return llvm::isa<llvm::LoadInst, llvm::StoreInst>(I); };
  EXPECT_EQ(CountIn("int f(void) { int a[2]; a[0] = 1; return a[5]; }\n", IsAccess), 2u);
  EXPECT_EQ(CountIn("static void put(int *p) { p[-1] = 1; }\nint f(void) { int a[2]; put(a); return 0; }\n", IsAccess),
            1u);
}

TEST_F(ClangCompiler, TakesTheVerifiersFunctionsByName) {
  EXPECT_TRUE(compileText("static void reach_error(void) { *(volatile int *)0 = 1; }\n"
                          "static void __VERIFIER_assert(int c) { if (!c) reach_error(); }\n"
                          "static void __VERIFIER_atomic_inc(int *p) { ++*p; }\n"
                          "int x;\nint main(void) { __VERIFIER_atomic_inc(&x); __VERIFIER_assert(x); return 0; }\n",
                          {}, [](const llvm::Module &M) {
                            ASSERT_TRUE(M.getFunction("__VERIFIER_assert"));
                            EXPECT_TRUE(M.getFunction("__VERIFIER_assert")->isDeclaration());
                            ASSERT_TRUE(M.getFunction("__VERIFIER_atomic_inc"));
                            EXPECT_FALSE(M.getFunction("__VERIFIER_atomic_inc")->isDeclaration());
                          }));
}

TEST_F(ClangCompiler, CompilesOnSeveralThreadsAtOnce) {
  std::string File = write("program.c", "#include <pthread.h>\n#include <stdatomic.h>\nint main(void) { return 0; }\n");
  std::vector<std::thread> Threads;
  std::atomic<int> Compiled{0};
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([&] {
      CompileRequest Request;
      Request.File = File;
      for (int Round = 0; Round < 3; ++Round) {
        std::vector<Diagnostic> Found;
        Compiled += compileModule(Request, Found, [](const llvm::Module &, SourceFacts &) {});
      }
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Compiled, 12);
}

} // namespace
} // namespace picket
