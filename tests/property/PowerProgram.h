// Small random programs of POWER instructions, as data that can be printed, run along every path and shrunk.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace picket::testing {

struct PowerInstruction {
  enum Kind : uint8_t { Load, Store, LoadReserve, StoreConditional, Branch, Sync, LwSync, Eieio, ISync };
  Kind What = Load;
  uint8_t Location = 0;
  uint8_t Register = 0;    // loads: where the value goes
  int8_t AddressFrom = -1; // accesses: a register that goes into the address without changing it
  int8_t From = -1;        // stores: a register that is added to what is stored; branches: the one compared
  bool Fake = false;       // stores: From changes nothing; branches: nothing depends on the outcome
  uint8_t Value = 0;       // stores: what is stored; branches: what the register is compared with
  uint8_t Skip = 0; // how many instructions are skipped: branches if the values differ, StoreConditional if it fails
};

struct PowerProgram {
  static constexpr unsigned Registers = 4; // per thread
  std::vector<std::vector<PowerInstruction>> Threads;

  /// As a PPC litmus test. Register k is r<k+1>, locations are x, y, z, all zero at first.
  std::string text() const;
};

/// What to choose from: how one access is tied to the next, and what accesses there are.
struct PowerPalette {
  enum Tie : uint8_t {
    Loose,
    SyncTie,
    LwSyncTie,
    EieioTie,
    ISyncTie, // without a branch
    AddressTie,
    DataTie,
    FakeDataTie,
    ControlTie,
    ControlISyncTie,
    DecidingTie,     // a branch that may skip what follows
    DecidingISyncTie // the same with an isync behind it
  };
  std::vector<Tie> Ties = {};
  bool Reservations = false;
  /// Store-conditionals with address dependencies, and branches on whether they succeeded.
  bool TiedReservations = false;
  unsigned Locations = 2;
  unsigned Accesses = 9; // in all, at most
};

PowerProgram makePowerProgram(std::mt19937 &Random, const PowerPalette &From);

/// Two or three threads whose first and last accesses can make a cycle with communication between them, as in the known
/// litmus tests. Between the two a thread may store and load, or load twice, a place that another thread may write.
PowerProgram makePowerCycle(std::mt19937 &Random, const PowerPalette &From);

/// Programs that are one step smaller or simpler.
std::vector<PowerProgram> shrinks(const PowerProgram &P);

} // namespace picket::testing
