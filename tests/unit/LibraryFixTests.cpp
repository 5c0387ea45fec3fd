// Fixes of programs of several files land where a maintainer would put them: in the library, at calls rather than in what
// others call too, and only in files that may be changed.
#include "fences/Relax.h"
#include "fences/TextDiff.h"
#include "support/CommandLine.h"
#include "support/Explore.h"

namespace picket {
namespace {

const char *const TestFile = R"(#include <assert.h>
#include <pthread.h>
#include "box.h"
static struct box box;
static int message;
static void *sender(void *arg) { message = 41; box_set(&box, 1); return arg; }
static void *receiver(void *arg) { if (box_get(&box)) assert(message == 41); return arg; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, sender, 0);
  pthread_create(&u, 0, receiver, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
)";

class LibraryFix : public ::testing::Test {
protected:
  /// A program whose main file is /p/test.c.
  void program(const std::map<std::string, std::string> &Files) {
    Text.File = "/p/test.c";
    Text.UseCompileCommands = false;
    Text.Unsaved["/p/test.c"] = TestFile;
    for (const auto &[Name, Content] : Files)
      Text.Unsaved["/p/" + Name] = Content;
    Options.Check.Models = {MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power};
  }

  /// The file that the best fix changes and what it becomes; or why there is none.
  std::string fixed() {
    Report = findFixes(Text, Options);
    if (Report.Fixes.empty())
      return Report.Reason;
    std::string Changed;
    for (const auto &[File, Edited] : editedTexts(Text, Report.Fixes[0].Edits))
      Changed += File + "\n" + Edited;
    return Changed;
  }

