#include "FileSettings.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace picket {

static void tell(const std::string &File, const std::vector<SettingsProblem> &Problems) {
  for (const SettingsProblem &P : Problems) {
    llvm::errs() << File;
    if (P.Line)
      llvm::errs() << ':' << P.Line;
    llvm::errs() << ": warning: " << P.Message << '\n';
  }
}

/// Not of a pipe, which can be read only once, nor of a device, which may have no end.
static bool isOrdinary(const std::string &File) {
  llvm::sys::fs::file_status Status;
  return !llvm::sys::fs::status(File, Status) && Status.type() == llvm::sys::fs::file_type::regular_file;
}

FileSettings settingsOf(const std::string &File, const CheckOptions &Defaults, const std::vector<std::string> &Flags,
                        const SettingsLayer &Given) {
  SettingsLayer Said;
  llvm::SmallString<256> Absolute(File);
  llvm::sys::fs::make_absolute(Absolute);
  llvm::sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  if (const std::string Toml = findToml(Absolute.str().str()); !Toml.empty()) {
    std::vector<SettingsProblem> Problems;
    apply(Said, layerOfTomlFile(Toml, Absolute.str().str(), Problems));
    tell(Toml, Problems);
  }
  if (isOrdinary(File))
    if (auto Buffer = llvm::MemoryBuffer::getFile(File, /*IsText=*/true)) {
      std::vector<SettingsProblem> Problems;
      apply(Said, layerOfComment((*Buffer)->getBuffer(), Problems));
      tell(File, Problems);
    }
  apply(Said, Given);
  FileSettings Result{Defaults, flagsOf(Said), {}, {}};
  Result.Scope.FixIn = Said.FixIn.value_or(std::vector<std::string>());
  Result.Scope.NotIn = Said.NotIn.value_or(std::vector<std::string>());
  apply(Result.Options, Said);
  Result.Flags.insert(Result.Flags.end(), Flags.begin(), Flags.end()); // those of the command line win
  Result.Others = programFilesOf(File, Said.With.value_or(std::vector<std::string>()), {}, Flags);
  return Result;
}

} // namespace picket
