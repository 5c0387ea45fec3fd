// Fixes: which ones are looked for, when, and for how long their answers count.
#include "lsp/CheckService.h"

#include <algorithm>

namespace picket {

/// At the same time, beside the checks: one by itself, and one that somebody waits for.
constexpr size_t MostSearches = 1, MostWithWaiters = 2;

const FixAnswer *DocumentStatus::answerTo(const FixQuestion &Question) const {
  for (const std::shared_ptr<const FixAnswer> &Answer : Fixes)
    if (Answer->Asked == Question)
      return Answer.get();
  return nullptr;
}

/// What is not answered yet is not looked for any more.
void CheckService::forgetWishes(Document &D, CheckEnd Why) {
  D.FixGeneration = ++NextGeneration;
  for (FixWish &W : D.Wishes)
    for (FixWaiter &Tell : W.Waiters)
      Ended.emplace_back([Tell = std::move(Tell), Asked = W.Question](CheckEnd End) { Tell(End, Asked); }, Why);
  D.Wishes.clear();
  D.Status.Searching = false;
  FixNews.push_back(D.Status.File);
}

/// The text is another one, or what it includes, or what is asked of it.
void CheckService::forgetFixes(Document &D, CheckEnd Why) {
  if (D.Wishes.empty() && D.Status.Fixes.empty())
    return;
  forgetWishes(D, Why);
  D.Status.Fixes.clear();
}

/// A check found something new in the same text: what it includes may have changed on disk.
void CheckService::searchAgain(Document &D) {
  D.FixGeneration = ++NextGeneration;
  D.Status.Fixes.clear();
  for (FixWish &W : D.Wishes)
    W.Running = false;
}

void CheckService::wish(Document &D, FixQuestion Question, FixWaiter Done) {
  if (D.Status.answerTo(Question)) {
    if (Done)
      Ended.emplace_back([Done = std::move(Done), Question](CheckEnd End) { Done(End, Question); }, CheckEnd::Finished);
    return;
  }
  auto Same = std::find_if(D.Wishes.begin(), D.Wishes.end(), [&](const FixWish &W) { return W.Question == Question; });
  if (Same == D.Wishes.end()) {
    D.Wishes.push_back({std::move(Question), {}});
    Same = D.Wishes.end() - 1;
  }
  if (Done)
    Same->Waiters.push_back(std::move(Done));
  if (!D.Status.Searching)
    FixNews.push_back(D.Status.File);
  D.Status.Searching = true;
  Idle = false;
}

/// While some models are still being checked, what the others have found is enough to begin with.
void CheckService::planFixes(Document &D) {
  for (FixQuestion &Question : questionsAbout(*D.Status.Result, D.Status.Options))
    wish(D, std::move(Question), {});
}

/// Those that were checked last, if this text was.
static std::vector<MemoryModel> modelsOf(const DocumentStatus &Status) {
  std::vector<MemoryModel> Checked;
  if (Status.Current && Status.Result)
    for (const ModelOutcome &M : Status.Result->Models)
      if (!M.Skipped)
        Checked.push_back(M.Model);
  return Checked.empty() ? Status.Options.Models : Checked;
}

bool CheckService::fix(const std::string &File, FixQuestion Question, FixWaiter Done) {
  {
    std::lock_guard<std::mutex> Lock(M);
    auto At = Documents.find(File);
    if (At == Documents.end() || !At->second.IsC)
      return false;
    Document &D = At->second;
    resolve(D);
    if (Question.Models.empty())
      Question.Models = modelsOf(D.Status);
    if (Question.What == FixQuestion::Aim::Robust && Question.Models.size() > 1) // it is about store buffers
      std::erase_if(Question.Models, isExploredAsGraphs);
    wish(D, std::move(Question), std::move(Done));
  }
  wake();
  return true;
}

void CheckService::cancelFixes(const std::string &File) {
  {
    std::lock_guard<std::mutex> Lock(M);
    if (auto At = Documents.find(File); At != Documents.end() && !At->second.Wishes.empty())
      forgetWishes(At->second, CheckEnd::Cancelled);
  }
  wake();
}

/// Those that somebody waits for come first.
void CheckService::startFixes() {
  const auto Running = std::count_if(Runs.begin(), Runs.end(),
                                     [](const std::unique_ptr<Run> &R) { return !R->Over && R->Question.has_value(); });
  Document *Next = nullptr;
  FixWish *Wish = nullptr;
  for (auto &[File, D] : Documents)
    for (FixWish &W : D.Wishes)
      if (!W.Running && (!Wish || Wish->Waiters.empty() > W.Waiters.empty())) {
        Next = &D;
        Wish = &W;
      }
  if (!Wish || static_cast<size_t>(Running) >= (Wish->Waiters.empty() ? MostSearches : MostWithWaiters))
    return;
  std::unique_ptr<WorkerProcess> Worker = takeWorker();
  if (!Worker)
    return;
  auto R = std::make_unique<Run>();
  R->Worker = std::move(Worker);
  R->Id = ++NextRun;
  R->File = Next->Status.File;
  R->Generation = Next->FixGeneration;
  R->Question = Wish->Question;
  R->Options = Next->Status.Options;
  R->Options.Models = Wish->Question.Models;
  R->Start = R->LastHeard = Clock::now();
  setDeadline(*R, Fixed.CompileTime);
  WorkerRequest Request;
  Request.File = R->File;
  for (const auto &[Name, Other] : Documents)
    Request.Unsaved[Name] = *Other.Status.Text;
  Request.Options = R->Options;
  Request.Fix = R->Question;
  R->Worker->send(toLine(Request));
  Wish->Running = true;
  Runs.push_back(std::move(R));
}

CheckService::FixWish *CheckService::wishOf(const Run &R) {
  auto At = Documents.find(R.File);
  if (At == Documents.end() || At->second.FixGeneration != R.Generation)
    return nullptr;
  for (FixWish &W : At->second.Wishes)
    if (W.Running && W.Question == *R.Question)
      return &W;
  return nullptr;
}

/// An answer, whatever it is. Dropped if the text is another one by now.
void CheckService::fixFound(Run &R, FixAnswer Answer) {
  release(R);
  std::lock_guard<std::mutex> Lock(M);
  FixWish *Wish = wishOf(R);
  if (!Wish)
    return;
  Document &D = Documents.find(R.File)->second;
  D.Status.Fixes.push_back(std::make_shared<FixAnswer>(std::move(Answer)));
  for (FixWaiter &Tell : Wish->Waiters)
    Ended.emplace_back([Tell = std::move(Tell), Asked = Wish->Question](CheckEnd End) { Tell(End, Asked); },
                       CheckEnd::Finished);
  D.Wishes.erase(D.Wishes.begin() + (Wish - D.Wishes.data()));
  D.Status.Searching = !D.Wishes.empty();
  FixNews.push_back(R.File);
}

/// There is no worker any more, or it ran into a limit.
void CheckService::fixLost(Run &R, const std::string &Reason, unsigned Retries) {
  {
    std::lock_guard<std::mutex> Lock(M);
    if (FixWish *Wish = wishOf(R); Wish && ++Wish->Crashes <= Retries) {
      Wish->Running = false;
      R.Over = true;
      return;
    }
  }
  FixAnswer None;
  None.Asked = *R.Question;
  None.What = FixReport::Outcome::GaveUp;
  None.Reason = Reason;
  fixFound(R, std::move(None));
}

/// As for results: what is told is about the document as it is.
void CheckService::tellFixes(const std::string &File) {
  std::lock_guard<std::mutex> Telling(Publishing);
  if (std::optional<DocumentStatus> Status = status(File))
    Listener.fixesChanged(*Status);
}

} // namespace picket
