// The tables of a Program that grow while functions are lowered, each entry kept once.
#pragma once

#include "program/Program.h"

#include <map>
#include <unordered_map>

namespace picket {

class ProgramTables {
public:
  explicit ProgramTables(Program &Prog) : Prog(Prog) {}

  Operand constant(uint64_t Value) {
    auto [It, New] = Constants.try_emplace(Value, Prog.Constants.size());
    if (New)
      Prog.Constants.push_back(Value);
    return ~static_cast<Operand>(It->second);
  }

  /// Two neighbours in the pool, the low half first.
  Operand wideConstant(uint64_t Low, uint64_t High) {
    auto [It, New] = WideConstants.try_emplace({Low, High}, Prog.Constants.size());
    if (New) {
      Prog.Constants.push_back(Low);
      Prog.Constants.push_back(High);
    }
    return ~static_cast<Operand>(It->second);
  }

  uint64_t constantAt(Operand O) const { return Prog.Constants[~O]; }

  uint32_t message(const std::string &Text) {
    auto [It, New] = Messages.try_emplace(Text, Prog.Messages.size());
    if (New)
      Prog.Messages.push_back(Text);
    return static_cast<uint32_t>(It->second);
  }

  /// An allocation site.
  uint32_t newSite() { return Prog.NumSites++; }

private:
  Program &Prog;
  std::unordered_map<uint64_t, size_t> Constants;
  std::map<std::pair<uint64_t, uint64_t>, size_t> WideConstants;
  std::map<std::string, size_t> Messages;
};

} // namespace picket
