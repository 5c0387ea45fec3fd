// Documents of the language server: how they come, change and go, and what is shown in them.
#include "lsp/LanguageServer.h"

#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

/// Files that are checked by themselves. Others are kept for those that include them.
static bool isC(StringRef File, StringRef Language) {
  const StringRef Extension = llvm::sys::path::extension(File);
  if (Extension == ".c" || Extension == ".i" || Extension == ".litmus")
    return true;
  return Language == "c" && Extension != ".h" && Extension != ".inc";
}

void LanguageServer::didOpen(const llvm::lsp::DidOpenTextDocumentParams &Params) {
  const llvm::lsp::TextDocumentItem &Item = Params.textDocument;
  const std::string File = Item.uri.file().str();
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Uris[File] = Item.uri.uri().str();
  }
  Service->open(File, Item.text, Item.version, isC(File, Item.languageId));
}

void LanguageServer::didChange(const llvm::lsp::DidChangeTextDocumentParams &Params) {
  Service->change(Params.textDocument.uri.file().str(), Params.textDocument.version, [&](std::string &Text) {
    for (const llvm::lsp::TextDocumentContentChangeEvent &Event : Params.contentChanges) {
      TextChange Change{std::nullopt, Event.text};
      if (Event.range)
        Change.Range = {lsptypes::toPosition(Event.range->start), lsptypes::toPosition(Event.range->end)};
      applyChange(Text, Change, Client.Encoding);
    }
  });
}

void LanguageServer::didSave(const Query &Params) { Service->save(Params.Uri.file().str()); }

void LanguageServer::didClose(const Query &Params) {
  const std::string File = Params.Uri.file().str();
  Service->close(File);
  std::lock_guard<std::mutex> Lock(Mutex);
  Uris.erase(File);
}

void LanguageServer::codeLens(const Query &Params, Reply Answer) {
  std::optional<DocumentStatus> Status = Service->status(Params.Uri.file().str());
  Answer(Status ? Value(lensesOf(*Status, editorContext())) : Value(Array()));
}

void LanguageServer::hover(const Query &Params, Reply Answer) {
  std::optional<DocumentStatus> Status = Service->status(Params.Uri.file().str());
  if (!Status || !Params.Position)
    return Answer(nullptr);
  Answer(hoverOf(*Status, *Params.Position, editorContext()));
}

std::string LanguageServer::uriOf(const std::string &File) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (auto Known = Uris.find(File); Known != Uris.end())
      return Known->second; // as the editor writes it
  }
  llvm::Expected<llvm::lsp::URIForFile> Made = llvm::lsp::URIForFile::fromFile(File);
  if (Made)
    return Made->uri().str();
  llvm::consumeError(Made.takeError());
  return "file:///";
}

EditorContext LanguageServer::editorContext() {
  auto Text = [this, Read = std::map<std::string, std::shared_ptr<const std::string>>()](
                  const std::string &File) mutable -> std::shared_ptr<const std::string> {
    if (std::optional<DocumentStatus> Open = Service->status(File))
      return Open->Text;
    auto [At, New] = Read.try_emplace(File);
    if (New)
      if (auto Buffer = llvm::MemoryBuffer::getFile(File))
        At->second = std::make_shared<std::string>((*Buffer)->getBuffer().str());
    return At->second;
  };
  auto Version = [this](const std::string &File) -> std::optional<int64_t> {
    std::optional<DocumentStatus> Open = Service->status(File);
    return Open ? std::optional(Open->Version) : std::nullopt;
  };
  return {Client, std::move(Text), [this](const std::string &File) { return uriOf(File); }, std::move(Version)};
}

void LanguageServer::publishDiagnostics(const std::string &File, std::optional<int64_t> Version, Array Diagnostics) {
  Object Params{{"uri", uriOf(File)}, {"diagnostics", std::move(Diagnostics)}};
  if (Version)
    Params["version"] = *Version;
  SendDiagnostics({std::move(Params)});
}

void LanguageServer::published(const DocumentStatus &Status) {
  publishDiagnostics(Status.File, Status.Version, diagnosticsOf(Status, editorContext()));
  if (Status.State == CheckState::Failed)
    for (const Finding &F : Status.Result->Findings)
      if (F.is(OtherFinding::Crash))
        Files.keep(F.Log);
}

void LanguageServer::cleared(const std::string &File) { publishDiagnostics(File, std::nullopt, {}); }

void LanguageServer::statusChanged(const DocumentStatus &Status, bool OnlyProgress) {
  SendStatus({statusOf(Status, editorContext())});
  if (Client.RefreshLenses && !OnlyProgress)
    RefreshLenses({Value(nullptr)}, nextId());
}

void LanguageServer::progress(const CheckProgress &What) { Progress.tell(What); }

void LanguageServer::settingsProblems(const std::string &TomlFile, const std::vector<SettingsProblem> &Problems) {
  std::shared_ptr<const std::string> Text = editorContext().Text(TomlFile);
  publishDiagnostics(TomlFile, std::nullopt, diagnosticsOf(Text ? *Text : "", Problems, Client.Encoding));
}

void LanguageServer::log(const std::string &Line) {
  SendLog({Object{{"type", InfoMessage}, {"message", llvm::json::fixUTF8("Picket: " + Line)}}});
}

void LanguageServer::showMessage(int Type, const std::string &Text) {
  SendMessage({Object{{"type", Type}, {"message", llvm::json::fixUTF8(Text)}}});
}

} // namespace picket
