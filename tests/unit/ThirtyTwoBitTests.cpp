// Programs for 32-bit machines are refused, not checked with the sizes of this one.
#include "support/Explore.h"

#include "gtest/gtest.h"

namespace picket {
namespace {

using namespace picket::testing;

std::string firstError(const CompileResult &Result) {
  for (const Diagnostic &D : Result.Diagnostics)
    if (D.Level == Severity::Error)
      return D.Message;
  return "";
}

TEST(ThirtyTwoBit, CommandsAreRefusedWithASentence) {
  const std::string Text = "int main(void) { return sizeof(void *) - 8; }\n";
  for (const char *Flag : {"-m32", "-mx32", "-m16", "--target=i386-linux-gnu", "--target=armv7-linux-gnueabihf",
                           "--target=x86_64-linux-gnux32", "--target=aarch64-linux-gnu_ilp32"}) {
    CompileResult Result = compileProgram(requestForText(Text, {Flag}));
    EXPECT_FALSE(Result.Compiled) << Flag;
    EXPECT_NE(firstError(Result).find("32-bit machine"), std::string::npos) << Flag << ": " << firstError(Result);
    EXPECT_NE(firstError(Result).find("-m64"), std::string::npos) << Flag;
  }
}

TEST(ThirtyTwoBit, TheUserMayAskForSixtyFourBits) {
  EXPECT_TRUE(compileProgram(requestForText("int main(void) { return 0; }\n", {"-m32", "-m64"})).Compiled);
  EXPECT_TRUE(compileProgram(requestForText("typedef unsigned int size_t;\nint main(void) { return 0; }\n", {"-m64"}))
                  .Compiled);
}

TEST(ThirtyTwoBit, PreprocessedTextIsRefusedWithAPlace) {
  CompileResult Result = compileProgram(requestForText("# 1 \"program.c\"\n# 1 \"/usr/include/stddef.h\" 1 3 4\n"
                                                       "typedef unsigned int size_t;\n# 2 \"program.c\" 2\n"
                                                       "int main(void) { return 0; }\n"));
  EXPECT_FALSE(Result.Compiled);
  EXPECT_EQ(firstError(Result).find("'size_t' has 32 bits"), 0u) << firstError(Result);
  ASSERT_FALSE(Result.Diagnostics.empty());
  EXPECT_EQ(Result.Diagnostics[0].Where.Line, 3u);
  EXPECT_TRUE(compileProgram(requestForText("typedef unsigned long size_t;\nint main(void) { return 0; }\n")).Compiled);
}

TEST(ThirtyTwoBit, TheLowerHalfOfAnAddressIsNotZero) {
  CheckReport Report = checkText(
      "#include <assert.h>\n#include <stdint.h>\n#include <stdlib.h>\nint a, b[4];\nvoid f(void) {}\n"
      "int main(void) {\n  int l, *p = malloc(4), *q = malloc(4);\n"
      "  assert((int)(intptr_t)&a != 0);\n  assert((int)(intptr_t)&l != 0);\n  assert((int)(intptr_t)p != 0);\n"
      "  assert((int)(intptr_t)f != 0);\n  assert((int)(intptr_t)(void *)0 == 0);\n"
      "  assert((uint32_t)(uintptr_t)p != (uint32_t)(uintptr_t)q);\n"
      "  assert((uint32_t)(uintptr_t)&b[3] - (uint32_t)(uintptr_t)&b[0] == 12);\n"
      "  assert((uintptr_t)p % 16 == 0);\n  assert(*(int *)(uintptr_t)&b[1] == 0);\n"
      "  void *page = aligned_alloc(4096, 4096);\n  assert((uintptr_t)page % 4096 == 0);\n"
      "  *(char *)page = 1;\n  free(page);\n  free(p);\n  free(q);\n  return 0;\n}\n");
  ASSERT_FALSE(Report.Models.empty());
  EXPECT_EQ(Report.Models[0].Result, Verdict::Verified)
      << (Report.Models[0].Bugs.empty() ? Report.Models[0].Reason : Report.Models[0].Bugs[0].Message);
}

} // namespace
} // namespace picket
