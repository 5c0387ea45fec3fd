#include "FileSettings.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace picket {

static void apply(FileSettings &To, const SettingsLayer &Nearer) {
  CheckOptions &O = To.Options;
  O.Models = Nearer.Models.value_or(O.Models);
  O.Unroll = Nearer.Unroll.value_or(O.Unroll);
  O.TimeoutSeconds = Nearer.TimeoutSeconds.value_or(O.TimeoutSeconds);
  O.MaxMemoryBytes = Nearer.MemoryBytes.value_or(O.MaxMemoryBytes);
  O.Jobs = Nearer.Jobs.value_or(O.Jobs);
  O.Search = Nearer.Search.value_or(O.Search);
  To.Flags = Nearer.Flags.value_or(To.Flags);
}

static void tell(const std::string &File, const std::vector<SettingsProblem> &Problems) {
  for (const SettingsProblem &P : Problems) {
    llvm::errs() << File;
    if (P.Line)
      llvm::errs() << ':' << P.Line;
    llvm::errs() << ": warning: " << P.Message << '\n';
  }
}

FileSettings settingsOf(const std::string &File, const CheckOptions &Defaults, const std::vector<std::string> &Flags,
                        const SettingsLayer &Given) {
  FileSettings Result{Defaults, {}};
  llvm::SmallString<256> Absolute(File);
  llvm::sys::fs::make_absolute(Absolute);
  if (const std::string Toml = findToml(Absolute.str().str()); !Toml.empty()) {
    std::vector<SettingsProblem> Problems;
    if (auto Buffer = llvm::MemoryBuffer::getFile(Toml, /*IsText=*/true))
      apply(Result, layerOfToml((*Buffer)->getBuffer(), Problems));
    else
      Problems.push_back({0, "cannot read the file: " + Buffer.getError().message()});
    tell(Toml, Problems);
  }
  if (auto Buffer = llvm::MemoryBuffer::getFile(File, /*IsText=*/true)) {
    std::vector<SettingsProblem> Problems;
    apply(Result, layerOfComment((*Buffer)->getBuffer(), Problems));
    tell(File, Problems);
  }
  apply(Result, Given);
  Result.Flags.insert(Result.Flags.end(), Flags.begin(), Flags.end()); // those of the command line win
  return Result;
}

} // namespace picket
