// An open document as it is now: its text, what a check found out about it, and how a running check gets on.
#pragma once

#include "CheckEstimate.h"
#include "lsp/Fixes.h"

namespace picket {

enum class CheckState : uint8_t {
  Unchecked, // nothing was asked yet
  Waiting,
  Checking,
  Done,
  Quiet,     // no `main`, no threads, or not C: left in peace
  Cancelled, // by the user
  Failed     // the checker crashed
};
const char *nameOf(CheckState S); // "unchecked", "waiting", ...

struct DocumentStatus {
  std::string File;
  int64_t Version = 0;
  std::shared_ptr<const std::string> Text;
  CheckState State = CheckState::Unchecked;
  std::shared_ptr<const Outcome> Result; // the last one; null if there is none
  bool Current = false;                  // Result is about this very text
  bool Partial = false;                  // Result has some models only: others are being checked, or were cancelled
  Settings Options;                      // those in force
  std::vector<SettingsProblem> Problems; // in the file's own comment
  struct Exploring {
    Progress Last; // of the model that told something last
    CheckEstimate All;
  };
  std::optional<Exploring> Running; // while Checking, from the first news on
  /// About this very text, whenever it was asked for.
  std::vector<std::shared_ptr<const FixAnswer>> Fixes;
  bool Searching = false; // for more of them

  /// Not open: it is checked, as it lies on the disk, for the sake of open files that it uses.
  bool Background = false;
  /// Of a file without `main`: the programs that use it. They are documents, too.
  std::vector<std::string> Programs;
  size_t MorePrograms = 0;    // that are not checked for it
  bool ProgramsKnown = false; // the workspace was read, and this is part of it

  /// Whether there are findings about this very text, be it of some models only.
  bool isUsable() const { return Result && Current && (State == CheckState::Done || Partial); }
  /// Null if it was not asked, or is not answered yet.
  const FixAnswer *answerTo(const FixQuestion &Question) const;
};

} // namespace picket
