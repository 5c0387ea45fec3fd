// Checks the C programs of this directory against expected.tsv: one test per row, in the suite "Fast" or, where
// the row says that there are many executions, "Full". The suite "Optimal" insists that no execution was for nothing,
// the suite "Counterexample" that every violation is explained by an execution that is one, the suite "ReadsFrom" that
// reads-from relations give the same answers, the suite "Fix" that every violation that SC does not have is fixed. The
// rows of papers/expected.tsv are in the suites "Papers" and "PapersFull", and in "Optimal", "Robust" and "ReadsFrom".
#include "check/RobustnessCheck.h"
#include "fences/FencePlacement.h"
#include "fences/Fix.h"
#include "fences/TextDiff.h"
#include "support/Graphs.h"
#include "support/Recordings.h"
#include "support/Repairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

namespace picket {
namespace {

constexpr uint64_t ManyExecutions = 20000;
constexpr uint64_t MostTracesKept = 5040;
constexpr const char *PapersTable = "papers/expected.tsv";
constexpr double SecondsPerRow = 3600; // for what never ends: a busy machine takes long, too

/// One line of expected.tsv. What is "-" there is not compared.
struct Row {
  std::string Table;
  unsigned LineNumber = 0;
  std::string Program;
  std::vector<std::string> Flags;
  std::vector<std::string> Options; // of the check: "--races=warning"
  std::vector<std::string> With;    // the other files of the program
  unsigned Unroll = 0;
  MemoryModel Which = MemoryModel::SC;
  std::string Verdict;
  std::optional<uint64_t> Executions, Blocked, CutShort, Rejected;
  std::optional<std::string> BugKind;
  std::optional<uint32_t> BugLine;

  std::string file() const { return std::string(PICKET_PROGRAMS_DIR) + "/" + Program + ".c"; }

  /// Without '-', which has a meaning in --gtest_filter.
  std::string testName() const {
    std::string Name = Program;
    for (const std::string &Flag : Flags)
      Name += "/" + (Flag.rfind("-D", 0) == 0 ? Flag.substr(2) : Flag.substr(1));
    for (std::string Option : Options) {
      std::replace(Option.begin(), Option.end(), '-', '_');
      Name += "/" + Option.substr(2);
    }
    if (isOfPapers()) // there a program may have several bounds
      Name += "/unroll" + std::to_string(Unroll);
    return Name + "/" + nameOf(Which);
  }

  /// What the row asks for.
  CheckOptions checkOptions() const {
    CheckOptions Asked;
    Asked.Models = {Which};
    Asked.Unroll = Unroll;
    for (const std::string &Option : Options) {
      const size_t Equals = Option.find('=');
      const std::string Key = Option.substr(0, Equals), Value = Option.substr(Equals + 1);
      if (Key == "--races")
        Asked.Races = raceReportingNamed(Value).value();
      else if (Key == "--volatile")
        Asked.Volatile = volatileMeaningNamed(Value).value();
      else if (Key == "--release-sequences")
        Asked.Sequences = releaseSequencesNamed(Value).value();
      else
        throw std::invalid_argument("'" + Option + "' is no option");
    }
    return Asked;
  }

  /// The other files of the program, with the flags of the row.
  std::vector<ProgramFile> others() const {
    std::vector<ProgramFile> Files;
    for (const std::string &File : With)
      Files.push_back({File, Flags});
    return Files;
  }

  /// Whether a file is one of the program, or lies beside those of a program of several files.
  bool isOfProgram(const std::string &File) const {
    return File == file() ||
           (!With.empty() && std::filesystem::path(File).parent_path() == std::filesystem::path(file()).parent_path());
  }

  bool isOfPapers() const { return Table == PapersTable; }

  bool isPermuted() const { return std::find(Flags.begin(), Flags.end(), "-DPERMUTE") != Flags.end(); }

