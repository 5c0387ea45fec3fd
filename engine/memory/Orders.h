// What memory orders mean for synchronisation, and which order operations on synchronisation objects have.
#pragma once

#include "machine/SyncObjects.h"
#include "program/Program.h"

namespace picket {

constexpr bool acquires(Order Mode) {
  return Mode == Order::AcquirePC || Mode == Order::Acquire || Mode == Order::AcqRel || Mode == Order::SeqCst;
}
constexpr bool releases(Order Mode) { return Mode == Order::Release || Mode == Order::AcqRel || Mode == Order::SeqCst; }

constexpr bool isLock(SyncOp Op) {
  switch (Op) {
  case SyncOp::MutexLock:
  case SyncOp::MutexTryLock:
  case SyncOp::MutexTimedLock:
  case SyncOp::SpinLock:
  case SyncOp::SpinTryLock:
  case SyncOp::RwReadLock:
  case SyncOp::RwTryReadLock:
  case SyncOp::RwWriteLock:
  case SyncOp::RwTryWriteLock: return true;
  default: return false;
  }
}

/// Locks acquire, unlocks release, other synchronisation does both.
constexpr Order orderOf(SyncOp Op) {
  if (isLock(Op))
    return Order::Acquire;
  return isUnlock(Op) ? Order::Release : Order::AcqRel;
}

} // namespace picket
