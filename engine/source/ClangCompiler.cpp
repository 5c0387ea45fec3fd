#include "source/ClangCompiler.h"

#include "source/CheckerPipeline.h"
#include "source/ClangDiagnostics.h"
#include "source/CompileFlags.h"
#include "source/CrashGuard.h"
#include "source/ModelLinking.h"
#include "source/Models.h"
#include "source/SourceExpressions.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/Stack.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Options/OptionUtils.h"
#include "clang/Tooling/ArgumentsAdjusters.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <dlfcn.h>

using namespace llvm;

namespace picket {

namespace {

constexpr uint64_t MaxFileSize = 64u << 20;

/// A path in Clang's bin directory: the driver finds its own headers (stddef.h, stdatomic.h) relative to it. The
/// program itself need not be there.
const std::string &clangDriverPath() {
  static const std::string Found = [] {
    std::vector<std::string> Candidates;
    Dl_info Loaded;
    if (dladdr(reinterpret_cast<void *>(&clang::CompilerInvocation::CreateFromArgs), &Loaded) && Loaded.dli_fname) {
      SmallString<256> Library;
      if (!sys::fs::real_path(Loaded.dli_fname, Library)) {
        StringRef Directory = sys::path::parent_path(Library);
        Candidates.push_back((Directory + "/../llvm-" PICKET_LLVM_MAJOR "/bin/clang").str());
        Candidates.push_back((Directory + "/../bin/clang").str());
      }
    }
    Candidates.push_back(PICKET_LLVM_BIN "/clang");
    for (const std::string &Candidate : Candidates)
      if (sys::fs::exists(clang::GetResourcesPath(Candidate) + "/include/stddef.h"))
        return Candidate;
    return Candidates.back();
  }();
  return Found;
}

/// Code generation, with a look at the syntax tree before code generation is done with it.
class CompileAction : public clang::EmitLLVMOnlyAction {
public:
  CompileAction(LLVMContext &Context, SourceFacts &Facts) : EmitLLVMOnlyAction(&Context), Facts(Facts) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &Clang, StringRef Name) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> Consumers;
    Consumers.push_back(createSourceReader(Facts));
    Consumers.push_back(EmitLLVMOnlyAction::CreateASTConsumer(Clang, Name));
    if (!Consumers.back())
      return nullptr;
    return std::make_unique<clang::MultiplexConsumer>(std::move(Consumers));
  }

private:
  SourceFacts &Facts;
};

/// Remarks and warnings of the passes are about speed, or were given by the front end already.
void ignorePassDiagnostics(const DiagnosticInfo *, void *) {}

/// One compilation, from request to module.
class Compilation {
public:
  Compilation(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics)
      : Request(Request), Diagnostics(Diagnostics) {}

  /// Null if there were errors; they are among the diagnostics.
  std::unique_ptr<Module> run(LLVMContext &Context, SourceFacts &Facts);
  /// False if there were errors.
  bool run(clang::FrontendAction &Action);

private:
  bool readMainFile();
  std::unique_ptr<clang::tooling::CompilationDatabase> database();
  std::vector<std::string> command();
  std::shared_ptr<clang::CompilerInvocation> invocation(const std::vector<std::string> &Command);
  void addFile(StringRef Path, StringRef Text) {
    InMemory->addFile(Path, 0, MemoryBuffer::getMemBufferCopy(Text, Path));
  }
  bool fail(std::string Message) {
    Diagnostics.push_back({Severity::Error, {File, 0, 0, 0, 0}, std::move(Message), {}});
    return false;
  }
  void note(std::string Message) {
    Diagnostics.push_back({Severity::Note, {File, 0, 0, 0, 0}, std::move(Message), {}});
  }

  const CompileRequest &Request;
  std::vector<Diagnostic> &Diagnostics;
  std::string File; // absolute
  std::string Directory;
  std::string Optimization;
  IntrusiveRefCntPtr<vfs::InMemoryFileSystem> InMemory;
  IntrusiveRefCntPtr<vfs::OverlayFileSystem> Files;
};

