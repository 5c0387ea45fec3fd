// The programs of tests/programs that benches compare models on.
#pragma once

#include <string>
#include <vector>

namespace picket {

struct Subject {
  std::string Name;
  std::vector<std::string> Flags;
  unsigned Unroll = 0;
  std::string text() const {
    std::string Text = Name;
    for (const std::string &Flag : Flags)
      Text += " " + Flag;
    return Text;
  }
};

/// The programs of expected.tsv, each once, but for those of which it is known that they are not robust.
std::vector<Subject> allSubjects();

/// Of this thread, so far.
double processorSeconds();

} // namespace picket
