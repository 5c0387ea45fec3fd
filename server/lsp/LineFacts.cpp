#include "lsp/LineFacts.h"

#include "check/RobustnessText.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>

using llvm::StringRef;

namespace picket {

namespace {

constexpr size_t MostMoments = 6; // of a line in one counterexample: a loop may come by often

using LinePlace = std::pair<std::string, uint32_t>;

LinePlace lineOf(const TraceEvent &E) {
  const SourceLocation Where = userLocation(E);
  return {Where.File, Where.Line};
}

std::string namesOf(const std::set<MemoryModel> &Models) { return titlesOf({Models.begin(), Models.end()}); }

/// Accesses of a variable by a thread, over all executions that were written down.
struct Touch {
  bool Reads = false, Writes = false;
  std::set<LinePlace> Lines;
};

/// "line 9", told at a line of the same file; "lock.h line 4" elsewhere.
std::string lineText(const LinePlace &Line, const LinePlace &ToldAt) {
  const std::string File = Line.first.substr(Line.first.rfind('/') + 1) + " ";
  return (Line.first == ToldAt.first ? "" : File) + "line " + std::to_string(Line.second);
}

/// "line 9", "lines 9, 12, lock.h line 4"
std::string linesText(const std::set<LinePlace> &Lines, const LinePlace &ToldAt) {
  std::vector<std::string> Here, Elsewhere;
  for (const LinePlace &Line : Lines)
    if (Line.first == ToldAt.first)
      Here.push_back(std::to_string(Line.second));
    else
      Elsewhere.push_back(lineText(Line, ToldAt));
  if (!Here.empty())
    Elsewhere.insert(Elsewhere.begin(), (Here.size() > 1 ? "lines " : "line ") + llvm::join(Here, ", "));
  return llvm::join(Elsewhere, ", ");
}

/// A store and what its thread did later and yet before it landed, in words.
struct Overtaking {
  std::string Store, By;
  auto operator<=>(const Overtaking &) const = default;
};

class FactFinder {
public:
  explicit FactFinder(const CheckReport &Report) : Report(Report) {}

  std::vector<LineFact> find(const CheckOptions &Options) {
    forEachRun([this](const Recording &Run, MemoryModel) { gather(Run); });
    forEachRun([this](const Recording &Run, MemoryModel Which) {
      std::set<MemoryModel> Under; // models with store buffers that have the execution: every one of TSO is one of PSO
      for (const MemoryModelInfo &M : MemoryModels)
        if (hasBuffers(Which) && hasBuffers(M.Model) &&
            (M.Model == Which || (isWeaker(M.Model, Which) && isChecked(M.Model))))
          Under.insert(M.Model);
      for (uint32_t K = 0; !Under.empty() && K < Run.Events.size(); ++K)
        if (Run.Events[K].Kind == EventKind::Store)
          gatherOrder(Run, K, Under);
    });
    for (const auto &[Where, Names] : VariablesAt)
      for (const std::string &Name : Names)
        tellOthers(Where, Name);
    tellOrder();
    tellLateStores();
    for (const ModelReport &M : Report.Models)
      for (const std::vector<Bug> *All : {&M.Bugs, &M.Warnings})
        for (const Bug &B : *All)
          if (B.Trace)
            tellMoments(*B.Trace, titleOf(M.Which));
    for (const ModelReport &M : Report.Models) {
      if (!M.Stubs.empty()) // what the verdict rests on, at the beginning of the text
        add({Report.File, 1, 1, 1, 1}, "Stubs stand for '" + llvm::join(M.Stubs, "', '") + "'.");
      for (const CutLoop &L : M.Loops)
        add(L.Where, "This loop was followed for " + std::to_string(Options.Unroll) + " iterations.");
      for (const Note &N : M.BehindBound)
        add(N.Where, "Not checked: " + N.Message + ".");
      for (const Note &N : M.Notes)
        add(N.Where, "It " + N.Message + ".");
      if (M.AboutTarget) {
        std::string Text = M.AboutTarget->Message + ".";
        Text[0] = static_cast<char>(std::toupper(Text[0]));
        add(M.AboutTarget->Where, std::move(Text));
      }
    }
    return std::move(Facts);
  }

private:
  static bool hasBuffers(MemoryModel M) { return infoOf(M).Buffers != Buffering::None; }

  bool isChecked(MemoryModel Which) const {
    return std::any_of(Report.Models.begin(), Report.Models.end(),
                       [&](const ModelReport &M) { return M.Which == Which; });
  }

  template <typename F> void forEachRun(F Take) const {
    for (const ModelReport &M : Report.Models) {
      for (const Bug &B : M.Bugs)
        if (B.Trace)
          Take(B.Trace->Run, M.Which);
      for (const std::shared_ptr<const Recording> &Run : M.Samples)
        Take(*Run, M.Which);
    }
  }

  void add(const SourceLocation &Where, std::string Text) {
    auto Same = [&](const LineFact &F) {
      return F.Where.File == Where.File && F.Where.Line == Where.Line && F.Text == Text;
    };
    if (Where.Line && std::none_of(Facts.begin(), Facts.end(), Same))
      Facts.push_back({{Where.File, Where.Line, 0, 0, 0}, std::move(Text)});
  }
  void add(const LinePlace &Where, std::string Text) { add({Where.first, Where.second, 0, 0, 0}, std::move(Text)); }

