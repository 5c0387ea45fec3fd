#include "check/Refusals.h"

#include "check/ReachableCode.h"
#include "trace/RecordingNames.h"

#include <algorithm>

namespace picket {

namespace {

constexpr size_t MostNamed = 40; // in the reason; the report has all of them

/// "'foo'", of what is a call of a function; empty for other things that are not modelled.
std::string_view calledIn(std::string_view Message) {
  constexpr std::string_view Call = "call to ";
  if (Message.substr(0, Call.size()) != Call)
    return {};
  Message.remove_prefix(Call.size());
  return Message.substr(0, Message.find('\'', 1) + 1);
}

const std::string &messageOf(const Program &Compiled, uint32_t Pc) {
  const Instruction &I = Compiled.Code[Pc];
  return Compiled.Messages[I.Op == Opcode::Call ? Compiled.Functions[static_cast<size_t>(I.Imm)].Message
                                                : static_cast<size_t>(I.Imm)];
}

class RefusedThings {
public:
  RefusedThings(const Program &Compiled, std::vector<Unmodelled> &All) : Compiled(Compiled), All(All) {}

  void add(const std::string &What, const ProgramLocation &L) {
    auto Known = std::find_if(All.begin(), All.end(), [&](const Unmodelled &U) { return U.What == What; });
    if (Known == All.end())
      Known = All.insert(All.end(), {What, {}});
    SourceLocation Where = locationOf(Compiled, L);
    // What a model of the C library calls is not the user's to look at.
    if (!L.Line || !Compiled.UserFile[L.File] ||
        std::any_of(Known->Places.begin(), Known->Places.end(),
                    [&](const SourceLocation &K) { return K.File == Where.File && K.Line == Where.Line; }))
      return;
    Known->Places.push_back(std::move(Where));
  }

private:
  const Program &Compiled;
  std::vector<Unmodelled> &All;
};

/// " (line 12)", " (lines 12, 20)", "" if nothing is known. Lines of other files have the file's name.
std::string placesText(const Unmodelled &U, const std::string &File) {
  if (U.Places.empty())
    return "";
  const bool Plain =
      std::all_of(U.Places.begin(), U.Places.end(), [&](const SourceLocation &Where) { return Where.File == File; });
  std::string Text = Plain ? U.Places.size() == 1 ? " (line " : " (lines " : " (";
  for (size_t K = 0; K < U.Places.size(); ++K)
    Text += (K ? ", " : "") + (Plain ? "" : U.Places[K].File.substr(U.Places[K].File.find_last_of('/') + 1) + ":") +
            std::to_string(U.Places[K].Line);
  return Text + ")";
}

} // namespace

void describeRefusal(const Program &Compiled, uint32_t Pc, ModelReport &Report) {
  ReachableCode Code(Compiled);
  Code.addAll();
  const std::vector<uint32_t> Refused = Code.refused();
  Report.NotModelled.clear();
  RefusedThings Things(Compiled, Report.NotModelled);
  // What an execution came to is first. That need not be an instruction of its own: a thread can begin with it.
  Things.add(Report.Reason, Compiled.locationOf(Pc));
  for (uint32_t Other : Refused)
    Things.add(messageOf(Compiled, Other), Compiled.locationOf(Other));
  for (uint32_t F : Code.refusedThroughPointers())
    Things.add(Compiled.Messages[Compiled.Functions[F].Message], Compiled.Locations[Compiled.Functions[F].Location]);
  const std::vector<Unmodelled> &All = Report.NotModelled;
  for (size_t K = 1; K < All.size() && K < MostNamed; ++K) {
    const std::string_view Called = calledIn(All[K].What);
    Report.Reason += (K == 1 ? "; not modelled either: " : ", ") +
                     (Called.empty() ? All[K].What : std::string(Called)) +
                     placesText(All[K], Report.ReasonLocation.File);
  }
  if (All.size() > MostNamed)
    Report.Reason += " and " + std::to_string(All.size() - MostNamed) + " more";
  const bool Calls = std::any_of(All.begin(), All.end(), [](const Unmodelled &U) {
    return !calledIn(U.What).empty() && U.What.find("--nondet") == std::string::npos; // that has a way out of its own
  });
  if (Calls)
    Report.Reason +=
        All.size() == 1 ? "; define it, or see --stub and --stubs" : "; define them, or see --stub and --stubs";
}

} // namespace picket