  CompileRequest Text;
  FixOptions Options;
  FixReport Report;
};

const std::string Box = "#include <stdatomic.h>\n"
                        "struct box { atomic_int full; int rest; };\n"
                        "static void box_set(struct box *b, int v) { atomic_store_explicit(&b->full, v, @); }\n"
                        "static int box_get(struct box *b) { return atomic_load_explicit(&b->full, "
                        "memory_order_acquire); }\n";

std::string with(std::string Text, const std::string &Place) {
  Text.replace(Text.find('@'), 1, Place);
  return Text;
}

TEST_F(LibraryFix, TheLibraryIsChanged) {
  program({{"box.h", with(Box, "memory_order_relaxed")}});
  EXPECT_EQ(fixed(), "/p/box.h\n" + with(Box, "memory_order_release"));
  EXPECT_FALSE(Report.Fixes[0].ChangesTest);
  for (const Fix &F : Report.Fixes)
    EXPECT_FALSE(F.ChangesTest);
}

TEST_F(LibraryFix, TheTestIsChangedWhereTheLibraryMayNotBe) {
  program({{"box.h", with(Box, "memory_order_relaxed")}});
  Options.Scope.NotIn = {"*.h"};
  EXPECT_TRUE(testing::contains(fixed(), "/p/test.c\n")) << fixed();
  EXPECT_FALSE(Report.Fixes[0].ChangesTest); // there is no library left to be preferred
}

TEST_F(LibraryFix, OnlyTheNamedFilesAreChanged) {
  program({{"box.h", with(Box, "memory_order_relaxed")}});
  Options.Scope.FixIn = {"test.c"};
  EXPECT_TRUE(testing::contains(fixed(), "/p/test.c\n")) << fixed();
  Options.Scope.FixIn = {"other.c"};
  EXPECT_TRUE(testing::contains(fixed(), "no place in the files that may be changed")) << fixed();
}

TEST_F(LibraryFix, AFixInTheTestSaysSo) {
  program({{"box.h", "struct box { int full; };\n"
                     "static void box_count(struct box *b) { __atomic_fetch_add(&b->full, 1, __ATOMIC_ACQ_REL); }\n"}});
  Text.Unsaved["/p/test.c"] = R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include "box.h"
static struct box box;
static int message;
static atomic_int flag;
static void *sender(void *arg) {
  message = 41;
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  box_count(&box);
  return arg;
}
static void *receiver(void *arg) {
  if (atomic_load_explicit(&flag, memory_order_acquire)) assert(message == 41);
  return arg;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, sender, 0);
  pthread_create(&u, 0, receiver, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
)";
  EXPECT_TRUE(testing::contains(fixed(), "atomic_store_explicit(&flag, 1, memory_order_release)")) << fixed();
  EXPECT_TRUE(Report.Fixes[0].ChangesTest);
  EXPECT_TRUE(testing::contains(titleOf(Report.Fixes[0], 8),
                                "no fix in the library was found: this one changes the file with 'main'"))
      << titleOf(Report.Fixes[0], 8);
}

TEST_F(LibraryFix, FilesOfOthersStayAsTheyAre) {
  const std::string Library = "#include \"vendor/box_impl.h\"\n"
                              "static void box_reset(struct box *b) { b->rest = 0; }\n";
  program({{"box.h", Library}, {"vendor/box_impl.h", with(Box, "memory_order_relaxed")}});
  EXPECT_FALSE(testing::contains(fixed(), "box_impl.h")) << fixed();
  EXPECT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  // In the folder itself they are one's own.
  Text.Unsaved["/p/vendor/test.c"] = TestFile;
  Text.Unsaved["/p/vendor/box.h"] = with(Box, "memory_order_relaxed");
  Text.File = "/p/vendor/test.c";
  EXPECT_EQ(fixed(), "/p/vendor/box.h\n" + with(Box, "memory_order_release"));
}

TEST_F(LibraryFix, HeadersOfTheSystemStayAsTheyAre) {
  program({{"include/box.h", with(Box, "memory_order_relaxed")}});
  Text.Flags = {"-isystem", "/p/include"};
  Text.Unsaved["/p/test.c"].replace(Text.Unsaved["/p/test.c"].find("\"box.h\""), 7, "<box.h>");
  EXPECT_TRUE(testing::contains(fixed(), "/p/test.c\n")) << fixed();
}

const std::string Atomics = R"(typedef struct { int _v; } atomic32_t;
static inline void atomic32_write_rlx(atomic32_t *a, int v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELAXED); }
static inline int atomic32_read_acq(atomic32_t *a) { return __atomic_load_n(&a->_v, __ATOMIC_ACQUIRE); }
)";
const std::string Stronger = R"(
static inline void atomic32_write(atomic32_t *a, int v) { __atomic_store_n(&a->_v, v, __ATOMIC_SEQ_CST); }
static inline void atomic32_write_rel(atomic32_t *a, int v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELEASE); }
)";
const std::string WrappedBox = R"(#include "atomics.h"
struct box { atomic32_t full; int rest; };
static void box_clear(struct box *b) { atomic32_write_rlx(&b->full, 0); }
static void box_set(struct box *b, int v) {
  @
}
static int box_get(struct box *b) { return atomic32_read_acq(&b->full); }
)";

TEST_F(LibraryFix, ACallOfAWrapperBecomesThatOfAStrongerOne) {
  program({{"box.h", with(WrappedBox, "atomic32_write_rlx(&b->full, v);")}, {"atomics.h", Atomics + Stronger}});
  EXPECT_EQ(fixed(), "/p/box.h\n" + with(WrappedBox, "atomic32_write_rel(&b->full, v);"));
  EXPECT_EQ(describe(Report.Fixes[0].Changes[0], "/p/test.c"),
            "the memory order of the call at box.h line 5: relaxed becomes release");
}

TEST_F(LibraryFix, WithoutAStrongerWrapperAFenceGoesToTheCall) {
  program({{"box.h", with(WrappedBox, "atomic32_write_rlx(&b->full, v);")}, {"atomics.h", Atomics}});
  EXPECT_EQ(fixed(), "/p/box.h\n" + with(WrappedBox, "__atomic_thread_fence(__ATOMIC_RELEASE);\n"
                                                     "  atomic32_write_rlx(&b->full, v);"));
}

