// The figures of "Stateless Model Checking for TSO and PSO": each with its program, its execution and the edges it
// shows.
#include "support/Recordings.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using Edges = std::set<std::string>;

/// A program of two threads p and q over x, y and z.
Program programOf(const std::string &P, const std::string &Q) {
  return testing::compile(testing::requestForText("#include <pthread.h>\n"
                                                  "volatile int x, y, z;\n"
                                                  "void *p(void *arg) { int r, s; " +
                                                      P + " (void)r; (void)s; return arg; }\n" +
                                                      "void *q(void *arg) { int r, s; " + Q +
                                                      " (void)r; (void)s; return arg; }\n"
                                                      "int main(void) {\n"
                                                      "  pthread_t a, b;\n"
                                                      "  pthread_create(&a, 0, p, 0);\n"
                                                      "  pthread_create(&b, 0, q, 0);\n"
                                                      "  return 0;\n"
                                                      "}\n",
                                                  {"-Wno-uninitialized"}));
}

/// Runs the steps: "p" is a load of p, "p!x" the update of its oldest store to x.
Recording recordingOf(const Program &P, MemoryModel Buffers, const std::vector<std::string> &Steps) {
  Sharing Shared(P.NumSites, static_cast<uint32_t>(P.Globals.size()));
  for (uint32_t G = 0; G < P.Globals.size(); ++G)
    Shared.markShared(Shared.siteOfGlobal(G));
  Configuration C(P, Shared, MachineOptions(), Buffers);
  C.start();
  Recorder Into(C);
  Into.begin();
  for (const std::string &S : Steps) {
    ThreadId T = S[0] == 'p' ? 1 : 2;
    ProcessId Process = C.processOf(T);
    if (S.size() > 1)
      for (ProcessId U : C.updatesOf(T))
        if (C.isEnabled(U) && P.Globals[slotOf(C.bufferEntry(T, C.nextEntry(U)).Where) - 1].Name == S.substr(2))
          Process = U;
    if (!C.isEnabled(Process) || C.isUpdate(Process) != (S.size() > 1))
      throw std::runtime_error("the step " + S + " is not possible");
    Into.step(Process);
  }
  return Into.finish(nullptr);
}

/// The edges between p and q, without main's.
Edges withoutMain(const Recording &R, const TraceGraph &G) {
  Edges Result;
  for (const std::string &E : testing::canonicalEdges(R, G))
    if (E.find("->") != std::string::npos && E.find("main.") == std::string::npos)
      Result.insert(E);
  return Result;
}

Edges chronological(const Recording &R) { return withoutMain(R, chronologicalTrace(R)); }
Edges shashaSnir(const Recording &R) { return withoutMain(R, shashaSnirTrace(R)); }

// Figure 1, executed as in Figure 2: finally r = s = 0.
Recording figure2() {
  return recordingOf(programOf("x = 1; r = y;", "y = 1; s = x;"), MemoryModel::TSO, {"p", "q!y", "q", "p!x"});
}

TEST(PaperFigures, Figure2EndsWithBothLoadsReadingZero) {
  Recording R = figure2();
  std::vector<std::string> Read;
  for (const TraceEvent &E : R.Events)
    if (E.Kind == EventKind::Load)
      Read.push_back(E.Accesses[0].Text);
  EXPECT_EQ(Read, (std::vector<std::string>{"0", "0"}));
  EXPECT_EQ(testing::StoreBufferRules::problemOf(R), "");
}

TEST(PaperFigures, Figure3IsTheShashaSnirTraceOfFigure2) {
  EXPECT_EQ(shashaSnir(figure2()), (Edges{"p.1store(x) -po-> p.2load(y)", "q.1store(y) -po-> q.2load(x)",
                                          "p.2load(y) -cf-> q.1store(y)", "q.2load(x) -cf-> p.1store(x)"}));
}

