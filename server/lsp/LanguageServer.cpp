#include "lsp/LanguageServer.h"

#include "lsp/ClientSettings.h"
#include "lsp/ParentWatch.h"

#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/MemoryBuffer.h"

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;
using llvm::lsp::ErrorCode;
using llvm::lsp::Logger;
using llvm::lsp::LSPError;

namespace picket {

static constexpr llvm::StringLiteral Commands[] = {
    "picket.check", "picket.checkAllModels", "picket.showCounterexample", "picket.explain", "picket.addFences",
    "picket.relax", "picket.cancel",         "picket.restartWorker"};

static std::string written(const Value &V) {
  std::string Text;
  llvm::raw_string_ostream(Text) << V;
  return Text;
}

LanguageServer::LanguageServer(std::FILE *In, llvm::raw_ostream &Out)
    : Input(new MessageInput(In)), Transport(std::unique_ptr<MessageInput>(Input), Out), Handler(Transport),
      Progress([this](const std::string &Token) { CreateProgress({Object{{"token", Token}}}, Token); },
               [this](Value Token, Object V) {
                 SendProgress({Object{{"token", std::move(Token)}, {"value", std::move(V)}}});
               }) {
  registerHandlers();
}

LanguageServer::~LanguageServer() {
  Leaving = true;
  if (Watchdog.joinable())
    Watchdog.join();
  Files
      .remove(); // now, and once more at the end: on a machine with much to do, workers may take longer to end than there is time
  if (Service)
    Service->stop(); // while it is still there for what it tells
}

void LanguageServer::registerHandlers() {
  Handler.method("initialize", this, &LanguageServer::initialize);
  Handler.notification("initialized", this, &LanguageServer::initialized);
  Handler.method("shutdown", this, &LanguageServer::shutdown);
  Handler.method(MessageInput::Refused, this, &LanguageServer::refuse);
  Handler.notification("$/setTrace", this, &LanguageServer::setTrace);
  Handler.notification("$/cancelRequest", this, &LanguageServer::cancelRequest);
  Handler.notification("window/workDoneProgress/cancel", this, &LanguageServer::cancelProgress);
  Handler.notification("workspace/didChangeConfiguration", this, &LanguageServer::configurationChanged);
  Handler.notification("workspace/didChangeWatchedFiles", this, &LanguageServer::watchedFilesChanged);
  Handler.notification("workspace/didChangeWorkspaceFolders", this, &LanguageServer::foldersChanged);
  Handler.notification("textDocument/didOpen", this, &LanguageServer::didOpen);
  Handler.notification("textDocument/didChange", this, &LanguageServer::didChange);
  Handler.notification("textDocument/didSave", this, &LanguageServer::didSave);
  Handler.notification("textDocument/didClose", this, &LanguageServer::didClose);
  Handler.method("textDocument/codeLens", this, &LanguageServer::codeLens);
  Handler.method("textDocument/hover", this, &LanguageServer::hover);
  Handler.method("textDocument/codeAction", this, &LanguageServer::codeAction);
  Handler.method("codeAction/resolve", this, &LanguageServer::resolveAction);
  Handler.method("workspace/executeCommand", this, &LanguageServer::executeCommand);
  Handler.method("picket/status", this, &LanguageServer::status);
  Handler.method("picket/models", this, &LanguageServer::models);
  Handler.method("picket/counterexample", this, &LanguageServer::counterexample);
  Handler.method("picket/fixes", this, &LanguageServer::fixes);

  SendDiagnostics = Handler.outgoingNotification<Any>("textDocument/publishDiagnostics");
  SendStatus = Handler.outgoingNotification<Any>("picket/status");
  SendProgress = Handler.outgoingNotification<Any>("$/progress");
  SendLog = Handler.outgoingNotification<Any>("window/logMessage");
  SendMessage = Handler.outgoingNotification<Any>("window/showMessage");
  auto Forget = [](Value, llvm::Expected<Any> Answer) {
    if (!Answer)
      Logger::info("the client refused: {0}", llvm::toString(Answer.takeError()));
  };
  Register = Handler.outgoingRequest<Any, Any>("client/registerCapability", Forget);
  ShowDocument = Handler.outgoingRequest<Any, Any>("window/showDocument", Forget);
  RefreshLenses = Handler.outgoingRequest<Any, Any>("workspace/codeLens/refresh", Forget);
  ApplyEdit = Handler.outgoingRequest<Any, Any>("workspace/applyEdit", [this](Value Id, llvm::Expected<Any> Answer) {
    bool Done = false;
    if (!Answer)
      llvm::consumeError(Answer.takeError());
    else if (const Object *O = Answer->object())
      Done = O->getBoolean("applied").value_or(false);
    applied(Id.getAsString().value_or("").str(), Done);
  });
  CreateProgress =
      Handler.outgoingRequest<Any, Any>("window/workDoneProgress/create", [this](Value Id, llvm::Expected<Any> Answer) {
        const bool Agreed = static_cast<bool>(Answer);
        if (!Agreed)
          llvm::consumeError(Answer.takeError());
        Progress.created(Id.getAsString().value_or("").str(), Agreed);
      });
  AskConfiguration =
      Handler.outgoingRequest<Any, Any>("workspace/configuration", [this](Value, llvm::Expected<Any> Answer) {
        if (!Answer)
          return llvm::consumeError(Answer.takeError());
        if (const Array *Items = Answer->Json.getAsArray(); Items && !Items->empty())
          configure(Items->front());
      });
}

void LanguageServer::initialize(const lsptypes::Initialize &Params, Reply Answer) {
  Client = Params.Capabilities;
  Progress.allow(Client.WorkDoneProgress);
  std::vector<SettingsProblem> Problems;
  Options = layerOfJson(Params.Options, Problems);
  for (const SettingsProblem &P : Problems)
    Logger::error("initializationOptions: {0}", P.Message);
  if (Files.directory().empty())
    return Answer(llvm::make_error<LSPError>("no temporary directory can be made", ErrorCode::InternalError));

  CheckService::Options Own;
  Own.Directory = Files.directory();
  Service = std::make_unique<CheckService>(Own, static_cast<CheckListener &>(*this));
  Service->configure(Options);
  setFolders(Params.Folders, {});
  Watchdog = watchParent(Params.ProcessId, Leaving, [this] { Files.remove(); });

  Array Offered;
  for (StringRef Command : Commands)
    if (std::find(Client.Commands.begin(), Client.Commands.end(), Command) == Client.Commands.end())
      Offered.push_back(Command);
  Input->enter(MessageInput::Phase::Running);
  Answer(Object{
      {"serverInfo", Object{{"name", "picket"}, {"version", PICKET_VERSION}}},
      {"capabilities",
       Object{
           {"positionEncoding", Client.Encoding == PositionEncoding::Utf8 ? "utf-8" : "utf-16"},
           {"textDocumentSync", Object{{"openClose", true}, {"change", 2}, {"save", Object{{"includeText", false}}}}},
           {"codeLensProvider", Object{{"resolveProvider", false}}},
           {"hoverProvider", true},
           {"codeActionProvider", Object{{"codeActionKinds", Array{"quickfix"}}, {"resolveProvider", true}}},
           {"executeCommandProvider", Object{{"commands", std::move(Offered)}, {"workDoneProgress", true}}},
           {"workspace", Object{{"workspaceFolders", Object{{"supported", true}, {"changeNotifications", true}}}}},
           {"experimental",
            Object{
                {"picket", Object{{"counterexample", true}, {"status", true}, {"models", true}, {"fixes", true}}}}}}}});
}

void LanguageServer::initialized(const Any &) {
  if (Client.WatchFiles) {
    Array Watchers;
    for (StringRef Pattern : {"**/compile_commands.json", "**/compile_flags.txt", "**/.picket.toml", "**/*.{c,h,inc}"})
      Watchers.push_back(Object{{"globPattern", Pattern}});
    Register({Object{{"registrations", Array{Object{{"id", "picket-watched-files"},
                                                    {"method", "workspace/didChangeWatchedFiles"},
                                                    {"registerOptions", Object{{"watchers", std::move(Watchers)}}}}}}}},
             nextId());
  }
  askForConfiguration();
}

void LanguageServer::shutdown(const Any &, Reply Answer) {
  ShutDown = true;
  Input->enter(MessageInput::Phase::AfterShutdown);
  Service->cancel("");
  Answer(nullptr);
}

void LanguageServer::refuse(const Any &Params, Reply Answer) {
  const Object *O = Params.object();
  const auto Code =
      static_cast<ErrorCode>(O ? O->getInteger("code").value_or(static_cast<int>(ErrorCode::InvalidRequest))
                               : static_cast<int>(ErrorCode::InvalidRequest));
  Answer(llvm::make_error<LSPError>(O ? O->getString("message").value_or("").str() : "", Code));
}

void LanguageServer::setTrace(const Any &Params) {
  const StringRef Level = Params.object() ? Params.object()->getString("value").value_or("off") : "off";
  Logger::setLogLevel(Level == "verbose"    ? Logger::Level::Debug
                      : Level == "messages" ? Logger::Level::Info
                                            : Logger::Level::Error);
}

void LanguageServer::cancelRequest(const Any &Params) {
  const Value *Id = Params.object() ? Params.object()->get("id") : nullptr;
  if (!Id)
    return;
  std::function<void()> OnCancel;
  uint64_t Number = 0;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto At = WaitingById.find(written(*Id));
    if (At == WaitingById.end())
      return; // answered already
    Number = At->second;
    if (auto Waits = Waiting.find(Number); Waits != Waiting.end())
      OnCancel = Waits->second.OnCancel;
  }
  answer(Number, llvm::make_error<LSPError>("cancelled", ErrorCode::RequestCancelled));
  if (OnCancel)
    OnCancel();
}

