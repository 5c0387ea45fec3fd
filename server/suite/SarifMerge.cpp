#include "suite/SarifMerge.h"

#include "SarifReport.h"

#include <map>

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

namespace {

Array *arrayIn(Object &In, const char *Key) {
  Value *Found = In.get(Key);
  return Found ? Found->getAsArray() : nullptr;
}

Object *firstObject(Array *In) { return In && !In->empty() ? In->front().getAsObject() : nullptr; }

class Merger {
public:
  explicit Merger(Object &Run)
      : Results(*arrayIn(Run, "results")), Artifacts(*arrayIn(Run, "artifacts")),
        Invocation(*firstObject(arrayIn(Run, "invocations"))),
        Notifications(*arrayIn(Invocation, "toolExecutionNotifications")) {}

  void add(Value Log) {
    Object *Whole = Log.getAsObject();
    Object *Run = Whole ? firstObject(arrayIn(*Whole, "runs")) : nullptr;
    if (!Run)
      return;
    std::vector<int64_t> NewIndex;
    if (Array *Theirs = arrayIn(*Run, "artifacts"))
      for (Value &Artifact : *Theirs)
        NewIndex.push_back(indexOf(Artifact));
    move(arrayIn(*Run, "results"), Results, NewIndex);
    Object *Theirs = firstObject(arrayIn(*Run, "invocations"));
    if (!Theirs)
      return;
    move(arrayIn(*Theirs, "toolExecutionNotifications"), Notifications, NewIndex);
    if (!Theirs->getBoolean("executionSuccessful").value_or(false))
      Invocation["executionSuccessful"] = false;
  }

private:
  /// In the joined log; an artifact of the same address is there once.
  int64_t indexOf(Value &Artifact) {
    std::string Uri;
    if (const Object *Its = Artifact.getAsObject())
      if (const Object *Location = Its->getObject("location"))
        Uri = Location->getString("uri").value_or("").str();
    const auto [At, IsNew] = Known.try_emplace(Uri, static_cast<int64_t>(Artifacts.size()));
    if (IsNew)
      Artifacts.push_back(std::move(Artifact));
    return At->second;
  }

  static void move(Array *From, Array &To, const std::vector<int64_t> &NewIndex) {
    if (!From)
      return;
    for (Value &Each : *From) {
      renumber(Each, NewIndex);
      To.push_back(std::move(Each));
    }
  }

  /// The depth is that of a parsed text, which is limited (UntrustedJson.h).
  static void renumber(Value &In, const std::vector<int64_t> &NewIndex) { // NOLINT(misc-no-recursion)
    if (Array *Items = In.getAsArray())
      for (Value &Item : *Items)
        renumber(Item, NewIndex);
    Object *Fields = In.getAsObject();
    if (!Fields)
      return;
    for (auto &[Key, Field] : *Fields) {
      if (Object *Location = llvm::StringRef(Key) == "artifactLocation" ? Field.getAsObject() : nullptr)
        if (const auto Index = Location->getInteger("index")) {
          if (*Index >= 0 && static_cast<size_t>(*Index) < NewIndex.size())
            (*Location)["index"] = NewIndex[static_cast<size_t>(*Index)];
          else
            Location->erase("index");
        }
      renumber(Field, NewIndex);
    }
  }

  Array &Results, &Artifacts;
  Object &Invocation;
  Array &Notifications;
  std::map<std::string, int64_t> Known;
};

} // namespace

std::string mergedSarif(const std::vector<const Value *> &Logs, int ExitCode) {
  std::string Frame, Text;
  llvm::raw_string_ostream FrameOut(Frame), Out(Text);
  SourceTexts None;
  printSarif(FrameOut, {}, None, ExitCode);
  Value Whole = llvm::cantFail(llvm::json::parse(Frame));
  Merger Into(*firstObject(arrayIn(*Whole.getAsObject(), "runs")));
  for (const Value *Log : Logs)
    Into.add(*Log);
  llvm::json::OStream(Out, /*IndentSize=*/2).value(Whole);
  Out << '\n';
  return Text;
}

} // namespace picket
