// What a litmus test asks: the part behind the code.
#pragma once

#include "litmus/LitmusCode.h"
#include "litmus/LitmusInstructions.h"
#include "litmus/LitmusText.h"

namespace picket {

using RegisterName = std::optional<std::string> (*)(std::string_view);

/// Reads [`locations [...]`] and the quantifier with its proposition into the test. Registers and locations that
/// nothing has named so far are zero.
class LitmusConditionReader {
public:
  LitmusConditionReader(LitmusCursor &Text, std::vector<LitmusThread> &Threads, LitmusLocations &Locations,
                        RegisterName ToRegister)
      : Text(Text), Threads(Threads), Locations(Locations), ToRegister(ToRegister) {}

  void read(LitmusTest &Test);

private:
  static constexpr unsigned MaxDepth = 200;

  void readObserved();
  LitmusQuantifier readQuantifier();
  LitmusProposition implication(unsigned Depth);
  LitmusProposition disjunction(unsigned Depth);
  LitmusProposition conjunction(unsigned Depth);
  LitmusProposition negation(unsigned Depth);
  LitmusProposition atom();
  uint32_t item();
  int64_t value();
  void sortItems(LitmusTest &Test);

  LitmusCursor &Text;
  std::vector<LitmusThread> &Threads;
  LitmusLocations &Locations;
  RegisterName ToRegister;
  std::vector<LitmusItem> Items;
};

} // namespace picket