  Row unpermuted() const {
    Row Result = *this;
    std::erase(Result.Flags, "-DPERMUTE");
    return Result;
  }
};

std::vector<std::string> split(const std::string &Text, char Separator) {
  std::vector<std::string> Parts;
  std::stringstream Stream(Text);
  for (std::string Part; std::getline(Stream, Part, Separator);)
    Parts.push_back(Part);
  return Parts;
}

std::optional<uint64_t> parseNumber(const std::string &Text) {
  if (Text == "-")
    return std::nullopt;
  size_t Used = 0;
  uint64_t Number = std::stoull(Text, &Used);
  if (Used != Text.size())
    throw std::invalid_argument("'" + Text + "' is not a number");
  return Number;
}

MemoryModel parseModel(const std::string &Name) {
  for (const MemoryModelInfo &M : MemoryModels)
    if (Name == M.Name)
      return M.Model;
  throw std::invalid_argument("no model is called '" + Name + "'");
}

/// Throws std::exception if the line is not a row.
Row parseRow(const std::string &Line, const std::string &Table) {
  std::vector<std::string> Cells = split(Line, '\t');
  Row Result;
  Result.Table = Table;
  const size_t Columns = Result.isOfPapers() ? 11 : 9;
  if (Cells.size() != Columns)
    throw std::invalid_argument(std::to_string(Cells.size()) + " columns instead of " + std::to_string(Columns));
  Result.Program = Cells[0];
  if (Cells[1] != "-")
    Result.Flags = split(Cells[1], ' ');
  const auto IsFlag = [](const std::string &Word) { return Word.rfind("--", 0) != 0; };
  const auto FirstOption = std::stable_partition(Result.Flags.begin(), Result.Flags.end(), IsFlag);
  Result.Options.assign(FirstOption, Result.Flags.end());
  Result.Flags.erase(FirstOption, Result.Flags.end());
  std::erase_if(Result.Options, [&](const std::string &Option) {
    const bool IsWith = Option.starts_with("--with=");
    if (IsWith)
      Result.With.push_back(std::string(PICKET_PROGRAMS_DIR) + "/" + Option.substr(std::strlen("--with=")));
    return IsWith;
  });
  Result.Unroll = static_cast<unsigned>(std::stoul(Cells[2]));
  Result.Which = parseModel(Cells[3]);
  Result.Verdict = Cells[4];
  Result.Executions = parseNumber(Cells[5]);
  Result.Blocked = parseNumber(Cells[6]);
  if (Result.isOfPapers()) {
    Result.CutShort = parseNumber(Cells[7]);
    Result.Rejected = parseNumber(Cells[8]);
  }
  if (Cells[Columns - 2] != "-")
    Result.BugKind = Cells[Columns - 2];
  if (std::optional<uint64_t> Number = parseNumber(Cells[Columns - 1]))
    Result.BugLine = static_cast<uint32_t>(*Number);
  (void)Result.checkOptions(); // they must be options
  return Result;
}

/// Checks the row's program, once for each name: a row and its permuted twin share the report.
const CheckReport &reportOf(const Row &R) {
  static std::map<std::string, CheckReport> Reports;
  auto [At, New] = Reports.try_emplace(R.testName());
  if (New) {
    CheckRequest Request;
    Request.Text.File = R.file();
    Request.Text.Flags = R.Flags;
    Request.Text.Others = R.others();
    Request.Text.UseCompileCommands = false;
    Request.Options = R.checkOptions();
    Request.Options.Exhaustive = true;
    Request.Options.TimeoutSeconds = SecondsPerRow;
    At->second = check(Request);
  }
  return At->second;
}

/// Everything the report says, for messages of failed tests.
std::string describe(const CheckReport &Report) {
  std::ostringstream Text;
  for (const Diagnostic &D : Report.Diagnostics)
    Text << "  compiler, line " << D.Where.Line << ": " << D.Message << "\n";
  for (const ModelReport &M : Report.Models) {
    Text << "  " << nameOf(M.Which) << ": " << nameOf(M.Result) << ", " << M.Executions << " executions, " << M.Blocked
         << " blocked, " << M.CutShort << " cut short, " << M.Rejected << " rejected, " << M.Seconds << " s\n";
    for (const Bug &B : M.Bugs)
      Text << "    " << nameOf(B.Kind) << " at line " << B.Where.Line << " in " << B.Thread << ": " << B.Message
           << "\n";
    for (const CutLoop &L : M.Loops)
      Text << "    loop cut at line " << L.Where.Line << "\n";
    if (!M.Reason.empty())
      Text << "    line " << M.ReasonLocation.Line << ": " << M.Reason << "\n";
  }
  return Text.str();
}

class ProgramTest : public ::testing::Test {
public:
  explicit ProgramTest(Row R) : Expected(std::move(R)) {}