TEST(PaperFigures, Figure3IsACycleThroughBothThreads) {
  Counterexample C = explain(figure2());
  EXPECT_EQ(C.Why.Edges.size(), 4u);
  ASSERT_EQ(C.Why.Reordered.size(), 1u) << "the most sequential telling delays one store only";
  EXPECT_NE(C.Why.Reordered[0].Sentence.find("took effect after"), std::string::npos);
}

TEST(PaperFigures, Figure4SeparatesUpdatesFromStores) {
  EXPECT_EQ(chronological(figure2()),
            (Edges{"p.1store(x) -po-> p.2load(y)", "q.1store(y) -po-> q.2load(x)",
                   "p.1store(x) -su-> update:p.1store(x)", "q.1store(y) -su-> update:q.1store(y)",
                   "p.2load(y) -cf-> update:q.1store(y)", "q.2load(x) -cf-> update:p.1store(x)"}));
}

// Figure 5: buffer forwarding.
Recording figure5(const std::vector<std::string> &Steps) {
  return recordingOf(programOf("x = 1; r = x;", "x = 2;"), MemoryModel::TSO, Steps);
}
const std::vector<std::vector<std::string>> Figure6 = {{"p", "q!x", "p!x"}, {"q!x", "p", "p!x"}, {"q!x", "p!x", "p"}};

TEST(PaperFigures, Figure7aIsTheShashaSnirTraceOfAllThreeOfFigure6) {
  for (const auto &Steps : Figure6)
    EXPECT_EQ(shashaSnir(figure5(Steps)), (Edges{"p.1store(x) -po-> p.2load(x)", "q.1store(x) -st-> p.1store(x)",
                                                 "p.1store(x) -src-> p.2load(x)"}));
}

TEST(PaperFigures, Figure7bMergesTheThreeOfFigure6) {
  for (const auto &Steps : Figure6)
    EXPECT_EQ(chronological(figure5(Steps)),
              (Edges{"p.1store(x) -po-> p.2load(x)", "p.1store(x) -su-> update:p.1store(x)",
                     "q.1store(x) -su-> update:q.1store(x)", "update:q.1store(x) -uu-> update:p.1store(x)"}));
}

TEST(PaperFigures, Figure8ShowsTheThreeTracesOfFigure5) {
  const Edges Always = {"p.1store(x) -po-> p.2load(x)", "p.1store(x) -su-> update:p.1store(x)",
                        "q.1store(x) -su-> update:q.1store(x)"};
  auto With = [&](Edges More) {
    More.insert(Always.begin(), Always.end());
    return More;
  };
  EXPECT_EQ(chronological(figure5({"p!x", "p", "q!x"})),
            With({"update:p.1store(x) -uu-> update:q.1store(x)", "p.2load(x) -cf-> update:q.1store(x)"}));
  EXPECT_EQ(chronological(figure5({"p!x", "q!x", "p"})),
            With({"update:p.1store(x) -uu-> update:q.1store(x)", "update:q.1store(x) -src-> p.2load(x)"}));
  EXPECT_EQ(chronological(figure5({"q!x", "p!x", "p"})), With({"update:q.1store(x) -uu-> update:p.1store(x)"}));
}

TEST(PaperFigures, Figure8IsAllThereIs) {
  std::set<Edges> Traces;
  testing::forEachExecution(programOf("x = 1; r = x;", "x = 2;"), MemoryModel::TSO, 1000,
                            [&](Recording R) { Traces.insert(chronological(R)); });
  EXPECT_EQ(Traces.size(), 3u);
}

// Figure 10(a): the idiom of Peterson's algorithm, executed as in Figure 10(c).
Recording figure10() {
  return recordingOf(programOf("x = 1; z = 1; r = z; s = y;", "y = 1; z = 0; r = z; s = x;"), MemoryModel::TSO,
                     {"p", "p", "p!x", "p!z", "q", "q!y", "q!z", "q"});
}