void LanguageServer::cancelProgress(const Any &Params) {
  const Value *Token = Params.object() ? Params.object()->get("token") : nullptr;
  if (!Token)
    return;
  if (std::optional<std::string> File = Progress.fileOf(*Token))
    Service->cancel(*File);
}

void LanguageServer::askForConfiguration() {
  if (Client.Configuration)
    AskConfiguration({Object{{"items", Array{Object{{"section", "picket"}}}}}}, nextId());
}

void LanguageServer::configurationChanged(const Any &Params) {
  const Value *Settings = Params.object() ? Params.object()->get("settings") : nullptr;
  // Some clients push their settings, others only say that there are new ones.
  if (Settings && Settings->getAsObject() && !Settings->getAsObject()->empty())
    configure(*Settings);
  else
    askForConfiguration();
}

void LanguageServer::configure(const Value &Json) {
  std::vector<SettingsProblem> Problems;
  const SettingsLayer Given = layerOfJson(Json, Problems);
  for (const SettingsProblem &P : Problems)
    SendLog({Object{{"type", 2}, {"message", "Picket's configuration: " + llvm::json::fixUTF8(P.Message)}}});
  SettingsLayer Both = Options;
  picket::apply(Both, Given);
  Service->configure(Both);
}

/// What editors save themselves they tell twice: files that are open are not news.
void LanguageServer::watchedFilesChanged(const Any &Params) {
  const Array *Changes = Params.object() ? Params.object()->getArray("changes") : nullptr;
  bool AnyOther = !Changes;
  for (const Value &Change : Changes ? *Changes : Array()) {
    const Object *O = Change.getAsObject();
    const std::vector<std::string> Files = filesOf({O ? O->getString("uri").value_or("").str() : ""});
    const std::optional<DocumentStatus> Status = Files.empty() ? std::nullopt : Service->status(Files.front());
    AnyOther |= !Status || Status->Background;
  }
  if (AnyOther)
    Service->filesChanged();
}

