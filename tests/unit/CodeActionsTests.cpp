// From fixes that were proved to what an editor offers.
#include "lsp/CodeActions.h"
#include "lsp/WorkerProtocol.h"
#include "support/StoreBuffering.h"

#include <gtest/gtest.h>

using namespace picket;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

using Aim = FixQuestion::Aim;
const char *const File = "/virtual/door.c";
const std::string Text = picket::testing::StoreBuffering;

Outcome outcome(std::vector<std::pair<MemoryModel, Verdict>> Models) {
  Outcome O;
  for (auto [M, V] : Models)
    O.Models.push_back({M, V, 1, 0, 0, 0, ""});
  return O;
}

/// A finding in the first line.
Finding finding(Severity Level, FindingCode Code, int64_t Trace = -1) {
  return {Level, Code, "message", {File, 1, 1, 1, 5}, "", {}, Trace};
}

FixOffer offer(const std::string &Title, const std::string &Inserted, const std::string &Of = Text) {
  return {Title,
          {MemoryModel::TSO},
          {{"a full fence after line 1", OfferedChange::Kind::Fence, {File, 1, 1}, {File, 2, 1}}},
          {{File, 4, 4, Inserted}},
          {{File, digestOf(Of)}}};
}

std::shared_ptr<const FixAnswer> answer(std::vector<MemoryModel> Models, std::vector<FixOffer> Offers) {
  FixAnswer A;
  A.Asked = {Aim::NoBug, std::move(Models)};
  A.What = Offers.empty() ? EditOutcome::Refused : EditOutcome::Found;
  A.Reason = Offers.empty() ? "a lock is needed" : "";
  A.Offers = std::move(Offers);
  return std::make_shared<FixAnswer>(std::move(A));
}

DocumentStatus violated() {
  DocumentStatus Status;
  Status.File = File;
  Status.Version = 7;
  Status.Text = std::make_shared<std::string>(Text);
  Status.State = CheckState::Done;
  Outcome O = outcome({{MemoryModel::SC, Verdict::Verified}, {MemoryModel::TSO, Verdict::Violation}});
  O.Findings.push_back(finding(Severity::Error, BugKind::Assertion));
  Status.Result = std::make_shared<Outcome>(std::move(O));
  Status.Current = true;
  return Status;
}

lsptypes::Client editor() {
  lsptypes::Client C;
  C.ActionLiterals = C.ResolveActions = C.DisabledActions = C.PreferredActions = C.DocumentChanges = true;
  return C;
}

EditorContext contextFor(const lsptypes::Client &Client, const std::string &Now = Text) {
  return {Client, [Now](const std::string &) { return std::make_shared<const std::string>(Now); },
          [](const std::string &Name) { return "file://" + Name; }, [](const std::string &) { return 7; }};
}

Array actions(const DocumentStatus &Status, const lsptypes::Client &Client, std::vector<std::string> Only = {}) {
  return actionsOf(Status, {{}, {{0, 0}, {0, 0}}, std::move(Only), {}}, contextFor(Client));
}

TEST(FixQuestions, AreAskedAboutWhatFencesCanPrevent) {
  const Settings S;
  EXPECT_TRUE(questionsAbout(outcome({{MemoryModel::SC, Verdict::Verified}, {MemoryModel::TSO, Verdict::Verified}}), S)
                  .empty());
  EXPECT_TRUE(
      questionsAbout(outcome({{MemoryModel::SC, Verdict::Violation}, {MemoryModel::TSO, Verdict::Violation}}), S)
          .empty());
  const Outcome Both = outcome({{MemoryModel::SC, Verdict::Verified},
                                {MemoryModel::TSO, Verdict::Violation},
                                {MemoryModel::PSO, Verdict::Violation}});
  EXPECT_EQ((std::vector<FixQuestion>{{Aim::NoBug, {MemoryModel::SC, MemoryModel::TSO, MemoryModel::PSO}},
                                      {Aim::NoBug, {MemoryModel::TSO}}}),
            questionsAbout(Both, S));
  EXPECT_EQ((std::vector<FixQuestion>{{Aim::NoBug, {MemoryModel::SC, MemoryModel::TSO}}}),
            questionsAbout(outcome({{MemoryModel::SC, Verdict::Verified}, {MemoryModel::TSO, Verdict::Violation}}), S));
  Settings Off;
  Off.Fixes = false;
  EXPECT_TRUE(questionsAbout(Both, Off).empty());
}

