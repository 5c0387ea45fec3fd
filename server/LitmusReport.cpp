#include "LitmusReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <filesystem>

using llvm::json::OStream;

namespace picket {

void LitmusComparison::add(const LitmusReport &Report) {
  const std::string Test = Table.testOf(Report.File);
  if (!Report.Reading.Test) {
    Unread.push_back(Test + ": " + Report.Reading.Problem);
    return;
  }
  for (const LitmusResult &R : Report.Results) {
    Executions += R.Executions;
    Blocked += R.Blocked;
    const LitmusExpectation *Expected = Table.find(Test, R.Which);
    if (!Expected) {
      ++WithoutRow;
      continue;
    }
    Compared.insert({Test, nameOf(R.Which)});
    const LitmusExpectation Found = foundBy(*Report.Reading.Test, R);
    if (!R.answered()) {
      Unanswered.push_back({Test, nameOf(R.Which), textOf(*Expected), R.Reason});
      ++(R.Coverage == Verdict::Unsupported ? Unsupported : Limited);
    } else if (Found == *Expected) {
      ++Agreeing;
    } else {
      Mismatches.push_back({Test, nameOf(R.Which), textOf(*Expected), textOf(Found)});
    }
  }
}

void LitmusComparison::noteMissing(const std::vector<MemoryModel> &Models) {
  std::set<std::string> Wanted, Refused;
  for (MemoryModel M : Models)
    Wanted.insert(nameOf(M));
  for (const std::string &Line : Unread)
    Refused.insert(Line.substr(0, Line.find(':')));
  for (const auto &[Key, Row] : Table.rows())
    if (const auto M = modelNamed(Key.second); !M || Key.second != nameOf(*M)) // rc11 means another one in tables
      ++OtherModels[Key.second];
    else if ((Wanted.empty() || Wanted.count(Key.second)) && !Compared.count(Key) && !Refused.count(Key.first))
      Mismatches.push_back({Key.first, Key.second, textOf(Row), "the test was not run"});
}

void LitmusComparison::noteAbsent() {
  std::map<std::string, bool> Exists;
  for (const auto &[Key, Row] : Table.rows()) {
    auto [At, New] = Exists.try_emplace(Key.first);
    std::error_code Ignored;
    if (New)
      At->second = std::filesystem::exists(std::filesystem::path(Table.directory()) / (Key.first + ".litmus"), Ignored);
    if (!At->second && !Compared.count(Key))
      Mismatches.push_back({Key.first, Key.second, textOf(Row), "there is no such test"});
  }
}

static const char *observationOf(const LitmusResult &R) {
  return R.Satisfying == 0 ? "never" : R.Others == 0 ? "always" : "sometimes";
}

static std::string count(uint64_t Number, const char *What) {
  return std::to_string(Number) + " " + What + (Number == 1 ? "" : "s");
}

static std::string nameIn(const LitmusResult &R) { return R.Model.empty() ? nameOf(R.Which) : R.Model; }

static void printResult(llvm::raw_ostream &Out, const LitmusTest &Test, const LitmusResult &R, bool Quiet) {
  Out << "  " << llvm::left_justify(nameIn(R), 6);
  if (!R.Model.empty())
    Out << ' ';
  if (!R.answered()) {
    Out << nameOf(R.Coverage) << ": " << R.Reason << '\n';
    return;
  }
  Out << (R.Holds ? "holds" : "fails") << ", " << observationOf(R)
      << (R.Coverage == Verdict::Bounded ? " up to the loop bound (" : " (") << R.Satisfying << " of "
      << count(R.Satisfying + R.Others, "execution") << "), " << count(R.States.size(), "state");
  if (R.Blocked)
    Out << ", " << R.Blocked << " blocked";
  if (R.Coverage == Verdict::Bounded)
    Out << ", " << R.Cut << " cut at the loop bound";
  for (const std::string &Flag : R.Flags)
    Out << ", flag " << Flag;
  Out << llvm::format(", %.3f s\n", R.Seconds);
  if (Quiet)
    return;
  for (const auto &[State, Number] : R.States)
    Out << llvm::format("%10llu ", static_cast<unsigned long long>(Number))
        << (Test.Condition.holdsIn(State) ? '*' : ':') << "> " << Test.textOf(State) << '\n';
}

void printLitmusText(llvm::raw_ostream &Out, const LitmusReport &Report, bool Quiet) {
  if (!Report.Reading.Test) {
    Out << Report.File << ": " << Report.Reading.Problem << '\n';
    return;
  }
  const LitmusTest &Test = *Report.Reading.Test;
  Out << nameOf(Test.Architecture) << ' ' << Test.Name << ": " << Test.ConditionText << '\n';
  for (const LitmusResult &R : Report.Results)
    printResult(Out, Test, R, Quiet);
}

static void printComparison(llvm::raw_ostream &Out, const LitmusComparison &C) {
  for (const std::string &Line : C.Unread)
    Out << Line << '\n';
  for (const auto *Kind : {&C.Unanswered, &C.Mismatches})
    for (const LitmusComparison::Mismatch &M : *Kind)
      Out << M.Test << ' ' << M.Model << ": expected " << M.Expected << "; found " << M.Found << '\n';
  for (const auto &[Model, Rows] : C.OtherModels)
    Out << "not compared: " << count(Rows, "row") << " of '" << Model << "', which is no model of this program\n";
  const uint64_t Runs = C.Executions + C.Blocked;
  Out << count(C.Agreeing, "result") << " agree, " << C.Mismatches.size() << " mismatch, " << C.Unsupported
      << " unsupported, " << C.Limited << " stopped by a limit, " << C.WithoutRow << " without a row; "
      << count(C.Unread.size(), "test") << " not read\n"
      << "blocked: " << C.Blocked << " of " << Runs << " runs"
      << llvm::format(" (%.2f %%)\n", Runs ? 100.0 * static_cast<double>(C.Blocked) / static_cast<double>(Runs) : 0.0);
}

void printLitmusSummary(llvm::raw_ostream &Out, const std::vector<LitmusReport> &Reports,
                        const LitmusComparison *Comparison) {
  if (Comparison)
    printComparison(Out, *Comparison);
  double Seconds = 0;
  uint64_t Long = 0, Read = 0;
  for (const LitmusReport &Report : Reports) {
    Read += Report.Reading.Test.has_value();
    for (const LitmusResult &R : Report.Results) {
      Seconds += R.Seconds;
      if (R.Seconds <= LongLitmusSeconds)
        continue;
      ++Long;
      Out << llvm::format("above %.0f s: ", LongLitmusSeconds) << Report.File << ' ' << nameIn(R)
          << llvm::format(", %.1f s\n", R.Seconds);
    }
  }
  Out << Read << " of " << count(Reports.size(), "test") << " read, " << count(Long, "run")
      << llvm::format(" above %.0f s, %.1f s of work\n", LongLitmusSeconds, Seconds);
}

/// Test files may hold anything; JSON is UTF-8.
static void text(OStream &J, llvm::StringRef Name, llvm::StringRef Value) {
  J.attribute(Name, llvm::json::fixUTF8(Value));
}

static void result(OStream &J, const LitmusTest &Test, const LitmusResult &R) {
  text(J, "model", nameIn(R));
  J.attribute("coverage", nameOf(R.Coverage));
  text(J, "reason", R.Reason);
  J.attribute("seconds", R.Seconds);
  if (!R.answered())
    return;
  J.attribute("holds", R.Holds);
  J.attribute("observation", observationOf(R));
  J.attribute("satisfying", R.Satisfying);
  J.attribute("others", R.Others);
  J.attribute("executions", R.Executions);
  J.attribute("blocked", R.Blocked);
  J.attribute("bounded", R.Cut);
  if (!R.Flags.empty())
    J.attributeArray("flags", [&] {
      for (const std::string &Flag : R.Flags)
        J.value(llvm::json::fixUTF8(Flag));
    });
  J.attributeArray("states", [&] {
    for (const auto &[State, Number] : R.States)
      J.object([&] {
        J.attributeObject("values", [&] {
          for (size_t K = 0; K < State.size(); ++K)
            text(J, Test.Observed[K].Name, Test.textOf(State[K]));
        });
        J.attribute("executions", Number);
        J.attribute("satisfies", Test.Condition.holdsIn(State));
      });
  });
}

static void comparison(OStream &J, const LitmusComparison &C) {
  J.attribute("agree", C.Agreeing);
  J.attribute("unsupported", C.Unsupported);
  J.attribute("limited", C.Limited);
  J.attribute("withoutRow", C.WithoutRow);
  J.attribute("notRead", C.Unread.size());
  J.attributeObject("otherModels", [&] {
    for (const auto &[Model, Rows] : C.OtherModels)
      J.attribute(llvm::json::fixUTF8(Model), Rows);
  });
  J.attribute("executions", C.Executions);
  J.attribute("blocked", C.Blocked);
  J.attributeArray("mismatches", [&] {
    for (const LitmusComparison::Mismatch &M : C.Mismatches)
      J.object([&] {
        text(J, "test", M.Test);
        J.attribute("model", M.Model);
        text(J, "expected", M.Expected);
        text(J, "found", M.Found);
      });
  });
}

void printLitmusJson(llvm::raw_ostream &Out, const std::vector<LitmusReport> &Reports,
                     const LitmusComparison *Comparison) {
  OStream J(Out, /*IndentSize=*/2);
  J.object([&] {
    J.attributeArray("tests", [&] {
      for (const LitmusReport &Report : Reports)
        J.object([&] {
          text(J, "file", Report.File);
          if (!Report.Reading.Test) {
            text(J, "problem", Report.Reading.Problem);
            J.attribute("unsupported", Report.Reading.Unsupported);
            return;
          }
          const LitmusTest &Test = *Report.Reading.Test;
          text(J, "name", Test.Name);
          J.attribute("architecture", nameOf(Test.Architecture));
          J.attribute("quantifier", nameOf(Test.Quantifier));
          text(J, "condition", Test.ConditionText);
          J.attributeArray("models", [&] {
            for (const LitmusResult &R : Report.Results)
              J.object([&] { result(J, Test, R); });
          });
        });
    });
    if (Comparison)
      J.attributeObject("comparison", [&] { comparison(J, *Comparison); });
  });
  Out << '\n';
}

} // namespace picket
