/* What the system answers. Foundations.c says how the text is written. */

/* The machine: four processors, pages of 4 KiB. Threads are never moved, so a thread sees one processor. */

enum { __picket_page = 4096 };

__PICKET_MODEL int __picket_model_getpagesize(void) { return __picket_page; }
__PICKET_MODEL int __picket_model_get_nprocs(void) { return 4; }
__PICKET_MODEL int __picket_model_get_nprocs_conf(void) { return 4; }
__PICKET_MODEL int __picket_model_sched_getcpu(void) { return 0; }

__PICKET_MODEL long __picket_model_sysconf(int name) {
  switch (name) {
  case 2 /* _SC_CLK_TCK */: return 100;
  case 30 /* _SC_PAGESIZE */: return __picket_page;
  case 83 /* _SC_NPROCESSORS_CONF */:
  case 84 /* _SC_NPROCESSORS_ONLN */: return 4;
  case 190 /* _SC_LEVEL1_DCACHE_LINESIZE */: return 64;
  default:
    __picket_refuse("call to 'sysconf' with a name other than those of pages, processors, clock ticks and cache lines");
    return -1;
  }
}

/* The process and its threads. The main thread has the number of the process. */

__PICKET_MODEL int __picket_model_getpid(void) { return 1; }
__PICKET_MODEL int __picket_model_gettid(void) { return (int)__picket_thread_self(); }
__PICKET_MODEL int __picket_model_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
  (void)prepare;
  (void)parent;
  (void)child;
  return 0; /* a process that forks is refused */
}

/* The environment is empty. */
__PICKET_MODEL char *__picket_model_getenv(const char *name) {
  (void)name;
  return (char *)0;
}
__PICKET_MODEL char *__picket_model_secure_getenv(const char *name) { return __picket_model_getenv(name); }

/* Memory of the system's: zeroed, as large as whole pages. */

__PICKET_MODEL void *__picket_model_mmap(void *at, unsigned long size, int protection, int flags, int file, long offset) {
  enum { fixed = 0x10, anonymous = 0x20, read_and_write = 3 };
  void *block;
  (void)at; /* a hint */
  (void)file;
  (void)offset;
  if (!(flags & anonymous))
    __picket_refuse("call to 'mmap' of a file");
  if (flags & fixed)
    __picket_refuse("call to 'mmap' with MAP_FIXED");
  if ((protection & read_and_write) != read_and_write)
    __picket_refuse("call to 'mmap' of memory that cannot be read and written");
  if (size == 0 || size > (unsigned long)-1 - __picket_page) {
    *__picket_errno_location() = __picket_EINVAL;
    return (void *)-1;
  }
  block = __picket_calloc((size + __picket_page - 1) / __picket_page, __picket_page);
  if (!block) {
    *__picket_errno_location() = __picket_ENOMEM;
    return (void *)-1;
  }
  return block;
}

__PICKET_MODEL int __picket_model_munmap(void *block, unsigned long size) {
  if (__picket_block_size(block) != (size + __picket_page - 1) / __picket_page * __picket_page)
    __picket_refuse("call to 'munmap' of something else than what one 'mmap' returned");
  __picket_free(block);
  return 0;
}

/* Signals: none arrives. What would send one is refused. A thread begins with an empty mask. */

struct __picket_signals {
  unsigned long words[16];
};
static _Thread_local struct __picket_signals __picket_blocked;

static int __picket_is_signal(int number) {
  if (number >= 1 && number <= 64)
    return 1;
  *__picket_errno_location() = __picket_EINVAL;
  return 0;
}

__PICKET_MODEL int __picket_model_sigemptyset(struct __picket_signals *set) {
  int k;
  for (k = 0; k < 16; ++k)
    set->words[k] = 0;
  return 0;
}

__PICKET_MODEL int __picket_model_sigfillset(struct __picket_signals *set) {
  int k;
  for (k = 0; k < 16; ++k)
    set->words[k] = (unsigned long)-1;
  return 0;
}

__PICKET_MODEL int __picket_model_sigaddset(struct __picket_signals *set, int number) {
  if (!__picket_is_signal(number))
    return -1;
  set->words[0] |= 1ul << (number - 1);
  return 0;
}

__PICKET_MODEL int __picket_model_sigdelset(struct __picket_signals *set, int number) {
  if (!__picket_is_signal(number))
    return -1;
  set->words[0] &= ~(1ul << (number - 1));
  return 0;
}

__PICKET_MODEL int __picket_model_sigismember(const struct __picket_signals *set, int number) {
  if (!__picket_is_signal(number))
    return -1;
  return (int)(set->words[0] >> (number - 1) & 1);
}

__PICKET_MODEL int __picket_model_pthread_sigmask(int how, const struct __picket_signals *set,
                                                  struct __picket_signals *before) {
  int k;
  if (set && (how < 0 || how > 2))
    return __picket_EINVAL;
  for (k = 0; k < 16; ++k) {
    unsigned long was = __picket_blocked.words[k], change = set ? set->words[k] : 0;
    if (before)
      before->words[k] = was;
    if (set)
      __picket_blocked.words[k] = how == 0 ? was | change : how == 1 ? was & ~change : change;
  }
  return 0;
}

__PICKET_MODEL int __picket_model_sigprocmask(int how, const struct __picket_signals *set, struct __picket_signals *before) {
  int error = __picket_model_pthread_sigmask(how, set, before);
  if (!error)
    return 0;
  *__picket_errno_location() = error;
  return -1;
}

/* Handlers never run; what was set before is not kept. */
__PICKET_MODEL void (*__picket_model_signal(int number, void (*handler)(int)))(int) {
  (void)handler;
  return (void (*)(int))(__picket_is_signal(number) ? 0l : -1l);
}

