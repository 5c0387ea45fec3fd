// Parameters of the protocol that llvm/Support/LSP/Protocol.h lacks, in its style: a struct and a fromJSON that the
// library finds by its namespace.
#pragma once

#include "lsp/Positions.h"

#include "llvm/Support/LSP/Protocol.h"

namespace picket::lsptypes {

using llvm::json::Object;
using llvm::json::Path;
using llvm::json::Value;

/// Anything; what is read of it is looked up where it is used.
struct Any {
  Value Json = nullptr;
  const Object *object() const { return Json.getAsObject(); }
};
inline bool fromJSON(const Value &Json, Any &Result, Path) {
  Result.Json = Json;
  return true;
}
inline Value toJSON(const Any &A) { return A.Json; }

/// What the client can do.
struct Client {
  PositionEncoding Encoding = PositionEncoding::Utf16;
  bool RelatedInformation = false;
  bool WorkDoneProgress = false;
  bool ShowDocument = false;
  bool Configuration = false; // the server may ask for the configuration
  bool WatchFiles = false;    // by dynamic registration
  bool RefreshLenses = false;
  bool MarkdownHover = true;
  bool UnnecessaryTag = false;  // of diagnostics
  bool ActionLiterals = false;  // code actions that are more than commands
  bool ResolveActions = false;  // their edits may be asked for later
  bool DisabledActions = false; // those that say why they cannot be had
  bool PreferredActions = false;
  bool DocumentChanges = false;      // edits of a certain version
  bool ApplyEdit = false;            // the server may ask for an edit
  std::vector<std::string> Commands; // those it runs itself: see docs/lsp-extensions.md
};

/// The parts of the parameters of `initialize` that matter.
struct Initialize {
  Client Capabilities;
  std::optional<int64_t> ProcessId;
  Value Options = nullptr;
  std::vector<std::string> Folders; // URIs
};
bool fromJSON(const Value &Json, Initialize &Result, Path Path);

/// {"textDocument": {"uri"}}, or {"uri"} alone; a model, a position, a fix where they are asked for.
struct DocumentQuery {
  llvm::lsp::URIForFile Uri;
  std::string Model; // empty: not given
  std::optional<int64_t> Index;
  std::optional<TextPosition> Position;
  std::string Fix; // the id of one; empty: not given
  std::string Aim; // of fixes; empty: not given
  bool Wait = false;
};
bool fromJSON(const Value &Json, DocumentQuery &Result, Path Path);

/// Parameters of textDocument/codeAction.
struct CodeActionQuery {
  llvm::lsp::URIForFile Uri;
  TextRange Range;
  std::vector<std::string> Only; // kinds; empty: all
  llvm::json::Array Diagnostics; // those of the client at that place
};
bool fromJSON(const Value &Json, CodeActionQuery &Result, Path Path);

struct ExecuteCommand {
  std::string Command;
  DocumentQuery Query; // the arguments: [uri, model], or [{"uri", "model"}]; null for the uri is none
  bool HasUri = false;
  std::optional<Value> Token; // workDoneToken
};
bool fromJSON(const Value &Json, ExecuteCommand &Result, Path Path);

/// Positions that are no numbers, or negative ones, count as 0.
TextPosition toPosition(const llvm::lsp::Position &P);

} // namespace picket::lsptypes

namespace picket {

llvm::json::Value toJSON(const TextRange &Range);

/// The answer to a request that cannot be done.
llvm::Error failed(const std::string &Message, llvm::lsp::ErrorCode Code = llvm::lsp::ErrorCode::RequestFailed);

} // namespace picket
