#include "suite/JUnitReport.h"

#include "suite/SuiteText.h"

#include "llvm/Support/Format.h"

using llvm::raw_ostream;
using llvm::StringRef;

namespace picket {

namespace {

/// Characters that XML does not have become '?'.
std::string escaped(StringRef Text) {
  std::string Result;
  for (const char C : printable(Text, /*Colors=*/false))
    switch (C) {
    case '&': Result += "&amp;"; break;
    case '<': Result += "&lt;"; break;
    case '>': Result += "&gt;"; break;
    case '"': Result += "&quot;"; break;
    case '\n': Result += "&#10;"; break;
    case '\t': Result += "&#9;"; break;
    default: Result += C;
    }
  for (const char *NoCharacter : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (size_t At; (At = Result.find(NoCharacter)) != std::string::npos;)
      Result.replace(At, 3, "?");
  return Result;
}

struct TestCase {
  std::string Name;
  double Seconds = 0;
  enum : uint8_t { Passed, Failure, Error, Skipped } End = Passed;
  std::string Type, Message, Details;
};

std::vector<TestCase> casesOf(const std::optional<ProgramResult> &Result) {
  if (!Result)
    return {{"check", 0, TestCase::Skipped, "cancelled", "cancelled before it was begun", ""}};
  if (!Result->Lost.empty())
    return {{"check", 0, TestCase::Error, "lost", Result->Lost, ""}};
  std::vector<TestCase> Cases;
  for (const ModelResult &M : Result->Models) {
    TestCase &New = Cases.emplace_back(TestCase{M.Title, M.Seconds, TestCase::Passed, nameOf(M.Result), "", M.Text});
    if (M.Skipped)
      New.End = TestCase::Skipped;
    else if (exitCodeOf(M.Result) != NothingFound)
      New.End = M.Result == Verdict::Violation ? TestCase::Failure : TestCase::Error;
    if (New.End != TestCase::Passed) {
      New.Message = StringRef(M.Message).split('\n').first.str();
      New.Details = M.Message == New.Message ? M.Text : M.Message + "\n" + M.Text;
    }
  }
  return Cases;
}

struct Counts {
  size_t Tests = 0, Failures = 0, Errors = 0, Skipped = 0;
  double Seconds = 0;

  void add(const std::vector<TestCase> &Cases) {
    for (const TestCase &C : Cases) {
      ++Tests;
      Failures += C.End == TestCase::Failure;
      Errors += C.End == TestCase::Error;
      Skipped += C.End == TestCase::Skipped;
      Seconds += C.Seconds;
    }
  }
  void print(raw_ostream &Out) const {
    Out << " tests=\"" << Tests << "\" failures=\"" << Failures << "\" errors=\"" << Errors << "\" skipped=\""
        << Skipped << llvm::format("\" time=\"%.3f\"", Seconds);
  }
};

void printCase(raw_ostream &Out, const TestCase &Case, const std::string &Program) {
  Out << "    <testcase classname=\"" << escaped(Program) << "\" name=\"" << escaped(Case.Name)
      << llvm::format("\" time=\"%.3f\">\n", Case.Seconds);
  if (Case.End == TestCase::Passed) {
    Out << "      <system-out>" << escaped(Case.Details) << "</system-out>\n";
  } else {
    static constexpr const char *Elements[] = {"", "failure", "error", "skipped"};
    const char *Element = Elements[Case.End];
    Out << "      <" << Element << (Case.End == TestCase::Skipped ? "" : " type=\"" + escaped(Case.Type) + "\"")
        << " message=\"" << escaped(Case.Message) << "\">" << escaped(Case.Details) << "</" << Element << ">\n";
  }
  Out << "    </testcase>\n";
}

} // namespace

std::string junitText(const std::vector<SuiteProgram> &Programs,
                      const std::vector<std::optional<ProgramResult>> &Results) {
  Counts Total;
  std::string Suites, Text;
  llvm::raw_string_ostream Inner(Suites), Out(Text);
  for (size_t K = 0; K < Programs.size(); ++K) {
    if (Results[K] && !Results[K]->StartsThreads)
      continue;
    const std::vector<TestCase> Cases = casesOf(Results[K]);
    Counts Own;
    Own.add(Cases);
    Total.add(Cases);
    Inner << "  <testsuite name=\"" << escaped(Programs[K].File) << '"';
    Own.print(Inner);
    Inner << ">\n";
    if (Results[K] && Results[K]->Cached)
      Inner << "    <properties><property name=\"cached\" value=\"true\"/></properties>\n";
    for (const TestCase &C : Cases)
      printCase(Inner, C, Programs[K].File);
    Inner << "  </testsuite>\n";
  }
  Out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"picket\"";
  Total.print(Out);
  Out << ">\n" << Suites << "</testsuites>\n";
  return Text;
}

} // namespace picket
