// How long pictures take: the Graphviz text of traces of growing length, and the SVG of what it folds to. 60 nodes are
// to take less than 200 ms; time grows with the length of the trace and not faster.
//
//   picket_bench --benchmark_filter=Picture
#include "draw/Dot.h"
#include "draw/graphviz/Graphviz.h"
#include "support/TraceBuilder.h"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace picket {
namespace {

void benchPictureText(benchmark::State &State) {
  const Counterexample C = testing::longRun(static_cast<unsigned>(State.range(0)), 4);
  for (auto _ : State)
    benchmark::DoNotOptimize(toDot(C, View::Chronological));
}
BENCHMARK(benchPictureText)
    ->Name("PictureText")
    ->Arg(60)
    ->Arg(500)
    ->Arg(5000)
    ->Arg(50000)
    ->Unit(benchmark::kMillisecond);

void benchPicture(benchmark::State &State, bool Fold) {
  const Counterexample C = testing::longRun(static_cast<unsigned>(State.range(0)), 4);
  for (auto _ : State) {
    SvgResult Result = renderSvgInProcess(toDot(C, View::Chronological, {.Fold = Fold}));
    if (!Result.Ok)
      throw std::runtime_error(Result.Error);
  }
}
BENCHMARK_CAPTURE(benchPicture, folded, true)
    ->Name("PictureFolded")
    ->Arg(60)
    ->Arg(500)
    ->Arg(5000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(benchPicture, unfolded, false)
    ->Name("PictureUnfolded")
    ->Arg(60)
    ->Arg(500)
    ->Arg(5000)
    ->Unit(benchmark::kMillisecond);

} // namespace
} // namespace picket
