// Counterexamples of POWER: what is recorded, the trace made of it, and how it is told.
#include "support/Recordings.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

using testing::problemOf;

const char *const Includes = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n"
                             "#define GET(x) atomic_load_explicit(&x, memory_order_relaxed)\n"
                             "#define SET(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)\n"
                             "#define LWSYNC __asm__ volatile(\"lwsync\" ::: \"memory\")\n"
                             "#define SYNC __asm__ volatile(\"sync\" ::: \"memory\")\n"
                             "atomic_int x, y, z; int r0, r1, r2, r3;\n";

/// A program with a thread per body, which main starts, waits for, and then asserts something.
std::string program(const std::vector<std::string> &Bodies, const std::string &Assertion) {
  std::string Text = Includes, Starts, Joins;
  for (size_t K = 0; K < Bodies.size(); ++K) {
    const std::string N = std::to_string(K);
    Text += "void *t" + N + "(void *p) { " + Bodies[K] + " return p; }\n";
    Starts += "pthread_create(&a[" + N + "], 0, t" + N + ", 0); ";
    Joins += "pthread_join(a[" + N + "], 0); ";
  }
  return Text + "int main(void) { pthread_t a[8]; " + Starts + Joins + "assert(" + Assertion + "); }\n";
}

/// The first counterexample of a program, checked in every way, and replayed.
Counterexample explained(const std::string &Text) {
  CheckRequest Request;
  Request.Text = testing::requestForText(Text);
  Request.Options.Models = {MemoryModel::Power};
  const CheckReport Report = check(Request);
  if (Report.Models[0].Bugs.empty() || !Report.Models[0].Bugs[0].Trace)
    throw std::runtime_error("no counterexample: " + Report.Models[0].Reason);
  const Counterexample C = *Report.Models[0].Bugs[0].Trace;
  EXPECT_EQ(problemOf(C), "");
  const ReplayResult Again = replay(testing::compile(Request.Text), C.Run, MachineOptions());
  EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << Again.Message;
  return C;
}

bool verified(const std::string &Text) {
  CheckRequest Request;
  Request.Text = testing::requestForText(Text);
  Request.Options.Models = {MemoryModel::Power};
  return check(Request).Models[0].Result == Verdict::Verified;
}

/// "t0: write x -src-> t1: read x", each edge of the cycle.
std::set<std::string> cycleOf(const Counterexample &C) {
  auto Name = [&](uint32_t Event) {
    const TraceEvent &E = C.Run.Events[Event];
    return C.Run.Threads[E.Thread].Name + " " + nameOf(E.Kind) + " " + C.Run.Variables[E.Accesses.back().Variable].Name;
  };
  std::set<std::string> Result;
  for (const TraceEdge &E : C.Why.Edges)
    Result.insert(Name(E.From) + " -" + nameOf(E.Kind) + "-> " + Name(E.To));
  return Result;
}

bool mentions(const std::string &Text, const std::string &Part) { return Text.find(Part) != std::string::npos; }

TEST(PowerCounterexample, StoreBufferingReadsBeforeItsStore) {
  const Counterexample C = explained(program({"SET(x, 1); r0 = GET(y);", "SET(y, 1); r1 = GET(x);"}, "r0 || r1"));
  EXPECT_EQ(cycleOf(C), (std::set<std::string>{"t0 store x -po-> t0 load y", "t0 load y -cf-> t1 store y",
                                               "t1 store y -po-> t1 load x", "t1 load x -cf-> t0 store x"}));
  ASSERT_EQ(C.Why.Reordered.size(), 1u) << "one of them is enough";
  EXPECT_TRUE(mentions(C.Sentence, "before its earlier store to")) << C.Sentence;
  for (const Step &S : C.Steps)
    EXPECT_FALSE(mentions(S.Text + S.Remark, "buffer"));
}

TEST(PowerCounterexample, MessagePassingKeepsItsFence) {
  const Counterexample C = explained(
      program({"SET(x, 1); LWSYNC; SET(y, 1);", "int v = GET(y), w = GET(x); r0 = v; r1 = w;"}, "!(r0 && !r1)"));
  EXPECT_EQ(cycleOf(C), (std::set<std::string>{"t0 store x -fence-> t0 store y", "t0 store y -src-> t1 load y",
                                               "t1 load y -po-> t1 load x", "t1 load x -cf-> t0 store x"}));
  ASSERT_EQ(C.Why.Reordered.size(), 1u);
  EXPECT_EQ(C.Why.Reordered[0].Sentence.rfind("the load of `y`", 0), 0u) << C.Why.Reordered[0].Sentence;
  EXPECT_TRUE(mentions(C.Sentence, "Thread 't1' read `x` = 0")) << C.Sentence;
}

