// The memory models, in one table. The command line, settings, reports and editors read their names from it; explorers,
// traces and repairs read what a model can do. docs/how-to-add-a-memory-model.md tells how to add one.
#pragma once

#include "program/Architecture.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace picket {

enum class MemoryModel : uint8_t { SC, TSO, PSO, Armv8, Power, C11 };

/// Which explorer enumerates the executions of a model.
enum class ModelExplorer : uint8_t {
  StoreBuffers,    // OptimalDpor over Configuration
  ExecutionGraphs, // Rsmc over ExecutionGraph
};

/// How stores wait on their way to memory, where a Configuration runs the model.
enum class Buffering : uint8_t {
  None,       // they do not wait
  Fifo,       // one queue per thread
  PerLocation // stores to different locations may overtake each other
};

/// A set of models.
class ModelSet {
public:
  constexpr ModelSet() = default;
  template <typename... Models> constexpr explicit ModelSet(Models... M) : Bits((bit(M) | ... | 0u)) {}
  constexpr bool has(MemoryModel M) const { return (Bits & bit(M)) != 0; }
  constexpr void add(MemoryModel M) { Bits |= bit(M); }
  constexpr bool operator==(const ModelSet &) const = default;

private:
  static constexpr uint32_t bit(MemoryModel M) { return 1u << static_cast<unsigned>(M); }
  uint32_t Bits = 0;
};

/// The fences, besides a full one, that order something under a model: a repair may propose them.
struct ModelFences {
  bool StoreStore = false;  // a release fence orders stores, and nothing else
  bool Lightweight = false; // release and acquire fences order all but a store before a load, and loads can acquire
  bool ISync = false;       // an isync behind a branch orders loads; in assembly only
};

struct MemoryModelInfo {
  MemoryModel Model;
  const char *Name;        // in the terminal, in settings and in JSON: "tso"
  const char *Alias;       // another name that is understood; null: none
  const char *Title;       // for people: "TSO"
  const char *Description; // one sentence for editors
  bool ByDefault;          // checked where nobody names models
  ModelExplorer Explorer;
  Buffering Buffers;   // Explorer is StoreBuffers
  ModelSet WeakerThan; // models each of whose executions is one of this model, too
  bool Chronological;  // executions have an order in time, and so a chronological trace
  bool Monitored;      // monitoring SC tells whether programs are robust against it
  bool Searched;       // its states can be searched, without a bound for loops
  ModelFences Fences;
  Architecture Target; // what programs are compiled for to be checked under the model
  /// The fences that are right on the target are right under the model. If not, the model is weaker than the target is.
  bool OfTarget;
};

