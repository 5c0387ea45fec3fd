// Runs one thread of a Machine through its local instructions. Made for each run and thrown away.
#pragma once

#include "machine/Machine.h"

namespace picket {

class Interpreter {
public:
  Interpreter(Machine &M, ThreadId Id) : M(M), P(M.P), Id(Id), T(*M.Threads[Id]), S(T.S) {}

  /// Runs from S.Pc to the next visible operation or the end.
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
  /// From the back edge of a loop to its head.
  void leaveLoop();

private:
  template <unsigned> friend class OutOfOrder;

  template <bool Single> void loop();

  // Local steps. Each returns false if the thread stops here; otherwise S.Pc names the next instruction.
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
  void noteLoop(uint32_t Loop, bool Left);
  bool isNoted(const Instruction &I) const { return I.D != 0 || S.NotedDepth != 0; }
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
  bool finishBuiltin(const Instruction &I, uint64_t Result);
  bool threadCreate(const Instruction &I);
  bool threadJoin(const Instruction &I);
  bool storeResult(const Instruction &I, Address Where, uint64_t Value, uint64_t Result);
  uint32_t pcInText();
  uint32_t newBlock(const Instruction &I, uint64_t Size, Content First);
  /// The two halves of it: the slot is that of the next block of the thread, whatever its size.
  uint32_t reserveBlock(const Instruction &I, uint64_t Size);
  void makeBlock(uint32_t Slot, uint32_t CallPc, uint32_t AllocatedAt, uint64_t Size, Content First);
  bool allocateHeap(const Instruction &I, uint64_t Size, Content First = Content::Nothing);
  bool freeBlock(const Instruction &I);
  bool endBlock(const Instruction &I, Address Where);
  bool keys(const Instruction &I, Builtin B);
  bool mutexAttribute(const Instruction &I, uint32_t Kind);
  bool finishThreadExit(const Instruction &I);
  void unwind(bool EndLocals);
  bool enter(uint32_t Function, uint32_t CallPc = 0);
  bool nextPhaseStep();
  bool nextDestructor();
  bool exitProcess(int32_t Functions);
  bool endThread();
  bool finishThread();
  uint64_t lengthOfOutput(uint32_t CallPc, const std::vector<uint64_t> &Arguments);
  bool assertFail(const Instruction &I);
  uint64_t argument(const Instruction &I, unsigned Index) const { return value(P.Arguments[I.B + Index]); }
  std::string readString(Address A);
  uint64_t *specificValues();
  uint64_t *process() { return reinterpret_cast<uint64_t *>(M.Mem.at(M.ProcessSlot).Data); }
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
  void noteFed(const Instruction &I, Address Where);
  void copyWritten(const Instruction &I);

  uint64_t value(Operand O) const { return O >= 0 ? Registers[O] : P.Constants[~O]; }
  uint64_t upper(Operand O) const { return O >= 0 ? Registers[O + 1] : P.Constants[~O + 1]; }
  Machine::Frame &frame() { return T.Frames[S.Depth - 1]; }
  void enterFrame() { Registers = S.Depth ? T.Registers + frame().Base : T.Registers; }
  void popFrame(bool EndLocals);

  Machine &M;
  const Program &P;
  ThreadId Id;
  Machine::Thread &T;
  Machine::State &S;
  uint64_t *Registers = nullptr; // of the running frame
};

} // namespace picket