  void gather(const Recording &Run) {
    for (const TraceEvent &E : Run.Events) {
      const LinePlace Where = lineOf(E);
      if (!Where.second || E.Kind == EventKind::Update)
        continue;
      for (const TraceAccess &A : E.Accesses) {
        const std::string &Name = Run.Variables[A.Variable].Name;
        Touch &T = Touches[Name][Run.Threads[E.Thread].Name];
        (A.Write ? T.Writes : T.Reads) = true;
        T.Lines.insert(Where);
        VariablesAt[Where].insert(Name);
        ThreadsAt[Where].insert(Run.Threads[E.Thread].Name);
      }
    }
  }

  /// What the thread did between a store and its landing; under PSO also stores that landed earlier.
  void gatherOrder(const Recording &Run, uint32_t Store, const std::set<MemoryModel> &Under) {
    const TraceEvent &S = Run.Events[Store];
    const std::string &Variable = Run.Variables[S.Accesses.front().Variable].Name, Name = "`" + Variable + "`";
    if (Touches[Variable].size() < 2)
      return; // nobody else can tell
    StoresAt[lineOf(S)][Name].insert(Under.begin(), Under.end());
    if (S.Partner == NoEvent)
      return;
    for (uint32_t K = Store + 1; K < S.Partner; ++K) {
      const TraceEvent &E = Run.Events[K];
      const bool Lands = E.Kind == EventKind::Update && E.Partner != NoEvent && E.Partner > Store;
      if (E.Thread != S.Thread || E.Accesses.empty() || (E.Kind != EventKind::Load && !Lands) || E.Forwarded)
        continue;
      const LinePlace By = lineOf(E);
      if (!By.second)
        continue;
      const std::string What =
          (Lands ? "store to `" : "read of `") + Run.Variables[E.Accesses.front().Variable].Name + "`";
      auto AtLine = [](const LinePlace &P, const LinePlace &ToldAt) { return " (" + lineText(P, ToldAt) + ")"; };
      Overtaken[lineOf(S)][{Name, "its later " + What + AtLine(By, lineOf(S))}].insert(Under.begin(), Under.end());
      Overtook[By][{Name + AtLine(lineOf(S), By), What}].insert(Under.begin(), Under.end());
    }
  }

  /// Past what stores and loads went, or that nothing went past them.
  void tellOrder() {
    for (const auto &[Where, Stores] : StoresAt)
      for (const auto &[Name, Models] : Stores) {
        std::set<MemoryModel> Still = Models;
        std::map<std::set<MemoryModel>, std::vector<std::string>> By;
        for (const auto &[What, Under] : Overtaken[Where])
          if (What.Store == Name) {
            By[Under].push_back(What.By);
            for (MemoryModel M : Under)
              Still.erase(M);
          }
        for (const auto &[Under, Things] : By)
          add(Where, "Under " + namesOf(Under) + " the store to " + Name + " was seen to reach memory after " +
                         listed(Things) + ".");
        if (!Still.empty())
          add(Where, "Under " + namesOf(Still) + " nothing its thread did later was seen to overtake the store to " +
                         Name + ".");
      }
    for (const auto &[Where, Things] : Overtook)
      for (const auto &[What, Under] : Things)
        add(Where, "Under " + namesOf(Under) + " the " + What.By +
                       " was seen to take effect before the earlier store to " + What.Store + " reached memory.");
  }

  /// What makes a difference: stores that can be late, and who can observe that. A store is told with the first model.
  void tellLateStores() {
    std::set<LinePlace> Told;
    for (const ModelReport &M : Report.Models)
      for (const Robustness &R : M.Robust) {
        if (M.Which != R.Against || !R.Witness) // nobody wants to know
          continue;
        for (const LateStore &L : lateStoresOf(R)) {
          if (!Told.insert({L.Store.File, L.Store.Line}).second)
            continue;
          add(L.Store, "Not robust: under " + titleOf(M.Which) + " " + lateStoreText(L) + ".");
          for (const SourceLocation &P : L.Observers)
            add(P, "Not robust: under " + titleOf(M.Which) + " the store at " +
                       lineText({L.Store.File, L.Store.Line}, {P.File, P.Line}) +
                       " can be late, and this line can observe the reordering.");
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
      Others.push_back("thread `" + Thread + "` " +
                       (T.Reads && T.Writes ? "reads and writes it"
                        : T.Writes          ? "writes it"
                                            : "reads it") +
                       " (" + linesText(T.Lines, Where) + ")");
    }
    if (!Others.empty())
      add(Where, "`" + Name + "` is shared: " + llvm::join(Others, "; ") + ".");
  }

  /// What happened at each line, step by step.
  void tellMoments(const Counterexample &C, const std::string &Model) {
    std::map<LinePlace, std::vector<std::string>> Moments;
    for (size_t K = 0; K < C.Steps.size(); ++K) {
      const Step &S = C.Steps[K];
      const TraceEvent &E = C.Run.Events[S.Event];
      const SourceLocation Where = userLocation(E);
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
      add(Where, std::move(Text));
    }
  }

  const CheckReport &Report;
  std::map<std::string, std::map<std::string, Touch>> Touches; // variable, thread
  std::map<LinePlace, std::set<std::string>> VariablesAt, ThreadsAt;
  std::map<LinePlace, std::map<std::string, std::set<MemoryModel>>> StoresAt; // under models that could delay them
  std::map<LinePlace, std::map<Overtaking, std::set<MemoryModel>>> Overtaken, Overtook;
  std::vector<LineFact> Facts;
};

bool isUsers(const SourceLocation &Where) { return Where.Line && StringRef(Where.File).starts_with("/"); }

} // namespace

SourceLocation userLocation(const TraceEvent &E) {
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
