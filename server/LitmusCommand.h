// `picket litmus`: runs litmus tests and reports what their conditions say under each model.
#pragma once

#include "CatFile.h"
#include "LitmusReport.h"

#include <map>

namespace picket {

struct LitmusCommand {
  std::vector<std::string> Paths;  // files, and directories with files below; empty: the directory of the table
  std::vector<MemoryModel> Models; // empty: what the test's architecture is about
  std::string Cat; // a model as text, instead of Models; one of these then names the rows of the table to compare with
  LitmusOptions Options;
  unsigned Jobs = 0;    // tests run side by side; 0: as many as there are cores
  std::string Expected; // a table to compare with
  bool Json = false;
  bool Quiet = false; // without states

  /// Returns the exit code: 1 if a result differs from the table, else the gravest of all tests'.
  int run();

private:
  /// The tests below the paths, in order. False, with a word on standard error, if a path is not there.
  bool findFiles(std::vector<std::string> &Files) const;
  LitmusReport runFile(const std::string &File) const;
  bool readCat();
  void runCat(const CatFile &Model, const LitmusTest &Test, LitmusReport &Report) const;
  std::vector<LitmusReport> runAll(const std::vector<std::string> &Files) const;

  std::optional<CatFile> TextModel;
};

} // namespace picket
