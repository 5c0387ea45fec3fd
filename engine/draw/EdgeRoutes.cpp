#include "draw/EdgeRoutes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace picket {

namespace {

constexpr double Straight = 10; // at both ends of a line: room for an arrow head
constexpr double Bulge = 16;    // of a line that leaves and enters at the same side
constexpr double PortPitch = 7; // between lines at the same side of a node
constexpr double HalfRow = 22;  // from the middle of a row to the middle of the space below it

struct Point {
  double X, Y;
};

/// A chain of cubic curves, as Graphviz stores them: each one begins where the one before ends.
class Curve {
public:
  explicit Curve(Point Begin) : Points{Begin} {}
  void lineTo(Point End) {
    const Point Begin = Points.back();
    const Point Step = {(End.X - Begin.X) / 3, (End.Y - Begin.Y) / 3};
    Points.insert(Points.end(), {{Begin.X + Step.X, Begin.Y + Step.Y}, {End.X - Step.X, End.Y - Step.Y}, End});
  }
  /// Horizontal at both ends.
  void bendTo(Point End) {
    const Point Begin = Points.back();
    const double Middle = (Begin.X + End.X) / 2;
    Points.insert(Points.end(), {{Middle, Begin.Y}, {Middle, End.Y}, End});
  }
  void bulgeTo(Point End, double X) { Points.insert(Points.end(), {{X, Points.back().Y}, {X, End.Y}, End}); }
  std::string text() const {
    std::string Text;
    for (const Point &P : Points)
      Text += " " + dotPoint(P.X, P.Y);
    return Text;
  }

private:
  std::vector<Point> Points;
};

enum Side { Left, Right, Above, Below };

/// Where a line leaves and enters.
struct Ends {
  Side Out, In;
};

class Router {
public:
  Router(const LaneLayout &Layout, std::vector<Route> &Routes) : Layout(Layout), Routes(Routes) {
    ColumnOf.resize(Layout.Nodes.size());
    for (const Lane &L : Layout.Lanes) {
      addColumn(L.Begin, L.Updates);
      addColumn(L.Updates, L.End);
    }
  }

  void run() {
    std::vector<Ends> Sides;
    for (const Route &R : Routes)
      Sides.push_back(sidesOf(R));
    choosePorts(Sides);
    for (size_t I = 0; I < Routes.size(); ++I)
      draw(I, Sides[I]);
  }

private:
  void addColumn(size_t Begin, size_t End) {
    if (Begin == End)
      return;
    Box Column = Layout.Nodes[Begin];
    for (size_t I = Begin; I < End; ++I) {
      ColumnOf[I] = static_cast<uint32_t>(Columns.size());
      Column.Left = std::min(Column.Left, Layout.Nodes[I].Left);
      Column.Right = std::max(Column.Right, Layout.Nodes[I].Right);
    }
    Columns.push_back(Column);
  }

  Ends sidesOf(const Route &R) const {
    const uint32_t A = ColumnOf[R.From], B = ColumnOf[R.To];
    if (A != B)
      return A < B ? Ends{Right, Left} : Ends{Left, Right};
    if (R.From + 1 == R.To)
      return {Below, Above};
    if (R.To + 1 == R.From)
      return {Above, Below};
    // Around the nodes between; on the outer side there is no traffic.
    const bool Leftmost = A == 0;
    return Leftmost ? Ends{Left, Left} : Ends{Right, Right};
  }

  /// Lines at the same side of a node get places beside each other, in the order of their other ends.
  void choosePorts(const std::vector<Ends> &Sides) {
    std::map<std::pair<uint32_t, Side>, std::vector<std::pair<double, size_t>>>
        AtSide; // position of the other end, end
    auto Add = [&](uint32_t Node, Side S, uint32_t Other, size_t End) {
      const Box &B = Layout.Nodes[Other];
      const bool Vertical = S == Above || S == Below;
      AtSide[{Node, S}].push_back({Vertical ? static_cast<double>(End / 2) : -B.centreY(), End});
    };
    for (size_t I = 0; I < Routes.size(); ++I) {
      Add(Routes[I].From, Sides[I].Out, Routes[I].To, 2 * I);
      Add(Routes[I].To, Sides[I].In, Routes[I].From, 2 * I + 1);
    }
    Ports.resize(2 * Routes.size());
    for (auto &[Where, Ends] : AtSide) {
      std::sort(Ends.begin(), Ends.end());
      const double Count = static_cast<double>(Ends.size());
      const bool Vertical = Where.second == Above || Where.second == Below;
      const Box &B = Layout.Nodes[Where.first];
      const double Room = Vertical ? (B.Right - B.Left) * 0.7 : (B.Top - B.Bottom) * 0.7;
      const double Pitch = Count > 1 ? std::min(Vertical ? 14 : PortPitch, Room / (Count - 1)) : 0;
      for (size_t I = 0; I < Ends.size(); ++I)
        Ports[Ends[I].second] = Pitch * (static_cast<double>(I) - (Count - 1) / 2);
    }
  }

