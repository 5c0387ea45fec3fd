// A worker's search for fixes, told in the words of an editor.
#include "fences/Relax.h"
#include "fences/TextDiff.h"
#include "lsp/Fixes.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using llvm::StringRef;

namespace picket {

namespace {

OfferedChange changeOf(const SourceChange &Change, const std::string &Checked) {
  OfferedChange Result{describe(Change, Checked), OfferedChange::Kind::Fence, {}, {}};
  if (const auto *New = std::get_if<InsertFence>(&Change)) {
    Result.Earlier = New->Earlier;
    Result.Later = New->Later;
  } else if (std::holds_alternative<ChangeOrder>(Change)) {
    Result.What = OfferedChange::Kind::Order;
    Result.Earlier = Result.Later = locationOf(Change);
  } else {
    Result.What = OfferedChange::Kind::Removal;
    Result.Earlier = Result.Later = std::get<RemoveFence>(Change).Fence;
  }
  return Result;
}

class Search {
public:
  Search(const FixQuestion &Question, const CompileRequest &Text, const Settings &Asked)
      : Question(Question), Text(Text), Unroll(Asked.Unroll) {
    Settings Own = Asked;
    Own.Models = Question.Models;
    Options.Check = checkOptionsOf(Own);
    Options.Scope.FixIn = Asked.FixIn;
    Options.Scope.NotIn = Asked.NotIn;
    Options.Check.Samples = false;
    Options.Check.MostWitnesses = 0;
    Options.Check.TimeoutSeconds = 0;
    // As much as a check of all these models may take.
    Options.TimeoutSeconds = Asked.TimeoutSeconds * static_cast<double>(Question.Models.size());
  }

  FixAnswer run() {
    FixAnswer Answer;
    Answer.Asked = Question;
    if (Question.What == FixQuestion::Aim::Relax)
      weaken(Answer);
    else
      fix(Answer);
    return Answer;
  }

private:
  void fix(FixAnswer &Answer) {
    const bool Robust = Question.What == FixQuestion::Aim::Robust;
    if (Robust)
      Options.Aim = [this](const CheckOptions &Check, Thoroughness) {
        return robustChecker(Text.File, Check, nullptr);
      };
    const FixReport Report = findFixes(Text, Options);
    Answer.What = Report.What;
    Answer.Reason = Report.Reason;
    if (!Report.Texts.empty())
      Text.Unsaved = Report.Texts;
    for (const Fix &F : Report.Fixes)
      add(Answer, F, Robust ? robustTitle(F) : titleOf(F, Unroll));
  }

  /// "Make the program robust under TSO (2 fences, verified up to 8 iterations, minimal)"
  std::string robustTitle(const Fix &F) const {
    const auto Fences =
        static_cast<size_t>(std::count_if(F.Changes.begin(), F.Changes.end(), [](const SourceChange &C) {
          return std::holds_alternative<InsertFence>(C);
        }));
    const size_t Orders = F.Changes.size() - Fences;
    std::vector<std::string> Parts;
    if (Fences)
      Parts.push_back(std::to_string(Fences) + (Fences == 1 ? " fence" : " fences"));
    if (Orders)
      Parts.push_back(std::to_string(Orders) + (Orders == 1 ? " memory order" : " memory orders"));
    return "Make the program robust under " + titlesOf(Question.Models) + " (" + listed(Parts) + ", verified" +
           (F.isBounded() ? " up to " + std::to_string(Unroll) + " iterations" : "") + (F.Minimal ? ", minimal" : "") +
           aboutTest(F) + ")";
  }

  /// False: a file that is not UTF-8, which an editor may see with other eyes.
  bool add(FixAnswer &Answer, const Fix &F, std::string Title) const {
    FixOffer Offer{std::move(Title), modelsChecked(F.Models), {}, F.Edits, {}};
    for (const SourceChange &Change : F.Changes)
      Offer.Changes.push_back(changeOf(Change, Text.File));
    for (const TextEdit &E : F.Edits) {
      if (Offer.Before.count(E.File))
        continue;
      const std::string Before = textOf(Text, E.File);
      if (!llvm::json::isUTF8(Before)) {
        Answer.Reason = "the text of " + E.File + " is not UTF-8";
        return false;
      }
      Offer.Before[E.File] = digestOf(Before);
    }
    Answer.Offers.push_back(std::move(Offer));
    return true;
  }

  /// What was shown for all weakenings together is shown for each of them on its own.
  bool provedAlone(Fix &F) const {
    CompileRequest Edited = Text;
    for (auto &[File, NewText] : editedTexts(Text, F.Edits))
      Edited.Unsaved[File] = NewText;
    CheckOptions Check = Options.Check;
    Check.TimeoutSeconds = Options.TimeoutSeconds;
    TargetPrograms Programs(textToCheck(Edited, Check));
    F.Models = checkPrograms(Text.File, Programs, Check).Models;
    return std::all_of(F.Models.begin(), F.Models.end(), [](const ModelReport &M) {
      return M.Skipped || M.Result == Verdict::Verified || M.Result == Verdict::Bounded;
    });
  }

  void weaken(FixAnswer &Answer) {
    const RelaxReport Report = relax(Text, Options);
    Answer.What = Report.What;
    Answer.Reason = Report.Reason;
    if (!Report.Texts.empty())
      Text.Unsaved = Report.Texts;
    if (Report.Weaker.size() > 1) {
      Fix All;
      for (const Weakening &W : Report.Weaker)
        All.Changes.push_back(W.Change);
      All.Edits = Report.Edits;
      All.Models = Report.Models;
      add(Answer, All, titleOf(All, Unroll));
    }
    for (const Weakening &W : Report.Weaker) {
      Fix One;
      One.Changes = {W.Change};
      One.Edits = W.Edits;
      int64_t Offer = -1;
      if (provedAlone(One) && add(Answer, One, titleOf(One, Unroll)))
        Offer = static_cast<int64_t>(Answer.Offers.size()) - 1;
      Answer.Hints.push_back(hintOf(W, Offer));
    }
    for (const Weakening &W : Report.Unwritten)
      Answer.Hints.push_back(hintOf(W, -1));
  }

  static FixHint hintOf(const Weakening &W, int64_t Offer) { return {W.Where, W.Sentence, Offer}; }

  const FixQuestion &Question;
  CompileRequest Text; // with the texts that edits are good for
  const unsigned Unroll;
  FixOptions Options;
};

} // namespace

FixAnswer answerTo(const FixQuestion &Question, const CompileRequest &Text, const Settings &Options) {
  return Search(Question, Text, Options).run();
}

} // namespace picket
