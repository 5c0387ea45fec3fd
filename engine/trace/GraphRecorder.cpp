#include "trace/GraphRecorder.h"

#include "trace/Counterexample.h"
#include "trace/Draft.h"
#include "trace/RecordingNames.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace picket {

namespace {

/// What a fence is under C11.
Order modeOfFence(FenceKind Kind) {
  switch (withoutArm(Kind)) {
  case FenceKind::Full: return Order::SeqCst;
  case FenceKind::StoreStore:
  case FenceKind::Release: return Order::Release;
  case FenceKind::Acquire: return Order::Acquire;
  case FenceKind::AcqRel:
  case FenceKind::LwSync: return Order::AcqRel;
  default: return Order::NotAtomic;
  }
}

constexpr size_t MostLinks = 2000; // of a kind; if there are more, only the nearest are kept

class GraphRecorder {
public:
  GraphRecorder(GraphRun &Run, MemoryModel Model, const BugReport *Bug)
      : Model(Model), Mach(Run.machine()), Facts(Run.facts()), Notes(Run.notes()), Bug(Bug), Into(Mach),
        EventOf(Facts.size(), NoEvent), Dropped(Facts.size(), false), Own(Facts.size(), false) {}

  Recording record() {
    if (Bug)
      findFailed();
    findOwn();
    addEvents();
    link();
    if (Bug)
      addBug();
    return Into.finish(Model);
  }
  /// The event of an access, if it is told.
  uint32_t eventOf(const GraphScript::Name &Access) const {
    for (EventId E = 0; E < Facts.size(); ++E)
      if (GraphScript::Name{Facts[E].Thread, Facts[E].Number, Facts[E].Part} == Access)
        return EventOf[E];
    return NoEvent;
  }

private:
  /// Whether an access is one of memory that has ended, or of a lock in a way that is a bug.
  bool isWrong(const GraphFact &F) const {
    if (!F.Happened)
      return false;
    if (F.Op.Kind == OperationKind::Sync && !F.IsWrite && endBefore(F) == NoEvent) {
      std::vector<uint8_t> State = F.State;
      State.resize(64);
      return apply(F.Op.Sync, State.data(), F.Thread, F.Op.Value).Outcome == SyncResult::Misuse;
    }
    return endBefore(F) != NoEvent;
  }
  static std::vector<GraphFact::Cell> cellsOf(const GraphFact &F) {
    return F.Cells.empty() ? std::vector<GraphFact::Cell>{{0, F.Width, F.Source, F.Position}} : F.Cells;
  }
  /// The end of the memory that an access is behind.
  EventId endBefore(const GraphFact &F) const {
    for (const GraphFact::Cell &C : cellsOf(F)) {
      if (!F.IsWrite && C.Source != NoEvent && Facts[C.Source].Ends)
        return C.Source;
      for (EventId E = 0; E < Facts.size() && F.IsWrite; ++E)
        if (Facts[E].Ends && Facts[E].Happened && Facts[E].Where == F.Where + C.Offset &&
            Facts[E].Position < C.Position)
          return E;
    }
    return NoEvent;
  }

  /// The access that is the bug did not happen, nor did what came after it: unless others took notice of that.
  void findFailed() {
    for (EventId E = 0; E < Facts.size() && Failed == NoEvent; ++E)
      if (Facts[E].Thread == Bug->Thread && Facts[E].Pc == Bug->Pc && isWrong(Facts[E]))
        Failed = E;
    if (Failed == NoEvent)
      return;
    std::vector<bool> Drop(Facts.size(), false);
    const GraphFact &F = Facts[Failed];
    for (EventId E = 0; E < Facts.size(); ++E)
      if (Facts[E].Thread == F.Thread && (Facts[E].Number == F.Number || E > Failed))
        Drop[E] = true;
    bool Noticed = false;
    for (EventId E = 0; E < Facts.size(); ++E)
      if (Facts[E].Happened && !Drop[E])
        Noticed |= std::any_of(Facts[E].Past.begin(), Facts[E].Past.end(), [&](EventId Other) { return Drop[Other]; });
    if (!Noticed)
      Dropped = std::move(Drop);
  }

  /// What only one thread ever touches goes without saying, as under the other models.
  void findOwn() {
    std::map<uint32_t, std::set<ThreadId>> Users; // by object
    for (EventId E = 0; E < Facts.size(); ++E)
      if (Facts[E].Happened && (!Dropped[E] || E == Failed)) {
        Users[slotOf(Facts[E].Where)].insert(Facts[E].Thread);
        if (Facts[E].Op.Kind == OperationKind::Sync || Facts[E].Op.MaySpin || Facts[E].Op.Fails || E == Failed)
          Users[slotOf(Facts[E].Where)].insert(~0u);
      }
    for (EventId E = 0; E < Facts.size(); ++E)
      Own[E] = Facts[E].Happened && Users[slotOf(Facts[E].Where)].size() == 1;
  }

