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

std::string digestOf(StringRef Text) { return llvm::utohexstr(llvm::xxh3_64bits(Text)); }

std::vector<FixQuestion> questionsAbout(const Outcome &Result, const Settings &Options) {
  if (!Result.Compiled || Result.isQuiet())
    return {};
  SettingsLayer All, Violated;
  std::vector<std::string> Names, Wrong;
  bool Passed = true;
  bool Pending = false;
  for (const ModelOutcome &M : Result.Models) {
    if (M.Skipped)
      continue;
    if (M.isPending() && M.Name == nameOf(Model::SC))
      return {}; // perhaps no matter of fences
    Pending |= M.isPending();
    Names.push_back(M.Name);
    if (M.Verdict == nameOf(Verdict::Violation))
      Wrong.push_back(M.Name);
    Passed &= M.Verdict == nameOf(Verdict::Verified) || M.Verdict == nameOf(Verdict::Bounded);
  }
  if (!set(All, "models", Names).empty())
    return {};
  using Aim = FixQuestion::Aim;
  std::vector<FixQuestion> Questions;
  if (!Wrong.empty()) {
    set(Violated, "models", Wrong);
    if (!Options.Fixes || Violated.Models->front() == Model::SC)
      return {}; // what also happens under SC is no matter of fences
    Questions.push_back({Aim::NoBug, *All.Models});
    // Who cares for one machine only may get away with less.
    if (std::count_if(All.Models->begin(), All.Models->end(), [](Model M) { return M != Model::SC; }) > 1)
      Questions.push_back({Aim::NoBug, {Violated.Models->front()}});
    return Questions;
  }
  if (Pending)
    return {}; // there may be something worse
  std::vector<std::string> NotRobust;
  for (const Finding &F : Result.Findings)
    if (F.Code == "not-robust" && F.Trace >= 0 && static_cast<size_t>(F.Trace) < Result.Traces.size())
      if (const std::string &Name = Result.Traces[static_cast<size_t>(F.Trace)].Model;
          std::find(NotRobust.begin(), NotRobust.end(), Name) == NotRobust.end())
        NotRobust.push_back(Name);
  if (SettingsLayer Named; Options.Fixes && !NotRobust.empty() && set(Named, "models", NotRobust).empty())
    Questions.push_back({Aim::Robust, *Named.Models});
  if (Options.Relax && Passed)
    Questions.push_back({Aim::Relax, *All.Models});
  return Questions;
}

// Between worker and server.

static Value toJSON(const TextPlace &P) {
  return Object{{"file", fixUTF8(P.File)}, {"line", P.Line}, {"column", P.Column}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, TextPlace &P, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("file", P.File) && O.map("line", P.Line) && O.map("column", P.Column);
}

static Value toJSON(const OfferedChange &C) {
  return Object{
      {"text", fixUTF8(C.Text)}, {"kind", C.Kind}, {"earlier", toJSON(C.Earlier)}, {"later", toJSON(C.Later)}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, OfferedChange &C, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("text", C.Text) && O.map("kind", C.Kind) && O.map("earlier", C.Earlier) && O.map("later", C.Later);
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
                {"models", Array(F.Models)},
                {"changes", arrayOf(F.Changes)},
                {"edits", arrayOf(F.Edits)},
                {"before", std::move(Before)}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, FixOffer &F, Path At) {
  ObjectMapper O(Json, At);
  return O && O.map("title", F.Title) && O.map("models", F.Models) && O.map("changes", F.Changes) &&
         O.map("edits", F.Edits) && O.map("before", F.Before);
}

static Value toJSON(const FixHint &H) {
  return Object{{"at", toJSON(TextPlace{H.Where.File, H.Where.Line, H.Where.Column})},
                {"text", fixUTF8(H.Text)},
                {"offer", H.Offer}};
}

[[maybe_unused]] static bool fromJSON(const Value &Json, FixHint &H, Path At) {
  ObjectMapper O(Json, At);
  TextPlace Where;
  if (!O || !O.map("at", Where) || !O.map("text", H.Text) || !O.map("offer", H.Offer))
    return false;
  H.Where = {Where.File, Where.Line, Where.Column, 0, 0};
  return true;
}

Value toJSON(const FixAnswer &A) {
  Array Models;
  for (Model M : A.Asked.Models)
    Models.push_back(nameOf(M));
  return Object{{"aim", nameOf(A.Asked.What)},     {"models", std::move(Models)},   {"outcome", A.What},
                {"reason", fixUTF8(A.Reason)},     {"offers", arrayOf(A.Offers)},   {"hints", arrayOf(A.Hints)}};
}

bool fromJSON(const Value &Json, FixAnswer &A, Path At) {
  ObjectMapper O(Json, At);
  std::string Aim;
  std::vector<std::string> Models;
  if (!O || !O.map("aim", Aim) || !O.map("models", Models) || !O.map("outcome", A.What) || !O.map("reason", A.Reason) ||
      !O.map("offers", A.Offers) || !O.map("hints", A.Hints))
    return false;
  SettingsLayer Named;
  std::optional<FixQuestion::Aim> Known = aimNamed(Aim);
  if (!Known || !set(Named, "models", Models).empty()) {
    At.report("not an answer about fixes");
    return false;
  }
  A.Asked = {*Known, *Named.Models};
  for (const FixHint &H : A.Hints)
    if (H.Offer >= static_cast<int64_t>(A.Offers.size())) {
      At.field("hints").report("there is no such offer");
      return false;
    }
  return true;
}

} // namespace picket
