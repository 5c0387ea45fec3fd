#include "source/NeededModels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace picket {

/// Everything in the text of the models begins with this, and nothing else does.
static bool isOfModels(const GlobalValue &G) { return G.getName().starts_with("__picket"); }

/// Models call each other by their own names, so a declaration of the plain name comes from the program.
static bool isAskedFor(const Module &M, const GlobalValue &G) {
  StringRef Name = G.getName();
  if (!Name.consume_front("__picket_model_"))
    return false;
  const Function *Plain = M.getFunction(Name);
  return Plain && Plain->isDeclaration();
}

static bool isUnused(GlobalValue &G) {
  G.removeDeadConstantUsers(); // addresses computed from it by what is gone already
  return G.use_empty();
}

void dropUnneededModels(Module &M) {
  bool Changed = true; // one removal may leave another value without uses
  while (Changed) {
    Changed = false;
    for (Function &F : make_early_inc_range(M)) {
      if (!(F.isDeclaration() || isOfModels(F)) || isAskedFor(M, F) || !isUnused(F))
        continue;
      F.eraseFromParent();
      Changed = true;
    }
    for (GlobalVariable &G : make_early_inc_range(M.globals())) {
      if (!isOfModels(G) || !isUnused(G))
        continue;
      G.eraseFromParent();
      Changed = true;
    }
  }
}

} // namespace picket
