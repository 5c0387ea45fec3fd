#include "suite/SuiteText.h"

#include "VerdictMarks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using llvm::raw_ostream;
using llvm::StringRef;

namespace picket {

/// The length of the sequence that chooses a colour at the beginning of a text; 0 if there is none.
static size_t colorLength(StringRef Text) {
  if (!Text.consume_front("\033["))
    return 0;
  const size_t Digits = Text.find_first_not_of("0123456789;");
  return Digits != StringRef::npos && Text[Digits] == 'm' ? Digits + 3 : 0;
}

std::string printable(StringRef Raw, bool Colors) {
  const std::string Text = llvm::json::fixUTF8(Raw);
  std::string Result;
  for (size_t K = 0; K < Text.size(); ++K) {
    const auto C = static_cast<unsigned char>(Text[K]);
    if (const size_t Length = colorLength(StringRef(Text).substr(K))) {
      if (Colors)
        Result.append(Text, K, Length);
      K += Length - 1;
    } else if (C == 0xC2 && K + 1 < Text.size() &&
               static_cast<unsigned char>(Text[K + 1]) < 0xA0) { // as 8-bit controls
      Result += '?';
      ++K;
    } else {
      Result += (C < 0x20 && C != '\n' && C != '\t') || C == 0x7F ? '?' : Text[K];
    }
  }
  return Result;
}

/// A name is one line.
static std::string nameText(const SuiteProgram &Program) {
  std::string Name = printable(Program.File, /*Colors=*/false);
  std::replace_if(Name.begin(), Name.end(), [](char C) { return C == '\n' || C == '\t'; }, '?');
  return Name;
}

void SuiteCounts::add(const ProgramResult &Result) {
  if (!Result.StartsThreads) {
    ++WithoutThreads;
    return;
  }
  Cached += Result.Cached;
  switch (Result.code()) {
  case NothingFound: ++Passed; break;
  case ViolationFound: ++Failed; break;
  case LimitReached: ++AtLimit; break;
  case BadUsage:
  case CannotBeChecked: ++CannotCheck; break;
  }
}

static std::string verdictsOf(const ProgramResult &Result) {
  if (!Result.Lost.empty())
    return printable(Result.Lost, /*Colors=*/false);
  auto All = [&](Verdict V) {
    return std::all_of(Result.Models.begin(), Result.Models.end(),
                       [V](const ModelResult &M) { return M.Result == V && !M.Skipped; });
  };
  if (All(Verdict::CompileError))
    return "does not compile";
  if (All(Verdict::Unsupported))
    return "cannot be checked";
  std::vector<MarkedModel> Marked;
  for (const ModelResult &M : Result.Models)
    Marked.push_back({M.Title, markOf(M.Result, Result.Unroll)});
  return printable(marksText(Marked), /*Colors=*/false);
}

/// The signs in colour.
static void printMarks(raw_ostream &Out, StringRef Text) {
  while (!Text.empty()) {
    const size_t Next = std::min({Text.find("✓"), Text.find("✗"), Text.size()});
    Out << Text.take_front(Next);
    Text = Text.drop_front(Next);
    for (const auto &[Mark, Color] : {std::pair("✓", raw_ostream::GREEN), std::pair("✗", raw_ostream::RED)})
      if (Text.consume_front(Mark)) {
        Out.changeColor(Color, /*Bold=*/true) << Mark;
        Out.resetColor();
      }
  }
}

void printResult(raw_ostream &Out, const SuiteProgram &Program, const ProgramResult &Result, size_t Width,
                 bool Report) {
  const std::string Name = nameText(Program);
  const auto Columns = static_cast<size_t>(std::max(0, llvm::sys::unicode::columnWidthUTF8(Name)));
  Out << Name;
  Out.indent(static_cast<unsigned>(Width > Columns ? Width - Columns : 0)) << "  ";
  printMarks(Out, verdictsOf(Result));
  if (Result.Cached)
    Out << " · cached\n";
  else if (Result.Lost.empty())
    Out << llvm::format(" · %.2f s\n", Result.Seconds);
  else
    Out << '\n';
  if (Report && Result.code() != NothingFound)
    Out << printable(Result.Text, Out.colors_enabled());
}

std::string summaryText(const SuiteCounts &Counts, double Seconds) {
  std::vector<std::string> Parts;
  auto Add = [&](size_t N, const std::string &What) {
    if (N > 0)
      Parts.push_back(std::to_string(N) + " " + What);
  };
  Add(Counts.Passed, "passed");
  Add(Counts.Failed, "failed");
  Add(Counts.CannotCheck, "cannot be checked");
  Add(Counts.AtLimit, "reached a limit");
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  Out << Counts.begun() << (Counts.begun() == 1 ? " program: " : " programs: ") << llvm::join(Parts, ", ");
  if (Counts.Cached > 0)
    Out << " (" << Counts.Cached << " cached)";
  Out << llvm::format(" · %.1f s", Seconds);
  return Text;
}

} // namespace picket
