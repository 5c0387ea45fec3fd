// The open documents, their settings, and which of them is to be checked next.
#pragma once

#include "lsp/FixScheduler.h"
#include "programs/ProgramIndex.h"
#include "settings/ProgramFiles.h"

#include <chrono>

namespace picket {

struct Document {
  DocumentStatus Status;
  bool IsC = true;         // otherwise it is kept for those that include it
  uint64_t Generation = 0; // of the text, and of what it includes: results for another one are dropped
  uint64_t PublishedGeneration = 0;
  uint64_t LastActive = 0; // greater: opened, changed or saved later
  std::optional<std::chrono::steady_clock::time_point> Due;
  bool Running = false;            // a worker checks it, or has not ended yet after a cancel
  std::vector<MemoryModel> Models; // asked for once
  std::vector<ProgramFile> Others; // of the program, as the settings name them
  std::vector<CheckWaiter> Waiters;
  unsigned Crashes = 0; // of workers, since the last result
};

/// What editors say about documents, and what follows for checks: when one is due, and which results still count. Runs no
/// check itself.
///
/// Each edit, and whatever else can change a result, gives the document a new generation. A check remembers the one that
/// it began with; `accept` drops a result of any other. So a result never overtakes a newer one, however late its worker
/// is.
///
/// Not thread-safe: the service's lock guards it. Pointers to documents are good until the next `open` or `close`.
class Documents {
public:
  using Clock = std::chrono::steady_clock;

  /// Both must outlive this. `Debounce`: from an edit to the check of the new text.
  Documents(std::chrono::milliseconds Debounce, FixScheduler &Fixes, PendingNews &News)
      : Debounce(Debounce), Fixes(Fixes), News(News) {}

  void open(const std::string &File, std::string Text, int64_t Version, bool IsC);
  /// Does nothing if the document is not open.
  void change(const std::string &File, int64_t Version, const std::function<void(std::string &)> &Edit);
  void save(const std::string &File);
  /// False: it was not open.
  bool close(const std::string &File);
  void configure(const SettingsLayer &Client);
  /// Open files without `main` are checked by the programs that use them: those that are not open are checked in the
  /// background from now on, and no longer if no open file needs them.
  void setPrograms(const std::function<ProgramIndex::Users(const std::string &File)> &UsersOf);
  /// What files include, or are compiled with, may have changed: what was found out for them no longer counts.
  void recheckAll();
  /// The check is due now, with these models if there are any; of a file without `main` those of the programs that use it.
  /// False: there is no such document, or it is not C.
  bool check(const std::string &File, std::vector<MemoryModel> Models, CheckWaiter Done);
  /// Cancels checks and searches for fixes of a document, or of all if `File` is empty. What is known stays.
  void cancel(const std::string &File);

  /// Null: it is not open.
  Document *find(const std::string &File);
  const Document *find(const std::string &File) const { return const_cast<Documents *>(this)->find(File); }
  /// Null: it is not open, or its text is another one by now.
  Document *find(const std::string &File, uint64_t Generation);
  std::vector<DocumentStatus> all() const;
  /// The C document that was opened, changed or saved last; empty if none is open.
  std::string lastActive() const;
  /// The texts of all documents: those on disk may be older.
  std::map<std::string, std::string> texts() const;

  /// Reads the settings again, from all the places that speak of the document.
  void resolve(Document &D);
  void schedule(Document &D, Clock::duration Delay = Clock::duration::zero());
  /// The document whose check has been due longest; null: none is.
  Document *nextDue(Clock::time_point Now);
  /// When the next check is due after `Now`, or was due before if `AlsoPast`.
  std::optional<Clock::time_point> nextDueTime(Clock::time_point Now, bool AlsoPast) const;
  /// A worker begins to check it.
  void begin(Document &D);
  /// The only way in which a result reaches a document. `End` is Checking for a result of some models, while the others
  /// are being checked. False: the document is closed or has another text by now, and nothing is changed.
  bool accept(const std::string &File, uint64_t Generation, std::shared_ptr<const Outcome> Result, CheckState End);

  /// No check is due or running.
  bool isIdle() const;

private:
  void openInBackground(const std::string &File);
  /// Calls `Do` for the documents whose programs a file is part of.
  template <typename Function> void forEachUser(const std::string &File, Function Do);
  void endWaits(Document &D, CheckEnd How) { News.end(D.Waiters, How); }

  const std::chrono::milliseconds Debounce;
  FixScheduler &Fixes;
  PendingNews &News;
  std::map<std::string, Document> ByFile;
  SettingsLayer Client; // what the editor's configuration says
  std::map<std::string, std::vector<SettingsProblem>> TomlProblems;
  uint64_t LastGeneration = 0, LastActive = 0;
};

} // namespace picket
