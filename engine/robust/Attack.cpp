#include "robust/Attack.h"

#include <algorithm>

namespace picket {

DelayRules::Pass DelayRules::mayPass(ThreadId T) {
  const Machine &M = C.machine();
  if (C.bufferEmpty(T) || M.pending(T).Kind == OperationKind::Yield)
    return Pass::Yes;
  uint32_t Count = 0;
  bool All = true;
  forEachBuffered(C, T, [&](const StoreBuffer::Entry &E) {
    ++Count;
    All = All && Allowed.Known.count({E.Pc, M.pc(T)});
  });
  if (!All)
    return Pass::No;
  if (Count <= Allowed.MostBuffered)
    return Pass::Yes;
  ReachedBound = true;
  return Pass::TooMany;
}

namespace {

template <typename T> void put(std::string &Into, const T &Value) {
  Into.append(reinterpret_cast<const char *>(&Value), sizeof(T));
}

template <typename T> void putAll(std::string &Into, const std::vector<T> &Values) {
  Into.append(reinterpret_cast<const char *>(Values.data()), Values.size() * sizeof(T));
}

template <typename T> void takeAll(const char *&At, std::vector<T> &Values, uint32_t Count) {
  Values.resize(Count);
  if (Count)
    std::memcpy(Values.data(), At, Count * sizeof(T));
  At += Count * sizeof(T);
}

bool passesStores(const Operation &Op) {
  return Op.Kind == OperationKind::Load || Op.Kind == OperationKind::End || Op.Kind == OperationKind::Yield;
}

} // namespace

void AttackRules::addChoices(ProcessId P, std::vector<Choice> &Into) {
  const ThreadId T = C.threadOf(P);
  const bool OfAttacker = S.Phase > 0 && T == S.Attacker;
  if (C.isUpdate(P) || (S.Phase == 2 && OfAttacker)) {
    if (!OfAttacker)
      Into.push_back({P, Plain});
    return;
  }
  const Pass How = OfAttacker ? Pass::No : mayPass(T);
  if (How == Pass::Yes)
    Into.push_back({P, Plain});
  if (How != Pass::No || (S.Phase > 0 && !OfAttacker))
    return;
  Into.push_back({P, RunOn});
  const Operation &Op = C.machine().pending(T);
  // The last load past which the store is delayed reads memory (W4).
  if (Op.Kind == OperationKind::Load && !C.readsOwnBufferOnly(T, Op))
    Into.push_back({P, Stop});
}

/// A store of the attacker is in its buffer.
void AttackRules::hold(const StoreBuffer::Entry &E) {
  auto At = std::lower_bound(Held.begin(), Held.end(), E.Where,
                             [](const HeldByte &B, Address Where) { return B.Where < Where; });
  for (uint32_t K = 0; K < E.Width; ++K, ++At) {
    const Address Where = E.Where + K;
    if (At == Held.end() || At->Where != Where)
      At = Held.insert(At, {Where, 0});
    At->Value = E.byteAt(Where);
  }
  if (auto Pc = std::lower_bound(HeldPcs.begin(), HeldPcs.end(), E.Pc); Pc == HeldPcs.end() || *Pc != E.Pc)
    HeldPcs.insert(Pc, E.Pc);
}

void AttackRules::before(const Choice &Taken) {
  if (Taken.How == Plain)
    return;
  const Machine &M = C.machine();
  const ThreadId T = C.threadOf(Taken.Process);
  const bool Begins = S.Phase == 0;
  S.At.Load = M.pc(T);
  if (Begins) {
    S.Phase = 1;
    S.Attacker = T;
    const StoreBuffer::Entry &First = C.bufferEntry(T, C.buffer(T).head());
    S.First = {First.Where, First.Width, 1};
    S.At.Store = First.Pc;
    forEachBuffered(C, T, [&](const StoreBuffer::Entry &E) { hold(E); });
  }
  if (M.pending(T).Kind == OperationKind::Yield)
    return;
  for (uint32_t Store : HeldPcs) {
    const Delay D{Store, M.pc(T)};
    if (!Allowed.Known.count(D) && std::find(Passed.begin(), Passed.end(), D) == Passed.end())
      Passed.push_back(D);
  }
}

/// Whether the attacker can come to another load with its buffer as it is.
bool AttackRules::attackGoesOn() const {
  const Machine &M = C.machine();
  return M.status(S.Attacker) == ThreadStatus::Ready && passesStores(M.pending(S.Attacker));
}

bool AttackRules::beginChain() {
  S.Phase = 2;
  Held.clear();
  HeldPcs.clear();
  for (const MemoryAccess &A : C.accesses())
    if (!A.Forwarded)
      Spans.push_back({A.Where, A.Size, A.Write});
  std::sort(Spans.begin(), Spans.end());
  return true;
}

/// T took a step in phase 2. False: it need not have come after the load.
bool AttackRules::extendChain(ThreadId T) {
  auto IsAfter = [&](ThreadId Thread) { return Thread < MostThreads && (S.After >> Thread & 1); };
  auto Add = [&](ThreadId Thread) { S.After |= Thread < MostThreads ? 1ull << Thread : 0; };
  bool After = IsAfter(T);
  for (const MemoryAccess &A : C.accesses())
    for (const Span &Known : Spans)
      After |= !A.Forwarded && (A.Write || Known.Write) && Known.meets(A.Where, A.Size);
  if (!After)
    return false;
  Add(T);
  for (const StepNote &N : C.notes()) {
    if (N.What == StepNote::Created && IsAfter(N.A))
      Add(N.B);
    else if (N.What == StepNote::Joined && IsAfter(N.B))
      Add(N.A);
  }
  for (const MemoryAccess &A : C.accesses()) {
    if (A.Forwarded) // what a thread holds back itself is no memory of R
      continue;
    if (S.First.meets(A.Where, A.Size)) {
      ++Witnesses;
      Found.insert(Passed.begin(), Passed.end());
      S.At.Observer = C.pc();
      if (OnWitness)
        OnWitness(S.At);
      return false;
    }
    const Span New{A.Where, A.Size, A.Write};
    if (auto At = std::lower_bound(Spans.begin(), Spans.end(), New); At == Spans.end() || *At != New)
      Spans.insert(At, New);
  }
  return true;
}

bool AttackRules::after(const Choice &Taken) {
  if (Taken.How == Stop)
    return beginChain();
  if (S.Phase == 1) {
    for (const StepNote &N : C.notes())
      if (N.What == StepNote::Stored && N.A == S.Attacker)
        hold(C.bufferEntry(N.A, N.B));
    return attackGoesOn();
  }
  return S.Phase == 2 ? extendChain(C.threadOf(Taken.Process)) : true;
}

void AttackRules::save(std::string &Into) const {
  State Now = S;
  Now.NumSpans = static_cast<uint32_t>(Spans.size());
  Now.NumPassed = static_cast<uint32_t>(Passed.size());
  Now.NumHeld = static_cast<uint32_t>(Held.size());
  Now.NumHeldPcs = static_cast<uint32_t>(HeldPcs.size());
  put(Into, Now);
  putAll(Into, Spans);
  putAll(Into, Passed);
  putAll(Into, Held);
  putAll(Into, HeldPcs);
}

void AttackRules::restore(std::string_view From) {
  std::memcpy(&S, From.data(), sizeof(State));
  const char *At = From.data() + sizeof(State);
  takeAll(At, Spans, S.NumSpans);
  takeAll(At, Passed, S.NumPassed);
  takeAll(At, Held, S.NumHeld);
  takeAll(At, HeldPcs, S.NumHeldPcs);
}

/// Of the attacker's buffer only what it reads from it matters, and what its first store writes. So there are finitely
/// many states, however long the attacker runs.
void AttackRules::describe(std::string &Into) const {
  put(Into, static_cast<uint8_t>(S.Phase));
  if (S.Phase == 0)
    return;
  put(Into, S.Attacker);
  put(Into, S.First.Where);
  put(Into, S.First.Size);
  if (S.Phase == 1) {
    for (const HeldByte &B : Held) {
      put(Into, B.Where);
      put(Into, static_cast<uint8_t>(B.Value));
    }
    return;
  }
  put(Into, S.After);
  for (const Span &Known : Spans) {
    put(Into, Known.Where);
    put(Into, Known.Size);
    put(Into, Known.Write);
  }
}

} // namespace picket
