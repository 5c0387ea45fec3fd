#include "property/MemoryProgram.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace picket::testing {

std::string makeMemoryProgram(std::mt19937 &Random, unsigned MaxStatements) {
  static const char *const Statements[] = {
      "x[A] = B;",
      "r += x[A];",
      "q = malloc(x[A] ? 4 : 16); *q = B; h[C] = q;",
      "if (x[A]) { q = malloc(4); *q = B; h[C] = q; } else { q = malloc(4); h[C] = q; *q = B; }",
      "q = h[C]; if (q) r += q[B];",
      "q = h[C]; if (q) q[B] = x[A];",
      "q = h[C]; if (q) { q = realloc(q, 16); r += q[0]; x[A] = q[B]; h[C] = q; }",
      "q = h[C]; if (q && r != B) { h[C] = 0; free(q); }",
      "{ int local = x[A]; h[C] = &local; r += x[D]; x[D] = local; h[C] = 0; }",
      "tls += x[A]; x[D] = tls;",
      "x[D] = sum(x[A]);",
      "{ struct s a = {{r, 1, x[A]}}, b; memcpy(&b, &a, sizeof b); x[D] = b.w[B]; }",
      "q = h[C]; if (q) { int w; memcpy(&w, q, sizeof w); x[D] = w; }",
      "pthread_create(&child, 0, started, (void *)(long)(x[A] + B)); pthread_join(child, 0);",
      "pthread_create(&child, 0, started, (void *)(long)(x[A] + B));",
      "errno = x[A]; x[D] = errno;",
  };
  auto Below = [&](unsigned N) { return static_cast<unsigned>(Random() % N); };
  std::string Text = R"(
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct s { int w[3]; };
volatile int x[2];
int *volatile h[2];
_Thread_local int tls;
static int sum(int n) { return n > 0 ? n + sum(n - 1) : 0; }
static void *started(void *p) { tls = (int)(long)p; x[1] = 1; x[0] = tls; return p; }
)";
  const unsigned Threads = 2 + Below(2);
  for (unsigned T = 0; T < Threads; ++T) {
    Text += "void *t" + std::to_string(T) + "(void *p) {\n  int r = 0, *q; pthread_t child;\n";
    for (unsigned Left = 1 + Below(Threads == 2 ? MaxStatements : std::max(1u, MaxStatements - 1)); Left; --Left) {
      std::string Line = Statements[Below(std::size(Statements))];
      const unsigned Numbers[] = {Below(2), Below(3), Below(2), Below(2)};
      for (size_t At = 1; At + 1 < Line.size(); ++At) // A, B, C and D stand alone
        if (Line[At] >= 'A' && Line[At] <= 'D' && !std::isalnum(static_cast<unsigned char>(Line[At - 1])) &&
            !std::isalnum(static_cast<unsigned char>(Line[At + 1])))
          Line[At] = static_cast<char>('0' + Numbers[Line[At] - 'A']);
      Text += "  " + Line + "\n";
    }
    Text += "  x[0] = r;\n  (void)q;\n  (void)child;\n  return p;\n}\n";
  }
  Text += "int main(void) {\n  pthread_t t[3];\n";
  for (const char *Call : {"pthread_create(&t[%], 0, t%, 0)", "pthread_join(t[%], 0)"})
    for (unsigned T = 0; T < Threads; ++T) {
      std::string Line = Call;
      std::replace(Line.begin(), Line.end(), '%', static_cast<char>('0' + T));
      Text += "  " + Line + ";\n";
    }
  return Text + "}\n";
}

} // namespace picket::testing
