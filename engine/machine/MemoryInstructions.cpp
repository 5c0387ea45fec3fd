// Loads, stores and read-modify-writes, as seen from the thread: done at once where nobody else can see the memory, a
// visible operation otherwise.
#include "machine/Arithmetic.h"
#include "machine/Interpreter.h"
#include "machine/Messages.h"

namespace picket {

Interpreter::Reach Interpreter::reach(Address A, uint32_t Size, bool Write, bool MustBeSeen) {
  Object *O = M.Mem.find(A);
  if (!O || !Memory::inBounds(*O, A, Size) || (Write && O->Kind == ObjectKind::Constant)) {
    auto [Kind, Message] = describeBadAccess(M, A, Size, Write);
    failed(Kind, std::move(Message));
    return Reach::Bad;
  }
  bool Seen = false;
  if ((!M.alone() || M.Options.ShowAll) && O->Kind != ObjectKind::Constant && O->Kind != ObjectKind::Hidden) {
    if (MustBeSeen)
      M.Shared.markShared(O->Site);
    // With execution graphs, what nobody else sees can still order what others do.
    Seen = M.Options.OutOfOrder || (O->Kind == ObjectKind::Global ? M.Shared.noteGlobal(O->Site, A, Size, Id, Write)
                                                                  : M.Shared.noteOwned(O->Site, O->Owner, Id));
    if (Seen && Write)
      M.Shared.noteWrite(A, Size, Id);
    else if (Seen)
      M.Shared.noteRead(A, Size, Id);
  }
  // With execution graphs, whether shared memory has ended is for the graph to say.
  bool Ended = M.Options.OutOfOrder && O->Life != Lifetime::Alive && !M.Shared.noteOwned(O->Site, O->Owner, Id);
  if (Seen && !S.InAtomic && !Ended)
    return Reach::Visible;
  if (O->Life != Lifetime::Alive) {
    auto [Kind, Message] = describeBadAccess(M, A, Size, Write);
    failed(Kind, std::move(Message));
    return Reach::Bad;
  }
  if (Seen)
    M.AtomicAccesses.push_back({A, Size, Write});
  return Reach::Local;
}

void Interpreter::noteFed(const Instruction &I, Address Where) {
  if (M.Options.ShowAll && M.alone())
    return;
  // Where accesses do not come in order, others may yet turn out to write there: exploration then starts over.
  if (Where && (M.Options.OutOfOrder ? M.Shared.readsOnlyOwn(Where, I.Width, Id)
                                     : !M.Shared.writtenByAnother(Where, I.Width, Id)))
    return;
  ++S.Reads;
  if (I.D) {
    int32_t Fed = P.Functions[frame().Function].FedSlot;
    if (Fed >= 0)
      Registers[Fed] |= static_cast<uint32_t>(I.D);
  }
}

static Operation accessOf(OperationKind Kind, const Instruction &I, Address Where) {
  Operation Op;
  Op.Kind = Kind;
  Op.Width = I.Width;
  Op.Ordering = static_cast<Order>(I.Flags & OrderMask);
  Op.Where = Where;
  return Op;
}

static bool inSpin(const Instruction &I) { return I.Flags & InSpinCandidate; }

/// With store buffers, what the order of an access asks for holds even if nobody else sees what it accesses. The
/// thread then stops as if in front of a fence. False if there is nothing to stop for.
bool Interpreter::stopAsFence(const Instruction &I) {
  auto Ordering = static_cast<Order>(I.Flags & OrderMask);
  if (!M.Options.StopAtFences || (I.Op == Opcode::Store && Ordering < Order::Release) || M.alone() || S.InAtomic)
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
    return stop(accessOf(OperationKind::Load, I, A));
  }
  case Reach::Local: break;
  }
  const Object &O = M.Mem.at(slotOf(A));
  if (O.Unwritten && M.noteRead(Id, O, A, I.Width))
    return false;
  const uint8_t *Bytes = O.Data + offsetOf(A);
  if (I.Width <= 8)
    Registers[I.Dst] = Memory::readWord(Bytes, I.Width);
  else
    Memory::readWords(Bytes, I.Width, Registers[I.Dst], Registers[I.Dst + 1]);
  if (isNoted(I))
    noteValue(Registers[I.Dst] + (I.Width > 8 ? Registers[I.Dst + 1] : 0));
  ++S.Pc;
  return true;
}

