/* What the models of the C library stand on. They are C that is compiled with the programs that are checked, not with Picket: the build
   embeds these texts, and they are compiled as one, this one first.

   - What the models call is declared under a name of its own with the real one as label: Clang wants the real names declared with
     the types of the C library's headers.
   - Types are spelled as the x86-64 psABI and glibc have them: thread ids and sizes are unsigned long, keys unsigned.
   - Bodies must not be turned back into calls of what they define, whatever the optimisation: hence no_builtin. */

#define __PICKET_MODEL __attribute__((__no_builtin__))

/* What the models stand on. */

int __picket_once_begin(void *flag);
void __picket_once_end(void *flag);
int __picket_thread_create(unsigned long *thread, const void *attr, int (*start)(void *),
                           void *arg) __asm__("pthread_create");
int __picket_thread_join(unsigned long thread, void **result) __asm__("pthread_join");
int __picket_thread_detach(unsigned long thread) __asm__("pthread_detach");
unsigned long __picket_thread_self(void) __asm__("pthread_self");
void __picket_thread_exit(void *result) __asm__("pthread_exit") __attribute__((__noreturn__));
int __picket_mutexattr_init(int *attr) __asm__("pthread_mutexattr_init");
int __picket_mutexattr_settype(int *attr, int kind) __asm__("pthread_mutexattr_settype");
int __picket_mutex_init(void *mutex, const int *attr) __asm__("pthread_mutex_init");
int __picket_mutex_destroy(void *mutex) __asm__("pthread_mutex_destroy");
int __picket_mutex_lock(void *mutex) __asm__("pthread_mutex_lock");
int __picket_mutex_trylock(void *mutex) __asm__("pthread_mutex_trylock");
int __picket_mutex_timedlock(void *mutex, const void *time) __asm__("pthread_mutex_timedlock");
int __picket_mutex_unlock(void *mutex) __asm__("pthread_mutex_unlock");
int __picket_cond_init(void *cond, const void *attr) __asm__("pthread_cond_init");
int __picket_cond_destroy(void *cond) __asm__("pthread_cond_destroy");
int __picket_cond_wait(void *cond, void *mutex) __asm__("pthread_cond_wait");
int __picket_cond_timedwait(void *cond, void *mutex, const void *time) __asm__("pthread_cond_timedwait");
int __picket_cond_signal(void *cond) __asm__("pthread_cond_signal");
int __picket_cond_broadcast(void *cond) __asm__("pthread_cond_broadcast");
int __picket_rwlock_tryrdlock(void *lock) __asm__("pthread_rwlock_tryrdlock");
int __picket_rwlock_trywrlock(void *lock) __asm__("pthread_rwlock_trywrlock");
int __picket_sem_timedwait(void *sem, const void *time) __asm__("sem_timedwait");
int __picket_key_create(unsigned *key, void (*destructor)(void *)) __asm__("pthread_key_create");
int __picket_key_delete(unsigned key) __asm__("pthread_key_delete");
void *__picket_key_get(unsigned key) __asm__("pthread_getspecific");
int __picket_key_set(unsigned key, const void *value) __asm__("pthread_setspecific");
int *__picket_errno_location(void) __asm__("__errno_location");
void *__picket_malloc(__SIZE_TYPE__ size) __asm__("malloc");
void *__picket_realloc(void *block, __SIZE_TYPE__ size) __asm__("realloc");
void *__picket_aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size) __asm__("aligned_alloc");

void *__picket_calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size) __asm__("calloc");
void __picket_free(void *block) __asm__("free");

/* Ends the check: the program uses something that is not modelled. Text is a constant. */
void __picket_refuse(const char *text);
/* Bytes of the heap block that begins at an address; 0 if none does. */
unsigned long __picket_block_size(const void *block);
/* Each of the numbers from least to most, in executions of their own. */
long __picket_choose(long least, long most);
/* The same for those of the range that the setting nondet gives, as far as they are in this one. Name: for whom. */
long __picket_nondet(long least, long most, const char *name);

enum {
  __picket_ENOENT = 2,
  __picket_EAGAIN = 11,
  __picket_ENOMEM = 12,
  __picket_EBUSY = 16,
  __picket_EINVAL = 22,
  __picket_ERANGE = 34,
  __picket_ENOSYS = 38,
  __picket_ETIMEDOUT = 110
};