  void TestBody() override {
    const CheckReport &Report = reportOf(Expected);
    SCOPED_TRACE(Expected.Table + ":" + std::to_string(Expected.LineNumber) + ": the check of " + Expected.file() +
                 " says:\n" + describe(Report));
    ASSERT_EQ(Report.Models.size(), 1u);
    const ModelReport &Got = Report.Models.front();
    EXPECT_EQ(nameOf(Got.Result), Expected.Verdict);
    if (Expected.Executions) {
      EXPECT_EQ(Got.Executions, *Expected.Executions);
    }
    if (Expected.Blocked) {
      EXPECT_EQ(Got.Blocked, *Expected.Blocked);
    }
    if (Expected.CutShort) {
      EXPECT_EQ(Got.CutShort, *Expected.CutShort);
    }
    if (Expected.Rejected) {
      EXPECT_EQ(Got.Rejected, *Expected.Rejected);
    }
    checkBugs(Got);
    if (Expected.isPermuted())
      checkUnpermuted(Got);
  }

private:
  void checkBugs(const ModelReport &Got) const {
    EXPECT_EQ(Got.Bugs.empty(), Expected.Verdict != "violation");
    // What breaks one property may break another; the expected bug has to be among them.
    bool Found = Got.Bugs.empty();
    for (const Bug &B : Got.Bugs) {
      EXPECT_FALSE(B.Message.empty());
      bool Kind = !Expected.BugKind || nameOf(B.Kind) == *Expected.BugKind;
      bool Line =
          !Expected.BugLine || (B.Where.Line == *Expected.BugLine && B.Where.File.ends_with(Expected.Program + ".c"));
      Found |= Kind && Line;
    }
    EXPECT_TRUE(Found) << "none of the bugs is the expected one";
  }

  void checkUnpermuted(const ModelReport &Got) const {
    const CheckReport &Other = reportOf(Expected.unpermuted());
    SCOPED_TRACE("with the threads in the other order:\n" + describe(Other));
    ASSERT_EQ(Other.Models.size(), 1u);
    EXPECT_EQ(Got.Result, Other.Models.front().Result);
    EXPECT_EQ(Got.Executions, Other.Models.front().Executions);
    EXPECT_EQ(Got.Blocked, Other.Models.front().Blocked);
    EXPECT_EQ(Got.CutShort, Other.Models.front().CutShort);
  }

  const Row Expected;
};

/// A row's program as its model needs it.
CompileRequest requestOf(const Row &R) {
  CompileRequest Request = testing::requestForProgram(R.Program, R.Flags);
  Request.Others = R.others();
  Request.For = targetOf(R.Which, TargetChoice::Model);
  return Request;
}

/// Explores a row's program: every trace once, and nothing that turns out to be explored elsewhere.
class OptimalTest : public ::testing::Test {
public:
  explicit OptimalTest(Row R) : Given(std::move(R)) {}

  void TestBody() override {
    const Program P = testing::compile(requestOf(Given));
    if (isExploredAsGraphs(Given.Which)) {
      const testing::Explored All = testing::exploreGraphsOf(P, Given.Which, Given.Unroll);
      EXPECT_EQ(All.Result.FailedWakeups, 0u);
      EXPECT_EQ(All.Repeated, 0u) << "of " << All.Result.Executions << " executions";
      return;
    }
    testing::Traces Seen;
    ExplorationResult Result = exploreOptimally(P, testing::exhaustively(Given.Which, Given.Unroll), Seen);
    EXPECT_EQ(Result.SleepSetBlocked, 0u);
    EXPECT_EQ(Result.FailedWakeups, 0u);
    EXPECT_EQ(Seen.repeated(), 0u) << "of " << Result.Executions << " executions, " << Result.Blocked << " blocked and "
                                   << Result.Cut << " cut";
  }

private:
  const Row Given;
};

/// Looks at the first bug of a row's program as a user would be shown it.
class CounterexampleTest : public ::testing::Test {
public:
  explicit CounterexampleTest(Row R) : Given(std::move(R)) {}

