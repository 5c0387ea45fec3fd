// The message passing program (a message, and a flag that announces it), with the memory orders that a test
// chooses.
#pragma once

#include <string>

namespace picket::testing {

inline std::string messagePassing(const std::string &StoreOrder,
                                  const std::string &LoadOrder = "memory_order_acquire") {
  return R"(#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
void *sender(void *p) {
  data = 1;
  atomic_store_explicit(&ready, 1, )" +
         StoreOrder + R"();
  return p;
}
void *receiver(void *p) {
  if (atomic_load_explicit(&ready, )" +
         LoadOrder + R"())
    assert(data == 1);
  return p;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, sender, 0);
  pthread_create(&u, 0, receiver, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
}
)";
}

} // namespace picket::testing
