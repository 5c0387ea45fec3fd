#include "suite/ResultCache.h"

#include "FileWriting.h"
#include "ProgramDigest.h"
#include "base/ChildProcess.h"
#include "base/UntrustedJson.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using llvm::StringRef;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

namespace fs = std::filesystem;

namespace {

constexpr const char *Suffix = ".result";

/// Two builds of one version may give different answers.
std::string ownIdentity() {
  Digest D;
  D.text(PICKET_VERSION).text(PICKET_LLVM_VERSION);
  if (auto Self = llvm::MemoryBuffer::getFile("/proc/self/exe", /*IsText=*/false, /*RequiresNullTerminator=*/false)) {
    const llvm::XXH128_hash_t Hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef((*Self)->getBuffer()));
    D.number(Hash.low64).number(Hash.high64);
  }
  return D.result();
}

std::string checksumOf(StringRef Text) {
  Digest D;
  D.text(Text);
  return D.result();
}

/// Of a regular file that is no symbolic link, and not too large.
std::optional<std::string> read(const std::string &Path, uint64_t Most) {
  const Descriptor File(open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat Status;
  if (!File.isOpen() || fstat(File.get(), &Status) != 0 || !S_ISREG(Status.st_mode) ||
      static_cast<uint64_t>(Status.st_size) > Most)
    return std::nullopt;
  auto Buffer = llvm::MemoryBuffer::getOpenFile(File.get(), Path, static_cast<uint64_t>(Status.st_size),
                                                /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  return Buffer ? std::optional((*Buffer)->getBuffer().str()) : std::nullopt;
}

} // namespace

ResultCache::ResultCache(std::string In, Limits Most) : Folder(std::move(In)), Most(Most) {
  if (isUsed())
    Identity = ownIdentity();
}

std::string ResultCache::defaultFolder() {
  for (const auto &[Variable, Below] : {std::pair("XDG_CACHE_HOME", ""), std::pair("HOME", "/.cache")})
    if (const char *Value = std::getenv(Variable); Value && *Value == '/') // others are to be ignored
      return std::string(Value) + Below + "/picket/results";
  return "";
}

std::string ResultCache::pathOf(const std::string &File, const std::string &Key) const {
  Digest D; // with the file: what is said of one program says nothing of others
  D.text(Identity).text(File).text(Key);
  return Folder + "/" + D.result() + Suffix;
}

std::optional<ProgramResult> ResultCache::find(const std::string &File, const std::string &Key,
                                               const std::string &Texts) const {
  if (!isUsed())
    return std::nullopt;
  const std::string Path = pathOf(File, Key);
  const std::optional<std::string> Found = read(Path, Most.FileBytes);
  if (!Found)
    return std::nullopt;
  const auto [Checksum, Text] = StringRef(*Found).split('\n');
  if (Checksum != checksumOf(Text))
    return std::nullopt;
  llvm::Expected<Value> Json = parseUntrusted(Text);
  if (!Json) {
    llvm::consumeError(Json.takeError());
    return std::nullopt;
  }
  const Object *Entry = Json->getAsObject();
  const Value *Saved = Entry ? Entry->get("result") : nullptr;
  ProgramResult Result;
  llvm::json::Path::Root Root;
  if (!Saved || !fromJSON(*Saved, Result, Root) || Result.Models.empty())
    return std::nullopt;
  if (Result.code() != NothingFound && Entry->getString("texts") != StringRef(Texts))
    return std::nullopt;
  Result.Cached = true;
  utimensat(AT_FDCWD, Path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW); // it was used
  return Result;
}

void ResultCache::add(const std::string &File, const std::string &Key, const std::string &Texts,
                      const ProgramResult &Result) {
  if (!isUsed())
    return;
  if (!Made) {
    std::error_code Failed;
    const fs::path Parent = fs::path(Folder).parent_path();
    fs::create_directories(Parent.parent_path(), Failed);
    mkdir(Parent.c_str(), 0700);
    mkdir(Folder.c_str(), 0700);
    Made = true;
  }
  std::string Text;
  llvm::raw_string_ostream(Text) << Value(Object{{"texts", Texts}, {"result", toJSON(Result)}}) << '\n';
  Text = checksumOf(Text) + "\n" + Text;
  if (Text.size() <= Most.FileBytes)
    writeFiles({{pathOf(File, Key), Text}}); // where that fails, the program is checked again the next time
}

void ResultCache::prune() const {
  if (!isUsed())
    return;
  struct Entry {
    fs::path Path;
    fs::file_time_type Used;
    uint64_t Size;
  };
  constexpr std::chrono::hours Abandoned{24}; // temporary files of runs that were killed
  const auto Now = fs::file_time_type::clock::now();
  std::vector<Entry> Entries;
  uint64_t Bytes = 0;
  std::error_code Failed;
  for (fs::directory_iterator At(Folder, Failed); !Failed && At != fs::directory_iterator(); At.increment(Failed)) {
    std::error_code Gone;
    const std::string Name = At->path().filename().string();
    const bool Temporary = StringRef(Name).starts_with(".") && StringRef(Name).contains(Suffix);
    if (!At->is_regular_file(Gone) || (!Temporary && !StringRef(Name).ends_with(Suffix)))
      continue;
    const Entry New{At->path(), At->last_write_time(Gone), At->file_size(Gone)};
    if (Gone)
      continue;
    if (!Temporary) {
      Entries.push_back(New);
      Bytes += New.Size;
    } else if (Now - New.Used > Abandoned) {
      fs::remove(New.Path, Gone);
    }
  }
  if (Bytes <= Most.Bytes && Entries.size() <= Most.Files)
    return;
  std::sort(Entries.begin(), Entries.end(), [](const Entry &A, const Entry &B) { return A.Used < B.Used; });
  size_t Left = Entries.size();
  for (const Entry &E : Entries) { // some more than needed, so that not every run has to
    if (Bytes <= Most.Bytes / 4 * 3 && Left <= Most.Files / 4 * 3)
      break;
    std::error_code Ignored;
    fs::remove(E.Path, Ignored);
    Bytes -= E.Size;
    --Left;
  }
}

} // namespace picket
