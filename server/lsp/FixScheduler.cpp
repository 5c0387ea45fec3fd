#include "lsp/FixScheduler.h"

#include <algorithm>
#include <cassert>

namespace picket {

/// At the same time, beside the checks: one by itself, and one that somebody waits for.
constexpr size_t MostSearches = 1, MostWithWaiters = 2;

FixScheduler::OpenQuestions &FixScheduler::of(const std::string &File) {
  auto [At, New] = ByFile.try_emplace(File);
  if (New)
    At->second.Generation = ++NextGeneration; // no search of an earlier document of that name has it
  return At->second;
}

void FixScheduler::end(OpenQuestion &Question, CheckEnd How) {
  for (Waiter &Tell : Question.Waiters)
    News.EndedWaits.push_back(
        {[Tell = std::move(Tell), Asked = Question.Question](CheckEnd End) { Tell(End, Asked); }, How});
  Question.Waiters.clear();
}

void FixScheduler::ask(DocumentStatus &Status, FixQuestion Question, Waiter Done) {
  if (Status.answerTo(Question)) {
    OpenQuestion Answered{std::move(Question), {}};
    if (Done)
      Answered.Waiters.push_back(std::move(Done));
    return end(Answered, CheckEnd::Finished);
  }
  std::vector<OpenQuestion> &Open = of(Status.File).Questions;
  auto Same = std::find_if(Open.begin(), Open.end(), [&](const OpenQuestion &Q) { return Q.Question == Question; });
  if (Same == Open.end()) {
    Open.push_back({std::move(Question), {}});
    Same = Open.end() - 1;
  }
  if (Done)
    Same->Waiters.push_back(std::move(Done));
  if (!Status.Searching)
    News.FixesOf.push_back(Status.File);
  Status.Searching = true;
}

void FixScheduler::plan(DocumentStatus &Status) {
  for (FixQuestion &Question : questionsAbout(*Status.Result, Status.Options))
    ask(Status, std::move(Question), {});
}

void FixScheduler::cancel(DocumentStatus &Status, CheckEnd Why) {
  OpenQuestions &Open = of(Status.File);
  Open.Generation = ++NextGeneration;
  for (OpenQuestion &Q : Open.Questions)
    end(Q, Why);
  Open.Questions.clear();
  Status.Searching = false;
  News.FixesOf.push_back(Status.File);
}

void FixScheduler::forget(DocumentStatus &Status, CheckEnd Why) {
  if (!hasQuestions(Status.File) && Status.Fixes.empty())
    return;
  cancel(Status, Why);
  Status.Fixes.clear();
}

void FixScheduler::close(DocumentStatus &Status) {
  forget(Status, CheckEnd::Closed);
  ByFile.erase(Status.File);
}

void FixScheduler::restart(DocumentStatus &Status) {
  Status.Fixes.clear();
  OpenQuestions &Open = of(Status.File);
  Open.Generation = ++NextGeneration;
  for (OpenQuestion &Q : Open.Questions)
    Q.Running = false;
}

std::optional<FixScheduler::Search> FixScheduler::next(size_t Running) const {
  const OpenQuestion *Next = nullptr;
  Search Found;
  for (const auto &[File, Open] : ByFile)
    for (const OpenQuestion &Q : Open.Questions)
      if (!Q.Running && (!Next || Next->Waiters.empty() > Q.Waiters.empty())) {
        Next = &Q;
        Found = {File, Q.Question, Open.Generation};
      }
  if (!Next || Running >= (Next->Waiters.empty() ? MostSearches : MostWithWaiters))
    return std::nullopt;
  return Found;
}

void FixScheduler::begin(const Search &S) {
  OpenQuestions &Open = of(S.File);
  auto At = std::find_if(Open.Questions.begin(), Open.Questions.end(),
                         [&](const OpenQuestion &Q) { return Q.Question == S.Question; });
  assert(Open.Generation == S.Generation && At != Open.Questions.end() && !At->Running && "a question is asked once");
  At->Running = true;
}

const FixScheduler::OpenQuestion *FixScheduler::questionOf(const Search &S) const {
  auto At = ByFile.find(S.File);
  if (At == ByFile.end() || At->second.Generation != S.Generation)
    return nullptr;
  for (const OpenQuestion &Q : At->second.Questions)
    if (Q.Running && Q.Question == S.Question)
      return &Q;
  return nullptr;
}

void FixScheduler::interrupt(const Search &S) {
  if (OpenQuestion *Question = questionOf(S))
    Question->Running = false;
}

bool FixScheduler::retry(const Search &S, unsigned Retries) {
  OpenQuestion *Question = questionOf(S);
  if (!Question || ++Question->Crashes > Retries)
    return false;
  Question->Running = false;
  return true;
}

void FixScheduler::answer(const Search &S, DocumentStatus &Status, FixAnswer Answer) {
  OpenQuestion *Question = questionOf(S);
  assert(Question && Status.File == S.File && "an answer about another text is dropped");
  assert(!Status.answerTo(S.Question) && "a question has one answer");
  Answer.Asked = S.Question; // whatever the worker says
  Status.Fixes.push_back(std::make_shared<FixAnswer>(std::move(Answer)));
  end(*Question, CheckEnd::Finished);
  std::vector<OpenQuestion> &Open = ByFile.find(S.File)->second.Questions;
  Open.erase(Open.begin() + (Question - Open.data()));
  Status.Searching = !Open.empty();
  News.FixesOf.push_back(S.File);
}

bool FixScheduler::hasQuestions(const std::string &File) const {
  auto At = ByFile.find(File);
  return At != ByFile.end() && !At->second.Questions.empty();
}

bool FixScheduler::isIdle() const {
  return std::all_of(ByFile.begin(), ByFile.end(), [](const auto &Entry) { return Entry.second.Questions.empty(); });
}

} // namespace picket
