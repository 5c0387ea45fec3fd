#include "settings/ProgramFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace picket {

static std::string wholePath(llvm::SmallString<256> Path) {
  llvm::sys::fs::make_absolute(Path);
  llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

/// What the file's own settings say; what is wrong in them is told when the file itself is checked.
static SettingsLayer ownSettings(const std::string &File, const std::map<std::string, std::string> &Unsaved) {
  SettingsLayer Said;
  std::vector<SettingsProblem> Ignored;
  if (const std::string Toml = findToml(File); !Toml.empty())
    apply(Said, layerOfTomlFile(Toml, File, Ignored));
  if (auto Open = Unsaved.find(File); Open != Unsaved.end())
    apply(Said, layerOfComment(Open->second, Ignored));
  else if (llvm::sys::fs::is_regular_file(File)) // reading a pipe would wait
    if (auto Buffer = llvm::MemoryBuffer::getFile(File, /*IsText=*/true))
      apply(Said, layerOfComment((*Buffer)->getBuffer(), Ignored));
  return Said;
}

std::vector<std::string> filesNamedBy(const std::string &File, llvm::StringRef Text) {
  SettingsLayer Said;
  std::vector<SettingsProblem> Ignored;
  if (const std::string Toml = findToml(File); !Toml.empty())
    apply(Said, layerOfTomlFile(Toml, File, Ignored));
  apply(Said, layerOfComment(Text, Ignored));
  return Said.With.value_or(std::vector<std::string>());
}

std::vector<ProgramFile> programFilesOf(const std::string &Checked, const std::vector<std::string> &With,
                                        const std::vector<std::string> &Flags, const std::vector<std::string> &Last,
                                        const std::map<std::string, std::string> &Unsaved) {
  std::vector<ProgramFile> Files;
  const std::string Own = wholePath(llvm::SmallString<256>(Checked));
  for (const std::string &Named : With) {
    llvm::SmallString<256> Path(Named);
    if (!llvm::sys::path::is_absolute(Named)) {
      Path = llvm::sys::path::parent_path(Own);
      llvm::sys::path::append(Path, Named);
    }
    const std::string File = wholePath(Path);
    if (File == Own || llvm::any_of(Files, [&](const ProgramFile &Known) { return Known.File == File; }))
      continue;
    ProgramFile &New = Files.emplace_back(ProgramFile{File, ownSettings(File, Unsaved).Flags.value_or(Flags)});
    New.Flags.insert(New.Flags.end(), Last.begin(), Last.end());
  }
  return Files;
}

} // namespace picket
