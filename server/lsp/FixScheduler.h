// Fixes: which ones are looked for, in which order, and for how long their answers count.
#pragma once

#include "lsp/PendingNews.h"

namespace picket {

/// Questions about the fixes of documents, until each is answered. The same question is asked once, however many wait for
/// its answer; the answers are kept in the document's status. Does no searching itself: the service asks for the `next`
/// search and says what became of it.
///
/// A search is about one text. When the text, or what it includes, is another one, its questions are forgotten, and a
/// search that still runs is no longer wanted: its answer is dropped, however late it comes.
///
/// Not thread-safe: the service's lock guards it.
class FixScheduler {
public:
  using Waiter = std::function<void(CheckEnd, FixQuestion)>;

  /// A search that a worker is busy with, or is to begin.
  struct Search {
    std::string File;
    FixQuestion Question;
    uint64_t Generation = 0; // of what the fixes are about
  };

  /// `News` hears of ended waits, and of files whose fixes changed. It must outlive this.
  explicit FixScheduler(PendingNews &News) : News(News) {}

  /// `Done` (may be empty: nobody waits) hears of the end; the answer is then in the status. A question that is answered
  /// already ends immediately.
  void ask(DocumentStatus &Status, FixQuestion Question, Waiter Done);
  /// Asks what is useful after a result, be it of some models only.
  void plan(DocumentStatus &Status);

  /// Drops the questions of a document. What was found stays.
  void cancel(DocumentStatus &Status, CheckEnd Why);
  /// Drops questions and answers: the text is another one, or what it includes, or what is asked of it.
  void forget(DocumentStatus &Status, CheckEnd Why);
  /// The same, and the document is closed.
  void close(DocumentStatus &Status);
  /// Drops the answers and asks the open questions again: the same text gave another result.
  void restart(DocumentStatus &Status);

  /// The search to begin now, while `Running` others run; those that somebody waits for come first.
  std::optional<Search> next(size_t Running) const;
  void begin(const Search &S);
  /// Whether the answer would still count.
  bool isWanted(const Search &S) const { return questionOf(S) != nullptr; }
  /// The search was ended, for no fault of its own: it is begun again.
  void interrupt(const Search &S);
  /// The worker crashed. False: it has done so more than `Retries` times, and is not tried again.
  bool retry(const Search &S, unsigned Retries);
  /// An answer, whatever it is. The search must be wanted, and `Status` that of its file.
  void answer(const Search &S, DocumentStatus &Status, FixAnswer Answer);

  bool hasQuestions(const std::string &File) const;
  /// No document has a question.
  bool isIdle() const;

private:
  struct OpenQuestion {
    FixQuestion Question;
    std::vector<Waiter> Waiters; // none: nobody asked, it was found useful
    bool Running = false;
    unsigned Crashes = 0;
  };
  struct OpenQuestions {
    std::vector<OpenQuestion> Questions;
    uint64_t Generation = 0;
  };

  const OpenQuestion *questionOf(const Search &S) const;
  OpenQuestion *questionOf(const Search &S) { return const_cast<OpenQuestion *>(std::as_const(*this).questionOf(S)); }
  OpenQuestions &of(const std::string &File);
  void end(OpenQuestion &Question, CheckEnd How);

  PendingNews &News;
  std::map<std::string, OpenQuestions> ByFile;
  uint64_t NextGeneration = 0;
};

} // namespace picket
