// `picket check --fix` and `--relax`: verified changes of fences and memory orders, as a diff, as JSON, or applied.
#pragma once

#include "FileSettings.h"
#include "SourceText.h"
#include "TextReport.h"

namespace picket {

struct FixCommand {
  enum class Aim { None, Acceptable, Minimal, Cheapest, Robust } Fix = Aim::None;
  std::string Named; // the aim as it was named; parse() sets Fix
  bool Relax = false;
  bool Apply = false; // write the files instead of printing a diff

  /// False if there is no such aim.
  bool parse(const std::string &Name);

  bool wanted() const { return Fix != Aim::None || Relax; }

  /// What it shares with a check.
  struct Context {
    const std::vector<std::string> &Files;
    std::function<FileSettings(const std::string &File)> SettingsOf; // the time limit is for a file as a whole
    bool Json;
    TextOptions Text;
    SourceTexts &Sources;
    const std::atomic<bool> *Cancel;
    std::function<void()> Watch; // limits that hold until the settings are known
  };
  /// Returns the exit code: 0 fixed or nothing to do, 1 a bug that cannot be fixed, 2 a file that cannot be written, 3
  /// cannot be checked, 4 a limit was reached.
  int run(const Context &With) const;
};

} // namespace picket
