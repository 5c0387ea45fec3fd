#include "memory/MemoryModel.h"

#include <algorithm>
#include <cctype>

namespace picket {

std::optional<MemoryModel> modelNamed(std::string_view Name) {
  auto IsSame = [](char A, char B) { return std::tolower(static_cast<unsigned char>(A)) == B; };
  for (const MemoryModelInfo &M : MemoryModels)
    for (const std::string_view Known : {M.Name, M.Alias ? M.Alias : M.Name})
      if (std::equal(Name.begin(), Name.end(), Known.begin(), Known.end(), IsSame))
        return M.Model;
  return std::nullopt;
}

std::vector<MemoryModel> modelsNamed(const std::vector<std::string> &Names, std::string &Wrong) {
  std::vector<MemoryModel> Models;
  for (const std::string &Name : Names) {
    const std::optional<MemoryModel> M = modelNamed(Name);
    if (!M) {
      Wrong = "'" + Name + "' is no memory model (" + modelNames() + ")";
      return {};
    }
    if (std::find(Models.begin(), Models.end(), *M) == Models.end())
      Models.push_back(*M);
  }
  return Models;
}

std::vector<MemoryModel> allModels() {
  return modelsThat([](const MemoryModelInfo &) { return true; });
}

std::vector<MemoryModel> defaultModels() {
  return modelsThat([](const MemoryModelInfo &M) { return M.ByDefault; });
}

std::vector<MemoryModel> monitoredModels() {
  return modelsThat([](const MemoryModelInfo &M) { return M.Monitored; });
}

template <typename Text>
static std::string listOf(const std::vector<MemoryModel> &Models, std::string_view Last, Text TextOf) {
  std::string List;
  for (size_t K = 0; K < Models.size(); ++K) {
    if (K)
      List += K + 1 == Models.size() ? Last : ", ";
    List += TextOf(Models[K]);
  }
  return List;
}

std::string modelNames() { return namesOf(allModels(), ", "); }

std::string titlesOf(const std::vector<MemoryModel> &Models, std::string_view Last) {
  return listOf(Models, Last, titleOf);
}

std::string namesOf(const std::vector<MemoryModel> &Models, std::string_view Last) {
  return listOf(Models, Last, [](MemoryModel M) { return nameOf(M); });
}

} // namespace picket
