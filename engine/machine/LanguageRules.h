// What C11 leaves to whoever checks: what 'volatile' means, which release sequences there are, and what a data race is
// taken for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace picket {

/// What a volatile access is under C11 that is not atomic.
enum class VolatileMeaning : uint8_t {
  Plain,  // as the standard has it
  Relaxed // a relaxed atomic access, as many programs and compilers have it
};

/// What belongs to the release sequence of a write, besides the updates that read from it.
enum class ReleaseSequences : uint8_t {
  Cpp20, // nothing
  C11    // later writes of the same thread to the same location, as from C11 to C++17
};

struct LanguageRules {
  VolatileMeaning Volatile = VolatileMeaning::Plain;
  ReleaseSequences Sequences = ReleaseSequences::Cpp20;
  bool operator==(const LanguageRules &) const = default;
};

/// What becomes of data races.
enum class RaceReporting : uint8_t {
  Default, // nobody said anything: Error under C11
  Error,   // a bug, at which an execution ends
  Warning, // reported, and the execution goes on
  Off      // not looked for
};

const char *nameOf(VolatileMeaning Meaning);    // "plain", "relaxed"
const char *nameOf(ReleaseSequences Sequences); // "c++20", "c11"
const char *nameOf(RaceReporting Reporting);    // "default", "error", "warning", "off"
std::optional<VolatileMeaning> volatileMeaningNamed(std::string_view Name);
std::optional<ReleaseSequences> releaseSequencesNamed(std::string_view Name);
std::optional<RaceReporting> raceReportingNamed(std::string_view Name);

} // namespace picket
