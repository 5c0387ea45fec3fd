// Vector clocks: for each event of an execution, what happens before it, and for each process, what it has seen so far.
// Entry P of a clock is the Index of the last event of process P that is in it.
#pragma once

#include "machine/PodArray.h"
#include "memory/Configuration.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

namespace picket {

class VectorClocks {
public:
  /// Thrown when there are more processes than there can be: every event has a clock with an entry per process.
  struct TooManyProcesses {};
  static constexpr uint32_t MaxProcesses = 4000;

  /// Entries per clock: at least as many as there are processes.
  uint32_t stride() const { return Stride; }
  /// Moves all clocks if these are more processes than before: pointers to clocks are of no use then.
  void makeRoomForProcesses(uint32_t NumProcesses);
  void makeRoomForThreads(uint32_t NumThreads) { OfEntries.resize(NumThreads); }
  /// Room for one more event.
  void addEvent() {
    OfEvents.resize(OfEvents.size() + Stride);
    BeforeEvents.resize(OfEvents.size());
  }

  uint32_t *ofEvent(uint32_t Event) { return &OfEvents[static_cast<size_t>(Event) * Stride]; }
  const uint32_t *ofEvent(uint32_t Event) const { return &OfEvents[static_cast<size_t>(Event) * Stride]; }
  /// What the process of an event had seen before it.
  uint32_t *beforeEvent(uint32_t Event) { return &BeforeEvents[static_cast<size_t>(Event) * Stride]; }
  /// What a process has seen so far.
  uint32_t *ofProcess(ProcessId P) { return &OfProcesses[static_cast<size_t>(P) * Stride]; }
  /// What the store behind a buffer entry had seen.
  const uint32_t *ofEntry(ThreadId T, uint32_t Entry) const {
    return &OfEntries[T][static_cast<size_t>(Entry) * Stride];
  }
  void setOfEntry(ThreadId T, uint32_t Entry, const uint32_t *Clock) {
    PodArray<uint32_t> &OfThread = OfEntries[T];
    if (OfThread.size() < static_cast<size_t>(Entry + 1) * Stride)
      OfThread.resize(static_cast<size_t>(Entry + 1) * Stride);
    copy(&OfThread[static_cast<size_t>(Entry) * Stride], Clock);
  }

  // Clocks are a multiple of Step entries long, so that these need no case for a rest.

  /// The least clock that is at least as large as both.
  void join(uint32_t *Into, const uint32_t *From) const {
    // Signed, since that is what every x86-64 compares four of at once; indices of events stay far below the
    // difference.
    using Four = int32_t __attribute__((vector_size(4 * sizeof(uint32_t))));
    for (uint32_t K = 0; K < Stride; K += Step)
      for (uint32_t Half = K; Half < K + Step; Half += 4) {
        Four Mine, Theirs;
        std::memcpy(&Mine, Into + Half, sizeof(Four));
        std::memcpy(&Theirs, From + Half, sizeof(Four));
        Mine = Mine < Theirs ? Theirs : Mine;
        std::memcpy(Into + Half, &Mine, sizeof(Four));
      }
  }
  void copy(uint32_t *To, const uint32_t *From) const {
    for (uint32_t K = 0; K < Stride; K += Step)
      std::memcpy(To + K, From + K, Step * sizeof(uint32_t));
  }
  /// Whether all that is in one clock is in the other as well.
  bool covers(const uint32_t *Later, const uint32_t *Earlier) const {
    return std::equal(Later, Later + Stride, Earlier, [](uint32_t L, uint32_t E) { return L >= E; });
  }
  /// How many events are in a clock.
  size_t numSeen(const uint32_t *Clock) const;
  /// Whether no process has seen more of another one than there is. It must hold between steps.
  bool areConsistent() const;

  // A step saves the clocks that it changes besides that of the process that takes it.

  /// To be called when P has taken a step, and before clocks are changed along with it.
  void beginChanges(ProcessId P) { SavedIn[P] = ++NumSteps; }
  /// Within one step once is enough.
  void save(ProcessId P) {
    if (SavedIn[P] == NumSteps)
      return;
    SavedIn[P] = NumSteps;
    ++NumSaved;
    const size_t At = Saved.size();
    Saved.resize(At + 1 + Stride);
    Saved[At] = P;
    copy(&Saved[At + 1], ofProcess(P));
  }
  size_t numSaved() const { return NumSaved; }
  /// Gives processes the clocks back that were saved since there were so many.
  void restoreTo(size_t Number) {
    assert(Number <= NumSaved);
    for (; NumSaved > Number; --NumSaved) {
      const size_t At = Saved.size() - Stride - 1;
      copy(ofProcess(Saved[At]), &Saved[At + 1]);
      Saved.resize(At);
    }
  }
  void forgetSaved() {
    Saved.clear();
    NumSaved = 0;
  }

  /// A number that differs, most likely, if a process has seen something else.
  uint64_t hashOfProcesses(uint32_t NumProcesses) const;
  size_t bytes() const;

private:
  static constexpr uint32_t Step = 8; // that many entries are handled as quickly as fewer
  void widen(PodArray<uint32_t> &Rows, uint32_t Wider, uint32_t Extra = 0) const;

  uint32_t Stride = 0;
  PodArray<uint32_t> OfEvents, BeforeEvents, OfProcesses;
  std::vector<PodArray<uint32_t>> OfEntries; // per thread
  PodArray<uint32_t> Saved;                  // (process, its clock)
  size_t NumSaved = 0;                       // of those
  std::vector<uint64_t> SavedIn;             // per process: the step in which its clock was last saved
  uint64_t NumSteps = 0;
};

} // namespace picket
