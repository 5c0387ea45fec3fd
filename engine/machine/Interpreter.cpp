#include "machine/Interpreter.h"

#include "machine/Arithmetic.h"
#include "machine/Messages.h"
#include "program/Operands.h"

namespace picket {

bool Interpreter::stop(const Operation &Op) {
  State.Pending = Op;
  State.Pending.MaySpin =
      (Prog.Code[State.Pc].Flags & InSpinCandidate) != 0 && Prog.Code[State.Pc].Op != Opcode::CallBuiltin;
  State.Probed = false;
  State.Seen = Visibility::Unknown;
  State.Status = ThreadStatus::Ready;
  return false;
}

bool Interpreter::failed(BugKind Kind, std::string Message) {
  Parts.Bugs.add(Kind, Id, State.Pc, std::move(Message));
  State.Status = ThreadStatus::Failed;
  State.Pending = Operation();
  return false;
}

bool Interpreter::call(const Instruction &I, uint32_t Function) {
  const picket::Function &F = Prog.Functions[Function];
  if (!F.Defined)
    stopUnsupported(Id, State.Pc, Prog.Messages[F.Message]);
  if (static_cast<uint32_t>(I.C) < F.NumParameters)
    stopUnsupported(Id, State.Pc, "call of '" + F.Name + "' with too few arguments");
  uint32_t CallPc = State.Pc;
  uint64_t *Caller = Registers;
  if (State.Depth + 1 >= Thread::MaxFrames ||
      frame().Base + Prog.Functions[frame().Function].NumSlots + F.NumSlots >= Thread::MaxRegisters)
    return failed(BugKind::StackOverflow, "the stack overflows: '" + F.Name + "' is called more than " +
                                              std::to_string(State.Depth - 1) + " calls deep");
  Parts.Threads.pushFrame(Current, Function, CallPc);
  frame().ReadsAtCall = State.Reads;
  if (I.D && !State.NotedDepth)
    State.NotedDepth = State.Depth;
  enterFrame();
  for (uint32_t K = 0; K < F.NumParameters; ++K) {
    Operand O = Prog.Arguments[I.B + K];
    Registers[K] = O >= 0 ? Caller[O] : Prog.Constants[~O];
  }
  State.Pc = F.Entry;
  return true;
}

bool Interpreter::callIndirect(const Instruction &I) {
  Address Target = value(I.A);
  uint32_t Slot = slotOf(Target);
  if (Slot < FirstFunctionSlot || Slot - FirstFunctionSlot >= Prog.Functions.size() || offsetOf(Target) != 0)
    return failed(Target == 0 ? BugKind::NullAccess : BugKind::InvalidAccess,
                  Target == 0 ? "call through a null function pointer"
                              : "call through a pointer that is not a function");
  return call(I, Slot - FirstFunctionSlot);
}

bool Interpreter::doReturn(const Instruction &I) {
  bool HasLocals = State.StackObjects > frame().StackObjects;
  return HasLocals && stopForEnds() ? false : finishReturn(I);
}

bool Interpreter::finishReturn(const Instruction &I) {
  uint64_t Low = I.Flags >= 1 ? value(I.A) : 0;
  uint64_t High = I.Flags == 2 ? upper(I.A) : 0;
  uint32_t CallPc = frame().CallPc, ReadsAtCall = frame().ReadsAtCall;
  popFrame(!endsProcess(Current, State));
  if (State.Depth == 0) {
    if (State.Phase == ThreadState::Running)
      State.Result = Low;
    return nextPhaseStep();
  }
  if (State.Depth < State.NotedDepth)
    State.NotedDepth = 0;
  enterFrame();
  const Instruction &Call = Prog.Code[CallPc];
  if (isNoted(Call))
    noteValue(Low);
  if (Call.Dst >= 0 && I.Flags >= 1) {
    Registers[Call.Dst] = Low;
    if (I.Flags == 2)
      Registers[Call.Dst + 1] = High;
  }
  if (Call.D && State.Reads != ReadsAtCall) {
    int32_t Fed = Prog.Functions[frame().Function].FedSlot;
    if (Fed >= 0)
      Registers[Fed] |= static_cast<uint32_t>(Call.D);
  }
  State.Pc = CallPc + 1;
  return true;
}

bool Interpreter::cut(const Instruction &I) {
  State.Status = ThreadStatus::Cut;
  State.Pending = Operation();
  State.LoopIndex = static_cast<uint32_t>(I.B);
  return false;
}

bool Interpreter::loopBack(const Instruction &I) {
  // A loop that nobody else keeps going and that goes on and on: it may end, but not soon.
  constexpr uint64_t MostOfOwn = 1'000'000;
  uint64_t Bit = 1ull << I.Imm;
  uint64_t Total = ++Registers[I.Dst + loopslots::Total];
  bool Fed = (Registers[I.C] & Bit) || (Parts.Options.BoundEveryLoop && !Parts.Threads.alone());
  Registers[I.C] &= ~Bit;
  if (Parts.Options.comparesStates())
    Parts.Loops.add({Id, static_cast<uint32_t>(I.B), false});
  if (Fed && ++Registers[I.Dst + loopslots::Fed] >= Parts.Options.Unroll)
    return cut(I);
  if (!Fed && Total >= Parts.Options.Unroll && !Parts.Options.comparesStates() &&
      (repeats(I, Total) || (Total > MostOfOwn && !Parts.Threads.alone())))
    return cut(I);
  // Nobody else has written what the loop waits for, as far as is known. Others may yet: let them go first, once.
  if (Total == Parts.Options.Unroll && !Parts.Threads.alone() && !State.InAtomic) {
    Operation Op;
    Op.Kind = OperationKind::Yield;
    return stop(Op);
  }
  State.Pc = static_cast<uint32_t>(I.A);
  return true;
}

/// Adds a value that may decide when a loop ends to what the thread has read so far. The trail is a polynomial hash, so
/// that a part of it can be told apart from what was in front.
void Interpreter::noteValue(uint64_t Value) {
  constexpr uint64_t Odd = 0x9E3779B97F4A7C15, Base = 0xD6E8FEB86659FD93;
  Value = (Value ^ Value >> 32) * Odd;
  State.Trail += ((Value ^ Value >> 29) + Odd) * State.TrailWeight;
  State.TrailWeight *= Base;
}

/// The inverse of an odd number, modulo 2^64.
static uint64_t inverse(uint64_t Odd) {
  uint64_t Result = Odd; // right in the last three bits; each round doubles their number
  for (int Round = 0; Round < 5; ++Round)
    Result *= 2 - Odd * Result;
  return Result;
}

/// Whether the loop goes round without getting any further: what decides when it ends (what it has read that may, and
/// what it carries into the next iteration) is what it was an iteration ago. Then the loop has left memory as that
/// iteration did, and will as long as nobody else writes what it reads. Longer circles count once they have come round
/// many times. Asked at each back edge from the Unroll-th on, unless others have fed the loop.
bool Interpreter::repeats(const Instruction &I, uint64_t Total) {
  constexpr uint64_t Many = 256;
  if ((I.Flags & CarriedUnknown) ||
      (Parts.Options.Speculative && Parts.Threads.concurrentPhases() > 0)) // registers may wait for loads
    return false;
  uint64_t *Slots = Registers + I.Dst;
  const uint64_t Iteration = (State.Trail - Slots[loopslots::Trail]) * inverse(Slots[loopslots::Weight] | 1);
  Slots[loopslots::Trail] = State.Trail;
  Slots[loopslots::Weight] = State.TrailWeight;
  if (Total == Parts.Options.Unroll) // where it began is not known
    return false;
  auto IsSample = [&](uint64_t N) { return N == Parts.Options.Unroll + 1ull || (N & (N - 1)) == 0; };
  if (IsSample(Total)) {
    // A sample for as many iterations as there were: the distance grows until it is that of the circle.
    const bool Same = IsSample(Total - 1) && Total - 1 > Parts.Options.Unroll && Slots[loopslots::Sample] == Iteration;
    Slots[loopslots::Sample] = Iteration;
    Slots[loopslots::Matches] = 0;
    return Same;
  }
  if (Slots[loopslots::Sample] != Iteration)
    return false;
  return IsSample(Total - 1) || ++Slots[loopslots::Matches] >= Many;
}

bool Interpreter::spinBack(const Instruction &I) {
  if (Registers[I.Dst + loopslots::Effects] != State.Effects)
    return loopBack(I);
  State.Status = I.Flags & ReadsNothing ? ThreadStatus::Endless : ThreadStatus::Spinning;
  State.Pending = Operation();
  State.LoopIndex = static_cast<uint32_t>(I.B);
  return false;
}

void Interpreter::goToLoopHead() {
  assert(isLoopBack(Prog.Code[State.Pc].Op));
  State.Pc = static_cast<uint32_t>(Prog.Code[State.Pc].A);
}

bool Interpreter::wideBinary(const Instruction &I) {
  auto Op = static_cast<Opcode>(I.Flags);
  Wide A = makeWide(value(I.A), upper(I.A)), B = makeWide(value(I.B), upper(I.B));
  bool Divides = Op == Opcode::UDiv || Op == Opcode::SDiv || Op == Opcode::URem || Op == Opcode::SRem;
  if (Divides && B == 0)
    return failed(BugKind::DivisionByZero, "division by zero");
  Wide Result = evaluateWide(Op, A, B, I.Width);
  Registers[I.Dst] = static_cast<uint64_t>(Result);
  if (Op < Opcode::Eq)
    Registers[I.Dst + 1] = static_cast<uint64_t>(Result >> 64);
  ++State.Pc;
  return true;
}

void Interpreter::floating(const Instruction &I) {
  Registers[I.Dst] = evaluateFloating(I, value(I.A), shapeOf(I).B ? value(I.B) : 0);
}

template <bool Single> void Interpreter::loop() {
  assert(!Current.isAtPoint() && "a thread leaves its point before it is run");
  enterFrame();
  uint64_t Steps = 0;
  constexpr uint64_t StepsBetweenLooks = 10'000, StepsBetweenStops = 200'000; // the latter take some milliseconds
  const uint64_t MaxSteps =
      Parts.Options.comparesStates() && !State.InAtomic ? StepsBetweenLooks : Parts.Options.MaxLocalSteps;
  uint64_t NextStop = std::min(MaxSteps, StepsBetweenStops);
  const Instruction *const Code = Prog.Code.data();
  // The program point is kept here while simple instructions run, and in State.Pc for everything that looks beyond them.
  const Instruction *At = Code + State.Pc;
  auto Complex = [&](bool GoesOn) {
    At = Code + State.Pc;
    return GoesOn;
  };
  for (;;) {
    assert(At >= Code && At < Code + Prog.Code.size());
    const Instruction &I = *At;
    if (Single && Steps == 1) {
      State.Pc = static_cast<uint32_t>(At - Code);
      return;
    }
    if (++Steps > NextStop) {
      State.Pc = static_cast<uint32_t>(At - Code);
      if (Steps <= MaxSteps) {
        if (Parts.WhileRunning)
          Parts.WhileRunning();
        NextStop = std::min(MaxSteps, NextStop + StepsBetweenStops);
      } else if (Parts.Options.comparesStates() &&
                 !State.InAtomic) { // a search that compares states will see whether it comes back to where it was
        Operation Op;
        Op.Kind = OperationKind::Yield;
        stop(Op);
        return;
      } else {
        stopAtLimit(Id, State.Pc,
                    "a loop runs for more than " + std::to_string(Parts.Options.MaxLocalSteps) +
                        " steps without touching anything that another thread could change");
      }
    }
    auto Binary = [&](auto Function) {
      Registers[I.Dst] = Function(value(I.A), value(I.B));
      ++At;
    };
    unsigned W = I.Width;
    switch (I.Op) {
    case Opcode::Move:
      Registers[I.Dst] = value(I.A);
      ++At;
      break;
    case Opcode::WideMove: {
      uint64_t Low = value(I.A), High = upper(I.A);
      Registers[I.Dst] = Low;
      Registers[I.Dst + 1] = High;
      ++At;
      break;
    }
    case Opcode::Add: Binary([W](uint64_t A, uint64_t B) { return lowBits(A + B, W); }); break;
    case Opcode::Sub: Binary([W](uint64_t A, uint64_t B) { return lowBits(A - B, W); }); break;
    case Opcode::Mul: Binary([W](uint64_t A, uint64_t B) { return lowBits(A * B, W); }); break;
    case Opcode::UDiv:
    case Opcode::SDiv:
    case Opcode::URem:
    case Opcode::SRem: {
      uint64_t A = value(I.A), B = value(I.B);
      if (B == 0) {
        State.Pc = static_cast<uint32_t>(At - Code);
        failed(BugKind::DivisionByZero, "division by zero");
        return;
      }
      int64_t SA = signedValue(A, W), SB = signedValue(B, W);
      if (I.Op == Opcode::UDiv)
        A /= B;
      else if (I.Op == Opcode::URem)
        A %= B;
      else if (SB == -1)
        A = I.Op == Opcode::SDiv ? 0 - A : 0;
      else
        A = static_cast<uint64_t>(I.Op == Opcode::SDiv ? SA / SB : SA % SB);
      Registers[I.Dst] = lowBits(A, W);
      ++At;
      break;
    }
    case Opcode::Shl: Binary([W](uint64_t A, uint64_t B) { return B >= W ? 0 : lowBits(A << B, W); }); break;
    case Opcode::LShr: Binary([W](uint64_t A, uint64_t B) { return B >= W ? 0 : A >> B; }); break;
    case Opcode::AShr:
      Binary([W](uint64_t A, uint64_t B) {
        return lowBits(static_cast<uint64_t>(signedValue(A, W) >> (B >= W ? W - 1 : B)), W);
      });
      break;
    case Opcode::And: Binary([](uint64_t A, uint64_t B) { return A & B; }); break;
    case Opcode::Or: Binary([](uint64_t A, uint64_t B) { return A | B; }); break;
    case Opcode::Xor: Binary([](uint64_t A, uint64_t B) { return A ^ B; }); break;
    case Opcode::Eq: Binary([](uint64_t A, uint64_t B) { return uint64_t(A == B); }); break;
    case Opcode::Ne: Binary([](uint64_t A, uint64_t B) { return uint64_t(A != B); }); break;
    case Opcode::ULt: Binary([](uint64_t A, uint64_t B) { return uint64_t(A < B); }); break;
    case Opcode::ULe: Binary([](uint64_t A, uint64_t B) { return uint64_t(A <= B); }); break;
    case Opcode::SLt:
      Binary([W](uint64_t A, uint64_t B) { return uint64_t(signedValue(A, W) < signedValue(B, W)); });
      break;
    case Opcode::SLe:
      Binary([W](uint64_t A, uint64_t B) { return uint64_t(signedValue(A, W) <= signedValue(B, W)); });
      break;
    case Opcode::CountOnes:
    case Opcode::LeadingZeros:
    case Opcode::TrailingZeros:
    case Opcode::ByteSwap:
      Registers[I.Dst] = evaluateBits(I.Op, value(I.A), W);
      ++At;
      break;
    case Opcode::WideBinary:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(wideBinary(I)))
        return;
      break;
    case Opcode::Truncate:
      Registers[I.Dst] = lowBits(value(I.A), W);
      ++At;
      break;
    case Opcode::SignExtend:
      Registers[I.Dst] = lowBits(static_cast<uint64_t>(signedValue(value(I.A), W)), static_cast<unsigned>(I.C));
      ++At;
      break;
    case Opcode::ToWide: {
      const Wide V = evaluateToWide(I, value(I.A));
      Registers[I.Dst] = static_cast<uint64_t>(V);
      Registers[I.Dst + 1] = static_cast<uint64_t>(V >> 64);
      ++At;
      break;
    }
    case Opcode::Select:
      Registers[I.Dst] = value(I.A) ? value(I.B) : value(I.C);
      ++At;
      break;
    case Opcode::WideSelect: {
      Operand From = value(I.A) ? I.B : I.C;
      uint64_t Low = value(From), High = upper(From);
      Registers[I.Dst] = Low;
      Registers[I.Dst + 1] = High;
      ++At;
      break;
    }
    case Opcode::Jump: At = Code + I.Imm; break;
    case Opcode::CondJump: At = Code + (value(I.A) ? I.B : I.C); break;
    case Opcode::Switch: At = Code + Prog.SwitchTables[static_cast<size_t>(I.Imm)].target(value(I.A)); break;
    case Opcode::AddScaled:
      Registers[I.Dst] = value(I.A) + static_cast<uint64_t>(signedValue(value(I.B), W)) * static_cast<uint64_t>(I.Imm);
      ++At;
      break;
    case Opcode::Load:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(load(I)))
        return;
      break;
    case Opcode::Store:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(store(I)))
        return;
      break;
    case Opcode::Rmw:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(rmw(I)))
        return;
      break;
    case Opcode::CmpXchg:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(cmpXchg(I)))
        return;
      break;
    case Opcode::LoadReserve:
    case Opcode::StoreConditional:
      stopUnsupported(Id, static_cast<uint32_t>(At - Code),
                      "load-reserve and store-conditional run only on the machine of execution graphs");
    case Opcode::Fence:
      if ((Parts.Options.StopAtFences || Parts.Options.InOrder) && !Parts.Threads.alone() && !State.InAtomic) {
        State.Pc = static_cast<uint32_t>(At - Code);
        Operation Op;
        Op.Kind = OperationKind::Fence;
        Op.Fence = withoutArm(static_cast<FenceKind>(I.C));
        stop(Op);
        return;
      }
      ++At;
      break;
    case Opcode::Alloca:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(alloca(I)))
        return;
      break;
    case Opcode::ScopeEnter:
      State.Pc = static_cast<uint32_t>(At - Code);
      enterScope(I);
      ++At;
      break;
    case Opcode::ScopeLeave:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(leaveScope(I)))
        return;
      break;
    case Opcode::CopyWritten:
      if (knowsWritten())
        copyWritten(I);
      ++At;
      break;
    case Opcode::ThreadLocal:
      State.Pc = static_cast<uint32_t>(At - Code);
      Registers[I.Dst] = Parts.Objects.threadLocal(Current, static_cast<uint32_t>(I.Imm));
      ++At;
      break;
    case Opcode::Call:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(call(I, static_cast<uint32_t>(I.Imm))))
        return;
      break;
    case Opcode::CallIndirect:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(callIndirect(I)))
        return;
      break;
    case Opcode::CallBuiltin:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(builtin(I)))
        return;
      break;
    case Opcode::Return:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(doReturn(I)))
        return;
      break;
    case Opcode::LoopInit:
      std::fill_n(Registers + I.Dst, static_cast<size_t>(loopslots::Count), 0);
      ++At;
      break;
    case Opcode::SpinHead:
      Registers[I.Dst + loopslots::Effects] = State.Effects;
      ++At;
      break;
    case Opcode::LoopExit:
      if (Parts.Options.comparesStates())
        Parts.Loops.add({Id, static_cast<uint32_t>(I.B), true});
      ++At;
      break;
    case Opcode::LoopNote:
      noteValue(value(I.A));
      ++At;
      break;
    case Opcode::LoopBack:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(loopBack(I)))
        return;
      break;
    case Opcode::SpinBack:
      State.Pc = static_cast<uint32_t>(At - Code);
      if (!Complex(spinBack(I)))
        return;
      break;
    case Opcode::FailIf:
      if (value(I.A) && Parts.Bugs.checks(BugKind::Overflow)) {
        State.Pc = static_cast<uint32_t>(At - Code);
        failed(BugKind::Overflow, describe(static_cast<OverflowKind>(I.C)));
        return;
      }
      ++At;
      break;
    case Opcode::Unreachable:
      State.Pc = static_cast<uint32_t>(At - Code);
      failed(BugKind::Unreachable, describe(static_cast<BrokenPromise>(I.Imm)));
      return;
    case Opcode::Unsupported:
      stopUnsupported(Id, static_cast<uint32_t>(At - Code), Prog.Messages[static_cast<size_t>(I.Imm)]);
    default:
      floating(I);
      ++At;
      break;
    }
  }
}

