// What a compiled program knows about the names in its text.
#include "program/SourcePaths.h"
#include "source/compile/Compile.h"

#include <gtest/gtest.h>

namespace picket {
namespace {

class SourceNamesTest : public testing::Test {
protected:
  void compile(const std::string &Text, const std::string &Header = "") {
    CompileRequest Request;
    Request.File = "/names/test.c";
    Request.Unsaved["/names/test.c"] = Text;
    if (!Header.empty())
      Request.Unsaved["/names/parts/header.h"] = Header;
    Request.UseCompileCommands = false;
    CompileResult Result = compileProgram(Request);
    for (const Diagnostic &D : Result.Diagnostics)
      EXPECT_NE(D.Level, Severity::Error) << D.Message;
    ASSERT_TRUE(Result.Compiled);
    Prog = std::move(*Result.Compiled);
  }

  const SourceNames::Object *global(const std::string &Name) const {
    for (const SourceNames::Object &O : Prog.Names.Globals)
      if (O.Name == Name)
        return &O;
    return nullptr;
  }
  const SourceNames::Object *local(const std::string &Name) const {
    for (const SourceNames::Object &O : Prog.Names.Sites)
      if (O.Name == Name && !Name.empty())
        return &O;
    return nullptr;
  }
  const SourceType &type(const SourceNames::Object *O) const { return Prog.Names.Types[O ? O->Type : 0]; }

  /// "flag[1]" for the bytes of a global.
  std::string part(const std::string &Name, uint32_t Offset, uint32_t Size, uint32_t *PartType = nullptr) const {
    for (size_t I = 0; I < Prog.Globals.size(); ++I)
      if (Prog.Names.Globals[I].Name == Name)
        return Name +
               objectPath(Prog.Names, Prog.Names.Globals[I], Prog.Globals[I].Size, false, Offset, Size, PartType);
    return "no " + Name;
  }

  /// The texts of all accesses of the user's functions, in the order of the code: "x" is read, "=x" is written, "x="
  /// both.
  std::vector<std::string> accesses() const {
    std::vector<std::string> Texts;
    for (uint32_t Pc = 0; Pc < Prog.Code.size(); ++Pc) {
      Opcode Op = Prog.Code[Pc].Op;
      bool Both = Op == Opcode::Rmw || Op == Opcode::CmpXchg;
      if (Op != Opcode::Load && Op != Opcode::Store && !Both)
        continue;
      const ProgramLocation &L = Prog.locationOf(Pc);
      auto *E = Prog.Names.expressionAt(L.File, L.Line, L.Column, Op != Opcode::Load, Prog.Code[Pc].Width);
      std::string Text = E ? E->Text : "?";
      Texts.push_back(Both ? Text + "=" : Op == Opcode::Store ? "=" + Text : Text);
    }
    return Texts;
  }

  std::vector<std::string> heapTypes() const {
    std::vector<std::string> Found;
    for (const Instruction &I : Prog.Code)
      if (I.Op == Opcode::CallBuiltin &&
          (static_cast<Builtin>(I.Imm) == Builtin::Malloc || static_cast<Builtin>(I.Imm) == Builtin::Calloc ||
           static_cast<Builtin>(I.Imm) == Builtin::AlignedAlloc))
        Found.push_back(Prog.Names.Types[Prog.Names.Sites[static_cast<size_t>(I.A)].Type].Name);
    return Found;
  }

  /// The object a call of a builtin is about.
  std::string callText(Builtin Which, uint32_t Size = 0) const {
    for (uint32_t Pc = 0; Pc < Prog.Code.size(); ++Pc)
      if (Prog.Code[Pc].Op == Opcode::CallBuiltin && static_cast<Builtin>(Prog.Code[Pc].Imm) == Which) {
        const ProgramLocation &L = Prog.locationOf(Pc);
        auto *E = Prog.Names.expressionAt(L.File, L.Line, L.Column, true, Size);
        return E ? E->Text : "?";
      }
    return "no call";
  }

