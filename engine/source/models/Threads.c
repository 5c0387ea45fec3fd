/* Threads. Foundations.c says how the text is written. */

/* POSIX threads: what follows from the rest */

__PICKET_MODEL int __picket_model_pthread_once(int *flag, void (*routine)(void)) {
  if (__picket_once_begin(flag)) {
    routine();
    __picket_once_end(flag);
  }
  return 0;
}

__PICKET_MODEL int __picket_model_pthread_rwlock_timedrdlock(void *lock, const void *time) {
  int error = __picket_rwlock_tryrdlock(lock);
  (void)time;
  return error == __picket_EBUSY ? __picket_ETIMEDOUT : error;
}

__PICKET_MODEL int __picket_model_pthread_rwlock_timedwrlock(void *lock, const void *time) {
  int error = __picket_rwlock_trywrlock(lock);
  (void)time;
  return error == __picket_EBUSY ? __picket_ETIMEDOUT : error;
}

__PICKET_MODEL int __picket_model_pthread_rwlock_clockrdlock(void *lock, int clock, const void *time) {
  (void)clock;
  return __picket_model_pthread_rwlock_timedrdlock(lock, time);
}

__PICKET_MODEL int __picket_model_pthread_rwlock_clockwrlock(void *lock, int clock, const void *time) {
  (void)clock;
  return __picket_model_pthread_rwlock_timedwrlock(lock, time);
}

__PICKET_MODEL int __picket_model_pthread_mutex_clocklock(void *mutex, int clock, const void *time) {
  (void)clock;
  return __picket_mutex_timedlock(mutex, time);
}

__attribute__((__always_inline__)) __PICKET_MODEL int
__picket_model_pthread_cond_clockwait(void *cond, void *mutex, int clock, const void *time) {
  (void)clock;
  return __picket_cond_timedwait(cond, mutex, time);
}

__PICKET_MODEL int __picket_model_sem_clockwait(void *sem, int clock, const void *time) {
  (void)clock;
  return __picket_sem_timedwait(sem, time);
}

/* C11 threads */

enum {
  __picket_thrd_success = 0,
  __picket_thrd_busy = 1,
  __picket_thrd_error = 2,
  __picket_thrd_nomem = 3,
  __picket_thrd_timedout = 4,
  __picket_mtx_recursive = 1
};

static int __picket_thrd_result(int error) {
  switch (error) {
  case 0: return __picket_thrd_success;
  case __picket_ENOMEM: return __picket_thrd_nomem;
  case __picket_EBUSY: return __picket_thrd_busy;
  case __picket_ETIMEDOUT: return __picket_thrd_timedout;
  default: return __picket_thrd_error;
  }
}

/* The start function is handed over as it is: its int arrives in the low half of the thread's result. */
__PICKET_MODEL int __picket_model_thrd_create(unsigned long *thread, int (*start)(void *), void *arg) {
  return __picket_thrd_result(__picket_thread_create(thread, (void *)0, start, arg));
}

__PICKET_MODEL int __picket_model_thrd_equal(unsigned long left, unsigned long right) { return left == right; }

__PICKET_MODEL unsigned long __picket_model_thrd_current(void) { return __picket_thread_self(); }

__attribute__((__noreturn__)) __PICKET_MODEL void __picket_model_thrd_exit(int result) {
  __picket_thread_exit((void *)(long)result);
}

__PICKET_MODEL int __picket_model_thrd_detach(unsigned long thread) {
  return __picket_thrd_result(__picket_thread_detach(thread));
}

__PICKET_MODEL int __picket_model_thrd_join(unsigned long thread, int *result) {
  void *value = (void *)0;
  int error = __picket_thread_join(thread, &value);
  if (error == 0 && result)
    *result = (int)(long)value;
  return __picket_thrd_result(error);
}

__PICKET_MODEL int __picket_model_mtx_init(void *mutex, int type) {
  int attr;
  if (!(type & __picket_mtx_recursive))
    return __picket_thrd_result(__picket_mutex_init(mutex, (const int *)0));
  __picket_mutexattr_init(&attr);
  __picket_mutexattr_settype(&attr, 1 /* PTHREAD_MUTEX_RECURSIVE */);
  return __picket_thrd_result(__picket_mutex_init(mutex, &attr));
}

__PICKET_MODEL void __picket_model_mtx_destroy(void *mutex) { __picket_mutex_destroy(mutex); }

__PICKET_MODEL int __picket_model_mtx_lock(void *mutex) { return __picket_thrd_result(__picket_mutex_lock(mutex)); }

__PICKET_MODEL int __picket_model_mtx_trylock(void *mutex) {
  return __picket_thrd_result(__picket_mutex_trylock(mutex));
}

__PICKET_MODEL int __picket_model_mtx_timedlock(void *mutex, const void *time) {
  return __picket_thrd_result(__picket_mutex_timedlock(mutex, time));
}

__PICKET_MODEL int __picket_model_mtx_unlock(void *mutex) { return __picket_thrd_result(__picket_mutex_unlock(mutex)); }

__PICKET_MODEL void __picket_model_call_once(int *flag, void (*routine)(void)) {
  __picket_model_pthread_once(flag, routine);
}

__PICKET_MODEL int __picket_model_cnd_init(void *cond) {
  return __picket_thrd_result(__picket_cond_init(cond, (void *)0));
}

__PICKET_MODEL void __picket_model_cnd_destroy(void *cond) { __picket_cond_destroy(cond); }

/* Waits are inlined: see linkNeededModels. */
__attribute__((__always_inline__)) __PICKET_MODEL int __picket_model_cnd_wait(void *cond, void *mutex) {
  return __picket_thrd_result(__picket_cond_wait(cond, mutex));
}

__attribute__((__always_inline__)) __PICKET_MODEL int __picket_model_cnd_timedwait(void *cond, void *mutex,
                                                                                   const void *time) {
  return __picket_thrd_result(__picket_cond_timedwait(cond, mutex, time));
}

__PICKET_MODEL int __picket_model_cnd_signal(void *cond) { return __picket_thrd_result(__picket_cond_signal(cond)); }

__PICKET_MODEL int __picket_model_cnd_broadcast(void *cond) {
  return __picket_thrd_result(__picket_cond_broadcast(cond));
}

__PICKET_MODEL int __picket_model_tss_create(unsigned *key, void (*destructor)(void *)) {
  return __picket_thrd_result(__picket_key_create(key, destructor));
}

__PICKET_MODEL void __picket_model_tss_delete(unsigned key) { __picket_key_delete(key); }

__PICKET_MODEL void *__picket_model_tss_get(unsigned key) { return __picket_key_get(key); }

__PICKET_MODEL int __picket_model_tss_set(unsigned key, void *value) {
  return __picket_thrd_result(__picket_key_set(key, value));
}