  void TestBody() override {
    CheckRequest Request;
    Request.Text = requestOf(Given);
    Request.Options = Given.checkOptions();
    const CheckReport Report = check(Request);
    ASSERT_FALSE(Report.Models.front().Bugs.empty());
    const Program P = testing::compile(Request.Text);
    for (const Bug &B : Report.Models.front().Bugs) {
      ASSERT_TRUE(B.Trace) << B.Message;
      const Counterexample &C = *B.Trace;
      EXPECT_EQ(testing::problemOf(C), "");
      EXPECT_FALSE(C.Sentence.empty());
      EXPECT_TRUE(Given.Which != MemoryModel::SC || C.Why.Edges.empty());
      if (Given.Which == MemoryModel::Power && C.Why.Edges.empty()) { // then it needs no relaxed memory
        Request.Options.Models = {MemoryModel::SC};
        EXPECT_EQ(check(Request).Models.front().Result, Verdict::Violation);
      }
      ASSERT_LT(C.Run.BugEvent, C.Run.Events.size());
      for (const TraceEvent &E : C.Run.Events)
        EXPECT_TRUE(E.At.Where.Line > 0 && Given.isOfProgram(E.At.Where.File))
            << nameOf(E.Kind) << " at " << E.At.Where.File << ":" << E.At.Where.Line;
      MachineOptions Options;
      Options.Unroll = Given.Unroll;
      ReplayResult Again = replay(P, C.Run, Options);
      EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << Again.Message;
      ASSERT_TRUE(Again.Run);
      EXPECT_EQ(Again.Run->BugWhere.Line, C.Run.Events[C.Run.BugEvent].At.Where.Line);
      EXPECT_EQ(Again.Run->BugMessage, C.Run.BugMessage);
    }
  }

private:
  const Row Given;
};

/// Explores one execution per reads-from relation: the same verdict and the same bug, with no more executions, and bugs
/// that can be replayed.
class ReadsFromTest : public ::testing::Test {
public:
  explicit ReadsFromTest(Row R) : Given(std::move(R)) {}

  void TestBody() override {
    CheckRequest Request;
    Request.Text = requestOf(Given);
    Request.Options.Models = {Given.Which};
    Request.Options.Exhaustive = true;
    Request.Options.Unroll = Given.Unroll;
    Request.Options.TimeoutSeconds = SecondsPerRow;
    Request.Options.OnePer = Equivalence::ReadsFrom;
    const CheckReport Report = check(Request);
    SCOPED_TRACE(describe(Report));
    const ModelReport &Got = Report.Models.front();
    EXPECT_EQ(nameOf(Got.Result), Given.Verdict);
    EXPECT_LE(Got.Executions, Given.Executions.value_or(Got.Executions));
    EXPECT_EQ(Got.WhyNotReadsFrom.find("could not be shown"), std::string::npos);
    if (Got.OnePer == Equivalence::ShashaSnir) {
      EXPECT_EQ(Got.WhyNotReadsFrom.empty(), !Got.Reason.empty()) << "said only where traces do better";
    }
    const Program P = testing::compile(Request.Text);
    bool Found = Got.Bugs.empty();
    for (const Bug &B : Got.Bugs) {
      Found |=
          (!Given.BugKind || nameOf(B.Kind) == *Given.BugKind) && (!Given.BugLine || B.Where.Line == *Given.BugLine);
      if (!B.Trace)
        continue;
      MachineOptions Options;
      Options.Unroll = Given.Unroll;
      const ReplayResult Again = replay(P, B.Trace->Run, Options);
      EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << B.Message << "\n" << Again.Message;
    }
    EXPECT_TRUE(Found) << "none of the bugs is the expected one";
  }

private:
  const Row Given;
};

/// What monitoring SC says of a row's program (the row is one of TSO or PSO), against the explorations of both models.
class RobustTest : public ::testing::Test {
public:
  explicit RobustTest(Row R) : Given(std::move(R)) {}

