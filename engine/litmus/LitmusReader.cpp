#include "litmus/LitmusReader.h"

#include "litmus/LitmusCondition.h"

#include <set>

namespace picket {

namespace {

constexpr size_t MostThreads = 64;

/// Reads the parts of a test one after the other.
class Reader {
public:
  Reader(std::string_view Source, const std::string &File) : Text(Source), File(File) {}

  LitmusTest read() {
    Test.Code.Functions.emplace_back(); // main
    Test.Code.FunctionNames.emplace_back();
    Test.Code.Locations.emplace_back();
    readHeader();
    readInitialState();
    readThreadNames();
    applyInitialState();
    readCode();
    LitmusConditionReader(Text, Threads, Locations, ToRegister).read(Test);
    finish();
    return std::move(Test);
  }

private:
  /// An entry of the initial state. Threads are known only later.
  struct Entry {
    uint32_t Line;
    int32_t Thread; // -1: a location
    std::string Name;
    bool IsAddress;
    int32_t Number;
    std::string Location; // IsAddress
  };

  void readHeader() {
    Text.skipSpace();
    const uint32_t Line = Text.line();
    std::string_view Architecture = Text.word();
    if (Architecture == "PPC") {
      Test.Architecture = LitmusArchitecture::PPC;
      ToRegister = ppcRegister;
    } else if (Architecture == "X86") {
      Test.Architecture = LitmusArchitecture::X86;
      ToRegister = x86Register;
    } else if (Architecture.empty()) {
      failLitmus(Line, "a litmus test begins with an architecture and a name");
    } else {
      refuseLitmus(Line, Architecture);
    }
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

  void readInitialState() {
    Text.expect("{", "in front of the initial state");
    while (!Text.accept("}")) {
      if (Text.accept(";"))
        continue;
      readEntry();
      if (!Text.accept(";")) {
        Text.expect("}", "behind the initial state");
        return;
      }
    }
  }

  void readEntry() {
    static const std::set<std::string_view> Types = {"int", "unsigned", "signed", "volatile", "int32_t", "uint32_t"};
    Entry E{Text.line(), -1, "", false, 0, ""};
    bool Typed = false, Bracket = false;
    std::string_view Word;
    for (;;) {
      if (Text.accept("*"))
        refuseLitmus(Text.line(), "pointers in memory");
      Bracket = Text.accept("[");
      Word = Text.word();
      E.Line = Text.line();
      if (Bracket || !isName(Word))
        break;
      // A type is followed by something with a value, a location is not.
      Text.skipSpace();
      const char Next = Text.peek();
      if (Next == '=' || Next == ';' || Next == '}' || Next == '[')
        break;
      if (Next == ':')
        failRegister(E.Line, Word, afterColon());
      if (!Types.count(Word))
        refuseLitmus(E.Line, Word.empty() ? Text.rest().substr(0, 1) : Word);
      Typed = true;
    }
    if (Bracket) {
      Text.expect("]", "behind the location");
    } else if (looksLikeNumber(Word)) {
      E.Thread = litmusNumber(Word, E.Line);
      Text.expect(":", "behind the number of a thread");
      Word = Text.word();
    }
    readValue(E, Word, Typed);
  }

  /// What stands behind the ':' that is next.
  std::string_view afterColon() {
    LitmusCursor Ahead = Text;
    Ahead.accept(":");
    return Ahead.word();
  }

  void readValue(Entry &E, std::string_view Name, bool Typed) {
    if (E.Thread >= 0) {
      auto Register = ToRegister(Name);
      if (!Register)
        failLitmus(E.Line, quoted(Name) + " is no register");
      E.Name = *Register;
    } else {
      if (!isName(Name))
        failLitmus(E.Line, "a register or location is expected here, not " + quoted(Text.rest().substr(0, 20)));
      E.Name = Name;
    }
    if (Text.accept("[") || Text.accept("{"))
      refuseLitmus(E.Line, "arrays");
    if (!Text.accept("=")) {
      if (!Typed)
        failLitmus(E.Line, quoted(E.Name) + " has no value");
      if (E.Thread < 0)
        Entries.push_back(E);
      return;
    }
    const bool Negative = Text.accept("-");
    Text.accept("&");
    std::string Word(Text.word());
    if (Negative)
      Word.insert(0, "-");
    E.IsAddress = isName(Word);
    if (E.IsAddress)
      E.Location = Word;
    else if (Text.peek() == '{' || Text.peek() == '[')
      refuseLitmus(E.Line, "arrays");
    else
      E.Number = litmusNumber(Word, E.Line);
    Entries.push_back(E);
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
      if (Threads.size() == MostThreads)
        failLitmus(Line, "the test has more than " + std::to_string(MostThreads) + " threads");
      Threads.emplace_back(Locations, Test.Code.Constants).setLine(Line);
      More = Text.take() == '|';
    }
  }