TEST_F(LibraryFix, AnOrderThatIsAnArgumentIsChangedAtTheCall) {
  const std::string Given = Atomics + "static inline void atomic32_store(atomic32_t *a, int v, int order) {\n"
                                      "  __atomic_store_n(&a->_v, v, order);\n}\n"
                                      "static inline void atomic32_clear(atomic32_t *a) "
                                      "{ atomic32_store(a, 0, __ATOMIC_RELAXED); }\n";
  program({{"box.h", with(WrappedBox, "atomic32_store(&b->full, v, __ATOMIC_RELAXED);")}, {"atomics.h", Given}});
  EXPECT_EQ(fixed(), "/p/box.h\n" + with(WrappedBox, "atomic32_store(&b->full, v, __ATOMIC_RELEASE);"));
}

TEST_F(LibraryFix, AMacroHasCounterpartsToo) {
  const std::string Macros = "#define STORE_RLX(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)\n"
                             "#define STORE_REL(q, w) __atomic_store_n(q, w, __ATOMIC_RELEASE)\n"
                             "#define LOAD_ACQ(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)\n";
  const std::string Macro = "#include \"atomics.h\"\nstruct box { int full; int rest; };\n"
                            "static void box_set(struct box *b, int v) { @(&b->full, v); }\n"
                            "static int box_get(struct box *b) { return LOAD_ACQ(&b->full); }\n";
  program({{"box.h", with(Macro, "STORE_RLX")}, {"atomics.h", Macros}});
  EXPECT_EQ(fixed(), "/p/box.h\n" + with(Macro, "STORE_REL"));
}

TEST_F(LibraryFix, OrdersAreNamedAsTheyAreThere) {
  const std::string Renamed = "#include <stdatomic.h>\n"
                              "#define rte_memory_order_relaxed memory_order_relaxed\n"
                              "#define rte_memory_order_acquire memory_order_acquire\n"
                              "#define rte_memory_order_release memory_order_release\n"
                              "struct box { atomic_int full; int rest; };\n"
                              "static void box_set(struct box *b, int v) { atomic_store_explicit(&b->full, v, @); }\n"
                              "static int box_get(struct box *b) { return atomic_load_explicit(&b->full, "
                              "rte_memory_order_acquire); }\n";
  program({{"box.h", with(Renamed, "rte_memory_order_relaxed")}});
  EXPECT_EQ(fixed(), "/p/box.h\n" + with(Renamed, "rte_memory_order_release"));
}

TEST_F(LibraryFix, AMacroThatIsNoFenceSomewhereIsNotUsed) {
  const std::string Kernel = "#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)\n"
                             "#ifdef __x86_64__\n#define smp_wmb() __asm__ __volatile__(\"\" ::: \"memory\")\n"
                             "#else\n#define smp_wmb() __smp_wmb()\n"
                             "#define __smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)\n#endif\n";
  const std::string Macro =
      "#include \"barrier.h\"\nstruct box { int full; int rest; };\n"
      "static void box_set(struct box *b, int v) {\n  @WRITE_ONCE(b->full, v);\n}\n"
      "static int box_get(struct box *b) { return __atomic_load_n(&b->full, __ATOMIC_ACQUIRE); }\n";
  program({{"box.h", with(Macro, "")}, {"barrier.h", Kernel}});
  EXPECT_EQ(fixed(), "/p/box.h\n" + with(Macro, "__atomic_thread_fence(__ATOMIC_RELEASE);\n  "));
  Options.Check.Models = {MemoryModel::Power}; // there it is one, through another macro
  EXPECT_EQ(fixed(), "/p/box.h\n" + with(Macro, "smp_wmb();\n  "));
}

TEST_F(LibraryFix, MinimalDoesNotPreferTheLibrary) {
  program({{"box.h", with(WrappedBox, "atomic32_write_rlx(&b->full, v);")}, {"atomics.h", Atomics}});
  Options.Scope.PreferLibrary = false;
  fixed();
  ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
  EXPECT_FALSE(Report.Fixes[0].ChangesTest); // nobody asked
}

TEST_F(LibraryFix, RelaxingKeepsTheFilesOfOthers) {
  program({{"box.h", "#include \"vendor/box_impl.h\"\n"}, {"vendor/box_impl.h", with(Box, "memory_order_seq_cst")}});
  const RelaxReport Weaker = relax(Text, Options);
  EXPECT_TRUE(Weaker.Edits.empty());
}

