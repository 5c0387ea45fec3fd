// The confined half of a test suite: finds programs, and checks one. It prints what it finds, for SuiteRun to read.
//
//   {"key", "texts"}     names the program and its options; and the texts that its report quotes. Waits for an answer:
//                        IsKnown ends the process
//   {"progress"}         a line for people, if wanted
//   {"result", "final"}  the ProgramResult; final: the same would be found another time
//   {"lost"}             why there is no result
//
// Each is a line of JSON. A process that is lost may leave a part of a line; the next one begins on a new line.
#pragma once

#include "suite/ProgramResult.h"

namespace picket {

constexpr char IsKnown = 'k', IsUnknown = 'u'; // answers to a key

struct ProgramToCheck {
  std::string File;   // as it is shown
  bool Named = false; // by the user: it is checked also if it starts no threads
  unsigned Cores = 1;
  bool AskIfKnown = false, TellProgress = false, Sarif = false;
};

/// To be called in a confined process. `How`: the options of `picket check`.
int checkProgram(const ProgramToCheck &Which, const CheckCommand &How);

/// "{"lost": ...}" as a line.
std::string lostLine(const std::string &Sentence);

/// Prints the C files below the folders that have a `main`, each with a null character after it. A first, empty one: there
/// are more files than are read. To be called in a confined process.
int findPrograms(const std::vector<std::string> &Folders);

} // namespace picket
