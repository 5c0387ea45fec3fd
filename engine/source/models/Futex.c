/* Futexes and other direct system calls. Foundations.c says how the text is written. */

/* Queues of threads that wait on words; a queue serves one word at a time (machine/Futex.cpp). */
static struct __picket_futex_queue {
  unsigned long words[7];
} __picket_futexes[64];

void __picket_futex_lock(void *queue, unsigned *word);
void __picket_futex_unlock(void *queue, unsigned *word);
/* Unlocks, too. */
void __picket_futex_enqueue(void *queue, unsigned *word);
/* How many threads were woken. */
int __picket_futex_wake(void *queue, unsigned *word);
int __picket_futex_wake_all(void *queue, unsigned *word);
/* 0, or ETIMEDOUT. */
int __picket_futex_wait(void *queue, unsigned *word);
int __picket_futex_timed_wait(void *queue, unsigned *word);

static void *__picket_queue_of(const unsigned *word) {
  unsigned long at = (unsigned long)word;
  return &__picket_futexes[((at >> 32) * 7 + (at >> 2)) % 64];
}

/* The kernel has full barriers before and after, and reads the word under the lock of the queue. */
static long __picket_wait_on(unsigned *word, unsigned expected, int timed) {
  void *queue = __picket_queue_of(word);
  unsigned seen;
  int error;
  if ((unsigned long)word % 4) {
    *__picket_errno_location() = __picket_EINVAL;
    return -1;
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __picket_futex_lock(queue, word);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (seen != expected) {
    __picket_futex_unlock(queue, word);
    error = __picket_EAGAIN;
  } else {
    __picket_futex_enqueue(queue, word);
    error = timed ? __picket_futex_timed_wait(queue, word) : __picket_futex_wait(queue, word);
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!error)
    return 0;
  *__picket_errno_location() = error;
  return -1;
}

/* Which waiters are woken is left open. The kernel wakes one thread also if none is asked for. */
static long __picket_wake_on(unsigned *word, int most) {
  enum { more_than_wait = 1000 };
  void *queue = __picket_queue_of(word);
  long woken = 0;
  if ((unsigned long)word % 4) {
    *__picket_errno_location() = __picket_EINVAL;
    return -1;
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (most <= 1)
    woken = __picket_futex_wake(queue, word);
  else if (most >= more_than_wait)
    woken = __picket_futex_wake_all(queue, word);
  else {
    __picket_futex_lock(queue, word);
    while (woken < most && __picket_futex_wake(queue, word))
      ++woken;
    __picket_futex_unlock(queue, word);
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return woken;
}

static long __picket_futex(unsigned *word, int operation, unsigned value, const void *time, unsigned bits) {
  enum { private = 128, realtime = 256, all = ~0 };
  switch (operation & ~(private | realtime)) {
  case 9 /* FUTEX_WAIT_BITSET */:
    if (bits != (unsigned)all)
      __picket_refuse("futex operation FUTEX_WAIT_BITSET with a bitset other than FUTEX_BITSET_MATCH_ANY");
    return __picket_wait_on(word, value, time != (void *)0);
  case 0 /* FUTEX_WAIT */: return __picket_wait_on(word, value, time != (void *)0);
  case 10 /* FUTEX_WAKE_BITSET */:
    if (bits != (unsigned)all)
      __picket_refuse("futex operation FUTEX_WAKE_BITSET with a bitset other than FUTEX_BITSET_MATCH_ANY");
    return __picket_wake_on(word, (int)value);
  case 1 /* FUTEX_WAKE */: return __picket_wake_on(word, (int)value);
  default:
    __picket_refuse("futex operation other than FUTEX_WAIT, FUTEX_WAKE and their forms with bitsets");
    return -1;
  }
}

enum {
#if defined __x86_64__
  __picket_SYS_futex = 202,
  __picket_SYS_gettid = 186,
  __picket_SYS_getpid = 39,
  __picket_SYS_sched_yield = 24,
  __picket_SYS_membarrier = 324
#elif defined __aarch64__
  __picket_SYS_futex = 98,
  __picket_SYS_gettid = 178,
  __picket_SYS_getpid = 172,
  __picket_SYS_sched_yield = 124,
  __picket_SYS_membarrier = 283
#else
  __picket_SYS_futex = 221,
  __picket_SYS_gettid = 207,
  __picket_SYS_getpid = 20,
  __picket_SYS_sched_yield = 158,
  __picket_SYS_membarrier = 365
#endif
};

__PICKET_MODEL long __picket_model_syscall(long number, ...) {
  __builtin_va_list list;
  long result = 0;
  __builtin_va_start(list, number);
  switch (number) {
  case __picket_SYS_futex: {
    unsigned *word = __builtin_va_arg(list, unsigned *);
    int operation = __builtin_va_arg(list, int);
    unsigned value = __builtin_va_arg(list, unsigned);
    const void *time = (void *)0;
    unsigned bits = ~0u;
    int form = operation & 15;
    if (form == 0 || form == 9 || form == 10)
      time = __builtin_va_arg(list, const void *);
    if (form == 9 || form == 10) {
      __builtin_va_arg(list, void *); /* not used */
      bits = __builtin_va_arg(list, unsigned);
    }
    result = __picket_futex(word, operation, value, time, bits);
    break;
  }
  case __picket_SYS_gettid: result = (long)__picket_thread_self(); break;
  case __picket_SYS_getpid: result = 1; break;
  case __picket_SYS_sched_yield: break;
  case __picket_SYS_membarrier: /* as a kernel without it: programs have to use fences then */
    *__picket_errno_location() = __picket_ENOSYS;
    result = -1;
    break;
  default:
    __picket_refuse("call to 'syscall' other than SYS_futex, SYS_gettid, SYS_getpid, SYS_sched_yield and SYS_membarrier");
  }
  __builtin_va_end(list);
  return result;
}
