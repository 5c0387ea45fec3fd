// Bytes that a client might send, as libFuzzer thinks them up, to a whole language server whose workers are made up too
// (FakeWorker.cpp).
//
// An input that begins with '#' is the stream itself. Any other is one message per line: the server is initialized,
// the lines get their headers, and a line "." gives the checks a moment to end. So what the fuzzer changes within a
// message does not spoil those that follow.
#include "lsp/LanguageServer.h"

#include "llvm/Support/LSP/Logging.h"

#include <csignal>

using llvm::StringRef;
using namespace picket;

namespace {

constexpr unsigned MostPauses = 4;
constexpr StringRef Initialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"window":{"workDoneProgress":true,)"
    R"("showDocument":{"support":true}},"workspace":{"configuration":true,"codeLens":{"refreshSupport":true}},)"
    R"("textDocument":{"publishDiagnostics":{"relatedInformation":true}}}}})";
constexpr StringRef Initialized = R"({"jsonrpc":"2.0","method":"initialized","params":{}})";

/// What the server reads. A piece at a time, so that pauses come where they stand.
class Stream {
public:
  explicit Stream(StringRef Input) {
    if (Input.consume_front("#")) {
      Pieces.push_back(Input.str());
      return;
    }
    add(Initialize);
    add(Initialized);
    unsigned Pauses = 0;
    while (!Input.empty()) {
      StringRef Line;
      std::tie(Line, Input) = Input.split('\n');
      if (Line == "." && Pauses++ < MostPauses)
        Pieces.emplace_back();
      else if (!Line.empty())
        add(Line);
    }
  }

  static ssize_t read(void *Self, char *Buffer, size_t Size) { return static_cast<Stream *>(Self)->read(Buffer, Size); }

private:
  void add(StringRef Json) {
    Pieces.push_back("Content-Length: " + std::to_string(Json.size()) + "\r\n\r\n" + Json.str());
  }

  ssize_t read(char *Buffer, size_t Size) {
    while (Next < Pieces.size()) {
      const std::string &Piece = Pieces[Next];
      if (Piece.empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const size_t N = std::min(Size, Piece.size() - Done);
      std::copy_n(Piece.data() + Done, N, Buffer);
      Done += N;
      if (Done == Piece.size()) {
        ++Next;
        Done = 0;
      }
      if (N)
        return static_cast<ssize_t>(N);
    }
    return 0;
  }

  std::vector<std::string> Pieces;
  size_t Next = 0, Done = 0;
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  llvm::lsp::Logger::setLogLevel(llvm::lsp::Logger::Level::Error);
  std::signal(SIGPIPE, SIG_IGN);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Stream Bytes(StringRef(reinterpret_cast<const char *>(Data), Size));
  std::FILE *In = fopencookie(&Bytes, "r", {Stream::read, nullptr, nullptr, nullptr});
  llvm::raw_null_ostream Out;
  {
    LanguageServer Server(In, Out);
    Server.run();
  }
  std::fclose(In);
  return 0;
}
