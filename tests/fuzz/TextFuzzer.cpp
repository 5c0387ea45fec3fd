// Texts that anybody may have written, to those who read them: the first byte says to whom. Whatever it is, there is an
// answer, and what comes back can be used.
#include "TraceJson.h"
#include "cat/CatModel.h"
#include "litmus/LitmusReader.h"
#include "litmus/LitmusRun.h"
#include "settings/Settings.h"
#include "trace/Counterexample.h"

#include "llvm/Support/JSON.h"

using llvm::StringRef;
using namespace picket;

namespace {

/// A test that can be read can be run.
void litmus(StringRef Text) {
  const LitmusReading Reading = readLitmus(std::string_view(Text.data(), Text.size()), "fuzzed.litmus");
  if (!Reading.Test) {
    if (Reading.Problem.empty())
      __builtin_trap();
    return;
  }
  LitmusOptions Options;
  Options.Unroll = 2;
  Options.TimeoutSeconds = 0.05;
  Options.MaxMemoryBytes = 64 << 20;
  for (MemoryModel M : modelsFor(Reading.Test->Architecture))
    runLitmus(*Reading.Test, M, Options);
}

/// A memory model that can be read can be explored.
void model(StringRef Text) {
  static const LitmusReading Test = readLitmus("X86 SB\n{}\n P0 | P1 ;\n XCHG [x],EAX | MOV [y],$1 ;\n MFENCE | ;\n"
                                               " MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0)\n",
                                               "sb.litmus");
  for (cat::Architecture A : {cat::Architecture::X86, cat::Architecture::AArch64}) {
    auto Include = [&](const std::string &, std::string &) { return Text.str(); };
    const cat::Reading Read = cat::readModel(std::string_view(Text.data(), Text.size()), "fuzzed.cat", A, Include);
    if ((Read.Found == nullptr) == Read.Problem.empty() || (!Read.Found && Read.Where.Line == 0))
      __builtin_trap();
    if (!Read.Found || A != cat::Architecture::X86)
      continue;
    LitmusOptions Options;
    Options.Axioms = std::make_shared<const GraphModel>(cat::graphModelOf(Read.Found, true));
    Options.TimeoutSeconds = 0.05;
    runLitmus(*Test.Test, MemoryModel::TSO, Options);
  }
}

/// A trace that can be read can be explained and written, and is then read again.
void trace(StringRef Text) {
  llvm::Expected<llvm::json::Value> Json = parseUntrusted(Text);
  if (!Json)
    return llvm::consumeError(Json.takeError());
  const llvm::json::Value *Found = findTrace(*Json);
  if (!Found)
    return;
  llvm::Expected<SavedTrace> Saved = readTrace(*Found);
  if (!Saved)
    return llvm::consumeError(Saved.takeError());
  const std::string File = Saved->Run.File;
  const Counterexample C = explain(std::move(Saved->Run));
  std::string Written;
  llvm::raw_string_ostream Stream(Written);
  llvm::json::OStream J(Stream);
  writeTrace(J, C, {File, Saved->Flags, nullptr}, /*Pictures=*/false);
  llvm::Expected<llvm::json::Value> Again = llvm::json::parse(Written);
  if (!Again)
    __builtin_trap();
  if (llvm::Expected<SavedTrace> Reread = readTrace(*Again); !Reread)
    __builtin_trap();
}

void settings(StringRef Text, bool Comment) {
  std::vector<SettingsProblem> Problems;
  const SettingsLayer Layer = Comment ? layerOfComment(Text, Problems) : layerOfToml(Text, Problems);
  for (const SettingsProblem &P : Problems)
    if (P.Message.empty() || P.Line == 0)
      __builtin_trap();
  Settings All;
  apply(All, Layer);
  if (All.Models.empty() || All.together() == 0 || All.Unroll == 0)
    __builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  if (Text.empty())
    return 0;
  const char Reader = Text.front();
  Text = Text.drop_front();
  switch (Reader) {
  case 'l': litmus(Text); break;
  case 'm': model(Text); break;
  case 't': trace(Text); break;
  case 's': settings(Text, /*Comment=*/false); break;
  default: settings(Text, /*Comment=*/true); break;
  }
  return 0;
}
