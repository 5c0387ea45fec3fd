#include "TraceJson.h"

#include "machine/Checks.h"

#include <array>
#include <utility>

using llvm::StringRef;
using llvm::Twine;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Path;
using llvm::json::Value;

namespace picket {

namespace {

constexpr unsigned MaxUnroll = 1000000; // as the command line allows
constexpr size_t MaxEvents = 10'000'000;

/// Reads a recording. The first thing that is wrong is kept; what is read after it does not matter.
class TraceReader {
public:
  llvm::Expected<SavedTrace> read(const Value &Json) {
    const Object *Top = Json.getAsObject();
    if (!Top)
      return llvm::createStringError("the counterexample is no object");
    std::optional<int64_t> Version = Top->getInteger("picket");
    if (!Version)
      return llvm::createStringError("'picket' is missing: this is no counterexample of Picket's");
    if (*Version != 1)
      return llvm::createStringError("'picket' is " + std::to_string(*Version) +
                                     ": only version 1 of the format can be read");
    const Path Here = Root;
    Run.File = text(*Top, Here, "file");
    const std::optional<MemoryModel> Model = modelNamed(text(*Top, Here, "model"));
    Run.Model = Model.value_or(MemoryModel::SC);
    if (Top->get("target")) {
      const std::optional<Architecture> Target = architectureNamed(text(*Top, Here, "target"));
      Run.Target = Target.value_or(HostArchitecture);
      if (!Target)
        wrong(Here.field("target"), "must be the name of an architecture");
    }
    Run.Unroll = number(*Top, Here, "unroll", MaxUnroll);
    if (Run.Unroll == 0)
      wrong(Here.field("unroll"), "must be at least 1");
    if (!Model)
      wrong(Here.field("model"), "must be " + namesOf(allModels(), " or "));
    readFlags(*Top, Here, Result.Flags);
    if (Top->get("with"))
      each(*Top, Here, "with", [&](const Object &O, Path At) { readOther(O, At); });
    readLanguage(*Top, Here);
    each(*Top, Here, "threads", [&](const Object &O, Path At) { readThread(O, At); });
    each(*Top, Here, "variables", [&](const Object &O, Path At) { readVariable(O, At); });
    each(*Top, Here, "events", [&](const Object &O, Path At) { readEvent(O, At); });
    each(*Top, Here, "shared", [&](const Object &O, Path At) { readShared(O, At); });
    if (Top->get("failures"))
      each(*Top, Here, "failures", [&](const Object &O, Path At) { readFailure(O, At); });
    readBug(*Top, Here);
    const Path Events = Here.field("events");
    checkPartners(Events);
    checkSources(Events);
    if (Top->get("steps"))
      each(*Top, Here, "steps", [&](const Object &O, Path At) {
        Result.Order.push_back(index(O, At, "event", Run.Events.size(), "event"));
      });
    if (!Problem.empty())
      return llvm::createStringError(Problem);
    return std::move(Result);
  }

private:
  void wrong(Path At, const Twine &What) {
    if (!Problem.empty())
      return;
    At.report("wrong");
    std::string Where = llvm::toString(Root.getError()); // "wrong at (root).threads[0].name"
    Problem = ("'" + StringRef(Where).split("(root).").second + "' " + What).str();
  }

  /// A key that must be there: null, and a complaint, if it is not.
  const Value *get(const Object &O, Path At, StringRef Name) {
    const Value *V = O.get(Name);
    if (!V)
      wrong(At.field(Name), "is missing");
    return V;
  }

  std::string text(const Object &O, Path At, StringRef Name, bool Optional = false) {
    const Value *V = Optional ? O.get(Name) : get(O, At, Name);
    if (!V)
      return "";
    std::optional<StringRef> Text = V->getAsString();
    if (!Text)
      wrong(At.field(Name), "must be a text");
    return Text ? Text->str() : "";
  }

