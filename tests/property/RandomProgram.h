// Small random concurrent C programs, as data that can be printed, permuted and shrunk.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace picket::testing {

struct Statement {
  enum Kind : uint8_t {
    Store,       // x = Value
    Load,        // r = x
    Copy,        // y = x + Value
    FetchAdd,    // r = atomic add
    Exchange,    // r = atomic exchange
    CompareSwap, // r = CAS(x, Value, Value + 1)
    Guarded,     // if (x == Value) y = Value + 2
    LockedAdd,   // lock; x = x + 1; unlock
    TryLocked,   // if (trylock == 0) { x = Value; unlock }
    AwaitNot,    // while (x == Value) ;
    FullFence,
    ReleaseFence,
    StoreRelease,
    StoreSeqCst,
    SignalOrWait, // odd Value: signal under the lock, even: wait for it
    Narrow,       // write or read of one byte of x
    RelaxedAdd,   // r = atomic add, relaxed
    RelaxedSwap,  // r = CAS(x, Value, Value + 1), relaxed
    AwaitOther,   // while (x == y) ;
    AwaitBoth,    // while (x == Value || y == Value) ;
    AwaitSwap,    // while (!CAS(x, Value, Value + 1)) ;
    AssertNot,    // assert(x != Value)
    // All of v as one number of 16 bytes, and its halves.
    WideStore, // v = Value at X and 0 elsewhere, of the order Y
    WideLoad,  // r = v, atomic
    WideAdd,   // r = atomic add to v, relaxed if Y is 0
    WideSwap,  // r = CAS(v, Value at Y, that and 1 at X), relaxed if X is 0
    WidePlain, // write or read of v, not atomic
    AwaitWide, // while (v is Value from X on) ;
    Half,      // write or read of eight bytes of v
    // Memory that may end. `BlocksFirst` prepares it.
    UseBlock,    // write or read of a heap block
    FreeBlock,   // the end of that
    LeaveLocal,  // a local variable that others may have seen ends
    UseLocal,    // a write to such a one
    UseHeapLock, // lock, x = x + 1, unlock, with a lock in a heap block
    PostOrWait,  // odd Value: post, even: wait; of a semaphore in a heap block
    FreeHeapLock,
    LastOut // whoever leaves last frees what has the lock
  } What;
  uint8_t X, Y, Value;
};

struct RandomProgram {
  std::vector<std::vector<Statement>> Threads;
  std::string First = "", Last = ""; // what main does before there are threads, and when all have ended
  std::string text() const;
};

/// The First that statements with memory that ends need.
extern const char *const BlocksFirst;

/// Which statements to choose from. Weights are equal.
using Palette = std::vector<Statement::Kind>;

RandomProgram makeProgram(std::mt19937 &Random, const Palette &From, unsigned MaxThreads, unsigned MaxStatements);

/// Programs that are one step smaller.
std::vector<RandomProgram> shrinks(const RandomProgram &P);

} // namespace picket::testing
