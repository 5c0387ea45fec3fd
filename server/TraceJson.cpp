#include "TraceJson.h"

#include "DisplayPath.h"
#include "draw/Dot.h"
#include "draw/Svg.h"

#include <algorithm>
#include <set>
#include <tuple>

using llvm::StringRef;
using llvm::json::OStream;

namespace picket {

namespace {

constexpr size_t MaxSourceBytes = 1 << 20; // of a file that is put into the JSON
constexpr size_t MostUnfolded = 300;       // events in a picture of all of them

class TraceWriter {
public:
  TraceWriter(OStream &Json, const Counterexample &Trace, const TraceContext &Context, bool Pictures)
      : Json(Json), Trace(Trace), Run(Trace.Run), Context(Context) {
    if (Pictures)
      draw();
  }

  void write() {
    Json.object([&] {
      Json.attribute("picket", 1);
      text("file", Context.NamedFile);
      text("model", nameOf(Run.Model));
      if (titleOf(Run.Model) != StringRef(nameOf(Run.Model)).upper())
        text("modelTitle", titleOf(Run.Model));
      text("target", nameOf(Run.Target));
      if (Run.Target != HostArchitecture)
        text("host", nameOf(HostArchitecture));
      Json.attribute("unroll", Run.Unroll);
      if (Run.Language.Volatile != LanguageRules().Volatile)
        Json.attribute("volatile", nameOf(Run.Language.Volatile));
      if (Run.Language.Sequences != LanguageRules().Sequences)
        Json.attribute("releaseSequences", nameOf(Run.Language.Sequences));
      array("flags", Context.Flags, [&](const std::string &Flag) { Json.value(llvm::json::fixUTF8(shown(Flag))); });
      if (!Context.Others.empty())
        array("with", Context.Others, [&](const ProgramFile &File) { other(File); });
      Json.attributeObject("bug", [&] { bug(); });
      text("sentence", Trace.Sentence);
      array("threads", Run.Threads, [&](const TraceThread &T) { thread(T); });
      array("variables", Run.Variables, [&](const TraceVariable &V) { variable(V); });
      array("events", Run.Events, [&](const TraceEvent &E) { event(E); });
      if (!Trace.Chronological.Nodes.empty())
        Json.attributeObject("chronological", [&] { graph(Trace.Chronological, View::Chronological); });
      Json.attributeObject("shashaSnir", [&] { graph(Trace.ShashaSnir, View::ShashaSnir); });
      Json.attributeObject("cycle", [&] { cycle(); });
      array("steps", Trace.Steps, [&](const Step &S) { step(S); });
      if (!Run.Failures.empty())
        array("failures", Run.Failures, [&](const FailurePoint &F) { failure(F); });
      array("shared", Run.Shared, [&](const SharedThing &S) { shared(S); });
      Json.attributeObject("sources", [&] { sources(); });
    });
  }

private:
  struct ViewPictures {
    std::string Dot, Svg;
    std::string Unfolded; // SVG; empty if nothing is folded, or too much
  };

  /// All pictures together: starting the process that draws takes longer than drawing.
  void draw() {
    std::vector<std::string> Dots;
    std::vector<ViewPictures *> Views;
    for (auto [V, G, Into] : {std::tuple(View::Chronological, &Trace.Chronological, &Chronological),
                              std::tuple(View::ShashaSnir, &Trace.ShashaSnir, &ShashaSnir)}) {
      if (G->Nodes.empty())
        continue;
      Views.push_back(Into);
      Into->Dot = toDot(Trace, V, {.Legend = false});
      Dots.push_back(Into->Dot);
      Dots.push_back(G->Nodes.size() <= MostUnfolded ? toDot(Trace, V, {.Fold = false, .Legend = false}) : Into->Dot);
    }
    std::vector<SvgResult> Drawn = renderSvgs(Dots);
    for (size_t K = 0; K < Views.size(); ++K) {
      Views[K]->Svg = Drawn[2 * K].Svg;
      if (Dots[2 * K + 1] != Dots[2 * K])
        Views[K]->Unfolded = Drawn[2 * K + 1].Svg;
    }
  }

  /// Source text and file names may be anything; JSON is UTF-8.
  void text(StringRef Name, StringRef Value) { Json.attribute(Name, llvm::json::fixUTF8(Value)); }
  void textIfAny(StringRef Name, StringRef Value) {
    if (!Value.empty())
      text(Name, Value);
  }
  void ifTrue(StringRef Name, bool Value) {
    if (Value)
      Json.attribute(Name, true);
  }
  template <typename Range, typename Write> void array(StringRef Name, const Range &Items, Write One) {
    Json.attributeArray(Name, [&] {
      for (const auto &Item : Items)
        One(Item);
    });
  }