  bool flag(const Object &O, Path At, StringRef Name, bool Optional = true) {
    const Value *V = Optional ? O.get(Name) : get(O, At, Name);
    if (!V)
      return false;
    std::optional<bool> Flag = V->getAsBoolean();
    if (!Flag)
      wrong(At.field(Name), "must be true or false");
    return Flag.value_or(false);
  }

  uint32_t number(const Object &O, Path At, StringRef Name, uint32_t Max = 0xffffffff) {
    const Value *V = get(O, At, Name);
    return V ? number(*V, At.field(Name), Max) : 0;
  }
  uint32_t number(const Value &V, Path At, uint32_t Max = 0xffffffff) {
    std::optional<int64_t> Number = V.getAsInteger();
    if (!Number || *Number < 0 || *Number > int64_t(Max)) {
      wrong(At, "must be a whole number from 0 to " + Twine(Max));
      return 0;
    }
    return static_cast<uint32_t>(*Number);
  }

  /// A number that points into an array.
  uint32_t index(const Object &O, Path At, StringRef Name, size_t Size, const char *Of) {
    const Value *V = get(O, At, Name);
    if (!V)
      return 0;
    std::optional<int64_t> Number = V->getAsInteger();
    if (!Number || *Number < 0 || uint64_t(*Number) >= Size) {
      wrong(At.field(Name), "must be the number of one of the " + Twine(Size) + " " + Of + "s");
      return 0;
    }
    return static_cast<uint32_t>(*Number);
  }

  /// 64 bits, written as a text.
  uint64_t wide(const Value &V, Path At) {
    uint64_t Number = 0;
    std::optional<StringRef> Text = V.getAsString();
    if (!Text || Text->getAsInteger(10, Number))
      wrong(At, "must be a whole number of 64 bits, as a text");
    return Number;
  }

  void bits(const Object &O, Path At, StringRef Name, uint64_t &Low, uint64_t &High) {
    const Value *V = get(O, At, Name);
    if (!V)
      return;
    const Array *A = V->getAsArray();
    if (!A || A->size() != 2) {
      wrong(At.field(Name), "must be an array of two numbers");
      return;
    }
    Low = wide((*A)[0], At.field(Name).index(0));
    High = wide((*A)[1], At.field(Name).index(1));
  }

  const Array *array(const Object &O, Path At, StringRef Name) {
    const Value *V = get(O, At, Name);
    if (!V)
      return nullptr;
    const Array *A = V->getAsArray();
    if (!A)
      wrong(At.field(Name), "must be an array");
    else if (A->size() > MaxEvents)
      wrong(At.field(Name), "has too many elements");
    return Problem.empty() ? A : nullptr;
  }

  template <typename Read> void each(const Object &O, Path At, StringRef Name, Read One) {
    const Array *A = array(O, At, Name);
    for (size_t K = 0; A && K < A->size() && Problem.empty(); ++K) {
      const Path All = At.field(Name);
      if (const Object *Item = (*A)[K].getAsObject())
        One(*Item, All.index(K));
      else
        wrong(All.index(K), "must be an object");
    }
  }

  SourceLocation place(const Object &O, Path At) {
    SourceLocation P;
    P.File = text(O, At, "file");
    P.Line = number(O, At, "line");
    P.Column = number(O, At, "column");
    return P;
  }

  void readFlags(const Object &O, Path Here, std::vector<std::string> &Into) {
    const Array *A = O.get("flags") ? array(O, Here, "flags") : nullptr;
    for (size_t K = 0; A && K < A->size(); ++K)
      if (std::optional<StringRef> Flag = (*A)[K].getAsString())
        Into.push_back(Flag->str());
      else
        wrong(Here.field("flags").index(K), "must be a text");
  }

  void readOther(const Object &O, Path At) {
    ProgramFile &File = Result.Others.emplace_back();
    File.File = text(O, At, "file");
    readFlags(O, At, File.Flags);
  }

