// The protocol's messages as they come over the wire, right and wrong.
#include "lsp/MessageInput.h"

#include <gtest/gtest.h>

using namespace picket;
using llvm::json::Object;
using llvm::json::Value;

namespace {

std::string framed(const std::string &Json, const std::string &Header = "Content-Length") {
  return Header + ": " + std::to_string(Json.size()) + "\r\n\r\n" + Json;
}

/// What is to be dispatched of a stream, in order.
std::vector<Value> messagesOf(const std::string &Stream, MessageInput::Phase P = MessageInput::Phase::Running) {
  std::FILE *File = std::tmpfile();
  std::fwrite(Stream.data(), 1, Stream.size(), File);
  std::rewind(File);
  std::vector<Value> Messages;
  MessageInput Input(File);
  Input.enter(P);
  std::string Json;
  while (!Input.isEndOfInput())
    if (llvm::succeeded(Input.readMessage(Json)))
      Messages.push_back(llvm::cantFail(llvm::json::parse(Json)));
  std::fclose(File);
  return Messages;
}

std::string methodOf(const Value &Message) { return Message.getAsObject()->getString("method").value_or("").str(); }

int64_t refusalOf(const Value &Message) {
  EXPECT_EQ(MessageInput::Refused.str(), methodOf(Message));
  const Object *Params = Message.getAsObject()->getObject("params");
  return Params ? Params->getInteger("code").value_or(0) : 0;
}

const std::string Note = R"({"jsonrpc":"2.0","method":"note"})";
const std::string Request = R"({"jsonrpc":"2.0","id":"a","method":"request"})";

TEST(MessageInput, ReadsMessagesWithAnyHeaders) {
  const std::string Extra = "Content-Type: application/vscode-jsonrpc\r\n" + framed(Request, "content-length");
  std::vector<Value> Read = messagesOf(framed(Note) + Extra + framed(Note));
  ASSERT_EQ(3u, Read.size());
  EXPECT_EQ("note", methodOf(Read[0]));
  EXPECT_EQ("request", methodOf(Read[1]));
}

TEST(MessageInput, FindsItsWayBackAfterGarbage) {
  const std::string Garbage = "hello\r\n\r\nContent-Length: many\r\n\r\n" + std::string(10000, 'x') + "\n\n";
  std::vector<Value> Read = messagesOf(Garbage + framed(Note));
  ASSERT_EQ(1u, Read.size());
  EXPECT_EQ("note", methodOf(Read[0]));
}

TEST(MessageInput, AnswersWhatIsNoMessage) {
  EXPECT_EQ(-32700, refusalOf(messagesOf(framed("{not json"))[0]));
  EXPECT_EQ(-32700, refusalOf(messagesOf(framed(std::string(100000, '[')))[0]));
  EXPECT_EQ(-32700, refusalOf(messagesOf(framed(""))[0]));
  EXPECT_EQ(-32600, refusalOf(messagesOf(framed("[]"))[0]));
  EXPECT_EQ(-32600, refusalOf(messagesOf(framed(R"({"method":"note"})"))[0]));
  EXPECT_EQ(-32600, refusalOf(messagesOf(framed(R"({"jsonrpc":"2.0","id":{},"method":"x"})"))[0]));
  const Value Numbered = messagesOf(framed(R"({"jsonrpc":"2.0","id":7,"method":5})"))[0];
  EXPECT_EQ(-32600, refusalOf(Numbered));
  EXPECT_EQ(7, Numbered.getAsObject()->getInteger("id")) << "the client knows which one is meant";
}

TEST(MessageInput, EndsWithinAMessage) {
  EXPECT_TRUE(messagesOf("Content-Length: 500\r\n\r\n{\"jsonrpc\"").empty());
  EXPECT_TRUE(messagesOf("Content-Length: 99999999999999\r\n\r\n{}").empty());
  EXPECT_TRUE(messagesOf("Content-Len").empty());
}

TEST(MessageInput, KeepsToTheLifeOfAServer) {
  using Phase = MessageInput::Phase;
  const std::string Initialize = R"({"jsonrpc":"2.0","id":1,"method":"initialize"})";
  const std::string Exit = R"({"jsonrpc":"2.0","method":"exit"})";
  std::vector<Value> Early = messagesOf(framed(Note) + framed(Request) + framed(Initialize), Phase::BeforeInitialize);
  ASSERT_EQ(2u, Early.size()) << "the notification is dropped";
  EXPECT_EQ(-32002, refusalOf(Early[0]));
  EXPECT_EQ("initialize", methodOf(Early[1]));
  EXPECT_EQ(-32600, refusalOf(messagesOf(framed(Initialize))[0])) << "once is enough";
  std::vector<Value> Late = messagesOf(framed(Note) + framed(Request) + framed(Exit), Phase::AfterShutdown);
  ASSERT_EQ(2u, Late.size());
  EXPECT_EQ(-32600, refusalOf(Late[0]));
  EXPECT_EQ("exit", methodOf(Late[1]));
}

TEST(MessageInput, LetsResponsesThrough) {
  const std::string Response = R"({"jsonrpc":"2.0","id":"picket-1","result":null})";
  std::vector<Value> Read = messagesOf(framed(Response), MessageInput::Phase::AfterShutdown);
  ASSERT_EQ(1u, Read.size());
  EXPECT_TRUE(Read[0].getAsObject()->get("result"));
}

} // namespace