  // Events: those of a thread in program order.

  struct Item {
    EventId Fact = NoEvent;
    const GraphNotes::Action *Action = nullptr;
  };

  std::vector<std::vector<Item>> itemsOfThreads() const {
    std::vector<std::vector<Item>> Items(Mach.numThreads());
    for (ThreadId T = 0; T < Mach.numThreads(); ++T) {
      std::vector<const GraphNotes::Action *> Actions;
      for (const GraphNotes::Action &D : Notes.Actions)
        if (D.Thread == T)
          Actions.push_back(&D);
      size_t Next = 0;
      uint32_t Count = 0;
      bool Ended = false; // if it fails, nothing comes after it, and no thread sees its end
      auto Pass = [&](uint32_t Before) {
        for (; Next < Actions.size() && Actions[Next]->Before <= Before && !Ended; ++Next) {
          Ended = Bug && Actions[Next]->What == GraphNotes::Action::Join && Actions[Next]->Other == Bug->Thread;
          if (!Ended)
            Items[T].push_back({NoEvent, Actions[Next]});
        }
      };
      for (EventId E = 0; E < Facts.size(); ++E) {
        if (Facts[E].Thread != T)
          continue;
        Ended |= E == Failed && Dropped[E];
        Pass(Count);
        ++Count;
        if (Facts[E].Happened && !Dropped[E] && !Own[E])
          Items[T].push_back({E, nullptr});
      }
      Pass(~0u);
    }
    return Items;
  }

  /// Thread by thread, as far as each comes: it begins when it is created, and waits where it joins.
  void addEvents() {
    const std::vector<std::vector<Item>> Items = itemsOfThreads();
    std::vector<size_t> Next(Items.size(), 0);
    std::vector<bool> Begun(Items.size(), true);
    for (const GraphNotes::Action &D : Notes.Actions)
      if (D.What == GraphNotes::Action::Create)
        Begun[D.Other] = false;
    for (bool Moved = true; Moved;) {
      Moved = false;
      for (ThreadId T = 0; T < Items.size(); ++T)
        for (; Begun[T] && Next[T] < Items[T].size(); ++Next[T]) {
          const Item &I = Items[T][Next[T]];
          if (I.Action && I.Action->What == GraphNotes::Action::Join &&
              Next[I.Action->Other] < Items[I.Action->Other].size())
            break;
          if (I.Action)
            addAction(*I.Action);
          else
            addFact(I.Fact);
          if (I.Action && I.Action->What == GraphNotes::Action::Create)
            Begun[I.Action->Other] = true;
          Moved = true;
        }
    }
  }

  void addAction(const GraphNotes::Action &D) {
    static constexpr EventKind Kinds[] = {EventKind::Fence, EventKind::Create, EventKind::Join,
                                          EventKind::Fence, EventKind::Fence,  EventKind::Choice};
    TraceEvent &E = Into.add(Kinds[D.What], D.Thread, D.Stack);
    if (D.What == GraphNotes::Action::Choice) {
      E.What = "chooses " + std::to_string(D.Value);
      return;
    }
    E.Other = D.Other;
    E.FullFence = D.What != GraphNotes::Action::Fence || withoutArm(D.Kind) == FenceKind::Full;
    if (D.What == GraphNotes::Action::Fence) {
      E.What = fenceText(D.Kind);
      E.ReadMode = E.WriteMode = modeOfFence(D.Kind);
    }
    if (D.What != GraphNotes::Action::Fence && E.Kind == EventKind::Fence)
      E.What = D.What == GraphNotes::Action::SectionBegin ? "start of an atomic section" : "end of an atomic section";
  }

  TraceAccess accessOf(const GraphFact &F) {
    TraceAccess A = Into.access(F.Where, F.Width, F.IsWrite, F.Value, F.Value2);
    A.Position = F.Position;
    for (const GraphFact::Cell &C : F.Cells)
      A.Cells.push_back({C.Offset, NoEvent, C.Position});
    if (F.Op.Kind != OperationKind::Sync) {
      Into.Variables[A.Variable].InitialLow = F.Initial;
      Into.Variables[A.Variable].InitialHigh = F.Initial2;
    }
    return A;
  }

