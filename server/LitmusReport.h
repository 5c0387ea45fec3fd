// What `picket litmus` prints: results as text or JSON, and the comparison with a table.
#pragma once

#include "LitmusTable.h"
#include "litmus/LitmusReader.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

namespace picket {

/// All about one file.
struct LitmusReport {
  std::string File; // as it was named
  LitmusReading Reading;
  std::vector<LitmusResult> Results; // per model; empty if the file could not be read
};

/// How results compare with a table, summed up.
class LitmusComparison {
public:
  explicit LitmusComparison(const LitmusTable &Table) : Table(Table) {}

  void add(const LitmusReport &Report);
  /// Rows of these models (empty: all) that nothing was compared with.
  void noteMissing(const std::vector<MemoryModel> &Models);
  /// Rows whose test is not there.
  void noteAbsent();

  struct Mismatch {
    std::string Test, Model;
    std::string Expected, Found; // both answers in words
  };
  std::vector<Mismatch> Mismatches;
  std::vector<Mismatch> Unanswered; // Found says why
  std::vector<std::string> Unread;  // "test: why"
  uint64_t Agreeing = 0;
  uint64_t Unsupported = 0, Limited = 0; // among Unanswered
  uint64_t WithoutRow = 0;
  std::map<std::string, uint64_t> OtherModels; // rows of models that do not exist here
  uint64_t Executions = 0, Blocked = 0;

private:
  const LitmusTable &Table;
  std::set<LitmusTable::Key> Compared;
};

/// Tests that took longer.
constexpr double LongLitmusSeconds = 10;

/// `Quiet`: without the states.
void printLitmusText(llvm::raw_ostream &Out, const LitmusReport &Report, bool Quiet);
void printLitmusSummary(llvm::raw_ostream &Out, const std::vector<LitmusReport> &Reports,
                        const LitmusComparison *Comparison);
void printLitmusJson(llvm::raw_ostream &Out, const std::vector<LitmusReport> &Reports,
                     const LitmusComparison *Comparison);

} // namespace picket
