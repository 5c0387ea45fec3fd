// Prevents Clang from doing anything but compiling text to a module. Flags are filtered before (FlagFilter.h); this is
// a second barrier, for outputs that a flag, a pragma or a later Clang requests nevertheless. Part of
// ClangCompiler.cpp.
#pragma once

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace picket {

/// Clears everything in an invocation that names a file to write, a plug-in, a cache, or a file to read that is neither
/// the text nor a header, and everything that prints.
void confine(clang::CompilerInvocation &Invocation);

/// The files that Clang sees: directories, regular files and /dev/null. A pipe or a device would keep it waiting, or
/// never end.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
onlyRegularFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Underlying);

/// A compiler that builds and loads no modules, whatever pragmas say, and whose outputs go nowhere.
class ConfinedCompiler : public clang::CompilerInstance {
public:
  explicit ConfinedCompiler(std::shared_ptr<clang::CompilerInvocation> Invocation);

  clang::ModuleLoadResult loadModule(clang::SourceLocation ImportLoc, clang::ModuleIdPath Path,
                                     clang::Module::NameVisibilityKind Visibility, bool IsInclusionDirective) override;
  void createModuleFromSource(clang::SourceLocation ImportLoc, llvm::StringRef ModuleName,
                              llvm::StringRef Source) override;
  clang::GlobalModuleIndex *loadGlobalModuleIndex(clang::SourceLocation TriggerLoc) override;
  bool lookupMissingImports(llvm::StringRef Name, clang::SourceLocation TriggerLoc) override;

private:
  void refuseModules(clang::SourceLocation Where);
};

} // namespace picket