bool Interpreter::store(const Instruction &I) {
  Address A = value(I.A) + static_cast<uint64_t>(I.Imm);
  switch (reach(A, I.Width, true, false)) {
  case Reach::Bad: return false;
  case Reach::Visible: {
    Operation Op = accessOf(OperationKind::Store, I, A);
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
  Object &O = M.Mem.at(slotOf(A));
  if (O.Unwritten && !(I.Flags & OfCopy))
    M.Mem.markWritten(O, offsetOf(A), I.Width);
  writeOwn(A, I.Width, value(I.B), I.Width > 8 ? upper(I.B) : 0);
  ++S.Effects;
  ++S.Pc;
}

/// Writes where nobody else looks.
void Interpreter::writeOwn(Address Where, uint32_t Width, uint64_t Value, uint64_t Value2) {
  M.Mem.write(Where, Width, Value, Value2);
  if (M.OwnWrites.size() < Machine::MaxOwnWrites)
    M.OwnWrites.push_back({Where, Width, Value, Value2});
  else
    M.DoesMore = true;
}

/// Which bytes a copy leaves written depends on which others have written.
void Interpreter::copyWritten(const Instruction &I) {
  const Address To = value(I.A), From = value(I.B);
  for (Address A : {To, From})
    if (const Object *O = M.Mem.find(A); O && O->Tracked && M.Shared.isShared(O->Site))
      M.DoesMore = true;
  M.Mem.copyWritten(To, From, value(I.C));
}

/// The bytes that a read-modify-write reads and may write. Null: the read is a bug.
uint8_t *Interpreter::update(Address A, uint32_t Size) {
  Object &O = M.Mem.at(slotOf(A));
  if (O.Unwritten) {
    if (M.noteRead(Id, O, A, Size))
      return nullptr;
    M.Mem.markWritten(O, offsetOf(A), Size);
  }
  return O.Data + offsetOf(A);
}

bool Interpreter::rmw(const Instruction &I) {
  Address A = value(I.A);
  switch (reach(A, I.Width, true, inSpin(I))) {
  case Reach::Bad: return false;
  case Reach::Visible: {
    Operation Op = accessOf(OperationKind::Rmw, I, A);
    Op.Rmw = static_cast<RmwOp>(I.C);
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
  S.Effects += New != Old;
  if (isNoted(I))
    noteValue(Old);
  Registers[I.Dst] = Old;
  ++S.Pc;
  return true;
}

bool Interpreter::wideRmwOwn(const Instruction &I, RmwOp Op, const uint8_t *Bytes) {
  uint64_t Low, High;
  Memory::readWords(Bytes, I.Width, Low, High);
  const Wide Old = makeWide(Low, High), New = applyWideRmw(Op, Old, makeWide(value(I.B), upper(I.B)));
  writeOwn(value(I.A), I.Width, static_cast<uint64_t>(New), static_cast<uint64_t>(New >> 64));
  S.Effects += New != Old;
  if (isNoted(I))
    noteValue(Low + High);
  Registers[I.Dst] = Low;
  Registers[I.Dst + 1] = High;
  ++S.Pc;
  return true;
}

bool Interpreter::cmpXchg(const Instruction &I) {
  Address A = value(I.A);
  Reach How = reach(A, I.Width, true, inSpin(I));
  // A failure for no reason is told, whoever else sees the memory. Graphs do not have what main does alone.
  const bool Fails = I.Flags & MayFail && M.failsNow(T);
  if (Fails && How == Reach::Local && !S.InAtomic && !(M.Options.OutOfOrder && M.alone()))
    How = Reach::Visible;
  switch (How) {
  case Reach::Bad: return false;
  case Reach::Visible: {
    Operation Op = accessOf(OperationKind::CmpXchg, I, A);
    Op.FailureOrdering = static_cast<Order>(I.Imm);
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
  const bool Succeeds = Finds && !(I.Flags & MayFail && M.failsNow(T));
  if (I.Flags & MayFail && !countArrival(Finds))
    return false;
  if (Succeeds) {
    writeOwn(value(I.A), I.Width, NewLow, NewHigh);
    S.Effects += NewLow != Low || NewHigh != High;
  }
  if (isNoted(I))
    noteValue(Low + High);
  setSwapped(I, Low, High, Succeeds);
  ++S.Pc;
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
  const bool Fails = M.failsNow(T);
  if (CanFail && !Fails)
    M.noteNoFailure(T);
  ++S.Arrivals;
  S.Failures += Fails && CanFail;
  if (!Fails || CanFail)
    return true;
  S.Status = ThreadStatus::Assumed;
  S.Pending = Operation();
  return false;
}

} // namespace picket
