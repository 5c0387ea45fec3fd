#include "TraceJson.h"

#include "DisplayPath.h"
#include "trace/Dot.h"
#include "trace/Svg.h"

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
  TraceWriter(OStream &J, const Counterexample &C, const TraceContext &Context, bool Pictures)
      : J(J), C(C), R(C.Run), Context(Context) {
    if (Pictures)
      draw();
  }

  void write() {
    J.object([&] {
      J.attribute("picket", 1);
      text("file", Context.NamedFile);
      text("model", nameOf(R.Model));
      if (titleOf(R.Model) != StringRef(nameOf(R.Model)).upper())
        text("modelTitle", titleOf(R.Model));
      J.attribute("unroll", R.Unroll);
      array("flags", Context.Flags, [&](const std::string &Flag) { J.value(llvm::json::fixUTF8(shown(Flag))); });
      J.attributeObject("bug", [&] { bug(); });
      text("sentence", C.Sentence);
      array("threads", R.Threads, [&](const TraceThread &T) { thread(T); });
      array("variables", R.Variables, [&](const TraceVariable &V) { variable(V); });
      array("events", R.Events, [&](const TraceEvent &E) { event(E); });
      if (!C.Chronological.Nodes.empty())
        J.attributeObject("chronological", [&] { graph(C.Chronological, View::Chronological); });
      J.attributeObject("shashaSnir", [&] { graph(C.ShashaSnir, View::ShashaSnir); });
      J.attributeObject("cycle", [&] { cycle(); });
      array("steps", C.Steps, [&](const Step &S) { step(S); });
      if (!R.Failures.empty())
        array("failures", R.Failures, [&](const FailurePoint &F) { failure(F); });
      array("shared", R.Shared, [&](const SharedThing &S) { shared(S); });
      J.attributeObject("sources", [&] { sources(); });
    });
  }

