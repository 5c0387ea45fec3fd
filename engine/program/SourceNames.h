// SourceNames: the names of the source text, of variables, their types, and the expressions that access memory. For
// people only: no verdict depends on them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace picket {

struct SourceType {
  enum Kind : uint8_t { Unknown, Bool, Char, Signed, Unsigned, Float, Pointer, Enum, Struct, Union, Array };
  struct Field {
    std::string Name; // empty: an anonymous struct or union, whose fields are named like the outer one's own
    uint32_t Offset = 0;
    uint32_t Type = 0;
    uint32_t BitOffset = 0, BitWidth = 0; // bit-fields: within the bytes at Offset
  };

  Kind What = Unknown;
  uint32_t Size = 0;         // bytes
  std::string Name;          // as the source writes it: "int", "struct node", "atomic_int"
  uint32_t Element = 0;      // Array: of its elements; Pointer: of what it points to
  std::vector<Field> Fields; // Struct, Union
  std::vector<std::pair<int64_t, std::string>> Enumerators; // Enum
};

struct SourceNames {
  /// A variable, or (without a name) the heap blocks that one call allocates; then Type is what the block is an array
  /// of, as far as the source says.
  struct Object {
    std::string Name;
    std::string Function; // the function it belongs to, if any
    uint32_t Type = 0;
    uint32_t Location = 0; // index into Program::Locations
    uint32_t Offset = 0;   // where in the variable it begins: of some local variables only a part is in memory
  };
  /// The text of the expression behind a memory access. A load stands at the place Clang gives the expression, a store at
  /// that of the assignment.
  struct Expression {
    uint32_t File = 0, Line = 0, Column = 0;
    bool Write = false; // the text names what is written
    std::string Text;   // "q->head", "flag[i]"
    uint32_t Type = 0;
  };

  std::vector<SourceType> Types{1};    // Types[0]: unknown
  std::vector<Object> Globals;         // as Program::Globals
  std::vector<Object> Sites;           // per allocation site (Program::NumSites)
  std::vector<Expression> Expressions; // sorted by place, reads before writes

  /// Null if there is none, or several with different texts (`a` and `a[i]` begin at the same place). What is accessed
  /// tells them apart: the type of the variable or part, or its size. 0: not known.
  const Expression *expressionAt(uint32_t File, uint32_t Line, uint32_t Column, bool Write, uint32_t Size = 0,
                                 uint32_t PartType = 0) const;
};

} // namespace picket