  void applyInitialState() {
    std::set<std::pair<int32_t, std::string>> Given;
    for (const Entry &E : Entries) {
      if (!Given.insert({E.Thread, E.Name}).second)
        failLitmus(E.Line, quoted(E.Name) + " has two initial values");
      if (E.Thread < 0) {
        if (E.IsAddress)
          refuseLitmus(E.Line, "pointers in memory");
        Locations.setInitial(Locations.find(E.Name, E.Line), E.Number);
        continue;
      }
      if (static_cast<size_t>(E.Thread) >= Threads.size())
        failLitmus(E.Line, "there is no thread " + std::to_string(E.Thread));
      const uint64_t Value = E.IsAddress ? globalAddress(Locations.find(E.Location, E.Line))
                                         : static_cast<uint64_t>(static_cast<int64_t>(E.Number));
      Threads[static_cast<size_t>(E.Thread)].setInitial(E.Name, Value);
    }
  }

  bool atCondition() {
    LitmusCursor Ahead = Text;
    return Ahead.accept("~") || Ahead.acceptWord("exists") || Ahead.acceptWord("not") || Ahead.acceptWord("forall") ||
           Ahead.acceptWord("locations") || Ahead.acceptWord("filter");
  }

  struct Cell {
    uint32_t Line;
    std::string_view Label; // empty: an instruction
    LitmusInstruction Code;
  };

  void readCode() {
    std::vector<std::vector<Cell>> Columns(Threads.size());
    for (;;) {
      Text.skipSpace();
      if (Text.atEnd())
        failLitmus(Text.line(), "the test has no condition (exists, ~exists or forall)");
      if (atCondition())
        break;
      readRow(Columns);
    }
    const bool IsPpc = Test.Architecture == LitmusArchitecture::PPC;
    for (size_t T = 0; T < Threads.size(); ++T) {
      for (const Cell &C : Columns[T])
        if (C.Label.empty())
          (IsPpc ? needFlagsPpc : needFlagsX86)(C.Code, Threads[T]);
      for (const Cell &C : Columns[T]) {
        Threads[T].setLine(C.Line);
        if (!C.Label.empty())
          Threads[T].label(C.Label);
        else
          (IsPpc ? writePpc : writeX86)(C.Code, Threads[T]);
      }
    }
  }

  void readRow(std::vector<std::vector<Cell>> &Columns) {
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
      const size_t Comma = Rest.find(',');
      C.Code.Operands.emplace_back(trimmed(Rest.substr(0, Comma)));
      if (Comma == std::string_view::npos)
        break;
      Rest.remove_prefix(Comma + 1);
      if (trimmed(Rest).empty())
        failLitmus(Line, "an operand is missing behind the comma");
    }
    Column.push_back(std::move(C));
  }

  void finish() {
    for (size_t T = 0; T < Threads.size(); ++T) {
      Threads[T].finish(Test.Code, "P" + std::to_string(T));
      Test.Registers.push_back(Threads[T].registers());
      Test.UsesReservations |= Threads[T].usesReservations();
    }
    Test.Locations = Locations.Names;
    finishLitmusProgram(Test.Code, Locations, static_cast<uint32_t>(Threads.size()), File);
  }

  LitmusCursor Text;
  const std::string &File;
  LitmusTest Test;
  RegisterName ToRegister = ppcRegister;
  LitmusLocations Locations;
  std::vector<Entry> Entries;
  std::vector<LitmusThread> Threads;
};

} // namespace

LitmusReading readLitmus(std::string_view Text, const std::string &File) {
  LitmusReading Reading;
  try {
    if (Text.substr(0, 2) == "\xff\xfe" || Text.substr(0, 2) == "\xfe\xff")
      failLitmus(1, "the text is UTF-16: save it as UTF-8");
    if (constexpr std::string_view Mark = "\xef\xbb\xbf"; Text.substr(0, Mark.size()) == Mark)
      Text.remove_prefix(Mark.size());
    const std::string Plain = withoutComments(Text);
    Reading.Test = Reader(Plain, File).read();
  } catch (const LitmusError &Error) {
    Reading.Problem = Error.Message + " (line " + std::to_string(Error.Line) + ")";
    Reading.Line = Error.Line;
    Reading.Unsupported = Error.Unsupported;
  }
  return Reading;
}

} // namespace picket
