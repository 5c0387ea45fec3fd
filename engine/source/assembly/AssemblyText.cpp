#include "source/assembly/AssemblyText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace picket {

namespace {

/// The text as the assembler gets it, for the first of several dialects, with the statement's operands marked.
std::string plainText(StringRef Template) {
  std::string Text;
  bool InOtherDialect = false;
  for (size_t I = 0; I < Template.size(); ++I) {
    if (Template[I] != '$' || I + 1 == Template.size()) {
      if (!InOtherDialect)
        Text += Template[I];
      continue;
    }
    const char Next = Template[++I];
    if (Next == '(' || Next == '|' || Next == ')') {
      InOtherDialect = Next == '|' || (InOtherDialect && Next != ')');
      continue;
    }
    std::string Part;
    if (isDigit(Next)) {
      size_t End = I;
      while (End < Template.size() && isDigit(Template[End]))
        ++End;
      Part = OperandBegin + Template.slice(I, End).str() + OperandEnd;
      I = End - 1;
    } else if (Next == '{') {
      const size_t End = Template.find('}', I);
      if (End == StringRef::npos)
        throw AssemblyRefused{"its text cannot be read"};
      const StringRef Inside = Template.slice(I + 1, End);
      I = End;
      if (Inside.ends_with(":U") || Inside.ends_with(":X")) // of POWER: forms of an access that are the same here
        continue;
      Part = isDigit(Inside.empty() ? ' ' : Inside.front()) ? OperandBegin + Inside.str() + OperandEnd : "0"; // uid
    } else
      Part = Next;
    if (!InOtherDialect)
      Text += Part;
  }
  return Text;
}

void dropBlockComments(std::string &Text) {
  for (size_t From; (From = Text.find("/*")) != std::string::npos;) {
    const size_t To = Text.find("*/", From + 2);
    Text.replace(From, To == std::string::npos ? std::string::npos : To + 2 - From, " ");
  }
}

/// A line without the comment at its end. Arm's immediates begin with the sign that is a comment elsewhere.
StringRef withoutComment(StringRef Line, Architecture For) {
  Line = Line.split("//").first;
  if (For == Architecture::Aarch64 ? Line.ltrim().starts_with("#") : !Line.ltrim().starts_with("membar"))
    Line = Line.split('#').first;
  return Line;
}

std::vector<std::string> splitOperands(StringRef Text) {
  std::vector<std::string> Operands;
  unsigned Depth = 0;
  std::string Operand;
  for (char C : Text) {
    if (C == ',' && Depth == 0) {
      Operands.push_back(StringRef(Operand).trim().str());
      Operand.clear();
      continue;
    }
    Depth += C == '(' || C == '[' || C == '{';
    if (Depth > 0)
      Depth -= C == ')' || C == ']' || C == '}';
    Operand += C;
  }
  if (!StringRef(Operand).trim().empty() || !Operands.empty())
    Operands.push_back(StringRef(Operand).trim().str());
  return Operands;
}

/// Takes a label off the beginning.
bool takeLabel(StringRef &Statement, std::string &Label) {
  const size_t End = Statement.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.$");
  if (End == 0 || End == StringRef::npos || Statement[End] != ':')
    return false;
  Label = Statement.take_front(End).str();
  Statement = Statement.drop_front(End + 1).ltrim();
  return true;
}

/// Directives that say how code is laid out, or what tools see of it.
bool isDescription(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({".align", ".balign", ".p2align", ".arch", ".arch_extension", ".cpu", ".machine"}, true)
      .Cases({".file", ".loc", ".ident", ".type", ".size", ".local", ".globl", ".global"}, true)
      .Cases({".hidden", ".weak", ".symver", ".code64", ".att_syntax", ".noaltmacro"}, true)
      .Default(Name.starts_with(".cfi_"));
}

class LineReader {
public:
  void read(StringRef Statement) {
    std::string Label;
    while (takeLabel(Statement, Label))
      if (!InSection)
        Labels.push_back(Label);
    if (Statement.empty())
      return;
    auto [First, Rest] = Statement.split(' ');
    const std::string Name = First.lower();
    if (Name[0] == '.')
      return directive(Name, Rest);
    if (InSection)
      return;
    if (Name == "lock" || Name == "rep") {
      Prefix = Name;
      return Rest.trim().empty() ? void() : read(Rest.trim());
    }
    AssemblyLine Line;
    Line.Labels = std::move(Labels);
    Labels.clear();
    Line.Locks = Prefix == "lock";
    Line.Mnemonic = (Prefix == "rep" ? "rep " : "") + Name;
    Prefix.clear();
    Line.Operands = splitOperands(Rest);
    Lines.push_back(std::move(Line));
  }

