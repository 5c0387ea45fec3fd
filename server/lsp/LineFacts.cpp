#include "lsp/LineFacts.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>

using llvm::StringRef;

namespace picket {

namespace {

constexpr size_t MostMoments = 6; // of a line in one counterexample: a loop may come by often

std::string upperName(Model M) { return StringRef(nameOf(M)).upper(); }

/// Accesses of a variable by a thread, over all counterexamples.
struct Touch {
  bool Reads = false, Writes = false;
  std::set<uint32_t> Lines;
};

class FactFinder {
public:
  explicit FactFinder(const CheckReport &Report) : Report(Report) {}

  std::vector<LineFact> find(const CheckOptions &Options) {
    for (const ModelReport &M : Report.Models)
      for (const Bug &B : M.Bugs)
        if (B.Trace)
          gather(*B.Trace);
    for (const auto &[Where, Names] : VariablesAt)
      for (const std::string &Name : Names)
        tellOthers(Where, Name);
    for (const ModelReport &M : Report.Models)
      for (const Bug &B : M.Bugs)
        if (B.Trace)
          tellMoments(*B.Trace, upperName(M.Which));
    for (const ModelReport &M : Report.Models) {
      for (const CutLoop &L : M.Loops)
        add(L.Where, "This loop was followed for " + std::to_string(Options.Unroll) + " iterations.");
      for (const Note &N : M.Notes)
        add(N.Where, "It " + N.Message + ".");
    }
    return std::move(Facts);
  }

private:
  using LinePlace = std::pair<std::string, uint32_t>;

  void add(const Place &Where, std::string Text) {
    auto Same = [&](const LineFact &F) {
      return F.Where.File == Where.File && F.Where.Line == Where.Line && F.Text == Text;
    };
    if (Where.Line && std::none_of(Facts.begin(), Facts.end(), Same))
      Facts.push_back({{Where.File, Where.Line, 0, 0, 0}, std::move(Text)});
  }

  void gather(const Counterexample &C) {
    for (const TraceEvent &E : C.Run.Events) {
      const Place Where = userPlace(E);
      if (!Where.Line || E.Kind == EventKind::Update)
        continue;
      for (const TraceAccess &A : E.Accesses) {
        const std::string &Name = C.Run.Variables[A.Variable].Name;
        Touch &T = Touches[Name][C.Run.Threads[E.Thread].Name];
        (A.Write ? T.Writes : T.Reads) = true;
        T.Lines.insert(Where.Line);
        VariablesAt[{Where.File, Where.Line}].insert(Name);
        ThreadsAt[{Where.File, Where.Line}].insert(C.Run.Threads[E.Thread].Name);
      }
    }
  }

  /// "`flag`: also read by `right` (lines 28, 30)"
  void tellOthers(const LinePlace &Where, const std::string &Name) {
    const std::set<std::string> &Here = ThreadsAt[Where];
    std::vector<std::string> Others;
    for (const auto &[Thread, T] : Touches[Name]) {
      if (Here.size() == 1 && Here.count(Thread))
        continue;
      std::vector<std::string> Lines;
      for (uint32_t Line : T.Lines)
        Lines.push_back(std::to_string(Line));
      Others.push_back("thread `" + Thread + "` " +
                       (T.Reads && T.Writes ? "reads and writes it"
                        : T.Writes          ? "writes it"
                                            : "reads it") +
                       " (line" + (Lines.size() > 1 ? "s " : " ") + llvm::join(Lines, ", ") + ")");
    }
    if (!Others.empty())
      add({Where.first, Where.second, 0, 0, 0}, "`" + Name + "` is shared: " + llvm::join(Others, "; ") + ".");
  }

  /// What happened at each line, step by step.
  void tellMoments(const Counterexample &C, const std::string &Model) {
    std::map<LinePlace, std::vector<std::string>> Moments;
    for (size_t K = 0; K < C.Steps.size(); ++K) {
      const Step &S = C.Steps[K];
      const TraceEvent &E = C.Run.Events[S.Event];
      const Place Where = userPlace(E);
      if (!Where.Line)
        continue;
      std::string Text = "step " + std::to_string(K + 1) + ": thread `" + C.Run.Threads[E.Thread].Name + "` " + S.Text;
      if (!S.Remark.empty())
        Text += " (" + S.Remark + ")";
      Moments[{Where.File, Where.Line}].push_back(std::move(Text));
    }
    for (auto &[Where, Lines] : Moments) {
      std::string Text = "In the counterexample under " + Model + ":";
      for (size_t K = 0; K < std::min(Lines.size(), MostMoments); ++K)
        Text += "\n- " + Lines[K];
      if (Lines.size() > MostMoments)
        Text += "\n- and " + std::to_string(Lines.size() - MostMoments) + " more";
      add({Where.first, Where.second, 0, 0, 0}, std::move(Text));
    }
  }

  const CheckReport &Report;
  std::map<std::string, std::map<std::string, Touch>> Touches; // variable, thread
  std::map<LinePlace, std::set<std::string>> VariablesAt, ThreadsAt;
  std::vector<LineFact> Facts;
};

bool isUsers(const Place &Where) { return Where.Line && StringRef(Where.File).starts_with("/"); }

} // namespace

Place userPlace(const TraceEvent &E) {
  if (isUsers(E.At.Where))
    return E.At.Where;
  for (size_t K = E.Callers.size(); K-- > 0;)
    if (isUsers(E.Callers[K].Where))
      return E.Callers[K].Where;
  return {};
}

std::vector<LineFact> factsOf(const CheckReport &Report, const CheckOptions &Options) {
  return FactFinder(Report).find(Options);
}

} // namespace picket
