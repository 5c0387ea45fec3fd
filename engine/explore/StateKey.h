// The state of a configuration as bytes: two configurations with equal bytes have the same future. Counters that only
// say how far an execution has come are no part of it, nor are slots that nothing will read and objects that nothing
// can name.
#pragma once

#include "explore/ByteTable.h"
#include "memory/Configuration.h"

#include <string>

namespace picket {

/// The stores of T that have not landed, oldest first, each with its index in the buffer.
template <typename F> void forEachBuffered(const Configuration &C, ThreadId T, F Do) {
  if (C.buffering() == Buffering::None || C.bufferEmpty(T))
    return;
  const StoreBuffer &Buffer = C.buffer(T);
  for (uint32_t Index = Buffer.head(); Index < Buffer.tail(); ++Index)
    if (!Buffer.at(Index).Landed)
      Do(Index, Buffer.at(Index));
}

class StateTeam;

class StateKey {
public:
  /// The configuration's machine must know which slots are live.
  explicit StateKey(Configuration &Config) : Config(Config) {}

  /// Writes the state down. `Threads` gets a number for each thread: equal numbers, equal threads. The buffer of the
  /// thread `But`, if there is one, is left out.
  void compute(std::string &Whole, std::vector<uint32_t> &Threads, ThreadId But = NoThread);
  static constexpr ThreadId NoThread = ~0u;

  /// Others write states down as well: parts get the numbers that `All` gives them. Those that are known here keep
  /// theirs, if it is the first that shares.
  void share(StateTeam &All);

  uint64_t bytes() const { return Parts.bytes(); }
  uint64_t bytesWithGrowth() const { return Parts.bytesWithGrowth(); }

private:
  void addBuffer(ThreadId T, std::string &Whole);
  void addMemory(std::string &Whole);
  void addBytes(const Object &O, std::string &Whole);
  bool needsNames() const;
  uint32_t numberOf(std::string_view Bytes) {
    const auto [Own, IsNew] = Parts.insert(Bytes);
    return Common ? commonNumber(Own, IsNew) : Own;
  }
  uint32_t commonNumber(uint32_t Own, bool IsNew);

  Configuration &Config;
  ByteTable Parts; // of threads, objects and buffers: most of a state was there before
  StateTeam *Common = nullptr;
  std::vector<uint32_t> CommonNumbers; // of parts
  std::string Part;
  std::vector<bool> Named;
};

} // namespace picket
