#include "source/compile/FlagFilter.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
namespace options = clang::options;

namespace picket {

// Names are those of the option that an alias stands for: `--define-macro` is `-D`.
static const StringSet<> &allowed() {
  static const StringSet<> Names = {
      // Macros and headers.
      "-D", "-U", "-undef", "-I", "-isystem", "-isystem-after", "-iquote", "-idirafter", "-include", "-imacros",
      "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot", "--sysroot=", "--embed-dir=", "-nostdinc",
      "-nostdlibinc", "-nobuiltininc", "--system-header-prefix=", "--no-system-header-prefix=",
      // The language.
      "-std=", "-ansi", "-pthread", "-no-pthread", "-traditional-cpp",
      // The machine.
      "-march=", "-mcpu=", "-mtune=", "-mms-bitfields", "-mno-ms-bitfields", "-mlong-double-64", "-mlong-double-80",
      "-mlong-double-128", "-mfpmath=", "-mcmodel=", "-mred-zone", "-mno-red-zone", "-mgeneral-regs-only",
      // Warnings. Those of the group -W are allowed as a whole.
      "-w"};
  return Names;
}

// -fNAME and -fno-NAME.
static const StringSet<> &allowedFeatures() {
  static const StringSet<> Names = {
      // What the language has.
      "asm", "asm-blocks", "blocks", "borland-extensions", "builtin", "builtin-", "declspec", "digraphs",
      "dollars-in-identifiers", "exceptions", "extended-identifiers", "fixed-point", "freestanding", "gnu-inline-asm",
      "gnu-keywords", "gnu89-inline", "gnuc-version=", "hosted",
      "input-charset=", "exec-charset=", "lax-vector-conversions",
      "lax-vector-conversions=", "macro-prefix-map=", "ms-anonymous-structs", "ms-compatibility",
      "ms-compatibility-version=", "ms-extensions", "ms-volatile", "openmp", "openmp=", "openmp-simd",
      "openmp-version=", "pascal-strings", "plan9-extensions", "raw-string-literals", "trigraphs",
      // Types and their layout.
      "common", "max-type-align=", "pack-struct", "pack-struct=", "short-enums", "short-wchar", "signed-bitfields",
      "signed-char", "signed-wchar", "unsigned-char", "unsigned-bitfields", "strict-enums",
      "strict-flex-arrays=", "native-half-type", "native-half-arguments-and-returns",
      // Arithmetic.
      "approx-func", "associative-math", "complex-arithmetic=", "cx-fortran-rules", "cx-limited-range",
      "denormal-fp-math=", "excess-precision=", "fast-math", "finite-math-only",
      "fp-contract=", "fp-eval-method=", "fp-exception-behavior=", "fp-model=", "honor-infinities", "honor-nans",
      "math-errno", "protect-parens", "reciprocal-math", "rounding-math", "signed-zeros", "single-precision-constant",
      "trapping-math", "trapv", "unsafe-math-optimizations",
      // What macros tell about the code that is made.
      "PIC", "PIE", "pic", "pie", "semantic-interposition", "visibility=", "tls-model=", "emulated-tls",
      "stack-protector", "stack-protector-all", "stack-protector-strong", "strict-aliasing", "strict-return"};
  return Names;
}

// Every build has them, and no check depends on them: debug information, optimisation, linking, the looks of messages.
static const StringSet<> &dropQuietly() {
  static const StringSet<> Names = {"-o",
                                    "-c",
                                    "-S",
                                    "-E",
                                    "-C",
                                    "-CC",
                                    "-P",
                                    "-H",
                                    "-v",
                                    "-V",
                                    "-B",
                                    "-pipe",
                                    "-p",
                                    "-pg",
                                    "-time",
                                    "--param",
                                    "-Wa,",
                                    "-Wl,",
                                    "-Xlinker",
                                    "-Xassembler",
                                    "-coverage",
                                    "-Qunused-arguments",
                                    "-Qn",
                                    "-Qy",
                                    "-###",
                                    "-help",
                                    "--version",
                                    "-no-integrated-cpp",
                                    "-integrated-as",
                                    "-nodefaultlibs",
                                    "-nostdlib",
                                    "-nolibc",
                                    "-nostartfiles",
                                    "-rtlib=",
                                    "-unwindlib=",
                                    "-stdlib=",
                                    "-shared-libgcc",
                                    "-static-libgcc",
                                    "-canonical-prefixes",
                                    "-no-canonical-prefixes",
                                    "--start-no-unused-arguments",
                                    "--end-no-unused-arguments",
                                    "-m64",
                                    "--gcc-toolchain=",
                                    "--driver-mode=",
                                    "--no-default-config",
                                    "-save-temps=",
                                    "-mindirect-branch-cs-prefix",
                                    "-mfunction-return=",
                                    "-mharden-sls=",
                                    "-mstack-alignment=",
                                    "-mskip-rax-setup",
                                    "-mretpoline",
                                    "-mretpoline-external-thunk",
                                    "-mfentry",
                                    "-mrecord-mcount",
                                    "-mnop-mcount",
                                    "-mno-fp-ret-in-387",
                                    "-mstackrealign",
                                    "-momit-leaf-frame-pointer",
                                    "-mno-omit-leaf-frame-pointer",
                                    "-mtls-dialect=",
                                    "-maccumulate",
                                    "-mstack-protector-guard=",
                                    "-mstack-protector-guard-reg=",
                                    "-mstack-protector-guard-symbol=",
                                    "-mstack-protector-guard-offset=",
                                    "-mprefer-vector-width=",
                                    "-moutline-atomics",
                                    "-mno-outline-atomics"};
  return Names;
}

static const StringSet<> &dropFeaturesQuietly() {
  static const StringSet<> Names = {"wrapv",
                                    "wrapv-pointer",
                                    "strict-overflow",
                                    "delete-null-pointer-checks", // the checker decides
                                    "color-diagnostics",
                                    "ansi-escape-codes",
                                    "caret-diagnostics",
                                    "error-limit=",
                                    "message-length=",
                                    "spell-checking",
                                    "spell-checking-limit=",
                                    "show-column",
                                    "show-source-location",
                                    "diagnostics-color=",
                                    "diagnostics-format=",
                                    "diagnostics-fixit-info",
                                    "diagnostics-show-note-include-stack",
                                    "diagnostics-show-option",
                                    "diagnostics-absolute-paths",
                                    "diagnostics-hotness-threshold=",
                                    "diagnostics-show-template-tree",
                                    "diagnostics-show-category=",
                                    "elide-type",
                                    "lto",
                                    "lto=",
                                    "fat-lto-objects",
                                    "function-sections",
                                    "data-sections",
                                    "unique-section-names",
                                    "basic-block-sections=",
                                    "unroll-loops",
                                    "vectorize",
                                    "slp-vectorize",
                                    "inline",
                                    "inline-functions",
                                    "inline-hint-functions",
                                    "optimize-sibling-calls",
                                    "omit-frame-pointer",
                                    "profile-arcs",
                                    "test-coverage",
                                    "stack-clash-protection",
                                    "cf-protection",
                                    "cf-protection=",
                                    "merge-all-constants",
                                    "plt",
                                    "ident",
                                    "verbose-asm",
                                    "use-ld=",
                                    "integrated-as",
                                    "unwind-tables",
                                    "asynchronous-unwind-tables",
                                    "debug-prefix-map=",
                                    "file-prefix-map=",
                                    "debug-types-section",
                                    "debug-macro",
                                    "standalone-debug",
                                    "record-command-line",
                                    "stack-usage",
                                    "jump-tables",
                                    "align-functions",
                                    "align-functions=",
                                    "align-loops=",
                                    "reorder-functions",
                                    "zero-call-used-regs=",
                                    "patchable-function-entry=",
                                    "sanitize=",
                                    "sanitize-recover=",
                                    "sanitize-trap=",
                                    "zero-initialized-in-bss",
                                    "keep-static-consts",
                                    "split-machine-functions",
                                    "finite-loops",
                                    "force-enable-int128",
                                    "trivial-auto-var-init=",
                                    "rtti",
                                    "threadsafe-statics",
                                    "cxx-exceptions",
                                    "sized-deallocation",
                                    "addrsig",
                                    "discard-value-names",
                                    "syntax-only"};
  return Names;
}

/// The name without -f or -fno-; empty if it is no such flag.
static StringRef featureOf(StringRef Name) {
  if (!Name.consume_front("-fno-") && !Name.consume_front("-f"))
    return "";
  return Name;
}

static bool isMachineGroup(const opt::Option &Which, Architecture For) {
  switch (For) {
  case Architecture::X86_64: return Which.matches(options::OPT_m_x86_Features_Group);
  case Architecture::Aarch64: return Which.matches(options::OPT_m_aarch64_Features_Group);
  case Architecture::Powerpc64le: return Which.matches(options::OPT_m_ppc_Features_Group);
  case Architecture::Other: return false;
  }
  return false;
}

static bool isAllowed(const opt::Option &Which, Architecture For) {
  const StringRef Name = Which.getPrefixedName(), Feature = featureOf(Name);
  return allowed().contains(Name) || (!Feature.empty() && allowedFeatures().contains(Feature)) ||
         Which.matches(options::OPT_W_Group) || Which.matches(options::OPT_pedantic_Group) ||
         isMachineGroup(Which, For);
}

static bool isDroppedQuietly(const opt::Option &Which) {
  const StringRef Name = Which.getPrefixedName(), Feature = featureOf(Name);
  if (dropQuietly().contains(Name) || (!Feature.empty() && dropFeaturesQuietly().contains(Feature)))
    return true;
  for (unsigned Group : {options::OPT_O_Group, options::OPT_M_Group, options::OPT_g_Group, options::OPT_DebugInfo_Group,
                         options::OPT_Link_Group, options::OPT_clang_ignored_f_Group,
                         options::OPT_clang_ignored_m_Group, options::OPT_clang_ignored_gcc_optimization_f_Group})
    if (Which.matches(Group))
      return true;
  return false;
}

namespace {

class Filter {
public:
  Filter(const std::vector<std::string> &Words, Architecture For) : For(For) {
    for (const std::string &Word : Words)
      Pointers.push_back(Word.c_str());
    unsigned MissingIndex = 0, MissingCount = 0;
    Parsed = clang::getDriverOptTable().ParseArgs(Pointers, MissingIndex, MissingCount,
                                                  opt::Visibility(options::ClangOption));
    if (MissingCount)
      Result.Dropped.push_back(Words[MissingIndex]);
  }

