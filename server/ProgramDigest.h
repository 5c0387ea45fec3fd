// Digests that name Programs: equal digests mean equal bytecode, source locations and names.
#pragma once

#include "source/compile/TargetPrograms.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

namespace picket {

struct CheckOptions;

/// Feeds a digest. Lengths go before contents, so that different things never give the same bytes.
class Digest {
public:
  Digest &number(uint64_t N) {
    Hash.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&N), sizeof N));
    return *this;
  }
  Digest &text(llvm::StringRef Text) {
    number(Text.size());
    Hash.update(Text);
    return *this;
  }
  /// Of numbers, or of structs of numbers without padding.
  template <typename T> Digest &plain(const std::vector<T> &Items) {
    static_assert(std::has_unique_object_representations_v<T>);
    number(Items.size());
    Hash.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Items.data()), Items.size() * sizeof(T)));
    return *this;
  }
  Digest &texts(const std::vector<std::string> &Items) {
    number(Items.size());
    for (const std::string &Item : Items)
      text(Item);
    return *this;
  }
  std::string result() { return llvm::toHex(Hash.final(), /*LowerCase=*/true); }

private:
  llvm::SHA256 Hash;
};

void addProgram(Digest &D, const Program &P);
/// The same also for a text that does not compile for some target.
void addProgram(Digest &D, const CompileResult &Compiled);

/// The Programs that a check with these options is about. What is not compiled yet is compiled, side by side.
std::vector<const CompileResult *> allPrograms(TargetPrograms &Programs, const CheckOptions &Options);

} // namespace picket
