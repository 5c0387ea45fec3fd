#include "source/models/Models.h"

#include "program/Program.h"
#include "source/models/ModelTexts.h"

namespace picket {

std::string_view modelsFileName() { return ModelsFile; }

const std::string &modelsText() {
  static const std::string Text = std::string(models::Foundations)
                                      .append(models::Threads)
                                      .append(models::Library)
                                      .append(models::Numbers)
                                      .append(models::System)
                                      .append(models::Futex)
                                      .append(models::Process);
  return Text;
}

bool hasModel(std::string_view Name) {
  const std::string Definition = "__picket_model_" + std::string(Name) + "(";
  const std::string &Text = modelsText();
  for (const char Before : {' ', '*', '\n'}) // what a return type ends with
    if (Text.find(Before + Definition) != Text.npos)
      return true;
  constexpr std::string_view Outside = "__VERIFIER_nondet_"; // a macro defines most of them
  return Name.starts_with(Outside) &&
         Text.find("\n__PICKET_NONDET(" + std::string(Name.substr(Outside.size())) + ",") != Text.npos;
}

} // namespace picket
