#include "draw/Dot.h"

#include "draw/DotText.h"
#include "draw/EdgeRoutes.h"
#include "draw/EventLabel.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace picket {

namespace {

/// How a kind of edge is drawn, and what it says about its two ends.
struct EdgeStyle {
  const char *Look;
  const char *Meaning;
  double HeadLength = 7, TailLength = 0; // of the arrow heads, in points
};

EdgeStyle styleOf(EdgeKind Kind) {
  switch (Kind) {
  case EdgeKind::ProgramOrder: return {"arrowhead=vee", "program order"};
  case EdgeKind::StoreToUpdate: return {"style=dotted, arrowhead=onormal", "store reaches memory"};
  case EdgeKind::UpdateToUpdate:
  case EdgeKind::StoreOrder: return {"arrowhead=diamond", "overwritten by", 8.4};
  case EdgeKind::Source: return {"dir=both, arrowtail=dot, arrowhead=normal", "read by", 7, 5.6};
  case EdgeKind::Conflict: return {"style=dashed, arrowhead=normal", "read before this write"};
  case EdgeKind::UpdateToFence: return {"style=dotted, arrowhead=tee", "in memory before the fence", 1.8};
  case EdgeKind::SyncOrder: return {"style=dashed, arrowhead=obox", "next operation on it", 5.3};
  case EdgeKind::Lifecycle: return {"style=dotted, arrowhead=vee", "thread begins, ends"};
  case EdgeKind::AddressDependency:
    return {"style=dashed, dir=both, arrowtail=odot, arrowhead=vee", "address depends on it", 7, 5.6};
  case EdgeKind::DataDependency:
    return {"style=dotted, dir=both, arrowtail=odot, arrowhead=vee", "value depends on it", 7, 5.6};
  case EdgeKind::ControlDependency:
    return {"style=dashed, dir=both, arrowtail=odiamond, arrowhead=vee", "branch depends on it", 7, 8.4};
  case EdgeKind::Race:
    return {"style=dashed, dir=both, arrowtail=box, arrowhead=box", "data race: nothing orders them", 5.3, 5.3};
  case EdgeKind::FenceOrder: return {"dir=both, arrowtail=tee, arrowhead=normal", "ordered by a fence", 7, 1.8};
  }
  return {"", ""};
}

const char *CycleLook = "penwidth=2.6, arrowsize=0.9";
constexpr double CycleScale = 0.9 / 0.7; // of arrow heads

/// The shape of a node, and how much wider than its text it is: in points, and by a factor where sides slant.
struct NodeStyle {
  const char *Look;
  double Extra, Factor = 1;
};

NodeStyle styleOf(EventKind Kind) {
  switch (Kind) {
  case EventKind::Store: return {"style=filled", 18};
  case EventKind::Load: return {"style=\"rounded,filled\"", 18};
  case EventKind::Rmw: return {"shape=box3d, style=filled", 24};
  case EventKind::Update: return {"style=\"dashed,filled\"", 18};
  case EventKind::Fence: return {"style=\"bold,filled\"", 18};
  case EventKind::Sync: return {"shape=hexagon, style=filled", 16, 1.34};
  case EventKind::Create:
  case EventKind::Join: return {"style=\"filled,diagonals\"", 22};
  case EventKind::Free: return {"shape=note, style=filled", 24};
  case EventKind::Atomic: return {"shape=component, style=filled", 36};
  case EventKind::Choice: return {"style=\"rounded,dashed,filled\"", 18};
  case EventKind::Blocked: return {"shape=octagon, style=filled", 20, 1.15};
  case EventKind::Bug: return {"shape=octagon, style=filled, penwidth=2.5", 24, 1.15};
  }
  return {"style=filled", 18};
}

const NodeStyle FoldStyle = {"shape=plaintext, margin=0", 24};

constexpr double CodeSize = 11, LegendSize = 9;

/// The width of text in a font in which all characters are as wide as in Courier.
double textWidth(const std::string &Text, double FontSize) {
  return 0.6 * FontSize * static_cast<double>(std::count_if(Text.begin(), Text.end(), [](char C) {
           return (C & 0xc0) != 0x80; // not the second byte of a character
         }));
}

std::string inches(double Points) { return dotNumber(Points / 72); }
std::string point(double X, double Y) { return "\"" + dotPoint(X, Y) + "\""; }
std::string box(const Box &B) { return "\"" + dotPoint(B.Left, B.Bottom) + "," + dotPoint(B.Right, B.Top) + "\""; }

/// An edge between two nodes of the picture, and the edge of the trace that it shows.
struct DrawnEdge {
  uint32_t From, To; // nodes
  TraceEdge Shown;
  bool OnCycle;
};

class DotWriter {
public:
  DotWriter(const Counterexample &C, View V, const DotOptions &Options)
      : Run(C.Run), Which(V), Options(Options), Graph(V == View::Chronological ? C.Chronological : C.ShashaSnir),
        Cycle(highlightCycle(C, Graph)),
        Folded(Options.Fold ? fold(Run, Graph, Cycle, Options.MaxNodes) : unfolded(Run, Graph)) {}

