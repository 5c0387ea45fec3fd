#include "base/OwnFiles.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace picket {

std::vector<std::string> componentsOf(std::string_view Path) {
  std::vector<std::string> Result;
  for (size_t Begin = 0; Begin < Path.size();) {
    const size_t End = std::min(Path.find('/', Begin), Path.size());
    const std::string_view Part = Path.substr(Begin, End - Begin);
    Begin = End + 1;
    if (Part == ".." && !Result.empty() && Result.back() != "..")
      Result.pop_back();
    else if (!Part.empty() && Part != ".")
      Result.emplace_back(Part);
  }
  return Result;
}

/// The longest folder of these with one of the names in it; 0 if there is none. "/" itself is nobody's project.
static size_t nearestWith(const std::vector<std::string> &Folder, std::initializer_list<const char *> Names) {
  for (size_t Length = Folder.size(); Length > 0; --Length) {
    std::filesystem::path Path = "/";
    for (size_t K = 0; K < Length; ++K)
      Path /= Folder[K];
    std::error_code Ignored;
    for (const char *Name : Names)
      if (std::filesystem::exists(Path / Name, Ignored))
        return Length;
  }
  return 0;
}

OwnFiles::OwnFiles(std::string_view Checked) : Folder(componentsOf(Checked)) {
  if (!Folder.empty())
    Folder.pop_back();
  Root = nearestWith(Folder, {".git"});
  if (Root == 0)
    Root = nearestWith(Folder, {"compile_commands.json", ".picket.toml"});
}

static bool isOfOthers(std::string_view Name) {
  static constexpr std::array<std::string_view, 7> Names = {"third_party", "third-party", "thirdparty", "3rdparty",
                                                            "vendor",      "vendored",    "external"};
  return std::find(Names.begin(), Names.end(), Name) != Names.end();
}

static bool isOfSystem(std::string_view Path) {
  for (std::string_view System : {"/usr/include/", "/usr/lib/", "/usr/local/include/"})
    if (Path.starts_with(System))
      return true;
  return Path.find("/lib/clang/") != std::string_view::npos || Path.ends_with(">"); // "<built-in>"
}

bool OwnFiles::isOwn(std::string_view File) const {
  if (isOfSystem(File))
    return false;
  const std::vector<std::string> Parts = componentsOf(File);
  if (Folder.empty() || Parts.empty())
    return true;
  const auto Common = static_cast<size_t>(
      std::mismatch(Folder.begin(), Folder.end(), Parts.begin(), Parts.end() - 1).first - Folder.begin());
  return Common >= Root &&
         std::none_of(Parts.begin() + static_cast<std::ptrdiff_t>(Common), Parts.end() - 1, isOfOthers);
}

} // namespace picket
