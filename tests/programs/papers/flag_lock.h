// A lock for two threads from two flags: announce yourself, then wait until the other one is not there. Both may come
// to wait for ever. Its own fences make it one under TSO and PSO; POWER needs another one behind the wait (FENCED=3).
#pragma once
#include "waiting.h"

static volatile int announced[2];

static inline void flag_lock(int me) {
  announced[me] = 1;
  __sync_synchronize();
  AWAIT(!announced[1 - me]);
  FENCE(3);
}

static inline void flag_unlock(int me) {
  __sync_synchronize();
  announced[me] = 0;
}