  void addFact(EventId Id) {
    const GraphFact &F = Facts[Id];
    if (F.Ends)
      return addEnd(Id);
    if (F.OfUpdate && F.IsWrite && EventOf[Id - 1] != NoEvent && !isApart(Id - 1))
      return; // its read came first
    std::vector<TraceAccess> Accesses = accessesOf(Id);
    TraceEvent &E = Into.add(kindOf(Id), F.Thread, Notes.Stacks[Id]);
    E.Accesses = std::move(Accesses);
    E.Number = F.Number;
    E.Part = static_cast<uint32_t>(F.Part);
    E.Ordering = nameOf(F.Op.Ordering);
    E.Volatile = F.Op.Volatile;
    (F.IsWrite ? E.WriteMode : E.ReadMode) = F.Mode;
    if (F.OfUpdate && !F.IsWrite && Facts[Id + 1].Happened && !isApart(Id))
      E.WriteMode = Facts[Id + 1].Mode;
    if (F.Op.Fails)
      E.What = FailsForNoReason;
    if (F.Op.Kind == OperationKind::Sync) {
      E.Action = syncActionOf(F.Op.Sync, F.State.data(), F.Thread, F.Op.Value);
      E.Ordering = "";
    }
    EventOf[Id] = last();
    if (F.OfUpdate && !F.IsWrite && !isApart(Id))
      EventOf[Id + 1] = last();
  }

  /// Whether something could not have happened without the read of an update, and its write not without that; or the
  /// other way round. The two are then events of their own: there is no one time for both.
  bool isApart(EventId Read) const {
    const GraphFact &Write = Facts[Read + 1];
    if (Write.Happened &&
        (!Facts[Read].Happened || std::binary_search(Facts[Read].Past.begin(), Facts[Read].Past.end(), Read + 1)))
      return true;
    if (!Write.Happened || Write.Past.size() <= Facts[Read].Past.size() + 1) // it needs no more than the read
      return false;
    return std::any_of(Write.Past.begin(), Write.Past.end(), [&](EventId Between) {
      const std::vector<EventId> &Earlier = Facts[Between].Past; // in order
      return Facts[Between].Happened && std::binary_search(Earlier.begin(), Earlier.end(), Read);
    });
  }

  EventKind kindOf(EventId Id) const {
    const GraphFact &F = Facts[Id];
    if (F.Op.Kind == OperationKind::Sync)
      return EventKind::Sync;
    if (F.OfUpdate && !isApart(F.IsWrite ? Id - 1 : Id))
      return EventKind::Rmw;
    return F.IsWrite ? EventKind::Store : EventKind::Load;
  }

  std::vector<TraceAccess> accessesOf(EventId Id) {
    const GraphFact &F = Facts[Id];
    std::vector<TraceAccess> Accesses = {accessOf(F)};
    const bool Writes = F.OfUpdate && !F.IsWrite && Facts[Id + 1].Happened && !isApart(Id);
    if (F.Op.Kind == OperationKind::Sync) {
      Accesses[0].Write = true;
      Accesses[0].Low = 0;
      Accesses[0].Position = Writes ? Facts[Id + 1].Position : 0;
      for (size_t C = 0; C < Accesses[0].Cells.size(); ++C)
        Accesses[0].Cells[C].Position = Writes ? Facts[Id + 1].Cells[C].Position : 0;
    } else if (Writes) {
      Accesses.push_back(accessOf(Facts[Id + 1]));
    }
    return Accesses;
  }

  /// The end of memory is one event, however many places end.
  void addEnd(EventId Id) {
    const GraphFact &F = Facts[Id];
    const Address Whole = addressOf(slotOf(F.Where), 0);
    const Object *O = Mach.memory().find(Whole);
    auto Known = std::find_if(Into.Events.rbegin(), Into.Events.rend(), [&](const TraceEvent &E) {
      return E.Kind == EventKind::Free && E.Thread == F.Thread && E.Number == F.Number;
    });
    if (Known == Into.Events.rend()) {
      TraceEvent &E = Into.add(EventKind::Free, F.Thread, Notes.Stacks[Id]);
      E.Number = F.Number;
      if (O->Kind != ObjectKind::Heap)
        E.What = "ends the lifetime of";
      EventOf[Id] = last();
    } else {
      EventOf[Id] = static_cast<uint32_t>(Into.Events.rend() - Known - 1);
    }
    const TraceAccess A = Into.access(Whole, O->Size, true, 0, 0);
    std::vector<TraceAccess> &Accesses = Into.Events[EventOf[Id]].Accesses;
    if (std::none_of(Accesses.begin(), Accesses.end(), [&](const TraceAccess &B) { return B.Variable == A.Variable; }))
      Accesses.push_back(A);
  }

