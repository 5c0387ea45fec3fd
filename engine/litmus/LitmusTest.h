// A litmus test: a few threads of assembly or C code as a Program, and a condition on their final registers and memory.
#pragma once

#include "program/Program.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace picket {

/// What the threads of a test are written in.
enum class LitmusArchitecture : uint8_t { PPC, X86, X86_64, AArch64, C };
const char *nameOf(LitmusArchitecture A); // "PPC", as the first word of a test

/// Something that has a value in the end: a register of a thread, or a location.
struct LitmusItem {
  static constexpr uint32_t Memory = ~0u;
  uint32_t Thread = Memory; // of the test; in the machine it is the thread with the next higher number
  uint32_t Index = 0;       // slot in the frame of the thread's function, or global
  std::string Name;         // "0:r1", "x"
  uint8_t Width = 4;        // bytes that count: 4 or 8
};

/// The values of LitmusTest::Observed at the end of an execution: integers with their sign, or addresses.
using LitmusState = std::vector<int64_t>;

/// A proposition over a final state.
struct LitmusProposition {
  enum Kind : uint8_t { True, False, Equal, Different, Not, And, Or, Implies };
  Kind What = True;
  uint32_t Item = 0; // Equal, Different: index into LitmusTest::Observed
  int64_t Value = 0;
  std::vector<LitmusProposition> Parts; // one for Not, two for Implies, any number for And and Or

  bool holdsIn(const LitmusState &State) const;
};

enum class LitmusQuantifier : uint8_t { Exists, NotExists, Forall };
const char *nameOf(LitmusQuantifier Q); // "exists", "notexists", "forall", as in tables of expected results

struct LitmusTest {
  std::string Name;
  LitmusArchitecture Architecture = LitmusArchitecture::PPC;

  /// `main` starts one function per thread, in order, and ends. A function has one slot per register of its thread: an
  /// address or an integer, which PPC and X86 sign-extend from 32 bits and the others zero-extend. Location k is global
  /// k and has four bytes, or eight.
  Program Code;
  std::vector<std::map<std::string, uint32_t>> Registers; // per thread: the slot of each
  std::vector<std::string> Locations;
  bool UsesReservations = false; // lwarx and stwcx., LDXR and STXR

  LitmusQuantifier Quantifier = LitmusQuantifier::Exists;
  LitmusProposition Condition;      // what is behind the quantifier
  std::string ConditionText;        // with it
  std::vector<LitmusItem> Observed; // all that the condition and `locations` name: registers first, each once

  /// What a slot or location holds, as states have it: of an integer only the bytes that count, with their sign.
  int64_t valueOf(uint64_t Raw, uint8_t Width) const;
  /// "1", "-1", "x"
  std::string textOf(int64_t Value) const;
  /// "0:r1=1; x=2;"
  std::string textOf(const LitmusState &State) const;

private:
  bool isAddress(uint64_t Raw) const;
};

} // namespace picket