  std::vector<AssemblyLine> take() {
    if (!Prefix.empty())
      throw AssemblyRefused{"it ends with the prefix '" + Prefix + "'"};
    if (InSection)
      throw AssemblyRefused{"it ends in another section"};
    if (!Labels.empty())
      Lines.push_back({std::move(Labels), false, "", {}});
    return std::move(Lines);
  }

private:
  /// Sections of notes (.pushsection to .popsection) have no code.
  void directive(const std::string &Name, StringRef Rest) {
    if (Name == ".popsection" || Name == ".previous" || Name == ".text") {
      InSection = false;
    } else if (Name == ".pushsection" || Name == ".section") {
      if (Rest.trim().starts_with(".altinstr"))
        throw AssemblyRefused{"code that replaces it ('" + Rest.trim().str() + "') is not modelled"};
      InSection = true;
    } else if (!InSection && !isDescription(Name)) {
      throw AssemblyRefused{"the directive '" + Name + "' is not modelled"};
    }
  }

  std::vector<AssemblyLine> Lines;
  std::vector<std::string> Labels;
  std::string Prefix;
  bool InSection = false;
};

bool isForNotes(StringRef Section) {
  Section = Section.trim(" \"");
  return any_of(ArrayRef<StringRef>{".note", ".comment", ".debug", ".gnu.warning"},
                [&](StringRef Name) { return Section.starts_with(Name); });
}

} // namespace

bool onlyDescribes(StringRef Text, Architecture For) {
  std::string Plain = Text.str();
  dropBlockComments(Plain);
  bool InNotes = false;
  for (StringRef Line : split(Plain, '\n'))
    for (StringRef Part : split(withoutComment(Line, For), ';')) {
      const std::string Spaced = withSingleSpaces(Part);
      auto [Name, Rest] = StringRef(Spaced).split(' ');
      if (Name == ".section" || Name == ".pushsection") {
        if (!isForNotes(Rest))
          return false;
        InNotes = true;
      } else if (Name == ".popsection" || Name == ".previous" || Name == ".text") {
        InNotes = false;
      } else if (!InNotes && !Name.empty() && !isDescription(Name)) {
        return false;
      }
    }
  return true;
}

std::string withSingleSpaces(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    if (isSpace(C)) {
      if (!Result.empty() && Result.back() != ' ' && Result.back() != ',')
        Result += ' ';
      continue;
    }
    if (C == ',' && !Result.empty() && Result.back() == ' ')
      Result.pop_back();
    Result += C;
  }
  return StringRef(Result).trim().str();
}

std::string AssemblyLine::text() const {
  std::string Text = (Locks ? "lock " : "") + Mnemonic;
  for (size_t K = 0; K < Operands.size(); ++K)
    Text += (K ? "," : " ") + Operands[K];
  return Text;
}

std::vector<AssemblyLine> assemblyLines(StringRef Template, Architecture For) {
  std::string Text = plainText(Template);
  dropBlockComments(Text);
  LineReader Reader;
  for (StringRef Line : split(Text, '\n'))
    for (StringRef Statement : split(withoutComment(Line, For), ';'))
      Reader.read(withSingleSpaces(Statement));
  return Reader.take();
}

} // namespace picket
