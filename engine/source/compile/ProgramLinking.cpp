#include "source/compile/ProgramLinking.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace picket {

namespace {

SourceLocation locationIn(const DIFile *File, uint32_t Line) {
  SmallString<256> Path(File->getFilename());
  if (!sys::path::is_absolute(Path) && !File->getDirectory().empty()) {
    Path = File->getDirectory();
    sys::path::append(Path, File->getFilename());
  }
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return {Path.str().str(), Line, 0, 0, 0};
}

/// Where something is defined: its line, or at least its file.
SourceLocation definitionOf(const GlobalValue &G, const std::string &File) {
  const GlobalObject *Object = G.getAliaseeObject();
  if (auto *F = dyn_cast_or_null<Function>(Object))
    if (const DISubprogram *S = F->getSubprogram())
      return locationIn(S->getFile(), S->getLine());
  SmallVector<DIGlobalVariableExpression *, 1> Found;
  if (auto *Variable = dyn_cast_or_null<GlobalVariable>(Object))
    Variable->getDebugInfo(Found);
  if (!Found.empty())
    return locationIn(Found[0]->getVariable()->getFile(), Found[0]->getVariable()->getLine());
  return {File, 0, 0, 0, 0};
}

/// A definition that no other file may have as well.
bool isStrongDefinition(const GlobalValue &G) {
  return !G.isDeclarationForLinker() && !G.hasLocalLinkage() && !G.isWeakForLinker() && !G.hasAppendingLinkage();
}

/// False: something is defined twice.
bool findDuplicates(const std::vector<CompiledFile> &Files, std::vector<Diagnostic> &Diagnostics) {
  StringMap<SourceLocation> Known;
  bool Alone = true;
  for (const CompiledFile &F : Files)
    for (const GlobalValue &G : F.Code->global_values()) {
      if (!isStrongDefinition(G))
        continue;
      const SourceLocation Here = definitionOf(G, F.File);
      auto [First, IsNew] = Known.try_emplace(G.getName(), Here);
      if (IsNew)
        continue;
      Alone = false;
      Diagnostic &Error = Diagnostics.emplace_back();
      Error.Where = Here;
      Error.Message = "multiple definition of '" + G.getName().str() + "'";
      Error.Notes.push_back({Severity::Note, First->second, "first defined here", {}});
    }
  return Alone;
}

/// Whether a declaration fits the definition in another file, as far as the machine can tell: what `int f();` takes is
/// not known, nor is how long `extern int x[];` is.
bool fits(const GlobalObject &Declared, const GlobalObject &Defined) {
  const auto *F = dyn_cast<Function>(&Declared), *G = dyn_cast<Function>(&Defined);
  if (F && G)
    return F->getFunctionType() == G->getFunctionType() || (F->isVarArg() && F->arg_empty());
  if (F || G)
    return false;
  const DataLayout &Layout = Defined.getDataLayout();
  const uint64_t Known = Layout.getTypeAllocSize(Declared.getValueType()).getFixedValue();
  return Known == 0 || Known == Layout.getTypeAllocSize(Defined.getValueType()).getFixedValue();
}

/// No linker refuses these, and no compiler sees them.
void warnOfMismatches(const std::vector<CompiledFile> &Files, std::vector<Diagnostic> &Diagnostics) {
  StringMap<std::pair<const GlobalObject *, const CompiledFile *>> Defined;
  for (const CompiledFile &F : Files)
    for (const GlobalObject &G : F.Code->global_objects())
      if (!G.isDeclaration() && !G.hasLocalLinkage())
        Defined.try_emplace(G.getName(), &G, &F);
  for (const CompiledFile &F : Files)
    for (const GlobalObject &G : F.Code->global_objects()) {
      const auto Definition = Defined.find(G.getName());
      const auto Place = F.Facts.Externals.find(G.getName().str());
      if (!G.isDeclaration() || Definition == Defined.end() || Place == F.Facts.Externals.end() ||
          (isa<GlobalVariable>(G) && !G.getValueType()->isSized()) || fits(G, *Definition->second.first))
        continue;
      const SourceFacts::TextPlace &Declared = Place->second.Declared;
      Diagnostic &Warning = Diagnostics.emplace_back();
      Warning.Level = Severity::Warning;
      Warning.Where = {Declared.File, Declared.Line, Declared.Column, 0, 0};
      Warning.Message = "'" + G.getName().str() + "' is declared with another type than it is defined with";
      Warning.Notes.push_back({Severity::Note,
                               definitionOf(*Definition->second.first, Definition->second.second->File),
                               "it is defined here",
                               {}});
    }
}

/// Every file that has C99's inline functions calls its own. One whose address is taken is the same function in all
/// files.
void shareInlineFunctions(Module &M, const std::set<std::string> &Names) {
  for (const std::string &Name : Names)
    if (Function *F = M.getFunction(Name); F && !F->isDeclaration() && F->hasExternalLinkage())
      F->setLinkage(F->hasAddressTaken() ? GlobalValue::LinkOnceODRLinkage : GlobalValue::InternalLinkage);
}

/// Keeps what the linker complains about.
void keepComplaint(const DiagnosticInfo *Info, void *Into) {
  if (Info->getSeverity() != DS_Error)
    return;
  raw_string_ostream Out(*static_cast<std::string *>(Into));
  DiagnosticPrinterRawOStream Printer(Out);
  Info->print(Printer);
}

} // namespace

bool linkFiles(std::vector<CompiledFile> &Files, std::vector<Diagnostic> &Diagnostics) {
  for (CompiledFile &F : Files)
    shareInlineFunctions(*F.Code, F.Facts.InlineDefinitions);
  if (!findDuplicates(Files, Diagnostics))
    return false;
  warnOfMismatches(Files, Diagnostics);
  Module &Whole = *Files.front().Code;
  std::string Complaint;
  Whole.getContext().setDiagnosticHandlerCallBack(keepComplaint, &Complaint);
  Linker Link(Whole);
  bool Linked = true;
  for (size_t K = 1; K < Files.size(); ++K) {
    CompiledFile &F = Files[K];
    // What files must agree about is the machine, which has been compared.
    if (NamedMDNode *Flags = F.Code->getModuleFlagsMetadata())
      Flags->eraseFromParent();
    if (Link.linkInModule(std::move(F.Code))) {
      Linked = false;
      Diagnostics.push_back(
          {Severity::Error,
           {F.File, 0, 0, 0, 0},
           "this file cannot be linked with the program" + (Complaint.empty() ? "" : ": " + Complaint),
           {}});
      break;
    }
    merge(Files.front().Facts, std::move(F.Facts));
  }
  Whole.getContext().setDiagnosticHandlerCallBack(nullptr);
  return Linked && Complaint.empty();
}

void reportMissing(const std::vector<std::string> &Missing, const SourceFacts &Facts,
                   std::vector<Diagnostic> &Diagnostics) {
  for (const std::string &Name : Missing) {
    auto Known = Facts.Externals.find(Name);
    if (Known == Facts.Externals.end()) // of a library: refused where it is reached
      continue;
    const auto &[Declared, Used] = Known->second;
    Diagnostic &Error = Diagnostics.emplace_back();
    Error.Where = {Used.File, Used.Line, Used.Column, 0, 0};
    Error.Message = "undefined reference to '" + Name + "': no file of the program defines it";
    Error.Notes.push_back(
        {Severity::Note, {Declared.File, Declared.Line, Declared.Column, 0, 0}, "it is declared here", {}});
  }
}

} // namespace picket
