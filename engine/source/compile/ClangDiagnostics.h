// Clang's diagnostics as plain values. Part of ClangCompiler.cpp, the only file that may include Clang's headers.
#pragma once

#include "base/Diagnostic.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

namespace picket {

/// Keeps Clang's diagnostics as plain values; the source manager they point into dies with the compilation.
class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  DiagnosticCollector(std::vector<Diagnostic> &Out, llvm::StringRef MainFile) : Out(Out), MainFile(MainFile) {}

  void BeginSourceFile(const clang::LangOptions &Options, const clang::Preprocessor *) override { Language = &Options; }
  void EndSourceFile() override { Language = nullptr; }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(Level, Info); // counts errors
    if (Level == clang::DiagnosticsEngine::Ignored)
      return;
    if (Info.getID() == clang::diag::warn_atomic_op_oversized) { // how long an access takes does not matter here
      Skipping = true;
      return;
    }
    // Nobody reads so many; notes belong to what was before them.
    if (Level != clang::DiagnosticsEngine::Note)
      Skipping = Level < clang::DiagnosticsEngine::Error && NumKept++ >= MaxWarnings;
    if (Skipping)
      return;
    llvm::SmallString<256> Text;
    Info.FormatDiagnostic(Text);
    Diagnostic D;
    D.Where = place(Info);
    D.Message = Text.str().str();
    if (Level == clang::DiagnosticsEngine::Note) {
      D.Level = Severity::Note;
      if (!Out.empty())
        Out.back().Notes.push_back(std::move(D));
      return;
    }
    D.Level = Level >= clang::DiagnosticsEngine::Error     ? Severity::Error
              : Level == clang::DiagnosticsEngine::Warning ? Severity::Warning
                                                           : Severity::Note;
    Out.push_back(std::move(D));
  }

private:
  /// The range Clang marked around the location if there is one, else the token there.
  SourceLocation place(const clang::Diagnostic &Info) const {
    if (!Info.hasSourceManager() || !Info.getLocation().isValid() || !Language)
      return {MainFile, 0, 0, 0, 0};
    const clang::SourceManager &Sources = Info.getSourceManager();
    clang::SourceLocation Loc = Sources.getFileLoc(Info.getLocation());
    for (const clang::CharSourceRange &Marked : Info.getRanges()) {
      clang::CharSourceRange Range = clang::Lexer::makeFileCharRange(Marked, Sources, *Language);
      if (Range.isInvalid() || Sources.getFileID(Range.getBegin()) != Sources.getFileID(Loc))
        continue;
      if (!Sources.isBeforeInTranslationUnit(Loc, Range.getBegin()) &&
          Sources.isBeforeInTranslationUnit(Loc, Range.getEnd()))
        return place(Sources, Loc, Range.getEnd());
    }
    unsigned Length = clang::Lexer::MeasureTokenLength(Loc, Sources, *Language);
    return place(Sources, Loc, Loc.getLocWithOffset(Length));
  }

  SourceLocation place(const clang::SourceManager &Sources, clang::SourceLocation Begin,
                       clang::SourceLocation End) const {
    SourceLocation P;
    P.File = MainFile;
    auto [File, Offset] = Sources.getDecomposedLoc(Begin);
    auto Entry = Sources.getFileEntryRefForID(File);
    if (!Entry)
      return P; // about the command line: the file as a whole
    llvm::SmallString<256> Path = Entry->getName();
    Sources.getFileManager().makeAbsolutePath(Path);
    llvm::sys::path::remove_dots(Path);
    P.File = Path.str().str();
    P.Line = Sources.getLineNumber(File, Offset);
    P.Column = Sources.getColumnNumber(File, Offset);
    auto [EndFile, EndOffset] = Sources.getDecomposedLoc(End);
    P.EndLine = Sources.getLineNumber(EndFile, EndOffset);
    P.EndColumn = Sources.getColumnNumber(EndFile, EndOffset);
    return P;
  }

  static constexpr unsigned MaxWarnings = 200;
  unsigned NumKept = 0;  // warnings and remarks
  bool Skipping = false; // the last one was not kept

  std::vector<Diagnostic> &Out;
  std::string MainFile;
  const clang::LangOptions *Language = nullptr;
};

} // namespace picket
