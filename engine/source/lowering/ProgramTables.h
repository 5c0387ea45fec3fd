// The tables of a Program that grow while functions are lowered, each entry kept once.
#pragma once

#include "program/Program.h"

#include <map>
#include <unordered_map>

namespace picket {

class ProgramTables {
public:
  explicit ProgramTables(Program &P) : P(P) {}

  Operand constant(uint64_t Value) {
    auto [It, New] = Constants.try_emplace(Value, P.Constants.size());
    if (New)
      P.Constants.push_back(Value);
    return ~static_cast<Operand>(It->second);
  }

  /// Two neighbours in the pool, the low half first.
  Operand wideConstant(uint64_t Low, uint64_t High) {
    auto [It, New] = WideConstants.try_emplace({Low, High}, P.Constants.size());
    if (New) {
      P.Constants.push_back(Low);
      P.Constants.push_back(High);
    }
    return ~static_cast<Operand>(It->second);
  }

  uint64_t constantAt(Operand O) const { return P.Constants[~O]; }

  uint32_t message(const std::string &Text) {
    auto [It, New] = Messages.try_emplace(Text, P.Messages.size());
    if (New)
      P.Messages.push_back(Text);
    return static_cast<uint32_t>(It->second);
  }

  /// An allocation site.
  uint32_t newSite() { return P.NumSites++; }

private:
  Program &P;
  std::unordered_map<uint64_t, size_t> Constants;
  std::map<std::pair<uint64_t, uint64_t>, size_t> WideConstants;
  std::map<std::string, size_t> Messages;
};

} // namespace picket
