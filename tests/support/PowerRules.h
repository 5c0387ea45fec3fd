// Rules that every recording under POWER must satisfy: an independent check that uses only the recording.
#pragma once

#include "trace/Counterexample.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace picket::testing {

class PowerRules {
public:
  /// Empty if nothing is wrong.
  static std::string problemOf(const Recording &R) {
    for (uint32_t K = 0; K < R.Events.size(); ++K) {
      const TraceEvent &E = R.Events[K];
      if (E.Kind == EventKind::Update || E.Partner != NoEvent)
        return "there are no store buffers";
      if ((E.isAccess() || E.Kind == EventKind::Sync || E.Kind == EventKind::Free) && E.Number == NoEvent)
        return "an access has no number";
      for (const TraceLink &L : E.Links) {
        if (L.On >= K || R.Events[L.On].Thread != E.Thread)
          return "a link that does not lead back in its thread";
        if (L.What <= TraceLink::Control && !R.Events[L.On].reads() && R.Events[L.On].Kind != EventKind::Sync)
          return "a dependency on something that does not read";
      }
      if (std::string Problem = accesses(R, K); !Problem.empty())
        return Problem;
    }
    return coherence(R);
  }

  /// What must hold of the order in which it is told.
  static std::string problemOfOrder(const Counterexample &C) {
    std::vector<uint32_t> At(C.Run.Events.size(), NoEvent);
    for (uint32_t K = 0; K < C.Steps.size(); ++K)
      At[C.Steps[K].Event] = K;
    if (std::count(At.begin(), At.end(), NoEvent))
      return "not every event is told";
    std::set<uint32_t> Remarked;
    for (const Step &S : C.Steps)
      if (!S.Remark.empty())
        Remarked.insert(S.Event);
    for (uint32_t K = 0; K < C.Run.Events.size(); ++K) {
      const TraceEvent &E = C.Run.Events[K];
      for (const TraceLink &L : E.Links)
        if (L.What == TraceLink::Kept && At[L.On] > At[K])
          return "what is kept in order is told in another";
      for (const TraceAccess &A : E.Accesses)
        if (A.Source != NoEvent && C.Run.Events[A.Source].Thread != E.Thread && At[A.Source] > At[K])
          return "a read is told before the write of another thread that it reads";
      for (uint32_t Later = K + 1; Later < C.Run.Events.size(); ++Later)
        if (C.Run.Events[Later].Thread == E.Thread && E.isAccess() && C.Run.Events[Later].isAccess() &&
            At[Later] < At[K] && !Remarked.count(Later) && !C.Run.Events[Later].Forwarded)
          return "something is told out of order, and nothing is said about it";
    }
    return "";
  }

private:
  /// Byte by byte: an access may be larger or smaller than what it reads from.
  static std::string accesses(const Recording &R, uint32_t Event) {
    const TraceEvent &E = R.Events[Event];
    for (const TraceAccess &A : E.Accesses) {
      bool IsSource = true;
      A.eachSource([&](uint32_t From) { IsSource &= From != Event && From < R.Events.size(); });
      if (!IsSource)
        return "an invalid source";
      if (!E.isAccess() || A.Write)
        continue;
      const TraceVariable &Read = R.Variables[A.Variable];
      for (uint32_t K = 0; K < Read.Size; ++K) {
        const uint32_t From = A.at(K).Source;
        if (From == NoEvent) {
          if (byteOf(A.Low, A.High, K) != byteOf(Read.InitialLow, Read.InitialHigh, K))
            return "the initial value is another one";
          continue;
        }
        const TraceEvent &Source = R.Events[From];
        if (Source.Kind == EventKind::Free)
          continue;
        const TraceAccess &Written = Source.Accesses.back();
        const TraceVariable &Target = R.Variables[Written.Variable];
        const uint64_t At = Read.Address + K - Target.Address;
        if (!Written.Write || At >= Target.Size ||
            byteOf(Written.Low, Written.High, static_cast<uint32_t>(At)) != byteOf(A.Low, A.High, K))
          return "a value that its source did not write";
      }
    }
    return "";
  }

  static uint8_t byteOf(uint64_t Low, uint64_t High, uint32_t K) {
    return static_cast<uint8_t>((K < 8 ? Low >> (8 * K) : High >> (8 * (K - 8))));
  }

  /// Writes of a byte have places of their own, and program order agrees with them (SC per location).
  static std::string coherence(const Recording &R) {
    std::map<std::pair<uint64_t, uint32_t>, uint32_t> Places; // byte, position -> event
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> Seen;   // thread, byte -> position
    for (uint32_t K = 0; K < R.Events.size(); ++K) {
      const TraceEvent &E = R.Events[K];
      if (!E.isAccess())
        continue;
      for (const TraceAccess &A : E.Accesses) {
        const TraceVariable &V = R.Variables[A.Variable];
        for (uint32_t Offset = 0; Offset < V.Size; ++Offset) {
          const TraceCell Cell = A.at(Offset);
          const uint64_t Byte = V.Address + Offset;
          if (A.Write && (Cell.Position == 0 || !Places.try_emplace({Byte, Cell.Position}, K).second))
            return "two writes at one place in coherence";
          uint32_t At = Cell.Position;
          if (!A.Write && Cell.Source != NoEvent) {
            const TraceEvent &Source = R.Events[Cell.Source];
            const TraceAccess &Written = Source.Accesses.back();
            At = Source.Kind == EventKind::Free
                     ? ~0u
                     : Written.at(static_cast<uint32_t>(Byte - R.Variables[Written.Variable].Address)).Position;
          }
          uint32_t &Before = Seen[{E.Thread, Byte}];
          if (At < Before || (A.Write && At == Before))
            return "a thread goes back in coherence";
          Before = At;
        }
      }
    }
    return "";
  }
};

} // namespace picket::testing