  std::string write() {
    chooseEdges();
    for (const Folding::Node &N : Folded.Nodes) {
      Labels.push_back(N.isFold() ? labelOfFold(Run, N.Events) : labelOf(Run, N.Events.front()));
      const NodeStyle Style = styleOf(N);
      Widths.push_back(textWidth(Labels.back(), CodeSize) * Style.Factor + Style.Extra);
    }
    std::vector<std::pair<uint32_t, uint32_t>> Down;
    for (const DrawnEdge &E : Edges)
      if (goesDown(E))
        Down.push_back({E.From, E.To});
    Layout = layOut(Folded, Widths, Down);

    for (const DrawnEdge &E : Edges) {
      const EdgeStyle Style = picket::styleOf(E.Shown.Kind);
      const double Scale = E.OnCycle ? CycleScale : 1;
      Routes.push_back({E.From, E.To, Scale * Style.HeadLength, Scale * Style.TailLength, ""});
    }
    route(Layout, Routes);

    // "nop2": nodes and lines are where this text says. Lines are drawn first and nodes are filled.
    Out = "digraph trace {\n  graph [layout=nop2, charset=\"UTF-8\", outputorder=edgesfirst, fontsize=12,\n"
          "         fontname=\"Helvetica,Arial,sans-serif\"];\n"
          "  node [shape=box, fillcolor=white, fixedsize=true, height=0.31, margin=0.04, fontsize=" +
          dotNumber(CodeSize) + ", fontname=\"Courier,monospace\"];\n  edge [arrowsize=0.7];\n";
    for (const Lane &L : Layout.Lanes)
      writeLane(L);
    for (size_t I = 0; I < Edges.size(); ++I)
      writeEdge(Edges[I], Routes[I].Position);
    if (Options.Legend)
      writeLegend();
    // Behind the subgraphs, which would inherit it.
    Out += "  id=\"trace\"; class=";
    Out += Which == View::Chronological ? "\"chronological\";\n" : "\"shasha-snir\";\n";
    return Out + "}\n";
  }

private:
  std::string idOf(const Folding::Node &N) const {
    return N.isFold() ? "fold-" + std::to_string(N.Events.front()) + "-" + std::to_string(N.Events.back())
                      : "event-" + std::to_string(N.Events.front());
  }

  bool inTrace(uint32_t From, uint32_t To, EdgeKind Kind) const {
    return std::binary_search(Graph.Edges.begin(), Graph.Edges.end(), TraceEdge{From, To, Kind});
  }

  /// Says nothing that program order, or the edges of a reader, do not say.
  bool isImplied(const TraceEdge &E) const {
    const bool SameThread = Run.Events[E.From].Thread == Run.Events[E.To].Thread;
    switch (E.Kind) {
    case EdgeKind::Conflict:
    case EdgeKind::SyncOrder: return SameThread;
    case EdgeKind::StoreOrder:
      if (SameThread)
        return true;
      break;
    case EdgeKind::UpdateToUpdate: break;
    case EdgeKind::ControlDependency: return isNearer(E, false);
    case EdgeKind::FenceOrder: return !infoOf(Run.Model).Chronological && isNearer(E, true);
    default: return false;
    }
    // One write and then the next: also if the next reads from the first, or what does is overwritten by the next.
    auto Out = std::lower_bound(Graph.Edges.begin(), Graph.Edges.end(), TraceEdge{E.From, 0, EdgeKind::ProgramOrder});
    for (; Out != Graph.Edges.end() && Out->From == E.From; ++Out)
      if (Out->Kind == EdgeKind::Source && (Out->To == E.To || inTrace(Out->To, E.To, EdgeKind::Conflict)))
        return true;
    return false;
  }

