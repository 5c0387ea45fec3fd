#include "source/models/Models.h"

#include "program/Builtin.h"
#include "source/compile/Compile.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <thread>

namespace picket {
namespace {

CompileResult compile(const std::string &Text, std::vector<std::string> Flags) {
  CompileRequest Request;
  Request.File = "/models-test/program.c";
  Request.Unsaved[Request.File] = Text;
  Request.Flags = std::move(Flags);
  Request.UseCompileCommands = false;
  return compileProgram(Request);
}

void expectCleanCompile(const std::string &Text, const std::vector<std::string> &Flags) {
  CompileResult Result = compile(Text, Flags);
  EXPECT_TRUE(Result.Compiled.has_value());
  for (const Diagnostic &D : Result.Diagnostics)
    ADD_FAILURE() << D.Where.File << ":" << D.Where.Line << ": " << D.Message;
}

std::set<std::string> modelledNames() {
  std::set<std::string> Names;
  std::string Text = modelsText();
  std::regex Definition(R"(\*{0,2}__picket_model_(\w+)\([^;{]*\) \{)");
  for (std::sregex_iterator It(Text.begin(), Text.end(), Definition), End; It != End; ++It)
    Names.insert((*It)[1]);
  return Names;
}

TEST(Models, CompileWithoutDiagnostics) { expectCleanCompile(modelsText(), {"-Wall", "-Wextra", "-Werror"}); }

std::set<std::string> definedFunctions(const std::string &Text, const std::vector<std::string> &Flags = {}) {
  std::set<std::string> Names;
  CompileResult Result = compile(Text, Flags);
  EXPECT_TRUE(Result.Compiled.has_value());
  if (Result.Compiled)
    for (const Function &F : Result.Compiled->Functions)
      if (F.Defined)
        Names.insert(F.Name);
  return Names;
}

TEST(Models, AreLinkedIfNeeded) {
  std::set<std::string> Main = {"main"};
  EXPECT_EQ(definedFunctions("int main(void) { return 0; }\n"), Main);
  EXPECT_EQ(definedFunctions("#include <string.h>\n#include <stdlib.h>\n"
                             "int main(int n, char **a) { void *p = malloc(1); return p == memcpy(p, a, 1); }\n"),
            Main);
  std::set<std::string> Names =
      definedFunctions("#include <stdlib.h>\n"
                       "static int order(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n"
                       "int main(void) { int a[2] = {2, 1}; qsort(a, 2, 4, order); return a[0]; }\n");
  EXPECT_TRUE(Names.count("qsort") && Names.count("order"));
  EXPECT_FALSE(Names.count("strlen") || Names.count("bsearch"));
}

TEST(Models, AreLinkedWhateverTheProgramsFlags) {
  const char *Text = "typedef __SIZE_TYPE__ size_t;\nsize_t strspn(const char *, const char *);\n"
                     "int main(int n, char **a) { return (int)strspn(a[0], a[0]); }\n";
  for (const char *Flag : {"-fno-builtin", "-std=c89", "-march=haswell", "-fPIC", "-fshort-wchar", "-fshort-enums",
                           "-mcmodel=large", "-funsigned-char", "-fcf-protection", "-gdwarf-4", "-g0",
                           "--target=x86_64-unknown-linux-gnu", "-Dunsigned=signed"}) {
    SCOPED_TRACE(Flag);
    EXPECT_TRUE(definedFunctions(Text, {Flag}).count("strspn"));
  }
}

TEST(Models, AreLinkedWhateverTheProgramDeclares) {
  EXPECT_TRUE(
      definedFunctions("int main(int n, char **a) { return strspn(a[0], a[0]); }\n", {"-std=gnu89"}).count("strspn"));
  EXPECT_TRUE(definedFunctions("unsigned long strspn(const char *, const char *);\n"
                               "unsigned long (*f)(const char *, const char *) = strspn;\n"
                               "int main(int n, char **a) { return f(a[0], a[0]); }\n")
                  .count("strspn"));
  // Functions of the program's own take the place of models and of what models call, as with any library.
  EXPECT_FALSE(
      definedFunctions("int strspn(int a) { return a; }\nint main(void) { return strspn(1); }\n", {"-fno-builtin"})
          .count("strchr"));
}

TEST(Models, AreCompiledOnSeveralThreadsAtOnce) {
  std::vector<std::thread> Threads;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([] {
      EXPECT_TRUE(definedFunctions("unsigned long strspn(const char *, const char *);\n"
                                   "int main(int n, char **a) { return (int)strspn(a[0], a[0]); }\n")
                      .count("strspn"));
    });
  for (std::thread &T : Threads)
    T.join();
}

TEST(Models, DoNotConflictWithTheHeadersOfTheCLibrary) {
  const char *Text = "#define _GNU_SOURCE\n"
                     "#include <ctype.h>\n"
                     "#include <errno.h>\n"
                     "#include <malloc.h>\n"
                     "#include <pthread.h>\n"
                     "#include <semaphore.h>\n"
                     "#include <stdlib.h>\n"
                     "#include <string.h>\n"
                     "#include <strings.h>\n"
                     "#include <threads.h>\n"
                     "#include <unistd.h>\n"
                     "int main(void) { return 0; }\n";
  for (const char *Standard : {"-std=gnu89", "-std=gnu17", "-std=gnu23"}) {
    SCOPED_TRACE(Standard);
    expectCleanCompile(Text, {Standard, "-Wall", "-Wextra", "-Werror"});
  }
}

TEST(Models, LeaveEveryNameToTheUser) {
  // The same names with other meanings, and macros that would change the models if they came first.
  expectCleanCompile("typedef struct { int to; } text;\n"
                     "enum { heap, block, key, attr, thrd_success = 7 };\n"
                     "static char strlen(text t) { return (char)t.to; }\n"
                     "double pthread_once, memcpy_count;\n"
                     "int main(void) { text t = {SIZE}; return strlen(t) + (int)pthread_once; }\n",
                     {"-fno-builtin", "-DSIZE=0", "-Dsize=broken(", "-Dunsigned=@"});
}

TEST(Models, DoNotRepeatABuiltin) {
  std::set<std::string> Names = modelledNames();
  EXPECT_GT(Names.size(), 60u);
  EXPECT_TRUE(Names.count("strlen") && Names.count("thrd_create") && Names.count("__ctype_b_loc"));
  for (const std::string &Name : Names) {
    Builtin Found;
    EXPECT_FALSE(findBuiltin(Name, Found)) << Name << " is a builtin: the model would never be called";
  }
}

TEST(Models, AreFoundByName) {
  for (const std::string &Name : modelledNames())
    EXPECT_TRUE(hasModel(Name)) << Name;
  for (const char *Name : {"", "str", "strle", "trlen", "pthread_create", "foo"})
    EXPECT_FALSE(hasModel(Name)) << Name;
}

TEST(Models, StandOnlyOnBuiltins) {
  std::string Text = modelsText();
  std::regex Label(R"re(__asm__\("(\w+)"\))re");
  for (std::sregex_iterator It(Text.begin(), Text.end(), Label), End; It != End; ++It) {
    Builtin Found;
    EXPECT_TRUE(findBuiltin((*It)[1].str(), Found) || (*It)[1] == "__errno_location") << (*It)[1];
  }
}

TEST(Models, CoverC11Threads) {
  std::set<std::string> Names = modelledNames();
  for (const char *Name :
       {"thrd_create", "thrd_equal", "thrd_current", "thrd_sleep",    "thrd_exit",   "thrd_detach",   "thrd_join",
        "thrd_yield",  "mtx_init",   "mtx_lock",     "mtx_timedlock", "mtx_trylock", "mtx_unlock",    "mtx_destroy",
        "call_once",   "cnd_init",   "cnd_signal",   "cnd_broadcast", "cnd_wait",    "cnd_timedwait", "cnd_destroy",
        "tss_create",  "tss_get",    "tss_set",      "tss_delete"}) {
    Builtin Found;
    EXPECT_TRUE(Names.count(Name) || findBuiltin(Name, Found)) << Name;
  }
}

TEST(Models, AreNotTheUsersFiles) {
  CompileResult Result = compile("#include <string.h>\nint main(int n, char **a) { return (int)strlen(a[0]); }\n", {});
  ASSERT_TRUE(Result.Compiled.has_value());
  const Program &P = *Result.Compiled;
  bool Found = false;
  for (size_t File = 0; File < P.Files.size(); ++File) {
    if (P.Files[File] == ModelsFile) {
      Found = true;
      EXPECT_FALSE(P.UserFile[File]);
    }
  }
  EXPECT_TRUE(Found);
}

} // namespace
} // namespace picket
