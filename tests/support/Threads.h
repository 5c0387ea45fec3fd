// Generates the text of small programs with several threads.
#pragma once

#include <string>
#include <vector>

namespace picket::testing {

/// A program: what stands in front (includes and globals), the threads' bodies, and what main does when all have ended.
inline std::string programOf(const std::string &Front, const std::vector<std::string> &Bodies,
                             const std::string &Then = "") {
  std::string Text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n" +
                     Front + "\n",
              Start, Wait;
  for (size_t K = 0; K < Bodies.size(); ++K) {
    const std::string N = std::to_string(K);
    Text += "static void *t" + N + "(void *p) { " + Bodies[K] + " return p; }\n";
    Start += "pthread_create(&t[" + N + "], 0, t" + N + ", 0); ";
    Wait += "pthread_join(t[" + N + "], 0); ";
  }
  return Text + "int main(void) { pthread_t t[" + std::to_string(Bodies.size()) + "]; " + Start + Wait + Then +
         " return 0; }\n";
}

} // namespace picket::testing
