// What is not modelled and may be come to where executions were cut at the loop bound. Such an execution says nothing
// about it: the check would have ended there, had it gone on.
#pragma once

#include "machine/Machine.h"

namespace picket {

class BehindBound {
public:
  explicit BehindBound(const Program &Compiled) : Compiled(Compiled) {}

  /// Adds all that the threads of an execution that was cut may yet run, whatever the values: calls are taken to
  /// return, and calls through pointers to go to every function whose address is taken.
  void add(const Machine &M);
  /// The instructions among them that are not modelled, in the order of the code.
  std::vector<uint32_t> refused() const;
  /// "call 'poll'", for an instruction that is not modelled.
  std::string describe(uint32_t Pc) const;
  void clear();

private:
  void walk(uint32_t Pc);
  void walkFrom(const Instruction &I, std::vector<uint32_t> &Next);
  void enter(uint32_t Function, std::vector<uint32_t> &Next) const;
  bool isRefused(const Instruction &I) const;
  const std::vector<uint32_t> &addressTaken();

  const Program &Compiled;
  std::vector<bool> Seen; // per instruction
  std::vector<uint32_t> Taken;
  bool TakenKnown = false;
};

} // namespace picket