  void readLanguage(const Object &Top, Path Here) {
    const std::string Volatile = text(Top, Here, "volatile", true),
                      Sequences = text(Top, Here, "releaseSequences", true);
    const auto Meaning = volatileMeaningNamed(Volatile);
    const auto Kind = releaseSequencesNamed(Sequences);
    Run.Language = {Meaning.value_or(VolatileMeaning::Plain), Kind.value_or(ReleaseSequences::Cpp20)};
    if (!Volatile.empty() && !Meaning)
      wrong(Here.field("volatile"), "must be plain or relaxed");
    if (!Sequences.empty() && !Kind)
      wrong(Here.field("releaseSequences"), "must be c++20 or c11");
  }

  void readThread(const Object &O, Path At) {
    TraceThread &T = Run.Threads.emplace_back();
    T.Name = text(O, At, "name");
    const Array *Identity = array(O, At, "identity");
    for (size_t K = 0; Identity && K < Identity->size(); ++K)
      T.Identity.push_back(number((*Identity)[K], At.field("identity").index(K)));
  }

  void readFailure(const Object &O, Path At) {
    FailurePoint &F = Run.Failures.emplace_back();
    const Array *Thread = array(O, At, "thread");
    for (size_t K = 0; Thread && K < Thread->size(); ++K)
      F.Thread.push_back(number((*Thread)[K], At.field("thread").index(K)));
    F.Arrival = number(O, At, "arrival");
    if (const Value *Chosen = O.get("value")) {
      F.IsChoice = true;
      if (const std::optional<int64_t> Number = Chosen->getAsInteger())
        F.Value = *Number;
      else
        wrong(At.field("value"), "must be a whole number");
    }
  }

  void readVariable(const Object &O, Path At) {
    TraceVariable &V = Run.Variables.emplace_back();
    V.Name = text(O, At, "name");
    V.Object = text(O, At, "object");
    V.Type = text(O, At, "type");
    if (const Value *Address = get(O, At, "address"))
      V.Address = wide(*Address, At.field("address"));
    V.Size = number(O, At, "size");
    V.Initial = text(O, At, "initial");
    bits(O, At, "initialBits", V.InitialLow, V.InitialHigh);
  }

