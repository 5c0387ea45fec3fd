#include "source/compile/ClangCompiler.h"

#include "source/compile/ArchitectureMacros.h"
#include "source/compile/ClangDiagnostics.h"
#include "source/compile/CompileFlags.h"
#include "source/compile/Confinement.h"
#include "source/compile/CrashGuard.h"
#include "source/compile/CrossHeaders.h"
#include "source/compile/FlagFilter.h"
#include "source/compile/NestingLimits.h"
#include "source/compile/ProgramHeader.h"
#include "source/compile/ProgramLinking.h"
#include "source/compile/ProjectCommand.h"
#include "source/compile/SourceChecks.h"
#include "source/compile/Stubs.h"
#include "source/models/ModelLinking.h"
#include "source/models/Models.h"
#include "source/naming/SourceExpressions.h"
#include "source/passes/CheckerPipeline.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Driver/Types.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Options/OptionUtils.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
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
  CompileAction(LLVMContext &Context, SourceFacts &Facts, const bool &AnyWidth)
      : EmitLLVMOnlyAction(&Context), Facts(Facts), AnyWidth(AnyWidth) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &Clang, StringRef Name) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> Consumers;
    limitNestingOfTokens(Clang.getPreprocessor());
    noteArchitectureMacros(Clang.getPreprocessor(), Facts);
    Consumers.push_back(createNestingCheck());
    if (!AnyWidth)
      Consumers.push_back(createWidthCheck());
    Consumers.push_back(createSourceReader(Facts));
    Consumers.push_back(createDivisionKeeper());
    Consumers.push_back(createInlineKeeper(Facts.InlineDefinitions));
    Consumers.push_back(EmitLLVMOnlyAction::CreateASTConsumer(Clang, Name));
    if (!Consumers.back())
      return nullptr;
    return std::make_unique<clang::MultiplexConsumer>(std::move(Consumers));
  }

private:
  SourceFacts &Facts;
  const bool &AnyWidth; // known when the action runs
};

/// Remarks and warnings of the passes are about speed, or were given by the front end already.
void ignorePassDiagnostics(const DiagnosticInfo *, void *) {}

/// One compilation, from request to module.
class Compilation {
public:
  Compilation(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics)
      : Request(Request), Diagnostics(Diagnostics), For(Request.For) {}

  /// Null if there were errors; they are among the diagnostics.
  std::unique_ptr<Module> run(LLVMContext &Context, SourceFacts &Facts);
  /// False if there were errors.
  bool run(clang::FrontendAction &Action);

private:
  bool readMainFile();
  bool isC(const FilteredFlags &Flags, const std::string &Program, bool &Preprocessed) const;
  void nameMachine(const std::string &Program, const FilteredFlags &Flags);
  bool chooseMachine(const FilteredFlags &Flags);
  std::vector<std::string> machineFlags(const std::vector<std::string> &Project);
  /// For Clang's driver. Empty if there are errors.
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
  Architecture For;           // what it is compiled for
  bool TargetNamed = false;   // by the command or the user's flags
  std::string Target;         // that they name, directly or not
  bool IsUnknown = false;     // that one
  bool AnyWidth = false;      // of the machine the text was preprocessed for
  bool OverflowWraps = false; // the project asks for it
  IntrusiveRefCntPtr<vfs::InMemoryFileSystem> InMemory;
  IntrusiveRefCntPtr<vfs::OverlayFileSystem> Files;
};

