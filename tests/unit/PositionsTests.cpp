// Lines and columns as editors count them.
#include "lsp/Positions.h"
#include "programs/MainFunction.h"

#include <gtest/gtest.h>

using namespace picket;

namespace {

constexpr PositionEncoding Utf8 = PositionEncoding::Utf8, Utf16 = PositionEncoding::Utf16;

std::string edited(std::string Text, TextRange Range, std::string New, PositionEncoding Encoding) {
  applyChange(Text, {Range, std::move(New)}, Encoding);
  return Text;
}

// é is two bytes and one UTF-16 unit, the clef four bytes and two units.
const std::string Music = "int é;\n/* 𝄞é */ x = 1;\n";

TEST(Positions, ColumnsCountUtf16UnitsOrBytes) {
  EXPECT_EQ(Music.find("x ="), offsetOf(Music, {1, 10}, Utf16));
  EXPECT_EQ(Music.find("x ="), offsetOf(Music, {1, 13}, Utf8));
  EXPECT_EQ((TextPosition{1, 10}), positionOf(Music, Music.find("x ="), Utf16));
  EXPECT_EQ((TextPosition{1, 13}), positionOf(Music, Music.find("x ="), Utf8));
}

TEST(Positions, EveryByteOfCharactersBeginsWhereItsCharacterDoes) {
  for (PositionEncoding Encoding : {Utf8, Utf16})
    for (size_t K = 0; K <= Music.size(); ++K) {
      size_t Begin = K; // the beginning of the character
      while (Begin > 0 && Begin < Music.size() && (Music[Begin] & 0xC0) == 0x80)
        --Begin;
      EXPECT_EQ(Begin, offsetOf(Music, positionOf(Music, K, Encoding), Encoding)) << K;
    }
}

TEST(Positions, APositionWithinACharacterMeansItsBeginning) {
  const size_t Clef = Music.find("𝄞");
  EXPECT_EQ(Clef, offsetOf(Music, {1, 4}, Utf16));
  EXPECT_EQ(Clef, offsetOf(Music, {1, 5}, Utf8));
  EXPECT_EQ(Clef + 4, offsetOf(Music, {1, 5}, Utf16));
}

TEST(Positions, WhatLiesBehindTheEndIsTheEnd) {
  EXPECT_EQ(Music.find('\n'), offsetOf(Music, {0, 1000}, Utf16));
  EXPECT_EQ(Music.size(), offsetOf(Music, {2, 5}, Utf16));
  EXPECT_EQ(Music.size(), offsetOf(Music, {1000, 0}, Utf8));
  EXPECT_EQ((TextPosition{2, 0}), positionOf(Music, 1000, Utf16));
  EXPECT_EQ(0u, offsetOf("", {3, 3}, Utf16));
}

TEST(Positions, AllThreeLineEndsCount) {
  const std::string Text = "a\r\nb\rc\nd";
  for (uint32_t Line = 0; Line < 4; ++Line)
    EXPECT_EQ("abcd"[Line], Text[offsetOf(Text, {Line, 0}, Utf16)]);
  EXPECT_EQ(1u, offsetOf(Text, {0, 9}, Utf16)) << "before the line end, not within it";
  EXPECT_EQ((TextPosition{2, 1}), positionOf(Text, 6, Utf8));
}

TEST(Edits, ReplaceInsertAndDeleteBehindOtherScripts) {
  EXPECT_EQ("int é;\n/* 𝄞é */ yz = 1;\n", edited(Music, {{1, 10}, {1, 11}}, "yz", Utf16));
  EXPECT_EQ("int é;\n/* 𝄞é */ yz = 1;\n", edited(Music, {{1, 13}, {1, 14}}, "yz", Utf8));
  EXPECT_EQ("int é;\n/* 𝄞 */ x = 1;\n", edited(Music, {{1, 5}, {1, 6}}, "", Utf16));
  EXPECT_EQ("int é, ü;\n/* 𝄞é */ x = 1;\n", edited(Music, {{0, 5}, {0, 5}}, ", ü", Utf16));
}

TEST(Edits, ReachOverLinesAndAreClamped) {
  EXPECT_EQ("int x = 1;\n", edited(Music, {{0, 4}, {1, 10}}, "", Utf16));
  EXPECT_EQ(Music + "end", edited(Music, {{50, 0}, {60, 0}}, "end", Utf16));
  EXPECT_EQ("", edited(Music, {{0, 0}, {99, 99}}, "", Utf16));
  EXPECT_EQ("int! é;\n/* 𝄞é */ x = 1;\n", edited(Music, {{0, 3}, {0, 1}}, "!", Utf16)) << "the end before the start";
}

TEST(Edits, WithoutARangeTheTextIsNew) {
  std::string Text = Music;
  applyChange(Text, {std::nullopt, "other"}, Utf16);
  EXPECT_EQ("other", Text);
}

TEST(Ranges, AnUnknownEndIsThatOfTheCode) {
  const std::string Text = "int a;\n  /* é */ assert(s[0] == '\"'); // why\n";
  const uint32_t Column = static_cast<uint32_t>(Text.find("assert") - Text.find("  /*")) + 1; // in bytes
  EXPECT_EQ((TextRange{{1, 10}, {1, 30}}), rangeOf(Text, {"", 2, Column, 0, 0}, Utf16));
  EXPECT_EQ((TextRange{{1, 11}, {1, 17}}), rangeOf(Text, {"", 2, Column, 2, Column + 6}, Utf8));
  EXPECT_EQ((TextRange{{0, 0}, {0, 6}}), rangeOf(Text, {"", 0, 0, 0, 0}, Utf16)) << "the file as a whole";
  EXPECT_EQ((TextRange{{2, 0}, {2, 0}}), rangeOf(Text, {"", 77, 5, 0, 0}, Utf16)) << "a line that is gone";
}

TEST(FindMain, SeesTheDefinitionOnly) {
  auto At = [](const std::string &Text) { return findMain(Text).value_or(std::string::npos); };
  EXPECT_EQ(4u, At("int main(void) { return 0; }"));
  EXPECT_EQ(4u, At("int main (int n, char **v) {}"));
  const std::string Hidden = "// main()\n/* main( */ char *s = \"main(\"; int f(void) { main(); }\nint domain(void);\n"
                             "#define E main()\nint main;\n";
  EXPECT_EQ(std::string::npos, At(Hidden));
  EXPECT_EQ(Hidden.size() + 5, At(Hidden + "void main() {}"));
  EXPECT_EQ(std::string::npos, At("/* main("));
}

} // namespace