  void TestBody() override {
    Row Sequential = Given;
    Sequential.Which = MemoryModel::SC;
    const ModelReport Sc = reportOf(Sequential).Models.front(), Relaxed = reportOf(Given).Models.front();
    if (Sc.Result == Verdict::Unsupported || Relaxed.Result == Verdict::Unsupported)
      return;
    const CompileRequest Text = requestOf(Given);
    RobustnessOptions Options;
    Options.Unroll = Given.Unroll;
    const RobustnessReport Report = checkRobustness(Text, Options);
    const ModelReport &Monitored = Report.sc();
    EXPECT_EQ(Monitored.Result, Sc.Result);
    EXPECT_EQ(Monitored.Executions, Sc.Executions);
    EXPECT_EQ(Monitored.Blocked, Sc.Blocked);
    const Robustness *Answer = Report.against(Given.Which);
    ASSERT_TRUE(Answer);
    // Executions that do not come to their end can be what relaxed memory adds, too.
    const bool Same =
        Relaxed.Executions == Sc.Executions && Relaxed.Blocked == Sc.Blocked && Relaxed.CutShort == Sc.CutShort;
    EXPECT_EQ(Answer->Known == Robustness::Robust, Same)
        << describe(reportOf(Sequential)) << describe(reportOf(Given)) << Answer->Message;
    if (Answer->Known == Robustness::NotRobust)
      checkWitness(Text, *Answer);
  }

private:
  void checkWitness(const CompileRequest &Text, const Robustness &R) const {
    ASSERT_TRUE(R.Witness) << R.Message;
    EXPECT_EQ(testing::problemOf(*R.Witness), "");
    EXPECT_FALSE(R.Witness->Why.Edges.empty());
    EXPECT_GT(R.Store.Line, 0u);
    MachineOptions Options;
    Options.Unroll = Given.Unroll;
    ReplayResult Again = replay(testing::compile(Text), R.Witness->Run, Options);
    EXPECT_EQ(Again.Outcome, ReplayResult::SameBug) << Again.Message;
  }

  const Row Given;
};

/// How many fixes of a model were compared with the best that brute force can do, of all kinds of changes at all
/// places.
struct FixTotals {
  unsigned Fixes = 0, Cost = 0, Number = 0;
};

/// Those of all programs. Where each program has a process of its own, PICKET_FIX_TOTALS is a folder to which each writes its totals.
class TotalsOfFixes {
public:
  static void add(MemoryModel M, const std::string &Program, const FixTotals &More) {
    FixTotals &Sum = known()[{M, Program}];
    Sum.Fixes += More.Fixes;
    Sum.Cost += More.Cost;
    Sum.Number += More.Number;
    if (const char *Folder = std::getenv(Variable))
      std::ofstream(std::filesystem::path(Folder) / (Program + "-" + nameOf(M)))
          << Sum.Fixes << " " << Sum.Cost << " " << Sum.Number << "\n";
  }

  static FixTotals of(MemoryModel M) {
    std::vector<FixTotals> Parts;
    if (const char *Folder = std::getenv(Variable)) {
      for (const auto &File : std::filesystem::directory_iterator(Folder))
        if (FixTotals Part; File.path().string().ends_with(std::string("-") + nameOf(M)) &&
                            std::ifstream(File.path()) >> Part.Fixes >> Part.Cost >> Part.Number)
          Parts.push_back(Part);
    } else {
      for (const auto &[Key, Part] : known())
        if (Key.first == M)
          Parts.push_back(Part);
    }
    FixTotals Sum;
    for (const FixTotals &Part : Parts) {
      Sum.Fixes += Part.Fixes;
      Sum.Cost += Part.Cost;
      Sum.Number += Part.Number;
    }
    return Sum;
  }

private:
  static constexpr const char *Variable = "PICKET_FIX_TOTALS";
  static std::map<std::pair<MemoryModel, std::string>, FixTotals> &known() {
    static std::map<std::pair<MemoryModel, std::string>, FixTotals> All;
    return All;
  }
};

/// Fixes a row's program. What SC has as well is refused; otherwise the repair works, no part of it does, the edited
/// text passes a fresh check, no text with a part of the changes does, and no cheaper and no smaller set of changes is
/// enough, wherever they are made.
class FixTest : public ::testing::Test {
public:
  explicit FixTest(Row R)
      : Given(std::move(R)), Options(testing::optionsFor({Given.Which}, Given.Unroll)), Text(requestOf(Given)) {}