  void readEvent(const Object &O, Path At) {
    TraceEvent &E = Run.Events.emplace_back();
    static constexpr std::array Kinds = {EventKind::Store, EventKind::Load,   EventKind::Rmw,    EventKind::Update,
                                         EventKind::Fence, EventKind::Sync,   EventKind::Create, EventKind::Join,
                                         EventKind::Free,  EventKind::Atomic, EventKind::Choice, EventKind::Blocked,
                                         EventKind::Bug};
    const std::string Kind = text(O, At, "kind");
    bool Known = false;
    for (EventKind K : Kinds)
      if (Kind == nameOf(K)) {
        E.Kind = K;
        Known = true;
      }
    if (!Known)
      wrong(At.field("kind"), "is no kind of event");
    E.Thread = index(O, At, "thread", Run.Threads.size(), "thread");
    if (O.get("partner"))
      E.Partner = number(O, At, "partner"); // may point forward: checkPartners
    E.Forwarded = flag(O, At, "forwarded");
    E.FullFence = flag(O, At, "fullFence");
    E.StoreBarrier = flag(O, At, "storeBarrier");
    if (E.Kind == EventKind::Create || E.Kind == EventKind::Join)
      E.Other = index(O, At, "other", Run.Threads.size(), "thread");
    each(O, At, "accesses", [&](const Object &Access, Path Where) {
      TraceAccess &A = E.Accesses.emplace_back();
      A.Variable = index(Access, Where, "variable", Run.Variables.size(), "variable");
      A.Write = flag(Access, Where, "write", /*Optional=*/false);
      A.Text = text(Access, Where, "value");
      bits(Access, Where, "bits", A.Low, A.High);
      if (Access.get("source"))
        A.Source = number(Access, Where, "source"); // may point forward: checkSources
      if (Access.get("position"))
        A.Position = number(Access, Where, "position");
      if (Access.get("cells"))
        each(Access, Where, "cells", [&](const Object &Cell, Path Here) {
          TraceCell &C = A.Cells.emplace_back();
          C.Offset = number(Cell, Here, "offset");
          if (Cell.get("source"))
            C.Source = number(Cell, Here, "source");
          if (Cell.get("position"))
            C.Position = number(Cell, Here, "position");
        });
    });
    if (O.get("number"))
      E.Number = number(O, At, "number");
    if (O.get("part"))
      E.Part = number(O, At, "part");
    if (O.get("links"))
      each(O, At, "links", [&](const Object &Link, Path Where) { readLink(E, Link, Where); });
    if (E.Accesses.empty() && (E.isAccess() || E.Kind == EventKind::Sync || E.Kind == EventKind::Free))
      wrong(At.field("accesses"), "must not be empty");
    E.What = text(O, At, "what", true);
    if (E.Kind == EventKind::Sync) {
      const std::optional<SyncAction> Action = syncActionNamed(std::exchange(E.What, ""));
      E.Action = Action.value_or(SyncAction::None);
      if (!Action)
        wrong(At.field("what"), "is nothing that is done with a synchronisation object");
    }
    E.Expression = text(O, At, "expression", true);
    E.Ordering = text(O, At, "ordering", true);
    E.At = {place(O, At), text(O, At, "function")};
    each(O, At, "callers", [&](const Object &Caller, Path Where) {
      E.Callers.push_back({place(Caller, Where), text(Caller, Where, "function")});
    });
    if (O.get("folded"))
      each(O, At, "folded", [&](const Object &Called, Path Where) {
        E.Folded.push_back({place(Called, Where), text(Called, Where, "function")});
      });
  }

  void readLink(TraceEvent &E, const Object &O, Path At) {
    const std::string Kind = text(O, At, "kind");
    for (TraceLink::Kind K :
         {TraceLink::Address, TraceLink::Data, TraceLink::Control, TraceLink::Fence, TraceLink::Kept})
      if (Kind == nameOf(K))
        return E.Links.push_back({K, number(O, At, "on")});
    wrong(At.field("kind"), "is no kind of link");
  }

  void readShared(const Object &O, Path At) {
    SharedThing &S = Run.Shared.emplace_back();
    const std::string Kind = text(O, At, "kind");
    if (Kind != "global" && Kind != "stack" && Kind != "heap")
      wrong(At.field("kind"), "must be global, stack or heap");
    S.What = Kind == "heap" ? SharedThing::Heap : Kind == "stack" ? SharedThing::Stack : SharedThing::Global;
    S.Name = text(O, At, "name");
    S.Function = text(O, At, "function");
    S.Ordinal = number(O, At, "ordinal");
    if (O.get("parts"))
      each(O, At, "parts", [&](const Object &Part, Path Where) {
        S.Parts.push_back({number(Part, Where, "offset"), number(Part, Where, "size")});
        constexpr uint32_t Most = 64; // bytes: the largest synchronisation object
        if (S.Parts.back().second == 0 || S.Parts.back().second > Most)
          wrong(Where.field("size"), "must be from 1 to 64");
      });
  }

