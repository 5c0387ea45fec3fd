#include "settings/ProgramFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>

namespace picket {

static std::filesystem::path wholePath(const std::filesystem::path &Path) {
  std::error_code Ignored;
  return std::filesystem::absolute(Path, Ignored).lexically_normal();
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
  const std::filesystem::path Own = wholePath(Checked);
  for (const std::string &Named : With) {
    const std::string File = wholePath(Own.parent_path() / Named).string(); // or what is named, if that is absolute
    if (File == Own || llvm::any_of(Files, [&](const ProgramFile &Known) { return Known.File == File; }))
      continue;
    ProgramFile &New = Files.emplace_back(ProgramFile{File, ownSettings(File, Unsaved).Flags.value_or(Flags)});
    New.Flags.insert(New.Flags.end(), Last.begin(), Last.end());
  }
  return Files;
}

} // namespace picket
