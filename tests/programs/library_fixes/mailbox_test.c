#include <assert.h>
#include <pthread.h>
#include "mailbox.h"

static struct mailbox box;

static void *sender(void *arg) {
  (void)arg;
  mailbox_send(&box, 41);
  return NULL;
}

static void *receiver(void *arg) {
  (void)arg;
  assert(mailbox_receive(&box) == 41);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, sender, NULL);
  pthread_create(&b, NULL, receiver, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