private:
  struct ViewPictures {
    std::string Dot, Svg;
    std::string Unfolded; // SVG; empty if nothing is folded, or too much
  };

  /// All pictures at once: starting the process that draws takes longer than drawing.
  void draw() {
    std::vector<std::string> Dots;
    std::vector<ViewPictures *> Views;
    for (auto [V, G, Into] : {std::tuple(View::Chronological, &C.Chronological, &Chronological),
                              std::tuple(View::ShashaSnir, &C.ShashaSnir, &ShashaSnir)}) {
      if (G->Nodes.empty())
        continue;
      Views.push_back(Into);
      Into->Dot = toDot(C, V, {.Legend = false});
      Dots.push_back(Into->Dot);
      Dots.push_back(G->Nodes.size() <= MostUnfolded ? toDot(C, V, {.Fold = false, .Legend = false}) : Into->Dot);
    }
    std::vector<SvgResult> Drawn = renderSvgs(Dots);
    for (size_t K = 0; K < Views.size(); ++K) {
      Views[K]->Svg = Drawn[2 * K].Svg;
      if (Dots[2 * K + 1] != Dots[2 * K])
        Views[K]->Unfolded = Drawn[2 * K + 1].Svg;
    }
  }

  /// Source text and file names may be anything; JSON is UTF-8.
  void text(StringRef Name, StringRef Value) { J.attribute(Name, llvm::json::fixUTF8(Value)); }
  void textIfAny(StringRef Name, StringRef Value) {
    if (!Value.empty())
      text(Name, Value);
  }
  void ifTrue(StringRef Name, bool Value) {
    if (Value)
      J.attribute(Name, true);
  }
  template <typename Range, typename Write> void array(StringRef Name, const Range &Items, Write One) {
    J.attributeArray(Name, [&] {
      for (const auto &Item : Items)
        One(Item);
    });
  }

  /// Paths in flags were made absolute for the compiler; `picket replay` does it again.
  std::string shown(const std::string &Flag) const {
    return StringRef(Flag).starts_with("/") ? displayPath(Flag, Context.NamedFile) : Flag;
  }

  void place(const Place &P) {
    text("file", displayPath(P.File, Context.NamedFile));
    J.attribute("line", P.Line);
    J.attribute("column", P.Column);
  }

  void bug() {
    text("kind", R.BugKind ? nameOf(*R.BugKind) : "");
    text("message", R.BugMessage);
    place(R.BugWhere);
    text("thread", R.BugThread);
    if (R.BugEvent != NoEvent)
      J.attribute("event", R.BugEvent);
    if (R.GoesRound)
      J.attribute("goesRound", true);
  }

  void thread(const TraceThread &T) {
    J.object([&] {
      text("name", T.Name);
      array("identity", T.Identity, [&](uint32_t Index) { J.value(Index); });
    });
  }

  void failure(const FailurePoint &F) {
    J.object([&] {
      array("thread", F.Thread, [&](uint32_t Index) { J.value(Index); });
      J.attribute("arrival", F.Arrival);
    });
  }

  /// JavaScript's numbers hold 53 bits.
  void bits(StringRef Name, uint64_t Low, uint64_t High) {
    J.attributeArray(Name, [&] {
      J.value(std::to_string(Low));
      J.value(std::to_string(High));
    });
  }

  void variable(const TraceVariable &V) {
    J.object([&] {
      text("name", V.Name);
      text("object", V.Object);
      text("type", V.Type);
      J.attribute("address", std::to_string(V.Address));
      J.attribute("size", V.Size);
      text("initial", V.Initial);
      bits("initialBits", V.InitialLow, V.InitialHigh);
    });
  }

  void access(const TraceAccess &A) {
    J.object([&] {
      J.attribute("variable", A.Variable);
      J.attribute("write", A.Write);
      text("value", A.Text);
      bits("bits", A.Low, A.High);
      if (A.Source != NoEvent)
        J.attribute("source", A.Source);
      if (A.Position)
        J.attribute("position", A.Position);
      if (!A.Cells.empty())
        J.attributeArray("cells", [&] {
          for (const TraceCell &C : A.Cells)
            J.object([&] {
              J.attribute("offset", C.Offset);
              if (C.Source != NoEvent)
                J.attribute("source", C.Source);
              if (C.Position)
                J.attribute("position", C.Position);
            });
        });
    });
  }

  void event(const TraceEvent &E) {
    J.object([&] {
      J.attribute("kind", nameOf(E.Kind));
      J.attribute("thread", E.Thread);
      if (E.Partner != NoEvent)
        J.attribute("partner", E.Partner);
      ifTrue("forwarded", E.Forwarded);
      ifTrue("fullFence", E.FullFence);
      ifTrue("storeBarrier", E.StoreBarrier);
      if (E.Kind == EventKind::Create || E.Kind == EventKind::Join)
        J.attribute("other", E.Other);
      if (E.Number != NoEvent)
        J.attribute("number", E.Number);
      if (E.Part)
        J.attribute("part", E.Part);
      if (!E.Links.empty())
        array("links", E.Links, [&](const TraceLink &L) {
          J.object([&] {
            J.attribute("kind", nameOf(L.What));
            J.attribute("on", L.On);
          });
        });
      array("accesses", E.Accesses, [&](const TraceAccess &A) { access(A); });
      textIfAny("what", E.words());
      textIfAny("expression", E.Expression);
      textIfAny("ordering", E.Ordering);
      place(E.At.Where);
      text("function", E.At.Function);
      array("callers", E.Callers, [&](const TracePlace &P) {
        J.object([&] {
          text("function", P.Function);
          place(P.Where);
        });
      });
    });
  }

  void edge(const TraceEdge &E, const bool *OnCycle) {
    J.object([&] {
      J.attribute("from", E.From);
      J.attribute("to", E.To);
      J.attribute("kind", nameOf(E.Kind));
      if (OnCycle)
        J.attribute("cycle", *OnCycle);
    });
  }

  void graph(const TraceGraph &G, View V) {
    array("nodes", G.Nodes, [&](uint32_t Node) { J.value(Node); });
    array("edges", G.Edges, [&](const TraceEdge &E) {
      const bool OnCycle = std::find(C.Why.Edges.begin(), C.Why.Edges.end(), E) != C.Why.Edges.end();
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
    array("edges", C.Why.Edges, [&](const TraceEdge &E) { edge(E, nullptr); });
    array("reordered", C.Why.Reordered, [&](const ReorderedPair &P) {
      J.object([&] {
        J.attribute("first", P.First);
        J.attribute("second", P.Second);
        text("sentence", P.Sentence);
      });
    });
    if (!C.Why.Late.empty())
      array("late", C.Why.Late, [&](const LateWrite &L) {
        J.object([&] {
          J.attribute("write", L.Write);
          J.attribute("read", L.Read);
          text("sentence", L.Sentence);
        });
      });
  }

  void step(const Step &S) {
    J.object([&] {
      J.attribute("event", S.Event);
      text("text", S.Text);
      J.attribute("strange", S.OutOfOrder);
      text("remark", S.Remark);
      array("memory", S.Memory, [&](const std::string &Value) { J.value(llvm::json::fixUTF8(Value)); });
      array("buffers", S.Buffers, [&](const std::vector<BufferedStore> &Buffer) {
        J.array([&] {
          for (const BufferedStore &B : Buffer)
            J.object([&] {
              J.attribute("store", B.Store);
              J.attribute("variable", B.Variable);
              text("value", B.Text);
            });
        });
      });
      array("locks", S.Locks, [&](const HeldLock &L) {
        J.object([&] {
          J.attribute("variable", L.Variable);
          J.attribute("thread", L.Thread);
        });
      });
    });
  }

  void shared(const SharedThing &S) {
    static constexpr const char *Kinds[] = {"global", "stack", "heap"};
    J.object([&] {
      J.attribute("kind", Kinds[S.What]);
      text("name", S.Name);
      text("function", S.Function);
      J.attribute("ordinal", S.Ordinal);
      if (!S.Parts.empty())
        J.attributeArray("parts", [&] {
          for (auto [Offset, Size] : S.Parts)
            J.object([&, Where = Offset, Bytes = Size] {
              J.attribute("offset", Where);
              J.attribute("size", Bytes);
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
    Add(R.BugWhere.File);
    for (const TraceEvent &E : R.Events) {
      Add(E.At.Where.File);
      for (const TracePlace &Caller : E.Callers)
        Add(Caller.Where.File);
    }
  }

  OStream &J;
  const Counterexample &C;
  const Recording &R;
  const TraceContext &Context;
  ViewPictures Chronological, ShashaSnir;
};

} // namespace

void writeTrace(OStream &J, const Counterexample &C, const TraceContext &Context, bool Pictures) {
  TraceWriter(J, C, Context, Pictures).write();
}

} // namespace picket
