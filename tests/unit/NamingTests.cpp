// Values and paths from types made by hand.
#include "trace/Naming.h"

#include <gtest/gtest.h>

#include <cstring>

namespace picket {
namespace {

class NamingTest : public testing::Test {
protected:
  uint32_t add(SourceType::Kind What, uint32_t Size, uint32_t Element = 0) {
    SourceType T;
    T.What = What;
    T.Size = Size;
    T.Element = Element;
    Names.Types.push_back(T);
    return static_cast<uint32_t>(Names.Types.size() - 1);
  }

  std::string value(uint32_t Type, uint64_t Low, unsigned Width, uint64_t High = 0) const {
    return valueText(Names, Type, Low, High, Width, [](uint64_t A) { return "&object+" + std::to_string(A); });
  }
  template <typename Float> std::string floating(Float Number) {
    uint64_t Words[2] = {};
    std::memcpy(Words, &Number, sizeof(Number));
    return value(add(SourceType::Float, sizeof(Number)), Words[0], sizeof(Number), Words[1]);
  }

  SourceNames Names;
};

TEST_F(NamingTest, IntegersHaveTheirSign) {
  uint32_t Int = add(SourceType::Signed, 4), Unsigned = add(SourceType::Unsigned, 4), Long = add(SourceType::Signed, 8);
  EXPECT_EQ(value(Int, 5, 4), "5");
  EXPECT_EQ(value(Int, 0xffffffff, 4), "-1");
  EXPECT_EQ(value(Int, 0x80000000, 4), "-2147483648");
  EXPECT_EQ(value(Unsigned, 0xffffffff, 4), "4294967295");
  EXPECT_EQ(value(Long, ~0ull, 8), "-1");
  EXPECT_EQ(value(Long, 1ull << 63, 8), "-9223372036854775808");
}

TEST_F(NamingTest, SixteenByteIntegers) {
  uint32_t Signed = add(SourceType::Signed, 16), Unsigned = add(SourceType::Unsigned, 16);
  EXPECT_EQ(value(Signed, ~0ull, 16, ~0ull), "-1");
  EXPECT_EQ(value(Signed, 1, 16, 1ull << 63), "0x80000000000000000000000000000001");
  EXPECT_EQ(value(Unsigned, ~0ull, 16, ~0ull), "0xffffffffffffffffffffffffffffffff");
  EXPECT_EQ(value(Unsigned, 0, 16, 1), "0x10000000000000000");
  EXPECT_EQ(value(Unsigned, ~0ull, 16), "18446744073709551615");
}

TEST_F(NamingTest, StructsThatAreOneValue) {
  uint32_t Pointer = add(SourceType::Pointer, 8), Unsigned = add(SourceType::Unsigned, 8),
           Int = add(SourceType::Signed, 4);
  uint32_t Tagged = add(SourceType::Struct, 16), Flags = add(SourceType::Struct, 8),
           Opaque = add(SourceType::Struct, 16);
  Names.Types[Tagged].Fields = {{"p", 0, Pointer, 0, 0}, {"tag", 8, Unsigned, 0, 0}};
  Names.Types[Flags].Fields = {{"n", 0, Int, 0, 0}, {"low", 4, Int, 0, 3}, {"rest", 4, Int, 3, 29}};
  EXPECT_EQ(value(Tagged, 5, 16, 2), "{p = &object+5, tag = 2}");
  EXPECT_EQ(value(Tagged, 0, 16, 0), "{p = NULL, tag = 0}");
  EXPECT_EQ(value(Tagged, 7, 8), "7"); // not all of it
  EXPECT_EQ(value(Flags, 0x0000000dffffffff, 8), "{n = -1, low = 5, rest = 1}");
  EXPECT_EQ(value(Opaque, 1, 16, 1), "0x10000000000000001");
}

TEST_F(NamingTest, CharactersAndTruthValues) {
  uint32_t Char = add(SourceType::Char, 1), Bool = add(SourceType::Bool, 1);
  EXPECT_EQ(value(Char, 'a', 1), "'a' (97)");
  EXPECT_EQ(value(Char, '\'', 1), "'\\'' (39)");
  EXPECT_EQ(value(Char, 0, 1), "0");
  EXPECT_EQ(value(Char, 0xff, 1), "-1");
  EXPECT_EQ(value(Bool, 0, 1), "false");
  EXPECT_EQ(value(Bool, 1, 1), "true");
  EXPECT_EQ(value(Bool, 2, 1), "2");
}

TEST_F(NamingTest, EnumsByName) {
  uint32_t Colour = add(SourceType::Enum, 4);
  Names.Types[Colour].Enumerators = {{0, "RED"}, {7, "GREEN"}};
  EXPECT_EQ(value(Colour, 7, 4), "GREEN");
  EXPECT_EQ(value(Colour, 3, 4), "3");
  EXPECT_EQ(value(Colour, 0xffffffff, 4), "4294967295");
  Names.Types[Colour].Enumerators.push_back({-1, "NONE"});
  EXPECT_EQ(value(Colour, 0xffffffff, 4), "NONE");
  EXPECT_EQ(value(Colour, 0xfffffffe, 4), "-2");
}

TEST_F(NamingTest, PointersAreNamedByTheCaller) {
  uint32_t Pointer = add(SourceType::Pointer, 8);
  EXPECT_EQ(value(Pointer, 0, 8), "NULL");
  EXPECT_EQ(value(Pointer, 12, 8), "&object+12");
}

TEST_F(NamingTest, FloatsAreAsShortAsTheyCanBe) {
  EXPECT_EQ(floating(0.1f), "0.1");
  EXPECT_EQ(floating(0.1), "0.1");
  EXPECT_EQ(floating(1.0), "1");
  EXPECT_EQ(floating(-2.5), "-2.5");
  EXPECT_EQ(floating(1e300), "1e+300");
  EXPECT_EQ(floating(0.5L), "0.5");
}

TEST_F(NamingTest, UnknownTypesAreNumbers) {
  EXPECT_EQ(value(0, 17, 4), "17");
  EXPECT_EQ(value(0, 4095, 2), "4095");
  EXPECT_EQ(value(0, 4096, 4), "0x1000");
  EXPECT_EQ(value(0, 0, 16, 1), "0x10000000000000000");
  // A part of a value is no value of the type.
  EXPECT_EQ(value(add(SourceType::Signed, 4), 0xff, 1), "255");
}

TEST_F(NamingTest, BytesBeyondTheWidthDoNotCount) { EXPECT_EQ(value(add(SourceType::Unsigned, 1), 0x1ff, 1), "255"); }

TEST_F(NamingTest, PathsEndAtTheSmallestPartThatContainsTheAccess) {
  uint32_t Char = add(SourceType::Char, 1), Buffer = add(SourceType::Array, 16, Char);
  uint32_t Type = 99;
  EXPECT_EQ(pathTo(Names, Buffer, 3, 1, &Type), "[3]");
  EXPECT_EQ(Type, Char);
  EXPECT_EQ(pathTo(Names, Buffer, 3, 4, &Type), "+3");
  EXPECT_EQ(Type, 0u);
  EXPECT_EQ(pathTo(Names, Buffer, 0, 16, &Type), "");
  EXPECT_EQ(Type, Buffer);
  EXPECT_EQ(pathTo(Names, 0, 8, 4, &Type), "+8");
  EXPECT_EQ(pathTo(Names, 0, 0, 4, &Type), "");
}

TEST_F(NamingTest, AccessesOfSeveralMembersStayOutside) {
  uint32_t Int = add(SourceType::Signed, 4), Pair = add(SourceType::Struct, 12);
  Names.Types[Pair].Fields = {{"a", 0, Int, 0, 0}, {"b", 4, Int, 0, 0}, {"c", 8, Int, 0, 0}};
  EXPECT_EQ(pathTo(Names, Pair, 4, 8, nullptr), "+4");
  EXPECT_EQ(pathTo(Names, Pair, 8, 4, nullptr), ".c");
  EXPECT_EQ(pathTo(Names, Pair, 0, 12, nullptr), "");
  EXPECT_EQ(pathTo(Names, Pair, 100, 4, nullptr), "+100");
}

TEST_F(NamingTest, HeapBlocksWithRoomForSeveralElementsAreIndexed) {
  uint32_t Int = add(SourceType::Signed, 4), Pair = add(SourceType::Struct, 8);
  Names.Types[Pair].Fields = {{"a", 0, Int, 0, 0}, {"b", 4, Int, 0, 0}};
  SourceNames::Object Block;
  Block.Type = Pair;
  EXPECT_EQ(objectPath(Names, Block, 8, true, 4, 4, nullptr), ".b");
  EXPECT_EQ(objectPath(Names, Block, 12, true, 4, 4, nullptr), ".b");
  EXPECT_EQ(objectPath(Names, Block, 24, true, 4, 4, nullptr), "[0].b");
  EXPECT_EQ(objectPath(Names, Block, 24, true, 20, 4, nullptr), "[2].b");
  EXPECT_EQ(objectPath(Names, Block, 24, true, 4, 8, nullptr), "+4");
  EXPECT_EQ(objectPath(Names, Block, 24, true, 8, 8, nullptr), "[1]");
  // A variable's type is its own.
  EXPECT_EQ(objectPath(Names, Block, 24, false, 4, 4, nullptr), ".b");
}

} // namespace
} // namespace picket
