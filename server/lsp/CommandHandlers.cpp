// Commands and the requests that are Picket's own: docs/lsp-extensions.md.
#include "HtmlPage.h"
#include "lsp/LanguageServer.h"

#include "base/UntrustedJson.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;
using llvm::lsp::ErrorCode;

namespace picket {

void LanguageServer::executeCommand(const lsptypes::ExecuteCommand &Params, Reply Answer) {
  const StringRef Name = Params.Command;
  if (Name == "picket.cancel") {
    Service->cancel(Params.HasUri ? Params.Query.Uri.file().str() : "");
    return Answer(nullptr);
  }
  if (Name == "picket.restartWorker") {
    Service->restartWorkers();
    return Answer(nullptr);
  }
  const bool Known = Name == "picket.check" || Name == "picket.checkAllModels" || Name == "picket.explain" ||
                     Name == "picket.showCounterexample" || Name == "picket.addFences" || Name == "picket.relax";
  if (!Known)
    return Answer(failed("there is no command '" + Params.Command + "'", ErrorCode::InvalidParams));
  const std::string File = Params.HasUri ? Params.Query.Uri.file().str() : Service->lastActive();
  if (File.empty())
    return Answer(failed("no C document is open, and the command names none", ErrorCode::InvalidParams));
  if (Name == "picket.explain")
    return explain(File, Params.Query, std::move(Answer));
  if (Name == "picket.showCounterexample")
    return showCounterexample(File, Params.Query, std::move(Answer));
  if (Name == "picket.addFences")
    return addFences(File, Params.Query, std::move(Answer));
  if (Name == "picket.relax")
    return relax(File, std::move(Answer));
  std::vector<MemoryModel> Models;
  if (Name == "picket.checkAllModels") {
    // A model that is not checked by default is for those who choose it.
    const std::optional<DocumentStatus> Status = Service->status(File);
    Models = modelsThat([&](const MemoryModelInfo &M) {
      return M.ByDefault || (Status && llvm::is_contained(Status->Options.Models, M.Model));
    });
  } else if (!Params.Query.Model.empty()) {
    SettingsLayer Given;
    if (std::string Wrong = set(Given, "models", {Params.Query.Model}); !Wrong.empty())
      return Answer(failed(Wrong, ErrorCode::InvalidParams));
    Models = *Given.Models;
  }
  if (Params.Token)
    Progress.useToken(File, *Params.Token);
  check(File, std::move(Models), std::move(Answer));
}

/// Answers when the check has ended, with the document's status.
void LanguageServer::check(const std::string &File, std::vector<MemoryModel> Models, Reply Answer) {
  const uint64_t Number = wait(std::move(Answer), [this, File] { Service->cancel(File); });
  const bool Started = Service->check(File, std::move(Models), [this, File, Number](CheckEnd End) {
    if (End == CheckEnd::Cancelled)
      return answer(Number, failed("the check was cancelled", ErrorCode::RequestCancelled));
    std::optional<DocumentStatus> Status = Service->status(File);
    if (End == CheckEnd::Closed || !Status)
      return answer(Number, failed("the document was closed", ErrorCode::ContentModified));
    answer(Number, statusOf(*Status, editorContext()));
  });
  if (!Started)
    answer(Number, failed("this is not an open C document", ErrorCode::InvalidParams));
}

/// The index of the trace that is asked for: the first of the model, or the first of all.
static std::optional<size_t> findTrace(const DocumentStatus &Status, const lsptypes::DocumentQuery &Params) {
  if (!Status.Result)
    return std::nullopt;
  const std::optional<MemoryModel> Wanted = modelNamed(Params.Model);
  int64_t Skip = std::max<int64_t>(0, Params.Index.value_or(0));
  for (size_t K = 0; K < Status.Result->Traces.size(); ++K)
    if ((Params.Model.empty() || Status.Result->Traces[K].Model == Wanted) && Skip-- == 0)
      return K;
  return std::nullopt;
}

/// The texts that were checked are those of the open documents, unless they were edited since.
static Value withSources(StringRef Json, const DocumentStatus &Status) {
  llvm::Expected<Value> Trace = parseUntrusted(Json);
  if (!Trace) {
    llvm::consumeError(Trace.takeError());
    return nullptr;
  }
  if (Object *Sources = Trace->getAsObject() ? Trace->getAsObject()->getObject("sources") : nullptr)
    if (Status.Current && Sources->get(Status.File))
      (*Sources)[Status.File] = *Status.Text;
  return std::move(*Trace);
}

void LanguageServer::counterexample(const Query &Params, Reply Answer) {
  std::optional<DocumentStatus> Status = Service->status(Params.Uri.file().str());
  if (!Status)
    return Answer(failed("the document is not open", ErrorCode::InvalidParams));
  std::optional<size_t> Index = findTrace(*Status, Params);
  if (!Index)
    return Answer(nullptr);
  const uint64_t Number = wait(std::move(Answer));
  const std::string Plain = Status->Result->Traces[*Index].Json;
  Service->render({Plain}, [this, Number, Plain, Status = *Status](const std::vector<std::string> &Rendered) {
    Value Trace = withSources(Rendered.empty() ? Plain : Rendered[0], Status);
    if (Object *O = Trace.getAsObject()) {
      (*O)["uri"] = uriOf(Status.File);
      (*O)["version"] = Status.Version;
      (*O)["current"] = Status.Current;
    }
    answer(Number, std::move(Trace));
  });
}

/// For editors without a panel: a page with all counterexamples, those of the model first.
void LanguageServer::showCounterexample(const std::string &File, const Query &Params, Reply Answer) {
  std::optional<DocumentStatus> Status = Service->status(File);
  if (!Status)
    return Answer(failed("the document is not open", ErrorCode::InvalidParams));
  std::optional<size_t> First = findTrace(*Status, Params);
  if (!First)
    return Answer(failed("there is no counterexample"));
  std::vector<std::string> Traces = {Status->Result->Traces[*First].Json};
  for (size_t K = 0; K < Status->Result->Traces.size(); ++K)
    if (K != *First)
      Traces.push_back(Status->Result->Traces[K].Json);
  const uint64_t Number = wait(std::move(Answer));
  Service->render(Traces, [this, Number, Status = *Status, Traces](std::vector<std::string> Rendered) {
    if (Rendered.empty())
      Rendered = Traces; // the page can do without pictures
    Array All;
    for (const std::string &Trace : Rendered)
      All.push_back(withSources(Trace, Status));
    std::string Json;
    llvm::raw_string_ostream(Json) << Value(std::move(All));
    const std::string Name = llvm::sys::path::stem(Status.File).str() + "-" +
                             llvm::utohexstr(llvm::hash_value(Status.File), /*LowerCase=*/true) + ".html";
    const std::string Page = Files.writePage(Name, htmlPage(Json));
    if (Page.empty())
      return answer(Number, failed("the page cannot be written to " + Files.directory()));
    const std::string Uri = uriOf(Page);
    if (Client.ShowDocument)
      ShowDocument({Object{{"uri", Uri}, {"external", true}, {"takeFocus", true}}}, nextId());
    answer(Number, Object{{"uri", Uri}, {"shown", Client.ShowDocument}});
  });
}

void LanguageServer::explain(const std::string &File, const Query &Params, Reply Answer) {
  std::optional<DocumentStatus> Status = Service->status(File);
  if (!Status)
    return Answer(failed("the document is not open", ErrorCode::InvalidParams));
  const Finding *Chosen = nullptr;
  if (Status->Result)
    for (const Finding &F : Status->Result->Findings)
      if (!Params.Position ? !Chosen : F.Where.File == File && F.Where.Line == Params.Position->Line + 1)
        Chosen = &F;
  if (!Chosen)
    return Answer(failed("there is nothing to explain here"));
  if (std::find(Client.Commands.begin(), Client.Commands.end(), "picket.explain") == Client.Commands.end())
    showMessage(InfoMessage, Chosen->Sentence.empty() ? Chosen->Message : Chosen->Sentence);
  Answer(Object{{"message", llvm::json::fixUTF8(Chosen->Message)},
                {"sentence", llvm::json::fixUTF8(Chosen->Sentence)},
                {"markdown", llvm::json::fixUTF8(explanationOf(*Chosen, File))}});
}

/// The file a request speaks of; empty if it speaks of none.
static llvm::Expected<std::string> fileOf(const lsptypes::Any &Params) {
  const Object *O = Params.object();
  if (!O || (!O->get("uri") && !O->get("textDocument")))
    return "";
  llvm::Expected<lsptypes::DocumentQuery> Query =
      llvm::lsp::MessageHandler::parse<lsptypes::DocumentQuery>(Params.Json, "parameters", "request");
  if (!Query)
    return Query.takeError();
  return Query->Uri.file().str();
}

void LanguageServer::status(const Any &Params, Reply Answer) {
  llvm::Expected<std::string> File = fileOf(Params);
  if (!File)
    return Answer(File.takeError());
  if (!File->empty()) {
    std::optional<DocumentStatus> Status = Service->status(*File);
    return Answer(Status ? statusOf(*Status, editorContext()) : Value(nullptr));
  }
  Array All;
  for (const DocumentStatus &Status : Service->allStatus())
    All.push_back(statusOf(Status, editorContext()));
  Answer(Object{{"documents", std::move(All)}});
}

void LanguageServer::models(const Any &Params, Reply Answer) {
  llvm::Expected<std::string> File = fileOf(Params);
  if (!File)
    return Answer(File.takeError());
  std::vector<MemoryModel> Selected = Settings().Models;
  if (std::optional<DocumentStatus> Status = Service->status(*File))
    Selected = Status->Options.Models;
  Array Models;
  for (MemoryModel M : allModels())
    Models.push_back(Object{{"model", nameOf(M)},
                            {"title", titleOf(M)},
                            {"description", infoOf(M).Description},
                            {"available", true},
                            {"selected", std::find(Selected.begin(), Selected.end(), M) != Selected.end()}});
  Answer(Object{{"models", std::move(Models)}});
}

} // namespace picket
