// SB+10W of "Stateless Model Checking for POWER", Fig. 11, as a litmus test.
#pragma once

#include <string>

namespace picket::testing {

/// Store buffering, then ten writes each in what a sync as the fence makes critical sections.
inline std::string tenWrites(const std::string &Fence) {
  std::string Text = "PPC SB+10W\n{ 0:r2=x; 0:r3=y; 0:r4=z; 0:r5=1; 1:r2=y; 1:r3=x; 1:r4=z; 1:r5=1; }\nP0 | P1 ;\n";
  auto Both = [&](const std::string &Line) { Text += Line + " | " + Line + " ;\n"; };
  Both("stw r5,0(r2)");
  Both(Fence);
  Both("lwz r1,0(r3)");
  Both("cmpwi r1,1");
  Both("beq L");
  for (int K = 0; K < 10; ++K)
    Both("stw r5,0(r4)");
  Both("L:");
  return Text + "forall true\n";
}

} // namespace picket::testing
