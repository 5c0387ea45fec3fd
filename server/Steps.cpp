#include "Steps.h"

#include "DisplayPath.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

using llvm::raw_ostream;
using llvm::StringRef;

namespace picket {

namespace {

constexpr unsigned Margin = 2;     // left of everything
constexpr unsigned MaxColumn = 22; // of thread names and places

unsigned widthOf(StringRef Text) {
  int Width = llvm::sys::unicode::columnWidthUTF8(Text);
  return Width >= 0 ? static_cast<unsigned>(Width) : static_cast<unsigned>(Text.size());
}

std::string cut(const std::string &Text) {
  return widthOf(Text) <= MaxColumn ? Text : Text.substr(0, MaxColumn - 3) + "...";
}

class StepPrinter {
public:
  StepPrinter(raw_ostream &Out, const Counterexample &Trace, const std::string &NamedFile, SourceTexts &Sources,
              const StepsOptions &Options)
      : Out(Out), Trace(Trace), NamedFile(NamedFile), Sources(Sources), Options(Options) {
    for (const Step &S : Trace.Steps) {
      ThreadWidth = std::max(ThreadWidth, widthOf(threadName(S)));
      PlaceWidth = std::max(PlaceWidth, widthOf(placeName(S)));
    }
    NumberWidth = static_cast<unsigned>(std::to_string(Trace.Steps.size()).size());
  }

  void print() {
    const std::vector<bool> Shown = choose();
    bool Hinted = false;
    for (size_t K = 0; K < Shown.size();) {
      if (Shown[K]) {
        print(K++);
        continue;
      }
      size_t First = K;
      while (K < Shown.size() && !Shown[K])
        ++K;
      Out.indent(Margin) << "... " << K - First << " more " << (K - First == 1 ? "step" : "steps")
                         << (Hinted ? "" : "; --steps all shows them") << '\n';
      Hinted = true;
    }
  }

private:
  const TraceEvent &eventOf(const Step &S) const { return Trace.Run.Events[S.Event]; }
  std::string threadName(const Step &S) const { return cut(Trace.Run.Threads[eventOf(S).Thread].Name); }
  std::string placeName(const Step &S) const {
    const SourceLocation &P = eventOf(S).At.Where;
    if (!P.Line)
      return "";
    std::string File = displayPath(P.File, NamedFile);
    if (File == NamedFile)
      return "line " + std::to_string(P.Line);
    return cut(File.substr(File.rfind('/') + 1) + ":" + std::to_string(P.Line));
  }

  /// The last steps, the out-of-order ones, and as many of the first ones as there is room for.
  std::vector<bool> choose() const {
    const size_t N = Trace.Steps.size(), Max = Options.MaxSteps;
    if (Max == 0 || N <= Max + 1) // one folded step takes as much room as the step
      return std::vector<bool>(N, true);
    std::vector<bool> Shown(N, false);
    size_t Left = Max;
    auto Show = [&](size_t K) {
      if (Left == 0 || Shown[K])
        return;
      Shown[K] = true;
      --Left;
    };
    for (size_t K = N; K-- > N - std::max<size_t>(1, Max / 3);)
      Show(K);
    for (size_t K = 0; K < N; ++K)
      if (Trace.Steps[K].OutOfOrder)
        Show(K);
    for (size_t K = 0; K < N; ++K)
      Show(K);
    return Shown;
  }

  void print(size_t K) {
    const Step &S = Trace.Steps[K];
    const TraceEvent &E = eventOf(S);
    static constexpr raw_ostream::Colors PerThread[] = {raw_ostream::BLUE, raw_ostream::GREEN, raw_ostream::MAGENTA,
                                                        raw_ostream::YELLOW, raw_ostream::CYAN};
    const unsigned TextColumn = Margin + NumberWidth + 2 + ThreadWidth + 2 + PlaceWidth + 2;
    const std::string Number = std::to_string(K + 1), Thread = threadName(S), At = placeName(S);
    Out.indent(Margin + NumberWidth - static_cast<unsigned>(Number.size())) << Number << "  ";
    Out.changeColor(PerThread[E.Thread % std::size(PerThread)]) << Thread;
    Out.resetColor().indent(ThreadWidth - widthOf(Thread) + 2) << At;
    Out.indent(PlaceWidth - widthOf(At) + 2);
    printWrapped(Out, S.Text, TextColumn, TextColumn, Options.Width);
    if (!S.OutOfOrder)
      return;
    if (E.Kind != EventKind::Update) // its store has shown the line
      printSource(E.At.Where, TextColumn);
    if (!S.Remark.empty()) {
      Out.changeColor(raw_ostream::RED, /*Bold=*/true).indent(TextColumn) << "! ";
      Out.resetColor();
      printWrapped(Out, S.Remark, TextColumn + 2, TextColumn + 2, Options.Width);
    }
  }

  void printSource(const SourceLocation &P, unsigned Column) {
    std::optional<std::string> Line = Sources.lineOf(P.File, P.Line);
    if (!Line)
      return;
    StringRef Text = StringRef(*Line).trim();
    const unsigned Room = std::max(Options.Width, Column + 22) - Column - 2;
    const bool Fits = widthOf(Text) <= Room;
    Out.indent(Column) << "| " << (Fits ? Text : Text.take_front(Room - 3)) << (Fits ? "\n" : "...\n");
  }

  raw_ostream &Out;
  const Counterexample &Trace;
  const std::string &NamedFile;
  SourceTexts &Sources;
  const StepsOptions &Options;
  unsigned NumberWidth = 1, ThreadWidth = 0, PlaceWidth = 0;
};

} // namespace

void printWrapped(raw_ostream &Out, StringRef Text, unsigned Indent, unsigned Column, unsigned Width) {
  // However narrow the terminal is: some words must fit.
  const unsigned End = std::max(Width, Indent + 20);
  bool AtBegin = true;
  for (StringRef Word : llvm::split(Text, ' ')) {
    const unsigned Length = widthOf(Word);
    if (!AtBegin && Column + 1 + Length > End) {
      Out << '\n';
      Out.indent(Indent);
      Column = Indent;
      AtBegin = true;
    }
    if (!AtBegin) {
      Out << ' ';
      ++Column;
    }
    Out << Word;
    Column += Length;
    AtBegin = false;
  }
  Out << '\n';
}

void printSteps(raw_ostream &Out, const Counterexample &Trace, const std::string &NamedFile, SourceTexts &Sources,
                const StepsOptions &Options) {
  if (!Trace.Sentence.empty()) {
    Out.indent(Margin);
    printWrapped(Out, Trace.Sentence, Margin, Margin, Options.Width);
  }
  if (Trace.Steps.empty())
    return;
  Out << '\n';
  StepPrinter(Out, Trace, NamedFile, Sources, Options).print();
  Out << '\n';
}

} // namespace picket