TEST(FixQuestions, AboutRobustnessAndWhatIsNotNeeded) {
  Settings S;
  Outcome O = outcome({{MemoryModel::SC, Verdict::Verified}, {MemoryModel::TSO, Verdict::Bounded}});
  O.Traces.push_back({MemoryModel::TSO, OtherFinding::NotRobust, "{}"});
  O.Findings.push_back(finding(Severity::Note, OtherFinding::NotRobust, 0));
  EXPECT_EQ((std::vector<FixQuestion>{{Aim::Robust, {MemoryModel::TSO}}}), questionsAbout(O, S));
  S.Relax = true;
  EXPECT_EQ((FixQuestion{Aim::Relax, {MemoryModel::SC, MemoryModel::TSO}}), questionsAbout(O, S).back());
  EXPECT_TRUE(questionsAbout(outcome({{MemoryModel::SC, Verdict::Inconclusive}}), S).empty());
}

TEST(FixAnswer, TravelsAsJson) {
  FixAnswer A = *answer({MemoryModel::TSO}, {offer("Add 1 fence", "\n")});
  A.Hints.push_back({{File, 3, 4, 0, 0}, "not needed", 0});
  FixAnswer B;
  llvm::json::Path::Root Root;
  ASSERT_TRUE(fromJSON(toJSON(A), B, Root));
  EXPECT_EQ(toJSON(A), toJSON(B));
  EXPECT_EQ(A.Asked, B.Asked);
  A.Hints[0].Offer = 1;
  EXPECT_FALSE(fromJSON(toJSON(A), B, Root)) << "there is no such offer";
}

TEST(FixRequest, TravelsAsALine) {
  WorkerRequest Request;
  Request.File = File;
  Request.Fix = {Aim::Relax, {MemoryModel::PSO}};
  const Value Json = llvm::cantFail(llvm::json::parse(toLine(Request)));
  WorkerRequest Read;
  llvm::json::Path::Root Root;
  ASSERT_TRUE(fromJSON(Json, Read, Root));
  EXPECT_EQ(Request.Fix, Read.Fix);
}

TEST(CodeActions, AreProvedFixesWithTheVersionOfTheText) {
  DocumentStatus Status = violated();
  Status.Fixes = {
      answer({MemoryModel::SC, MemoryModel::TSO}, {offer("Add 1 fence (verified)", "A"), offer("Change", "B")})};
  const Array All = actions(Status, editor());
  ASSERT_EQ(2u, All.size());
  const Object &Best = *All[0].getAsObject();
  EXPECT_EQ("Add 1 fence (verified)", Best.getString("title"));
  EXPECT_EQ(true, Best.getBoolean("isPreferred"));
  EXPECT_EQ(1u, Best.getArray("diagnostics")->size());
  const Object &Change = *Best.getObject("edit")->getArray("documentChanges")->front().getAsObject();
  EXPECT_EQ(7, Change.getObject("textDocument")->getInteger("version"));
  EXPECT_FALSE(All[1].getAsObject()->getBoolean("isPreferred"));
  EXPECT_TRUE(actions(Status, editor(), {"refactor"}).empty());
  lsptypes::Client Old;
  EXPECT_EQ("picket.addFences", actions(Status, Old)[0].getAsObject()->getString("command"));
}

TEST(CodeActions, AreNeverForAnotherText) {
  DocumentStatus Status = violated();
  Status.Fixes = {answer({MemoryModel::SC, MemoryModel::TSO}, {offer("Add 1 fence", "A", Text + " ")})};
  for (const Value &Action : actions(Status, editor()))
    EXPECT_FALSE(Action.getAsObject()->get("edit"));
  EXPECT_FALSE(editOf(Status.Fixes[0]->Offers[0], contextFor(editor())));
  Status.Fixes = {answer({MemoryModel::SC, MemoryModel::TSO}, {offer("Add 1 fence", "A")})};
  EXPECT_TRUE(actions(Status, editor())[0].getAsObject()->get("edit"));
  Status.Current = false;
  EXPECT_TRUE(actions(Status, editor()).empty());
}

