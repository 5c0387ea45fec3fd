#include "lsp/ProgressReporter.h"

#include "llvm/Support/Path.h"

using llvm::StringRef;
using llvm::json::Object;
using llvm::json::Value;

namespace picket {

static constexpr StringRef Prefix = "picket-check-";

void ProgressReporter::allow(bool Does) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Supported = Does;
}

void ProgressReporter::useToken(const std::string &File, Value Token) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Given.insert_or_assign(File, std::move(Token));
}

void ProgressReporter::begin(Shown &S) {
  S.Begun = true;
  Object Begin{{"kind", "begin"},
               {"title", "Picket: " + llvm::json::fixUTF8(llvm::sys::path::filename(S.File))},
               {"percentage", 0}, // without it clients ignore those of the reports
               {"cancellable", true}};
  SendProgress(S.Token, std::move(Begin));
  if (!S.Last.empty())
    report(S);
}

void ProgressReporter::report(Shown &S) {
  SendProgress(S.Token,
               Object{{"kind", "report"}, {"message", S.Last}, {"percentage", S.Percentage}, {"cancellable", true}});
}

void ProgressReporter::end(Shown &S) {
  Object End{{"kind", "end"}};
  if (!S.Last.empty())
    End["message"] = S.Last;
  SendProgress(S.Token, std::move(End));
}

void ProgressReporter::tell(const CheckProgress &P) {
  std::string ToCreate;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (P.What == CheckProgress::Begin) {
      Shown New;
      New.File = P.File;
      if (auto Own = Given.find(P.File); Own != Given.end()) {
        New.Token = std::move(Own->second);
        Given.erase(Own);
        begin(New);
      } else if (Supported) {
        New.Token = ToCreate = Prefix.str() + std::to_string(P.Check);
      } else {
        return;
      }
      Checks.emplace(P.Check, std::move(New));
    } else {
      auto At = Checks.find(P.Check);
      if (At == Checks.end())
        return;
      Shown &S = At->second;
      if (!P.Text.empty())
        S.Last = P.Text;
      S.Percentage = std::max(S.Percentage, P.Percentage.value_or(0)); // one that falls is ignored by clients
      if (P.What == CheckProgress::Report && S.Begun)
        report(S);
      if (P.What == CheckProgress::End && S.Begun) {
        end(S);
        Checks.erase(At);
      } else if (P.What == CheckProgress::End) {
        S.Ended = true; // the client has not answered yet
      }
    }
  }
  if (!ToCreate.empty())
    CreateToken(ToCreate);
}

void ProgressReporter::created(const std::string &Token, bool Agreed) {
  std::lock_guard<std::mutex> Lock(Mutex);
  uint64_t Check = 0;
  StringRef Number = Token;
  if (!Number.consume_front(Prefix) || Number.getAsInteger(10, Check))
    return;
  auto At = Checks.find(Check);
  if (At == Checks.end())
    return;
  Shown &S = At->second;
  if (Agreed)
    begin(S);
  if (Agreed && S.Ended)
    end(S);
  if (!Agreed || S.Ended)
    Checks.erase(At);
}

std::optional<std::string> ProgressReporter::fileOf(const Value &Token) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  for (const auto &[Check, S] : Checks)
    if (S.Token == Token)
      return S.File;
  return std::nullopt;
}

} // namespace picket
