#include "TraceJson.h"

#include "check/Check.h"
#include "trace/Replay.h"

#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace picket {
namespace {

using llvm::json::Value;

const char *const File = "/virtual/flags.c";
const char *const Text = R"(#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; long value; } *list;
int flag[2], inside;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void enter(int me) { flag[me] = 1; if (!flag[1 - me]) inside++; }
void *left(void *unused) { pthread_mutex_lock(&lock); list = malloc(sizeof *list); pthread_mutex_unlock(&lock); enter(0); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, left, 0);
  enter(1);
  pthread_join(t, 0);
  list->value = -1;
  assert(inside < 2);
}
)";

CompileRequest request() {
  CompileRequest Request;
  Request.File = File;
  Request.Unsaved[File] = Text;
  Request.UseCompileCommands = false;
  return Request;
}

std::shared_ptr<const Counterexample> find(MemoryModel Which) {
  CheckRequest Request;
  Request.Text = request();
  Request.Options.Models = {Which};
  return check(Request).Models.at(0).Bugs.at(0).Trace;
}

/// The counterexample under TSO; found once.
const Counterexample &counterexample() {
  static const std::shared_ptr<const Counterexample> Found = find(MemoryModel::TSO);
  return *Found;
}

std::string jsonOf(const Counterexample &C, std::vector<std::string> Flags = {}) {
  SourceTexts Sources(request().Unsaved);
  std::string Result;
  llvm::raw_string_ostream Out(Result);
  llvm::json::OStream J(Out);
  writeTrace(J, C, {File, std::move(Flags), &Sources}, /*Pictures=*/false);
  return Result;
}

Value parsed(const std::string &Json) { return llvm::cantFail(parseUntrusted(Json)); }

std::string errorOf(const Value &Json) {
  llvm::Expected<SavedTrace> Result = readTrace(Json);
  return Result ? "" : llvm::toString(Result.takeError());
}

TEST(TraceJson, WhatIsReadIsWhatWasWritten) {
  const std::string Json = jsonOf(counterexample(), {"-D", "A=\"b c\""});
  SavedTrace Saved = llvm::cantFail(readTrace(parsed(Json)));
  EXPECT_EQ(Saved.Flags, (std::vector<std::string>{"-D", "A=\"b c\""}));
  EXPECT_EQ(Saved.Order.size(), counterexample().Steps.size());
  EXPECT_EQ(jsonOf(explain(std::move(Saved.Run)), Saved.Flags), Json);
}

TEST(TraceJson, PowerIsReadAsItWasWritten) {
  const std::shared_ptr<const Counterexample> C = find(MemoryModel::Power);
  const std::string Json = jsonOf(*C);
  EXPECT_EQ(parsed(Json).getAsObject()->get("chronological"), nullptr);
  SavedTrace Saved = llvm::cantFail(readTrace(parsed(Json)));
  EXPECT_EQ(Saved.Order.size(), C->Steps.size());
  EXPECT_EQ(jsonOf(explain(std::move(Saved.Run))), Json);
}

TEST(TraceJson, PowerWithNumbersThatLeadNowhere) {
  const std::shared_ptr<const Counterexample> C = find(MemoryModel::Power);
  auto Broken = [&](auto Break) {
    Counterexample Copy = *C;
    Break(Copy.Run);
    return errorOf(parsed(jsonOf(Copy)));
  };
  auto Reader = [&](const Recording &R) {
    for (uint32_t K = 0; K < R.Events.size(); ++K)
      if (R.Events[K].Kind == EventKind::Load)
        return K;
    return NoEvent;
  };
  const std::string At = "'events[" + std::to_string(Reader(C->Run)) + "].";
  EXPECT_EQ(Broken([&](Recording &R) { R.Events[Reader(R)].Accesses[0].Source = 1000; }),
            At + "accesses[0].source' must be an event that can be read");
  EXPECT_EQ(Broken([&](Recording &R) { R.Events[Reader(R)].Accesses[0].Source = R.BugEvent; }),
            At + "accesses[0].source' must be an event that can be read");
  EXPECT_EQ(Broken([&](Recording &R) { R.Events[Reader(R)].Links = {{TraceLink::Data, 1000}}; }),
            At + "links[0].on' must be an event");
}