TEST(EditScope, PatternsStandForPartsOfAPath) {
  const std::string File = "/home/me/project/src/queue.h";
  for (const char *Pattern : {"queue.h", "src/queue.h", "src", "project/src", "*.h", "src/*", "q*.h", "./src/queue.h",
                              "/home/me/project", "/home/me/project/src/queue.h", "s?c"})
    EXPECT_TRUE(matches(Pattern, File)) << Pattern;
  for (const char *Pattern : {"queue", "rc/queue.h", "src/project", "*.c", "/project", "/home/me/pro", "", "/"})
    EXPECT_FALSE(matches(Pattern, File)) << Pattern;
  EXPECT_EQ(problemOfPattern("src"), "");
  EXPECT_NE(problemOfPattern("[a"), "");
  EXPECT_NE(problemOfPattern(""), "");
}

class OwnFilesTest : public testing::CommandLineTest {};

TEST_F(OwnFilesTest, TheProjectEndsWithItsRepository) {
  std::filesystem::create_directories(Root / "project/.git");
  std::filesystem::create_directories(Root / "project/test");
  write("project/test/.picket.toml", "");
  const std::string Base = Root.string();
  const OwnFiles Own(Base + "/project/test/t.c");
  EXPECT_TRUE(Own.isOwn(Base + "/project/test/t.c"));
  EXPECT_TRUE(Own.isOwn(Base + "/project/lib/queue.h"));
  EXPECT_FALSE(Own.isOwn(Base + "/other/queue.h"));
  EXPECT_FALSE(Own.isOwn(Base + "/project/third_party/lib/queue.h"));
  EXPECT_FALSE(Own.isOwn("/usr/include/pthread.h"));
}

TEST_F(OwnFilesTest, WithoutARepositorySettingsSayWhereTheProjectEnds) {
  std::filesystem::create_directories(Root / "project/test");
  write("project/.picket.toml", "");
  const OwnFiles Own((Root / "project/test/t.c").string());
  EXPECT_TRUE(Own.isOwn((Root / "project/lib/queue.h").string()));
  EXPECT_FALSE(Own.isOwn((Root / "other/queue.h").string()));
}

TEST(OwnFiles, WithoutAnySignAllFilesAreOwn) {
  const OwnFiles Own("/nowhere/test/t.c");
  EXPECT_TRUE(Own.isOwn("/nowhere/lib/queue.h"));
  EXPECT_TRUE(Own.isOwn("/elsewhere/queue.h"));
  EXPECT_FALSE(Own.isOwn("/nowhere/test/vendor/atomics.h"));
  EXPECT_TRUE(OwnFiles("/a/vendor/x/t.c").isOwn("/a/vendor/y/queue.h"));
}

class FixPlacesCommand : public testing::CommandLineTest {
protected:
  void SetUp() override {
    CommandLineTest::SetUp();
    write("test.c", TestFile);
    write("box.h", with(Box, "memory_order_relaxed"));
  }
};

TEST_F(FixPlacesCommand, TakesFilesFromTheCommandLine) {
  EXPECT_TRUE(testing::contains(run("check --fix --model pso test.c").Output, "+++ b/box.h"));
  EXPECT_TRUE(testing::contains(run("check --fix --fix-in test.c --model pso test.c").Output, "+++ b/test.c"));
  EXPECT_TRUE(testing::contains(run("check --fix --not-in '*.h' --model pso test.c").Output, "+++ b/test.c"));
  EXPECT_EQ(run("check --fix --not-in '[x' --model pso test.c").ExitCode, 2);
  EXPECT_TRUE(testing::contains(run("check --fix=minimal --model pso test.c").Output, "minimal)"));
}

TEST_F(FixPlacesCommand, TakesThemFromTheProjectsSettings) {
  write(".picket.toml", "not-in = [\"box.h\"]\n");
  EXPECT_TRUE(testing::contains(run("check --fix --model pso test.c").Output, "+++ b/test.c"));
  write("test.c", std::string("// picket: fix-in=box.h not-in=other.h\n") + TestFile);
  EXPECT_TRUE(testing::contains(run("check --fix --model pso test.c").Output, "+++ b/box.h"));
}

} // namespace
} // namespace picket
