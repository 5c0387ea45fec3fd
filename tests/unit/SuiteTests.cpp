// Parts of `picket test`: the cache of results, merged SARIF, what a terminal and XML are given. tests/reports/folder_test.py
// has the command as a whole.
#include "suite/JUnitReport.h"
#include "suite/SarifMerge.h"
#include "suite/SuiteText.h"
#include "support/CommandLine.h"
#include "support/Xml.h"

#include "base/UntrustedJson.h"

namespace picket {
namespace {

using testing::contains;

ProgramResult resultWith(Verdict V, const std::string &Text = "report\n") {
  ProgramResult Result;
  Result.Models.push_back({"tso", "TSO", V, false, "a sentence", V == Verdict::Verified ? "" : "x.c:1: wrong", 0.5});
  Result.Text = Text;
  return Result;
}

class ResultCacheTest : public testing::CommandLineTest {
protected:
  std::string folder() const { return (Root / "deep/cache/picket/results").string(); }
  size_t numFiles() const {
    const auto All = std::filesystem::directory_iterator(folder());
    return static_cast<size_t>(std::distance(begin(All), end(All)));
  }
};

TEST_F(ResultCacheTest, ResultsAreFoundByProgramAndKey) {
  ResultCache Cache(folder());
  EXPECT_FALSE(Cache.find("/a.c", "key", "texts"));
  Cache.add("/a.c", "key", "texts", resultWith(Verdict::Violation));
  const std::optional<ProgramResult> Found = Cache.find("/a.c", "key", "texts");
  ASSERT_TRUE(Found);
  EXPECT_TRUE(Found->Cached);
  EXPECT_EQ("report\n", Found->Text);
  EXPECT_EQ(Verdict::Violation, Found->Models.at(0).Result);
  EXPECT_EQ("x.c:1: wrong", Found->Models[0].Message);
  EXPECT_FALSE(Cache.find("/b.c", "key", "texts"));
  EXPECT_FALSE(Cache.find("/a.c", "other", "texts"));
  EXPECT_TRUE(ResultCache(folder()).find("/a.c", "key", "texts"));
}

TEST_F(ResultCacheTest, OnlyReportsOfBugsDependOnTheTextsTheyQuote) {
  ResultCache Cache(folder());
  Cache.add("/wrong.c", "key", "texts", resultWith(Verdict::Violation));
  Cache.add("/right.c", "key", "texts", resultWith(Verdict::Verified));
  EXPECT_FALSE(Cache.find("/wrong.c", "key", "others"));
  EXPECT_TRUE(Cache.find("/right.c", "key", "others"));
}

TEST_F(ResultCacheTest, ItsLimitsAreKept) {
  ResultCache::Limits Few;
  Few.Files = 8;
  Few.FileBytes = 2000;
  ResultCache Cache(folder(), Few);
  Cache.add("/large.c", "key", "", resultWith(Verdict::Verified, std::string(5000, 'x')));
  EXPECT_FALSE(Cache.find("/large.c", "key", ""));
  for (int K = 0; K < 20; ++K)
    Cache.add("/" + std::to_string(K) + ".c", "key", "", resultWith(Verdict::Verified));
  EXPECT_EQ(20u, numFiles());
  Cache.prune();
  EXPECT_EQ(6u, numFiles());
  ResultCache::Limits Small;
  Small.Bytes = 1;
  ResultCache(folder(), Small).prune();
  EXPECT_EQ(0u, numFiles());
}

TEST_F(ResultCacheTest, WithoutAFolderNothingIsKept) {
  ResultCache None("");
  EXPECT_FALSE(None.isUsed());
  None.add("/a.c", "key", "texts", resultWith(Verdict::Verified));
  EXPECT_FALSE(None.find("/a.c", "key", "texts"));
  None.prune();
}

TEST(SuiteText, ATerminalIsGivenNoControlCharacters) {
  const std::string Hostile = "a\033[31mred\033[0m\033[2J\033]0;title\a\r\b\xC2\x9B"
                              "31m\x7F\n\tend\xFF";
  EXPECT_EQ("ared?[2J?]0;title????31m?\n\tend\xEF\xBF\xBD", printable(Hostile, false));
  EXPECT_EQ("a\033[31mred\033[0m?[2J?]0;title????31m?\n\tend\xEF\xBF\xBD", printable(Hostile, true));
  EXPECT_EQ("?[", printable("\033[", true));
  EXPECT_EQ("?[3", printable("\033[3", false));
}

TEST(SuiteText, TheSummaryCountsPrograms) {
  SuiteCounts Counts;
  for (const Verdict V : {Verdict::Verified, Verdict::Bounded, Verdict::Violation, Verdict::Unsupported,
                          Verdict::CompileError, Verdict::Inconclusive})
    Counts.add(resultWith(V));
  ProgramResult None;
  None.StartsThreads = false;
  Counts.add(None);
  EXPECT_EQ("6 programs: 2 passed, 1 failed, 2 cannot be checked, 1 reached a limit · 1.5 s", summaryText(Counts, 1.5));
}

TEST(JUnit, EveryModelIsATestCase) {
  ProgramResult Skipped = resultWith(Verdict::Unsupported);
  Skipped.Models[0].Skipped = true;
  ProgramResult None;
  None.StartsThreads = false;
  ProgramResult Lost;
  Lost.Lost = "ended by signal <9> & \"more\"\033";
  const std::vector<SuiteProgram> Programs = {{"right.c", ""}, {"<&\".c", ""}, {"skipped.c", ""},
                                              {"none.c", ""},  {"lost.c", ""}, {"not begun.c", ""}};
  const std::string Text = junitText(
      Programs, {resultWith(Verdict::Verified), resultWith(Verdict::Violation), Skipped, None, Lost, std::nullopt});
  const std::string Prolog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  ASSERT_EQ(0u, Text.find(Prolog));
  const testing::XmlElement Root = testing::XmlReader::read(Text.substr(Prolog.size()));
  EXPECT_EQ("5", Root.attribute("tests"));
  EXPECT_EQ("1", Root.attribute("failures"));
  EXPECT_EQ("1", Root.attribute("errors"));
  EXPECT_EQ("2", Root.attribute("skipped"));
  ASSERT_EQ(5u, Root.Children.size());
  EXPECT_EQ("<&\".c", Root.Children[1].attribute("name"));
  const testing::XmlElement &Case = Root.Children[3].Children.at(0);
  EXPECT_EQ("ended by signal <9> & \"more\"?", Case.Children.at(0).attribute("message"));
}

TEST(SarifMerge, LogsOfOthersAreNotTrusted) {
  std::vector<llvm::json::Value> Logs;
  for (const char *Text :
       {"{}", "[]", "{\"runs\": {}}", "{\"runs\": [1]}",
        "{\"runs\": [{\"results\": 1, \"artifacts\": {}, \"invocations\": [[]]}]}",
        R"({"runs": [{"tool": "mine", "artifacts": [{"location": {"uri": "a.c"}}, {"location": {"uri": "b.c"}}],
            "results": [{"locations": [{"artifactLocation": {"uri": "b.c", "index": 1}}, {"artifactLocation": {"index": -7}}]}],
            "invocations": [{"executionSuccessful": true}]}]})",
        R"({"runs": [{"artifacts": [{"location": {"uri": "c.c"}}, {"location": {"uri": "b.c"}}],
            "results": [{"artifactLocation": {"index": 0}}, {"artifactLocation": {"index": 1}}, {"artifactLocation": {"index": 2}}]}]})"})
    Logs.push_back(llvm::cantFail(llvm::json::parse(Text)));
  std::vector<const llvm::json::Value *> All;
  for (const llvm::json::Value &Log : Logs)
    All.push_back(&Log);
  const llvm::json::Value Merged = llvm::cantFail(parseUntrusted(mergedSarif(All, 1)));
  const llvm::json::Object &Run = *Merged.getAsObject()->getArray("runs")->front().getAsObject();
  EXPECT_TRUE(Run.getObject("tool"));
  EXPECT_EQ(3u, Run.getArray("artifacts")->size());
  const llvm::json::Array &Results = *Run.getArray("results");
  ASSERT_EQ(4u, Results.size());
  const std::string First = llvm::formatv("{0}", Results[0]).str();
  EXPECT_TRUE(contains(First, "\"index\":1")) << First;
  EXPECT_FALSE(contains(First, "-7")) << First;
  auto IndexOf = [&](size_t K) { return Results[K].getAsObject()->getObject("artifactLocation")->getInteger("index"); };
  EXPECT_EQ(2, IndexOf(1));
  EXPECT_EQ(1, IndexOf(2));
  EXPECT_EQ(std::nullopt, IndexOf(3));
}

} // namespace
} // namespace picket