  void TestBody() override {
    const Program P = testing::compile(Text);
    Repairer Repairs = testing::repairerOf(P, Options);
    const RepairResult Result = Repairs.find(true, true);
    if (!testing::passes(P, testing::optionsFor({MemoryModel::SC}, Given.Unroll))) {
      EXPECT_EQ(Result.What, RepairResult::Outcome::Refused);
      EXPECT_NE(Result.Reason.find("under sequential consistency"), std::string::npos) << Result.Reason;
      EXPECT_EQ(Result.ShownUnder, MemoryModel::SC);
      EXPECT_TRUE(Result.Shown && Result.Shown->Trace);
      return;
    }
    ASSERT_EQ(Result.What, RepairResult::Outcome::Repaired) << Result.Reason;
    EXPECT_EQ(testing::problemOf(P, Repairs, *Result.Found, Options), "");
    // What is offered first may change several memory orders instead of one fence. Without preferences it is small.
    for (const bool Preferring : {true, false}) {
      FixOptions Wanted;
      Wanted.Check = Options;
      Wanted.Scope.PreferLibrary = Preferring;
      const FixReport Report = findFixes(Text, Wanted);
      ASSERT_EQ(Report.What, EditOutcome::Found) << Report.Reason;
      for (const Fix &F : Report.Fixes) {
        EXPECT_TRUE(F.Minimal);
        EXPECT_TRUE(passesEdited(F.Edits)) << titleOf(F, Options.Unroll);
      }
      checkParts(Report.Fixes.front());
      if (!Preferring)
        checkSize(P, Report.Fixes.front());
    }
  }

private:
  static constexpr size_t MostParts = 6;      // all subsets of so many changes are tried on the text
  static constexpr unsigned MostChecks = 400; // to look for better sets

  bool passesEdited(const std::vector<TextEdit> &Edits) const {
    CompileRequest Edited = Text;
    for (const auto &[File, New] : editedTexts(Text, Edits))
      Edited.Unsaved[File] = New;
    return testing::passes(testing::compile(Edited), Options);
  }

  void checkParts(const Fix &F) const {
    if (F.Changes.size() > MostParts)
      return;
    std::vector<std::vector<SourceChange>> Parts;
    for (uint32_t Subset = 1; Subset + 1 < 1u << F.Changes.size(); ++Subset) {
      Parts.emplace_back();
      for (size_t K = 0; K < F.Changes.size(); ++K)
        if (Subset >> K & 1)
          Parts.back().push_back(F.Changes[K]);
    }
    for (const PlacedChange &Part : placeAlternatives(Text, Parts)) {
      ASSERT_TRUE(Part.placed()) << Part.Refusal;
      EXPECT_FALSE(passesEdited(Part.Edits)) << "a part of the fix is enough";
    }
  }

  /// No cheaper set of changes works, and no smaller one, of all there are: as far as so many checks can tell.
  void checkSize(const Program &P, const Fix &F) const {
    const RepairResult Cheapest = testing::cheapestRepair(P, Options);
    ASSERT_EQ(Cheapest.What, RepairResult::Outcome::Repaired) << Cheapest.Reason;
    const testing::Search Cheaper = testing::cheaperThan(P, Options, *Cheapest.Found, MostChecks),
                          Fewer = testing::fewerThan(P, Options, F.Changes.size(), MostChecks);
    EXPECT_NE(Cheaper, testing::Search::Found) << "less than " << Cheapest.Found->Cost << " is enough";
    // Several orders may cost less than one fence.
    if (Given.Which != MemoryModel::Armv8 && Given.Which != MemoryModel::C11) {
      EXPECT_NE(Fewer, testing::Search::Found) << "less than " << F.Changes.size() << " changes are enough";
    }
    const bool CostCompared = Cheaper == testing::Search::NotFound && Cheapest.Found->Cheapest,
               NumberCompared = Fewer == testing::Search::NotFound;
    TotalsOfFixes::add(Given.Which, Given.Program, {1, CostCompared, NumberCompared});
    if (Cheaper == testing::Search::TooManyChecks || Fewer == testing::Search::TooManyChecks ||
        !Cheapest.Found->Cheapest)
      std::cout << Given.testName() << ": " << (Cheapest.Found->Cheapest ? "" : "not proved to be cheapest, ")
                << (Cheaper == testing::Search::TooManyChecks ? "cost not compared, " : "")
                << (Fewer == testing::Search::TooManyChecks ? "number not compared" : "") << "\n";
  }