/// Reads the file once, so that Clang sees the text that was checked here (also from a pipe).
bool Compilation::readMainFile() {
  SmallString<256> Path(Request.File);
  sys::fs::make_absolute(Path);
  sys::path::remove_dots(Path);
  File = Path.str().str();
  if (Request.File.empty())
    return fail("no file name");

  addFile(std::string(ProgramHeaderFolder) + "/picket.h", StringRef(header::Text.data(), header::Text.size()));
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

/// Whether the file is C: the flag -x says so, or the file's name and the compiler's.
bool Compilation::isC(const FilteredFlags &Flags, const std::string &Program, bool &Preprocessed) const {
  namespace types = clang::driver::types;
  if (!Flags.Language.empty() && Flags.Language != "none") {
    Preprocessed = Flags.Language == "cpp-output";
    return Preprocessed || Flags.Language == "c" || Flags.Language == "c-header";
  }
  const StringRef Extension = sys::path::extension(File).drop_front(sys::path::extension(File).empty() ? 0 : 1);
  const types::ID Type = types::lookupTypeForExtension(Extension);
  Preprocessed = Type == types::TY_PP_C || Type == types::TY_PP_CHeader;
  return !isCxxProgram(Program) &&
         (Preprocessed || Type == types::TY_INVALID || Type == types::TY_C || Type == types::TY_CHeader);
}

/// A target that the command names is compiled for, if Picket knows it; otherwise what the request says.
void Compilation::nameMachine(const std::string &Program, const FilteredFlags &Flags) {
  Target = Flags.Target.empty() ? targetOfProgram(Program) : Flags.Target;
  const bool IsHost = Target.empty() || isForThisMachine(Target);
  // A distribution calls the compiler of its own machine by the target, too.
  TargetNamed = !Flags.Target.empty() || !IsHost;
  const std::optional<Architecture> Named = TargetNamed ? architectureOf(Target) : std::nullopt;
  IsUnknown = TargetNamed && !Named && !IsHost;
  if (TargetNamed)
    For = Named.value_or(HostArchitecture);
}

/// False if the machine is too different from those that Picket checks programs for.
bool Compilation::chooseMachine(const FilteredFlags &Flags) {
  AnyWidth = Flags.Width == "-m64";
  const bool Narrow = Flags.Width.empty() ? isNarrow(Target) : !AnyWidth;
  if (Narrow)
    return fail("this file is compiled for a 32-bit machine (" + shownWord(Flags.Width.empty() ? Target : Flags.Width) +
                "), and Picket checks programs for 64-bit machines; the flag -m64 checks it as one of those");
  if (IsUnknown)
    note("compiled for this machine instead of " + shownWord(Target));
  return true;
}

/// What tells Clang which machine it compiles for, where that is not the host.
std::vector<std::string> Compilation::machineFlags(const std::vector<std::string> &Project) {
  if (For == HostArchitecture)
    return {};
  std::vector<std::string> Flags = {std::string("--target=") + infoOf(For).Triple};
  auto HasOwnHeaders = [](StringRef Flag) {
    return Flag.starts_with("-nostdinc") || Flag == "-nostdlibinc" || Flag.starts_with("--sysroot") ||
           Flag == "-isysroot";
  };
  if (any_of(Project, HasOwnHeaders))
    return Flags;
  const CrossHeaders Headers = crossHeaders(For, Request.HeaderRoot);
  Flags.insert(Flags.end(), Headers.Flags.begin(), Headers.Flags.end());
  for (const auto &[Name, Text] : Headers.Files)
    addFile(Name, Text);
  return Flags;
}

/// The flag that leaves assertions out of the program; empty if there is none.
static std::string assertionsOff(const std::vector<std::string> &Flags) {
  std::string Found;
  for (size_t K = 0; K < Flags.size(); ++K) {
    StringRef Macro = Flags[K];
    const bool Defines = Macro.consume_front("-D"), Undefines = !Defines && Macro.consume_front("-U");
    if ((Defines || Undefines) && Macro.empty() && K + 1 < Flags.size())
      Macro = Flags[++K];
    if (Macro.split('=').first == "NDEBUG" && (Defines || Undefines))
      Found = Defines ? "-D" + Macro.str() : "";
  }
  return Found;
}

std::vector<std::string> Compilation::command() {
  ProjectCommand Found;
  if (Request.UseCompileCommands)
    Found = findProjectCommand(File);
  for (std::string &Note : Found.Notes)
    note(std::move(Note));
  Directory = Found.Directory;
  const std::string &Program = Found.Program;
  std::vector<std::string> Words = std::move(Found.Words);
  if (Program.empty()) {
    Words = defaultFlags();
    Words.insert(Words.end(), {"-x", "c"});
  }
  std::vector<std::string> Own = Request.Flags;
  if (!takeOptimization(Own, Optimization))
    fail("-fpicket-optimize= must be none, O1 or O2");
  ArmInstructions Arm;
  if (!takeArmMarch(Own, Arm))
    fail("-fpicket-arm-march= must be any, armv8-a, armv8.1-a or armv8.3-a");
  if (std::optional<ValueRange> OfProgram; !takeNondet(Own, OfProgram))
    fail("-fpicket-nondet= must be a range, such as 0..2");
  if (Stubs Asked; true)
    if (std::string Wrong = takeStubs(Own, Asked); !Wrong.empty())
      fail(std::move(Wrong));
  OverflowWraps = wrapsOverflow(Own, wrapsOverflow(Words));

  FilteredFlags Project = filterFlags(Words), User = filterFlags(Own);
  FilteredFlags All = Project; // the user has the last word
  for (std::string FilteredFlags::*Said : {&FilteredFlags::Language, &FilteredFlags::Target, &FilteredFlags::Width})
    if (!(User.*Said).empty())
      All.*Said = User.*Said;
  if (const std::string Flag = assertionsOff(User.Kept); !Flag.empty())
    note("assertions are not checked: " + Flag + " is among the flags");
  nameMachine(Program, All);
  if (TargetNamed && For != HostArchitecture) {
    Project = filterFlags(Words, For);
    User = filterFlags(Own, For);
    removeMissingRoots(Project.Kept);
  }
  All.Dropped = Project.Dropped;
  All.Dropped.insert(All.Dropped.end(), User.Dropped.begin(), User.Dropped.end());
  if (std::string Dropped = describeDropped(All.Dropped); !Dropped.empty())
    note(std::move(Dropped));
  bool Preprocessed = false;
  if (!isC(All, Program, Preprocessed))
    fail("this is not C: Picket checks C programs");
  if (!chooseMachine(All))
    return {};
  // Flags of the host mean nothing to other machines.
  if (IsUnknown || (!TargetNamed && For != HostArchitecture))
    removeMachineFlags(Project.Kept);
  if (!TargetNamed && For != HostArchitecture)
    removeMachineFlags(User.Kept);

  std::vector<std::string> Command = {clangDriverPath(), "--no-default-config", "-x",
                                      Preprocessed ? "cpp-output" : "c"};
  if (For == Architecture::Aarch64 && Arm.Updates == ArmUpdates::Single) // texts ask for __ARM_FEATURE_ATOMICS
    Command.push_back(Arm.HasLdapr ? "-march=armv8.3-a" : "-march=armv8.1-a");
  for (const std::vector<std::string> &Part :
       {Project.Kept, checkerFlags(), User.Kept, machineFlags(Project.Kept), lastFlags()})
    Command.insert(Command.end(), Part.begin(), Part.end());
  Command.insert(Command.end(), {"--", File});
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

  confine(*Result); // first: what the checker asks for below stays
  clang::CodeGenOptions &CodeGen = Result->getCodeGenOpts();
  CodeGen.DisableO0ImplyOptNone = true;                       // else no pass touches the functions, and
  CodeGen.setInlining(clang::CodeGenOptions::NormalInlining); // else they are all noinline
  CodeGen.DisableLLVMPasses = true;
  CodeGen.SanitizeAddressUseAfterScope = true; // says where variables end; nothing is instrumented without ASan
  if (Request.FindOverflows) {
    if (!OverflowWraps)
      Result->getLangOpts().setSignedOverflowBehavior(clang::LangOptions::SOB_Undefined);
    for (clang::SanitizerMask Kind : {clang::SanitizerKind::SignedIntegerOverflow, clang::SanitizerKind::ShiftBase,
                                      clang::SanitizerKind::ShiftExponent})
      if (!OverflowWraps || Kind == clang::SanitizerKind::ShiftExponent) {
        Result->getLangOpts().Sanitize.set(Kind, true);
        CodeGen.SanitizeTrap.set(Kind, true);
      }
  }
  CodeGen.DisableFree = false; // a library gives back its memory
  CodeGen.ClearASTBeforeBackend = true;
  return Result;
}

std::unique_ptr<Module> Compilation::run(LLVMContext &Context, SourceFacts &Facts) {
  std::unique_ptr<Module> M;
  CompileAction Action(Context, Facts, AnyWidth);
  if (run(Action) && !(M = Action.takeModule()))
    fail("Clang could not compile this file");
  Facts.For = For;
  Facts.TargetNamed = TargetNamed;
  if (M && (M->getDataLayout().isBigEndian() || M->getDataLayout().getPointerSizeInBits() != 64)) {
    fail("this file is compiled for a " + std::string(M->getDataLayout().isBigEndian() ? "big-endian" : "32-bit") +
         " machine ('" + M->getTargetTriple().str() +
         "'), and Picket checks programs for little-endian machines of 64 bits");
    return nullptr;
  }
  if (M && !Optimization.empty()) {
    Context.setDiagnosticHandlerCallBack(ignorePassDiagnostics);
    optimize(*M, Optimization);
  }
  return M;
}

bool Compilation::run(clang::FrontendAction &Action) {
  InMemory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  // Its working directory is its own, not the process's: several compilations can run at once.
  Files = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(onlyRegularFiles(vfs::createPhysicalFileSystem()));
  Files->pushOverlay(InMemory);
  if (!readMainFile())
    return false;
  std::vector<std::string> Command = command();
  if (Command.empty())
    return false;
  if (!Directory.empty() && Files->setCurrentWorkingDirectory(Directory))
    note("the directory '" + Directory + "' named in compile_commands.json does not exist");
  std::shared_ptr<clang::CompilerInvocation> Invocation = invocation(Command);
  if (!Invocation || any_of(Diagnostics, [](const Diagnostic &D) { return D.Level == Severity::Error; }))
    return false;

  DiagnosticCollector Collector(Diagnostics, File);
  ConfinedCompiler Clang(std::move(Invocation));
  Clang.setVirtualFileSystem(Files);
  Clang.createDiagnostics(&Collector, /*ShouldOwnClient=*/false);
  Clang.createFileManager();
  Clang.createSourceManager();
  if (Clang.ExecuteAction(Action))
    return true;
  bool Explained = any_of(Diagnostics, [](const Diagnostic &D) { return D.Level == Severity::Error; });
  return Explained ? false : fail("Clang could not compile this file");
}

bool compileModels(Architecture For, SmallVectorImpl<char> &Bitcode) {
  CompileRequest Request;
  Request.For = For;
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

/// Compiles the files of a program one after the other, so that the errors of all are told, and links them. `Reading`: the
/// file that is being compiled. Null if there are errors.
std::unique_ptr<Module> compileFiles(const CompileRequest &Request, LLVMContext &Context,
                                     std::vector<Diagnostic> &Diagnostics, SourceFacts &Facts, std::string &Reading) {
  std::vector<CompiledFile> Files;
  bool Complete = true;
  for (CompileRequest &One : requestsOfFiles(Request)) {
    Reading = One.File;
    const Architecture For = Files.empty() ? One.For : Files.front().Facts.For;
    One.For = For;
    CompiledFile &File = Files.emplace_back();
    File.File = One.File;
    std::vector<Diagnostic> Told;
    File.Code = Compilation(One, Told).run(Context, File.Facts);
    if (File.Code && File.Facts.For != Files.front().Facts.For)
      Told.push_back({Severity::Error,
                      {One.File, 0, 0, 0, 0},
                      "this file is compiled for " + std::string(nameOf(File.Facts.For)) + ", and the program for " +
                          nameOf(Files.front().Facts.For),
                      {}});
    Complete &= File.Code && none_of(Told, [](const Diagnostic &D) { return D.Level == Severity::Error; });
    std::move(Told.begin(), Told.end(), std::back_inserter(Diagnostics));
  }
  Reading = Request.File;
  if (!Complete || (Files.size() > 1 && !linkFiles(Files, Diagnostics)))
    return nullptr;
  Facts = std::move(Files.front().Facts);
  return std::move(Files.front().Code);
}

/// Links what C texts define of the functions that the module uses and does not define. False if one does not compile.
bool linkStubFiles(Module &M, const CompileRequest &Request, const std::vector<std::string> &TextFiles,
                   std::vector<Diagnostic> &Diagnostics, SourceFacts &Facts) {
  for (const std::string &Named : TextFiles) {
    SmallString<256> Path(Request.File);
    sys::fs::make_absolute(Path);
    sys::path::remove_filename(Path);
    sys::path::append(Path, Named);
    CompileRequest Other = Request;
    Other.File = sys::path::is_absolute(Named) ? Named : Path.str().str();
    Other.For = Facts.For;
    Stubs Unused;
    takeStubs(Other.Flags, Unused);
    SourceFacts OfOther; // the names in it are those of the debug information only
    std::unique_ptr<Module> Theirs = Compilation(Other, Diagnostics).run(M.getContext(), OfOther);
    if (!Theirs)
      return false;
    auto Fail = [&](const std::string &Why) {
      Diagnostics.push_back({Severity::Error, {Other.File, 0, 0, 0, 0}, Why, {}});
      return false;
    };
    if (OfOther.For != Facts.For)
      return Fail("the stubs are compiled for another machine than the program");
    const std::vector<std::string> Before = undefinedFunctions(M);
    if (Linker::linkModules(M, std::move(Theirs), Linker::LinkOnlyNeeded))
      return Fail("the stubs cannot be linked with the program");
    for (const std::string &Name : Before)
      if (const llvm::Function *F = M.getFunction(Name); F && !F->isDeclaration()) {
        Facts.Stubs.push_back(Name);
        Diagnostics.push_back({Severity::Note,
                               {Request.File, 0, 0, 0, 0},
                               "'" + Name + "' is the one of " + sys::path::filename(Named).str() + ", as asked for",
                               {}});
      }
  }
  return true;
}

/// What the models of the C library assume about the world, where somebody might rely on something else.
void noteAssumptions(const Module &M, const std::string &File, std::vector<Diagnostic> &Diagnostics) {
  struct {
    std::vector<StringRef> Functions;
    const char *Assumption;
  } const All[] = {
      {{"clock_gettime", "gettimeofday", "time", "timespec_get", "clock"},
       "time does not pass in this check: each of these reads has the same value"},
      {{"signal", "sigaction"}, "no signals arrive in this check: their handlers do not run"},
      {{"getenv", "secure_getenv"}, "the environment is empty in this check"},
  };
  const std::vector<std::string> Undefined = undefinedFunctions(M);
  for (const auto &[Functions, Assumption] : All)
    for (const std::string &Name : Undefined)
      if (is_contained(Functions, Name)) {
        Diagnostics.push_back(
            {Severity::Note, {File, 0, 0, 0, 0}, "'" + Name + "' is called: " + std::string(Assumption), {}});
        break;
      }
}

Diagnostic whyNotFinished(const GuardFailure &Why, const std::string &File) {
  if (Why.Where.Line != 0)
    return {Severity::Error, Why.Where, Why.Message, {}};
  return {Severity::Error, {File, 0, 0, 0, 0}, Why.Message + " on this file", {}};
}

} // namespace

bool compileModule(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
                   function_ref<void(const Module &, SourceFacts &)> Use) {
  // On the heap, and left there after a crash: it may be half written.
  struct State {
    std::vector<Diagnostic> Diagnostics;
    SourceFacts Facts;
    std::string Reading;
    bool HasModule = false;
  };
  auto S = std::make_unique<State>();
  GuardFailure Why;
  bool Finished = runGuarded(
      [&] {
        LLVMContext Context;
        Context.setDiagnosticHandlerCallBack(ignorePassDiagnostics);
        std::unique_ptr<Module> M = compileFiles(Request, Context, S->Diagnostics, S->Facts, S->Reading);
        if (!M)
          return;
        Context.setDiagnosticHandlerCallBack(ignorePassDiagnostics); // Clang had put its own in place
        Stubs Asked;
        std::vector<std::string> Flags = Request.Flags;
        takeStubs(Flags, Asked);
        if (!linkStubFiles(*M, Request, Asked.Files, S->Diagnostics, S->Facts))
          return;
        defineStubs(*M, Asked, Request.File, S->Facts.Stubs, S->Diagnostics);
        if (any_of(S->Diagnostics, [](const Diagnostic &D) { return D.Level == Severity::Error; }))
          return;
        noteAssumptions(*M, Request.File, S->Diagnostics);
        const Architecture For = S->Facts.For;
        if (!linkNeededModels(*M, [For](SmallVectorImpl<char> &Into) { return compileModels(For, Into); })) {
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
      Why);
  if (!Finished) {
    Diagnostics.push_back(whyNotFinished(Why, S->Reading));
    S.release();
    return false;
  }
  Diagnostics.insert(Diagnostics.end(), std::make_move_iterator(S->Diagnostics.begin()),
                     std::make_move_iterator(S->Diagnostics.end()));
  return S->HasModule;
}

bool runFrontend(const CompileRequest &Request, std::vector<Diagnostic> &Diagnostics,
                 function_ref<std::unique_ptr<clang::FrontendAction>()> Make) {
  auto Found = std::make_unique<std::vector<Diagnostic>>();
  GuardFailure Why;
  bool Done = false;
  bool Finished = runGuarded(
      [&] {
        std::unique_ptr<clang::FrontendAction> Action = Make();
        Done = Compilation(Request, *Found).run(*Action);
      },
      Why);
  if (!Finished) {
    Found.release();
    Diagnostics.push_back(whyNotFinished(Why, Request.File));
    return false;
  }
  Diagnostics.insert(Diagnostics.end(), Found->begin(), Found->end());
  return Done;
}

} // namespace picket
