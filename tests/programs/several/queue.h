// A queue with room for two, for one producer and one consumer.
#ifndef QUEUE_H
#define QUEUE_H

/* False: the queue is full. */
int put(int value);
/* False: the queue is empty. */
int take(int *value);

#endif
