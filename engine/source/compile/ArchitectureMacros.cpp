#include "source/compile/ArchitectureMacros.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace picket {

namespace {

bool isArchitectureMacro(StringRef Name) {
  static const StringSet<> Names = {
      "__x86_64__",    "__x86_64",      "__amd64__", "__amd64",  "_M_X64",    "_M_AMD64",  "__i386__",
      "__i386",        "i386",          "_M_IX86",   "__i486__", "__i586__",  "__i686__",  "_X86_",
      "__aarch64__",   "__arm64__",     "__arm__",   "__arm",    "_M_ARM64",  "_M_ARM",    "__powerpc64__",
      "__powerpc__",   "__powerpc",     "__ppc64__", "__ppc__",  "__PPC64__", "__PPC__",   "__POWERPC__",
      "__riscv",       "__riscv_xlen",  "__s390x__", "__s390__", "__sparc__", "__sparc",   "__sparc64__",
      "__sparc_v9__",  "__sparcv9",     "__mips__",  "__mips",   "__mips64",  "__alpha__", "__ia64__",
      "__loongarch__", "__loongarch64", "__hppa__",  "__m68k__", "__sh__",    "__tile__",  "__arc__",
      "__ALTIVEC__",   "__VSX__"};
  if (Names.contains(Name))
    return true;
  for (StringRef Prefix : {"__ARM_", "_ARCH_P", "__SSE", "__AVX"})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

class ArchitectureTests : public clang::PPCallbacks {
public:
  ArchitectureTests(clang::Preprocessor &Text, SourceFacts &Facts) : Text(Text), Facts(Facts) {}

  void Ifdef(clang::SourceLocation At, const clang::Token &Name, const clang::MacroDefinition &) override {
    note(At, Name);
  }
  void Ifndef(clang::SourceLocation At, const clang::Token &Name, const clang::MacroDefinition &) override {
    note(At, Name);
  }
  void Elifdef(clang::SourceLocation At, const clang::Token &Name, const clang::MacroDefinition &) override {
    note(At, Name);
  }
  void Elifndef(clang::SourceLocation At, const clang::Token &Name, const clang::MacroDefinition &) override {
    note(At, Name);
  }
  void Defined(const clang::Token &Name, const clang::MacroDefinition &, clang::SourceRange) override {
    if (Name.getLocation().isMacroID()) // others are in the condition's own text
      note(Name.getLocation(), Name);
  }
  void MacroExpands(const clang::Token &Name, const clang::MacroDefinition &, clang::SourceRange,
                    const clang::MacroArgs *) override {
    note(Name.getLocation(), Name);
  }
  void If(clang::SourceLocation At, clang::SourceRange, ConditionValueKind) override { noteCondition(At); }
  void Elif(clang::SourceLocation At, clang::SourceRange, ConditionValueKind Value, clang::SourceLocation) override {
    if (Value != CVK_NotEvaluated)
      noteCondition(At);
  }

private:
  bool isInUserText(clang::SourceLocation At) const {
    const clang::SourceManager &Sources = Text.getSourceManager();
    return At.isValid() && !Sources.isInSystemHeader(At) && !Sources.isWrittenInBuiltinFile(At) &&
           !Sources.isWrittenInCommandLineFile(At);
  }

  /// Names in a condition that are not defined are no macros, and so nobody is told of them.
  void noteCondition(clang::SourceLocation At) {
    if (Facts.ArchitectureFound.Line || !isInUserText(At) || At.isMacroID())
      return;
    const char *Begin = Text.getSourceManager().getCharacterData(At), *End = Begin;
    while (*End && (*End != '\n' || End[-1] == '\\' || (End[-1] == '\r' && End[-2] == '\\')))
      ++End;
    for (const char *C = Begin; C < End;) {
      const char *Word = C;
      while (C < End && (isAlnum(*C) || *C == '_'))
        ++C;
      if (C == Word)
        ++C;
      else
        note(At, StringRef(Word, static_cast<size_t>(C - Word)));
    }
  }

  void note(clang::SourceLocation At, const clang::Token &Name) {
    if (const clang::IdentifierInfo *Identifier = Name.getIdentifierInfo())
      note(At, Identifier->getName());
  }

  void note(clang::SourceLocation At, StringRef Name) {
    if (Facts.ArchitectureFound.Line || !isArchitectureMacro(Name))
      return;
    At = Text.getSourceManager().getExpansionLoc(At);
    if (!isInUserText(At))
      return;
    if (!Facts.ArchitectureTested.Line)
      Facts.ArchitectureTested = placeOf(At);
    if (Text.isMacroDefined(Name))
      Facts.ArchitectureFound = placeOf(At);
  }

  SourceFacts::TextPlace placeOf(clang::SourceLocation At) const {
    const clang::SourceManager &Sources = Text.getSourceManager();
    auto [File, Offset] = Sources.getDecomposedLoc(At);
    auto Entry = Sources.getFileEntryRefForID(File);
    if (!Entry)
      return {};
    SmallString<256> Path = Entry->getName();
    Sources.getFileManager().makeAbsolutePath(Path);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    return {Path.str().str(), Sources.getLineNumber(File, Offset), Sources.getColumnNumber(File, Offset)};
  }

  clang::Preprocessor &Text;
  SourceFacts &Facts;
};

} // namespace

void noteArchitectureMacros(clang::Preprocessor &Text, SourceFacts &Facts) {
  Text.addPPCallbacks(std::make_unique<ArchitectureTests>(Text, Facts));
}

} // namespace picket
