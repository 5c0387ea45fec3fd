// What the implementations of the synchronisation objects share: answers, the mark each object begins with, and how
// its bytes become a struct. Not for others to include.
#pragma once

#include "machine/SyncObjects.h"

#include <cstring>

namespace picket::sync {

inline SyncResult done(int64_t Value = 0) { return {SyncResult::Done, Value, nullptr, std::nullopt, 0}; }
inline SyncResult blocked() { return {SyncResult::Blocked, 0, nullptr, std::nullopt, 0}; }
inline SyncResult misuse(BugKind Kind, const char *Phrase) { return {SyncResult::Misuse, 0, Phrase, Kind, 0}; }
/// More threads use the object than its bytes can tell apart.
inline SyncResult noRoom(const char *Phrase) { return {SyncResult::Misuse, 0, Phrase, std::nullopt, 0}; }

/// Every object but the once flag begins with a word that says what state it is in. Objects with a static
/// initialiser are alive when it is zero, so the values below are chosen not to look like ordinary data.
constexpr uint32_t AliveByInitialiser = 0;
constexpr uint32_t AliveByInit = 0x6c697665;
constexpr uint32_t Destroyed = 0x64656164;
constexpr uint32_t Held = 0x68656c64; // of a mutex or reader-writer lock

/// For an initialisation that finds the object in use. What the bytes held before need not have been such an object, so
/// that is known by a mark only.
inline SyncResult inUse(const char *Phrase) { return misuse(BugKind::InitialisedInUse, Phrase); }

template <typename T> T load(const uint8_t *State) {
  T Object;
  std::memcpy(&Object, State, sizeof(T));
  return Object;
}
template <typename T> void store(uint8_t *State, const T &Object) { std::memcpy(State, &Object, sizeof(T)); }

constexpr uint32_t CondSize = 48, FutexSize = 56;

/// The steps of condition variables. Self is the thread + 1: zero bytes mean "nobody".
SyncResult applyCond(SyncOp Op, uint8_t *State, uint32_t Self);
/// Those of the queues of futexes.
SyncResult applyFutex(SyncOp Op, uint8_t *State, uint32_t Self, uint64_t Word);

} // namespace picket::sync
