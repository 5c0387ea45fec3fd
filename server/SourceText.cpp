#include "SourceText.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <filesystem>

namespace picket {

const SourceTexts::Read &SourceTexts::read(const std::string &File) {
  auto [At, New] = Known.try_emplace(File);
  Read &R = At->second;
  if (!New)
    return R;
  std::error_code Failed;
  const std::string Absolute = std::filesystem::absolute(File, Failed).lexically_normal().string();
  if (auto Open = Unsaved.find(Absolute); Open != Unsaved.end())
    R.Text = Open->second;
  else if (std::filesystem::is_regular_file(File, Failed)) // a pipe or device would wait
    if (auto Buffer = llvm::MemoryBuffer::getFile(File, /*IsText=*/true))
      R.Text = (*Buffer)->getBuffer().str();
  if (R.Text) {
    R.Begins.push_back(0);
    for (size_t K = 0; K < R.Text->size(); ++K)
      if ((*R.Text)[K] == '\n')
        R.Begins.push_back(K + 1);
  }
  return R;
}

const std::string *SourceTexts::textOf(const std::string &File) {
  const Read &R = read(File);
  return R.Text ? &*R.Text : nullptr;
}

std::optional<std::string> SourceTexts::lineOf(const std::string &File, uint32_t Line) {
  const Read &R = read(File);
  if (!R.Text || Line == 0 || Line > R.Begins.size() || R.Begins[Line - 1] == R.Text->size())
    return std::nullopt;
  size_t Begin = R.Begins[Line - 1];
  size_t End = Line < R.Begins.size() ? R.Begins[Line] - 1 : R.Text->size();
  if (End > Begin && (*R.Text)[End - 1] == '\r')
    --End;
  return R.Text->substr(Begin, End - Begin);
}

uint32_t utf16Column(const std::string &Line, uint32_t ByteColumn) {
  if (ByteColumn == 0)
    return 0;
  const auto *Bytes = reinterpret_cast<const llvm::UTF8 *>(Line.data());
  size_t End = std::min<size_t>(Line.size(), ByteColumn - 1);
  uint32_t Column = 1;
  for (size_t K = 0; K < End;) {
    unsigned Length = llvm::getUTF8SequenceSize(Bytes + K, Bytes + Line.size());
    Column += Length == 4 ? 2 : 1;
    K += std::max(1u, Length);
  }
  return Column;
}

} // namespace picket