std::vector<std::string> LanguageServer::filesOf(const std::vector<std::string> &Uris) {
  std::vector<std::string> Files;
  for (const std::string &Uri : Uris) {
    llvm::Expected<llvm::lsp::URIForFile> Known = llvm::lsp::URIForFile::fromURI(Uri);
    if (Known)
      Files.push_back(Known->file().str());
    else
      llvm::consumeError(Known.takeError());
  }
  return Files;
}

void LanguageServer::setFolders(const std::vector<std::string> &Added, const std::vector<std::string> &Removed) {
  std::vector<std::string> All;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (const std::string &Folder : filesOf(Removed))
      Folders.erase(Folder);
    for (const std::string &Folder : filesOf(Added))
      Folders.insert(Folder);
    FoldersGiven |= !Added.empty();
    All.assign(Folders.begin(), Folders.end());
  }
  Service->setFolders(std::move(All));
}

void LanguageServer::foldersChanged(const Any &Params) {
  const Object *Event = Params.object() ? Params.object()->getObject("event") : nullptr;
  auto UrisOf = [&](const char *Name) {
    std::vector<std::string> Uris;
    if (const Array *Items = Event ? Event->getArray(Name) : nullptr)
      for (const Value &Item : *Items)
        if (const Object *Folder = Item.getAsObject())
          Uris.push_back(Folder->getString("uri").value_or("").str());
    return Uris;
  };
  setFolders(UrisOf("added"), UrisOf("removed"));
}

uint64_t LanguageServer::wait(Reply Answer, std::function<void()> OnCancel) {
  std::lock_guard<std::mutex> Lock(Mutex);
  const uint64_t Number = ++NextWaiting;
  Waiting.emplace(Number, Pending{std::move(Answer), std::move(OnCancel)});
  WaitingById[written(Input->currentId())] = Number;
  return Number;
}

void LanguageServer::answer(uint64_t Number, llvm::Expected<Value> Result) {
  std::optional<Pending> Found;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (auto At = Waiting.find(Number); At != Waiting.end()) {
      Found = std::move(At->second);
      Waiting.erase(At);
      std::erase_if(WaitingById, [&](const auto &Entry) { return Entry.second == Number; });
    }
  }
  if (Found)
    return Found->Answer(std::move(Result));
  if (!Result)
    llvm::consumeError(Result.takeError());
}

int LanguageServer::run() {
  if (llvm::Error Failed = Transport.run(Handler)) {
    // The client is gone without a word.
    Logger::info("the input ended: {0}", llvm::toString(std::move(Failed)));
  }
  return ShutDown ? 0 : 1;
}

} // namespace picket