  FilteredFlags run() {
    for (const opt::Arg *A : Parsed)
      take(*A);
    return std::move(Result);
  }

private:
  void take(const opt::Arg &A) {
    const opt::Option &Which = A.getOption();
    if (Which.matches(options::OPT_INPUT)) {
      if (StringRef(A.getValue()).starts_with("@")) // a response file is not read
        drop(A);
      return;
    }
    if (Which.matches(options::OPT__DASH_DASH))
      return;
    if (Which.matches(options::OPT_UNKNOWN))
      return drop(A);
    // A driver that looks for "--" finds it among values too.
    if (any_of(A.getValues(), [](StringRef Value) { return Value == "--"; }))
      return drop(A);
    if (Which.matches(options::OPT_x))
      Result.Language = A.getValue();
    else if (Which.matches(options::OPT_target) || Which.matches(options::OPT_arch))
      Result.Target = A.getValue();
    else if (Which.matches(options::OPT_m16) || Which.matches(options::OPT_m32) || Which.matches(options::OPT_mx32) ||
             Which.matches(options::OPT_m64))
      Result.Width = Which.getPrefixedName().str();
    else if (Which.matches(options::OPT_Wp_COMMA) || Which.matches(options::OPT_Xpreprocessor))
      takeForPreprocessor(A);
    else if (isAllowed(Which, For))
      keep(A);
    else if (!isDroppedQuietly(Which))
      drop(A);
  }

