#include "machine/LanguageRules.h"

#include <initializer_list>

namespace picket {

const char *nameOf(VolatileMeaning Meaning) { return Meaning == VolatileMeaning::Plain ? "plain" : "relaxed"; }

const char *nameOf(ReleaseSequences Sequences) { return Sequences == ReleaseSequences::Cpp20 ? "c++20" : "c11"; }

const char *nameOf(RaceReporting Reporting) {
  switch (Reporting) {
  case RaceReporting::Default: return "default";
  case RaceReporting::Error: return "error";
  case RaceReporting::Warning: return "warning";
  case RaceReporting::Off: return "off";
  }
  return "?";
}

template <typename Kind> static std::optional<Kind> named(std::string_view Name, std::initializer_list<Kind> All) {
  for (Kind K : All)
    if (Name == nameOf(K))
      return K;
  return std::nullopt;
}

std::optional<VolatileMeaning> volatileMeaningNamed(std::string_view Name) {
  return named(Name, {VolatileMeaning::Plain, VolatileMeaning::Relaxed});
}

std::optional<ReleaseSequences> releaseSequencesNamed(std::string_view Name) {
  return named(Name, {ReleaseSequences::Cpp20, ReleaseSequences::C11});
}

std::optional<RaceReporting> raceReportingNamed(std::string_view Name) {
  return named(Name, {RaceReporting::Default, RaceReporting::Error, RaceReporting::Warning, RaceReporting::Off});
}

} // namespace picket
