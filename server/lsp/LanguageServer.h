// The protocol: requests and notifications in, calls of the CheckService; its news out again. What is said beyond the
// protocol is described in docs/lsp-extensions.md.
//
// It is large because it has a handler for each message of the protocol; they are in files by subject (*Handlers.cpp).
#pragma once

#include "lsp/CheckService.h"
#include "lsp/MessageInput.h"
#include "lsp/Presentation.h"
#include "lsp/ProgressReporter.h"
#include "lsp/ServerFiles.h"

#include <set>

namespace picket {

class LanguageServer : CheckListener {
public:
  /// `Out` is written to while `run` runs, and by nobody else.
  LanguageServer(std::FILE *In, llvm::raw_ostream &Out);
  ~LanguageServer() override;

  /// Serves until the client says goodbye or is gone. Returns the exit code: 0 after `shutdown`, else 1.
  int run();
  /// For those who end the process without ceremony.
  void removeFiles() { Files.remove(); }

private:
  static constexpr int InfoMessage = 3; // MessageType
  using Any = lsptypes::Any;
  using Query = lsptypes::DocumentQuery;
  using Reply = llvm::lsp::Callback<llvm::json::Value>;
  /// A reply that is given later, exactly once: with a result, or because the client no longer wants it.
  struct Pending {
    Reply Answer;
    std::function<void()> OnCancel;
  };

  // Life (LanguageServer.cpp).
  void registerHandlers();
  void initialize(const lsptypes::Initialize &Params, Reply Answer);
  void initialized(const Any &);
  void shutdown(const Any &, Reply Answer);
  void refuse(const Any &Params, Reply Answer);
  void setTrace(const Any &Params);
  void cancelRequest(const Any &Params);
  void cancelProgress(const Any &Params);
  void configurationChanged(const Any &Params);
  void watchedFilesChanged(const Any &Params);
  void foldersChanged(const Any &Params);
  void setFolders(const std::vector<std::string> &Added, const std::vector<std::string> &Removed); // URIs
  static std::vector<std::string> filesOf(const std::vector<std::string> &Uris);
  void askForConfiguration();
  void configure(const llvm::json::Value &Json);
  void ignore(const Any &) {}

  // Documents (DocumentHandlers.cpp).
  void didOpen(const llvm::lsp::DidOpenTextDocumentParams &Params);
  void didChange(const llvm::lsp::DidChangeTextDocumentParams &Params);
  void didSave(const Query &Params);
  void didClose(const Query &Params);
  void codeLens(const Query &Params, Reply Answer);
  void hover(const Query &Params, Reply Answer);

  // Commands and requests of our own (CommandHandlers.cpp).
  void executeCommand(const lsptypes::ExecuteCommand &Params, Reply Answer);
  void check(const std::string &File, std::vector<MemoryModel> Models, Reply Answer);
  void showCounterexample(const std::string &File, const Query &Params, Reply Answer);
  void explain(const std::string &File, const Query &Params, Reply Answer);
  void status(const Any &Params, Reply Answer);
  void models(const Any &Params, Reply Answer);
  void counterexample(const Query &Params, Reply Answer);

  // Fixes (FixHandlers.cpp).
  void codeAction(const lsptypes::CodeActionQuery &Params, Reply Answer);
  void resolveAction(const Any &Params, Reply Answer);
  void fixes(const Query &Params, Reply Answer);
  void addFences(const std::string &File, const Query &Params, Reply Answer);
  void relax(const std::string &File, Reply Answer);
  void apply(uint64_t Waiting, const FixOffer &Offer);
  void applied(const std::string &Id, bool Done);
  /// Asks for fixes and hands the status on; an end without one is answered here.
  void withFixes(const std::string &File, FixQuestion Question, uint64_t Waiting,
                 std::function<void(const DocumentStatus &, const FixAnswer &)> Then);

  // What the service tells.
  void published(const DocumentStatus &Status) override;
  void cleared(const std::string &File) override;
  void statusChanged(const DocumentStatus &Status, bool OnlyProgress) override;
  void fixesChanged(const DocumentStatus &Status) override;
  void progress(const CheckProgress &Progress) override;
  void settingsProblems(const std::string &TomlFile, const std::vector<SettingsProblem> &Problems) override;
  void log(const std::string &Line) override;

  // Replies that are given later.
  uint64_t wait(Reply Answer, std::function<void()> OnCancel = {});
  void answer(uint64_t Waiting, llvm::Expected<llvm::json::Value> Result);

  EditorContext editorContext();
  std::string uriOf(const std::string &File);
  void publishDiagnostics(const std::string &File, std::optional<int64_t> Version, llvm::json::Array Diagnostics);
  /// The diagnostics of a document, and those of its findings in other files.
  void show(const DocumentStatus &Status);
  /// Those of a file: its own, and those of programs that use it.
  void showAll(const std::string &File);
  /// The documents, other than the file's own, that have findings in it.
  std::vector<DocumentStatus> programsWith(const std::string &File);
  /// Without folders of the client: that of the project a file is in.
  void addProjectOf(const std::string &File);
  void showMessage(int Type, const std::string &Text);
  std::string nextId() { return "picket-" + std::to_string(++NextId); }

  MessageInput *Input; // owned by Transport
  llvm::lsp::JSONTransport Transport;
  llvm::lsp::MessageHandler Handler;
  llvm::lsp::OutgoingNotification<Any> SendDiagnostics, SendStatus, SendProgress, SendLog, SendMessage;
  llvm::lsp::OutgoingRequest<Any> CreateProgress, Register, AskConfiguration, ShowDocument, RefreshLenses, ApplyEdit;

  lsptypes::Client Client; // set by `initialize`, before anything else happens
  SettingsLayer Options;   // what `initialize` brought: the ground the configuration stands on
  std::atomic<bool> ShutDown = false;
  std::atomic<uint64_t> NextId = 0;
  std::thread Watchdog;
  std::atomic<bool> Leaving = false;

  std::mutex Mutex; // what follows
  std::map<std::string, std::string> Uris;
  std::map<uint64_t, Pending> Waiting;
  std::map<std::string, uint64_t> WaitingById; // by the id of the request, written as JSON
  uint64_t NextWaiting = 0;
  struct Applying {
    uint64_t Waiting;
    std::string Title;
  };
  std::map<std::string, Applying> Edits; // asked of the client, by the id of the request
  std::map<std::string, std::map<std::string, llvm::json::Array>> Elsewhere; // per program and file: diagnostics
  std::set<std::string> Folders;                                             // of the workspace
  bool FoldersGiven = false;                                                 // by the client

  ServerFiles Files;
  ProgressReporter Progress;
  std::unique_ptr<CheckService> Service; // from `initialize` on; the last that goes
};

} // namespace picket
