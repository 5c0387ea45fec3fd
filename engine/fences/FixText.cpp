#include "fences/Fix.h"

#include "trace/RecordingNames.h"

#include <algorithm>
#include <filesystem>

namespace picket {

namespace {

std::string nameOfFence(FenceKind Kind) {
  const std::string Name = fenceText(Kind);
  return (std::string("ail").find(Name[0]) != std::string::npos ? "an " : "a ") + Name;
}

std::string counted(size_t N, const char *Noun) { return std::to_string(N) + " " + Noun + (N == 1 ? "" : "s"); }

} // namespace

std::string lineText(const SourceLocation &At, const std::string &Checked) {
  auto Absolute = [](const std::string &File) {
    std::error_code Ignored;
    return std::filesystem::absolute(File, Ignored).lexically_normal();
  };
  const std::string Line = "line " + std::to_string(At.Line);
  const bool Same = Checked.empty() || At.File.empty() || At.File == Checked || Absolute(At.File) == Absolute(Checked);
  return Same ? Line : At.File.substr(At.File.rfind('/') + 1) + " " + Line;
}

std::vector<MemoryModel> modelsChecked(const std::vector<ModelReport> &Models) {
  std::vector<MemoryModel> Which;
  for (const ModelReport &M : Models)
    if (!M.Skipped)
      Which.push_back(M.Which);
  return Which;
}

void addSkipped(std::vector<ModelReport> &To, const std::vector<ModelReport> &Models) {
  for (const ModelReport &M : Models)
    if (M.Skipped &&
        std::none_of(To.begin(), To.end(), [&](const ModelReport &Known) { return Known.Which == M.Which; }))
      To.push_back(M);
  std::sort(To.begin(), To.end(), [](const ModelReport &A, const ModelReport &B) { return A.Which < B.Which; });
}

std::string coverageOf(const std::vector<ModelReport> &Models, unsigned Unroll) {
  const bool Bounded =
      std::any_of(Models.begin(), Models.end(), [](const ModelReport &M) { return M.Result == Verdict::Bounded; });
  return "verified " + (Bounded ? "up to " + counted(Unroll, "iteration") + " " : "") + "for " +
         titlesOf(modelsChecked(Models));
}

std::string aboutTest(const Fix &F) {
  return F.ChangesTest ? "; no fix in the library was found: this one changes the file with 'main'" : "";
}

std::string titleOf(const Fix &F, unsigned Unroll) {
  size_t Fences = 0, Orders = 0, Atomic = 0, Removed = 0;
  for (const SourceChange &Change : F.Changes) {
    Fences += std::holds_alternative<InsertFence>(Change);
    const auto *Order = std::get_if<ChangeOrder>(&Change);
    (Order && Order->From == picket::Order::NotAtomic ? Atomic : Orders) += Order != nullptr;
    Removed += std::holds_alternative<RemoveFence>(Change);
  }
  std::vector<std::string> Parts;
  if (Fences)
    Parts.push_back("add " + counted(Fences, "fence"));
  if (Orders)
    Parts.push_back("change " + counted(Orders, "memory order"));
  if (Atomic)
    Parts.push_back("make " + std::to_string(Atomic) + (Atomic == 1 ? " access atomic" : " accesses atomic"));
  if (Removed)
    Parts.push_back("remove " + counted(Removed, "fence"));
  std::string Title;
  for (size_t K = 0; K < Parts.size(); ++K)
    Title += (K == 0 ? "" : K + 1 == Parts.size() ? " and " : ", ") + Parts[K];
  Title[0] = static_cast<char>(std::toupper(Title[0]));
  std::string Proved = coverageOf(F.Models, Unroll);
  if (F.Cheapest)
    Proved += ", cheapest";
  else if (F.Minimal)
    Proved += ", minimal";
  if (F.CheapestWanted && !F.Cheapest)
    Proved += ", not proved to be cheapest";
  return Title + " (" + Proved + aboutTest(F) + ")";
}

std::string describe(const SourceChange &Change, const std::string &Checked) {
  auto Line = [&](const SourceLocation &At) { return lineText(At, Checked); };
  if (const auto *New = std::get_if<InsertFence>(&Change)) {
    const bool Front = New->NearLater;
    return nameOfFence(New->Kind) + (Front ? " before " : " after ") + Line(Front ? New->Later : New->Earlier);
  }
  if (const auto *Other = std::get_if<ChangeOrder>(&Change); Other && Other->From == Order::NotAtomic)
    return "the access at " + Line(Other->Access) + " becomes relaxed atomic";
  if (const auto *Other = std::get_if<ChangeOrder>(&Change))
    return "the memory order " +
           (Other->Call.Line ? "of the call at " + Line(Other->Call) : "at " + Line(Other->Access)) + ": " +
           nameOf(Other->From) + " becomes " + nameOf(Other->To);
  return "no fence at " + Line(std::get<RemoveFence>(Change).Fence);
}

} // namespace picket
