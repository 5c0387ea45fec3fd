#include "trace/RecordingNames.h"

#include "machine/CallStack.h"
#include "trace/Draft.h"
#include "trace/Naming.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace picket {

const char *nameOf(Order O) {
  switch (O) {
  case Order::NotAtomic: return "";
  case Order::Relaxed: return "relaxed";
  case Order::AcquirePC: return "acquire-pc";
  case Order::Acquire: return "acquire";
  case Order::Release: return "release";
  case Order::AcqRel: return "acq_rel";
  case Order::SeqCst: return "seq_cst";
  }
  return "";
}

std::string fenceText(FenceKind Kind) {
  switch (Kind) {
  case FenceKind::Full: return "full fence";
  case FenceKind::StoreStore: return "store-store fence";
  case FenceKind::Acquire: return "acquire fence";
  case FenceKind::Release: return "release fence";
  case FenceKind::AcqRel: return "acquire-release fence";
  case FenceKind::LwSync: return "lwsync";
  case FenceKind::ISync: return "isync";
  case FenceKind::DmbLd: return "dmb ld";
  case FenceKind::DmbSt: return "dmb st";
  case FenceKind::Dsb: return "dsb sy";
  case FenceKind::DsbLd: return "dsb ld";
  case FenceKind::DsbSt: return "dsb st";
  case FenceKind::Isb: return "isb";
  }
  return "fence";
}

SyncAction syncActionOf(SyncOp Op, const uint8_t *State, uint32_t Thread, uint64_t Argument) {
  uint8_t Bytes[64] = {};
  SyncResult Result;
  if (State) {
    std::memcpy(Bytes, State, sizeOf(Op));
    Result = apply(Op, Bytes, Thread, Argument);
  }
  bool Worked = Result.Value == 0;
  switch (Op) {
  case SyncOp::MutexInit:
  case SyncOp::SpinInit:
  case SyncOp::CondInit:
  case SyncOp::RwInit:
  case SyncOp::SemInit:
  case SyncOp::BarrierInit: return SyncAction::Initialises;
  case SyncOp::MutexDestroy:
  case SyncOp::SpinDestroy:
  case SyncOp::CondDestroy:
  case SyncOp::RwDestroy:
  case SyncOp::SemDestroy:
  case SyncOp::BarrierDestroy: return SyncAction::Destroys;
  case SyncOp::MutexLock:
  case SyncOp::SpinLock: return Worked ? SyncAction::Locks : SyncAction::FailsToLock;
  case SyncOp::MutexTryLock:
  case SyncOp::MutexTimedLock:
  case SyncOp::SpinTryLock: return Worked ? SyncAction::Locks : SyncAction::TriesToLock;
  case SyncOp::MutexUnlock:
  case SyncOp::SpinUnlock:
  case SyncOp::RwUnlock: return Worked ? SyncAction::Unlocks : SyncAction::FailsToUnlock;
  case SyncOp::CondEnqueue: return SyncAction::BeginsToWait;
  case SyncOp::CondWake: return SyncAction::IsWoken;
  case SyncOp::CondTimedWake: return Worked ? SyncAction::IsWoken : SyncAction::GivesUpWaiting;
  case SyncOp::CondSpuriousWake: return Worked ? SyncAction::IsWoken : SyncAction::WakesForNoReason;
  case SyncOp::CondSignal: return SyncAction::Signals;
  case SyncOp::CondBroadcast: return SyncAction::Broadcasts;
  case SyncOp::FutexEnqueue: return SyncAction::BeginsToWait;
  case SyncOp::FutexWait: return SyncAction::IsWoken;
  case SyncOp::FutexTimedWait: return Worked ? SyncAction::IsWoken : SyncAction::GivesUpWaiting;
  case SyncOp::FutexSpuriousWait: return Worked ? SyncAction::IsWoken : SyncAction::WakesForNoReason;
  case SyncOp::FutexLock: // not the program's lock
  case SyncOp::FutexUnlock: return SyncAction::WorksOn;
  case SyncOp::FutexWake: return SyncAction::Signals;
  case SyncOp::FutexWakeAll: return SyncAction::Broadcasts;
  case SyncOp::RwReadLock: return Worked ? SyncAction::LocksForReading : SyncAction::FailsToLockForReading;
  case SyncOp::RwTryReadLock: return Worked ? SyncAction::LocksForReading : SyncAction::TriesToLockForReading;
  case SyncOp::RwWriteLock: return Worked ? SyncAction::LocksForWriting : SyncAction::FailsToLockForWriting;
  case SyncOp::RwTryWriteLock: return Worked ? SyncAction::LocksForWriting : SyncAction::TriesToLockForWriting;
  case SyncOp::SemWait: return SyncAction::Takes;
  case SyncOp::SemTryWait:
  case SyncOp::SemTimedWait: return Worked ? SyncAction::Takes : SyncAction::TriesToTake;
  case SyncOp::SemPost: return SyncAction::Posts;
  case SyncOp::SemGetValue: return SyncAction::AsksForValue;
  case SyncOp::BarrierArrive: return SyncAction::Arrives;
  case SyncOp::BarrierLeave: return SyncAction::Leaves;
  case SyncOp::OnceBegin: return Result.Value ? SyncAction::BeginsOnce : SyncAction::FindsOnceDone;
  case SyncOp::OnceEnd: return SyncAction::EndsOnce;
  }
  return SyncAction::WorksOn;
}