  const Row Given;
  const CheckOptions Options;
  const CompileRequest Text;
};

/// After all of them: few were too large to be compared.
class FixTotalsTest : public ::testing::Test {
public:
  explicit FixTotalsTest(MemoryModel M) : Given(M) {}
  void TestBody() override {
    const FixTotals Sum = TotalsOfFixes::of(Given);
    std::cout << nameOf(Given) << ": of " << Sum.Fixes << " fixes the cost of " << Sum.Cost
              << " and the number of changes of " << Sum.Number << " were compared with brute force\n";
    EXPECT_GE(Sum.Cost, Sum.Fixes * 8 / 10);
    EXPECT_GE(Sum.Number, Sum.Fixes * 9 / 10);
  }

private:
  const MemoryModel Given;
};

/// Says what is wrong with the data file itself.
class DataTest : public ::testing::Test {
public:
  explicit DataTest(std::string Complaints) : Complaints(std::move(Complaints)) {}
  void TestBody() override { EXPECT_EQ(Complaints, ""); }

private:
  const std::string Complaints;
};

template <typename Fixture, typename Data>
void registerTest(const char *Suite, const std::string &Name, const Data &Given) {
  ::testing::RegisterTest(Suite, Name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [Given]() -> ::testing::Test * { return new Fixture(Given); });
}

void registerRow(const Row &R) {
  const bool IsFast = R.Executions.value_or(0) + R.Rejected.value_or(0) < ManyExecutions;
  const char *Suite = R.isOfPapers() ? (IsFast ? "Papers" : "PapersFull") : IsFast ? "Fast" : "Full";
  registerTest<ProgramTest>(Suite, R.testName(), R);
  if ((R.Which == MemoryModel::TSO || R.Which == MemoryModel::PSO) && R.Executions.value_or(0) < ManyExecutions)
    registerTest<RobustTest>("Robust", R.testName(), R);
  if (!isExploredAsGraphs(R.Which) && R.Options.empty() && R.Executions.value_or(0) < ManyExecutions)
    registerTest<ReadsFromTest>("ReadsFrom", R.testName(), R);
  if (R.Verdict == "violation" && !R.isOfPapers())
    registerTest<CounterexampleTest>("Counterexample", R.testName(), R);
  const bool IsRace = R.BugKind == nameOf(BugKind::DataRace); // SC has the same execution: often only a lock helps
  if (R.Verdict == "violation" && R.Which != MemoryModel::SC && !IsRace && !R.isPermuted() && !R.isOfPapers())
    registerTest<FixTest>("Fix", R.testName(), R);
  // The keys of all traces are kept.
  if (R.Executions.value_or(0) <= MostTracesKept && R.Options.empty())
    registerTest<OptimalTest>("Optimal", R.testName(), R);
}

/// What is wrong with a table of rows, whose tests are registered.
std::string registerTable(const std::string &Table) {
  const std::string Path = std::string(PICKET_PROGRAMS_DIR) + "/" + Table;
  std::ifstream File(Path);
  std::string Complaints;
  std::map<std::string, unsigned> Names;
  unsigned LineNumber = 0;
  for (std::string Line; std::getline(File, Line);) {
    LineNumber++;
    if (Line.empty() || Line.front() == '#')
      continue;
    const std::string Here = Table + ":" + std::to_string(LineNumber) + ": ";
    try {
      Row R = parseRow(Line, Table);
      R.LineNumber = LineNumber;
      if (!std::ifstream(R.file()))
        Complaints += Here + "there is no " + R.file() + "\n";
      if (!Names.try_emplace(R.testName(), LineNumber).second)
        Complaints += Here + R.testName() + " is there twice\n";
      else
        registerRow(R);
    } catch (const std::exception &Error) {
      Complaints += Here + Error.what() + "\n";
    }
  }
  if (Names.empty())
    Complaints += "no rows in " + Path + "\n";
  return Complaints;
}

/// gtest wants all tests of a suite to come from one fixture class; the data files have a suite of their own.
int registerAll() {
  registerTest<DataTest>("Data", "FileIsWellFormed", registerTable("expected.tsv"));
  registerTest<DataTest>("Data", "PapersAreWellFormed", registerTable(PapersTable));
  for (MemoryModel M : {MemoryModel::TSO, MemoryModel::PSO, MemoryModel::Power})
    registerTest<FixTotalsTest>("FixTotals", nameOf(M), M);
  return 0;
}

[[maybe_unused]] const int Registered = registerAll();

} // namespace
} // namespace picket
