#include "source/naming/SourceFacts.h"

#include <algorithm>
#include <iterator>

namespace picket {

namespace {

/// Finds which types of a list are the same: two are if they look the same and so do all that they lead to. Types lead
/// back to themselves, so classes of types that look the same are split until none has members that lead to different
/// classes.
class TypeClasses {
public:
  explicit TypeClasses(const std::vector<SourceType> &Types) : Types(Types), Class(Types.size(), 0) {
    split([&](uint32_t K) { return keyOf(Types[K]); });
    for (size_t Before = 0; Before != Count;) {
      Before = Count;
      split([&](uint32_t K) { return linksOf(K); });
    }
  }

  /// The first type of the list that is the same as this one.
  std::vector<uint32_t> firsts() const {
    std::vector<uint32_t> First(Count, UINT32_MAX), Result;
    for (uint32_t K = 0; K < Types.size(); ++K) {
      First[Class[K]] = std::min(First[Class[K]], K);
      Result.push_back(First[Class[K]]);
    }
    return Result;
  }

private:
  using Part = std::tuple<std::string, uint32_t, uint32_t, uint32_t>;
  using Key = std::tuple<SourceType::Kind, uint32_t, std::string, std::vector<Part>,
                         std::vector<std::pair<int64_t, std::string>>>;

  static Key keyOf(const SourceType &T) {
    std::vector<Part> Parts;
    Parts.reserve(T.Fields.size());
    for (const SourceType::Field &F : T.Fields)
      Parts.emplace_back(F.Name, F.Offset, F.BitOffset, F.BitWidth);
    return {T.What, T.Size, T.Name, std::move(Parts), T.Enumerators};
  }

  std::vector<uint32_t> linksOf(uint32_t K) const {
    std::vector<uint32_t> Links = {Class[K], Class[Types[K].Element]};
    for (const SourceType::Field &F : Types[K].Fields)
      Links.push_back(Class[F.Type]);
    return Links;
  }

  template <typename Function> void split(Function KeyOf) {
    std::map<decltype(KeyOf(0)), uint32_t> Known;
    std::vector<uint32_t> New;
    New.reserve(Types.size());
    for (uint32_t K = 0; K < Types.size(); ++K)
      New.push_back(Known.try_emplace(KeyOf(K), static_cast<uint32_t>(Known.size())).first->second);
    Class = std::move(New);
    Count = Known.size();
  }

  const std::vector<SourceType> &Types;
  std::vector<uint32_t> Class;
  size_t Count = 0;
};

/// Appends the types that are new. Returns where each of the others is now.
std::vector<uint32_t> mergeTypes(std::vector<SourceType> &Into, std::vector<SourceType> Others) {
  const auto Own = static_cast<uint32_t>(Into.size());
  auto Move = [&](uint32_t &Type) { Type = Type == 0 ? 0 : Type + Own; };
  std::vector<SourceType> All = Into;
  for (SourceType &T : Others) {
    Move(T.Element);
    for (SourceType::Field &F : T.Fields)
      Move(F.Type);
    All.push_back(std::move(T));
  }
  const std::vector<uint32_t> First = TypeClasses(All).firsts();
  std::vector<uint32_t> Now(All.size());
  for (uint32_t K = 0; K < Own; ++K) // they stay where they are
    Now[K] = K;
  for (uint32_t K = Own; K < All.size(); ++K)
    if (First[K] < K) {
      Now[K] = Now[First[K]];
    } else {
      Now[K] = static_cast<uint32_t>(Into.size());
      Into.push_back(std::move(All[K]));
    }
  for (uint32_t K = Own; K < Into.size(); ++K) {
    Into[K].Element = Now[Into[K].Element];
    for (SourceType::Field &F : Into[K].Fields)
      F.Type = Now[F.Type];
  }
  return {Now.begin() + Own, Now.end()};
}

} // namespace

void merge(SourceFacts &Into, SourceFacts Other) {
  std::vector<uint32_t> File;
  for (std::string &Path : Other.Files) {
    const auto At = std::find(Into.Files.begin(), Into.Files.end(), Path);
    File.push_back(static_cast<uint32_t>(At - Into.Files.begin()));
    if (At == Into.Files.end())
      Into.Files.push_back(std::move(Path));
  }
  std::vector<uint32_t> Type = mergeTypes(Into.Types, std::move(Other.Types));
  Type[0] = 0; // not known
  for (SourceNames::Expression &E : Other.Expressions) {
    E.File = File[E.File];
    E.Type = Type[E.Type];
    Into.Expressions.push_back(std::move(E));
  }
  for (auto &[Variable, Its] : Other.Variables)
    Into.Variables.try_emplace({Variable.Name, File[Variable.File], Variable.Line}, Type[Its]);
  auto Moved = [&](const SourceFacts::Place &P) { return SourceFacts::Place{File[P.File], P.Line, P.Column}; };
  for (auto &[Place, Its] : Other.Allocations)
    Into.Allocations.try_emplace(Moved(Place), Type[Its]);
  for (const SourceFacts::Place &Place : Other.BenignRaces)
    Into.BenignRaces.insert(Moved(Place));

  if (Into.ArchitectureTested.Line == 0)
    Into.ArchitectureTested = Other.ArchitectureTested;
  if (Into.ArchitectureFound.Line == 0)
    Into.ArchitectureFound = Other.ArchitectureFound;
  if (Other.HasMain && !Into.HasMain) {
    Into.HasMain = true;
    Into.Checked = Other.Checked;
  }
  std::move(Other.Compiled.begin(), Other.Compiled.end(), std::back_inserter(Into.Compiled));
  Into.Externals.merge(Other.Externals);
  Into.SystemFiles.merge(Other.SystemFiles);
  for (const auto &[Function, Calls] : Other.Wrappers)
    Into.Wrappers[Function] += Calls;
}

} // namespace picket