  Point port(uint32_t Node, Side S, size_t End) const {
    const Box &B = Layout.Nodes[Node];
    const double Offset = Ports[End];
    switch (S) {
    case Left: return {B.Left, B.centreY() - Offset};
    case Right: return {B.Right, B.centreY() - Offset};
    case Above: return {B.centreX() + Offset, B.Top};
    case Below: return {B.centreX() + Offset, B.Bottom};
    }
    return {};
  }

  void draw(size_t Index, Ends Sides) {
    Route &R = Routes[Index];
    const Point Out = port(R.From, Sides.Out, 2 * Index), In = port(R.To, Sides.In, 2 * Index + 1);
    R.Position = (R.TailLength > 0 ? "s," + dotPoint(Out.X, Out.Y) + " " : "") + "e," + dotPoint(In.X, In.Y);
    if (Sides.Out == Above || Sides.Out == Below) {
      const double Down = Sides.Out == Below ? -1 : 1;
      Curve C({Out.X, Out.Y + Down * R.TailLength});
      C.lineTo({In.X, In.Y - Down * R.HeadLength});
      R.Position += C.text();
      return;
    }
    const double OutStep = Sides.Out == Right ? 1 : -1, InStep = Sides.In == Right ? 1 : -1;
    const uint32_t A = ColumnOf[R.From], B = ColumnOf[R.To];
    // To the edge of the column, so that nodes above and below that are wider are not touched.
    const double OutX = edge(A, Sides.Out) + OutStep * Straight, InX = edge(B, Sides.In) + InStep * Straight;
    Curve C({Out.X + OutStep * R.TailLength, Out.Y});
    C.lineTo({OutX, Out.Y});
    if (A == B) {
      C.bulgeTo({InX, In.Y}, OutX + OutStep * Bulge);
    } else if (A + 1 == B || B + 1 == A) {
      C.bendTo({InX, In.Y});
    } else {
      // Through the space between two rows, past the columns between.
      const double RowY = Layout.Nodes[R.To].centreY();
      const bool FromBelow = Layout.Nodes[R.From].centreY() < RowY;
      const double Y = RowY + (FromBelow ? -HalfRow : HalfRow) + (static_cast<double>(Index % 3) - 1) * 4;
      const int Step = A < B ? 1 : -1;
      C.bendTo({edge(A + Step, Sides.In), Y});
      C.lineTo({edge(B - Step, Sides.Out), Y});
      C.bendTo({InX, In.Y});
    }
    C.lineTo({In.X + InStep * R.HeadLength, In.Y});
    R.Position += C.text();
  }

  double edge(uint32_t Column, Side S) const { return S == Right ? Columns[Column].Right : Columns[Column].Left; }

  const LaneLayout &Layout;
  std::vector<Route> &Routes;
  std::vector<Box> Columns;       // from left to right
  std::vector<uint32_t> ColumnOf; // per node
  std::vector<double> Ports;      // per end of a line: how far from the middle of the side
};

} // namespace

void route(const LaneLayout &Layout, std::vector<Route> &Routes) { Router(Layout, Routes).run(); }

std::string dotNumber(double Value) {
  const long Hundredths = std::lround(Value * 100), Size = std::labs(Hundredths);
  return (Hundredths < 0 ? "-" : "") + std::to_string(Size / 100) + (Size % 100 < 10 ? ".0" : ".") +
         std::to_string(Size % 100);
}

std::string dotPoint(double X, double Y) { return dotNumber(X) + "," + dotNumber(Y); }

} // namespace picket
