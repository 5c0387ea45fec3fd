#include "litmus/LitmusReader.h"

#include "litmus/CThread.h"
#include "litmus/LitmusCondition.h"
#include "litmus/LitmusInitial.h"

namespace picket {

namespace {

constexpr size_t MostThreads = 64;

struct LitmusLanguage {
  LitmusArchitecture Which;
  RegisterName ToRegister;
  void (*Prepare)(const LitmusInstruction &, LitmusThread &);
  void (*Write)(const LitmusInstruction &, LitmusThread &);
};

const LitmusLanguage *languageNamed(std::string_view Word) {
  static constexpr LitmusLanguage Languages[] = {
      {LitmusArchitecture::PPC, ppcRegister, preparePpc, writePpc},
      {LitmusArchitecture::X86, x86Register, prepareX86, writeX86},
      {LitmusArchitecture::X86_64, x86WideRegister, prepareX86Wide, writeX86Wide},
      {LitmusArchitecture::AArch64, aarch64Register, prepareAArch64, writeAArch64},
      {LitmusArchitecture::C, cRegister, nullptr, nullptr}};
  for (const LitmusLanguage &L : Languages)
    if (Word == nameOf(L.Which))
      return &L;
  return nullptr;
}

/// Reads the parts of a test one after the other.
class Reader {
public:
  Reader(std::string_view Source, const std::string &File) : Text(Source), File(File) {}

  LitmusTest read() {
    Test.Code.Functions.emplace_back(); // main
    Test.Code.FunctionNames.emplace_back();
    Test.Code.Locations.emplace_back();
    readHeader();
    LitmusInitialState Initial(Test.Architecture, Language->ToRegister);
    Initial.read(Text);
    if (Test.Architecture == LitmusArchitecture::C)
      readC(Initial);
    else
      readColumns(Initial);
    finish();
    return std::move(Test);
  }

private:
  struct Cell {
    uint32_t Line;
    std::string_view Label; // empty: an instruction
    LitmusInstruction Code;
  };

  void readColumns(const LitmusInitialState &Initial) {
    readThreadNames();
    Initial.apply(Locations, Threads);
    readRows();
    // Whether words hold addresses is known only now, and how they are accessed depends on it.
    if (readCondition() &&
        (Test.Architecture == LitmusArchitecture::PPC || Test.Architecture == LitmusArchitecture::X86))
      Locations.PointersInWords = true;
    writeCode();
  }

  void readC(const LitmusInitialState &Initial) {
    while (atFunction()) {
      checkThreadCount(Text.line());
      const std::string Name = "P" + std::to_string(Threads.size());
      readCThread(Text, Name, Threads.emplace_back(Locations, Test.Code.Constants));
    }
    if (Threads.empty())
      failLitmus(Text.line(), "the test has no thread: 'P0 (...) { ... }' is expected here");
    Initial.apply(Locations, Threads);
    readCondition();
  }

  /// Whether the condition names an address.
  bool readCondition() {
    LitmusConditionReader Condition(Text, Threads, Locations, Language->ToRegister);
    Condition.read(Test);
    return Condition.namesAddresses();
  }

  bool atFunction() {
    Text.skipSpace();
    return !Text.atEnd() && !atCondition();
  }

  void checkThreadCount(uint32_t Line) const {
    if (Threads.size() == MostThreads)
      failLitmus(Line, "the test has more than " + std::to_string(MostThreads) + " threads");
  }

  void readHeader() {
    Text.skipSpace();
    const uint32_t Line = Text.line();
    std::string_view Word = Text.word();
    Language = languageNamed(Word);
    if (Word.empty())
      failLitmus(Line, "a litmus test begins with an architecture and a name");
    if (!Language)
      refuseLitmus(Line, Word);
    Test.Architecture = Language->Which;
    if (Test.Architecture == LitmusArchitecture::AArch64)
      Test.Code.Arm = {ArmUpdates::Single, false};
    Test.Name = trimmed(Text.upTo("\n"));
    if (Test.Name.empty())
      failLitmus(Line, "the test has no name");
    // What generators say about the test, in lines of its own.
    for (Text.skipSpace(); Text.peek() != '{'; Text.skipSpace()) {
      if (Text.atEnd())
        failLitmus(Text.line(), "the test has no initial state in braces");
      Text.upTo("\n");
    }
  }

  /// " P0 | P1 ;"
  void readThreadNames() {
    bool More = true;
    while (More) {
      Text.skipSpace();
      const uint32_t Line = Text.line();
      std::string_view Name = trimmed(Text.upTo("|;"));
      if (Text.atEnd())
        failLitmus(Line, "the line with the threads' names has no ';' at its end");
      if (Threads.empty() && Name.empty() && Text.peek() == ';')
        failLitmus(Line, "no ';' belongs after the '}' of the initial state");
      if (const size_t Colon = Name.find(':'); Colon != std::string_view::npos)
        failLitmus(Line, "the names of threads stand in a line of their own, as in 'P0 | P1 ;', not " +
                             quoted(Name.substr(0, Colon + 1)));
      if (Name != "P" + std::to_string(Threads.size()))
        failLitmus(Line, "'P" + std::to_string(Threads.size()) + "' is expected here, not " + quoted(Name));
      checkThreadCount(Line);
      Threads.emplace_back(Locations, Test.Code.Constants).setLine(Line);
      More = Text.take() == '|';
    }
  }