__PICKET_MODEL int __picket_model_sigaction(int number, const void *action, void *before) {
  (void)action;
  if (!__picket_is_signal(number))
    return -1;
  if (before)
    __picket_refuse("call to 'sigaction' that asks for the handler before");
  return 0;
}

/* Waiting for nothing but time to pass is only a hint to the scheduler. */

__PICKET_MODEL int __picket_model_poll(void *files, unsigned long count, int timeout) {
  (void)files;
  (void)timeout;
  if (count)
    __picket_refuse("call to 'poll' of files");
  return 0;
}

__PICKET_MODEL int __picket_model_select(int count, void *read, void *write, void *except, void *timeout) {
  if (count || read || write || except || !timeout)
    __picket_refuse("call to 'select' of files");
  return 0;
}

/* Time never goes back, and does not pass either: all reads have the same value, which nobody has to write. A loop that
   waits for time to pass would never end, so a thread that reads it again and again is refused. */

enum { __picket_now = 1700000000, __picket_most_reads = 100 };
static _Thread_local int __picket_reads_of_time;
static long __picket_read_time(void) {
  if (++__picket_reads_of_time > __picket_most_reads)
    __picket_refuse("a thread that reads the time more than 100 times (time does not pass)");
  return __picket_now;
}
struct __picket_time {
  long seconds, parts;
};

__PICKET_MODEL long __picket_model_time(long *into) {
  long now = __picket_read_time();
  if (into)
    *into = now;
  return now;
}

__PICKET_MODEL int __picket_model_clock_gettime(int clock, struct __picket_time *into) {
  (void)clock;
  into->seconds = __picket_read_time();
  into->parts = 0;
  return 0;
}

__PICKET_MODEL int __picket_model_clock_getres(int clock, struct __picket_time *into) {
  (void)clock;
  if (into) {
    into->seconds = 0;
    into->parts = 1;
  }
  return 0;
}

__PICKET_MODEL int __picket_model_gettimeofday(struct __picket_time *into, void *zone) {
  if (zone)
    __picket_refuse("call to 'gettimeofday' that asks for a time zone");
  into->seconds = __picket_read_time();
  into->parts = 0;
  return 0;
}

__PICKET_MODEL int __picket_model_timespec_get(struct __picket_time *into, int base) {
  into->seconds = __picket_read_time();
  into->parts = 0;
  return base;
}

__PICKET_MODEL long __picket_model_clock(void) { return __picket_read_time() - __picket_now; }

/* Errors */

__PICKET_MODEL char *__picket_model_strerror(int number) {
  switch (number) {
  case 0: return (char *)"Success";
  case 1: return (char *)"Operation not permitted";
  case __picket_ENOENT: return (char *)"No such file or directory";
  case 4: return (char *)"Interrupted system call";
  case __picket_EAGAIN: return (char *)"Resource temporarily unavailable";
  case __picket_ENOMEM: return (char *)"Cannot allocate memory";
  case __picket_EBUSY: return (char *)"Device or resource busy";
  case __picket_EINVAL: return (char *)"Invalid argument";
  case __picket_ERANGE: return (char *)"Numerical result out of range";
  case 35: return (char *)"Resource deadlock avoided";
  case __picket_ETIMEDOUT: return (char *)"Connection timed out";
  default:
    __picket_refuse("call to 'strerror' of a rare error");
    return (char *)0;
  }
}

/* Values from outside. Names of types are those of verification tasks. */

__PICKET_MODEL int __picket_model_picket_choose(int count) {
  if (count <= 0)
    __picket_refuse("call to 'picket_choose' of less than one value");
  return (int)__picket_choose(0, count - 1l);
}

__PICKET_MODEL int __picket_model_rand(void) { return (int)__picket_nondet(0, 0x7fffffff, "rand"); }
__PICKET_MODEL long __picket_model_random(void) { return __picket_nondet(0, 0x7fffffff, "random"); }
__PICKET_MODEL int __picket_model_rand_r(unsigned *seed) {
  *seed = *seed * 1103515245u + 12345u;
  return (int)__picket_nondet(0, 0x7fffffff, "rand_r");
}

#define __PICKET_NONDET(name, type, least, most) \
  __extension__ __PICKET_MODEL type __picket_model___VERIFIER_nondet_##name(void) { \
    return (type)__picket_nondet(least, most, "__VERIFIER_nondet_" #name); \
  }
__PICKET_MODEL _Bool __picket_model___VERIFIER_nondet_bool(void) { return __picket_choose(0, 1) != 0; }
__PICKET_MODEL _Bool __picket_model___VERIFIER_nondet__Bool(void) { return __picket_choose(0, 1) != 0; }
__PICKET_NONDET(char, char, 0, 127)
__PICKET_NONDET(uchar, unsigned char, 0, 255)
__PICKET_NONDET(short, short, -0x8000, 0x7fff)
__PICKET_NONDET(ushort, unsigned short, 0, 0xffff)
__PICKET_NONDET(int, int, -0x7fffffffl - 1, 0x7fffffff)
__PICKET_NONDET(uint, unsigned, 0, 0xffffffffl)
__PICKET_NONDET(unsigned, unsigned, 0, 0xffffffffl)
__PICKET_NONDET(long, long, -0x7fffffffffffffffl - 1, 0x7fffffffffffffffl)
__PICKET_NONDET(ulong, unsigned long, 0, 0x7fffffffffffffffl)
__PICKET_NONDET(longlong, long long, -0x7fffffffffffffffl - 1, 0x7fffffffffffffffl)
__PICKET_NONDET(ulonglong, unsigned long long, 0, 0x7fffffffffffffffl)
__PICKET_NONDET(size_t, unsigned long, 0, 0x7fffffffffffffffl)
