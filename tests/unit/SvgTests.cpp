#include "draw/graphviz/Graphviz.h"

#include "draw/Dot.h"
#include "draw/graphviz/SvgCleanup.h"
#include "support/TraceBuilder.h"
#include "support/Xml.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace picket {
namespace {

using testing::XmlElement;
using testing::XmlReader;

const char *Small = "digraph { a [id=\"event-1\", class=\"load\", tooltip=\"one\"]; a -> b [id=\"edge-1-2-po\"]; }";

/// Sets the program that draws for as long as it lives.
struct Renderer {
  explicit Renderer(const std::string &Path) { setRendererProgram(Path); }
  ~Renderer() { setRendererProgram(""); }
};

/// A renderer that is a shell script.
std::string script(const std::string &Name, const std::string &Body) {
  const std::string Path = ::testing::TempDir() + "/picket-" + std::to_string(getpid()) + "-" + Name;
  std::ofstream(Path) << "#!/bin/sh\n" << Body << "\n";
  chmod(Path.c_str(), 0755);
  return Path;
}

TEST(Svg, ThePictureIsACleanElement) {
  const SvgResult Result = renderSvgInProcess(Small);
  ASSERT_TRUE(Result.Ok) << Result.Error;
  EXPECT_EQ(Result.Svg.rfind("<svg ", 0), 0u);
  const XmlElement Svg = XmlReader::read(Result.Svg);
  EXPECT_FALSE(Svg.attribute("viewBox").empty());
  EXPECT_TRUE(Svg.attribute("width").empty() && Svg.attribute("height").empty());
  ASSERT_TRUE(Svg.withId("event-1"));
  EXPECT_EQ(Svg.withId("event-1")->attribute("class"), "node load");
  EXPECT_EQ(Svg.withId("event-1")->child("title")->Text, "one");
  ASSERT_TRUE(Svg.withId("edge-1-2-po"));
  EXPECT_FALSE(Svg.withId("edge-1-2-po")->child("title")) << "'a->b' is no tooltip";
  Svg.forEach([](const XmlElement &E) { EXPECT_NE(E.Name, "a"); });
}

TEST(Svg, MalformedGraphsAreErrorsAndDoNotDisturbTheNext) {
  for (const char *Bad : {"", "digraph {", "this is not dot", "digraph { a -> }", "digraph { a [label=\"x }"}) {
    const SvgResult Result = renderSvgInProcess(Bad);
    EXPECT_FALSE(Result.Ok) << Bad;
    EXPECT_FALSE(Result.Error.empty()) << Bad;
    EXPECT_TRUE(Result.Svg.empty()) << Bad;
  }
  EXPECT_TRUE(renderSvgInProcess(Small).Ok);
}

TEST(Svg, TheHelperDrawsWhatThisProcessDraws) {
  Renderer Picket(PICKET_EXECUTABLE);
  for (const std::string &Dot : {std::string(Small), toDot(testing::longRun(60), View::Chronological)}) {
    const SvgResult Result = renderSvg(Dot);
    ASSERT_TRUE(Result.Ok) << Result.Error;
    EXPECT_EQ(Result.Svg, renderSvgInProcess(Dot).Svg); // whatever this process did before
  }
  const SvgResult Bad = renderSvg("digraph { a -> }");
  EXPECT_FALSE(Bad.Ok);
  EXPECT_NE(Bad.Error.find("syntax error"), std::string::npos) << Bad.Error;
}

TEST(Svg, HelpersRunSideBySide) {
  Renderer Picket(PICKET_EXECUTABLE);
  bool Ok[4] = {};
  std::vector<std::thread> Threads;
  for (bool &Each : Ok)
    Threads.emplace_back([&Each] { Each = renderSvg(Small).Ok; });
  for (std::thread &T : Threads)
    T.join();
  for (bool Each : Ok)
    EXPECT_TRUE(Each);
}

TEST(Svg, ARendererThatFailsCostsOnePicture) {
  struct {
    std::string Program, Error;
  } const Cases[] = {{"", "no program"},
                     {"/nonexistent/renderer", "cannot run"},
                     {"/bin/false", "drawing failed"},
                     {"/bin/true", "no picture"},
                     {script("crash", "kill -SEGV $$"), "crashed"},
                     {script("crash-late", "echo '<svg></svg>'; kill -ABRT $$"), "crashed"},
                     {script("complaint", "echo 'out of paint' >&2; exit 3"), "out of paint"}};
  for (const auto &Case : Cases) {
    Renderer Set(Case.Program);
    // More than a pipe holds: the renderer does not read it.
    const SvgResult Result = renderSvg(Small + std::string(1 << 20, ' '));
    EXPECT_FALSE(Result.Ok) << Case.Program;
    EXPECT_TRUE(Result.Svg.empty()) << Case.Program;
    EXPECT_NE(Result.Error.find(Case.Error), std::string::npos) << Case.Program << ": " << Result.Error;
  }
  Renderer Picket(PICKET_EXECUTABLE);
  EXPECT_TRUE(renderSvg(Small).Ok);
}

TEST(Svg, ARendererThatHangsIsEnded) {
  // The second closes its output first.
  for (const char *Body : {"exec sleep 100000", "exec >&- 2>&-; exec sleep 100000"}) {
    Renderer Set(script("hang", Body));
    EXPECT_FALSE(renderSvg(Small, 0.2).Ok); // this test would not end otherwise
  }
}

/// Draws in copies of this process for as long as it lives.
struct CopyRenderer {
  explicit CopyRenderer(RendererFunction Draw) { setRendererFunction(Draw); }
  ~CopyRenderer() { setRendererFunction(nullptr); }
};

TEST(Svg, ACopyOfTheProcessDraws) {
  CopyRenderer Set([](const std::string &Dot, std::string &Error) {
    SvgResult Result = renderSvgInProcess(Dot);
    Error = Result.Error;
    return Result.Svg;
  });
  const SvgResult Result = renderSvg(Small);
  EXPECT_TRUE(Result.Ok) << Result.Error;
  EXPECT_EQ(Result.Svg, renderSvgInProcess(Small).Svg);
  EXPECT_NE(renderSvg("digraph { a -> }").Error, "");
}

TEST(Svg, ACopyThatCrashesHangsOrComplainsCostsOnePicture) {
  {
    CopyRenderer Set([](const std::string &, std::string &) -> std::string { std::abort(); });
    EXPECT_NE(renderSvg(Small).Error.find("crashed"), std::string::npos);
  }
  {
    CopyRenderer Set([](const std::string &, std::string &) -> std::string {
      while (true)
        pause();
    });
    EXPECT_FALSE(renderSvg(Small, 0.2).Ok); // this test would not end otherwise
  }
  CopyRenderer Set([](const std::string &, std::string &Error) { return Error = "out of paint", std::string(); });
  EXPECT_EQ(renderSvg(Small).Error, "out of paint");
}

TEST(Svg, CleaningKeepsTextAndNestedGroups) {
  EXPECT_EQ(
      cleanSvg("<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<!-- x -->\n<svg width=\"1pt\" height=\"2pt\"\n viewBox=\"0 0 "
               "1 2\">\n<g id=\"a&#45;b\"><title>n1</title>\n<g id=\"a_a&#45;b\"><a xlink:title=\"t &lt;\">\n<text "
               "x=\"1\">&#45;</text>\n</a>\n</g>\n</g>\n</svg>\n"),
      "<svg viewBox=\"0 0 1 2\">\n<g id=\"a-b\"><title>t &lt;</title>\n<text x=\"1\">&#45;</text>\n</g>\n</svg>\n");
}

} // namespace
} // namespace picket
