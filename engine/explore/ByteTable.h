// A set of byte strings, each with a small number. Strings are kept as a whole: two that differ never get the same one.
#pragma once

#include "explore/Growth.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace picket {

class ByteTable {
public:
  /// The number of the string, and whether it is new.
  std::pair<uint32_t, bool> insert(std::string_view Bytes) { return insert(Bytes, hashOf(Bytes)); }
  /// The same where the hash is known already.
  std::pair<uint32_t, bool> insert(std::string_view Bytes, uint32_t Hash);
  static uint32_t hashOf(std::string_view Bytes);

  uint32_t size() const { return static_cast<uint32_t>(Entries.size()); }
  std::string_view operator[](uint32_t Id) const { return {Entries[Id].Data, Entries[Id].Size}; }
  void clear();
  /// What it takes up, and what it will if it grows soon.
  uint64_t bytes() const {
    return Chunks.size() * ChunkSize + LargeBytes + Entries.capacity() * sizeof(Entry) +
           Slots.capacity() * sizeof(uint32_t);
  }
  uint64_t bytesWithGrowth() const {
    const bool GrowsSoon = Slots.size() < 2 * (Entries.size() + EntriesBetweenChecks);
    return Chunks.size() * ChunkSize + LargeBytes + picket::bytesWithGrowth(Entries) +
           Slots.capacity() * sizeof(uint32_t) * (GrowsSoon ? 3 : 1); // all new slots are written immediately
  }

private:
  struct Entry {
    const char *Data;
    uint32_t Size, Hash;
  };
  const char *keep(std::string_view Bytes);
  void grow();

  static constexpr size_t ChunkSize = 1 << 16;
  std::vector<std::unique_ptr<char[]>> Chunks, Large;
  size_t LeftInChunk = 0;
  uint64_t LargeBytes = 0;
  std::vector<Entry> Entries;
  std::vector<uint32_t> Slots; // open addressing: number + 1, 0: free
};

} // namespace picket
