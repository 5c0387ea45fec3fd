// Outcomes of programs that were checked before, by their keys (WorkerProtocol.h).
#pragma once

#include "lsp/Outcome.h"

#include <list>

namespace picket {

class OutcomeCache {
public:
  /// Null if it is not known (any more).
  std::shared_ptr<const Outcome> find(const std::string &Key) {
    for (auto At = Entries.begin(); At != Entries.end(); ++At)
      if (At->Key == Key) {
        Entries.splice(Entries.begin(), Entries, At);
        return Entries.front().Result;
      }
    return nullptr;
  }

  void add(const std::string &Key, std::shared_ptr<const Outcome> Result) {
    if (find(Key))
      return;
    size_t Size = 1024;
    for (const OutcomeTrace &T : Result->Traces)
      Size += T.Json.size();
    for (const Finding &F : Result->Findings)
      Size += F.Steps.size() * 256;
    Entries.push_front({Key, std::move(Result), Size});
    Bytes += Size;
    while (Entries.size() > MostEntries || (Bytes > MostBytes && Entries.size() > 1)) {
      Bytes -= Entries.back().Size;
      Entries.pop_back();
    }
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> Result;
    for (const Entry &E : Entries)
      Result.push_back(E.Key);
    return Result;
  }

private:
  static constexpr size_t MostEntries = 64, MostBytes = 8 << 20;
  struct Entry {
    std::string Key;
    std::shared_ptr<const Outcome> Result;
    size_t Size; // roughly
  };
  std::list<Entry> Entries; // the last used first
  size_t Bytes = 0;
};

} // namespace picket
