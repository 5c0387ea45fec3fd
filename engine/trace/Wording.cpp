#include "trace/Wording.h"

namespace picket {

static std::string fileName(const std::string &Path) {
  size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? Path : Path.substr(Slash + 1);
}

bool inMainFile(const Recording &R, const SourceLocation &P) { return fileName(P.File) == fileName(R.File); }

std::string lineText(const Recording &R, const SourceLocation &P) {
  if (!P.Line)
    return "an unknown location";
  std::string Line = "line " + std::to_string(P.Line);
  return inMainFile(R, P) ? Line : fileName(P.File) + " " + Line;
}

std::string threadText(const Recording &R, uint32_t Thread) {
  const std::string Name = Thread < R.Threads.size() ? R.Threads[Thread].Name : "";
  return Name == "main" ? Name : "thread '" + Name + "'";
}

std::string variableText(const Recording &R, const TraceEvent &E, const TraceAccess &A) {
  const std::string &Name = R.Variables[A.Variable].Name;
  // The text of the source says more where it goes through a pointer: it is how the reader knows the thing.
  bool ThroughPointer = E.Expression.find("->") != std::string::npos || E.Expression.rfind("*", 0) == 0;
  return ThroughPointer && E.Expression != Name ? "`" + E.Expression + "` (" + Name + ")" : "`" + Name + "`";
}

std::string describeAccess(const Recording &R, uint32_t Event) {
  const TraceEvent &E = R.Events[Event];
  std::string Name = E.Accesses.empty() ? "" : variableText(R, E, E.Accesses.back());
  std::string At = " at " + lineText(R, E.At.Where);
  switch (E.Kind) {
  case EventKind::Store:
  case EventKind::Update: return "the store to " + Name + At;
  case EventKind::Load: return "the load of " + Name + At;
  case EventKind::Rmw: return "the read-modify-write of " + Name + At;
  case EventKind::Fence: return "the fence" + At;
  default: return "the operation" + At;
  }
}

/// "a full fence", "an lwsync"
static std::string withArticle(const std::string &What) {
  const bool Vowel = !What.empty() && std::string("aeio").find(What[0]) != std::string::npos;
  return (Vowel || What == "lwsync" ? "an " : "a ") + What;
}

std::string describeEvent(const Recording &R, uint32_t Event) {
  const TraceEvent &E = R.Events[Event];
  const TraceAccess *First = E.Accesses.empty() ? nullptr : &E.Accesses.front();
  const TraceAccess *Last = E.Accesses.empty() ? nullptr : &E.Accesses.back();
  auto Name = [&](const TraceAccess *A) { return A ? variableText(R, E, *A) : std::string(); };
  switch (E.Kind) {
  case EventKind::Store: {
    std::string Text = "stores " + Last->Text + " to " + Name(Last);
    return E.Partner == NoEvent ? Text : Text + ": it waits in the store buffer";
  }
  case EventKind::Update: return "the store of " + Last->Text + " to " + Name(Last) + " reaches memory";
  case EventKind::Load:
    return "reads " + First->Text + " from " + Name(First) +
           (!E.Forwarded                     ? ""
            : !infoOf(R.Model).Chronological ? " (its own store, which no other thread sees yet)"
                                             : " (its own store, still in the buffer)");
  case EventKind::Rmw:
    if (!Last->Write)
      return "reads " + First->Text + " from " + Name(First) + " and leaves it unchanged (compare-and-exchange fails" +
             (E.What.empty() ? "" : " " + E.What) + ")";
    return "reads " + First->Text + " from " + Name(First) + " and writes " + Last->Text + " atomically";
  case EventKind::Fence: return "passes " + withArticle(E.What);
  case EventKind::Sync:
  case EventKind::Blocked: return First ? E.words() + " " + Name(First) : E.words();
  case EventKind::Create: return "starts " + threadText(R, E.Other);
  case EventKind::Join: return "sees the end of " + threadText(R, E.Other);
  case EventKind::Free: return (E.What.empty() ? "frees" : E.What) + " " + Name(First);
  case EventKind::Atomic: {
    std::string Text = "runs an atomic section";
    const char *Separator = ": ";
    for (const TraceAccess &A : E.Accesses) {
      Text += Separator + (A.Write ? "writes " + A.Text + " to " : "reads " + A.Text + " from ") + Name(&A);
      Separator = ", ";
    }
    return Text;
  }
  case EventKind::Choice:
  case EventKind::Bug: return E.What;
  }
  return "";
}

std::string throughText(const TraceEvent &E) {
  if (E.Folded.empty() || E.Folded.front().Function.empty())
    return "";
  const TracePlace &Called = E.Folded.front();
  return " (by '" + Called.Function + "' in " + Called.Where.File.substr(Called.Where.File.rfind('/') + 1) + ")";
}

} // namespace picket