  bool atCondition() {
    LitmusCursor Ahead = Text;
    return Ahead.accept("~") || Ahead.acceptWord("exists") || Ahead.acceptWord("not") || Ahead.acceptWord("forall") ||
           Ahead.acceptWord("final") || Ahead.acceptWord("locations") || Ahead.acceptWord("filter") ||
           Ahead.accept("(");
  }

  void readRows() {
    Columns.resize(Threads.size());
    for (;;) {
      Text.skipSpace();
      if (Text.atEnd())
        failLitmus(Text.line(), "the test has no condition (exists, ~exists or forall)");
      if (atCondition())
        break;
      readRow();
    }
    for (size_t T = 0; T < Threads.size(); ++T)
      for (const Cell &C : Columns[T])
        if (C.Label.empty())
          Language->Prepare(C.Code, Threads[T]);
  }

  void writeCode() {
    for (size_t T = 0; T < Threads.size(); ++T)
      for (const Cell &C : Columns[T]) {
        Threads[T].setLine(C.Line);
        if (!C.Label.empty())
          Threads[T].label(C.Label);
        else
          Language->Write(C.Code, Threads[T]);
      }
  }

  void readRow() {
    const uint32_t Line = Text.line();
    size_t Column = 0;
    for (bool More = true; More; ++Column) {
      Text.skipSpace();
      const uint32_t CellLine = Text.line();
      std::string_view Content = trimmed(Text.upTo("|;"));
      if (Text.atEnd())
        failLitmus(Line, "the line of code has no ';' at its end");
      More = Text.take() == '|';
      if (Column < Columns.size())
        readCell(Content, CellLine, Columns[Column]);
    }
    if (Column != Columns.size())
      failLitmus(Line, "the line has code for " + std::to_string(Column) + " threads, not for " +
                           std::to_string(Columns.size()));
  }

  /// The first comma that is not in brackets, as those of an address are.
  static size_t commaIn(std::string_view Text) {
    unsigned Depth = 0;
    for (size_t K = 0; K < Text.size(); ++K) {
      Depth += Text[K] == '[' || Text[K] == '(';
      Depth -= Depth && (Text[K] == ']' || Text[K] == ')');
      if (Text[K] == ',' && !Depth)
        return K;
    }
    return std::string_view::npos;
  }

  void readCell(std::string_view Content, uint32_t Line, std::vector<Cell> &Column) {
    for (size_t Colon; (Colon = Content.find(':')) != std::string_view::npos;) {
      std::string_view Label = trimmed(Content.substr(0, Colon));
      if (!isName(Label))
        failLitmus(Line, quoted(Label) + " is no label");
      Column.push_back({Line, Label, {}});
      Content = trimmed(Content.substr(Colon + 1));
    }
    if (Content.empty())
      return;
    Cell C{Line, "", {"", {}, Line}};
    const size_t End = Content.find_first_of(" \t\r\n");
    C.Code.Mnemonic = Content.substr(0, End);
    std::string_view Rest = End == std::string_view::npos ? "" : trimmed(Content.substr(End));
    while (!Rest.empty()) {
      const size_t Comma = commaIn(Rest);
      C.Code.Operands.emplace_back(trimmed(Rest.substr(0, Comma)));
      if (Comma == std::string_view::npos)
        break;
      Rest.remove_prefix(Comma + 1);
      if (trimmed(Rest).empty())
        failLitmus(Line, "an operand is missing after the comma");
    }
    Column.push_back(std::move(C));
  }

  void finish() {
    for (size_t T = 0; T < Threads.size(); ++T) {
      Threads[T].finish(Test.Code, "P" + std::to_string(T));
      Test.Registers.push_back(Threads[T].registers());
      Test.UsesReservations |= Threads[T].usesReservations();
      Test.Code.FailsForNoReason |= Threads[T].failsForNoReason();
    }
    Test.Locations = Locations.Names;
    finishLitmusProgram(Test.Code, Locations, static_cast<uint32_t>(Threads.size()), File);
  }

  LitmusCursor Text;
  const std::string &File;
  LitmusTest Test;
  const LitmusLanguage *Language = nullptr;
  LitmusLocations Locations;
  std::vector<LitmusThread> Threads;
  std::vector<std::vector<Cell>> Columns; // of assembly code, per thread
};

} // namespace

LitmusReading readLitmus(std::string_view Text, const std::string &File) {
  LitmusReading Reading;
  try {
    if (Text.substr(0, 2) == "\xff\xfe" || Text.substr(0, 2) == "\xfe\xff")
      failLitmus(1, "the text is UTF-16: save it as UTF-8");
    if (constexpr std::string_view Mark = "\xef\xbb\xbf"; Text.substr(0, Mark.size()) == Mark)
      Text.remove_prefix(Mark.size());
    std::string Plain = withoutCommentsOfC(Text);
    if (LitmusCursor(Plain).word() != nameOf(LitmusArchitecture::C))
      Plain = withoutComments(Text);
    Reading.Test = Reader(Plain, File).read();
  } catch (const LitmusError &Error) {
    Reading.Problem = Error.Message + " (line " + std::to_string(Error.Line) + ")";
    Reading.Line = Error.Line;
    Reading.Unsupported = Error.Unsupported;
  }
  return Reading;
}

} // namespace picket
