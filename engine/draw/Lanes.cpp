#include "draw/Lanes.h"

#include <algorithm>
#include <numeric>

namespace picket {

namespace {

constexpr double NodeHeight = 22, RowPitch = 44;
constexpr double LaneMargin = 24, LaneGap = 14, ColumnGap = 46;
constexpr double HeaderHeight = 24; // of the thread's name
constexpr double BufferMargin = 6, BufferLabel = 14;

/// A row per node: below the node before it in its column, and below all it has to be below.
std::vector<unsigned> rowsOf(const Folding &Folded, const std::vector<std::pair<uint32_t, uint32_t>> &Down) {
  std::vector<std::vector<uint32_t>> Above(Folded.Nodes.size());
  for (auto [From, To] : Down)
    Above[To].push_back(From);
  for (uint32_t I = 1; I < Folded.Nodes.size(); ++I)
    if (Folded.Nodes[I].Thread == Folded.Nodes[I - 1].Thread && Folded.Nodes[I].Buffer == Folded.Nodes[I - 1].Buffer)
      Above[I].push_back(I - 1);
  std::vector<uint32_t> Order(Folded.Nodes.size());
  std::iota(Order.begin(), Order.end(), 0);
  std::sort(Order.begin(), Order.end(),
            [&](uint32_t A, uint32_t B) { return Folded.Nodes[A].Events.front() < Folded.Nodes[B].Events.front(); });
  std::vector<unsigned> Rows(Folded.Nodes.size());
  for (uint32_t Node : Order)
    for (uint32_t A : Above[Node])
      Rows[Node] = std::max(Rows[Node], Rows[A] + 1);
  return Rows;
}

std::vector<Lane> lanesOf(const Folding &Folded) {
  std::vector<Lane> Lanes;
  for (size_t I = 0; I < Folded.Nodes.size(); ++I) {
    const Folding::Node &N = Folded.Nodes[I];
    if (Lanes.empty() || Lanes.back().Thread != N.Thread) {
      Lanes.emplace_back();
      Lanes.back().Thread = N.Thread;
      Lanes.back().Begin = Lanes.back().Updates = I;
    }
    if (!N.Buffer)
      Lanes.back().Updates = I + 1;
    Lanes.back().End = I + 1;
  }
  return Lanes;
}

} // namespace

LaneLayout layOut(const Folding &Folded, const std::vector<double> &Widths,
                  const std::vector<std::pair<uint32_t, uint32_t>> &Down) {
  const std::vector<unsigned> Rows = rowsOf(Folded, Down);
  LaneLayout Layout;
  Layout.Lanes = lanesOf(Folded);
  Layout.Nodes.resize(Folded.Nodes.size());
  const unsigned LastRow = Rows.empty() ? 0 : *std::max_element(Rows.begin(), Rows.end());
  const double Top = NodeHeight / 2 + LaneMargin + HeaderHeight;
  const double Bottom = -(LastRow * RowPitch) - NodeHeight / 2 - LaneMargin - BufferLabel;

  auto WidthOf = [&](size_t Begin, size_t End) {
    double Widest = 0;
    for (size_t I = Begin; I < End; ++I)
      Widest = std::max(Widest, Widths[I]);
    return Widest;
  };
  auto Place = [&](size_t Begin, size_t End, double CentreX) {
    for (size_t I = Begin; I < End; ++I) {
      const double Y = -(Rows[I] * RowPitch);
      Layout.Nodes[I] = {CentreX - Widths[I] / 2, Y - NodeHeight / 2, CentreX + Widths[I] / 2, Y + NodeHeight / 2};
    }
  };
  double X = 0;
  for (Lane &L : Layout.Lanes) {
    L.Area = {X, Bottom, 0, Top};
    X += LaneMargin;
    const double Program = WidthOf(L.Begin, L.Updates), Buffer = WidthOf(L.Updates, L.End);
    Place(L.Begin, L.Updates, X + Program / 2);
    X += Program;
    if (L.End > L.Updates) {
      X += Program > 0 ? ColumnGap : BufferMargin;
      Place(L.Updates, L.End, X + Buffer / 2);
      L.Buffer = {X - BufferMargin, Layout.Nodes[L.End - 1].Bottom - BufferMargin - BufferLabel,
                  X + Buffer + BufferMargin, Layout.Nodes[L.Updates].Top + BufferMargin};
      X += Buffer;
    }
    X += LaneMargin;
    L.Area.Right = X;
    X += LaneGap;
  }
  Layout.Right = std::max(0.0, X - LaneGap);
  Layout.Bottom = Bottom;
  return Layout;
}

} // namespace picket
