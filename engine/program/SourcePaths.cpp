#include "program/SourcePaths.h"

namespace picket {

namespace {

/// A type with nothing inside to name: a scalar, or a struct of the C library that is opaque.
bool isLeaf(const SourceType &T) {
  switch (T.What) {
  case SourceType::Struct:
  case SourceType::Union: return T.Fields.empty();
  case SourceType::Array: return T.Element == 0;
  default: return true;
  }
}

struct Path {
  std::string Text;
  uint32_t Type = 0;
  bool Exact = false;
};

class PathFinder {
public:
  PathFinder(const SourceNames &Names, uint32_t Size) : Names(Names), Size(Size) {}

  /// Depth is that of the declaration, so recursion is fine.
  Path find(uint32_t Type, uint32_t Offset) const {
    const SourceType &T = Names.Types[Type];
    Path Found;
    if (T.What == SourceType::Array && intoArray(T, Offset, Found))
      return Found;
    if ((T.What == SourceType::Struct || T.What == SourceType::Union) && intoRecord(T, Offset, Found))
      return Found;
    bool Opaque = isLeaf(T) && (T.What == SourceType::Struct || T.What == SourceType::Union);
    if (Opaque || (Offset == 0 && (T.Size == Size || T.Size == 0)))
      return {"", Type, true};
    return {Offset == 0 ? "" : "+" + std::to_string(Offset), 0, false};
  }

private:
  bool contains(uint32_t Start, uint32_t Bytes, uint32_t Offset) const {
    return Offset >= Start && Size <= Bytes && Offset - Start <= Bytes - Size;
  }

  bool intoArray(const SourceType &T, uint32_t Offset, Path &Found) const {
    uint32_t Stride = Names.Types[T.Element].Size;
    if (Stride == 0 || !contains(0, Stride, Offset % Stride))
      return false;
    Found = find(T.Element, Offset % Stride);
    Found.Text = "[" + std::to_string(Offset / Stride) + "]" + Found.Text;
    return true;
  }

  /// A union's members overlap: one that fits exactly is better than one that merely contains the bytes.
  bool intoRecord(const SourceType &T, uint32_t Offset, Path &Found) const {
    bool Any = false;
    for (const SourceType::Field &Field : T.Fields) {
      if (Field.BitWidth != 0 || !inField(Field, Offset))
        continue;
      Path Inner = find(Field.Type, Offset - Field.Offset);
      if (Any && !Inner.Exact)
        continue;
      Found = std::move(Inner);
      if (!Field.Name.empty())
        Found.Text = "." + Field.Name + Found.Text;
      Any = true;
      if (Found.Exact)
        return true;
    }
    return Any || intoBitFields(T, Offset, Found);
  }

  bool inField(const SourceType::Field &Field, uint32_t Offset) const {
    const SourceType &T = Names.Types[Field.Type];
    bool Flexible = T.What == SourceType::Array && T.Size == 0;
    return Flexible ? Offset >= Field.Offset : contains(Field.Offset, T.Size, Offset);
  }

  /// Bit-fields are accessed together with their neighbours. The bytes of one alone are named by it, the bytes of
  /// several by all of them; either way they are not just its value.
  bool intoBitFields(const SourceType &T, uint32_t Offset, Path &Found) const {
    std::string Fields;
    unsigned Count = 0;
    uint64_t Begin = uint64_t(Offset) * 8, End = Begin + uint64_t(Size) * 8;
    for (const SourceType::Field &Field : T.Fields) {
      uint64_t First = uint64_t(Field.Offset) * 8 + Field.BitOffset;
      uint64_t Last = First + (Field.BitWidth ? Field.BitWidth : uint64_t(Names.Types[Field.Type].Size) * 8);
      if (First >= End || Last <= Begin)
        continue;
      if (Field.BitWidth == 0)
        return false;
      Fields += (Count++ ? ", " : "") + Field.Name;
      bool IsValue = First == Begin && Names.Types[Field.Type].What != SourceType::Signed;
      Found.Type = Count == 1 && IsValue ? Field.Type : 0;
    }
    if (Count == 0)
      return false;
    Found.Exact = false;
    Found.Text = Count == 1 ? "." + Fields : ".{" + Fields + "}";
    return true;
  }

  const SourceNames &Names;
  uint32_t Size;
};

bool endsFlexibly(const SourceNames &Names, const SourceType &T) {
  if (T.What != SourceType::Struct || T.Fields.empty())
    return false;
  const SourceType &Last = Names.Types[T.Fields.back().Type];
  return Last.What == SourceType::Array && Last.Size == 0;
}

} // namespace

std::string pathTo(const SourceNames &Names, uint32_t Type, uint32_t Offset, uint32_t Size, uint32_t *PartType) {
  Path Found = PathFinder(Names, Size).find(Type, Offset);
  if (PartType)
    *PartType = Found.Type;
  return Found.Text;
}

std::string objectPath(const SourceNames &Names, const SourceNames::Object &Object, uint32_t ObjectSize, bool Heap,
                       uint32_t Offset, uint32_t Size, uint32_t *PartType) {
  const SourceType &T = Names.Types[Object.Type];
  Offset += Object.Offset;
  bool Several = Heap && T.Size != 0 && ObjectSize / 2 >= T.Size && !endsFlexibly(Names, T);
  if (!Several)
    return pathTo(Names, Object.Type, Offset, Size, PartType);
  uint32_t Within = Offset % T.Size;
  if (Size > T.Size || Within > T.Size - Size) { // more than one element
    if (PartType)
      *PartType = 0;
    return Offset == 0 ? "" : "+" + std::to_string(Offset);
  }
  return "[" + std::to_string(Offset / T.Size) + "]" + pathTo(Names, Object.Type, Within, Size, PartType);
}

} // namespace picket
