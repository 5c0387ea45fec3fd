#include <pthread.h>
_Atomic int a[2];
void *f(void *p) { a[1] = 1; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (a[1] == 2) return 1; for (;;) a[0] = 1; }