TEST(PowerCounterexample, ABranchDoesNotKeepLoadsInOrder) {
  const Counterexample C = explained(program(
      {"SET(x, 1); LWSYNC; SET(y, 1);", "int v = GET(y), w = 1; if (v) w = GET(x); r0 = v; r1 = w;"}, "!(r0 && !r1)"));
  unsigned Branches = 0;
  for (const TraceEdge &E : C.ShashaSnir.Edges)
    Branches += E.Kind == EdgeKind::ControlDependency && C.Run.Events[E.From].Thread == C.Run.Events[E.To].Thread &&
                C.Run.Events[E.To].Kind == EventKind::Load && C.Run.Threads[C.Run.Events[E.To].Thread].Name == "t1";
  EXPECT_EQ(Branches, 1u) << "it is there, but it is not what the cycle is made of";
  EXPECT_TRUE(cycleOf(C).count("t1 load y -po-> t1 load x"));
}

TEST(PowerCounterexample, LoadBufferingStoresBeforeItsLoad) {
  const Counterexample C =
      explained(program({"int v = GET(x); SET(y, 1); r0 = v;", "int v = GET(y); SET(x, v); r1 = v;"}, "!(r0 && r1)"));
  EXPECT_TRUE(cycleOf(C).count("t1 load y -data-> t1 store x")) << "the dependency is on the cycle";
  ASSERT_EQ(C.Why.Reordered.size(), 1u);
  EXPECT_EQ(C.Run.Threads[C.Run.Events[C.Why.Reordered[0].First].Thread].Name, "t0");
  EXPECT_TRUE(mentions(C.Sentence, "stored 1 to `y`")) << C.Sentence;
}

TEST(PowerCounterexample, StoresReachThreadsAtDifferentTimes) {
  const std::string Readers[] = {"r0 = GET(x); LWSYNC; r1 = GET(y);", "r2 = GET(y); LWSYNC; r3 = GET(x);"};
  const std::string Assertion = "!(r0 && !r1 && r2 && !r3)";
  const Counterexample C = explained(program({"SET(x, 1);", "SET(y, 1);", Readers[0], Readers[1]}, Assertion));
  EXPECT_TRUE(C.Why.Reordered.empty());
  ASSERT_EQ(C.Why.Late.size(), 1u);
  EXPECT_TRUE(mentions(C.Why.Late[0].Sentence, "had not reached")) << C.Why.Late[0].Sentence;
  EXPECT_TRUE(mentions(C.Sentence, "before it reached thread")) << C.Sentence;
  EXPECT_TRUE(cycleOf(C).count("t2 load x -fence-> t2 load y"));
}

TEST(PowerCounterexample, WriteToReadCausality) {
  const Counterexample C = explained(
      program({"SET(x, 1);", "r0 = GET(x); SET(y, r0);", "r1 = GET(y); LWSYNC; r2 = GET(x);"}, "!(r1 && !r2)"));
  EXPECT_TRUE(C.Why.Reordered.empty());
  ASSERT_EQ(C.Why.Late.size(), 1u);
  EXPECT_EQ(cycleOf(C), (std::set<std::string>{"t0 store x -src-> t1 load x", "t1 load x -data-> t1 store y",
                                               "t1 store y -src-> t2 load y", "t2 load y -fence-> t2 load x",
                                               "t2 load x -cf-> t0 store x"}));
  EXPECT_TRUE(verified(program({"SET(x, 1);", "r0 = GET(x); LWSYNC; SET(y, r0);", "r1 = GET(y); LWSYNC; r2 = GET(x);"},
                               "!(r1 && !r2)")));
}

TEST(PowerCounterexample, OwnStoresAreSeenEarly) {
  const Counterexample C =
      explained(program({"SET(x, 1); r0 = GET(x); SET(y, r0);", "r1 = GET(y); SYNC; r2 = GET(x);"}, "!(r1 && !r2)"));
  bool Early = false;
  for (const Step &S : C.Steps)
    Early |= mentions(S.Text, "its own store, which no other thread sees yet");
  EXPECT_TRUE(Early) << C.Sentence;
}

TEST(PowerCounterexample, WhatIsInFrontOfWhatHappenedHappenedToo) {
  // The assertion fails as soon as y is seen; that x was not written by then has to be in the trace.
  const Counterexample C =
      explained(Includes + std::string("void *t0(void *p) { SET(x, 1); SET(y, 1); return p; }\n"
                                       "void *t1(void *p) { if (GET(y)) assert(GET(x)); return p; }\n"
                                       "int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); "
                                       "pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }\n"));
  EXPECT_EQ(C.Why.Edges.size(), 4u);
}

