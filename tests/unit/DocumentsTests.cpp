// Documents and the scheduling of fixes, without workers: which check is due, and which results still count.
#include "lsp/Documents.h"

#include <gtest/gtest.h>

using namespace picket;
using namespace std::chrono_literals;

namespace {

class DocumentsTest : public ::testing::Test {
protected:
  static constexpr const char *File = "/virtual/a.c";

  /// A document that a worker checks.
  uint64_t begin() {
    Docs.open(File, "int main(void) {}", 1, true);
    Document *D = Docs.nextDue(Clock::now());
    EXPECT_TRUE(D);
    Docs.begin(*D);
    return D->Generation;
  }
  static std::shared_ptr<Outcome> outcome() { return std::make_shared<Outcome>(); }
  FixScheduler::Waiter noteEnd() {
    return [this](CheckEnd End, const FixQuestion &) { Ends.push_back(End); };
  }
  void tell() {
    for (const PendingNews::EndedWait &W : News.EndedWaits)
      W.Tell(W.End);
    News = {};
  }

  using Clock = Documents::Clock;
  PendingNews News;
  FixScheduler Fixes{News};
  Documents Docs{20ms, Fixes, News};
  std::vector<CheckEnd> Ends;
  const FixQuestion Question{FixQuestion::Aim::NoBug, {MemoryModel::TSO}};
};

TEST_F(DocumentsTest, AResultCountsAsLongAsTheTextIsTheOneThatWasChecked) {
  const uint64_t Checked = begin();
  EXPECT_FALSE(Docs.nextDue(Clock::now())) << "it is checked once at a time";
  Docs.change(File, 2, [](std::string &Text) { Text += "\n"; });
  EXPECT_FALSE(Docs.accept(File, Checked, outcome(), CheckState::Done));
  EXPECT_FALSE(Docs.find(File)->Status.Result);
  EXPECT_TRUE(Docs.accept(File, Docs.find(File)->Generation, outcome(), CheckState::Done));
  EXPECT_TRUE(Docs.find(File)->Status.Current);
}

TEST_F(DocumentsTest, AResultOfAClosedDocumentIsDroppedAlsoIfItIsOpenAgain) {
  const uint64_t Checked = begin();
  EXPECT_TRUE(Docs.close(File));
  EXPECT_FALSE(Docs.close(File));
  EXPECT_FALSE(Docs.accept(File, Checked, outcome(), CheckState::Done));
  Docs.open(File, "int main(void) {}", 1, true);
  EXPECT_FALSE(Docs.accept(File, Checked, outcome(), CheckState::Done));
}

TEST_F(DocumentsTest, ACheckThatIsRunningWhenTheTextChangesIsDueAgainAfterAMoment) {
  begin();
  Docs.change(File, 2, [](std::string &Text) { Text += "\n"; });
  Docs.find(File)->Running = false; // the service ended it
  EXPECT_FALSE(Docs.nextDue(Clock::now() - 1s));
  EXPECT_TRUE(Docs.nextDue(Clock::now() + 1s));
  Docs.cancel("");
  EXPECT_FALSE(Docs.nextDue(Clock::now() + 1s));
  EXPECT_TRUE(Docs.isIdle());
}

TEST_F(DocumentsTest, OneSearchForAllWhoAskTheSame) {
  begin();
  DocumentStatus &Status = Docs.find(File)->Status;
  Fixes.ask(Status, Question, noteEnd());
  Fixes.ask(Status, Question, noteEnd());
  const std::optional<FixScheduler::Search> Search = Fixes.next(0);
  ASSERT_TRUE(Search);
  Fixes.begin(*Search);
  EXPECT_FALSE(Fixes.next(0));
  EXPECT_TRUE(Status.Searching);
  Fixes.answer(*Search, Status, FixAnswer());
  tell();
  EXPECT_EQ((std::vector{CheckEnd::Finished, CheckEnd::Finished}), Ends);
  EXPECT_TRUE(Status.answerTo(Question));
  EXPECT_FALSE(Status.Searching);
  Fixes.ask(Status, Question, noteEnd());
  EXPECT_TRUE(Fixes.isIdle()) << "it is answered already";
}

TEST_F(DocumentsTest, ASearchIsWantedUntilTheTextIsAnother) {
  begin();
  Fixes.ask(Docs.find(File)->Status, Question, noteEnd());
  const FixScheduler::Search Search = *Fixes.next(0);
  Fixes.begin(Search);
  EXPECT_TRUE(Fixes.isWanted(Search));
  Docs.change(File, 2, [](std::string &Text) { Text += "\n"; });
  EXPECT_FALSE(Fixes.isWanted(Search));
  EXPECT_FALSE(Fixes.retry(Search, 1));
  tell();
  EXPECT_EQ(std::vector{CheckEnd::Edited}, Ends);
}

TEST_F(DocumentsTest, ThoseThatSomebodyWaitsForComeFirst) {
  begin();
  DocumentStatus &Status = Docs.find(File)->Status;
  const FixQuestion Other{FixQuestion::Aim::Relax, {MemoryModel::TSO}};
  Fixes.ask(Status, Question, {});
  Fixes.ask(Status, Other, noteEnd());
  EXPECT_EQ(Other, Fixes.next(0)->Question);
  EXPECT_TRUE(Fixes.next(1)) << "beside one that nobody waits for";
  EXPECT_FALSE(Fixes.next(2));
  Fixes.begin(*Fixes.next(1));
  EXPECT_EQ(Question, Fixes.next(0)->Question);
  EXPECT_FALSE(Fixes.next(1)) << "nobody waits for it";
}

TEST_F(DocumentsTest, ASearchThatCrashedIsTriedAgainSoManyTimes) {
  begin();
  Fixes.ask(Docs.find(File)->Status, Question, {});
  const FixScheduler::Search Search = *Fixes.next(0);
  Fixes.begin(Search);
  EXPECT_TRUE(Fixes.retry(Search, 1));
  Fixes.begin(Search);
  EXPECT_FALSE(Fixes.retry(Search, 1));
  EXPECT_TRUE(Fixes.isWanted(Search)) << "and is answered then";
}

TEST_F(DocumentsTest, ProgramsThatUseAnOpenFileAreCheckedInTheBackground) {
  const std::string Library = "/virtual/queue.h", Program = "/virtual/test.c";
  auto UsersOf = [&](const std::string &Used) {
    ProgramIndex::Users Users;
    if (Used == Library)
      Users.Programs = {Program};
    Users.Complete = Users.IsIncluded = true;
    return Users;
  };
  Docs.open(Library, "void put(int);", 1, false);
  Docs.setPrograms(UsersOf);
  ASSERT_TRUE(Docs.find(Program));
  EXPECT_TRUE(Docs.find(Program)->Status.Background);
  EXPECT_EQ(Docs.find(Library)->Status.Programs, std::vector<std::string>{Program});
  EXPECT_FALSE(Docs.texts().contains(Program)) << "what is on disk counts";
  EXPECT_EQ(Docs.lastActive(), "");
  Document *Due = Docs.nextDue(Clock::now());
  ASSERT_TRUE(Due);
  EXPECT_EQ(Due->Status.File, Program);
  Docs.begin(*Due);
  const uint64_t Checked = Due->Generation;
  EXPECT_TRUE(Docs.accept(Program, Checked, outcome(), CheckState::Done));

  // Saving the library checks the program again, and asking for its check does.
  Docs.save(Library);
  EXPECT_TRUE(Docs.nextDue(Clock::now()));
  EXPECT_FALSE(Docs.accept(Program, Checked, outcome(), CheckState::Done)) << "that was about another text";
  unsigned Ended = 0;
  EXPECT_TRUE(Docs.check(Library, {}, [&](CheckEnd End) { Ended += End == CheckEnd::Finished; }));
  Due = Docs.nextDue(Clock::now());
  ASSERT_TRUE(Due);
  Docs.begin(*Due);
  EXPECT_TRUE(Docs.accept(Program, Due->Generation, outcome(), CheckState::Done));
  tell();
  EXPECT_EQ(Ended, 1u);

  // Open, it is a document like others; closed, it is one in the background again, until nobody needs it.
  Docs.open(Program, "int main(void) {}", 1, true);
  EXPECT_FALSE(Docs.find(Program)->Status.Background);
  EXPECT_TRUE(Docs.texts().contains(Program));
  Docs.setPrograms(UsersOf);
  EXPECT_TRUE(Docs.close(Program));
  Docs.setPrograms(UsersOf);
  ASSERT_TRUE(Docs.find(Program));
  EXPECT_TRUE(Docs.find(Program)->Status.Background);
  tell();
  EXPECT_TRUE(Docs.close(Library));
  Docs.setPrograms(UsersOf);
  EXPECT_FALSE(Docs.find(Program));
  EXPECT_EQ(News.Cleared, std::vector<std::string>{Program});
}

TEST_F(DocumentsTest, OtherFilesOfAProgramCheckIt) {
  const std::string Library = "/virtual/queue.c";
  Docs.open(File, "// picket: with=queue.c\nint main(void) {}", 1, true);
  Document *Due = Docs.nextDue(Clock::now());
  ASSERT_TRUE(Due);
  ASSERT_EQ(Due->Others.size(), 1u);
  EXPECT_EQ(Due->Others[0].File, Library);
  Docs.begin(*Due);
  const uint64_t Checked = Due->Generation;
  Docs.open(Library, "// picket: flags=-DX\nvoid put(int);", 1, true);
  Docs.change(Library, 2, [](std::string &Text) { Text += "\n"; });
  EXPECT_FALSE(Docs.accept(File, Checked, outcome(), CheckState::Done)) << "it was linked with another text";
  Docs.find(File)->Running = false;
  Docs.save(Library);
  Docs.resolve(*Docs.find(File));
  EXPECT_EQ(Docs.find(File)->Others[0].Flags, std::vector<std::string>{"-DX"}) << "of the text in the editor";
  EXPECT_TRUE(Docs.find(File)->Due);
}

} // namespace
