// Fixes in the editor: code actions, the commands that add and remove fences, and picket/fixes.
#include "lsp/CodeActions.h"
#include "lsp/LanguageServer.h"

using llvm::StringRef;
using llvm::json::Object;
using llvm::json::Value;
using llvm::lsp::ErrorCode;

namespace picket {

void LanguageServer::codeAction(const lsptypes::CodeActionQuery &Params, Reply Answer) {
  std::optional<DocumentStatus> Status = Service->status(Params.Uri.file().str());
  if (!Status)
    return Answer(nullptr);
  llvm::json::Array All = actionsOf(*Status, Params, editorContext());
  for (const DocumentStatus &Program : programsWith(Status->File))
    for (Value &Action : actionsOf(Program, Params, editorContext()))
      All.push_back(std::move(Action));
  Answer(std::move(All));
}

void LanguageServer::withFixes(const std::string &File, FixQuestion Question, uint64_t Number,
                               std::function<void(const DocumentStatus &, const FixAnswer &)> Then) {
  const bool Started = Service->fix(
      File, std::move(Question), [=, this, Then = std::move(Then)](CheckEnd End, const FixQuestion &Asked) {
        std::optional<DocumentStatus> Status = Service->status(File);
        const FixAnswer *Found = Status ? Status->answerTo(Asked) : nullptr;
        if (End == CheckEnd::Cancelled)
          answer(Number, failed("the search for fixes was cancelled", ErrorCode::RequestCancelled));
        else if (End == CheckEnd::Closed || !Status)
          answer(Number, failed("the document was closed", ErrorCode::ContentModified));
        else if (End == CheckEnd::Edited || !Found)
          answer(Number, failed("the text was edited meanwhile", ErrorCode::ContentModified));
        else
          Then(*Status, *Found);
      });
  if (!Started)
    answer(Number, failed("this is not an open C document", ErrorCode::InvalidParams));
}

/// The action that was offered without an edit gets one once it is proved.
void LanguageServer::resolveAction(const Any &Params, Reply Answer) {
  const Object *Action = Params.object();
  const Object *Data = Action ? Action->getObject("data") : nullptr;
  if (!Data)
    return Answer(Params.Json); // nothing is missing in it
  llvm::Expected<Query> About = llvm::lsp::MessageHandler::parse<Query>(Value(Object(*Data)), "data", "codeAction");
  if (!About)
    return Answer(About.takeError());
  const std::string File = About->Uri.file().str();
  std::optional<DocumentStatus> Status = Service->status(File);
  std::optional<FixQuestion::Aim> What = aimNamed(About->Aim);
  if (!Status || !What || Data->getInteger("version") != Status->Version)
    return Answer(failed("the text was edited meanwhile", ErrorCode::ContentModified));
  Settings Any = Status->Options;
  Any.Fixes = true;
  FixQuestion Question{*What, {}};
  if (Status->Current && Status->Result)
    for (const FixQuestion &Useful : questionsAbout(*Status->Result, Any))
      if (Question.Models.empty() && Useful.What == *What)
        Question = Useful;
  const uint64_t Number = wait(std::move(Answer));
  withFixes(File, Question, Number,
            [=, this, Resolved = Object(*Action)](const DocumentStatus &Now, const FixAnswer &Found) mutable {
              const EditorContext Context = editorContext();
              const std::vector<ShownOffer> Offers = offersOf(Now, *What, Context);
              if (Offers.empty())
                showMessage(InfoMessage, "Picket: " + whyNot(Found));
              else if (std::optional<Object> Edit = editOf(*Offers.front().Offer, Context))
                Resolved["edit"] = std::move(*Edit);
              answer(Number, Value(std::move(Resolved)));
            });
}

/// Answers immediately with what there is, or when the search has ended.
void LanguageServer::fixes(const Query &Params, Reply Answer) {
  const std::string File = Params.Uri.file().str();
  std::optional<DocumentStatus> Status = Service->status(File);
  if (!Status)
    return Answer(failed("the document is not open", ErrorCode::InvalidParams));
  if (!Params.Wait)
    return Answer(fixesOf(*Status, editorContext()));
  const uint64_t Number = wait(std::move(Answer), [this, File] { Service->cancelFixes(File); });
  withFixes(File, {FixQuestion::Aim::NoBug, {}}, Number,
            [=, this](const DocumentStatus &Now, const FixAnswer &) { answer(Number, fixesOf(Now, editorContext())); });
}

/// Applies the best fix, or the one that is named.
void LanguageServer::addFences(const std::string &File, const Query &Params, Reply Answer) {
  if (!Params.Fix.empty()) {
    std::optional<DocumentStatus> Status = Service->status(File);
    const EditorContext Context = editorContext();
    for (const std::shared_ptr<const FixAnswer> &Known : Status ? Status->Fixes : decltype(Status->Fixes)())
      for (const FixOffer &Offer : Known->Offers)
        if (idOf(Offer) == Params.Fix)
          return apply(wait(std::move(Answer)), Offer);
    return Answer(failed("the fix is for another version of the text", ErrorCode::ContentModified));
  }
  FixQuestion Question;
  Question.What = aimNamed(Params.Aim).value_or(FixQuestion::Aim::NoBug);
  if (!Params.Model.empty()) {
    SettingsLayer Given;
    if (std::string Wrong = set(Given, "models", {Params.Model}); !Wrong.empty())
      return Answer(failed(Wrong, ErrorCode::InvalidParams));
    Question.Models = *Given.Models;
  }
  const uint64_t Number = wait(std::move(Answer), [this, File] { Service->cancelFixes(File); });
  withFixes(File, Question, Number, [=, this](const DocumentStatus &, const FixAnswer &Found) {
    if (!Found.isFixed())
      return answer(Number, failed(whyNot(Found)));
    apply(Number, Found.Offers.front());
  });
}

void LanguageServer::apply(uint64_t Number, const FixOffer &Offer) {
  std::optional<Object> Edit = editOf(Offer, editorContext());
  if (!Edit)
    return answer(Number, failed("the text was edited meanwhile", ErrorCode::ContentModified));
  if (!Client.ApplyEdit)
    return answer(Number, Object{{"applied", false}, {"title", Offer.Title}, {"edit", std::move(*Edit)}});
  const std::string Id = nextId();
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Edits[Id] = {Number, Offer.Title};
  }
  ApplyEdit({Object{{"label", Offer.Title}, {"edit", std::move(*Edit)}}}, Id);
}

