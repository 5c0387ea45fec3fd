#include "lsp/CodeActions.h"

#include "DisplayPath.h"
#include "fences/TextDiff.h"

#include <algorithm>
#include <set>

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

namespace {

using Aim = FixQuestion::Aim;

bool fits(const FixOffer &Offer, const EditorContext &Context) {
  return std::all_of(Offer.Before.begin(), Offer.Before.end(), [&](const auto &Entry) {
    const std::shared_ptr<const std::string> Text = Context.Text(Entry.first);
    return Text && digestOf(*Text) == Entry.second;
  });
}

bool overlap(const TextRange &A, const TextRange &B) {
  auto Before = [](TextPosition P, TextPosition Q) {
    return P.Line < Q.Line || (P.Line == Q.Line && P.Column < Q.Column);
  };
  return !Before(A.End, B.Start) && !Before(B.End, A.Start);
}

TextRange readRange(const Object &Diagnostic) {
  llvm::lsp::Range Range;
  llvm::json::Path::Root Root;
  const Value *Json = Diagnostic.get("range");
  if (!Json || !llvm::lsp::fromJSON(*Json, Range, Root))
    return {};
  return {lsptypes::toPosition(Range.start), lsptypes::toPosition(Range.end)};
}

/// Kinds are a hierarchy: who asks for "quickfix" gets all of them, who asks for "refactor" none.
bool wantsQuickFixes(const std::vector<std::string> &Only) {
  return Only.empty() || std::any_of(Only.begin(), Only.end(),
                                     [](const std::string &Kind) { return Kind.empty() || Kind == "quickfix"; });
}

/// The client's own copies of diagnostics, where it sent them.
Array theClients(const std::vector<Object> &Ours, const Array &Theirs) {
  Array Result;
  for (const Object &One : Ours) {
    const Object *Same = nullptr;
    for (const Value &Given : Theirs)
      if (const Object *O = Given.getAsObject(); O && O->getString("source") == "picket" &&
                                                 readRange(*O) == readRange(One) &&
                                                 O->getString("message") == One.getString("message"))
        Same = O;
    Result.push_back(Object(Same ? *Same : One));
  }
  return Result;
}

class Actions {
public:
  Actions(const DocumentStatus &Status, const lsptypes::CodeActionQuery &Query, const EditorContext &Context)
      : Status(Status), Query(Query), Context(Context),
        File(Query.Uri.file().empty() ? Status.File : Query.Uri.file().str()) {}

  Array run() {
    for (Aim What : {Aim::NoBug, Aim::Robust})
      if (std::vector<Object> Here = findings(What); !Here.empty())
        add(What, Here);
    for (const std::shared_ptr<const FixAnswer> &Answer : Status.Fixes)
      addHints(*Answer);
    return std::move(Result);
  }

private:
  /// The diagnostics at the place that fixes with this aim are about.
  std::vector<Object> findings(Aim What) const {
    std::vector<Object> Here;
    auto Add = [&](const Finding &F, Object Diagnostic) {
      const bool Fits = What == Aim::NoBug ? F.Level == Severity::Error : F.is(OtherFinding::NotRobust);
      if (Fits && overlap(readRange(Diagnostic), Query.Range))
        Here.push_back(std::move(Diagnostic));
    };
    if (File == Status.File)
      for (const Finding &F : Status.Result->Findings)
        Add(F, diagnosticOf(F, Status, Context));
    else
      for (OtherDiagnostic &Other : diagnosticsElsewhere(Status, Context))
        if (Other.File == File)
          Add(*Other.Of, std::move(Other.Diagnostic));
    return Here;
  }

  void add(Aim What, const std::vector<Object> &For) {
    const std::vector<ShownOffer> Offers = offersOf(Status, What, Context);
    for (const ShownOffer &Shown : Offers)
      addOffer(*Shown.Offer, Shown.Title, Shown.Id, Shown.Preferred, For);
    if (!Offers.empty())
      return;
    Settings Any = Status.Options;
    Any.Fixes = true;
    const std::vector<FixQuestion> Questions = questionsAbout(*Status.Result, Any);
    auto Asked = std::find_if(Questions.begin(), Questions.end(), [&](const FixQuestion &Q) { return Q.What == What; });
    if (Asked == Questions.end())
      return addDisabled(What, "this also happens under sequential consistency: no fence can prevent it", For);
    if (const FixAnswer *Answer = Status.answerTo(*Asked))
      return addDisabled(What, whyNot(*Answer), For);
    addUnproved(What, For);
  }

  static const char *titleFor(Aim What) { return What == Aim::Robust ? "Make the program robust" : "Add fences"; }

  Object action(std::string Title, const std::vector<Object> &For) const {
    return Object{
        {"title", std::move(Title)}, {"kind", "quickfix"}, {"diagnostics", theClients(For, Query.Diagnostics)}};
  }

