// What all parts of a check have to know.
#pragma once

#include "check/Check.h"

namespace picket {

/// Refers to what its maker keeps: it must not outlive the check.
struct CheckContext {
  const std::string &File;
  const Program &Compiled;
  const CheckOptions &Options;
  const ProgressListener &OnProgress; // may be empty
  const std::atomic<bool> *Cancel;    // may be null

  void tell(const Progress &Step) const {
    if (OnProgress)
      OnProgress(Step);
  }
};

} // namespace picket
