#include "robust/Attack.h"

#include <algorithm>

namespace picket {

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

/// Whether an operation can happen while there are stores in the buffer.
bool passesStores(const Configuration &C, const Operation &Op) {
  switch (Op.Kind) {
  case OperationKind::Load:
  case OperationKind::End:
  case OperationKind::Yield: return true;
  case OperationKind::Rmw:
  case OperationKind::CmpXchg: return !C.drainsBefore(Op);
  default: return false;
  }
}

} // namespace

const AttackRules::Timely *AttackRules::findTimely(uint32_t Entry) const {
  auto Found = std::find_if(OnTime.begin(), OnTime.end(), [&](const Timely &K) { return K.Entry == Entry; });
  return Found == OnTime.end() ? nullptr : &*Found;
}

/// Whether the delays let an access of the attacker overtake its stores that are not late and older than the entry.
bool AttackRules::mayPassTimely(uint32_t Entry, uint32_t Pc) const {
  return std::all_of(OnTime.begin(), OnTime.end(), [&](const Timely &K) {
    return K.Entry >= Entry || isAllowed(Config.bufferEntry(Current.Attacker, K.Entry), Pc);
  });
}

/// The first late store and those that are not late, if the step of P, which the delays do not allow, begins an attack.
/// False: another store has to land first, which R, or an attack that begins with it, sees to.
bool AttackRules::planAttack(ProcessId P, uint32_t &First, std::vector<Timely> &Others) const {
  const ThreadId T = Config.threadOf(P);
  const StoreBuffer &Buffer = Config.buffer(T);
  Others.clear();
  First = Buffer.head();
  if (!isAnyOrder())
    return true;
  const uint32_t Access =
      Config.isUpdate(P) ? Config.nextEntry(P) : Buffer.tail(); // it overtakes what is in front of that
  const uint32_t Pc = Config.isUpdate(P) ? Buffer.at(Access).Pc : Config.machine().pc(T);
  auto IsOvertaken = [&](uint32_t Index) { return Index < Access && !isAllowed(Buffer.at(Index), Pc); };
  while (Buffer.at(First).Landed || !IsOvertaken(First))
    ++First;
  if (Buffer.at(First).WaitFor > Buffer.head() || Buffer.waitsForOverlap(First))
    return false;
  std::vector<uint32_t> Late;
  bool IsPossible = true;
  forEachBuffered(Config, T, [&](uint32_t Index, const StoreBuffer::Entry &E) {
    auto Overlaps = [&](uint32_t K) { return Buffer.at(K).overlaps(E.Where, E.Width); };
    if (Index == First || (Index > First && (E.WaitFor > First || std::any_of(Late.begin(), Late.end(), Overlaps)))) {
      Late.push_back(Index);
      return;
    }
    const bool MayPass =
        std::all_of(Late.begin(), Late.end(), [&](uint32_t K) { return isAllowed(Buffer.at(K), E.Pc); });
    Others.push_back({Index, MayPass});
    IsPossible &= !IsOvertaken(Index);
  });
  return IsPossible;
}

void AttackRules::addChoices(ProcessId P, std::vector<Choice> &Into) {
  const ThreadId T = Config.threadOf(P);
  if (Current.Phase > 0 && T == Current.Attacker)
    return addOfAttacker(P, Into);
  const Pass How = !Config.isUpdate(P) ? mayPass(T) : mayLand(P) ? Pass::Yes : Pass::No;
  if (How == Pass::Yes)
    Into.push_back({P, Plain});
  if (How != Pass::No || Current.Phase > 0)
    return;
  uint32_t First;
  std::vector<Timely> Others;
  if (planAttack(P, First, Others))
    addAttack(P, Into);
}

void AttackRules::addAttack(ProcessId P, std::vector<Choice> &Into) {
  Into.push_back({P, RunOn});
  const ThreadId T = Config.threadOf(P);
  const Operation &Op = Config.machine().pending(T);
  // The last access past which the store is delayed is one of memory (W4).
  if (Config.isUpdate(P) || (Op.Kind == OperationKind::Load && !Config.readsOwnBufferOnly(T, Op)) ||
      Op.Kind == OperationKind::Rmw || Op.Kind == OperationKind::CmpXchg)
    Into.push_back({P, Stop});
}

