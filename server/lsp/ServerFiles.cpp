#include "lsp/ServerFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

namespace picket {

ServerFiles::ServerFiles() {
  std::error_code Failed;
  fs::path Base = fs::temp_directory_path(Failed);
  std::string Pattern = (Failed ? fs::path("/tmp") : Base) / "picket-lsp-XXXXXX";
  if (mkdtemp(Pattern.data()))
    Directory = Pattern;
}

ServerFiles::~ServerFiles() { remove(); }

std::string ServerFiles::writePage(const std::string &Name, const std::string &Html) const {
  const std::string Path = Directory + "/" + Name;
  std::error_code Failed;
  llvm::raw_fd_ostream Out(Path, Failed);
  if (Failed)
    return "";
  Out << Html;
  Out.close();
  Failed = Out.error();
  Out.clear_error();
  return Failed ? "" : Path;
}

void ServerFiles::keep(const std::string &File) {
  std::lock_guard<std::mutex> Lock(M);
  Kept.insert(File);
}

void ServerFiles::remove() {
  if (Directory.empty())
    return;
  std::lock_guard<std::mutex> Lock(M);
  std::error_code Failed;
  if (Kept.empty()) {
    fs::remove_all(Directory, Failed);
    return;
  }
  for (const fs::directory_entry &Entry : fs::directory_iterator(Directory, Failed))
    if (!Kept.count(Entry.path().string()))
      fs::remove(Entry.path(), Failed);
}

} // namespace picket
