// Reads expressions of a litmus test in C. All values are of type int.
#pragma once

#include "litmus/LitmusCode.h"
#include "litmus/LitmusText.h"

#include <set>

namespace picket {

class CExpressions {
public:
  CExpressions(LitmusCursor &Text, LitmusThread &Code) : Text(Text), Code(Code) {}

  std::set<std::string, std::less<>> Parameters; // they point to the locations of their names
  std::set<std::string, std::less<>> Variables;

  /// Writes the code that computes an expression, and says where its value is then.
  Operand expression(unsigned Depth = 0);
  /// The name of a parameter: where it points to.
  Operand location(std::string_view Name, uint32_t Line);
  /// `*x = VALUE` behind the star.
  void assignment();
  /// Calls a function of <stdatomic.h>, behind its name. Nothing if it returns no value.
  std::optional<Operand> call(std::string_view Function, uint32_t Line, unsigned Depth);

  std::string newLabel() { return "L" + std::to_string(++NumLabels); }

private:
  static constexpr unsigned MaxDepth = 200;
  static constexpr uint8_t Bits = 32, Bytes = 4;

  struct Operator {
    std::string_view Text;
    Opcode Op;
    bool Swapped = false; // a > b is b < a
  };
  const Operator *acceptOperator(size_t Level);
  Operand binary(size_t Level, unsigned Depth);
  Operand lazy(bool IsAnd, unsigned Depth);
  Operand unary(unsigned Depth);
  Operand primary(unsigned Depth);
  bool acceptCast();
  std::string_view pointer();
  Operand argument(unsigned Depth);
  Operand locationArgument();
  Order order(const char *What, std::initializer_list<Order> Forbidden);
  void comma() { Text.expect(",", "between the arguments"); }
  int32_t load(Operand Where, Order O);
  void store(Operand Where, Operand Value, Order O);
  Operand compareExchange(bool Weak, bool Explicit, unsigned Depth);
  bool next(std::string_view Wanted);

  LitmusCursor &Text;
  LitmusThread &Code;
  unsigned NumLabels = 0;
};

} // namespace picket