void AttackRules::addOfAttacker(ProcessId P, std::vector<Choice> &Into) {
  if (Config.isUpdate(P)) {
    const uint32_t Entry = Config.nextEntry(P);
    const Timely *Lands = findTimely(Entry);
    if (!Lands || !mayPassTimely(Entry, Config.bufferEntry(Current.Attacker, Entry).Pc))
      return;
    if (Current.Phase == 1 && Entry > Current.FirstEntry)
      addAttack(P, Into);
    else if (Current.Phase == 1 || Lands->MayPassLate) // R has held it back: a step like that of others
      Into.push_back({P, Plain});
    return;
  }
  if (Current.Phase == 2)
    return;
  const Machine &M = Config.machine();
  if (M.pending(Current.Attacker).Kind != OperationKind::Yield) {
    if (!mayPassTimely(~0u, M.pc(Current.Attacker)))
      return;
    if (OnTime.size() > Allowed.MostBuffered)
      return noteBound();
  }
  addAttack(P, Into);
}

/// Most witnesses are short: those come first, and attackers that run on last.
void AttackRules::arrange(std::vector<Choice> &Choices, size_t First) const {
  auto Rank = [](const Choice &Step) { return Step.How == Stop ? 0 : Step.How == Plain ? 1 : 2; };
  std::stable_sort(Choices.begin() + static_cast<ptrdiff_t>(First), Choices.end(),
                   [&](const Choice &A, const Choice &B) { return Rank(A) < Rank(B); });
}

/// A store of the attacker has come into its buffer.
void AttackRules::addStore(uint32_t Entry) {
  const StoreBuffer::Entry &E = Config.bufferEntry(Current.Attacker, Entry);
  if (!isAnyOrder() || E.WaitFor > Current.FirstEntry || isHeld(E.Where, E.Width))
    return hold(E);
  const bool MayPass = std::all_of(HeldPcs.begin(), HeldPcs.end(),
                                   [&](uint32_t Store) { return Allowed.Known.count({Store, E.Pc}) > 0; });
  OnTime.push_back({Entry, MayPass});
}

bool AttackRules::isHeld(Address Where, uint32_t Size) const {
  auto At = std::lower_bound(Held.begin(), Held.end(), Where,
                             [](const HeldByte &B, Address Wanted) { return B.Where < Wanted; });
  return At != Held.end() && At->Where < Where + Size;
}

/// A store of the attacker is late.
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

/// The attacker's access at Pc overtakes its late stores.
void AttackRules::notePassed(const Choice &Taken, uint32_t Pc) {
  auto Note = [&](uint32_t Store) {
    const Delay D{Store, Pc};
    if (!Allowed.Known.count(D) && std::find(Passed.begin(), Passed.end(), D) == Passed.end())
      Passed.push_back(D);
  };
  if (!Config.isUpdate(Taken.Process)) {
    std::for_each(HeldPcs.begin(), HeldPcs.end(), Note);
    return;
  }
  forEachBuffered(Config, Current.Attacker, [&](uint32_t Index, const StoreBuffer::Entry &E) {
    if (Index < Config.nextEntry(Taken.Process) && !findTimely(Index))
      Note(E.Pc);
  });
}

void AttackRules::before(const Choice &Taken) {
  if (Taken.How == Plain)
    return;
  const Machine &M = Config.machine();
  const ThreadId T = Config.threadOf(Taken.Process);
  const bool Lands = Config.isUpdate(Taken.Process);
  if (Current.Phase == 0) {
    Current.Phase = 1;
    Current.Attacker = T;
    planAttack(Taken.Process, Current.FirstEntry, OnTime);
    const StoreBuffer::Entry &First = Config.bufferEntry(T, Current.FirstEntry);
    Current.First = {First.Where, First.Width, 1};
    Current.At.Store = First.Pc;
    forEachBuffered(Config, T, [&](uint32_t Index, const StoreBuffer::Entry &E) {
      if (!findTimely(Index))
        hold(E);
    });
  }
  Current.At.Access = Lands ? Config.bufferEntry(T, Config.nextEntry(Taken.Process)).Pc : M.pc(T);
  if (Lands || M.pending(T).Kind != OperationKind::Yield)
    notePassed(Taken, Current.At.Access);
}

/// Whether the attacker can come to another access with its buffer as it is.
bool AttackRules::attackGoesOn() const {
  const Machine &M = Config.machine();
  return !OnTime.empty() ||
         (M.status(Current.Attacker) == ThreadStatus::Ready && passesStores(Config, M.pending(Current.Attacker)));
}

