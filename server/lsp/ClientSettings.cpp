#include "lsp/ClientSettings.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

/// A text as it is, a number as it is written.
static std::string textOf(const Value &V) {
  if (auto Text = V.getAsString())
    return Text->str();
  std::string Written;
  llvm::raw_string_ostream(Written) << V;
  return Written;
}

static void addKeys(const Object &O, const std::string &Prefix, SettingsLayer &Layer,
                    std::vector<SettingsProblem> &Problems) {
  for (const auto &[Name, V] : O) {
    const std::string Key = Prefix + Name.str();
    if (const Object *Inner = V.getAsObject()) {
      addKeys(*Inner, Key + ".", Layer, Problems);
      continue;
    }
    if (V.kind() == Value::Null || !isSetting(Key))
      continue;
    std::vector<std::string> Values;
    if (const Array *Items = V.getAsArray())
      for (const Value &Item : *Items)
        Values.push_back(textOf(Item));
    else
      Values.push_back(textOf(V));
    if (std::string Wrong = set(Layer, Key, Values); !Wrong.empty())
      Problems.push_back({0, Wrong});
  }
}

SettingsLayer layerOfJson(const Value &Json, std::vector<SettingsProblem> &Problems) {
  SettingsLayer Layer;
  const Object *O = Json.getAsObject();
  if (const Object *Inner = O ? O->getObject("picket") : nullptr)
    O = Inner;
  if (O)
    addKeys(*O, "", Layer, Problems);
  // Editors send what a setting is by default as if somebody had said so.
  if (Layer.Models == defaultModels())
    Layer.ModelsNamed = false;
  return Layer;
}

Value toJSON(const Settings &S) {
  Array Models;
  for (MemoryModel M : S.Models)
    Models.push_back(nameOf(M));
  return Object{{"check", Object{{"trigger", nameOf(S.When)}}},
                {"models", std::move(Models)},
                {"checks", Array(S.Looked.names())},
                {"races", nameOf(S.Races)},
                {"volatile", nameOf(S.Volatile)},
                {"release-sequences", nameOf(S.Sequences)},
                {"target", nameOf(S.Targets)},
                {"unroll", S.Unroll},
                {"timeout", S.TimeoutSeconds},
                {"memory", S.MemoryBytes},
                {"jobs", S.Jobs},
                {"engine", nameOf(S.Search)},
                {"robustness", S.Robustness},
                {"fixes", S.Fixes},
                {"relax", S.Relax},
                {"fix-in", Array(S.FixIn)},
                {"not-in", Array(S.NotIn)},
                {"with", Array(S.With)},
                {"flags", Array(S.Flags)},
                {"stub", Array(S.Stubs)},
                {"stubs", Array(S.StubFiles)},
                {"nondet", S.Nondet}};
}

} // namespace picket