TEST(PaperFigures, Figure10bIsTheChronologicalTraceOfPetersonsIdiom) {
  EXPECT_EQ(chronological(figure10()),
            (Edges{"p.1store(x) -po-> p.2store(z)", "p.2store(z) -po-> p.3load(z)", "p.3load(z) -po-> p.4load(y)",
                   "q.1store(y) -po-> q.2store(z)", "q.2store(z) -po-> q.3load(z)", "q.3load(z) -po-> q.4load(x)",
                   "update:p.1store(x) -po-> update:p.2store(z)", "update:q.1store(y) -po-> update:q.2store(z)",
                   "p.1store(x) -su-> update:p.1store(x)", "p.2store(z) -su-> update:p.2store(z)",
                   "q.1store(y) -su-> update:q.1store(y)", "q.2store(z) -su-> update:q.2store(z)",
                   "update:p.2store(z) -uu-> update:q.2store(z)", "update:p.1store(x) -src-> q.4load(x)",
                   "p.3load(z) -cf-> update:q.2store(z)", "p.4load(y) -cf-> update:q.1store(y)"}));
}

TEST(PaperFigures, Figure10dIsItsShashaSnirTrace) {
  EXPECT_EQ(shashaSnir(figure10()),
            (Edges{"p.1store(x) -po-> p.2store(z)", "p.2store(z) -po-> p.3load(z)", "p.3load(z) -po-> p.4load(y)",
                   "q.1store(y) -po-> q.2store(z)", "q.2store(z) -po-> q.3load(z)", "q.3load(z) -po-> q.4load(x)",
                   "p.2store(z) -st-> q.2store(z)", "p.1store(x) -src-> q.4load(x)", "p.2store(z) -src-> p.3load(z)",
                   "q.2store(z) -src-> q.3load(z)", "p.3load(z) -cf-> q.2store(z)", "p.4load(y) -cf-> q.1store(y)"}));
}

TEST(PaperFigures, Figure11ReordersStoresUnderPso) {
  Recording R = recordingOf(programOf("x = 1; y = 1;", "r = y; s = x;"), MemoryModel::PSO, {"p!y", "q", "q", "p!x"});
  EXPECT_EQ(chronological(R), (Edges{"p.1store(x) -po-> p.2store(y)", "q.1load(y) -po-> q.2load(x)",
                                     "p.1store(x) -su-> update:p.1store(x)", "p.2store(y) -su-> update:p.2store(y)",
                                     "update:p.2store(y) -src-> q.1load(y)", "q.2load(x) -cf-> update:p.1store(x)"}));
  R.File = "test.c";
  Counterexample C = explain(R);
  ASSERT_EQ(C.Why.Reordered.size(), 1u);
  EXPECT_EQ(C.Why.Reordered[0].Sentence, "the store to `x` at line 3 took effect after the store to `y` at line 3");
}

TEST(Traces, AFenceComesAfterTheUpdatesOfItsThread) {
  Recording R =
      recordingOf(programOf("x = 1; __sync_synchronize(); r = y;", "y = 1;"), MemoryModel::TSO, {"p!x", "p", "q!y"});
  Edges Found = chronological(R);
  EXPECT_TRUE(Found.count("update:p.1store(x) -uf-> p.2fence"));
  EXPECT_EQ(testing::StoreBufferRules::problemOf(R), "");
}

TEST(Traces, AStoreStoreBarrierOrdersUpdatesUnderPso) {
  Recording R = recordingOf(programOf("x = 1; __atomic_thread_fence(__ATOMIC_RELEASE); y = 1;", "r = y;"),
                            MemoryModel::PSO, {"p!x", "p!y", "q"});
  EXPECT_TRUE(chronological(R).count("update:p.1store(x) -fence-> update:p.3store(y)"));
}

TEST(Traces, PartlyOverlappingAccessesAreRelated) {
  Recording R = recordingOf(programOf("x = 1;", "r = ((volatile char *)&x)[0];"), MemoryModel::TSO, {"p!x", "q"});
  Edges Found = chronological(R);
  EXPECT_EQ(std::count_if(Found.begin(), Found.end(),
                          [](const std::string &E) { return E.find("update:p.1store(x) -src-> q.1load") == 0; }),
            1);
}

} // namespace
} // namespace picket
