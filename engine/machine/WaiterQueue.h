// The waiters of a condition variable or a futex, as bytes of the object: in order of arrival; each may carry a token, i.e. a
// signal that was sent when it was waiting. A token may be taken by its carrier and by every waiter before it in the list:
// these are the ones that were waiting when the signal was sent.
//
// - A signal gives a token to the last waiter that has none. (With the token at the end of the list instead, the
//   waiters after that one could not be more eligible than they are: each of them has a token to itself.) If every
//   waiter has a token, the signal is lost.
// - A waiter that wakes takes the first token at or after its own position: the one fewest others may take. Hence no
//   token is ever left with nobody to take it.
// - In a run of waiters without tokens followed by a run with tokens, order makes no difference; it is kept sorted by
//   thread so that signalling and waiting in another order with the same effect gives the same bytes.
//
// Not for others than the synchronisation objects to include.
#pragma once

#include <algorithm>
#include <cstdint>

namespace picket::sync {

class WaiterQueue {
public:
  static constexpr uint8_t Token = 0x80;

  /// thread + 1, plus Token; 0 beyond the last.
  WaiterQueue(uint8_t *Waiters, uint32_t Room) : Waiters(Waiters), Room(Room) {}

  uint32_t count() const { return static_cast<uint32_t>(std::find(Waiters, Waiters + Room, 0) - Waiters); }
  bool allHaveTokens() const { return std::all_of(Waiters, end(), hasToken); }

  /// False: there is no room.
  bool enqueue(uint32_t Self) {
    if (count() == Room || Self >= Token)
      return false;
    *end() = static_cast<uint8_t>(Self);
    return true;
  }

  /// False: every waiter has a token.
  bool signal() {
    for (uint32_t I = count(); I-- > 0;)
      if (!hasToken(Waiters[I])) {
        Waiters[I] |= Token;
        return true;
      }
    return false;
  }

  enum class Woken : uint8_t { Yes, No, NotWaiting };
  /// Whether there is a token for a waiter. If there is, or if it leaves in any case, it is in the list no more.
  Woken wake(uint32_t Self, bool Leaves) {
    uint8_t *End = end();
    uint8_t *Mine = std::find_if(Waiters, End, [&](uint8_t W) { return (W & ~Token) == static_cast<int>(Self); });
    if (Mine == End)
      return Woken::NotWaiting;
    uint8_t *Taken = std::find_if(Mine, End, hasToken);
    const bool IsWoken = Taken != End;
    if (!IsWoken && !Leaves)
      return Woken::No;
    if (IsWoken)
      *Taken &= ~Token;
    std::copy(Mine + 1, End, Mine);
    End[-1] = 0;
    return IsWoken ? Woken::Yes : Woken::No;
  }

  /// Sorts the threads of each run of waiters without tokens and then with tokens; the tokens stay where they are.
  void normalise() {
    uint32_t Count = count();
    for (uint32_t Begin = 0; Begin < Count;) {
      uint32_t End = Begin;
      while (End < Count && !hasToken(Waiters[End]))
        ++End;
      uint32_t FirstToken = End;
      while (End < Count && hasToken(Waiters[End]))
        Waiters[End++] &= ~Token;
      std::sort(Waiters + Begin, Waiters + End);
      for (uint32_t I = FirstToken; I < End; ++I)
        Waiters[I] |= Token;
      Begin = End;
    }
  }

private:
  static bool hasToken(uint8_t Waiter) { return (Waiter & Token) != 0; }
  uint8_t *end() const { return Waiters + count(); }

  uint8_t *Waiters;
  uint32_t Room;
};

} // namespace picket::sync
