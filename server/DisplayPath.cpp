#include "DisplayPath.h"

#include <filesystem>

namespace picket {

namespace fs = std::filesystem;

std::string displayPath(const std::string &File, const std::string &NamedFile) {
  if (File.empty() || File == NamedFile)
    return NamedFile;
  std::error_code Failed;
  fs::path Absolute = fs::absolute(File, Failed).lexically_normal();
  fs::path Named = fs::absolute(NamedFile, Failed).lexically_normal();
  fs::path Here = fs::current_path(Failed);
  if (Failed)
    return File;
  if (Absolute == Named)
    return NamedFile;
  fs::path Relative = Absolute.lexically_relative(Here);
  return Relative.empty() || *Relative.begin() == ".." ? File : Relative.string();
}

} // namespace picket
