#include "source/compile/Stubs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace picket {

static bool isIdentifier(StringRef Name) {
  return !Name.empty() && !isDigit(Name.front()) && all_of(Name, [](char C) { return isAlnum(C) || C == '_'; });
}

std::string parseStub(const std::string &Text, Stubs &Into) {
  auto [Name, Value] = StringRef(Text).split('=');
  int64_t Number = 0;
  uint64_t Large = 0;
  if (!isIdentifier(Name))
    return "'" + Text + "' is no stub (NAME or NAME=VALUE)";
  if (StringRef(Text).contains('=') && Value.getAsInteger(0, Number)) {
    if (Value.getAsInteger(0, Large))
      return "'" + Value.str() + "' is no number that '" + Name.str() + "' can return";
    Number = static_cast<int64_t>(Large);
  }
  std::erase_if(Into.Values, [N = Name](const auto &Known) { return Known.first == N; }); // the last one counts
  Into.Values.push_back({Name.str(), Number});
  return "";
}

std::string takeStubs(std::vector<std::string> &Flags, Stubs &Into) {
  std::string Wrong;
  std::erase_if(Flags, [&](StringRef Flag) {
    if (Flag.consume_front("-fpicket-stubs=")) {
      if (Flag.empty())
        Wrong = "-fpicket-stubs= names no file";
      else if (!is_contained(Into.Files, Flag))
        Into.Files.push_back(Flag.str());
      return true;
    }
    if (!Flag.consume_front("-fpicket-stub="))
      return false;
    if (std::string Here = parseStub(Flag.str(), Into); !Here.empty())
      Wrong = std::move(Here);
    return true;
  });
  return Wrong;
}

std::vector<std::string> undefinedFunctions(const Module &M) {
  std::vector<std::string> Names;
  for (const Function &F : M)
    if (F.isDeclaration() && !F.isIntrinsic() && !F.use_empty())
      Names.push_back(F.getName().str());
  return Names;
}

/// The number as a value of the type that the function returns; null if it cannot be one.
static Constant *resultOf(Type *Returned, int64_t Value) {
  if (auto *Integer = dyn_cast<IntegerType>(Returned))
    return ConstantInt::get(Integer, static_cast<uint64_t>(Value), /*IsSigned=*/true, /*ImplicitTrunc=*/true);
  if (Returned->isFloatTy() || Returned->isDoubleTy())
    return ConstantFP::get(Returned, static_cast<double>(Value));
  if (Returned->isPointerTy())
    return ConstantExpr::getIntToPtr(
        ConstantInt::get(Type::getInt64Ty(Returned->getContext()), static_cast<uint64_t>(Value)), Returned);
  return Value == 0 ? Constant::getNullValue(Returned) : nullptr;
}

void defineStubs(Module &M, const Stubs &Asked, const std::string &File, std::vector<std::string> &Names,
                 std::vector<Diagnostic> &Diagnostics) {
  for (const auto &[Name, Value] : Asked.Values) {
    Function *F = M.getFunction(Name);
    if (!F || F->use_empty())
      continue;
    auto Tell = [&, N = Name](Severity Level, const std::string &Text) {
      Diagnostics.push_back({Level, {File, 0, 0, 0, 0}, "'" + N + "' " + Text, {}});
    };
    if (!F->isDeclaration()) {
      Tell(Severity::Note, "is defined in the program: the stub for it is not used");
      continue;
    }
    Type *Returned = F->getReturnType();
    Constant *Result = Returned->isVoidTy() ? nullptr : resultOf(Returned, Value);
    if (!Returned->isVoidTy() && !Result) {
      Tell(Severity::Error, "cannot be a stub: a result of its type is no number");
      continue;
    }
    BasicBlock *Body = BasicBlock::Create(M.getContext(), "", F);
    ReturnInst::Create(M.getContext(), Result, Body);
    Names.push_back(Name);
    Tell(Severity::Note, Returned->isVoidTy() ? "is a stub without any effect, as asked for"
                                              : "is a stub that returns " + std::to_string(Value) +
                                                    " and has no other effect, as asked for");
  }
}

} // namespace picket
