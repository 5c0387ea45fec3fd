// The syntax tree of a memory model as text: definitions, checks and expressions, as they stand there.
#pragma once

#include "cat/CatLexer.h"

#include <memory>

namespace picket::cat {

enum class ExpressionKind : uint8_t {
  Name,
  Empty,      // 0, {}
  Universe,   // _
  Union,      // | ; any number of parts, as the three below
  Sequence,   // ;
  Difference, // \ , from left to right
  Inter,      // &
  Product,    // S * T
  Plus,
  Star,
  Optional,
  Inverse,
  Complement,
  Identity, // [S]
  Apply,    // a function and its argument
  Tuple,
  Function, // fun Parameters -> part
  Let,      // Bindings in part
  Try,      // the first part, or the second where a name in the first is not known
  If        // Holds: one of two parts
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// What is bound: one name, or a name for each part of a tuple. "_" binds none.
struct Pattern {
  std::vector<std::string> Names;
  bool IsTuple = false;
};

struct Binding {
  Pattern What;
  ExpressionPtr Value;
  Place Where;
};

struct Expression {
  ExpressionKind Kind;
  Place Where;
  std::string Name;                 // Name
  std::vector<ExpressionPtr> Parts; // operands
  Pattern Parameters;               // Function
  std::vector<Binding> Bindings;    // Let
  bool Recursive = false;           // Let
  bool Holds = false;               // If
};

enum class CheckKind : uint8_t { Acyclic, Irreflexive, Empty };

enum class StatementKind : uint8_t {
  Let,
  Check,   // a condition on executions
  Flag,    // flag, undefined_unless: executions are marked
  Include, // Name
  Procedure,
  Call,   // Name, Value
  FromAll // with NAME from ...: one execution for each coherence order
};

struct Statement {
  StatementKind Kind;
  Place Where;
  std::string Name; // of a check or flag, as well
  bool Recursive = false;
  std::vector<Binding> Bindings;
  CheckKind Checks = CheckKind::Acyclic;
  bool Negated = false;        // ~acyclic
  bool MarksBroken = false;    // undefined_unless: marked if the condition does not hold
  ExpressionPtr Value;         // checked, or the argument of a call
  Pattern Parameters;          // Procedure
  std::vector<Statement> Body; // Procedure
};

struct SyntaxTree {
  std::vector<std::string> Title; // the words before the first statement
  std::vector<Statement> Statements;
};

} // namespace picket::cat
