// Invalid access: a thread follows a pointer made of half an old and half a new address.
#include <pthread.h>
#include <stdint.h>

int value;
volatile uint32_t half[2];

static void *writer(void *arg) {
  uintptr_t address = (uintptr_t)&value;
  (void)arg;
  half[1] = (uint32_t)(address >> 32) + 0x10000000u; // a wrong upper half, mended later
  half[0] = (uint32_t)address;
  half[1] = (uint32_t)(address >> 32);
  return NULL;
}

static void *reader(void *arg) {
  (void)arg;
  uintptr_t upper = half[1];
  if (upper != 0)
    *(int *)(upper << 32 | half[0]) = 1; // bug
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
