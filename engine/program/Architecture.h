// The architectures that programs are compiled for. Libraries choose their fences by them (#ifdef __x86_64__), so that a
// memory model is checked on a program compiled for an architecture that has it (MemoryModel.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace picket {

/// All have 64 bits and are little-endian. Other: the machine Picket runs on, where it is none of the others.
enum class Architecture : uint8_t { X86_64, Aarch64, Powerpc64le, Other };

struct ArchitectureInfo {
  Architecture Which;
  const char *Name;      // in the terminal, in JSON: "x86_64"
  const char *Triple;    // for Clang
  const char *Multiarch; // how Debian calls folders of its headers
  const char *Headers;   // the package with its C library, for other machines
};

inline constexpr std::array<ArchitectureInfo, 4> Architectures = {{
    {Architecture::X86_64, "x86_64", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu", "libc6-dev-amd64-cross"},
    {Architecture::Aarch64, "aarch64", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu", "libc6-dev-arm64-cross"},
    {Architecture::Powerpc64le, "powerpc64le", "powerpc64le-unknown-linux-gnu", "powerpc64le-linux-gnu",
     "libc6-dev-ppc64el-cross"},
    {Architecture::Other, "host", "", "", ""},
}};

constexpr const ArchitectureInfo &infoOf(Architecture A) { return Architectures[static_cast<size_t>(A)]; }
constexpr const char *nameOf(Architecture A) { return infoOf(A).Name; }

/// Of that name; none of a name that is not known.
constexpr std::optional<Architecture> architectureNamed(std::string_view Name) {
  for (const ArchitectureInfo &A : Architectures)
    if (Name == A.Name)
      return A.Which;
  return std::nullopt;
}

/// The machine Picket runs on.
#if defined(__x86_64__)
inline constexpr Architecture HostArchitecture = Architecture::X86_64;
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
inline constexpr Architecture HostArchitecture = Architecture::Aarch64;
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
inline constexpr Architecture HostArchitecture = Architecture::Powerpc64le;
#else
inline constexpr Architecture HostArchitecture = Architecture::Other;
#endif

} // namespace picket
