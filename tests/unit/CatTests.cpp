// Memory models as text: what is read, what is refused and where, and what the operators mean.
#include "cat/CatAxioms.h"
#include "cat/CatModel.h"
#include "cat/CatParser.h"
#include "support/Litmus.h"

namespace picket {
namespace {

using cat::Architecture;

std::string catProblem(const std::string &Text, std::optional<Architecture> A = std::nullopt,
                       const cat::IncludeReader &Read = {}) {
  const cat::Reading R = cat::readModel(Text, "m.cat", A, Read);
  EXPECT_FALSE(R.Found) << Text;
  return R.Problem;
}

std::shared_ptr<const cat::Model> modelOf(const std::string &Text, std::optional<Architecture> A = std::nullopt,
                                          const cat::IncludeReader &Read = {}) {
  const cat::Reading R = cat::readModel(Text, "m.cat", A, Read);
  EXPECT_TRUE(R.Found) << R.Problem;
  return R.Found;
}

/// What a litmus test does under a text.
LitmusResult runUnder(const std::string &Test, const std::string &Text, Architecture A) {
  const auto M = modelOf(Text, A);
  LitmusOptions Options;
  if (M)
    Options.Axioms = std::make_shared<const GraphModel>(cat::graphModelOf(M, true));
  LitmusResult Result = runLitmus(readTest(Test), cat::ordersOf(A), Options);
  if (M)
    Result.Flags = M->raisedFlags();
  return Result;
}

const char *const StoreBuffering = "X86 SB\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n"
                                   "exists (0:EAX=0 /\\ 1:EAX=0)\n";
const char *const TwoWrites = "X86 2W\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [x],$2 ;\nexists (x=1)\n";

TEST(Cat, ErrorsHaveAPlace) {
  EXPECT_EQ(catProblem("let a = \nacyclic po"), "m.cat:2:1: an expression is expected here, not 'acyclic'");
  EXPECT_EQ(catProblem("acyclic (po"), "m.cat:1:12: ')' is expected here, not the end of the text");
  EXPECT_EQ(catProblem("let = po"), "m.cat:1:5: the name of a parameter is expected here, not '='");
  EXPECT_EQ(catProblem("acyclic po\n(* a (* b *)"), "m.cat:2:1: the comment does not end");
  EXPECT_EQ(catProblem("include \"x.cat"), "m.cat:1:9: the string does not end");
  EXPECT_EQ(catProblem("acyclic po @ rf"), "m.cat:1:12: '@' means nothing here");
  EXPECT_EQ(catProblem("acyclic po ) "), "m.cat:1:12: a definition or a check (let, acyclic, irreflexive, empty, ...) "
                                         "is expected here, not ')'");
  EXPECT_EQ(catProblem("let x = po"), "m.cat:1:1: the model has no check (acyclic, irreflexive or empty)");
}

TEST(Cat, UnknownNamesHaveASuggestion) {
  EXPECT_EQ(catProblem("\"m\" acyclic po | rff", Architecture::X86),
            "m.cat:1:18: unknown name 'rff'; did you mean 'rfe'?");
  EXPECT_EQ(catProblem("let happens = po\nacyclic hapens"),
            "m.cat:2:9: unknown name 'hapens'; did you mean 'happens'?");
  EXPECT_EQ(catProblem("acyclic fencerel(SYNC)", Architecture::X86), "m.cat:1:18: unknown name 'SYNC'");
  EXPECT_NE(catProblem("acyclic fencerel(ISYNCHRON)").find("the events are those of x86"), std::string::npos);
  EXPECT_EQ(catProblem("call check(po)\nacyclic po"), "m.cat:1:1: unknown procedure 'check'");
}

TEST(Cat, SetsAndRelationsAreToldApart) {
  EXPECT_EQ(catProblem("acyclic W"), "m.cat:1:9: a relation is expected here, not a set");
  EXPECT_EQ(catProblem("acyclic [po]"), "m.cat:1:10: a set is expected here, not a relation");
  EXPECT_EQ(catProblem("acyclic po | W"), "m.cat:1:14: a relation is expected here, not a set");
  EXPECT_EQ(catProblem("acyclic W; po"), "m.cat:1:9: a relation is expected here, not a set");
  EXPECT_EQ(catProblem("acyclic po * rf"), "m.cat:1:9: a set is expected here, not a relation");
  EXPECT_EQ(catProblem("let f(r) = r+\nacyclic f"), "m.cat:2:9: a relation is expected here, not a function");
  EXPECT_EQ(catProblem("let f(r) = r+\nacyclic f(W)"), "m.cat:1:12: a relation is expected here, not a set");
  EXPECT_EQ(catProblem("let f(a, b) = a | b\nacyclic f(po)"), "m.cat:2:11: 2 values are expected here, not 1");
  EXPECT_EQ(catProblem("acyclic po(rf)"), "m.cat:1:9: a function is expected here, not a relation");
  EXPECT_TRUE(modelOf("acyclic 0 | po\nempty {} | W & R\nempty domain 0\nacyclic [W] | W*R"));
}

TEST(Cat, WhatIsNotSupportedIsNamed) {
  EXPECT_EQ(catProblem("let f = match po with end\nacyclic po"), "m.cat:1:9: not supported: 'match'");
  EXPECT_EQ(catProblem("enum E = || 'a\nacyclic po"),
            "m.cat:1:13: not supported: tags, which begin with an apostrophe");
  EXPECT_EQ(catProblem("let a = po ++ rf\nacyclic a"), "m.cat:1:12: not supported: '++'");
  EXPECT_EQ(catProblem("with x from all(po)\nacyclic x"),
            "m.cat:1:1: not supported: 'with x from' anything but generate_cos");
  EXPECT_EQ(catProblem("let rec f(x) = f(x)\nacyclic f(po)"),
            "m.cat:1:9: not supported: functions that call themselves");
  EXPECT_EQ(catProblem("let rec r = po | ~r\nacyclic r"),
            "m.cat:1:9: 'r' is defined by what is not in itself (by ~ or \\)");
}

TEST(Cat, HostileTextsAreRefused) {
  const std::string Deep(100'000, '('), Many(100'000, '~'), Options(100'000, '?');
  EXPECT_NE(catProblem("acyclic " + Deep).find("nested too deeply"), std::string::npos);
  EXPECT_NE(catProblem("acyclic " + Many).find("nested too deeply"), std::string::npos);
  EXPECT_NE(catProblem("acyclic po" + Options).find("nested too deeply"), std::string::npos);
  EXPECT_NE(catProblem("if " + std::string(100'000, '(')).find("nested too deeply"), std::string::npos);
  std::string Long = "acyclic po";
  for (int K = 0; K < 100'000; ++K)
    Long += "|rf";
  EXPECT_NE(catProblem(Long).find("too large"), std::string::npos);
  EXPECT_NE(catProblem(std::string(2 << 20, ' ')).find("longer than 1 MiB"), std::string::npos);
  // Functions that call others twice.
  std::string Twice = "let f0(r) = r\n";
  for (int K = 1; K < 60; ++K)
    Twice +=
        "let f" + std::to_string(K) + "(r) = f" + std::to_string(K - 1) + "(r); f" + std::to_string(K - 1) + "(r)\n";
  EXPECT_NE(catProblem(Twice + "acyclic f59(po)").find("too many definitions"), std::string::npos);
  // A million names that are not known.
  std::string Tries = "let a = po\n";
  for (int K = 0; K < 2'000; ++K)
    Tries += "let a = try nothing with a\n";
  EXPECT_TRUE(modelOf(Tries + "acyclic a"));
}

TEST(Cat, IncludesAreBounded) {
  auto Same = [](const std::string &Name, std::string &) { return "include \"" + Name + "\""; };
  EXPECT_EQ(catProblem("include \"a.cat\"\nacyclic po", {}, Same), "a.cat:1:1: 'a.cat' includes itself");
  int Number = 0;
  auto Next = [&](const std::string &, std::string &) { return "include \"" + std::to_string(++Number) + "\""; };
  EXPECT_NE(catProblem("include \"a.cat\"\nacyclic po", {}, Next).find("include each other too deeply"),
            std::string::npos);
  EXPECT_EQ(catProblem("include \"a.cat\"\nacyclic po"), "m.cat:1:1: 'a.cat' cannot be included");
  auto Found = [](const std::string &, std::string &) { return std::optional<std::string>("let mine = po"); };
  EXPECT_TRUE(modelOf("include \"a.cat\"\ninclude \"cos.cat\"\nacyclic mine | ca", {}, Found));
  auto Wrong = [](const std::string &, std::string &) { return std::optional<std::string>("\nlet mine = nobody"); };
  EXPECT_EQ(catProblem("include \"a.cat\"\nacyclic mine", Architecture::X86, Wrong),
            "a.cat:2:12: unknown name 'nobody'");
}

TEST(Cat, WhateverIsChangedInATextThereIsAnAnswer) {
  const std::string Whole = "X86 m\n(* c *)\ninclude \"cos.cat\"\nlet f(a, b) = [a]; po; [b] and s = W * R\n"
                            "let rec r = po | (r; rf) and q = r\nprocedure p(x) = acyclic x as n end\ncall p(r)\n"
                            "let t = try SYNC with 0\nempty rmw & (fre;coe)^-1? as at\nflag ~empty f(W, R)* as g\n"
                            "show po\nif \"v\" acyclic q else acyclic q \\ id end\n";
  EXPECT_TRUE(modelOf(Whole));
  for (size_t Length = 0; Length < Whole.size(); ++Length)
    cat::readModel(Whole.substr(0, Length), "m.cat", std::nullopt);
  std::mt19937 Random(11);
  const std::string Pieces = "()[]{}|;&\\*+?^-1~=,\"'_0 \nletaspoWRif";
  for (int Round = 0; Round < 5'000; ++Round) {
    std::string Text = Whole;
    for (unsigned Changes = 1 + Random() % 4; Changes; --Changes) {
      const size_t At = Random() % Text.size();
      switch (Random() % 3) {
      case 0: Text[At] = Pieces[Random() % Pieces.size()]; break;
      case 1: Text.erase(At, 1 + Random() % 8); break;
      default: Text.insert(At, Text.substr(Random() % Text.size(), Random() % 12)); break;
      }
    }
    const cat::Reading R = cat::readModel(Text, "m.cat", std::nullopt);
    EXPECT_NE(R.Found == nullptr, R.Problem.empty()) << Text;
  }
}

// What models mean. Without commit-before all candidates are explored.

TEST(Cat, ACheckRejectsExecutions) {
  EXPECT_EQ(runUnder(StoreBuffering, "acyclic po | rf | co | fr", Architecture::X86).Executions, 3u);
  EXPECT_EQ(runUnder(StoreBuffering, "acyclic po-loc | rf | co | fr", Architecture::X86).Executions, 4u);
  EXPECT_EQ(runUnder(StoreBuffering, "empty rf; [M] \\ ((rf; [M]) | id)", Architecture::X86).Executions, 4u);
  EXPECT_EQ(runUnder(StoreBuffering, "~empty fr", Architecture::X86).Executions, 3u);
}

TEST(Cat, CoherenceIsWhatTheTextSays) {
  // Whether each thread's read has to see its own write.
  const char *const Own = "X86 O\n{}\n P0 ;\n MOV [x],$1 ;\n MOV EAX,[x] ;\nexists (0:EAX=0)\n";
  EXPECT_EQ(runUnder(Own, "empty 0", Architecture::X86).Executions, 2u);
  EXPECT_EQ(runUnder(Own, "acyclic po-loc | rf | co | fr", Architecture::X86).Executions, 1u);
  EXPECT_EQ(runUnder(Own, "let commit-before = po\nempty 0", Architecture::X86).Executions, 1u);
  // A read may even take its value from a later write.
  const char *const Later = "X86 L\n{}\n P0 ;\n MOV EAX,[x] ;\n MOV [x],$1 ;\nexists (0:EAX=1)\n";
  EXPECT_TRUE(runUnder(Later, "empty 0", Architecture::X86).Holds);
  EXPECT_FALSE(runUnder(Later, "acyclic po-loc | rf", Architecture::X86).Holds);
}

TEST(Cat, ChecksThatAreNotMonotonicWaitForTheEnd) {
  // Every write is read: not so before it is.
  const char *const Read = "X86 R\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)\n";
  const LitmusResult Result =
      runUnder(Read, "let commit-before = po\nempty (W \\ IW) \\ domain(rf)", Architecture::X86);
  EXPECT_EQ(Result.Executions, 1u);
  EXPECT_TRUE(Result.Holds);
  EXPECT_FALSE(modelOf("empty (W \\ IW) \\ domain(rf)")->hasOthers() == false);
  EXPECT_FALSE(modelOf("acyclic po | (rf; co) | fr \\ int")->hasOthers());
  EXPECT_FALSE(modelOf("let rec r = po | (r; rf)\nirreflexive r")->hasOthers());
  EXPECT_TRUE(modelOf("acyclic po \\ (po; [W]; po)")->hasOthers());
  EXPECT_FALSE(modelOf("acyclic [W]; (po \\ loc); [R] | rf")->hasOthers());
}

TEST(Cat, FlagsMarkTests) {
  EXPECT_EQ(runUnder(TwoWrites, "empty 0\nflag ~empty coe as written-twice", Architecture::X86).Flags,
            std::vector<std::string>{"written-twice"});
  EXPECT_TRUE(runUnder(TwoWrites, "empty 0\nundefined_unless empty fre as read", Architecture::X86).Flags.empty());
}

TEST(Cat, DefinitionsMayBeRecursiveAndInOrder) {
  const char *const Text =
      "let f r = r+\nlet g (a, b) = a; b\nlet h = fun x -> [x]\nlet po = po and rf = rf\n"
      "let rec a = po | b and b = a; rf | rf\nlet s = let q = rf in q | fr in acyclic g(h(W), a) | s\n"
      "let rec t = W | range([t]; po)\nempty [t & R] & 0";
  EXPECT_GT(runUnder(StoreBuffering, Text, Architecture::X86).Executions, 0u);
  EXPECT_EQ(
      runUnder(StoreBuffering, "let rec r = po | rf | co | fr | (r; r)\nirreflexive r", Architecture::X86).Executions,
      3u);
  EXPECT_EQ(
      runUnder(StoreBuffering, "procedure check(r) = acyclic r end\ncall check(po | rf | co | fr)\n", Architecture::X86)
          .Executions,
      3u);
}

TEST(Cat, CoherenceIsEnumeratedByTheExplorer) {
  for (const char *Order : {"", "let commit-before = po\n"})
    EXPECT_EQ(runUnder(TwoWrites,
                       std::string(Order) + "include \"cross.cat\"\nwith co from generate_cos(co0)\n"
                                            "acyclic co | po-loc",
                       Architecture::X86)
                  .States.size(),
              2u);
}

} // namespace
} // namespace picket
