// Lowers constants to numbers: addresses of globals and functions are fixed before any code runs, so every constant
// expression can be computed here.
#pragma once

#include "source/lowering/ModuleSymbols.h"

#include "llvm/ADT/APInt.h"
#include "llvm/IR/Constants.h"

namespace picket {

class ConstantLowering {
public:
  explicit ConstantLowering(const ModuleSymbols &Symbols) : Symbols(Symbols) {}

  /// The bits of a scalar constant. Undefined values are zero. Empty if the constant is not modelled; `Refusal` then
  /// names it.
  std::optional<llvm::APInt> evaluate(const llvm::Constant &C, std::string &Refusal) const;

  /// The initial bytes of a variable that is part of the Program. The few parts that cannot be told (the address of a
  /// label) are zero.
  std::vector<uint8_t> initialBytes(const llvm::GlobalVariable &G) const;

private:
  std::optional<llvm::APInt> evaluateExpression(const llvm::ConstantExpr &E, std::string &Refusal) const;
  void write(const llvm::Constant &C, std::vector<uint8_t> &Bytes, uint64_t Offset) const;

  const ModuleSymbols &Symbols;
};

} // namespace picket
