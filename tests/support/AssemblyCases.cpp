#include "support/AssemblyCases.h"

#include "source/assembly/AssemblyTable.h"

#include <map>
#include <stdexcept>

namespace picket::testing {

namespace {

std::string replaced(std::string Text, const std::string &What, const std::string &By) {
  for (size_t At = 0; (At = Text.find(What, At)) != std::string::npos; At += By.size())
    Text.replace(At, What.size(), By);
  return Text;
}

/// asm volatile(TEXT : OPERANDS)
std::string assembly(const std::string &Text, const std::string &Operands) {
  return "__asm__ volatile(\"" + Text + "\" " + Operands + ");";
}

using Cases = std::vector<AssemblyCase>;

void addX86(Cases &All) {
  const Architecture For = Architecture::X86_64;
  auto Add = [&](const char *Row, std::string Assembly, std::string Plain, const char *Types = "") {
    All.push_back({For, Row, std::move(Assembly), std::move(Plain), Types});
  };
  auto Value = [&](const char *Row, std::string Assembly, std::string Plain, const char *Types = "") {
    All.push_back({For, Row, std::move(Assembly), std::move(Plain), Types, false});
  };
  const std::string Memory = " : \"memory\", \"cc\"";
  const std::string Full = "__atomic_thread_fence(5);";
  Add("mfence", assembly("@i", "::: \"memory\""), Full);
  Add("sfence", assembly("@i", "::: \"memory\""), "__atomic_thread_fence(3);");
  Add("lfence", assembly("@i", "::: \"memory\""), "__atomic_thread_fence(2);");
  for (const char *Row : {"pause", "nop"})
    Add(Row, assembly("@i", "::: \"memory\""), "");
  Add("rep nop", assembly("rep; nop", "::: \"memory\""), "");
  for (const char *Row : {"prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw"})
    Add(Row, assembly("@i %0", ":: \"m\"(*p)"), "");
  Add("rdtsc", "unsigned a, d; " + assembly("@i", ": \"=a\"(a), \"=d\"(d)"), "");
  Add("rdtscp", "unsigned a, c, d; " + assembly("@i", ": \"=a\"(a), \"=d\"(d), \"=c\"(c)"), "");
  Add("cpuid", "unsigned a = 0; " + assembly("@i", ": \"+a\"(a) :: \"rbx\", \"rcx\", \"rdx\", \"memory\""), Full);
  Add("xchg", assembly("@i %0,%1", ": \"=q\"(r), \"+m\"(*p) : \"0\"(v)" + Memory), "r = __atomic_exchange_n(p, v, 5);");
  Add("xadd", "r = v; " + assembly("lock; @i %0,%1", ": \"+q\"(r), \"+m\"(*p) :" + Memory),
      "r = __atomic_fetch_add(p, v, 5);");
  Add("cmpxchg",
      "unsigned char z; r = w; " +
          assembly("lock; @i %3,%0; sete %1", ": \"+m\"(*p), \"=q\"(z), \"+a\"(r) : \"q\"(v)" + Memory) + " r += z;",
      "T e = w; unsigned char z = __atomic_compare_exchange_n(p, &e, v, 0, 5, 5); r = e; r += z;");
  Add("cmpxchg8b",
      "unsigned a = w, d = w >> 32; unsigned char z; " +
          assembly("lock @i %0\\n\\tsetz %3",
                   ": \"+m\"(*p), \"+a\"(a), \"+d\"(d), \"=q\"(z) : \"b\"((unsigned)v), \"c\"((unsigned)(v >> 32))" +
                       Memory) +
          " r = ((T)d << 32 | a) + z;",
      "T e = w; unsigned char z = __atomic_compare_exchange_n(p, &e, v, 0, 5, 5); r = e + z;", "q");
  Add("cmpxchg16b",
      "unsigned long a = w, d = w >> 64; _Bool z; " +
          assembly("lock; @i %0", ": \"+m\"(*p), \"+a\"(a), \"+d\"(d), \"=@ccz\"(z) : \"b\"((unsigned long)v), "
                                  "\"c\"((unsigned long)(v >> 64))" +
                                      Memory) +
          " r = ((T)d << 64 | a) + z;",
      "T e = w; _Bool z = __atomic_compare_exchange_n(p, &e, v, 0, 5, 5); r = e + z;", "x");
  const std::pair<const char *, const char *> Bits[] = {
      {"bts", "fetch_or(p, m, 5)"}, {"btr", "fetch_and(p, (T)~m, 5)"}, {"btc", "fetch_xor(p, m, 5)"}};
  for (auto [Row, Update] : Bits)
    Add(Row,
        "unsigned char c; " +
            assembly("lock; @i %2,%0; setc %1", ": \"+m\"(*p), \"=q\"(c) : \"q\"((T)(v & 7))" + Memory) + " r = c;",
        std::string("T m = (T)1 << (v & 7); r = (__atomic_") + Update + " & m) != 0;", "wlq");
  Add("bt",
      "unsigned char c; " + assembly("@i %2,%1; setc %0", ": \"=q\"(c) : \"m\"(*p), \"q\"((T)(v & 7))" + Memory) +
          " r = c;",
      "T m = (T)1 << (v & 7); r = (__atomic_load_n((T *)p, __ATOMIC_RELAXED) & m) != 0;", "wlq");
  for (const char *Row : {"add", "sub", "and", "or", "xor"})
    Add(Row,
        "unsigned char z; " + assembly("lock; @i %2,%0; setz %1", ": \"+m\"(*p), \"=q\"(z) : \"q\"(v)" + Memory) +
            " r = z;",
        std::string("r = __atomic_") + Row + "_fetch(p, v, 5) == 0;");
  for (auto [Row, Op] : {std::pair("inc", "add"), std::pair("dec", "sub")})
    Add(Row, "unsigned char z; " + assembly("lock; @i %0; sete %1", ": \"+m\"(*p), \"=q\"(z) :" + Memory) + " r = z;",
        std::string("r = __atomic_") + Op + "_fetch(p, 1, 5) == 0;");
  Add("neg", assembly("lock; @i %0", ": \"+m\"(*p) :" + Memory),
      "T e = __atomic_load_n(p, 0); while (!__atomic_compare_exchange_n(p, &e, (T)-e, 0, 5, 5)) ;");
  Add("not", assembly("lock; @i %0", ": \"+m\"(*p) :" + Memory), "__atomic_fetch_xor(p, (T)-1, 5);");
  Add("mov",
      assembly("@i %1,%0", ": \"=q\"(r) : \"m\"(*p)" + Memory) +
          assembly("@i %1,%0", ": \"=m\"(*p) : \"q\"(v)" + Memory),
      "r = __atomic_load_n((T *)p, __ATOMIC_RELAXED); __atomic_store_n((T *)p, v, __ATOMIC_RELAXED);");
  Value("movabs", assembly("movabsq $0x123456789a,%0", ": \"=r\"(r)"), "r = 0x123456789aL;", "q");
  Value("movzb", assembly("@i %b1,%0", ": \"=r\"(r) : \"q\"(v)"), "r = (unsigned char)v;", "wlq");
  Value("movzw", assembly("@i %w1,%0", ": \"=r\"(r) : \"q\"(v)"), "r = (unsigned short)v;", "lq");
  Value("movsb", assembly("@i %b1,%0", ": \"=r\"(r) : \"q\"(v)"), "r = (T)(signed char)v;", "wlq");
  Value("movsw", assembly("@i %w1,%0", ": \"=r\"(r) : \"q\"(v)"), "r = (T)(short)v;", "lq");
  Value("movsl", assembly("@i %k1,%0", ": \"=r\"(r) : \"q\"(v)"), "r = (T)(int)v;", "q");
  Value("lea",
        "unsigned long q; " + assembly("leaq 8(%1,%2,2),%0", ": \"=r\"(q) : \"r\"(p), \"r\"(w)") + " r = q - (T)p;",
        "r = 8 + 2 * w;", "q");
  Value("bswap", "r = v; " + assembly("@i %0", ": \"+r\"(r)"),
        "r = sizeof(T) == 4 ? __builtin_bswap32((unsigned)v) : __builtin_bswap64(v);", "lq");
  Value("shl", "r = v; " + assembly("@i $3,%0", ": \"+q\"(r) :: \"cc\""), "r = (T)(v << 3);");
  Value("sal", "r = v; unsigned char n = w & 3; " + assembly("@i %%cl,%0", ": \"+q\"(r) : \"c\"(n) : \"cc\""),
        "r = (T)(v << (w & 3));");
  Value("shr", "r = v; " + assembly("@i $3,%0", ": \"+q\"(r) :: \"cc\""), "r = (T)(v >> 3);");
  Value("sar", "r = v; " + assembly("@i $3,%0", ": \"+q\"(r) :: \"cc\""), "r = (T)((@S)v >> 3);");
  Value("sbb", assembly("cmp@s %2,%1; @i %0,%0", ": \"=q\"(r) : \"q\"(v), \"q\"(w) : \"cc\""),
        "r = v < w ? (T)-1 : 0;");
  Value("cmp",
        "unsigned char a, b; " +
            assembly("@i %3,%2; setb %0; setle %1", ": \"=&q\"(a), \"=&q\"(b) : \"q\"(v), \"q\"(w) : \"cc\"") +
            " r = a + 2 * b;",
        "r = (v < w) + 2 * ((@S)v <= (@S)w);");
  Value("test",
        "unsigned char a, b; " +
            assembly("@i %3,%2; setnz %0; sets %1", ": \"=&q\"(a), \"=&q\"(b) : \"q\"(v), \"q\"(w) : \"cc\"") +
            " r = a + 2 * b;",
        "r = ((v & w) != 0) + 2 * ((@S)(T)(v & w) < 0);");
  std::string Sets, Plain = "r = 0;";
  const std::pair<const char *, const char *> Conditions[] = {
      {"e", "v == w"},          {"z", "v == w"},          {"ne", "v != w"},         {"nz", "v != w"},
      {"c", "v < w"},           {"b", "v < w"},           {"nae", "v < w"},         {"nc", "v >= w"},
      {"ae", "v >= w"},         {"nb", "v >= w"},         {"a", "v > w"},           {"nbe", "v > w"},
      {"be", "v <= w"},         {"na", "v <= w"},         {"l", "(@S)v < (@S)w"},   {"nge", "(@S)v < (@S)w"},
      {"ge", "(@S)v >= (@S)w"}, {"nl", "(@S)v >= (@S)w"}, {"le", "(@S)v <= (@S)w"}, {"ng", "(@S)v <= (@S)w"},
      {"g", "(@S)v > (@S)w"},   {"nle", "(@S)v > (@S)w"}, {"s", "(@S)(v - w) < 0"}, {"ns", "(@S)(v - w) >= 0"}};
  std::string Moves, Jumps;
  for (auto [Name, Meaning] : Conditions) {
    const std::string After = " r = 2 * r + ";
    Sets += "{ _Bool c; " +
            assembly(std::string("cmpq %2,%1; set") + Name + " %0", ": \"=q\"(c) : \"q\"(v), \"q\"(w) : \"cc\"") +
            After + "c; }";
    Moves += "{ T c = 0; " +
             assembly(std::string("cmpq %2,%1; cmov") + Name + " %3,%0",
                      ": \"+r\"(c) : \"r\"(v), \"r\"(w), \"r\"(1L) : \"cc\"") +
             After + "c; }";
    Jumps += "{ T c = 1; " +
             assembly(std::string("cmpq %2,%1; j") + Name + " 1f; movq $0,%0; 1:",
                      ": \"+r\"(c) : \"r\"(v), \"r\"(w) : \"cc\"") +
             After + "c; }";
    Plain += After + "(" + Meaning + ");";
  }
  Value("set", Sets, Plain, "q");
  Value("cmov", Moves, Plain, "q");
  Value("j", Jumps, Plain, "q");
  Value("jmp", assembly("movq $1,%0; jmp 2f; 1: movq $2,%0; jmp 3f; 2: addq $4,%0; 3:", ": \"=r\"(r)"), "r = 5;", "q");
}

void addArm(Cases &All) {
  const Architecture For = Architecture::Aarch64;
  auto Add = [&](std::string Row, std::string Assembly, std::string Plain, const char *Types = "") {
    All.push_back({For, std::move(Row), std::move(Assembly), std::move(Plain), Types});
  };
  auto Value = [&](const char *Row, std::string Assembly, std::string Plain, const char *Types = "lq") {
    All.push_back({For, Row, std::move(Assembly), std::move(Plain), Types, false});
  };
  const std::string Memory = " : \"memory\"";
  for (const char *Kind : {"dmb", "dsb"})
    for (const char *Domain :
         {"", "sy", "ish", "osh", "nsh", "ld", "ishld", "oshld", "nshld", "st", "ishst", "oshst", "nshst"}) {
      const std::string Option = Domain, Text = std::string(Kind) + (Option.empty() ? "" : " ") + Option;
      const bool Loads = Option.ends_with("ld"), Stores = Option.ends_with("st");
      // Clang has no builtins for those of stores. They are compared in the litmus tests of barriers.
      Add(Text, assembly(Text == "dmb" || Text == "dsb" ? Text + " sy" : Text, "::: \"memory\""),
          Loads    ? "__atomic_thread_fence(2);"
          : Stores ? assembly(std::string(Kind) + " ishst", "::: \"memory\"")
                   : "__atomic_thread_fence(5);");
    }
  for (const char *Row : {"isb", "isb sy"})
    Add(Row, assembly("@i", "::: \"memory\""), assembly("isb", "::: \"memory\""));
  for (const char *Row : {"yield", "nop", "wfe", "sev", "sevl", "clrex"})
    Add(Row, assembly("@i", "::: \"memory\""), "");
  Add("prfm", assembly("prfm pldl1keep, [%0, #64]", ":: \"r\"(p)"), "");
  Add("mrs", "unsigned long t; " + assembly("mrs %0, cntvct_el0", ": \"=r\"(t)"), "");
  const std::string Load = assembly("@i %@r0, [%1]", ": \"=r\"(r) : \"r\"(p)" + Memory);
  const std::string Store = assembly("@i %@r1, [%0]", ":: \"r\"(p), \"r\"(v)" + Memory);
  Add("ldr", Load, "r = __atomic_load_n((T *)p, __ATOMIC_RELAXED);");
  Add("ldur", Load, "r = __atomic_load_n((T *)p, __ATOMIC_RELAXED);");
  Add("ldar", Load, "r = __atomic_load_n(p, 5);");
  Add("ldapr", Load, "r = __atomic_load_n(p, 2);");
  Add("ldxr", Load, "r = __atomic_load_n(p, 0);");
  Add("ldaxr", Load, "r = __atomic_load_n(p, 5);");
  Add("str", Store, "__atomic_store_n((T *)p, v, __ATOMIC_RELAXED);");
  Add("stur", Store, "__atomic_store_n((T *)p, v, __ATOMIC_RELAXED);");
  Add("stlr", Store, "__atomic_store_n(p, v, 3);");
  const std::string Pair = "unsigned long a, b; " +
                           assembly("@i %0, %1, %2", ": \"=r\"(a), \"=r\"(b) : \"Q\"(*p)" + Memory) +
                           " r = (T)b << 64 | a;";
  Add("ldxp", Pair, "r = __atomic_load_n(p, 0);", "x");
  Add("ldaxp", Pair, "r = __atomic_load_n(p, 5);", "x");
  auto Loop = [&](const std::string &LoadName, const std::string &Change) {
    return "unsigned s; T n; " +
           assembly("1: " + LoadName + "@s %@r0, %2\\n " + Change + "\\n @i %w1, %@r3, %2\\n cbnz %w1, 1b",
                    ": \"=&r\"(r), \"=&r\"(s), \"+Q\"(*p), \"=&r\"(n) : \"r\"(v)" + Memory);
  };
  Add("stxr", Loop("ldxr", "add %@r3, %@r0, %@r4"), "r = __atomic_fetch_add(p, v, 0);");
  Add("stlxr", Loop("ldaxr", "eor %@r3, %@r0, %@r4"), "r = __atomic_fetch_xor(p, v, 4);");
  auto PairLoop = [&](const std::string &LoadName) {
    return "unsigned long a, b; unsigned s; " +
           assembly(
               "1: " + LoadName + " %0, %1, %3\\n @i %w2, %4, %5, %3\\n cbnz %w2, 1b",
               ": \"=&r\"(a), \"=&r\"(b), \"=&r\"(s), \"+Q\"(*p) : \"r\"((unsigned long)v), \"r\"((unsigned long)(v >> 64))" +
                   Memory) +
           " r = (T)b << 64 | a;";
  };
  Add("stxp", PairLoop("ldxp"), "r = __atomic_exchange_n(p, v, 0);", "x");
  Add("stlxp", PairLoop("ldaxp"), "r = __atomic_exchange_n(p, v, 4);", "x");
  const std::string Update = assembly("@i %@r2, %@r0, [%1]", ": \"=r\"(r) : \"r\"(p), \"r\"(v)" + Memory);
  const std::string NoResult = assembly("@i %@r1, [%0]", ":: \"r\"(p), \"r\"(v)" + Memory);
  Add("swp", Update, "r = __atomic_exchange_n(p, v, @o);");
  const std::pair<const char *, const char *> Updates[] = {{"add", "add(p, v, @o)"},
                                                           {"clr", "and(p, (T)~v, @o)"},
                                                           {"eor", "xor(p, v, @o)"},
                                                           {"set", "or(p, v, @o)"},
                                                           {"smax", "max((@S *)p, (@S)v, @o)"},
                                                           {"smin", "min((@S *)p, (@S)v, @o)"},
                                                           {"umax", "max(p, v, @o)"},
                                                           {"umin", "min(p, v, @o)"}};
  for (auto [Name, Plain] : Updates) {
    Add(std::string("ld") + Name, Update, std::string("r = __atomic_fetch_") + Plain + ";");
    Add(std::string("st") + Name, NoResult, std::string("__atomic_fetch_") + Plain + ";");
  }
  Add("cas", "r = w; " + assembly("@i %@r0, %@r2, [%1]", ": \"+r\"(r) : \"r\"(p), \"r\"(v)" + Memory),
      "T e = w; __atomic_compare_exchange_n(p, &e, v, 0, @o, @f); r = e;");
  Add("casp", "r = w; " + assembly("@i %0, %H0, %2, %H2, [%1]", ": \"+r\"(r) : \"r\"(p), \"r\"(v)" + Memory),
      "T e = w; __atomic_compare_exchange_n(p, &e, v, 0, @o, @f); r = e;", "x");
  Value("mov", assembly("mov %@r0, %@r1\\n mov %@r1, #7", ": \"=&r\"(r), \"+r\"(v)") + " r += v;", "r = v + 7;");
  Value("mvn", assembly("@i %@r0, %@r1", ": \"=r\"(r) : \"r\"(v)"), "r = ~v;");
  Value("neg", assembly("@i %@r0, %@r1", ": \"=r\"(r) : \"r\"(v)"), "r = -v;");
  Value("uxtb", assembly("@i %w0, %w1", ": \"=r\"(r) : \"r\"(v)"), "r = (unsigned char)v;");
  Value("uxth", assembly("@i %w0, %w1", ": \"=r\"(r) : \"r\"(v)"), "r = (unsigned short)v;");
  Value("sxtb", assembly("@i %@r0, %w1", ": \"=r\"(r) : \"r\"(v)"), "r = (T)(signed char)v;");
  Value("sxth", assembly("@i %@r0, %w1", ": \"=r\"(r) : \"r\"(v)"), "r = (T)(short)v;");
  Value("sxtw", assembly("@i %x0, %w1", ": \"=r\"(r) : \"r\"(v)"), "r = (T)(int)v;", "q");
  auto Three = [&](const char *Row, const char *Plain) {
    Value(Row, assembly("@i %@r0, %@r1, %@r2", ": \"=r\"(r) : \"r\"(v), \"r\"(w)"), Plain);
  };
  Three("add", "r = v + w;");
  Three("sub", "r = v - w;");
  Three("and", "r = v & w;");
  Three("bic", "r = v & ~w;");
  Three("orr", "r = v | w;");
  Three("orn", "r = v | ~w;");
  Three("eor", "r = v ^ w;");
  Three("eon", "r = v ^ ~w;");
  Three("mul", "r = v * w;");
  auto Shift = [&](const char *Row, const char *Plain) {
    Value(Row, assembly("@i %@r0, %@r1, #3", ": \"=r\"(r) : \"r\"(v)"), Plain);
  };
  Shift("lsl", "r = v << 3;");
  Shift("lsr", "r = v >> 3;");
  Shift("asr", "r = (T)((@S)v >> 3);");
  auto Flagged = [&](const char *Row, const char *Result) {
    Value(Row,
          "unsigned e, m; " +
              assembly("@i %@r0, %@r3, %@r4\\n cset %w1, eq\\n cset %w2, mi",
                       ": \"=&r\"(r), \"=&r\"(e), \"=&r\"(m) : \"r\"(v), \"r\"(w) : \"cc\"") +
              " r += 2 * e + m;",
          std::string("r = ") + Result + "; r += 2 * (r == 0) + ((@S)r < 0);");
  };
  Flagged("adds", "v + w");
  Flagged("subs", "v - w");
  Flagged("ands", "v & w");
  Value("cmn", assembly("@i %@r1, %@r2\\n cset %@r0, eq", ": \"=r\"(r) : \"r\"(v), \"r\"(w) : \"cc\""),
        "r = v == (T)-w;");
  Value("tst", assembly("@i %@r1, %@r2\\n cset %@r0, ne", ": \"=r\"(r) : \"r\"(v), \"r\"(w) : \"cc\""),
        "r = (v & w) != 0;");
  std::string Sets, Jumps, Plain = "r = 0;";
  const std::pair<const char *, const char *> Conditions[] = {
      {"eq", "v == w"},          {"ne", "v != w"},          {"lo", "v < w"},          {"cc", "v < w"},
      {"hs", "v >= w"},          {"cs", "v >= w"},          {"hi", "v > w"},          {"ls", "v <= w"},
      {"lt", "(@S)v < (@S)w"},   {"ge", "(@S)v >= (@S)w"},  {"le", "(@S)v <= (@S)w"}, {"gt", "(@S)v > (@S)w"},
      {"mi", "(@S)(v - w) < 0"}, {"pl", "(@S)(v - w) >= 0"}};
  for (auto [Name, Meaning] : Conditions) {
    Sets += "{ T c; " +
            assembly(std::string("cmp %@r1, %@r2\\n cset %@r0, ") + Name, ": \"=r\"(c) : \"r\"(v), \"r\"(w) : \"cc\"") +
            " r = 2 * r + c; }";
    Jumps += "{ T c = 1; " +
             assembly(std::string("cmp %@r1, %@r2\\n b.") + Name + " 1f\\n mov %@r0, #0\\n1:",
                      ": \"+&r\"(c) : \"r\"(v), \"r\"(w) : \"cc\"") +
             " r = 2 * r + c; }";
    Plain += std::string(" r = 2 * r + (") + Meaning + ");";
  }
  Value("cset", Sets, Plain);
  Value("cmp", Sets, Plain, "q");
  Value("b.", Jumps, Plain);
  Value("b", assembly("mov %0, #1\\n b 2f\\n1: mov %0, #2\\n b 3f\\n2: add %0, %0, #4\\n3:", ": \"=r\"(r)"), "r = 5;",
        "q");
  auto JumpIf = [&](const char *Row, const char *Operands, const char *Plain) {
    Value(Row,
          "r = 1; " + assembly(std::string("@i ") + Operands + ", 1f\\n mov %@r0, #0\\n1:", ": \"+&r\"(r) : \"r\"(v)"),
          std::string("r = ") + Plain + ";");
  };
  JumpIf("cbz", "%@r1", "v == 0");
  JumpIf("cbnz", "%@r1", "v != 0");
  JumpIf("tbz", "%@r1, #1", "!(v & 2)");
  JumpIf("tbnz", "%@r1, #1", "(v & 2) != 0");
}

void addPower(Cases &All) {
  const Architecture For = Architecture::Powerpc64le;
  auto Add = [&](const char *Row, std::string Assembly, std::string Plain, const char *Types = "") {
    All.push_back({For, Row, std::move(Assembly), std::move(Plain), Types});
  };
  auto Value = [&](const char *Row, std::string Assembly, std::string Plain) {
    All.push_back({For, Row, std::move(Assembly), std::move(Plain), "q", false});
  };
  const std::string Memory = " : \"memory\", \"cc\"";
  for (const char *Row : {"sync", "sync 0", "hwsync", "ptesync"})
    Add(Row, assembly("@i", "::: \"memory\""), "__atomic_thread_fence(5);");
  for (const char *Row : {"lwsync", "sync 1"})
    Add(Row, assembly("@i", "::: \"memory\""), "__atomic_thread_fence(4);");
  Add("isync", assembly("@i", "::: \"memory\""), assembly("isync", ""));
  Add("eieio", assembly("@i", "::: \"memory\""), assembly("eieio", ""));
  for (const char *Row : {"or 1,1,1", "or 2,2,2", "or 6,6,6", "or 27,27,27", "or 31,31,31", "nop"})
    Add(Row, assembly("@i", "::: \"memory\""), "");
  Add("dcbt", assembly("dcbt 0,%0", ":: \"r\"(p)"), "");
  Add("dcbtst", assembly("dcbtst 0,%0", ":: \"r\"(p)"), "");
  for (const char *Row : {"mftb", "mftbu"})
    Add(Row, "unsigned long t; " + assembly("@i %0", ": \"=r\"(t)"), "");
  const std::pair<const char *, const char *> Widths[] = {{"b", "b"}, {"h", "w"}, {"w", "l"}, {"d", "q"}};
  static std::vector<std::string> Names; // rows are known by pointers to them
  Names.reserve(32);
  auto Name = [&](const std::string &Text) { return Names.emplace_back(Text).c_str(); };
  for (auto [Letter, Type] : Widths) {
    const std::string Of = Letter, Zero = Of == "d" ? "" : "z";
    const std::string Load = "r = __atomic_load_n((T *)p, __ATOMIC_RELAXED);",
                      Store = "__atomic_store_n((T *)p, v, __ATOMIC_RELAXED);";
    Add(Name("l" + Of + Zero), assembly("@i%U1%X1 %0, %1", ": \"=r\"(r) : \"m\"(*p)" + Memory), Load, Type);
    Add(Name("l" + Of + Zero + "x"), assembly("@i %0, 0, %1", ": \"=r\"(r) : \"r\"(p)" + Memory), Load, Type);
    Add(Name("st" + Of), assembly("@i%U0%X0 %1, %0", ": \"=m\"(*p) : \"r\"(v)" + Memory), Store, Type);
    Add(Name("st" + Of + "x"), assembly("@i %1, 0, %0", ":: \"r\"(p), \"r\"(v)" + Memory), Store, Type);
    Add(Name("l" + Of + "arx"), assembly("@i %0, 0, %1", ": \"=r\"(r) : \"r\"(p)" + Memory),
        "r = __atomic_load_n(p, 0);", Type);
    Add(Name("st" + Of + "cx."),
        "T n; " + assembly("1: l" + Of + "arx %0, 0, %2\\n add %1, %3, %0\\n @i %1, 0, %2\\n bne- 1b",
                           ": \"=&r\"(r), \"=&r\"(n) : \"r\"(p), \"r\"(v)" + Memory),
        "r = __atomic_fetch_add(p, v, 0);", Type);
  }
  Value("mr", assembly("mr %0, %1", ": \"=r\"(r) : \"r\"(v)"), "r = v;");
  Value("li", assembly("li %0, -3", ": \"=r\"(r)"), "r = -3;");
  Value("not", assembly("@i %0, %1", ": \"=r\"(r) : \"r\"(v)"), "r = ~v;");
  Value("neg", assembly("@i %0, %1", ": \"=r\"(r) : \"r\"(v)"), "r = -v;");
  Value("extsb", assembly("@i %0, %1", ": \"=r\"(r) : \"r\"(v)"), "r = (T)(signed char)v;");
  Value("extsh", assembly("@i %0, %1", ": \"=r\"(r) : \"r\"(v)"), "r = (T)(short)v;");
  Value("extsw", assembly("@i %0, %1", ": \"=r\"(r) : \"r\"(v)"), "r = (T)(int)v;");
  auto Three = [&](const char *Row, const char *Plain) {
    Value(Row, assembly("@i %0, %1, %2", ": \"=r\"(r) : \"r\"(v), \"r\"(w)"), Plain);
  };
  auto Number = [&](const char *Row, const char *Plain) {
    Value(Row, assembly("@i %0, %1, 5", ": \"=r\"(r) : \"b\"(v)"), Plain);
  };
  auto Flagged = [&](const char *Row, const char *Second, const char *Plain) {
    Value(Row,
          "T c = 1; " +
              assembly(std::string("@i %0, %2, ") + Second + "\\n beq 1f\\n li %1, 0\\n1:",
                       ": \"=&r\"(r), \"+&r\"(c) : \"b\"(v), \"r\"(w) : \"cc\"") +
              " r += c;",
          std::string("r = ") + Plain + "; r += r == 0;");
  };
  Three("add", "r = v + w;");
  Three("sub", "r = v - w;");
  Three("subf", "r = w - v;");
  Three("and", "r = v & w;");
  Three("andc", "r = v & ~w;");
  Three("nand", "r = ~(v & w);");
  Three("or", "r = v | w;");
  Three("nor", "r = ~(v | w);");
  Three("xor", "r = v ^ w;");
  Number("addi", "r = v + 5;");
  Number("addic", "r = v + 5;");
  Number("ori", "r = v | 5;");
  Number("xori", "r = v ^ 5;");
  Flagged("addic.", "-1", "v - 1");
  Flagged("add.", "%3", "v + w");
  Flagged("and.", "%3", "v & w");
  Flagged("andi.", "5", "v & 5");
  Flagged("xor.", "%3", "v ^ w");
  struct Comparison {
    const char *Row, *Second, *Left, *Right;
  };
  const Comparison Comparisons[] = {{"cmpw", "%3", "(int)v", "(int)w"},
                                    {"cmpwi", "3", "(int)v", "3"},
                                    {"cmpd", "%3", "(@S)v", "(@S)w"},
                                    {"cmpdi", "3", "(@S)v", "3"},
                                    {"cmplw", "%3", "(unsigned)v", "(unsigned)w"},
                                    {"cmplwi", "3", "(unsigned)v", "3u"},
                                    {"cmpld", "%3", "v", "w"},
                                    {"cmpldi", "3", "v", "3ul"}};
  for (const Comparison &C : Comparisons) {
    auto All6 = [&](const char *Before, const char *Set) {
      std::string Text;
      for (const char *Condition : {"eq", "ne", "lt", "ge", "gt", "le"})
        Text += "{ T c = 1; " +
                assembly(std::string("@i ") + Before + "%2, " + C.Second + "\\n b" + Condition + "- " + Set +
                             "1f\\n li %0, 0\\n1:",
                         ": \"+&r\"(c), \"+r\"(r) : \"r\"(v), \"r\"(w) : \"cc\"") +
                " r = 2 * r + c; }";
      return Text;
    };
    std::string Plain;
    for (const char *Op : {"==", "!=", "<", ">=", ">", "<="})
      Plain += std::string(" r = 2 * r + (") + C.Left + " " + Op + " " + C.Right + ");";
    Value(C.Row, All6("", ""), Plain);
    Value(C.Row, All6("7, ", "cr7, "), Plain);
  }
  Value("b", assembly("li %0, 1\\n b 2f\\n1: li %0, 2\\n b 3f\\n2: addi %0, %0, 4\\n3:", ": \"=b\"(r)"), "r = 5;");
}

struct TypeNames {
  const char *Unsigned, *Signed;
};
const std::map<char, TypeNames> Types = {{'b', {"unsigned char", "signed char"}},
                                         {'w', {"unsigned short", "short"}},
                                         {'l', {"unsigned", "int"}},
                                         {'q', {"unsigned long", "long"}},
                                         {'x', {"unsigned __int128", "__int128"}}};

const AssemblyRow &rowOf(const AssemblyCase &Case) {
  for (const AssemblyRow &Row : assemblyTable())
    if (Row.For == Case.For && Row.Name == llvm::StringRef(Case.Row))
      return Row;
  throw std::runtime_error("no row " + Case.Row);
}

} // namespace

const std::vector<AssemblyCase> &assemblyCases() {
  static const std::vector<AssemblyCase> All = [] {
    Cases All;
    addX86(All);
    addArm(All);
    addPower(All);
    return All;
  }();
  return All;
}

std::vector<AssemblyVariant> variantsOf(const AssemblyCase &Case) {
  const AssemblyRow &Row = rowOf(Case);
  const bool IsX86 = Case.For == Architecture::X86_64;
  const bool HasWidth = Row.Follows == Suffix::Width || Row.Follows == Suffix::WidthNeeded;
  const bool IsNarrow =
      Row.Follows == Suffix::Narrow || Row.Follows == Suffix::OrderNarrow || Row.Follows == Suffix::ReleaseNarrow;
  const bool Orders = Row.Follows == Suffix::Order || Row.Follows == Suffix::OrderNarrow;
  std::vector<std::pair<std::string, int>> Ordered = {{"", 0}};
  if (Orders)
    Ordered = {{"", 0}, {"a", 2}, {"l", 3}, {"al", 4}};
  if (Row.Follows == Suffix::ReleaseNarrow)
    Ordered = {{"", 0}, {"l", 3}};
  const std::string Letters = !Case.Types.empty() ? Case.Types : HasWidth || IsNarrow ? "bwlq" : IsX86 ? "q" : "l";
  std::vector<AssemblyVariant> All;
  for (const auto &[Order, Number] : Ordered)
    for (char Letter : Letters) {
      const std::string Narrow = Letter == 'b' ? "b" : Letter == 'w' ? "h" : "";
      const std::string After = HasWidth ? std::string(1, Letter) : Order + (IsNarrow ? Narrow : "");
      const int Failure = Number == 2 || Number == 4 ? 2 : 0;
      auto Filled = [&](std::string Text) {
        Text = replaced(Text, "@i", Case.Row + After);
        Text = replaced(Text, "@s", IsX86 ? After : Narrow);
        Text = replaced(Text, "@r", Letter == 'q' ? "x" : "w");
        Text = replaced(Text, "@o", std::to_string(Number));
        Text = replaced(Text, "@f", std::to_string(Failure));
        return replaced(Text, "@S", Types.at(Letter).Signed);
      };
      All.push_back({&Case, Case.Row + After + " (" + Letter + ")", Types.at(Letter).Unsigned, Filled(Case.Assembly),
                     Filled(Case.Plain)});
    }
  return All;
}

} // namespace picket::testing