/// One for each model, in the order of the enum. That is the order in which they are told, and checked: models that
/// others are weaker than come first.
inline constexpr std::array<MemoryModelInfo, 6> MemoryModels = {{
    {.Model = MemoryModel::SC,
     .Name = "sc",
     .Alias = nullptr,
     .Title = "SC",
     .Description = "Sequential consistency: every store reaches memory immediately",
     .ByDefault = true,
     .Explorer = ModelExplorer::StoreBuffers,
     .Buffers = Buffering::None,
     .WeakerThan = ModelSet(),
     .Chronological = true,
     .Monitored = false,
     .Searched = true,
     .Fences = {},
     .Target = Architecture::X86_64,
     .OfTarget = true},
    {.Model = MemoryModel::TSO,
     .Name = "tso",
     .Alias = "x86",
     .Title = "TSO",
     .Description = "Total store order, as on x86: stores wait in one buffer per thread",
     .ByDefault = true,
     .Explorer = ModelExplorer::StoreBuffers,
     .Buffers = Buffering::Fifo,
     .WeakerThan = ModelSet(MemoryModel::SC),
     .Chronological = true,
     .Monitored = true,
     .Searched = true,
     .Fences = {},
     .Target = Architecture::X86_64,
     .OfTarget = true},
    {.Model = MemoryModel::PSO,
     .Name = "pso",
     .Alias = nullptr,
     .Title = "PSO",
     .Description = "Partial store order: stores to different locations may also change their order",
     .ByDefault = true,
     .Explorer = ModelExplorer::StoreBuffers,
     .Buffers = Buffering::PerLocation,
     .WeakerThan = ModelSet(MemoryModel::SC, MemoryModel::TSO),
     .Chronological = true,
     .Monitored = true,
     .Searched = true,
     .Fences = {.StoreStore = true},
     .Target = Architecture::X86_64,
     .OfTarget = false},
    {.Model = MemoryModel::Armv8,
     .Name = "armv8",
     .Alias = "arm64",
     .Title = "ARM64",
     .Description = "ARMv8 (ARM64): like POWER, but a store reaches all other threads at the same time",
     .ByDefault = true,
     .Explorer = ModelExplorer::ExecutionGraphs,
     .Buffers = Buffering::None,
     .WeakerThan = ModelSet(MemoryModel::SC),
     .Chronological = false,
     .Monitored = false,
     .Searched = false,
     .Fences = {.Lightweight = true},
     .Target = Architecture::Aarch64,
     .OfTarget = true},
    {.Model = MemoryModel::Power,
     .Name = "power",
     .Alias = nullptr,
     .Title = "POWER",
     .Description = "POWER: loads and stores may change their order unless a dependency or a fence keeps it",
     .ByDefault = true,
     .Explorer = ModelExplorer::ExecutionGraphs,
     .Buffers = Buffering::None,
     .WeakerThan = ModelSet(MemoryModel::SC),
     .Chronological = false,
     .Monitored = false,
     .Searched = false,
     .Fences = {.Lightweight = true, .ISync = true},
     .Target = Architecture::Powerpc64le,
     .OfTarget = true},
    {.Model = MemoryModel::C11,
     .Name = "c11",
     .Alias = "rc11",
     .Title = "C11",
     .Description = "C11: what the language itself promises, with the repaired seq_cst of RC11",
     .ByDefault = true,
     .Explorer = ModelExplorer::ExecutionGraphs,
     .Buffers = Buffering::None,
     .WeakerThan = ModelSet(MemoryModel::SC),
     .Chronological = false,
     .Monitored = false,
     .Searched = false,
     .Fences = {.Lightweight = true},
     .Target = Architecture::X86_64,
     .OfTarget = false},
}};

constexpr const MemoryModelInfo &infoOf(MemoryModel M) { return MemoryModels[static_cast<size_t>(M)]; }
static_assert([] {
  for (size_t K = 0; K < MemoryModels.size(); ++K)
    if (static_cast<size_t>(MemoryModels[K].Model) != K)
      return false;
  return true;
}());

constexpr const char *nameOf(MemoryModel M) { return infoOf(M).Name; }
inline std::string titleOf(MemoryModel M) { return infoOf(M).Title; }
constexpr bool isExploredAsGraphs(MemoryModel M) { return infoOf(M).Explorer == ModelExplorer::ExecutionGraphs; }
/// Whether every execution of `Stronger` is one of `Weaker`, too, which is another model.
constexpr bool isWeaker(MemoryModel Weaker, MemoryModel Stronger) { return infoOf(Weaker).WeakerThan.has(Stronger); }

/// The model of that name or alias, whatever the case of its letters.
std::optional<MemoryModel> modelNamed(std::string_view Name);

/// Models by name, each once. If a name is no model's, `Wrong` says so.
std::vector<MemoryModel> modelsNamed(const std::vector<std::string> &Names, std::string &Wrong);

/// All models for which something holds, in the order of the table.
template <typename Predicate> std::vector<MemoryModel> modelsThat(Predicate Holds) {
  std::vector<MemoryModel> Models;
  for (const MemoryModelInfo &M : MemoryModels)
    if (Holds(M))
      Models.push_back(M.Model);
  return Models;
}
std::vector<MemoryModel> allModels();
std::vector<MemoryModel> defaultModels();
std::vector<MemoryModel> monitoredModels();

/// "sc, tso, pso, armv8, power, c11"
std::string modelNames();
/// "SC, TSO and PSO"; `Last` stands before the last one.
std::string titlesOf(const std::vector<MemoryModel> &Models, std::string_view Last = " and ");
/// "sc, tso, pso or power"
std::string namesOf(const std::vector<MemoryModel> &Models, std::string_view Last);

} // namespace picket
