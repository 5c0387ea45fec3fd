// The Programs of one text: one for each architecture that somebody needs it for.
#pragma once

#include "source/compile/Compile.h"

#include <map>
#include <memory>
#include <mutex>

namespace picket {

/// Compiles a text for an architecture when it is first asked for. May be used by several threads.
class TargetPrograms {
public:
  explicit TargetPrograms(CompileRequest Text) : Text(std::move(Text)) {}
  /// There is this one only, whatever is asked for.
  explicit TargetPrograms(CompileResult Only) : Only(std::make_shared<CompileResult>(std::move(Only))) {}

  /// What stays as long as this object does. If the command names a target, all get the Program for that.
  const CompileResult &get(Architecture For);

private:
  struct Entry {
    std::once_flag Once;
    CompileResult Result;
  };

  const CompileRequest Text;
  std::mutex Mutex; // of what follows
  std::map<Architecture, std::shared_ptr<Entry>> Entries;
  std::shared_ptr<const CompileResult> Only;
};

} // namespace picket
