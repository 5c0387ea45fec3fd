// The smallest program that fails under TSO and PSO and not under SC.
#pragma once

namespace picket::testing {

inline constexpr const char *StoreBuffering = R"(#include <assert.h>
#include <pthread.h>
int x, y, a, b;
void *left(void *p) { x = 1; a = y; return p; }
void *right(void *p) { y = 1; b = x; return p; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, left, 0);
  pthread_create(&u, 0, right, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  assert(a || b);
}
)";

} // namespace picket::testing
