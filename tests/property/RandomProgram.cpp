#include "property/RandomProgram.h"

#include <algorithm>
#include <cstddef>

namespace picket::testing {

static const char *const Preamble = R"(typedef unsigned long pthread_t;
typedef struct { long Words[5]; } pthread_mutex_t;
typedef struct { long Words[6]; } pthread_cond_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_signal(pthread_cond_t *);
pthread_mutex_t m[2];
pthread_cond_t c;
_Alignas(16) volatile int v[4];
typedef unsigned __int128 wide;
#define V ((volatile wide *)v)
#define AT(n, x) ((wide)(n) << 32 * (x))
volatile int done;
typedef struct { long Words[4]; } sem_t;
int pthread_mutex_init(pthread_mutex_t *, const void *);
int sem_init(sem_t *, int, unsigned);
int sem_wait(sem_t *);
int sem_post(sem_t *);
void *malloc(unsigned long);
void free(void *);
void abort(void);
volatile int *volatile block, *volatile seen;
struct Heap { pthread_mutex_t m; sem_t s; int users; } *h;
static void leave(int n, volatile int *x) { volatile int local = n; seen = &local; *x = n; }
)";

const char *const BlocksFirst = "  block = malloc(sizeof *block);\n  *block = 0;\n  h = malloc(sizeof *h);\n"
                                "  pthread_mutex_init(&h->m, 0);\n  sem_init(&h->s, 0, 0);\n  h->users = 2;\n";

static std::string print(const Statement &S) {
  std::string X = "v[" + std::to_string(S.X) + "]", Y = "v[" + std::to_string(S.Y) + "]", V = std::to_string(S.Value);
  const std::string I = std::to_string(S.X), J = std::to_string(S.Y);
  const std::string Relaxed = "__ATOMIC_RELAXED", Release = "__ATOMIC_RELEASE", SeqCst = "__ATOMIC_SEQ_CST";
  std::string Lock = "&m[" + std::to_string(S.Y & 1) + "]";
  switch (S.What) {
  case Statement::Store: return X + " = " + V + ";";
  case Statement::Load: return "r += " + X + ";";
  case Statement::Copy: return Y + " = " + X + " + " + V + ";";
  case Statement::FetchAdd: return "r += __atomic_fetch_add(&" + X + ", 1, __ATOMIC_SEQ_CST);";
  case Statement::Exchange: return "r += __atomic_exchange_n(&" + X + ", " + V + ", __ATOMIC_SEQ_CST);";
  case Statement::CompareSwap: return "r += __sync_val_compare_and_swap(&" + X + ", " + V + ", " + V + " + 1);";
  case Statement::Guarded: return "if (" + X + " == " + V + ") " + Y + " = " + V + " + 2;";
  case Statement::LockedAdd:
    return "pthread_mutex_lock(" + Lock + "); " + X + " = " + X + " + 1; pthread_mutex_unlock(" + Lock + ");";
  case Statement::TryLocked:
    return "if (pthread_mutex_trylock(" + Lock + ") == 0) { " + X + " = " + V + "; pthread_mutex_unlock(" + Lock +
           "); }";
  case Statement::AwaitNot: return "while (" + X + " == " + V + ") ;";
  case Statement::FullFence: return "__sync_synchronize();";
  case Statement::ReleaseFence: return "__atomic_thread_fence(__ATOMIC_RELEASE);";
  case Statement::StoreRelease: return "__atomic_store_n(&" + X + ", " + V + ", __ATOMIC_RELEASE);";
  case Statement::StoreSeqCst: return "__atomic_store_n(&" + X + ", " + V + ", __ATOMIC_SEQ_CST);";
  case Statement::SignalOrWait:
    if (S.Value & 1)
      return "pthread_mutex_lock(&m[0]); done = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m[0]);";
    return "pthread_mutex_lock(&m[0]); if (!done) pthread_cond_wait(&c, &m[0]); pthread_mutex_unlock(&m[0]);";
  case Statement::RelaxedAdd: return "r += __atomic_fetch_add(&" + X + ", 1, __ATOMIC_RELAXED);";
  case Statement::RelaxedSwap:
    return "{ int old = " + V + "; __atomic_compare_exchange_n(&" + X + ", &old, " + V +
           " + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); r += old; }";
  case Statement::AwaitOther: return "while (" + X + " == " + Y + ") ;";
  case Statement::AwaitBoth: return "while (" + X + " == " + V + " || " + Y + " == " + V + ") ;";
  case Statement::AwaitSwap: return "while (!__sync_bool_compare_and_swap(&" + X + ", " + V + ", " + V + " + 1)) ;";
  case Statement::WideStore:
    return "__atomic_store_n(V, AT(" + V + ", " + I + "), " + (S.Y == 0 ? Relaxed : S.Y == 1 ? Release : SeqCst) + ");";
  case Statement::WideLoad: return "r += (int)(__atomic_load_n(V, " + Relaxed + ") >> 32 * " + I + ");";
  case Statement::WideAdd:
    return "r += (int)(__atomic_fetch_add(V, AT(1, " + I + "), " + (S.Y == 0 ? Relaxed : SeqCst) + ") >> 32 * " + I +
           ");";
  case Statement::WideSwap:
    return "{ wide old = AT(" + V + ", " + J + "); __atomic_compare_exchange_n(V, &old, old + AT(1, " + I + "), 0, " +
           (S.X == 0 ? Relaxed : SeqCst) + ", " + Relaxed + "); r += (int)(old >> 32 * " + I + "); }";
  case Statement::WidePlain:
    return S.Value & 1 ? "*V = AT(" + V + ", " + I + ");" : "r += (int)(*V >> 32 * " + I + ");";
  case Statement::AwaitWide: return "while (__atomic_load_n(V, " + Relaxed + ") >> 32 * " + I + " == " + V + ") ;";
  case Statement::Half:
    return S.Value & 1 ? "((volatile long *)v)[" + J + " & 1] = " + V + ";"
                       : "r += (int)((volatile long *)v)[" + J + " & 1];";
  case Statement::AssertNot: return "if (" + X + " == " + V + ") abort();";
  case Statement::UseBlock: return S.Value & 1 ? "*block = " + V + ";" : "r += *block;";
  case Statement::FreeBlock: return "free((void *)block);";
  case Statement::LeaveLocal: return "leave(" + V + ", &" + X + ");";
  case Statement::UseLocal: return "{ volatile int *q = seen; if (q) *q = " + V + "; }";
  case Statement::UseHeapLock:
    return "pthread_mutex_lock(&h->m); " + X + " = " + X + " + 1; pthread_mutex_unlock(&h->m);";
  case Statement::PostOrWait: return S.Value & 1 ? "sem_post(&h->s);" : "sem_wait(&h->s);";
  case Statement::FreeHeapLock: return "free(h);";
  case Statement::LastOut:
    return "{ pthread_mutex_lock(&h->m); int left = --h->users; pthread_mutex_unlock(&h->m); if (!left) free(h); }";
  case Statement::Narrow:
    return S.Value & 1 ? "((volatile char *)&" + X + ")[1] = " + V + ";" : "r += ((volatile char *)&" + X + ")[0];";
  }
  return "";
}

