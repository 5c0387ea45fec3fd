// Fixes as the protocol's JSON: code actions, workspace edits, and what a panel shows of them.
#pragma once

#include "lsp/Presentation.h"

namespace picket {

/// A fix as it is offered for a document.
struct ShownOffer {
  const FixOffer *Offer;
  const FixAnswer *Answer;
  std::string Title; // "Fix all models: ..." where another one is for a single model
  std::string Id;
  bool Preferred;
};

/// All that were proved and still fit the texts, the best first, each once.
std::vector<ShownOffer> offersOf(const DocumentStatus &Status, FixQuestion::Aim What, const EditorContext &Context);

/// The WorkspaceEdit; nothing if one of the texts is another one by now.
std::optional<llvm::json::Object> editOf(const FixOffer &Offer, const EditorContext &Context);

/// The answer to textDocument/codeAction. What is not proved yet is offered without its edit, to be resolved.
llvm::json::Array actionsOf(const DocumentStatus &Status, const lsptypes::CodeActionQuery &Query,
                            const EditorContext &Context);

/// The answer to picket/fixes: docs/lsp-extensions.md.
llvm::json::Value fixesOf(const DocumentStatus &Status, const EditorContext &Context);

/// The part of the status that is about fixes.
llvm::json::Object fixesStatus(const DocumentStatus &Status, const EditorContext &Context);

/// Names an offer: the same edits have the same id.
std::string idOf(const FixOffer &Offer);

/// Why there is no fix, as a sentence without a full stop.
std::string whyNot(const FixAnswer &Answer);

} // namespace picket