SourceLocation locationOf(const Program &P, const ProgramLocation &L) {
  SourceLocation Result;
  Result.File = L.Line ? P.Files[L.File] : "";
  Result.Line = Result.EndLine = L.Line;
  Result.Column = Result.EndColumn = L.Column;
  return Result;
}

namespace {

/// The places of a call stack, outermost first: calls that were inlined are calls to the reader. Only those to show; what
/// the last one of them calls is folded.
std::vector<ProgramLocation> locationsOf(const Program &P, const std::vector<uint32_t> &Stack,
                                         std::vector<ProgramLocation> &Folded) {
  std::vector<ProgramLocation> Places;
  for (uint32_t Pc : Stack) {
    if (Pc == CallsLeftOut) {
      Places.push_back(ProgramLocation()); // no line: see namePlaces
      continue;
    }
    std::vector<ProgramLocation> Frames;
    for (uint32_t L = P.CodeLocations[Pc]; L; L = P.Locations[L].InlinedAt)
      Frames.push_back(P.Locations[L]);
    for (auto L = Frames.rbegin(); L != Frames.rend(); ++L) {
      if (P.isShown(*L)) {
        Places.push_back(*L);
        Folded.clear();
      } else if (L->Line && P.Files[L->File] != ModelsFile) {
        Folded.push_back(*L);
      }
    }
  }
  if (Places.empty())
    Folded.clear();
  return Places;
}

/// What heap blocks of a type are called: "node" for struct node.
std::string blockName(const SourceNames &Names, uint32_t Type) {
  std::string Name = Type ? Names.Types[Type].Name : "";
  for (const char *Keyword : {"struct ", "union ", "enum "})
    if (Name.rfind(Keyword, 0) == 0)
      Name.erase(0, std::strlen(Keyword));
  std::replace(Name.begin(), Name.end(), ' ', '_');
  return Name.empty() ? "block" : Name;
}

TracePlace tracePlace(const Program &P, const ProgramLocation &L) {
  return {locationOf(P, L), P.FunctionNames[L.Function]};
}

} // namespace

/// What tells static variables of one name apart: " of increment", " of queue.c". Empty where a name is not used twice.
static std::string homonymSuffix(const Program &Prog, uint32_t Global) {
  const std::vector<SourceNames::Object> &All = Prog.Names.Globals;
  if (Global >= All.size() || All[Global].Name.empty() || All[Global].Name.front() == '"')
    return "";
  const SourceNames::Object &Mine = All[Global];
  auto FileOf = [&](const SourceNames::Object &O) -> const std::string & {
    return Prog.Files[Prog.Locations[O.Location].File];
  };
  auto BaseOf = [&](const SourceNames::Object &O) { return FileOf(O).substr(FileOf(O).rfind('/') + 1); };
  bool Twice = false, SameFunction = false, SameBase = false;
  for (const SourceNames::Object &Other : All)
    if (&Other != &Mine && Other.Name == Mine.Name && Other.Location != 0) {
      Twice = true;
      SameFunction |= Other.Function == Mine.Function;
      SameBase |= Other.Function == Mine.Function && BaseOf(Other) == BaseOf(Mine);
    }
  if (!Twice || Mine.Location == 0)
    return "";
  const std::string Function = Mine.Function.empty() ? "" : " of " + Mine.Function;
  return SameFunction ? Function + (Function.empty() ? " of " : " in ") + (SameBase ? FileOf(Mine) : BaseOf(Mine))
                      : Function;
}

