// Floats and doubles: two threads scale and shift a value under a mutex; both orders are exact in binary.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
double value = 1.5;
float ratio = 0.25f;

static void *scale(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  value *= 2.0f * (float)4 + ratio;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *shift(void *arg) {
  (void)arg;
  pthread_mutex_lock(&mutex);
  value += (double)ratio / 2;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, scale, NULL);
  pthread_create(&b, NULL, shift, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(value == 1.5 * 8.25 + 0.125 || value == 1.625 * 8.25);
  assert((int)(value * 1000) == 12500 || (int)(value * 1000) == 13406);
  assert(-value < 0 && !(value != value));
  return 0;
}
