// What a program may still run, whatever the values: calls are taken to return, and calls through pointers to go to every
// function whose address is taken. Finds what is not modelled there, without an execution that comes to it.
#pragma once

#include "machine/Machine.h"

namespace picket {

class ReachableCode {
public:
  explicit ReachableCode(const Program &Compiled) : Compiled(Compiled) {}

  /// Adds all that the threads of an execution that was cut at the loop bound may yet run. Such an execution says
  /// nothing about it: the check would have ended there, had it gone on.
  void add(const Machine &M);
  /// Adds all that the program may run from its beginning.
  void addAll();
  /// The instructions among them that are not modelled, in the order of the code.
  std::vector<uint32_t> refused() const;
  /// Functions without a definition that a call through a pointer among them may go to.
  std::vector<uint32_t> refusedThroughPointers() const;
  /// "call 'poll'", for an instruction that is not modelled.
  std::string describe(uint32_t Pc) const;
  void clear();

private:
  void walk(uint32_t Pc);
  void walkFrom(const Instruction &I, std::vector<uint32_t> &Next);
  void enter(uint32_t Function, std::vector<uint32_t> &Next);
  bool isRefused(const Instruction &I) const;
  const std::vector<uint32_t> &addressTaken();

  const Program &Compiled;
  std::vector<bool> Seen; // per instruction
  std::vector<uint32_t> Taken;
  bool TakenKnown = false;
  bool GoesOn = false;             // also after what is not modelled
  std::vector<uint32_t> Undefined; // come to through pointers; sorted
};

} // namespace picket
