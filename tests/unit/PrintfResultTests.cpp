// What printf and the like return, and %n.
#include "support/Engines.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

const std::string Preamble = "#include <assert.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <pthread.h>\n";

ModelReport checkMain(const std::string &Body, MemoryModel M = MemoryModel::SC) {
  CheckOptions Options;
  Options.Models = {M};
  return testing::checkText(Preamble + "int main(void) {\n" + Body + "\n}\n", Options).Models.front();
}

TEST(PrintfResult, IsWhatWouldBePrinted) {
  for (const char *Body :
       {"assert(printf(\"hello\\n\") == 6);", "volatile int v = 12345; assert(printf(\"%d\\n\", v) == 6);",
        "assert(printf(\"%s|%c|%%|%5d|%-4u|%x\", \"abc\", 'x', 7, 1u, 255) == 21);",
        "assert(fprintf(stderr, \"%ld %lu\", -100000000000L, 5ul) == 15);", "assert(printf(\"%.2f\", 3.14159) == 4);",
        "assert(printf(\"%*d\", 9, 1) == 9);", "assert(printf(\"%.2s\", \"abc\") == 2);",
        "assert(printf(\"%hhd\", 300) == 2);", "assert(dprintf(1, \"x\") == 1);", "assert(putchar('a') == 'a');",
        "assert(fputc('b', stdout) == 'b');", "assert(printf(\"%d\", 1) >= 0 && printf(\"\") == 0);"})
    for (MemoryModel M : {MemoryModel::SC, MemoryModel::Power}) {
      const ModelReport Report = checkMain(Body, M);
      EXPECT_EQ(Report.Result, Verdict::Verified) << Body << Report.Reason;
    }
  const ModelReport Wrong = checkMain("assert(printf(\"hello\\n\") == 0);");
  EXPECT_EQ(Wrong.Result, Verdict::Violation);
}

TEST(PrintfResult, IsRefusedWhereItIsNotKnown) {
  for (const char *Body :
       {"char b[3] = \"ab\"; b[0] = 'c'; return printf(\"%s\", b);", "return printf(\"%p\", (void *)0);",
        "char f[3] = \"x\"; f[1] = 'y'; return printf(f);", "return printf(\"%Lf\", 1.0L);"}) {
    const ModelReport Report = checkMain(Body);
    EXPECT_EQ(Report.Result, Verdict::Unsupported) << Body;
    EXPECT_NE(Report.Reason.find("print"), std::string::npos) << Report.Reason;
  }
}

TEST(PrintfResult, NobodyAsksForItMostly) {
  for (const char *Body :
       {"char b[3] = \"ab\"; b[0] = 'c'; printf(\"%s\", b); return 0;", "printf(\"%p\", (void *)0); return 0;",
        "char f[3] = \"x\"; f[1] = 'y'; (void)printf(f); return 0;"})
    EXPECT_EQ(checkMain(Body).Result, Verdict::Verified) << Body;
}

TEST(PrintfResult, WritingThroughAPointerIsRefused) {
  for (const char *Body : {"int n; printf(\"abc%n\", &n); return 0;",
                           "int n; fprintf(stderr, \"%d%-5hhn\", 1, (signed char *)&n); return 0;",
                           "int n; const char *volatile f = \"abc%n\"; printf(f, &n); return 0;"}) {
    const ModelReport Report = checkMain(Body);
    EXPECT_EQ(Report.Result, Verdict::Unsupported) << Body;
    EXPECT_NE(Report.Reason.find("%n"), std::string::npos) << Report.Reason;
  }
  EXPECT_EQ(checkMain("printf(\"100%% new\"); return 0;").Result, Verdict::Verified);
}

} // namespace
} // namespace picket