  Program Prog;
};

using Texts = std::vector<std::string>;

TEST_F(SourceNamesTest, GlobalsHaveNamesTypesAndPlaces) {
  compile("int x;\nunsigned long y = 1;\nint main(void) { return x + (int)y; }\n");
  ASSERT_TRUE(global("x") && global("y"));
  EXPECT_EQ(type(global("x")).Name, "int");
  EXPECT_EQ(type(global("x")).What, SourceType::Signed);
  EXPECT_EQ(type(global("y")).What, SourceType::Unsigned);
  EXPECT_EQ(type(global("y")).Size, 8u);
  EXPECT_EQ(Prog.Locations[global("y")->Location].Line, 2u);
}

TEST_F(SourceNamesTest, StaticLocalsAreNamedAsTheSourceNamesThem) {
  compile("int next(void) { static int counter; return ++counter; }\nint main(void) { return next(); }\n");
  ASSERT_TRUE(global("counter"));
  EXPECT_EQ(global("counter")->Function, "next");
  EXPECT_EQ(type(global("counter")).Name, "int");
}

TEST_F(SourceNamesTest, PartsOfArraysAndNestedStructs) {
  compile("struct node { int v; struct node *next; };\n"
          "struct queue { struct { struct node *head, *tail; } ends; int flags[2][3]; } q;\n"
          "int flag[2];\n"
          "int main(void) { flag[1] = 1; return q.flags[1][2]; }\n");
  EXPECT_EQ(part("flag", 4, 4), "flag[1]");
  uint32_t Type = 0;
  EXPECT_EQ(part("q", 8, 8, &Type), "q.ends.tail");
  EXPECT_EQ(Prog.Names.Types[Type].Name, "struct node *");
  EXPECT_EQ(Prog.Names.Types[Prog.Names.Types[Type].Element].Name, "struct node");
  EXPECT_EQ(part("q", 16 + 4 * 5, 4), "q.flags[1][2]");
  EXPECT_EQ(part("q", 16 + 4 * 5 + 1, 1, &Type), "q.flags[1][2]+1");
  EXPECT_EQ(Type, 0u);
}

TEST_F(SourceNamesTest, AnonymousMembersAndUnions) {
  compile("struct s { int kind; union { float f; struct { short low, high; }; double d; }; } a;\n"
          "int main(void) { return a.high; }\n");
  EXPECT_EQ(part("a", 0, 4), "a.kind");
  EXPECT_EQ(part("a", 8, 4), "a.f");
  EXPECT_EQ(part("a", 8, 8), "a.d");
  EXPECT_EQ(part("a", 10, 2), "a.high");
}

TEST_F(SourceNamesTest, BitFieldsKnowTheirBits) {
  compile("struct s { unsigned a : 3, b : 5; int : 0; unsigned char c : 2; } x;\n"
          "int main(void) { x.b = 1; return x.c; }\n");
  const SourceType &T = type(global("x"));
  ASSERT_EQ(T.Fields.size(), 3u);
  EXPECT_EQ(T.Fields[1].BitOffset, 3u);
  EXPECT_EQ(T.Fields[1].BitWidth, 5u);
  EXPECT_EQ(T.Fields[2].Offset, 4u);
  EXPECT_EQ(part("x", 0, 1), "x.{a, b}");
  EXPECT_EQ(part("x", 4, 1), "x.c");
  EXPECT_EQ(accesses(), (Texts{"x.b", "=x.b", "x.c"}));
}

TEST_F(SourceNamesTest, TypedefsKeepTheirNamesAndAtomicsAreSeenThrough) {
  compile(
      "#include <stdatomic.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <pthread.h>\n"
      "typedef struct { int v; } item; typedef item *link;\n"
      "atomic_int a; _Atomic(link) l; volatile uint32_t u; bool ready; atomic_flag f; pthread_mutex_t m; item i;\n"
      "int main(void) { l = 0; u = 1; ready = 1; pthread_mutex_lock(&m); atomic_flag_clear(&f); return a + i.v; }\n");
  EXPECT_EQ(type(global("a")).Name, "atomic_int");
  EXPECT_EQ(type(global("a")).What, SourceType::Signed);
  EXPECT_EQ(type(global("l")).What, SourceType::Pointer);
  EXPECT_EQ(Prog.Names.Types[type(global("l")).Element].Name, "item");
  EXPECT_EQ(type(global("u")).Name, "uint32_t");
  EXPECT_EQ(type(global("u")).What, SourceType::Unsigned);
  EXPECT_EQ(type(global("ready")).What, SourceType::Bool);
  EXPECT_EQ(type(global("f")).Name, "atomic_flag");
  EXPECT_EQ(type(global("f")).What, SourceType::Bool);
  // The inside of the library's types is not shown.
  EXPECT_EQ(part("m", 0, 4), "m");
  EXPECT_EQ(part("i", 0, 4), "i.v");
}

TEST_F(SourceNamesTest, EnumeratorsOfEnums) {
  compile("enum colour { RED, GREEN = 7, NONE = -1 } c;\nint main(void) { return c; }\n");
  const SourceType &T = type(global("c"));
  EXPECT_EQ(T.What, SourceType::Enum);
  EXPECT_EQ(T.Name, "enum colour");
  std::vector<std::pair<int64_t, std::string>> Expected = {{0, "RED"}, {7, "GREEN"}, {-1, "NONE"}};
  EXPECT_EQ(T.Enumerators, Expected);
}

TEST_F(SourceNamesTest, LocalsOfInlinedFunctionsKeepTheirNames) {
  compile("#include <pthread.h>\n"
          "static void *run(void *p) { *(int *)p = 1; return 0; }\n"
          "static int start(int parameter) {\n"
          "  int own = 0; pthread_t t;\n"
          "  pthread_create(&t, 0, run, &own); pthread_create(&t, 0, run, &parameter); pthread_join(t, 0);\n"
          "  return own + parameter;\n"
          "}\n"
          "int main(void) { return start(3); }\n");
  ASSERT_TRUE(local("own") && local("parameter") && local("t"));
  EXPECT_EQ(local("own")->Function, "start");
  EXPECT_EQ(type(local("own")).Name, "int");
  EXPECT_EQ(type(local("parameter")).Name, "int");
  EXPECT_EQ(type(local("t")).Name, "pthread_t");
  const ProgramLocation &L = Prog.Locations[local("own")->Location];
  EXPECT_EQ(L.Line, 4u);
  EXPECT_EQ(L.Column, 7u);
  EXPECT_EQ(callText(Builtin::ThreadCreate, 8), "t");
}

TEST_F(SourceNamesTest, HeapBlocksHaveTheTypeOfThePointerTheyGoTo) {
  compile("#include <stdlib.h>\n"
          "struct node { int v; struct node *next; } *list; struct other { long l; };\n"
          "static struct node *make(void) { return malloc(sizeof(struct node)); }\n"
          "static void *wrapper(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }\n"
          "int main(void) {\n"
          "  struct other *o = calloc(1, sizeof *o);\n"
          "  list = make();\n"
          "  short *s = wrapper(2);\n"
          "  void *untyped = malloc(3 * sizeof(struct other));\n"
          "  void *nothing = malloc(7);\n"
          "  double *d = (double *)aligned_alloc(16, 16);\n"
          "  free(o); free(s); free(untyped); free(nothing); free(d);\n"
          "  return 0;\n"
          "}\n");
  EXPECT_EQ(heapTypes(), (Texts{"struct other", "struct node", "short", "struct other", "", "double"}));
}

TEST_F(SourceNamesTest, ExpressionsOfPlainAccesses) {
  compile("struct node { int v; struct node *next; int a[3]; } n, *p = &n; int x, y, f[2], m[2][2], **pp;\n"
          "int main(void) {\n"
          "  x = y;\n"
          "  f[y] = 1;\n"
          "  m[0][y] = m[y][1];\n"
          "  p->next->v = 2;\n"
          "  x++; --y; x += 2;\n"
          "  *p->next = n;\n"
          "  return **pp;\n"
          "}\n");
  Texts Found = accesses();
  Texts Start(Found.begin(), Found.begin() + 17);
  EXPECT_EQ(Start, (Texts{"y", "=x", "y", "=f[y]", "y", "m[y][1]", "y", "=m[0][y]", "p", "p->next", "=p->next->v", "x",
                          "=x", "y", "=y", "x", "=x"}));
  EXPECT_EQ(Found[17], "p");
  EXPECT_EQ(Found[18], "p->next");
  EXPECT_EQ(Found[19], "n");
  EXPECT_EQ(Found[20], "=*p->next");
  EXPECT_EQ(Found.back(), "**pp");
}

TEST_F(SourceNamesTest, ExpressionsOfAtomics) {
  compile("#include <stdatomic.h>\n"
          "atomic_int x, *p = &x; int plain; atomic_flag f; struct { atomic_int count; } s, *q = &s;\n"
          "int main(void) {\n"
          "  x = 1;\n"
          "  atomic_store(&x, 2);\n"
          "  atomic_store_explicit(p, 3, memory_order_release);\n"
          "  atomic_fetch_add(&q->count, 1);\n"
          "  s.count++;\n"
          "  while (atomic_flag_test_and_set(&f)) ;\n"
          "  __atomic_store_n(&plain, 1, __ATOMIC_RELEASE);\n"
          "  __sync_fetch_and_add(&plain, 1);\n"
          "  return atomic_load(&x);\n"
          "}\n");
  EXPECT_EQ(accesses(), (Texts{"=x", "=x", "p", "=*p", "q", "q->count=", "s.count=", "f=", "=plain", "plain=", "x"}));
}

TEST_F(SourceNamesTest, TheTypeTellsExpressionsAtOnePlaceApart) {
  compile("#include <stdatomic.h>\n"
          "atomic_long a; long *volatile expected; void **slots; int i;\n"
          "int main(void) {\n"
          "  atomic_compare_exchange_strong(&a, expected, 1);\n"
          "  return slots[i] == 0;\n"
          "}\n");
  auto Text = [&](uint32_t Line, uint32_t Column, bool Write, const std::string &TypeName) {
    for (uint32_t T = 1; T < Prog.Names.Types.size(); ++T)
      if (Prog.Names.Types[T].Name == TypeName) {
        auto *E = Prog.Names.expressionAt(Prog.Locations[global("a")->Location].File, Line, Column, Write, 8, T);
        return E ? E->Text : "?";
      }
    return "no type " + TypeName;
  };
  EXPECT_EQ(Text(4, 3, true, "atomic_long"), "a");
  EXPECT_EQ(Text(4, 3, true, "long"), "*expected");
  EXPECT_EQ(Text(5, 10, false, "void **"), "slots");
  EXPECT_EQ(Text(5, 10, false, "void *"), "slots[i]");
  EXPECT_EQ(Text(5, 10, false, "int"), "?"); // neither type nor size decide
}

TEST_F(SourceNamesTest, MacrosAreSeenThrough) {
  compile("#define READ_ONCE(x) (*(volatile __typeof__(x) *)&(x))\n"
          "#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))\n"
          "#define FIRST q.items[0]\n"
          "#define SWAP(a, b) do { int t = a; a = b; b = t; } while (0)\n"
          "struct { int items[2]; } q; int x, y;\n"
          "int main(void) {\n"
          "  WRITE_ONCE(x, 1);\n"
          "  y = READ_ONCE(q.items[1]);\n"
          "  FIRST = 2;\n"
          "  SWAP(x, y);\n"
          "  return 0;\n"
          "}\n");
  // The two writes of SWAP are at one place: better no text than the wrong one.
  EXPECT_EQ(accesses(), (Texts{"=x", "q.items[1]", "=y", "=FIRST", "x", "y", "=?", "=?"}));
}

TEST_F(SourceNamesTest, SynchronisationCallsNameTheirObject) {
  compile("#include <pthread.h>\n#include <semaphore.h>\n"
          "struct { pthread_mutex_t lock; pthread_cond_t ready; } shared, *s = &shared; sem_t sems[2];\n"
          "int main(void) {\n"
          "  pthread_mutex_lock(&s->lock);\n"
          "  pthread_cond_wait(&shared.ready, &shared.lock);\n"
          "  sem_post(&sems[1]);\n"
          "  return 0;\n"
          "}\n");
  EXPECT_EQ(callText(Builtin::MutexLock), "s->lock");
  EXPECT_EQ(callText(Builtin::CondWait, sizeof(pthread_cond_t)), "shared.ready");
  EXPECT_EQ(callText(Builtin::CondWait, sizeof(pthread_mutex_t)), "shared.lock");
  EXPECT_EQ(callText(Builtin::SemPost), "sems[1]");
}

TEST_F(SourceNamesTest, InitialisersNameTheVariable) {
  compile("struct s { int a, b[2]; }; struct s from; void *kept;\n"
          "int main(void) {\n"
          "  int scalar = from.a;\n"
          "  struct s list = {scalar, {1, scalar}};\n"
          "  struct s copy = from;\n"
          "  kept = &scalar; kept = &list; kept = &copy;\n"
          "  return 0;\n"
          "}\n");
  Texts Found = accesses();
  for (const char *Written : {"=scalar", "=list", "=copy"})
    EXPECT_NE(std::find(Found.begin(), Found.end(), Written), Found.end()) << Written;
  EXPECT_EQ(std::find(Found.begin(), Found.end(), "=?"), Found.end());
}

TEST_F(SourceNamesTest, HeadersOfTheUserAreReadToo) {
  compile("#include \"parts/../parts/header.h\"\nint main(void) { return get(&shared); }\n",
          "struct pair { int a, b; }; struct pair shared;\n"
          "static inline int get(struct pair *p) { return p->b; }\n");
  EXPECT_EQ(type(global("shared")).Name, "struct pair");
  EXPECT_EQ(accesses(), (Texts{"p->b"}));
}

TEST_F(SourceNamesTest, LongTextsAreCutAndPutOnOneLine) {
  compile("int a[100]; int i;\n"
          "int main(void) {\n"
          "  a[i\n     +   1] = 0;\n"
          "  a[i + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1] = 0;\n"
          "  return 0;\n"
          "}\n");
  Texts Found = accesses();
  ASSERT_EQ(Found.size(), 4u);
  EXPECT_EQ(Found[1], "=a[i + 1]");
  EXPECT_EQ(Found[3].size(), 61u);
  EXPECT_EQ(Found[3].substr(58), "...");
}

TEST_F(SourceNamesTest, RecursiveTypesAndFlexibleArrays) {
  compile("#include <stdlib.h>\n"
          "struct b; struct a { struct b *other; }; struct b { struct a *other; struct b *self; int tail[]; } *x;\n"
          "int main(void) { x = malloc(sizeof *x + 4 * sizeof(int)); x->tail[2] = 1; return 0; }\n");
  SourceNames::Object Block;
  for (const SourceNames::Object &O : Prog.Names.Sites)
    if (O.Type != 0)
      Block = O;
  EXPECT_EQ(Prog.Names.Types[Block.Type].Name, "struct b");
  EXPECT_EQ(objectPath(Prog.Names, Block, 32, true, 8, 8, nullptr), ".self");
  EXPECT_EQ(objectPath(Prog.Names, Block, 32, true, 24, 4, nullptr), ".tail[2]");
}

TEST_F(SourceNamesTest, OfPartlyKeptVariablesTheRightPartIsNamed) {
  compile("struct s { long unused; int kept[2]; }; int *leak;\n"
          "int main(void) { struct s v; v.unused = 1; v.kept[1] = 2; leak = v.kept; return (int)v.unused; }\n");
  ASSERT_TRUE(local("v"));
  const SourceNames::Object &V = *local("v");
  EXPECT_EQ(objectPath(Prog.Names, V, 16 - V.Offset, false, 12 - V.Offset, 4, nullptr), ".kept[1]");
}

TEST_F(SourceNamesTest, StringLiteralsAreNamedByTheirText) {
  compile("const char *volatile s = \"ready\";\nint main(void) { return s[0]; }\n");
  EXPECT_TRUE(global("\"ready\""));
}

} // namespace
} // namespace picket
