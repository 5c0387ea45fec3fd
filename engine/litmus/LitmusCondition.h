// Reads the condition of a litmus test: the part after the code.
#pragma once

#include "litmus/LitmusCode.h"
#include "litmus/LitmusInstructions.h"
#include "litmus/LitmusText.h"

namespace picket {

/// Reads [`locations [...]`] and the quantifier with its proposition into the test. Registers and locations that
/// nothing has named so far are zero. To be called when it is known which registers and
/// locations have 64 bits.
class LitmusConditionReader {
public:
  LitmusConditionReader(LitmusCursor &Text, std::vector<LitmusThread> &Threads, LitmusLocations &Locations,
                        RegisterName ToRegister)
      : Text(Text), Threads(Threads), Locations(Locations), ToRegister(ToRegister) {}

  void read(LitmusTest &Test);
  /// Whether the condition compares something with an address.
  bool namesAddresses() const { return NamesAddresses; }

private:
  static constexpr unsigned MaxDepth = 200;

  void readObserved();
  void readCondition(LitmusTest &Test);
  bool readQuantifier(LitmusTest &Test);
  void readKinds();
  LitmusProposition implication(unsigned Depth);
  LitmusProposition disjunction(unsigned Depth);
  LitmusProposition conjunction(unsigned Depth);
  LitmusProposition negation(unsigned Depth);
  LitmusProposition atom();
  uint32_t item();
  LitmusItem registerItem(std::string_view Thread, uint32_t Line);
  LitmusItem locationItem(std::string_view Word, bool Bracket, uint32_t Line);
  int64_t value(const LitmusItem &Item);
  void sortItems(LitmusTest &Test);

  LitmusCursor &Text;
  std::vector<LitmusThread> &Threads;
  LitmusLocations &Locations;
  RegisterName ToRegister;
  std::vector<LitmusItem> Items;
  bool NamesAddresses = false;
};

} // namespace picket
