// A second implementation of the store-buffer semantics, written only from the definition: given a recorded execution,
// is every step of it legal? Shares no code with the machine, the configuration or the recorder.
#pragma once

#include "trace/Recording.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace picket::testing {

class StoreBufferRules {
public:
  /// What is wrong with the execution; empty if nothing is.
  static std::string problemOf(const Recording &Run) { return StoreBufferRules(Run).run(); }

private:
  struct Entry {
    uint32_t Store;
    unsigned Epoch; // store-store barriers before it
  };
  struct Thread {
    std::vector<Entry> Buffer; // oldest first
    unsigned Epoch = 0;
    bool Started = false, Over = false;
  };

  explicit StoreBufferRules(const Recording &Run) : Run(Run), Threads(Run.Threads.size()) {
    for (const TraceVariable &V : Run.Variables)
      if (V.Size <= 16)
        for (uint32_t K = 0; K < V.Size; ++K)
          Memory.try_emplace(V.Address + K, byteOf(V.InitialLow, V.InitialHigh, K));
    if (!Threads.empty())
      Threads[0].Started = true;
  }

  static uint8_t byteOf(uint64_t Low, uint64_t High, uint32_t K) {
    return static_cast<uint8_t>(K < 8 ? Low >> (8 * K) : High >> (8 * (K - 8)));
  }

  std::string run() {
    for (Now = 0; Now < Run.Events.size() && Problem.empty(); ++Now)
      look(Run.Events[Now]);
    for (const Thread &T : Threads)
      if (!T.Buffer.empty())
        say("a store never reaches memory");
    return Problem;
  }

  void say(const std::string &What) {
    if (Problem.empty())
      Problem = "event " + std::to_string(Now) + ": " + What;
  }

  void look(const TraceEvent &E) {
    Thread &T = Threads[E.Thread];
    if (!T.Started)
      return say("the thread does not exist yet");
    if (E.Kind != EventKind::Update && T.Over)
      return say("the thread has ended");
    if (E.FullFence && !T.Buffer.empty())
      return say("the buffer is not empty");
    if (E.StoreBarrier)
      ++T.Epoch;
    switch (E.Kind) {
    case EventKind::Store:
      if (Run.Model == MemoryModel::SC)
        write(E.Accesses[0]);
      else
        T.Buffer.push_back({Now, T.Epoch});
      break;
    case EventKind::Update: update(E, T); break;
    case EventKind::Load: expectValue(E.Accesses[0], &T); break;
    case EventKind::Rmw:
    case EventKind::Atomic:
      for (const TraceAccess &A : E.Accesses)
        if (!A.Write) {
          for (const Entry &B : T.Buffer)
            if (overlap(Run.Events[B.Store].Accesses[0].Variable, A.Variable))
              say("an earlier store of the thread to the same place is in the buffer");
          expectValue(A, nullptr);
        }
      for (const TraceAccess &A : E.Accesses)
        if (A.Write)
          write(A);
      break;
    case EventKind::Create:
      if (Threads[E.Other].Started)
        say("the thread exists already");
      Threads[E.Other].Started = true;
      break;
    case EventKind::Join:
      if (!Threads[E.Other].Started || !Threads[E.Other].Buffer.empty())
        say("the joined thread still has stores in its buffer");
      Threads[E.Other].Over = true;
      break;
    case EventKind::Sync: synchronise(E); break;
    default: break;
    }
  }

  bool overlap(uint32_t A, uint32_t B) const {
    const TraceVariable &X = Run.Variables[A], &Y = Run.Variables[B];
    return X.Address < Y.Address + Y.Size && Y.Address < X.Address + X.Size;
  }

  void update(const TraceEvent &E, Thread &T) {
    auto Mine = std::find_if(T.Buffer.begin(), T.Buffer.end(), [&](const Entry &B) { return B.Store == E.Partner; });
    if (Mine == T.Buffer.end())
      return say("the store is not in the buffer");
    for (auto Older = T.Buffer.begin(); Older != Mine; ++Older) {
      bool MayOvertake = Run.Model == MemoryModel::PSO && Older->Epoch == Mine->Epoch &&
                         !overlap(Run.Events[Older->Store].Accesses[0].Variable, E.Accesses[0].Variable);
      if (!MayOvertake)
        return say("an older store is still in the buffer");
    }
    T.Buffer.erase(Mine);
    write(E.Accesses[0]);
  }

  void write(const TraceAccess &A) {
    const TraceVariable &V = Run.Variables[A.Variable];
    for (uint32_t K = 0; K < V.Size && V.Size <= 16; ++K)
      Memory[V.Address + K] = byteOf(A.Low, A.High, K);
  }

  void expectValue(const TraceAccess &A, const Thread *Own) {
    const TraceVariable &V = Run.Variables[A.Variable];
    for (uint32_t K = 0; K < V.Size && V.Size <= 16; ++K) {
      uint64_t Where = V.Address + K;
      uint8_t Byte = Memory[Where];
      if (Own)
        for (const Entry &B : Own->Buffer) {
          const TraceAccess &S = Run.Events[B.Store].Accesses[0];
          const TraceVariable &W = Run.Variables[S.Variable];
          if (W.Address <= Where && Where < W.Address + W.Size)
            Byte = byteOf(S.Low, S.High, static_cast<uint32_t>(Where - W.Address));
        }
      if (Byte != byteOf(A.Low, A.High, K))
        return say("reads " + A.Text + " from " + V.Name + ", but that is not what is there");
    }
  }

  void synchronise(const TraceEvent &E) {
    uint32_t Lock = E.Accesses[0].Variable;
    if (E.Action == SyncAction::Locks) {
      auto Holder = Holders.find(Lock);
      if (Holder != Holders.end() && Holder->second.first != E.Thread)
        return say("locks what another thread holds");
      Holders.try_emplace(Lock, E.Thread, 0).first->second.second++;
    } else if (E.Action == SyncAction::Unlocks) {
      auto Holder = Holders.find(Lock);
      if (Holder != Holders.end() && --Holder->second.second == 0)
        Holders.erase(Holder);
    }
  }

  const Recording &Run;
  uint32_t Now = 0;
  std::vector<Thread> Threads;
  std::map<uint64_t, uint8_t> Memory;
  std::map<uint32_t, std::pair<uint32_t, unsigned>> Holders; // lock -> thread, how often
  std::string Problem;
};

} // namespace picket::testing
