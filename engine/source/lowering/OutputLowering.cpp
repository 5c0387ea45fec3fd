// Output is swallowed, but for what a program can tell: how much was printed, and what was printed last.
#include "source/lowering/FunctionLowering.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace picket {

namespace {

/// Which argument is the format, and whether what is to be printed follows it (and is no va_list); -1: no such
/// function.
struct FormatArgument {
  int Index = -1;
  bool InPlace = true;
};

FormatArgument formatOf(StringRef Name) {
  return StringSwitch<FormatArgument>(Name)
      .Case("printf", {0, true})
      .Cases({"fprintf", "dprintf", "syslog", "__printf_chk"}, {1, true})
      .Case("__fprintf_chk", {2, true})
      .Case("vprintf", {0, false})
      .Cases({"vfprintf", "vdprintf"}, {1, false})
      .Default({});
}

/// Whether a format has a conversion that writes through a pointer.
bool writes(StringRef Format) {
  for (size_t At = Format.find('%'); At != StringRef::npos && At + 1 < Format.size(); At = Format.find('%', At)) {
    const size_t Conversion = Format.find_first_not_of("0123456789-+ #'*.$hlLqjzt", At + 1);
    if (Conversion == StringRef::npos)
      return false;
    if (Format[Conversion] == 'n')
      return true;
    At = Conversion + 1;
  }
  return false;
}

/// The text a pointer to a constant points to.
std::optional<StringRef> textOf(const Value &Pointer) {
  StringRef Text;
  return getConstantStringInfo(&Pointer, Text) ? std::optional(Text) : std::nullopt;
}

/// Whether some text of the program is a format that writes.
bool hasWritingFormat(const Module &M) {
  return any_of(M.globals(), [](const GlobalVariable &G) {
    auto *Bytes = G.hasInitializer() ? dyn_cast<ConstantDataSequential>(G.getInitializer()) : nullptr;
    return Bytes && Bytes->isString() && writes(Bytes->getAsString());
  });
}

} // namespace

bool FunctionLowering::lowerOutput(const CallBase &I, StringRef Name) {
  if (Name == "putchar" || Name == "putchar_unlocked" || Name == "putc" || Name == "fputc") {
    if (!I.use_empty())
      define(I, Builder.unary(Opcode::Truncate, 8, scalar(*I.getArgOperand(0))));
    return true;
  }
  const FormatArgument Format = formatOf(Name);
  if (Format.Index < 0 || I.arg_size() <= static_cast<unsigned>(Format.Index))
    return false;
  const std::optional<StringRef> Text = textOf(*I.getArgOperand(static_cast<unsigned>(Format.Index)));
  if (Text ? writes(*Text) : hasWritingFormat(*Func.getParent())) {
    refuse(I, "'%n' in a format of '" + Name.str() + "'");
    return true;
  }
  if (I.use_empty())
    return true;
  if (!Text || !Format.InPlace) {
    refuse(I, "the result of '" + Name.str() + "', whose format or arguments are not known here");
    return true;
  }
  std::vector<Operand> Arguments;
  for (unsigned K = static_cast<unsigned>(Format.Index); K < I.arg_size(); ++K) {
    const Type *T = I.getArgOperand(K)->getType();
    if (!T->isPointerTy() && !T->isDoubleTy() && !T->isIntegerTy(32) && !T->isIntegerTy(64)) {
      refuse(I, "the result of '" + Name.str() + "' with an argument that is wider than 8 bytes");
      return true;
    }
    appendArgument(*I.getArgOperand(K), Arguments);
  }
  emitCall(I, {.Op = Opcode::CallBuiltin, .Imm = static_cast<int64_t>(Builtin::FormatLength)}, Arguments);
  return true;
}

} // namespace picket