std::string RandomProgram::text() const {
  std::string Text = Preamble;
  for (size_t T = 0; T < Threads.size(); ++T) {
    Text += "int sink" + std::to_string(T) + ";\nvoid *t" + std::to_string(T) + "(void *p) {\n  int r = 0;\n";
    for (const Statement &S : Threads[T])
      Text += "  " + print(S) + "\n";
    Text += "  sink" + std::to_string(T) + " = r;\n  return p;\n}\n";
  }
  Text += "int main(void) {\n  pthread_t t[" + std::to_string(Threads.size()) + "];\n" + First;
  for (size_t T = 0; T < Threads.size(); ++T)
    Text += "  pthread_create(&t[" + std::to_string(T) + "], 0, t" + std::to_string(T) + ", 0);\n";
  for (size_t T = 0; T < Threads.size(); ++T)
    Text += "  pthread_join(t[" + std::to_string(T) + "], 0);\n";
  return Text + Last + "  return 0;\n}\n";
}

RandomProgram makeProgram(std::mt19937 &Random, const Palette &From, unsigned MaxThreads, unsigned MaxStatements) {
  auto Below = [&](unsigned N) { return static_cast<unsigned>(Random() % N); };
  RandomProgram P;
  unsigned Threads = 2 + Below(MaxThreads - 1), Variables = 1 + Below(3);
  // More threads, fewer statements: brute force has to get through.
  unsigned Most = Threads == 2   ? MaxStatements
                  : Threads == 3 ? std::max(1u, MaxStatements - 2)
                                 : std::max(1u, MaxStatements - 3);
  for (unsigned T = 0; T < Threads; ++T) {
    P.Threads.emplace_back();
    unsigned Length = 1 + Below(Most);
    for (unsigned K = 0; K < Length; ++K)
      P.Threads.back().push_back({From[Below(static_cast<unsigned>(From.size()))],
                                  static_cast<uint8_t>(Below(Variables)), static_cast<uint8_t>(Below(Variables)),
                                  static_cast<uint8_t>(Below(3))});
  }
  return P;
}

std::vector<RandomProgram> shrinks(const RandomProgram &P) {
  std::vector<RandomProgram> Result;
  for (size_t T = 0; T < P.Threads.size(); ++T) {
    if (P.Threads.size() > 1) {
      RandomProgram Fewer = P;
      Fewer.Threads.erase(Fewer.Threads.begin() + static_cast<ptrdiff_t>(T));
      Result.push_back(std::move(Fewer));
    }
    for (size_t K = 0; K < P.Threads[T].size(); ++K) {
      RandomProgram Shorter = P;
      Shorter.Threads[T].erase(Shorter.Threads[T].begin() + static_cast<ptrdiff_t>(K));
      Result.push_back(std::move(Shorter));
    }
  }
  return Result;
}

} // namespace picket::testing