template void Interpreter::loop<false>();
template void Interpreter::loop<true>();

bool Interpreter::complete(uint64_t Value, uint64_t Value2, bool Changed) {
  enterFrame();
  const Instruction &I = Prog.Code[State.Pc];
  Operation Done = State.Pending;
  State.Pending = Operation();
  // Fences and the like are not counted, so that an access has the same number under all models.
  bool Counts = Done.Kind != OperationKind::Fence && Done.Kind != OperationKind::Drain &&
                Done.Kind != OperationKind::Yield && Done.Kind != OperationKind::Exit;
  State.Operations += Counts;
  State.Effects += Changed;
  switch (Done.Kind) {
  case OperationKind::Exit: State.Status = ThreadStatus::Exited; return false;
  case OperationKind::Yield:
    if (isLoopBack(I.Op))
      goToLoopHead();
    return true;
  case OperationKind::Fence:
    if (Done.isFenceOfAccess())
      return accessOwn(I);
    ++State.Pc;
    return true;
  default: break;
  }
  const bool Reads = I.Op == Opcode::Load || I.Op == Opcode::Rmw || I.Op == Opcode::CmpXchg;
  if (Reads && isNoted(I))
    noteValue(Value + Value2);
  switch (I.Op) {
  case Opcode::Load:
  case Opcode::Rmw:
    Registers[I.Dst] = Value;
    if (I.Width > 8)
      Registers[I.Dst + 1] = Value2;
    noteFed(I, Done.Where);
    break;
  case Opcode::CmpXchg: {
    const bool Finds = Value == Done.Expected && Value2 == Done.Expected2;
    setSwapped(I, Value, Value2, Finds && !Done.Fails);
    if (I.Flags & MayFail && !countArrival(Finds))
      return false;
    noteFed(I, Done.Where);
    break;
  }
  case Opcode::CallBuiltin: return continueBuiltin(I, Value, Value2);
  default: break;
  }
  ++State.Pc;
  return true;
}

} // namespace picket
