#include "cat/CatModel.h"

#include "cat/CatAxioms.h"

namespace picket::cat {

Model::Model(CompiledModel Given) : Compiled(std::move(Given)), Raised(Compiled.Flags.size()) {
  for (const Check &C : Compiled.Checks) {
    All.push_back(&C);
    if (C.isMonotonic(Compiled.Nodes))
      Monotonic.push_back(&C);
  }
}

std::vector<std::string> Model::raisedFlags() const {
  std::vector<std::string> Names;
  for (size_t K = 0; K < Raised.size(); ++K)
    if (Raised[K])
      Names.push_back(Compiled.Flags[K].Name.empty() ? "flag at line " + std::to_string(Compiled.Flags[K].Where.Line)
                                                     : Compiled.Flags[K].Name);
  return Names;
}

bool Model::isUndefined() const {
  for (size_t K = 0; K < Raised.size(); ++K)
    if (Raised[K] && Compiled.Flags[K].Undefined)
      return true;
  return false;
}

Reading readModel(std::string_view Text, const std::string &File, std::optional<Architecture> Events,
                  const IncludeReader &Read) {
  Reading Result;
  try {
    Result.Found = std::make_shared<const Model>(compile(Text, File, Events, Read));
  } catch (const CompileFailure &F) {
    Result.Where = F.Where;
    Result.Problem =
        F.File + ":" + std::to_string(F.Where.Line) + ":" + std::to_string(F.Where.Column) + ": " + F.Message;
  }
  return Result;
}

MemoryModel ordersOf(Architecture A) {
  switch (A) {
  case Architecture::X86: return MemoryModel::TSO;
  case Architecture::PPC: return MemoryModel::Power;
  case Architecture::AArch64: return MemoryModel::Armv8;
  case Architecture::C11: return MemoryModel::C11;
  }
  return MemoryModel::SC;
}

GraphModel graphModelOf(const std::shared_ptr<const Model> &M, bool MainOnlyStarts) {
  return GraphModel::of<CatAxioms>(ordersOf(M->compiled().Events), M, MainOnlyStarts);
}

} // namespace picket::cat
