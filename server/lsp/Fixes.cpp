#include "lsp/Fixes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

using llvm::StringRef;
using llvm::json::Array;
using llvm::json::fixUTF8;
using llvm::json::Object;
using llvm::json::ObjectMapper;
using llvm::json::Path;
using llvm::json::Value;

namespace picket {

const char *nameOf(FixQuestion::Aim What) {
  switch (What) {
  case FixQuestion::Aim::NoBug: return "no-bug";
  case FixQuestion::Aim::Robust: return "robust";
  case FixQuestion::Aim::Relax: return "relax";
  }
  return "?";
}

std::optional<FixQuestion::Aim> aimNamed(StringRef Name) {
  for (FixQuestion::Aim A : {FixQuestion::Aim::NoBug, FixQuestion::Aim::Robust, FixQuestion::Aim::Relax})
    if (Name == nameOf(A))
      return A;
  return std::nullopt;
}

const char *nameOf(OfferedChange::Kind What) {
  switch (What) {
  case OfferedChange::Kind::Fence: return "fence";
  case OfferedChange::Kind::Order: return "order";
  case OfferedChange::Kind::Removal: return "removal";
  }
  return "?";
}

static std::optional<OfferedChange::Kind> changeNamed(StringRef Name) {
  for (OfferedChange::Kind K : {OfferedChange::Kind::Fence, OfferedChange::Kind::Order, OfferedChange::Kind::Removal})
    if (Name == nameOf(K))
      return K;
  return std::nullopt;
}

std::string digestOf(StringRef Text) { return llvm::utohexstr(llvm::xxh3_64bits(Text)); }

std::vector<FixQuestion> questionsAbout(const Outcome &Result, const Settings &Options) {
  if (!Result.Compiled || Result.isQuiet())
    return {};
  std::vector<MemoryModel> All, Wrong;
  bool Passed = true;
  bool Pending = false;
  for (const ModelOutcome &M : Result.Models) {
    if (M.Skipped)
      continue;
    if (M.isPending() && M.Model == MemoryModel::SC)
      return {}; // perhaps no matter of fences
    Pending |= M.isPending();
    All.push_back(M.Model);
    if (M.Result == Verdict::Violation)
      Wrong.push_back(M.Model);
    Passed &= M.Result == Verdict::Verified || M.Result == Verdict::Bounded;
  }
  if (All.empty())
    return {};
  using Aim = FixQuestion::Aim;
  std::vector<FixQuestion> Questions;
  if (!Wrong.empty()) {
    if (!Options.Fixes || Wrong.front() == MemoryModel::SC)
      return {}; // what also happens under SC is no matter of fences
    Questions.push_back({Aim::NoBug, All});
    // Who cares for one machine only may get away with less.
    if (std::count_if(All.begin(), All.end(), [](MemoryModel M) { return M != MemoryModel::SC; }) > 1)
      Questions.push_back({Aim::NoBug, {Wrong.front()}});
    return Questions;
  }
  if (Pending)
    return {}; // there may be something worse
  std::vector<MemoryModel> NotRobust;
  for (const Finding &F : Result.Findings)
    if (F.is(OtherFinding::NotRobust) && F.Trace >= 0 && static_cast<size_t>(F.Trace) < Result.Traces.size())
      if (const MemoryModel M = Result.Traces[static_cast<size_t>(F.Trace)].Model;
          std::find(NotRobust.begin(), NotRobust.end(), M) == NotRobust.end())
        NotRobust.push_back(M);
  if (Options.Fixes && !NotRobust.empty())
    Questions.push_back({Aim::Robust, NotRobust});
  if (Options.Relax && Passed)
    Questions.push_back({Aim::Relax, All});
  return Questions;
}

// Between worker and server.

/// Models that a worker names; none if one of them is not known.
static std::optional<std::vector<MemoryModel>> modelsCalled(const std::vector<std::string> &Names) {
  std::string Wrong;
  std::vector<MemoryModel> Models = modelsNamed(Names, Wrong);
  return Wrong.empty() ? std::optional(std::move(Models)) : std::nullopt;
}

static Value toJSON(const OfferedChange &C) {
  return Object{
      {"text", fixUTF8(C.Text)}, {"kind", nameOf(C.What)}, {"earlier", toJSON(C.Earlier)}, {"later", toJSON(C.Later)}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, OfferedChange &C, Path At) {
  ObjectMapper O(Json, At);
  std::string Kind;
  if (!O || !O.map("text", C.Text) || !O.map("kind", Kind) || !O.map("earlier", C.Earlier) || !O.map("later", C.Later))
    return false;
  const std::optional<OfferedChange::Kind> Known = changeNamed(Kind);
  if (Known)
    C.What = *Known;
  else
    At.field("kind").report("unknown kind of change");
  return Known.has_value();
}

static Value toJSON(const TextEdit &E) {
  return Object{{"file", fixUTF8(E.File)}, {"begin", E.Begin}, {"end", E.End}, {"text", E.Text}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, TextEdit &E, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("file", E.File) && O.map("begin", E.Begin) && O.map("end", E.End) && O.map("text", E.Text);
}

template <typename T> static Array arrayOf(const std::vector<T> &Items) {
  Array Result;
  for (const T &Item : Items)
    Result.push_back(toJSON(Item));
  return Result;
}

static Value toJSON(const FixOffer &F) {
  Object Before;
  for (const auto &[File, Digest] : F.Before)
    Before[fixUTF8(File)] = Digest;
  return Object{{"title", fixUTF8(F.Title)},
                {"models", modelsJson(F.Models)},
                {"changes", arrayOf(F.Changes)},
                {"edits", arrayOf(F.Edits)},
                {"before", std::move(Before)}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, FixOffer &F, Path At) {
  ObjectMapper O(Json, At);
  std::vector<std::string> Models;
  if (!O || !O.map("title", F.Title) || !O.map("models", Models) || !O.map("changes", F.Changes) ||
      !O.map("edits", F.Edits) || !O.map("before", F.Before))
    return false;
  std::optional<std::vector<MemoryModel>> Known = modelsCalled(Models);
  if (Known)
    F.Models = std::move(*Known);
  else
    At.field("models").report("unknown memory model");
  return Known.has_value();
}

static Value toJSON(const FixHint &H) {
  return Object{{"at", toJSON(H.Where)}, {"text", fixUTF8(H.Text)}, {"offer", H.Offer}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, FixHint &H, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("at", H.Where) && O.map("text", H.Text) && O.map("offer", H.Offer);
}

Value toJSON(const FixAnswer &A) {
  return Object{{"aim", nameOf(A.Asked.What)},        {"models", modelsJson(A.Asked.Models)},
                {"outcome", nameOf(A.What, "fixed")}, {"reason", fixUTF8(A.Reason)},
                {"offers", arrayOf(A.Offers)},        {"hints", arrayOf(A.Hints)}};
}

bool fromJSON(const Value &Json, FixAnswer &A, Path At) {
  ObjectMapper O(Json, At);
  std::string Aim, What;
  std::vector<std::string> Models;
  if (!O || !O.map("aim", Aim) || !O.map("models", Models) || !O.map("outcome", What) || !O.map("reason", A.Reason) ||
      !O.map("offers", A.Offers) || !O.map("hints", A.Hints))
    return false;
  const std::optional<FixQuestion::Aim> Known = aimNamed(Aim);
  const std::optional<EditOutcome> Found = editOutcomeNamed(What, "fixed");
  std::optional<std::vector<MemoryModel>> Named = modelsCalled(Models);
  if (!Known || !Found || !Named || Named->empty()) {
    At.report("not an answer about fixes");
    return false;
  }
  A.Asked = {*Known, std::move(*Named)};
  A.What = *Found;
  for (const FixHint &H : A.Hints)
    if (H.Offer >= static_cast<int64_t>(A.Offers.size())) {
      At.field("hints").report("there is no such offer");
      return false;
    }
  return true;
}

} // namespace picket
