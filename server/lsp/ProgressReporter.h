// Work-done progress: what the protocol wants to be said, in which order, for each check.
#pragma once

#include "lsp/CheckListener.h"

#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace picket {

class ProgressReporter {
public:
  /// Sends window/workDoneProgress/create for a token; `created` is to be called with the answer.
  using Create = std::function<void(const std::string &Token)>;
  /// Sends $/progress.
  using Send = std::function<void(llvm::json::Value Token, llvm::json::Object Value)>;

  ProgressReporter(Create CreateToken, Send SendProgress)
      : CreateToken(std::move(CreateToken)), SendProgress(std::move(SendProgress)) {}

  /// Whether the client knows progress that the server begins.
  void allow(bool Supported);
  /// The next check of the file belongs to a request that brought its own token.
  void useToken(const std::string &File, llvm::json::Value Token);

  void tell(const CheckProgress &Progress);
  void created(const std::string &Token, bool Agreed);

  /// The file whose check the person wants to cancel.
  std::optional<std::string> fileOf(const llvm::json::Value &Token) const;

private:
  struct Shown {
    std::string File;
    llvm::json::Value Token = nullptr;
    bool Begun = false;
    bool Ended = false;
    std::string Last; // what was said last, or is to be said once it has begun
    int Percentage = 0;
  };
  void begin(Shown &S);
  void report(Shown &S);
  void end(Shown &S);

  const Create CreateToken;
  const Send SendProgress;
  mutable std::mutex Mutex;
  bool Supported = false;
  std::map<uint64_t, Shown> Checks; // by CheckProgress::Check
  std::map<std::string, llvm::json::Value> Given;
};

} // namespace picket
