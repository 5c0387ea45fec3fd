#include "source/assembly/Barriers.h"

#include "source/assembly/AssemblyTable.h"
#include "source/assembly/AssemblyText.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace picket {

/// `lock addl $0, (%rsp)` and its like change nothing: only the lock prefix matters.
static bool isLockedNoOp(const AssemblyLine &Line) {
  if (!Line.Locks || Line.Operands.size() != 2)
    return false;
  StringRef Name = Line.Mnemonic;
  if (Name.size() > 2 && StringRef("bwlq").contains(Name.back()) && Name != "sub")
    Name = Name.drop_back();
  if (Name != "add" && Name != "or" && Name != "xor" && Name != "sub")
    return false;
  const StringRef Amount = StringRef(Line.Operands[0]).ltrim('$');
  const std::string Where = StringRef(Line.Operands[1]).lower();
  const bool OnStack = StringRef(Where).contains("%rsp") || StringRef(Where).contains("%esp");
  return (Amount == "0" || Amount == "0x0") && OnStack;
}

/// Of SPARC.
static std::optional<FenceKind> membar(StringRef Arguments) {
  bool StoreLoad = Arguments.contains("storeload") || Arguments.contains("sync") || Arguments.contains("memissue") ||
                   Arguments.contains("lookaside");
  bool StoreStore = Arguments.contains("storestore");
  bool FromLoad = Arguments.contains("loadload") || Arguments.contains("loadstore");
  if (StoreLoad)
    return FenceKind::Full;
  if (StoreStore)
    return FromLoad ? FenceKind::Release : FenceKind::StoreStore;
  if (FromLoad)
    return FenceKind::Acquire;
  return std::nullopt;
}

static std::optional<FenceKind> fenceIn(const AssemblyLine &Line) {
  if (isLockedNoOp(Line))
    return FenceKind::Full;
  if (Line.Locks)
    return std::nullopt;
  if (Line.Mnemonic == "membar")
    return membar(StringRef(Line.text()).lower());
  if (Line.Mnemonic == "stbar")
    return FenceKind::StoreStore;
  const AssemblyRow *Row = findWholeInstruction(StringRef(Line.text()).lower());
  return Row && Row->What == Meaning::Barrier ? std::optional(static_cast<FenceKind>(Row->Detail)) : std::nullopt;
}

static bool isPause(const AssemblyLine &Line) {
  auto Is = [](StringRef Text) {
    const AssemblyRow *Row = findWholeInstruction(Text);
    return Row && Row->What == Meaning::Nothing;
  };
  return !Line.Locks && (Is(StringRef(Line.text()).lower()) || Is(Line.Mnemonic));
}

/// Comments differ. Only prefetches of Arm have an operand with the sign that begins those of others.
static std::vector<AssemblyLine> linesOf(StringRef Text) {
  const bool IsArm = Text.contains_insensitive("prfm");
  return assemblyLines(Text, IsArm ? Architecture::Aarch64 : Architecture::X86_64);
}

std::optional<std::vector<FenceKind>> readBarriers(StringRef Text) try {
  std::vector<FenceKind> Fences;
  for (const AssemblyLine &Line : linesOf(Text)) {
    if (Line.Mnemonic.empty() || isPause(Line))
      continue;
    std::optional<FenceKind> Kind = fenceIn(Line);
    if (!Kind)
      return std::nullopt;
    Fences.push_back(*Kind);
  }
  return Fences;
} catch (const AssemblyRefused &) {
  return std::nullopt;
}

std::optional<std::vector<FenceKind>> readWrittenBarriers(StringRef Text) {
  std::string Template;
  for (char C : Text)
    Template += C == '$' ? "$$" : std::string(1, C);
  return readBarriers(Template);
}

/// `%w0` for `${0:w}`, `$` for `$$`.
static std::string asWritten(StringRef Template) {
  std::string Text;
  while (!Template.empty()) {
    StringRef Modifier, Number;
    if (Template.consume_front("$$")) {
      Text += '$';
      continue;
    }
    if (Template.size() > 1 && Template[0] == '$' && isDigit(Template[1])) {
      Template = Template.drop_front();
      Text += '%';
      continue;
    }
    if (size_t End = Template.find('}'); Template.starts_with("${") && End != StringRef::npos) {
      std::tie(Number, Modifier) = Template.slice(2, End).split(':');
      Text += "%" + Modifier.str() + Number.str();
      Template = Template.drop_front(End + 1);
      continue;
    }
    Text += Template.front();
    Template = Template.drop_front();
  }
  return Text;
}

std::string describeAssembly(StringRef Text) {
  SmallVector<StringRef, 16> Words;
  SplitString(Text, Words);
  std::string Line = asWritten(join(Words, " "));
  if (Line.size() > 60)
    Line = Line.substr(0, 57) + "...";
  return "inline assembly '" + Line + "'";
}

} // namespace picket
