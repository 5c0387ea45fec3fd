// Documents of the language server: how they come, change and go, and what is shown in them.
#include "lsp/LanguageServer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
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
  addProjectOf(File);
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
    return Open && !Open->Background ? std::optional(Open->Version) : std::nullopt;
  };
  auto Status = [this](const std::string &File) { return Service->status(File); };
  return {Client, std::move(Text), [this](const std::string &File) { return uriOf(File); }, std::move(Version),
          std::move(Status)};
}

void LanguageServer::publishDiagnostics(const std::string &File, std::optional<int64_t> Version, Array Diagnostics) {
  Object Params{{"uri", uriOf(File)}, {"diagnostics", std::move(Diagnostics)}};
  if (Version)
    Params["version"] = *Version;
  SendDiagnostics({std::move(Params)});
}

void LanguageServer::show(const DocumentStatus &Status) {
  std::map<std::string, Array> Now;
  for (OtherDiagnostic &Other : diagnosticsElsewhere(Status, editorContext()))
    Now[Other.File].push_back(std::move(Other.Diagnostic));
  std::set<std::string> Changed = {Status.File};
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    std::map<std::string, Array> &Known = Elsewhere[Status.File];
    for (const auto *Some : {&Known, &Now})
      for (const auto &[File, Diagnostics] : *Some)
        Changed.insert(File);
    Known = std::move(Now);
  }
  for (const std::string &File : Changed)
    showAll(File);
}

void LanguageServer::showAll(const std::string &File) {
  const std::optional<DocumentStatus> Own = Service->status(File);
  Array All = Own ? diagnosticsOf(*Own, editorContext()) : Array();
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (const auto &[Program, Files] : Elsewhere)
      if (const auto Here = Files.find(File); Here != Files.end())
        All.insert(All.end(), Here->second.begin(), Here->second.end());
  }
  publishDiagnostics(File, Own && !Own->Background ? std::optional(Own->Version) : std::nullopt, std::move(All));
}

std::vector<DocumentStatus> LanguageServer::programsWith(const std::string &File) {
  std::vector<std::string> Programs;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (const auto &[Program, Files] : Elsewhere)
      if (Program != File && Files.contains(File))
        Programs.push_back(Program);
  }
  std::vector<DocumentStatus> Result;
  for (const std::string &Program : Programs)
    if (std::optional<DocumentStatus> Status = Service->status(Program))
      Result.push_back(std::move(*Status));
  return Result;
}

void LanguageServer::addProjectOf(const std::string &File) {
  std::string Root = llvm::sys::path::parent_path(File).str();
  for (StringRef Folder = Root; !Folder.empty(); Folder = llvm::sys::path::parent_path(Folder))
    if (llvm::any_of(std::initializer_list<const char *>{"/.git", "/.picket.toml", "/compile_commands.json"},
                     [&](const char *Mark) { return llvm::sys::fs::exists(Folder + Mark); })) {
      Root = Folder.str();
      break;
    }
  std::vector<std::string> All;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (FoldersGiven || Root.empty() || !Folders.insert(Root).second)
      return;
    All.assign(Folders.begin(), Folders.end());
  }
  Service->setFolders(std::move(All));
}

void LanguageServer::published(const DocumentStatus &Status) {
  show(Status);
  if (Status.State == CheckState::Failed)
    for (const Finding &F : Status.Result->Findings)
      if (F.is(OtherFinding::Crash))
        Files.keep(F.Log);
}

void LanguageServer::cleared(const std::string &File) {
  std::map<std::string, Array> Gone;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (auto Known = Elsewhere.find(File); Known != Elsewhere.end()) {
      Gone = std::move(Known->second);
      Elsewhere.erase(Known);
    }
  }
  showAll(File);
  for (const auto &[Other, Diagnostics] : Gone)
    showAll(Other);
}

void LanguageServer::statusChanged(const DocumentStatus &Status, bool OnlyProgress) {
  SendStatus({statusOf(Status, editorContext())});
  if (!OnlyProgress) // what is told of files that it uses is told of it
    for (const DocumentStatus &Other : Service->allStatus())
      if (llvm::is_contained(Other.Programs, Status.File))
        SendStatus({statusOf(Other, editorContext())});
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
