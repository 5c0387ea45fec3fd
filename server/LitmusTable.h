// Tables of expected results of litmus tests (expected.tsv), and the comparison with what Picket finds.
#pragma once

#include "litmus/LitmusRun.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace picket {

/// One row: what some other tool found.
struct LitmusExpectation {
  std::string Quantifier;
  uint64_t Holds = 0, Fails = 0; // executions by what is behind the quantifier
  uint64_t States = 0, Executions = 0;
};

class LitmusTable {
public:
  using Key = std::pair<std::string, std::string>; // test (a path without .litmus), model

  /// Tab-separated, with the names of the columns in the first line. Null and a sentence if it cannot be read, within
  /// `Seconds` (0: however long it takes).
  static std::optional<LitmusTable> read(const std::string &File, double Seconds, std::string &Error);

  const LitmusExpectation *find(const std::string &Test, MemoryModel M) const;
  const std::map<Key, LitmusExpectation> &rows() const { return Rows; }
  /// The directory that the paths of tests start from.
  const std::string &directory() const { return Directory; }
  /// The path of a test as the table writes it.
  std::string testOf(const std::string &File) const;

private:
  std::string parse(llvm::StringRef Text);

  std::map<Key, LitmusExpectation> Rows;
  std::string Directory;
};

/// What Picket found, in the columns of the table.
LitmusExpectation foundBy(const LitmusTest &Test, const LitmusResult &Result);
bool operator==(const LitmusExpectation &A, const LitmusExpectation &B);
/// "exists: 1 holds, 3 fails, 4 states, 4 executions"
std::string textOf(const LitmusExpectation &E);

} // namespace picket
