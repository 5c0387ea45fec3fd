#include "draw/EventLabel.h"

#include "trace/Wording.h"

#include <algorithm>

namespace picket {

namespace {

constexpr size_t LongestPart = 24;  // characters of a name or a value in a node
constexpr size_t LongestLabel = 44; // characters of a node
constexpr size_t LongestList = 30;  // lines of a tooltip that lists events

size_t charactersOf(const std::string &Text) {
  return static_cast<size_t>(std::count_if(Text.begin(), Text.end(), [](char C) { return (C & 0xc0) != 0x80; }));
}

/// Cuts out the middle: names of elements and fields differ at their ends.
std::string shortened(const std::string &Text, size_t Longest) {
  const size_t Characters = charactersOf(Text);
  if (Characters <= Longest)
    return Text;
  const size_t Front = (Longest - 1) / 2, Back = Longest - 1 - Front;
  std::string Short;
  size_t Index = 0; // of the character
  for (size_t I = 0; I < Text.size(); ++Index) {
    size_t End = I + 1;
    while (End < Text.size() && (Text[End] & 0xc0) == 0x80)
      ++End;
    if (Index == Front)
      Short += "…";
    if (Index < Front || Index >= Characters - Back)
      Short.append(Text, I, End - I);
    I = End;
  }
  return Short;
}

std::string part(const std::string &Text, bool Full) { return Full ? Text : shortened(Text, LongestPart); }

std::string nameOfThread(const Recording &R, uint32_t Thread) {
  return Thread < R.Threads.size() ? R.Threads[Thread].Name : "a thread";
}

std::string join(const std::vector<std::string> &Parts) {
  std::string Text;
  for (const std::string &P : Parts)
    Text += (Text.empty() ? "" : ", ") + P;
  return Text;
}

/// "x = 1, y = 2": the accesses that read, or those that write.
std::string valuesOf(const Recording &R, const TraceEvent &E, bool Writes, bool Full) {
  std::vector<std::string> Parts;
  for (const TraceAccess &A : E.Accesses)
    if (A.Write == Writes)
      Parts.push_back(part(R.Variables[A.Variable].Name, Full) + " = " + part(A.Text, Full));
  return join(Parts);
}

/// "x: 0 → 1, ..." for an event that reads and writes.
std::string changesOf(const Recording &R, const TraceEvent &E, bool Full) {
  std::vector<std::string> Parts;
  for (const TraceAccess &W : E.Accesses) {
    if (!W.Write)
      continue;
    auto Read = std::find_if(E.Accesses.begin(), E.Accesses.end(),
                             [&](const TraceAccess &A) { return !A.Write && A.Variable == W.Variable; });
    const std::string Name = part(R.Variables[W.Variable].Name, Full);
    Parts.push_back(Read == E.Accesses.end() ? Name + " = " + part(W.Text, Full)
                                             : Name + ": " + part(Read->Text, Full) + " → " + part(W.Text, Full));
  }
  return join(Parts);
}

/// What a lock, a freed block and the like is called.
std::string objectOf(const Recording &R, const TraceEvent &E, bool Full) {
  if (!E.Accesses.empty())
    return part(R.Variables[E.Accesses.front().Variable].Name, Full);
  return part(E.Expression, Full);
}

std::string words(const std::string &First, const std::string &Second) {
  return Second.empty() ? First : First + " " + Second;
}

std::string bugText(const Recording &R) {
  if (R.BugKind == BugKind::Assertion)
    return "assertion fails";
  if (!R.BugKind)
    return "bug";
  std::string Text = nameOf(*R.BugKind);
  std::replace(Text.begin(), Text.end(), '-', ' ');
  return Text;
}

std::string describe(const Recording &R, const TraceEvent &E, bool Full) {
  switch (E.Kind) {
  case EventKind::Store: return valuesOf(R, E, true, Full);
  case EventKind::Load: return "read " + valuesOf(R, E, false, Full);
  case EventKind::Update: return "update " + valuesOf(R, E, true, Full);
  case EventKind::Rmw:
    return "atomic " + (E.writes() ? changesOf(R, E, Full) : "read " + valuesOf(R, E, false, Full)) +
           (E.What.empty() ? "" : " (fails " + E.What + ")");
  case EventKind::Fence:
    return (E.What.empty() ? "fence" : E.What) + (E.Ordering.empty() ? "" : " (" + E.Ordering + ")");
  case EventKind::Sync: return words(E.Action == SyncAction::None ? "synchronise" : E.words(), objectOf(R, E, Full));
  case EventKind::Create: return "create " + part(nameOfThread(R, E.Other), Full);
  case EventKind::Join: return "join " + part(nameOfThread(R, E.Other), Full);
  case EventKind::Free: return words("free", objectOf(R, E, Full));
  case EventKind::Atomic: {
    std::string Values = E.writes() ? changesOf(R, E, Full) : valuesOf(R, E, false, Full);
    return Values.empty() ? "atomic section" : "atomic section: " + Values;
  }
  case EventKind::Choice: return E.What;
  case EventKind::Blocked:
    return words(E.What.empty() ? "waits forever" : E.What, E.What.empty() ? "" : objectOf(R, E, Full));
  case EventKind::Bug: return Full && !E.What.empty() ? E.What : bugText(R);
  }
  return "";
}

std::string placeText(const TracePlace &P) {
  std::string Text = P.Where.File.empty() ? "" : P.Where.File;
  if (P.Where.Line)
    Text += ":" + std::to_string(P.Where.Line);
  if (!P.Function.empty())
    Text = Text.empty() ? "in " + P.Function : Text + " in " + P.Function;
  return Text;
}

/// ":9", with the file's name if it is not the program's own file.
std::string lineSuffix(const Recording &R, const TraceEvent &E) {
  if (!E.At.Where.Line)
    return "";
  std::string File;
  if (!inMainFile(R, E.At.Where)) {
    size_t Slash = E.At.Where.File.rfind('/');
    File = part(Slash == std::string::npos ? E.At.Where.File : E.At.Where.File.substr(Slash + 1), false);
  }
  return "  " + File + ":" + std::to_string(E.At.Where.Line);
}

/// The object that a variable is part of: "buf" of "buf[3].next".
std::string baseOf(const std::string &Name) { return Name.substr(0, Name.find_first_of("[.")); }

} // namespace

std::string labelOf(const Recording &R, uint32_t Event) {
  const TraceEvent &E = R.Events[Event];
  return shortened(describe(R, E, false), LongestLabel) + lineSuffix(R, E);
}

std::string tooltipOf(const Recording &R, uint32_t Event) {
  const TraceEvent &E = R.Events[Event];
  std::string Text = nameOfThread(R, E.Thread) + ": " + describe(R, E, true);
  if (E.Forwarded)
    Text += " (from its own store buffer)";
  if (!E.Ordering.empty() && E.Kind != EventKind::Fence)
    Text += " (" + E.Ordering + ")";
  if (!E.Expression.empty())
    Text += "\nin the source: " + E.Expression;
  for (const TraceAccess &A : E.Accesses)
    if (const TraceVariable &V = R.Variables[A.Variable]; !V.Object.empty() && V.Object != V.Name) {
      Text += "\n" + V.Name + ": " + V.Object;
      if (!V.Type.empty())
        Text += ", type " + V.Type;
    }
  for (auto Called = E.Folded.rbegin(); Called != E.Folded.rend(); ++Called)
    Text += "\nin " + placeText(*Called);
  if (std::string Here = placeText(E.At); !Here.empty())
    Text += "\nat " + Here;
  for (auto Caller = E.Callers.rbegin(); Caller != E.Callers.rend(); ++Caller)
    Text += "\ncalled from " + placeText(*Caller);
  return Text;
}

std::string labelOfFold(const Recording &R, const std::vector<uint32_t> &Events) {
  std::vector<std::string> Bases, Names;
  auto Add = [](std::vector<std::string> &To, const std::string &Name) {
    if (std::find(To.begin(), To.end(), Name) == To.end())
      To.push_back(Name);
  };
  bool AllAccesses = true, SameKind = true;
  for (uint32_t Event : Events) {
    const TraceEvent &E = R.Events[Event];
    AllAccesses &= E.isAccess();
    SameKind &= E.Kind == R.Events[Events.front()].Kind;
    if (Bases.size() > 2)
      continue;
    for (const TraceAccess &A : E.Accesses) {
      Add(Names, R.Variables[A.Variable].Name);
      Add(Bases, baseOf(R.Variables[A.Variable].Name));
    }
  }
  std::string Noun = AllAccesses ? "accesses" : "events";
  if (SameKind)
    switch (R.Events[Events.front()].Kind) {
    case EventKind::Load: Noun = "reads"; break;
    case EventKind::Store: Noun = "writes"; break;
    case EventKind::Update: Noun = "updates"; break;
    default: break;
    }
  std::string Text = "… " + std::to_string(Events.size()) + " more " + Noun;
  if (AllAccesses && !Bases.empty() && Bases.size() <= 2)
    Text += " of " + part(Names.size() == 1 ? Names.front() : join(Bases), false);
  return Text;
}

std::string tooltipOfFold(const Recording &R, const std::vector<uint32_t> &Events) {
  std::string Text =
      nameOfThread(R, R.Events[Events.front()].Thread) + ": " + std::to_string(Events.size()) + " events";
  for (size_t I = 0; I < Events.size(); ++I) {
    if (I == LongestList && Events.size() > LongestList + 1) {
      Text += "\n… and " + std::to_string(Events.size() - I) + " more";
      break;
    }
    Text += "\n" + labelOf(R, Events[I]);
  }
  return Text;
}

} // namespace picket