/// Reads the file once, so that what was looked at here is what Clang sees (also from a pipe).
bool Compilation::readMainFile() {
  SmallString<256> Path(Request.File);
  sys::fs::make_absolute(Path);
  sys::path::remove_dots(Path);
  File = Path.str().str();
  if (Request.File.empty())
    return fail("no file name");

  for (const auto &[Name, Text] : Request.Unsaved)
    addFile(Name, Text);
  std::string Text;
  if (auto Unsaved = Request.Unsaved.find(File); Unsaved != Request.Unsaved.end()) {
    Text = Unsaved->second;
  } else {
    sys::fs::file_status Status;
    if (std::error_code E = sys::fs::status(File, Status))
      return fail("cannot read the file: " + E.message());
    if (Status.type() == sys::fs::file_type::directory_file)
      return fail("cannot read the file: it is a directory");
    if (Status.type() != sys::fs::file_type::regular_file && Status.type() != sys::fs::file_type::fifo_file)
      return fail("cannot read the file: it is not a regular file");
    if (Status.getSize() > MaxFileSize)
      return fail("the file is too large to be C source text");
    auto Buffer = MemoryBuffer::getFile(File, /*IsText=*/false, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
    if (!Buffer)
      return fail("cannot read the file: " + Buffer.getError().message());
    Text = (*Buffer)->getBuffer().str();
    addFile(File, Text);
  }
  if (Text.find('\0') != std::string::npos)
    return fail("this is not C source text: it contains zero bytes");
  return true;
}

/// The compilation database nearest to the file, in its directory or above.
std::unique_ptr<clang::tooling::CompilationDatabase> Compilation::database() {
  for (StringRef Folder = sys::path::parent_path(File); !Folder.empty(); Folder = sys::path::parent_path(Folder)) {
    SmallString<256> Listed(Folder), Fixed(Folder);
    sys::path::append(Listed, "compile_commands.json");
    sys::path::append(Fixed, "compile_flags.txt");
    if (auto Buffer = MemoryBuffer::getFile(Listed)) {
      // Clang's reader prints what it does not like about the text, so that is found out before.
      Expected<json::Value> Parsed = json::parse((*Buffer)->getBuffer());
      if (!Parsed) {
        note("'" + Listed.str().str() + "' is ignored: " + toString(Parsed.takeError()));
        return nullptr;
      }
    } else if (!sys::fs::exists(Fixed)) {
      continue;
    }
    std::string Problem;
    auto Found = clang::tooling::CompilationDatabase::loadFromDirectory(Folder, Problem);
    if (!Found)
      note("'" + Listed.str().str() + "' is ignored: " + StringRef(Problem).trim().str());
    return Found;
  }
  return nullptr;
}

std::vector<std::string> Compilation::command() {
  std::vector<std::string> Command;
  if (Request.UseCompileCommands) {
    if (auto Database = database()) {
      // Commands for files the database does not list are inferred from their neighbours'.
      std::vector<clang::tooling::CompileCommand> Known = Database->getCompileCommands(File);
      if (!Known.empty() && !Known[0].CommandLine.empty()) {
        auto Adjust = clang::tooling::combineAdjusters(clang::tooling::getClangStripOutputAdjuster(),
                                                       clang::tooling::getClangStripDependencyFileAdjuster());
        Command = Adjust(Known[0].CommandLine, File);
        Directory = Known[0].Directory;
      }
    }
  }
  if (Command.empty())
    Command = defaultCommand(File);
  std::vector<std::string> Flags = Request.Flags;
  if (!takeOptimization(Flags, Optimization))
    fail("-fpicket-optimize= is none of none, O1, O2");
  addCheckerFlags(Command, Flags);
  removeDriverModes(Command);
  if (std::string Foreign = removeForeignTarget(Command); !Foreign.empty())
    note("compiled for this machine instead of '" + Foreign + "'");
  Command[0] = clangDriverPath();
  return Command;
}

std::shared_ptr<clang::CompilerInvocation> Compilation::invocation(const std::vector<std::string> &Command) {
  // The driver has a consumer of its own: a flag only GCC knows is an error to it, but must not fail the compilation.
  std::vector<Diagnostic> Found;
  DiagnosticCollector Collector(Found, File);
  clang::DiagnosticOptions Options;
  Options.Warnings = {"no-unused-command-line-argument"};
  clang::CreateInvocationOptions How;
  How.Diags = clang::CompilerInstance::createDiagnostics(*Files, Options, &Collector, /*ShouldOwnClient=*/false);
  How.VFS = Files;
  How.RecoverOnError = true;
  std::vector<const char *> Arguments;
  for (const std::string &Argument : Command)
    Arguments.push_back(Argument.c_str());
  std::shared_ptr<clang::CompilerInvocation> Result = clang::createInvocation(Arguments, How);
  for (Diagnostic &D : Found) {
    if (Result && D.Level == Severity::Error) {
      D.Level = Severity::Warning;
      D.Message += " (ignored)";
      D.Notes.clear();
    }
    Diagnostics.push_back(std::move(D));
  }
  if (!Result) {
    fail("Clang does not understand the command this file is compiled with");
    return nullptr;
  }
  if (Result->getLangOpts().CPlusPlus || Result->getLangOpts().ObjC || Result->getFrontendOpts().Inputs.size() != 1 ||
      Result->getFrontendOpts().Inputs[0].getKind().getLanguage() != clang::Language::C) {
    fail("this is not C: Picket checks C programs");
    return nullptr;
  }

  clang::CodeGenOptions &CodeGen = Result->getCodeGenOpts();
  CodeGen.DisableO0ImplyOptNone = true;                       // else no pass touches the functions, and
  CodeGen.setInlining(clang::CodeGenOptions::NormalInlining); // else they are all noinline
  CodeGen.DisableLLVMPasses = true;
  CodeGen.SanitizeAddressUseAfterScope = true; // says where variables end; nothing is instrumented without ASan
  CodeGen.PassPlugins.clear();
  // A library gives back its memory, prints nothing, writes no files and loads no plugins.
  CodeGen.DisableFree = false;
  CodeGen.ClearASTBeforeBackend = true;
  CodeGen.TimePasses = false;
  clang::FrontendOptions &Frontend = Result->getFrontendOpts();
  Frontend.DisableFree = false;
  Frontend.ShowStats = false;
  Frontend.Plugins.clear();
  Frontend.AddPluginActions.clear();
  Frontend.LLVMArgs.clear();
  Result->getHeaderSearchOpts().Verbose = false;
  Result->getDependencyOutputOpts() = clang::DependencyOutputOptions();
  Result->getDiagnosticOpts().DiagnosticLogFile.clear();
  Result->getDiagnosticOpts().DiagnosticSerializationFile.clear();
  Result->getDiagnosticOpts().VerifyDiagnostics = false;
  Result->getDiagnosticOpts().ShowCarets = false; // else "2 errors generated." on stderr
  return Result;
}

std::unique_ptr<Module> Compilation::run(LLVMContext &Context, SourceFacts &Facts) {
  CompileAction Action(Context, Facts);
  std::unique_ptr<Module> M;
  if (run(Action) && !(M = Action.takeModule()))
    fail("Clang could not compile this file");
  if (M && !Optimization.empty()) {
    Context.setDiagnosticHandlerCallBack(ignorePassDiagnostics);
    optimize(*M, Optimization);
  }
  return M;
}

bool Compilation::run(clang::FrontendAction &Action) {
  InMemory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  // Its working directory is its own, not the process's: several compilations can run at once.
  IntrusiveRefCntPtr<vfs::FileSystem> Disk(vfs::createPhysicalFileSystem());
  Files = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(Disk);
  Files->pushOverlay(InMemory);
  if (!readMainFile())
    return false;
  std::vector<std::string> Command = command();
  if (!Directory.empty() && Files->setCurrentWorkingDirectory(Directory))
    note("the directory '" + Directory + "' named in compile_commands.json does not exist");
  std::shared_ptr<clang::CompilerInvocation> Invocation = invocation(Command);
  if (!Invocation || any_of(Diagnostics, [](const Diagnostic &D) { return D.Level == Severity::Error; }))
    return false;

  DiagnosticCollector Collector(Diagnostics, File);
  clang::CompilerInstance Clang(std::move(Invocation));
  Clang.setVirtualFileSystem(Files);
  Clang.createDiagnostics(&Collector, /*ShouldOwnClient=*/false);
  Clang.createFileManager();
  Clang.createSourceManager();
  if (Clang.ExecuteAction(Action))
    return true;
  bool Explained = any_of(Diagnostics, [](const Diagnostic &D) { return D.Level == Severity::Error; });
  return Explained ? false : fail("Clang could not compile this file");
}

bool compileModels(SmallVectorImpl<char> &Bitcode) {
  CompileRequest Request;
  Request.File = ModelsFile;
  Request.Unsaved[ModelsFile] = modelsText();
  Request.Flags = {"-gline-tables-only"};
  Request.UseCompileCommands = false;
  std::vector<Diagnostic> Diagnostics;
  LLVMContext Context;
  SourceFacts Unused; // no user looks at the models
  std::unique_ptr<Module> M = Compilation(Request, Diagnostics).run(Context, Unused);
  if (!M)
    return false;
  raw_svector_ostream Out(Bitcode);
  WriteBitcodeToFile(*M, Out);
  return true;
}

} // namespace