  uint32_t last() const { return static_cast<uint32_t>(Into.Events.size() - 1); }

  // What they have to do with each other.

  void link() {
    const bool FewControl = count(&GraphFact::ControlFrom) <= MostLinks,
               FewFences = count(&GraphFact::Fenced) <= MostLinks;
    for (EventId Id = 0; Id < Facts.size(); ++Id) {
      if (EventOf[Id] == NoEvent)
        continue;
      const GraphFact &F = Facts[Id];
      if (!F.IsWrite)
        setSources(Into.Events[EventOf[Id]].Accesses[0], F);
      add(Id, TraceLink::Address, origins(F.AddressFrom));
      add(Id, TraceLink::Data, origins(F.DataFrom));
      add(Id, TraceLink::Control, origins(FewControl ? F.ControlFrom : nearest(F.ControlFrom)));
      add(Id, TraceLink::Fence, FewFences ? F.Fenced : nearest(F.Fenced));
      add(Id, TraceLink::Kept, through(F.Kept, [&](EventId E) { return Facts[E].Kept; }));
    }
    for (TraceEvent &E : Into.Events) {
      for (TraceAccess &A : E.Accesses)
        if (std::all_of(A.Cells.begin(), A.Cells.end(),
                        [&](const TraceCell &C) { return C.Source == A.Source && C.Position == A.Position; }))
          A.Cells.clear();
      std::sort(E.Links.begin(), E.Links.end());
      E.Links.erase(std::unique(E.Links.begin(), E.Links.end()), E.Links.end());
    }
    reduceKept();
  }

  void setSources(TraceAccess &A, const GraphFact &F) const {
    auto NumberOf = [&](EventId Source) { return Source == NoEvent ? NoEvent : EventOf[Source]; };
    A.Source = NumberOf(F.Source);
    for (size_t C = 0; C < A.Cells.size(); ++C)
      A.Cells[C].Source = NumberOf(F.Cells[C].Source);
  }

  /// The origin of values that went through memory that only one thread uses.
  std::vector<EventId> origins(const std::vector<EventId> &Reads) const {
    return through(Reads, [&](EventId E) {
      std::vector<EventId> All;
      for (const GraphFact::Cell &C : cellsOf(Facts[E]))
        if (!Facts[E].IsWrite && C.Source != NoEvent)
          All.insert(All.end(), Facts[C.Source].DataFrom.begin(), Facts[C.Source].DataFrom.end());
      return All;
    });
  }

  /// Events, and in place of those that are left out what they lead on to.
  template <typename Next> std::vector<EventId> through(const std::vector<EventId> &From, Next Further) const {
    if (std::none_of(From.begin(), From.end(), [&](EventId E) { return Own[E]; }))
      return From;
    std::set<EventId> Seen(From.begin(), From.end());
    std::vector<EventId> Left = From, Result;
    while (!Left.empty()) {
      const EventId E = Left.back();
      Left.pop_back();
      if (!Own[E]) {
        Result.push_back(E);
        continue;
      }
      for (EventId Other : Further(E))
        if (Seen.insert(Other).second)
          Left.push_back(Other);
    }
    return Result;
  }

  size_t count(std::vector<EventId> GraphFact::*Of) const {
    size_t Count = 0;
    for (const GraphFact &F : Facts)
      Count += (F.*Of).size();
    return Count;
  }
  /// The last read and the last write.
  std::vector<EventId> nearest(const std::vector<EventId> &Of) const {
    std::vector<EventId> Result;
    for (bool Writes : {false, true}) {
      auto Found = std::find_if(Of.rbegin(), Of.rend(), [&](EventId E) { return Facts[E].IsWrite == Writes; });
      if (Found != Of.rend())
        Result.push_back(*Found);
    }
    return Result;
  }
  void add(EventId Id, TraceLink::Kind What, const std::vector<EventId> &On) {
    for (EventId Other : On)
      if (EventOf[Other] != NoEvent && EventOf[Other] != EventOf[Id])
        Into.Events[EventOf[Id]].Links.push_back({What, EventOf[Other]});
  }

