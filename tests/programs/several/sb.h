// Store buffering with a thread in each of two files.
#ifndef SB_H
#define SB_H

extern volatile int x, y;
extern int a, b;
void *left(void *);
void *right(void *);

#ifdef FENCE
#define BARRIER() __sync_synchronize()
#else
#define BARRIER() ((void)0)
#endif

#endif