bool compileModule(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
                   function_ref<void(const Module &, SourceFacts &)> Use) {
  // On the heap, and left there after a crash: it may be half written.
  struct State {
    std::vector<Diagnostic> Diagnostics;
    SourceFacts Facts;
    bool HasModule = false;
  };
  auto S = std::make_unique<State>();
  std::string Reason;
  bool Finished = runGuarded(
      [&] {
        clang::noteBottomOfStack();
        LLVMContext Context;
        Context.setDiagnosticHandlerCallBack(ignorePassDiagnostics);
        std::unique_ptr<Module> M = Compilation(Request, S->Diagnostics).run(Context, S->Facts);
        if (!M)
          return;
        Context.setDiagnosticHandlerCallBack(ignorePassDiagnostics); // Clang had put its own in place
        if (!linkNeededModels(*M, compileModels)) {
          S->Diagnostics.push_back({Severity::Error,
                                    {Request.File, 0, 0, 0, 0},
                                    "the models of the C library could not be added to this program",
                                    {}});
          return;
        }
        runCheckerPipeline(*M);
        Use(*M, S->Facts);
        S->HasModule = true;
      },
      Reason);
  if (!Finished) {
    S.release();
    Diagnostics.push_back({Severity::Error, {Request.File, 0, 0, 0, 0}, Reason + " on this file", {}});
    return false;
  }
  Diagnostics.insert(Diagnostics.end(), std::make_move_iterator(S->Diagnostics.begin()),
                     std::make_move_iterator(S->Diagnostics.end()));
  return S->HasModule;
}

bool runFrontend(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
                 function_ref<std::unique_ptr<clang::FrontendAction>()> Make) {
  auto Found = std::make_unique<std::vector<Diagnostic>>();
  std::string Reason;
  bool Done = false;
  bool Finished = runGuarded(
      [&] {
        clang::noteBottomOfStack();
        std::unique_ptr<clang::FrontendAction> Action = Make();
        Done = Compilation(Request, *Found).run(*Action);
      },
      Reason);
  if (!Finished) {
    Found.release();
    Diagnostics.push_back({Severity::Error, {Request.File, 0, 0, 0, 0}, Reason + " on this file", {}});
    return false;
  }
  Diagnostics.insert(Diagnostics.end(), Found->begin(), Found->end());
  return Done;
}

} // namespace picket
