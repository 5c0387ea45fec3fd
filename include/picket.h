/* What a program can tell Picket. Picket finds this header without flags; to other compilers it means nothing. */
#ifndef PICKET_H
#define PICKET_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each of the values 0 to count - 1, in executions of their own. To other compilers: 0. */
#ifdef __PICKET__
int picket_choose(int count);
#else
static inline int picket_choose(int count) {
  (void)count;
  return 0;
}
#endif

/* Executions in which the condition does not hold are left out. To other compilers: nothing. */
#ifdef __PICKET__
void __VERIFIER_assume(int condition);
#define picket_assume(condition) __VERIFIER_assume(!!(condition))
#else
#define picket_assume(condition) ((void)0)
#endif

#ifdef __cplusplus
}
#endif

#endif
