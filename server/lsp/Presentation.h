// What a person sees of a document's status, as the protocol's JSON: diagnostics, lenses, hovers, status.
#pragma once

#include "lsp/DocumentStatus.h"
#include "lsp/LspTypes.h"

namespace picket {

/// The text of a file as the editor has it, or else as it lies on the disk; null if there is none.
using TextOfFile = std::function<std::shared_ptr<const std::string>(const std::string &File)>;
/// The name under which the editor knows a file.
using UriOfFile = std::function<std::string(const std::string &File)>;

/// The version of an open document; nothing if the file is not open.
using VersionOfFile = std::function<std::optional<int64_t>(const std::string &File)>;

/// What has to be known of the editor to show something in it.
struct EditorContext {
  const lsptypes::Client &Client;
  TextOfFile Text;
  UriOfFile Uri;
  VersionOfFile Version = [](const std::string &) { return std::nullopt; };
  /// The status of another document; nothing if there is none.
  std::function<std::optional<DocumentStatus>(const std::string &File)> Status = [](const std::string &) {
    return std::nullopt;
  };
};

/// One diagnostic of a document: a finding, or something that is not needed.
llvm::json::Object diagnosticOf(const Finding &F, const DocumentStatus &Status, const EditorContext &Context);
llvm::json::Object diagnosticOf(const FixHint &Hint, const DocumentStatus &Status, const EditorContext &Context);

/// A diagnostic in another file than the one with `main`: where the code is that goes wrong.
struct OtherDiagnostic {
  std::string File;
  const Finding *Of;
  llvm::json::Object Diagnostic;
};
/// Those of a program's findings, in the files that it includes or is linked with. Each says which program shows it.
std::vector<OtherDiagnostic> diagnosticsElsewhere(const DocumentStatus &Status, const EditorContext &Context);

/// The array of diagnostics of a document.
llvm::json::Array diagnosticsOf(const DocumentStatus &Status, const EditorContext &Context);

/// Diagnostics of a .picket.toml.
llvm::json::Array diagnosticsOf(const std::string &TomlText, const std::vector<SettingsProblem> &Problems,
                                PositionEncoding Encoding);

/// Lenses over `main`, or in the first line of a file without one; none where there is nothing to say.
llvm::json::Array lensesOf(const DocumentStatus &Status, const EditorContext &Context);

/// What is known about a line; null if nothing is. Of a file without `main`: what the programs that use it know.
llvm::json::Value hoverOf(const DocumentStatus &Status, TextPosition Position, const EditorContext &Context);

/// docs/lsp-extensions.md
llvm::json::Value statusOf(const DocumentStatus &Status, const EditorContext &Context);

/// A finding in plain words, with its steps, as Markdown.
std::string explanationOf(const Finding &F, const std::string &File);

} // namespace picket