  /// Whether another edge of the kind ends (or begins) between the two, so that program order does the rest.
  bool isNearer(const TraceEdge &E, bool AlsoFrom) const {
    return std::any_of(Graph.Edges.begin(), Graph.Edges.end(), [&](const TraceEdge &Other) {
      return Other != E && Other.Kind == E.Kind && Run.Events[Other.From].Thread == Run.Events[E.From].Thread &&
             (AlsoFrom ? Other.From >= E.From : Other.From == E.From) && Other.To <= E.To;
    });
  }

  void chooseEdges() {
    std::set<std::tuple<uint32_t, uint32_t, EdgeKind>> Drawn;
    // Those of the cycle first, so that of several edges between two nodes the one that is drawn is heavy.
    for (bool OnCycle : {true, false})
      for (size_t I = 0; I < Graph.Edges.size(); ++I) {
        const TraceEdge &E = Graph.Edges[I];
        const uint32_t From = Folded.NodeOf[E.From], To = Folded.NodeOf[E.To];
        if (Cycle.Edges[I] != OnCycle || From == To || From == NoEvent || To == NoEvent)
          continue;
        const Folding::Node &A = Folded.Nodes[From], &B = Folded.Nodes[To];
        if (A.isFold() && B.isFold() && A.Thread != B.Thread)
          continue;
        if (!OnCycle && isImplied(E))
          continue;
        if (Drawn.insert({From, To, E.Kind}).second)
          Edges.push_back({From, To, E, OnCycle});
      }
    if (!Run.isRace())
      return;
    const uint32_t First = Folded.NodeOf[Run.RaceFirst], Second = Folded.NodeOf[Run.RaceSecond];
    if (First != NoEvent && Second != NoEvent)
      Edges.push_back({First, Second, {Run.RaceFirst, Run.RaceSecond, EdgeKind::Race}, true});
  }

  NodeStyle styleOf(const Folding::Node &N) const {
    return N.isFold() ? FoldStyle : picket::styleOf(Run.Events[N.Events.front()].Kind);
  }

  /// Down the page is forward in time. An edge that goes back in time does not pull its end down, and neither do the
  /// edges that show why there is no order in time at all.
  bool goesDown(const DrawnEdge &E) const {
    const Folding::Node &A = Folded.Nodes[E.From], &B = Folded.Nodes[E.To];
    return E.Shown.Kind != EdgeKind::Race && A.Events.front() < B.Events.front() &&
           (A.Thread == B.Thread || Which == View::Chronological || !E.OnCycle);
  }

  std::string name(uint32_t Node) const { return "n" + std::to_string(Folded.Nodes[Node].Events.front()); }

  void writeNode(uint32_t Node, const char *Indent) {
    const Folding::Node &N = Folded.Nodes[Node];
    const uint32_t First = N.Events.front();
    const bool OnCycle = !N.isFold() && Cycle.Events[First];
    const std::string Class = N.isFold() ? "fold" : nameOf(Run.Events[First].Kind);
    Out += Indent + name(Node) + " [id=\"" + idOf(N) + "\", class=\"" + Class + (OnCycle ? " cycle\", " : "\", ") +
           styleOf(N).Look + (OnCycle ? ", penwidth=2" : "") +
           ", pos=" + point(Layout.Nodes[Node].centreX(), Layout.Nodes[Node].centreY()) +
           ", width=" + inches(Widths[Node]) + ", label=" + dotLabel(Labels[Node]) + ",\n" + Indent +
           "  tooltip=" + dotTooltip(N.isFold() ? tooltipOfFold(Run, N.Events) : tooltipOf(Run, First)) + "];\n";
  }

  void writeLane(const Lane &L) {
    const std::string N = std::to_string(L.Thread), &Name = Run.Threads[L.Thread].Name;
    Out += "  subgraph cluster_thread_" + N + " {\n    id=\"thread-" + N +
           "\"; class=\"thread\"; style=rounded; label=" + dotLabel(Name) +
           "; tooltip=" + dotTooltip("thread " + Name) + ";\n    bb=" + box(L.Area) +
           "; lp=" + point(L.Area.centreX(), L.Area.Top - 14) + "; lwidth=" + inches(L.Area.Right - L.Area.Left) +
           "; lheight=0.22;\n";
    for (size_t I = L.Begin; I < L.Updates; ++I)
      writeNode(static_cast<uint32_t>(I), "    ");
    if (L.End > L.Updates) {
      Out += "    subgraph cluster_buffer_" + N + " {\n      id=\"buffer-" + N +
             "\"; class=\"buffer\"; style=\"rounded,dotted\"; fontsize=" + dotNumber(LegendSize) +
             "; label=\"store buffer\";\n      tooltip=\"stores of this thread reach memory\"; bb=" + box(L.Buffer) +
             "; lp=" + point(L.Buffer.centreX(), L.Buffer.Bottom + 9) + "; lwidth=0.80; lheight=0.19;\n";
      for (size_t I = L.Updates; I < L.End; ++I)
        writeNode(static_cast<uint32_t>(I), "      ");
      Out += "    }\n";
    }
    Out += "  }\n";
  }

