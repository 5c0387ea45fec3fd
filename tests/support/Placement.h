// Tests of fence placement on texts with marks: '@' and '$' mark the earlier and the later access (where the compiler
// places them: a store at its operator). The edited text is compiled, and its bytecode shows where the fence is.
#pragma once

#include "fences/FencePlacement.h"
#include "fences/ProgramEdit.h"
#include "fences/TextDiff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace picket::testing {

inline const std::string ProgramFile = "/placement/program.c";

struct Marked {
  std::string Text;
  std::vector<uint32_t> Offsets;
  std::vector<SourceLocation> Places;
};

inline SourceLocation placeAt(const std::string &File, const std::string &Text, uint32_t Offset) {
  const std::string Before = Text.substr(0, Offset);
  const size_t Line = Before.rfind('\n');
  return {File, static_cast<uint32_t>(std::count(Before.begin(), Before.end(), '\n') + 1),
          static_cast<uint32_t>(Line == std::string::npos ? Offset + 1 : Offset - Line)};
}

inline Marked readMarks(const std::string &Text, const std::string &File = ProgramFile) {
  Marked M;
  std::vector<uint32_t> Later;
  for (char C : Text)
    if (C == '@' || C == '$')
      (C == '@' ? M.Offsets : Later).push_back(static_cast<uint32_t>(M.Text.size()));
    else
      M.Text += C;
  M.Offsets.insert(M.Offsets.end(), Later.begin(), Later.end());
  for (uint32_t Offset : M.Offsets)
    M.Places.push_back(placeAt(File, M.Text, Offset));
  return M;
}

class PlacementTest : public ::testing::Test {
protected:
  CompileRequest request(const std::string &Text) const {
    CompileRequest R;
    R.File = ProgramFile;
    R.Unsaved = Headers;
    R.Unsaved[ProgramFile] = Text;
    R.UseCompileCommands = false;
    return R;
  }

  static std::string change(const CompileRequest &Request, const std::vector<SourceChange> &Changes,
                            const std::string &File = ProgramFile) {
    PlacedChange Placed = placeChanges(Request, Changes);
    if (!Placed.placed())
      return "refused: " + Placed.Refusal;
    auto Texts = editedTexts(Request, Placed.Edits);
    return Texts.count(File) ? Texts[File] : "not edited";
  }

  static InsertFence fence(const Marked &M, bool NearLater = false, FenceKind Kind = FenceKind::Full) {
    return {Kind, M.Places.at(0), M.Places.at(1), NearLater};
  }

  /// A fence between the marks: the text that comes out, and that the fence is where it has to be.
  void expectFence(const std::string &Before, const std::string &After, bool NearLater = false,
                   FenceKind Kind = FenceKind::Full) {
    Marked M = readMarks(Before);
    CompileRequest Request = request(M.Text);
    PlacedChange Placed = placeChanges(Request, {fence(M, NearLater, Kind)});
    ASSERT_TRUE(Placed.placed()) << Placed.Refusal;
    CompileRequest Edited = Request;
    for (auto &[File, Text] : editedTexts(Request, Placed.Edits))
      Edited.Unsaved[File] = Text;
    EXPECT_EQ(Edited.Unsaved[ProgramFile], After);

    EXPECT_TRUE(reaches(Request, M.Places[0], M.Places[1])) << "the marks are not at accesses, or there is "
                                                               "no way from the one to the other";
    EXPECT_FALSE(reaches(Edited, moved(M, Edited, Placed, 0), moved(M, Edited, Placed, 1)))
        << "there is a way around the fence";
  }

  void expectRefusal(const std::string &Before, const std::string &Why, bool NearLater = false) {
    Marked M = readMarks(Before);
    EXPECT_EQ(change(request(M.Text), {fence(M, NearLater)}), "refused: " + Why);
  }

  static SourceLocation moved(const Marked &M, const CompileRequest &Edited, const PlacedChange &Placed, size_t Which) {
    uint32_t Offset = M.Offsets[Which];
    for (const TextEdit &E : Placed.Edits)
      if (E.File == ProgramFile && E.Begin <= M.Offsets[Which])
        Offset += static_cast<uint32_t>(E.Text.size()) - (E.End - E.Begin);
    return placeAt(ProgramFile, Edited.Unsaved.at(ProgramFile), Offset);
  }

  /// Whether the bytecode has a way from an access at one place to one at another that comes by no fence.
  static bool reaches(const CompileRequest &Request, const SourceLocation &From, const SourceLocation &To) {
    CompileResult Result = compileProgram(Request);
    EXPECT_TRUE(Result.Compiled) << (Result.Diagnostics.empty() ? "" : Result.Diagnostics[0].Message);
    if (!Result.Compiled)
      return false;
    const Program &P = *Result.Compiled;
    auto IsAt = [&](uint32_t Pc, const SourceLocation &Where) {
      const Opcode Op = P.Code[Pc].Op;
      const ProgramLocation &L = P.Locations[P.CodeLocations[Pc]];
      return (Op == Opcode::Load || Op == Opcode::Store || Op == Opcode::Rmw || Op == Opcode::CmpXchg) &&
             L.Line == Where.Line && L.Column == Where.Column && P.Files[L.File] == Where.File;
    };
    std::vector<uint32_t> Left;
    for (uint32_t Pc = 0; Pc < P.Code.size(); ++Pc)
      if (IsAt(Pc, From)) {
        Left.push_back(Pc);
        if (From == To)
          break; // from the first access of a macro
      }
    std::set<uint32_t> Seen;
    while (!Left.empty()) {
      const uint32_t Pc = Left.back();
      Left.pop_back();
      bool Arrived = false;
      forEachSuccessor(P, Pc, [&](uint32_t Next) {
        Arrived |= IsAt(Next, To);
        if (P.Code[Next].Op != Opcode::Fence && Seen.insert(Next).second)
          Left.push_back(Next);
      });
      if (Arrived)
        return true;
    }
    return false;
  }

  std::map<std::string, std::string> Headers;
};

} // namespace picket::testing
