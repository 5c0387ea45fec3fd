#include "source/models/Models.h"

#include "source/models/ModelTexts.h"

namespace picket {

const std::string &modelsText() {
  static const std::string Text =
      std::string(models::Foundations).append(models::Threads).append(models::Library).append(models::Process);
  return Text;
}

bool hasModel(std::string_view Name) {
  std::string Definition = " __picket_model_" + std::string(Name) + "(";
  std::string Pointer = "*" + Definition.substr(1);
  const std::string &Text = modelsText();
  return Text.find(Definition) != Text.npos || Text.find(Pointer) != Text.npos;
}

} // namespace picket
