#include "property/LoopingProgram.h"

namespace picket::testing {

namespace {

class Writer {
public:
  Writer(std::mt19937 &Random, bool Barriers) : Random(Random), Barriers(Barriers) {}

  std::string program() {
    unsigned Threads = 2 + below(2);
    std::string Text = R"(typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __VERIFIER_assert(int);
void *malloc(unsigned long);
void free(void *);
volatile int v[3];
)";
    for (unsigned T = 0; T < Threads; ++T) {
      Text += "void *t" + std::to_string(T) + "(void *p) {\n  int r = 0, q = 0;\n" + statements(1, 3);
      if (below(3) > 0)
        Text += loop();
      Text += statements(0, 2) + "  return p;\n}\n";
    }
    Text += "int main(void) {\n  pthread_t t[3];\n";
    for (unsigned T = 0; T < Threads; ++T)
      Text += "  pthread_create(&t[" + std::to_string(T) + "], 0, t" + std::to_string(T) + ", 0);\n";
    if (below(2))
      for (unsigned T = 0; T < Threads; ++T)
        Text += "  pthread_join(t[" + std::to_string(T) + "], 0);\n";
    if (below(2))
      Text += "  __VERIFIER_assert(" + variable() + " != " + number() + ");\n";
    return Text + "  return 0;\n}\n";
  }

private:
  unsigned below(unsigned N) { return static_cast<unsigned>(Random() % N); }
  std::string variable() { return "v[" + std::to_string(below(3)) + "]"; }
  std::string number() { return std::to_string(below(3)); }

  std::string statement() {
    switch (below(Barriers ? 12 : 9)) {
    case 0:
    case 1: return variable() + " = " + number() + ";";
    case 2: return "r = " + variable() + ";";
    case 3: return "q = " + variable() + ";";
    case 4: return "if (r == " + number() + ") " + variable() + " = " + number() + ";";
    case 5: return "r = __sync_val_compare_and_swap(&" + variable() + ", " + number() + ", " + number() + ");";
    case 6: return "__VERIFIER_assert(!(r == " + number() + " && q == " + number() + "));";
    case 7: return "{ int *block = malloc(4); *block = r; q = *block; free(block); }";
    case 9: return "__atomic_store_n(&" + variable() + ", " + number() + ", __ATOMIC_RELEASE);";
    case 10: return "r = __atomic_exchange_n(&" + variable() + ", " + number() + ", __ATOMIC_RELAXED);";
    case 11: return "__atomic_thread_fence(__ATOMIC_RELEASE);";
    default: return "{ int own = q; int *volatile name = &own; *name = r; q = own; }";
    }
  }

  std::string statements(unsigned Least, unsigned Most) {
    std::string Text;
    for (unsigned K = Least + below(Most - Least + 1); K > 0; --K)
      Text += "  " + statement() + "\n";
    return Text;
  }

  std::string loop() {
    switch (below(3)) {
    case 0: return "  for (;;) {\n" + statements(1, 3) + "  if (" + variable() + " == " + number() + ") break;\n  }\n";
    case 1: return "  while (" + variable() + " != " + number() + ") {\n" + statements(1, 3) + "  }\n";
    default: return "  for (;;) {\n  r = " + variable() + ";\n" + statements(1, 3) + "  }\n";
    }
  }

  std::mt19937 &Random;
  const bool Barriers;
};

} // namespace

std::string makeLoopingProgram(std::mt19937 &Random, bool Barriers) { return Writer(Random, Barriers).program(); }

} // namespace picket::testing
