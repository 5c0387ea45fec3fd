#include "explore/VectorClocks.h"

#include <numeric>

namespace picket {

/// Gives the clocks in `Rows`, each behind `Extra` other numbers, room for `Wider` processes.
void VectorClocks::widen(PodArray<uint32_t> &Rows, uint32_t Wider, uint32_t Extra) const {
  if (Stride == 0)
    return;
  const size_t From = Stride + Extra, To = Wider + Extra;
  PodArray<uint32_t> Result;
  Result.resize(Rows.size() / From * To);
  std::fill(Result.begin(), Result.end(), 0);
  for (size_t Row = 0; Row < Rows.size() / From; ++Row)
    std::copy_n(&Rows[Row * From], From, &Result[Row * To]);
  Rows = std::move(Result);
}

void VectorClocks::makeRoomForProcesses(uint32_t NumProcesses) {
  if (NumProcesses <= Stride)
    return;
  if (NumProcesses > MaxProcesses)
    throw TooManyProcesses();
  // Programs have few processes, and short clocks are quick; but those with many are not to come here often.
  uint32_t Wider = NumProcesses + NumProcesses / 8 + Step - 1;
  Wider -= Wider % Step;
  widen(OfEvents, Wider);
  widen(BeforeEvents, Wider);
  widen(OfProcesses, Wider);
  widen(Saved, Wider, 1);
  for (PodArray<uint32_t> &OfThread : OfEntries)
    widen(OfThread, Wider);
  Stride = Wider;
  SavedIn.resize(Stride);
  const size_t Known = OfProcesses.size();
  OfProcesses.resize(static_cast<size_t>(Stride) * Stride);
  std::fill(OfProcesses.begin() + Known, OfProcesses.end(), 0);
}

size_t VectorClocks::numSeen(const uint32_t *Clock) const { return std::accumulate(Clock, Clock + Stride, size_t(0)); }

bool VectorClocks::areConsistent() const {
  for (size_t P = 0; P < Stride; ++P)
    for (size_t Other = 0; Other < Stride; ++Other)
      if (OfProcesses[P * Stride + Other] > OfProcesses[Other * Stride + Other])
        return false;
  return true;
}

uint64_t VectorClocks::hashOfProcesses(uint32_t NumProcesses) const {
  uint64_t Hash = 0;
  for (size_t P = 0; P < NumProcesses; ++P)
    for (size_t Other = 0; Other < NumProcesses; ++Other)
      Hash = (Hash ^ OfProcesses[P * Stride + Other]) * 0x9e3779b97f4a7c15ull + (Hash >> 29);
  return Hash;
}

size_t VectorClocks::bytes() const {
  size_t Entries = OfEvents.capacity() + BeforeEvents.capacity() + OfProcesses.capacity() + Saved.capacity();
  for (const PodArray<uint32_t> &OfThread : OfEntries)
    Entries += OfThread.capacity();
  return Entries * sizeof(uint32_t);
}

} // namespace picket