TEST(TraceJson, SourcesComeFromUnsavedTexts) {
  const Value Json = parsed(jsonOf(counterexample()));
  EXPECT_EQ(Json.getAsObject()->getObject("sources")->getString(File), Text);
}

TEST(TraceJson, NumbersOf64BitsSurvive) {
  Counterexample C = counterexample();
  C.Run.Variables[0].Address = 0xfffffffffffffffe;
  C.Run.Variables[0].InitialHigh = 0x8000000000000001;
  SavedTrace Saved = llvm::cantFail(readTrace(parsed(jsonOf(C))));
  EXPECT_EQ(Saved.Run.Variables[0].Address, 0xfffffffffffffffe);
  EXPECT_EQ(Saved.Run.Variables[0].InitialHigh, 0x8000000000000001);
}

TEST(TraceJson, BytesThatAreNotUtf8AreReplaced) {
  Counterexample C = counterexample();
  C.Sentence = "a\xff";
  EXPECT_EQ(parsed(jsonOf(C)).getAsObject()->getString("sentence"), "a\xef\xbf\xbd");
}

TEST(TraceJson, ErrorsNameTheirPlace) {
  auto Broken = [](const std::string &From, const std::string &To) {
    std::string Json = jsonOf(counterexample());
    size_t At = Json.find(From);
    EXPECT_NE(At, std::string::npos) << From;
    return errorOf(parsed(Json.replace(At, From.size(), To)));
  };
  EXPECT_EQ(Broken("\"picket\":1", "\"picket\":7"), "'picket' is 7: only version 1 of the format can be read");
  EXPECT_EQ(Broken("\"picket\":1", "\"p\":1"), "'picket' is missing: this is no counterexample of Picket's");
  EXPECT_EQ(Broken("\"model\":\"tso\"", "\"model\":\"arm\""), "'model' must be sc, tso, pso, armv8, power or c11");
  EXPECT_EQ(Broken("\"threads\":[{\"name\":\"main\"", "\"threads\":[{\"nam\":\"main\""),
            "'threads[0].name' is missing");
  EXPECT_EQ(Broken("\"events\":[{\"kind\":\"create\"", "\"events\":[{\"kind\":\"jump\""),
            "'events[0].kind' is no kind of event");
  EXPECT_EQ(Broken("\"unroll\":8", "\"unroll\":0"), "'unroll' must be at least 1");
}

TEST(TraceJson, UnknownKeysAreSkipped) {
  std::string Json = jsonOf(counterexample());
  Json.insert(1, "\"new\":[1,2,3],");
  EXPECT_EQ(errorOf(parsed(Json)), "");
}

TEST(TraceJson, TheFirstCounterexampleIsFoundInReports) {
  const std::string Trace = "{\"picket\":1}", Other = "{\"picket\":2}";
  const std::string Report = "{\"models\":[{\"bugs\":[]},{\"bugs\":[{},{\"counterexample\":" + Trace +
                             "}]},{\"bugs\":[{"
                             "\"counterexample\":" +
                             Other + "}]}]}";
  for (const std::string &Json : {Trace, Report, "[" + Trace + "," + Other + "]", "[{}," + Report + "]"}) {
    const Value Whole = parsed(Json);
    const Value *Found = findTrace(Whole);
    ASSERT_NE(Found, nullptr) << Json;
    EXPECT_EQ(Found->getAsObject()->getInteger("picket"), 1) << Json;
  }
  for (const char *Json : {"3", "{}", "[]", "[[]]", "{\"models\":3}", "{\"models\":[{\"bugs\":[{}]}]}"}) {
    const Value Whole = parsed(Json);
    EXPECT_EQ(findTrace(Whole), nullptr) << Json;
  }
}

