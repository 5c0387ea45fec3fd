// Functions that only wrap an access, and libraries, are folded: bugs and steps are shown where they are called.
#include "TraceJson.h"
#include "support/Explore.h"

#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace picket {
namespace {

const char *const Atomics = R"(typedef struct { int _v; } atomic32_t;
static inline void atomic32_write_rlx(atomic32_t *a, int v) { __atomic_store_n(&a->_v, v, __ATOMIC_RELAXED); }
static inline void atomic32_set_rlx(atomic32_t *a, int v) { atomic32_write_rlx(a, v); }
static inline int atomic32_read_rlx(atomic32_t *a) { return __atomic_load_n(&a->_v, __ATOMIC_RELAXED); }
static inline void plain_write(int *p, int v) { *p = v; }
static inline void lock_open(int *p) { __atomic_store_n(p, 0, __ATOMIC_RELAXED); }
struct lock { int word; };
static inline void lock_set(struct lock *l, int v) { l->word = v; }
static inline int twice(atomic32_t *a) { return atomic32_read_rlx(a) + atomic32_read_rlx(a); }
)";
const char *const Text = R"(#include <assert.h>
#include <pthread.h>
#include "atomics.h"
static struct { int pad; atomic32_t x, y; } s;
static int r, q;
static void *left(void *arg) {
  atomic32_set_rlx(&s.x, 1);
  r = atomic32_read_rlx(&s.y);
  return arg;
}
static void *right(void *arg) {
  atomic32_set_rlx(&s.y, 1);
  q = atomic32_read_rlx(&s.x);
  return arg;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(r || q);
}
)";

CompileRequest request(const std::string &Header) {
  CompileRequest Request;
  Request.File = "/p/test.c";
  Request.Unsaved["/p/test.c"] = Text;
  Request.Unsaved["/p/" + Header] = Atomics;
  if (Header != "atomics.h") {
    std::string &Main = Request.Unsaved["/p/test.c"];
    Main.replace(Main.find("atomics.h"), 9, Header);
  }
  Request.UseCompileCommands = false;
  return Request;
}

Counterexample counterexample(const std::string &Header) {
  CheckOptions Options;
  Options.Models = {MemoryModel::TSO};
  const CheckReport Report = check({request(Header), Options});
  if (Report.Models.empty() || Report.Models[0].Bugs.empty() || !Report.Models[0].Bugs[0].Trace)
    throw std::runtime_error("no counterexample");
  return *Report.Models[0].Bugs[0].Trace;
}

const Step *stepWith(const Counterexample &C, const std::string &Words) {
  for (const Step &S : C.Steps)
    if (S.Text.find(Words) != std::string::npos)
      return &S;
  return nullptr;
}

TEST(FoldedCalls, AStepIsShownInTheCallerOfAWrapper) {
  for (const char *Header : {"atomics.h", "vendor/atomics.h"}) {
    const Counterexample C = counterexample(Header);
    const Step *S = stepWith(C, "stores 1 to `s.x._v`");
    ASSERT_TRUE(S) << C.Sentence;
    EXPECT_NE(S->Text.find("(by 'atomic32_set_rlx' in atomics.h)"), std::string::npos) << S->Text;
    const TraceEvent &E = C.Run.Events[S->Event];
    EXPECT_EQ(E.At.Where.File, "/p/test.c");
    EXPECT_EQ(E.At.Where.Line, 7u);
    EXPECT_EQ(E.At.Function, "left");
    ASSERT_EQ(E.Folded.size(), 2u);
    EXPECT_EQ(E.Folded[0].Function, "atomic32_set_rlx");
    EXPECT_EQ(E.Folded[1].Function, "atomic32_write_rlx");
    EXPECT_EQ(E.Folded[1].Where.Line, 2u);
    EXPECT_NE(C.Sentence.find("`s.x._v` (line 7)"), std::string::npos) << C.Sentence;
    EXPECT_EQ(C.Sentence.find("atomics.h"), std::string::npos) << C.Sentence;
  }
}

TEST(FoldedCalls, WrappersAreFunctionsThatKnowNothingOfWhatTheyAccess) {
  CompileRequest Request = request("atomics.h");
  Request.Unsaved["/p/test.c"] += "void others(struct lock *l, int *p, atomic32_t *a) {\n"
                                  "  plain_write(p, 1); lock_open(p); lock_set(l, 1); r = twice(a);\n}\n"
                                  "__attribute__((constructor)) static void reached(void) { others(0, 0, 0); }\n";
  const CompileResult Result = compileProgram(Request);
  ASSERT_TRUE(Result.Compiled);
  std::set<std::string> Wrappers, Others;
  for (const ProgramLocation &L : Result.Compiled->Locations)
    if (L.Line && Result.Compiled->Files[L.File] == "/p/atomics.h")
      (L.Wrapper != NoWrapper ? Wrappers : Others).insert(Result.Compiled->FunctionNames[L.Function]);
  EXPECT_EQ(Wrappers,
            (std::set<std::string>{"atomic32_write_rlx", "atomic32_set_rlx", "atomic32_read_rlx", "plain_write"}));
  // A lock stores a value of its own choice, or knows its structure; two accesses are more than one.
  for (const char *Name : {"lock_open", "lock_set", "twice"})
    EXPECT_TRUE(Others.contains(Name)) << Name;
}

TEST(FoldedCalls, TheJsonHasThemAndIsReadBack) {
  const Counterexample C = counterexample("atomics.h");
  SourceTexts Sources(request("atomics.h").Unsaved);
  std::string Json;
  llvm::raw_string_ostream Out(Json);
  llvm::json::OStream J(Out);
  writeTrace(J, C, {"/p/test.c", {}, &Sources}, /*Pictures=*/false);
  llvm::Expected<llvm::json::Value> Parsed = llvm::json::parse(Json);
  ASSERT_TRUE(static_cast<bool>(Parsed));
  llvm::Expected<SavedTrace> Read = readTrace(*Parsed);
  ASSERT_TRUE(static_cast<bool>(Read)) << llvm::toString(Read.takeError());
  ASSERT_EQ(Read->Run.Events.size(), C.Run.Events.size());
  size_t Folded = 0;
  for (size_t K = 0; K < C.Run.Events.size(); ++K) {
    const std::vector<TracePlace> &Before = C.Run.Events[K].Folded, &After = Read->Run.Events[K].Folded;
    ASSERT_EQ(Before.size(), After.size());
    Folded += After.size();
    for (size_t F = 0; F < Before.size(); ++F) {
      EXPECT_EQ(Before[F].Function, After[F].Function);
      EXPECT_EQ(Before[F].Where.Line, After[F].Where.Line);
    }
  }
  EXPECT_GT(Folded, 0u);
}

} // namespace
} // namespace picket
