// Source paths: map an address in memory to the part of a source variable at that address.
#pragma once

#include "program/SourceNames.h"

#include <string>

namespace picket {

/// How the source gets from something of the given type to the `Size` bytes at `Offset` in it: ".head", "[3].next",
/// "" for the whole. It goes as far down as the access fits: the only member of a struct is accessed, not the struct.
/// Of a union's members the first that fits is taken. Bytes that are not exactly a part get "+3", counted from the
/// smallest part they lie in. `PartType`, if not null, becomes the part's type, or 0 if the bytes are not exactly one.
std::string pathTo(const SourceNames &Names, uint32_t Type, uint32_t Offset, uint32_t Size, uint32_t *PartType);

/// The same for an object of `ObjectSize` bytes. The type of a heap block is that of its elements: if it has room for
/// several, the path begins with an index.
std::string objectPath(const SourceNames &Names, const SourceNames::Object &Object, uint32_t ObjectSize, bool Heap,
                       uint32_t Offset, uint32_t Size, uint32_t *PartType);

} // namespace picket