/// Names for the objects seen. Heap blocks of a type are numbered by who allocated them, in which order, so that the
/// numbers do not depend on the schedule.
std::map<uint32_t, Draft::NamedObject> Draft::nameObjects(const Recording &R) const {
  const SourceNames &Names = Prog.Names;
  static const SourceNames::Object Nameless;
  std::map<uint32_t, NamedObject> Named;
  std::map<std::string, std::vector<uint32_t>> Homonyms; // stack variables of a name
  std::map<std::string, std::vector<uint32_t>> Blocks;   // heap blocks of a type
  for (const auto &[Slot, O] : Objects) {
    NamedObject &N = Named[Slot];
    bool PerThread = O.Kind == ObjectKind::ThreadLocal;
    uint32_t Global = PerThread ? O.Site - Prog.NumSites : Slot - 1;
    bool IsGlobal = PerThread || O.Kind == ObjectKind::Global || O.Kind == ObjectKind::Constant;
    const auto &Known = IsGlobal ? Names.Globals : Names.Sites;
    uint32_t Index = IsGlobal ? Global : O.Site;
    N.Source = Index < Known.size() && O.Kind != ObjectKind::Hidden ? &Known[Index] : &Nameless;
    N.Seen = &O;
    N.Name = N.Source->Name;
    if (N.Name.empty() && IsGlobal)
      N.Name = Prog.Globals[Global].Name;
    std::string Owner = O.Owner < R.Threads.size() ? R.Threads[O.Owner].Name : "";
    if (IsGlobal && O.Kind != ObjectKind::Constant)
      N.Suffix = homonymSuffix(Prog, Global);
    switch (O.Kind) {
    case ObjectKind::Constant:
    case ObjectKind::Global: N.Description = "global '" + N.Name + "'"; break;
    case ObjectKind::ThreadLocal:
      N.Suffix += " of " + Owner;
      N.Description = "thread-local '" + N.Name + "' of thread '" + Owner + "'";
      break;
    case ObjectKind::Stack:
      if (N.Name.empty())
        N.Name = "local";
      N.Description = "local variable '" + N.Name + "'" +
                      (N.Source->Function.empty() ? "" : " of " + N.Source->Function) + " in thread '" + Owner + "'";
      Homonyms[N.Name].push_back(Slot);
      break;
    case ObjectKind::Heap: {
      uint32_t Line = Prog.locationOf(O.AllocatedAt).Line;
      N.Description = "heap block of " + std::to_string(O.Size) + " bytes" +
                      (Line ? " allocated at line " + std::to_string(Line) : "") + " by thread '" + Owner + "'";
      Blocks[blockName(Names, N.Source->Type)].push_back(Slot);
      break;
    }
    case ObjectKind::Hidden: N.Name = "internal"; break;
    }
  }
  for (auto &[Name, Slots] : Homonyms)
    for (uint32_t Slot : Slots)
      if (Slots.size() > 1)
        Named[Slot].Suffix = " of " + R.Threads[Objects.at(Slot).Owner].Name;
  for (auto &[Type, Slots] : Blocks) {
    auto Identity = [&](uint32_t Slot) {
      uint32_t Owner = Objects.at(Slot).Owner;
      return std::pair(Mach.pathOf(Owner), Mach.allocationIndex(Owner, Slot));
    };
    std::sort(Slots.begin(), Slots.end(), [&](uint32_t A, uint32_t B) { return Identity(A) < Identity(B); });
    for (size_t K = 0; K < Slots.size(); ++K)
      Named[Slots[K]].Name = Type + "#" + std::to_string(K + 1);
  }
  return Named;
}

/// Names for the variables, values in their own types, places for the events.
void Draft::nameEverything(const Recording &R) {
  // Values that are addresses lead to more objects, which need names as well: until no new ones are found.
  for (size_t Known = 0; Known != Objects.size();) {
    Known = Objects.size();
    nameAccesses(nameObjects(R));
  }
  namePlaces();
}

void Draft::nameAccesses(const std::map<uint32_t, NamedObject> &Named) {
  const SourceNames &Names = Prog.Names;
  auto PartName = [&](Address A, uint32_t Size, uint32_t *Type) {
    const NamedObject &N = Named.at(slotOf(A));
    bool Heap = N.Seen->Kind == ObjectKind::Heap;
    return N.Name + objectPath(Names, *N.Source, N.Seen->Size, Heap, offsetOf(A), Size, Type) + N.Suffix;
  };
  auto PointerName = [&](uint64_t Value) -> std::string {
    uint32_t Slot = slotOf(Value);
    if (Slot >= FirstFunctionSlot && Slot - FirstFunctionSlot < Prog.Functions.size())
      return Prog.Functions[Slot - FirstFunctionSlot].Name;
    auto Found = Named.find(Slot);
    if (Found == Named.end()) {
      if (const Object *O = Slot ? Mach.memory().find(Value) : nullptr; O && O->Kind != ObjectKind::Hidden)
        seeObject(Value);
      return "";
    }
    const NamedObject &N = Found->second;
    if (offsetOf(Value) == 0) // a string literal is its own address
      return (N.Name.rfind('"', 0) == 0 ? "" : "&") + N.Name + N.Suffix;
    uint32_t Type = 0;
    return "&" + PartName(Value, 1, &Type);
  };

  Types.assign(Variables.size(), 0);
  for (size_t K = 0; K < Variables.size(); ++K) {
    TraceVariable &V = Variables[K];
    auto Object = Named.find(slotOf(V.Address));
    if (Object == Named.end()) {
      V.Name = V.Address < 4096 ? "NULL" : "nowhere";
      continue;
    }
    V.Name = PartName(V.Address, V.Size, &Types[K]);
    V.Object = Object->second.Description;
    V.Type = Names.Types[Types[K]].Name;
    if (V.Size <= 16)
      V.Initial = valueText(Names, Types[K], V.InitialLow, V.InitialHigh, V.Size, PointerName);
  }
  for (TraceEvent &E : Events)
    if (E.isAccess() || E.Kind == EventKind::Atomic)
      for (TraceAccess &A : E.Accesses)
        if (Variables[A.Variable].Size <= 16)
          A.Text = valueText(Names, Types[A.Variable], A.Low, A.High, Variables[A.Variable].Size, PointerName);
}

