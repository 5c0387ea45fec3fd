// The interpreter runs one thread of a machine through its local instructions. It is made for each run and thrown away.
//
// It has a method for every kind of instruction and of builtin, in four files: that is why it is large.
#pragma once

#include "machine/LocalVariables.h"
#include "machine/MachineParts.h"

namespace picket {

class Interpreter {
public:
  Interpreter(MachineParts &Parts, ThreadId Id)
      : Parts(Parts), Prog(Parts.Prog), Id(Id), Current(Parts.Threads[Id]), State(Current.State) {}

  /// Runs from State.Pc to the next visible operation or the end.
  void run() { loop<false>(); }
  /// Runs one instruction, or up to the visible operation in it.
  void step() { loop<true>(); }

  /// Completes the pending operation with its results, without running on. False: the thread stops (again).
  bool complete(uint64_t Value, uint64_t Value2, bool Changed);

  /// Begins the phase the thread is in: constructors, or main.
  void enterPhase() {
    if (nextPhaseStep())
      run();
  }
  /// Does the pending Free.
  bool completeFree();
  /// Does the pending End.
  bool completeEnd();
  /// Goes from the back edge of a loop to its head.
  void goToLoopHead();

  // For an interpreter that completes operations in its own way (SpeculativeInterpreter).

  /// Goes behind the pending operation, which is done elsewhere.
  void passOperation(bool Changed) {
    State.Pending = Operation();
    ++State.Operations;
    State.Effects += Changed;
    ++State.Pc;
  }
  /// Finds the registers of the innermost frame.
  void enterFrame() { Registers = State.Depth ? Current.Registers + frame().Base : Current.Registers; }
  uint64_t argument(const Instruction &I, unsigned Index) const { return value(Prog.Arguments[I.B + Index]); }
  /// The thread has read what others may have written: the loops that this feeds go on. Null: somewhere.
  void noteFed(const Instruction &I, Address Where);
  /// Makes a heap block and returns its slot.
  uint32_t newBlock(const Instruction &I, uint64_t Size, Content First);
  /// The two halves of it: the slot is that of the next block of the thread, whatever its size.
  uint32_t reserveBlock(const Instruction &I, uint64_t Size);
  void makeBlock(uint32_t Slot, uint32_t CallPc, uint32_t AllocatedAt, uint64_t Size, Content First);
  /// The innermost call that stands in the user's text: a model of the C library allocates for its caller.
  uint32_t pcInText();
  /// The result of printf and the like: of a format and what it is given.
  uint64_t lengthOfOutput(uint32_t CallPc, const std::vector<uint64_t> &Arguments);
  /// Ends a call of a builtin with its result.
  bool finishBuiltin(const Instruction &I, uint64_t Result);

private:
  template <bool Single> void loop();

  // Local steps. Each returns false if the thread stops here; otherwise State.Pc names the next instruction.
  bool load(const Instruction &I);
  bool store(const Instruction &I);
  bool rmw(const Instruction &I);
  bool cmpXchg(const Instruction &I);
  bool call(const Instruction &I, uint32_t Function);
  bool callIndirect(const Instruction &I);
  bool doReturn(const Instruction &I);
  bool finishReturn(const Instruction &I);
  bool loopBack(const Instruction &I);
  bool spinBack(const Instruction &I);
  bool repeats(const Instruction &I, uint64_t Total);
  bool cut(const Instruction &I);
  void noteValue(uint64_t Value);
  bool isNoted(const Instruction &I) const { return I.D != 0 || State.NotedDepth != 0; }
  bool alloca(const Instruction &I);

  // The ends of local variables (LocalVariables.cpp).
  void enterScope(const Instruction &I);
  bool leaveScope(const Instruction &I);
  bool finishLeaveScope(const Instruction &I);
  bool stopForEnds();
  bool wideBinary(const Instruction &I);
  void floating(const Instruction &I);

  // Builtins (BuiltinCalls.cpp).
  bool builtin(const Instruction &I);
  bool continueBuiltin(const Instruction &I, uint64_t Value, uint64_t Errno = 0);
  bool syncOperation(const Instruction &I, SyncOp Op, Address Where, uint64_t Argument);
  ThreadId createThread(uint32_t Function, uint64_t Argument);
  bool threadCreate(const Instruction &I);
  bool threadJoin(const Instruction &I);
  bool storeResult(const Instruction &I, Address Where, uint64_t Value, uint64_t Result);
  bool allocateHeap(const Instruction &I, uint64_t Size, Content First = Content::Nothing);
  bool freeBlock(const Instruction &I);
  bool endBlock(const Instruction &I, Address Where);
  bool keys(const Instruction &I, Builtin B);
  bool mutexAttribute(const Instruction &I, uint32_t Kind);
  bool startsToFail(const Instruction &I);
  bool choose(const Instruction &I, ValueRange Values);
  bool nondet(const Instruction &I, ValueRange OfType);
  bool finishThreadExit(const Instruction &I);
  void unwind(bool EndLocals);
  bool enter(uint32_t Function, uint32_t CallPc = 0);
  bool nextPhaseStep();
  bool nextDestructor();
  bool exitProcess(int32_t Functions);
  bool endThread();
  bool finishThread();
  bool assertFail(const Instruction &I);
  std::string readString(Address A);
  uint64_t *specificValues();
  uint64_t *process() { return Parts.Process.words(); }
  void writeHidden(uint64_t *Home, uint64_t Value);
  bool countArrival(bool CanFail);

  /// How an access of [A, A + Size) is to be done. Bad: a bug was recorded.
  enum class Reach : uint8_t { Local, Visible, Bad };
  Reach reach(Address A, uint32_t Size, bool Write, bool MustBeSeen);
  uint8_t *update(Address A, uint32_t Size);
  void writeOwn(Address Where, uint32_t Width, uint64_t Value, uint64_t Value2 = 0);
  bool stopAsFence(const Instruction &I);
  bool accessOwn(const Instruction &I);
  void storeOwn(const Instruction &I);
  bool rmwOwn(const Instruction &I);
  bool wideRmwOwn(const Instruction &I, RmwOp Op, const uint8_t *Bytes);
  bool cmpXchgOwn(const Instruction &I);
  void setSwapped(const Instruction &I, uint64_t Low, uint64_t High, bool Succeeds);
  bool stop(const Operation &Op);
  bool failed(BugKind Kind, std::string Message);
  void copyWritten(const Instruction &I);
  /// Whether memory knows which of its bytes were written. Once there are several threads, a graph has the writes.
  bool knowsWritten() const { return !Parts.Options.InOrder || Parts.Threads.alone(); }

  uint64_t value(Operand O) const {
    assert(O < 0 || Registers + O < Current.Registers + Thread::MaxRegisters);
    return O >= 0 ? Registers[O] : Prog.Constants[~O];
  }
  uint64_t upper(Operand O) const { return O >= 0 ? Registers[O + 1] : Prog.Constants[~O + 1]; }
  StackFrame &frame() {
    assert(State.Depth > 0 && State.Depth <= Thread::MaxFrames);
    return Current.Frames[State.Depth - 1];
  }
  void popFrame(bool EndLocals);

  MachineParts &Parts;
  const Program &Prog;
  const ThreadId Id;
  Thread &Current;
  ThreadState &State;            // of Current, which is at no point while it is run
  uint64_t *Registers = nullptr; // of the running frame
};

} // namespace picket