TEST(PowerCounterexample, LocksAreHeldWhileTheStoryGoesOn) {
  const Counterexample C = explained(
      Includes +
      std::string("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int n;\n"
                  "void *t0(void *p) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return p; }\n"
                  "int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); "
                  "pthread_create(&b, 0, t0, 0); pthread_join(a, 0); pthread_join(b, 0); assert(n != 2); }\n"));
  EXPECT_TRUE(C.Why.Edges.empty());
  unsigned Locks = 0, Orders = 0;
  for (size_t K = 0; K < C.Steps.size(); ++K) {
    const TraceEvent &E = C.Run.Events[C.Steps[K].Event];
    Locks += E.Action == SyncAction::Locks;
    EXPECT_LE(C.Steps[K].Locks.size(), 1u);
    if (E.isAccess() && C.Run.Threads[E.Thread].Name != "main") {
      EXPECT_EQ(C.Steps[K].Locks.size(), 1u) << "the accesses are inside";
    }
  }
  for (const TraceEdge &E : C.ShashaSnir.Edges)
    Orders += E.Kind == EdgeKind::SyncOrder;
  EXPECT_EQ(Locks, 2u);
  EXPECT_EQ(Orders, 3u);
}

TEST(PowerCounterexample, DeadlocksNameWhoWaits) {
  const Counterexample C = explained(
      Includes + std::string("pthread_mutex_t l, m;\n"
                             "void *t0(void *p) { pthread_mutex_lock(&l); pthread_mutex_lock(&m); return p; }\n"
                             "void *t1(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&l); return p; }\n"
                             "int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); "
                             "pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }\n"));
  EXPECT_TRUE(mentions(C.Sentence, "hread 't0' holds `l` and waits for `m`")) << C.Sentence;
  EXPECT_TRUE(mentions(C.Sentence, "hread 't1' holds `m` and waits for `l`")) << C.Sentence;
}

TEST(PowerCounterexample, TheEndOfMemoryIsOneEvent) {
  for (const char *Use : {"q->b = 1;", "r0 = q->a;"}) {
    const Counterexample C = explained(
        Includes +
        std::string("struct pair { int a, b; } *q;\n"
                    "void *t0(void *p) { ") +
        Use + " return p; }\n" +
        "void *t1(void *p) { q->a = 2; free(q); return p; }\n"
        "int main(void) { pthread_t a, b; q = malloc(sizeof *q); q->a = q->b = 0; pthread_create(&a, 0, t0, 0); "
        "pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }\n");
    unsigned Ends = 0;
    for (const TraceEvent &E : C.Run.Events)
      Ends += E.Kind == EventKind::Free;
    EXPECT_EQ(Ends, 1u) << Use;
    EXPECT_EQ(C.Run.BugKind, BugKind::UseAfterFree);
    EXPECT_TRUE(mentions(C.Sentence, "Thread 't1' freed `*q` (pair#1)")) << C.Sentence;
    EXPECT_EQ(C.Run.Events[C.Run.BugEvent].Accesses.size(), 1u);
  }
}

TEST(PowerCounterexample, ADoubleFreeIsTheSecondOne) {
  const Counterexample C =
      explained(Includes + std::string("int *q;\nvoid *t0(void *p) { free(q); return p; }\n"
                                       "int main(void) { pthread_t a, b; q = malloc(4); pthread_create(&a, 0, t0, 0); "
                                       "pthread_create(&b, 0, t0, 0); pthread_join(a, 0); pthread_join(b, 0); }\n"));
  EXPECT_EQ(C.Run.BugKind, BugKind::DoubleFree);
}

/// Two threads, after main has made a block of two integers that are 0.
std::string withBlock(const std::string &First, const std::string &Second) {
  return Includes + std::string("_Atomic int *q;\nvoid *t0(void *p) { ") + First +
         " return p; }\nvoid *t1(void *p) { " + Second +
         " return p; }\nint main(void) { pthread_t a, b; q = malloc(8); q[0] = q[1] = 0; pthread_create(&a, 0, t0, 0); "
         "pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }\n";
}

TEST(PowerCounterexample, AMovedBlockIsReadAndThenEnds) {
  const Counterexample C =
      explained(withBlock("q[0] = 3; y = 1;", "if (y) { int *n = realloc((void *)q, 4); if (y) assert(n[0] != 3); }"));
  std::vector<EventKind> Kinds;
  for (const TraceEvent &E : C.Run.Events)
    if (E.Kind != EventKind::Join && C.Run.Threads[E.Thread].Name == "t1")
      Kinds.push_back(E.Kind);
  EXPECT_EQ(Kinds, (std::vector<EventKind>{EventKind::Load, EventKind::Load, EventKind::Load, EventKind::Free,
                                           EventKind::Load, EventKind::Bug}));
}

