#include "CatFile.h"

#include "InputFile.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace picket {

namespace {

constexpr size_t MostBytes = 1 << 20;

bool isBelow(const fs::path &Folder, const fs::path &File) {
  const fs::path Relative = File.lexically_relative(Folder);
  return !Relative.empty() && *Relative.begin() != "..";
}

/// An included file must be a regular one, below the folder, whatever links there are.
std::optional<std::string> readIncluded(const fs::path &Folder, const std::string &Name, std::string &Why) {
  std::error_code Error;
  const fs::path Base = fs::canonical(Folder, Error);
  const fs::path Found = Error ? fs::path() : fs::canonical(Base / Name, Error);
  if (Error) {
    Why = "there is no such file beside the model, and none comes with Picket";
    return std::nullopt;
  }
  if (!isBelow(Base, Found)) {
    Why = "it is outside the folder of the model";
    return std::nullopt;
  }
  if (!fs::is_regular_file(Found, Error)) {
    Why = "it is no regular file";
    return std::nullopt;
  }
  return readInput(Found.string(), MostBytes, 1, Why);
}

} // namespace

std::optional<CatFile> CatFile::read(const std::string &File, double TimeoutSeconds, std::string &Problem) {
  std::optional<std::string> Text = readInput(File, MostBytes, TimeoutSeconds, Problem);
  if (!Text) {
    Problem = File + ": " + Problem;
    return std::nullopt;
  }
  return CatFile(File, std::move(*Text));
}

cat::Reading CatFile::compile(std::optional<cat::Architecture> Events) const {
  const fs::path Folder = fs::path(File).has_parent_path() ? fs::path(File).parent_path() : fs::path(".");
  return cat::readModel(Text, File, Events,
                        [&](const std::string &Name, std::string &Why) { return readIncluded(Folder, Name, Why); });
}

std::string CatFile::title() const { return fs::path(File).stem().string(); }

} // namespace picket
