#include "explore/ByteTable.h"

#include <cstring>

namespace picket {

uint32_t ByteTable::hashOf(std::string_view Bytes) {
  constexpr uint64_t Factor = 0x9e3779b97f4a7c15ull;
  uint64_t Hash = Bytes.size() * Factor;
  auto Mix = [&](uint64_t Word) {
    Hash = (Hash ^ Word) * Factor;
    Hash ^= Hash >> 29;
  };
  size_t At = 0;
  for (; At + 8 <= Bytes.size(); At += 8) {
    uint64_t Word;
    std::memcpy(&Word, Bytes.data() + At, 8);
    Mix(Word);
  }
  uint64_t Rest = 0;
  if (At < Bytes.size())
    std::memcpy(&Rest, Bytes.data() + At, Bytes.size() - At);
  Mix(Rest);
  return static_cast<uint32_t>(Hash ^ (Hash >> 32));
}

const char *ByteTable::keep(std::string_view Bytes) {
  char *To;
  if (Bytes.size() > ChunkSize / 8) {
    To = Large.emplace_back(std::make_unique<char[]>(Bytes.size())).get();
    LargeBytes += Bytes.size();
  } else {
    if (LeftInChunk < Bytes.size()) {
      Chunks.push_back(std::make_unique<char[]>(ChunkSize));
      LeftInChunk = ChunkSize;
    }
    To = Chunks.back().get() + (ChunkSize - LeftInChunk);
    LeftInChunk -= Bytes.size();
  }
  if (!Bytes.empty())
    std::memcpy(To, Bytes.data(), Bytes.size());
  return To;
}

void ByteTable::grow() {
  std::vector<uint32_t> Wider(Slots.empty() ? 1024 : Slots.size() * 2);
  for (uint32_t Id = 0; Id < Entries.size(); ++Id) {
    size_t At = Entries[Id].Hash & (Wider.size() - 1);
    while (Wider[At])
      At = (At + 1) & (Wider.size() - 1);
    Wider[At] = Id + 1;
  }
  Slots = std::move(Wider);
}

std::pair<uint32_t, bool> ByteTable::insert(std::string_view Bytes, uint32_t Hash) {
  if (Slots.size() < 2 * (Entries.size() + 1))
    grow();
  size_t At = Hash & (Slots.size() - 1);
  for (; Slots[At]; At = (At + 1) & (Slots.size() - 1)) {
    const Entry &E = Entries[Slots[At] - 1];
    if (E.Hash == Hash && std::string_view(E.Data, E.Size) == Bytes)
      return {Slots[At] - 1, false};
  }
  Entries.push_back({keep(Bytes), static_cast<uint32_t>(Bytes.size()), Hash});
  Slots[At] = size();
  return {size() - 1, true};
}

void ByteTable::clear() {
  Chunks.clear();
  Large.clear();
  LeftInChunk = 0;
  LargeBytes = 0;
  Entries.clear();
  Slots.clear();
}

} // namespace picket
