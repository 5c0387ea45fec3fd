// Reads the protocol's messages and sorts out those that cannot be dispatched, so that no input ends the server: what
// the library's reader (llvm/Support/LSP/Transport.h) does not cope with is answered or dropped here.
#pragma once

#include "llvm/Support/LSP/Transport.h"

#include <atomic>
#include <cstdio>

namespace picket {

class MessageInput : public llvm::lsp::JSONTransportInput {
public:
  /// The request that stands for a message that is refused; its parameters are `code` and `message`. Whoever
  /// dispatches must answer it with that error.
  static constexpr llvm::StringLiteral Refused = "$/picket/refused";

  enum class Phase : uint8_t { BeforeInitialize, Running, AfterShutdown };

  explicit MessageInput(std::FILE *In) : JSONTransportInput(llvm::lsp::JSONStreamStyle::Standard), In(In) {}

  bool hasError() const override { return std::ferror(In); }
  bool isEndOfInput() const override { return std::feof(In); }
  llvm::LogicalResult readStandardMessage(std::string &Json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &) override { return llvm::failure(); }

  void enter(Phase P) { Current = P; }
  /// The id of the request that was read last, null if it was a notification. Messages are dispatched before the next
  /// one is read, so this is the id of the one being handled; the library does not tell it.
  const llvm::json::Value &currentId() const { return Id; }

private:
  /// Nothing: the input has ended.
  std::optional<size_t> readHeaders();
  bool readLine(std::string &Line);
  bool skip(size_t Bytes);
  /// Makes `Json` the request that is to be refused.
  llvm::LogicalResult refuse(std::string &Json, llvm::json::Value Id, llvm::lsp::ErrorCode Code, std::string Message);
  llvm::LogicalResult admit(std::string &Json);

  std::FILE *In;
  llvm::json::Value Id = nullptr;
  std::atomic<Phase> Current = Phase::BeforeInitialize;
};

} // namespace picket
