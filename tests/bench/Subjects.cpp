#include "bench/Subjects.h"

#include <array>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace picket {

double processorSeconds() {
  timespec Now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return static_cast<double>(Now.tv_sec) + 1e-9 * static_cast<double>(Now.tv_nsec);
}

std::vector<Subject> allSubjects() {
  std::ifstream File(std::string(PICKET_SOURCE_DIR) + "/tests/programs/expected.tsv");
  std::vector<std::string> Order;
  std::map<std::string, Subject> Subjects;
  std::map<std::string, std::set<std::string>> Totals; // as stated, of the models compared
  for (std::string Line; std::getline(File, Line);) {
    if (Line.empty() || Line[0] == '#')
      continue;
    std::array<std::string, 6> Column; // program, flags, unroll, model, verdict, executions
    std::stringstream Rest(Line);
    for (std::string &Text : Column)
      std::getline(Rest, Text, '\t');
    std::string Key = Column[0] + "\t" + Column[1] + "\t" + Column[2];
    if (Column[5] != "-" && Column[3] != "power")
      Totals[Key].insert(Column[5]);
    if (Subjects.count(Key))
      continue;
    Order.push_back(Key);
    Subject &S = Subjects[Key];
    S.Name = Column[0];
    S.Unroll = static_cast<unsigned>(std::stoul(Column[2]));
    std::stringstream Words(Column[1] == "-" ? "" : Column[1]);
    for (std::string Word; Words >> Word;)
      S.Flags.push_back(Word);
  }
  std::vector<Subject> Result;
  for (const std::string &Key : Order)
    if (Totals[Key].size() <= 1)
      Result.push_back(Subjects[Key]);
  return Result;
}

} // namespace picket
