// For each row of the table of inline assembly: a piece of C with the instruction, and one with the same meaning without it.
#pragma once

#include "program/Architecture.h"

#include <string>
#include <vector>

namespace picket::testing {

/// Both pieces work on `T *p` (shared memory), `T v`, `T w` and `T r` (the result, zero before). In them
///   @i is the instruction with what follows its name, @s what follows it (x86)
///   @r is w or x, as the modifier of a register of Arm that has the type T
///   @o and @f are the memory orders of an instruction of Arm, and of a compare-and-swap that fails
///   @S is the signed type
struct AssemblyCase {
  Architecture For;
  std::string Row, Assembly, Plain;
  std::string
      Types; // how T is called: "b", "w", "l", "q" (x86: the suffixes), "x" for 16 bytes. Empty: those of the row
  bool TouchesMemory = true; // else only its values are compared
};

const std::vector<AssemblyCase> &assemblyCases();

/// A case for one type and one order.
struct AssemblyVariant {
  const AssemblyCase *Of;
  std::string Name, Type, Assembly, Plain;
};
std::vector<AssemblyVariant> variantsOf(const AssemblyCase &Case);

} // namespace picket::testing
