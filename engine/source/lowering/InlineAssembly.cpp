#include "source/lowering/InlineAssembly.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace picket {

/// One statement with single spaces.
static std::string normalise(StringRef Statement) {
  std::string Text;
  for (char C : Statement) {
    if (isSpace(C)) {
      if (!Text.empty() && Text.back() != ' ')
        Text += ' ';
    } else
      Text += C;
  }
  return StringRef(Text).trim().str();
}

static SmallVector<std::string, 4> statements(StringRef Text) {
  SmallVector<StringRef, 4> Parts;
  SplitString(Text, Parts, ";\n");
  SmallVector<std::string, 4> Found;
  bool AfterPrefix = false; // "lock; addl" and "rep; nop" are one statement each
  for (StringRef Part : Parts) {
    StringRef Code = Part.split("//").first;
    if (!Code.trim().starts_with("membar")) // its arguments start with the sign of a comment
      Code = Code.split('#').first;
    std::string Statement = StringRef(normalise(Code)).lower();
    if (Statement.empty())
      continue;
    if (AfterPrefix)
      Found.back() += " " + Statement;
    else
      Found.push_back(Statement);
    AfterPrefix = Statement == "lock" || Statement == "rep";
  }
  return Found;
}

/// `lock addl $0, (%rsp)` and its like change nothing: only the lock prefix matters.
static bool isLockedNoOp(StringRef Statement) {
  if (!Statement.consume_front("lock "))
    return false;
  auto [Mnemonic, Operands] = Statement.split(' ');
  if (Mnemonic.size() > 2 && StringRef("bwlq").contains(Mnemonic.back()) && Mnemonic != "sub")
    Mnemonic = Mnemonic.drop_back();
  if (Mnemonic != "add" && Mnemonic != "or" && Mnemonic != "xor" && Mnemonic != "sub")
    return false;
  StringRef Source = Operands.split(',').first.trim();
  Source = Source.ltrim('$');
  return Source == "0" || Source == "0x0";
}

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

static std::optional<FenceKind> fence(StringRef Statement) {
  if (isLockedNoOp(Statement))
    return FenceKind::Full;
  if (Statement.consume_front("membar"))
    return membar(Statement);
  int Kind = StringSwitch<int>(Statement)
                 .Cases({"mfence", "sync", "sync 0", "hwsync", "ptesync", "dmb", "dmb ish", "dmb sy"},
                        static_cast<int>(FenceKind::Full))
                 .Cases({"dsb", "dsb ish", "dsb sy"}, static_cast<int>(FenceKind::Full))
                 .Cases({"sfence", "stbar", "eieio", "dmb ishst", "dmb st"}, static_cast<int>(FenceKind::StoreStore))
                 .Cases({"lfence", "dmb ishld", "dmb ld"}, static_cast<int>(FenceKind::Acquire))
                 .Cases({"lwsync", "sync 1"}, static_cast<int>(FenceKind::LwSync))
                 .Cases({"isync", "isb", "isb sy"}, static_cast<int>(FenceKind::ISync))
                 .Default(-1);
  if (Kind < 0)
    return std::nullopt;
  return static_cast<FenceKind>(Kind);
}

static bool isPause(StringRef Statement) {
  return StringSwitch<bool>(Statement)
      .Cases({"pause", "rep nop", "nop", "yield", "or 27,27,27", "or 1,1,1", "or 2,2,2"}, true)
      .Default(false);
}

std::optional<std::vector<FenceKind>> readAssembly(StringRef Text) {
  std::vector<FenceKind> Fences;
  for (const std::string &Statement : statements(Text)) {
    if (isPause(Statement))
      continue;
    std::optional<FenceKind> Kind = fence(Statement);
    if (!Kind)
      return std::nullopt;
    Fences.push_back(*Kind);
  }
  return Fences;
}

std::string describeAssembly(StringRef Text) {
  std::string Line;
  for (StringRef Part : split(Text, '\n')) {
    std::string Statement = normalise(Part);
    if (Statement.empty())
      continue;
    Line += (Line.empty() ? "" : " ") + Statement;
  }
  size_t At;
  while ((At = Line.find("$$")) != std::string::npos)
    Line.erase(At, 1);
  if (Line.size() > 60)
    Line = Line.substr(0, 57) + "...";
  return "inline assembly '" + Line + "'";
}

} // namespace picket