/// Leaves out calls in the middle.
static void shorten(std::vector<ProgramLocation> &Places, size_t Most) {
  if (Places.size() <= Most + 1)
    return;
  const auto Outermost = static_cast<ptrdiff_t>(Most / 4), Innermost = static_cast<ptrdiff_t>(Most - Most / 4);
  Places.erase(Places.begin() + Outermost, Places.end() - Innermost);
  Places.insert(Places.begin() + Outermost, ProgramLocation());
}

void Draft::namePlaces() {
  constexpr size_t MostCallers = 40'000; // of all events together
  for (size_t K = 0; K < Events.size(); ++K) {
    TraceEvent &E = Events[K];
    std::vector<ProgramLocation> Folded;
    std::vector<ProgramLocation> Places = locationsOf(Prog, Stacks[K], Folded);
    if (!Places.empty()) {
      E.At = tracePlace(Prog, Places.back());
      Places.pop_back();
    } else if (!Stacks[K].empty()) {
      E.At = tracePlace(Prog, Prog.locationOf(Stacks[K].back()));
    }
    for (const ProgramLocation &L : Folded)
      E.Folded.push_back(tracePlace(Prog, L));
    shorten(Places, std::max<size_t>(4, MostCallers / Events.size()));
    for (const ProgramLocation &L : Places)
      E.Callers.push_back(L.Line ? tracePlace(Prog, L) : TracePlace{E.At.Where, "(calls that are left out)"});
    if (E.Accesses.empty() || Stacks[K].empty())
      continue;
    const ProgramLocation &L = Prog.locationOf(Stacks[K].back());
    const TraceAccess &Main = E.Accesses.back();
    if (const auto *Text = Prog.Names.expressionAt(L.File, L.Line, L.Column, Main.Write, Variables[Main.Variable].Size,
                                                   Types[Main.Variable]))
      E.Expression = Text->Text;
  }
}

std::vector<SharedThing> sharedThings(const Program &P, const Sharing &Known) {
  std::vector<SharedThing> Result;
  for (uint32_t Site = 0; Site < P.NumSites + P.Globals.size(); ++Site)
    if (Known.isShared(Site))
      Result.push_back(nameOfSite(P, Site));
  return Result;
}

void markShared(const Program &P, const std::vector<SharedThing> &Things, Sharing &Known) {
  for (uint32_t Site = 0; Site < P.NumSites + P.Globals.size(); ++Site)
    if (std::any_of(Things.begin(), Things.end(), [&](const SharedThing &T) { return T.isSame(nameOfSite(P, Site)); }))
      Known.markShared(Site);
}

SharedThing nameOfSite(const Program &P, uint32_t Site) {
  SharedThing Thing;
  if (Site >= P.NumSites) { // static variables of several functions, or files, may have one name
    Thing.Name = P.Globals[Site - P.NumSites].Name;
    for (uint32_t Before = P.NumSites; Before < Site; ++Before)
      Thing.Ordinal += P.Globals[Before - P.NumSites].Name == Thing.Name;
    return Thing;
  }
  auto Describe = [&](uint32_t S) {
    const SourceNames::Object Object = S < P.Names.Sites.size() ? P.Names.Sites[S] : SourceNames::Object();
    return std::tuple(Object.Name.empty() ? SharedThing::Heap : SharedThing::Stack, Object.Name, Object.Function);
  };
  std::tie(Thing.What, Thing.Name, Thing.Function) = Describe(Site);
  for (uint32_t S = 0; S < Site; ++S)
    Thing.Ordinal += Describe(S) == Describe(Site);
  return Thing;
}

} // namespace picket