  /// Paths in flags were made absolute for the compiler; `picket replay` does it again.
  std::string shown(const std::string &Flag) const {
    return StringRef(Flag).starts_with("/") ? displayPath(Flag, Context.NamedFile) : Flag;
  }

  void other(const ProgramFile &File) {
    Json.object([&] {
      text("file", displayPath(File.File, Context.NamedFile));
      array("flags", File.Flags, [&](const std::string &Flag) { Json.value(llvm::json::fixUTF8(shown(Flag))); });
    });
  }

  void place(const SourceLocation &P) {
    text("file", displayPath(P.File, Context.NamedFile));
    Json.attribute("line", P.Line);
    Json.attribute("column", P.Column);
  }

  void bug() {
    text("kind", Run.BugKind ? nameOf(*Run.BugKind) : "");
    text("message", Run.BugMessage);
    place(Run.BugWhere);
    text("thread", Run.BugThread);
    if (Run.BugEvent != NoEvent)
      Json.attribute("event", Run.BugEvent);
    if (Run.GoesRound)
      Json.attribute("goesRound", true);
    if (Run.isRace())
      Json.attributeArray("race", [&] {
        Json.value(Run.RaceFirst);
        Json.value(Run.RaceSecond);
      });
  }

  void thread(const TraceThread &T) {
    Json.object([&] {
      text("name", T.Name);
      array("identity", T.Identity, [&](uint32_t Index) { Json.value(Index); });
    });
  }

  void failure(const FailurePoint &F) {
    Json.object([&] {
      array("thread", F.Thread, [&](uint32_t Index) { Json.value(Index); });
      Json.attribute("arrival", F.Arrival);
      if (F.IsChoice)
        Json.attribute("value", F.Value);
    });
  }

  /// JavaScript's numbers hold 53 bits.
  void bits(StringRef Name, uint64_t Low, uint64_t High) {
    Json.attributeArray(Name, [&] {
      Json.value(std::to_string(Low));
      Json.value(std::to_string(High));
    });
  }

  void variable(const TraceVariable &V) {
    Json.object([&] {
      text("name", V.Name);
      text("object", V.Object);
      text("type", V.Type);
      Json.attribute("address", std::to_string(V.Address));
      Json.attribute("size", V.Size);
      text("initial", V.Initial);
      bits("initialBits", V.InitialLow, V.InitialHigh);
    });
  }

  void access(const TraceAccess &A) {
    Json.object([&] {
      Json.attribute("variable", A.Variable);
      Json.attribute("write", A.Write);
      text("value", A.Text);
      bits("bits", A.Low, A.High);
      if (A.Source != NoEvent)
        Json.attribute("source", A.Source);
      if (A.Position)
        Json.attribute("position", A.Position);
      if (!A.Cells.empty())
        Json.attributeArray("cells", [&] {
          for (const TraceCell &Cell : A.Cells)
            Json.object([&] {
              Json.attribute("offset", Cell.Offset);
              if (Cell.Source != NoEvent)
                Json.attribute("source", Cell.Source);
              if (Cell.Position)
                Json.attribute("position", Cell.Position);
            });
        });
    });
  }

  void event(const TraceEvent &E) {
    Json.object([&] {
      Json.attribute("kind", nameOf(E.Kind));
      Json.attribute("thread", E.Thread);
      if (E.Partner != NoEvent)
        Json.attribute("partner", E.Partner);
      ifTrue("forwarded", E.Forwarded);
      ifTrue("fullFence", E.FullFence);
      ifTrue("storeBarrier", E.StoreBarrier);
      if (E.Kind == EventKind::Create || E.Kind == EventKind::Join)
        Json.attribute("other", E.Other);
      if (E.Number != NoEvent)
        Json.attribute("number", E.Number);
      if (E.Part)
        Json.attribute("part", E.Part);
      if (!E.Links.empty())
        array("links", E.Links, [&](const TraceLink &L) {
          Json.object([&] {
            Json.attribute("kind", nameOf(L.What));
            Json.attribute("on", L.On);
          });
        });
      array("accesses", E.Accesses, [&](const TraceAccess &A) { access(A); });
      textIfAny("what", E.words());
      textIfAny("expression", E.Expression);
      textIfAny("ordering", E.Ordering);
      place(E.At.Where);
      text("function", E.At.Function);
      auto Frame = [&](const TracePlace &P) {
        Json.object([&] {
          text("function", P.Function);
          place(P.Where);
        });
      };
      array("callers", E.Callers, Frame);
      if (!E.Folded.empty())
        array("folded", E.Folded, Frame);
    });
  }

