// Changes of the text that were proved to make a program right, and those that it can do without: what a worker is asked
// to look for, and what it answers. Made by FixSearch.cpp; travels to the server as JSON (Fixes.cpp).
#pragma once

#include "fences/Fix.h"
#include "fences/SourceChange.h"
#include "lsp/Outcome.h"
#include "settings/Settings.h"

namespace picket {

struct FixQuestion {
  enum class Aim : uint8_t {
    NoBug,  // changes after which no check finds a bug
    Robust, // changes after which everything that happens also happens under SC
    Relax   // fences and orders that are not needed
  } What = Aim::NoBug;
  std::vector<MemoryModel> Models;
  bool operator==(const FixQuestion &) const = default;
};

/// One of the changes of an offer, for people and for whoever shows which reordering it prevents.
struct OfferedChange {
  std::string Text; // "a full fence after line 9"
  enum class Kind : uint8_t { Fence, Order, Removal } What = Kind::Fence;
  /// The accesses it stands between; of an order or a removal the place itself, twice. Line 0: in another function.
  SourceLocation Earlier, Later;
};

/// Edits that belong together. They were compiled and checked as a whole.
struct FixOffer {
  std::string Title; // "Add 2 fences (verified for TSO and PSO, minimal)"
  std::vector<MemoryModel> Models;
  std::vector<OfferedChange> Changes;
  std::vector<TextEdit> Edits;               // sorted by file and place
  std::map<std::string, std::string> Before; // the digest of each edited file's text
};

/// Something that is not needed.
struct FixHint {
  SourceLocation Where;
  std::string Text;
  int64_t Offer = -1; // index into FixAnswer::Offers; -1: to be edited by hand
};

struct FixAnswer {
  FixQuestion Asked;
  EditOutcome What = EditOutcome::NothingToDo;
  std::string Reason;           // why there are no offers: a sentence
  std::vector<FixOffer> Offers; // the best first
  std::vector<FixHint> Hints;   // Relax

  bool isFixed() const { return !Offers.empty(); }
};

const char *nameOf(OfferedChange::Kind What); // "fence", "order", "removal"
const char *nameOf(FixQuestion::Aim What);    // "no-bug", "robust", "relax"
std::optional<FixQuestion::Aim> aimNamed(llvm::StringRef Name);

llvm::json::Value toJSON(const FixAnswer &A);
bool fromJSON(const llvm::json::Value &Json, FixAnswer &A, llvm::json::Path Path);

/// Tells whether a text is the one that edits were made for.
std::string digestOf(llvm::StringRef Text);

/// What is looked for without being asked, once a check has ended, or one of its models has; the most useful first. The
/// answer is to be good for all models of the check.
std::vector<FixQuestion> questionsAbout(const Outcome &Result, const Settings &Options);

/// Looks for it. Takes its time: a worker's work.
FixAnswer answerTo(const FixQuestion &Question, const CompileRequest &Text, const Settings &Options);

} // namespace picket