TEST(CodeActions, ForAllModelsSaySoWhereAnotherIsForOne) {
  DocumentStatus Status = violated();
  Status.Fixes = {answer({MemoryModel::TSO}, {offer("Add 1 fence (TSO)", "A")}),
                  answer({MemoryModel::SC, MemoryModel::TSO},
                         {offer("Add 2 fences (both)", "B"), offer("Add 1 fence (TSO)", "A")})};
  const std::vector<ShownOffer> Shown = offersOf(Status, Aim::NoBug, contextFor(editor()));
  ASSERT_EQ(2u, Shown.size()) << "the same edits are offered once";
  EXPECT_EQ("Add 2 fences (both)", Shown[0].Title);
  Status.Fixes = {answer({MemoryModel::TSO}, {offer("Add 1 fence (TSO)", "A")}),
                  answer({MemoryModel::SC, MemoryModel::TSO}, {offer("Add 2 fences (both)", "B")})};
  const std::vector<ShownOffer> Both = offersOf(Status, Aim::NoBug, contextFor(editor()));
  ASSERT_EQ(2u, Both.size());
  EXPECT_EQ("Fix all models: add 2 fences (both)", Both[0].Title);
  EXPECT_TRUE(Both[0].Preferred);
  EXPECT_EQ("Add 1 fence (TSO)", Both[1].Title);
}

TEST(CodeActions, WithoutAProofHaveNoEditAndWithoutHopeAReason) {
  DocumentStatus Status = violated();
  Object Open = *actions(Status, editor())[0].getAsObject();
  EXPECT_FALSE(Open.get("edit"));
  EXPECT_EQ("no-bug", Open.getObject("data")->getString("aim"));
  lsptypes::Client NoResolve = editor();
  NoResolve.ResolveActions = false;
  EXPECT_TRUE(actions(Status, NoResolve)[0].getAsObject()->get("command"));
  Status.Fixes = {answer({MemoryModel::SC, MemoryModel::TSO}, {})};
  EXPECT_EQ("cannot be fixed: a lock is needed",
            actions(Status, editor())[0].getAsObject()->getObject("disabled")->getString("reason"));
  lsptypes::Client NoDisabled = editor();
  NoDisabled.DisabledActions = false;
  EXPECT_TRUE(actions(Status, NoDisabled).empty());
}

TEST(CodeActions, OfHintsRemoveOneOrAll) {
  DocumentStatus Status = violated();
  Outcome Right = outcome({{MemoryModel::SC, Verdict::Verified}});
  Status.Result = std::make_shared<Outcome>(std::move(Right));
  FixOffer Both = offer("Remove 2 fences", "");
  Both.Changes.push_back(Both.Changes[0]);
  FixAnswer A;
  A.Asked = {Aim::Relax, {MemoryModel::SC}};
  A.What = EditOutcome::Found;
  A.Offers = {Both, offer("Remove 1 fence", "A")};
  A.Hints = {{{File, 1, 1, 0, 0}, "this fence is not needed", 1}, {{File, 3, 1, 0, 0}, "nor this", -1}};
  Status.Fixes = {std::make_shared<FixAnswer>(A)};
  lsptypes::Client Client = editor();
  Client.UnnecessaryTag = true;
  const Array Hints = diagnosticsOf(Status, contextFor(Client));
  ASSERT_EQ(2u, Hints.size());
  EXPECT_EQ(4, Hints[0].getAsObject()->getInteger("severity"));
  EXPECT_EQ(Array{1}, *Hints[0].getAsObject()->getArray("tags"));
  const Array All = actions(Status, Client);
  ASSERT_EQ(2u, All.size());
  EXPECT_EQ("Remove 1 fence", All[0].getAsObject()->getString("title"));
  EXPECT_EQ("Remove 2 fences", All[1].getAsObject()->getString("title"));
}

} // namespace
