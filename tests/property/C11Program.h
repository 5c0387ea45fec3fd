// Small random programs of C11 atomics, locks, awaits, free and atomic sections, as data that can be printed as C, run along every path
// and shrunk.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace picket::testing {

struct C11Statement {
  enum Kind : uint8_t {
    Load,
    Store,
    FetchAdd,
    Exchange,
    CompareSwap, // strong
    Fence,
    Locked,    // lock, Body, unlock
    TryLocked, // the same if the lock was free
    Await,     // until Location holds Value
    Free,      // of the block
    Section,   // __VERIFIER_atomic_begin, Body, __VERIFIER_atomic_end
    If         // Register From is Value: Body
  };
  enum Order : uint8_t { Relaxed, Acquire, Release, AcqRel, SeqCst, NotAtomic }; // the last of loads and stores
  /// How the register From goes into what is stored. It comes out as it is.
  enum Through : uint8_t { Plain, Division, Floating };

  Kind What = Load;
  uint8_t Location = 0; // a variable, or the block
  Order How = Relaxed;
  int8_t AddressFrom = -1; // accesses of the first two variables: the other one if this register is not zero
  uint8_t Register = 0;    // where the value read goes; CompareSwap: whether it succeeded
  int8_t From = -1;        // a register that is added to what is stored
  Through Way = Plain;
  uint8_t Value = 0;        // what is stored, added or waited for
  int8_t ExpectedFrom = -1; // CompareSwap: a register that is added to what is expected
  uint8_t Expected = 0;
  std::vector<C11Statement> Body = {};
};

struct C11Program {
  static constexpr unsigned Registers = 3; // per thread
  static constexpr unsigned Variables = 3, Block = Variables, Lock = Block + 1, Locations = Lock + 1;
  std::vector<std::vector<C11Statement>> Threads;

  /// As C. Variables are v[0] to v[2], the block is allocated by main and given to all threads as h; all are zero at
  /// first. WithResults: each thread stores its registers in a row of `out` in the end.
  std::string text(bool WithResults = false) const;
};

/// What to choose from.
struct C11Palette {
  std::vector<C11Statement::Kind> Kinds;
  std::vector<C11Statement::Order> Orders = {C11Statement::Relaxed, C11Statement::Relaxed, C11Statement::Acquire,
                                             C11Statement::Release, C11Statement::AcqRel,  C11Statement::SeqCst};
  std::vector<C11Statement::Through> Ways = {C11Statement::Plain};
  unsigned Variables = 2;
  bool Addresses = true; // that depend on registers
  bool WithBlock = false;
  unsigned Accesses = 7;     // in all, at most
  bool OnlySections = false; // no access is outside of one
};

C11Program makeC11Program(std::mt19937 &Random, const C11Palette &From);

/// Programs that are one step smaller or simpler.
std::vector<C11Program> shrinks(const C11Program &P);

} // namespace picket::testing