  void addOffer(const FixOffer &Offer, const std::string &Title, const std::string &Id, bool Preferred,
                const std::vector<Object> &For) {
    if (!Context.Client.ActionLiterals)
      return addCommand(Title, Object{{"uri", Context.Uri(Status.File)}, {"fix", Id}});
    std::optional<Object> Edit = editOf(Offer, Context);
    if (!Edit)
      return;
    Object New = action(fixUTF8(Title), For);
    if (Preferred && Context.Client.PreferredActions)
      New["isPreferred"] = true;
    New["edit"] = std::move(*Edit);
    Result.push_back(std::move(New));
  }

  void addCommand(const std::string &Title, Object Argument) {
    Result.push_back(
        Object{{"title", fixUTF8(Title)}, {"command", "picket.addFences"}, {"arguments", Array{std::move(Argument)}}});
  }

  /// The proof is still going on, or was not asked for: whoever chooses this waits for it.
  void addUnproved(Aim What, const std::vector<Object> &For) {
    const std::string Title = std::string(titleFor(What)) + "\u2026";
    Object Argument{{"uri", Context.Uri(Status.File)}, {"aim", nameOf(What)}};
    if (!Context.Client.ActionLiterals)
      return addCommand(Title, std::move(Argument));
    Object New = action(Title, For);
    if (Context.Client.ResolveActions) {
      Argument["version"] = Status.Version;
      New["data"] = std::move(Argument);
    } else {
      New["command"] =
          Object{{"title", Title}, {"command", "picket.addFences"}, {"arguments", Array{std::move(Argument)}}};
    }
    Result.push_back(std::move(New));
  }

  void addDisabled(Aim What, const std::string &Reason, const std::vector<Object> &For) {
    if (!Context.Client.ActionLiterals || !Context.Client.DisabledActions)
      return;
    Object New = action(titleFor(What), For);
    New["disabled"] = Object{{"reason", fixUTF8(Reason)}};
    Result.push_back(std::move(New));
  }

  /// For each that is not needed its own edit, and then all of them together.
  void addHints(const FixAnswer &Answer) {
    std::vector<Object> Here;
    for (const FixHint &Hint : Answer.Hints) {
      if (Hint.Where.File != Status.File || File != Status.File)
        continue;
      Object Diagnostic = diagnosticOf(Hint, Status, Context);
      if (!overlap(readRange(Diagnostic), Query.Range))
        continue;
      if (Hint.Offer >= 0) {
        const FixOffer &Own = Answer.Offers[static_cast<size_t>(Hint.Offer)];
        if (fits(Own, Context))
          addOffer(Own, Own.Title, idOf(Own), /*Preferred=*/true, {Diagnostic});
      }
      Here.push_back(std::move(Diagnostic));
    }
    if (Here.empty() || Answer.Offers.empty() || Answer.Offers.front().Changes.size() < 2)
      return;
    const FixOffer &All = Answer.Offers.front();
    if (fits(All, Context))
      addOffer(All, All.Title, idOf(All), /*Preferred=*/false, Here);
  }

  const DocumentStatus &Status;
  const lsptypes::CodeActionQuery &Query;
  const EditorContext &Context;
  const std::string File; // in which they are asked for: the program's, or one that it uses
  Array Result;
};

Object locationOf(const SourceLocation &Where) {
  return Object{{"file", fixUTF8(Where.File)}, {"line", Where.Line}, {"column", Where.Column}};
}

std::string diffOf(const FixOffer &Offer, const std::string &File, const EditorContext &Context) {
  std::string Diff;
  for (const auto &[Name, Digest] : Offer.Before) {
    std::vector<TextEdit> Own;
    std::copy_if(Offer.Edits.begin(), Offer.Edits.end(), std::back_inserter(Own),
                 [&, &Name = Name](const TextEdit &E) { return E.File == Name; });
    if (std::shared_ptr<const std::string> Text = Context.Text(Name))
      Diff += unifiedDiff(displayPath(Name, File), *Text, applyEdits(*Text, Own));
  }
  return Diff;
}

} // namespace

std::string idOf(const FixOffer &Offer) {
  std::string All;
  for (const TextEdit &E : Offer.Edits)
    All += E.File + '\0' + std::to_string(E.Begin) + ' ' + std::to_string(E.End) + '\0' + E.Text + '\0';
  return digestOf(All);
}

std::vector<ShownOffer> offersOf(const DocumentStatus &Status, Aim What, const EditorContext &Context) {
  std::vector<const FixAnswer *> Answers;
  for (const std::shared_ptr<const FixAnswer> &Answer : Status.Fixes)
    if (Answer->Asked.What == What)
      Answers.push_back(Answer.get());
  // What works for most models comes first.
  std::stable_sort(Answers.begin(), Answers.end(), [](const FixAnswer *A, const FixAnswer *B) {
    return A->Asked.Models.size() > B->Asked.Models.size();
  });
  std::vector<ShownOffer> Result;
  std::set<std::string> Known;
  for (const FixAnswer *Answer : Answers)
    for (const FixOffer &Offer : Answer->Offers)
      if (std::string Id = idOf(Offer); fits(Offer, Context) && Known.insert(Id).second)
        Result.push_back({&Offer, Answer, Offer.Title, std::move(Id), Result.empty()});
  const bool Several = !Result.empty() && Result.back().Answer != Result.front().Answer;
  for (ShownOffer &Shown : Result)
    if (Several && What == Aim::NoBug && Shown.Answer == Result.front().Answer && !Shown.Title.empty())
      Shown.Title =
          "Fix all models: " + std::string(1, static_cast<char>(std::tolower(Shown.Title[0]))) + Shown.Title.substr(1);
  return Result;
}