void LanguageServer::applied(const std::string &Id, bool Done) {
  Applying What;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    auto At = Edits.find(Id);
    if (At == Edits.end())
      return;
    What = std::move(At->second);
    Edits.erase(At);
  }
  if (Done)
    answer(What.Waiting, Object{{"applied", true}, {"title", What.Title}});
  else
    answer(What.Waiting, failed("the editor did not apply the change"));
}

/// Hints are told like findings, so the text has to be one that was checked.
void LanguageServer::relax(const std::string &File, Reply Answer) {
  const uint64_t Number = wait(std::move(Answer), [this, File] { Service->cancel(File); });
  auto Search = [this, File, Number] {
    withFixes(File, {FixQuestion::Aim::Relax, {}}, Number, [=, this](const DocumentStatus &, const FixAnswer &Found) {
      if (Found.Hints.empty() && Found.What != EditOutcome::NothingToDo)
        return answer(Number, failed(whyNot(Found)));
      Object Said{{"hints", static_cast<int64_t>(Found.Hints.size())}};
      if (Found.Hints.empty())
        Said["reason"] = whyNot(Found);
      answer(Number, std::move(Said));
    });
  };
  std::optional<DocumentStatus> Status = Service->status(File);
  if (Status && Status->Current && Status->State == CheckState::Done)
    return Search();
  const bool Started = Service->check(File, {}, [this, Search, Number](CheckEnd End) {
    if (End == CheckEnd::Finished)
      return Search();
    answer(Number, failed("the check was cancelled", ErrorCode::RequestCancelled));
  });
  if (!Started)
    answer(Number, failed("this is not an open C document", ErrorCode::InvalidParams));
}

/// New lenses, hints, and light bulbs: editors look for code actions again when there are diagnostics.
void LanguageServer::fixesChanged(const DocumentStatus &Status) {
  SendStatus({statusOf(Status, editorContext())});
  if (!Status.isUsable() || (Status.Fixes.empty() && Status.Searching))
    return;
  show(Status);
  if (Client.RefreshLenses)
    RefreshLenses({Value(nullptr)}, nextId());
}

} // namespace picket
