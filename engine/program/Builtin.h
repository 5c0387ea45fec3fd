// The functions Picket models itself: threads, synchronisation objects, checks and the C library. Everything that
// is not here, not defined in the program and not one of the C models in source/models/Models.h is refused by name.
#pragma once

#include <cstdint>
#include <string_view>

namespace picket {

// clang-format off
#define PICKET_BUILTINS(X)                                                                                              \
  /* threads */                                                                                                         \
  X(ThreadCreate, "pthread_create")       /* (pthread_t *handle, attr *, start, arg) -> 0 */                            \
  X(ThreadJoin, "pthread_join")           /* (pthread_t, void **result) -> 0 */                                         \
  X(ThreadExit, "pthread_exit")           /* (void *result) */                                                          \
  X(ThreadDetach, "pthread_detach")                                                                                     \
  X(ThreadSelf, "pthread_self")                                                                                         \
  X(ThreadEqual, "pthread_equal")                                                                                       \
  /* mutexes, also spin locks */                                                                                        \
  X(MutexInit, "pthread_mutex_init")      /* (mutex *, attr *) */                                                       \
  X(MutexDestroy, "pthread_mutex_destroy")                                                                              \
  X(MutexLock, "pthread_mutex_lock")                                                                                    \
  X(MutexTryLock, "pthread_mutex_trylock")                                                                              \
  X(MutexTimedLock, "pthread_mutex_timedlock")                                                                          \
  X(MutexUnlock, "pthread_mutex_unlock")                                                                                \
  X(MutexAttrInit, "pthread_mutexattr_init")                                                                            \
  X(MutexAttrDestroy, "pthread_mutexattr_destroy")                                                                      \
  X(MutexAttrSetType, "pthread_mutexattr_settype")                                                                      \
  X(SpinInit, "pthread_spin_init")                                                                                      \
  X(SpinDestroy, "pthread_spin_destroy")                                                                                \
  X(SpinLock, "pthread_spin_lock")                                                                                      \
  X(SpinTryLock, "pthread_spin_trylock")                                                                                \
  X(SpinUnlock, "pthread_spin_unlock")                                                                                  \
  /* condition variables */                                                                                             \
  X(CondInit, "pthread_cond_init")                                                                                      \
  X(CondDestroy, "pthread_cond_destroy")                                                                                \
  X(CondWait, "pthread_cond_wait")        /* (cond *, mutex *) */                                                       \
  X(CondTimedWait, "pthread_cond_timedwait")                                                                            \
  X(CondSignal, "pthread_cond_signal")                                                                                  \
  X(CondBroadcast, "pthread_cond_broadcast")                                                                            \
  /* reader-writer locks */                                                                                             \
  X(RwInit, "pthread_rwlock_init")                                                                                      \
  X(RwDestroy, "pthread_rwlock_destroy")                                                                                \
  X(RwReadLock, "pthread_rwlock_rdlock")                                                                                \
  X(RwTryReadLock, "pthread_rwlock_tryrdlock")                                                                          \
  X(RwWriteLock, "pthread_rwlock_wrlock")                                                                               \
  X(RwTryWriteLock, "pthread_rwlock_trywrlock")                                                                         \
  X(RwUnlock, "pthread_rwlock_unlock")                                                                                  \
  /* semaphores */                                                                                                      \
  X(SemInit, "sem_init")                  /* (sem *, shared, value) */                                                  \
  X(SemDestroy, "sem_destroy")                                                                                          \
  X(SemWait, "sem_wait")                                                                                                \
  X(SemTryWait, "sem_trywait")                                                                                          \
  X(SemTimedWait, "sem_timedwait")                                                                                      \
  X(SemPost, "sem_post")                                                                                                \
  X(SemGetValue, "sem_getvalue")                                                                                        \
  /* barriers */                                                                                                        \
  X(BarrierInit, "pthread_barrier_init")  /* (barrier *, attr *, count) */                                              \
  X(BarrierDestroy, "pthread_barrier_destroy")                                                                          \
  X(BarrierWait, "pthread_barrier_wait")                                                                                \
  /* pthread_once in two halves, used by the C model: begin -> 1 run it, 0 done already; waits while it runs */          \
  X(OnceBegin, "__picket_once_begin")                                                                                   \
  X(OnceEnd, "__picket_once_end")                                                                                       \
  /* thread-specific data */                                                                                            \
  X(KeyCreate, "pthread_key_create")      /* (key *, destructor) */                                                     \
  X(KeyDelete, "pthread_key_delete")                                                                                    \
  X(KeyGet, "pthread_getspecific")                                                                                      \
  X(KeySet, "pthread_setspecific")                                                                                      \
  /* checks */                                                                                                          \
  X(AssertFail, "__assert_fail")          /* (const char *expr, const char *file, unsigned line, const char *function) */ \
  X(Abort, "abort")                                                                                                     \
  X(VerifierError, "__VERIFIER_error")    /* also reach_error */                                                        \
  X(VerifierAssert, "__VERIFIER_assert")  /* (int condition) */                                                         \
  X(VerifierAssume, "__VERIFIER_assume")  /* (int condition) */                                                         \
  X(AtomicBegin, "__VERIFIER_atomic_begin")                                                                             \
  X(AtomicEnd, "__VERIFIER_atomic_end")                                                                                 \
  /* memory */                                                                                                          \
  X(Malloc, "malloc")                                                                                                   \
  X(Calloc, "calloc")                                                                                                   \
  X(Realloc, "realloc")                                                                                                 \
  X(AlignedAlloc, "aligned_alloc")        /* (alignment, size) */                                                       \
  X(Free, "free")                                                                                                       \
  /* process */                                                                                                         \
  X(Exit, "exit")                         /* runs what atexit noted, and destructors; then the process is over */        \
  X(QuickExit, "quick_exit")              /* the same with at_quick_exit */                                             \
  X(ImmediateExit, "_exit")               /* also _Exit */                                                              \
  X(FormatLength, "__picket_format_length") /* (format, ...) -> how much printf prints */                                \
  /* for the models of the C library, see Foundations.c */                                                              \
  X(Refuse, "__picket_refuse")            /* (const char *what) */                                                      \
  X(BlockSize, "__picket_block_size")     /* (const void *block) -> bytes, 0 if it is none */                           \
  X(FutexLock, "__picket_futex_lock")     /* (queue, word) */                                                           \
  X(FutexUnlock, "__picket_futex_unlock") /* (queue, word) */                                                           \
  X(FutexWakeAll, "__picket_futex_wake_all") /* (queue, word) -> how many threads were woken */                         \
  X(FutexEnqueue, "__picket_futex_enqueue") /* (queue, word) */                                                         \
  X(FutexWake, "__picket_futex_wake")     /* (queue, word) -> whether a thread was woken */                             \
  X(FutexWait, "__picket_futex_wait")     /* (queue, word) */                                                           \
  X(FutexTimedWait, "__picket_futex_timed_wait") /* (queue, word) -> 0 or ETIMEDOUT */                                  \
  X(Choose, "__picket_choose")            /* (least, most) -> each of them, in executions of their own */               \
  X(Nondet, "__picket_nondet")            /* the same for those of the range that the user gives */                     \
  /* swallowed: evaluate to zero and touch nothing (printf family, usleep, sched_yield, attributes, ...) */              \
  X(Ignore, "__picket_ignore")
// clang-format on

enum class Builtin : uint16_t {
#define X(Name, CName) Name,
  PICKET_BUILTINS(X)
#undef X
};

/// The C name of a builtin, for messages.
std::string_view nameOf(Builtin B);

/// Whether a function is part of the interface of verification tasks: bodies that programs give it are for compilers only,
/// so those that are modelled are not looked at.
bool isVerifierFunction(std::string_view CName);

/// Finds the builtin behind a C function name, aliases included ("reach_error", "printf", "usleep", ...).
/// Returns false if the name is not modelled.
bool findBuiltin(std::string_view CName, Builtin &Found);

} // namespace picket
