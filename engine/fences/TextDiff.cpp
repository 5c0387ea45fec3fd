#include "fences/TextDiff.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace picket {

std::string applyEdits(const std::string &Text, std::vector<TextEdit> Edits) {
  std::stable_sort(Edits.begin(), Edits.end(), [](const TextEdit &A, const TextEdit &B) {
    return std::pair(A.Begin, A.End) < std::pair(B.Begin, B.End);
  });
  std::string Result;
  size_t Copied = 0;
  for (const TextEdit &Edit : Edits) {
    Result.append(Text, Copied, Edit.Begin - Copied);
    Result += Edit.Text;
    Copied = Edit.End;
  }
  return Result.append(Text, Copied);
}

std::string textOf(const CompileRequest &Request, const std::string &File) {
  if (auto Found = Request.Unsaved.find(File); Found != Request.Unsaved.end())
    return Found->second;
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

void keepTexts(CompileRequest &Request, const std::vector<TextEdit> &Edits) {
  for (const TextEdit &Edit : Edits)
    if (!Request.Unsaved.count(Edit.File))
      Request.Unsaved[Edit.File] = textOf(Request, Edit.File);
}

std::map<std::string, std::string> editedTexts(const CompileRequest &Request, const std::vector<TextEdit> &Edits) {
  std::map<std::string, std::vector<TextEdit>> PerFile;
  for (const TextEdit &Edit : Edits)
    PerFile[Edit.File].push_back(Edit);
  std::map<std::string, std::string> Result;
  for (auto &[File, Mine] : PerFile)
    Result[File] = applyEdits(textOf(Request, File), std::move(Mine));
  return Result;
}

namespace {

using Lines = std::vector<std::string_view>; // each with its line end, which the last one may lack

Lines split(const std::string &Text) {
  Lines Result;
  for (size_t At = 0; At < Text.size();) {
    size_t End = std::min(Text.find('\n', At), Text.size() - 1) + 1;
    Result.push_back(std::string_view(Text).substr(At, End - At));
    At = End;
  }
  return Result;
}

/// Lines that go and lines that come in their place.
struct Hunk {
  size_t Before, BeforeEnd, After, AfterEnd;
};

/// The shortest way from one list of lines to the other, as Myers finds it ("An O(ND) Difference Algorithm").
class Difference {
public:
  Difference(const Lines &Before, const Lines &After) : Before(Before), After(After) {}

  std::vector<Hunk> hunks() {
    size_t Start = 0, BeforeEnd = Before.size(), AfterEnd = After.size();
    while (Start < BeforeEnd && Start < AfterEnd && Before[Start] == After[Start])
      ++Start;
    while (BeforeEnd > Start && AfterEnd > Start && Before[BeforeEnd - 1] == After[AfterEnd - 1])
      --BeforeEnd, --AfterEnd;
    if (Start == BeforeEnd && Start == AfterEnd)
      return {};
    std::vector<bool> Gone(Before.size()), New(After.size());
    if (!walk(Start, BeforeEnd, AfterEnd, Gone, New)) {
      std::fill(Gone.begin() + static_cast<long>(Start), Gone.begin() + static_cast<long>(BeforeEnd), true);
      std::fill(New.begin() + static_cast<long>(Start), New.begin() + static_cast<long>(AfterEnd), true);
    }
    return collect(Gone, New);
  }

private:
  static constexpr long MaxDistance = 2000; // texts that differ more are given as one hunk

  bool walk(size_t Start, size_t BeforeEnd, size_t AfterEnd, std::vector<bool> &Gone, std::vector<bool> &New) const {
    const long N = static_cast<long>(BeforeEnd - Start), M = static_cast<long>(AfterEnd - Start);
    const long Limit = std::min(N + M, MaxDistance);
    std::vector<long> Reached(static_cast<size_t>(2 * Limit + 3)); // the furthest x per diagonal x - y
    std::vector<std::vector<long>> History;
    auto At = [&](std::vector<long> &V, long Diagonal) -> long & {
      return V[static_cast<size_t>(Diagonal + Limit + 1)];
    };
    auto Down = [&](std::vector<long> &V, long Diagonal, long D) {
      return Diagonal == -D || (Diagonal != D && At(V, Diagonal - 1) < At(V, Diagonal + 1));
    };
    for (long D = 0; D <= Limit; ++D) {
      History.push_back(Reached);
      for (long Diagonal = -D; Diagonal <= D; Diagonal += 2) {
        long X = Down(Reached, Diagonal, D) ? At(Reached, Diagonal + 1) : At(Reached, Diagonal - 1) + 1;
        while (X < N && X - Diagonal < M && equal(Start, X, X - Diagonal))
          ++X;
        At(Reached, Diagonal) = X;
        if (X < N || X - Diagonal < M)
          continue;
        long Y = M;
        X = N;
        for (long Step = D; Step > 0; --Step) {
          std::vector<long> &Then = History[static_cast<size_t>(Step)];
          const bool Inserted = Down(Then, X - Y, Step);
          const long From = X - Y + (Inserted ? 1 : -1);
          X = At(Then, From);
          Y = X - From;
          (Inserted ? New[Start + static_cast<size_t>(Y)] : Gone[Start + static_cast<size_t>(X)]) = true;
        }
        return true;
      }
    }
    return false;
  }

  bool equal(size_t Start, long X, long Y) const {
    return Before[Start + static_cast<size_t>(X)] == After[Start + static_cast<size_t>(Y)];
  }

  static std::vector<Hunk> collect(const std::vector<bool> &Gone, const std::vector<bool> &New) {
    std::vector<Hunk> Result;
    size_t X = 0, Y = 0;
    while (X < Gone.size() || Y < New.size()) {
      Hunk H{X, X, Y, Y};
      while (H.BeforeEnd < Gone.size() && Gone[H.BeforeEnd])
        ++H.BeforeEnd;
      while (H.AfterEnd < New.size() && New[H.AfterEnd])
        ++H.AfterEnd;
      const bool Same = H.BeforeEnd == X && H.AfterEnd == Y;
      X = H.BeforeEnd + Same;
      Y = H.AfterEnd + Same;
      if (!Same)
        Result.push_back(H);
    }
    return Result;
  }

  const Lines &Before, &After;
};

void add(std::string &Out, char Mark, std::string_view Line) {
  Out += Mark;
  Out += Line;
  if (Line.back() != '\n')
    Out += "\n\\ No newline at end of file\n";
}

/// A range as the header of a hunk has it: an empty one names the line in front of it.
std::string range(size_t Begin, size_t End) {
  const size_t Count = End - Begin;
  std::string Result = std::to_string(Count == 0 ? Begin : Begin + 1);
  return Count == 1 ? Result : Result + "," + std::to_string(Count);
}

} // namespace

std::string unifiedDiff(const std::string &Name, const std::string &Before, const std::string &After) {
  constexpr size_t Context = 3;
  const Lines A = split(Before), B = split(After);
  const std::vector<Hunk> Hunks = Difference(A, B).hunks();
  if (Hunks.empty())
    return "";
  // A tab ends a name that has blanks in it.
  const std::string End = Name.find(' ') == std::string::npos ? "\n" : "\t\n";
  std::string Out = "--- a/" + Name + End + "+++ b/" + Name + End;
  for (size_t First = 0; First < Hunks.size();) {
    size_t Last = First;
    while (Last + 1 < Hunks.size() && Hunks[Last + 1].Before - Hunks[Last].BeforeEnd <= 2 * Context)
      ++Last;
    const size_t Lead = std::min(Context, Hunks[First].Before);
    const size_t Tail = std::min(Context, A.size() - Hunks[Last].BeforeEnd);
    size_t X = Hunks[First].Before - Lead;
    Out += "@@ -" + range(X, Hunks[Last].BeforeEnd + Tail) + " +" +
           range(Hunks[First].After - Lead, Hunks[Last].AfterEnd + Tail) + " @@\n";
    for (; First <= Last; ++First) {
      for (; X < Hunks[First].Before; ++X)
        add(Out, ' ', A[X]);
      for (; X < Hunks[First].BeforeEnd; ++X)
        add(Out, '-', A[X]);
      for (size_t Y = Hunks[First].After; Y < Hunks[First].AfterEnd; ++Y)
        add(Out, '+', B[Y]);
    }
    for (const size_t Stop = X + Tail; X < Stop; ++X)
      add(Out, ' ', A[X]);
  }
  return Out;
}

} // namespace picket
