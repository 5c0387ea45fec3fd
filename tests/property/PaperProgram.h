// Programs as defined in "Lazy TSO Reachability" (section 2): threads are automata whose transitions are commands. With
// the paper's extension of a program by a sequence of instructions (section 3), and its states under SC and TSO.
#pragma once

#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace picket::testing {

struct PaperExpression {
  bool IsRegister = false;
  int Number = 0; // of the register, or the value
};

struct PaperInstruction {
  enum Kind { Store, Load, Fence, Assign, Assume } What;
  int From, To; // control states
  // Store: mem[A] <- B; Load: Register <- mem[A]; Assign: Register <- A; Assume: A = B, or not
  PaperExpression A, B = {};
  int Register = 0;
  bool Equal = true; // Assume
  int Line = 0;      // of the C text: of the store or load that this is, or does later what was put off
};

struct PaperThread {
  std::vector<PaperInstruction> Instructions;
  int States = 1, Registers = 0, Last = 0; // begins in state 0
};

/// A sequence of instructions of one thread: from a store to a load, without a fence.
using PaperPath = std::vector<size_t>;

struct PaperProgram {
  std::vector<PaperThread> Threads;
  std::string Text;               // the same as C
  std::vector<int> ProgramStates; // per thread: control states and registers of the program before it was extended
  std::vector<int> ProgramRegisters;
};

/// Two registers per thread, three addresses, values up to 2. `Loops`: one of the threads has a loop.
PaperProgram makePaperProgram(std::mt19937 &Random, bool Loops);

/// A random path of a thread; empty if it has none, or a long one was met.
PaperPath makePath(std::mt19937 &Random, const PaperThread &T);

/// t + sigma of section 3.
PaperThread extend(const PaperThread &T, const PaperPath &Path);

/// Control states, registers and memory, of the program before it was extended.
using PaperState = std::vector<int>;
struct PaperStates {
  std::set<PaperState> All, Last; // with empty buffers; those in which all threads have come to their end
  bool Complete = true;           // there are not more
};
/// `MostBuffered`: 0: under SC; else under TSO, with at most so many stores in a buffer.
PaperStates reach(const PaperProgram &P, size_t MostBuffered);

} // namespace picket::testing
