#include "litmus/LitmusTest.h"

#include <algorithm>
#include <cstdlib>

namespace picket {

const char *nameOf(LitmusArchitecture A) {
  switch (A) {
  case LitmusArchitecture::PPC: return "PPC";
  case LitmusArchitecture::X86: return "X86";
  case LitmusArchitecture::X86_64: return "X86_64";
  case LitmusArchitecture::AArch64: return "AArch64";
  case LitmusArchitecture::C: return "C";
  }
  return "?";
}

const char *nameOf(LitmusQuantifier Q) {
  switch (Q) {
  case LitmusQuantifier::Exists: return "exists";
  case LitmusQuantifier::NotExists: return "notexists";
  case LitmusQuantifier::Forall: return "forall";
  }
  return "?";
}

bool LitmusProposition::holdsIn(const LitmusState &State) const {
  auto Holds = [&](const LitmusProposition &P) { return P.holdsIn(State); };
  switch (What) {
  case True: return true;
  case False: return false;
  case Equal: return State[Item] == Value;
  case Different: return State[Item] != Value;
  case Not: return !Holds(Parts[0]);
  case And: return std::all_of(Parts.begin(), Parts.end(), Holds);
  case Or: return std::any_of(Parts.begin(), Parts.end(), Holds);
  case Implies: return !Holds(Parts[0]) || Holds(Parts[1]);
  }
  return false;
}

/// Numbers of 64 bits may look like addresses: those that are far from every location are none.
bool LitmusTest::isAddress(uint64_t Raw) const {
  const uint32_t Slot = slotOf(Raw);
  return Slot >= 1 && Slot <= Locations.size() && std::abs(static_cast<int32_t>(offsetOf(Raw))) < 0x8000;
}

int64_t LitmusTest::valueOf(uint64_t Raw, uint8_t Width) const {
  if (Width == 8 || isAddress(Raw))
    return static_cast<int64_t>(Raw);
  return static_cast<int32_t>(Raw);
}

std::string LitmusTest::textOf(int64_t Value) const {
  if (!isAddress(static_cast<uint64_t>(Value)))
    return std::to_string(Value);
  const uint32_t Slot = slotOf(static_cast<uint64_t>(Value)), Offset = offsetOf(static_cast<uint64_t>(Value));
  return Offset ? Locations[Slot - 1] + "+" + std::to_string(static_cast<int32_t>(Offset)) : Locations[Slot - 1];
}

std::string LitmusTest::textOf(const LitmusState &State) const {
  std::string Text;
  for (size_t K = 0; K < State.size(); ++K)
    Text += (K ? " " : "") + Observed[K].Name + "=" + textOf(State[K]) + ";";
  return Text;
}

} // namespace picket
