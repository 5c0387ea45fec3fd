// Makes a random program that shows a problem smaller.
#pragma once

namespace picket::testing {

/// Takes steps to smaller programs as long as `ProblemOf`, which makes a sentence of a program, is not empty.
template <typename RandomProgram, typename Function> RandomProgram smallest(RandomProgram P, Function ProblemOf) {
  for (bool Smaller = true; Smaller;) {
    Smaller = false;
    for (const RandomProgram &Candidate : shrinks(P)) // found by the program's namespace
      if (!ProblemOf(Candidate).empty()) {
        P = Candidate;
        Smaller = true;
        break;
      }
  }
  return P;
}

} // namespace picket::testing
