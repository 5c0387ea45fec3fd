#include "draw/Dot.h"

#include "draw/DotText.h"
#include "draw/Highlight.h"
#include "draw/graphviz/Graphviz.h"
#include "support/TraceBuilder.h"
#include "support/Xml.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace picket {
namespace {

using testing::TraceBuilder;
using testing::XmlElement;
using testing::XmlReader;

constexpr View BothViews[] = {View::Chronological, View::ShashaSnir};

const TraceGraph &graphOf(const Counterexample &C, View V) {
  return V == View::Chronological ? C.Chronological : C.ShashaSnir;
}

/// A picture as a browser sees it.
struct Picture {
  XmlElement Svg;
  std::map<std::string, const XmlElement *> Nodes, Edges, Clusters; // by id

  Picture(const Counterexample &C, View V, const DotOptions &Options = {}) {
    SvgResult Result = renderSvgInProcess(toDot(C, V, Options));
    EXPECT_TRUE(Result.Ok) << Result.Error;
    Svg = XmlReader::read(Result.Svg);
    Svg.forEach([&](const XmlElement &E) {
      const std::string Class = E.attribute("class") + " ";
      if (Class.find("legend") != std::string::npos)
        return;
      for (auto &[Word, Map] : {std::pair("node ", &Nodes), {"edge ", &Edges}, {"cluster ", &Clusters}})
        if (Class.rfind(Word, 0) == 0) {
          EXPECT_TRUE(Map->emplace(E.attribute("id"), &E).second) << "twice: " << E.attribute("id");
        }
    });
  }
  Picture(const Picture &) = delete;