TEST(TraceJson, DeepNestingIsRefused) {
  for (const char *Open : {"[", "{\"a\":"}) {
    std::string Json;
    for (int K = 0; K < 200000; ++K)
      Json += Open;
    llvm::Expected<Value> Result = parseUntrusted(Json);
    EXPECT_FALSE(Result);
    llvm::consumeError(Result.takeError());
  }
  EXPECT_TRUE(errorOf(parsed("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"\"")) !=
              "");
}

/// Calls `Try` with the whole after each single change of a part.
void withEveryChange(Value &Part, const std::function<void()> &Try) {
  const Value Odd[] = {nullptr,
                       true,
                       -1,
                       1,
                       3000000000,
                       1e300,
                       "",
                       "x",
                       "18446744073709551616",
                       llvm::json::Array{},
                       llvm::json::Array{Part},
                       llvm::json::Object{}};
  Value Kept = Part;
  for (const Value &Replacement : Odd) {
    Part = Replacement;
    Try();
  }
  Part = Kept;
  if (llvm::json::Array *A = Part.getAsArray()) {
    // Elements are much alike: the first ones stand for the others.
    for (size_t K = 0; K < A->size() && K < 6; ++K)
      withEveryChange((*A)[K], Try);
  } else if (llvm::json::Object *O = Part.getAsObject()) {
    for (auto &[Key, Member] : *O)
      withEveryChange(Member, Try);
  }
}

TEST(TraceJson, NoChangeOfAnyPartDoesHarm) {
  CompileResult Compiled = compileProgram(request());
  ASSERT_TRUE(Compiled.Compiled);
  Value Whole = parsed(jsonOf(counterexample()));
  for (const char *NotRead : {"sources", "chronological", "shashaSnir", "cycle", "sentence"})
    Whole.getAsObject()->erase(NotRead);
  size_t Refused = 0, Replayed = 0;
  withEveryChange(Whole, [&] {
    llvm::Expected<SavedTrace> Saved = readTrace(Whole);
    if (!Saved) {
      EXPECT_NE(llvm::toString(Saved.takeError()), "");
      ++Refused;
      return;
    }
    for (uint32_t Event : Saved->Order)
      EXPECT_LT(Event, Saved->Run.Events.size());
    ReplayResult Result = replay(*Compiled.Compiled, Saved->Run, MachineOptions());
    EXPECT_NE(Result.Message, "");
    ++Replayed;
  });
  EXPECT_GT(Refused, 500u);
  EXPECT_GT(Replayed, 100u);
}

TEST(SourceText, ColumnsInUtf16) {
  const std::string Line = "a\u00e4\U0001F600b\xff"
                           "c";
  EXPECT_EQ(utf16Column(Line, 0), 0u);
  EXPECT_EQ(utf16Column(Line, 1), 1u);
  EXPECT_EQ(utf16Column(Line, 2), 2u);
  EXPECT_EQ(utf16Column(Line, 4), 3u); // behind the a umlaut: two bytes
  EXPECT_EQ(utf16Column(Line, 8), 5u); // behind the face: four bytes
  EXPECT_EQ(utf16Column(Line, 9), 6u);
  EXPECT_EQ(utf16Column(Line, 10), 7u); // behind a byte that is not UTF-8
  EXPECT_EQ(utf16Column(Line, 100), 8u);
}

TEST(SourceText, LinesHaveNoEnds) {
  SourceTexts Texts({{"/virtual/a.c", "one\r\n\ntwo"}, {"/virtual/b.c", "one\n"}});
  EXPECT_EQ(Texts.lineOf("/virtual/a.c", 1), "one");
  EXPECT_EQ(Texts.lineOf("/virtual/a.c", 2), "");
  EXPECT_EQ(Texts.lineOf("/virtual/a.c", 3), "two");
  EXPECT_EQ(Texts.lineOf("/virtual/a.c", 4), std::nullopt);
  EXPECT_EQ(Texts.lineOf("/virtual/b.c", 2), std::nullopt);
  EXPECT_EQ(Texts.lineOf("/virtual/b.c", 0), std::nullopt);
  EXPECT_EQ(Texts.lineOf("/virtual/none.c", 1), std::nullopt);
}

} // namespace
} // namespace picket