/// Whether an access happens after one of the chain because of what it accesses.
bool AttackRules::meetsChain(const Span &New) const {
  return std::any_of(Spans.begin(), Spans.end(),
                     [&](const Span &Known) { return (New.Write || Known.Write) && Known.meets(New.Where, New.Size); });
}

bool AttackRules::beginChain() {
  Current.Phase = 2;
  Held.clear();
  HeldPcs.clear();
  for (const MemoryAccess &A : Config.accesses())
    if (!A.Forwarded)
      Spans.push_back({A.Where, A.Size, A.Write});
  std::sort(Spans.begin(), Spans.end());
  findWaitingObservers();
  return true;
}

/// T took a step in phase 2. False: it need not have come after the attacker's access.
bool AttackRules::extendChain(ThreadId T) {
  auto Add = [&](ThreadId Thread) { Current.After |= Thread < MostThreads ? 1ull << Thread : 0; };
  bool After = isAfter(T);
  for (const MemoryAccess &A : Config.accesses())
    After |= !A.Forwarded && meetsChain({A.Where, A.Size, A.Write});
  if (!After)
    return false;
  if (T != Current.Attacker) // whose stores that were held back do not follow one another
    Add(T);
  for (const StepNote &N : Config.notes()) {
    if (N.What == StepNote::Created && isAfter(N.A))
      Add(N.B);
    else if (N.What == StepNote::Joined && isAfter(N.B))
      Add(N.A);
  }
  for (const MemoryAccess &A : Config.accesses()) {
    if (A.Forwarded) // what a thread holds back itself is no memory of R
      continue;
    if (Current.First.meets(A.Where, A.Size)) {
      ++Witnesses;
      Found.insert(Passed.begin(), Passed.end());
      Current.At.Observer = Config.pc();
      if (OnWitness)
        OnWitness(Current.At);
      return false;
    }
    const Span New{A.Where, A.Size, A.Write};
    if (auto At = std::lower_bound(Spans.begin(), Spans.end(), New); At == Spans.end() || *At != New)
      Spans.insert(At, New);
  }
  findWaitingObservers();
  return true;
}

/// Under PSO it takes several threads with late stores at times to let a loop go on that waits, and none of them alone
/// does. A thread that waits there accesses what the loop reads all the same, though it takes no step.
void AttackRules::findWaitingObservers() {
  if (!isAnyOrder())
    return;
  const Machine &M = Config.machine();
  for (ThreadId T = 0; T < M.numThreads(); ++T) {
    if (T == Current.Attacker || !M.exists(T) || M.status(T) != ThreadStatus::Ready || !M.pending(T).MaySpin)
      continue;
    const Operation &Op = M.pending(T);
    if (!Current.First.meets(Op.Where, Op.Width) || Config.readsOwnBufferOnly(T, Op) ||
        Config.isEnabled(Config.processOf(T)))
      continue;
    if (isAfter(T) || meetsChain({Op.Where, Op.Width, 0}))
      Waiting.insert({Current.First, Passed});
  }
}

void AttackRules::noteStores() {
  if (!isAnyOrder())
    return;
  for (const StepNote &N : Config.notes()) {
    if (N.What != StepNote::Stored)
      continue;
    const StoreBuffer::Entry &E = Config.bufferEntry(N.A, N.B);
    for (uint32_t K = 0; K < E.Width; ++K) {
      auto [Known, IsNew] = Writers.try_emplace(E.Where + K, Writer{N.A, E.Operation, true});
      Known->second.IsOnly &= Known->second.Thread == N.A && Known->second.Operation == E.Operation;
    }
  }
}

/// A loop goes on waiting because of another late store only if there is another store of the same bytes.
std::set<Delay> AttackRules::found() const {
  std::set<Delay> All = Found;
  for (const auto &[First, Delayed] : Waiting)
    for (uint32_t K = 0; K < First.Size; ++K)
      if (auto Known = Writers.find(First.Where + K); Known != Writers.end() && !Known->second.IsOnly)
        All.insert(Delayed.begin(), Delayed.end());
  return All;
}

