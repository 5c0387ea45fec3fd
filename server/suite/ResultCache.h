// Results of programs that were checked before, in files below the user's cache folder.
#pragma once

#include "suite/ProgramResult.h"

namespace picket {

/// A file of the cache may hold anything: one that is damaged, or is none of the cache, counts as not there.
class ResultCache {
public:
  struct Limits {
    uint64_t Bytes = 64 << 20;
    size_t Files = 4096;
    uint64_t FileBytes = 4 << 20; // larger results are not kept
  };

  /// Empty folder: nothing is kept.
  explicit ResultCache(std::string Folder, Limits Most);
  explicit ResultCache(std::string Folder) : ResultCache(std::move(Folder), Limits()) {}
  /// "$XDG_CACHE_HOME/picket/results", or below ~/.cache; empty if there is neither.
  static std::string defaultFolder();

  bool isUsed() const { return !Folder.empty(); }
  /// `File`: the program, absolute. `Texts` names the texts that a report quotes: one in which nothing is wrong quotes none.
  std::optional<ProgramResult> find(const std::string &File, const std::string &Key, const std::string &Texts) const;
  void add(const std::string &File, const std::string &Key, const std::string &Texts, const ProgramResult &Result);
  /// Removes what was not used for the longest time, until the limits are kept.
  void prune() const;

private:
  std::string pathOf(const std::string &File, const std::string &Key) const;

  std::string Folder;
  const Limits Most;
  std::string Identity; // of the program `picket`
  bool Made = false;    // the folder
};

} // namespace picket