TEST(PowerCounterexample, WhatIsInAMovedBlockDependsOnTheExecution) {
  // Other executions know of more to copy, or of something to copy at all.
  explained(withBlock("if (GET(x)) q[0] = 1; else q[1] = 7; y = 1; SET(x, 1);",
                      "SET(x, 1); if (y) { int *n = realloc((void *)q, 16); assert(n[1] != 7); }"));
  explained(withBlock("int *o = malloc(4); int v = GET(x); if (v) *o = 1; o = realloc(o, 8); int w = x; "
                      "if (!v) assert(w != 1); free(o);",
                      "SET(x, 1);"));
}

TEST(PowerCounterexample, MovingABlockThatHasEndedIsADoubleFree) {
  for (const auto &[First, Second] : std::vector<std::pair<std::string, std::string>>{
           {"q[0] = 1; _Atomic int *n = realloc((void *)q, 16); x = n[1];", "free((void *)q);"},
           {"int *o = malloc(4); free(o); o = realloc(o, 8); x = !o;", "x = 1;"},
           {"int *o = malloc(4); *o = 1; free(o); o = realloc(o, 8); x = o[0];", "x = 1;"}})
    EXPECT_EQ(explained(withBlock(First, Second)).Run.BugKind, BugKind::DoubleFree) << First;
}

TEST(PowerCounterexample, NobodyNeedsToUseAMovedBlock) {
  const Counterexample C = explained(withBlock("int *o = malloc(4); *o = 1; realloc(o, 8); x = *o;", "x = 1;"));
  EXPECT_EQ(C.Run.BugKind, BugKind::UseAfterFree);
}

TEST(PowerCounterexample, AWriteBehindAnEndMayBeSeenToComeFirst) { // q is given away before what is in it
  explained(Includes + std::string("int *volatile h;\n"
                                   "void *t0(void *p) { int *q = malloc(4); *q = 0; h = q; return p; }\n"
                                   "void *t1(void *p) { int *q = h; if (q) free(q); return p; }\n"
                                   "int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); "
                                   "pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }\n"));
}

TEST(PowerCounterexample, SomebodyMayHaveBeenAboutToReadWhatIsNotShown) {
  explained(program({"SET(x, 1); SYNC; SET(y, 1);", "if (GET(y)) assert(0);", "r0 = GET(x);"}, "1"));
}

TEST(PowerCounterexample, WhatOnlyOneThreadTouchesIsNotShown) {
  const Counterexample C = explained(program(
      {"int own[2] = {0, 0}; own[GET(z)] = 1; SET(x, 1); r0 = GET(y);", "SET(y, 1); r1 = GET(x);"}, "r0 || r1"));
  for (const TraceVariable &V : C.Run.Variables)
    EXPECT_TRUE(!mentions(V.Name, "own") && !mentions(V.Name, "a[")) << V.Name;
}

TEST(PowerCounterexample, AnUpdateNeverReadsBehindItsThreadsOwnStore) {
  EXPECT_TRUE(verified(program({"if (GET(x) == 2) r0 = 1;",
                                "SET(x, 5); int v = atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); r1 = v;"},
                               "r1 == 5")));
}

TEST(PowerReplay, NoticesAnotherProgram) {
  const std::vector<std::string> Bodies = {"SET(x, 1); LWSYNC; SET(y, 1);",
                                           "int v = GET(y), w = GET(x); r0 = v; r1 = w;"};
  const Counterexample C = explained(program(Bodies, "!(r0 && !r1)"));
  auto Again = [&](const std::string &Text) {
    return replay(testing::compile(testing::requestForText(Text)), C.Run, MachineOptions());
  };
  const ReplayResult Fenced = Again(program(
      {"SET(x, 1); LWSYNC; SET(y, 1);", "int v = GET(y); LWSYNC; int w = GET(x); r0 = v; r1 = w;"}, "!(r0 && !r1)"));
  EXPECT_EQ(Fenced.Outcome, ReplayResult::Differs);
  const ReplayResult Other = Again(program({"SET(x, 2); LWSYNC; SET(y, 1);", Bodies[1]}, "!(r0 && !r1)"));
  EXPECT_EQ(Other.Outcome, ReplayResult::Differs);
  EXPECT_TRUE(mentions(Other.Message, "stores 1 to `x`") && mentions(Other.Message, "stores 2 to `x`"))
      << Other.Message;
  EXPECT_EQ(Again(program(Bodies, "!(r0 && !r1) || r0")).Outcome, ReplayResult::NoBug);
}

} // namespace
} // namespace picket