  /// -Wp,-DX=1: macros only.
  void takeForPreprocessor(const opt::Arg &A) {
    for (StringRef Value : A.getValues())
      if ((Value.starts_with("-D") || Value.starts_with("-U")) && Value.size() > 2)
        Result.Kept.insert(Result.Kept.end(), {Value.take_front(2).str(), Value.drop_front(2).str()});
  }

  void keep(const opt::Arg &A) {
    opt::ArgStringList Words;
    A.render(Parsed, Words);
    Result.Kept.insert(Result.Kept.end(), Words.begin(), Words.end());
  }
  void drop(const opt::Arg &A) { Result.Dropped.push_back(A.getAsString(Parsed)); }

  const Architecture For;
  std::vector<const char *> Pointers;
  opt::InputArgList Parsed;
  FilteredFlags Result;
};

} // namespace

FilteredFlags filterFlags(const std::vector<std::string> &Words, Architecture For) { return Filter(Words, For).run(); }

/// Leaves out system roots, and flags of one word, for which `Out` holds. A value that looks like a flag is none.
template <typename Predicate> static void removeFlags(std::vector<std::string> &Kept, Predicate Out) {
  std::vector<std::string> Rest;
  for (size_t I = 0; I < Kept.size(); ++I) {
    const StringRef Flag = Kept[I];
    const bool HasValue = Flag == "-D" || Flag == "-U" || Flag == "-I" || Flag.starts_with("-i");
    if (Flag == "-isysroot" && I + 1 < Kept.size() && Out("--sysroot=" + Kept[I + 1])) {
      ++I;
    } else if (HasValue) {
      Rest.push_back(Kept[I]);
      if (I + 1 < Kept.size())
        Rest.push_back(Kept[++I]);
    } else if (!Out(Kept[I])) {
      Rest.push_back(Kept[I]);
    }
  }
  Kept = std::move(Rest);
}

void removeMachineFlags(std::vector<std::string> &Kept) {
  removeFlags(Kept, [](StringRef Flag) { return Flag.starts_with("-m") || Flag.starts_with("--sysroot="); });
}

void removeMissingRoots(std::vector<std::string> &Kept) {
  removeFlags(Kept, [](StringRef Flag) { return Flag.consume_front("--sysroot=") && !sys::fs::is_directory(Flag); });
}

std::string shownWord(const std::string &Word) {
  constexpr size_t MaxLength = 80;
  std::string Shown;
  for (char C : StringRef(Word).take_front(MaxLength))
    Shown += isPrint(C) ? C : '?';
  return "'" + Shown + (Word.size() > MaxLength ? "...'" : "'");
}

std::string describeDropped(const std::vector<std::string> &Dropped) {
  constexpr size_t MaxFlags = 8;
  if (Dropped.empty())
    return "";
  std::string Text =
      Dropped.size() == 1 ? "this flag is not passed on to Clang:" : "these flags are not passed on to Clang:";
  for (size_t I = 0; I < Dropped.size() && I < MaxFlags; ++I) {
    Text += (I ? ", " : " ") + shownWord(Dropped[I]);
  }
  if (Dropped.size() > MaxFlags)
    Text += " and " + std::to_string(Dropped.size() - MaxFlags) + " more";
  return Text;
}

} // namespace picket
