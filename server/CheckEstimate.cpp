#include "CheckEstimate.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

namespace picket {

constexpr double EarliestSeconds = 0.5; // what is said before is seldom right
constexpr double LeastShare = 1e-9;
constexpr double TrustedShare = 0.05; // with less, too many branches of the tree have not been met yet

CheckEstimate::CheckEstimate(const std::vector<MemoryModel> &Models, unsigned Together, double TimeoutSeconds)
    : Together(std::max(1u, Together)), Timeout(TimeoutSeconds) {
  for (MemoryModel M : Models)
    Parts.push_back({M});
}

void CheckEstimate::add(const Progress &P) {
  for (Part &Known : Parts)
    if (Known.Which == P.Which) {
      Known.Known = P.Explored >= 0;
      Known.Explored = std::clamp(P.Explored, 0.0, 1.0);
      Known.Seconds = P.Seconds;
    }
  estimate();
}

/// Of a part that has hardly begun it is as good as endless.
double CheckEstimate::Part::total() const { return Seconds / std::max(Explored, LeastShare); }

void CheckEstimate::estimate() {
  double Spent = 0, Longest = 0;
  for (const Part &P : Parts) {
    Spent += P.Seconds;
    if (P.Known)
      Longest = std::max(Longest, P.total());
  }
  // One that cannot tell is taken to be like the others, as long as there are others.
  Known = std::all_of(Parts.begin(), Parts.end(), [](const Part &P) { return P.Known; }) ||
          std::any_of(Parts.begin(), Parts.end(), [](const Part &P) { return P.Known && P.Explored < 1; });
  Limited = false;
  bool Unknown = false;
  double Total = 0, Rest = 0, LongestRest = 0;
  for (const Part &P : Parts) {
    // A model that has not begun takes at least as long as the others: they are ordered from the strongest.
    const double Whole = P.Seconds > 0 ? P.total() : Longest;
    double End = Whole;
    const bool Early = P.Seconds > 0 && (!P.Known || P.Explored < TrustedShare);
    if (P.Explored < 1 && Timeout > 0 && (Whole > Timeout || Early)) {
      End = std::max(Timeout, P.Seconds);
      Limited = true;
    }
    Unknown |= Early && Timeout <= 0;
    Total += P.Known ? Whole : std::max(Longest, P.Seconds);
    Rest += End - P.Seconds;
    LongestRest = std::max(LongestRest, End - P.Seconds);
  }
  if (Known && Total > 0)
    Percentage = std::max(Percentage, std::clamp(static_cast<int>(100 * Spent / Total), 0, 99));
  Left.reset();
  if (!Unknown && Spent >= EarliestSeconds)
    Left = std::max(LongestRest, Rest / Together);
}

static std::string grouped(uint64_t Number) {
  std::string Digits = std::to_string(Number);
  for (size_t K = Digits.size(); K > 3; K -= 3)
    Digits.insert(K - 3, " ");
  return Digits;
}

std::string executionsText(uint64_t Executions) {
  return grouped(Executions) + (Executions == 1 ? " execution" : " executions");
}

std::string statesText(uint64_t States) { return grouped(States) + (States == 1 ? " state" : " states"); }

static std::string durationText(double Seconds) {
  if (Seconds < 100)
    return std::to_string(std::max(1L, std::lround(Seconds))) + " s";
  if (Seconds < 100 * 60)
    return std::to_string(std::lround(Seconds / 60)) + " min";
  return Seconds < 100 * 3600 ? std::to_string(std::lround(Seconds / 3600)) + " h" : "days";
}

std::string progressText(const Progress &Last, const CheckEstimate &All) {
  std::string Text = titleOf(Last.Which) + ": ";
  if (Last.States) // nobody knows how many there are
    return Text + statesText(Last.States);
  Text += executionsText(Last.Executions);
  if (std::optional<int> Percentage = All.percentage())
    Text += *Percentage ? ", about " + std::to_string(*Percentage) + " % done" : ", less than 1 % done";
  if (std::optional<double> Left = All.secondsLeft())
    Text += std::string(All.isLimited() ? ", at most " : ", some ") + durationText(*Left) + " left";
  return Text;
}

} // namespace picket
