// Files made of the counterexamples of a run: JSON, Graphviz text, a picture, a page.
#pragma once

#include "SourceText.h"
#include "check/Check.h"
#include "draw/Dot.h"

namespace picket {

/// Where to write what; empty: not wanted, "-": standard output.
struct TraceFiles {
  std::string Json, Dot, Svg; // the first counterexample
  std::string Html;           // all of them
  View Which = View::Chronological;

  bool wanted() const { return !Json.empty() || !Dot.empty() || !Svg.empty() || !Html.empty(); }
  unsigned toStandardOutput() const { return (Json == "-") + (Dot == "-") + (Svg == "-") + (Html == "-"); }

  /// Says on standard error what cannot be written. False if a file could not be made although there is a
  /// counterexample.
  bool write(const std::vector<CheckReport> &Reports, SourceTexts &Sources) const;
};

} // namespace picket