void AttackRules::add(const StepRules &Other) {
  DelayRules::add(Other);
  const auto &Theirs = static_cast<const AttackRules &>(Other);
  Found.insert(Theirs.Found.begin(), Theirs.Found.end());
  Waiting.insert(Theirs.Waiting.begin(), Theirs.Waiting.end());
  Witnesses += Theirs.Witnesses;
  for (const auto &[Where, W] : Theirs.Writers) {
    auto [Known, IsNew] = Writers.try_emplace(Where, W);
    Known->second.IsOnly &= W.IsOnly && Known->second.Thread == W.Thread && Known->second.Operation == W.Operation;
  }
}

bool AttackRules::after(const Choice &Taken) {
  noteStores();
  if (Current.Phase > 0 && Config.isUpdate(Taken.Process) && Config.threadOf(Taken.Process) == Current.Attacker)
    std::erase_if(OnTime, [&](const Timely &K) { return K.Entry == Config.entry(); });
  if (Taken.How == Stop)
    return beginChain();
  if (Current.Phase == 1) {
    for (const StepNote &N : Config.notes())
      if (N.What == StepNote::Stored && N.A == Current.Attacker)
        addStore(N.B);
    return attackGoesOn();
  }
  return Current.Phase == 2 ? extendChain(Config.threadOf(Taken.Process)) : true;
}

void AttackRules::save(std::string &Into) const {
  State Now = Current;
  Now.NumSpans = static_cast<uint32_t>(Spans.size());
  Now.NumPassed = static_cast<uint32_t>(Passed.size());
  Now.NumHeld = static_cast<uint32_t>(Held.size());
  Now.NumHeldPcs = static_cast<uint32_t>(HeldPcs.size());
  Now.NumOnTime = static_cast<uint32_t>(OnTime.size());
  put(Into, Now);
  putAll(Into, Spans);
  putAll(Into, Passed);
  putAll(Into, Held);
  putAll(Into, HeldPcs);
  putAll(Into, OnTime);
}

void AttackRules::restore(std::string_view From) {
  std::memcpy(&Current, From.data(), sizeof(State));
  const char *At = From.data() + sizeof(State);
  takeAll(At, Spans, Current.NumSpans);
  takeAll(At, Passed, Current.NumPassed);
  takeAll(At, Held, Current.NumHeld);
  takeAll(At, HeldPcs, Current.NumHeldPcs);
  takeAll(At, OnTime, Current.NumOnTime);
}

/// The attacker's stores that are not late, and what they and later ones have to wait for.
void AttackRules::describeOnTime(std::string &Into) const {
  auto NumBefore = [&](uint32_t Index) {
    return static_cast<uint32_t>(
        std::count_if(OnTime.begin(), OnTime.end(), [&](const Timely &K) { return K.Entry < Index; }));
  };
  put(Into, static_cast<uint32_t>(OnTime.size()));
  for (const Timely &K : OnTime) {
    const StoreBuffer::Entry &E = Config.bufferEntry(Current.Attacker, K.Entry);
    put(Into, E.Where);
    put(Into, E.Value);
    put(Into, E.Value2);
    put(Into, E.Width);
    put(Into, E.Pc);
    put(Into, NumBefore(E.WaitFor));
    put(Into, static_cast<uint8_t>(K.MayPassLate + 2 * (K.Entry > Current.FirstEntry)));
  }
  const uint32_t Barrier = Config.buffer(Current.Attacker).barrier();
  put(Into, Barrier > Current.FirstEntry ? ~0u : NumBefore(Barrier));
  put(Into, Config.mustDrain(Current.Attacker));
}

/// Of the attacker's late stores only what it reads from them matters, and what the first one writes. So there are
/// finitely many states, however long the attacker runs.
void AttackRules::describe(std::string &Into) const {
  put(Into, static_cast<uint8_t>(Current.Phase));
  if (Current.Phase == 0)
    return;
  put(Into, Current.Attacker);
  put(Into, Current.First.Where);
  put(Into, Current.First.Size);
  if (isAnyOrder())
    describeOnTime(Into);
  if (Current.Phase == 1) {
    for (const HeldByte &B : Held) {
      put(Into, B.Where);
      put(Into, static_cast<uint8_t>(B.Value));
    }
    return;
  }
  put(Into, Current.After);
  for (const Span &Known : Spans) {
    put(Into, Known.Where);
    put(Into, Known.Size);
    put(Into, Known.Write);
  }
}

} // namespace picket