  void readBug(const Object &Top, Path Here) {
    const Value *V = get(Top, Here, "bug");
    const Path At = Here.field("bug");
    if (!V)
      return;
    const Object *O = V->getAsObject();
    if (!O) {
      wrong(At, "must be an object");
      return;
    }
    if (const std::string Kind = text(*O, At, "kind"); !Kind.empty()) {
      Run.BugKind = bugKindNamed(Kind);
      if (!Run.BugKind)
        wrong(At.field("kind"), "is no kind of bug");
    }
    Run.BugMessage = text(*O, At, "message");
    Run.BugThread = text(*O, At, "thread");
    Run.BugWhere = place(*O, At);
    Run.GoesRound = flag(*O, At, "goesRound");
    if (O->get("race")) {
      const Array *Race = array(*O, At, "race");
      const bool Sound = Race && Race->size() == 2;
      if (Race && !Sound)
        wrong(At.field("race"), "must be two events");
      for (size_t K = 0; Sound && K < 2; ++K) {
        uint32_t &Access = K ? Run.RaceSecond : Run.RaceFirst;
        Access = number((*Race)[K], At.field("race").index(K));
        if (Access >= Run.Events.size() || Run.Events[Access].Number == NoEvent)
          wrong(At.field("race").index(K), "must be an event with a number");
      }
    }
    if (Run.BugKind || O->get("event")) // without either it shows that a program is not robust
      Run.BugEvent = index(*O, At, "event", Run.Events.size(), "event");
  }

  /// A store and its update know each other.
  void checkPartners(Path Events) {
    for (size_t K = 0; K < Run.Events.size(); ++K) {
      const TraceEvent &E = Run.Events[K];
      const Path Here = Events.index(K);
      if (E.Partner == NoEvent && E.Kind == EventKind::Update)
        wrong(Here.field("partner"), "is missing");
      if (E.Partner == NoEvent)
        continue;
      EventKind Other = E.Kind == EventKind::Store ? EventKind::Update : EventKind::Store;
      if ((E.Kind != EventKind::Store && E.Kind != EventKind::Update) || E.Partner >= Run.Events.size() ||
          Run.Events[E.Partner].Kind != Other || Run.Events[E.Partner].Partner != K ||
          Run.Events[E.Partner].Thread != E.Thread)
        wrong(Here.field("partner"), "must join a store and its update");
    }
  }

  /// What is read was written by an access, and links lead to events.
  void checkSources(Path Events) {
    for (size_t K = 0; K < Run.Events.size(); ++K) {
      const Path Here = Events.index(K);
      for (size_t A = 0; A < Run.Events[K].Accesses.size(); ++A)
        Run.Events[K].Accesses[A].eachSource([&](uint32_t Source) {
          if (Source >= Run.Events.size() || !Run.Events[Source].canBeRead())
            wrong(Here.field("accesses").index(A).field("source"), "must be an event that can be read");
        });
      for (size_t L = 0; L < Run.Events[K].Links.size(); ++L)
        if (Run.Events[K].Links[L].On >= Run.Events.size())
          wrong(Here.field("links").index(L).field("on"), "must be an event");
    }
  }

  SavedTrace Result;
  Recording &Run = Result.Run;
  Path::Root Root;
  std::string Problem;
};

} // namespace

llvm::Expected<SavedTrace> readTrace(const Value &Json) { return TraceReader().read(Json); }

static const Value *findInArray(const Array *A, const Value *(*Find)(const Value &)) {
  for (size_t K = 0; A && K < A->size(); ++K)
    if (const Value *Found = Find((*A)[K]))
      return Found;
  return nullptr;
}

static const Value *findInBug(const Value &Bug) {
  const Object *O = Bug.getAsObject();
  return O ? O->get("counterexample") : nullptr;
}

static const Value *findInModel(const Value &Model) {
  const Object *O = Model.getAsObject();
  if (!O)
    return nullptr;
  const Value *Found = findInArray(O->getArray("bugs"), findInBug);
  return Found ? Found : findInArray(O->getArray("warnings"), findInBug);
}

/// A report of `picket check`, or a counterexample.
static const Value *findInFile(const Value &Json) {
  const Object *O = Json.getAsObject();
  if (!O)
    return nullptr;
  return O->get("picket") ? &Json : findInArray(O->getArray("models"), findInModel);
}

const Value *findTrace(const Value &Json) {
  const Array *A = Json.getAsArray();
  return A ? findInArray(A, findInFile) : findInFile(Json);
}

} // namespace picket