  /// Of what is kept in order, leaves the single steps.
  void reduceKept() {
    const size_t Words = (Into.Events.size() + 63) / 64;
    std::vector<std::vector<uint64_t>> Before(Into.Events.size(), std::vector<uint64_t>(Words));
    for (uint32_t K = 0; K < Into.Events.size(); ++K) {
      std::vector<TraceLink> &Links = Into.Events[K].Links;
      std::vector<uint32_t> Kept;
      for (const TraceLink &L : Links)
        if (L.What == TraceLink::Kept)
          Kept.push_back(L.On);
      // The latest first: what is before one of them is earlier.
      std::sort(Kept.begin(), Kept.end(), std::greater<>());
      for (uint32_t On : Kept)
        if (!(Before[K][On / 64] >> (On % 64) & 1))
          for (size_t W = 0; W < Words; ++W)
            Before[K][W] |= Before[On][W];
      std::erase_if(Links, [&](const TraceLink &L) {
        return L.What == TraceLink::Kept && Before[K][L.On / 64] >> (L.On % 64) & 1;
      });
      for (uint32_t On : Kept)
        Before[K][On / 64] |= 1ull << (On % 64);
    }
  }

  void addBug() {
    std::vector<TraceAccess> Accesses;
    const bool Ends = Failed != NoEvent && Facts[Failed].Ends;
    if (Ends) {
      const Address Whole = addressOf(slotOf(Facts[Failed].Where), 0);
      Accesses = {Into.access(Whole, Mach.memory().find(Whole)->Size, true, 0, 0)};
    } else if (Failed != NoEvent) {
      Accesses = accessesOf(Failed);
      Accesses.resize(1);
      if (!Facts[Failed].IsWrite)
        setSources(Accesses[0], Facts[Failed]);
    }
    for (TraceAccess &A : Accesses)
      A.Write = false; // it did not get so far
    TraceEvent &E = Into.addBug(*Bug, std::move(Accesses));
    E.Number = Failed != NoEvent ? Facts[Failed].Number : numberOfBug();
    if (Failed != NoEvent && !Ends)
      E.Part = static_cast<uint32_t>(Facts[Failed].Part);
  }

  /// Of a bug that is no access that took place: how much of its thread stands in front of it.
  uint32_t numberOfBug() const {
    if (Mach.status(Bug->Thread) != ThreadStatus::Failed)
      return NoEvent;
    auto Found = std::find_if(Facts.begin(), Facts.end(),
                              [&](const GraphFact &F) { return F.IsBug && F.Thread == Bug->Thread; });
    return Found != Facts.end() ? Found->Number : Mach.operations(Bug->Thread);
  }

  const MemoryModel Model;
  Machine &Mach;
  const std::vector<GraphFact> Facts;
  const GraphNotes &Notes;
  const BugReport *Bug;
  Draft Into;
  std::vector<uint32_t> EventOf; // per fact
  std::vector<bool> Dropped;     // per fact
  std::vector<bool> Own;         // per fact: of memory that no other thread touches
  EventId Failed = NoEvent;      // the access that is the bug
};

} // namespace

Recording recordRun(GraphRun &Run, MemoryModel Model, const BugReport *Bug) {
  const bool InOrder = infoOf(Model).Chronological;
  GraphRecorder Recorder(Run, InOrder ? MemoryModel::C11 : Model, Bug);
  Recording R = Recorder.record();
  R.Language = Run.machine().options().Language;
  for (const GraphRace &Race : Run.races())
    if (Bug && isSame(Race.Report, *Bug)) {
      R.RaceFirst = Recorder.eventOf(Race.Accesses.First);
      R.RaceSecond = Recorder.eventOf(Race.Accesses.Second);
    }
  const EndingMemory Known = Run.script().Known;
  for (const auto &[Site, Accessed] : Known.Accessed) {
    const auto Parts = Known.partsOf(Site);
    const SharedThing Name = nameOfSite(Run.machine().program(), Site);
    for (SharedThing &Thing : R.Shared)
      if (Thing.isSame(Name))
        Thing.Parts.assign(Parts.begin(), Parts.end());
  }
  if (InOrder) {
    const std::vector<uint32_t> Order = mostSequentialOrder(R, shashaSnirTrace(R));
    R = reordered(std::move(R), Order);
    R.Model = Model;
  }
  return R;
}

std::optional<Recording> record(const Program &P, MemoryModel Model, const MachineOptions &Options, Sharing Known,
                                const GraphScript &Script, const BugReport &Bug) {
  std::optional<Recording> Result;
  try {
    followGraph(P, graphModelOf(Model, Options.Language), Options, Known, Script, &Bug,
                [&](GraphRun &Run, const std::vector<bool> &) {
                  for (const BugReport &B : Run.machine().bugs())
                    if (!Result && isSame(B, Bug))
                      Result = recordRun(Run, Model, &B);
                });
  } catch (const MachineStop &) {
    return std::nullopt;
  }
  return Result;
}

} // namespace picket