std::optional<Object> editOf(const FixOffer &Offer, const EditorContext &Context) {
  if (!fits(Offer, Context))
    return std::nullopt;
  Array DocumentChanges;
  Object Changes;
  for (const auto &[File, Digest] : Offer.Before) {
    const std::shared_ptr<const std::string> Text = Context.Text(File);
    Array Edits;
    for (const TextEdit &E : Offer.Edits)
      if (E.File == File)
        Edits.push_back(Object{{"range", toJSON(TextRange{positionOf(*Text, E.Begin, Context.Client.Encoding),
                                                          positionOf(*Text, E.End, Context.Client.Encoding)})},
                               {"newText", E.Text}});
    const std::optional<int64_t> Version = Context.Version(File);
    if (Context.Client.DocumentChanges)
      DocumentChanges.push_back(Object{
          {"textDocument", Object{{"uri", Context.Uri(File)}, {"version", Version ? Value(*Version) : Value(nullptr)}}},
          {"edits", std::move(Edits)}});
    else
      Changes[Context.Uri(File)] = std::move(Edits);
  }
  if (Context.Client.DocumentChanges)
    return Object{{"documentChanges", std::move(DocumentChanges)}};
  return Object{{"changes", std::move(Changes)}};
}

Array actionsOf(const DocumentStatus &Status, const lsptypes::CodeActionQuery &Query, const EditorContext &Context) {
  if (!Status.isUsable() || !Status.Result->Compiled || !wantsQuickFixes(Query.Only))
    return {};
  return Actions(Status, Query, Context).run();
}

std::string whyNot(const FixAnswer &Answer) {
  const bool Relax = Answer.Asked.What == Aim::Relax;
  using Outcome = EditOutcome;
  if (Answer.What == Outcome::NothingToDo)
    return Relax ? Answer.Reason : "there is nothing to fix";
  const std::string Begin = Answer.What == Outcome::Refused  ? Relax ? "nothing can be weakened" : "cannot be fixed"
                            : Answer.What == Outcome::GaveUp ? Relax ? "inconclusive" : "no fix found"
                                                             : "cannot be checked";
  return Begin + (Answer.Reason.empty() ? "" : ": " + Answer.Reason);
}

Object fixesStatus(const DocumentStatus &Status, const EditorContext &Context) {
  int64_t Hints = 0;
  std::string Reason;
  for (const std::shared_ptr<const FixAnswer> &Answer : Status.Fixes) {
    Hints += static_cast<int64_t>(Answer->Hints.size());
    if (Answer->Asked.What == Aim::NoBug && !Answer->isFixed() && Reason.empty())
      Reason = whyNot(*Answer);
  }
  const auto Offers = static_cast<int64_t>(offersOf(Status, Aim::NoBug, Context).size());
  return Object{
      {"searching", Status.Searching}, {"offers", Offers}, {"hints", Hints}, {"reason", Offers ? "" : fixUTF8(Reason)}};
}

Value fixesOf(const DocumentStatus &Status, const EditorContext &Context) {
  Array Fixes;
  for (Aim What : {Aim::NoBug, Aim::Robust})
    for (const ShownOffer &Shown : offersOf(Status, What, Context)) {
      Array Changes;
      for (const OfferedChange &C : Shown.Offer->Changes)
        Changes.push_back(Object{{"text", fixUTF8(C.Text)},
                                 {"kind", nameOf(C.What)},
                                 {"earlier", locationOf(C.Earlier)},
                                 {"later", locationOf(C.Later)}});
      Object One{{"id", Shown.Id},
                 {"aim", nameOf(What)},
                 {"title", fixUTF8(Shown.Title)},
                 {"models", modelsJson(Shown.Offer->Models)},
                 {"preferred", Shown.Preferred},
                 {"changes", std::move(Changes)},
                 {"diff", fixUTF8(diffOf(*Shown.Offer, Status.File, Context))}};
      if (std::optional<Object> Edit = editOf(*Shown.Offer, Context))
        One["edit"] = std::move(*Edit);
      Fixes.push_back(std::move(One));
    }
  Object Result = fixesStatus(Status, Context);
  Result["uri"] = Context.Uri(Status.File);
  Result["version"] = Status.Version;
  Result["fixes"] = std::move(Fixes);
  return Result;
}

} // namespace picket
