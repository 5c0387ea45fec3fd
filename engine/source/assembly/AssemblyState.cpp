#include "source/assembly/AssemblyState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace picket {

namespace {

enum class Test : uint8_t { Always, Zero, Lower, LowerOrZero, Less, LessOrZero, Negative };

struct Condition {
  Test What;
  bool Holds;
};

std::optional<Condition> conditionNamed(Architecture For, StringRef Name) {
  using C = std::optional<Condition>;
  if (For == Architecture::X86_64)
    return StringSwitch<C>(Name)
        .Cases({"e", "z"}, Condition{Test::Zero, true})
        .Cases({"ne", "nz"}, Condition{Test::Zero, false})
        .Cases({"c", "b", "nae"}, Condition{Test::Lower, true})
        .Cases({"nc", "ae", "nb"}, Condition{Test::Lower, false})
        .Cases({"be", "na"}, Condition{Test::LowerOrZero, true})
        .Cases({"a", "nbe"}, Condition{Test::LowerOrZero, false})
        .Case("s", Condition{Test::Negative, true})
        .Case("ns", Condition{Test::Negative, false})
        .Cases({"l", "nge"}, Condition{Test::Less, true})
        .Cases({"ge", "nl"}, Condition{Test::Less, false})
        .Cases({"le", "ng"}, Condition{Test::LessOrZero, true})
        .Cases({"g", "nle"}, Condition{Test::LessOrZero, false})
        .Default(std::nullopt);
  return StringSwitch<C>(Name)
      .Cases({"", "al"}, Condition{Test::Always, true})
      .Case("eq", Condition{Test::Zero, true})
      .Case("ne", Condition{Test::Zero, false})
      .Cases({"lo", "cc"}, Condition{Test::Lower, true})
      .Cases({"hs", "cs"}, Condition{Test::Lower, false})
      .Case("ls", Condition{Test::LowerOrZero, true})
      .Case("hi", Condition{Test::LowerOrZero, false})
      .Case("mi", Condition{Test::Negative, true})
      .Case("pl", Condition{Test::Negative, false})
      .Case("lt", Condition{Test::Less, true})
      .Case("ge", Condition{Test::Less, false})
      .Case("le", Condition{Test::LessOrZero, true})
      .Case("gt", Condition{Test::LessOrZero, false})
      .Default(std::nullopt);
}

Value *joined(IRBuilderBase &Builder, ArrayRef<std::pair<BasicBlock *, Value *>> Ways) {
  if (any_of(Ways, [](const auto &Way) { return !Way.second; }))
    return nullptr;
  if (all_of(Ways, [&](const auto &Way) { return Way.second == Ways.front().second; }))
    return Ways.front().second;
  PHINode *Phi = Builder.CreatePHI(Ways.front().second->getType(), static_cast<unsigned>(Ways.size()));
  for (const auto &[From, V] : Ways)
    Phi->addIncoming(V, From);
  return Phi;
}

} // namespace

Value *conditionOf(IRBuilderBase &Builder, Architecture For, StringRef Name, const AssemblyFlags &Flags) {
  const std::optional<Condition> C = conditionNamed(For, Name);
  if (!C)
    throw AssemblyRefused{"the condition '" + Name.str() + "' is not modelled"};
  Value *First = nullptr;
  switch (C->What) {
  case Test::Always: return Builder.getTrue();
  case Test::Zero: First = Flags.Zero; break;
  case Test::Lower:
  case Test::LowerOrZero: First = Flags.Lower; break;
  case Test::Less:
  case Test::LessOrZero: First = Flags.Less; break;
  case Test::Negative: First = Flags.Negative; break;
  }
  const bool NeedsZero = C->What == Test::LowerOrZero || C->What == Test::LessOrZero;
  if (!First || (NeedsZero && !Flags.Zero))
    throw AssemblyRefused{"whether the condition '" + Name.str() + "' holds is not known there"};
  if (NeedsZero)
    First = Builder.CreateOr(First, Flags.Zero);
  return C->Holds ? First : Builder.CreateNot(First);
}

AssemblyLabel::AssemblyLabel(Function &F, bool ComesBack)
    : Block(BasicBlock::Create(F.getContext(), "", &F)), ComesBack(ComesBack) {}

void AssemblyLabel::arrive(BasicBlock &From, const AssemblyState &With) {
  if (!IsOpen) {
    Ways.push_back({&From, With});
    return;
  }
  for (const Joined &J : Registers) {
    const AssemblyValue &V = With.Registers[J.Register];
    if (V.Known < J.Known)
      throw AssemblyRefused{"a register has no value that is known when it jumps back"};
    J.Phi->addIncoming(V.V ? V.V : ConstantInt::get(J.Phi->getType(), 0), &From);
  }
}

AssemblyState AssemblyLabel::open(IRBuilderBase &Builder, const std::vector<bool> &MayChange) {
  IsOpen = true;
  AssemblyState Known = Ways.front().second;
  for (unsigned R = 0; R < Known.Registers.size(); ++R) {
    if (!MayChange[R])
      continue;
    AssemblyValue &Here = Known.Registers[R];
    SmallVector<std::pair<BasicBlock *, Value *>, 4> Values;
    unsigned Least = 64;
    for (const auto &[From, With] : Ways) {
      const AssemblyValue &V = With.Registers[R];
      Values.push_back({From, V.V ? V.V : Builder.getInt64(0)});
      Least = std::min(Least, V.Known);
    }
    if (ComesBack) {
      PHINode *Phi = Builder.CreatePHI(Builder.getInt64Ty(), 2);
      for (const auto &[From, V] : Values)
        Phi->addIncoming(V, From);
      Registers.push_back({Phi, R, Least});
      Here = {Phi, Least};
    } else if (Value *V = joined(Builder, Values); V != Here.V)
      Here = {V, Least};
  }
  for (unsigned F = 0; F < Known.Flags.size(); ++F) {
    auto Join = [&](Value *AssemblyFlags::*Which) {
      SmallVector<std::pair<BasicBlock *, Value *>, 4> Values;
      for (const auto &[From, With] : Ways)
        Values.push_back({From, With.Flags[F].*Which});
      Known.Flags[F].*Which = ComesBack ? nullptr : joined(Builder, Values);
    };
    for (Value *AssemblyFlags::*Which :
         {&AssemblyFlags::Zero, &AssemblyFlags::Lower, &AssemblyFlags::Less, &AssemblyFlags::Negative})
      Join(Which);
  }
  return Known;
}

} // namespace picket
