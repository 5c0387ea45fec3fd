// From a report to what an editor shows.
#include "lsp/Outcome.h"
#include "lsp/Presentation.h"
#include "lsp/StatusText.h"
#include "lsp/WorkerProtocol.h"
#include "support/StoreBuffering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

using namespace picket;
using llvm::json::Array;
using llvm::json::Object;

namespace {

const char *const File = "/virtual/door.c";
// The clef makes bytes, UTF-16 units and characters differ.
const std::string Text =
    std::regex_replace(picket::testing::StoreBuffering, std::regex("  assert"), "  /* 𝄞 */ assert");

CheckReport reportOf(const std::string &Source, const CheckOptions &Options) {
  CheckRequest Request;
  Request.Text.File = File;
  Request.Text.Unsaved[File] = Source;
  Request.Text.UseCompileCommands = false;
  Request.Options = Options;
  return check(Request);
}

CheckOptions threeModels() {
  CheckOptions Options;
  Options.Models = {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO};
  return Options;
}

DocumentStatus statusWith(Outcome O, const std::string &Source = Text) {
  DocumentStatus Status;
  Status.File = File;
  Status.Version = 7;
  Status.Text = std::make_shared<std::string>(Source);
  Status.State = O.isQuiet() ? CheckState::Quiet : CheckState::Done;
  Status.Result = std::make_shared<Outcome>(std::move(O));
  Status.Current = true;
  return Status;
}

EditorContext contextFor(const lsptypes::Client &Client) {
  return {Client,
          [](const std::string &Name) { return Name == File ? std::make_shared<const std::string>(Text) : nullptr; },
          [](const std::string &Name) { return "file://" + Name; }};
}

ModelReport modelReport(MemoryModel M, Verdict V) {
  ModelReport Report;
  Report.Which = M;
  Report.Result = V;
  return Report;
}

Bug bugAt(uint32_t Line, BugKind Kind, std::string Message) {
  return {Kind, std::move(Message), {File, Line, 3, 0, 0}, "left", nullptr};
}

std::vector<std::string> messagesOf(const CheckReport &Report) {
  std::vector<std::string> Messages;
  for (const Finding &F : outcomeOf(Report, {}).Findings)
    Messages.push_back(F.Message);
  return Messages;
}

int64_t number(const Object *O, llvm::StringRef End, llvm::StringRef Key) {
  return *O->getObject("range")->getObject(End)->getInteger(Key);
}

TEST(Outcome, AStoreBufferBugIsToldOnceForAllItsModels) {
  const Outcome O = outcomeOf(reportOf(Text, threeModels()), threeModels());
  ASSERT_EQ(1u, O.Findings.size());
  const Finding &F = O.Findings[0];
  EXPECT_EQ("assertion can fail under TSO: 'a || b' (PSO too)", F.Message);
  EXPECT_EQ(FindingCode(BugKind::Assertion), F.Code);
  EXPECT_EQ(Severity::Error, F.Level);
  EXPECT_EQ(12u, F.Where.Line);
  EXPECT_FALSE(F.Sentence.empty());
  ASSERT_GE(F.Steps.size(), 6u);
  EXPECT_EQ("1. main: starts thread 'left'", F.Steps[0].Text);
  EXPECT_EQ(8u, F.Steps[0].Where.Line);
  EXPECT_TRUE(std::any_of(F.Steps.begin(), F.Steps.end(), [](const OutcomeStep &S) {
    return S.Text.find("store buffer") != std::string::npos && S.Where.Line == 4;
  }));
  EXPECT_EQ("SC ✓  TSO ✗  PSO ✗", verdictsText(O));
}

TEST(Outcome, WordsDependOnTheModelsThatHaveTheBug) {
  CheckReport Report;
  Report.File = File;
  Report.Models = {modelReport(MemoryModel::SC, Verdict::Violation), modelReport(MemoryModel::TSO, Verdict::Violation)};
  Report.Models[0].Bugs = {bugAt(4, BugKind::Assertion, "assertion failed: 'x == 1'")};
  Report.Models[1].Bugs = {bugAt(4, BugKind::Assertion, "assertion failed: 'x == 1'"),
                           bugAt(5, BugKind::Deadlock, "deadlock: a waits")};
  EXPECT_EQ((std::vector<std::string>{"assertion can fail: 'x == 1'", "possible under TSO: deadlock: a waits"}),
            messagesOf(Report));
}

TEST(Outcome, AModelThatStoppedAtAnotherBugHasTheBugsOfStrongerOnesToo) {
  CheckReport Report;
  Report.File = File;
  Report.Models = {modelReport(MemoryModel::TSO, Verdict::Violation), modelReport(MemoryModel::PSO, Verdict::Violation),
                   modelReport(MemoryModel::Power, Verdict::Violation)};
  Report.Models[0].Bugs = {bugAt(4, BugKind::Assertion, "assertion failed: 'x'")};
  Report.Models[1].Bugs = {bugAt(5, BugKind::Assertion, "assertion failed: 'y'")};
  Report.Models[2].Bugs = {bugAt(5, BugKind::Assertion, "assertion failed: 'y'")};
  EXPECT_EQ((std::vector<std::string>{"assertion can fail under TSO: 'x' (PSO too)",
                                      "assertion can fail under PSO: 'y' (POWER too)"}),
            messagesOf(Report));
}

TEST(Outcome, OpenAnswersAreWarningsAndBoundsAreNot) {
  CheckReport Report;
  Report.File = File;
  Report.Models = {modelReport(MemoryModel::SC, Verdict::Bounded), modelReport(MemoryModel::TSO, Verdict::Inconclusive),
                   modelReport(MemoryModel::PSO, Verdict::Inconclusive),
                   modelReport(MemoryModel::Power, Verdict::Unsupported)};
  Report.Models[1].Reason = Report.Models[2].Reason = "the time limit was reached";
  Report.Models[1].Executions = 10;
  Report.Models[2].Executions = 20;
  Report.Models[3].Reason = "call to 'foo'";
  Report.Models[3].ReasonLocation = {File, 4, 7, 0, 0};
  const Outcome O = outcomeOf(Report, {});
  ASSERT_EQ(2u, O.Findings.size());
  EXPECT_EQ("not decided under TSO and PSO: the time limit was reached (no violation found in 30 executions)",
            O.Findings[0].Message);
  EXPECT_EQ(FindingCode(Verdict::Inconclusive), O.Findings[0].Code);
  EXPECT_EQ(Severity::Warning, O.Findings[0].Level);
  EXPECT_EQ("cannot be checked under POWER: call to 'foo'", O.Findings[1].Message);
  EXPECT_EQ(4u, O.Findings[1].Where.Line);
  EXPECT_EQ("SC ✓ up to 8  TSO ?  PSO ?  POWER not checked", verdictsText(O));
}

std::string withoutAssertion() { return std::regex_replace(Text, std::regex("assert\\(a \\|\\| b\\);"), ""); }
std::string traceText(const Counterexample &C) { return C.Sentence; }

TEST(Outcome, EachStoreThatCanBeLateIsInformationWithAWitnessAsCounterexample) {
  CheckOptions Options = threeModels();
  Options.MostWitnesses = 2;
  const Outcome O = outcomeOf(reportOf(withoutAssertion(), Options), Options, traceText);
  ASSERT_EQ(2u, O.Findings.size()) << "TSO and PSO have the same stores";
  std::set<uint32_t> Lines;
  for (const Finding &F : O.Findings) {
    EXPECT_EQ(Severity::Note, F.Level);
    EXPECT_TRUE(F.is(OtherFinding::NotRobust));
    EXPECT_TRUE(llvm::StringRef(F.Message).starts_with("not robust under TSO: this store can reach memory after"))
        << F.Message;
    Lines.insert(F.Where.Line);
    ASSERT_GT(F.Steps.size(), 2u);
    EXPECT_EQ("this access can take effect before the store reaches memory", F.Steps[0].Text);
    EXPECT_EQ("this access can observe the reordering", F.Steps[1].Text);
    EXPECT_EQ(F.Where.Line, F.Steps[0].Where.Line) << "both are on one line";
    EXPECT_NE(F.Where.Line, F.Steps[1].Where.Line);
    ASSERT_GE(F.Trace, 0);
    EXPECT_EQ(MemoryModel::TSO, O.Traces[static_cast<size_t>(F.Trace)].Model);
  }
  EXPECT_EQ((std::set<uint32_t>{4, 5}), Lines);
  EXPECT_EQ("SC ✓  TSO ✓  PSO ✓", verdictsText(O));
}

TEST(Outcome, AStoreWithoutAWitnessOfItsOwnIsToldAsWell) {
  const Outcome O = outcomeOf(reportOf(withoutAssertion(), threeModels()), threeModels(), traceText);
  ASSERT_EQ(2u, O.Findings.size());
  EXPECT_EQ(0, O.Findings[0].Trace);
  EXPECT_EQ(-1, O.Findings[1].Trace);
  EXPECT_EQ(2u, O.Findings[1].Steps.size()) << "the two accesses";
  EXPECT_EQ(1u, O.Traces.size());
}

TEST(Outcome, HoversTellOfStoresThatCanBeLateAndOfObservers) {
  const std::vector<LineFact> Facts = outcomeOf(reportOf(withoutAssertion(), threeModels()), threeModels()).Facts;
  auto Has = [&](uint32_t Line, const std::string &Part) {
    return std::any_of(Facts.begin(), Facts.end(), [&](const LineFact &F) {
      return F.Where.Line == Line && F.Text.find(Part) != std::string::npos;
    });
  };
  for (auto [Store, Observer] : {std::pair(4u, 5u), std::pair(5u, 4u)}) {
    EXPECT_TRUE(Has(Store, "Not robust: under TSO this store can reach memory after the later access at line"));
    EXPECT_TRUE(Has(Observer, "Not robust: under TSO the store at line " + std::to_string(Store) +
                                  " can be late, and this line can observe the reordering."));
  }
}

TEST(Outcome, DelayedStoresAreNotToldWhereThereIsABugOrNobodyWantsToKnow) {
  for (const Finding &F : outcomeOf(reportOf(Text, threeModels()), threeModels()).Findings)
    EXPECT_FALSE(F.is(OtherFinding::NotRobust));
  CheckOptions Unwanted = threeModels();
  Unwanted.MostWitnesses = 0;
  EXPECT_TRUE(outcomeOf(reportOf(withoutAssertion(), Unwanted), Unwanted).Findings.empty());
}

TEST(Outcome, AFileThatDoesNotCompileHasOneFinding) {
  const std::string Broken = "int main(void) {\n  return foo + bar;\n}\n";
  const Outcome O = outcomeOf(reportOf(Broken, threeModels()), threeModels());
  EXPECT_FALSE(O.Compiled);
  ASSERT_EQ(1u, O.Findings.size());
  EXPECT_EQ(2u, O.Findings[0].Where.Line);
  EXPECT_EQ(0u,
            O.Findings[0].Message.find("not checked: the file does not compile: use of undeclared identifier 'foo'"));
  EXPECT_EQ(1u, diagnosticsOf(statusWith(O, Broken), contextFor({})).size());
  const std::string Library = "int f(void) { return foo; }\n";
  EXPECT_TRUE(
      diagnosticsOf(statusWith(outcomeOf(reportOf(Library, threeModels()), {}), Library), contextFor({})).empty())
      << "without a main it is left in peace";
}

TEST(Outcome, TravelsAsJson) {
  const Outcome Sent = outcomeOf(reportOf(Text, threeModels()), threeModels(), [](const Counterexample &C) {
    return "{\"steps\":" + std::to_string(C.Steps.size()) + "}";
  });
  ASSERT_EQ(2u, Sent.Traces.size());
  EXPECT_EQ(0, Sent.Findings[0].Trace);
  ASSERT_FALSE(Sent.Facts.empty());
  Outcome Received;
  llvm::json::Path::Root Root;
  ASSERT_TRUE(fromJSON(toJSON(Sent), Received, Root)) << llvm::toString(Root.getError());
  EXPECT_EQ(toJSON(Sent), toJSON(Received));
  EXPECT_EQ(Sent.Findings[0].Steps.size(), Received.Findings[0].Steps.size());
  EXPECT_FALSE(fromJSON(Object{{"models", 3}}, Received, Root));
  llvm::consumeError(Root.getError());
}

TEST(Diagnostics, HaveColumnsInTheClientsUnitsAndSteps) {
  const Outcome O = outcomeOf(reportOf(Text, threeModels()), threeModels());
  for (bool Bytes : {false, true}) {
    lsptypes::Client Client;
    Client.Encoding = Bytes ? PositionEncoding::Utf8 : PositionEncoding::Utf16;
    Client.RelatedInformation = Bytes;
    const Array All = diagnosticsOf(statusWith(O), contextFor(Client));
    ASSERT_EQ(1u, All.size());
    const Object *D = All[0].getAsObject();
    EXPECT_EQ(11, number(D, "start", "line"));
    EXPECT_EQ(Bytes ? 13 : 11, number(D, "start", "character"));
    EXPECT_EQ(Bytes ? 28 : 26, number(D, "end", "character"));
    EXPECT_EQ("picket", D->getString("source"));
    EXPECT_EQ("assertion", D->getString("code"));
    EXPECT_EQ(1, D->getInteger("severity"));
    const Array *Related = D->getArray("relatedInformation");
    ASSERT_EQ(Bytes, Related != nullptr);
    if (Related) {
      const Object *Location = Related->front().getAsObject()->getObject("location");
      EXPECT_EQ("file:///virtual/door.c", Location->getString("uri"));
      EXPECT_EQ(7, number(Location, "start", "line"));
    }
  }
}

TEST(Diagnostics, OfIncludedFilesStandAtMain) {
  Outcome O;
  O.Findings.push_back(
      {Severity::Error, BugKind::Assertion, "assertion can fail: 'x'", {"/virtual/lock.h", 3, 1, 0, 0}, "", {}, -1});
  const Array All = diagnosticsOf(statusWith(O), contextFor({}));
  EXPECT_EQ(5, number(All[0].getAsObject(), "start", "line"));
  EXPECT_EQ("assertion can fail: 'x' (lock.h:3)", All[0].getAsObject()->getString("message"));
}

TEST(Lenses, StandOverMainAndNameTheVerdicts) {
  const Outcome O =
      outcomeOf(reportOf(Text, threeModels()), threeModels(), [](const Counterexample &) { return "{}"; });
  const Array Both = lensesOf(statusWith(O), contextFor({}));
  ASSERT_EQ(2u, Both.size());
  EXPECT_EQ(5, number(Both[0].getAsObject(), "start", "line"));
  const std::string Title = Both[0].getAsObject()->getObject("command")->getString("title")->str();
  EXPECT_EQ(0u, Title.find("Picket: SC ✓  TSO ✗  PSO ✗ · "));
  const Object *Show = Both[1].getAsObject()->getObject("command");
  EXPECT_EQ("picket.showCounterexample", Show->getString("command"));
  EXPECT_EQ("tso", (*Show->getArray("arguments"))[1].getAsString());

  Outcome Quiet;
  Quiet.StartsThreads = false;
  EXPECT_TRUE(lensesOf(statusWith(Quiet), contextFor({})).empty());
  EXPECT_EQ("no threads", statusText(statusWith(Quiet)));
}

TEST(Hover, TellsWhoElseTouchesAVariableAndWhatHappened) {
  const Outcome O = outcomeOf(reportOf(Text, threeModels()), threeModels());
  const llvm::json::Value Hover = hoverOf(statusWith(O), {3, 0}, contextFor({}));
  ASSERT_TRUE(Hover.getAsObject());
  const std::string Said = Hover.getAsObject()->getObject("contents")->getString("value")->str();
  EXPECT_NE(std::string::npos, Said.find("`x` is shared: thread `right` reads it (line 5)")) << Said;
  EXPECT_NE(std::string::npos, Said.find("In the counterexample under TSO:")) << Said;
  EXPECT_EQ(nullptr, hoverOf(statusWith(O), {0, 0}, contextFor({})).getAsObject());
  DocumentStatus Edited = statusWith(O);
  Edited.Current = false;
  EXPECT_EQ(nullptr, hoverOf(Edited, {3, 0}, contextFor({})).getAsObject()) << "lines may have moved";
}

TEST(ProgramKey, ChangesWithTheProgramItsPlacesAndOptionsOnly) {
  auto Key = [](const std::string &Source, Settings S = {}) {
    CompileRequest Request;
    Request.File = File;
    Request.Unsaved[File] = Source;
    Request.UseCompileCommands = false;
    return keyOf(*compileProgram(Request).Compiled, S);
  };
  EXPECT_EQ(Key(Text), Key(Text));
  EXPECT_EQ(Key(Text), Key(Text + "// a word at the end\n"));
  EXPECT_NE(Key(Text), Key("\n" + Text)) << "the findings would stand at other lines";
  std::string Changed = Text, Renamed = Text;
  Changed.replace(Changed.find("x = 1"), 5, "x = 2");
  Renamed.replace(Renamed.find("left"), 4, "west").replace(Renamed.find("left"), 4, "west");
  EXPECT_NE(Key(Text), Key(Changed));
  EXPECT_NE(Key(Text), Key(Renamed)) << "the findings name threads";
  Settings Other;
  Other.Unroll = 3;
  EXPECT_NE(Key(Text), Key(Text, Other));
  Other = {};
  Other.Models = {MemoryModel::TSO};
  EXPECT_NE(Key(Text), Key(Text, Other));
  Other = {};
  Other.Robustness = false;
  EXPECT_NE(Key(Text), Key(Text, Other));
  Other = {};
  Other.Search = Engine::Lazy;
  EXPECT_NE(Key(Text), Key(Text, Other));
  Other = {};
  Other.Looked.set(CheckGroup::Leak, true);
  EXPECT_NE(Key(Text), Key(Text, Other));
}

} // namespace
