// Loads, stores and read-modify-writes, as seen from the thread: done immediately where nobody else can see the memory, a
// visible operation otherwise.
#include "machine/Arithmetic.h"
#include "machine/Interpreter.h"
#include "machine/Messages.h"

namespace picket {

Interpreter::Reach Interpreter::reach(Address A, uint32_t Size, bool Write, bool MustBeSeen) {
  Object *O = Parts.Mem.find(A);
  if (!O || !Memory::inBounds(*O, A, Size) || (Write && O->Kind == ObjectKind::Constant)) {
    auto [Kind, Message] = describeBadAccess(Prog, Parts.Mem, A, Size, Write);
    failed(Kind, std::move(Message));
    return Reach::Bad;
  }
  bool Seen = false;
  if ((!Parts.Threads.alone() || Parts.Options.ShowAll) && O->Kind != ObjectKind::Constant &&
      O->Kind != ObjectKind::Hidden) {
    if (MustBeSeen)
      Parts.Shared.markShared(O->Site);
    Seen = Parts.Options.showsOwnAccesses() ||
           (O->Kind == ObjectKind::Global ? Parts.Shared.noteGlobal(O->Site, A, Size, Id, Write)
                                          : Parts.Shared.noteOwned(O->Site, O->Owner, Id));
    if (Seen && Write)
      Parts.Shared.noteWrite(A, Size, Id);
    else if (Seen)
      Parts.Shared.noteRead(A, Size, Id);
    // Operations have the same numbers where they all are steps: in recordings.
    if (!Seen && Parts.Options.InOrder && !State.InAtomic)
      ++State.Operations;
  }
  // With execution graphs, whether shared memory has ended is for the graph to say.
  bool Ended =
      Parts.Options.Speculative && O->Life != Lifetime::Alive && !Parts.Shared.noteOwned(O->Site, O->Owner, Id);
  if (Seen && !State.InAtomic && !Ended)
    return Reach::Visible;
  if (O->Life != Lifetime::Alive) {
    auto [Kind, Message] = describeBadAccess(Prog, Parts.Mem, A, Size, Write);
    failed(Kind, std::move(Message));
    return Reach::Bad;
  }
  if (Seen)
    Parts.Section.Accesses.push_back({A, Size, Write});
  return Reach::Local;
}

void Interpreter::noteFed(const Instruction &I, Address Where) {
  if (Parts.Options.ShowAll && Parts.Threads.alone())
    return;
  // Where accesses do not come in order, others may yet turn out to write there: exploration then starts over.
  if (Where && (Parts.Options.Speculative ? Parts.Shared.readsOnlyOwn(Where, I.Width, Id)
                                          : !Parts.Shared.writtenByAnother(Where, I.Width, Id)))
    return;
  ++State.Reads;
  if (I.D) {
    int32_t Fed = Prog.Functions[frame().Function].FedSlot;
    if (Fed >= 0)
      Registers[Fed] |= static_cast<uint32_t>(I.D);
  }
}

static bool inSpin(const Instruction &I) { return I.Flags & InSpinCandidate; }

/// With store buffers, what the order of an access asks for holds even if nobody else sees what it accesses. The
/// thread then stops as if in front of a fence. False if there is nothing to stop for.
bool Interpreter::stopAsFence(const Instruction &I) {
  auto Ordering = static_cast<Order>(I.Flags & OrderMask);
  if (!Parts.Options.StopAtFences || (I.Op == Opcode::Store && Ordering < Order::Release) || Parts.Threads.alone() ||
      State.InAtomic)
    return false;
  Operation Op;
  Op.Kind = OperationKind::Fence;
  Op.Width = I.Width;
  Op.Ordering = Ordering;
  Op.Fence = I.Op == Opcode::Store && Ordering != Order::SeqCst ? FenceKind::Release : FenceKind::Full;
  stop(Op);
  return true;
}

/// The access that stopAsFence has put off.
bool Interpreter::accessOwn(const Instruction &I) {
  switch (I.Op) {
  case Opcode::Store: storeOwn(I); return true;
  case Opcode::Rmw: return rmwOwn(I);
  default: return cmpXchgOwn(I);
  }
}

bool Interpreter::load(const Instruction &I) {
  Address A = value(I.A) + static_cast<uint64_t>(I.Imm);
  switch (reach(A, I.Width, false, inSpin(I))) {
  case Reach::Bad: return false;
  case Reach::Visible: {
    Operation Op = accessOf(OperationKind::Load, I);
    Op.Where = A;
    return stop(Op);
  }
  case Reach::Local: break;
  }
  const Object &O = Parts.Mem.at(slotOf(A));
  if (O.Unwritten && Parts.Unwritten.note(Current, O, A, I.Width))
    return false;
  const uint8_t *Bytes = O.Data + offsetOf(A);
  if (I.Width <= 8)
    Registers[I.Dst] = Memory::readWord(Bytes, I.Width);
  else
    Memory::readWords(Bytes, I.Width, Registers[I.Dst], Registers[I.Dst + 1]);
  if (isNoted(I))
    noteValue(Registers[I.Dst] + (I.Width > 8 ? Registers[I.Dst + 1] : 0));
  ++State.Pc;
  return true;
}

bool Interpreter::store(const Instruction &I) {
  Address A = value(I.A) + static_cast<uint64_t>(I.Imm);
  switch (reach(A, I.Width, true, false)) {
  case Reach::Bad: return false;
  case Reach::Visible: {
    Operation Op = accessOf(OperationKind::Store, I);
    Op.Where = A;
    Op.Value = value(I.B);
    if (I.Width > 8)
      Op.Value2 = upper(I.B);
    return stop(Op);
  }
  case Reach::Local: break;
  }
  if (stopAsFence(I))
    return false;
  storeOwn(I);
  return true;
}

void Interpreter::storeOwn(const Instruction &I) {
  Address A = value(I.A) + static_cast<uint64_t>(I.Imm);
  Object &O = Parts.Mem.at(slotOf(A));
  if (O.Unwritten && (!(I.Flags & OfCopy) || !knowsWritten()))
    Parts.Mem.markWritten(O, offsetOf(A), I.Width);
  writeOwn(A, I.Width, value(I.B), I.Width > 8 ? upper(I.B) : 0);
  ++State.Effects;
  ++State.Pc;
}

/// Writes where nobody else looks.
void Interpreter::writeOwn(Address Where, uint32_t Width, uint64_t Value, uint64_t Value2) {
  Parts.Mem.write(Where, Width, Value, Value2);
  Parts.Effects.write({Where, Width, Value, Value2});
}

/// Which bytes a copy leaves written depends on which others have written.
void Interpreter::copyWritten(const Instruction &I) {
  const Address To = value(I.A), From = value(I.B);
  for (Address A : {To, From})
    if (const Object *O = Parts.Mem.find(A); O && O->Tracked && Parts.Shared.isShared(O->Site))
      Parts.Effects.DoesMore = true;
  Parts.Mem.copyWritten(To, From, value(I.C));
}

/// The bytes that a read-modify-write reads and may write. Null: the read is a bug.
uint8_t *Interpreter::update(Address A, uint32_t Size) {
  Object &O = Parts.Mem.at(slotOf(A));
  if (O.Unwritten) {
    if (Parts.Unwritten.note(Current, O, A, Size))
      return nullptr;
    Parts.Mem.markWritten(O, offsetOf(A), Size);
  }
  return O.Data + offsetOf(A);
}

bool Interpreter::rmw(const Instruction &I) {
  Address A = value(I.A);
  switch (reach(A, I.Width, true, inSpin(I))) {
  case Reach::Bad: return false;
  case Reach::Visible: {
    Operation Op = accessOf(OperationKind::Rmw, I);
    Op.Where = A;
    Op.Value = value(I.B);
    if (I.Width > 8)
      Op.Value2 = upper(I.B);
    return stop(Op);
  }
  case Reach::Local: break;
  }
  if (stopAsFence(I))
    return false;
  return rmwOwn(I);
}

bool Interpreter::rmwOwn(const Instruction &I) {
  const uint8_t *Bytes = update(value(I.A), I.Width);
  if (!Bytes)
    return false;
  const auto Op = static_cast<RmwOp>(I.C);
  if (I.Width > 8)
    return wideRmwOwn(I, Op, Bytes);
  uint64_t Old = Memory::readWord(Bytes, I.Width);
  uint64_t New = applyRmw(Op, Old, value(I.B), I.Width);
  writeOwn(value(I.A), I.Width, New);
  State.Effects += New != Old;
  if (isNoted(I))
    noteValue(Old);
  Registers[I.Dst] = Old;
  ++State.Pc;
  return true;
}

bool Interpreter::wideRmwOwn(const Instruction &I, RmwOp Op, const uint8_t *Bytes) {
  uint64_t Low, High;
  Memory::readWords(Bytes, I.Width, Low, High);
  const Wide Old = makeWide(Low, High), New = applyWideRmw(Op, Old, makeWide(value(I.B), upper(I.B)));
  writeOwn(value(I.A), I.Width, static_cast<uint64_t>(New), static_cast<uint64_t>(New >> 64));
  State.Effects += New != Old;
  if (isNoted(I))
    noteValue(Low + High);
  Registers[I.Dst] = Low;
  Registers[I.Dst + 1] = High;
  ++State.Pc;
  return true;
}

bool Interpreter::cmpXchg(const Instruction &I) {
  Address A = value(I.A);
  Reach How = reach(A, I.Width, true, inSpin(I));
  // A failure for no reason is told, whoever else sees the memory. Graphs do not have what main does alone.
  const bool Fails = I.Flags & MayFail && Parts.Failures.failsNow(Current);
  if (Fails && How == Reach::Local && !State.InAtomic && !(Parts.Options.Speculative && Parts.Threads.alone())) {
    How = Reach::Visible;
    State.Operations -= Parts.Options.InOrder; // it is counted when it is done
  }
  switch (How) {
  case Reach::Bad: return false;
  case Reach::Visible: {
    Operation Op = accessOf(OperationKind::CmpXchg, I);
    Op.Where = A;
    Op.Value = value(I.C);
    Op.Expected = value(I.B);
    if (I.Width > 8) {
      Op.Value2 = upper(I.C);
      Op.Expected2 = upper(I.B);
    }
    Op.Fails = Fails;
    return stop(Op);
  }
  case Reach::Local: break;
  }
  if (stopAsFence(I))
    return false;
  return cmpXchgOwn(I);
}

bool Interpreter::cmpXchgOwn(const Instruction &I) {
  const uint8_t *Bytes = update(value(I.A), I.Width);
  if (!Bytes)
    return false;
  const bool IsWide = I.Width > 8;
  const uint64_t NewLow = value(I.C), NewHigh = IsWide ? upper(I.C) : 0;
  uint64_t Low, High;
  Memory::readWords(Bytes, I.Width, Low, High);
  const bool Finds = Low == value(I.B) && (!IsWide || High == upper(I.B));
  const bool Succeeds = Finds && !(I.Flags & MayFail && Parts.Failures.failsNow(Current));
  if (I.Flags & MayFail && !countArrival(Finds))
    return false;
  if (Succeeds) {
    writeOwn(value(I.A), I.Width, NewLow, NewHigh);
    State.Effects += NewLow != Low || NewHigh != High;
  }
  if (isNoted(I))
    noteValue(Low + High);
  setSwapped(I, Low, High, Succeeds);
  ++State.Pc;
  return true;
}

/// The results of a compare-and-swap.
void Interpreter::setSwapped(const Instruction &I, uint64_t Low, uint64_t High, bool Succeeds) {
  Registers[I.Dst] = Low;
  if (I.Width > 8)
    Registers[I.Dst + 1] = High;
  Registers[I.Dst + (I.Width > 8 ? 2 : 1)] = Succeeds;
}

/// The thread has come to an operation that may fail for no reason; it did if it is one of those that are to fail.
/// CanFail: it had no other reason to. False: it had, so that this execution is one of a program with fewer failures.
bool Interpreter::countArrival(bool CanFail) {
  const bool Fails = Parts.Failures.failsNow(Current);
  if (CanFail && !Fails)
    Parts.Failures.noteNone(Current);
  ++State.Arrivals;
  State.Failures += Fails && CanFail;
  if (!Fails || CanFail)
    return true;
  State.Status = ThreadStatus::Assumed;
  State.Pending = Operation();
  return false;
}

} // namespace picket
