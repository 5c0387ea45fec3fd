#include "lsp/LspTypes.h"

namespace picket::lsptypes {

using llvm::StringRef;

static constexpr int64_t UnnecessaryTag = 1; // DiagnosticTag

/// A boolean deep in an object: flag(O, {"window", "workDoneProgress"}).
static bool flag(const Object *O, std::initializer_list<StringRef> Keys) {
  for (StringRef Key : llvm::ArrayRef(Keys.begin(), Keys.size() - 1))
    O = O ? O->getObject(Key) : nullptr;
  return O && O->getBoolean(*(Keys.end() - 1)).value_or(false);
}

static const Value *find(const Object *O, std::initializer_list<StringRef> Keys) {
  for (StringRef Key : llvm::ArrayRef(Keys.begin(), Keys.size() - 1))
    O = O ? O->getObject(Key) : nullptr;
  return O ? O->get(*(Keys.end() - 1)) : nullptr;
}

static bool contains(const Value *List, StringRef Text) {
  const llvm::json::Array *Items = List ? List->getAsArray() : nullptr;
  for (size_t K = 0; Items && K < Items->size(); ++K)
    if ((*Items)[K].getAsString() == Text)
      return true;
  return false;
}

static Client readClient(const Object *C) {
  Client R;
  // Bytes are what the checker counts in, so they are preferred.
  if (contains(find(C, {"general", "positionEncodings"}), "utf-8"))
    R.Encoding = PositionEncoding::Utf8;
  R.RelatedInformation = flag(C, {"textDocument", "publishDiagnostics", "relatedInformation"});
  R.WorkDoneProgress = flag(C, {"window", "workDoneProgress"});
  R.ShowDocument = flag(C, {"window", "showDocument", "support"});
  R.Configuration = flag(C, {"workspace", "configuration"});
  R.WatchFiles = flag(C, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
  R.RefreshLenses = flag(C, {"workspace", "codeLens", "refreshSupport"});
  const Value *Tags = find(C, {"textDocument", "publishDiagnostics", "tagSupport", "valueSet"});
  if (const llvm::json::Array *Known = Tags ? Tags->getAsArray() : nullptr)
    R.UnnecessaryTag = std::find(Known->begin(), Known->end(), Value(UnnecessaryTag)) != Known->end();
  R.ActionLiterals = find(C, {"textDocument", "codeAction", "codeActionLiteralSupport"}) != nullptr;
  R.ResolveActions = flag(C, {"textDocument", "codeAction", "dataSupport"}) &&
                     contains(find(C, {"textDocument", "codeAction", "resolveSupport", "properties"}), "edit");
  R.DisabledActions = flag(C, {"textDocument", "codeAction", "disabledSupport"});
  R.PreferredActions = flag(C, {"textDocument", "codeAction", "isPreferredSupport"});
  R.DocumentChanges = flag(C, {"workspace", "workspaceEdit", "documentChanges"});
  R.ApplyEdit = flag(C, {"workspace", "applyEdit"});
  if (const Value *Formats = find(C, {"textDocument", "hover", "contentFormat"}))
    R.MarkdownHover = contains(Formats, "markdown");
  return R;
}

bool fromJSON(const Value &Json, Initialize &Result, Path Path) {
  const Object *O = Json.getAsObject();
  if (!O) {
    Path.report("expected object");
    return false;
  }
  Result.Capabilities = readClient(O->getObject("capabilities"));
  Result.ProcessId = O->getInteger("processId");
  if (const Value *Options = O->get("initializationOptions"))
    Result.Options = *Options;
  if (const Object *Given = Result.Options.getAsObject())
    if (const llvm::json::Array *Commands = Given->getArray("clientCommands"))
      for (const Value &Command : *Commands)
        Result.Capabilities.Commands.push_back(Command.getAsString().value_or("").str());
  if (const llvm::json::Array *Folders = O->getArray("workspaceFolders")) {
    for (const Value &Folder : *Folders)
      if (const Object *F = Folder.getAsObject())
        Result.Folders.push_back(F->getString("uri").value_or("").str());
  } else if (auto Root = O->getString("rootUri")) {
    Result.Folders.push_back(Root->str());
  }
  return true;
}

static bool readUri(const Value &Json, llvm::lsp::URIForFile &Uri, Path Path) {
  // The library's fromJSON logs and reports; it wants a text.
  return llvm::lsp::fromJSON(Json, Uri, Path) && Uri;
}

/// The document an object speaks of; null if it speaks of none.
static const Value *findUri(const Object &O) {
  const Object *Document = O.getObject("textDocument");
  return Document ? Document->get("uri") : O.get("uri");
}

static bool readDetails(const Object &O, DocumentQuery &Result, Path Path) {
  Result.Model = O.getString("model").value_or("").lower();
  Result.Index = O.getInteger("index");
  Result.Fix = O.getString("fix").value_or("").str();
  Result.Aim = O.getString("aim").value_or("").str();
  Result.Wait = O.getBoolean("wait").value_or(false);
  if (const Value *Position = O.get("position")) {
    llvm::lsp::Position P;
    if (!llvm::lsp::fromJSON(*Position, P, Path.field("position")))
      return false;
    Result.Position = toPosition(P);
  }
  return true;
}

bool fromJSON(const Value &Json, DocumentQuery &Result, Path Path) {
  const Object *O = Json.getAsObject();
  const Value *Uri = O ? findUri(*O) : nullptr;
  if (!Uri) {
    Path.report("expected an object with 'textDocument' or 'uri'");
    return false;
  }
  return readUri(*Uri, Result.Uri, Path.field("uri")) && readDetails(*O, Result, Path);
}

bool fromJSON(const Value &Json, CodeActionQuery &Result, Path Path) {
  const Object *O = Json.getAsObject();
  const Value *Uri = O ? findUri(*O) : nullptr;
  const Value *Range = O ? O->get("range") : nullptr;
  llvm::lsp::Range Asked;
  if (!Uri || !Range || !readUri(*Uri, Result.Uri, Path.field("textDocument")) ||
      !llvm::lsp::fromJSON(*Range, Asked, Path.field("range"))) {
    Path.report("expected an object with 'textDocument' and 'range'");
    return false;
  }
  Result.Range = {toPosition(Asked.start), toPosition(Asked.end)};
  const Object *Context = O->getObject("context");
  if (const llvm::json::Array *Given = Context ? Context->getArray("diagnostics") : nullptr)
    Result.Diagnostics = *Given;
  if (const llvm::json::Array *Only = Context ? Context->getArray("only") : nullptr)
    for (const Value &Kind : *Only)
      Result.Only.push_back(Kind.getAsString().value_or("").str());
  return true;
}

bool fromJSON(const Value &Json, ExecuteCommand &Result, Path Path) {
  llvm::json::ObjectMapper O(Json, Path);
  if (!O || !O.map("command", Result.Command))
    return false;
  if (const Value *Token = Json.getAsObject()->get("workDoneToken"))
    Result.Token = *Token;
  const llvm::json::Array *Arguments = Json.getAsObject()->getArray("arguments");
  if (!Arguments || Arguments->empty())
    return true;
  const Value &First = Arguments->front();
  const auto At = Path.field("arguments").index(0);
  if (const Object *Named = First.getAsObject()) {
    Result.HasUri = findUri(*Named);
    return Result.HasUri ? fromJSON(First, Result.Query, At) : readDetails(*Named, Result.Query, At);
  }
  if (Arguments->size() > 1)
    Result.Query.Model = (*Arguments)[1].getAsString().value_or("").lower();
  Result.HasUri = First.kind() != Value::Null;
  return !Result.HasUri || readUri(First, Result.Query.Uri, At);
}

TextPosition toPosition(const llvm::lsp::Position &P) {
  return {static_cast<uint32_t>(std::max(0, P.line)), static_cast<uint32_t>(std::max(0, P.character))};
}

} // namespace picket::lsptypes

namespace picket {

using llvm::json::Object;
using llvm::json::Value;

static Value toJSON(const TextPosition &P) { return Object{{"line", P.Line}, {"character", P.Column}}; }

Value toJSON(const TextRange &Range) { return Object{{"start", toJSON(Range.Start)}, {"end", toJSON(Range.End)}}; }

llvm::Error failed(const std::string &Message, llvm::lsp::ErrorCode Code) {
  return llvm::make_error<llvm::lsp::LSPError>(llvm::json::fixUTF8(Message), Code);
}

} // namespace picket
