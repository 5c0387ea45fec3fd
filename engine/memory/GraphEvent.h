// The events of an execution graph: reads and writes, what is known when they are fetched, and the rows of the memory
// model's relations that are filled in when they are committed.
#pragma once

#include "memory/LargeGraph.h"
#include "program/Program.h"

namespace picket {

/// A memory location, which is accessed as a whole. Accesses of different locations never overlap.
using LocationId = uint32_t;
constexpr LocationId NoLocation = ~0u;

/// What an access does in one location.
struct GraphCell {
  LocationId Location = NoLocation; // once the address is known
  EventId Source = NoEvent;         // reads: the write it reads; none is the initial one
  uint32_t Position = 0;            // writes: position in coherence, counted from 1
  uint32_t Home = ~0u;              // for the explorer
  uint64_t Value = 0;               // read or written
  uint32_t Offset = 0, Width = 0;   // of an access that is split: the bytes of it that are here
};

/// A read or a write, mostly of one location. Where others access a part of the same bytes it is split: it then has a cell
/// for each location, reads from another write in each of them, or is at another position of its coherence. What it is
/// behind is the same for all (docs/power.md). An atomic update is two events, a read and the write behind it, which are
/// committed together, unless the write needs more than the read, or does not need the read (OfExchange). Sets are of
/// events of the same thread unless something else is said.
template <unsigned Words> struct GraphEvent : GraphCell { // the only cell; if it is split, the whole value
  using Set = EventSet<Words>;

  uint32_t Thread = 0;
  uint32_t Index = 0; // its thread's n-th event, from 0
  uint32_t Pc = 0;
  // Its name in every run of the program in which its thread does the same, however much is known of memory that ends.
  uint32_t Operation = 0; // how many operations its thread had done: some are several events
  uint64_t Part = 0;      // which of them: counted, or where in its object
  bool IsWrite = false;
  bool OfUpdate = false;                         // this read and the next event, or this write and the event before
  bool IsFence = false;                          // no access: a fence, where the model has them as events (C11)
  picket::Order Mode = picket::Order::NotAtomic; // ARM64, C11: the memory order of an access or of a fence
  bool Unused = false;                           // ARM64: the read of an update that returns nothing
  bool Compares = false;                         // ARM64: the read of a CAS; Data is what makes up the expected value
  bool OfExchange = false;                       // ARM64: this read and the next event: they are committed one by one
  bool Decides = false;                          // no access, but the choice whether a store-conditional succeeds
  bool Conditional = false;                      // the write of a store-conditional that is to succeed, or OfExchange
  bool Locked = false;                           // of an update that is a full fence under TSO and PSO
  bool Alone = false;                            // the read of an update, committed: its write is committed by itself
  bool Void = false;                             // committed, but nothing that takes place (in this run)
  uint32_t Section = 0;                          // its atomic section: 1 + the first event of that; 0: none
  bool Ends = false;          // not a write of the program: the memory ends here (free, the end of a local variable)
  EventId Reserved = NoEvent; // Conditional: the read it belongs to, of the same location
  uint32_t FirstCell = ~0u;   // if it is split
  uint32_t NumCells = 1;
  uint32_t Chosen = 0; // if it is split: how many cells have their source or position; it is committed with the last

  // What is known when it is fetched.
  Set Before;        // program order
  Set Address, Data; // the events whose values make up the address and the data
  Set Control;       // those that decide branches before it
  Set ControlISync;  // the same, with an isync behind the branch
  Set AddressBefore; // those that make up addresses of earlier accesses
  Set Fetch;         // those without which it could not have been fetched
  Set Sync;          // events before the last full fence, those before the thread's creation included
  Set LwSync, Eieio; // events before the last fence of that kind

  // What is known when it is committed.
  Set Past; // commit-before, as a whole, of all threads

  // Rows of the memory model's relations: the events of all threads from which an edge leads here.
  Set II, IC, CI, CC; // preserved program order
  Set Order;          // happens-before (POWER), or what the model preserves of program order (SC, TSO, PSO)
  Set OrderPast;      // Order, reflexive and transitive (POWER)
  Set PropBase, PropBasePast, Strong; // see PowerAxioms
  [[no_unique_address]] LargeEvent<Words> More;
};

} // namespace picket
