// Each row of the table of inline assembly means what the same operation does without assembly.
#include "source/assembly/AssemblyTable.h"
#include "support/AssemblyCases.h"
#include "support/Graphs.h"

#include "gtest/gtest.h"

namespace picket {
namespace {

using namespace picket::testing;

constexpr Architecture Compiled[] = {Architecture::X86_64, Architecture::Aarch64, Architecture::Powerpc64le};

CompileRequest requestFor(Architecture For, const std::string &Text) {
  CompileRequest Request = requestForText(Text);
  Request.For = For;
  return Request;
}

std::string functionOf(const AssemblyVariant &V, const std::string &Name, const std::string &Body) {
  return "static __attribute__((always_inline)) inline " + V.Type + " " + Name + "(" + V.Type + " *p, " + V.Type +
         " v, " + V.Type + " w) { typedef " + V.Type + " T; T r = 0; (void)v; (void)w; " + Body + " return r; }\n";
}

/// Two threads, one with the operation between accesses of another variable, the other with it twice.
std::string threadsWith(const AssemblyVariant &V, const std::string &Body) {
  return "#include <pthread.h>\n" + functionOf(V, "operation", Body) + V.Type + " x; int y; " + V.Type +
         " seen[3]; int other;\n"
         "static void *first(void *unused) {\n"
         "  seen[0] = operation(&x, 1, 0);\n"
         "  other = __atomic_load_n(&y, 0);\n"
         "  return unused;\n}\n"
         "int main(void) {\n"
         "  pthread_t t;\n"
         "  x = 0;\n" // each of the programs has it
         "  pthread_create(&t, 0, first, 0);\n"
         "  __atomic_store_n(&y, 1, 0);\n"
         "  seen[1] = operation(&x, 2, 1);\n"
         "  seen[2] = operation(&x, 3, 2);\n"
         "  pthread_join(t, 0);\n"
         "  return 0;\n}\n";
}

std::string figures(const ExplorationResult &R) {
  return std::to_string(R.Executions) + " executions, " + std::to_string(R.Blocked) + " blocked, " +
         std::to_string(R.Cut) + " cut " + R.Reason;
}

void expectSameTraces(const AssemblyVariant &V) {
  const Program Mine = compile(requestFor(V.Of->For, threadsWith(V, V.Assembly)));
  const Program Other = compile(requestFor(V.Of->For, threadsWith(V, V.Plain)));
  auto CompareGraphs = [&](MemoryModel Model) {
    GraphTraces A, B;
    const ExplorationResult First = exploreGraphs(Mine, Model, exhaustively(MemoryModel::SC, 8), A);
    const ExplorationResult Second = exploreGraphs(Other, Model, exhaustively(MemoryModel::SC, 8), B);
    EXPECT_EQ(figures(First), figures(Second)) << V.Name << " under " << nameOf(Model);
    EXPECT_GT(First.Executions, 0u) << V.Name;
    EXPECT_TRUE(A.areAmong(B) && B.areAmong(A)) << V.Name << " under " << nameOf(Model);
    EXPECT_EQ(A.Bugs, B.Bugs) << V.Name << " under " << nameOf(Model);
  };
  if (V.Of->For == Architecture::Aarch64)
    return CompareGraphs(MemoryModel::Armv8);
  if (V.Of->For == Architecture::Powerpc64le)
    return CompareGraphs(MemoryModel::Power);
  for (MemoryModel Model : AllModels) {
    Traces A, B;
    const ExplorationResult First = exploreOptimally(Mine, exhaustively(Model, 8), A);
    const ExplorationResult Second = exploreOptimally(Other, exhaustively(Model, 8), B);
    EXPECT_EQ(figures(First), figures(Second)) << V.Name << " under " << nameOf(Model);
    EXPECT_GT(First.Executions, 0u) << V.Name;
    EXPECT_TRUE(A.Complete == B.Complete && A.Blocked == B.Blocked) << V.Name << " under " << nameOf(Model);
  }
  CompareGraphs(MemoryModel::C11);
}

/// Whether a thread's accesses of two variables, with a barrier between, are seen in another order by a thread that keeps its own.
/// Kinds: W or R for each of both.
bool isReordered(Architecture For, MemoryModel Model, const std::string &Barrier, const std::string &Kinds) {
  auto Access = [](char Kind, const char *Variable, const char *Result) {
    return Kind == 'W' ? std::string("__atomic_store_n(&") + Variable + ", 1, 0);"
                       : std::string(Result) + " = __atomic_load_n(&" + Variable + ", 0);";
  };
  const char Opposite[] = {Kinds[1] == 'W' ? 'R' : 'W', Kinds[0] == 'W' ? 'R' : 'W'};
  const std::string Weak = Kinds == "WW"   ? "c == 1 && d == 0"
                           : Kinds == "RR" ? "a == 1 && b == 0"
                           : Kinds == "WR" ? "b == 0 && d == 0"
                                           : "a == 1 && c == 1";
  const Program P = compile(requestFor(
      For, "#include <pthread.h>\nvoid __VERIFIER_assert(int);\nint x, y, c, d;\n"
           "static void *other(void *unused) { " +
               Access(Opposite[0], "y", "c") + " __atomic_thread_fence(5); " + Access(Opposite[1], "x", "d") +
               " return unused; }\nint main(void) { pthread_t t; int a = 0, b = 0; pthread_create(&t, 0, other, 0); " +
               Access(Kinds[0], "x", "a") + " " + Barrier + " " + Access(Kinds[1], "y", "b") +
               " pthread_join(t, 0); __VERIFIER_assert(!(" + Weak + ")); return 0; }\n"));
  if (Model == MemoryModel::Armv8 || Model == MemoryModel::Power)
    return !exploreGraphsOf(P, Model).Bugs.empty();
  struct Bugs : ExplorationObserver {
    bool Any = false;
    void ended(Execution &, Ending How) override { Any |= How == Ending::Buggy; }
  } Found;
  exploreOptimally(P, exhaustively(Model), Found);
  return Found.Any;
}

TEST(AssemblyBarriers, EachOrdersWhatItSays) {
  struct {
    MemoryModel Model;
    const char *Name, *Orders;
  } Cases[] = {{MemoryModel::TSO, "mfence", "WR"},         {MemoryModel::PSO, "mfence", "WW WR"},
               {MemoryModel::PSO, "sfence", "WW"},         {MemoryModel::PSO, "lfence", ""},
               {MemoryModel::Power, "lwsync", "WW RR RW"}, {MemoryModel::Power, "sync 1", "WW RR RW"},
               {MemoryModel::Power, "eieio", "WW"},        {MemoryModel::Power, "isync", ""}};
  auto Expect = [](Architecture For, MemoryModel Model, const std::string &Name, const std::string &Orders) {
    const std::string Barrier = "__asm__ volatile(\"" + Name + "\" ::: \"memory\");";
    for (const char *Kinds : {"WW", "WR", "RW", "RR"}) {
      const bool Without = isReordered(For, Model, "", Kinds);
      EXPECT_EQ(isReordered(For, Model, Barrier, Kinds), Without && Orders.find(Kinds) == std::string::npos)
          << Name << " " << Kinds << " under " << nameOf(Model);
    }
  };
  for (const auto &[Model, Name, Orders] : Cases)
    Expect(infoOf(Model).Target, Model, Name, Orders);
  for (const AssemblyRow &Row : assemblyTable()) {
    const std::string Name = Row.Name.str();
    if (Row.What != Meaning::Barrier ||
        (Row.For == Architecture::Powerpc64le && Name.find("sync") == std::string::npos))
      continue;
    if (Row.For == Architecture::Powerpc64le && Name != "lwsync" && Name != "isync" && Name != "sync 1")
      Expect(Row.For, MemoryModel::Power, Name, "WW WR RW RR");
    if (Row.For != Architecture::Aarch64 || Name == "dmb" || Name == "dsb")
      continue;
    const bool IsDsb = Name.starts_with("dsb");
    Expect(Row.For, MemoryModel::Armv8, Name,
           Name.starts_with("isb") ? ""
           : Name.ends_with("ld")  ? "RW RR"
           : Name.ends_with("st")  ? (IsDsb ? "WW WR" : "WW")
                                   : "WW WR RW RR");
  }
}

class AssemblyTable : public ::testing::TestWithParam<Architecture> {};

TEST_P(AssemblyTable, EachRowHasATest) {
  for (const AssemblyRow &Row : assemblyTable()) {
    if (Row.For != GetParam())
      continue;
    const bool Found = std::any_of(assemblyCases().begin(), assemblyCases().end(), [&](const AssemblyCase &Case) {
      return Case.For == Row.For && Case.Row == Row.Name.str();
    });
    EXPECT_TRUE(Found) << Row.Name.str();
  }
}

TEST_P(AssemblyTable, EachRowHasTheTracesOfItsTwin) {
  for (const AssemblyCase &Case : assemblyCases())
    if (Case.For == GetParam() && Case.TouchesMemory)
      for (const AssemblyVariant &V : variantsOf(Case)) {
        // The order makes a difference to traces; the width only to values, which are compared below.
        if (V.Type != variantsOf(Case).back().Type)
          continue;
        expectSameTraces(V);
      }
}

/// The lines of the bugs that were found.
struct BugLines : ExplorationObserver {
  explicit BugLines(const Program &P) : P(P) {}
  void ended(Execution &E, Ending) override {
    for (const BugReport &B : E.configuration().machine().bugs())
      Lines.insert(P.locationOf(B.Pc).Line);
  }
  const Program &P;
  std::set<uint32_t> Lines;
};

/// One program with all variants, each with several operands: results and memory are the same.
TEST_P(AssemblyTable, EachRowHasTheValuesOfItsTwin) {
  std::string Text = "void __VERIFIER_assert(int);\n", Calls;
  std::map<uint32_t, std::string> Names; // of the lines
  for (const AssemblyCase &Case : assemblyCases()) {
    if (Case.For != GetParam())
      continue;
    for (const AssemblyVariant &V : variantsOf(Case)) {
      const std::string Number = std::to_string(Names.size());
      Text += functionOf(V, "assembly" + Number, V.Assembly) + functionOf(V, "plain" + Number, V.Plain);
      Text += "static void compare" + Number + "(unsigned long i, unsigned long j, unsigned long k) { " + V.Type +
              " a = (" + V.Type + ")i, b = a, v = (" + V.Type + ")j, w = (" + V.Type + ")k; " + V.Type +
              " c = assembly" + Number + "(&a, v, w), d = plain" + Number +
              "(&b, v, w); __VERIFIER_assert(c == d && a == b); }\n";
      Names[static_cast<uint32_t>(std::count(Text.begin(), Text.end(), '\n'))] = V.Name;
      Calls += "  compare" + Number + "(i, j, k);\n";
    }
  }
  ASSERT_GT(Names.size(), 60u);
  Text +=
      "static void all(unsigned long i, unsigned long j, unsigned long k) {\n" + Calls +
      "}\n"
      "int main(void) {\n"
      "  static const unsigned long in[] = {0, 1, 127, 0x80, 0xffff, 0x80000000, 0x7fffffff12345678, -1L};\n"
      "  for (int i = 0; i < 8; ++i) for (int j = 0; j < 8; ++j) { all(in[i], in[j], in[i]); all(in[i], in[j], in[j]); }\n"
      "  return 0;\n}\n";
  const Program P = compile(requestFor(GetParam(), Text));
  BugLines Found(P);
  const ExplorationResult R = exploreOptimally(P, exhaustively(MemoryModel::SC, 256), Found);
  EXPECT_EQ(R.Reason, "") << (R.HasReasonPc ? Names[P.locationOf(R.ReasonPc).Line + 2] : "");
  EXPECT_EQ(R.Executions, 1u);
  for (uint32_t Line : Found.Lines)
    ADD_FAILURE() << Names[Line];
}

INSTANTIATE_TEST_SUITE_P(Of, AssemblyTable, ::testing::ValuesIn(Compiled),
                         [](const auto &Info) { return std::string(nameOf(Info.param)); });

} // namespace
} // namespace picket
