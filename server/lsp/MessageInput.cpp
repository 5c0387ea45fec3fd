#include "lsp/MessageInput.h"

#include "TraceJson.h"

#include "llvm/Support/LSP/Logging.h"

using llvm::StringRef;
using llvm::json::Object;
using llvm::json::Value;
using llvm::lsp::ErrorCode;
using llvm::lsp::Logger;

namespace picket {

constexpr size_t LongestHeader = 4096;       // more of a line is not kept
constexpr size_t LargestMessage = 256 << 20; // larger ones are skipped
constexpr size_t LargestKept = 1 << 20;      // of the memory for messages, between them

bool MessageInput::readLine(std::string &Line) {
  Line.clear();
  for (int C; (C = std::getc(In)) != EOF;) {
    if (C == '\n') {
      if (!Line.empty() && Line.back() == '\r')
        Line.pop_back();
      return true;
    }
    if (Line.size() < LongestHeader)
      Line += static_cast<char>(C);
  }
  return false;
}

/// The length of the message that follows. Lines that are no headers are skipped, so that reading finds its way back
/// after garbage.
std::optional<size_t> MessageInput::readHeaders() {
  std::optional<size_t> Length;
  for (std::string Line; readLine(Line);) {
    if (Line.empty()) {
      if (Length)
        return Length;
      continue;
    }
    auto [Name, Text] = StringRef(Line).split(':');
    size_t Number = 0;
    if (!Name.trim().equals_insensitive("Content-Length"))
      continue;
    if (Text.trim().getAsInteger(10, Number)) {
      Logger::error("skipped a header: {0}", Line);
      continue;
    }
    Length = Number;
  }
  return std::nullopt;
}

bool MessageInput::skip(size_t Bytes) {
  char Buffer[1 << 14];
  while (Bytes > 0) {
    const size_t N = std::fread(Buffer, 1, std::min(Bytes, sizeof Buffer), In);
    if (N == 0)
      return false;
    Bytes -= N;
  }
  return true;
}

llvm::LogicalResult MessageInput::readStandardMessage(std::string &Json) {
  Id = nullptr;
  if (Json.capacity() > LargestKept)
    std::string().swap(Json); // the next message may be long in coming
  std::optional<size_t> Length = readHeaders();
  if (!Length)
    return llvm::failure();
  if (*Length > LargestMessage) {
    if (!skip(*Length))
      return llvm::failure();
    return refuse(Json, nullptr, ErrorCode::InvalidRequest, "the message is too large");
  }
  Json.clear();
  while (Json.size() < *Length) { // the length may be a lie: memory is only taken for what is there
    const size_t Have = Json.size(), Part = std::min<size_t>(*Length - Have, 1 << 20);
    Json.resize(Have + Part);
    const size_t N = std::fread(Json.data() + Have, 1, Part, In);
    Json.resize(Have + N);
    if (N < Part) {
      Logger::error("the input ended in the middle of a message");
      return llvm::failure();
    }
  }
  return admit(Json);
}

llvm::LogicalResult MessageInput::refuse(std::string &Json, Value Of, ErrorCode Code, std::string Message) {
  Logger::info("refused a message: {0}", Message);
  Json.clear();
  llvm::raw_string_ostream(Json) << Value(
      Object{{"jsonrpc", "2.0"},
             {"id", std::move(Of)},
             {"method", Refused},
             {"params", Object{{"code", static_cast<int>(Code)}, {"message", std::move(Message)}}}});
  return llvm::success();
}

llvm::LogicalResult MessageInput::admit(std::string &Json) {
  llvm::Expected<Value> Parsed = parseUntrusted(Json);
  if (!Parsed)
    return refuse(Json, nullptr, ErrorCode::ParseError, llvm::toString(Parsed.takeError()));
  const Object *Message = Parsed->getAsObject();
  if (!Message)
    return refuse(Json, nullptr, ErrorCode::InvalidRequest, "a message is one JSON object");
  const Value *Given = Message->get("id");
  const bool GoodId = Given && (Given->kind() == Value::Number || Given->kind() == Value::String);
  const Value Answered = GoodId ? *Given : Value(nullptr);
  const std::optional<StringRef> Method = Message->getString("method");
  if (Message->getString("jsonrpc") != std::optional<StringRef>("2.0"))
    return refuse(Json, Answered, ErrorCode::InvalidRequest, "'jsonrpc' is not \"2.0\"");
  if (!Method && !Message->get("method") && Given && (Message->get("result") || Message->get("error")))
    return llvm::success(); // a response
  if (!Method || (Given && !GoodId))
    return refuse(Json, Answered, ErrorCode::InvalidRequest,
                  "this is neither a request, a notification nor a response");

  const Phase Now = Current;
  if (!Given) {
    // The server is not there yet, or not any more: notifications have no effect.
    return Now == Phase::Running || *Method == "exit" ? llvm::success() : llvm::failure();
  }
  if (Now == Phase::BeforeInitialize && *Method != "initialize")
    return refuse(Json, Answered, ErrorCode::ServerNotInitialized, "the server is not initialized");
  if (Now == Phase::AfterShutdown)
    return refuse(Json, Answered, ErrorCode::InvalidRequest, "the server is shutting down");
  if (Now == Phase::Running && *Method == "initialize")
    return refuse(Json, Answered, ErrorCode::InvalidRequest, "the server is initialized already");
  Id = Answered;
  return llvm::success();
}

} // namespace picket