  void edge(const TraceEdge &E, const bool *OnCycle) {
    Json.object([&] {
      Json.attribute("from", E.From);
      Json.attribute("to", E.To);
      Json.attribute("kind", nameOf(E.Kind));
      if (OnCycle)
        Json.attribute("cycle", *OnCycle);
    });
  }

  void graph(const TraceGraph &G, View V) {
    array("nodes", G.Nodes, [&](uint32_t Node) { Json.value(Node); });
    array("edges", G.Edges, [&](const TraceEdge &E) {
      const bool OnCycle = std::find(Trace.Why.Edges.begin(), Trace.Why.Edges.end(), E) != Trace.Why.Edges.end();
      edge(E, &OnCycle);
    });
    const ViewPictures &Drawn = V == View::Chronological ? Chronological : ShashaSnir;
    if (!Drawn.Dot.empty())
      text("dot", Drawn.Dot);
    if (!Drawn.Svg.empty())
      text("svg", Drawn.Svg);
    if (!Drawn.Unfolded.empty())
      text("unfoldedSvg", Drawn.Unfolded);
  }

  void cycle() {
    array("edges", Trace.Why.Edges, [&](const TraceEdge &E) { edge(E, nullptr); });
    array("reordered", Trace.Why.Reordered, [&](const ReorderedPair &P) {
      Json.object([&] {
        Json.attribute("first", P.First);
        Json.attribute("second", P.Second);
        text("sentence", P.Sentence);
      });
    });
    if (!Trace.Why.Late.empty())
      array("late", Trace.Why.Late, [&](const LateWrite &L) {
        Json.object([&] {
          Json.attribute("write", L.Write);
          Json.attribute("read", L.Read);
          text("sentence", L.Sentence);
        });
      });
  }

  void step(const Step &S) {
    Json.object([&] {
      Json.attribute("event", S.Event);
      text("text", S.Text);
      Json.attribute("strange", S.OutOfOrder);
      text("remark", S.Remark);
      array("memory", S.Memory, [&](const std::string &Value) { Json.value(llvm::json::fixUTF8(Value)); });
      array("buffers", S.Buffers, [&](const std::vector<BufferedStore> &Buffer) {
        Json.array([&] {
          for (const BufferedStore &B : Buffer)
            Json.object([&] {
              Json.attribute("store", B.Store);
              Json.attribute("variable", B.Variable);
              text("value", B.Text);
            });
        });
      });
      array("locks", S.Locks, [&](const HeldLock &L) {
        Json.object([&] {
          Json.attribute("variable", L.Variable);
          Json.attribute("thread", L.Thread);
        });
      });
    });
  }

  void shared(const SharedThing &S) {
    static constexpr const char *Kinds[] = {"global", "stack", "heap"};
    Json.object([&] {
      Json.attribute("kind", Kinds[S.What]);
      text("name", S.Name);
      text("function", S.Function);
      Json.attribute("ordinal", S.Ordinal);
      if (!S.Parts.empty())
        Json.attributeArray("parts", [&] {
          for (auto [Offset, Size] : S.Parts)
            Json.object([&, Where = Offset, Bytes = Size] {
              Json.attribute("offset", Where);
              Json.attribute("size", Bytes);
            });
        });
    });
  }

  void sources() {
    if (!Context.Sources)
      return;
    std::set<std::string> Written;
    auto Add = [&](const std::string &File) {
      if (File.empty())
        return;
      const std::string Shown = displayPath(File, Context.NamedFile);
      const std::string *Text = Context.Sources->textOf(File);
      if (Text && Text->size() <= MaxSourceBytes && Written.insert(Shown).second)
        text(llvm::json::fixUTF8(Shown), *Text);
    };
    Add(Run.BugWhere.File);
    for (const TraceEvent &E : Run.Events) {
      Add(E.At.Where.File);
      for (const auto *Frames : {&E.Callers, &E.Folded})
        for (const TracePlace &P : *Frames)
          Add(P.Where.File);
    }
  }

  OStream &Json;
  const Counterexample &Trace;
  const Recording &Run;
  const TraceContext &Context;
  ViewPictures Chronological, ShashaSnir;
};

} // namespace

void writeTrace(OStream &Json, const Counterexample &Trace, const TraceContext &Context, bool Pictures) {
  TraceWriter(Json, Trace, Context, Pictures).write();
}

} // namespace picket
