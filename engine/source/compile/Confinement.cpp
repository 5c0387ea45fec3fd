#include "source/compile/Confinement.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileSystemOptions.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/VirtualOutputBackends.h"

using namespace llvm;

namespace picket {

static void confine(clang::CodeGenOptions &Options) {
  for (std::string *File : {&Options.CoverageDataFile,
                            &Options.CoverageNotesFile,
                            &Options.ProfileFilterFiles,
                            &Options.ProfileExcludeFiles,
                            &Options.DebugPass,
                            &Options.DwarfDebugFlags,
                            &Options.RecordCommandLine,
                            &Options.DIBugsReportFilePath,
                            &Options.SplitDwarfFile,
                            &Options.SplitDwarfOutput,
                            &Options.ObjectFilenameForDebug,
                            &Options.InstrProfileOutput,
                            &Options.SampleProfileFile,
                            &Options.MemoryProfileOutput,
                            &Options.MemoryProfileUsePath,
                            &Options.ProfileInstrumentUsePath,
                            &Options.ProfileRemappingFile,
                            &Options.ThinLTOIndexFile,
                            &Options.ThinLinkBitcodeFile,
                            &Options.SaveTempsFilePrefix,
                            &Options.CudaGpuBinaryFileName,
                            &Options.OptRecordFile,
                            &Options.OptRecordPasses,
                            &Options.OptRecordFormat,
                            &Options.StackUsageOutput,
                            &Options.AsSecureLogFile,
                            &Options.MSSecureHotPatchFunctionsFile})
    File->clear();
  Options.LinkBitcodeFiles.clear();
  Options.PassPlugins.clear();
  Options.PassBuilderCallbacks.clear();
  Options.OffloadObjects.clear();
  Options.CmdArgs.clear();
  Options.SanitizeCoverageAllowlistFiles.clear();
  Options.SanitizeCoverageIgnorelistFiles.clear();
  Options.SanitizeMetadataIgnorelistFiles.clear();
  Options.TimePasses = false;
  Options.TimePassesPerRun = false;
}

static void confine(clang::LangOptions &Options) {
  for (std::vector<std::string> *Files :
       {&Options.NoSanitizeFiles, &Options.XRayAlwaysInstrumentFiles, &Options.XRayNeverInstrumentFiles,
        &Options.XRayAttrListFiles, &Options.ProfileListFiles, &Options.ModuleFeatures})
    Files->clear();
  Options.OMPHostIRFile.clear();
  Options.RandstructSeed.clear();
  Options.ModuleName.clear();
  Options.CurrentModule.clear();
  Options.Sanitize.clear();
  Options.Modules = false;
  Options.ImplicitModules = false;
  Options.APINotes = false;
  Options.APINotesModules = false;
  Options.DumpRecordLayouts = false;
  Options.DumpRecordLayoutsSimple = false;
  Options.DumpRecordLayoutsCanonical = false;
  Options.DumpRecordLayoutsComplete = false;
  Options.DumpVTableLayouts = false;
}

static void confine(clang::HeaderSearchOptions &Options) {
  Options.ModuleCachePath.clear();
  Options.ModuleUserBuildPath.clear();
  Options.PrebuiltModuleFiles.clear();
  Options.PrebuiltModulePaths.clear();
  Options.VFSOverlayFiles.clear();
  Options.ImplicitModuleMaps = false;
  Options.DisableModuleHash = false;
  Options.Verbose = false;
}

static void confine(clang::PreprocessorOptions &Options) {
  Options.ImplicitPCHInclude.clear();
  Options.PCHThroughHeader.clear();
  Options.ChainedIncludes.clear();
  Options.RemappedFiles.clear();
  Options.DumpDeserializedPCHDecls = false;
}

static void confine(clang::DiagnosticOptions &Options) {
  Options.DiagnosticLogFile.clear();
  Options.DiagnosticSerializationFile.clear();
  Options.DiagnosticSuppressionMappingsFile.clear();
  Options.VerifyDiagnostics = false;
  Options.Remarks.clear();
  Options.ShowCarets = false; // else "2 errors generated." on stderr
}

void confine(clang::CompilerInvocation &Invocation) {
  clang::FrontendOptions Clean; // statistics, plug-ins, modules, outputs, arguments of LLVM's: the defaults have none
  const clang::FrontendOptions &Parsed = Invocation.getFrontendOpts();
  Clean.Inputs = Parsed.Inputs;
  Clean.DashX = Parsed.DashX;
  Clean.ProgramAction = clang::frontend::EmitLLVMOnly;
  Clean.DisableFree = false; // a library gives back its memory
  Invocation.getFrontendOpts() = std::move(Clean);
  Invocation.getDependencyOutputOpts() = clang::DependencyOutputOptions();
  Invocation.getPreprocessorOutputOpts() = clang::PreprocessorOutputOptions();
  Invocation.getAPINotesOpts() = clang::APINotesOptions();
  Invocation.getFileSystemOpts() = clang::FileSystemOptions();
  confine(Invocation.getCodeGenOpts());
  confine(Invocation.getLangOpts());
  confine(Invocation.getHeaderSearchOpts());
  confine(Invocation.getPreprocessorOpts());
  confine(Invocation.getDiagnosticOpts());
}

namespace {

class RegularFiles : public vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  ErrorOr<vfs::Status> status(const Twine &Path) override {
    ErrorOr<vfs::Status> Found = ProxyFileSystem::status(Path);
    if (Found && !mayBeRead(*Found, Path))
      return make_error_code(errc::no_such_file_or_directory);
    return Found;
  }

  ErrorOr<std::unique_ptr<vfs::File>> openFileForRead(const Twine &Path) override {
    if (ErrorOr<vfs::Status> Found = status(Path); !Found) // before it is opened: opening a pipe waits for a writer
      return Found.getError();
    return ProxyFileSystem::openFileForRead(Path);
  }

private:
  static bool mayBeRead(const vfs::Status &Found, const Twine &Path) {
    return Found.getType() == sys::fs::file_type::regular_file ||
           Found.getType() == sys::fs::file_type::directory_file || Path.str() == "/dev/null";
  }
};

} // namespace

IntrusiveRefCntPtr<vfs::FileSystem> onlyRegularFiles(IntrusiveRefCntPtr<vfs::FileSystem> Underlying) {
  return makeIntrusiveRefCnt<RegularFiles>(std::move(Underlying));
}

ConfinedCompiler::ConfinedCompiler(std::shared_ptr<clang::CompilerInvocation> Invocation)
    : CompilerInstance(std::move(Invocation)) {
  setOutputManager(vfs::makeNullOutputBackend());
}

void ConfinedCompiler::refuseModules(clang::SourceLocation Where) {
  clang::DiagnosticsEngine &Diagnostics = getDiagnostics();
  Diagnostics.Report(
      Where, Diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "Picket neither builds nor loads modules"));
}

clang::ModuleLoadResult ConfinedCompiler::loadModule(clang::SourceLocation ImportLoc, clang::ModuleIdPath,
                                                     clang::Module::NameVisibilityKind, bool) {
  refuseModules(ImportLoc);
  return clang::ModuleLoadResult::MissingExpected;
}

void ConfinedCompiler::createModuleFromSource(clang::SourceLocation ImportLoc, StringRef, StringRef) {
  refuseModules(ImportLoc);
}

clang::GlobalModuleIndex *ConfinedCompiler::loadGlobalModuleIndex(clang::SourceLocation) { return nullptr; }

bool ConfinedCompiler::lookupMissingImports(StringRef, clang::SourceLocation) { return false; }

} // namespace picket