  std::string labelOf(const std::string &Id) const {
    return Nodes.count(Id) && Nodes.at(Id)->child("text") ? Nodes.at(Id)->child("text")->Text : "no label";
  }
  std::string tooltipOf(const std::string &Id) const {
    return Nodes.count(Id) && Nodes.at(Id)->child("title") ? Nodes.at(Id)->child("title")->Text : "no tooltip";
  }
};

/// The events of the trace are in the nodes, each in one, but for threads that only start others and wait for them,
/// which folded pictures leave out; the drawn edges are edges of the trace.
void expectFaithful(const Counterexample &C, View V, const DotOptions &Options = {}) {
  const Picture P(C, V, Options);
  const TraceGraph &Graph = graphOf(C, V);
  std::set<uint32_t> Shown;
  for (auto &[Id, Node] : P.Nodes) {
    uint32_t First = 0, Last = 0;
    if (sscanf(Id.c_str(), "fold-%u-%u", &First, &Last) == 2) {
      EXPECT_EQ(Node->attribute("class"), "node fold");
      const bool Update = C.Run.Events[First].Kind == EventKind::Update;
      for (uint32_t E : Graph.Nodes)
        if (E >= First && E <= Last && C.Run.Events[E].Thread == C.Run.Events[First].Thread &&
            (C.Run.Events[E].Kind == EventKind::Update) == Update) {
          EXPECT_TRUE(Shown.insert(E).second) << Id;
        }
    } else {
      ASSERT_EQ(sscanf(Id.c_str(), "event-%u", &First), 1) << Id;
      EXPECT_TRUE(Shown.insert(First).second) << Id;
    }
  }
  std::set<uint32_t> Busy; // threads that do something
  for (const TraceEvent &E : C.Run.Events)
    if (E.Kind != EventKind::Create && E.Kind != EventKind::Join)
      Busy.insert(E.Thread);
  std::set<uint32_t> Expected;
  for (uint32_t E : Graph.Nodes)
    if (!Options.Fold || Busy.count(C.Run.Events[E].Thread))
      Expected.insert(E);
  EXPECT_EQ(Shown, Expected);
  for (auto &[Id, Edge] : P.Edges) {
    uint32_t From = 0, To = 0;
    char Kind[16] = "";
    ASSERT_EQ(sscanf(Id.c_str(), "edge-%u-%u-%15s", &From, &To, Kind), 3) << Id;
    const bool InTrace = std::any_of(Graph.Edges.begin(), Graph.Edges.end(), [&](const TraceEdge &E) {
      return E.From == From && E.To == To && nameOf(E.Kind) == std::string(Kind);
    });
    EXPECT_TRUE(InTrace) << Id;
    EXPECT_EQ(Edge->attribute("class").rfind("edge " + std::string(Kind), 0), 0u) << Edge->attribute("class");
  }
}

TEST(Dot, NodesAndEdgesHaveTheirIdsAndClasses) {
  const Counterexample C = testing::dekker();
  const Picture P(C, View::Chronological, {.Fold = false});
  EXPECT_EQ(P.Nodes.size(), C.Run.Events.size());
  EXPECT_EQ(P.Nodes.at("event-0")->attribute("class"), "node create");
  EXPECT_EQ(P.Nodes.at("event-2")->attribute("class"), "node store cycle");
  EXPECT_EQ(P.Nodes.at("event-7")->attribute("class"), "node update cycle");
  EXPECT_EQ(P.Nodes.at("event-10")->attribute("class"), "node bug");
  EXPECT_EQ(P.Edges.at("edge-2-3-po")->attribute("class"), "edge po cycle");
  EXPECT_EQ(P.Edges.at("edge-2-7-su")->attribute("class"), "edge su cycle");
  EXPECT_EQ(P.Edges.at("edge-3-8-cf")->attribute("class"), "edge cf cycle");
  EXPECT_EQ(P.Edges.at("edge-3-6-po")->attribute("class"), "edge po");
  EXPECT_EQ(P.Edges.at("edge-6-9-src")->attribute("class"), "edge src");
  EXPECT_TRUE(P.Clusters.count("thread-0") && P.Clusters.count("thread-1") && P.Clusters.count("thread-2"));
  EXPECT_TRUE(!P.Clusters.count("buffer-0") && P.Clusters.count("buffer-1") && P.Clusters.count("buffer-2"));
  EXPECT_EQ(P.Clusters.at("thread-1")->child("text")->Text, "left");
}

TEST(Dot, AFoldedPictureLeavesOutAMainThatOnlyStartsTheOthers) {
  const Picture P(testing::dekker(), View::Chronological);
  EXPECT_FALSE(P.Clusters.count("thread-0"));
  EXPECT_TRUE(P.Clusters.count("thread-1") && P.Clusters.count("thread-2"));
  EXPECT_FALSE(P.Nodes.count("event-0"));
}

TEST(Dot, LabelsAreShortAndTooltipsComplete) {
  TraceBuilder B;
  uint32_t Main = B.thread("main"), Flag = B.variable("flag[1]"), Mutex = B.variable("m");
  B.store(Main, Flag, "1", 9);
  B.event(0).Expression = "flag[me]";
  B.event(0).Callers = {{{"test.c", 40, 3, 0, 0}, "main"}};
  B.load(Main, Flag, "0", 10);
  B.rmw(Main, Flag, "0", "2", 11);
  B.add(EventKind::Fence, Main, 12);
  B.sync(Main, SyncAction::Locks, Mutex, 13);
  B.event(4).At.Where.File = "/usr/include/lock.h";
  B.bug(Main, "assertion 'x' fails", 14);
  const Picture P(B.build(), View::Chronological, {.Fold = false});
  EXPECT_EQ(P.labelOf("event-0"), "flag[1] = 1  :9");
  EXPECT_EQ(P.labelOf("event-1"), "read flag[1] = 0  :10");
  EXPECT_EQ(P.labelOf("event-2"), "atomic flag[1]: 0 → 2  :11");
  EXPECT_EQ(P.labelOf("event-3"), "fence  :12");
  EXPECT_EQ(P.labelOf("event-4"), "locks m  lock.h:13");
  EXPECT_EQ(P.labelOf("event-5"), "assertion fails  :14");
  EXPECT_EQ(P.tooltipOf("event-0"), "main: flag[1] = 1\nin the source: flag[me]\nflag[1]: global 'flag', type int\n"
                                    "at test.c:9 in main\ncalled from test.c:40 in main");
  EXPECT_EQ(P.tooltipOf("event-5"), "main: assertion 'x' fails\nat test.c:14 in main");
}

TEST(Dot, PicturesShowTheTraceAndNothingElse) {
  for (View V : BothViews) {
    expectFaithful(testing::dekker(), V);
    expectFaithful(testing::messagePassing(), V);
    expectFaithful(testing::mutexCounter(), V);
    expectFaithful(testing::longRun(60), V, {.Fold = false});
    expectFaithful(testing::longRun(60), V);
    expectFaithful(testing::longRun(200), V);
    expectFaithful(testing::longRun(500, 5), V);
  }
}

TEST(Dot, EveryEdgeOfTheCycleIsDrawnHeavy) {
  for (const Counterexample &C : {testing::dekker(), testing::messagePassing(), testing::longRun(300)}) {
    const Picture P(C, View::ShashaSnir);
    for (const TraceEdge &E : C.Why.Edges) {
      const std::string Id = "edge-" + std::to_string(E.From) + "-" + std::to_string(E.To) + "-" + nameOf(E.Kind);
      ASSERT_TRUE(P.Edges.count(Id)) << Id;
      EXPECT_EQ(P.Edges.at(Id)->attribute("class"), std::string("edge ") + nameOf(E.Kind) + " cycle");
      EXPECT_EQ(P.Edges.at(Id)->child("path")->attribute("stroke-width"), "2.6");
    }
  }
}

TEST(Dot, ACycleEdgeThatSkipsEventsMarksTheWayBetween) {
  TraceBuilder B;
  uint32_t Main = B.thread("main"), X = B.variable("x");
  for (int I = 0; I < 4; ++I)
    B.load(Main, X, "0", 1);
  B.cycle({{0, 2, EdgeKind::ProgramOrder}});
  const Counterexample C = B.build();
  const Highlight H = highlightCycle(C, C.ShashaSnir);
  EXPECT_EQ(H.Edges, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(H.Events, (std::vector<bool>{true, false, true, false}));
}

TEST(Dot, StringsSurviveWhateverIsInThem) {
  const std::string Hostile[] = {"\"quoted\"",
                                 "back\\slash \\N \\G \\n \\\\",
                                 "trailing\\",
                                 "<script>alert(1)</script>",
                                 "</text></svg>",
                                 "a & b && c",
                                 "&x",
                                 "naïve … → 変数 𝕏",
                                 "]; evil [label=x",
                                 "%s%n %27",
                                 "<<b>x</b>>",
                                 "--> ]]> <!-- "};
  for (const std::string &Text : Hostile) {
    TraceBuilder B;
    uint32_t Thread = B.thread(Text);
    B.store(Thread, B.variable(Text), "1", 0);
    B.event(0).At = {};
    for (View V : BothViews) {
      const Picture P(B.build(), V);
      EXPECT_EQ(P.Clusters.at("thread-0")->child("text")->Text, Text);
      EXPECT_NE(P.tooltipOf("event-0").find(Text + ": " + Text + " = 1"), std::string::npos) << P.tooltipOf("event-0");
    }
  }
}

TEST(Dot, WhatCannotBeShownIsReplaced) {
  EXPECT_EQ(dotLabel("a\nb\tc"), "\"a b c\"");
  EXPECT_EQ(dotTooltip("a\nb"), "\"a\\nb\"");
  EXPECT_EQ(dotLabel(std::string("\0\x01\x7f", 3)), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(dotLabel("\xff\xc0\x80x"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\"");
  EXPECT_EQ(dotLabel("\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\""); // cut off
  EXPECT_EQ(dotLabel("\xed\xa0\x80").size(), 2u + 9u);             // a surrogate: three wrong bytes
  EXPECT_EQ(dotLabel("\xe2\x80\xae"
                     "x"),
            "\"\xef\xbf\xbdx\"");                      // right-to-left override
  EXPECT_EQ(dotLabel("&lt;"), "\"&\xe2\x80\x8blt;\""); // not an entity any more
  EXPECT_EQ(dotLabel("&lt"), "\"&lt\"");
}

TEST(Dot, LongNamesAreShortenedInTheMiddle) {
  TraceBuilder B;
  uint32_t Main = B.thread("main");
  B.store(Main, B.variable(std::string(100, 'a') + "é.end"), "1", 3);
  const Picture P(B.build(), View::Chronological);
  EXPECT_EQ(P.labelOf("event-0"), "aaaaaaaaaaa…aaaaaaaé.end = 1  :3");
}

TEST(Dot, StraightRunsOfLocalAccessesFold) {
  TraceBuilder B;
  uint32_t Main = B.thread("main"), Worker = B.thread("worker"), X = B.variable("x");
  B.create(Main, Worker, 1);
  B.load(Worker, X, "0", 2);
  for (int I = 0; I < 12; ++I)
    B.load(Worker, B.variable("buf[" + std::to_string(I) + "]"), "0", 3);
  B.store(Main, X, "1", 4);
  B.load(Worker, X, "1", 5);
  B.bug(Worker, "assertion fails", 6);
  const Counterexample C = B.build();
  for (View V : BothViews) {
    const Picture P(C, V);
    EXPECT_EQ(P.labelOf("fold-2-13"), "… 12 more reads of buf");
    EXPECT_NE(P.tooltipOf("fold-2-13").find("read buf[11] = 0  :3"), std::string::npos);
    EXPECT_EQ(P.Nodes.size(), C.Run.Events.size() - 11);
    EXPECT_TRUE(P.Edges.count("edge-1-2-po") && P.Edges.count("edge-13-15-po"));
    EXPECT_EQ(Picture(C, V, {.Fold = false}).Nodes.size(), C.Run.Events.size());
  }
}

TEST(Dot, TwoAccessesAreNotWorthAFold) {
  TraceBuilder B;
  uint32_t Main = B.thread("main"), X = B.variable("x");
  B.load(Main, X, "0", 1);
  B.load(Main, X, "0", 1);
  B.bug(Main, "assertion fails", 2);
  EXPECT_EQ(Picture(B.build(), View::Chronological).Nodes.size(), 3u);
}

TEST(Dot, LongTracesFoldToTheWantedSizeAroundTheCycle) {
  for (unsigned Events : {100u, 500u, 5000u})
    for (View V : BothViews) {
      const Counterexample C = testing::longRun(Events, 4);
      const Picture P(C, V);
      EXPECT_LE(P.Nodes.size(), 60u);
      EXPECT_GE(P.Nodes.size(), 30u);
      for (const TraceEdge &E : C.Why.Edges)
        EXPECT_TRUE(P.Nodes.count("event-" + std::to_string(E.From)));
      EXPECT_TRUE(P.Nodes.count("event-" + std::to_string(C.Run.BugEvent)));
      EXPECT_LE(Picture(C, V, {.MaxNodes = 20}).Nodes.size(), 20u);
    }
}

TEST(Dot, TheLegendExplainsTheKindsThatAreThere) {
  auto LegendOf = [](const std::string &Dot) {
    std::set<std::string> Texts;
    const SvgResult Result = renderSvgInProcess(Dot);
    XmlReader::read(Result.Svg).forEach([&](const XmlElement &E) {
      if (E.attribute("id").rfind("legend-text", 0) == 0)
        Texts.insert(E.child("text")->Text);
    });
    return Texts;
  };
  const Counterexample C = testing::messagePassing();
  EXPECT_EQ(LegendOf(toDot(C, View::ShashaSnir)),
            (std::set<std::string>{"program order", "read by", "read before this write", "part of the cycle"}));
  EXPECT_TRUE(LegendOf(toDot(C, View::ShashaSnir, {.Fold = false})).count("thread begins, ends"));
  EXPECT_TRUE(LegendOf(toDot(C, View::ShashaSnir, {.Legend = false})).empty());
  EXPECT_FALSE(LegendOf(toDot(testing::mutexCounter(), View::ShashaSnir)).count("part of the cycle"));
}

TEST(Dot, LanesAreInTheOrderOfThreadsAndProgramsRunDown) {
  for (const Counterexample &C : {testing::dekker(), testing::messagePassing(), testing::mutexCounter()})
    for (View V : BothViews) {
      const Picture P(C, V, {.Fold = false});
      auto Position = [&](uint32_t Event, const char *Axis) {
        return std::stod(P.Nodes.at("event-" + std::to_string(Event))->child("text")->attribute(Axis));
      };
      for (uint32_t A : graphOf(C, V).Nodes)
        for (uint32_t B : graphOf(C, V).Nodes) {
          const TraceEvent &X = C.Run.Events[A], &Y = C.Run.Events[B];
          if (X.Thread < Y.Thread) {
            EXPECT_LT(Position(A, "x"), Position(B, "x"));
          }
          if (X.Thread == Y.Thread && X.Kind != EventKind::Update && Y.Kind == EventKind::Update) {
            EXPECT_LT(Position(A, "x"), Position(B, "x"));
          }
          if (A < B && X.Thread == Y.Thread && (X.Kind == EventKind::Update) == (Y.Kind == EventKind::Update)) {
            EXPECT_LT(Position(A, "y"), Position(B, "y"));
          }
        }
    }
}

TEST(Dot, AnEmptyTraceIsAnEmptyPicture) {
  for (View V : BothViews)
    EXPECT_TRUE(Picture(Counterexample(), V).Nodes.empty());
}

} // namespace
} // namespace picket