  void writeEdge(const DrawnEdge &E, const std::string &Position) {
    const EdgeStyle Style = picket::styleOf(E.Shown.Kind);
    const std::string Kind = nameOf(E.Shown.Kind);
    Out += "  " + name(E.From) + " -> " + name(E.To) + " [id=\"edge-" + std::to_string(E.Shown.From) + "-" +
           std::to_string(E.Shown.To) + "-" + Kind + "\", class=\"" + Kind + (E.OnCycle ? " cycle\", " : "\", ") +
           Style.Look + (E.OnCycle ? std::string(", ") + CycleLook : "") + ", pos=\"" + Position + "\", tooltip=" +
           dotTooltip(labelOf(Run, E.Shown.From) + "\n" + Style.Meaning + "\n" + labelOf(Run, E.Shown.To)) + "];\n";
  }

  static std::string straightLine(const EdgeStyle &Style, double Left, double Right, double Y) {
    const double Begin = Left + Style.TailLength, End = Right - Style.HeadLength;
    return (Style.TailLength > 0 ? "s," + dotPoint(Left, Y) + " " : "") + "e," + dotPoint(Right, Y) + " " +
           dotPoint(Begin, Y) + " " + dotPoint(Begin, Y) + " " + dotPoint(End, Y) + " " + dotPoint(End, Y);
  }

  /// Below the lanes, in columns. Its lines are no part of the trace: their ids begin with "legend".
  void writeLegend() {
    std::set<EdgeKind> Kinds;
    bool AnyCycle = false;
    for (const DrawnEdge &E : Edges) {
      // The two are drawn alike.
      Kinds.insert(E.Shown.Kind == EdgeKind::UpdateToUpdate ? EdgeKind::StoreOrder : E.Shown.Kind);
      AnyCycle |= E.OnCycle && E.Shown.Kind != EdgeKind::Race;
    }
    std::vector<EdgeStyle> Entries;
    for (EdgeKind Kind : Kinds)
      Entries.push_back(picket::styleOf(Kind));
    if (AnyCycle)
      Entries.push_back({CycleLook, "part of the cycle", CycleScale * 7});

    constexpr double ColumnWidth = 205, RowHeight = 18, LineLength = 44;
    const size_t Columns = std::clamp<size_t>(static_cast<size_t>(Layout.Right / ColumnWidth), 1, 4);
    Out += "  node [shape=plaintext, style=\"\", fontsize=" + dotNumber(LegendSize) +
           ", height=0.2, class=\"legend\", tooltip=\"\"];\n  edge [class=\"legend\", tooltip=\"\"];\n";
    for (size_t I = 0; I < Entries.size(); ++I) {
      const std::string N = std::to_string(I), Key = "key_" + N, Text = "text_" + N, Meaning = Entries[I].Meaning;
      const double X = 8 + ColumnWidth * static_cast<double>(I % Columns);
      const double Y = Layout.Bottom - 20 - RowHeight * static_cast<double>(I / Columns);
      const double Width = textWidth(Meaning, LegendSize) + 10;
      const double End = X + LineLength;
      Out += "  " + Key + " [shape=point, style=invis, width=0.02, height=0.02, pos=" + point(X, Y) + "];\n  " + Text +
             " [id=\"legend-" + Text + "\", width=" + inches(Width) + ", pos=" + point(End + Width / 2, Y) +
             ", label=" + dotLabel(Meaning) + "];\n  " + Key + " -> " + Text + " [id=\"legend-" + N + "\", " +
             Entries[I].Look + ", pos=\"" + straightLine(Entries[I], X, End, Y) + "\"];\n";
    }
  }

  const Recording &Run;
  const View Which;
  const DotOptions Options;
  const TraceGraph &Graph;
  const Highlight Cycle;
  const Folding Folded;
  std::vector<DrawnEdge> Edges;
  std::vector<std::string> Labels; // per node, as the widths
  std::vector<double> Widths;
  LaneLayout Layout;
  std::vector<Route> Routes; // as Edges
  std::string Out;
};

} // namespace

std::string toDot(const Counterexample &C, View V, const DotOptions &Options) {
  return DotWriter(C, V, Options).write();
}

} // namespace picket
