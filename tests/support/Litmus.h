// Runs litmus tests given as text, and returns their results.
#pragma once

#include "litmus/LitmusReader.h"
#include "litmus/LitmusRun.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace picket {

inline LitmusTest readTest(const std::string &Text) {
  LitmusReading Reading = readLitmus(Text, "test.litmus");
  EXPECT_TRUE(Reading.Test) << Reading.Problem;
  return Reading.Test ? std::move(*Reading.Test) : LitmusTest();
}

/// The text of a test with one thread and this code, one instruction per line, from line 4 on.
inline std::string oneThread(const char *Architecture, const std::vector<std::string> &Code,
                             const std::string &Condition, const std::string &Initial = "") {
  std::string Text = std::string(Architecture) + " test\n{" + Initial + "}\nP0 ;\n";
  for (const std::string &Line : Code)
    Text += Line + ";\n";
  return Text + Condition + "\n";
}

inline std::string problemOf(const std::string &Text) {
  LitmusReading Reading = readLitmus(Text, "test.litmus");
  EXPECT_FALSE(Reading.Test) << Text;
  return Reading.Problem;
}

/// The instructions of a thread, without those that give registers their first values.
inline std::vector<Instruction> codeOf(const LitmusTest &Test, uint32_t Thread) {
  const Program &P = Test.Code;
  size_t Begin = P.Functions[Thread + 1].Entry, End = Begin;
  while (P.Code[End].Op != Opcode::Return)
    ++End;
  std::vector<Instruction> Code(P.Code.begin() + static_cast<ptrdiff_t>(Begin),
                                P.Code.begin() + static_cast<ptrdiff_t>(End));
  auto IsFirst = [](const Instruction &I) { return I.Op == Opcode::Move && I.A < 0; };
  Code.erase(Code.begin(), std::find_if_not(Code.begin(), Code.end(), IsFirst));
  return Code;
}

inline std::vector<Instruction> allOf(const std::vector<Instruction> &Code, Opcode Op) {
  std::vector<Instruction> Found;
  std::copy_if(Code.begin(), Code.end(), std::back_inserter(Found), [&](const Instruction &I) { return I.Op == Op; });
  return Found;
}

/// The instruction itself, so that its neighbours can be asked for. The code must outlive what is made of it.
inline const Instruction &only(const std::vector<Instruction> &Code, Opcode Op) {
  EXPECT_EQ(allOf(Code, Op).size(), 1u);
  static const Instruction None{Opcode::Unreachable};
  auto Found = std::find_if(Code.begin(), Code.end(), [&](const Instruction &I) { return I.Op == Op; });
  return Found == Code.end() ? None : *Found;
}

inline Order orderOf(const Instruction &I) { return static_cast<Order>(I.Flags & OrderMask); }

inline std::vector<FenceKind> fencesOf(const LitmusTest &Test) {
  std::vector<FenceKind> Kinds;
  for (const Instruction &I : allOf(codeOf(Test, 0), Opcode::Fence))
    Kinds.push_back(static_cast<FenceKind>(I.C));
  return Kinds;
}

inline LitmusResult runTest(const std::string &Text, MemoryModel M = MemoryModel::SC) {
  return runLitmus(readTest(Text), M);
}

/// The only final state of a test.
inline std::string finalStateOf(const std::string &Text, MemoryModel M = MemoryModel::SC) {
  LitmusTest Test = readTest(Text);
  LitmusResult Result = runLitmus(Test, M);
  EXPECT_EQ(Result.Coverage, Verdict::Verified) << Result.Reason;
  EXPECT_EQ(Result.States.size(), 1u) << Text;
  return Result.States.empty() ? "" : Test.textOf(Result.States.begin()->first);
}

/// The only final state of a thread with this code.
inline std::string stateOf(const char *Architecture, const std::vector<std::string> &Code, const std::string &Observed,
                           const std::string &Initial = "", MemoryModel M = MemoryModel::SC) {
  return finalStateOf(oneThread(Architecture, Code, "locations [" + Observed + "]\nforall true", Initial), M);
}

/// Whatever is changed in the text of a test, there is an answer with a line.
inline void expectAnswersToDamage(const std::string &Whole, int Rounds) {
  auto Answer = [](const std::string &Text) {
    LitmusReading Reading = readLitmus(Text, "t");
    if (!Reading.Test) {
      EXPECT_NE(Reading.Problem.find("(line "), std::string::npos) << Text;
      EXPECT_GE(Reading.Line, 1u) << Text;
    }
  };
  for (size_t Length = 0; Length < Whole.size(); ++Length)
    Answer(Whole.substr(0, Length));
  std::mt19937 Random(7);
  const std::string Pieces = "{}()[]|;:,=~*$#%&-0x19rPEXW\\/ \n\t\0\xff";
  for (int Round = 0; Round < Rounds; ++Round) {
    std::string Text = Whole;
    for (unsigned Changes = 1 + Random() % 4; Changes; --Changes) {
      const size_t At = Random() % Text.size();
      switch (Random() % 3) {
      case 0: Text[At] = Pieces[Random() % Pieces.size()]; break;
      case 1: Text.erase(At, 1 + Random() % 8); break;
      default: Text.insert(At, Text.substr(Random() % Text.size(), Random() % 12)); break;
      }
    }
    Answer(Text);
  }
}

} // namespace picket
